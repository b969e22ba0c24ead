//! The panel of kernels: what an expression is, and what it looks like.

mod check;
mod curves;
mod gram;
mod look;
mod proofs;

pub use check::check;
pub use look::look;

use mercer::Kernel;

use super::refusal::Refusal;

/// Characters of the text of a kernel. The parser itself limits the depth of brackets.
pub const LONGEST: usize = 2_000;
/// Leaves of an expression: what takes the time of proofs and curves.
const MOST_NODES: usize = 60;

/// A kernel from its text.
pub fn parse(text: &str) -> Result<Kernel, Refusal> {
    if text.chars().count() > LONGEST {
        return Err(Refusal::too_large(format!("the text of the kernel is longer than {LONGEST} characters")));
    }
    let kernel: Kernel = text.parse()?;
    let nodes = nodes(&kernel);
    if nodes > MOST_NODES {
        return Err(Refusal::too_large(format!("the expression has {nodes} parts; here it may have {MOST_NODES}")));
    }
    Ok(kernel)
}

fn nodes(kernel: &Kernel) -> usize {
    1 + kernel.children().into_iter().map(nodes).sum::<usize>()
}
