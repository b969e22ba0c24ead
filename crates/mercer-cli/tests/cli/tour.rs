//! Help, completions, manual pages, data description and the demo.

use super::common::{assert_close, example, mercer, mercer_with_input};

const COMMANDS: [&[&str]; 18] = [
    &[],
    &["kernel"],
    &["kernel", "list"],
    &["kernel", "explain"],
    &["kernel", "check"],
    &["kernel", "gram"],
    &["fit", "ridge"],
    &["fit", "gp"],
    &["fit", "spline"],
    &["fit", "smooth"],
    &["fit", "auto"],
    &["predict"],
    &["data", "describe"],
    &["explain", "fit", "ridge"],
    &["explain", "kernel", "gram"],
    &["demo"],
    &["completions"],
    &["man"],
];

#[test]
fn every_command_has_help() {
    for words in COMMANDS {
        let long = mercer(&[words, &["--help"]].concat()).done().out;
        assert!(long.contains("Usage: mercer") && long.contains("--memory"), "{words:?}: {long}");
        assert!(mercer(&[words, &["-h"]].concat()).done().out.contains("Usage: mercer"));
    }
    for words in &COMMANDS[2..12] {
        assert!(mercer(&[words, &["--help"][..]].concat()).done().out.contains("Examples:"), "{words:?}");
    }
    let out = mercer(&["--help"]).done().out;
    assert!(out.contains("Exit codes:") && out.contains("NO_COLOR"));
    assert!(mercer(&["--version"]).done().out.starts_with("mercer 0."));
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let out = mercer(&["completions", shell]).done().out;
        assert!(out.contains("mercer") && out.contains("gram") && out.len() > 1000, "{shell}");
    }
    mercer(&["completions", "tcsh"]).fails(1, &["tcsh"]);
}

#[test]
fn manual_pages() {
    let out = mercer(&["man"]).done().out;
    assert!(out.contains(".TH mercer 1"), "{out}");
    let folder = tempfile::tempdir().unwrap();
    let pages = mercer(&["man", "--output", folder.path().to_str().unwrap(), "--json"]).json();
    assert!(pages["pages"].as_array().unwrap().iter().any(|p| p == "mercer-kernel-gram.1"));
    let page = std::fs::read_to_string(folder.path().join("mercer-kernel-gram.1")).unwrap();
    assert!(page.contains("mercer-kernel-gram") && page.contains("against"));
}

#[test]
fn data_is_described() {
    let out = mercer(&["data", "describe", &example("iris.csv")]).done().out;
    for word in ["150 rows, 5 columns", "petal_width", "setosa (50)", "5.84333"] {
        assert!(out.contains(word), "{word}: {out}");
    }
    let json = mercer(&["data", "describe", &example("co2.csv"), "--json"]).json();
    assert_eq!((json["rows"].as_u64(), json["columns"][1]["missing"].as_u64()), (Some(2284), Some(59)));
    assert_close(&json["columns"][1]["max"], 373.9, 1e-15);
}

#[test]
fn data_with_peculiarities_is_described_with_remarks() {
    let text = b"a,b,c\n1,x,\n1,y,2\n1,x,inf\n";
    let out = mercer_with_input(&["data", "describe", "-"], text).done().out;
    for word in ["same value in every row: a", "missing values: c", "infinite values: c", "x (2), y (1)"] {
        assert!(out.contains(word), "{word}: {out}");
    }
    let json = mercer_with_input(&["data", "describe", "-", "--columns", "b", "--json"], text).json();
    assert_eq!(json["columns"][0]["levels"][0], serde_json::json!({ "level": "x", "count": 2 }));
    let json = mercer_with_input(&["data", "describe", "-", "--json"], b"a,b\n").json();
    assert_eq!(json["rows"], 0);
}

#[test]
fn the_demo_shows_a_proof_a_refutation_and_leaves_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("pictures");
    let words = ["demo", "--output", target.to_str().unwrap()];
    let out = mercer(&words).done().out;
    for word in [
        "is PSD",
        "Schur",
        "✗ refuted: cᵀKc = -",
        "RMSE on held-out rows",
        "same distribution: rejected",
        "RMSE of the forecast",
        "gaussian(lengthscale=median)",
        "gram.png",
    ] {
        assert!(out.contains(word), "{word}: {out}");
    }
    let bytes = |name: &str| std::fs::read(target.join(name)).unwrap();
    for name in ["concrete.svg", "two-sample.svg", "gram.svg", "functions.svg", "co2.svg"] {
        assert!(bytes(name).starts_with(b"<svg"));
    }
    let before = [bytes("gram.png"), bytes("functions.png")];
    assert!(before.iter().all(|b| b.starts_with(b"\x89PNG") && b.len() < 150_000));
    let json = mercer(&[&words[..], &["--json", "--threads", "1"]].concat()).json();
    assert_eq!(json["files"].as_array().unwrap().len(), 10);
    // The best linear regression of these rows has an RMSE of about 10 MPa.
    let rmse = json["steps"][2]["result"]["rmse"].as_f64().unwrap();
    assert!((3.0..7.0).contains(&rmse), "{rmse}");
    assert_eq!(before, [bytes("gram.png"), bytes("functions.png")], "the same seed gives the same pictures");
}

#[test]
fn no_colors_in_pipes() {
    for words in [&["kernel", "list"][..], &["kernel", "explain", "gaussian()"], &["--help"]] {
        assert!(!mercer(words).done().out.contains('\x1b'), "{words:?}");
    }
}
