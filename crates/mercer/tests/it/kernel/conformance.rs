//! What every kernel must satisfy, whatever it computes: run for each example of the catalogue and
//! for random expressions.

use mercer::conformance::{self, Law, Options, Outcome};
use mercer::gram::{self, Bound, Pairs, Tiles};
use mercer::kernel::{Kernel, catalogue};
use mercer::points::{Bags, Diagrams, Strings};
use mercer::{Compute, Sample, Seed};
use ndarray::{Array2, ArrayView2, s};

/// Points inside every domain of the catalogue: `(0.05, 0.95)ᵈ`.
fn sample(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut random = Seed(seed).stream("conformance", d as u64);
    Array2::from_shape_fn((n, d), |_| 0.05 + 0.9 * random.uniform())
}

/// A sample with as many columns as the kernel needs.
fn sample_for(kernel: &Kernel, n: usize, seed: u64) -> Option<Array2<f64>> {
    [3, 1, 2]
        .into_iter()
        .map(|d| sample(n, d, seed))
        .find(|x| kernel.bind(Pairs::within(x.view()), &Compute::new()).is_ok())
}

/// Small samples of every other kind; a new kind of points is added here.
fn objects_for(kernel: &Kernel) -> Option<Sample> {
    let graphs = crate::common::graphs::random(1, 7, false);
    let few = crate::common::graphs::chosen(&crate::common::graphs::mutag().0, 0..5);
    let samples: [Sample; 6] =
        [strings("ACGT ").into(), strings("ACGT").into(), bags().into(), diagrams().into(), graphs.into(), few.into()];
    samples.into_iter().find(|objects| kernel.bind(Pairs::Within(objects.into()), &Compute::new()).is_ok())
}

/// An empty string, and strings that begin with all letters: without a given alphabet, the values of
/// `mismatch` depend on the letters that are there.
fn strings(alphabet: &str) -> Strings {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut random = Seed(1).stream("strings", 0);
    let mut one = |i: usize| -> String {
        let first = random.permutation(letters.len());
        let rest: Vec<usize> = (0..i).map(|_| random.below(letters.len())).collect();
        first.into_iter().chain(rest).map(|at| letters[at]).collect()
    };
    (1..9).map(&mut one).chain([String::new()]).collect()
}

fn bags() -> Bags {
    let bags: Vec<Array2<f64>> = (0..7).map(|i| sample(1 + i % 4, 3, i as u64)).collect();
    Bags::new(&bags.iter().map(|bag| bag.view()).collect::<Vec<_>>()).unwrap()
}

/// Intervals `[x, x + y]`; the first diagram is empty.
fn diagrams() -> Diagrams {
    let diagrams: Vec<Array2<f64>> = (0..7)
        .map(|i| {
            let mut intervals = sample(i % 4, 2, i as u64);
            intervals.rows_mut().into_iter().for_each(|mut interval| interval[1] += interval[0]);
            intervals
        })
        .collect();
    Diagrams::new(&diagrams.iter().map(|diagram| diagram.view()).collect::<Vec<_>>(), None).unwrap()
}

/// Distances of embeddings are differences of like numbers, and derivatives are compared with
/// differences in double precision.
const OBJECTS: Options = Options { relative: 1e-12, absolute: 1e-14, derivative: 1e-7 };

fn fill(bound: &Bound<'_>) -> Array2<f64> {
    let (n, m) = bound.shape();
    let mut values = vec![0.0; n * m];
    bound.fill(0..n, 0..m, &mut values);
    Array2::from_shape_vec((n, m), values).unwrap()
}

fn examples() -> impl Iterator<Item = (&'static str, Kernel)> {
    catalogue::entries().flat_map(|e| e.examples).map(|text| (*text, text.parse().unwrap()))
}

/// Relative to the largest value of the matrix, so that cancellation in differences is measured by
/// the terms.
fn assert_same(text: &str, found: &Array2<f64>, expected: &Array2<f64>, tolerance: f64) {
    let scale = expected.iter().fold(1e-300_f64, |m, v| m.max(v.abs()));
    for (at, (f, e)) in found.iter().zip(expected).enumerate() {
        assert_close!(*f, *e, abs = tolerance * scale, "{text}: value {at} is {f:?}, expected {e:?}");
    }
}

fn reference(kernel: &Kernel, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((x.nrows(), y.nrows()), |(i, j)| {
        kernel.evaluate(&x.row(i).to_vec(), &y.row(j).to_vec()).unwrap()
    })
}

/// A sum of terms of both signs is judged by the terms it is made of.
fn options(text: &str) -> Options {
    let cancels = ["minus", "based", "finite_rank"].iter().any(|name| text.contains(name));
    Options { absolute: if cancels { 4e-16 } else { 0.0 }, ..Options::default() }
}

