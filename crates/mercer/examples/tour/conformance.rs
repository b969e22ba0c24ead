//! What every kernel must satisfy, checked on points of yours.

use mercer::conformance::{Options, check_points};
use mercer::prelude::*;
use ndarray::Array2;

pub fn run(compute: &Compute) -> Result<()> {
    let k: Kernel = "wendland(smoothness=1, dimension=3, radius=2)".parse()?;
    let x = Array2::from_shape_fn((20, 3), |(i, j)| ((i * 5 + j * 3) % 7) as f64 / 7.0);
    println!("{}", check_points(&k, &x, &Options::default(), compute));
    Ok(())
}
