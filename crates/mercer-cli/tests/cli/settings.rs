//! What a model file holds: the settings of every learner, and nothing about the run.

use mercer::Compute;
use mercer::io::load_model;
use mercer::settings::{Setting, Settings};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{file, mercer, path_in};

/// Enough rows that the work is cut among threads, a target of numbers and one of classes.
fn data(folder: &TempDir) -> String {
    let line = |i: usize| {
        let (a, b) = ((i as f64 * 0.37).sin(), ((i * 7919) % 101) as f64 / 50.0 - 1.0);
        let y = (2.0 * a).sin() + b * b + 0.05 * ((i * 31) % 17) as f64;
        format!("{a},{b},{y},{}\n", ["low", "mid", "high"][if y < 0.2 { 0 } else { 1 + usize::from(y > 0.9) }])
    };
    let rows: String = (0..260).map(line).collect();
    file(folder, "d.csv", format!("a,b,y,class\n{rows}").as_bytes())
}

/// Every learner that the command line has, with the settings that its file must store.
const LEARNERS: &[(&str, &[(&str, &str)])] = &[
    (
        "ridge --target y --drop class --kernel gaussian(lengthscale=median) --lambda 0.25 --intercept",
        &[("lambda", "0.25"), ("kernel", "gaussian(lengthscale=median)"), ("intercept", "true"), ("solver", "auto")],
    ),
    (
        "ridge --target y --drop class --kernel matern(nu=3/2) --lambda 0.5 --solver cg",
        &[("solver", "conjugate_gradients")],
    ),
    ("ridge --target y --drop class", &[("solver", "auto")]),
    (
        "ridge --target y --drop class --kernel gaussian() --lambda 0.1 --centers 30 --seed 7",
        &[("centers", "30"), ("landmarks", "uniform"), ("center_tolerance", "1e-7"), ("seed", "7")],
    ),
    (
        "ridge --target y --drop class --kernel gaussian() --lambda 0.1 --stream --features fourier --components 20",
        &[("features", "fourier"), ("components", "20"), ("lambdas", "[0.1]"), ("sampling", "iid"), ("seed", "0")],
    ),
    (
        "ridge --target y --drop class --stream --components 10 --kernel gaussian()",
        &[("features", "nystrom"), ("folds", "5")],
    ),
    (
        "ridge --target y --drop class --kernel gaussian() --lambda 0.1 --stream --solver centers --centers 12",
        &[("max_passes", "200"), ("landmarks", "uniform")],
    ),
    (
        "gp --target y --drop class --kernel 1*gaussian() --noise 0.3 --no-optimize",
        &[("noise", "0.3"), ("optimize", "false")],
    ),
    (
        "gp --target y --drop class,b --kernel 1*gaussian() --noise 0.3",
        &[("kernel", "1*gaussian(lengthscale=1)"), ("optimize", "true")],
    ),
    (
        "gp --target y --drop class --kernel 1*gaussian() --centers 8",
        &[("inducing_count", "8"), ("approximation", "variational")],
    ),
    (
        "spline --target y --columns a --df 6",
        &[("smoothing", "degrees_of_freedom"), ("degrees_of_freedom", "6"), ("order", "2")],
    ),
    ("smooth --target y --columns a --bandwidth 0.3", &[("bandwidth", "0.3"), ("degree", "line")]),
    (
        "svm --target class --drop y --kernel gaussian() -C 12.5 --proba --tol 0.01 --class-weight balanced",
        &[("C", "12.5"), ("tolerance", "0.01"), ("calibration", "sigmoid"), ("calibration_folds", "5"), ("seed", "0")],
    ),
    ("svm --target class --drop y --kernel gaussian() --nu 0.2", &[("nu", "0.2"), ("scheme", "one_versus_one")]),
    ("svm --target class --drop y", &[("offset", "true")]),
    (
        "svr --target y --drop class --kernel gaussian() -C 3 --epsilon 0.07 --max-iter 100000",
        &[("C", "3"), ("epsilon", "0.07"), ("max_iterations", "100000"), ("indefinite", "false")],
    ),
    ("svr --target y --drop class --kernel gaussian() -C 3 --nu 0.4", &[("nu", "0.4")]),
    ("one-class --drop class,y --kernel gaussian() --nu 0.15", &[("nu", "0.15")]),
    (
        "logistic --target class --drop y --kernel gaussian() --lambda 0.75",
        &[("lambda", "0.75"), ("leave_one_out", "false"), ("max_iterations", "200"), ("tolerance", "1e-20")],
    ),
    ("logistic --target class --drop y --kernel gaussian() --lambda 0.75 --centers 20", &[("centers", "20")]),
    ("auto --target y --drop class", &[("diagnostics", "true")]),
    ("auto --target class --drop y", &[]),
    (
        "ridge --target y --drop class --kernel tanh(scale=1,offset=-1) --lambda 50 --indefinite --no-diagnostics",
        &[("indefinite", "true"), ("diagnostics", "false")],
    ),
    (
        "ridge --target y --drop class --kernel gaussian() --lambda 0.1 --solver mixed --tol 0.001",
        &[("solver", "mixed"), ("tolerance", "0.001"), ("diagnostics", "true")],
    ),
    (
        "ridge --target y --drop class --kernel gaussian() --lambda 0.1 --centers 30 --held-out 0.2 --held-out-patience 3",
        &[("held_out", "0.2"), ("held_out_patience", "3")],
    ),
    (
        "ridge --target y --drop class --kernel gaussian() --lambda 0.1 --stream --features fourier --components 20 --form offset --sampling orthogonal",
        &[("form", "offset"), ("sampling", "orthogonal")],
    ),
    (
        "ridge --target y --drop class --kernel gaussian() --lambda 0.1 --stream --components 20 --rank 9 --feature-tolerance 0.001",
        &[("rank", "9"), ("tolerance", "0.001")],
    ),
    (
        "gp --target y --drop class --kernel 1*gaussian() --centers 8 --inducing random --move-inducing",
        &[("move_inducing", "true"), ("inducing_count", "8"), ("inducing", "random")],
    ),
    (
        "svm --target class --drop y --kernel gaussian() -C 2 --no-offset --working-set 64 --proba isotonic --calibration-folds 3",
        &[("offset", "false"), ("working_set", "64"), ("calibration", "isotonic"), ("calibration_folds", "3")],
    ),
    (
        "svr --target y --drop class --kernel gaussian() -C 2 --no-offset --working-set 64",
        &[("offset", "false"), ("working_set", "64")],
    ),
    ("one-class --drop class,y --kernel gaussian() --working-set 32", &[("working_set", "32")]),
    ("logistic --target class --drop y --kernel gaussian() --lambda 0.75 --tol 1e-9", &[("tolerance", "1e-9")]),
    (
        "logistic --target class --drop y --kernel gaussian() --lambda 0.75 --stream --components 20 --tol 1e-5 --rank 12",
        &[("pass_tolerance", "0.00001"), ("rank", "12")],
    ),
];

