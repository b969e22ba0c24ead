//! Files that are larger than the memory limit: streamed fits, checkpoints, kills.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{assert_close, file, mercer, path_in};

const LIMIT: u64 = 48_000_000;

/// A number in [0, 1) for every pair: no generator is needed.
fn noise(i: usize, j: usize) -> f64 {
    ((i * 7919 + j * 104_729 + 17) as f64 * 0.618_033_988_749_895).fract()
}

/// A table with two inputs, a category, a long text that nobody needs, and a target; every row has
/// so many bytes more.
fn write_data(folder: &TempDir, name: &str, rows: usize, padding: usize) -> String {
    let path = path_in(folder, name);
    let mut out = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    writeln!(out, "a,b,kind,note,y").unwrap();
    let note = "x".repeat(padding);
    for i in 0..rows {
        let (a, b) = (noise(i, 0), noise(i, 1));
        let kind = ["left", "right"][i % 2];
        let y = (3.0 * a).sin() + b * b + (i % 2) as f64 + 0.2 * (noise(i, 2) - 0.5);
        writeln!(out, "{a},{b},{kind},{note},{y}").unwrap();
    }
    path
}

const WORDS: [&str; 10] = [
    "--target",
    "y",
    "--drop",
    "note",
    "--kernel",
    "gaussian(lengthscale=1)",
    "--features",
    "fourier",
    "--components",
    "20",
];

fn fit(data: &str, words: &[&str]) -> Value {
    mercer(&[&["fit", "ridge", data, "--json"], &WORDS[..], words].concat()).json()
}

