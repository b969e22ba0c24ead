//! Local smoothers against brute force and their limits.

use mercer::learn::smoother::{Bandwidth, LocalFit, LocalLinear, LocalWeight, NadarayaWatson};
use mercer::{Compute, Error, Seed};
use ndarray::{Array1, Array2, Axis, array};

const WEIGHTS: [LocalWeight; 5] = [
    LocalWeight::Gaussian,
    LocalWeight::Epanechnikov,
    LocalWeight::Tricube,
    LocalWeight::Uniform,
    LocalWeight::Biweight,
];

fn sample(n: usize, d: usize) -> (Array2<f64>, Array1<f64>) {
    let mut s = Seed(1).stream("smoothers", d as u64);
    let x = Array2::from_shape_fn((n, d), |_| s.uniform());
    let y =
        x.map_axis(Axis(1), |row| (6.0 * row[0]).sin() + row.sum()) + Array1::from_shape_fn(n, |_| 0.1 * s.normal());
    (x, y)
}

fn fit(
    line: bool,
    bandwidth: Bandwidth,
    weights: LocalWeight,
    x: &Array2<f64>,
    y: &Array1<f64>,
) -> Result<LocalFit, Error> {
    let compute = Compute::new();
    if line {
        LocalLinear { bandwidth, weights }.fit(x.view(), y.view(), &compute)
    } else {
        NadarayaWatson { bandwidth, weights }.fit(x.view(), y.view(), &compute)
    }
}

/// The value at `t` from the sums of the definition, and the weight of each observation in it.
fn brute_force(line: bool, h: f64, weights: LocalWeight, x: &Array2<f64>, t: &[f64]) -> Vec<f64> {
    let distance = |i: usize| x.row(i).iter().zip(t).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let w: Vec<f64> = (0..x.nrows()).map(|i| weights.value(distance(i) / h)).collect();
    let moment = |k: i32| (0..x.nrows()).map(|i| w[i] * (x[[i, 0]] - t[0]).powi(k)).sum::<f64>();
    let (s0, s1, s2) = (moment(0), moment(1), moment(2));
    let one = |i: usize| if line { w[i] * (s2 - s1 * (x[[i, 0]] - t[0])) / (s0 * s2 - s1 * s1) } else { w[i] / s0 };
    (0..x.nrows()).map(one).collect()
}

#[test]
fn every_weight_equals_brute_force() {
    for (line, d) in [(false, 1), (true, 1), (false, 3)] {
        let (x, y) = sample(40, d);
        for weights in WEIGHTS {
            let h = if d == 1 { 0.2 } else { 0.9 };
            let found = fit(line, Bandwidth::Fixed(h), weights, &x, &y).unwrap();
            for i in 0..x.nrows() {
                let row = brute_force(line, h, weights, &x, &x.row(i).to_vec());
                let value: f64 = row.iter().zip(&y).map(|(a, b)| a * b).sum();
                assert_close!(found.fitted()[i], value, abs = 1e-12, "{weights:?} d = {d}");
                assert_close!(found.leverages()[i], row[i], abs = 1e-12, "{weights:?} d = {d}");
                let loo = (y[i] - value) / (1.0 - row[i]);
                assert_close!(found.loo_residuals()[i], loo, abs = 1e-10, "{weights:?} d = {d}");
            }
            let again = found.predict(x.view(), &Compute::new().with_threads(1).unwrap()).unwrap();
            assert_eq!(again, found.fitted());
        }
    }
}

#[test]
fn the_chosen_bandwidth_is_the_best_nearby() {
    let (x, y) = sample(80, 1);
    for weights in WEIGHTS {
        for line in [false, true] {
            let best = fit(line, Bandwidth::LeaveOneOut, weights, &x, &y).unwrap();
            // With uniform weights the score is a step function of h: nearby steps may be lower.
            let near: &[f64] = if weights == LocalWeight::Uniform { &[] } else { &[0.7, 0.98, 1.02, 1.5] };
            for factor in near.iter().chain(&[0.2, 4.0]) {
                let other = fit(line, Bandwidth::Fixed(best.bandwidth() * factor), weights, &x, &y);
                let worse =
                    other.map_or(true, |o| o.loo_score().is_nan() || o.loo_score() >= best.loo_score() * (1.0 - 1e-3));
                assert!(worse, "{weights:?} line {line} factor {factor}");
            }
        }
    }
}

