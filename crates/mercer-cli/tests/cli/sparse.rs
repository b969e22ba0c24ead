//! LIBSVM files with few entries: sparse vectors with the answers of dense ones.

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{assert_close, file, mercer, path_in};

/// Rows of two classes with 4 of `columns` entries, of which the first two decide.
fn lines(rows: usize, columns: usize, start: usize) -> String {
    let noise = |i: usize, j: usize| ((i * 7919 + j * 104_729 + 17) as f64 * 0.618_033_988_749_895).fract();
    let line = |i: usize| {
        let side = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let mut entries = vec![(1, side * (0.5 + noise(i, 1))), (2, noise(i, 2))];
        let mut other = 3 + (noise(i, 3) * (columns - 4) as f64) as usize;
        other = other.min(columns - 1);
        entries.push((other, noise(i, 4)));
        entries.push((columns, 0.1));
        let entries: Vec<String> = entries.iter().map(|(j, v)| format!("{j}:{v}")).collect();
        format!("{side} {}\n", entries.join(" "))
    };
    (start..start + rows).map(line).collect()
}

fn data(folder: &TempDir, name: &str, rows: usize, columns: usize) -> String {
    file(folder, name, lines(rows, columns, 0).as_bytes())
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn assert_alike(found: &Value, expected: &Value, tolerance: f64) {
    let (found, expected) = (found.as_array().unwrap(), expected.as_array().unwrap());
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        match b {
            Value::Array(_) => assert_alike(a, b, tolerance),
            _ => assert_close(a, b.as_f64().unwrap(), tolerance),
        }
    }
}

/// A column that is named makes the table dense: the answers are the same.
#[test]
fn sparse_rows_give_the_answers_of_dense_ones() {
    let folder = TempDir::new().unwrap();
    let train = data(&folder, "train.libsvm", 60, 200);
    let dense = ["--missing", "drop"];
    let kernel = ["--kernel", "gaussian(lengthscale=1)"];
    let both = |words: &[&str]| {
        let sparse = mercer(&[words, &["--json"]].concat()).json();
        (sparse, mercer(&[words, &["--json"], &dense].concat()).json())
    };
    let (a, b) = both(&["kernel", "gram", "gaussian(lengthscale=1)", &train]);
    assert_alike(&a["matrix"], &b["matrix"], 1e-12);
    let (a, b) = both(&["kernel", "spectrum", "gaussian(lengthscale=1)", &train, "--components", "5"]);
    assert_alike(&a["eigenvalues"], &b["eigenvalues"], 1e-10);
    let (a, b) = both(&["kernel", "check", "tanh(scale=-1)", &train]);
    assert_eq!(a["psd"], b["psd"]);
    for (learner, more, fact) in [
        ("ridge", &["--lambda", "0.1"][..], "norm"),
        ("svm", &["-C", "1", "--tol", "1e-9"], "dual_objective"),
        ("svr", &["-C", "1", "--tol", "1e-9"], "dual_objective"),
        ("logistic", &["--lambda", "0.1"], "objective"),
        ("gp", &["--no-optimize", "--noise", "0.1"], "log_marginal_likelihood"),
        ("kernel-machine", &["--loss", "huber(delta=1)"], "objective"),
    ] {
        let (model, other) = (path_in(&folder, learner), path_in(&folder, &format!("{learner}-dense")));
        let words = [&["fit", learner, &train, "--target", "target", "--json"], &kernel[..], more].concat();
        let found = mercer(&[&words[..], &["-o", &model]].concat()).json();
        let expected = mercer(&[&words[..], &["-o", &other], &dense].concat()).json();
        let text = found["remarks"].to_string();
        assert!(text.contains("sparse vectors with 4 of 200 columns not 0"), "{learner}: {text}");
        match (&found[fact], &expected[fact]) {
            (a @ Value::Array(_), b) => assert_alike(a, b, 1e-6),
            (a, b) => assert_close(a, b.as_f64().unwrap_or_else(|| panic!("{learner}: {expected}")), 1e-6),
        }
        // New rows may have fewer columns, and be dense.
        let narrow = file(&folder, "new.libsvm", b"1 1:0.7 2:0.5\n-1 1:-0.9 17:1\n");
        let wide: String = (0..2)
            .map(|i| {
                let values = [[0.7, 0.5, 0.0], [-0.9, 0.0, 1.0]][i];
                let at = |j: usize| match j {
                    1 => values[0],
                    2 => values[1],
                    17 => values[2],
                    _ => 0.0,
                };
                (1..=200).map(|j| at(j).to_string()).collect::<Vec<_>>().join(",") + "\n"
            })
            .collect();
        let names = (1..=200).map(|j| format!("x{j}")).collect::<Vec<_>>().join(",");
        let table = file(&folder, "new.csv", format!("{names}\n{wide}").as_bytes());
        let predicted = |model: &str, data: &str| mercer(&["predict", model, data, "--json"]).json()["targets"].clone();
        let of = |targets: &Value| match &targets[0]["predictions"] {
            Value::Null => targets[0]["classes"].clone(),
            found => found.clone(),
        };
        let [a, b, c] = [(&model, &narrow), (&model, &table), (&other, &table)].map(|(m, d)| of(&predicted(m, d)));
        match &a[0] {
            Value::Number(_) => {
                assert_alike(&a, &c, 1e-6);
                assert_alike(&b, &c, 1e-6);
            }
            _ => assert!(a == c && b == c, "{learner}: {a} {b} {c}"),
        }
        mercer(&["predict", &model, &file(&folder, "wide.libsvm", b"1 1:1 201:2\n")])
            .fails(1, &["row 0", "x201", "200 columns"]);
    }
}

