//! `mercer fit svm|svr|one-class|logistic`, `fit auto` for classes, and predictions of classes.

use super::common::{assert_close, example, file, mercer, path_in};
use mercer::Compute;
use mercer::io::{ReadOptions, load_model, read_table};
use mercer::points::ColumnData;
use serde_json::Value;

/// The texts of a column of a CSV file.
fn texts(path: &str, name: &str) -> Vec<String> {
    let table = read_table(path.as_ref(), &ReadOptions::default(), &Compute::new()).unwrap();
    let column = table.columns().iter().find(|c| c.name == name).unwrap_or_else(|| panic!("no column {name}"));
    match &column.data {
        ColumnData::Categories { codes, levels } => codes.iter().map(|c| levels[c.unwrap() as usize].clone()).collect(),
        ColumnData::Numbers(values) => values.iter().map(f64::to_string).collect(),
        _ => panic!("texts or numbers expected"),
    }
}

fn numbers(path: &str, name: &str) -> Vec<f64> {
    texts(path, name).iter().map(|v| v.parse().unwrap()).collect()
}

/// Two rings and a useless third column.
fn rings(folder: &tempfile::TempDir, rows: usize) -> String {
    let line = |i: usize| {
        let (angle, wobble) = (i as f64 * 2.399, (i * 7919 % 101) as f64 / 101.0 - 0.5);
        let (radius, name) =
            if i.is_multiple_of(2) { (1.0 + 0.5 * wobble, "inner") } else { (2.0 + 0.5 * wobble, "outer") };
        format!("{},{},{},{name}\n", radius * angle.cos(), radius * angle.sin(), i * 31 % 17)
    };
    let text: String = ["a,b,noise,ring\n".to_owned()].into_iter().chain((0..rows).map(line)).collect();
    file(folder, "rings.csv", text.as_bytes())
}

