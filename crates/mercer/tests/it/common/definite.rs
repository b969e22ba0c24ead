//! Helpers for integration tests: comparison, naive Gram matrices, random expressions.
#![allow(dead_code)]

use mercer::kernel::catalogue;
use mercer::{Kernel, Seed, Stream};
use ndarray::Array2;

/// `|found − expected| ≤ atol + rtol·|expected|`; NaN fails.
pub fn assert_close(found: f64, expected: f64, rtol: f64, atol: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(error <= atol + rtol * expected.abs(), "{what}: found {found:e}, expected {expected:e}, error {error:e}");
}

/// The Gram matrix pair by pair; `None` where the points do not fit the kernel or a value
/// overflows.
pub fn naive_gram(kernel: &Kernel, points: &Array2<f64>) -> Option<Array2<f64>> {
    let rows: Vec<Vec<f64>> = points.rows().into_iter().map(|r| r.to_vec()).collect();
    let mut gram = Array2::zeros((rows.len(), rows.len()));
    for (i, x) in rows.iter().enumerate() {
        for (j, y) in rows.iter().enumerate() {
            gram[[i, j]] = kernel.evaluate(x, y).ok().filter(|v| v.is_finite())?;
        }
    }
    Some(gram)
}

/// `−½ JKJ`.
pub fn centered_half(gram: &Array2<f64>) -> Array2<f64> {
    let n = gram.nrows();
    let j = Array2::<f64>::eye(n) - 1.0 / n as f64;
    j.dot(gram).dot(&j) * -0.5
}

/// Points that the kernel takes: the first of the line, the half line and the open unit interval,
/// in 3, 1 and 2 columns.
pub fn points_for(kernel: &Kernel, n: usize, stream: &mut Stream) -> Option<Array2<f64>> {
    for d in [3, 1, 2] {
        let raw = Array2::from_shape_fn((n, d), |_| 1.2 * stream.normal());
        for shape in [|v: f64| v, f64::abs, |v: f64| 0.01 + 0.98 * (v.abs() - v.abs().floor())] {
            let points = raw.mapv(shape);
            if naive_gram(kernel, &points).is_some() {
                return Some(points);
            }
        }
    }
    None
}

/// Every example of the catalogue.
pub fn examples() -> Vec<&'static str> {
    catalogue::entries().flat_map(|e| e.examples.iter().copied()).collect()
}

/// Every example of the catalogue that is not on strings, graphs, bags or diagrams.
pub fn vector_examples() -> Vec<&'static str> {
    let vectors = catalogue::entries().filter(|e| e.domain.objects().is_none());
    vectors.flat_map(|e| e.examples.iter().copied()).collect()
}

/// A random expression over the examples of the catalogue.
pub fn random_text(depth: usize, stream: &mut Stream) -> String {
    let examples = examples();
    let leaf = |s: &mut Stream| examples[s.below(examples.len())].to_string();
    if depth == 0 {
        return leaf(stream);
    }
    let inner = |s: &mut Stream| {
        let depth = s.below(depth);
        random_text(depth, s)
    };
    let a = inner(stream);
    match stream.below(19) {
        0 => format!("({a}) + ({})", inner(stream)),
        1 => format!("({a}) * ({})", inner(stream)),
        2 => format!("0.5*({a})"),
        3 => format!("0*({a})"),
        4 => format!("({a})^2"),
        5 => format!("({a})^3"),
        6 => format!("exp(0.3*({a}))"),
        7 => format!("series([0.5, 0, 1], {a})"),
        8 => format!("series(geometric, 0.2*normalized({a}))"),
        9 => format!("normalized({a})"),
        10 => format!("on([0], {a})"),
        11 => format!("minus({a}, {})", inner(stream)),
        12 => format!("conformal({a}, by=quadratic())"),
        13 => format!("conformal({a}, by=gaussian(lengthscale=2))"),
        14 => format!("transformed({a}, by={})", ["abs()", "square()", "unit()", "sqrt()", "log1p()"][stream.below(5)]),
        15 => format!("schoenberg({a}, t=0.5)"),
        16 => format!("based({a}, at=[0.5, 0.25, 0.75])"),
        17 => format!("minus(constant(value=2), {a})"),
        _ => format!("series({}, 0.5*({a}))", ["cosh", "sinh", "geometric", "logarithm"][stream.below(4)]),
    }
}

/// `count` random expressions that parse, and every example.
pub fn many_kernels(count: u64) -> Vec<Kernel> {
    let random = (0..count).map(|i| {
        let mut stream = Seed(11).stream("expressions", i);
        let depth = 1 + stream.below(3);
        random_text(depth, &mut stream)
    });
    let texts = examples().into_iter().map(String::from).chain(random);
    texts.map(|t| t.parse().unwrap_or_else(|e| panic!("{t}: {e}"))).collect()
}
