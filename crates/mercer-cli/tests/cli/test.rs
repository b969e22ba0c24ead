//! Hypothesis tests from outside.

use super::common::{Run, assert_close, example, file, mercer, mercer_with_input, path_in};

/// A table of `rows` with the columns that a function makes of the row's number.
fn table(head: &str, rows: usize, row: impl Fn(usize) -> Vec<f64>) -> Vec<u8> {
    let line = |i: usize| row(i).iter().map(f64::to_string).collect::<Vec<_>>().join(",") + "\n";
    (format!("{head}\n") + &(0..rows).map(line).collect::<String>()).into_bytes()
}

/// Numbers that look random and never change.
fn noise(i: usize, salt: usize) -> f64 {
    let v = ((i * 7919 + salt * 104_729 + 13) as f64 * 0.618_033_988_749_895).fract();
    (v * 12.9898 + salt as f64).sin() * 437.585_453 % 1.0
}

fn two(folder: &tempfile::TempDir, shift: f64) -> (String, String) {
    let a = file(folder, "a.csv", &table("u,v", 40, |i| vec![noise(i, 1), noise(i, 2)]));
    let b = file(folder, "b.csv", &table("u,v", 30, |i| vec![noise(i, 3) + shift, noise(i, 4)]));
    (a, b)
}

fn two_sample(a: &str, b: &str, rest: &[&str]) -> Run {
    mercer(&[&["test", "two-sample", a, b, "--permutations", "199"], rest].concat())
}

#[test]
fn two_samples_that_differ() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = two(&folder, 1.0);
    let json = two_sample(&a, &b, &["--json", "--seed", "3"]).json();
    assert_eq!(json["reject"], true);
    assert_close(&json["p_value"], 1.0 / 200.0, 1e-12);
    assert_eq!((&json["method"], &json["seed"]), (&"aggregated".into(), &3.into()));
    assert!(json["p_interval"][1].as_f64().unwrap() > 0.005 && json["effect"].as_f64().unwrap() > 2.0);
    assert_eq!(json["rows"], serde_json::json!([40, 30]));
    // The first column differs, the second does not.
    assert!(json["by_column"][0]["p_adjusted"].as_f64().unwrap() < 0.05);
    assert!(json["by_column"][1]["p_adjusted"].as_f64().unwrap() > 0.05);
    assert_eq!(json["too_many_in_first"].as_array().unwrap().len(), 5);
    assert_eq!(json["too_many_in_second"][0]["file"], "second");
    let text = two_sample(&a, &b, &[]).done().out;
    for part in
        ["✗ rejected at level 0.05: p = 0.005", "both files have the same distribution", "Individual columns", "seed 0"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let alike = two_sample(&a, &a, &["--json"]).json();
    assert_eq!(alike["reject"], false);
    assert_close(&alike["p_value"], 1.0, 1e-15);
}

#[test]
fn every_method_and_an_explicit_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = two(&folder, 1.0);
    for method in [
        "aggregated",
        "permutation",
        "sequential",
        "fused",
        "split",
        "gamma",
        "spectral",
        "linear",
        "block",
        "bound",
        "features",
    ] {
        let json = two_sample(&a, &b, &["--method", method, "--block", "5", "--json"]).json();
        assert!(json["method"].as_str().unwrap().contains(method), "{method}: {}", json["method"]);
        let p = json["p_value"].as_f64().unwrap();
        assert!(p > 0.0 && p <= 1.0, "{method}: {p}");
    }
    let words = ["--kernel", "on([u], gaussian(lengthscale=0.5))", "--json"];
    let json = two_sample(&a, &b, &words).json();
    assert_eq!(
        (&json["method"], &json["kernel"]),
        (&"permutation".into(), &"on([0], gaussian(lengthscale=0.5))".into())
    );
    let head = |name: &str, from: &str| {
        let text = std::fs::read_to_string(from).unwrap().lines().take(6).collect::<Vec<_>>().join("\n");
        file(&folder, name, text.as_bytes())
    };
    let (c, d) = (head("c.csv", &a), head("d.csv", &b));
    let json = two_sample(&c, &d, &["--method", "exact", "--json"]).json();
    assert_eq!((&json["permutations"], &json["exact"]), (&251.into(), &true.into()));
    two_sample(&c, &d, &["--method", "paired"]).done();
}

