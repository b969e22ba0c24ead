//! The sequential test: its level under optional stopping, its power, and what it refuses.

use crate::common::effort;
use mercer::hypothesis::{BettingEvidence, SequentialTwoSample};
use mercer::{Compute, Error, Kernel, Seed, Stream};
use ndarray::Array2;

/// Draws a value of the first or the second sample.
type Draw = fn(&mut Stream, bool) -> f64;

/// Plays batches of random sizes until the test rejects or the data end; whether it ever rejected.
fn ever_rejects(test: &SequentialTwoSample, seed: u64, draw: Draw) -> bool {
    let mut random = Seed(seed).stream("drift", 0);
    let mut running = test.start().unwrap();
    for _ in 0..12 {
        let (m, n) = (1 + random.below(25), 1 + random.below(25));
        let x = Array2::from_shape_fn((m, 1), |_| draw(&mut random, true));
        let y = Array2::from_shape_fn((n, 1), |_| draw(&mut random, false));
        if running.update(&x, &y, &Compute::new()).unwrap().reject {
            return true;
        }
    }
    false
}

/// The chance that the wealth ever reaches 1/level is at most the level: at most the 99.9 %
/// quantile of the binomial distribution.
#[test]
fn the_level_holds_under_optional_stopping() {
    let nulls: [(&str, Draw); 3] = [
        ("normal", |random, _| random.normal()),
        ("Cauchy", |random, _| random.normal() / random.normal()),
        ("discrete", |random, _| random.below(3) as f64),
    ];
    let trials = effort(200, 2000);
    for (name, draw) in nulls {
        for level in [0.05, 0.2] {
            let test = SequentialTwoSample { level, ..SequentialTwoSample::default() };
            let rejected = (0..trials).filter(|t| ever_rejects(&test, *t, draw)).count() as f64;
            let (mean, spread) = (trials as f64 * level, (trials as f64 * level * (1.0 - level)).sqrt());
            assert!(rejected <= mean + 3.1 * spread, "{name}: {rejected} of {trials} at level {level}");
        }
    }
}

#[test]
fn differences_are_found() {
    let alternatives: [(&str, Draw); 2] = [
        ("shift", |random, first| random.normal() + if first { 1.0 } else { 0.0 }),
        ("scale", |random, first| random.normal() * if first { 3.0 } else { 1.0 }),
    ];
    let test = SequentialTwoSample::default();
    for (name, draw) in alternatives {
        let found = (0..40).filter(|t| ever_rejects(&test, 1000 + *t, draw)).count();
        assert!(found >= 32, "{name}: {found} of 40");
    }
}

/// One batch of everything is bet on in rounds: the evidence does not wait for a second batch.
#[test]
fn one_large_batch_is_enough() {
    let mut random = Seed(3).stream("drift", 1);
    let x = Array2::from_shape_fn((300, 2), |_| random.normal());
    let y = Array2::from_shape_fn((600, 2), |(_, j)| random.normal() + j as f64);
    let mut running = SequentialTwoSample::default().start().unwrap();
    let evidence = running.update(&x, &y, &Compute::new()).unwrap();
    assert!(evidence.reject && evidence.pairs > 250 && evidence.batches == 1);
    assert_close!(evidence.wealth.ln(), evidence.log_wealth, 1e-12);
    assert_eq!(running.kernels().len(), 3);
    assert_eq!(running.history(), [evidence]);
}

#[test]
fn rejection_stays_and_the_p_value_never_grows() {
    let mut random = Seed(4).stream("drift", 2);
    let mut running = SequentialTwoSample::default().start().unwrap();
    for batch in 0..20 {
        let shift = if batch < 8 { 1.5 } else { 0.0 };
        let x = Array2::from_shape_fn((20, 1), |_| random.normal());
        let y = Array2::from_shape_fn((20, 1), |_| random.normal() + shift);
        running.update(&x, &y, &Compute::new()).unwrap();
    }
    let history = running.history();
    assert!(history.windows(2).all(|w| w[1].p_value <= w[0].p_value && w[1].reject >= w[0].reject));
    assert!(history[19].reject);
}

#[test]
fn the_same_seed_and_threads_give_the_same_bytes() {
    let evidence = |threads: usize| -> BettingEvidence {
        let mut random = Seed(5).stream("drift", 3);
        let mut running = SequentialTwoSample::default().start().unwrap();
        let compute = Compute::new().with_threads(threads).unwrap();
        for _ in 0..4 {
            let x = Array2::from_shape_fn((40, 3), |_| random.normal());
            let y = Array2::from_shape_fn((30, 3), |_| random.normal());
            running.update(&x, &y, &compute).unwrap();
        }
        running.evidence()
    };
    assert_eq!(evidence(1), evidence(3));
}

#[test]
fn what_cannot_be_bet_on() {
    let compute = Compute::new();
    for level in [0.0, 1.0, f64::NAN] {
        let test = SequentialTwoSample { level, ..SequentialTwoSample::default() };
        assert!(matches!(test.start(), Err(Error::Parameter { .. })));
    }
    let mut running = SequentialTwoSample::default().start().unwrap();
    let (one, two) = (Array2::<f64>::zeros((10, 1)), Array2::<f64>::zeros((10, 2)));
    // Points that are all equal say nothing, and nothing is lost.
    for _ in 0..3 {
        assert_eq!(running.update(&one, &one, &compute).unwrap().wealth, 1.0);
    }
    let before = running.evidence();
    assert!(matches!(running.update(&two, &one, &compute), Err(Error::Shape { .. })));
    assert!(matches!(running.update(&one.mapv(|_| f64::NAN), &one, &compute), Err(Error::Value { .. })));
    assert_eq!(running.evidence(), before);
    // An empty side is learned from, not bet on.
    let evidence = running.update(&one.mapv(|_| 1.0), &Array2::zeros((0, 1)), &compute).unwrap();
    assert_eq!((evidence.pairs, evidence.batches), (0, 4));
    let kernel: Option<Kernel> = Some("gaussian(lengthscale=1) + laplacian(lengthscale=2)".parse().unwrap());
    let mut running = SequentialTwoSample { kernel, ..SequentialTwoSample::default() }.start().unwrap();
    running.update(&Array2::from_shape_fn((30, 1), |(i, _)| i as f64), &Array2::ones((30, 1)), &compute).unwrap();
    assert_eq!(running.kernels().len(), 2);
}
