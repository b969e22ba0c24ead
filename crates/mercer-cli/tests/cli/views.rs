//! `mercer embed pca|cca|ica|scaling`, `mercer cluster`, `mercer match`, `mercer transform`.

use super::common::{assert_close, example, file, mercer, path_in};
use mercer::view::pca::KernelPca;
use mercer::{Compute, points};

fn numbers(path: &str) -> ndarray::Array2<f64> {
    let table = mercer::io::read_table(path.as_ref(), &Default::default(), &Compute::new()).unwrap();
    points::Encoding::default().fit(&table).unwrap().apply(&table).unwrap().matrix
}

#[test]
fn components_are_the_library_s_and_apply_to_new_rows() {
    let folder = tempfile::tempdir().unwrap();
    let (iris, kernel) = (example("iris.csv"), "gaussian(lengthscale=2)");
    let (out, model, picture) = (path_in(&folder, "z.csv"), path_in(&folder, "m.st"), path_in(&folder, "p.svg"));
    let words = ["embed", "pca", &iris, "--kernel", kernel, "--components", "2", "--color", "species"];
    let text = mercer(&[&words[..], &["-o", &out, "--model", &model, "--plot", &picture, "--novelty"]].concat()).done();
    assert!(text.out.contains("Kernel principal components") && text.out.contains("eigenvalues"), "{}", text.out);
    let x = numbers(&iris).slice(ndarray::s![.., ..4]).to_owned();
    let fit = KernelPca::new(kernel.parse().unwrap(), Some(2)).fit(&x, &Compute::new()).unwrap();
    let found = numbers(&out);
    assert_eq!(found.slice(ndarray::s![.., ..2]), fit.transform(&x, &Compute::new()).unwrap());
    assert_eq!(found.column(2).to_vec(), fit.novelty(&x, &Compute::new()).unwrap());
    let drawn = std::fs::read_to_string(&picture).unwrap();
    assert!(["setosa", "virginica", "component 1"].iter().all(|word| drawn.contains(word)));
    // The column of colors may be there or not.
    let again = path_in(&folder, "again.csv");
    mercer(&["transform", &model, &iris, "--novelty", "-o", &again]).done();
    assert_eq!(std::fs::read(&again).unwrap(), std::fs::read(&out).unwrap());
    let json = mercer(&[&words[..], &["--json"]].concat()).json();
    assert_close(&json["eigenvalues"][0], fit.eigenvalues()[0], 0.0);
    assert_eq!(json["coordinates"].as_array().map(Vec::len), Some(150));
    mercer(&["predict", &model, &iris]).fails(1, &["mercer transform"]);
    let plan = mercer(&[&["explain"], &words[..]].concat()).done().out;
    assert!(plan.contains("solver") && plan.contains("memory"), "{plan}");
}

#[test]
fn clusters_of_numbers_and_of_strings() {
    let folder = tempfile::tempdir().unwrap();
    let (iris, out, model) = (example("iris.csv"), path_in(&folder, "c.csv"), path_in(&folder, "m.st"));
    let words = ["cluster", &iris, "--drop", "species", "-k", "3", "-o", &out, "--model", &model];
    let text = mercer(&words).done().out;
    assert!(text.contains("Kernel k-means") && text.contains("mean distance"), "{text}");
    let head = std::fs::read_to_string(&out).unwrap();
    assert!(head.starts_with("row,cluster,distance\n0,0,"), "{head}");
    let again = path_in(&folder, "again.csv");
    mercer(&["transform", &model, &iris, "-o", &again]).done();
    let columns = |path: &str| numbers(path).slice(ndarray::s![.., ..2]).to_owned();
    assert_eq!(columns(&again), columns(&out));
    let gap = &numbers(&again).column(2) - &numbers(&out).column(2);
    assert!(gap.iter().all(|v| v.abs() < 1e-7));
    let json = mercer(&["cluster", &iris, "--drop", "species", "-k", "auto", "--spectral", "--json"]).json();
    assert_eq!(json["clusters"].as_u64(), Some(2));
    let texts = file(&folder, "t.csv", b"word\nkernel\nkernels\nmatrix\nmatrices\n");
    let kernel = "normalized(spectrum(length=2))";
    let json = mercer(&["cluster", &texts, "--columns", "word", "-k", "2", "--kernel", kernel, "--json"]).json();
    assert_eq!(json["labels"].to_string(), "[0,0,1,1]");
    mercer(&["cluster", &iris, "--drop", "species"]).fails(1, &["-k"]);
    mercer(&["cluster", &iris, "--drop", "species", "-k", "0"]).fails(1, &["-k 0"]);
    mercer(&["cluster", &texts, "--columns", "word", "-k", "9", "--kernel", kernel]).fails(1, &["9"]);
    mercer(&["cluster", &iris, "--drop", "species", "-k", "3", "--spectral", "--indefinite"])
        .fails(1, &["--indefinite", "--spectral"]);
}