/// Starts the program and does not wait for it.
fn start(words: &[&str]) -> Child {
    let program = env!("CARGO_BIN_EXE_mercer");
    Command::new(program).args(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// The most memory that a process has held, in bytes, as the system counts it.
fn peak(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(1024 * line.split_whitespace().nth(1)?.parse::<u64>().ok()?)
}

/// Waits for a success; the most memory that the process was seen to hold.
fn watch(mut child: Child) -> Option<u64> {
    let mut most = None;
    loop {
        most = peak(&child).or(most);
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            return most;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_streamed_fit_is_near_the_fit_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let data = write_data(&folder, "data.csv", 1200, 1);
    let (a, b) = (path_in(&folder, "a.model"), path_in(&folder, "b.model"));
    let words = [
        "--target",
        "y",
        "--drop",
        "note",
        "--kernel",
        "gaussian(lengthscale=1)",
        "--scale",
        "standard",
        "--lambda",
        "0.1",
    ];
    let whole = mercer(&[&["fit", "ridge", &data, "--json", "-o", &a], &words[..]].concat()).json();
    let words = [&words[..], &["--stream", "--components", "300"]].concat();
    let streamed = mercer(&[&["fit", "ridge", &data, "--json", "-o", &b], &words[..]].concat()).json();
    assert_eq!(streamed["kind"], "streamed_ridge");
    assert_eq!(streamed["streamed"], "requested");
    assert_eq!((&streamed["rows"], &streamed["inputs"]), (&whole["rows"], &whole["inputs"]));
    let rmse = |value: &Value| value["rmse"].as_f64().unwrap();
    mercer::assert_close!(rmse(&streamed), rmse(&whole), abs = 1e-3, "{streamed}\n{whole}");
    let predict = |model: &str| mercer(&["predict", model, &data, "--json"]).json();
    let (found, expected) = (predict(&b), predict(&a));
    assert_eq!(found["kind"], "streamed_ridge");
    let values = |v: &Value| v["targets"][0]["prediction"].as_array().unwrap().clone();
    for (f, e) in values(&found).iter().zip(values(&expected)) {
        assert_close(f, e.as_f64().unwrap(), 1e-2);
    }
}

#[test]
fn kernel_and_lambda_are_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let data = write_data(&folder, "data.csv", 2000, 1);
    let base = ["fit", "ridge", &data, "--target", "y", "--drop", "note", "--stream", "--json", "--sample", "80"];
    let run = |words: &[&str]| mercer(&[&base[..], &["--components", "40"], words].concat()).json();
    let found = run(&[]);
    assert!(found["r2"].as_f64().unwrap() > 0.98, "{found}");
    assert_eq!(found["scores"].as_array().unwrap().len(), 19);
    assert!(!found["choice"]["candidates"].as_array().unwrap().is_empty());
    assert_eq!(found["cv_rmse"], run(&["--threads", "1", "--memory", "300MB"])["cv_rmse"]);
}

#[test]
fn data_larger_than_the_limit_is_streamed_within_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = write_data(&folder, "data.csv", 190_000, 220);
    assert!(std::fs::metadata(&data).unwrap().len() > LIMIT);
    let limit = LIMIT.to_string();
    let plan = mercer(&[&["explain", "fit", "ridge", &data, "--memory", &limit, "--json"], &WORDS[..]].concat()).json();
    assert!(plan["streamed"].as_str().unwrap().contains("more than the memory limit"), "{plan}");
    assert_eq!((plan["solver"].as_str(), plan["fits"].as_bool()), (Some("streamed"), Some(true)));
    let model = path_in(&folder, "model");
    let most = watch(start(&[&["fit", "ridge", &data, "--memory", &limit, "-o", &model], &WORDS[..]].concat()));
    match most {
        Some(bytes) => assert!((5_000_000..LIMIT).contains(&bytes), "the peak was {bytes} bytes"),
        None => eprintln!("skipped: this system does not say what the peak memory of a process is"),
    }
    assert!(Path::new(&model).is_file());
}

#[cfg(unix)]
#[test]
fn a_fit_that_was_killed_resumes_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let data = write_data(&folder, "data.csv", 60_000, 600);
    let (whole, resumed, checkpoint) =
        (path_in(&folder, "whole"), path_in(&folder, "resumed"), path_in(&folder, "checkpoint"));
    fit(&data, &["--stream", "-o", &whole]);
    let words = ["--checkpoint", &checkpoint, "-o", &resumed];
    let mut child = start(&[&["fit", "ridge", &data, "--threads", "1"], &WORDS[..], &words].concat());
    while !Path::new(&checkpoint).is_file() {
        assert!(child.try_wait().unwrap().is_none(), "the fit ended before the first checkpoint");
        std::thread::sleep(Duration::from_millis(1));
    }
    // SIGKILL: no chance to tidy up.
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
    assert!(Path::new(&checkpoint).is_file() && !Path::new(&resumed).exists());
    let all = |extra: &[&str]| {
        mercer(&[&["fit", "ridge", &data, "-o", &resumed, "--checkpoint", &checkpoint], &WORDS[..], extra].concat())
    };
    all(&[]).fails(1, &["already", "--resume"]);
    all(&["--resume", "--lambda", "1"]).fails(1, &["lambdas", "another fit", &checkpoint]);
    all(&["--resume", "--seed", "3"]).fails(1, &["seed = 0", "seed = 3"]);
    let found = all(&["--resume", "--memory", "40MB", "--json"]).json();
    assert!(found["resumed_at"].as_u64().unwrap() > 0, "{found}");
    assert!(std::fs::read(&whole).unwrap() == std::fs::read(&resumed).unwrap());
    assert!(!Path::new(&checkpoint).exists());
}

#[test]
fn several_passes_are_made_where_they_are_requested() {
    let folder = tempfile::tempdir().unwrap();
    let data = write_data(&folder, "data.csv", 2000, 1);
    let base = ["fit", "ridge", &data, "--target", "y", "--drop", "note", "--stream", "--json", "--lambda", "0.1"];
    let kernel = ["--kernel", "gaussian(lengthscale=1)", "--centers", "50", "--landmarks", "rpcholesky"];
    let run = |words: &[&str]| mercer(&[&base[..], &kernel[..], words].concat()).json();
    let (once, often) = (run(&[]), run(&["--solver", "centers"]));
    // The sample is the whole table: with it as preconditioner one step is enough.
    assert!(often["passes"].as_u64().unwrap() >= 2 && once["passes"].is_null(), "{often}");
    assert_close(&often["rmse"], once["rmse"].as_f64().unwrap(), 1e-5);
    assert_eq!(often["components"], once["components"]);
    let plan = mercer(&[&["explain"], &base[..], &kernel[..], &["--solver", "cg"]].concat()).json();
    assert_eq!(plan["stages"][0]["stage"], "several passes");
}

