//! The panel of views.

use serde_json::json;

use super::{ask, lab, number, numbers, refused, run};

#[test]
fn components_of_the_irises_separate_the_species() {
    let lab = lab();
    let data = json!({ "id": "iris", "target": "species", "scale": "standard" });
    let (_, found) = run(&lab, "view/start", json!({ "data": data, "kernel": "gaussian(lengthscale=2)" }));
    let first = numbers(&found["scores"][0]);
    assert_eq!(
        (first.len(), found["rows"].as_array().unwrap().len(), found["words"].as_array().unwrap().len()),
        (150, 150, 150)
    );
    // Setosa, the first 50 rows, are on one side of all others.
    let (setosa, others) = first.split_at(50);
    let range = |list: &[f64]| list.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    let (a, b) = (range(setosa), range(others));
    assert!(a.1 < b.0 || b.1 < a.0, "{a:?} {b:?}");
    assert!(number(&found["explained"][0]) > 0.2);
    let colors = ask(&lab, "data/column", json!({ "id": "iris", "column": "species", "rows": [0, 149] }));
    assert_eq!((&colors["values"], colors["levels"].as_array().unwrap().len()), (&json!([0, 2]), 3));
}

#[test]
fn clusters_are_found_and_their_number_chosen() {
    let lab = lab();
    let data = json!({ "id": "iris", "target": "species", "scale": "standard" });
    for method in ["kmeans", "spectral"] {
        let request = json!({ "data": data, "kernel": "gaussian(lengthscale=1)", "method": method, "clusters": 3 });
        let (_, found) = run(&lab, "view/start", request);
        let labels = numbers(&found["clusters"]["labels"]);
        // Setosa are a cluster of their own.
        assert!(
            labels.len() == 150 && labels[1..40].iter().filter(|l| **l == labels[0]).count() > 30,
            "{method}: {labels:?}"
        );
        assert!(found["snippet"]["command"].as_str().unwrap().contains("-k 3"));
    }
    let (_, found) = run(&lab, "view/start", json!({ "data": { "id": "rings", "target": "label" } }));
    assert_eq!(found["kernel"], "normalized(weisfeiler_lehman(depth=3))");
    assert_eq!(refused(&lab, "view/start", json!({ "data": data, "method": "tsne" })).status, 400);
}
