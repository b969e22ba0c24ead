//! The published experiments: how data are drawn, which test is made, what was found.

use mercer::gram::{MetricKind, median_distance};
use mercer::hypothesis::{Independence, IndependenceMethod, KernelWeights, TwoSample, TwoSampleMethod};
use mercer::{Compute, Kernel, Result, Stream};
use ndarray::{Array2, Axis};

use super::mnist::Digits;
use super::sampling::{Perturbed, mixture, uniform};

/// Whether a test rejects on new data.
type Rejects<'d> = Box<dyn Fn(&mut Stream, &Compute) -> Result<bool> + 'd>;

/// One figure of a table.
pub struct Experiment<'d> {
    pub name: String,
    /// The published power, and from how many repetitions.
    pub published: (f64, u64),
    /// How often it is repeated here by default.
    pub repetitions: u64,
    pub rejects: Rejects<'d>,
}

/// All of them; MNIST where there are images.
pub fn experiments<'d>(digits: Option<&'d Digits>) -> Vec<Experiment<'d>> {
    let mut all = Vec::new();
    for (bumps, agg, median) in [(1, 1.0, 1.0), (2, 0.988, 0.812), (3, 0.602, 0.084), (4, 0.228, 0.018)] {
        let name = format!("perturbed uniform, d = 1, n = 500, {bumps} bumps");
        let law = Setting { dimension: 1, bumps, rows: 500, repetitions: 500, one_stream: false };
        all.push(perturbed(&format!("MMDAgg, {name}"), agg, law, |x, y, c| aggregated().test(x, y, c)));
        let law = Setting { one_stream: true, ..law };
        all.push(perturbed(&format!("median Gaussian, {name}, from one stream"), median, law, median_test));
    }
    for (bumps, agg) in [(1, 1.0), (2, 0.982), (3, 0.26)] {
        let name = format!("MMDAgg, perturbed uniform, d = 2, n = 2000, {bumps} bumps");
        let law = Setting { dimension: 2, bumps, rows: 2000, repetitions: 100, one_stream: false };
        all.push(perturbed(&name, agg, law, |x, y, c| aggregated().test(x, y, c)));
    }
    all.extend(digits.map(all_digits).unwrap_or_default());
    all.extend([(0.5, 0.995), (0.7, 0.51), (1.6, 0.635)].map(|(spread, power)| fused(spread, power)));
    all.extend(
        [(200, 0.08), (400, 0.23), (600, 0.37), (800, 0.59), (1000, 0.75)].map(|(n, power)| dependent(n, power)),
    );
    all
}

type Test = fn(&Array2<f64>, &Array2<f64>, &Compute) -> Result<mercer::hypothesis::TestOutcome>;

/// A uniform sample against one of a perturbed uniform distribution.
#[derive(Clone, Copy)]
struct Setting {
    dimension: usize,
    bumps: usize,
    rows: usize,
    repetitions: u64,
    /// Whether both samples are made of the same random numbers, as in the authors' code for the
    /// test with the median: half of the points are common to both.
    one_stream: bool,
}

fn perturbed<'d>(name: &str, power: f64, setting: Setting, test: Test) -> Experiment<'d> {
    let Setting { dimension, bumps, rows, repetitions, one_stream } = setting;
    let multiplier = if dimension == 1 { 2.7 } else { 7.3 };
    let rejects = move |random: &mut Stream, compute: &Compute| {
        let law = Perturbed::new(dimension, bumps, multiplier, random);
        let mut again = random.clone();
        let y = law.sample(rows, random);
        let x = uniform(rows, dimension, if one_stream { &mut again } else { random });
        Ok(test(&x, &y, compute)?.reject)
    };
    Experiment { name: name.into(), published: (power, 500), repetitions, rejects: Box::new(rejects) }
}

/// Laplacian and Gaussian kernels, wild bootstrap.
fn aggregated() -> TwoSample {
    TwoSample::with_method(TwoSampleMethod::Aggregated { weights: KernelWeights::Uniform, wild: true })
}

/// `exp(−d²/b²)` with the median distance `b`.
fn median_test(x: &Array2<f64>, y: &Array2<f64>, compute: &Compute) -> Result<mercer::hypothesis::TestOutcome> {
    let pooled = ndarray::concatenate![Axis(0), *x, *y];
    let median = median_distance(pooled.view(), MetricKind::SquaredEuclidean, compute)?;
    TwoSample { kernel: Some(Kernel::gaussian(median * 0.5_f64.sqrt())?), ..aggregated() }.test(x, y, compute)
}

/// All digits against the odd ones and some even ones.
fn all_digits(digits: &Digits) -> Vec<Experiment<'_>> {
    let figures = [1.0, 1.0, 0.996, 0.89, 0.248];
    let experiment = |(even, power): (usize, f64)| {
        let second: Vec<u8> = [1, 3, 5, 7, 9].into_iter().chain([0, 2, 4, 6].into_iter().take(even)).collect();
        let rejects = move |random: &mut Stream, compute: &Compute| {
            let x = digits.sample(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 500, random);
            Ok(aggregated().test(&x, &digits.sample(&second, 500, random), compute)?.reject)
        };
        let name = format!("MMDAgg, MNIST 7 × 7, n = 500, Q{}", even + 1);
        Experiment { name, published: (power, 500), repetitions: 300, rejects: Box::new(rejects) }
    };
    figures.into_iter().enumerate().map(experiment).collect()
}

fn fused<'d>(spread: f64, power: f64) -> Experiment<'d> {
    let rejects = move |random: &mut Stream, compute: &Compute| {
        let (x, y) = (mixture(500, 1.0, random), mixture(500, spread, random));
        Ok(TwoSample::with_method(TwoSampleMethod::Fused).test(&x, &y, compute)?.reject)
    };
    let name = format!("MMD-FUSE, mixture of Gaussians, n = 500, σ₂ = {spread}");
    Experiment { name, published: (power, 200), repetitions: 200, rejects: Box::new(rejects) }
}

/// The two coordinates of a perturbed uniform distribution.
fn dependent<'d>(rows: usize, power: f64) -> Experiment<'d> {
    let rejects = move |random: &mut Stream, compute: &Compute| {
        let points = Perturbed::new(2, 2, 1.0_f64.exp().powi(2), random).sample(rows, random);
        let (x, y) = (points.select(Axis(1), &[0]), points.select(Axis(1), &[1]));
        let test = Independence {
            permutations: 500,
            ..Independence::with_method(IndependenceMethod::Aggregated { wild: true })
        };
        Ok(test.test(&x, &y, compute)?.reject)
    };
    let name = format!("HSICAgg, perturbed uniform, 2 bumps, N = {rows}");
    Experiment { name, published: (power, 100), repetitions: 500, rejects: Box::new(rejects) }
}