#[test]
fn what_cannot_be_streamed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = write_data(&folder, "data.csv", 50, 1);
    let run = |words: &[&str]| mercer(&[&["fit", "ridge", &data, "--target", "y", "--stream"], words].concat());
    run(&["--solver", "cholesky"]).fails(1, &["--solver"]);
    run(&["--cv", "gcv"]).fails(1, &["--cv gcv"]);
    run(&["--checkpoint", "x"]).fails(1, &["--output"]);
    run(&["--resume"]).fails(1, &["--checkpoint"]);
    mercer(&["fit", "ridge", "-", "--target", "y", "--stream"]).fails(1, &["standard input"]);
    mercer(&["fit", "ridge", &data, "--target", "z", "--stream"]).fails(1, &["--target", "no column `z`"]);
    mercer(&["fit", "ridge", &data, "--target", "kind", "--stream"]).fails(1, &["--target", "categories"]);
    mercer(&["fit", "ridge", &data, "--stream"]).fails(1, &["--target COL"]);
    let empty = file(&folder, "empty.csv", b"");
    mercer(&["fit", "ridge", &empty, "--target", "y", "--stream"]).fails(1, &["empty.csv", "the file is empty"]);
    let ragged = file(&folder, "ragged.csv", b"a,y\n1,2\n3\n");
    mercer(&["fit", "ridge", &ragged, "--target", "y", "--stream"]).fails(1, &["ragged.csv, line 3", "1 cells"]);
    let gap = file(&folder, "gap.csv", b"a,y\n1,2\n3,4\n,5\n");
    mercer(&["fit", "ridge", &gap, "--target", "y", "--stream"]).fails(1, &["gap.csv: row 2, column a", "--missing"]);
    let one = mercer(&[
        "fit",
        "ridge",
        &gap,
        "--target",
        "y",
        "--stream",
        "--missing",
        "drop",
        "--kernel",
        "linear()",
        "--lambda",
        "1",
        "--json",
    ]);
    assert_eq!(one.json()["rows"], 2);
    let gone = mercer(&["fit", "ridge", "none.csv", "--target", "y", "--stream"]);
    gone.fails(1, &["none.csv"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_failure_of_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let data = write_data(&folder, "data.csv", 20_000, 300);
    let model = path_in(&folder, "model");
    let words =
        [&["fit", "ridge", &data, "-o", &model, "--memory", "30MB", "--checkpoint", "/dev/full"], &WORDS[..]].concat();
    mercer(&words).fails(2, &["/dev/full"]);
    assert!(!Path::new(&model).exists());
}

/// Predictions in chunks have the bytes of those in memory, for numbers and for classes, and are
/// output alike.
#[test]
fn streamed_predictions_are_those_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (small, data) = (write_data(&folder, "small.csv", 300, 1), write_data(&folder, "data.csv", 20_000, 1));
    let (numbers, classes) = (path_in(&folder, "numbers.model"), path_in(&folder, "classes.model"));
    let kernel = ["--kernel", "gaussian(lengthscale=1)", "--drop", "note"];
    mercer(&[&["fit", "ridge", &small, "--target", "y", "--lambda", "0.1", "-o", &numbers], &kernel[..]].concat())
        .done();
    let words = ["fit", "logistic", &small, "--target", "kind", "--lambda", "0.1", "-o", &classes];
    mercer(&[&words[..], &kernel[..]].concat()).done();
    for (model, more) in [(&numbers, &["--interval"][..]), (&classes, &["--proba"])] {
        for ending in ["csv", "tsv"] {
            let (whole, parts) =
                (path_in(&folder, &format!("whole.{ending}")), path_in(&folder, &format!("parts.{ending}")));
            let output = mercer(&[&["predict", model, &data, "-o", &whole, "--json"], more].concat()).json();
            // So little memory that there are several chunks.
            let words = ["predict", model, &data, "-o", &parts, "--json", "--stream", "--memory", "40MB"];
            let found = mercer(&[&words[..], more].concat()).json();
            assert!(std::fs::read(&whole).unwrap() == std::fs::read(&parts).unwrap(), "{model} {ending}");
            assert_eq!((&found["rows"], &found["streamed"]), (&output["rows"], &Value::from("requested")));
            let (found, output) = (&found["test"][0], &output["test"][0]);
            for key in ["rmse", "mae", "r2", "coverage", "accuracy", "log_loss"] {
                match output[key].as_f64() {
                    Some(value) => assert_close(&found[key], value, 1e-9),
                    None => assert_eq!(found[key], output[key], "{key}"),
                }
            }
        }
    }
}

