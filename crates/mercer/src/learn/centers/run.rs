//! A fit, step by step: centers, preconditioner, Newton's method, evidence.

use ndarray::Array2;

use super::basis::{CenterBasis, CenterFeatures};
use super::fit::{CenterEvidence, CenterFit};
use super::precondition::Part;
use super::validation::{CenterData, Owned, Validation};
use super::{CenterMachine, CenterPlan};
use crate::definiteness::require_psd_for;
use crate::function::Function;
use crate::gram::Pairs;
use crate::operator::{ByProduct, Operator, Tiled};
use crate::solve::Stopped;
use crate::solve::newton::{DataTerm, NewtonOptions, NewtonProblem, PrimalSolution, PrimalWatch};
use crate::{Compute, Kernel, Result};

/// Newton steps of a loss that is not quadratic.
/// A safety limit: any value between 50 and 1000 would do.
const NEWTON_STEPS: usize = 100;
/// The residual of such a step, as a part of its right-hand side, at most: of one function, and of
/// several classes, of which a step makes up for less.
const STEP_TOLERANCE: (f64, f64) = (1e-3, 1e-2);

/// The fit of checked data.
pub(super) fn fit(machine: &CenterMachine, data: &CenterData<'_>, compute: &Compute) -> Result<CenterFit> {
    require_psd_for(&machine.kernel, data.x, compute)?;
    let plan = machine.plan(data.x.len(), data.x.size().numbers(), data.term.outputs(), compute)?;
    let kernel = machine.kernel.resolve(data.x, compute)?;
    let Some(held_out) = machine.held_out else {
        let (basis, part) = seen_from_centers(machine, &kernel, data, &plan, compute)?;
        let solution = solve(machine, &kernel, data, (&basis, &part), &plan, &mut |_, _| Ok(false), compute)?;
        let compute = &after(&solution, compute)?;
        let fitted = solution.state.fitted.clone();
        return finished(machine, kernel.clone(), (&basis, &part), (solution, fitted, Vec::new()), plan, compute);
    };
    let (kept, apart) = held_out.split(data.x.len(), compute)?;
    let (train, test) = (Owned::rows(data, &kept), Owned::rows(data, &apart));
    let (basis, part) = seen_from_centers(machine, &kernel, &train.data(), &plan, compute)?;
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
    let mut solution = solve(machine, &kernel, &train.data(), seen, &plan, &mut |w, b| validation.see(w, b), compute)?;
    let scores = validation.into_best(&mut solution);
    let compute = &after(&solution, compute)?;
    // The rows that were held out have values too.
    let alpha = basis.coefficients(solution.state.w.view(), compute)?;
    let bound = kernel.bind(Pairs::Between(data.x.reborrow(), basis.points.as_points()), compute)?;
    let fitted = crate::gram::multiply(&bound, alpha.view(), compute)? + &solution.state.b;
    finished(machine, kernel.clone(), seen, (solution, fitted, scores), plan, compute)
}

fn seen_from_centers(
    machine: &CenterMachine,
    kernel: &Kernel,
    data: &CenterData<'_>,
    plan: &CenterPlan,
    compute: &Compute,
) -> Result<(CenterBasis, Part)> {
    let points = machine.landmarks.choose(kernel, data.x, plan.centers, 0.0, compute)?;
    let basis = CenterBasis::new(kernel, points, compute)?;
    let part = Part::new(kernel, &basis, data.x, plan.preconditioner_rows, compute)?;
    Ok((basis, part))
}

fn solve(
    machine: &CenterMachine,
    kernel: &Kernel,
    data: &CenterData<'_>,
    (basis, part): (&CenterBasis, &Part),
    plan: &CenterPlan,
    watch: &mut PrimalWatch<'_>,
    compute: &Compute,
) -> Result<PrimalSolution> {
    let bind = || kernel.bind(Pairs::Between(data.x.reborrow(), basis.points.as_points()), compute);
    let bound;
    let matrix = if plan.stored {
        Tiled::stored(&bind()?, compute)?
    } else {
        bound = bind()?;
        Tiled::new(&bound, compute)
    };
    let features = CenterFeatures { matrix, basis, compute };
    let (lambda, intercept) = (machine.lambda, machine.intercept);
    let size = basis.count() + usize::from(intercept);
    let preconditioning = |curvatures: ndarray::ArrayView1<f64>, penalty: f64| {
        let factor = part.factor(curvatures, penalty, intercept, compute)?;
        let inverse = ByProduct::new(size, move |v: ndarray::ArrayView2<f64>| factor.solve(v, compute));
        Ok(Box::new(inverse) as Box<dyn Operator + '_>)
    };
    let data = &data.term;
    let problem =
        NewtonProblem { features: &features, data, lambda, intercept, preconditioning: &preconditioning, compute };
    let several = data.single().is_none();
    let step_tolerance = if several { STEP_TOLERANCE.1 } else { STEP_TOLERANCE.0.min(machine.tolerance.sqrt()) };
    let (tolerance, max_iterations) = (machine.tolerance, machine.max_iterations);
    problem.solve(NewtonOptions { tolerance, step_tolerance, max_iterations, max_steps: NEWTON_STEPS }, watch)
}

/// The computation that finishes an answer, also of work that was canceled.
fn after(solution: &PrimalSolution, compute: &Compute) -> Result<Compute> {
    if solution.canceled { compute.after_part() } else { Ok(compute.clone()) }
}

fn finished(
    machine: &CenterMachine,
    kernel: Kernel,
    (basis, part): (&CenterBasis, &Part),
    (solution, fitted, held_out_scores): (PrimalSolution, Array2<f64>, Vec<f64>),
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
        stopped: match (solution.converged, solution.canceled) {
            (true, _) => Stopped::Converged,
            (false, true) => Stopped::Canceled,
            (false, false) => Stopped::StepLimit,
        },
        jitter: basis.jitter,
        missed: part.missed,
        held_out_scores,
    };
    let alpha = basis.coefficients(state.w.view(), compute)?;
    Ok(CenterFit {
        functions: Function::new(kernel, basis.points.clone(), alpha, state.b)?,
        loss: machine.loss,
        lambda: machine.lambda,
        squared_norms: state.w.columns().into_iter().map(|w| w.dot(&w)).collect(),
        fitted,
        evidence,
        plan,
    })
}
