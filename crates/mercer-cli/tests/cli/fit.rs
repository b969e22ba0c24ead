//! `mercer fit` and `mercer predict`: models, predictions, reports, pictures.

use super::common::{assert_close, example, file, mercer, mercer_with_input, path_in};
use mercer::Compute;
use mercer::io::{ReadOptions, load_model, read_table};
use mercer::points::ColumnData;
use serde_json::Value;

/// The columns of a CSV file that the program wrote.
fn columns(path: &str) -> Vec<(String, Vec<f64>)> {
    let table = read_table(path.as_ref(), &ReadOptions::default(), &Compute::new()).unwrap();
    let numbers = |data: &ColumnData| match data {
        ColumnData::Numbers(values) => values.clone(),
        _ => panic!("numbers expected"),
    };
    table.columns().iter().map(|c| (c.name.clone(), numbers(&c.data))).collect()
}

/// The bytes of a model, but for the memory of its plan, which depends on the number of threads.
fn without_plan(path: &str) -> Vec<u8> {
    let mut bytes = std::fs::read(path).unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header: Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    if let Some(at) = header["plan_bytes"]["data_offsets"][0].as_u64() {
        bytes[8 + length + at as usize..][..8].fill(0);
    }
    bytes
}

/// A wave with a little noise, over one column and a useless second one.
fn wave(folder: &tempfile::TempDir, rows: usize) -> String {
    let line = |i: usize| {
        let x = i as f64 * 6.0 / rows as f64;
        let noise = ((i * 7919 % 101) as f64 / 101.0 - 0.5) * 0.2;
        format!("{x},{},{}\n", (i * 31 % 17) as f64, x.sin() + noise)
    };
    let text: String = ["x,z,y\n".to_owned()].into_iter().chain((0..rows).map(line)).collect();
    file(folder, "wave.csv", text.as_bytes())
}

#[test]
fn an_explicit_kernel_and_lambda_are_taken_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "d.csv", b"x,y\n1,1\n2,4\n1,3\n");
    let (model, out) = (path_in(&folder, "m.safetensors"), path_in(&folder, "p.csv"));
    let words = ["fit", "ridge", &data, "--target", "y", "--kernel", "linear()", "--lambda", "2", "-o", &model];
    let json = mercer(&[&words[..], &["--json"]].concat()).json();
    // f(x) = 12x/8: no intercept, no scaling.
    assert_close(&json["norm"][0], 1.5, 1e-14);
    assert_close(&json["degrees_of_freedom"], 0.75, 1e-14);
    assert_eq!((json["method"].as_str(), json["choice"].is_null()), (Some("finitely many features (1)"), true));
    let new = file(&folder, "n.csv", b"x\n2\n-4\n");
    mercer(&["predict", &model, &new, "-o", &out]).done();
    let [(name, values)] = &columns(&out)[..] else { panic!("one column expected") };
    assert_eq!(name, "prediction");
    mercer::assert_close!(values.iter(), [3.0, -6.0], each = 1e-13, "{values:?}");
    assert_eq!(mercer(&["predict", &model, &new]).done().out, std::fs::read_to_string(&out).unwrap());
    let words =
        ["fit", "ridge", &data, "--target", "y", "--kernel", "linear()", "--lambda", "2", "--intercept", "--json"];
    assert!(mercer(&words).json()["intercept"][0].is_number());
}

