//! A refutation: points and weights with a negative quadratic form.

use mercer::definiteness::{CheckOptions, check};
use mercer::prelude::*;

pub fn run(compute: &Compute) -> Result<()> {
    let k: Kernel = "tanh(scale=1, offset=0)".parse()?;
    if let Some(found) = check(&k, None, &CheckOptions::default(), compute)?.counterexample() {
        println!("{k} is not positive semi-definite: cᵀKc = {:.6}", found.value);
    }
    Ok(())
}
