//! Explicit features of composed kernels: their inner products are the values.

use mercer::gram::{self, Pairs, SparseRows, Tiles};
use mercer::points::{Mixed, Strings};
use mercer::{Compute, Kernel, Points, Seed};
use ndarray::{Array2, array};

use crate::common::graphs::random;

fn dense(rows: &SparseRows) -> Array2<f64> {
    let mut dense = Array2::zeros((rows.starts.len() - 1, rows.width));
    for i in 0..dense.nrows() {
        (rows.starts[i]..rows.starts[i + 1]).for_each(|at| dense[[i, rows.columns[at] as usize]] = rows.values[at]);
    }
    dense
}

/// Strings of 0 to 11 letters.
fn strings(seed: u64, count: usize) -> Strings {
    let mut random = Seed(seed).stream("strings", 0);
    let one = |_| (0..random.below(12)).map(|_| ["a", "b", "c", " "][random.below(4)]).collect::<String>();
    (0..count).map(one).collect::<Vec<_>>().iter().map(String::as_str).collect()
}

fn assert_features(text: &str, pairs: Pairs<'_>) {
    let (kernel, compute): (Kernel, _) = (text.parse().unwrap(), Compute::new());
    let bound = kernel.bind(pairs, &compute).unwrap();
    let (f, g) = bound.features().unwrap_or_else(|| panic!("{text} has no features"));
    assert!(bound.kernel().has_features(), "{text}");
    assert!(f.values.iter().chain(&g.values).all(|v| *v != 0.0), "{text}");
    let (found, expected) = (dense(f).dot(&dense(g).t()), gram::dense(&bound, &compute).unwrap());
    assert_eq!(found.dim(), bound.shape());
    found.iter().zip(&expected).for_each(|(f, e)| assert_close!(*f, *e, 1e-14, "{text}"));
}

#[test]
fn multiples_sums_and_normalized_kernels_have_the_features_of_their_parts() {
    let (rows, cols) = (strings(1, 20), strings(2, 9));
    // Some strings are shorter than the substrings: their norm is 0.
    for text in [
        "3*spectrum(length=2)",
        "0*spectrum(length=2)",
        "normalized(spectrum(length=3))",
        "spectrum(length=1) + 2*normalized(words()) + 0.5",
        "normalized(spectrum(length=3) + 0.25*mismatch(length=4)) + 2*constant()",
        "2*normalized(3*normalized(spectrum(length=2)) + 1)",
    ] {
        assert_features(text, Pairs::Within((&rows).into()));
        assert_features(text, Pairs::Between((&rows).into(), (&cols).into()));
    }
    let (rows, cols) = (random(3, 12, false), random(4, 7, false));
    for text in ["normalized(weisfeiler_lehman(depth=2))", "shortest_path() + 2*normalized(vertex_histogram())"] {
        assert_features(text, Pairs::Within((&rows).into()));
        assert_features(text, Pairs::Between((&rows).into(), (&cols).into()));
    }
}

#[test]
fn columns_of_a_table_have_features() {
    let table = |seed: u64, count: usize| {
        let numbers = Array2::from_shape_fn((count, 1), |(i, _)| i as f64);
        let columns =
            vec![("title".into(), strings(seed, count).into()), ("text".into(), strings(seed + 1, count).into())];
        Mixed::new(numbers, vec!["price".into()], columns).unwrap()
    };
    let (rows, cols) = (table(1, 15), table(5, 8));
    for text in [
        "on([text], spectrum(length=2))",
        "on([title], normalized(spectrum(length=1))) + 0.5*on([text], words())",
        "normalized(on([title], spectrum(length=2)) + on([text], spectrum(length=2)))",
    ] {
        assert_features(text, Pairs::Within((&rows).into()));
        assert_features(text, Pairs::Between((&rows).into(), (&cols).into()));
    }
    let sum: Kernel = "on([text], spectrum(length=2)) + on([price], linear())".parse().unwrap();
    assert!(sum.bind(Pairs::Within((&rows).into()), &Compute::new()).unwrap().features().is_none());
}

#[test]
fn other_kernels_have_none() {
    let (rows, compute) = (strings(1, 5), Compute::new());
    for text in ["exp(spectrum(length=2))", "spectrum(length=2)*spectrum(length=1)", "2*all_subsequences()", "1"] {
        let kernel: Kernel = text.parse().unwrap();
        let bound = kernel.bind(Pairs::Within(Points::from(&rows)), &compute).unwrap();
        assert!(bound.features().is_none() && !kernel.has_features(), "{text}");
    }
    let bound = "gaussian()".parse::<Kernel>().unwrap();
    let x = array![[0.0], [1.0]];
    assert!(bound.bind(Pairs::within(x.view()), &compute).unwrap().features().is_none());
}

/// Many pairs are multiplied through the features, by every number of threads to the same bytes.
#[test]
fn products_through_features_are_those_of_the_values() {
    let (rows, cols) = (strings(7, 2000), strings(8, 1100));
    let kernel: Kernel = "normalized(spectrum(length=2)) + 0.5".parse().unwrap();
    let v = Array2::from_shape_fn((1100, 3), |(i, j)| ((i * 3 + j) as f64).sin());
    let product = |threads: usize| {
        let compute = Compute::new().with_threads(threads).unwrap();
        let bound = kernel.bind(Pairs::Between((&rows).into(), (&cols).into()), &compute).unwrap();
        let found = gram::multiply(&bound, v.view(), &compute).unwrap();
        (found, gram::dense(&bound, &compute).unwrap().dot(&v))
    };
    let (found, expected) = product(1);
    assert_close!(&found, &expected, each = 1e-11);
    for threads in [2, 5] {
        assert_eq!(product(threads).0, found);
    }
}