#[test]
fn files_hold_the_bytes_that_the_library_predicts() {
    let folder = tempfile::tempdir().unwrap();
    let data = wave(&folder, 60);
    let (model, out) = (path_in(&folder, "m.safetensors"), path_in(&folder, "p.csv"));
    let fits: [&[&str]; 5] = [
        &["ridge"],
        &["ridge", "--kernel", "on([x], matern(nu=5/2, lengthscale=median)) + on([z], linear())", "--lambda", "0.1"],
        &["gp", "--kernel", "1*gaussian(lengthscale=2)", "--sample", "30"],
        &["spline", "--columns", "x"],
        &["smooth"],
    ];
    for words in fits {
        mercer(&[&["fit", words[0], &data, "--target", "y", "-o", &model], &words[1..]].concat()).done();
        mercer(&["predict", &model, &data, "-o", &out, "--threads", "1"]).done();
        let table = read_table(data.as_ref(), &ReadOptions::default(), &Compute::new()).unwrap();
        let loaded = load_model(model.as_ref(), &Compute::new()).unwrap();
        let expected = loaded.predict_table(&table, &Compute::new()).unwrap().values;
        let found = &columns(&out)[0].1;
        assert!(expected.iter().zip(found).all(|(e, f)| e.to_bits() == f.to_bits()), "{words:?}");
        let first = without_plan(&model);
        mercer(&[&["fit", words[0], &data, "--target", "y", "-o", &model, "--threads", "1"], &words[1..]].concat())
            .done();
        assert!(first == without_plan(&model), "{words:?}: one thread gives other bytes");
    }
}

#[test]
fn the_choice_is_reported_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let data = wave(&folder, 80);
    let (png, html) = (path_in(&folder, "f.png"), path_in(&folder, "f.html"));
    let words = ["fit", "ridge", &data, "--target", "y", "--columns", "x"];
    let out = mercer(&[&words[..], &["--plot", &png, "--report", &html]].concat()).done().out;
    for word in ["Ridge regression of y", "Choice by leave-one-out", "λ", "RMSE", "degrees of freedom", "plan", "R²"]
    {
        assert!(out.contains(word), "{word}: {out}");
    }
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(page.contains("lengthscale") && page.contains("log₁₀ RMSE"), "the surface is on the page");
    let json = mercer(&[&words[..], &["--json"]].concat()).json();
    let surface = &json["choice"]["surface"];
    assert!(surface["lengthscales"].as_array().unwrap().len() >= 7);
    assert_eq!(surface["lambdas"].as_array().unwrap().len(), 19);
    let best = &surface["scores"][surface["best"][0].as_u64().unwrap() as usize];
    let least = best[surface["best"][1].as_u64().unwrap() as usize].as_f64().unwrap();
    let winner = json["choice"]["candidates"][0]["score"].as_f64().unwrap();
    assert!(winner <= least, "{winner} is above the surface");
    assert_close(&json["loo_rmse"], winner.sqrt(), 1e-6);
    assert!(json["loo_r2"].as_f64().unwrap() > 0.98, "{json}");
    let words = [&words[..], &["--lambdas", "0.01,0.1", "--lengthscales", "0.5,1", "--cv", "5", "--json"]].concat();
    let json = mercer(&words).json();
    assert_eq!(json["choice"]["criterion"], "5-fold cross-validation");
    assert_eq!(json["choice"]["candidates"].as_array().unwrap().len(), 4);
}

#[test]
fn candidates_that_are_clearly_worse_are_dropped_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let data = wave(&folder, 1000);
    let lengths = "0.001,0.01,0.1,0.5,1,10,100,1000";
    let words = ["fit", "ridge", &data, "--target", "y", "--columns", "x", "--kernel", "gaussian()", "--lengthscales"];
    let words = [&words[..], &[lengths, "--lambdas", "0.01,0.1"]].concat();
    let out = mercer(&words).done().out;
    assert!(out.contains("clearly worse on 333 rows and dropped (--no-screening scores all)"), "{out}");
    let [screened, all] =
        [&["--json"][..], &["--json", "--no-screening"]].map(|more| mercer(&[&words[..], more].concat()).json());
    let dropped = screened["choice"]["dropped"].as_u64().unwrap();
    assert!(dropped >= 2 && all["choice"]["dropped"] == 0, "{dropped}");
    assert_eq!(screened["choice"]["candidates"][0], all["choice"]["candidates"][0]);
    let scored = |json: &serde_json::Value| json["choice"]["surface"]["lengthscales"].as_array().unwrap().len() as u64;
    assert_eq!((scored(&screened), scored(&all)), (8 - dropped, 8));
}

