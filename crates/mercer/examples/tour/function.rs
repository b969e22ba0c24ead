//! Functions of an RKHS: norms, values, eigenvalues.

use mercer::function::Measure;
use mercer::prelude::*;
use ndarray::array;

pub fn run(compute: &Compute) -> Result<()> {
    let k: Kernel = "sobolev(order=2)".parse()?;
    let f = Expansion::new(&k, array![[0.2], [0.8]].view(), array![1.0, -2.0].view(), compute)?;
    println!("f(½) = {:.4}, ‖f‖ = {:.4}", f.evaluate(array![[0.5]].view(), compute)?[0], f.norm(compute)?);
    let spectrum = Spectrum::new(&"wiener()".parse()?, &Measure::UNIFORM, 3, compute)?;
    println!("eigenvalues of the Wiener kernel: {:.4?}", spectrum.eigenvalues());
    Ok(())
}
