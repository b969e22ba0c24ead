//! Properties and their proof trees as JSON.

use mercer::Kernel;
use mercer::kernel::{Proof, Verdict};
use serde_json::{Value, json};

/// Every property: whether it holds, and why.
pub fn properties(kernel: &Kernel) -> Value {
    let one = |(property, verdict): (mercer::kernel::Property, Verdict)| {
        let missing = if let Verdict::Unknown(text) = &verdict { Some(text.clone()) } else { None };
        json!({
            "name": property.name(),
            "adjective": property.adjective(),
            "holds": verdict.as_option(),
            "proof": verdict.proven().or(verdict.refuted()).map(tree),
            "missing": missing,
        })
    };
    kernel.properties().into_iter().map(one).collect()
}

/// A proof with its premises.
pub fn tree(proof: &Proof) -> Value {
    json!({
        "claim": proof.claim,
        "rule": proof.rule,
        "premises": proof.premises.iter().map(tree).collect::<Vec<_>>(),
    })
}
