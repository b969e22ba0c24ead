//! Numbers: one formula, evaluated with its derivative.

use mercer::prelude::*;
use mercer::real::{Dual, Real};

pub fn run(_: &Compute) -> Result<()> {
    let x = Dual::variable(2.0_f64);
    let y = (x * x).exp();
    println!("exp(x²) at 2: {:.4}, derivative {:.4}", y.value, y.derivative);
    Ok(())
}