#[test]
fn predictions_of_a_file_larger_than_the_limit_stay_within_it() {
    let folder = tempfile::tempdir().unwrap();
    let (small, data) = (write_data(&folder, "small.csv", 300, 1), write_data(&folder, "data.csv", 190_000, 220));
    let (model, out) = (path_in(&folder, "model"), path_in(&folder, "out.csv"));
    let words = ["--target", "y", "--drop", "note", "--kernel", "gaussian(lengthscale=1)", "--lambda", "0.1"];
    mercer(&[&["fit", "ridge", &small, "-o", &model], &words[..]].concat()).done();
    let limit = LIMIT.to_string();
    let most = watch(start(&["predict", &model, &data, "-o", &out, "--memory", &limit]));
    match most {
        Some(bytes) => assert!((5_000_000..LIMIT).contains(&bytes), "the peak was {bytes} bytes"),
        None => eprintln!("skipped: this system does not say what the peak memory of a process is"),
    }
    assert_eq!(std::fs::read_to_string(&out).unwrap().lines().count(), 190_001);
}

#[test]
fn predictions_that_cannot_be_streamed_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = write_data(&folder, "data.csv", 30, 1);
    let model = path_in(&folder, "model");
    let words = ["--target", "y", "--drop", "note", "--kernel", "gaussian(lengthscale=1)", "--lambda", "0.1"];
    mercer(&[&["fit", "ridge", &data, "-o", &model], &words[..]].concat()).done();
    let npy = path_in(&folder, "out.npy");
    for (words, text) in [
        (&["predict", &model, &data, "--stream"][..], "give --output"),
        (&["predict", &model, &data, "--stream", "-o", &npy], "must end in .csv or .tsv"),
        (&["predict", &model, "-", "--stream", "-o", "out.csv"], "standard input can be read only once"),
    ] {
        mercer(words).fails(1, &[text]);
    }
    // The row of a bad value is that of the file, and what was there stays.
    let (bad, out) = (path_in(&folder, "bad.csv"), file(&folder, "out.csv", b"old\n"));
    let text = std::fs::read_to_string(&data).unwrap();
    std::fs::write(&bad, text + "0.5,,left,x,1\n").unwrap();
    mercer(&["predict", &model, &bad, "--stream", "-o", &out, "--memory", "4MB"]).fails(1, &["row 30"]);
    assert_eq!(std::fs::read(&out).unwrap(), b"old\n");
}

/// Parts made by several commands merge to the bytes of one command.
#[test]
fn merged_parts_have_the_bytes_of_one_machine() {
    let folder = tempfile::tempdir().unwrap();
    let data = write_data(&folder, "data.csv", 9000, 3);
    let whole = path_in(&folder, "whole");
    fit(&data, &["--stream", "--lambdas", "0.01,1,100", "-o", &whole]);
    let parts: Vec<String> = (1..=3).map(|i| path_in(&folder, &format!("{i}.part"))).collect();
    for (i, path) in parts.iter().enumerate() {
        let part = format!("{}/3", i + 1);
        let threads = ["1", "2"][i % 2];
        let words = ["--lambdas", "0.01,1,100", "--part", &part, "--statistics", path, "--threads", threads];
        let report = fit(&data, &words);
        assert_eq!((report["rows"].as_u64(), report["all_rows"].as_u64()), (Some(3000), Some(9000)));
    }
    let merged = path_in(&folder, "merged");
    let report = mercer(&["merge", &parts[2], &parts[0], &parts[1], "-o", &merged, "--json"]).json();
    assert_eq!(report["rows"].as_u64(), Some(9000));
    assert!(std::fs::read(&merged).unwrap() == std::fs::read(&whole).unwrap());
    let refused = |words: &[&str], reason: &str| {
        mercer(&[&["merge"], words, &["-o", &path_in(&folder, "none")]].concat()).fails(1, &[reason]);
    };
    refused(&[&parts[0], &parts[2]], "the rows 3000 to 5999 are missing");
    refused(&[&parts[0], &parts[0]], "the rows 0 to 2999 are in both parts");
    refused(&[&parts[0], &whole], "no statistics can be read");
    let other = path_in(&folder, "other.part");
    fit(&data, &["--lambdas", "0.01,1,1000", "--part", "2/3", "--statistics", &other]);
    refused(&[&parts[0], &other], "is a part of another fit");
    mercer(&["fit", "ridge", &data, "--target", "y", "--part", "4/3", "--statistics", &other]).fails(1, &["4/3"]);
}

