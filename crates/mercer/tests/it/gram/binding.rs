//! Binding: refusals with the numbers, medians, ill-scaled data, precomputed matrices, shared
//! metrics.

use mercer::gram::{self, MetricKind, Pairs, median_distance};
use mercer::real::Real;
use mercer::{Compute, Error, Kernel, Seed};
use ndarray::{Array2, array};

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn gram_of(text: &str, x: &Array2<f64>) -> Array2<f64> {
    let compute = Compute::new();
    gram::dense(&kernel(text).bind(Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap()
}

fn refusal(text: &str, x: &Array2<f64>) -> String {
    kernel(text).bind(Pairs::within(x.view()), &Compute::new()).expect_err(text).to_string()
}

#[test]
fn values_that_do_not_fit_are_refused_with_row_and_column() {
    let x = array![[0.5, 0.2], [0.1, f64::NAN]];
    assert_eq!(refusal("gaussian()", &x), "first sample: row 1, column 1 holds NaN: it must be a finite number");
    let x = array![[0.5], [1.5]];
    assert!(refusal("sobolev(order=2)", &x).contains("row 1, column 0 holds 1.5"));
    assert!(refusal("weighted_sobolev()", &array![[0.0]]).contains("(0, 1)"));
    assert!(refusal("wiener()", &array![[-1.0]]).contains("row 0, column 0 holds -1"));
    assert!(refusal("chi2()", &array![[1.0, -2.0]]).contains("column 1 holds -2"));
    assert!(refusal("transformed(linear(), by=sqrt())", &array![[-4.0]]).contains("outside the domain [0, ∞)"));
    assert!(refusal("bridge()", &array![[0.5, 0.5]]).contains("on([j]"));
    assert!(refusal("on([2], linear())", &array![[0.5, 0.5]]).contains("more than 2"));
    assert!(refusal("on([age], linear())", &array![[0.5]]).contains("`age` is unknown"));
    assert!(refusal("gaussian(lengthscale=[1, 2])", &array![[0.5]]).contains("one per column (1), found 2"));
    assert!(refusal("based(sqdist(), at=[0, 0])", &array![[0.5]]).contains("expected 1, found 2"));
    assert!(refusal("conformal(linear(), by=column(3))", &array![[0.5]]).contains("more than 3"));
    assert!(refusal("precomputed()", &array![[0.5]]).contains("not points"));
    assert!(refusal("series(geometric, gaussian())", &array![[0.5]]).contains("radius of convergence is 1"));
    assert!(refusal("gaussian(lengthscale=median)", &array![[0.5], [0.5]]).contains("two distinct points"));
    assert!(
        refusal("normalized(exponential(scale=1e-3))", &array![[3.0]])
            .contains("row 0, column 0 holds 3e0: values of this size leave the range")
    );
    let (a, b) = (array![[0.5, 0.5]], array![[0.5]]);
    let error = kernel("linear()").bind(Pairs::between(a.view(), b.view()), &Compute::new()).unwrap_err();
    assert!(matches!(error, Error::Shape { .. }), "{error}");
}

#[test]
fn dense_requests_over_the_limit_are_refused_before_allocation() {
    let compute = Compute::new().with_memory(1_000_000);
    let x = Array2::zeros((1_000_000, 1));
    let bound = kernel("gaussian()").bind(Pairs::within(x.view()), &compute).unwrap();
    match gram::dense(&bound, &compute) {
        Err(Error::Memory { needed, limit, remedy, .. }) => {
            assert_eq!(limit, 1_000_000);
            assert!(needed >= 8_000_000_000_000, "{needed}");
            assert!(!remedy.is_empty());
        }
        other => panic!("expected a refusal, found {:?}", other.map(|m| m.dim())),
    }
}

#[test]
fn medians_are_resolved_where_they_stand() {
    let compute = Compute::new();
    let x = array![[0.0, 100.0], [1.0, 300.0], [3.0, 700.0]];
    let text = "on([0], gaussian(lengthscale=median)) + on([1], laplacian(lengthscale=median, norm=l1))";
    let bound = kernel(text).bind(Pairs::within(x.view()), &compute).unwrap();
    assert_eq!(
        bound.kernel(),
        &kernel("on([0], gaussian(lengthscale=2)) + on([1], laplacian(lengthscale=400, norm=l1))")
    );
    let mut random = Seed(5).stream("many", 0);
    let many = Array2::from_shape_fn((5000, 2), |_| random.normal());
    let median = median_distance(many.view(), MetricKind::SquaredEuclidean, &compute).unwrap();
    // The distance of two standard normal points in the plane has the median 2√(ln 2).
    assert_close!(median, 2.0 * 2.0_f64.ln().sqrt(), abs = 0.05, "{median}");
    let again =
        median_distance(many.view(), MetricKind::SquaredEuclidean, &compute.clone().with_threads(1).unwrap()).unwrap();
    assert_eq!(median, again);
}

/// Offsets of 10⁶ and points 10⁻⁸ apart: 12 digits all the same, against 31-digit arithmetic on the
/// same inputs.
#[test]
fn ill_scaled_data_keeps_twelve_digits() {
    let kernels = [
        "gaussian(lengthscale=SCALE)",
        "laplacian(lengthscale=SCALE)",
        "laplacian(lengthscale=SCALE, norm=l1)",
        "matern(nu=1/2, lengthscale=SCALE)",
        "matern(nu=3/2, lengthscale=SCALE)",
        "matern(nu=5/2, lengthscale=SCALE)",
        "rational_quadratic(lengthscale=SCALE, shape=0.7)",
        "inverse_multiquadric(offset=SCALE)",
        "cauchy(lengthscale=SCALE)",
        "sqdist()",
        "distance(power=0.6)",
        "log_distance()",
        "ARD",
    ];
    for columns in [1_usize, 3, 20, 70] {
        for (offset, spread, near) in [(1e6, 1.0, 1e-8), (0.0, 1.0, 1e-8), (1e6, 1e-3, 1e-8), (-3e5, 50.0, 1e-6)] {
            let mut random = Seed(6).stream("scaled", columns as u64);
            let mut x = Array2::from_shape_fn((24, columns), |_| offset + spread * random.normal());
            for i in 0..8 {
                let near_row = x.row(i).mapv(|v| v + near * random.normal());
                x.row_mut(i + 8).assign(&near_row);
            }
            for template in kernels {
                for scale in [1.0, near] {
                    let lengths = vec![format!("{scale:?}"); columns].join(", ");
                    let text = match template {
                        "ARD" => format!("gaussian(lengthscale=[{lengths}])"),
                        other => other.replace("SCALE", &format!("{scale:?}")),
                    };
                    check_digits(&text, &x);
                }
            }
        }
    }
}

fn check_digits(text: &str, x: &Array2<f64>) {
    let (found, k) = (gram_of(text, x), kernel(text));
    for (i, j) in (0..x.nrows()).flat_map(|i| [(i, (i + 8) % 24), (i, i), (i, (i + 5) % 24)]) {
        let expected = k.evaluate_precisely(&x.row(i).to_vec(), &x.row(j).to_vec()).unwrap().value();
        // exp(−u) for large u is ill conditioned: its relative condition number is u.
        let condition = if expected > 0.0 { 1.0 + expected.ln().abs() } else { 1.0 };
        let error = (found[[i, j]] - expected).abs();
        assert!(
            error <= 1e-12 * expected.abs() * condition || error <= 1e-300,
            "{text}, {} columns: [{i}, {j}] {:?} instead of {expected:?}",
            x.ncols(),
            found[[i, j]]
        );
    }
}

#[test]
fn matrices_made_elsewhere_take_part_in_the_algebra() {
    let compute = Compute::new();
    let m = array![[4.0, 2.0], [2.0, 9.0]];
    let dense = |text: &str, m: &Array2<f64>| {
        let bound = kernel(text).bind(Pairs::precomputed(m.view()), &compute)?;
        gram::dense(&bound, &compute)
    };
    assert_eq!(dense("2*precomputed()^2 + 1", &m).unwrap(), array![[33.0, 9.0], [9.0, 163.0]]);
    assert_eq!(
        dense("normalized(precomputed())", &m).unwrap(),
        array![[1.0, 2.0 * 0.5 * (1.0 / 3.0)], [2.0 * 0.5 * (1.0 / 3.0), 1.0]]
    );
    let cross = array![[1.0, 2.0, 3.0]];
    assert_eq!(dense("3*precomputed()", &cross).unwrap(), array![[3.0, 6.0, 9.0]]);
    assert!(dense("normalized(precomputed())", &cross).unwrap_err().to_string().contains("diagonal"));
    assert!(dense("precomputed() + linear()", &m).unwrap_err().to_string().contains("needs points"));
    assert!(dense("precomputed()", &array![[1.0, f64::INFINITY]]).is_err());
}

#[test]
fn a_sum_with_shared_metrics_is_the_sum_of_its_terms() {
    let mut random = Seed(7).stream("shared", 0);
    for d in [2, 60] {
        let x = Array2::from_shape_fn((150, d), |_| random.normal());
        let terms = ["gaussian(lengthscale=2)", "matern(nu=3/2, lengthscale=3)", "rational_quadratic(lengthscale=5)"];
        let sum = gram_of(&terms.join(" + "), &x);
        let parts = terms.iter().map(|t| gram_of(t, &x)).fold(Array2::zeros((150, 150)), |a: Array2<f64>, b| a + b);
        for (a, b) in sum.iter().zip(&parts) {
            assert_close!(*a, *b, 1e-15);
        }
        let product = gram_of(&terms.join(" * "), &x);
        let parts =
            terms.iter().map(|t| gram_of(t, &x)).fold(Array2::from_elem((150, 150), 1.0), |a: Array2<f64>, b| a * b);
        for (a, b) in product.iter().zip(&parts) {
            assert_close!(*a, *b, 1e-15);
        }
    }
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let mut random = Seed(8).stream("threads", 0);
    let x = Array2::from_shape_fn((700, 9), |_| random.normal());
    let v = Array2::from_shape_fn((700, 3), |_| random.normal());
    for text in
        ["gaussian(lengthscale=median) + 0.5*linear()", "laplacian(norm=l1)*cauchy()", "normalized(polynomial())"]
    {
        let run = |threads: usize| {
            let compute = Compute::new().with_threads(threads).unwrap();
            let bound = kernel(text).bind(Pairs::within(x.view()), &compute).unwrap();
            (gram::dense(&bound, &compute).unwrap(), gram::multiply(&bound, v.view(), &compute).unwrap())
        };
        let (one, two, three) = (run(1), run(2), run(3));
        assert!(one == two && two == three, "{text}");
        let direct = one.0.dot(&v);
        for (a, b) in one.1.iter().zip(&direct) {
            assert_close!(*a, *b, 1e-12);
        }
    }
}

/// Every part that works in parallel begins in a pool of ours: rayon's global pool cannot be made
/// again in a forked child, which would wait for ever.
#[test]
fn the_global_pool_is_never_started() {
    use mercer::features::{FeatureMap, Nystrom, RandomFourier};
    use mercer::hypothesis::TwoSample;
    use mercer::learn::svm::{Classes, Svc};
    use mercer::learn::{GaussianProcess, Ridge};
    use mercer::solve::solve_positive;

    let x = Array2::from_shape_fn((400, 2), |(i, j)| ((3 * i + 7 * j) as f64 * 0.37).sin());
    let y = x.map_axis(ndarray::Axis(1), |row| row[0] + row[1] * row[1]);
    let (line, compute) = (x.slice(ndarray::s![.., ..1]), Compute::new());
    for text in ["gaussian()", "normalized(polynomial(degree=2))", "gaussian(lengthscale=median) + linear()"] {
        assert!(gram_of(text, &x).iter().all(|v| v.is_finite()));
    }
    let diagonal = kernel("exp(linear())").bind(Pairs::within(x.view()), &compute).unwrap().diagonal().unwrap();
    assert_eq!(diagonal.len(), 400);
    let column = y.view().insert_axis(ndarray::Axis(1));
    for (text, points) in [("gaussian()", x.view()), ("matern(nu=3/2)", line), ("gaussian() + 1", x.view())] {
        let fit = Ridge::new(kernel(text), 0.1).fit(points, column, None, &compute).unwrap();
        assert_eq!(fit.predict(points, &compute).unwrap().nrows(), 400);
    }
    let process = GaussianProcess::new(kernel("matern(nu=1/2)"), 0.1);
    let fit = process.fit(line, y.view(), &compute).unwrap();
    assert_eq!(fit.predict(line, &compute).unwrap().mean.len(), 400);
    let classes =
        Classes::from_indices(y.iter().map(|v| usize::from(*v > 0.5)).collect(), vec!["a".into(), "b".into()]);
    let (svc, classes) = (Svc::new(kernel("gaussian()"), 1.0), classes.unwrap());
    let fit = svc.fit(x.view(), &classes, None, &compute).unwrap();
    assert!(svc.leave_one_out(&fit, x.view(), &classes, None, &compute).is_ok());
    assert!(
        Nystrom::new(kernel("gaussian()"), 20).fit(x.view(), &compute).unwrap().transform(x.view(), &compute).is_ok()
    );
    assert!(
        RandomFourier::new(kernel("gaussian()"), 21).draw(2, &compute).unwrap().transform(x.view(), &compute).is_ok()
    );
    assert!(TwoSample::permutation(kernel("gaussian()")).test(&x, &x, &compute).is_ok());
    let matrix = gram_of("gaussian(lengthscale=0.01) + 1", &x) + Array2::<f64>::eye(400);
    assert!(solve_positive(matrix.view(), column).is_ok());
    let first = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
    assert!(first.is_ok(), "something started rayon's global pool before");
}

/// Values by sines of differences are those of the formula: near and far points, rows whose phases
/// are long beside such that are short, and points far from the origin.
#[test]
fn products_of_sincs_are_those_of_the_formula() {
    let compute = Compute::new();
    for (offset, spread, bandlimit) in [(0.0, 1.0, 3.0), (1e6, 4.0, 2.0), (0.0, 1e-4, 1.0), (-5.0, 300.0, 1.5)] {
        let mut random = Seed(8).stream("points", 0);
        let mut x = Array2::from_shape_fn((60, 5), |_| offset + spread * random.uniform());
        let near = x.row(3).mapv(|v| v + 1e-9 * spread);
        x.row_mut(4).assign(&near);
        // A row of long phases among others.
        x.row_mut(50).mapv_inplace(|v| v + 40.0);
        let kernel: Kernel = format!("sinc(bandlimit={bandlimit})").parse().unwrap();
        let few = x.slice(ndarray::s![..20, ..]);
        let within = gram::dense(&kernel.bind(Pairs::within(x.view()), &compute).unwrap(), &compute).unwrap();
        let between = gram::dense(&kernel.bind(Pairs::between(x.view(), few), &compute).unwrap(), &compute).unwrap();
        for (i, j) in (0..60).flat_map(|i| (0..60).map(move |j| (i, j))) {
            let expected = kernel.evaluate(&x.row(i).to_vec(), &x.row(j).to_vec()).unwrap();
            // Phases of up to 32 are rounded to 4e-15, and divided by differences of 0.5 and more.
            assert_close!(within[[i, j]], expected, abs = 1e-13, "{bandlimit}, rows {i} and {j}");
            if j < 20 {
                assert_close!(between[[i, j]], expected, abs = 1e-13, "{bandlimit}, rows {i} and {j}");
            }
        }
    }
}