#[test]
fn an_explicit_svm_is_taken_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "d.csv", b"x,side\n-2,left\n-1,left\n1,right\n3,right\n");
    let (model, out) = (path_in(&folder, "m.safetensors"), path_in(&folder, "p.csv"));
    let words = ["fit", "svm", &data, "--target", "side", "--kernel", "linear()", "-C", "10", "-o", &model];
    let json = mercer(&[&words[..], &["--json"]].concat()).json();
    // The widest margin lies between −1 and 1, with α = ½ at both ends of it.
    assert_close(&json["dual_objective"], 0.5, 1e-6);
    assert_eq!(json["support"], serde_json::json!([1, 2]));
    assert_eq!(json["classes"], serde_json::json!(["left", "right"]));
    assert_eq!(json["confusion"], serde_json::json!([[2, 0], [0, 2]]));
    assert_close(&json["accuracy"], 1.0, 0.0);
    assert!(json["duality_gap"].as_f64().unwrap() < 1e-3 && json["stopped"] == "converged");
    let new = file(&folder, "n.csv", b"x\n-0.1\n0.2\n");
    mercer(&["predict", &model, &new, "-o", &out]).done();
    assert_eq!(texts(&out, "prediction"), ["left", "right"]);
    mercer(&["predict", &model, &new, "--proba"]).fails(1, &["--proba", "without probabilities"]);
    mercer(&["predict", &model, &new, "--interval"]).fails(1, &["--interval", "--proba"]);
    let text = mercer(&words).done().out;
    for word in
        ["Support vector classification of side", "duality gap", "support vectors", "class ↓ predicted →", "accuracy"]
    {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn files_hold_the_bytes_that_the_library_predicts() {
    let folder = tempfile::tempdir().unwrap();
    let data = rings(&folder, 60);
    let (model, out) = (path_in(&folder, "m.safetensors"), path_in(&folder, "p.csv"));
    let fits: [&[&str]; 4] = [
        &["svm", "--kernel", "gaussian(lengthscale=1)", "-C", "10", "--proba"],
        &["svm", "--kernel", "gaussian(lengthscale=1)", "--nu", "0.3", "--proba", "isotonic", "--one-versus-rest"],
        &["logistic", "--kernel", "gaussian(lengthscale=1)", "--lambda", "0.1"],
        &["logistic", "--lengthscales", "1,2", "--lambdas", "0.1,1", "--cv", "3"],
    ];
    for words in fits {
        mercer(&[&["fit", words[0], &data, "--target", "ring", "-o", &model], &words[1..]].concat()).done();
        mercer(&["predict", &model, &data, "-o", &out, "--proba", "--threads", "1"]).done();
        let table = read_table(data.as_ref(), &ReadOptions::default(), &Compute::new()).unwrap();
        let loaded = load_model(model.as_ref(), &Compute::new()).unwrap();
        let x = loaded.inputs().encode(&table).unwrap().matrix;
        let expected = loaded.probabilities(x.view(), &Compute::new()).unwrap();
        for (class, name) in ["inner", "outer"].iter().enumerate() {
            let found = numbers(&out, &format!("proba_{name}"));
            assert!(expected.column(class).iter().zip(&found).all(|(e, f)| e.to_bits() == f.to_bits()), "{words:?}");
        }
        let labels = texts(&out, "prediction");
        assert!(
            labels.iter().enumerate().all(|(i, l)| (l == "outer") == (expected[[i, 1]] > expected[[i, 0]])),
            "{words:?}"
        );
        let first = std::fs::read(&model).unwrap();
        mercer(&[&["fit", words[0], &data, "--target", "ring", "-o", &model, "--threads", "1"], &words[1..]].concat())
            .done();
        if words[0] == "svm" {
            assert!(first == std::fs::read(&model).unwrap(), "{words:?}: one thread gives other bytes");
        }
    }
}

#[test]
fn kernel_and_c_are_chosen_by_folds() {
    let folder = tempfile::tempdir().unwrap();
    let data = rings(&folder, 90);
    let json = mercer(&["fit", "svm", &data, "--target", "ring", "--json"]).json();
    assert!(json["kernel"].as_str().unwrap().starts_with("gaussian"), "{json}");
    assert!(json["accuracy"].as_f64().unwrap() > 0.9);
    let candidates = json["choice"]["candidates"].as_array().unwrap();
    assert!(candidates.len() >= 12 && json["choice"]["criterion"] == "5-fold cross-validation");
    assert_eq!(
        (json["choice"]["complete"].as_bool(), json["choice"]["fits"].as_u64()),
        (Some(true), Some(5 * candidates.len() as u64))
    );
    assert!(candidates[0]["C"].is_number() && candidates[0]["score"].as_f64().unwrap() < 0.2);
    let json = mercer(&["fit", "logistic", &data, "--target", "ring", "--cv", "3", "--json"]).json();
    assert!(json["choice"]["candidates"].as_array().unwrap().len() >= 24);
    assert!(json["log_loss"].as_f64().unwrap() < 0.5);
}

#[test]
fn auto_finds_classes() {
    let folder = tempfile::tempdir().unwrap();
    let (model, out) = (path_in(&folder, "m.safetensors"), path_in(&folder, "p.csv"));
    let iris = example("iris.csv");
    let json = mercer(&["fit", "auto", &iris, "--target", "species", "-o", &model, "--json"]).json();
    assert!(json["accuracy"].as_f64().unwrap() > 0.94, "{json}");
    assert!(["svc", "logistic"].contains(&json["kind"].as_str().unwrap()));
    let candidates = json["choice"]["candidates"].as_array().unwrap();
    let tried = |word: &str| candidates.iter().any(|c| c["candidate"].as_str().unwrap().starts_with(word));
    assert!(tried("svm linear()") && tried("logistic gaussian("));
    let json = mercer(&["predict", &model, &iris, "-o", &out, "--json"]).json();
    let test = &json["test"][0];
    assert_eq!((test["target"].as_str(), test["rows"].as_u64()), (Some("species"), Some(150)));
    assert_eq!(test["confusion"].as_array().unwrap().len(), 3);
    let total: u64 = test["confusion"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|r| r.as_array().unwrap())
        .filter_map(Value::as_u64)
        .sum();
    assert_eq!(total, 150);
    assert_eq!(texts(&out, "prediction").len(), 150);
}

#[test]
fn regression_and_regions() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "d.csv", b"x,y\n0,0\n1,2\n2,4\n");
    let (model, out) = (path_in(&folder, "m.safetensors"), path_in(&folder, "p.csv"));
    let words =
        ["fit", "svr", &data, "--target", "y", "--kernel", "linear()", "-C", "100", "--epsilon", "0.5", "-o", &model];
    let json = mercer(&[&words[..], &["--json"]].concat()).json();
    // The flattest line with all errors at most ½: 1.5x + ½.
    assert_close(&json["offset"], 0.5, 1e-3);
    mercer(&["predict", &model, &file(&folder, "n.csv", b"x\n3\n"), "-o", &out]).done();
    mercer::assert_close!(numbers(&out, "prediction")[0], 5.0, abs = 1e-2);
    let json = mercer(&["fit", "svr", &example("iris.csv"), "--target", "petal_width", "--cv", "3", "--json"]).json();
    assert!(json["r2"].as_f64().unwrap() > 0.9, "{json}");
    let rings = rings(&folder, 60);
    let words = ["fit", "one-class", &rings, "--target", "ring", "--columns", "a,b", "--nu", "0.2", "-o", &model];
    let json = mercer(&[&words[..], &["--json"]].concat()).json();
    // At most ν of the rows, beside those that lie on the boundary to the tolerance.
    assert!((1..=24).contains(&json["outside"].as_u64().unwrap()), "{json}");
    mercer(&["predict", &model, &file(&folder, "f.csv", b"a,b\n1,0\n50,50\n"), "-o", &out]).done();
    assert_eq!(numbers(&out, "prediction")[1], -1.0);
}

