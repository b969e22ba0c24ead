//! `mercer kernel list`, `explain` and `check`.

use super::common::{assert_close, example, file, mercer, path_in};

#[test]
fn the_list_holds_every_kernel() {
    let out = mercer(&["kernel", "list"]).done().out;
    for entry in mercer::kernel::catalogue::entries() {
        assert!(out.contains(&format!("  {} ", entry.name)), "{}", entry.name);
    }
    let json = mercer(&["kernel", "list", "--json"]).json();
    assert_eq!(json["kernels"].as_array().unwrap().len(), mercer::kernel::catalogue::entries().count());
}

#[test]
fn every_page_has_theory_and_examples_that_can_be_explained() {
    for entry in mercer::kernel::catalogue::entries() {
        let out = mercer(&["kernel", "list", entry.name]).done().out;
        assert!(out.contains(entry.theory) && out.contains(entry.formula), "{}", entry.name);
        let explained = mercer(&["kernel", "explain", entry.examples[0], "--json"]).json();
        let text = explained["kernel"].as_str().unwrap();
        assert_eq!(text.parse::<mercer::Kernel>().unwrap(), entry.examples[0].parse().unwrap());
    }
    let page = mercer(&["kernel", "list", "gaussian", "--json"]).json();
    assert_eq!(page["parameters"][0]["name"], "lengthscale");
}

#[test]
fn a_gaussian_is_explained_with_all_its_widths() {
    let json = mercer(&["kernel", "explain", "gaussian(gamma=0.125)", "--json"]).json();
    assert_close(&json["gaussian_widths"][0]["lengthscale"], 2.0, 1e-15);
    assert_close(&json["gaussian_widths"][0]["gamma"], 0.125, 1e-15);
    assert_close(&json["gaussian_widths"][0]["sigma2"], 8.0, 1e-15);
    assert_eq!(json["properties"]["psd"], true);
    assert_eq!(json["properties"]["nsd"], false);
    assert_eq!(json["proofs"]["psd"]["verdict"], "proven");
    let out = mercer(&["kernel", "explain", "gaussian(gamma=0.125)"]).done().out;
    for word in ["gaussian(lengthscale=2)", "0.125", "8", "psd", "universal", "Schoenberg", "ℝᵈ"] {
        assert!(out.contains(word), "{word}: {out}");
    }
}

#[test]
fn properties_of_a_kernel_on_a_half_line_and_of_an_open_one() {
    let out = mercer(&["kernel", "explain", "on([0], wiener()) + on([1], gaussian())"]).done().out;
    assert!(out.contains("wiener on [0, ∞)") && out.contains("gaussian on ℝᵈ"), "{out}");
    let json = mercer(&["kernel", "explain", "tanh(scale=1, offset=0)", "--json"]).json();
    assert!(json["properties"]["psd"].is_null());
    assert_eq!(json["proofs"]["psd"]["verdict"], "unknown");
}

#[test]
fn misspelled_kernels_get_a_caret_and_a_suggestion() {
    let run = mercer(&["kernel", "explain", "2*gausian(lengthscale=1)"]);
    assert!(run.err.contains("\n  2*gausian(lengthscale=1)\n    ^"), "{}", run.err);
    run.fails(1, &["gausian", "did you mean `gaussian`?"]);
    mercer(&["kernel", "list", "matrn"]).fails(1, &["did you mean `matern`?"]);
    mercer(&["kernel", "explain", "gaussian(lengthscale=-1)"]).fails(1, &["lengthscale", "-1"]);
    mercer(&["kernel", "explain", ""]).fails(1, &["error:"]);
}

#[test]
fn tanh_and_ball_are_refuted_and_the_numbers_can_be_checked_again() {
    for text in ["tanh(scale=1, offset=0)", "ball(radius=1)", "minus(gaussian(), laplacian())"] {
        let json = mercer(&["kernel", "check", text, "--json"]).json();
        assert_eq!(json["psd"], false, "{text}");
        assert_eq!(json["verdict"], "refuted");
        assert_close(&json["value"], quadratic_form(text, &json), 1e-9);
        assert!(json["value"].as_f64().unwrap() < 0.0);
    }
}

