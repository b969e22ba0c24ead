//! Kernel, lengthscale and λ by exact leave-one-out.

use mercer::prelude::*;
use mercer::select::median_lengthscales;
use ndarray::Array2;

pub fn run(compute: &Compute) -> Result<()> {
    let x = Array2::from_shape_fn((50, 1), |(i, _)| i as f64 / 10.0);
    let y = x.mapv(|v| v.sin() + 0.1 * (37.0 * v).cos());
    let lengthscales = median_lengthscales(x.view(), 7, compute)?;
    let search = RidgeSearch { lengthscales, ..RidgeSearch::new(vec!["gaussian()".parse()?]) };
    let found = search.fit(x.view(), y.view(), None, compute)?;
    println!("{} with λ = {:.1e}", found.fit.kernel(), found.fit.lambda());
    Ok(())
}
