//! Every smooth loss on every operator: one Newton method, compared with the exact solution.

use std::borrow::Cow;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::loss::LossTerm;
use super::{KernelMachine, Loss};
use crate::features::{Cells, RandomBinning};
use crate::gram::{self, Pairs};
use crate::kernel::sparse_rows::{Part, concat};
use crate::operator::{ByProduct, Dense, Operator, Sparse, Tiled};
use crate::solve::newton::{DataTerm, NewtonOptions, NewtonProblem, PrimalSolution};
use crate::{Compute, Kernel, Seed};

const LAMBDA: f64 = 0.3;
const ROWS: usize = 80;

/// Losses with targets of theirs.
fn terms() -> Vec<(Loss, Array1<f64>)> {
    let mut stream = Seed(3).stream("targets", 0);
    let real = Array1::from_shape_fn(ROWS, |_| 5.0 + stream.normal());
    let signs = real.mapv(|v| if v > 5.2 { 1.0 } else { -1.0 });
    let counts = real.mapv(|v| (v - 3.5).max(0.0).floor());
    let amounts = real.mapv(|v| (0.5 * (v - 5.0)).exp());
    let sometimes = &amounts * &signs.mapv(|s| f64::from(u8::from(s > 0.0)));
    vec![
        (Loss::Squared, real.clone()),
        (Loss::Huber { delta: 0.7 }, real.clone()),
        (Loss::LogCosh, real),
        (Loss::SquaredHinge, signs.clone()),
        (Loss::Logistic, signs),
        (Loss::Poisson, counts),
        (Loss::Gamma, amounts),
        (Loss::Tweedie { power: 1.5 }, sometimes),
    ]
}

/// The solution with the diagonal of `ZᵀZ` as preconditioner: nothing that depends on the operator.
fn solve(features: &dyn Operator, data: &dyn DataTerm, intercept: bool, compute: &Compute) -> PrimalSolution {
    let size = features.shape().1 + usize::from(intercept);
    let preconditioning = |_: ArrayView1<f64>, _: f64| {
        Ok(Box::new(ByProduct::new(size, |v: ArrayView2<f64>| Ok(v.to_owned()))) as Box<dyn Operator>)
    };
    let problem =
        NewtonProblem { features, data, lambda: LAMBDA, intercept, preconditioning: &preconditioning, compute };
    let options = NewtonOptions { tolerance: 1e-14, step_tolerance: 1e-9, max_iterations: 20_000, max_steps: 60 };
    problem.solve(options, &mut |_, _| Ok(false)).unwrap()
}

type Check<'c> = dyn FnMut(&str, &dyn Operator, &Array2<f64>) + 'c;

/// Calls `check(name, operator, dense)` for operators of every kind, each with its matrix `Z`.
fn operators(compute: &Compute, check: &mut Check<'_>) {
    let x = Array2::from_shape_fn((ROWS, 2), |(i, j)| ((2 * i + j) as f64 * 0.7).sin() * 2.0);
    let kernel: Kernel = "gaussian(lengthscale=1.2)".parse().unwrap();
    let centers = x.slice(ndarray::s![..9, ..]);
    let bound = kernel.bind(Pairs::between(x.view(), centers), compute).unwrap();
    let cross = gram::dense(&bound, compute).unwrap();
    check("dense features", &Dense::new(cross.view(), compute), &cross);
    check("tiles of centers", &Tiled::new(&bound, compute), &cross);
    check("stored tiles", &Tiled::stored(&bound, compute).unwrap(), &cross);
    let (mut part, mut counts) = (Part::default(), Array2::zeros((ROWS, 7)));
    for i in 0..ROWS {
        for column in (0..7).filter(|j| (i + j) % 3 == 0) {
            counts[[i, column]] = 1.0 + ((i * column) % 2) as f64;
            part.push(column as u32, counts[[i, column]]);
        }
        part.end_row();
    }
    check("sparse features", &Sparse::new(Cow::Owned(concat(vec![part], 7)), compute), &counts);
    let grids = RandomBinning { kernel: "laplacian(norm=l1)".parse().unwrap(), grids: 5, buckets: 8 };
    let cells = grids.fit(x.view(), compute).unwrap().transform(x.view(), compute).unwrap();
    check("random binning", &Cells::new(&cells, compute), &cells.to_dense(compute).unwrap());
}

