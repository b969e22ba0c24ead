//! Pictures and pages: what is on them, and how large they may be.

use super::common::{example, file, mercer, path_in};

/// Bytes of a page, whatever the data.
const PAGE: usize = 2_000_000;

fn page(path: &str) -> String {
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page.len() < PAGE, "{} bytes", page.len());
    page
}

/// A table of so many rows: x in [0, 1], and so many targets that depend on it with noise.
fn waves(rows: usize, targets: usize) -> Vec<u8> {
    let names: Vec<String> = (0..targets).map(|j| format!("y{j}")).collect();
    let mut text = format!("x,z,{}\n", names.join(","));
    for i in 0..rows {
        let x = i as f64 / rows as f64;
        let noise = ((i * 7919) % 1000) as f64 / 1000.0 - 0.5;
        let values: Vec<String> = (0..targets).map(|j| format!("{:.4}", (6.0 * x + j as f64).sin() + noise)).collect();
        text.push_str(&format!("{x:.5},{:.3},{}\n", ((i * 31) % 97) as f64 / 97.0, values.join(",")));
    }
    text.into_bytes()
}

/// 100 000 rows of three targets with intervals are thinned, with a line below the picture.
#[test]
fn a_page_of_many_rows_and_targets_stays_small() {
    let folder = tempfile::tempdir().unwrap();
    let small = file(&folder, "small.csv", &waves(300, 3));
    let large = file(&folder, "large.csv", &waves(100_000, 3));
    let (model, html) = (path_in(&folder, "m.st"), path_in(&folder, "p.html"));
    let words = ["fit", "ridge", &small, "--target", "y0,y1,y2", "--kernel", "gaussian(lengthscale=0.3)"];
    mercer(&[&words[..], &["--lambda", "0.1", "-o", &model]].concat()).done();
    let words = ["predict", &model, &large, "-q", "--report", &html, "--interval", "0.9"];
    let printed = mercer(&words).done().out;
    assert!(printed.lines().count() > 100_000, "the output is complete");
    let found = page(&html);
    assert!(found.contains("of 300 000 points"), "the cloud of the three targets");
    assert!(found.contains("more lines"), "the predictions on the page are the first ones");
    assert!(found.contains("Coverage of 90 % intervals: y2"));
    let output = path_in(&folder, "o.csv");
    mercer(&[&words[..], &["-o", &output]].concat()).done();
    page(&html);
}

/// Every class of 40 has its curve and region.
#[test]
fn a_page_of_many_classes_stays_small() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("a,b,c,kind\n");
    for i in 0..1200 {
        let kind = i % 40;
        let at = |p: usize| kind as f64 * p as f64 % 7.0 + ((i * p) % 101) as f64 / 101.0;
        text.push_str(&format!("{:.4},{:.4},{:.4},k{kind}\n", at(3), at(11), at(29)));
    }
    let data = file(&folder, "d.csv", text.as_bytes());
    let html = path_in(&folder, "p.html");
    let words = ["fit", "svm", &data, "--target", "kind", "--kernel", "gaussian(lengthscale=0.2)", "-C", "10"];
    mercer(&[&words[..], &["-q", "--report", &html]].concat()).done();
    assert!(page(&html).contains("the first 24 of 40 curves"));
}

#[test]
fn a_page_of_many_columns_stays_small() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..5000).map(|j| format!("a column with a long name {j}")).collect();
    let row = |i: usize| (0..5000).map(|j| format!("{}.{:03}", i, (i * j) % 997)).collect::<Vec<_>>().join(",");
    let data = file(&folder, "wide.csv", format!("{}\n{}\n{}\n", names.join(","), row(1), row(2)).as_bytes());
    let html = path_in(&folder, "p.html");
    let printed = mercer(&["data", "describe", &data, "--report", &html]).done().out;
    assert!(printed.lines().count() > 5000, "the terminal shows every column");
    let found = page(&html);
    assert!(found.contains("long name 199") && !found.contains("long name 200"));
    assert!(found.contains("… and 4 800 more rows"));
}