/// Laws that every kernel of the language has.
const ALWAYS: [Law; 9] = [
    Law::FiniteValues,
    Law::Symmetric,
    Law::Tiles,
    Law::CrossTiles,
    Law::Diagonal,
    Law::SmallSamples,
    Law::SinglePrecision,
    Law::TextRoundTrip,
    Law::Threads,
];

#[test]
fn every_kernel_conforms() {
    let compute = Compute::new();
    let mut held = [0; Law::ALL.len()];
    for (text, kernel) in examples() {
        let report = if let Some(x) = sample_for(&kernel, 17, 1) {
            conformance::check(&kernel, x.view(), &options(text), &compute)
        } else if let Some(objects) = objects_for(&kernel) {
            conformance::check_points(&kernel, &objects, &OBJECTS, &compute)
        } else {
            assert!(text.contains("precomputed"), "{text} accepts no sample");
            continue;
        };
        assert!(report.passed(), "{report}");
        for law in ALWAYS {
            assert_eq!(*report.outcome(law), Outcome::Held, "{text}: {}", law.name());
        }
        let applies = |outcome: &Outcome| usize::from(*outcome == Outcome::Held);
        held.iter_mut().zip(&report.outcomes).for_each(|(count, (_, outcome))| *count += applies(outcome));
    }
    let count = |law: Law| held[Law::ALL.iter().position(|l| *l == law).unwrap()];
    assert!(count(Law::Tiles) >= 70, "only {} examples were run", count(Law::Tiles));
    for (law, least) in [
        (Law::Derivatives, 45),
        (Law::ContractedDerivatives, 45),
        (Law::PositiveSemidefinite, 50),
        (Law::NegativeSemidefinite, 5),
        (Law::ShiftInvariant, 20),
        (Law::Bounded, 25),
    ] {
        assert!(count(law) >= least, "{} was tested on {} examples only", law.name(), count(law));
    }
}

#[test]
fn random_expressions_agree_with_the_reference() {
    let compute = Compute::new();
    let mut bound_count = 0;
    for trial in 0..crate::common::effort(3000, 60_000) {
        let kernel = crate::common::expressions::random_vector_kernel(&mut Seed(3).stream("tiles", trial), 3);
        let x = sample(6, 3, trial);
        let Ok(bound) = kernel.bind(Pairs::within(x.view()), &compute) else { continue };
        let (found, expected) = (fill(&bound), reference(&kernel, x.view(), x.view()));
        // A difference of like numbers has no digits to compare; the examples of the catalogue
        // cover differences.
        let cancels = ["minus(", "based("].iter().any(|word| kernel.to_string().contains(word));
        if cancels || expected.iter().any(|v| !v.is_finite() || v.abs() > 1e100) {
            continue;
        }
        bound_count += 1;
        // Powers and exponentials of large values lose digits in any arithmetic: allow for the
        // growth.
        let size = expected.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        assert_same(&kernel.to_string(), &found, &expected, 1e-11 * (1.0 + size.ln()));
    }
    assert!(bound_count > 600, "only {bound_count} expressions were bound");
}

#[test]
fn single_precision_keeps_the_error_it_states() {
    let compute = Compute::new();
    let (mut stated, mut tight) = (0, 0);
    for (text, kernel) in examples() {
        let Some(x) = sample_for(&kernel, 40, 4) else { continue };
        let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
        let Some(allowed) = bound.single_error() else { panic!("{text} states no error") };
        let mut single = vec![0.0_f32; 1600];
        bound.fill_single(0..40, 0..40, &mut single);
        let double = fill(&bound);
        let error = single.iter().zip(&double).map(|(s, d)| (f64::from(*s) - d).abs()).fold(0.0, f64::max);
        assert!(error <= allowed, "{text}: error {error:.2e} above the stated {allowed:.2e}");
        let size = double.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        stated += 1;
        tight += usize::from(allowed < 1e-4 * size.max(1.0));
    }
    assert!(stated >= 70 && tight * 10 >= stated * 9, "{tight} of {stated} bounds say something");
}