/// `cᵀKc` from the points and weights in the answer.
fn quadratic_form(text: &str, json: &serde_json::Value) -> f64 {
    let kernel: mercer::Kernel = text.parse().unwrap();
    let list = |v: &serde_json::Value| v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect::<Vec<_>>();
    let points: Vec<Vec<f64>> = json["points"].as_array().unwrap().iter().map(list).collect();
    let weights = list(&json["weights"]);
    let terms = points.iter().zip(&weights).flat_map(|(x, a)| {
        let kernel = &kernel;
        points.iter().zip(&weights).map(move |(y, b)| a * b * kernel.evaluate(x, y).unwrap())
    });
    terms.sum()
}

#[test]
fn proven_kernels_are_proven_and_the_exit_code_is_0_either_way() {
    let out = mercer(&["kernel", "check", "gaussian() + linear()"]).done().out;
    assert!(out.contains("✓ proven") && out.contains("└─ linear() is PSD"), "{out}");
    let out = mercer(&["kernel", "check", "distance(power=1)"]).done().out;
    assert!(out.contains("✗ refuted") && out.contains("negative semi-definite by proof"), "{out}");
}

#[test]
fn a_check_looks_at_the_data() {
    let iris = example("iris.csv");
    let words = ["kernel", "check", "on([petal_width], tanh(offset=-1))", &iris, "--columns", "2-3", "--json"];
    let json = mercer(&words).json();
    assert_eq!(json["psd"], false);
    assert_eq!(json["rows_used"], 150);
    assert!(json["min_eigenvalue"].as_f64().unwrap() < 0.0);
    assert_eq!(json["points"].as_array().unwrap().len(), json["weights"].as_array().unwrap().len());
    // The eigenvalue that is output is the one of the points that are output: tanh of products, by
    // hand at two points.
    let json = mercer(&["kernel", "check", "tanh(scale=1, offset=0)", "--json"]).json();
    let x: Vec<f64> = json["points"].as_array().unwrap().iter().map(|p| p[0].as_f64().unwrap()).collect();
    assert_eq!(x.len(), 2, "{json}");
    let [a, b, c] = [x[0] * x[0], x[0] * x[1], x[1] * x[1]].map(f64::tanh);
    let lowest = 0.5 * (a + c) - (0.25 * (a - c) * (a - c) + b * b).sqrt();
    assert_close(&json["min_eigenvalue"], lowest, 1e-12);
    let out = mercer(&["kernel", "check", "tanh(scale=1, offset=0)"]).done().out;
    assert!(out.contains("at these points"), "{out}");
}

#[test]
fn a_precomputed_matrix_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let indefinite = file(&folder, "k.csv", b"1,2\n2,1\n");
    let json = mercer(&["kernel", "check", "precomputed()", &indefinite, "--json"]).json();
    assert_eq!(json["psd"], false);
    assert_close(&json["min_eigenvalue"], -1.0, 1e-12);
    mercer(&["kernel", "check", "precomputed()"]).fails(1, &["DATA"]);
}

#[test]
fn pictures_and_pages() {
    let folder = tempfile::tempdir().unwrap();
    let (svg, png, html) = (path_in(&folder, "a.svg"), path_in(&folder, "a.png"), path_in(&folder, "a.html"));
    mercer(&["kernel", "explain", "gaussian()", "--plot", &svg, "--report", &html]).done();
    assert!(std::fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg") && page.contains("Schoenberg"));
    assert!(!page.contains("src=\"http") && !page.contains("href=\"http"));
    mercer(&["kernel", "check", "tanh()", &example("iris.csv"), "--columns", "0,1", "--plot", &png]).done();
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    mercer(&["kernel", "list", "--plot", &svg]).fails(1, &["--plot"]);
    mercer(&["kernel", "explain", "gaussian(lengthscale=[1, 2])", "--plot", &svg]).fails(1, &["--plot"]);
}
