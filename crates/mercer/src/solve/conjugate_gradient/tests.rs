use ndarray::{Array2, Axis, array, concatenate, s};

use super::*;
use crate::operator::{ByProduct, Dense, Identity};
use crate::solve::solve_positive;
use crate::{Compute, Seed};

/// A positive definite matrix with condition number about 100, and right-hand sides.
fn system(n: usize, columns: usize) -> (Array2<f64>, Array2<f64>) {
    let mut stream = Seed(5).stream("conjugate gradients", n as u64);
    let root = Array2::from_shape_fn((n, n), |_| stream.normal());
    let a = root.dot(&root.t()) / n as f64 + Array2::<f64>::eye(n) * 0.05;
    (a, Array2::from_shape_fn((n, columns), |_| stream.normal()))
}

fn exact(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    solve_positive(a.view(), b.view()).unwrap().solution
}

fn options(rule: ResidualRule, tolerance: f64) -> ConjugateGradientOptions {
    ConjugateGradientOptions { rule, tolerance, ..Default::default() }
}

#[test]
fn every_rule_ends_where_it_says() {
    let (a, b) = system(40, 3);
    let (matrix, compute) = (a.clone(), Compute::new());
    let operator = Dense::new(matrix.view(), &compute);
    let norm = |v: &Array2<f64>| v.mapv(|v| v * v).sum_axis(Axis(0)).mapv(f64::sqrt);
    for (rule, tolerance) in [
        (ResidualRule::Backward, 1e-10),
        (ResidualRule::Relative, 1e-10),
        (ResidualRule::Penalty { lambda: 0.05 }, 1e-8),
    ] {
        let iteration = ConjugateGradients::new(&operator, &Identity(40), options(rule, tolerance));
        let found = iteration.solve(b.view()).unwrap();
        let residual = norm(&(&b - &a.dot(&found.solution)));
        let bound = match rule {
            ResidualRule::Penalty { lambda } => norm(&found.solution) * lambda,
            ResidualRule::Relative => norm(&b),
            // ‖A‖ ≤ tr A.
            ResidualRule::Backward => norm(&found.solution) * a.diag().sum() + norm(&b),
        };
        assert!(residual.iter().zip(&bound).all(|(r, b)| *r <= 10.0 * tolerance * b), "{rule:?}: {residual} {bound}");
        // A looser tolerance needs fewer steps: the rule is what ended it.
        let loose = ConjugateGradients::new(&operator, &Identity(40), options(rule, 1e-3));
        assert!(loose.solve(b.view()).unwrap().iterations < found.iterations);
        assert_close!(&found.solution, &exact(&a, &b), each = 1e-6);
    }
}

#[test]
fn a_state_goes_on_where_it_was() {
    let (a, b) = system(30, 2);
    let compute = Compute::new();
    let operator = Dense::new(a.view(), &compute);
    for rule in [ResidualRule::Backward, ResidualRule::Relative, ResidualRule::Penalty { lambda: 0.05 }] {
        let iteration = ConjugateGradients::new(&operator, &Identity(30), options(rule, 1e-12));
        let (mut whole, mut parts) = (iteration.start(b.view()), iteration.start(b.view()));
        assert_eq!(iteration.run(&mut whole, 15, &mut |_| Ok(false)).unwrap(), Ended::Steps);
        for steps in [4, 5, 15] {
            parts = parts.clone();
            iteration.run(&mut parts, steps, &mut |_| Ok(false)).unwrap();
        }
        assert_eq!(whole.solution(), parts.solution(), "{rule:?}");
        assert_eq!(whole.iterations(), 15);
    }
}

#[test]
fn a_watcher_sees_every_iterate_and_stops() {
    let (a, b) = system(30, 1);
    let compute = Compute::new();
    let operator = Dense::new(a.view(), &compute);
    let iteration = ConjugateGradients::new(&operator, &Identity(30), options(ResidualRule::Relative, 1e-12));
    let (mut state, mut seen) = (iteration.start(b.view()), Vec::new());
    let ended = iteration
        .run(&mut state, 100, &mut |x| {
            seen.push((&x.to_owned() - &exact(&a, &b)).mapv(|v| v * v).sum());
            Ok(seen.len() == 6)
        })
        .unwrap();
    assert_eq!((ended, state.iterations()), (Ended::Watched, 6));
    // The errors of conjugate gradients fall in every step.
    assert!(seen.windows(2).all(|pair| pair[1] < pair[0]), "{seen:?}");
}

#[test]
fn joint_columns_are_one_unknown() {
    let (a, b) = system(20, 1);
    let compute = Compute::new();
    let operator = Dense::new(a.view(), &compute);
    // The matrix on the first half couples both columns of ten rows.
    let coupled = ByProduct::new(10, |v: ArrayView2<f64>| {
        let flat = concatenate(Axis(0), &[v.slice(s![.., ..1]), v.slice(s![.., 1..])]).unwrap();
        let image = operator.apply(flat.view())?;
        Ok(concatenate(Axis(1), &[image.slice(s![..10, ..]), image.slice(s![10.., ..])]).unwrap())
    });
    let right = concatenate(Axis(1), &[b.slice(s![..10, ..]), b.slice(s![10.., ..])]).unwrap();
    let options = ConjugateGradientOptions { joint: true, ..Default::default() };
    let found = conjugate_gradients(&coupled, &Identity(10), right.view(), &options).unwrap().solution;
    let expected = exact(&a, &b);
    for i in 0..20 {
        assert_close!(found[[i % 10, i / 10]], expected[[i, 0]], abs = 1e-11);
    }
}

#[test]
fn unpenalized_functions_are_eliminated() {
    let (a, b) = system(25, 2);
    let compute = Compute::new();
    let operator = Dense::new(a.view(), &compute);
    let n = Array2::from_shape_fn((25, 2), |(i, j)| (i as f64 / 25.0).powi(j as i32));
    // [A N; Nᵀ 0][x; γ] = [b; 0], by elimination.
    let response = exact(&a, &n);
    let own = exact(&a, &b);
    let gamma = exact(&n.t().dot(&response), &n.t().dot(&own));
    let expected = own - response.dot(&gamma);
    let diagonal = a.diag().to_owned();
    let preconditioner = ByProduct::new(25, |v: ArrayView2<f64>| Ok(&v / &diagonal.view().insert_axis(Axis(1))));
    let null = NullSpace::new(n.view(), &preconditioner).unwrap();
    let iteration = ConjugateGradients::new(&operator, &preconditioner, Default::default()).within(null.as_ref());
    let found = iteration.solve(b.view()).unwrap();
    assert_close!(&found.solution, &expected, each = 1e-11);
    assert_close!(&null.as_ref().unwrap().coefficients(&found.left), &gamma, each = 1e-10);
    assert!(n.t().dot(&found.solution).iter().all(|v| v.abs() < 1e-12));
    let dependent = array![[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]];
    assert!(NullSpace::new(dependent.view(), &Identity(3)).is_err());
}

#[test]
fn too_few_steps_are_an_error_with_the_residual() {
    let (a, b) = system(40, 1);
    let compute = Compute::new();
    let operator = Dense::new(a.view(), &compute);
    let options = ConjugateGradientOptions { max_iterations: 3, ..Default::default() };
    match conjugate_gradients(&operator, &Identity(40), b.view(), &options) {
        Err(Error::NotConverged { iterations, residual, .. }) => assert!(iterations >= 3 && residual > 1e-6),
        other => panic!("{other:?}"),
    }
}