/// One large index does not make a column for every index below it.
#[test]
fn descriptions_of_wide_files_are_short() {
    let folder = TempDir::new().unwrap();
    let wide = file(&folder, "wide.libsvm", b"1 1:0.5 2:1\n-1 1:0.1 1000000:1\n1 1:1\n-1 2:3\n");
    let json = mercer(&["data", "describe", &wide, "--memory", "200MB", "--json"]).json();
    assert_eq!((json["rows"].as_u64(), json["columns"].as_array().map(Vec::len)), (Some(4), Some(2)), "{json}");
}

#[test]
fn views_clusters_tests_and_searches_take_sparse_rows() {
    let folder = TempDir::new().unwrap();
    let train = data(&folder, "train.libsvm", 60, 300);
    let second = file(&folder, "second.libsvm", lines(50, 280, 500).as_bytes());
    let (model, scores) = (path_in(&folder, "pca"), path_in(&folder, "scores.csv"));
    let words = ["embed", "pca", &train, "--components", "2", "--kernel", "gaussian(lengthscale=1)", "--json"];
    let found = mercer(&[&words[..], &["--model", &model]].concat()).json();
    let expected = mercer(&[&words[..], &["--missing", "drop"]].concat()).json();
    assert_alike(&found["eigenvalues"], &expected["eigenvalues"], 1e-9);
    mercer(&["transform", &model, &second, "-o", &scores]).done();
    assert_eq!(std::fs::read_to_string(&scores).unwrap().lines().count(), 51);
    let clusters = mercer(&["cluster", &train, "-k", "2", "--kernel", "linear()", "--json"]).json();
    assert_eq!(clusters["rows"], 60);
    mercer(&["embed", "nystrom", &train, "--kernel", "gaussian(lengthscale=1)", "--components", "5"]).done();
    // Of different widths, and one of them dense by its size.
    let short = file(&folder, "short.libsvm", b"1 1:1 2:1 3:1\n1 1:2 2:1 3:1\n-1 1:1 2:3 3:1\n1 1:1 2:1 3:9\n");
    for other in [&second, &short] {
        let test = mercer(&["test", "two-sample", &train, other, "--permutations", "99", "--json"]).json();
        assert!(test["p_value"].as_f64().unwrap() <= 1.0);
    }
    // Without a kernel the lengthscale is searched; nothing is scaled.
    for words in [&["fit", "svm", &train, "--target", "target"][..], &["fit", "ridge", &train, "--target", "0"]] {
        let found = mercer(&[words, &["--json"]].concat()).json();
        let text = found["remarks"].to_string();
        assert!(text.contains("which are not scaled"), "{text}");
        let kernel = found["kernel"].as_str().unwrap();
        assert!(kernel.contains("lengthscale=") || kernel.contains("linear"), "{kernel}");
    }
    let plan = mercer(&["explain", "fit", "svm", &train, "--target", "target"]).done().out;
    assert!(plan.contains("sparse vectors with 4 of 300 columns") && plan.contains("eight times"), "{plan}");
    let plan = mercer(&["explain", "fit", "svm", &train, "--target", "target", "--scale", "standard"]).done().out;
    assert!(plan.contains("in 300 columns"), "{plan}");
    // What looks at every column is dense; a bad number is named as the file has it.
    mercer(&["embed", "binning", &train, "--kernel", "laplacian(norm=l1)", "--components", "3"]).done();
    let bad = file(&folder, "bad.libsvm", b"1 1:1 900:2\n-1 7:nan 900:1\n");
    mercer(&["kernel", "gram", "linear()", &bad]).fails(1, &["row 1", "x7"]);
}

/// A million columns within 300 MB, of which the dense table alone would take 16 GB.
#[test]
fn a_million_columns_fit_into_memory() {
    let folder = TempDir::new().unwrap();
    let (rows, columns) = (2000, 1_000_000);
    let train = data(&folder, "wide.libsvm", rows, columns);
    let (model, out) = (path_in(&folder, "model"), path_in(&folder, "out.csv"));
    let words = ["--target", "target", "--memory", "300MB", "--json", "-o", &model];
    let svm = mercer(&[&["fit", "svm", &train, "--kernel", "linear()", "-C", "1"], &words[..]].concat()).json();
    assert_eq!(svm["rows"], 2000);
    mercer(&["predict", &model, &train, "-o", &out, "--memory", "300MB"]).done();
    mercer(&["predict", &model, &train, "--stream", "-o", &out, "--memory", "300MB"]).done();
    let lines = std::fs::read_to_string(&out).unwrap();
    assert_eq!(lines.lines().count(), rows + 1);
    let right = lines.lines().skip(1).zip((0..rows).map(|i| if i.is_multiple_of(2) { "1" } else { "-1" }));
    assert!(right.filter(|(line, class)| line.split(',').next() == Some(class)).count() > 1900);
    let words = ["--target", "target", "--memory", "300MB", "--json", "--kernel", "linear()", "--lambda", "0.1"];
    let ridge = mercer(&[&["fit", "ridge", &train], &words[..]].concat()).json();
    assert!(numbers(&ridge["norm"])[0] > 0.0);
}
