//! Intervals that hold a new observation with at least a stated probability, on top of a fit.

use mercer::conformal::Conformal;
use mercer::learner::{FitInput, Targets};
use mercer::prelude::*;
use ndarray::{Array2, array};

pub fn run(compute: &Compute) -> Result<()> {
    let x = Array2::from_shape_fn((40, 1), |(i, _)| i as f64 / 10.0);
    let y = Array2::from_shape_fn((40, 1), |(i, _)| x[[i, 0]].sin() + if i % 2 == 0 { 0.1 } else { -0.1 });
    let fit = Ridge::new("gaussian()".parse()?, 0.01).fit(x.view(), y.view(), None, compute)?;
    let input = FitInput::points(x.view()).with_targets(Targets::Values(y.view()));
    let conformal = Conformal::default().fit(&fit, &input, compute)?;
    let ends = conformal.intervals(&fit, array![[2.0]].view(), 0.9, compute)?;
    let (method, lower, upper) = (conformal.method(), ends.lower[[0, 0]], ends.upper[[0, 0]]);
    println!("{method:?}: the interval of level 0.9 for a new observation at 2 is [{lower:.2}, {upper:.2}]");
    Ok(())
}