#[test]
fn correlations_sources_and_scales() {
    let folder = tempfile::tempdir().unwrap();
    let (iris, model) = (example("iris.csv"), path_in(&folder, "m.st"));
    let views = ["--x", "sepal_length,sepal_width", "--y", "2-3"];
    let words = ["embed", "cca", &iris, "--components", "1", "--permutations", "19", "--model", &model, "--json"];
    let json = mercer(&[&words[..], &views[..]].concat()).json();
    assert!(json["correlations"][0].as_f64().unwrap() > 0.8);
    assert_close(&json["p_values"][0], 0.05, 1e-12);
    let out = mercer(&["transform", &model, &iris]).done().out;
    assert!(out.contains("view1_component1") && out.contains("view2_component1"), "{out}");
    mercer(&["embed", "cca", &iris, "--x", "sepal_length"]).fails(1, &["--y"]);
    mercer(&["embed", "cca", &iris, "--x", "nothing", "--y", "2-3"]).fails(1, &["nothing"]);
    let ica = mercer(&["embed", "ica", &iris, "--drop", "species", "--components", "2", "--json"]).json();
    assert_eq!(ica["components"].as_array().map(Vec::len), Some(2));
    let squares = mercer(&["embed", "scaling", &iris, "--drop", "species", "--components", "2", "--json"]).json();
    assert!(squares["stress"].as_f64().unwrap() < 0.5 && squares["negative_part"].as_f64().unwrap() < 1e-9);
    mercer(&["embed", "scaling", &iris, "--drop", "species", "--kernel", "gaussian()"]).fails(1, &["negative"]);
    mercer(&["embed", "pca", &iris, "--drop", "species", "--components", "0"]).fails(1, &["--components"]);
}

#[test]
fn matches_by_name_and_with_a_saved_model() {
    let folder = tempfile::tempdir().unwrap();
    let low = file(&folder, "low.csv", b"who,a\nann,0\nann,0.2\nbob,5\nbob,5.3\ncid,9\ncid,9.1\n");
    let high = file(&folder, "high.csv", b"who,u,v\nbob,1,9\nann,7,1\ncid,4,4\nann,7.2,1\nbob,1.1,9\ncid,4,4.2\n");
    let (out, model, picture) = (path_in(&folder, "o.csv"), path_in(&folder, "m.st"), path_in(&folder, "p.png"));
    let words = ["match", &low, &high, "--id", "who", "--components", "3", "-o", &out, "--model", &model];
    let json = mercer(&[&words[..], &["--plot", &picture, "--json"]].concat()).json();
    assert_close(&json["right"], 1.0, 0.0);
    let lines = std::fs::read_to_string(&out).unwrap();
    assert!(lines.starts_with("row,match,distance\nann,ann,"), "{lines}");
    assert!(std::fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
    let new = file(&folder, "new.csv", b"a\n5.1\n");
    let text = mercer(&["match", &new, &high, "--using", &model]).done().out;
    assert!(text.contains("First rows"), "{text}");
    mercer(&["match", &low, &high, "--using", &model, "--id", "nobody"]).fails(1, &["--id", "nobody"]);
}

/// The rows are of the view whose columns they have, of both, or of the one that is asked for.
#[test]
fn matched_tables_are_transformed_by_their_view() {
    let folder = tempfile::tempdir().unwrap();
    let model = path_in(&folder, "m.st");
    let fit = |low: &[u8], high: &[u8]| {
        let (low, high) = (file(&folder, "low.csv", low), file(&folder, "high.csv", high));
        mercer(&["match", &low, &high, "--id", "who", "--components", "2", "--model", &model]).done();
        (low, high)
    };
    let views = |data: &str, more: &[&str]| {
        let json = mercer(&[&["transform", &model, data, "--json"], more].concat()).json();
        [json["view1_component1"].as_array().map(Vec::len), json["view2_component1"].as_array().map(Vec::len)]
    };
    let low = b"who,a\nann,0\nann,0.2\nbob,5\nbob,5.3\n";
    let (low, high) = fit(low, b"who,u,v\nbob,1,9\nann,7,1\nann,7.2,1\nbob,1.1,9\n");
    assert_eq!(views(&low, &[]), [Some(4), None]);
    assert_eq!(views(&high, &[]), [None, Some(4)]);
    let both = file(&folder, "both.csv", b"u,a,v\n1,5,9\n");
    assert_eq!(views(&both, &[]), [Some(1), Some(1)]);
    assert_eq!(views(&both, &["--view", "2"]), [None, Some(1)]);
    mercer(&["transform", &model, &low, "--view", "3"]).fails(1, &["--view 3", "2 views"]);
    mercer(&["transform", &model, &low, "--view", "2"]).fails(1, &["`u`"]);
    mercer(&["transform", &model, &file(&folder, "other.csv", b"z\n1\n")]).fails(1, &["`z`"]);
    let same = b"who,a\nann,0\nann,0.2\nbob,5\nbob,5.3\n";
    let (low, _) = fit(same, b"who,a\nbob,1\nann,7\nann,7.2\nbob,1.1\n");
    assert_eq!(views(&low, &[]), [Some(4), Some(4)]);
    assert_eq!(views(&low, &["--view", "1"]), [Some(4), None]);
}

#[test]
fn learners_without_a_command_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let (iris, model) = (example("iris.csv"), path_in(&folder, "m.st"));
    let words = ["fit", "quantiles", &iris, "--target", "petal_width", "--drop", "species", "--levels", "0.25,0.75"];
    let text = mercer(&[&words[..], &["-o", &model]].concat()).done().out;
    assert!(text.contains("Quantile curves"), "{text}");
    let predicted = mercer(&["predict", &model, &iris, "--json"]).json();
    assert!(predicted.to_string().contains("0.25"), "{predicted}");
    let words =
        ["fit", "kernel-machine", &iris, "--target", "petal_width", "--drop", "species", "--loss", "huber(delta=0.1)"];
    assert!(mercer(&[&words[..], &["--json"]].concat()).json()["loss"].as_str().unwrap().starts_with("huber"));
    mercer(&[&words[..], &["--lambda", "-1"]].concat()).fails(1, &["--lambda"]);
    let plan = mercer(&[&["explain"], &words[..]].concat()).done().out;
    assert!(plan.contains("memory") || plan.contains("bytes"), "{plan}");
}