/// Principal components and clusters through features: the model is one for `transform`, the result
/// is written chunk by chunk, and a killed fit goes on to the same bytes.
#[test]
fn views_of_long_files() {
    let folder = TempDir::new().unwrap();
    let data = write_data(&folder, "views.csv", 9000, 0);
    let common = ["--stream", "--drop", "note,y", "--feature-count", "20", "--memory", "30MB", "--json"];
    let (pca, scores, again) = (path_in(&folder, "pca"), path_in(&folder, "scores.csv"), path_in(&folder, "again.csv"));
    let words = ["embed", "pca", &data, "--components", "2", "--model", &pca, "-o", &scores];
    let found = mercer(&[&words[..], &common].concat()).json();
    assert_eq!((&found["kind"], &found["rows"]), (&"streamed_pca".into(), &9000.into()));
    assert_eq!(found["eigenvalues"].as_array().unwrap().len(), 2);
    mercer(&["transform", &pca, &data, "-o", &again]).done();
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    assert_eq!(read(&scores).lines().count(), 9001);
    assert_eq!(read(&scores), read(&again));

    let (model, other, checkpoint) =
        (path_in(&folder, "clusters"), path_in(&folder, "other"), path_in(&folder, "checkpoint"));
    let words = [&["cluster", &data, "-k", "6"], &common[..]].concat();
    let found = mercer(&[&words[..], &["--model", &model, "-o", &scores]].concat()).json();
    assert_eq!(found["kind"], "streamed_kmeans");
    assert!(found["passes"].as_u64().unwrap() > 1, "{found}");
    let masses: f64 = found["masses"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).sum();
    mercer::assert_close!(masses, 9000.0, 1e-9);
    assert_eq!(read(&scores).lines().last().unwrap().split(',').next(), Some("8999"));
    let resumable = [&words[..], &["--model", &other, "--checkpoint", &checkpoint]].concat();
    let mut child = start(&resumable);
    while !Path::new(&checkpoint).exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    mercer(&[&resumable[..], &["--resume"]].concat()).done();
    assert!(std::fs::read(&model).unwrap() == std::fs::read(&other).unwrap());
    assert!(!Path::new(&checkpoint).exists());

    mercer(&["embed", "pca", &data, "--stream", "--solver", "dense"]).fails(1, &["--solver"]);
    mercer(&["cluster", &data, "-k", "2", "--stream", "--spectral"]).fails(1, &["all rows at once"]);
    mercer(&["embed", "pca", &data, "--stream", "-o", "x.npy"]).fails(1, &[".csv or .tsv"]);
}