#[test]
fn many_rows_are_chosen_from_and_all_are_fitted() {
    let folder = tempfile::tempdir().unwrap();
    let data = wave(&folder, 300);
    let words = ["fit", "ridge", &data, "--target", "y", "--sample", "100"];
    let json = mercer(&[&words[..], &["--json"]].concat()).json();
    assert_eq!((json["rows"].as_u64(), json["choice"]["rows"].as_u64()), (Some(300), Some(100)));
    assert!(mercer(&words).done().out.contains("100 of the 300 rows"));
}

#[test]
fn a_gaussian_process_gives_intervals_and_their_coverage() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "d.csv", b"x,y\n0,2\n");
    let (model, out) = (path_in(&folder, "m.safetensors"), path_in(&folder, "p.csv"));
    let kernel = ["--kernel", "gaussian()", "--noise", "1", "--no-optimize", "-o", &model];
    mercer(&[&["fit", "gp", &data, "--target", "y"], &kernel[..]].concat()).done();
    mercer(&["predict", &model, &data, "-o", &out, "--interval"]).done();
    let found = columns(&out);
    assert_eq!(found.iter().map(|c| c.0.as_str()).collect::<Vec<_>>(), ["prediction", "lower", "upper"]);
    // Mean 1, variance 1/2 of f and 1 of the noise.
    let half = 1.959963984540054 * 1.5_f64.sqrt();
    for ((_, values), expected) in found.iter().zip([1.0, 1.0 - half, 1.0 + half]) {
        mercer::assert_close!(values[0], expected, abs = 1e-13);
    }
    let wave = wave(&folder, 120);
    mercer(&["fit", "gp", &wave, "--target", "y", "--columns", "x", "-o", &model]).done();
    let svg = path_in(&folder, "e.svg");
    let words = ["predict", &model, &wave, "-o", &out, "--interval", "0.5", "--plot", &svg];
    let output = mercer(&words).done().out;
    assert!(output.contains("in the interval") && output.contains("nominal: 50 %"), "{output}");
    assert!(std::fs::read_to_string(&svg).unwrap().contains("observed"));
    let json = mercer(&["predict", &model, &wave, "--interval", "0.9", "--json"]).json();
    let coverage = json["test"][0]["coverage"].as_f64().unwrap();
    assert!((0.8..=1.0).contains(&coverage), "{coverage}");
    assert_eq!(json["targets"][0]["upper"].as_array().unwrap().len(), 120);
    assert!(json["test"][0]["r2"].as_f64().unwrap() > 0.98);
}

#[test]
fn the_target_of_a_process_is_scaled_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..40).map(|i| format!("{i},{}\n", 1000.0 + 50.0 * (i as f64 / 5.0).sin())).collect();
    let data = file(&folder, "d.csv", format!("t,y\n{rows}").as_bytes());
    let json = mercer(&["fit", "gp", &data, "--target", "y", "--json"]).json();
    assert!(json["rmse"].as_f64().unwrap() < 5.0 && json["target_shift"].as_f64().unwrap() > 900.0, "{json}");
    let words = ["fit", "gp", &data, "--target", "y", "--kernel", "1*gaussian(lengthscale=3)"];
    assert!(mercer(&words).done().out.contains("--target-scale center"));
}

#[test]
fn a_process_through_centers_reports_that_it_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let (data, model) = (wave(&folder, 150), path_in(&folder, "m.safetensors"));
    let words = ["fit", "gp", &data, "--target", "y", "--columns", "x", "--kernel", "1*gaussian(lengthscale=1)"];
    let rest = ["--centers", "12", "--approximation", "fitc", "-o", &model, "--json"];
    let json = mercer(&[&words[..], &rest[..]].concat()).json();
    assert_eq!((json["kind"].as_str(), json["centers"].as_u64()), (Some("sparse_gaussian_process"), Some(12)));
    assert!(json["r2"].as_f64().unwrap() > 0.98, "{json}");
    let json = mercer(&["predict", &model, &data, "--interval", "0.9", "--json"]).json();
    let coverage = json["test"][0]["coverage"].as_f64().unwrap();
    assert!((0.8..=1.0).contains(&coverage), "{coverage}");
    mercer(&[&words[..], &["--approximation", "dtc"]].concat()).fails(1, &["--centers"]);
}

