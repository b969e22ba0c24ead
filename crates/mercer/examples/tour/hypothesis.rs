//! Do two samples have the same distribution?

use mercer::prelude::*;
use ndarray::Array2;

pub fn run(compute: &Compute) -> Result<()> {
    let mut random = Seed(1).stream("tour", 0);
    let x = Array2::from_shape_fn((60, 1), |_| random.normal());
    let y = Array2::from_shape_fn((80, 1), |_| 3.0 * random.normal());
    println!("{}", TwoSample { permutations: 199, ..TwoSample::default() }.test(&x, &y, compute)?);
    Ok(())
}
