//! Predictions over HTTP are those of the command line, byte by byte.

use serde_json::{Value, json};

use super::common::{Server, as_json, head, mercer, models};

/// What `mercer predict` prints, or `mercer transform` writes.
fn on_the_command_line(command: &str, model: &str, csv: &str, words: &[&str]) -> String {
    let folder = tempfile::TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("new.csv"), csv).unwrap();
    let out = path("out.csv");
    mercer(&[&[command, model, &path("new.csv"), "-o", &out], words].concat());
    std::fs::read_to_string(out).unwrap()
}

/// The numbers and texts of an answer in JSON as the lines of a table.
fn lines_of(answer: &Value) -> String {
    let columns = answer["predictions"].as_object().unwrap();
    let cell = |value: &Value| match value {
        Value::Number(n) => mercer::io::format_number(n.as_f64().unwrap()),
        Value::String(text) => text.clone(),
        _ => String::new(),
    };
    let mut text = columns.keys().cloned().collect::<Vec<_>>().join(",") + "\n";
    for row in 0..answer["rows"].as_u64().unwrap() as usize {
        text += &columns.values().map(|column| cell(&column[row])).collect::<Vec<_>>().join(",");
        text += "\n";
    }
    text
}

#[test]
fn predictions_are_those_of_the_command_line() {
    let files: Vec<String> =
        ["strength", "species", "species_svm", "verdict", "pca", "clusters"].map(|n| models().file(n)).into();
    let server = Server::start(&files.iter().map(String::as_str).collect::<Vec<_>>());
    for (name, data, command, query, words) in [
        ("strength", "concrete.csv", "predict", "", &[][..]),
        ("strength", "concrete.csv", "predict", "?interval=0.9", &["--interval", "0.9"][..]),
        ("species", "iris.csv", "predict", "", &[][..]),
        ("species", "iris.csv", "predict", "?probabilities=true", &["--proba"][..]),
        ("species_svm", "iris.csv", "predict", "", &[][..]),
        ("verdict", "books.csv", "predict", "?probabilities", &["--proba"][..]),
        ("pca", "iris.csv", "transform", "", &[][..]),
        ("pca", "iris.csv", "transform", "?novelty=1", &["--novelty"][..]),
        ("clusters", "iris.csv", "transform", "", &[][..]),
    ] {
        // One row, few, and more than are computed together.
        for rows in [1, 7, 60] {
            let csv = head(data, rows);
            let expected = on_the_command_line(command, &models().file(name), &csv, words);
            let address = format!("/models/{name}/predict{query}");
            let found = server.csv(&address, &csv);
            assert_eq!(found.header("content-type"), Some("text/csv; charset=utf-8"));
            assert_eq!(found.done(), expected, "{name} {query} {rows}");
            if data != "books.csv" {
                let found = server.post(&address, &as_json(&csv)).json();
                assert_eq!(lines_of(&found), expected, "{name} {query} {rows}");
            }
        }
    }
}

