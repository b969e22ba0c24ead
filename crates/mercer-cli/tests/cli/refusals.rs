//! Wrong requests (code 1) and failed work (code 2): the message names what to change, and nothing
//! is left behind.

use super::common::{example, file, mercer, mercer_with_input, path_in};

const GRAM: [&str; 3] = ["kernel", "gram", "gaussian()"];

fn gram(rest: &[&str]) -> super::common::Run {
    mercer(&[&GRAM[..], rest].concat())
}

#[test]
fn wrong_words() {
    mercer(&[]).fails(1, &["Usage"]);
    mercer(&["kernel", "lst"]).fails(1, &["lst", "list"]);
    mercer(&["kernl", "list"]).fails(1, &["kernl", "kernel"]);
    mercer(&["kernel", "list", "--jsn"]).fails(1, &["--jsn", "--json"]);
    mercer(&["kernel", "explain"]).fails(1, &["EXPR"]);
    let iris = example("iris.csv");
    gram(&[&iris, "--threads", "0"]).fails(1, &["--threads"]);
    gram(&[&iris, "--memory", "much"]).fails(1, &["--memory", "2GB"]);
    gram(&[&iris, "--format", "xlsx"]).fails(1, &["--format", "parquet"]);
    gram(&[&iris, "--plot", "x.jpg"]).fails(1, &["--plot", ".svg"]);
    gram(&[&iris, "--scale", "log"]).fails(1, &["--scale", "standardize"]);
    gram(&[&iris, "-o", "k.xlsx"]).fails(1, &["--output", ".npy"]);
    mercer(&["data", "describe", &iris, "--plot", "x.png"]).fails(1, &["--plot"]);
}

#[test]
fn wrong_files() {
    let folder = tempfile::tempdir().unwrap();
    gram(&[&path_in(&folder, "none.csv")]).fails(1, &["none.csv"]);
    gram(&[folder.path().to_str().unwrap(), "--format", "csv"]).fails(1, &["directory"]);
    gram(&[&file(&folder, "x.dat", b"1\n")]).fails(1, &["x.dat", "csv, tsv, libsvm, npy, parquet"]);
    gram(&[&file(&folder, "ragged.csv", b"a,b\n1,2\n3\n")]).fails(1, &["ragged.csv, line 3"]);
    gram(&[&file(&folder, "bad.npy", b"\x93NUMPY")]).fails(1, &["bad.npy"]);
    gram(&[&file(&folder, "empty.csv", b"")]).fails(1, &["empty.csv"]);
    gram(&[&file(&folder, "head.csv", b"a,b\n")]).fails(1, &["head.csv"]);
    mercer_with_input(&["kernel", "gram", "linear()", "-"], b"").fails(1, &["standard input"]);
}

#[test]
fn wrong_values_name_row_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let holes = file(&folder, "holes.csv", b"a,b\n1,2\n3,NaN\n");
    gram(&[&holes]).fails(1, &["holes.csv", "row 1", "column b", "--missing"]);
    let infinite = file(&folder, "inf.csv", b"a,b\n1,2\n3,inf\n");
    gram(&[&infinite]).fails(1, &["inf.csv", "row 1", "column b", "inf"]);
    let all = file(&folder, "all.csv", b"a,b\n1,\n,3\n");
    gram(&[&all, "--missing", "drop"]).fails(1, &["--missing drop"]);
    let words = ["kernel", "gram", "on([a], wiener())", "-"];
    mercer_with_input(&words, b"a,b\n1,2\n-3,4\n").fails(1, &["wiener()", "row 1", "-3"]);
}

#[test]
fn wrong_columns_get_a_suggestion() {
    let iris = example("iris.csv");
    gram(&[&iris, "--columns", "petal_widt"]).fails(1, &["--columns", "petal_widt", "did you mean `petal_width`?"]);
    gram(&[&iris, "--columns", "9"]).fails(1, &["--columns", "no column 9"]);
    mercer(&["kernel", "gram", "on([petal], linear())", &iris]).fails(1, &["petal"]);
    mercer(&["kernel", "gram", "wiener()", &iris]).fails(1, &["one column"]);
}

#[test]
fn the_memory_limit_is_named_before_anything_is_allocated() {
    let iris = example("iris.csv");
    gram(&[&iris, "--memory", "1KB"]).fails(1, &["KiB", "memory limit is 1000 bytes"]);
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..40_000).map(|i| format!("{i}\n")).collect();
    let data = file(&folder, "long.csv", rows.as_bytes());
    gram(&[&data, "--memory", "600KB"]).fails(1, &["row of the Gram matrix", "625.00 KiB", "--memory"]);
}

#[test]
fn paths_that_cannot_be_written() {
    let iris = example("iris.csv");
    let folder = tempfile::tempdir().unwrap();
    let nowhere = path_in(&folder, "no/such/k.npy");
    gram(&[&iris, "-o", &nowhere]).fails(1, &[&nowhere]);
    gram(&[&iris, "--plot", &path_in(&folder, "no/such/k.svg")]).fails(1, &["k.svg"]);
    gram(&[&iris, "--report", &path_in(&folder, "no/such/k.html")]).fails(1, &["k.html"]);
    mercer(&["demo", "--output", &file(&folder, "taken", b"")]).fails(1, &["taken"]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_failure() {
    use std::process::{Command, Stdio};
    gram(&[&example("iris.csv"), "-o", "/dev/full"]).fails(2, &["/dev/full", "No space left"]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_mercer"));
    let output = program.args(["kernel", "list"]).stdout(Stdio::from(full)).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("standard output"));
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_stops_the_work_and_leaves_nothing() {
    use std::process::{Command, Stdio};
    use std::time::Duration;
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..40_000).map(|i| format!("{i}\n")).collect();
    let data = file(&folder, "long.csv", rows.as_bytes());
    let child = Command::new(env!("CARGO_BIN_EXE_mercer"))
        .args(["kernel", "gram", "gaussian()", &data, "-o", &path_in(&folder, "k.npy"), "--threads", "1"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    // The second file is the temporary one: the work has begun.
    while files() < 2 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let signaled = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signaled.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "error: canceled\n");
    assert_eq!(files(), 1, "no part of the matrix stays");
}