/// Tests of long files: the decision of the test in memory, a plan, and a killed test that goes on.
#[test]
fn tests_of_long_files() {
    let folder = TempDir::new().unwrap();
    let first = write_data(&folder, "first.csv", 9000, 0);
    let moved = path_in(&folder, "moved.csv");
    let text: String = std::fs::read_to_string(&first)
        .unwrap()
        .lines()
        .enumerate()
        .map(|(i, line)| match line.split_once(',') {
            Some((a, rest)) if i > 0 => format!("{},{rest}\n", a.parse::<f64>().unwrap() + 0.1),
            _ => format!("{line}\n"),
        })
        .collect();
    std::fs::write(&moved, text).unwrap();
    let same = path_in(&folder, "same.csv");
    let rows = std::fs::read_to_string(&first).unwrap();
    let turned: Vec<&str> =
        rows.lines().take(1).chain(rows.lines().skip(1).collect::<Vec<_>>().into_iter().rev()).collect();
    std::fs::write(&same, turned.join("\n") + "\n").unwrap();
    let common = ["--stream", "--components", "32", "--memory", "30MB", "--json"];
    let two = |other: &str, more: &[&str]| {
        mercer(&[&["test", "two-sample", &first, other, "--columns", "a,b,kind"], &common[..], more].concat()).json()
    };
    let found = two(&moved, &[]);
    assert_eq!((&found["reject"], &found["rows"]), (&true.into(), &serde_json::json!([9000, 9000])));
    assert_eq!(found["columns"][0], serde_json::json!(["a", "b", "kind=left", "kind=right"]));
    assert_eq!(found["method"], "streamed features");
    let found = two(&same, &["--scale", "standardize"]);
    assert_eq!((&found["reject"], &found["streamed"]), (&false.into(), &"requested".into()));

    let words = ["test", "independence", &first, "-x", "a,kind", "-y", "y"];
    let whole = mercer(&[&words[..], &common].concat()).json();
    assert_eq!((&whole["reject"], &whole["rows"]), (&true.into(), &serde_json::json!([9000])));
    let free = mercer(&[&["test", "independence", &first, "-x", "a", "-y", "b"], &common[..]].concat()).json();
    assert_eq!(free["columns"], serde_json::json!([["a"], ["b"]]));

    // Stopped at a checkpoint and resumed: the same outcome to the byte.
    let checkpoint = path_in(&folder, "test.checkpoint");
    let long = write_data(&folder, "long.csv", 60_000, 60);
    let words = ["test", "two-sample", &long, &long, "--columns", "a,b"];
    let words = [&words[..], &common].concat();
    let expected = mercer(&words).json();
    let resumable = [&words[..], &["--checkpoint", &checkpoint]].concat();
    let mut child = start(&resumable);
    while !Path::new(&checkpoint).exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let stopped = Path::new(&checkpoint).exists();
    if stopped {
        mercer(&resumable).fails(1, &["checkpoint", "resume"]);
        mercer(&[&resumable[..], &["--resume", "--level", "0.1"]].concat()).fails(1, &["another fit"]);
    }
    let found = mercer(&[&resumable[..], &["--resume"]].concat()).json();
    assert_eq!(found["resumed_at"].is_null(), !stopped);
    for fact in ["statistic", "p_value", "kernel", "rows", "details"] {
        assert_eq!(found[fact], expected[fact], "{fact}");
    }
    assert!(!Path::new(&checkpoint).exists());

    let plan = mercer(&["explain", "test", "two-sample", &first, &moved, "--columns", "a,b", "--stream"]).done().out;
    assert!(plan.contains("18 000") || plan.contains("18000") || plan.contains("18,000"), "{plan}");
    let words = ["explain", "cluster", &first, "-k", "3", "--drop", "note,y", "--stream", "--json"];
    assert_eq!(mercer(&words).json()["rows"], 9000);
    let words = ["explain", "embed", "pca", &first, "--drop", "note,y", "--stream", "--json"];
    assert_eq!(mercer(&words).json()["streamed"], "requested");

    let refused = |words: &[&str], text: &str| mercer(&[&["test"], words, &["--stream"]].concat()).fails(1, &[text]);
    refused(&["two-sample", &first, &moved, "--method", "exact"], "features");
    refused(&["two-sample", &first, &moved, "--by", "kind"], "--by");
    refused(&["two-sample", &first, "-"], "standard input");
    refused(&["independence", &first, "-x", "nothing", "-y", "y"], "--x");
    refused(&["two-sample", &first, &moved, "--columns", "a", "--kernel", "linear()"], "linear");
    let other = file(&folder, "other.csv", b"a,c\n1,2\n3,4\n");
    refused(&["two-sample", &first, &other], "choose the columns of both");
}