#[test]
fn rows_that_come_at_the_same_time_get_their_own_predictions() {
    let server = Server::start(&[&models().file("strength"), "--quiet"]);
    let csv = head("concrete.csv", 200);
    let (names, lines) = csv.split_once('\n').unwrap();
    let alone: Vec<String> =
        lines.lines().map(|line| server.csv("/predict", &format!("{names}\n{line}\n")).done()).collect();
    let together = std::thread::scope(|scope| {
        let part = |k: usize| {
            let (server, names) = (&server, &names);
            let lines: Vec<&str> = lines.lines().skip(k).step_by(16).collect();
            scope.spawn(move || {
                let one = |line: &&str| server.csv("/predict", &format!("{names}\n{line}\n")).done();
                lines.iter().map(one).collect::<Vec<_>>()
            })
        };
        let threads: Vec<_> = (0..16).map(part).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    for (i, expected) in alone.iter().enumerate() {
        assert_eq!(&together[i % 16][i / 16], expected, "row {i}");
    }
    let (batches, requests) = (server.metric("mercer_batches_total"), server.metric("mercer_batched_requests_total"));
    assert!(requests == 400.0 && batches < requests, "{batches} {requests}");
}

#[test]
fn rows_are_objects_or_lists_with_options_beside_them() {
    let server = Server::start(&[&models().file("species")]);
    let object = r#"[{"petal_width": 0.2, "sepal_length": 5.1, "sepal_width": 3.5, "petal_length": 1.4}]"#;
    let found = server.post("/predict", object).json();
    assert_eq!(found["predictions"], json!({ "prediction": ["setosa"] }));
    assert_eq!((&found["model"], &found["version"], &found["rows"]), (&json!("species"), &json!(1), &json!(1)));
    let lists = r#"{"rows": [[5.1, 3.5, 1.4, 0.2], [6.7, 3, 5.2, 2.3]], "probabilities": true}"#;
    let found = server.post("/predict", lists).json();
    assert_eq!(found["predictions"]["prediction"], json!(["setosa", "virginica"]));
    let sum: f64 = ["setosa", "versicolor", "virginica"]
        .iter()
        .map(|c| found["predictions"][format!("proba_{c}")][1].as_f64().unwrap())
        .sum();
    assert!((sum - 1.0).abs() < 1e-12, "{sum}");
    let named = r#"{"columns": ["petal_width", "petal_length", "sepal_width", "sepal_length"], "rows": [[0.2, 1.4, 3.5, 5.1]]}"#;
    assert_eq!(server.post("/predict", named).json()["predictions"]["prediction"], json!(["setosa"]));
    // The target and columns that the fit did not use may be there.
    let target =
        r#"[{"petal_width": 0.2, "sepal_length": 5.1, "sepal_width": 3.5, "petal_length": 1.4, "species": "x"}]"#;
    assert_eq!(server.post("/predict", target).json()["predictions"]["prediction"], json!(["setosa"]));
    let text = server.post_with("/predict", "application/json", "Accept: text/csv\r\n", object).done();
    assert_eq!(text, "prediction\nsetosa\n");
}

#[test]
fn rows_that_do_not_fit_are_refused_by_name() {
    let (species, strength) = (models().file("species"), models().file("strength"));
    let server = Server::start(&[&species, &strength]);
    let post = |body: &str| server.post("/models/species/predict", body);
    let row = |text: &str| format!(r#"[{{"sepal_length": 1, "sepal_width": 1, "petal_length": 1, {text}}}]"#);
    post(&row(r#""petal_widht": 1"#)).refused(400, "column", "petal_widht");
    post(r#"[{"sepal_length": 1}]"#).refused(400, "column", "sepal_width");
    post(&row(r#""petal_width": "wide""#)).refused(400, "value", "row 0, column petal_width holds `wide`");
    post(&row(r#""petal_width": null"#)).refused(400, "value", "row 0, column petal_width");
    post(&row(r#""petal_width": NaN"#)).refused(400, "invalid_json", "expected");
    post(&row(r#""petal_width": 1e999"#)).refused(400, "invalid_json", "out of range");
    post(&row(r#""petal_width": [1]"#)).refused(400, "invalid_json", "expected a number");
    post("[[1, 2, 3]]").refused(400, "invalid_rows", "expected 4 values, found 3");
    post("[]").refused(400, "no_rows", "no rows");
    post("").refused(400, "invalid_json", "EOF");
    post(r#"{"rows": [[1, 2, 3, 4]], "interval": 0.9}"#).refused(400, "unsupported", "has no intervals");
    server.post("/models/strength/predict?probabilities=1", "[]").refused(400, "no_rows", "");
    let numbers = "[[1, 2, 3, 4, 5, 6, 7, 8]]";
    server.post("/models/strength/predict?probabilities=1", numbers).refused(400, "unsupported", "no classes");
    server.post("/models/strength/predict?interval=1.5", numbers).refused(400, "parameter", "interval = 1.5");
    server.post("/models/strength/predict?depth=1", numbers).refused(400, "unknown_option", "depth");
    server.csv("/models/species/predict", "a,b\n1\n").refused(400, "format", "line 2");
    server.csv("/models/species/predict", "sepal_length,sepal_width,petal_length,petal_width\n1,2,3,inf\n").refused(
        400,
        "value",
        "petal_width holds inf",
    );
    server.csv("/models/species/predict", "\u{1f}\u{8b}").refused(400, "no_rows", "");
    // The server goes on.
    assert_eq!(post("[[5.1, 3.5, 1.4, 0.2]]").status, 200);
}