/// `∂k/∂θ` of expressions against central differences with 31 digits; the examples are tested with their other laws.
#[test]
fn derivatives_of_expressions_agree_with_precise_differences() {
    let extra = [
        "2*gaussian(lengthscale=[0.5, 1, 2])*laplacian(norm=l1, lengthscale=[1, 2, 3]) + 0.3*matern(nu=1.5)^2",
        "exp(0.5*gaussian())*normalized(polynomial(degree=2))",
        "series(geometric, 0.4*gaussian(lengthscale=2))",
        "schoenberg(distance(power=1.5) + 2*log_distance(), t=0.7)",
        "minus(gaussian(), 0.5*cauchy(lengthscale=[1, 2, 3]))",
        "conformal(2*gaussian(), by=gaussian(lengthscale=2))",
        "on([0, 2], rational_quadratic(lengthscale=[1, 2], shape=0.5)) * on([1], periodic(period=2))",
        "based(distance(power=1.3), at=[0, 0, 0]) + induced(gaussian(lengthscale=0.7), at=[[0, 0, 1]])",
    ];
    let compute = Compute::new();
    for text in extra {
        let kernel: Kernel = text.parse().unwrap();
        let x = sample(6, 3, 5);
        let report = conformance::check(&kernel, x.view(), &options(text), &compute);
        assert!(report.passed(), "{report}");
        assert_eq!(*report.outcome(Law::Derivatives), Outcome::Held, "{text}");
        assert_eq!(*report.outcome(Law::ContractedDerivatives), Outcome::Held, "{text}");
    }
}

/// Weights that go down the expression give what the matrices of derivatives give one by one,
/// within a sample and between two.
#[test]
fn contracted_derivatives_are_those_of_the_matrices() {
    let compute = Compute::new();
    let extra = [
        "gaussian(lengthscale=[0.4, 1.3, 0.9])",
        "laplacian(norm=l1, lengthscale=[0.4, 1.3, 0.9])",
        "0.3*matern(nu=1/2, lengthscale=[0.4, 1.3, 0.9])",
        "0.3*matern(nu=5/2, lengthscale=[0.4, 1.3, 0.9])",
        "matern(nu=7/2, lengthscale=0.8)",
        "rational_quadratic(lengthscale=[0.4, 1.3, 0.9], shape=2) + rational_quadratic(shape=2)",
        "1.7*periodic(period=2, lengthscale=[0.4, 1.3, 0.9]) + cauchy(lengthscale=[1, 2, 3])",
        "2*gaussian(lengthscale=[0.5, 1, 2])*laplacian(norm=l1, lengthscale=[1, 2, 3]) + 0.3*matern(nu=1.5)^2",
        "(1 + polynomial(degree=2, offset=0.7))*matern(nu=5/2, lengthscale=2)*gaussian(lengthscale=0.6)",
        "0*gaussian(lengthscale=2) + 3*linear()*laplacian(lengthscale=0.4)*constant(value=2)",
        "exp(0.5*gaussian())*normalized(polynomial(degree=2)) + 2*delta()",
        "series([0.1, 0.7, 0.2], 0.5*gaussian(lengthscale=0.5))",
        "schoenberg(distance(power=1.5) + 2*log_distance(), t=0.7)",
        "minus(gaussian(), 0.5*cauchy(lengthscale=[1, 2, 3]))",
        "3*conformal(2*matern(nu=3/2), by=gaussian(lengthscale=1.4))",
        "on([1], conformal(2*matern(nu=3/2), by=gaussian(lengthscale=1.4)))",
        "on([0, 2], rational_quadratic(lengthscale=[1, 2], shape=0.5)) * on([1], periodic(period=2))",
        "based(distance(power=1.3), at=[0, 0, 0]) + 2*induced(3*gaussian(lengthscale=0.7), at=[[0, 0, 1], [1, 0, 0]])",
        "on([0], brownian(hurst=0.4))*gaussian(lengthscale=2)",
    ];
    let kernels = examples().chain(extra.iter().map(|text| (*text, text.parse().unwrap())));
    let mut checked = 0;
    for (text, kernel) in kernels {
        let Some(all) = sample_for(&kernel, 41, 8) else { continue };
        let (x, y) = (all.slice(s![..34, ..]), all.slice(s![34.., ..]));
        for pairs in [Pairs::within(x), Pairs::between(x, y)] {
            let bound = kernel.bind(pairs, &compute).unwrap();
            let mut stream = Seed(18).stream("weights", 0);
            let g = Array2::from_shape_fn(bound.shape(), |_| stream.normal());
            let found = bound.contract_derivatives(g.view(), &compute).unwrap();
            for (index, parameter) in bound.kernel().parameters().iter().enumerate() {
                let derivative = bound.derivative(index, &compute).unwrap();
                let (sum, size) = ((&derivative * &g).sum(), (&derivative * &g).mapv(f64::abs).sum());
                let error = (found[index] - sum).abs();
                assert!(error <= 1e-11 * size.max(1.0), "{text} by {}: {} ≠ {sum}", parameter.name, found[index]);
                checked += 1;
            }
        }
    }
    assert!(checked >= 150, "only {checked} derivatives were checked");
}