fn fit(learner: &str, data: &str, model: &str, threads: &str) -> (Vec<u8>, Value) {
    let (name, rest) = learner.split_once(' ').unwrap();
    let words: Vec<&str> = ["fit", name, data].into_iter().chain(rest.split(' ')).collect();
    let json = mercer(&[&words[..], &["-o", model, "--threads", threads, "--force", "--json"]].concat()).json();
    (std::fs::read(model).unwrap(), json)
}

/// The bytes of the file, and of the JSON object, for every number of threads.
#[test]
fn files_and_reports_do_not_depend_on_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(&folder);
    let model = path_in(&folder, "m.safetensors");
    for (learner, _) in LEARNERS {
        let expected = fit(learner, &data, &model, "1");
        for threads in ["2", "8"] {
            let found = fit(learner, &data, &model, threads);
            assert!(found.0 == expected.0, "{learner}: the file differs for {threads} threads");
            assert_eq!(found.1, expected.1, "{learner}: the report differs for {threads} threads");
        }
        let header = String::from_utf8_lossy(&expected.0[..expected.0.len().min(8000)]).into_owned();
        for word in ["plan_bytes", "plan_flops", "plan_seconds", "plan_reason", "thread", "memory"] {
            assert!(!header.contains(word), "{learner}: {word}");
        }
    }
}

fn settings(path: &str) -> Settings {
    load_model(path.as_ref(), &Compute::new()).unwrap().fitted().settings().clone()
}

#[test]
fn every_learner_keeps_its_settings() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(&folder);
    let model = path_in(&folder, "m.safetensors");
    for (learner, expected) in LEARNERS {
        fit(learner, &data, &model, "2");
        let found = settings(&model);
        assert!(!found.is_empty(), "{learner}");
        for (name, value) in *expected {
            let text = found.get(name).map(Setting::to_string);
            assert_eq!(text.as_deref(), Some(*value), "{learner}: {name} of {found:?}");
        }
        let json = mercer(&["predict", &model, &data, "--json"]).json();
        assert_eq!(json["settings"].as_object().unwrap().len(), found.iter().count(), "{learner}");
    }
    fit(LEARNERS[12].0, &data, &model, "2");
    let Some(Setting::Numbers(weights)) = settings(&model).get("class_weights").cloned() else { panic!("no weights") };
    assert_eq!(weights.len(), 3);
    let text = mercer(&["predict", &model, &data, "-o", &path_in(&folder, "p.csv")]).done().out;
    assert!(text.contains("C=12.5") && text.contains("tolerance=0.01"), "{text}");
}

