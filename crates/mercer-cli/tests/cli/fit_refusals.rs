//! Fits on bad input: what is wrong is named, and what was done about it is output.

use super::common::{assert_close, example, file, mercer, mercer_with_input, path_in};

fn ridge(data: &str, rest: &[&str]) -> super::common::Run {
    mercer(&[&["fit", "ridge", data, "--target", "y"], rest].concat())
}

#[test]
fn numbers_that_make_no_sense() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "d.csv", b"x,y\n1,1\n2,4\n3,2\n");
    ridge(&data, &["--lambda", "-1"]).fails(1, &["--lambda", "at least 0"]);
    ridge(&data, &["--lambda", "nan"]).fails(1, &["--lambda", "at least 0"]);
    ridge(&data, &["--lambdas", "1,-2"]).fails(1, &["--lambdas", "-2"]);
    ridge(&data, &["--lengthscales", "0"]).fails(1, &["--lengthscales", "above 0"]);
    ridge(&data, &["--cv", "1"]).fails(1, &["--cv", "loo, gcv"]);
    ridge(&data, &["--cv", "9"]).fails(1, &["--cv", "number of rows (3)"]);
    ridge(&data, &["--kernel", "gausian()"]).fails(1, &["did you mean `gaussian`?"]);
    ridge(&data, &["--kernel", "tanh(scale=1)", "--lambda", "1"]).fails(1, &["tanh", "positive semi-definite"]);
    ridge(&data, &["--kernel", "linear()", "--lengthscales", "1,2"]).fails(1, &["no lengthscale"]);
    ridge(&data, &["--scale", "log"]).fails(1, &["--scale", "standard"]);
    mercer(&["fit", "gp", &data, "--target", "y", "--noise", "-1"]).fails(1, &["--noise"]);
    mercer(&["fit", "gp", &data, "--target", "y", "--fixed", "nose"]).fails(1, &["fixed", "nose", "noise"]);
    mercer(&["fit", "spline", &data, "--target", "y", "--order", "4"])
        .fails(1, &["--order", "at least 1 and at most 3"]);
    mercer(&["fit", "spline", &data, "--target", "y", "--df", "7"]).fails(1, &["7"]);
    mercer(&["fit", "smooth", &data, "--target", "y", "--bandwidth", "0"]).fails(1, &["--bandwidth"]);
    mercer(&["predict", "none.safetensors", &data, "--interval", "95"]).fails(1, &["--interval", "0.95"]);
}

#[test]
fn penalties_that_are_lost_in_rounding_are_named() {
    let iris = example("iris.csv");
    let logistic = ["fit", "logistic", &iris, "--target", "species", "--kernel", "gaussian()", "--lambda"];
    for lambda in ["1e-300", "1e-200", "1e-100", "1e-20"] {
        let run = mercer(&[&logistic[..], &[lambda]].concat());
        run.fails(2, &["lost in rounding", "use a larger --lambda"]);
    }
    let gp = ["fit", "gp", &iris, "--target", "petal_width", "--columns", "petal_length", "--kernel", "gaussian()"];
    mercer(&[&gp[..], &["--noise", "1e-300"]].concat()).fails(2, &["K + 1e-300·I", "use a larger --noise"]);
}

#[test]
fn columns_that_make_no_sense() {
    let folder = tempfile::tempdir().unwrap();
    let iris = example("iris.csv");
    let fit = |target: &str, rest: &[&str]| mercer(&[&["fit", "auto", &iris, "--target", target], rest].concat());
    mercer(&["fit", "ridge", &iris, "--target", "species"]).fails(1, &["species", "3 categories", "setosa", "svm"]);
    fit("petal_widht", &[]).fails(1, &["--target", "did you mean `petal_width`?"]);
    fit("petal_width,petal_width", &[]).fails(1, &["petal_width", "twice"]);
    fit("petal_width", &["--columns", "petal_width"]).fails(1, &["--columns", "target"]);
    fit("petal_width", &["--drop", "petal"]).fails(1, &["--drop", "petal"]);
    mercer(&["fit", "spline", &iris, "--target", "petal_width"]).fails(1, &["--columns", "sepal_length"]);
    mercer(&["fit", "gp", &iris, "--target", "petal_width,petal_length"]).fails(1, &["one target"]);
    mercer(&["fit", "smooth", &iris, "--target", "petal_width", "--method", "local-linear"])
        .fails(1, &["--method", "one column"]);
    mercer(&["fit", "ridge", &file(&folder, "y.csv", b"y\n1\n2\n"), "--target", "y"]).fails(1, &["no column is left"]);
    mercer(&["fit", "ridge", &iris]).fails(1, &["--target"]);
}