#[test]
fn pictures_and_pages() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = two(&folder, 1.0);
    let (page, picture) = (path_in(&folder, "t.html"), path_in(&folder, "t.svg"));
    two_sample(&a, &b, &["--report", &page, "--plot", &picture]).done();
    let html = std::fs::read_to_string(&page).unwrap();
    // The null distribution, and the witness over the plane as a small picture.
    assert_eq!(html.matches("<svg").count(), 2, "{html}");
    assert!(html.contains("data:image/png"));
    assert!(!std::fs::read_to_string(&picture).unwrap().contains("threshold"));
    two_sample(&a, &b, &["--columns", "u", "--kernel", "gaussian(lengthscale=1)", "--plot", &picture]).done();
    let svg = std::fs::read_to_string(&picture).unwrap();
    assert!(svg.contains("statistic, p = 0.005") && svg.contains("threshold at level 0.05"));
    two_sample(&a, &b, &["--columns", "u", "--picture", "witness", "--plot", &picture]).done();
    assert!(std::fs::read_to_string(&picture).unwrap().contains("first file"));
    let line = path_in(&folder, "line.html");
    two_sample(&a, &b, &["--columns", "u", "--report", &line]).done();
    assert!(std::fs::read_to_string(&line).unwrap().contains("witness μ₁ − μ₂"));
}