#[test]
fn labels_that_are_numbers_stay_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "d.csv", b"x,y\n0,-1\n1,-1\n2,10\n3,10\n");
    let (model, out) = (path_in(&folder, "m.safetensors"), path_in(&folder, "p.npy"));
    mercer(&["fit", "svm", &data, "--target", "y", "--kernel", "linear()", "-C", "1", "-o", &model]).done();
    let csv = path_in(&folder, "p.csv");
    mercer(&["predict", &model, &data, "-o", &csv]).done();
    assert_eq!(numbers(&csv, "prediction"), [-1.0, -1.0, 10.0, 10.0]);
    mercer(&["predict", &model, &data, "-o", &out]).done();
    let names = file(&folder, "t.csv", b"x,y\n0,a\n1,a\n2,b\n3,b\n");
    mercer(&["fit", "svm", &names, "--target", "y", "--kernel", "linear()", "-C", "1", "-o", &model]).done();
    mercer(&["predict", &model, &names, "-o", &out]).fails(1, &["texts", ".npy"]);
    let tsv = path_in(&folder, "p.tsv");
    mercer(&["predict", &model, &names, "-o", &tsv]).done();
    assert_eq!(std::fs::read_to_string(&tsv).unwrap(), "prediction\na\na\nb\nb\n");
}

#[test]
fn pictures_and_pages() {
    let folder = tempfile::tempdir().unwrap();
    let data = rings(&folder, 60);
    let (svg, html) = (path_in(&folder, "f.svg"), path_in(&folder, "f.html"));
    for columns in ["a,b", "a,b,noise", "a"] {
        for learner in ["svm", "logistic"] {
            let words = ["fit", learner, &data, "--target", "ring", "--columns", columns, "--kernel", "gaussian()"];
            let chosen = if learner == "svm" { ["-C", "1"] } else { ["--lambda", "1"] };
            mercer(&[&words[..], &chosen, &["--plot", &svg, "--report", &html]].concat()).done();
            let picture = std::fs::read_to_string(&svg).unwrap();
            assert!(picture.trim_end().ends_with("</svg>"));
            let word = match columns {
                "a,b" => "inner",
                "a,b,noise" => "principal component",
                _ => "rows of inner",
            };
            assert!(picture.contains(word), "{learner} {columns}: {word}");
            assert!(std::fs::read_to_string(&html).unwrap().contains("false positive rate"), "ROC");
        }
    }
    let model = path_in(&folder, "m.safetensors");
    mercer(&["fit", "logistic", &data, "--target", "ring", "--lambda", "1", "--lengthscales", "1", "-o", &model])
        .done();
    mercer(&["predict", &model, &data, "-o", &path_in(&folder, "p.csv"), "--plot", &svg]).done();
    assert!(std::fs::read_to_string(&svg).unwrap().contains("ROC"));
}

