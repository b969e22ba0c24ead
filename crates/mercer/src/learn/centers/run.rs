//! A fit, step by step: centers, preconditioner, Newton's method, evidence.

use ndarray::Array2;

use super::basis::CenterBasis;
use super::classes::ClassProblem;
use super::fit::{CenterEvidence, CenterFit};
use super::newton::{Problem, Solution, Stop, Watch};
use super::precondition::Part;
use super::sweep::Matrix;
use super::task::Task;
use super::validation::{CenterData, Owned, Validation};
use super::{CenterMachine, CenterPlan};
use crate::definiteness::require_psd_for;
use crate::gram::Pairs;
use crate::{Compute, Kernel, Result};

/// Newton steps of a loss that is not quadratic.
/// A safety limit: any value between 50 and 1000 would do.
const NEWTON_STEPS: usize = 100;

/// The fit of checked data.
pub(super) fn fit(machine: &CenterMachine, data: CenterData<'_>, compute: &Compute) -> Result<CenterFit> {
    require_psd_for(&machine.kernel, data.x, compute)?;
    let plan = machine.plan(data.x.len(), data.x.size().numbers(), data.task.outputs(), compute)?;
    let kernel = machine.kernel.resolve(data.x, compute)?;
    let Some(held_out) = machine.held_out else {
        let (basis, part) = seen_from_centers(machine, &kernel, data, &plan, compute)?;
        let solution = solve(machine, &kernel, data.again(), (&basis, &part), &plan, &mut |_, _| Ok(false), compute)?;
        let fitted = solution.state.fitted.clone();
        return finished(machine, kernel.clone(), (&basis, &part), (solution, fitted, Vec::new()), plan, compute);
    };
    let (kept, apart) = held_out.split(data.x.len(), compute)?;
    let (train, test) = (Owned::rows(data, &kept), Owned::rows(data, &apart));
    let (basis, part) = seen_from_centers(machine, &kernel, train.data(), &plan, compute)?;
    let mut validation = Validation {
        patience: held_out.patience,
        data: test.data(),
        kernel: &kernel,
        basis: &basis,
        compute,
        scores: Vec::new(),
        best: None,
    };
    let seen = (&basis, &part);
    let mut solution = solve(machine, &kernel, train.data(), seen, &plan, &mut |w, b| validation.see(w, b), compute)?;
    let scores = validation.into_best(&mut solution);
    // The rows that were held out have values too.
    let alpha = basis.coefficients(solution.state.w.view(), compute)?;
    let bound = kernel.bind(Pairs::Between(data.x.reborrow(), basis.points.as_points()), compute)?;
    let fitted = crate::gram::multiply(&bound, alpha.view(), compute)? + &solution.state.b;
    finished(machine, kernel.clone(), seen, (solution, fitted, scores), plan, compute)
}

fn seen_from_centers(
    machine: &CenterMachine,
    kernel: &Kernel,
    data: CenterData<'_>,
    plan: &CenterPlan,
    compute: &Compute,
) -> Result<(CenterBasis, Part)> {
    let points = machine.landmarks.choose(kernel, data.x, plan.centers, 0.0, compute)?;
    let basis = CenterBasis::new(kernel, points, compute)?;
    let part = Part::new(kernel, &basis, data.x, plan.preconditioner_rows, compute)?;
    Ok((basis, part))
}

fn solve<'a>(
    machine: &'a CenterMachine,
    kernel: &'a Kernel,
    data: CenterData<'a>,
    (basis, part): (&'a CenterBasis, &'a Part),
    plan: &CenterPlan,
    watch: &mut Watch<'_>,
    compute: &'a Compute,
) -> Result<Solution> {
    let bound = kernel.bind(Pairs::Between(data.x, basis.points.as_points()), compute)?;
    let matrix = Matrix::new(bound, plan.stored, compute)?;
    let newton_steps = if data.task.is_quadratic() { 1 } else { NEWTON_STEPS };
    let stop = Stop { tolerance: machine.tolerance, max_iterations: machine.max_iterations, newton_steps };
    let (lambda, intercept, weights, task) = (machine.lambda, machine.intercept, data.weights, data.task);
    match task {
        Task::Values { loss, targets } => {
            Problem { loss, lambda, intercept, matrix, basis, part, targets, weights, compute }.solve(stop, watch)
        }
        Task::Classes { .. } => {
            ClassProblem { task, lambda, intercept, matrix, basis, part, weights, compute }.solve(stop, watch)
        }
    }
}

fn finished(
    machine: &CenterMachine,
    kernel: Kernel,
    (basis, part): (&CenterBasis, &Part),
    (solution, fitted, held_out_scores): (Solution, Array2<f64>, Vec<f64>),
    plan: CenterPlan,
    compute: &Compute,
) -> Result<CenterFit> {
    let state = solution.state;
    let slope = &state.gradient + &(&state.w * (2.0 * machine.lambda));
    let evidence = CenterEvidence {
        objective: state.objective,
        gap: slope.iter().map(|g| g * g).sum::<f64>() / (4.0 * machine.lambda),
        iterations: solution.iterations,
        newton_steps: solution.newton_steps,
        residual: solution.residual,
        converged: solution.converged,
        jitter: basis.jitter,
        missed: part.missed,
        held_out_scores,
    };
    Ok(CenterFit {
        kept: Default::default(),
        kernel,
        loss: machine.loss,
        lambda: machine.lambda,
        centers: basis.points.clone(),
        alpha: basis.coefficients(state.w.view(), compute)?,
        squared_norms: state.w.columns().into_iter().map(|w| w.dot(&w)).collect(),
        fitted,
        intercept: state.b,
        evidence,
        plan,
    })
}
