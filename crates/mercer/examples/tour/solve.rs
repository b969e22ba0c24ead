//! Linear systems: a singular one has its minimum-norm solution, and is reported as such.

use mercer::prelude::*;
use mercer::solve::solve_positive;
use ndarray::{Array2, array};

pub fn run(_: &Compute) -> Result<()> {
    let found = solve_positive(Array2::from_elem((2, 2), 1.0).view(), array![[2.0], [2.0]].view())?;
    println!("{:?}", found.solved);
    Ok(())
}
