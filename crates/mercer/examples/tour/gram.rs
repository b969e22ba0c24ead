//! Gram matrices, and products with them that store none.

use mercer::gram;
use mercer::prelude::*;
use ndarray::Array2;

pub fn run(compute: &Compute) -> Result<()> {
    let k: Kernel = "matern(nu=5/2, lengthscale=2)".parse()?;
    let x = Array2::from_shape_fn((500, 3), |(i, j)| ((i * 7 + j * 3) % 11) as f64);
    let bound = k.bind(Pairs::within(x.view()), compute)?;
    let sums = gram::multiply(&bound, Array2::ones((500, 1)).view(), compute)?;
    let dense = gram::dense(&bound, compute)?;
    println!("sum of the first row: {:.6}, by the product {:.6}", dense.row(0).sum(), sums[[0, 0]]);
    Ok(())
}