#[test]
fn a_fit_shows_residuals_influence_and_coverage() {
    let folder = tempfile::tempdir().unwrap();
    let data = file(&folder, "d.csv", &waves(120, 1));
    let html = path_in(&folder, "p.html");
    let words = |learner: &'static str| {
        let words = ["fit", learner, &data, "--target", "y0", "--drop", "z", "-q", "--report", &html];
        mercer(&words).done();
        page(&html)
    };
    for learner in ["ridge", "spline", "smooth"] {
        let found = words(learner);
        for title in ["Residuals: y0", "leave-one-out residual", "Normal quantiles", "Influence of single rows"] {
            assert!(found.contains(title), "{learner}: {title}");
        }
        assert!(found.contains("largest Cook&apos;s distances: rows ") || found.contains("largest Cook's distances"));
        assert!(found.contains("Coverage of intervals: y0, leave-one-out"), "{learner}");
    }
    let found = words("gp");
    assert!(found.contains("Residuals: y0") && found.contains("Coverage of intervals: y0, leave-one-out"));
    let found = words("svr");
    assert!(found.contains("Residuals: y0") && !found.contains("Influence"), "no leave-one-out");
}

#[test]
fn probabilities_are_compared_with_frequencies() {
    let folder = tempfile::tempdir().unwrap();
    let (iris, html, model) = (example("iris.csv"), path_in(&folder, "p.html"), path_in(&folder, "m.st"));
    let words = ["fit", "logistic", &iris, "--target", "species", "-q", "--report", &html, "-o", &model];
    mercer(&words).done();
    assert!(page(&html).contains("Calibration of probabilities: on the data of the fit"));
    mercer(&["predict", &model, &iris, "-q", "--report", &html]).done();
    let found = page(&html);
    assert!(found.contains("Calibration of probabilities: 150 rows") && found.contains("observed frequency"));
}

#[test]
fn a_refuted_kernel_is_drawn_and_a_proven_one_has_no_picture() {
    let folder = tempfile::tempdir().unwrap();
    let (picture, html) = (path_in(&folder, "p.svg"), path_in(&folder, "p.html"));
    let kernel = "tanh(scale=1, offset=0)";
    let json = mercer(&["kernel", "check", kernel, "--plot", &picture, "--report", &html, "--json"]).json();
    let found = std::fs::read_to_string(&picture).unwrap();
    let value = json["value"].as_f64().unwrap();
    assert!(value < 0.0 && found.contains(&format!("{:.4}", -value)), "{found}");
    assert!(found.contains("negative weight") && found.contains("positive weight"));
    assert!(page(&html).contains("at the points of the counterexample"));
    mercer(&["kernel", "check", "gaussian()", "--plot", &picture]).fails(1, &["--plot", "no picture"]);
    let data = file(&folder, "d.csv", b"x\n0.5\n2.2\n1.5\n");
    mercer(&["kernel", "check", kernel, &data, "--report", &html]).done();
    let found = page(&html);
    assert!(found.contains("Eigenvalues:") && found.contains("Not positive semi-definite"));
}