#[test]
fn no_row_and_one_row() {
    for learner in ["ridge", "gp", "auto", "spline", "smooth"] {
        mercer_with_input(&["fit", learner, "-", "--target", "y"], b"x,y\n").fails(1, &["no row"]);
    }
    let one = b"x,y\n3,5\n";
    mercer_with_input(&["fit", "ridge", "-", "--target", "y"], one).fails(1, &["two distinct points"]);
    let words = ["fit", "ridge", "-", "--target", "y", "--kernel", "gaussian()", "--lambda", "1", "--json"];
    let json = mercer_with_input(&words, one).json();
    assert_close(&json["rmse"], 2.5, 1e-14);
    assert!(json["r2"].is_null());
    mercer_with_input(&["fit", "spline", "-", "--target", "y"], one).fails(1, &["distinct x"]);
}

#[test]
fn constant_targets_and_repeated_points_are_fitted() {
    let folder = tempfile::tempdir().unwrap();
    let constant = file(&folder, "c.csv", b"x,y\n1,7\n2,7\n3,7\n5,7\n");
    for learner in ["ridge", "gp", "auto", "spline", "smooth"] {
        let json = mercer(&["fit", learner, &constant, "--target", "y", "--json"]).json();
        assert!(json["rmse"].as_f64().unwrap() <= 1e-6, "{learner}: {json}");
        assert!(json["remarks"][0].as_str().unwrap().contains("is constant"), "{learner}");
    }
    let repeated = file(&folder, "r.csv", b"x,y\n1,1\n1,2\n2,3\n2,4\n3,5\n3,4\n");
    for learner in ["ridge", "gp", "auto", "spline", "smooth"] {
        let json = mercer(&["fit", learner, &repeated, "--target", "y", "--json"]).json();
        assert!(json["rmse"].as_f64().unwrap() < 1.0, "{learner}: {json}");
    }
}

#[test]
fn points_outside_the_domain_of_a_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "d.csv", b"x,y\n1,1\n2,4\n5,3\n");
    ridge(&data, &["--kernel", "sobolev(order=2)", "--lambda", "0.1"])
        .fails(1, &["sobolev", "row 1", "[0, 1]", "--rescale"]);
    let model = path_in(&folder, "m.safetensors");
    let words = ["--kernel", "sobolev(order=2)", "--lambda", "0.1", "--rescale", "-o", &model];
    ridge(&data, &words).done();
    mercer(&["predict", &model, &data]).done();
    mercer(&["predict", &model, &file(&folder, "n.csv", b"x\n9\n")]).fails(1, &["sobolev", "row 0"]);
}

#[test]
fn missing_and_infinite_values() {
    let folder = tempfile::tempdir().unwrap();
    let holes = file(&folder, "h.csv", b"x,y\n1,1\n2,\n3,2\n");
    ridge(&holes, &[]).fails(1, &["h.csv", "row 1", "column y", "--missing"]);
    let holes = file(&folder, "h.csv", b"x,y\n1,1\nNaN,3\n3,2\n");
    ridge(&holes, &[]).fails(1, &["h.csv", "row 1", "column x", "--missing"]);
    let infinite = file(&folder, "i.csv", b"x,y\n1,1\n2,inf\n3,2\n");
    ridge(&infinite, &["--missing", "drop"]).fails(1, &["row 1", "column y", "inf"]);
    ridge(&file(&folder, "a.csv", b"x,y\n,1\n,2\n"), &["--missing", "drop"]).fails(1, &["column `x`"]);
    let weights = file(&folder, "w.csv", b"x,w,y\n1,1,1\n2,-1,3\n");
    ridge(&weights, &["--weights", "w"]).fails(1, &["weights", "row 1", "-1"]);
}

#[test]
fn a_lambda_that_is_too_small_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..30).map(|i| format!("{},{}\n", i as f64 / 100.0, i % 5)).collect();
    let data = file(&folder, "d.csv", format!("x,y\n{rows}").as_bytes());
    for lambda in ["0", "1e-18"] {
        let out = ridge(&data, &["--kernel", "gaussian(lengthscale=5)", "--lambda", lambda]).done().out;
        for word in ["singular to working precision", "condition about", "of 30 directions", "least norm"] {
            assert!(out.contains(word), "{word}: {out}");
        }
    }
    let words =
        ["fit", "gp", &data, "--target", "y", "--kernel", "gaussian(lengthscale=5)", "--noise", "0", "--no-optimize"];
    mercer(&words).fails(2, &["singular to working precision", "larger --noise"]);
}

