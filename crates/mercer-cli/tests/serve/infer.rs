//! The Open Inference Protocol, descriptions and metrics.

use serde_json::{Value, json};

use super::common::{Server, models};

#[test]
fn metadata_and_health_follow_the_protocol() {
    let (species, strength) = (models().file("species"), models().file("strength"));
    let server = Server::start(&[&species, &format!("concrete={strength}")]);
    assert_eq!(server.get("/v2").json()["name"], "mercer");
    assert_eq!(server.get("/v2/health/live").json(), json!({ "live": true }));
    assert_eq!(server.get("/v2/health/ready").json(), json!({ "ready": true }));
    assert_eq!(server.get("/v2/models/concrete/ready").json(), json!({ "name": "concrete", "ready": true }));
    let found = server.get("/v2/models/species").json();
    assert_eq!((&found["name"], &found["versions"]), (&json!("species"), &json!(["1"])));
    assert_eq!(found["platform"], "mercer_logistic");
    assert_eq!(found["inputs"][0], json!({ "name": "sepal_length", "datatype": "FP64", "shape": [-1] }));
    let outputs: Vec<&str> = found["outputs"].as_array().unwrap().iter().map(|o| o["name"].as_str().unwrap()).collect();
    assert_eq!(outputs, ["prediction", "proba_setosa", "proba_versicolor", "proba_virginica"]);
    assert_eq!(found["outputs"][0]["datatype"], "BYTES");
    assert_eq!(server.get("/v2/models").json()["models"].as_array().unwrap().len(), 2);
    server.get("/v2/models/nothing").refused(404, "unknown_model", "there are species, concrete");
    server.get("/v2/models/nothing/ready").refused(404, "unknown_model", "");
    server.post("/v2/models/nothing/infer", "{}").refused(404, "unknown_model", "");
    server.get("/v2/models/species/infer").refused(405, "wrong_method", "");
    server.get("/predict").refused(405, "wrong_method", "");
    server.post("/v2", "{}").refused(405, "wrong_method", "");
    server.post("/predict", "[[1]]").refused(400, "model_missing", "one of species, concrete");
    assert_eq!(server.post("/predict?model=species", "[[5.1, 3.5, 1.4, 0.2]]").status, 200);
    let about = server.get("/").json();
    assert_eq!(about["models"], json!(["species", "concrete"]));
}

