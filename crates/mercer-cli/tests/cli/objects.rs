//! Strings, graphs, bags, diagrams and mixed tables through every command.

use std::io::Write;
use std::path::PathBuf;

use super::common::{assert_close, file, mercer, mercer_with_input, path_in};
use mercer::Compute;
use mercer::io::{ReadOptions, load_model, read_table};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The graphs of the library's fixtures.
fn mutag() -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../mercer/tests/fixtures/MUTAG");
    path.to_str().unwrap().to_owned()
}

/// Sequences of two kinds: one has many `AC`, the other many `GT`.
fn sequence(i: usize) -> (String, &'static str) {
    let (unit, class) = if i.is_multiple_of(2) { ("ACC", "x") } else { ("GGT", "y") };
    let noise = ["A", "CG", "T", "TA"][i * 7 % 4];
    (format!("{}{noise}{unit}", unit.repeat(1 + i % 3)), class)
}

fn fasta(folder: &TempDir, rows: usize) -> String {
    let record = |i: usize| {
        let (letters, class) = sequence(i);
        let (first, second) = letters.split_at(2);
        format!(">s{i}|{class} a comment\n{first}\n{second}\n")
    };
    file(folder, "s.fasta", (0..rows).map(record).collect::<String>().as_bytes())
}

fn csv(folder: &TempDir, rows: usize) -> String {
    let line = |i: usize| {
        let (letters, class) = sequence(i);
        format!("{letters},{class},{}\n", i as f64 / 4.0)
    };
    let text: String = ["letters,class,number\n".to_owned()].into_iter().chain((0..rows).map(line)).collect();
    file(folder, "s.csv", text.as_bytes())
}

/// Reviews with several words, a price, a color, and whether they were sold.
fn reviews(folder: &TempDir, rows: usize) -> String {
    let line = |i: usize| {
        let good = i.is_multiple_of(2);
        let word = if good { "very good and solid" } else { "rather poor and weak" };
        let (price, color) = (i * 13 % 7, ["red", "blue"][i / 2 % 2]);
        format!("it is {word} number {i},{price},{color},{}\n", if good { "yes" } else { "no" })
    };
    let text: String = ["review,price,color,sold\n".to_owned()].into_iter().chain((0..rows).map(line)).collect();
    file(folder, "reviews.csv", text.as_bytes())
}

/// Bags of points: those of class 1 have one point near 3.
fn bags(folder: &TempDir, bags: usize) -> String {
    let rows = (0..bags).flat_map(|bag| {
        let size = 2 + bag % 3;
        (0..size).map(move |i| {
            let (a, b) = ((bag * 7 + i * 3) as f64 % 1.0 + (i * bag % 5) as f64 / 10.0, (bag * i % 3) as f64 / 10.0);
            let a = if bag % 2 == 1 && i == 0 { 3.0 } else { a };
            format!("b{bag},{a},{b},{}\n", bag % 2)
        })
    });
    let text: String = ["bag,a,b,class\n".to_owned()].into_iter().chain(rows).collect();
    file(folder, "bags.csv", text.as_bytes())
}

fn predictions(model: &str, data: &str) -> Vec<Value> {
    let json = mercer(&["predict", model, data, "--json"]).json();
    json["targets"][0]["prediction"].as_array().unwrap().clone()
}

#[test]
fn a_text_column_and_a_fasta_file_are_the_same_strings() {
    let folder = tempfile::tempdir().unwrap();
    let (fasta, csv) = (fasta(&folder, 12), csv(&folder, 12));
    let kernel = "spectrum(length=2)";
    let gram =
        |words: &[&str]| mercer(&[&["kernel", "gram", kernel, "--json"], words].concat()).json()["matrix"].clone();
    let expected = gram(&[&fasta]);
    assert_eq!(gram(&[&csv, "--columns", "letters"]), expected);
    // AC, CC, CC and so on: counted by hand for the first sequence, ACC A ACC.
    assert_close(&expected[0][0], 4.0 + 4.0 + 1.0 + 1.0, 0.0);
    let packed = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(&std::fs::read(&fasta).unwrap()).unwrap();
        file(&folder, "s.fa.gz", &encoder.finish().unwrap())
    };
    assert_eq!(gram(&[&packed]), expected);
    let piped = mercer_with_input(&["kernel", "gram", kernel, "-", "--json"], &std::fs::read(&fasta).unwrap());
    assert_eq!(piped.json()["matrix"], expected);
    let against = mercer(&["kernel", "gram", kernel, &fasta, "--against", &packed, "--json"]).json();
    assert_eq!(against["matrix"], expected);
}

