//! Kernels on strings through every part of the library.

use crate::common::models::round_trip;
use mercer::Expansion;
use mercer::gram::{self, Pairs, SparseRows, Tiles};
use mercer::hypothesis::TwoSample;
use mercer::kernel::Property;
use mercer::learn::svm::Classes;
use mercer::learn::{GaussianProcess, Ridge, Svc};
use mercer::measure::MeanEmbedding;
use mercer::model::{AnyFit, Inputs, Model};
use mercer::points::Strings;
use mercer::{Compute, Error, Kernel, Points, Seed};
use ndarray::{Array1, Array2, array, s};

const KERNELS: [&str; 9] = [
    "spectrum(length=3)",
    "spectrum(length=3, blended=true)",
    "mismatch(length=3, mismatches=1, alphabet=\"ab é\")",
    "subsequence(length=3, decay=0.5)",
    "all_subsequences()",
    "words(weights=counts)",
    "words(weights=tfidf)",
    "normalized(spectrum(length=2)) + 0.5*words(weights=tfidf)*all_subsequences()",
    "exp(normalized(subsequence(length=2)))",
];

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Words of a few letters; some strings are empty.
fn random_strings(seed: u64, count: usize, letters: &str) -> Strings {
    let (letters, mut random) = (letters.chars().collect::<Vec<_>>(), Seed(seed).stream("strings", 0));
    let mut one = |_| -> String {
        let length = random.below(20);
        (0..length).map(|_| letters[random.below(letters.len())]).collect()
    };
    (0..count).map(&mut one).collect()
}

fn within(kernel: &Kernel, strings: &Strings, compute: &Compute) -> Array2<f64> {
    gram::dense(&kernel.bind(Pairs::Within(strings.into()), compute).unwrap(), compute).unwrap()
}

fn between(kernel: &Kernel, rows: &Strings, cols: &Strings) -> Array2<f64> {
    let (bound, n, m) =
        (kernel.bind(Pairs::Between(rows.into(), cols.into()), &Compute::new()).unwrap(), rows.len(), cols.len());
    let mut values = vec![f64::NAN; n * m];
    bound.fill(0..n, 0..m, &mut values);
    Array2::from_shape_vec((n, m), values).unwrap()
}

fn bits(values: &Array2<f64>) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn all_are_proven_and_read_back() {
    for text in KERNELS {
        let k = kernel(text);
        assert_eq!(k.to_string().parse::<Kernel>().unwrap(), k, "{text}");
        assert!(k.property(Property::PositiveSemidefinite).is_proven(), "{text}");
        let strings = random_strings(1, 12, "ab é");
        let bound = k.bind(Pairs::Within((&strings).into()), &Compute::new()).unwrap();
        let resolved = bound.kernel();
        assert_eq!(resolved.to_string().parse::<Kernel>().unwrap(), *resolved, "{resolved}");
    }
    assert!(kernel("all_subsequences()").property(Property::StrictlyPositiveDefinite).is_proven());
    assert!(!kernel("spectrum()").property(Property::StrictlyPositiveDefinite).is_proven());
}

#[test]
fn threads_and_the_other_points_do_not_change_a_value() {
    let strings = random_strings(2, 70, "ab é");
    let (first, second): (Strings, Strings) = (strings.iter().take(41).collect(), strings.iter().skip(41).collect());
    for text in KERNELS {
        let resolved = |k: Kernel| k.bind(Pairs::Within((&strings).into()), &Compute::new()).unwrap().kernel().clone();
        let k = resolved(kernel(text));
        let [one, two, five] = [1, 2, 5].map(|n| within(&k, &strings, &Compute::new().with_threads(n).unwrap()));
        assert_eq!(bits(&one), bits(&two), "{text}");
        assert_eq!(bits(&one), bits(&five), "{text}");
        let block = one.slice(s![..41, 41..]).to_owned();
        for (f, e) in between(&k, &first, &second).iter().zip(&block) {
            assert_close!(*f, *e, 1e-15, "{text}");
        }
    }
}