/// Options that have no effect on the fit that is requested are errors.
#[test]
fn options_of_another_solver_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(&folder);
    let refused = |words: &str, expected: &[&str]| {
        let words: Vec<String> = words.split(' ').map(|word| word.replace("DATA", &data)).collect();
        mercer(&words.iter().map(String::as_str).collect::<Vec<_>>()).fails(1, expected);
    };
    let ridge = "fit ridge DATA --target y --drop class --kernel gaussian() --lambda 0.1";
    refused(&ridge.replace("gaussian()", "tanh(scale=1,offset=-1)"), &["tanh", "positive semi-definite"]);
    refused(&format!("{ridge} --rank 3"), &["--rank", "--stream"]);
    refused(&format!("{ridge} --held-out-patience 3"), &["--held-out"]);
    refused(&format!("{ridge} --stream --indefinite"), &["--indefinite", "streamed"]);
    refused(&format!("{ridge} --stream --form pair"), &["--form", "--features fourier"]);
    refused(&format!("{ridge} --stream --features fourier --rank 3"), &["--rank", "no landmarks"]);
    refused("fit svm DATA --target class --drop y --calibration-folds 3", &["--proba"]);
    refused("fit svr DATA --target y --drop class --nu 0.4 --no-offset", &["--no-offset", "--nu"]);
    refused("fit gp DATA --target y --drop class --move-inducing", &["--centers"]);
    refused("embed pca DATA --drop class --rank 3", &["--rank", "--stream"]);
    refused("embed pca DATA --drop class --stream --form pair", &["--form", "--features fourier"]);
    refused("embed pca DATA --drop class --stream --features fourier --rank 3", &["--rank", "--features nystrom"]);
    refused("cluster DATA --drop class -k 2 --spectral --max-passes 3", &["--max-passes", "--spectral"]);
}

/// The options of features are in the model.
#[test]
fn features_keep_their_settings() {
    let folder = tempfile::tempdir().unwrap();
    let (data, model) = (data(&folder), path_in(&folder, "m.safetensors"));
    let cases: [(&str, &[(&str, &str)]); 3] = [
        ("embed nystrom --components 12 --rank 4", &[("components", "12"), ("rank", "4")]),
        (
            "embed pca --components 2 --stream --feature-count 20 --rank 7 --feature-tolerance 0.0001",
            &[("feature_count", "20"), ("rank", "7"), ("feature_tolerance", "0.0001"), ("features", "nystrom")],
        ),
        (
            "cluster -k 2 --stream --features fourier --form offset --max-passes 3 --tolerance 0.01",
            &[("form", "offset"), ("max_passes", "3"), ("tolerance", "0.01"), ("feature_count", "500")],
        ),
    ];
    for (words, expected) in cases {
        let mut words: Vec<&str> = words.split(' ').collect();
        words.insert(if words[0] == "cluster" { 1 } else { 2 }, &data);
        let more = ["--columns", "a,b", "--kernel", "gaussian(lengthscale=1)", "--model", &model, "--force"];
        mercer(&[&words[..], &more].concat()).done();
        let found = settings(&model);
        for (name, value) in expected {
            let text = found.get(name).map(Setting::to_string);
            assert_eq!(text.as_deref(), Some(*value), "{words:?}: {name} of {found:?}");
        }
    }
}

/// The headline of every kind is its own.
#[test]
fn reports_call_every_kind_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(&folder);
    for (learner, headline) in [
        ("gp --target y --drop class --kernel 1*gaussian() --centers 8", "Gaussian process with inducing points of y"),
        ("smooth --target y --columns a --bandwidth 0.3", "Local smoother of y"),
        ("logistic --target class --drop y --kernel gaussian() --lambda 1", "Kernel logistic regression of class"),
    ] {
        let (name, rest) = learner.split_once(' ').unwrap();
        let words: Vec<&str> = ["fit", name, &data].into_iter().chain(rest.split(' ')).collect();
        let text = mercer(&words).done().out;
        assert!(text.starts_with(headline), "{text}");
    }
}