#[test]
fn every_learner_fits_strings_and_predicts_them_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let (data, model) = (csv(&folder, 16), path_in(&folder, "m.safetensors"));
    let fits: [&[&str]; 6] = [
        &["svm", "--target", "class", "-C", "1"],
        &["logistic", "--target", "class", "--lambda", "0.1"],
        &["ridge", "--target", "number", "--lambda", "0.1"],
        &["gp", "--target", "number", "--noise", "0.1"],
        &["svr", "--target", "number", "-C", "1"],
        &["one-class", "--nu", "0.5"],
    ];
    for words in fits {
        let kernel = ["--columns", "letters", "--kernel", "normalized(spectrum(length=2))", "-o", &model, "--json"];
        let fit = mercer(&[&["fit", words[0], &data], &words[1..], &kernel].concat()).json();
        assert_eq!(fit["inputs"], json!(["letters"]), "{words:?}");
        let found = predictions(&model, &data);
        assert_eq!(found.len(), 16, "{words:?}");
        // The library predicts the same from the file.
        let (compute, options) = (Compute::new(), ReadOptions::default());
        let loaded = load_model(model.as_ref(), &compute).unwrap();
        let table = read_table(data.as_ref(), &options, &compute).unwrap();
        let values = loaded.predict_table(&table, &compute).unwrap().values;
        match loaded.classes() {
            Some(names) => {
                let expected: Vec<&str> = values.column(0).iter().map(|c| names[*c as usize].as_str()).collect();
                assert_eq!(found, expected);
            }
            None => found.iter().zip(values.column(0)).for_each(|(v, e)| assert_close(v, *e, 1e-15)),
        }
    }
    // New strings of the two kinds, in a file with other columns too.
    let kernel = ["--columns", "letters", "--kernel", "spectrum(length=2)", "-C", "1", "-o", &model, "--quiet"];
    mercer(&[&["fit", "svm", &data, "--target", "class"][..], &kernel].concat()).done();
    let new = file(&folder, "n.csv", b"other,letters\n1,ACCACC\n2,GGTGGT\n");
    mercer(&["predict", &model, &new]).fails(1, &["`other`"]);
    assert_eq!(predictions(&model, &file(&folder, "n2.csv", b"letters\nACCACC\nGGTGGT\n")), ["x", "y"]);
    // A column of texts that happen to be digits is still one of texts.
    assert_eq!(predictions(&model, &file(&folder, "n3.csv", b"letters\n12\n345\n")).len(), 2);
}

#[test]
fn the_kernel_of_strings_and_graphs_is_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let data = fasta(&folder, 20);
    for learner in ["svm", "logistic", "auto"] {
        let fit = mercer(&["fit", learner, &data, "--json"]).json();
        assert_eq!(fit["targets"], json!(["label"]), "{learner}");
        assert!(fit["kernel"].as_str().unwrap().starts_with("normalized(spectrum(length="), "{learner}");
        assert_close(&fit["accuracy"], 1.0, 0.0);
    }
    let numbers = csv(&folder, 16);
    for learner in ["ridge", "gp", "svr", "auto"] {
        let words = ["fit", learner, &numbers, "--target", "number", "--columns", "letters", "--json"];
        // Single words are categories, unless a kernel says otherwise.
        assert!(mercer(&words).json()["kernel"].as_str().unwrap().contains("letters=").eq(&false), "{learner}");
    }
    let fit = mercer(&["fit", "svm", &mutag(), "--json"]).json();
    assert!(fit["kernel"].as_str().unwrap().starts_with("normalized(weisfeiler_lehman(depth="));
    assert!(fit["accuracy"].as_f64().unwrap() > 0.85);
    assert_eq!(fit["choice"]["candidates"][0]["candidate"].as_str(), fit["kernel"].as_str());
    // The label of a format is a class, though it is a number here.
    let auto = mercer(&["fit", "auto", &mutag(), "--json"]).json();
    assert_eq!((&auto["task"], &auto["classes"]), (&json!("classes"), &json!(["-1", "1"])));
}

