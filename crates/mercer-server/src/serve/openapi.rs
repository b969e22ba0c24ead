//! The description of the interface for programs: OpenAPI 3.1.

use serde_json::{Map, Value, json};

use super::registry::{Registry, Slot};
use super::schema::Holds;

/// The document, with the columns of every model.
pub(crate) fn document(registry: &Registry, has_token: bool) -> Value {
    let mut paths = Map::new();
    paths.insert("/v2".into(), get("Server metadata (Open Inference Protocol)", "server"));
    paths.insert("/v2/health/live".into(), get("Whether the server runs", "live"));
    paths.insert("/v2/health/ready".into(), get("Whether all models are loaded", "ready"));
    paths.insert("/metrics".into(), get("Counts and times in the text format of Prometheus", "metrics"));
    paths.insert("/openapi.json".into(), get("This document", "openapi"));
    for slot in &registry.slots {
        push_model(&mut paths, slot);
    }
    if let [only] = registry.slots.as_slice() {
        paths.insert("/predict".into(), predict(only, "predict"));
        paths.insert("/drift".into(), drift(only, "drift"));
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Mercer prediction server",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Predictions of kernel models: POST /predict with rows in JSON or CSV, or the Open Inference Protocol below /v2.",
        },
        "paths": paths,
        "components": { "schemas": { "Error": error() } },
    });
    if has_token {
        document["components"]["securitySchemes"] = json!({ "token": { "type": "http", "scheme": "bearer" } });
        document["security"] = json!([{ "token": [] }]);
    }
    document
}

fn error() -> Value {
    json!({
        "type": "object",
        "required": ["error", "code"],
        "properties": {
            "error": { "type": "string", "description": "a sentence for people" },
            "code": { "type": "string", "description": "a word for programs" },
        },
    })
}

fn get(summary: &str, name: &str) -> Value {
    json!({ "get": { "summary": summary, "operationId": name, "responses": responses() } })
}

fn responses() -> Value {
    let refused = |text: &str| {
        json!({
            "description": text,
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
        })
    };
    json!({
        "200": { "description": "done" },
        "400": refused("the request does not fit the model"),
        "401": refused("the token is missing or wrong"),
        "403": refused("the request comes from another web page"),
        "408": refused("the request or its computation took too long"),
        "413": refused("too many bytes or rows"),
        "415": refused("another content type is needed"),
        "421": refused("the Host header names another server"),
        "429": refused("too many computations wait"),
    })
}

fn push_model(paths: &mut Map<String, Value>, slot: &Slot) {
    let name = &slot.name;
    let base = format!("/v2/models/{name}");
    paths.insert(base.clone(), get("Metadata of the model", &format!("{name}_metadata")));
    paths.insert(format!("{base}/ready"), get("Whether the model is loaded", &format!("{name}_ready")));
    paths.insert(format!("{base}/infer"), infer(name));
    paths.insert(format!("/models/{name}/predict"), predict(slot, &format!("{name}_predict")));
    paths.insert(format!("/models/{name}/drift"), drift(slot, &format!("{name}_drift")));
}

fn infer(name: &str) -> Value {
    let tensor = json!({
        "type": "object",
        "required": ["name", "shape", "datatype", "data"],
        "properties": {
            "name": { "type": "string" },
            "shape": { "type": "array", "items": { "type": "integer" } },
            "datatype": { "type": "string" },
            "data": { "type": "array" },
        },
    });
    let schema = json!({
        "type": "object",
        "required": ["inputs"],
        "properties": {
            "id": { "type": "string" },
            "inputs": { "type": "array", "items": tensor },
            "outputs": { "type": "array", "items": { "type": "object", "properties": { "name": { "type": "string" } } } },
            "parameters": { "type": "object" },
        },
    });
    json!({ "post": {
        "summary": "Predictions for tensors (Open Inference Protocol)",
        "operationId": format!("{name}_infer"),
        "requestBody": { "required": true, "content": { "application/json": { "schema": schema } } },
        "responses": responses(),
    } })
}

fn option(name: &str, kind: &str, text: &str) -> Value {
    json!({ "name": name, "in": "query", "schema": { "type": kind }, "description": text })
}

fn predict(slot: &Slot, name: &str) -> Value {
    json!({ "post": {
        "summary": format!("Predictions of {}", slot.name),
        "operationId": name,
        "parameters": [
            option("interval", "number", "coverage probability of the columns lower and upper"),
            option("probabilities", "boolean", "a column proba_<class> for every class"),
            option("novelty", "boolean", "a column novelty, for principal components"),
        ],
        "requestBody": body(slot),
        "responses": responses(),
    } })
}

fn drift(slot: &Slot, name: &str) -> Value {
    json!({ "post": {
        "summary": format!("Two-sample test of the rows against the training sample of {}", slot.name),
        "operationId": name,
        "parameters": [
            option("level", "number", "significance level (0.05)"),
            option("permutations", "integer", "number of permutations (499)"),
            option("seed", "integer", "seed of the permutations (0)"),
        ],
        "requestBody": body(slot),
        "responses": responses(),
    } })
}

fn body(slot: &Slot) -> Value {
    let loaded = slot.current();
    let property = |holds: &Holds| match holds {
        Holds::Numbers => json!({ "type": ["number", "null"] }),
        Holds::Levels(levels) => json!({ "enum": levels }),
        Holds::Texts => json!({ "type": "string" }),
        Holds::Other(kind) => json!({ "description": format!("{kind}, which have no form in JSON here") }),
    };
    let inputs = &loaded.schema.inputs;
    let properties: Map<String, Value> =
        inputs.iter().map(|input| (input.name.clone(), property(&input.holds))).collect();
    let required: Vec<&String> = inputs.iter().map(|input| &input.name).collect();
    let row = json!({ "oneOf": [
        { "type": "object", "required": required, "properties": properties },
        { "type": "array", "description": "the values in the order of the columns" },
    ] });
    let rows = json!({ "type": "array", "items": row });
    json!({ "required": true, "content": {
        "application/json": { "schema": { "oneOf": [
            rows.clone(),
            { "type": "object", "required": ["rows"], "properties": {
                "rows": rows,
                "columns": { "type": "array", "items": { "type": "string" } },
                "interval": { "type": "number" },
                "probabilities": { "type": "boolean" },
                "novelty": { "type": "boolean" },
            } },
        ] } },
        "text/csv": { "schema": { "type": "string" } },
    } })
}