#[test]
fn limits() {
    let (x, y) = sample(30, 1);
    let mean = fit(false, Bandwidth::Fixed(1e6), LocalWeight::Gaussian, &x, &y).unwrap();
    assert_close!(mean.fitted()[3], y.mean().unwrap(), abs = 1e-9);
    assert_close!(mean.degrees_of_freedom(), 1.0, abs = 1e-9);
    let line = fit(true, Bandwidth::Fixed(1e6), LocalWeight::Tricube, &x, &y).unwrap();
    assert_close!(line.degrees_of_freedom(), 2.0, abs = 1e-9);
    assert_close!(line.residuals().sum(), 0.0, abs = 1e-9);
    // Far away a Gaussian mean is the nearest observation, not 0/0.
    let near =
        fit(false, Bandwidth::Fixed(0.01), LocalWeight::Gaussian, &array![[0.0], [1.0]], &array![3.0, 4.0]).unwrap();
    assert_eq!(near.predict(array![[1e3]].view(), &Compute::new()).unwrap()[0], 4.0);
}

#[test]
fn empty_neighborhoods_are_named() {
    let (x, y) = (array![[0.0], [1.0], [5.0]], array![0.0, 1.0, 2.0]);
    let found = fit(false, Bandwidth::Fixed(1.5), LocalWeight::Epanechnikov, &x, &y).unwrap();
    assert!(found.loo_residuals()[2].is_nan() && found.loo_residuals()[0] == -1.0);
    let message = found.predict(array![[0.0], [3.0]].view(), &Compute::new()).unwrap_err().to_string();
    assert!(message.contains("row 1 at [3]") && message.contains("larger bandwidth"), "{message}");
    let message = fit(true, Bandwidth::Fixed(1.5), LocalWeight::Uniform, &x, &y).unwrap_err().to_string();
    assert!(message.contains("row 2 at [5]") && message.contains("one position"), "{message}");
}

#[test]
fn bad_input_is_refused() {
    let (x, y) = (array![[0.0], [1.0]], array![0.0, 1.0]);
    let mean = |h, x: &Array2<f64>, y: &Array1<f64>| fit(false, h, LocalWeight::Gaussian, x, y).map(|_| ());
    for h in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(mean(Bandwidth::Fixed(h), &x, &y), Err(Error::Parameter { .. })));
    }
    let given = Bandwidth::Fixed(1.0);
    assert!(matches!(mean(given, &Array2::zeros((0, 1)), &array![]), Err(Error::Shape { .. })));
    assert!(matches!(mean(given, &x, &array![1.0]), Err(Error::Shape { .. })));
    assert!(matches!(mean(given, &array![[f64::NAN], [1.0]], &y), Err(Error::Value { .. })));
    assert!(matches!(mean(given, &x, &array![1.0, f64::INFINITY]), Err(Error::Value { row: 1, .. })));
    assert!(matches!(mean(Bandwidth::LeaveOneOut, &array![[2.0], [2.0]], &y), Err(Error::AllEqual { .. })));
    assert!(matches!(mean(Bandwidth::LeaveOneOut, &array![[2.0]], &array![1.0]), Err(Error::AllEqual { .. })));
    assert!(matches!(fit(true, given, LocalWeight::Gaussian, &Array2::zeros((2, 2)), &y), Err(Error::Shape { .. })));
    let found = fit(false, given, LocalWeight::Gaussian, &x, &y).unwrap();
    assert!(matches!(found.predict(Array2::zeros((1, 2)).view(), &Compute::new()), Err(Error::Shape { .. })));
    assert!(matches!(found.slopes(x.view(), &Compute::new()), Err(Error::Unsupported { .. })));
}