#[test]
fn plans() {
    let folder = tempfile::tempdir().unwrap();
    let data = rings(&folder, 60);
    for (learner, stages) in [("svm", 2), ("logistic", 2), ("auto", 2), ("one-class", 1)] {
        let words = ["explain", "fit", learner, &data, "--target", "ring", "--json"];
        let json = mercer(&words).json();
        assert_eq!(json["stages"].as_array().unwrap().len(), stages, "{learner}: {json}");
        assert_eq!(json["fits"], true);
    }
    let out =
        mercer(&["explain", "fit", "svm", &data, "--target", "ring", "-C", "1", "--kernel", "linear()"]).done().out;
    assert!(out.contains("one machine") && out.contains("kernel matrix"), "{out}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = rings(&folder, 40);
    let svm =
        |rest: &[&str]| mercer(&[&["fit", "svm", &data, "--target", "ring", "--kernel", "gaussian()"], rest].concat());
    for c in ["0", "-1", "nan"] {
        svm(&["-C", c]).fails(1, &["--c", "above 0"]);
    }
    svm(&["--nu", "1.5"]).fails(1, &["--nu", "at most 1"]);
    svm(&["-C", "1", "--class-weight", "inner"]).fails(1, &["--class-weight", "balanced"]);
    svm(&["-C", "1", "--class-weight", "middle=2"]).fails(1, &["--class-weight", "middle", "inner, outer"]);
    let single = file(&folder, "one.csv", b"x,y\n1,a\n2,a\n3,a\n");
    for learner in ["svm", "logistic", "auto"] {
        let refused = mercer(&["fit", learner, &single, "--target", "y"]);
        refused.fails(1, &["--target", "two classes", "`a`"]);
    }
    let uneven = file(&folder, "uneven.csv", b"x,y\n1,a\n2,b\n3,b\n4,b\n5,b\n6,b\n7,b\n8,b\n");
    mercer(&["fit", "svm", &uneven, "--target", "y", "--kernel", "linear()", "--nu", "0.9"])
        .fails(1, &["nu", "at most 0.25"]);
    let weights = file(&folder, "w.csv", b"x,w,y\n1,1,a\n2,-1,b\n3,1,b\n");
    let fit = ["fit", "svm", &weights, "--target", "y", "--weights", "w", "--kernel", "linear()", "-C", "1"];
    mercer(&fit).fails(1, &["weights", "row 1", "-1"]);
    let zero = file(&folder, "z.csv", b"x,w,y\n1,0,a\n2,1,b\n3,1,b\n");
    mercer(&["fit", "svm", &zero, "--target", "y", "--weights", "w", "--kernel", "linear()", "-C", "1"])
        .fails(1, &["class a", "weight"]);
    let holes = file(&folder, "h.csv", b"x,y\n1,a\nNaN,b\n3,b\n");
    mercer(&["fit", "svm", &holes, "--target", "y"]).fails(1, &["h.csv", "row 1", "column x", "--missing"]);
    let missing = file(&folder, "m.csv", b"x,y\n1,a\n2,\n3,b\n4,a\n");
    mercer(&["fit", "svm", &missing, "--target", "y"]).fails(1, &["row 1", "column y", "--missing"]);
    mercer(&["fit", "svm", &data]).fails(1, &["--target"]);
    mercer(&["fit", "ridge", &data, "--target", "ring"]).fails(1, &["ring", "2 categories", "svm"]);
    mercer(&["fit", "svm", &data, "--target", "ring,a"]).fails(1, &["--target", "one target"]);
    let model = path_in(&folder, "r.safetensors");
    mercer(&["fit", "ridge", &data, "--target", "a", "--columns", "b", "-o", &model]).done();
    mercer(&["predict", &model, &data, "--proba"]).fails(1, &["--proba", "no classes"]);
}

#[test]
fn indefinite_kernels_and_solvers_that_are_not_done() {
    let folder = tempfile::tempdir().unwrap();
    let data = rings(&folder, 60);
    let words = ["fit", "svm", &data, "--target", "ring", "-C", "1", "--kernel", "tanh(scale=1, offset=-1)"];
    mercer(&words).fails(1, &["tanh", "positive semi-definite", "--allow-indefinite"]);
    let out = mercer(&[&words[..], &["--allow-indefinite"]].concat()).done().out;
    assert!(out.contains("stationary point"), "{out}");
    let words = ["fit", "svm", &data, "--target", "ring", "-C", "100", "--kernel", "gaussian()", "--max-iter", "2"];
    let json = mercer(&[&words[..], &["--json"]].concat()).json();
    let remark = json["remarks"][0].as_str().unwrap();
    assert!(remark.contains("did not converge (step limit") && remark.contains("within"), "{remark}");
    assert!(json["duality_gap"].as_f64().unwrap() > 0.0 && json["stopped"] == "step limit");
}

/// A choice of parameters that is cut short keeps the best so far, and reports it; without a limit
/// it says how much it took.
#[test]
fn gaussian_processes_stop_when_the_time_is_over_and_keep_the_parameters_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let line = |i: usize| {
        let (a, b) = ((i as f64).sin(), (1.3 * i as f64).cos());
        format!("{a},{b},{}\n", (3.0 * a).sin() + b * b + 0.1 * (7.0 * i as f64).sin())
    };
    let text: String = ["a,b,y\n".to_owned()].into_iter().chain((0..1500).map(line)).collect();
    let data = file(&folder, "wave.csv", text.as_bytes());
    let words =
        ["fit", "gp", &data, "--target", "y", "--kernel", "1*matern(nu=3/2, lengthscale=1)", "--restarts", "1000"];
    // Enough for one evaluation, on a busy machine perhaps at the second or third try, and far too
    // little for a thousand starts.
    let run = |seconds: &str| mercer(&[&words[..], &["--budget-time", seconds, "--json"]].concat());
    let early = |run: &crate::common::Run| run.code == 2 && run.err.contains("before there was a model");
    let found = ["1", "4", "16"].into_iter().map(run).find(|found| !early(found));
    let json = found.expect("sixteen seconds are enough for a likelihood of 1000 rows").json();
    assert_eq!(json["interrupted"], true, "{json}");
    assert!(json["evaluations"].as_u64().unwrap() >= 1);
    assert!(json["remarks"][0].as_str().unwrap().contains("--budget-time"), "{json}");
    let sample = ["fit", "gp", &data, "--target", "y", "--sample", "60", "--json"];
    let json = mercer(&sample).json();
    assert_eq!((json["interrupted"].as_bool(), json["converged"].as_bool()), (Some(false), Some(true)), "{json}");
    // Three kernels, of which the best is output: its search is short.
    assert!(json["evaluations"].as_u64().unwrap() <= 100, "{json}");
    assert!(json["remarks"].to_string().contains("Parameters optimized on a random sample"), "{json}");
    let free =
        ["fit", "gp", &data, "--target", "y", "--sample", "60", "--kernel", "matern(nu=3/2, lengthscale=1)", "--json"];
    let kernel = mercer(&free).json()["kernel"].as_str().unwrap().to_owned();
    assert!(kernel.contains("nu=1.5"), "{kernel}");
    let kernel = mercer(&[&free[..], &["--free", "nu"]].concat()).json()["kernel"].as_str().unwrap().to_owned();
    assert!(!kernel.contains("nu=1.5"), "{kernel}");
}

