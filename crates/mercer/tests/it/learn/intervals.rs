//! Bayesian intervals of ridge regression, and the parts of additive models.

use mercer::gram::{self, Pairs};
use mercer::learn::ridge::{IntervalTarget, RidgeSolver};
use mercer::learn::{GaussianProcess, Ridge, RidgeFit};
use mercer::solve::solve_positive;
use mercer::{Compute, Error, Kernel, Seed};
use ndarray::{Array1, Array2, ArrayView2, Axis, array};

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn sample(n: usize) -> (Array2<f64>, Array1<f64>) {
    let mut stream = Seed(41).stream("intervals", n as u64);
    let x = Array2::from_shape_fn((n, 2), |_| stream.uniform());
    let y = Array1::from_shape_fn(n, |i| truth(&x, i).iter().sum::<f64>() + 0.1 * stream.normal());
    (x, y)
}

fn truth(x: &Array2<f64>, i: usize) -> [f64; 2] {
    [(6.0 * x[[i, 0]]).sin(), 2.0 * x[[i, 1]].powi(2)]
}

fn column(y: &Array1<f64>) -> ArrayView2<'_, f64> {
    y.view().insert_axis(Axis(1))
}

/// The posterior of the Gaussian process with kernel (σ²/λ)k and noise σ².
#[test]
fn standard_errors_are_those_of_a_gaussian_process() {
    let ((x, y), t, compute) = (sample(40), sample(7).0, Compute::new());
    for (text, lambda) in [("gaussian(lengthscale=0.5)", 0.1), ("matern(nu=3/2, lengthscale=0.7)", 2.0)] {
        for intercept in [false, true] {
            let ridge = Ridge { intercept, ..Ridge::new(kernel(text), lambda) };
            let fit = ridge.fit(x.view(), column(&y), None, &compute).unwrap();
            let noise = fit.noise_variance(&compute).unwrap()[0];
            // A vague constant: the limit of a large prior variance.
            let scaled = kernel(text).scaled(noise / lambda).unwrap();
            let process = if intercept { scaled + Kernel::constant(1e5).unwrap() } else { scaled };
            let process = GaussianProcess { optimize: false, ..GaussianProcess::new(process, noise) };
            let expected = process.fit(x.view(), y.view(), &compute).unwrap().predict(t.view(), &compute).unwrap();
            let values = fit.predict(t.view(), &compute).unwrap();
            let errors = fit.standard_errors(t.view(), IntervalTarget::Function, &compute).unwrap();
            let wider = fit.standard_errors(t.view(), IntervalTarget::Observation, &compute).unwrap();
            let tolerance = if intercept { 1e-5 } else { 1e-11 };
            for i in 0..7 {
                assert_close!(values[[i, 0]], expected.mean[i], tolerance);
                assert_close!(errors[[i, 0]].powi(2) / noise, expected.variance[i] / noise, tolerance);
                assert_close!(wider[[i, 0]].powi(2), errors[[i, 0]].powi(2) + noise, 1e-13);
            }
        }
    }
}

/// Weights are repeated observations, and every solver gives the same intervals.
#[test]
fn weights_solvers_and_unpenalized_functions() {
    let ((x, y), t, compute) = (sample(30), sample(5).0, Compute::new());
    let weights = Array1::from_shape_fn(30, |i| (i % 3) as f64);
    let ridge = Ridge { intercept: true, ..Ridge::new(kernel("gaussian(lengthscale=0.5)"), 0.2) };
    let weighted = ridge.fit(x.view(), column(&y), Some(weights.view()), &compute).unwrap();
    let repeated: Vec<usize> = (0..30).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let (x_twice, y_twice) = (x.select(Axis(0), &repeated), y.select(Axis(0), &repeated));
    let twice = ridge.fit(x_twice.view(), column(&y_twice), None, &compute).unwrap();
    // The two differ by what they take for the number of observations alone.
    let errors = |fit: &RidgeFit| {
        let noise = fit.noise_variance(&compute).unwrap()[0];
        fit.standard_errors(t.view(), IntervalTarget::Function, &compute).unwrap().mapv(|e| e * e / noise)
    };
    for (a, b) in errors(&weighted).iter().zip(&errors(&twice)) {
        assert_close!(*a, *b, 1e-10);
    }
    let plain = errors(&ridge.fit(x.view(), column(&y), None, &compute).unwrap());
    for solver in [RidgeSolver::Mixed, RidgeSolver::Eigen, RidgeSolver::ConjugateGradients] {
        let other = Ridge { solver, ..ridge.clone() }.fit(x.view(), column(&y), None, &compute).unwrap();
        assert_close!(errors(&other).iter(), &plain, each = 1e-9, "{solver}");
    }
    // A line fitted by the unpenalized part alone has the standard errors of least squares.
    let line = Ridge { intercept: true, ..Ridge::new(kernel("constant(value=0)"), 1.0) };
    let (x, y) = (array![[0.0], [1.0], [2.0], [3.0]], array![[0.0], [1.0], [1.0], [3.0]]);
    let fit = line.fit_with_null_space(x.view(), x.view(), y.view(), None, &compute).unwrap();
    let at = array![[5.0]];
    let error = fit.standard_errors_with_null_space(at.view(), at.view(), IntervalTarget::Function, &compute).unwrap();
    // RSS = 0.7 on 2 degrees of freedom; 1/4 + (5 − 1.5)²/5.
    assert_close!(error[[0, 0]], f64::sqrt(0.35 * (0.25 + 12.25 / 5.0)), 1e-12);
    assert!(matches!(
        fit.standard_errors(at.view(), IntervalTarget::Function, &compute),
        Err(Error::Unsupported { .. })
    ));
}

