//! `mercer kernel gram` and its plan.

use super::common::{assert_close, example, file, mercer, mercer_with_input, path_in};
use mercer::gram::{Pairs, dense};
use mercer::{Compute, Kernel};
use ndarray::{Array2, array};

fn points_file(folder: &tempfile::TempDir) -> String {
    file(folder, "x.csv", b"a,b\n0,0\n3,4\n1,0\n")
}

fn oracle(text: &str, x: &Array2<f64>) -> Array2<f64> {
    let (kernel, compute): (Kernel, _) = (text.parse().unwrap(), Compute::new());
    dense(&kernel.bind(Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap()
}

#[test]
fn a_small_matrix_is_printed_and_is_part_of_the_json() {
    let folder = tempfile::tempdir().unwrap();
    let data = points_file(&folder);
    let out = mercer(&["kernel", "gram", "linear()", &data]).done().out;
    assert!(out.contains("3 × 3") && out.contains("25") && out.contains("trace") && out.contains("min eigenvalue"));
    let json = mercer(&["kernel", "gram", "linear()", &data, "--json"]).json();
    assert_eq!(json["matrix"], serde_json::json!([[0.0, 0.0, 0.0], [0.0, 25.0, 3.0], [0.0, 3.0, 1.0]]));
    assert_close(&json["trace"], 26.0, 0.0);
    assert_close(&json["mean"], 32.0 / 9.0, 1e-15);
    assert_close(&json["min_eigenvalue"], 0.0, 1e-12);
}

#[test]
fn files_hold_the_library_s_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let data = points_file(&folder);
    let text = "gaussian(lengthscale=0.7) + laplacian()";
    let expected = oracle(text, &array![[0.0, 0.0], [3.0, 4.0], [1.0, 0.0]]);
    for name in ["k.npy", "k.csv", "k.tsv"] {
        let out = path_in(&folder, name);
        let output = mercer(&["kernel", "gram", text, &data, "-o", &out]).done().out;
        assert!(output.contains(&out));
        let options = mercer::io::ReadOptions::default();
        let table = mercer::io::read_table(out.as_ref(), &options, &Compute::new()).unwrap();
        let found = mercer::points::Encoding::default().fit(&table).unwrap().apply(&table).unwrap().matrix;
        assert_eq!(found, expected, "{name}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4, "no temporary file stays");
}

#[test]
fn single_precision_takes_half_the_file_and_states_its_error() {
    let folder = tempfile::tempdir().unwrap();
    let (double, single) = (path_in(&folder, "d.npy"), path_in(&folder, "s.npy"));
    let iris = example("iris.csv");
    mercer(&["kernel", "gram", "gaussian()", &iris, "-o", &double]).done();
    let json = mercer(&["kernel", "gram", "gaussian()", &iris, "-o", &single, "--single", "--json"]).json();
    assert_eq!(json["precision"], "single");
    let read = |path: &str| mercer::io::read_npy(path.as_ref(), &Compute::new()).unwrap();
    let error = (&read(&double) - &read(&single)).mapv(f64::abs).fold(0.0_f64, |m, v| m.max(*v));
    assert!(error > 0.0 && error <= json["single_error"].as_f64().unwrap(), "{error}");
    let size = |path: &str| std::fs::metadata(path).unwrap().len();
    assert_eq!(size(&double) - 128, 2 * (size(&single) - 128));
}

#[test]
fn the_number_of_threads_and_the_memory_do_not_change_a_byte() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String =
        (0..500).map(|i| format!("{},{}\n", (i * 37 % 101) as f64 * 0.1, (i * 53 % 89) as f64)).collect();
    let data = file(&folder, "x.csv", rows.as_bytes());
    let bytes = |name: &str, flags: &[&str]| {
        let out = path_in(&folder, name);
        let words = ["kernel", "gram", "gaussian(lengthscale=median) * matern(nu=5/2)", &data, "-o", &out];
        mercer(&[&words, flags].concat()).done();
        std::fs::read(&out).unwrap()
    };
    let one = bytes("one.npy", &["--threads", "1"]);
    assert_eq!(one.len(), 128 + 500 * 500 * 8);
    assert_eq!(one, bytes("two.npy", &["--threads", "2"]));
    assert_eq!(one, bytes("small.npy", &["--memory", "900KB"]), "a file larger than the memory limit");
}

#[test]
fn two_files_against_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let data = points_file(&folder);
    let other = file(&folder, "y.csv", b"b,a,c\n1,2,9\n");
    let words = ["kernel", "gram", "linear()", &data, "--against", &other, "--columns", "a,b", "--json"];
    let json = mercer(&words).json();
    assert_eq!(json["shape"], serde_json::json!([3, 1]));
    assert_eq!(json["matrix"], serde_json::json!([[0.0], [10.0], [2.0]]));
    assert!(json["trace"].is_null() && json["min_eigenvalue"].is_null());
    mercer(&["kernel", "gram", "linear()", "-", "--against", "-"]).fails(1, &["--against"]);
    mercer(&["kernel", "gram", "precomputed()", &data, "--against", &data]).fails(1, &["--against"]);
}

#[test]
fn standard_input_column_names_and_rules() {
    let input = b"a;b\n1;2\n;5\n3;4\n";
    let words = ["kernel", "gram", "on([b], linear())", "-", "--missing", "drop", "--json"];
    let json = mercer_with_input(&words, input).json();
    assert_eq!(json["matrix"], serde_json::json!([[4.0, 8.0], [8.0, 16.0]]));
    assert_eq!(json["rows_dropped"], 1);
    let words = ["kernel", "gram", "linear()", "-", "--missing", "zero", "--scale", "unit", "--columns", "0", "--json"];
    let json = mercer_with_input(&words, input).json();
    assert_close(&json["matrix"][1][2], -0.5, 1e-15);
    let words = ["kernel", "gram", "linear()", "-", "--missing", "mean", "--scale", "standardize", "--json"];
    assert_eq!(mercer_with_input(&words, input).json()["cells_filled"], 1);
    let words = ["kernel", "gram", "linear()", "-", "--format", "libsvm", "--columns", "x1,x2", "--json"];
    let json = mercer_with_input(&words, b"1 1:2\n-1 2:3\n").json();
    assert_eq!(json["matrix"], serde_json::json!([[4.0, 0.0], [0.0, 9.0]]));
}

#[test]
fn one_row_is_enough() {
    let json = mercer_with_input(&["kernel", "gram", "gaussian()", "-", "--json"], b"x\n3\n").json();
    assert_eq!(json["matrix"], serde_json::json!([[1.0]]));
    assert_close(&json["min_eigenvalue"], 1.0, 0.0);
}

#[test]
fn heat_maps_of_any_shape() {
    let folder = tempfile::tempdir().unwrap();
    let (png, svg, html) = (path_in(&folder, "h.png"), path_in(&folder, "h.svg"), path_in(&folder, "h.html"));
    let data = points_file(&folder);
    mercer(&["kernel", "gram", "gaussian()", &example("co2.csv"), "--columns", "year", "--plot", &png]).done();
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    let words = ["kernel", "gram", "linear()", &data, "--against", &data, "--plot", &svg, "--report", &html];
    mercer(&words).done();
    let drawn = std::fs::read_to_string(&svg).unwrap();
    assert!(drawn.contains("data:image/png;base64,") && drawn.contains("column j"));
    assert!(std::fs::read_to_string(&html).unwrap().contains("Gram matrix of linear()"));
}

#[test]
fn the_plan_reports_what_would_happen() {
    let iris = example("iris.csv");
    let json =
        mercer(&["explain", "kernel", "gram", "gaussian() + linear()", &iris, "--memory", "20KB", "--json"]).json();
    assert_eq!((json["rows"].as_u64(), json["bytes"].as_u64()), (Some(150), Some(150 * 150 * 8)));
    assert_eq!((json["fits_in_memory"].as_bool(), json["memory_limit"].as_u64()), (Some(false), Some(20_000)));
    let out = mercer(&["explain", "kernel", "gram", "linear()", &iris, "--threads", "2"]).done().out;
    for word in ["150 × 150", "175.78 KiB", "threads", "floating-point operations", "would fit"] {
        assert!(out.contains(word), "{word}: {out}");
    }
}