#[test]
fn the_parts_of_a_sum_of_kernels_have_shares_and_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let (data, svg) = (wave(&folder, 120), path_in(&folder, "p.svg"));
    let kernel = "on([x], gaussian(lengthscale=1)) + on([z], gaussian(lengthscale=5))";
    let words = ["fit", "ridge", &data, "--target", "y", "--kernel", kernel, "--lambda", "0.1", "--plot", &svg];
    let out = mercer(&words).done().out;
    assert!(out.contains("Components of y") && out.contains("share of variance"), "{out}");
    assert!(std::fs::read_to_string(&svg).unwrap().contains("effect on y"));
    let parts = mercer(&[&words[..], &["--json"]].concat()).json()["effects"][0]["parts"].clone();
    assert_eq!((&parts[0]["columns"][0], &parts[1]["columns"][0]), (&"x".into(), &"z".into()));
    let share = |i: usize| parts[i]["variance_share"].as_f64().unwrap();
    assert!(share(0) > 0.95, "{parts}");
    mercer::assert_close!(share(0) + share(1), 1.0, abs = 1e-9, "{parts}");
}

#[test]
fn splines_take_order_freedom_and_period() {
    let folder = tempfile::tempdir().unwrap();
    let data = wave(&folder, 100);
    let words = ["fit", "spline", &data, "--target", "y", "--columns", "x", "--json"];
    let json = mercer(&[&words[..], &["--df", "7", "--order", "3"]].concat()).json();
    assert_close(&json["degrees_of_freedom"], 7.0, 1e-6);
    assert_eq!(json["order"], 3);
    let json = mercer(&[&words[..], &["--lambda", "0.25"]].concat()).json();
    assert_close(&json["lambda"], 0.25, 1e-12);
    let json = mercer(&[&words[..], &["--period", "6.283185307179586", "--smoothing", "reml"]].concat()).json();
    assert_close(&json["period"], std::f64::consts::TAU, 1e-14);
    assert!(json["loo_rmse"].as_f64().unwrap() < 0.1);
    let svg = path_in(&folder, "s.svg");
    mercer(&["fit", "spline", &data, "--target", "y", "--columns", "x", "--plot", &svg]).done();
    assert!(std::fs::read_to_string(&svg).unwrap().contains("95 % of new observations"));
}

#[test]
fn smoothers_are_compared_with_ridge() {
    let folder = tempfile::tempdir().unwrap();
    let data = wave(&folder, 100);
    let svg = path_in(&folder, "c.svg");
    let words = ["fit", "smooth", &data, "--target", "y", "--columns", "x", "--window", "tricube", "--compare"];
    let out = mercer(&[&words[..], &["--plot", &svg]].concat()).done().out;
    for word in ["Nadaraya–Watson, h", "local linear, h", "ridge, gaussian"] {
        assert!(out.contains(word), "{word}: {out}");
        assert!(std::fs::read_to_string(&svg).unwrap().contains(word), "{word}");
    }
    let json = mercer(&["fit", "smooth", &data, "--target", "y", "--bandwidth", "2.5", "--json"]).json();
    assert_eq!((json["method"].as_str(), json["inputs"].as_array().unwrap().len()), (Some("Nadaraya–Watson"), 2));
    assert_close(&json["bandwidth"], 2.5, 0.0);
}