#[test]
fn empty_strings_unicode_and_short_strings() {
    let strings: Strings = ["", "né", "né🙂né", "ne\u{301}"].into_iter().collect();
    let compute = Compute::new();
    let found = within(&kernel("spectrum(length=3)"), &strings, &compute);
    assert_eq!(found, array![[0., 0., 0., 0.], [0., 0., 0., 0.], [0., 0., 3., 0.], [0., 0., 0., 1.]]);
    let found = within(&kernel("normalized(mismatch(length=3))"), &strings, &compute);
    assert_eq!(found.diag(), array![0.0, 0.0, 1.0, 1.0]);
    let found = within(&kernel("subsequence(length=2, decay=1)"), &strings, &compute);
    assert_eq!(found.row(1), array![0.0, 1.0, 3.0, 0.0]);
    assert_eq!(within(&kernel("all_subsequences()"), &strings, &compute).row(0), array![1.0, 1.0, 1.0, 1.0]);
    let none = Strings::default();
    for text in KERNELS {
        assert_eq!(within(&kernel(text), &none, &compute).dim(), (0, 0));
    }
}

#[test]
fn other_points_are_refused_by_name() {
    let compute = Compute::new();
    let (vectors, strings) = (array![[1.0], [2.0]], random_strings(1, 3, "ab"));
    let refused =
        |text: &str, points: Points<'_>| kernel(text).bind(Pairs::Within(points), &compute).err().unwrap().to_string();
    assert_eq!(refused("spectrum()", (&vectors).into()), "spectrum(length=3) takes strings; the points are vectors");
    let sum = "words(weights=tfidf) + gaussian()";
    assert_eq!(refused(sum, (&strings).into()), "gaussian(lengthscale=1) takes vectors; the points are strings");
    let error =
        kernel("spectrum()").bind(Pairs::Between((&strings).into(), (&vectors).into()), &compute).err().unwrap();
    assert!(matches!(error, Error::WrongPoints { .. }), "{error}");
    let foreign =
        refused("mismatch(length=2, alphabet=\"ACGT\")", (&["AC", "AXC"].into_iter().collect::<Strings>()).into());
    assert!(foreign.contains("row 1") && foreign.contains("\"X\" at position 1"), "{foreign}");
    let long: Strings = ["a".into(), "ab".repeat(600)].into_iter().collect::<Strings>();
    assert!(refused("all_subsequences()", (&long).into()).contains("string 1 (1200 symbols)"));
}

