//! Golden values of kernels on strings (c17) and published examples (c18).

use crate::common::golden::{Golden, matrix, numbers};
use mercer::gram::{self, Pairs};
use mercer::points::Strings;
use mercer::{Compute, Kernel};
use ndarray::Array2;
use serde_json::Value;

fn strings(list: &Value) -> Strings {
    list.as_array().unwrap().iter().map(|s| s.as_str().unwrap()).collect()
}

fn gram(text: &str, strings: &Strings) -> Array2<f64> {
    let (kernel, compute): (Kernel, _) = (text.parse().unwrap(), Compute::new());
    gram::dense(&kernel.bind(Pairs::Within(strings.into()), &compute).unwrap(), &compute).unwrap()
}

fn check(golden: &Golden, key: &str, text: &str, input: &str) {
    let (found, expected) = (gram(text, &strings(golden.input(input))), matrix(&golden.expected()[key]));
    assert_eq!(found.dim(), expected.dim());
    golden.check_all(key, text, found.as_slice().unwrap(), expected.as_slice().unwrap());
}

#[test]
fn kernels_on_strings() {
    let golden = Golden::load("c17_string_kernels");
    for (key, text) in [
        ("spectrum_1", "spectrum(length=1)"),
        ("spectrum_2", "spectrum(length=2)"),
        ("spectrum_3", "spectrum(length=3)"),
        ("blended_3", "spectrum(length=3, blended=true)"),
    ] {
        check(&golden, key, text, "strings");
    }
    check(&golden, "all_subsequences_short", "all_subsequences()", "short_strings");
    for text in ["mismatch()", "mismatch(alphabet=\"ACGT\")", "mismatch(alphabet=\"TTGCA\")"] {
        check(&golden, "mismatch_dna", text, "dna");
    }
}

#[test]
fn gap_weighted_subsequences() {
    let golden = Golden::load("c17_string_kernels");
    let mut checked = 0;
    for (decay, name) in [("0.5", "1_over_2"), ("0.9", "9_over_10"), ("1", "1")] {
        for length in 1..=4 {
            let text = format!("subsequence(length={length}, decay={decay})");
            let key = format!("gap_weighted_n{length}_lambda_{name}");
            check(&golden, &key, &text, "strings");
            let normalized = format!("{key}_normalised");
            if golden.expected().contains_key(&normalized) {
                check(&golden, &normalized, &format!("normalized({text})"), "strings");
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 2);
}

#[test]
fn published_examples() {
    let golden = Golden::load("c18_published_string_examples");
    check(&golden, "spectrum2", "spectrum(length=2)", "spectrum_strings");
    check(&golden, "all_subsequences", "all_subsequences()", "all_subsequences_strings");
    let pair: Strings = ["statistics", "computation"].into_iter().collect();
    let key = "spectrum3_statistics_computation";
    assert_eq!(gram("spectrum(length=3)", &pair)[[0, 1]], golden.expected()[key].as_f64().unwrap());
    let cats: Strings = ["cat", "car"].into_iter().collect();
    let expected = |key: &str, i: usize| numbers(&golden.expected()[key])[i];
    for (i, decay) in numbers(golden.input("lambda")).into_iter().enumerate() {
        let text = format!("subsequence(length=2, decay={decay})");
        let (plain, cosine) = (gram(&text, &cats), gram(&format!("normalized({text})"), &cats));
        for (key, found) in
            [("K_cat_car", plain[[0, 1]]), ("K_cat_cat", plain[[0, 0]]), ("normalised_cat_car", cosine[[0, 1]])]
        {
            golden.check(key, &text, found, expected(key, i));
        }
    }
}