#[test]
fn a_test_for_every_group() {
    let folder = tempfile::tempdir().unwrap();
    let (a, _) = two(&folder, 0.0);
    // The second of three months has drifted; the fourth has one row.
    let month = |i: usize| (i / 30 + 1) as f64;
    let shift = |i: usize| if month(i) == 2.0 { 1.5 } else { 0.0 };
    let b = file(&folder, "m.csv", &table("month,u,v", 91, |i| vec![month(i), noise(i, 5) + shift(i), noise(i, 6)]));
    let json = two_sample(&a, &b, &["--by", "month", "--json"]).json();
    assert_eq!((&json["correction"], &json["rejected"]), (&"Holm's correction".into(), &1.into()));
    let groups = json["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 3);
    assert_eq!((&groups[1]["group"], &groups[1]["reject"]), (&"2".into(), &true.into()));
    assert_close(&groups[1]["p_adjusted"], 3.0 * groups[1]["p_value"].as_f64().unwrap(), 1e-12);
    assert!(json["remarks"].to_string().contains("The group 4 was skipped"));
    let text = two_sample(&a, &b, &["--by", "month", "--correction", "bh"]).done().out;
    assert!(text.contains("1 of 3 rejected") && text.contains("Benjamini and Hochberg"), "{text}");
    assert!(text.contains("compared with all of the first"));
    // Where the reference has the column too, groups are compared with each other.
    let text = two_sample(&b, &b, &["--by", "month"]).done().out;
    assert!(text.contains("0 of 3 rejected") && text.contains("the same group of the first"), "{text}");
    let whole =
        two_sample(&b, &b, &["--by", "month", "--whole-reference", "--plot", &path_in(&folder, "g.png")]).done();
    assert!(whole.out.contains("compared with all of the first"));
}

#[test]
fn batch_after_batch() {
    let folder = tempfile::tempdir().unwrap();
    let a = file(&folder, "a.csv", &table("u,v", 200, |i| vec![noise(i, 1), noise(i, 2)]));
    let steps = |i: usize| if i < 150 { 0.0 } else { 2.0 };
    let b =
        file(&folder, "b.csv", &table("u,v,day", 400, |i| vec![noise(i, 3) + steps(i), noise(i, 4), (i / 50) as f64]));
    let json = two_sample(&a, &b, &["--method", "betting", "--columns", "u,v", "--batch", "50", "--json"]).json();
    let batches = json["batches"].as_array().unwrap();
    assert_eq!((batches.len(), &batches[0]["rows"]), (8, &serde_json::json!([25, 50])));
    // Nothing before the change, which comes in the fourth batch.
    assert!(batches[..3].iter().all(|b| b["reject"] == false) && json["reject"] == true);
    assert!(json["first_rejected"].as_str().unwrap().parse::<usize>().unwrap() >= 4);
    let wealth = batches[7]["log_wealth"].as_f64().unwrap();
    assert_eq!(json["log_wealth"].as_f64().unwrap(), wealth);
    let by = two_sample(&a, &b, &["--method", "betting", "--by", "day", "--json"]).json();
    assert_eq!(by["batches"][7]["batch"], "7");
    assert_eq!(by["log_wealth"].as_f64().unwrap(), wealth);
    let picture = path_in(&folder, "wealth.svg");
    let text = two_sample(&a, &b, &["--method", "betting", "--by", "day", "--plot", &picture]).done().out;
    assert!(text.contains("rejected at level 0.05") && text.contains("after day"), "{text}");
    assert!(std::fs::read_to_string(&picture).unwrap().contains("log₁₀ wealth"));
    two_sample(&a, &b, &["--method", "betting", "--columns", "u,v", "--batch", "0"]).fails(1, &["--batch"]);
}

fn iris(words: &[&str]) -> Run {
    let data = example("iris.csv");
    mercer(&[&["test", words[0], &data, "--permutations", "199"], &words[1..]].concat())
}

#[test]
fn dependence_in_a_table() {
    let json = iris(&["independence", "--x", "sepal_length,sepal_width", "--y", "species", "--json"]).json();
    assert_eq!((&json["reject"], &json["rows"][0]), (&true.into(), &150.into()));
    assert_eq!(json["columns"][1].as_array().unwrap().len(), 3);
    assert!(json["details"]["normalized_hsic"].as_f64().unwrap() > 0.1);
    let words = [
        "independence",
        "--x",
        "sepal_length",
        "--y",
        "petal_length",
        "--by",
        "species",
        "--method",
        "gamma",
        "--json",
    ];
    let json = iris(&words).json();
    assert_eq!(json["groups"].as_array().unwrap().len(), 3);
    assert_eq!(json["groups"][0]["group"], "setosa");
    let json = iris(&["joint", "--variable", "0", "--variable", "1", "--variable", "2,3", "--json"]).json();
    assert_eq!((&json["reject"], &json["command"]), (&true.into(), &"test joint".into()));
    let json = iris(&["interaction", "--x", "0", "--y", "1", "--z", "2", "--json"]).json();
    assert!(json["details"]["p_x"].as_f64().is_some());
    let words = ["conditional", "--x", "sepal_length", "--y", "petal_length", "--given", "petal_width", "--json"];
    assert_eq!(iris(&words).json()["command"], "test conditional");
    let text =
        iris(&["independence", "--x", "0", "--y", "1", "--kernel", "linear()", "--kernel-y", "laplacian()"]).done().out;
    assert!(text.contains("sepal_length and sepal_width are independent"), "{text}");
}

#[test]
fn goodness_of_fit() {
    let folder = tempfile::tempdir().unwrap();
    let normal = |i: usize| {
        // Box and Muller.
        let (u, v) = ((i as f64 + 0.5) / 200.0, noise(i, 9).abs());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    };
    let data = file(&folder, "n.csv", &table("r,s", 200, |i| vec![normal(i), normal(i) + 3.0]));
    let fit = |rest: &[&str]| mercer(&[&["test", "fit", &data], rest].concat());
    let json = fit(&["--against", "normal(std=1)", "--columns", "r", "--json"]).json();
    assert_eq!((&json["reject"], &json["method"]), (&false.into(), &"wild bootstrap".into()));
    let json =
        fit(&["--against", "normal(mean=[0, 3], std=3)", "--kernel", "gaussian(lengthscale=median)", "--json"]).json();
    assert_eq!(json["reject"], true);
    fit(&["--against", "norml()"]).fails(1, &["--against", "did you mean `normal`?"]);
    fit(&["--against", "normal(mean=[1])"]).fails(1, &["--against", "a number per column (2)"]);
    fit(&["--against", "normal()", "--kernel", "linear()"]).fails(1, &["Stein"]);
}

#[test]
fn plans() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = two(&folder, 0.0);
    let json = mercer(&["explain", "test", "two-sample", &a, &b, "--json"]).json();
    assert_eq!((&json["rows"], &json["bytes"], &json["fits"]), (&70.into(), &0.into(), &true.into()));
    let text = mercer(&[
        "explain",
        "test",
        "conditional",
        &example("iris.csv"),
        "--x",
        "0",
        "--y",
        "1",
        "--given",
        "2",
        "--memory",
        "1MB",
    ]);
    assert!(text.done().out.contains("over the memory limit"));
}