#[test]
fn graphs_are_read_from_folders_and_files() {
    let folder = tempfile::tempdir().unwrap();
    let described = mercer(&["data", "describe", &mutag(), "--json"]).json();
    assert_eq!((&described["rows"], &described["label"]), (&json!(188), &json!("label")));
    assert_eq!(described["columns"][0]["kind"], "graphs");
    let model = path_in(&folder, "m.safetensors");
    let words = ["fit", "svm", &mutag(), "--kernel", "shortest_path()", "-C", "1", "-o", &model, "--json"];
    let fit = mercer(&words).json();
    let found = mercer(&["predict", &model, &mutag(), "--json"]).json();
    assert_eq!(found["test"][0]["accuracy"], fit["accuracy"]);
    // A triangle and a path, as edge lists in a folder and as one GraphML file.
    let graphs = folder.path().join("graphs");
    std::fs::create_dir(&graphs).unwrap();
    std::fs::write(graphs.join("path.edges"), "a b\nb c\n").unwrap();
    std::fs::write(graphs.join("triangle.edges"), "a b\nb c\nc a\n").unwrap();
    let graph = |edges: &[(&str, &str)]| {
        let edge = |(a, b): &(&str, &str)| format!("<edge source='{a}' target='{b}'/>");
        let edges: String = edges.iter().map(edge).collect();
        format!("<graph edgedefault='undirected'><node id='a'/><node id='b'/><node id='c'/>{edges}</graph>")
    };
    let text = format!(
        "<graphml>{}{}</graphml>",
        graph(&[("a", "b"), ("b", "c")]),
        graph(&[("a", "b"), ("b", "c"), ("c", "a")])
    );
    let xml = file(&folder, "two.graphml", text.as_bytes());
    for path in [graphs.to_str().unwrap(), &xml] {
        let gram = mercer(&["kernel", "gram", "shortest_path()", path, "--json"]).json();
        // Ordered pairs: the path has 4 of length 1 and 2 of length 2, the triangle 6 of length 1.
        assert_eq!(gram["matrix"], json!([[20.0, 24.0], [24.0, 36.0]]), "{path}");
    }
    let labels = file(&folder, "labels.csv", b"id,cycles\ntriangle,1\npath,0\n");
    let words = ["fit", "ridge", graphs.to_str().unwrap(), "--labels", &labels, "--target", "cycles"];
    let words = [&words[..], &["--kernel", "shortest_path()", "--lambda", "1e-9", "-o", &model]].concat();
    mercer(&words).done();
    let found = mercer(&["predict", &model, graphs.to_str().unwrap(), "--labels", &labels, "--json"]).json();
    assert!(found["test"][0]["rmse"].as_f64().unwrap() < 1e-6, "{found}");
    let wrong = file(&folder, "wrong.csv", b"id,cycles\ntriangle,1\n");
    let words = ["fit", "ridge", graphs.to_str().unwrap(), "--labels", &wrong, "--target", "cycles"];
    mercer(&words).fails(1, &["--labels", "`path`", "no such row"]);
    let words = [&words[..5], &["--target", "cycles", "-o", &wrong]].concat();
    mercer(&words).fails(1, &["would overwrite --labels"]);
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    mercer(&["kernel", "gram", "shortest_path()", empty.to_str().unwrap()]).fails(1, &["no graphs", "_A.txt"]);
}

