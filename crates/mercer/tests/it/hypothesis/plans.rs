//! Plans of tests: the bytes are those that a test reserves, and nothing else is asked for.

use mercer::hypothesis::{
    ConditionalIndependence, Independence, IndependenceMethod, Interaction, TwoSample, TwoSampleMethod,
};
use mercer::learner::Plan;
use mercer::{Compute, Error, Points, Result, Seed};
use ndarray::Array2;

fn normal(seed: u64, rows: usize) -> Array2<f64> {
    let mut stream = Seed(seed).stream("sample", 0);
    Array2::from_shape_fn((rows, 2), |_| stream.normal())
}

/// A test is refused one byte below its plan, with the number of the plan, and runs with as much.
fn assert_needs<T>(plan: &Plan, test: impl Fn(&Compute) -> Result<T>) {
    let compute = Compute::new();
    match test(&compute.clone().with_memory(plan.bytes - 1)).map(|_| ()) {
        Err(Error::Memory { needed, .. }) => assert_eq!(needed, plan.bytes),
        other => panic!("{other:?} below {} bytes", plan.bytes),
    }
    // The kernels themselves take a little beside the matrices.
    test(&compute.with_memory(plan.bytes + (1 << 20))).unwrap();
}

#[test]
fn tests_reserve_what_their_plans_report() {
    let (x, y, z) = (normal(1, 90), normal(2, 90), normal(3, 90));
    let compute = Compute::new();
    let [a, b, c] = [&x, &y, &z].map(|sample| Points::from(sample).size());
    let interaction = Interaction { permutations: 19, ..Interaction::default() };
    assert_needs(&interaction.plan([a, b, c], &compute), |compute| {
        interaction.test([(&x).into(), (&y).into(), (&z).into()], compute)
    });
    let conditional = ConditionalIndependence { permutations: 19, ..ConditionalIndependence::default() };
    assert_needs(&conditional.plan(a, b, c, &compute), |compute| conditional.test(&x, &y, &z, compute));
    let aggregated = Independence {
        method: IndependenceMethod::Aggregated { wild: false },
        permutations: 19,
        ..Independence::default()
    };
    assert_needs(&aggregated.plan(a, b, &compute), |compute| aggregated.test(&x, &y, compute));
    let spectral = TwoSample { permutations: 19, ..TwoSample::with_method(TwoSampleMethod::Spectral) };
    assert_needs(&spectral.plan(a, b, &compute), |compute| spectral.test(&x, &y, compute));
}

#[test]
fn tests_that_store_nothing_have_no_bytes() {
    let (x, y) = (normal(1, 200), normal(2, 150));
    let compute = Compute::new();
    let (a, b) = (Points::from(&x).size(), Points::from(&y).size());
    for method in [TwoSampleMethod::Permutation, TwoSampleMethod::Gamma, TwoSampleMethod::Linear] {
        let test = TwoSample {
            kernel: Some("gaussian()".parse().unwrap()),
            permutations: 19,
            ..TwoSample::with_method(method)
        };
        let plan = test.plan(a, b, &compute);
        assert_eq!(plan.bytes, 0);
        test.test(&x, &y, &compute.clone().with_memory(1 << 18)).unwrap();
    }
    // Twice as many relabelings are nearly twice the work; twice the points four times.
    let test = |permutations| TwoSample { permutations, ..TwoSample::permutation("gaussian()".parse().unwrap()) };
    let flops = |permutations, rows| test(permutations).plan(a.with_rows(rows), b.with_rows(rows), &compute).flops;
    assert_close!(flops(4000, 100) / flops(2000, 100), 2.0, abs = 0.01);
    assert_close!(flops(4000, 200) / flops(4000, 100), 4.0, abs = 1e-12);
}