#[test]
fn every_smooth_loss_on_every_operator_is_the_exact_kernel_machine() {
    let compute = Compute::new();
    operators(&compute, &mut |name, operator, dense| {
        for (loss, y) in terms() {
            for intercept in [false, true] {
                // The exact machine with k(x, y) = z(x)ᵀz(y).
                let linear: Kernel = "linear()".parse().unwrap();
                let machine = KernelMachine { intercept, tolerance: 1e-20, ..KernelMachine::new(loss, linear, LAMBDA) };
                let exact = machine.fit(dense.view(), y.view(), None, &compute).unwrap();
                let term = LossTerm::of_values(loss, y.view().insert_axis(Axis(1)), Array1::ones(ROWS));
                let found = solve(operator, &term, intercept, &compute);
                let what = format!("{loss} on {name}, intercept: {intercept}");
                let fitted = found.state.fitted.column(0).to_owned();
                assert_close!(&fitted, &exact.fitted().to_owned(), each = 2e-6, "{what}");
                let objective = exact.evidence().objective;
                assert_close!(found.state.objective, objective, abs = 1e-9 * objective.abs().max(1.0), "{what}");
            }
        }
    });
}

#[test]
fn softmax_on_every_operator_is_stationary() {
    let compute = Compute::new();
    let labels: Vec<usize> = (0..ROWS).map(|i| (i * i + i / 7) % 3).collect();
    let weights = Array1::from_shape_fn(ROWS, |i| 0.5 + (i % 2) as f64);
    operators(&compute, &mut |name, operator, dense| {
        for intercept in [false, true] {
            let term = LossTerm::of_classes(labels.clone(), 3, weights.view());
            let state = solve(operator, &term, intercept, &compute).state;
            // The conditions of the minimum, written out: Zᵀv(p − e_y) + 2λw = 0, Σv(p − e_y) = 0.
            let f = dense.dot(&state.w) + &state.b;
            let mut slopes = f.mapv(f64::exp);
            for (i, mut row) in slopes.rows_mut().into_iter().enumerate() {
                let total = row.sum();
                row /= total;
                row[labels[i]] -= 1.0;
                row *= weights[i];
            }
            let gradient = dense.t().dot(&slopes) + &state.w * (2.0 * LAMBDA);
            assert!(gradient.iter().all(|g| g.abs() < 1e-5), "{name}: {gradient}");
            let sums = slopes.sum_axis(Axis(0));
            assert!(!intercept || sums.iter().all(|s| s.abs() < 1e-5), "{name}: {sums}");
        }
    });
}

#[test]
fn a_large_mean_of_the_targets_costs_no_digits() {
    // The start at the best constants makes tolerances relative to what is left of the targets.
    let compute = Compute::new();
    let z = Array2::from_shape_fn((ROWS, 4), |(i, j)| ((i * (j + 1)) as f64).sin());
    let y = Array2::from_shape_fn((ROWS, 1), |(i, _)| (i as f64 * 0.3).cos());
    let features = Dense::new(z.view(), &compute);
    let of = |shift: f64| {
        let term = LossTerm::of_values(Loss::Squared, &y + shift, Array1::ones(ROWS));
        solve(&features, &term, true, &compute).state
    };
    let (near, far) = (of(0.0), of(1e6));
    assert_close!(&far.w, &near.w, each = 1e-8);
    assert_close!(far.b[0] - 1e6, near.b[0], abs = 1e-8);
}