/// The cells of the picture of an ordered matrix are those of the matrix of the ordered rows.
#[test]
fn a_matrix_is_drawn_by_group_or_along_its_component() {
    let folder = tempfile::tempdir().unwrap();
    let mixed = file(&folder, "mixed.csv", b"x,kind\n0,a\n5,b\n0.2,a\n5.5,b\n0.1,a\n");
    let sorted = file(&folder, "sorted.csv", b"x\n0\n0.2\n0.1\n5\n5.5\n");
    let (one, two) = (path_in(&folder, "one.svg"), path_in(&folder, "two.svg"));
    let kernel = "gaussian(lengthscale=1)";
    let cells = |path: &str| {
        let text = std::fs::read_to_string(path).unwrap();
        text.split("base64,").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let json = mercer(&["kernel", "gram", kernel, &mixed, "--order", "kind", "--plot", &one, "--json"]).json();
    assert_eq!(json["matrix"][0][2].as_f64(), Some((-0.02_f64).exp()), "the matrix keeps the order of the file");
    mercer(&["kernel", "gram", kernel, &sorted, "--plot", &two]).done();
    assert_eq!(cells(&one), cells(&two));
    let names = std::fs::read_to_string(&one).unwrap();
    assert!(names.contains(">\na\n<") && names.contains(">\nb\n<"), "{names}");
    // The component separates two groups of equal points, one of them first.
    let twice = file(&folder, "twice.csv", b"x\n0\n1\n0\n1\n0\n");
    mercer(&["kernel", "gram", kernel, &twice, "--order", "spectrum", "--plot", &two]).done();
    let orders = [&b"x\n0\n0\n0\n1\n1\n"[..], b"x\n1\n1\n0\n0\n0\n"].map(|text| {
        mercer(&["kernel", "gram", kernel, &file(&folder, "ordered.csv", text), "--plot", &one]).done();
        cells(&one)
    });
    assert!(orders.contains(&cells(&two)) && orders[0] != orders[1]);
    mercer(&["kernel", "gram", kernel, &mixed, "--order", "nothing", "--plot", &two]).fails(1, &["--order", "nothing"]);
    mercer(&["kernel", "gram", kernel, &mixed, "--order", "kind", "--against", &mixed]).fails(1, &["--against"]);
    mercer(&["kernel", "gram", "precomputed()", &sorted, "--order", "spectrum", "--plot", &two]).fails(1, &[]);
}

/// 9 and 36 columns are images of 3 × 3 and 6 × 6 pixels.
#[test]
fn matches_of_images_are_drawn_beside_their_queries() {
    let folder = tempfile::tempdir().unwrap();
    let table = |side: usize| {
        let names: Vec<String> = (0..side * side).map(|j| format!("p{j}")).collect();
        let mut text = format!("who,{}\n", names.join(","));
        for i in 0..12 {
            let (kind, shade) = (i % 3, 1.0 + 0.1 * i as f64);
            let pixel = |j: usize| {
                let on = match kind {
                    0 => j / side < side / 3,
                    1 => j % side < side / 3,
                    _ => j / side == j % side,
                };
                format!("{:.3}", if on { shade } else { 0.01 * ((i * j) % 5) as f64 })
            };
            let row: Vec<String> = (0..side * side).map(pixel).collect();
            text.push_str(&format!("{},{}\n", ["top", "left", "cross"][kind], row.join(",")));
        }
        text.into_bytes()
    };
    let (low, high) = (file(&folder, "low.csv", &table(3)), file(&folder, "high.csv", &table(6)));
    let (picture, model) = (path_in(&folder, "p.svg"), path_in(&folder, "m.st"));
    let words = ["match", &low, &high, "--id", "who", "--components", "2", "--plot", &picture];
    mercer(&[&words[..], &["--model", &model]].concat()).done();
    let found = std::fs::read_to_string(&picture).unwrap();
    assert_eq!(found.matches("<image").count(), 6 * 6, "six queries with five matches");
    assert!(found.contains("match 5") && found.contains("same group") && found.contains("cross"));
    mercer(&[&words[..], &["--images", "1x9,4x9"]].concat()).done();
    mercer(&[&words[..], &["--images", "2x5"]].concat()).fails(1, &["--images", "2 × 5", "9 columns"]);
    mercer(&[&words[..], &["--images", "3by3"]].concat()).fails(1, &["--images", "28x28"]);
    mercer(&["match", &low, &high, "--id", "who", "--using", &model, "--plot", &picture]).done();
    assert!(std::fs::read_to_string(&picture).unwrap().contains("<image"));
}

#[test]
fn weights_of_kernels_are_drawn_with_their_shares() {
    let folder = tempfile::tempdir().unwrap();
    let (iris, html) = (example("iris.csv"), path_in(&folder, "p.html"));
    let kernels = ["--kernels", "linear()", "--kernels", "gaussian(lengthscale=1)"];
    let words = ["fit", "multiple-ridge", &iris, "--target", "petal_width", "--drop", "species", "--report", &html];
    mercer(&[&words[..], &kernels[..]].concat()).done();
    let found = page(&html);
    assert!(found.contains("Weights of the kernels") && found.contains("Shares of the kernels"));
    assert!(found.contains("share of ‖f‖²"));
}
