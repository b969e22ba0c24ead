//! `mercer fit … --conformal` and `mercer predict --interval conformal`.

use crate::common::{example, file, mercer, path_in};

/// Ridge: no further fit; the model file keeps the calibration, and both spellings of the request
/// give the same bytes.
#[test]
fn a_calibrated_ridge_regression_has_intervals_that_cover() {
    let folder = tempfile::tempdir().unwrap();
    let (data, model) = (example("concrete.csv"), path_in(&folder, "m.safetensors"));
    let (out, again) = (path_in(&folder, "p.csv"), path_in(&folder, "q.csv"));
    let kernel = ["--kernel", "gaussian(lengthscale=2)", "--scale", "standard", "--lambda", "0.1"];
    let words = [&["fit", "ridge", &data, "--target", "strength", "--conformal", "-o", &model, "--json"], &kernel[..]];
    let json = mercer(&words.concat()).json();
    assert_eq!(
        (json["conformal"]["method"].as_str(), json["conformal"]["fits"].as_u64()),
        (Some("jackknife+"), Some(0))
    );
    mercer::assert_close!(json["conformal"]["guarantee_at_0.9"].as_f64().unwrap(), 0.8, abs = 1e-12);
    let text = mercer(&["predict", &model, &data, "-o", &out, "--interval", "conformal", "--level", "0.9"]).done().out;
    assert!(text.contains("jackknife+ (1030 leave-one-out residuals); coverage at least 80 %"), "{text}");
    assert!(text.contains("nominal: 90 %"), "{text}");
    mercer(&["predict", &model, &data, "-o", &again, "--interval", "0.9", "--conformal"]).done();
    assert_eq!(std::fs::read(&out).unwrap(), std::fs::read(&again).unwrap());
    let json = mercer(&["predict", &model, &data, "--interval", "conformal", "--level", "0.9", "--json"]).json();
    let coverage = json["test"][0]["coverage"].as_f64().unwrap();
    assert!((0.88..=1.0).contains(&coverage), "{coverage}: of the rows of the fit, with their own residuals");
    assert_eq!((json["interval"].as_str(), json["level"].as_f64()), (Some("conformal"), Some(0.9)));
}

/// Ridge regression and Gaussian processes: the closed form gives the same intervals without a
/// calibration in the file, also for a file that is read in chunks.
#[test]
fn closed_forms_need_no_calibration() {
    let folder = tempfile::tempdir().unwrap();
    let (data, kernel) = (example("iris.csv"), ["--kernel", "gaussian(lengthscale=2)", "--drop", "species"]);
    for more in [&["ridge", "--lambda", "0.3"][..], &["gp", "--no-optimize"]] {
        let outputs: Vec<Vec<u8>> = [&[][..], &["--conformal"]]
            .iter()
            .flat_map(|calibration| {
                let model = path_in(&folder, "m.safetensors");
                let words = ["fit", more[0], &data, "--target", "petal_width", "-o", &model];
                mercer(&[&words[..], &kernel[..], &more[1..], calibration].concat()).done();
                [&[][..], &["--stream"]].map(|stream| {
                    let out = path_in(&folder, "p.csv");
                    let words = ["predict", &model, &data, "-o", &out, "--interval", "0.9", "--conformal"];
                    let text = mercer(&[&words[..], stream].concat()).done().out;
                    assert!(text.contains("jackknife+ (150 leave-one-out residuals)"), "{text}");
                    std::fs::read(&out).unwrap()
                })
            })
            .collect();
        assert!(outputs[0].starts_with(b"prediction,lower,upper\n"));
        assert!(outputs.iter().all(|bytes| *bytes == outputs[0]), "{more:?}");
    }
}

/// Classes: a column of sets; every method and score.
#[test]
fn a_calibrated_classifier_has_sets_of_classes() {
    let folder = tempfile::tempdir().unwrap();
    let (data, model) = (example("iris.csv"), path_in(&folder, "m.safetensors"));
    let kernel = ["--kernel", "gaussian(lengthscale=2)", "--columns", "petal_length,sepal_width"];
    for more in [&["--conformal", "cv+", "--conformal-folds", "5"][..], &["--conformal", "split", "--set-score", "aps"]]
    {
        let words = ["fit", "logistic", &data, "--target", "species", "--lambda", "0.1", "-o", &model];
        mercer(&[&words[..], &kernel[..], more].concat()).done();
        let json = mercer(&["predict", &model, &data, "--interval", "conformal", "--level", "0.9", "--json"]).json();
        let (coverage, size) = (&json["targets"][0]["coverage"], &json["targets"][0]["mean_set_size"]);
        assert!(coverage.as_f64().unwrap() >= 0.85 && size.as_f64().unwrap() < 2.0, "{more:?}: {coverage}, {size}");
        assert_eq!(json["targets"][0]["set"].as_array().unwrap().len(), 150);
        let text = mercer(&["predict", &model, &data, "--interval", "conformal", "--level", "0.999"]);
        text.fails(1, &["0.999", "held-out rows"]);
    }
    let out = path_in(&folder, "p.csv");
    let text = mercer(&["predict", &model, &data, "-o", &out, "--interval", "0.8", "--conformal"]).done().out;
    assert!(text.contains("classes on average") && text.contains("% hold the class"), "{text}");
    assert!(std::fs::read_to_string(&out).unwrap().starts_with("prediction,set\n"));
}

