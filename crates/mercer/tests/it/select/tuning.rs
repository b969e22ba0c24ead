//! Choosing parameters by the gradient of a score, and λ between the places of a grid.

use mercer::learn::Ridge;
use mercer::select::{Criterion, RidgeSearch, RidgeTuner, RidgeTunerFit, log_grid, ridge_path};
use mercer::{Compute, Error, Kernel, Seed};
use ndarray::{Array1, Array2, ArrayView1};

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

/// Two outputs that depend on the first two of four columns.
fn sample(n: usize) -> (Array2<f64>, Array2<f64>, Array1<f64>) {
    let mut stream = Seed(31).stream("tuning", n as u64);
    let x = Array2::from_shape_fn((n, 4), |_| stream.normal());
    let y = Array2::from_shape_fn((n, 2), |(i, j)| (1.5 * x[[i, j]]).sin() + 0.1 * stream.normal() + 1.0);
    let weights = Array1::from_shape_fn(n, |i| if i == 3 { 0.0 } else { 0.5 + stream.uniform() });
    (x, y, weights)
}

/// A tuner that moves nothing, to see the score and its gradient where it stands.
fn held(text: &str, lambda: f64, criterion: Criterion) -> RidgeTuner {
    let names = kernel(text).parameters().into_iter().map(|p| p.name);
    let fixed = names.chain(["lambda".to_string()]).collect();
    RidgeTuner { criterion, intercept: true, fixed, ..RidgeTuner::new(kernel(text), lambda) }
}

fn score(text: &str, lambda: f64, criterion: Criterion, weights: Option<ArrayView1<f64>>) -> f64 {
    let (x, y, _) = sample(30);
    let ridge = Ridge { intercept: true, ..Ridge::new(kernel(text), 0.0) };
    let path = ridge_path(&ridge, &[lambda], None, x.view(), y.view(), weights, &Compute::new()).unwrap();
    path.scores(criterion)[0]
}

#[test]
fn scores_are_those_of_the_path_and_gradients_agree_with_differences() {
    let (x, y, w) = sample(30);
    let compute = Compute::new();
    for text in ["gaussian(lengthscale=[1.5, 1, 2, 3])", "0.7*matern(nu=5/2, lengthscale=2) + 0.2*linear()"] {
        for criterion in [Criterion::LeaveOneOut, Criterion::Gcv] {
            for weights in [None, Some(w.view())] {
                let at: RidgeTunerFit = held(text, 0.3, criterion).fit(x.view(), y.view(), weights, &compute).unwrap();
                assert_close!(at.score, score(text, 0.3, criterion, weights), 1e-11);
                let parameters = kernel(text).parameters();
                let values: Vec<f64> = parameters.iter().map(|p| p.value).chain([0.3]).collect();
                for (position, name) in at.names.iter().enumerate() {
                    let i = parameters.iter().position(|p| p.name == *name).unwrap_or(parameters.len());
                    let h: f64 = 1e-5;
                    let shifted = |factor: f64| {
                        let mut values = values.clone();
                        values[i] *= factor;
                        let (lambda, own) = values.split_last().unwrap();
                        let text = kernel(text).with_parameters(own).unwrap().to_string();
                        score(&text, *lambda, criterion, weights)
                    };
                    let slope = (shifted(h.exp()) - shifted((-h).exp())) / (2.0 * h);
                    let (found, error) = (at.gradient[position], (at.gradient[position] - slope).abs());
                    assert!(error <= 1e-7 * slope.abs().max(1.0), "{text} {criterion:?} {name}: {found} ≠ {slope}");
                }
            }
        }
    }
}

#[test]
fn irrelevant_columns_get_long_lengthscales() {
    let (x, y, _) = sample(120);
    let compute = Compute::new();
    for criterion in [Criterion::LeaveOneOut, Criterion::Gcv] {
        let shared =
            RidgeTuner { criterion, intercept: true, ..RidgeTuner::new(kernel("gaussian(lengthscale=median)"), 0.1) };
        let plain = shared.fit(x.view(), y.view(), None, &compute).unwrap();
        let ard = RidgeTuner { ard: true, ..shared.clone() }.fit(x.view(), y.view(), None, &compute).unwrap();
        assert!(plain.converged && plain.names == ["gaussian.lengthscale", "lambda"]);
        // The noise that was put in has a variance of 0.01.
        assert!(ard.score < 0.7 * plain.score && ard.score < 0.015, "{} {}", ard.score, plain.score);
        let lengths: Vec<f64> = ard.fit.kernel().parameters().iter().map(|p| p.value).collect();
        let needed = lengths[0].max(lengths[1]);
        assert!(lengths[2] > 4.0 * needed && lengths[3] > 4.0 * needed, "{lengths:?}");
        assert!(plain.gradient.iter().all(|g| g.abs() <= 1e-3 * plain.score), "{:?}", plain.gradient);
        let again = RidgeTuner { restarts: 2, ..shared }.fit(x.view(), y.view(), None, &compute).unwrap();
        assert!(again.scores.len() == 3 && again.score <= plain.score);
    }
}

