//! The panel of kernels.

use mercer::assert_close;
use serde_json::{Value, json};

use super::{ask, lab, number, numbers, refused};

fn property<'v>(answer: &'v Value, name: &str) -> &'v Value {
    answer["properties"].as_array().unwrap().iter().find(|p| p["name"] == name).unwrap()
}

#[test]
fn curves_are_those_of_the_formula() {
    let answer = ask(&lab(), "kernel/look", json!({ "kernel": "3*laplacian(lengthscale=2)", "half_width": 4 }));
    assert_eq!(answer["normal"], "3*laplacian(lengthscale=2, norm=l2)");
    let (x, y) = (numbers(&answer["profile"]["x"]), numbers(&answer["profile"]["series"][0]["values"]));
    for (x, y) in x.iter().zip(&y) {
        assert_close!(*y, 3.0 * (-x.abs() / 2.0).exp(), abs = 2e-5);
    }
    // 3·2/(π(1 + 4ω²))
    let (w, s) = (numbers(&answer["density"]["x"]), numbers(&answer["density"]["values"]));
    for (w, s) in w.iter().zip(&s) {
        assert_close!(*s, 6.0 / (std::f64::consts::PI * (1.0 + 4.0 * w * w)), abs = 1e-5);
    }
    assert_eq!(answer["draws"]["series"].as_array().unwrap().len(), 5);
    // The trace of K/n is k(x, x).
    let sum: f64 = numbers(&answer["eigenvalues"]["values"]).iter().sum();
    assert!((2.9..=3.0 + 1e-4).contains(&sum), "{sum}");
    assert_eq!(property(&answer, "psd")["holds"], true);
    assert_eq!(property(&answer, "psd")["proof"]["premises"].as_array().unwrap().len(), 1);
}

#[test]
fn sliders_change_parameters_in_order() {
    let request = json!({ "kernel": "2*gaussian(lengthscale=1) + periodic(period=2)", "parameters": [5, 0.5, 1, 3] });
    let answer = ask(&lab(), "kernel/look", request);
    assert_eq!(answer["normal"], "5*gaussian(lengthscale=0.5) + periodic(period=3, lengthscale=1)");
    let names: Vec<&str> =
        answer["parameters"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 4);
    assert_eq!(refused(&lab(), "kernel/look", json!({ "kernel": "gaussian()", "parameters": [1, 2] })).status, 400);
}

#[test]
fn whole_numbers_have_sliders_too() {
    let look = |request: Value| ask(&lab(), "kernel/look", request);
    let answer = look(json!({ "kernel": "polynomial(degree=3) + linear()^2 + sobolev(order=2)" }));
    let shown: Vec<(&str, u64)> = answer["whole"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| (p["name"].as_str().unwrap(), p["value"].as_u64().unwrap()))
        .collect();
    assert_eq!(shown, [("polynomial.degree", 3), ("power", 2), ("sobolev.order", 2)]);
    assert_eq!((&answer["whole"][0]["low"], &answer["whole"][0]["high"]), (&json!(1), &json!(10)));
    let moved = look(json!({ "kernel": "polynomial(degree=3) + linear()^2", "whole": [5, 4], "parameters": [0.5, 2] }));
    assert_eq!(moved["normal"], "polynomial(degree=5, offset=0.5, scale=2) + linear()^4");
    // Depths and lengths, with the ends that the others allow.
    let graphs = look(json!({ "kernel": "weisfeiler_lehman(depth=2)", "whole": [0] }));
    assert_eq!(graphs["normal"], "weisfeiler_lehman(depth=0)");
    let texts = look(json!({ "kernel": "mismatch(length=3, mismatches=1)" }));
    assert_eq!((&texts["whole"][0]["low"], &texts["whole"][1]["high"]), (&json!(2), &json!(2)));
    for wrong in [json!([0]), json!([1.5]), json!([-1]), json!([1, 2])] {
        assert_eq!(refused(&lab(), "kernel/look", json!({ "kernel": "polynomial()", "whole": wrong })).status, 400);
    }
}

#[test]
fn the_matrix_of_a_counterexample_has_its_eigenvector() {
    let lab = lab();
    // Three columns: no picture of points.
    let request = json!({ "kernel": "tanh(scale=1, offset=0)", "recheck": {
        "points": [[1, 0, 0], [2, 0, 0], [0, 1, 0]], "weights": [2, -1, 0] } });
    let found = ask(&lab, "kernel/look", request)["recheck"].clone();
    let matrix = &found["matrix"];
    assert_eq!(matrix["size"], 3);
    let (cells, v) = (numbers(&matrix["cells"]), numbers(&matrix["eigenvector"]));
    assert_close!(cells[1], 2.0_f64.tanh(), abs = 1e-5);
    for i in 0..3 {
        let product: f64 = (0..3).map(|j| cells[3 * i + j] * v[j]).sum();
        assert_close!(product, number(&matrix["eigenvalue"]) * v[i], abs = 1e-4);
    }
    let two = json!({ "points": [[1, 0], [2, 0]], "weights": [2, -1] });
    let two = ask(&lab, "kernel/look", json!({ "kernel": "tanh(scale=1, offset=0)", "recheck": two }));
    assert!(two["recheck"]["matrix"].is_null() && two["recheck"]["value"].is_number());
    // Graphs: the rows of the data, and the form of their matrix.
    let kernel = "minus(vertex_histogram(), 2*weisfeiler_lehman(depth=1))";
    let found = ask(&lab, "kernel/check", json!({ "kernel": kernel, "data": { "id": "rings", "target": "label" } }));
    assert_eq!(found["verdict"], "refuted");
    let example = &found["counterexample"];
    assert!(example["points"].as_array().unwrap().is_empty() && !example["objects"].as_array().unwrap().is_empty());
    let (cells, c) = (numbers(&example["matrix"]["cells"]), numbers(&example["weights"]));
    let n = c.len();
    let form: f64 = (0..n * n).map(|at| c[at / n] * cells[at] * c[at % n]).sum();
    assert_close!(form, number(&example["value"]), 1e-3);
    assert!(number(&example["matrix"]["eigenvalue"]) < 0.0);
}

