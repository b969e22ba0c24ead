//! Files and streams: damaged and hostile files, outputs that are inputs, links, closed pipes, what
//! a kill leaves behind, names that command a terminal.

use std::io::Write;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::common::{Run, assert_close, example, file, mercer, mercer_with_input, path_in};

const TABLE: &[u8] = b"a,b,y\n0,1,1\n1,0,2\n2,1,4\n3,0,3\n4,1,6\n5,0,5\n";

fn names(folder: &TempDir) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A model of `a` and `b`.
fn model(folder: &TempDir) -> (String, String) {
    let (data, model) = (file(folder, "d.csv", TABLE), path_in(folder, "m.safetensors"));
    let words = ["fit", "ridge", &data, "--target", "y", "--kernel", "gaussian()", "--lambda", "0.1", "-o", &model];
    mercer(&words).done();
    (data, model)
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn npy(shape: &str, data: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
    [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], text.as_bytes(), data].concat()
}

#[test]
fn damaged_matrices_are_refused_by_every_reader() {
    let folder = tempfile::tempdir().unwrap();
    let (_, model) = model(&folder);
    let out = path_in(&folder, "p.csv");
    for (shape, packing) in [
        ("(0, 1152921504606846975)", false),
        ("(0, 1152921504606846975)", true),
        ("(1, 1152921504606846975)", true),
        ("(1152921504606846975, 2)", true),
        ("(99999999999, 3)", true),
        ("(0, 99999999999)", false),
    ] {
        let bytes = npy(shape, b"");
        let data = file(&folder, "x.npy", &if packing { packed(&bytes) } else { bytes });
        let runs = [
            mercer(&["predict", &model, &data, "--stream", "-o", &out]),
            mercer(&["predict", &model, &data, "-o", &out]),
            mercer(&["kernel", "gram", "linear()", &data]),
            mercer(&["fit", "ridge", &data, "--target", "0", "--stream", "-o", &out]),
        ];
        for run in runs {
            assert_eq!((run.code, run.out.as_str()), (1, ""), "{shape}: {}", run.err);
            assert!(run.err.starts_with("error: ") && !run.err.contains("capacity"), "{shape}: {}", run.err);
        }
    }
}

/// A panic of the decoder of Parquet becomes an error, and its message does not reach the user.
#[test]
fn damaged_parquet_files_are_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "d.csv", TABLE);
    let table = mercer::io::read_table(data.as_ref(), &Default::default(), &mercer::Compute::new()).unwrap();
    let whole = path_in(&folder, "d.parquet");
    mercer::io::write_parquet(whole.as_ref(), &table).unwrap();
    let bytes = std::fs::read(&whole).unwrap();
    for at in (4..bytes.len() - 4).step_by(3) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        let run = mercer(&["data", "describe", &file(&folder, "x.parquet", &damaged)]);
        assert!(run.code <= 1 && run.err.lines().count() <= 1, "byte {at}: {}", run.err);
        assert!(!run.err.contains("internal error") && !run.err.contains("panicked"), "byte {at}: {}", run.err);
    }
}

#[test]
fn a_huge_index_is_refused_by_the_memory_limit_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (_, model) = model(&folder);
    let data = file(&folder, "x.libsvm", b"1 1:1 4294967295:1\n2 1:2\n");
    let second = file(&folder, "y.libsvm", b"1 1:1 3000000:1\n2 1:2\n");
    let out = path_in(&folder, "p.csv");
    let refused = |run: Run| run.fails(1, &["4294967295 columns", "memory limit"]);
    refused(mercer(&["kernel", "gram", "gaussian()", &data]));
    refused(mercer(&["explain", "kernel", "gram", "gaussian()", &data]));
    refused(mercer(&["explain", "fit", "ridge", &data, "--target", "target"]));
    refused(mercer(&["fit", "ridge", &data, "--target", "target"]));
    refused(mercer(&["fit", "ridge", &data, "--target", "target", "--stream"]));
    refused(mercer(&["fit", "svm", &data, "--target", "target"]));
    refused(mercer(&["predict", &model, &data]));
    refused(mercer(&["predict", &model, &data, "--stream", "-o", &out]));
    refused(mercer(&["data", "describe", &data]));
    // Sparse vectors fit, dense ones do not.
    let words = ["kernel", "gram", "linear()", &second, "--memory", "1GB", "--json"];
    assert_eq!(mercer(&words).json()["matrix"], serde_json::json!([[2.0, 2.0], [2.0, 4.0]]));
    mercer(&[&words[..6], &["--scale", "unit"]].concat()).fails(1, &["3000000 columns"]);
}

