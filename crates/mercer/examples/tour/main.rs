//! A short function for each module of the library, in the order of a textbook:
//!
//! ```text
//! cargo run --release --example tour            all of them
//! cargo run --release --example tour -- learn   one, or several by name
//! ```

mod compute;
mod conformal;
mod conformance;
mod definiteness;
mod features;
mod function;
mod gram;
mod hypothesis;
mod io;
mod kernel;
mod learn;
mod learner;
mod measure;
mod model;
mod operator;
mod points;
mod real;
mod select;
mod solve;
mod view;

use mercer::prelude::*;

/// A part of the tour.
type Part = fn(&Compute) -> Result<()>;

const PARTS: [(&str, Part); 20] = [
    ("compute", compute::run),
    ("real", real::run),
    ("points", points::run),
    ("kernel", kernel::run),
    ("gram", gram::run),
    ("operator", operator::run),
    ("solve", solve::run),
    ("definiteness", definiteness::run),
    ("conformance", conformance::run),
    ("function", function::run),
    ("features", features::run),
    ("learner", learner::run),
    ("learn", learn::run),
    ("view", view::run),
    ("measure", measure::run),
    ("hypothesis", hypothesis::run),
    ("select", select::run),
    ("conformal", conformal::run),
    ("model", model::run),
    ("io", io::run),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = wanted.iter().find(|name| PARTS.iter().all(|(part, _)| part != name)) {
        let names: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
        return Err(format!("no part {unknown}: there are {}", names.join(", ")).into());
    }
    let compute = Compute::new();
    for (name, run) in PARTS {
        if wanted.is_empty() || wanted.iter().any(|w| w == name) {
            println!("— {name}");
            run(&compute)?;
        }
    }
    Ok(())
}