#[test]
fn bags_and_diagrams_are_groups_of_rows() {
    let folder = tempfile::tempdir().unwrap();
    let (data, model) = (bags(&folder, 14), path_in(&folder, "m.safetensors"));
    let base = ["fit", "svm", &data, "--bag", "bag", "--target", "class"];
    let kernel = ["--kernel", "mean_embedding(gaussian(lengthscale=0.5))", "-C", "100", "-o", &model, "--json"];
    let fit = mercer(&[&base[..], &kernel].concat()).json();
    assert_eq!((&fit["rows"], &fit["inputs"]), (&json!(14), &json!(["bag"])));
    assert_close(&fit["accuracy"], 1.0, 0.0);
    // The model knows the column of the bags.
    let found = mercer(&["predict", &model, &data, "--json"]).json();
    assert_eq!((&found["rows"], &found["test"][0]["rows"]), (&json!(14), &json!(14)));
    assert_close(&found["test"][0]["accuracy"], 1.0, 0.0);
    // Without a kernel: Gaussian on embeddings, with instances that are standardized.
    let chosen = mercer(&[&base[..], &["-o", &model, "--json"]].concat()).json();
    assert!(chosen["kernel"].as_str().unwrap().starts_with("gaussian_embedding("), "{}", chosen["kernel"]);
    let again = mercer(&["predict", &model, &data, "--json"]).json();
    assert_eq!(again["test"][0]["accuracy"], chosen["accuracy"]);
    let gram =
        mercer(&["kernel", "gram", "mean_embedding(linear())", &data, "--bag", "bag", "--columns", "a", "--json"]);
    assert_eq!(gram.json()["shape"], json!([14, 14]));
    let changing = file(&folder, "c.csv", b"bag,a,class\nx,1,0\nx,2,1\n");
    mercer(&["fit", "svm", &changing, "--bag", "bag", "--target", "class"])
        .fails(1, &["--bag", "column class", "row 1", "the same"]);
    mercer(&["fit", "svm", &data, "--bag", "sack", "--target", "class"])
        .fails(1, &["--bag", "`sack`", "bag, a, b, class"]);
    // Diagrams: two intervals and one.
    let diagrams = file(&folder, "d.csv", b"name,birth,death\nu,0,1\nu,0,2\nv,1,3\n");
    let gram = |kernel: &str| mercer(&["kernel", "gram", kernel, &diagrams, "--bag", "name", "--json"]);
    let matrix = gram("persistence(scale=1)").json()["matrix"].clone();
    let value = |p: [f64; 2], q: [f64; 2]| {
        let square = |q: [f64; 2]| (p[0] - q[0]).powi(2) + (p[1] - q[1]).powi(2);
        ((-square(q) / 8.0).exp() - (-square([q[1], q[0]]) / 8.0).exp()) / (8.0 * std::f64::consts::PI)
    };
    assert_close(&matrix[0][1], value([0.0, 1.0], [1.0, 3.0]) + value([0.0, 2.0], [1.0, 3.0]), 1e-14);
    let infinite = file(&folder, "i.csv", b"name,birth,death\nu,0,inf\n");
    let words = ["kernel", "gram", "persistence(scale=1)", &infinite, "--bag", "name"];
    mercer(&words).fails(1, &["death", "inf"]);
}

#[test]
fn mixed_tables_take_a_kernel_per_column() {
    let folder = tempfile::tempdir().unwrap();
    let (data, model) = (reviews(&folder, 24), path_in(&folder, "m.safetensors"));
    let kernel =
        "on([review], normalized(spectrum(length=4))) * on([price], gaussian(lengthscale=3)) + on([color], delta())";
    let words = ["fit", "svm", &data, "--target", "sold", "--kernel", kernel, "-C", "10", "-o", &model, "--json"];
    let fit = mercer(&words).json();
    assert_eq!(fit["inputs"], json!(["price", "color=blue", "color=red", "review"]));
    assert_close(&fit["accuracy"], 1.0, 0.0);
    let found = mercer(&["predict", &model, &data, "--json"]).json();
    assert_close(&found["test"][0]["accuracy"], 1.0, 0.0);
    // By hand: texts of other rows, the same price and color.
    let two = file(&folder, "two.csv", b"review,price,color\nab,1,red\nba,3,red\n");
    let simple = "on([review], spectrum(length=1)) * on([price], linear()) + on([color], delta())";
    let gram = mercer(&["kernel", "gram", simple, &two, "--json"]).json();
    assert_eq!(gram["matrix"], json!([[3.0, 7.0], [7.0, 19.0]]));
    // A kernel that names its columns does not ask for the others.
    let only = ["fit", "svm", &data, "--target", "sold", "--kernel", "on([review], spectrum(length=4))", "-C", "1"];
    mercer(&[&only[..], &["-o", &model, "--quiet"]].concat()).done();
    let new = file(&folder, "new.csv", b"review\nvery good\n");
    assert_eq!(predictions(&model, &new), ["yes"]);
    // Without a kernel: the rule is printed.
    let plan = mercer(&["explain", "fit", "svm", &data, "--target", "sold"]).done().out;
    for word in ["on([review], normalized(spectrum(length=3)))", "rows of a table", "The sum of one kernel per column"]
    {
        assert!(plan.contains(word), "{word}: {plan}");
    }
    let fit = mercer(&["fit", "auto", &data, "--target", "sold", "--json"]).json();
    assert!(fit["kernel"].as_str().unwrap().contains("on([review]"), "{}", fit["kernel"]);
}