/// Some kilobytes that unpack to a row of a hundred million cells, or to a line without end.
#[test]
fn rows_without_end_are_refused_by_the_memory_limit() {
    let folder = tempfile::tempdir().unwrap();
    let columns = file(&folder, "c.csv.gz", &packed(&b"1,".repeat(30_000_000)));
    let quoted = file(&folder, "q.csv.gz", &packed(&[b"a,b\n1,\"".to_vec(), b"x\n".repeat(30_000_000)].concat()));
    let line = file(&folder, "l.svm.gz", &packed(&[b"1 ".to_vec(), b"1:1 ".repeat(15_000_000)].concat()));
    for (data, format) in [(&columns, "csv"), (&quoted, "csv"), (&line, "libsvm")] {
        let words = ["--format", format, "--memory", "100MB"];
        let runs = [
            mercer(&[&["fit", "ridge", data, "--stream", "--target", "0"], &words[..]].concat()),
            mercer(&[&["kernel", "gram", "linear()", data], &words[..]].concat()),
        ];
        for run in runs {
            run.fails(1, &["a row of", "memory limit"]);
        }
    }
    // Fewer columns under a higher limit.
    let many = file(&folder, "m.csv.gz", &packed(&b"1,".repeat(1_000_000)));
    let words = ["fit", "ridge", &many, "--stream", "--target", "0", "--format", "csv", "--memory", "500MB"];
    mercer(&words).fails(1, &["a row of", "memory limit"]);
}

#[test]
fn an_output_that_is_an_input_is_refused_without_force() {
    let folder = tempfile::tempdir().unwrap();
    let (data, model) = model(&folder);
    let other = file(&folder, "e.csv", TABLE);
    let link = path_in(&folder, "link.csv");
    std::os::unix::fs::symlink(&data, &link).unwrap();
    let dotted = format!("{}/./d.csv", folder.path().display());
    let text = "fit ridge DATA --target y --kernel gaussian() --lambda 0.1 -o DATA
fit svm DATA --target b --kernel gaussian() -C 1 -o DATA
fit auto DATA --target y -o DATA
fit ridge DATA --target y --kernel gaussian() --lambda 0.1 --report DATA
fit ridge DATA --target y --stream --checkpoint DATA -o NEW
predict MODEL DATA -o DATA
predict MODEL DATA -o MODEL
predict MODEL DATA --stream -o DATA
predict MODEL DATA --report DATA
kernel gram linear() DATA -o DATA
kernel gram linear() OTHER --against DATA -o DATA
kernel gram linear() DATA -o LINK
kernel gram linear() DATA -o DOTTED
kernel gram linear() LINK -o DATA
kernel check linear() DATA --report DATA
kernel spectrum gaussian() DATA --report DATA
embed nystrom DATA --kernel gaussian() --components 2 -o DATA
test two-sample OTHER DATA --report DATA
test independence DATA --x a --y b --report DATA
data describe DATA --report DATA";
    let before = (std::fs::read(&data).unwrap(), std::fs::read(&model).unwrap());
    for line in text.lines() {
        let word = |w: &str| match w {
            "DATA" => data.clone(),
            "MODEL" => model.clone(),
            "OTHER" => other.clone(),
            "LINK" => link.clone(),
            "DOTTED" => dotted.clone(),
            "NEW" => path_in(&folder, "new"),
            other => other.to_owned(),
        };
        let words: Vec<String> = line.split(' ').map(word).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        mercer(&words).fails(1, &["would overwrite", "--force"]);
        assert!((std::fs::read(&data).unwrap(), std::fs::read(&model).unwrap()) == before, "{line}");
    }
    // Two outputs of one name.
    let new = path_in(&folder, "new.html");
    let fit = ["fit", "ridge", &data, "--target", "y", "--kernel", "gaussian()", "--lambda", "0.1", "-o", &new];
    mercer(&[&fit[..], &["--report", &new]].concat()).fails(1, &["--report", "--output", "--force"]);
    let words = ["fit", "ridge", &data, "--target", "y", "--stream", "-o", &new, "--checkpoint", &new];
    mercer(&words).fails(1, &["--checkpoint", "--output"]);
    assert!(!folder.path().join("new.html").exists());
    // With --force, the file is replaced.
    mercer(&["predict", &model, &data, "-o", &data, "--force"]).done();
    assert!(std::fs::read_to_string(&data).unwrap().starts_with("prediction\n"));
}