#[test]
fn intervals_cover_the_truth_on_average() {
    let compute = Compute::new();
    let (mut inside, mut total) = (0, 0);
    for n in 60..80 {
        let (x, y) = sample(n);
        let ridge = Ridge { intercept: true, ..Ridge::new(kernel("gaussian(lengthscale=0.4)"), 0.02) };
        let fit = ridge.fit(x.view(), column(&y), None, &compute).unwrap();
        let errors = fit.standard_errors(x.view(), IntervalTarget::Function, &compute).unwrap();
        let covered = |i: &usize| {
            let value: f64 = truth(&x, *i).iter().sum();
            (fit.fitted()[[*i, 0]] - value).abs() <= 1.96 * errors[[*i, 0]]
        };
        inside += (0..n).filter(covered).count();
        total += n;
    }
    let share = inside as f64 / total as f64;
    assert_close!(share, 0.95, abs = 0.04, "{share}");
}

#[test]
fn no_standard_errors_where_there_are_none() {
    let ((x, y), compute) = (sample(10), Compute::new());
    let fit = |text: &str, lambda: f64| Ridge::new(kernel(text), lambda).fit(x.view(), column(&y), None, &compute);
    let exact = fit("matern(nu=3/2)", 0.0).unwrap();
    assert!(matches!(
        exact.standard_errors(x.view(), IntervalTarget::Function, &compute),
        Err(Error::Undetermined { .. })
    ));
    assert!(matches!(exact.noise_variance(&compute), Err(Error::Undetermined { .. })));
    let bound = kernel("gaussian()").bind(Pairs::within(x.view()), &compute).unwrap();
    let values = gram::dense(&bound, &compute).unwrap();
    let given = Ridge::new(kernel("precomputed()"), 0.1).fit(values.view(), column(&y), None, &compute).unwrap();
    assert!(matches!(
        given.standard_errors(values.view(), IntervalTarget::Function, &compute),
        Err(Error::Precomputed { .. })
    ));
    let tight = Compute::new().with_memory(100);
    let fitted = fit("gaussian()", 0.1).unwrap();
    assert!(matches!(fitted.standard_errors(x.view(), IntervalTarget::Function, &tight), Err(Error::Memory { .. })));
    assert!(matches!(fitted.partial_effects(0, 1, &compute), Err(Error::Parameter { .. })));
    assert!(matches!(fitted.partial_effects(1, 9, &compute), Err(Error::Parameter { .. })));
}

const SUM: &str = "on([0], gaussian(lengthscale=0.3)) + 2*on([1], gaussian(lengthscale=0.5))";

#[test]
fn parts_add_up_and_recover_an_additive_truth() {
    let ((x, y), compute) = (sample(200), Compute::new());
    let ridge = Ridge { intercept: true, ..Ridge::new(kernel(SUM), 0.05) };
    let fit = ridge.fit(x.view(), column(&y), None, &compute).unwrap();
    let effects = fit.partial_effects(0, 21, &compute).unwrap();
    let intercept = fit.intercept().unwrap()[0];
    for i in 0..200 {
        let sum: f64 = effects.iter().map(|e| e.at_data[i] + e.mean).sum();
        assert_close!(sum + intercept, fit.fitted()[[i, 0]], 1e-10);
    }
    assert_close!(effects.iter().map(|e| e.norm_share).sum::<f64>(), 1.0, 1e-12);
    assert_close!(effects.iter().map(|e| e.variance_share).sum::<f64>(), 1.0, 1e-12);
    let components = fit.components(0, &compute).unwrap();
    let mut covered = 0;
    for (j, effect) in effects.iter().enumerate() {
        assert_eq!((effect.columns.as_slice(), effect.norm_share), ([j].as_slice(), components[j].share));
        let mean = (0..200).map(|i| truth(&x, i)[j]).sum::<f64>() / 200.0;
        let grid = effect.grid.as_ref().unwrap();
        assert_eq!((grid.axes.len(), grid.values.dim()), (1, (21, 1)));
        let (low, high) = grid.band(2.5);
        for (t, &position) in grid.axes[0].iter().enumerate() {
            let expected = truth(&array![[position, position]], 0)[j] - mean;
            let (found, error) = (grid.values[[t, 0]], grid.standard_errors[[t, 0]]);
            assert_close!(found, expected, abs = 0.15, "part {j} at {position}: {found} {expected}");
            assert_close!(high[[t, 0]] - low[[t, 0]], 5.0 * error, 1e-12);
            covered += usize::from((low[[t, 0]]..=high[[t, 0]]).contains(&expected));
        }
        assert_close!(effect.at_data.sum(), 0.0, 1e-10);
    }
    assert!(covered >= 38, "{covered} of 42 intervals hold the truth");
    // sin(6x) has a variance of about 0.47, 2x² one of about 0.36.
    assert!(effects[0].variance_share > 0.35 && effects[0].variance_share < 0.75);
}

