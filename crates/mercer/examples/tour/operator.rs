//! A kernel matrix as a linear map: `(K + λI)α = y` by conjugate gradients, without storing `K`.

use mercer::operator::{Identity, Operator, Shifted, Tiled};
use mercer::prelude::*;
use mercer::solve::{ConjugateGradientOptions, conjugate_gradients};
use ndarray::Array2;

pub fn run(compute: &Compute) -> Result<()> {
    let k: Kernel = "gaussian()".parse()?;
    let x = Array2::from_shape_fn((300, 1), |(i, _)| i as f64 / 50.0);
    let bound = k.bind(Pairs::within(x.view()), compute)?;
    let matrix = Tiled::new(&bound, compute);
    let (system, right) = (Shifted::new(&matrix, 0.1), x.mapv(f64::sin));
    let found = conjugate_gradients(&system, &Identity(300), right.view(), &ConjugateGradientOptions::default())?;
    let residual = (&right - &system.apply(found.solution.view())?).mapv(|v| v * v).sum().sqrt();
    println!("300 equations; the residual is below 1e-8: {}", residual < 1e-8);
    Ok(())
}
