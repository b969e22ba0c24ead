//! The fit on the cells of a sample.

use ndarray::{Array1, Array2, ArrayView1, Axis};

use super::BinnedMachine;
use crate::features::{CellMatrix, Cells};
use crate::learn::loss::LossTerm;
use crate::operator::{ByProduct, Operator};
use crate::solve::newton::{NewtonOptions, NewtonProblem, PrimalSolution, joined};
use crate::{Compute, Error, Result};

/// Newton steps of a loss that is not quadratic.
/// A safety limit: any value between 30 and 1000 would do.
const STEPS: usize = 50;
/// The residual of such a step, as a part of its right-hand side, at most; a tolerance that
/// requires more digits makes it smaller.
const STEP_TOLERANCE: f64 = 1e-2;

/// The coefficients of the cells, with the diagonal of the system as preconditioner.
pub(super) fn solve(
    machine: &BinnedMachine,
    matrix: &CellMatrix,
    data: &LossTerm<'_>,
    compute: &Compute,
) -> Result<PrimalSolution> {
    let features = Cells::new(matrix, compute);
    let intercept = machine.intercept;
    let size = matrix.shape().1 + usize::from(intercept);
    let preconditioning = |curvatures: ArrayView1<f64>, penalty: f64| {
        let mut diagonal = features.weighted_squares(curvatures)?;
        diagonal += penalty;
        let constants = Array1::from_elem(1, curvatures.sum().max(f64::MIN_POSITIVE));
        let diagonal = joined(diagonal.insert_axis(Axis(1)), constants, intercept);
        let inverse = ByProduct::new(size, move |v: ndarray::ArrayView2<f64>| Ok(&v / &diagonal));
        Ok(Box::new(inverse) as Box<dyn Operator + '_>)
    };
    let (lambda, tolerance, max_iterations) = (machine.lambda, machine.tolerance, machine.max_iterations);
    let problem =
        NewtonProblem { features: &features, data, lambda, intercept, preconditioning: &preconditioning, compute };
    let step_tolerance = STEP_TOLERANCE.min(10.0 * tolerance.sqrt());
    let options = NewtonOptions { tolerance, step_tolerance, max_iterations, max_steps: STEPS };
    let found = problem.solve(options, &mut |_, _| compute.check_canceled().map(|()| false))?;
    if found.canceled { Err(Error::Canceled) } else { Ok(found) }
}

/// Coefficients of some columns among all of them; those of the others are 0.
pub(super) fn spread(w: &Array2<f64>, positions: &[Option<usize>], columns: usize) -> Array2<f64> {
    let mut all = Array2::zeros((columns, w.ncols()));
    for (row, position) in w.rows().into_iter().zip(positions) {
        if let Some(position) = position {
            all.row_mut(*position).assign(&row);
        }
    }
    all
}