/// The posterior of a centered part, with matrices written out.
#[test]
fn standard_errors_of_a_part_by_dense_formulas() {
    let ((x, y), compute) = (sample(25), Compute::new());
    let lambda = 0.3;
    let ridge = Ridge { intercept: true, ..Ridge::new(kernel(SUM), lambda) };
    let fit = ridge.fit(x.view(), column(&y), None, &compute).unwrap();
    let dense = |k: &Kernel, a: ArrayView2<f64>, b: ArrayView2<f64>| {
        gram::dense(&k.bind(Pairs::between(a, b), &compute).unwrap(), &compute).unwrap()
    };
    let a = dense(fit.kernel(), x.view(), x.view()) + Array2::<f64>::eye(25) * lambda;
    let inverse = solve_positive(a.view(), Array2::eye(25).view()).unwrap().solution;
    let row = inverse.sum_axis(Axis(0)).insert_axis(Axis(1));
    let g = &inverse - &(row.dot(&row.t()) / inverse.sum());
    let centering = Array2::<f64>::eye(25) - 1.0 / 25.0;
    let noise = fit.noise_variance(&compute).unwrap()[0];
    for effect in fit.partial_effects(0, 4, &compute).unwrap() {
        let grid = effect.grid.unwrap();
        let c = effect.columns[0];
        for (t, &position) in grid.axes[0].iter().enumerate() {
            // The point joins the data as row 25, so that (place) − (mean over the data) is a
            // combination of 26 values.
            let mut all = ndarray::concatenate(Axis(0), &[x.view(), x.slice(ndarray::s![..1, ..])]).unwrap();
            all[[25, c]] = position;
            let mut combination = Array1::from_elem(26, -1.0 / 25.0);
            combination[25] = 1.0;
            let own = dense(&effect.kernel, all.view(), all.view());
            let with_data = dense(&effect.kernel, all.view(), x.view()).t().dot(&combination);
            let variance = combination.dot(&own.dot(&combination)) - with_data.dot(&g.dot(&with_data));
            assert_close!(grid.standard_errors[[t, 0]].powi(2), variance * noise / lambda, 1e-10);
        }
        let part = dense(&effect.kernel, x.view(), x.view()).dot(&fit.dual_coefficients());
        for (a, b) in effect.at_data.iter().zip(&centering.dot(&part)) {
            assert_close!(*a, *b, 1e-10);
        }
    }
}

#[test]
fn effects_of_processes_of_pairs_and_of_everything() {
    let ((x, y), compute) = (sample(30), Compute::new());
    let text = "on([0], gaussian(lengthscale=0.3)) + 0.5*on([1, 0], gaussian(lengthscale=1)) + constant(value=1)";
    let process = GaussianProcess { optimize: false, ..GaussianProcess::new(kernel(text), 0.05) };
    let fit = process.fit(x.view(), y.view(), &compute).unwrap();
    let effects = fit.partial_effects(5, &compute).unwrap();
    assert_eq!(effects.iter().map(|e| e.columns.len()).collect::<Vec<_>>(), [1, 2, 0]);
    let pair = effects[1].grid.as_ref().unwrap();
    assert_eq!((pair.axes.len(), pair.values.dim()), (2, (5, 5)));
    let part = &fit.components(&compute).unwrap()[1].function;
    let at = part.evaluate(array![[pair.axes[0][3], pair.axes[1][1]]].view(), &compute).unwrap();
    assert_close!(pair.values[[3, 1]], at[0] - effects[1].mean, 1e-12);
    assert!(effects[2].grid.is_none() && effects[2].at_data.iter().all(|v| v.abs() < 1e-12));
    // With ridge in the units of the process, the errors are the same.
    let ridge = Ridge::new(kernel(text), 0.05).fit(x.view(), column(&y), None, &compute).unwrap();
    let scale = (ridge.noise_variance(&compute).unwrap()[0] / 0.05).sqrt();
    let by_ridge = ridge.partial_effects(0, 5, &compute).unwrap();
    let (a, b) = (effects[0].grid.as_ref().unwrap(), by_ridge[0].grid.as_ref().unwrap());
    for (a, b) in a.standard_errors.iter().zip(&b.standard_errors) {
        assert_close!(*a * scale, *b, 1e-10);
    }
    // A part of three columns has no grid.
    let wide = Array2::from_shape_fn((12, 3), |(i, j)| ((i * (j + 2)) as f64).sin());
    let whole = Ridge::new(kernel("gaussian()"), 0.1).fit(wide.view(), wide.view(), None, &compute).unwrap();
    let effect = &whole.partial_effects(2, 5, &compute).unwrap()[0];
    assert!(effect.grid.is_none() && effect.norm_share == 1.0);
}