#[test]
fn auto_takes_what_fits() {
    let folder = tempfile::tempdir().unwrap();
    let line: String = (0..60).map(|i| format!("{i},{},{}\n", i * 13 % 29, 3 * i - 2 * (i * 13 % 29) + 1)).collect();
    let line = file(&folder, "line.csv", format!("a,b,y\n{line}").as_bytes());
    let json = mercer(&["fit", "auto", &line, "--target", "y", "--json"]).json();
    assert!(json["rmse"].as_f64().unwrap() < 1e-3, "{json}");
    let iris = example("iris.csv");
    let json = mercer(&["fit", "auto", &iris, "--target", "petal_width", "--json"]).json();
    assert!(json["loo_r2"].as_f64().unwrap() > 0.93, "{json}");
    assert_eq!(json["inputs"].as_array().unwrap().len(), 6, "three lengths and three species");
    let names = |json: &Value| {
        json["choice"]["candidates"].as_array().unwrap().iter().map(|c| c["candidate"].to_string()).collect::<String>()
    };
    for word in ["linear()", "gaussian", "matern(nu=0.5", "on([0]"] {
        assert!(names(&json).contains(word), "{word}: {}", names(&json));
    }
    let wave = wave(&folder, 90);
    let json = mercer(&["fit", "auto", &wave, "--target", "y", "--columns", "x", "--json"]).json();
    assert!(names(&json).contains("spline"));
    let out = mercer(&["fit", "auto", &wave, "--target", "y", "--columns", "x", "--sample", "50"]).done().out;
    assert!(out.contains("Smoothing spline") && out.contains("linear time"), "{out}");
}

#[test]
fn several_targets_weights_categories_and_gaps() {
    let folder = tempfile::tempdir().unwrap();
    let text = "id,kind,x,w,a,b\n1,u,0.5,1,1,2\n2,v,,2,2,1\n3,u,1.5,1,3,0\n4,v,2,0,4,9\n5,u,3,1,,1\n6,v,4,1,6,2\n";
    let data = file(&folder, "d.csv", text.as_bytes());
    let (model, out) = (path_in(&folder, "m.safetensors"), path_in(&folder, "p.csv"));
    let words = ["fit", "ridge", &data, "--target", "a,b", "--weights", "w", "--drop", "id", "--missing", "mean"];
    let kernel = ["--kernel", "gaussian(lengthscale=2)", "--lambda", "0.1", "-o", &model];
    let output = mercer(&[&words[..], &kernel[..]].concat()).done().out;
    assert!(output.contains("1 rows without a target") && output.contains("1 missing values were filled"), "{output}");
    assert!(output.contains("kind=u") && output.contains("norm of f"), "{output}");
    mercer(&["predict", &model, &data, "-o", &out]).done();
    assert_eq!(columns(&out).iter().map(|c| c.0.clone()).collect::<Vec<_>>(), ["prediction_a", "prediction_b"]);
    assert_eq!(columns(&out)[0].1.len(), 6);
    // Without the targets, the weights and the identity the table is as good.
    let bare = file(&folder, "bare.csv", b"x,kind\n0.5,u\n");
    let json = mercer(&["predict", &model, &bare, "--json"]).json();
    assert_close(&json["targets"][0]["prediction"][0], columns(&out)[0].1[0], 1e-15);
    mercer(&["predict", &model, &file(&folder, "e.csv", b"kind\nu\n")]).fails(1, &["e.csv", "no column `x`"]);
    mercer(&["predict", &model, &file(&folder, "e.csv", b"x,kind,q\n1,u,2\n")]).fails(1, &["`q`"]);
    mercer(&["predict", &model, &file(&folder, "e.csv", b"x,kind\n1,t\n")]).fails(1, &["column kind", "`t`", "u, v"]);
    mercer(&["predict", &model, &file(&folder, "e.csv", b"x,kind\nlong,u\n")]).fails(1, &["column x", "numbers"]);
    let tidy = mercer_with_input(&["predict", &model, "-", "--columns", "x,kind"], b"q,x,kind\n7,0.5,u\n").done().out;
    assert!(tidy.starts_with("prediction_a,prediction_b\n"));
}