#[test]
fn tensors_in_and_tensors_out() {
    let server = Server::start(&[&models().file("species")]);
    let infer = |body: Value| server.post("/v2/models/species/infer", &body.to_string());
    let whole = json!({ "name": "rows", "shape": [2, 4], "datatype": "FP64", "data": [5.1, 3.5, 1.4, 0.2, 6.7, 3.0, 5.2, 2.3] });
    let found = infer(json!({ "id": "a1", "inputs": [whole] })).json();
    assert_eq!(
        found["outputs"],
        json!([{ "name": "prediction", "datatype": "BYTES", "shape": [2], "data": ["setosa", "virginica"] }])
    );
    assert_eq!(
        (&found["id"], &found["model_name"], &found["model_version"]),
        (&json!("a1"), &json!("species"), &json!("1"))
    );
    let column =
        |name: &str, kind: &str, data: Value| json!({ "name": name, "shape": [1, 1], "datatype": kind, "data": data });
    let columns = json!([
        column("petal_width", "FP32", json!([0.2])),
        column("sepal_length", "FP64", json!([5.1])),
        column("sepal_width", "FP64", json!([[3.5]])),
        column("petal_length", "FP64", json!([1.4])),
    ]);
    let found = infer(json!({ "inputs": columns, "outputs": [{ "name": "proba_setosa" }] })).json();
    let outputs = found["outputs"].as_array().unwrap();
    assert_eq!((outputs.len(), &outputs[0]["name"], &outputs[0]["shape"]), (1, &json!("proba_setosa"), &json!([1])));
    assert!(outputs[0]["data"][0].as_f64().unwrap() > 0.8);
    let found = infer(json!({ "inputs": columns, "parameters": { "probabilities": true } })).json();
    assert_eq!(found["outputs"].as_array().unwrap().len(), 4);
    infer(json!({ "inputs": columns, "outputs": [{ "name": "lower" }] })).refused(400, "unsupported", "intervals");
    infer(json!({ "inputs": columns, "outputs": [{ "name": "score" }] })).refused(
        400,
        "unknown_output",
        "there are prediction",
    );
    infer(json!({ "inputs": columns, "parameters": { "top": 3 } })).refused(400, "unknown_option", "`top`");
    infer(json!({ "inputs": [] })).refused(400, "no_rows", "");
    infer(json!({})).refused(400, "invalid_tensor", "`inputs`");
    infer(json!([])).refused(400, "invalid_tensor", "`inputs`");
    let mut wrong = columns.clone();
    wrong[0]["datatype"] = json!("FLOAT");
    infer(json!({ "inputs": wrong })).refused(400, "invalid_tensor", "no datatype `FLOAT`");
    wrong[0] = column("petal_width", "BYTES", json!(["wide"]));
    infer(json!({ "inputs": wrong })).refused(400, "value", "petal_width holds `wide`");
    wrong[0] = column("petal_width", "FP64", json!([1, 2]));
    infer(json!({ "inputs": wrong })).refused(400, "invalid_tensor", "does not have 2 values");
    wrong[0] = column("petal_widht", "FP64", json!([1]));
    infer(json!({ "inputs": wrong })).refused(400, "column", "petal_widht");
    wrong[0] = json!({ "name": "petal_width", "shape": [2], "datatype": "FP64", "data": [1, 2] });
    infer(json!({ "inputs": wrong })).refused(400, "invalid_tensor", "rows of column");
    wrong[0] = column("sepal_width", "FP64", json!([1]));
    infer(json!({ "inputs": wrong })).refused(400, "invalid_tensor", "twice");
}

#[test]
fn intervals_come_as_tensors() {
    let server = Server::start(&[&models().file("strength")]);
    let row = json!({ "name": "x", "shape": [1, 8], "datatype": "FP64", "data": [540, 0, 0, 162, 2.5, 1040, 676, 28] });
    let body = json!({ "inputs": [row], "parameters": { "interval": 0.5 } }).to_string();
    let found = server.post("/v2/models/strength/infer", &body).json();
    let value = |i: usize| found["outputs"][i]["data"][0].as_f64().unwrap();
    assert!(value(1) < value(0) && value(0) < value(2), "{found}");
    let direct = server.post("/predict?interval=0.5", "[[540, 0, 0, 162, 2.5, 1040, 676, 28]]").json();
    assert_eq!(found["outputs"][1]["data"], direct["predictions"]["lower"]);
}

#[test]
fn the_interface_is_described_and_counted() {
    let server = Server::start(&[&models().file("species")]);
    let document = server.get("/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    // Every address of the document answers, and takes the method that it states.
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            let reply = if method == "get" { server.get(path) } else { server.post(path, "[]") };
            assert!(reply.status == 200 || (method == "post" && reply.status == 400), "{path}: {}", reply.body);
        }
    }
    let row =
        &document["paths"]["/predict"]["post"]["requestBody"]["content"]["application/json"]["schema"]["oneOf"][0];
    let required = &row["items"]["oneOf"][0]["required"];
    assert_eq!(required, &json!(["sepal_length", "sepal_width", "petal_length", "petal_width"]));
    for _ in 0..3 {
        server.post("/predict", "[[5.1, 3.5, 1.4, 0.2]]").done();
    }
    let text = server.get("/metrics").done();
    for line in [
        "mercer_rows_total{model=\"species\"} 3",
        "mercer_model_loads_total{model=\"species\",result=\"ok\"} 1",
        "mercer_model_version{model=\"species\"} 1",
        "mercer_requests_in_flight 1",
        "mercer_requests_total{route=\"predict\",status=\"2xx\"} 3",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    // Every line is a comment, or a name with labels and a number.
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        assert!(name.starts_with("mercer_") && value.parse::<f64>().is_ok(), "{line}");
    }
}