#[test]
fn links_as_outputs_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "d.csv", TABLE);
    std::fs::create_dir(folder.path().join("far")).unwrap();
    for (link, to) in [("there.npy", "far/there.npy"), ("new.npy", "far/new.npy")] {
        std::os::unix::fs::symlink(to, folder.path().join(link)).unwrap();
    }
    file(&folder, "far/there.npy", b"old");
    for link in ["there.npy", "new.npy"] {
        mercer(&["kernel", "gram", "linear()", &data, "-o", &path_in(&folder, link)]).done();
        assert!(folder.path().join(link).symlink_metadata().unwrap().is_symlink());
        let written = std::fs::read(folder.path().join("far").join(link)).unwrap();
        assert!(written.starts_with(b"\x93NUMPY"));
    }
}

/// Runs with a standard output that nobody reads; the code and what standard error says.
fn unread(words: &[&str]) -> (Option<i32>, String) {
    // The reading end is closed before the program starts, so that it cannot be quicker.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = Command::new(env!("CARGO_BIN_EXE_mercer")).args(words).stdout(writer).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// Runs with a closed standard output.
fn closed(words: &[&str]) -> (Option<i32>, String) {
    let quoted: Vec<String> = words.iter().map(|w| format!("'{w}'")).collect();
    let line = format!("exec '{}' {} >&-", env!("CARGO_BIN_EXE_mercer"), quoted.join(" "));
    let output = Command::new("sh").args(["-c", &line]).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_result_that_nobody_receives_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let (data, model) = model(&folder);
    let commands: [&[&str]; 8] = [
        &["kernel", "list"],
        &["kernel", "list", "--json"],
        &["predict", &model, &data],
        &["data", "describe", &data],
        &["completions", "bash"],
        &["man"],
        &["--help"],
        &["--version"],
    ];
    for words in commands {
        assert_eq!(unread(words), (Some(2), String::new()), "{words:?}");
        #[cfg(target_os = "linux")]
        assert_eq!(closed(words), (Some(2), "error: standard output: it is closed\n".into()), "{words:?}");
        // The null device receives everything.
        let null = Command::new(env!("CARGO_BIN_EXE_mercer")).args(words).stdout(Stdio::null()).status().unwrap();
        assert_eq!(null.code(), Some(0), "{words:?}");
    }
    // Files are written all the same; a wrong request stays one.
    let out = path_in(&folder, "p.csv");
    assert_eq!(unread(&["predict", &model, &data, "-o", &out]).0, Some(2));
    assert!(std::fs::read_to_string(&out).unwrap().starts_with("prediction\n"));
    assert_eq!(unread(&["kernel", "list", "nothing"]).0, Some(1));
    assert_eq!(closed(&["kernel", "nothing"]).0, Some(1));
    // Through a pipe of a shell, the reader that leaves early gets what it wants.
    let line = format!("'{}' kernel list | head -1", env!("CARGO_BIN_EXE_mercer"));
    let output = Command::new("sh").args(["-c", &line]).output().unwrap();
    assert_eq!((output.stdout.iter().filter(|b| **b == b'\n').count(), output.stderr.len()), (1, 0));
}

/// A write that was killed leaves a temporary file, which the next write of the same file removes.
#[cfg(target_os = "linux")]
#[test]
fn what_a_kill_leaves_is_removed_by_the_next_run() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..20_000).map(|i| format!("{i}\n")).collect();
    let (long, short) = (file(&folder, "long.csv", rows.as_bytes()), file(&folder, "short.csv", b"1\n2\n"));
    let out = path_in(&folder, "k.npy");
    let begin = |data: &str| {
        let words = ["kernel", "gram", "gaussian()", data, "-o", &out, "--threads", "1", "--memory", "100MB"];
        Command::new(env!("CARGO_BIN_EXE_mercer"))
            .args(words)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let temporary = || names(&folder).into_iter().filter(|name| name.ends_with(".tmp")).collect::<Vec<_>>();
    let wait_for = |count: usize| {
        while temporary().len() < count {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
    };
    let (mut first, mut second) = (begin(&long), begin(&long));
    wait_for(2);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(temporary().len(), 2, "{:?}", names(&folder));
    // The second still writes: its file stays, and the one of the first goes.
    mercer(&["kernel", "gram", "gaussian()", &short, "-o", &out]).done();
    assert_eq!(temporary().len(), 1, "{:?}", names(&folder));
    second.kill().unwrap();
    second.wait().unwrap();
    mercer(&["kernel", "gram", "gaussian()", &short, "-o", &out]).done();
    assert_eq!(names(&folder), ["k.npy", "long.csv", "short.csv"]);
}

/// Everything that goes to standard output and standard error, as a terminal would get it.
#[test]
fn names_cannot_command_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let bad = "\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}";
    let text = format!("{bad}x,{bad}k,y\n0,{bad}a,1\n1,b,2\n2,{bad}a,4\n3,b,3\n4,b,6\n5,{bad}a,5\n");
    let data = file(&folder, &format!("{bad}.csv"), text.as_bytes());
    let (model, page) = (path_in(&folder, &format!("{bad}m")), path_in(&folder, &format!("{bad}.svg")));
    let column = format!("{bad}k");
    let fit = ["fit", "ridge", &data, "--target", "y", "--kernel", "gaussian()", "--lambda", "0.1"];
    let runs = [
        mercer(&[&fit[..], &["-o", &model, "--plot", &page]].concat()),
        mercer(&[&fit[..], &["--json"]].concat()),
        mercer(&["predict", &model, &data, "-o", &path_in(&folder, "p.csv")]),
        mercer(&["predict", &model, &data, "--json"]),
        mercer(&["data", "describe", &data]),
        mercer(&["data", "describe", &data, "--json"]),
        mercer(&["test", "independence", &data, "--x", &column, "--y", "y"]),
        mercer(&["kernel", "gram", "gaussian()", &data, "--columns", bad]),
        mercer(&["kernel", "gram", bad, &data]),
        mercer(&["fit", "ridge", &data, "--target", bad]),
        mercer(&["fit", "ridge", &data, "--target", &column]),
        mercer(&["fit", "ridge", bad, "--target", "y"]),
        mercer(&["predict", bad, bad]),
        mercer(&[bad]),
        mercer(&["kernel", "list", bad]),
        mercer(&["kernel", "list", "--threads", bad]),
        mercer(&["kernel", "gram", "gaussian()", &data, "-o", &format!("{bad}.xyz")]),
        mercer(&["fit", "ridge", &data, "--target", "y", "-o", &data]),
    ];
    for (i, run) in runs.iter().enumerate() {
        let all = format!("{}{}", run.out, run.err);
        assert!(!all.is_empty() && !all.contains("internal error"), "run {i}");
        for c in ['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}'] {
            assert!(!all.contains(c), "run {i} lets {c:?} through: {all:?}");
        }
    }
    // For programs the names are what they are.
    let json = mercer(&["data", "describe", &data, "--json"]).json();
    assert_eq!(json["columns"][0]["name"], format!("{bad}x"));
    let svg = std::fs::read_to_string(&page).unwrap();
    assert!(!svg.contains(['\u{1b}', '\u{7}']), "no SVG may hold control characters");
}

