//! The panel of fits.

use mercer::assert_close;
use mercer::learn::Ridge;
use mercer::points::Scaling;
use mercer::{Compute, Kernel};
use ndarray::Array2;
use serde_json::{Value, json};

use super::{ask, ended, lab, number, numbers, refused, run};

fn concrete(more: Value) -> Value {
    let mut request = json!({
        "learner": "ridge", "data": { "id": "concrete", "target": "strength", "scale": "standard" },
        "settings": { "kernel": "gaussian(lengthscale=2)", "lambda": "0.1", "intercept": true },
    });
    more.as_object().unwrap().iter().for_each(|(name, value)| request[name] = value.clone());
    request
}

/// The same fit by the library alone.
fn reference(columns: usize) -> (Array2<f64>, Array2<f64>) {
    let path = format!("{}/../../examples/data/concrete.csv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    let x = Array2::from_shape_fn((rows.len(), columns), |(i, j)| rows[i][j]);
    let mean = x.mean_axis(ndarray::Axis(0)).unwrap();
    let sd = (&x - &mean).mapv(|v| v * v).mean_axis(ndarray::Axis(0)).unwrap().mapv(f64::sqrt);
    let y = Array2::from_shape_fn((rows.len(), 1), |(i, _)| rows[i][columns]);
    ((x - &mean) / &sd, y)
}

#[test]
fn a_fit_is_that_of_the_library() {
    let lab = lab();
    let (job, found) = run(&lab, "fit/start", concrete(json!({})));
    let (x, y) = reference(8);
    let kernel: Kernel = "gaussian(lengthscale=2)".parse().unwrap();
    let ridge = Ridge { intercept: true, ..Ridge::new(kernel, 0.1) };
    let fit = ridge.fit(x.view(), y.view(), None, &Compute::new()).unwrap();
    let rmse = (fit.residuals().iter().map(|r| r * r).sum::<f64>() / 1030.0).sqrt();
    assert_close!(number(&found["regression"]["rmse"]), rmse, 1e-9);
    let loo = fit.diagnostics().unwrap().loo_mean_square()[0].sqrt();
    assert_close!(number(&found["regression"]["loo_rmse"]), loo, 1e-8);
    // The prediction of the first row, typed in, and of which rows it is made.
    let set = ask(&lab, "data/describe", json!({ "id": "concrete" }));
    let names: Vec<&str> = set["columns"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    let row: serde_json::Map<String, Value> = names
        .iter()
        .zip(set["head"][0].as_array().unwrap())
        .map(|(n, v)| ((*n).to_owned(), v.to_string().into()))
        .collect();
    let predicted = ask(&lab, "fit/predict", json!({ "job": job, "row": row }));
    assert_close!(number(&predicted["values"][0]), fit.fitted()[[0, 0]], 1e-9);
    assert_eq!(predicted["rows"].as_array().unwrap().len(), 6);
    assert!(predicted["rows"].as_array().unwrap().iter().any(|r| r["row"] == 0));
    let interval = &predicted["interval"];
    assert!(number(&interval["lower"]) < fit.fitted()[[0, 0]] && fit.fitted()[[0, 0]] < number(&interval["upper"]));
    let wrong = refused(&lab, "fit/predict", json!({ "job": job, "row": { "cement": "much" } }));
    assert!(wrong.message.contains("cement"), "{}", wrong.message);
    assert_eq!(Scaling::default(), Scaling::None);
}

#[test]
fn a_search_has_a_surface_whose_best_cell_is_fitted() {
    let more = json!({ "search": true, "lengthscales": [1, 2, 4], "penalties": [0.001, 0.01, 0.1, 1] });
    let (_, found) = run(&lab(), "fit/start", concrete(more));
    let search = &found["search"];
    assert_eq!(
        (search["lengthscales"].as_array().unwrap().len(), search["penalties"].as_array().unwrap().len()),
        (3, 4)
    );
    let scores: Vec<Option<f64>> = search["scores"].as_array().unwrap().iter().map(Value::as_f64).collect();
    let best = scores.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let at = numbers(&search["best"]);
    assert_eq!(scores[at[0] as usize * 4 + at[1] as usize], Some(best));
    assert_close!(number(&found["regression"]["loo_rmse"]).powi(2), number(&search["score"]), 1e-5);
    assert_eq!(found["kernel"], search["kernel"]);
    let command = found["snippet"]["command"].as_str().unwrap();
    assert!(command.contains("--lengthscales 1,2,4 --lambdas 0.001,0.01,0.1,1"), "{command}");
}

#[test]
fn a_search_that_is_stopped_keeps_the_best_so_far() {
    let lab = lab();
    let lengths: Vec<f64> = (1..=40).map(|i| 0.2 * f64::from(i)).collect();
    let start = ask(&lab, "fit/start", concrete(json!({ "search": true, "lengthscales": lengths })));
    let job = start["job"].as_u64().unwrap();
    // Once something has been scored there is something to keep.
    for _ in 0..4_000 {
        let state = ask(&lab, "job", json!({ "job": job }));
        if state["state"] != "running" || state["done"].as_u64().unwrap_or(0) >= 2 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    ask(&lab, "job/stop", json!({ "job": job }));
    let state = ended(&lab, job);
    let kept = state["state"] == "done" && state["result"]["regression"]["rmse"].is_number();
    let too_early = state["state"] == "failed" && state["error"]["message"].as_str().unwrap().contains("stopped");
    assert!(kept || too_early, "{state}");
}

#[test]
fn a_cell_of_the_surface_is_fitted_beside_its_surface() {
    let cell = json!({ "kernel": "gaussian(lengthscale=4)", "penalty": 1 });
    let more = json!({ "search": true, "lengthscales": [1, 2, 4], "penalties": [0.01, 1], "cell": cell });
    let (_, found) = run(&lab(), "fit/start", concrete(more));
    assert_eq!(found["search"]["scores"].as_array().unwrap().len(), 6);
    let settings = json!({ "kernel": "gaussian(lengthscale=4)", "lambda": "1", "intercept": true });
    let (_, alone) = run(&lab(), "fit/start", concrete(json!({ "settings": settings })));
    assert_eq!(found["regression"]["rmse"], alone["regression"]["rmse"]);
    assert_eq!((&found["kernel"], &found["snippet"]), (&alone["kernel"], &alone["snippet"]));
    let wrong = concrete(json!({ "search": true, "cell": { "kernel": "gausian()", "penalty": 1 } }));
    assert_eq!(refused(&lab(), "fit/start", wrong).status, 400);
}

/// A table of two noisy columns that no solver is done with in a moment.
fn many_rows(lab: &mercer_server::lab::Lab) -> String {
    let rows: String = (0..6_000_u64)
        .map(|i| {
            let at = |k: u64| ((i * 2_654_435_761 + k * 40_503) % 10_007) as f64 / 1_000.0;
            let class = if (at(1).sin() + at(2).cos() + at(3) / 7.0) > 0.7 { "in" } else { "out" };
            format!("{},{},{},{class}\n", at(1), at(2), at(1).sin() + at(3))
        })
        .collect();
    let text = super::data::base64(format!("a,b,value,class\n{rows}").as_bytes());
    ask(lab, "data/upload", json!({ "name": "many.csv", "base64": text }))["id"].as_str().unwrap().to_owned()
}

/// Stops a fit when it has begun, and returns how it ended.
fn stopped(lab: &mercer_server::lab::Lab, request: Value) -> Value {
    let job = ask(lab, "fit/start", request.clone())["job"].as_u64().unwrap();
    for _ in 0..8_000 {
        let state = ask(lab, "job", json!({ "job": job }));
        // There is something to keep once the solver has begun, or an optimization has a best.
        let begun = match request["learner"].as_str() {
            Some("svc" | "svr") => state["work"] == "support vectors",
            Some("gaussian_process") => state["remark"].as_str().is_some_and(|r| r.contains("best so far")),
            _ => state["work"] != "",
        };
        if state["state"] != "running" || begun {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    ask(lab, "job/stop", json!({ "job": job }));
    ended(lab, job)
}

#[test]
fn a_stopped_fit_keeps_what_its_learner_promises() {
    let lab = lab();
    let id = many_rows(&lab);
    let learners = ask(&lab, "start", json!({}))["learners"].clone();
    let promises = |name: &str| {
        let found = learners.as_array().unwrap().iter().find(|l| l["name"] == name).unwrap();
        found["anytime"].as_bool().unwrap()
    };
    let kernel = "gaussian(lengthscale=0.3)";
    for (learner, target, settings) in [
        ("svc", "class", json!({ "kernel": kernel, "C": "100000", "tolerance": "1e-9" })),
        ("svr", "value", json!({ "kernel": kernel, "C": "100000", "epsilon": "0.001", "tolerance": "1e-9" })),
        ("gaussian_process", "value", json!({ "kernel": format!("1*{kernel}"), "restarts": "30" })),
        ("ridge", "value", json!({ "kernel": kernel, "lambda": "0.1", "solver": "eigen" })),
        ("multiple_ridge", "value", json!({ "kernels": format!("{kernel}; linear(); gaussian(lengthscale=3)") })),
    ] {
        // The rows of a process are fewer: one step is cubic in them.
        let data = match learner {
            "gaussian_process" => json!({ "id": "concrete", "target": "strength", "scale": "standard" }),
            _ => json!({ "id": id, "target": target, "inputs": ["a", "b"] }),
        };
        let state = stopped(&lab, json!({ "learner": learner, "settings": settings, "data": data }));
        let message = state["error"]["message"].as_str().unwrap_or_default();
        if promises(learner) {
            assert_eq!(state["state"], "done", "{learner}: {message}");
            assert_eq!(state["result"]["stopped"], true, "{learner}");
        } else {
            assert_eq!(state["state"], "failed", "{learner}");
            assert!(message.contains("has no model before its end"), "{learner}: {message}");
        }
    }
}

#[test]
fn every_expansion_tells_what_contributed_most() {
    let lab = lab();
    let row = json!({ "petal_length": "4.9", "petal_width": "1.7" });
    let inputs = json!(["petal_length", "petal_width"]);
    for (learner, target, settings) in [
        ("svc", "species", json!({ "C": "3" })),
        ("logistic", "species", json!({ "lambda": "0.1" })),
        ("svr", "sepal_length", json!({ "C": "3" })),
        ("kernel_machine", "sepal_length", json!({ "loss": "huber(delta=1)" })),
        ("one_class", "", json!({ "nu": "0.2" })),
        ("ridge", "sepal_length", json!({ "lambda": "0.1" })),
    ] {
        let mut settings = settings;
        settings["kernel"] = json!("gaussian(lengthscale=1)");
        let data = json!({ "id": "iris", "target": target, "inputs": inputs });
        let (job, _) = run(&lab, "fit/start", json!({ "learner": learner, "settings": settings, "data": data }));
        let found = ask(&lab, "fit/predict", json!({ "job": job, "row": row }));
        let rows = found["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 6, "{learner}");
        let sizes: Vec<f64> = rows.iter().map(|r| number(&r["term"]).abs()).collect();
        assert!(sizes.windows(2).all(|pair| pair[0] >= pair[1]) && sizes[0] > 0.0, "{learner}: {sizes:?}");
        assert!(rows.iter().all(|r| r["row"].is_u64()), "{learner}");
        // The rows of the predicted class speak for it.
        if target == "species" {
            let largest = rows.iter().find(|r| number(&r["term"]) > 0.0).unwrap();
            assert_eq!(largest["label"], found["class"], "{learner}");
        }
    }
}

#[test]
fn classes_have_confusion_boundary_and_calibration() {
    let lab = lab();
    let data =
        json!({ "id": "iris", "target": "species", "scale": "standard", "inputs": ["petal_length", "petal_width"] });
    let request = json!({ "learner": "logistic", "data": data, "settings": { "kernel": "gaussian(lengthscale=1)", "lambda": 0.1 } });
    let (job, found) = run(&lab, "fit/start", request);
    let classes = &found["classes"];
    let total: u64 = classes["confusion"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|r| r.as_array().unwrap())
        .map(|v| v.as_u64().unwrap())
        .sum();
    assert_eq!(total, 150);
    assert!(number(&classes["accuracy"]) > 0.93);
    assert_eq!(classes["calibration"]["kind"], "reliability");
    assert_eq!(
        (&found["plane"]["kind"], found["plane"]["cells"].as_array().unwrap().len()),
        (&json!("classes"), 72 * 54)
    );
    let p = ask(&lab, "fit/predict", json!({ "job": job, "row": { "petal_length": "1.4", "petal_width": "0.2" } }));
    assert_eq!(p["class"], "setosa");
    let sum: f64 = p["probabilities"].as_array().unwrap().iter().map(|pair| number(&pair[1])).sum();
    assert_close!(sum, 1.0, abs = 1e-12);
    let swapped = ask(&lab, "fit/plane", json!({ "job": job, "x": 1, "y": 0 }));
    assert_eq!(swapped["names"], json!(["petal_width", "petal_length"]));
    assert_eq!(refused(&lab, "fit/plane", json!({ "job": job, "x": 1, "y": 1 })).status, 400);
}

#[test]
fn texts_graphs_series_and_support_are_fitted() {
    let lab = lab();
    let books = json!({ "learner": "svc", "data": { "id": "books", "target": "verdict" }, "settings": { "C": 10 } });
    let (job, found) = run(&lab, "fit/start", books);
    assert!(number(&found["classes"]["accuracy"]) > 0.8, "{}", found["classes"]["accuracy"]);
    let row = json!({ "review": "a fine and moving book", "price": "12", "kind": "novel" });
    assert!(ask(&lab, "fit/predict", json!({ "job": job, "row": row }))["class"].is_string());
    let rings = json!({
        "learner": "svc", "data": { "id": "rings", "target": "label" },
        "settings": { "kernel": "normalized(weisfeiler_lehman(depth=3))", "C": "10" },
    });
    let (job, found) = run(&lab, "fit/start", rings);
    assert!(number(&found["classes"]["accuracy"]) > 0.85, "{}", found["classes"]["accuracy"]);
    assert!(ask(&lab, "fit/predict", json!({ "job": job, "like": 3 }))["class"].is_string());
    let co2 = json!({ "learner": "spline", "data": { "id": "co2", "target": "co2", "missing": "drop" } });
    let (_, found) = run(&lab, "fit/start", co2);
    assert!(found["curve"]["lower"].is_array() && found["rows"] == 2225, "{}", found["rows"]);
    let support = json!({ "learner": "one_class", "data": { "id": "iris", "target": "species", "scale": "standard" }, "settings": { "nu": 0.1 } });
    let (_, found) = run(&lab, "fit/start", support);
    assert!(found["novelty"]["outside"].as_u64().unwrap() <= 20);
}

#[test]
fn sums_of_kernels_have_parts() {
    let kernel = "on([cement], gaussian(lengthscale=1)) + on([age], gaussian(lengthscale=1)) + on([water], linear())";
    let settings = json!({ "kernel": kernel, "lambda": 0.1, "intercept": true });
    let (job, found) = run(&lab(), "fit/start", concrete(json!({ "settings": settings })));
    let effects = found["effects"].as_array().unwrap();
    assert_eq!(effects.len(), 3);
    let shares: f64 = effects.iter().map(|e| number(&e["variance_share"])).sum();
    assert_close!(shares, 1.0, abs = 1e-9);
    let axis = numbers(&effects[0]["grid"]["axes"][0]);
    assert!(axis[0] > 90.0 && axis[40] < 560.0, "in the units of the column: {axis:?}");
    // Two standard errors to either side of each effect, as the library has them.
    let (x, y) = reference(8);
    let kernel: Kernel =
        "on([0], gaussian(lengthscale=1)) + on([7], gaussian(lengthscale=1)) + on([3], linear())".parse().unwrap();
    let ridge = Ridge { intercept: true, ..Ridge::new(kernel, 0.1) };
    let fit = ridge.fit(x.view(), y.view(), None, &Compute::new()).unwrap();
    for (effect, expected) in effects.iter().zip(fit.partial_effects(0, 41, &Compute::new()).unwrap()) {
        let expected = expected.grid.unwrap();
        let (lower, upper) = (numbers(&effect["grid"]["lower"]), numbers(&effect["grid"]["upper"]));
        for (t, (lower, upper)) in lower.iter().zip(&upper).enumerate() {
            let (value, error) = (expected.values[[t, 0]], expected.standard_errors[[t, 0]]);
            assert_close!(*lower, value - 2.0 * error, abs = 1e-3);
            assert_close!(*upper, value + 2.0 * error, abs = 1e-3);
        }
    }
    assert!(job > 0 && found["snippet"]["command"].as_str().unwrap().contains("on([cement]"));
}

#[test]
fn wrong_fits_are_refused_with_the_reason() {
    let lab = lab();
    let message = |request: Value| match lab.call("fit/start", &request) {
        Err(refusal) => refusal.message,
        Ok(answer) => {
            ended(&lab, answer["job"].as_u64().unwrap())["error"]["message"].as_str().unwrap_or("done").to_owned()
        }
    };
    assert!(message(concrete(json!({ "learner": "nothing" }))).contains("no learner `nothing`"));
    assert!(message(concrete(json!({ "settings": { "lambda": "-1" } }))).contains("lambda"));
    assert!(message(concrete(json!({ "settings": { "kernel": "gausian()" } }))).contains("gausian"));
    assert!(message(concrete(json!({ "data": { "id": "concrete", "target": "nothing" } }))).contains("nothing"));
    assert!(message(concrete(json!({ "data": { "id": "iris", "target": "species" } }))).contains("needs numbers"));
    assert!(message(concrete(json!({ "data": { "id": "co2", "target": "co2" } }))).contains("missing"));
    assert!(message(concrete(json!({ "settings": { "kernel": "tanh()" } }))).contains("positive semi-definite"));
}
