//! The questions of the page, without a browser.

mod compare;
mod data;
mod fit;
mod guard;
mod kernel;
mod view;

use std::time::Duration;

use mercer::Compute;
use mercer_server::lab::{Lab, Refusal};
use serde_json::{Value, json};

/// A session.
fn lab() -> Lab {
    Lab::new(Compute::new().with_threads(2).unwrap())
}

/// The answer to a question that must have one.
fn ask(lab: &Lab, question: &str, request: Value) -> Value {
    lab.call(question, &request).unwrap_or_else(|refusal| panic!("{question}: {refusal:?}"))
}

/// The refusal of a question that must not be answered.
fn refused(lab: &Lab, question: &str, request: Value) -> Refusal {
    lab.call(question, &request).expect_err(question)
}

/// The result of a job, and its number.
fn run(lab: &Lab, question: &str, request: Value) -> (u64, Value) {
    let job = ask(lab, question, request)["job"].as_u64().unwrap();
    let state = ended(lab, job);
    assert_eq!(state["state"], "done", "{state}");
    (job, state["result"].clone())
}

/// The last state of a job.
fn ended(lab: &Lab, job: u64) -> Value {
    for _ in 0..60_000 {
        let state = ask(lab, "job", json!({ "job": job }));
        if state["state"] != "running" {
            return state;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("job {job} does not end");
}

/// A number of an answer.
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// A list of numbers of an answer.
fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list")).iter().map(number).collect()
}