#[test]
fn a_memory_limit_below_the_need() {
    let folder = tempfile::tempdir().unwrap();
    // Not with equal steps, which would need no matrix.
    let rows: String =
        (0..500).map(|i| format!("{},{}\n", f64::from(i * i % 487) + f64::from(i) / 500.0, i % 7)).collect();
    let data = file(&folder, "d.csv", format!("x,y\n{rows}").as_bytes());
    let given = ["--kernel", "gaussian(lengthscale=3)", "--lambda", "0.1"];
    ridge(&data, &[&given[..], &["--memory", "200KB"]].concat()).fails(1, &["memory limit", "--memory"]);
    ridge(&data, &["--kernel", "gaussian()", "--lambda", "0", "--memory", "1MB"]).fails(1, &["MiB", "λ > 0"]);
    mercer(&["fit", "gp", &data, "--target", "y", "--memory", "1MB"]).fails(1, &["memory limit"]);
    // Enough for conjugate gradients: a cheaper exact plan, and the report says so.
    let out = ridge(&data, &[&given[..], &["--memory", "1500KB"]].concat()).done().out;
    assert!(out.contains("conjugate gradients") && out.contains("does not fit"), "{out}");
}

#[test]
fn model_files_that_are_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "d.csv", b"x,y\n1,1\n2,4\n3,2\n");
    mercer(&["predict", &path_in(&folder, "none"), &data]).fails(1, &["none"]);
    mercer(&["predict", &data, &data]).fails(1, &["d.csv", "safetensors"]);
    let nowhere = path_in(&folder, "no/such/m.safetensors");
    ridge(&data, &["-o", &nowhere]).fails(1, &["--output", "m.safetensors", "folder"]);
    if cfg!(target_os = "linux") {
        ridge(&data, &["-o", "/dev/full"]).fails(2, &["/dev/full", "No space left"]);
    }
    let model = path_in(&folder, "m.safetensors");
    ridge(&data, &["-o", &model]).done();
    mercer(&["predict", &model, &data, "--memory", "1KB"]).fails(1, &["memory limit"]);
    let whole = std::fs::read(&model).unwrap();
    let cut = file(&folder, "cut.safetensors", &whole[..whole.len() - 9]);
    mercer(&["predict", &cut, &data]).fails(1, &["cut.safetensors", "bytes"]);
}

/// What is left out of a command, or has no effect in it, is said by the name of its flag.
#[test]
fn flags_without_effect_and_missing_ones_are_named() {
    let concrete = example("concrete.csv");
    let words = ["fit", "ridge", &concrete, "--target", "strength", "--components", "50"];
    mercer(&words).fails(1, &["--components", "--stream", "--centers"]);
    let iris = example("iris.csv");
    let words = ["fit", "logistic", &iris, "--target", "species", "--components", "50"];
    mercer(&words).fails(1, &["--components", "--stream"]);
    let words = ["fit", "multiple-ridge", &concrete, "--target", "strength"];
    mercer(&words).fails(1, &["--kernels", "one kernel or more"]);
}

/// A slip in a column of numbers makes it one of categories: that is said, with the cell.
#[test]
fn slips_in_columns_of_numbers_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |cell: &str| {
        let mut text = String::from("x,letter,y\n");
        for i in 0..30 {
            let x = if i == 7 { cell.to_owned() } else { format!("{}", i % 12) };
            text += &format!("{x},{},{}\n", ["a", "b", "3"][i % 3], i % 5);
        }
        text
    };
    let remarks = |name: &str, cell: &str| {
        let data = file(&folder, name, rows(cell).as_bytes());
        mercer(&["fit", "ridge", &data, "--target", "y", "--lambda", "1", "--json"]).json()["remarks"].to_string()
    };
    let found = remarks("slip.csv", "1o");
    assert!(
        found.contains("`x` counts as categories") && found.contains("`1o`") && !found.contains("`letter`"),
        "{found}"
    );
    assert!(!remarks("clean.csv", "10").contains("counts as categories"));
}
