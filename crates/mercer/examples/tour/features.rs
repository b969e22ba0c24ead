//! Random Fourier features: `z(x)ᵀz(y) ≈ k(x, y)`.

use mercer::features::{RandomFourier, Sampling};
use mercer::prelude::*;
use ndarray::array;

pub fn run(compute: &Compute) -> Result<()> {
    let kernel: Kernel = "gaussian(lengthscale=1)".parse()?;
    let exact = kernel.evaluate(&[0.0], &[1.0])?;
    let spec = RandomFourier { sampling: Sampling::QuasiMonteCarlo, ..RandomFourier::new(kernel, 1000) };
    let z = spec.draw(1, compute)?.transform(array![[0.0], [1.0]].view(), compute)?;
    println!("k = {exact:.4}, by 1000 features {:.4}", z.row(0).dot(&z.row(1)));
    Ok(())
}