#[test]
fn errors_name_the_character() {
    let refusal = refused(&lab(), "kernel/look", json!({ "kernel": "gaussian() + laplcian()" }));
    assert_eq!((refusal.status, refusal.position), (400, Some(13)));
    assert_eq!(refusal.suggestion.as_deref(), Some("laplacian"));
    assert_eq!(refused(&lab(), "kernel/look", json!({ "kernel": "gaussian(" })).position, Some(9));
}

#[test]
fn texts_are_limited_in_length_depth_and_parts() {
    let look = |text: String| refused(&lab(), "kernel/look", json!({ "kernel": text }));
    assert_eq!(look("x".repeat(2_001)).status, 413);
    assert_eq!(look(vec!["linear()"; 100].join(" + ")).status, 413);
    assert!(look(format!("{}linear(){}", "(".repeat(100), ")".repeat(100))).message.contains("nest deeper"));
    assert_eq!(look("y".repeat(100_000)).status, 413);
}

#[test]
fn a_counterexample_is_found_and_computed_anew() {
    let lab = lab();
    let found = ask(&lab, "kernel/check", json!({ "kernel": "tanh(scale=1, offset=0)" }));
    assert_eq!(found["verdict"], "refuted");
    let example = &found["counterexample"];
    let again = |weights: Value| {
        let recheck = json!({ "points": example["points"], "weights": weights });
        ask(&lab, "kernel/look", json!({ "kernel": "tanh(scale=1, offset=0)", "recheck": recheck }))["recheck"].clone()
    };
    let same = again(example["weights"].clone());
    assert_eq!((&same["digits"], &same["negative"]), (&example["digits"], &json!(true)));
    // Twice the weights give four times the value.
    let twice: Vec<f64> = numbers(&example["weights"]).iter().map(|w| 2.0 * w).collect();
    assert_close!(number(&again(json!(twice))["value"]), 4.0 * number(&example["value"]), 1e-14);
    let proven = ask(&lab, "kernel/check", json!({ "kernel": "gaussian()" }));
    assert_eq!((&proven["verdict"], &proven["counterexample"]), (&json!("proven"), &Value::Null));
}

#[test]
fn the_gram_matrix_of_the_data_is_ordered_by_class() {
    let request = json!({
        "kernel": "gaussian(lengthscale=median)", "order": "target",
        "data": { "id": "iris", "target": "species", "scale": "standard" },
    });
    let answer = ask(&lab(), "kernel/look", request);
    let gram = &answer["gram"];
    assert_eq!(gram["size"], 150);
    let groups: Vec<&str> = gram["groups"].as_array().unwrap().iter().map(|g| g.as_str().unwrap()).collect();
    assert!(groups.windows(2).filter(|pair| pair[0] != pair[1]).count() == 2, "three blocks");
    let cells = numbers(&gram["cells"]);
    assert!((0..150).all(|i| cells[i * 151] == 1.0) && cells[3] == cells[450]);
    assert!(!gram["kernel"].as_str().unwrap().contains("median"));
    // Of a set with more rows a part is drawn.
    let request =
        json!({ "kernel": "linear()", "order": "spectrum", "data": { "id": "concrete", "target": "strength" } });
    assert_eq!(ask(&lab(), "kernel/look", request)["gram"]["shown"], "160 of 1030 rows, equally spaced");
}

#[test]
fn kernels_on_strings_and_graphs_have_matrices_and_no_profile() {
    for (id, target, kernel) in [
        ("books", "verdict", "on([review], normalized(spectrum(length=3)))"),
        ("rings", "label", "weisfeiler_lehman(depth=2)"),
    ] {
        let answer = ask(&lab(), "kernel/look", json!({ "kernel": kernel, "data": { "id": id, "target": target } }));
        assert!(answer["profile"]["reason"].is_string() && answer["gram"]["size"].as_u64().unwrap() >= 80, "{id}");
    }
}

#[test]
fn what_the_page_copies_is_a_command_and_python() {
    let answer =
        ask(&lab(), "kernel/look", json!({ "kernel": "2*linear()", "data": { "id": "iris", "target": "species" } }));
    let command = answer["snippet"]["command"].as_str().unwrap();
    assert!(command.contains("mercer kernel explain '2*linear()'"), "{command}");
    assert!(command.contains("--columns sepal_length,sepal_width,petal_length,petal_width"), "{command}");
    assert!(answer["snippet"]["python"].as_str().unwrap().contains("mercer.Kernel(\"2*linear()\")"));
}

#[test]
fn every_position_of_a_slider_redraws_on_data() {
    let lab = lab();
    for i in 0..5 {
        let length = 0.5 + 0.5 * f64::from(i);
        let answer = ask(
            &lab,
            "kernel/look",
            json!({
                "kernel": "2*gaussian(lengthscale=1) + linear()", "parameters": [2.0, length],
                "data": { "id": "iris", "target": "species", "scale": "standard" },
            }),
        );
        assert_eq!(answer["normal"], format!("2*gaussian(lengthscale={length}) + linear()"));
    }
}