#[test]
fn every_learner_can_be_calibrated() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..60)
        .map(|i| format!("{},{}\n", i as f64 / 6.0, (i as f64 / 6.0).sin() + 0.1 * ((i * 7 % 5) as f64)))
        .collect();
    let data = file(&folder, "d.csv", format!("x,y\n{rows}").as_bytes());
    let model = path_in(&folder, "m.safetensors");
    let fits: [&[&str]; 6] = [
        &["gp", "--kernel", "1*gaussian(lengthscale=1)", "--no-optimize"],
        &["spline"],
        &["smooth"],
        &["svr", "--kernel", "gaussian(lengthscale=1)", "-C", "1"],
        &["kernel-machine", "--loss", "gamma", "--kernel", "gaussian(lengthscale=1)"],
        &["auto"],
    ];
    for words in fits {
        let data = if words.contains(&"gamma") {
            let rows: String =
                (0..60).map(|i| format!("{},{}\n", i as f64 / 6.0, 1.5 + (i as f64 / 6.0).sin())).collect();
            file(&folder, "positive.csv", format!("x,y\n{rows}").as_bytes())
        } else {
            data.clone()
        };
        let rest = ["--target", "y", "--conformal", "auto", "-o", &model, "--json"];
        let json = mercer(&[&["fit"], &words[..1], &[&data], &words[1..], &rest[..]].concat()).json();
        assert!(json["conformal"]["rows"].as_u64() == Some(60), "{words:?}: {}", json["conformal"]);
        let json = mercer(&["predict", &model, &data, "--interval", "conformal", "--level", "0.8", "--json"]).json();
        assert!(json["test"][0]["coverage"].as_f64().unwrap() >= 0.7, "{words:?}: {}", json["test"]);
    }
}

#[test]
fn what_has_no_calibration_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (data, model) = (example("iris.csv"), path_in(&folder, "m.safetensors"));
    let words = [
        "fit",
        "ridge",
        &data,
        "--target",
        "petal_width",
        "--kernel",
        "linear()",
        "--lambda",
        "1",
        "--drop",
        "species",
    ];
    mercer(&[&words[..], &["-o", &model]].concat()).done();
    let svr = ["fit", "svr", &data, "--target", "petal_width", "--kernel", "linear()", "-C", "1", "--drop", "species"];
    let other = path_in(&folder, "svr.safetensors");
    mercer(&[&svr[..], &["-o", &other]].concat()).done();
    mercer(&["predict", &other, &data, "--interval", "0.9", "--conformal"]).fails(1, &["calibration", "--conformal"]);
    mercer(&["predict", &other, &data, "--interval", "0.9"]).fails(1, &["intervals", "svr"]);
    mercer(&["predict", &model, &data, "--conformal"]).fails(1, &["--interval"]);
    mercer(&["predict", &model, &data, "--interval", "bayes"]).fails(1, &["--interval", "conformal"]);
    mercer(&[&words[..], &["--conformal", "bootstrap"]].concat()).fails(1, &["--conformal", "cv+"]);
    mercer(&[&words[..], &["--conformal-folds", "5"]].concat()).fails(1, &["--conformal"]);
    mercer(&[&words[..], &["--conformal", "--stream"]].concat()).fails(1, &["--conformal"]);
    let svm = ["fit", "svm", &data, "--target", "species", "--kernel", "linear()", "-C", "1"];
    mercer(&[&svm[..], &["--conformal", "jackknife+"]].concat()).fails(1, &["jackknife+", "cv+"]);
    mercer(&[&svm[..], &["--conformal", "--set-score", "aps"]].concat()).fails(1, &["probabilities"]);
    let one = ["fit", "one-class", &data, "--drop", "species", "--kernel", "linear()", "--conformal"];
    mercer(&one).fails(1, &["conformal"]);
}