#[test]
fn what_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = two(&folder, 0.0);
    let one = file(&folder, "one.csv", b"u,v\n1,2\n");
    let none = file(&folder, "none.csv", b"u,v\n");
    let thin = file(&folder, "thin.csv", b"u\n1\n2\n3\n");
    let gap = file(&folder, "gap.csv", b"u,v\n1,2\n3,\n5,6\n");
    let words = file(&folder, "words.csv", b"u,v\na,1\nb,2\nc,3\n");
    let flat = file(&folder, "flat.csv", b"u,v\n1,1\n1,1\n1,1\n");
    two_sample(&a, &one, &[]).fails(1, &["second sample", "at least 2, found 1"]);
    two_sample(&none, &b, &[]).fails(1, &["at least 2"]);
    two_sample(&a, &thin, &[]).fails(1, &["columns v", "2 and 1 columns", "--columns"]);
    two_sample(&a, &gap, &[]).fails(1, &["gap.csv", "row 1", "column v", "--missing"]);
    two_sample(&a, &gap, &["--missing", "drop"]).done();
    two_sample(&a, &words, &[]).fails(1, &["words.csv", "column u", "numbers or categories"]);
    two_sample(&flat, &flat, &[]).fails(1, &["equal"]);
    two_sample(&flat, &flat, &["--kernel", "gaussian(lengthscale=1)"]).done();
    mercer(&["test", "two-sample", &a, &b, "--permutations", "0"]).fails(1, &["--permutations", "at least 1"]);
    for level in ["0", "1", "-0.1", "nan", "5"] {
        two_sample(&a, &b, &["--level", level]).fails(1, &["--level", "between 0 and 1"]);
    }
    two_sample(&a, &b, &["--method", "magic"]).fails(1, &["--method", "aggregated"]);
    two_sample(&a, &b, &["--method", "exact"]).fails(1, &["relabelings: at most 1e6"]);
    two_sample(&a, &b, &["--method", "paired"]).fails(1, &["as many as in the first (40)"]);
    two_sample(&a, &b, &["--kernel", "gausian()"]).fails(1, &["--kernel", "did you mean `gaussian`?"]);
    two_sample(&a, &b, &["--by", "month"]).fails(1, &["--by", "month"]);
    let wide = file(&folder, "wide.csv", &table("a,b,c", 9, |i| vec![noise(i, 1), noise(i, 2), noise(i, 3)]));
    two_sample(&wide, &wide, &["--picture", "witness"]).fails(1, &["--picture", "one or two columns"]);
    two_sample("-", "-", &[]).fails(1, &["standard input"]);
    let iris = example("iris.csv");
    let independence = |rest: &[&str]| mercer(&[&["test", "independence", &iris], rest].concat());
    independence(&["--x", "sepal_length"]).fails(1, &["--y"]);
    independence(&["--x", "sepal_lenght", "--y", "1"]).fails(1, &["--x", "did you mean `sepal_length`?"]);
    independence(&["--x", "0", "--y", "0,1"]).fails(1, &["--x, --y", "sepal_length", "twice"]);
    independence(&["--x", "0", "--y", "1", "--method", "exact"]).fails(1, &["relabelings"]);
    mercer(&["test", "joint", &iris, "--variable", "0"]).fails(1, &["at least 2, found 1"]);
    mercer_with_input(&["test", "independence", "-", "--x", "0", "--y", "1"], b"a,b\n1,2\n3,4\n")
        .fails(1, &["at least 4, found 2"]);
    let constant = b"a,b\n1,2\n1,3\n1,4\n1,5\n1,7\n";
    mercer_with_input(&["test", "independence", "-", "--x", "0", "--y", "1"], constant).fails(1, &["median"]);
}

#[test]
fn over_the_memory_limit() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "big.csv", &table("a,b,c", 2000, |i| vec![noise(i, 1), noise(i, 2), noise(i, 3)]));
    let run = |words: &[&str]| mercer(&[words, &["--memory", "5MB", "--permutations", "9"]].concat());
    let joint = ["test", "joint", &data, "--variable", "0", "--variable", "1"];
    // A kernel without factors of low rank is stored.
    run(&[&joint[..], &["--kernel", "laplacian()"]].concat())
        .fails(1, &["memory limit is", "fewer points", "--memory"]);
    run(&[&joint[..], &["--quiet"]].concat()).done();
    run(&["test", "conditional", &data, "--x", "0", "--y", "1", "--given", "2"])
        .fails(1, &["fewer points", "--memory"]);
    // The two-sample test stores no matrix.
    run(&["test", "two-sample", &data, &data, "--method", "permutation", "--quiet"]).done();
}