/// Many rows are compared again after the search, and the plan counts that.
#[test]
fn plans_of_many_rows_count_the_comparison() {
    let rows = |count: usize| {
        let lines: String = (0..count).map(|i| format!("{},{}\n", i * 7919 % count, (i as f64 * 0.37).sin())).collect();
        format!("x,y\n{lines}")
    };
    let stages = |count: usize| {
        let words = ["explain", "fit", "auto", "-", "--target", "y", "--json"];
        mercer_with_input(&words, rows(count).as_bytes()).json()["stages"].clone()
    };
    let many = stages(3000);
    assert_eq!(many[1]["stage"], "comparison");
    let work = many[1]["work"].as_str().unwrap();
    assert!(work.contains("24 fits on 1000 rows and 16 fits on 2000 rows"), "{work}");
    // 24 · 1000³/3 + 16 · 2000³/3
    assert_close(&many[1]["flops"], 24e9 / 3.0 + 16.0 * 8e9 / 3.0, 1.0);
    assert!(stages(2999).as_array().unwrap().iter().all(|stage| stage["stage"] != "comparison"));
}

/// Standard input can be read only once, and every command that may read it does so once.
#[test]
fn plans_read_standard_input_once() {
    let classes = std::fs::read(example("iris.csv")).unwrap();
    for (target, input) in [("y", TABLE), ("species", &classes[..])] {
        let words = ["explain", "fit", "auto", "-", "--target", target, "--json"];
        let json = mercer_with_input(&words, input).json();
        assert!(json["rows"].as_u64().unwrap() >= 6, "{json}");
    }
    for learner in ["ridge", "gp", "svr"] {
        mercer_with_input(&["explain", "fit", learner, "-", "--target", "y", "--json"], TABLE).json();
    }
    mercer_with_input(&["explain", "kernel", "gram", "linear()", "-", "--json"], TABLE).json();
}
