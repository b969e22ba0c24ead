//! A kernel is a text, a value of the algebra, and carries its proof.

use mercer::prelude::*;

pub fn run(_: &Compute) -> Result<()> {
    let k: Kernel = "2*gaussian(lengthscale=0.5) + on([0], linear())".parse()?;
    println!("{k} at two points: {:.4}", k.evaluate(&[0.0, 1.0], &[1.0, 1.0])?);
    println!("{}", k.proof());
    Ok(())
}
