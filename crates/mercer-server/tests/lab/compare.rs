//! The panel of comparisons.

use serde_json::{Value, json};

use super::{ended, lab, number, run};

#[test]
fn two_samples_differ_where_they_were_made_to() {
    let request = json!({ "mode": "files", "data": { "id": "sensors_january", "scale": "standard" }, "second": "sensors_june", "permutations": 499 });
    let (_, found) = run(&lab(), "compare/start", request);
    let outcome = &found["outcome"];
    assert_eq!((&outcome["reject"], &found["sizes"]), (&json!(true), &json!([220, 200])));
    let counts: u64 = outcome["null"]["counts"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap()).sum();
    assert_eq!((counts, &outcome["null"]["total"]), (499, &json!(499)));
    assert!(number(&outcome["effect"]) > 3.0);
    for column in found["columns"].as_array().unwrap() {
        assert_eq!(column["differs"], column["name"] == "vibration", "{column}");
    }
    let command = found["snippet"]["command"].as_str().unwrap();
    assert!(command.starts_with("mercer test two-sample sensors_january.csv sensors_june.csv"), "{command}");
}

#[test]
fn groups_of_flowers_and_of_texts_are_compared() {
    let lab = lab();
    let iris = json!({ "mode": "groups", "data": { "id": "iris" }, "by": "species", "group_a": "versicolor", "group_b": "virginica", "permutations": 199 });
    let (_, found) = run(&lab, "compare/start", iris);
    assert_eq!((&found["outcome"]["reject"], &found["sizes"]), (&json!(true), &json!([50, 50])));
    let highest = found["witness"]["highest"].as_array().unwrap();
    assert!(highest.iter().all(|w| (50..150).contains(&w["row"].as_u64().unwrap())), "rows of the file: {highest:?}");
    let books = json!({
        "mode": "groups", "data": { "id": "books", "inputs": ["review"] }, "by": "verdict", "group_a": "keep", "group_b": "return",
        "kernel": "normalized(spectrum(length=4))", "permutations": 199,
    });
    let (_, found) = run(&lab, "compare/start", books);
    assert_eq!(found["outcome"]["reject"], true);
}

#[test]
fn columns_are_tested_for_independence() {
    let test = |x: &str, y: &str| {
        let request = json!({ "mode": "independence", "data": { "id": "sensors_january" }, "x": [x], "y": [y], "permutations": 299 });
        run(&lab(), "compare/start", request).1
    };
    // Pressure was made to follow the temperature, vibration not.
    assert_eq!(test("temperature", "pressure")["outcome"]["reject"], true);
    let free = test("temperature", "vibration");
    assert_eq!((&free["outcome"]["reject"], &free["scatter"]["y"]["name"]), (&json!(false), &json!("vibration")));
}

#[test]
fn wrong_comparisons_are_refused_with_the_reason() {
    let lab = lab();
    let message = |request: Value| match lab.call("compare/start", &request) {
        Err(refusal) => refusal.message,
        Ok(answer) => {
            ended(&lab, answer["job"].as_u64().unwrap())["error"]["message"].as_str().unwrap_or("done").to_owned()
        }
    };
    assert!(message(json!({ "mode": "files", "data": { "id": "iris" }, "second": "co2" })).contains("sepal_length"));
    let same = json!({ "mode": "groups", "data": { "id": "iris" }, "by": "species", "group_a": "setosa", "group_b": "setosa" });
    assert!(message(same).contains("different"));
    assert!(
        message(json!({ "mode": "independence", "data": { "id": "iris" }, "x": ["species"], "y": ["species"] }))
            .contains("both")
    );
}