#[test]
fn missing_texts_follow_the_rule() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "m.csv", b"t,y\nab,1\n,2\nba,3\nbb,4\n");
    let model = path_in(&folder, "m.safetensors");
    let base = ["fit", "ridge", &data, "--target", "y", "--kernel", "spectrum(length=1)", "--lambda", "1"];
    mercer(&base).fails(1, &["row 1", "column t", "--missing"]);
    let rows = |rule: &str| mercer(&[&base[..], &["--missing", rule, "-o", &model, "--json"]].concat()).json();
    assert_eq!(rows("drop")["rows"], 3);
    assert_eq!(rows("zero")["rows"], 4);
    // The empty string has no letters: its value is that of the zero function.
    let found = mercer(&["predict", &model, &data, "--json"]).json();
    assert_eq!(found["cells_filled"], 1);
    assert_close(&found["targets"][0]["prediction"][1], 0.0, 0.0);
}

#[test]
fn tests_take_objects() {
    let folder = tempfile::tempdir().unwrap();
    let (fasta, csv) = (fasta(&folder, 40), csv(&folder, 40));
    let other: String = (0..30).map(|i| format!(">t{i}\n{}\n", ["TTAT", "TATTA", "ATT"][i % 3])).collect();
    let other = file(&folder, "o.fasta", other.as_bytes());
    let found = mercer(&["test", "two-sample", &fasta, &other, "--permutations", "199", "--json"]).json();
    assert!(found["p_value"].as_f64().unwrap() <= 0.05 && found["rows"] == json!([40, 30]), "{found}");
    assert!(found["too_many_in_first"][0]["point"].is_string());
    let kernel = ["--kernel", "spectrum(length=2)", "--method", "permutation", "--permutations", "199", "--json"];
    let found = mercer(&[&["test", "two-sample", &fasta, &other][..], &kernel].concat()).json();
    assert!(found["p_value"].as_f64().unwrap() <= 0.05);
    let words = ["test", "independence", &csv, "--x", "letters", "--y", "class", "--permutations", "199", "--json"];
    let found = mercer(&[&words[..], &["--kernel", "spectrum(length=2)", "--kernel-y", "gaussian()"]].concat()).json();
    assert!(found["p_value"].as_f64().unwrap() <= 0.05, "{found}");
    let bags = bags(&folder, 20);
    let words = ["test", "independence", &bags, "--bag", "bag", "--x", "bag", "--y", "class"];
    let found = mercer(&[&words[..], &["--permutations", "199", "--json"]].concat()).json();
    assert_eq!(found["rows"], json!([20, 20]), "{found}");
    let words = ["test", "two-sample", &bags, &bags, "--bag", "bag", "--permutations", "99", "--json"];
    assert_close(&mercer(&words).json()["p_value"], 1.0, 0.0);
    mercer(&["test", "fit", &fasta, "--against", "normal(std=1)"]).fails(1, &["strings"]);
}

#[test]
fn kernels_refuse_points_of_another_kind_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let (data, fasta) = (reviews(&folder, 12), fasta(&folder, 6));
    let gram = |kernel: &str, data: &str| mercer(&["kernel", "gram", kernel, data]);
    gram("on([price], spectrum(length=3))", &data)
        .fails(1, &["spectrum(length=3) takes strings; column `price` holds numbers"]);
    gram("on([reviews], spectrum(length=3))", &data).fails(1, &["`reviews`", "did you mean `review`"]);
    gram("spectrum(length=3)", &data).fails(1, &["columns of the table", "spectrum(length=3)", "on([column]"]);
    gram("gaussian()", &fasta).fails(1, &["gaussian(lengthscale=1) takes vectors", "strings"]);
    gram("weisfeiler_lehman(depth=2)", &fasta).fails(1, &["takes graphs", "`sequence`", "strings"]);
    gram("spectrum(length=3)", &mutag()).fails(1, &["takes strings", "graphs"]);
    let broken = file(&folder, "b.fasta", b"ACGT\n>a\nACGT\n");
    gram("spectrum(length=3)", &broken).fails(1, &["line 1", "header"]);
    gram("spectrum(length=3)", &file(&folder, "e.fasta", b"\n")).fails(1, &["no record"]);
    mercer(&["fit", "spline", &data, "--target", "price", "--columns", "review"]).fails(1, &["one column of numbers"]);
    mercer(&["fit", "smooth", &data, "--target", "price", "--columns", "review"])
        .fails(1, &["takes vectors", "strings"]);
    mercer(&["embed", "fourier", &fasta, "--kernel", "spectrum(length=2)"]).fails(1, &["strings"]);
}

