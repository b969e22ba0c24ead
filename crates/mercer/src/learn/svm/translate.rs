//! Five support vector machines as dual problems; the solver optimizes.

use crate::solve::{Constraint, DualProblem};
use crate::{Error, Result};

/// `max Σα − ½αᵀQα` over `0 ≤ α ≤ C` with, where there is an offset, `Σ sα = 0`.
pub(super) fn c_svc(points: Vec<usize>, signs: Vec<f64>, upper: Vec<f64>, offset: bool) -> DualProblem {
    let n = points.len();
    let (linear, start, guesses) = (vec![-1.0; n], vec![0.0; n], Vec::new());
    DualProblem { points, signs, linear, upper, start, guesses, constraint: sum_if(offset) }
}

/// `min ½aᵀQa` over `0 ≤ a ≤ w` with `Σ a = ν Σw/2` for each sign. The SVM is the solution divided
/// by its margin.
pub(super) fn nu_svc(points: Vec<usize>, signs: Vec<f64>, upper: Vec<f64>, nu: f64) -> Result<DualProblem> {
    let largest = largest_nu(&signs, &upper);
    if nu > largest {
        return Err(Error::parameter("nu", nu, format!("above 0 and at most {largest} for classes of these sizes")));
    }
    let each = 0.5 * nu * upper.iter().sum::<f64>();
    let mut start = vec![0.0; points.len()];
    [1.0, -1.0].iter().for_each(|&sign| fill(&mut start, &upper, |i| signs[i] == sign, each));
    let linear = vec![0.0; points.len()];
    Ok(DualProblem { points, signs, linear, upper, start, guesses: Vec::new(), constraint: Constraint::SumPerSign })
}

/// The largest ν that a classifier of these weights can have: the smaller class must be able to
/// carry half of `ν Σw`.
pub(super) fn largest_nu(signs: &[f64], weights: &[f64]) -> f64 {
    let of = |sign: f64| signs.iter().zip(weights).filter(|(s, _)| **s == sign).map(|(_, w)| w).sum::<f64>();
    let (above, below) = (of(1.0), of(-1.0));
    2.0 * above.min(below) / (above + below)
}

/// `max Σ βy − ε Σ|β| − ½βᵀKβ` over `|β| ≤ C` with, where there is an offset, `Σ β = 0`; on `2n`
/// variables `β = α − α*`.
pub(super) fn epsilon_svr(targets: &[f64], upper: &[f64], epsilon: f64, offset: bool) -> DualProblem {
    let both = |f: &dyn Fn(f64) -> f64| targets.iter().map(|t| f(-*t)).chain(targets.iter().map(|t| f(*t))).collect();
    doubled(both(&|t| epsilon + t), upper, vec![0.0; 2 * upper.len()], sum_if(offset))
}

/// `max Σ βy − ½βᵀKβ` over `|β| ≤ C` with `Σ α = Σ α* = ν ΣC/2`; the width of the tube comes out of
/// the solution.
pub(super) fn nu_svr(targets: &[f64], upper: &[f64], nu: f64) -> DualProblem {
    let linear = targets.iter().map(|t| -t).chain(targets.iter().copied()).collect();
    let mut start = vec![0.0; upper.len()];
    fill(&mut start, upper, |_| true, 0.5 * nu * upper.iter().sum::<f64>());
    doubled(linear, upper, [start.clone(), start].concat(), Constraint::SumPerSign)
}

/// `min ½αᵀKα` over `0 ≤ α ≤ w` with `Σ α = ν Σw`: LIBSVM's scale, `νn` times that of the books.
pub(in crate::learn) fn one_class(upper: Vec<f64>, nu: f64) -> DualProblem {
    let n = upper.len();
    let mut start = vec![0.0; n];
    fill(&mut start, &upper, |_| true, nu * upper.iter().sum::<f64>());
    let (points, constraint) = ((0..n).collect(), Constraint::Sum);
    let (signs, linear, guesses) = (vec![1.0; n], vec![0.0; n], Vec::new());
    DualProblem { points, signs, linear, upper, start, guesses, constraint }
}

fn doubled(linear: Vec<f64>, upper: &[f64], start: Vec<f64>, constraint: Constraint) -> DualProblem {
    let n = upper.len();
    DualProblem {
        points: (0..n).chain(0..n).collect(),
        signs: [vec![1.0; n], vec![-1.0; n]].concat(),
        linear,
        upper: [upper, upper].concat(),
        start,
        guesses: Vec::new(),
        constraint,
    }
}

fn sum_if(offset: bool) -> Constraint {
    if offset { Constraint::Sum } else { Constraint::Free }
}

/// Puts weight on the chosen variables, in order, until `total` is reached.
fn fill(start: &mut [f64], upper: &[f64], chosen: impl Fn(usize) -> bool, total: f64) {
    let mut left = total;
    for i in (0..start.len()).filter(|&i| chosen(i)) {
        start[i] = upper[i].min(left.max(0.0));
        left -= start[i];
    }
}