#[test]
fn rows_that_are_left_out_stay_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "d.csv", b"x,y\n1,1\n,5\n2,4\n1,3\n");
    let (model, out) = (path_in(&folder, "m.safetensors"), path_in(&folder, "p.tsv"));
    let words = ["fit", "ridge", &data, "--target", "y", "--kernel", "linear()", "--lambda", "2", "--missing", "drop"];
    mercer(&[&words[..], &["-o", &model]].concat()).done();
    let json = mercer(&["predict", &model, &data, "-o", &out, "--json"]).json();
    assert_eq!((json["rows"].as_u64(), json["rows_dropped"].as_u64()), (Some(4), Some(1)));
    let text = std::fs::read_to_string(&out).unwrap();
    assert_eq!(text.lines().nth(2), Some(""), "{text}");
    assert_eq!(text.lines().count(), 5);
    for name in ["p.npy", "p.parquet"] {
        mercer(&["predict", &model, &data, "-o", &path_in(&folder, name)]).done();
    }
    mercer(&["predict", &model, &data, "-o", &path_in(&folder, "p.xlsx")]).fails(1, &["--output", ".csv"]);
}

#[test]
fn the_plan_of_a_fit_reports_what_would_happen() {
    let folder = tempfile::tempdir().unwrap();
    let data = wave(&folder, 400);
    let words = ["explain", "fit", "ridge", &data, "--target", "y", "--kernel", "gaussian()", "--lambda", "0.1"];
    let out = mercer(&words).done().out;
    for word in ["Cholesky", "memory", "operations", "time", "fits into the memory limit", "GFlop/s"] {
        assert!(out.contains(word), "{word}: {out}");
    }
    let json = mercer(&[&words[..], &["--json", "--memory", "2MB"]].concat()).json();
    assert_eq!((json["solver"].as_str(), json["fits"].as_bool()), (Some("conjugate gradients"), Some(true)));
    assert!(json["seconds"].as_f64().unwrap() > 0.0 && json["bytes"].as_u64().unwrap() <= 2_000_000);
    let words = ["explain", "fit", "ridge", &data, "--target", "y", "--kernel", "gaussian()", "--lambda", "0"];
    let json = mercer(&[&words[..], &["--json", "--memory", "1MB"]].concat()).json();
    assert_eq!((json["fits"].as_bool(), json["bytes"].as_u64() > Some(1_000_000)), (Some(false), true));
    for learner in ["gp", "auto", "smooth"] {
        assert!(mercer(&["explain", "fit", learner, &data, "--target", "y"]).done().out.contains("Plan of the fit"));
    }
    for (kernel, way) in [("1*linear()", "in 1 features: O(n)"), ("matern(nu=3/2)", "state space: O(n), 2 states")] {
        let words = ["explain", "fit", "gp", &data, "--target", "y", "--kernel", kernel, "--columns", "x"];
        let out = mercer(&words).done().out;
        assert!(out.contains(way) && out.contains(&format!("every evaluation by {way}")), "{kernel}: {out}");
    }
    let words = ["explain", "fit", "spline", &data, "--target", "y", "--columns", "x", "--json"];
    assert!(mercer(&words).json()["bytes"].as_u64().unwrap() > 0);
}

