//! Plans say how much memory a fit takes: measured by an allocator that counts.
//!
//! A binary of its own with one test, because the allocator counts what all threads allocate.

mod allocator;
mod data;

use allocator::peak_of;
use data::Data;
use mercer::hypothesis::ConditionalIndependence;
use mercer::learn::Ridge;
use mercer::learn::ridge::RidgeSolver;
use mercer::model::{AnyFit, LEARNERS};
use mercer::{Compute, Error, Seed};
use ndarray::{Array2, Axis};

/// The plan of every learner is within 20 % of the most bytes that were allocated at a time, or 100 kB
/// where a fit takes next to nothing (random features).
///
/// The memory of some depends on the data as well, and their plans hold for data like this: support
/// vector machines and quantile curves of many steps copy the kernel values of variables that are not
/// at a bound, and canonical correlations have ranks (whole matrices here).
#[test]
fn plans_tell_the_peak_memory_of_every_learner() {
    // One pool for all: threads that end free what they kept at any later time. With several threads
    // it depends on the moment how many strips there are at a time.
    let compute = Compute::new().with_threads(1).unwrap();
    let mut wrong = Vec::new();
    for entry in LEARNERS {
        let data = Data::new(entry);
        let learner = entry.build(&data.settings).unwrap();
        let plan = learner.plan(&data.input().size(), &compute).unwrap();
        let (peak, fit) = peak_of(|| learner.fit(&data.input(), &compute).map(AnyFit::from));
        fit.unwrap_or_else(|e| panic!("{}: {e}", entry.name));
        let ratio = plan.bytes as f64 / peak as f64;
        println!("{} of {} rows: {} bytes planned, {peak} allocated, {ratio:.3}", entry.name, data.rows, plan.bytes);
        if (plan.bytes as f64 - peak as f64).abs() > (0.2 * peak as f64).max(1e5) {
            wrong.push(format!("{} ({plan}): {peak} bytes were allocated, {ratio:.2}", entry.name));
        }
    }
    wrong.extend(grids(&compute));
    wrong.extend(conditional_tests(&compute));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Ridge regressions on grids, whose plans depend on the points.
fn grids(compute: &Compute) -> Vec<String> {
    let mut wrong = Vec::new();
    for (shape, text) in [
        (vec![40_000], "gaussian(lengthscale=5)"),
        (vec![200, 180], "gaussian(lengthscale=5)"),
        (vec![180, 150], "matern(nu=3/2, lengthscale=5)"),
        (vec![40, 30, 30], "gaussian(lengthscale=2)"),
        (vec![30, 30, 25], "matern(nu=3/2, lengthscale=2)"),
    ] {
        for every in [usize::MAX, 6] {
            let cells: usize = shape.iter().product();
            let kept: Vec<usize> = (0..cells).filter(|i| i % every != every - 1).collect();
            let x = Array2::from_shape_fn((kept.len(), shape.len()), |(i, a)| {
                (kept[i] / shape[a + 1..].iter().product::<usize>() % shape[a]) as f64
            });
            let y = x.map_axis(Axis(1), |row| (row.sum() / 9.0).sin()).insert_axis(Axis(1));
            let ridge =
                Ridge { solver: RidgeSolver::Grid, diagnostics: false, ..Ridge::new(text.parse().unwrap(), 0.1) };
            let plan = ridge.plan_on(x.view(), 1, compute).unwrap();
            let (peak, fit) = peak_of(|| ridge.fit(x.view(), y.view(), None, compute));
            fit.unwrap();
            let ratio = plan.bytes as f64 / peak as f64;
            println!(
                "{text} on {shape:?}, {} rows: {} bytes planned, {peak} allocated, {ratio:.3}",
                x.nrows(),
                plan.bytes
            );
            if !(0.9..1.5).contains(&ratio) {
                wrong.push(format!("{text} on {shape:?} ({plan}): {peak} bytes were allocated, {ratio:.2}"));
            }
        }
    }
    wrong
}

/// Conditional tests reserve what they allocate, with the search for the lengthscales of several
/// columns of the condition.
fn conditional_tests(compute: &Compute) -> Vec<String> {
    let mut wrong = Vec::new();
    // With 40 rows the search is a quarter of the memory.
    for (rows, columns) in [(40, 6), (120, 1), (120, 6), (250, 3), (400, 6)] {
        let mut random = Seed(3).stream("conditional", 0);
        let z = Array2::from_shape_fn((rows, columns), |_| random.normal());
        let [x, y] = [0, 1].map(|_| Array2::from_shape_fn((rows, 1), |(i, _)| z[[i, 0]] + random.normal()));
        let test = ConditionalIndependence { permutations: 99, ..ConditionalIndependence::default() };
        let run = |compute: &Compute| test.test(x.view(), y.view(), z.view(), compute);
        let Err(Error::Memory { needed, .. }) = run(&compute.clone().with_memory(1)) else {
            wrong.push(format!("a conditional test of {rows} rows is not refused by a limit of 1 byte"));
            continue;
        };
        let (peak, outcome) = peak_of(|| run(compute));
        outcome.unwrap();
        let ratio = needed as f64 / peak as f64;
        println!(
            "conditional test of {rows} rows given {columns} columns: {needed} reserved, {peak} allocated, {ratio:.3}"
        );
        if !(1.0..4.0).contains(&ratio) {
            wrong.push(format!(
                "conditional test of {rows} rows given {columns} columns: {needed} reserved, {peak} allocated"
            ));
        }
    }
    wrong
}