#[test]
fn points_without_columns() {
    let compute = Compute::new();
    let no_columns = Array2::<f64>::zeros((3, 0));
    for (text, value) in [
        ("gaussian()", 1.0),
        ("linear()", 0.0),
        ("constant(value=2)", 2.0),
        ("delta()", 1.0),
        ("laplacian(norm=l1)", 1.0),
    ] {
        let kernel: Kernel = text.parse().unwrap();
        let k = gram::dense(&kernel.bind(Pairs::within(no_columns.view()), &compute).unwrap(), &compute).unwrap();
        assert!(k.iter().all(|v| *v == value), "{text}");
    }
}

/// On data of any size a kernel has finite values, in both precisions, or says that the data has to
/// be rescaled.
#[test]
fn extreme_numbers_give_finite_values_or_a_refusal() {
    let compute = Compute::new();
    let medians =
        ["gaussian(lengthscale=median)", "matern(lengthscale=median)", "laplacian(lengthscale=median, norm=l1)"];
    let others = [
        "gaussian(lengthscale=1e-200)",
        "gaussian(lengthscale=1e200)",
        "cauchy(lengthscale=1e-320)",
        "exp(linear())",
        "linear()^3",
        "linear()*linear()",
        "on([0], linear()) + gaussian()",
        "transformed(gaussian(), by=square())",
        "minus(linear(), gaussian())",
    ];
    let kernels = catalogue::entries().flat_map(|e| e.examples).chain(&medians).chain(&others);
    let (mut finite, mut refused) = (0, 0);
    for text in kernels {
        let k: Kernel = text.parse().unwrap();
        for scale in [1e-300, 1e-160, 1e-20, 1.0, 1e20, 1e40, 1e160, 1e300] {
            for offset in [0.0, 1.0, 1e3] {
                for d in [3, 1, 2] {
                    let x = sample(6, d, 3).mapv(|v| scale * (v + offset));
                    let y = sample(4, d, 4).mapv(|v| scale * (v + offset));
                    for pairs in [Pairs::within(x.view()), Pairs::between(x.view(), y.view())] {
                        let bound = match k.bind(pairs, &compute) {
                            Ok(bound) => bound,
                            Err(error) => {
                                refused += usize::from(error.to_string().contains("rescale"));
                                continue;
                            }
                        };
                        finite += 1;
                        let values = fill(&bound);
                        assert!(values.iter().all(|v| v.is_finite()), "{text} at {scale:e} + {offset}: {values}");
                        if let Ok(single) = gram::dense_single(&bound, &compute) {
                            let same = single
                                .iter()
                                .zip(&values)
                                .all(|(s, v)| !s.is_finite() || (f64::from(*s) - v).abs() <= 1e-4 * v.abs().max(1.0));
                            assert!(same, "{text} at {scale:e} + {offset}: {single} is not {values}");
                        }
                    }
                }
            }
        }
    }
    assert!(finite > 1000 && refused > 200, "{finite} finite, {refused} refused");
}

/// A distance that overflows would make wrong values, not infinite ones; a lengthscale per column
/// divides first.
#[test]
fn values_are_right_wherever_they_are_given() {
    let compute = Compute::new();
    let x = sample(5, 3, 9);
    let values = |text: &str, x: &Array2<f64>| {
        let k: Kernel = text.parse().unwrap();
        k.bind(Pairs::within(x.view()), &compute).map(|bound| fill(&bound))
    };
    for name in ["gaussian", "matern", "rational_quadratic", "laplacian"] {
        let expected = values(&format!("{name}(lengthscale=[1, 2, 3])"), &x).unwrap();
        let large = format!("{name}(lengthscale=[1e160, 2e160, 3e160])");
        assert_same(name, &values(&large, &x.mapv(|v| 1e160 * v)).unwrap(), &expected, 1e-12);
        let refused = values(&format!("{name}(lengthscale=1e160)"), &x.mapv(|v| 1e160 * v));
        assert!(refused.unwrap_err().to_string().contains("rescale"), "{name}");
        // Far from 0, near to each other: nothing overflows.
        let far = x.mapv(|v| 1e150 + 1e140 * v);
        assert!(values(&format!("{name}(lengthscale=1e140)"), &far).is_ok(), "{name}");
    }
    // Norms of 1e10 in single precision square to 1e20, sums of fourth powers to 1e40: taken in
    // double precision and rounded.
    let wide = x.mapv(|v| 1e25 * v);
    let k: Kernel = "gaussian(lengthscale=1e25)".parse().unwrap();
    let bound = k.bind(Pairs::within(wide.view()), &compute).unwrap();
    let single = gram::dense_single(&bound, &compute).unwrap().mapv(f64::from);
    assert_same("single", &single, &values("gaussian()", &x).unwrap(), 1e-6);
}