/// Labels that follow no rule, a large C and a tight tolerance: more steps than a tenth of a second
/// has room for.
#[test]
fn svms_stop_when_the_time_is_over_and_keep_the_model_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let line = |i: usize| format!("{},{},{}\n", (i as f64).sin(), (1.3 * i as f64).cos(), i * i * 7919 % 1013 % 2);
    let text: String = ["a,b,y\n".to_owned()].into_iter().chain((0..3000).map(line)).collect();
    let data = file(&folder, "hard.csv", text.as_bytes());
    let (model, out) = (path_in(&folder, "m.safetensors"), path_in(&folder, "p.csv"));
    let words = ["fit", "svm", &data, "--target", "y", "-C", "1e6", "--kernel", "gaussian()", "--tol", "1e-10"];
    // Enough for the kernel matrix, on a busy machine perhaps at the second or third try, and far
    // too little for the answer.
    let run = |seconds: &str| mercer(&[&words[..], &["--budget-time", seconds, "-o", &model, "--json"]].concat());
    let early = |run: &crate::common::Run| run.code == 2 && run.err.contains("before there was a model");
    let found = ["0.5", "2", "8"].into_iter().map(run).find(|found| !early(found));
    let json = found.expect("eight seconds are enough for a matrix of 3000 rows").json();
    assert_eq!(json["stopped"], "interrupted");
    assert!(json["duality_gap"].as_f64().unwrap() > 0.0);
    assert!(json["remarks"][0].as_str().unwrap().contains("--budget-time"), "{json}");
    mercer(&["predict", &model, &data, "-o", &out]).done();
    assert_eq!(texts(&out, "prediction").len(), 3000);
}