#[test]
fn ridge_on_explicit_features_is_the_same_ridge() {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(&folder, 30);
    let fit = |solver: &str| {
        let model = path_in(&folder, solver);
        let words =
            ["fit", "ridge", &data, "--target", "number", "--columns", "letters", "--kernel", "spectrum(length=2)"];
        let json =
            mercer(&[&words[..], &["--lambda", "1", "--solver", solver, "-o", &model, "--json"]].concat()).json();
        (json["method"].as_str().unwrap().to_owned(), predictions(&model, &data))
    };
    let ((method, found), (_, expected)) = (fit("features"), fit("cholesky"));
    assert!(method.contains("explicit features"), "{method}");
    found.iter().zip(&expected).for_each(|(v, e)| assert_close(v, e.as_f64().unwrap(), 1e-8));
    let words =
        ["fit", "ridge", &data, "--target", "number", "--columns", "letters", "--lambda", "1", "--solver", "features"];
    mercer(&[&words[..], &["--kernel", "subsequence(length=2)"]].concat()).fails(1, &["explicit features"]);
}

#[test]
fn files_and_predictions_do_not_depend_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    let data = reviews(&folder, 40);
    let fit = |threads: &str| {
        let model = path_in(&folder, &format!("m{threads}.safetensors"));
        mercer(&["fit", "svm", &data, "--target", "sold", "-o", &model, "--threads", threads, "--quiet"]).done();
        let predicted = mercer(&["predict", &model, &data, "--threads", threads]).done().out;
        (std::fs::read(&model).unwrap(), predicted)
    };
    let expected = fit("1");
    assert!(fit("2") == expected && fit("5") == expected);
}

#[test]
fn features_multiply_to_the_kernel_values() {
    let folder = tempfile::tempdir().unwrap();
    let data = fasta(&folder, 6);
    let words = ["embed", "features", &data, "--kernel", "spectrum(length=2)", "--json"];
    let found = mercer(&words).json();
    let list =
        |name: &str| -> Vec<f64> { found[name].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect() };
    let (starts, columns, values) = (list("starts"), list("columns"), list("values"));
    let row = |i: usize| (starts[i] as usize..starts[i + 1] as usize).map(|at| (columns[at], values[at]));
    let product = |i: usize, j: usize| -> f64 {
        row(i).map(|(c, v)| row(j).filter(|(d, _)| *d == c).map(|(_, w)| v * w).sum::<f64>()).sum()
    };
    let gram = mercer(&["kernel", "gram", "spectrum(length=2)", &data, "--json"]).json()["matrix"].clone();
    (0..6).for_each(|i| (0..6).for_each(|j| assert_close(&gram[i][j], product(i, j), 0.0)));
    let sum =
        ["embed", "features", &data, "--kernel", "normalized(spectrum(length=2)) + 2*spectrum(length=1)", "--json"];
    assert_eq!(mercer(&sum).json()["rows"], 6);
    // Both files hold the same counts.
    let (table, sparse) = (path_in(&folder, "f.csv"), path_in(&folder, "f.libsvm"));
    for out in [&table, &sparse] {
        mercer(&[&words[..5], &["-o", out, "--quiet"]].concat()).done();
    }
    let lines = std::fs::read_to_string(&table).unwrap().lines().count();
    assert_eq!(lines, values.len() + 1);
    let text = std::fs::read_to_string(&sparse).unwrap();
    assert_eq!((text.lines().count(), text.matches(':').count()), (6, values.len()));
    mercer(&[&words[..4], &["subsequence(length=2)"]].concat()).fails(1, &["--kernel", "no explicit features"]);
    mercer(&[&words[..5], &["-o", "f.txt"]].concat()).fails(1, &["--output", ".libsvm"]);
}

#[test]
fn pictures_and_landmarks_of_objects_are_made() {
    let folder = tempfile::tempdir().unwrap();
    let (data, picture) = (fasta(&folder, 20), path_in(&folder, "p.svg"));
    let report = path_in(&folder, "r.html");
    mercer(&["fit", "svm", &data, "-C", "1", "--plot", &picture, "--report", &report, "--quiet"]).done();
    assert!(std::fs::read_to_string(&picture).unwrap().contains("decision value"));
    assert!(std::fs::read_to_string(&report).unwrap().contains("ACC"));
    let out = path_in(&folder, "z.csv");
    let words =
        ["embed", "nystrom", &data, "--kernel", "spectrum(length=2)", "--components", "3", "-o", &out, "--json"];
    let found = mercer(&words).json();
    assert_eq!((&found["rows"], &found["components"]), (&json!(20), &json!(3)));
    let check = mercer(&["kernel", "check", "minus(spectrum(length=1), spectrum(length=2))", &data]).done().out;
    assert!(check.contains("refuted") && check.contains("\"ACC"), "{check}");
}