#[test]
fn centers_are_a_solver_of_ridge_and_logistic_fits() {
    let folder = tempfile::tempdir().unwrap();
    let (data, model, out) = (wave(&folder, 400), path_in(&folder, "m.safetensors"), path_in(&folder, "p.csv"));
    let words =
        ["fit", "ridge", &data, "--target", "y", "--kernel", "gaussian()", "--lambda", "0.1", "--centers", "40"];
    let json = mercer(&[&words[..], &["-o", &model, "--json"]].concat()).json();
    assert_eq!(json["plan"]["centers"].as_u64(), Some(40));
    assert!(json["plan"]["approximation"].as_str().unwrap().contains("centers"));
    assert!(json["method"].as_str().unwrap().contains("trace"));
    mercer(&["predict", &model, &data, "-o", &out]).done();
    assert_eq!(columns(&out)[0].1.len(), 400);
    let words = ["explain", "fit", "ridge", &data, "--target", "y", "--kernel", "gaussian()", "--lambda", "0.1"];
    let json = mercer(&[&words[..], &["--json", "--budget-time", "0.000001"]].concat()).json();
    assert_eq!(json["solver"].as_str(), Some("conjugate gradients on centers"));
    assert!(json["stages"][0]["work"].as_str().unwrap().contains("time limit"));
    mercer(&[&words[..], &["--budget-time", "0"]].concat()).fails(1, &["--budget-time", "above 0"]);
    mercer(&["fit", "ridge", &data, "--target", "y", "--centers", "0"]).fails(1, &["--centers", "at least 1"]);
    let iris = example("iris.csv");
    let words = ["fit", "logistic", &iris, "--target", "species", "--kernel", "gaussian()", "--lambda", "0.1"];
    let json = mercer(&[&words[..], &["--solver", "centers", "--centers", "30", "--json"]].concat()).json();
    assert_eq!(json["centers"].as_u64(), Some(30));
}

/// Integers may be names: what was taken is output, and a flag takes the other.
#[test]
fn auto_reports_whether_numbers_were_taken_as_classes() {
    let folder = tempfile::tempdir().unwrap();
    let line = |i: usize| format!("{},{}\n", (i as f64 * 0.37).sin(), usize::from((i as f64 * 0.37).sin() > 0.1));
    let text: String = ["x,y\n".to_owned()].into_iter().chain((0..60).map(line)).collect();
    let data = file(&folder, "binary.csv", text.as_bytes());
    let words = ["fit", "auto", &data, "--target", "y", "--json"];
    let json = mercer(&words).json();
    assert_eq!((json["task"].as_str(), json["kind"] == "svc"), (Some("numbers"), false));
    let remarks = json["remarks"].to_string();
    assert!(remarks.contains("2 distinct integers and was treated as numeric"), "{remarks}");
    assert!(remarks.contains("--task classes"), "{remarks}");
    let json = mercer(&[&words[..], &["--task", "classes"]].concat()).json();
    assert_eq!(json["task"], "classes");
    assert!(["svc", "logistic"].contains(&json["kind"].as_str().unwrap()) && json["accuracy"].as_f64().unwrap() > 0.9);
    assert!(!json["remarks"].to_string().contains("--task"), "{}", json["remarks"]);
    let json = mercer(&[&words[..], &["--task", "numbers"]].concat()).json();
    assert!(json["task"] == "numbers" && !json["remarks"].to_string().contains("--task"));
}

/// A function without noise: the best λ lies below the first grid.
#[test]
fn a_ridge_search_reports_that_it_went_on() {
    let folder = tempfile::tempdir().unwrap();
    let line = |i: usize| format!("{},{}\n", i as f64 / 10.0, (i as f64 / 10.0).sin());
    let text: String = ["x,y\n".to_owned()].into_iter().chain((0..60).map(line)).collect();
    let data = file(&folder, "smooth.csv", text.as_bytes());
    let words = ["fit", "ridge", &data, "--target", "y", "--kernel", "gaussian(lengthscale=2)", "--json"];
    let json = mercer(&words).json();
    let ranges = &json["choice"]["ranges"];
    assert!(ranges[0]["parameter"] == "lambda" && ranges[0]["extended"] == true, "{ranges}");
    assert!(json["remarks"].to_string().contains("The best λ lay at an end of the first range"), "{}", json["remarks"]);
    let json = mercer(&[&words[..], &["--lambdas", "0.01,0.1,1"]].concat()).json();
    assert!(
        json["remarks"].to_string().contains("at the border of the search range (0.01 to 1)"),
        "{}",
        json["remarks"]
    );
}