/// Stripes that are narrower than every lengthscale of the first grid: it goes on, and so does the
/// report. A list that is given does not.
#[test]
fn choices_at_a_border_are_reported_and_open_lists_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let path_in = |i: usize| (i * 7919 % 2003) as f64 / 100.0;
    let line =
        |i: usize| format!("{},{}\n", path_in(i), if (path_in(i) as usize).is_multiple_of(2) { "even" } else { "odd" });
    let text: String = ["x,y\n".to_owned()].into_iter().chain((0..300).map(line)).collect();
    let data = file(&folder, "stripes.csv", text.as_bytes());
    let words = ["fit", "svm", &data, "--target", "y"];
    let found = mercer(&[&words[..], &["--json"]].concat()).json();
    let remarks = |json: &serde_json::Value| json["remarks"].to_string();
    assert!(remarks(&found).contains("lengthscale lay at an end of the first range"), "{}", remarks(&found));
    let range = found["choice"]["ranges"].as_array().unwrap().iter().find(|r| r["parameter"] == "lengthscale").unwrap();
    assert!(range["extended"] == true && range["at_border"] == false, "{range}");
    let given = [&words[..], &["--lengthscales", "0.4,0.2,0.8", "--cs", "1,10,100"]].concat();
    let json = mercer(&[&given[..], &["--json"]].concat()).json();
    // Three lengthscales and the linear kernel, with three C each.
    assert_eq!(json["choice"]["candidates"].as_array().unwrap().len(), 12);
    assert!(remarks(&json).contains("is at the border of the search range (0.2 to 0.8)"), "{}", remarks(&json));
    assert!(mercer(&given).done().out.contains("--lengthscales tries others"));
}

/// Labels that follow no rule: the search would go on for long, and what it has at half of the time
/// is taken.
#[test]
fn a_search_stops_when_half_of_the_time_is_over_and_takes_the_best_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let line = |i: usize| {
        let numbers: Vec<String> = (1..9).map(|j| ((i * j) as f64).sin().to_string()).collect();
        format!("{},c{}\n", numbers.join(","), i * i * 7919 % 1013 % 2)
    };
    let head = "a,b,c,d,e,f,g,h,y\n".to_owned();
    let text: String = [head].into_iter().chain((0..3000).map(line)).collect();
    let data = file(&folder, "hard.csv", text.as_bytes());
    let words = ["fit", "svm", &data, "--target", "y", "--json"];
    // On a busy machine the first candidate may take longer than the first limit; in small steps, so
    // that no limit is long enough for all candidates.
    let run = |step: i32| {
        let seconds = (0.5 * 1.3_f64.powi(step)).to_string();
        mercer(&[&words[..], &["--budget-time", &seconds]].concat())
    };
    let early = |run: &crate::common::Run| run.code == 2 && run.err.contains("before there was a model");
    let json = (0..20).map(run).find(|found| !early(found)).unwrap().json();
    assert_eq!(json["choice"]["complete"], false);
    assert!(json["remarks"].to_string().contains("the best result so far is used"), "{}", json["remarks"]);
}
