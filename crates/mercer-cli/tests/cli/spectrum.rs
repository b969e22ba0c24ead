//! `mercer kernel spectrum`.

use super::common::{assert_close, example, mercer, path_in};

#[test]
fn distributions_in_closed_form() {
    let json = mercer(&["kernel", "spectrum", "wiener()", "--under", "uniform", "--components", "5", "--json"]).json();
    let values = json["eigenvalues"].as_array().unwrap();
    assert_eq!(values.len(), 5);
    for (j, value) in values.iter().enumerate() {
        assert_close(value, 1.0 / ((j as f64 + 0.5) * std::f64::consts::PI).powi(2), 1e-14);
    }
    assert!(json["standard_errors"].is_null());
    assert_close(&json["trace"], 0.5, 1e-14);
    let words = ["kernel", "spectrum", "laplacian()", "--under", "interval:-1:1"];
    assert!(mercer(&words).done().out.contains("share of the trace"));
    mercer(&["kernel", "spectrum", "gaussian()", "--under", "gaussian:1"]).done();
}

#[test]
fn a_sample_with_standard_errors_and_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let picture = path_in(&folder, "decay.svg");
    let iris = example("iris.csv");
    let words =
        ["kernel", "spectrum", "gaussian(lengthscale=median)", &iris, "--columns", "0,1,2,3", "--components", "4"];
    let out = mercer(&[&words[..], &["--plot", &picture]].concat()).done().out;
    assert!(out.contains("standard error") && out.contains("captured"));
    assert!(std::fs::read_to_string(&picture).unwrap().contains("standard errors"));
    let json = mercer(&[&words[..], &["--json"]].concat()).json();
    assert_eq!(json["standard_errors"].as_array().unwrap().len(), 4);
    assert_close(&json["trace"], 1.0, 1e-12);
}

#[test]
fn refusals_name_what_is_wrong() {
    mercer(&["kernel", "spectrum", "wiener()"]).fails(1, &["--under"]);
    mercer(&["kernel", "spectrum", "wiener()", "--under", "cauchy"]).fails(1, &["--under", "gaussian:DEVIATION"]);
    mercer(&["kernel", "spectrum", "gaussian()", "--under", "uniform"]).fails(1, &["no closed form"]);
    mercer(&["kernel", "spectrum", "wiener()", "--under", "uniform", "--components", "0"]).fails(1, &["components"]);
    mercer(&["kernel", "spectrum", "gaussian()", "--under", "gaussian:-1"]).fails(1, &["deviation"]);
}