#[test]
fn fixed_parameters_stay_and_wrong_input_is_refused() {
    let (x, y, _) = sample(20);
    let compute = Compute::new();
    let tuner = RidgeTuner::new(kernel("matern(nu=3/2, lengthscale=2)"), 0.5);
    let fit = |tuner: &RidgeTuner| tuner.fit(x.view(), y.view(), None, &compute);
    let found = fit(&RidgeTuner { fixed: vec!["lambda".into()], ..tuner.clone() });
    let found = found.unwrap();
    let values: Vec<f64> = found.fit.kernel().parameters().iter().map(|p| p.value).collect();
    assert!(found.fit.lambda() == 0.5 && values[0] != 2.0 && values[1] == 1.5, "{values:?}");
    let freed = fit(&RidgeTuner { free: vec!["nu".into()], ..tuner.clone() }).unwrap();
    assert!(freed.fit.kernel().parameters()[1].value != 1.5 && freed.names.iter().any(|name| name == "matern.nu"));
    for lambda in [0.0, -1.0, f64::NAN] {
        assert!(matches!(fit(&RidgeTuner { lambda, ..tuner.clone() }), Err(Error::Parameter { .. })));
    }
    let folds = RidgeTuner { criterion: Criterion::Folds(3), ..tuner.clone() };
    assert!(matches!(fit(&folds), Err(Error::Parameter { .. })));
    let unknown = RidgeTuner { fixed: vec!["width".into()], ..tuner.clone() };
    assert!(matches!(fit(&unknown), Err(Error::Parameter { .. })));
    let indefinite = RidgeTuner { kernel: kernel("tanh()"), ..tuner.clone() };
    assert!(matches!(fit(&indefinite), Err(Error::NotPositiveDefinite { .. })));
    let tight = Compute::new().with_memory(100);
    assert!(matches!(tuner.fit(x.view(), y.view(), None, &tight), Err(Error::Memory { .. })));
    assert!(fit(&RidgeTuner::new(kernel("gaussian()"), 1.0)).is_ok());
    let zeros = tuner.fit(x.view(), Array2::zeros((20, 1)).view(), None, &compute).unwrap();
    assert_eq!(zeros.score, 0.0);
}

#[test]
fn lambda_is_refined_between_the_points_of_the_grid() {
    let (x, y, _) = sample(60);
    let compute = Compute::new();
    for criterion in [Criterion::LeaveOneOut, Criterion::Gcv, Criterion::Folds(4)] {
        let search = RidgeSearch {
            lengthscales: vec![1.0, 2.0, 4.0],
            lambdas: log_grid(1e-4, 100.0, 7).unwrap(),
            criterion,
            ..RidgeSearch::new(vec![kernel("gaussian()")])
        };
        let plain = search.fit(x.view(), y.view(), None, &compute).unwrap();
        assert_eq!((plain.winner.score, plain.winner.lambda), (plain.best_score, plain.lambdas[plain.best.1]));
        let refined = RidgeSearch { refinements: 3, ..search }.fit(x.view(), y.view(), None, &compute).unwrap();
        let winner = &refined.winner;
        assert_eq!((refined.fit.kernel(), refined.fit.lambda()), (&winner.kernel, winner.lambda));
        assert_eq!((refined.scores.ncols(), refined.lambdas.len()), (7, 7));
        assert!(winner.score < refined.best_score && refined.best_score <= plain.best_score);
        // A local minimum: a step of 1 % to either side is no better.
        let ridge = Ridge::new(winner.kernel.clone(), 0.0);
        let lambdas = [winner.lambda, winner.lambda * 1.02, winner.lambda / 1.02];
        let path = ridge_path(&ridge, &lambdas, Some(4), x.view(), y.view(), None, &compute).unwrap().scores(criterion);
        assert_close!(winner.score, path[0], 1e-12);
        assert!(path[0] <= path[1] && path[0] <= path[2], "{path}");
    }
}