#[test]
fn weights_of_words_are_those_of_the_fit() {
    let compute = Compute::new();
    let fitted: Strings = ["the cat", "the dog", "The end"].into_iter().collect();
    let new: Strings = ["the bird", "a cat"].into_iter().collect();
    let k = kernel("words(weights=tfidf)");
    let resolved = k.bind(Pairs::Within((&fitted).into()), &compute).unwrap().kernel().clone();
    let text = r#"words(weights=tfidf, documents=3, words=["cat", "dog", "end", "the"], counts=[1, 1, 1, 3])"#;
    assert_eq!(resolved.to_string(), text);
    let cat = (4.0_f64 / 2.0).ln() + 1.0;
    assert_eq!(between(&resolved, &new, &fitted), array![[1.0, 1.0, 1.0], [cat * cat, 0.0, 0.0]]);
    // The weights of words that no fitted string has: df = 0.
    let unknown = 4.0_f64.ln() + 1.0;
    assert_eq!(within(&resolved, &new, &compute)[[0, 0]], unknown * unknown + 1.0);
    // Without a fit, the strings of both sides count.
    let pooled = k.bind(Pairs::Between((&new).into(), (&fitted).into()), &compute).unwrap().kernel().to_string();
    assert!(pooled.contains("documents=5") && pooled.contains(r#""the"], counts=[1, 1, 2, 1, 1, 4]"#), "{pooled}");
    let ridge = Ridge::new(k, 0.1).fit(&fitted, array![[1.0], [2.0], [3.0]].view(), None, &compute).unwrap();
    assert_eq!(ridge.kernel(), &resolved);
}

#[test]
fn features_give_the_values() {
    let (rows, cols, compute) = (random_strings(3, 30, "ab é"), random_strings(4, 9, "ab é"), Compute::new());
    let dense = |rows: &SparseRows| {
        let mut dense = Array2::zeros((rows.starts.len() - 1, rows.width));
        for i in 0..dense.nrows() {
            (rows.starts[i]..rows.starts[i + 1]).for_each(|at| dense[[i, rows.columns[at] as usize]] = rows.values[at]);
        }
        dense
    };
    for text in ["spectrum(length=2)", "mismatch(length=4)", "words(weights=tfidf)"] {
        let k = kernel(text);
        let bound = k.bind(Pairs::Between((&rows).into(), (&cols).into()), &compute).unwrap();
        let (f, g) = bound.features().unwrap();
        let (product, found) = (dense(f).dot(&dense(g).t()), between(&k, &rows, &cols));
        found.iter().zip(&product).for_each(|(f, e)| assert_close!(*f, *e, 1e-14, "{text}"));
    }
    let bound = kernel("all_subsequences()").bind(Pairs::Within((&rows).into()), &compute).unwrap();
    assert!(bound.features().is_none());
}

/// Strings over `ab` and strings over `bc`, and the class of each.
fn two_languages() -> (Strings, Vec<usize>) {
    let (a, b) = (random_strings(5, 20, "aab"), random_strings(6, 20, "bcc"));
    (a.iter().chain(b.iter()).collect(), (0..40).map(|i| usize::from(i >= 20)).collect())
}

#[test]
fn classifiers_are_saved_and_loaded() {
    let (strings, of) = two_languages();
    let (new, compute) = (random_strings(7, 15, "abcd"), Compute::new());
    let classes = Classes::from_indices(of, vec!["ab".into(), "bc".into()]).unwrap();
    for text in ["normalized(spectrum(length=2))", "words(weights=tfidf) + spectrum(length=1)", "mismatch(length=2)"] {
        let fit = Svc::new(kernel(text), 1.0).fit(&strings, &classes, None, &compute).unwrap();
        let expected = fit.predict(&new, &compute).unwrap();
        let fit = AnyFit::from(fit);
        let inputs = Inputs::of(&*fit);
        let model = Model::new(fit, inputs).unwrap();
        let loaded = round_trip(&model).into_fitted().take::<mercer::learn::svm::SvcFit>().expect("another kind");
        assert_eq!(loaded.predict(&new, &compute).unwrap(), expected, "{text}");
        assert!(expected.contains(&0) && expected.contains(&1), "{text}: {expected:?}");
    }
}

#[test]
fn regressions_are_saved_and_loaded() {
    let (strings, of) = two_languages();
    let (new, compute) = (random_strings(7, 15, "abcd"), Compute::new());
    let y = Array2::from_shape_fn((40, 1), |(i, _)| of[i] as f64 + 0.01 * i as f64);
    for text in ["spectrum(length=2)", "words(weights=tfidf)", "0.5*normalized(subsequence(length=2))"] {
        let fit = Ridge::new(kernel(text), 0.1).fit(&strings, y.view(), None, &compute).unwrap();
        let expected = fit.predict(&new, &compute).unwrap();
        let fit = AnyFit::from(fit);
        let inputs = Inputs::of(&*fit);
        let model = Model::new(fit, inputs).unwrap();
        let loaded = round_trip(&model).into_fitted().take::<mercer::learn::RidgeFit>().expect("another kind");
        assert_eq!(bits(&loaded.predict(&new, &compute).unwrap()), bits(&expected), "{text}");
    }
}

#[test]
fn gaussian_processes_choose_the_scale() {
    let (strings, of) = two_languages();
    let (y, compute) = (Array1::from_iter(of.iter().map(|&c| 3.0 * c as f64)), Compute::new());
    let process = GaussianProcess::new(kernel("1*normalized(spectrum(length=2))"), 0.1);
    let fit = process.fit(&strings, y.view(), &compute).unwrap();
    let fixed = GaussianProcess { optimize: false, ..process }.fit(&strings, y.view(), &compute).unwrap();
    assert!(fit.log_marginal_likelihood() > fixed.log_marginal_likelihood());
    assert_eq!(fit.mean(&strings, &compute).unwrap().len(), 40);
}

#[test]
fn tests_means_and_functions() {
    let (strings, _) = two_languages();
    let (first, second): (Strings, Strings) = (strings.iter().take(20).collect(), strings.iter().skip(20).collect());
    let (k, compute) = (kernel("spectrum(length=2)"), Compute::new());
    let test = TwoSample { permutations: 199, ..TwoSample::permutation(k.clone()) };
    assert_eq!(test.test(&first, &second, &compute).unwrap().p_value, 1.0 / 200.0);
    let half: Vec<Strings> = (0..2).map(|part| first.iter().skip(part).step_by(2).collect()).collect();
    assert!(test.test(&half[0], &half[1], &compute).unwrap().p_value > 0.05);
    let [p, q] = [&first, &second].map(|x| MeanEmbedding::new(&k, x, None, &compute).unwrap());
    let values = within(&k, &strings, &compute);
    let mean =
        |rows: std::ops::Range<usize>, cols: std::ops::Range<usize>| values.slice(s![rows, cols]).mean().unwrap();
    let squared = mean(0..20, 0..20) + mean(20..40, 20..40) - 2.0 * mean(0..20, 20..40);
    assert_close!(p.distance(&q, &compute).unwrap(), squared.sqrt(), 1e-12);
    let f = Expansion::new(&k, &half[0], Array1::ones(10).view(), &compute).unwrap();
    let g = Expansion::new(&k, &half[1], Array1::ones(10).view(), &compute).unwrap();
    let sum = f.plus(&g).unwrap();
    let direct = values.slice(s![..20, ..]).sum_axis(ndarray::Axis(0));
    let found = sum.evaluate(&strings, &compute).unwrap();
    found.iter().zip(&direct).for_each(|(f, e)| assert_close!(*f, *e, 1e-12));
    assert_close!(sum.norm(&compute).unwrap(), values.slice(s![..20, ..20]).sum().sqrt(), 1e-12);
}

/// What a kernel takes from the strings belongs to the fit: strings that are predicted together do
/// not change each other.
#[test]
fn predictions_do_not_depend_on_the_other_strings() {
    let compute = Compute::new();
    let train: Strings = ["ACCA", "CACA", "AAAC", "", "CC A"].into_iter().collect();
    let y = ndarray::array![[1.0], [2.0], [3.0], [0.5], [0.0]];
    let new: Strings = ["ACCA", "GTG", "AC CA", "ACGCA", ""].into_iter().collect();
    for text in [
        "mismatch(length=2, mismatches=1)",
        "mismatch(length=3, mismatches=1)",
        "normalized(mismatch(length=2, mismatches=1))",
        "words()",
        "words(weights=counts)",
        "spectrum(length=2, blended=true)",
        "subsequence(length=2, decay=0.5)",
        "all_subsequences()",
    ] {
        let fit = Ridge::new(text.parse().unwrap(), 1.0).fit(&train, y.view(), None, &compute).unwrap();
        let together = fit.predict(&new, &compute).unwrap();
        for i in 0..new.len() {
            let one: Strings = [new.get(i)].into_iter().collect();
            let alone = fit.predict(&one, &compute).unwrap()[[0, 0]];
            assert_close!(alone, together[[i, 0]], abs = 1e-14, "{text}: {:?}", new.get(i));
        }
        // The same kernel again from its text.
        let again = fit.kernel().to_string().parse::<Kernel>().unwrap();
        assert_eq!(again, *fit.kernel(), "{text}");
    }
}
