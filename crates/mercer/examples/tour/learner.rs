//! Any learner of the catalogue, by its name and settings: what the command line and Python do.

use mercer::learner::{FitInput, Targets};
use mercer::model::LEARNERS;
use mercer::prelude::*;
use mercer::settings::Settings;
use ndarray::Array2;

pub fn run(compute: &Compute) -> Result<()> {
    let x = Array2::from_shape_fn((40, 1), |(i, _)| i as f64 / 10.0);
    let y = x.mapv(f64::sin);
    let settings = Settings::new().with("kernel", "gaussian()").with("lambda", 0.01);
    for entry in LEARNERS.iter().filter(|entry| entry.name == "ridge") {
        let input = FitInput::points(x.view()).with_targets(Targets::Values(y.view()));
        let fit = entry.build(&settings)?.fit(&input, compute)?;
        let names: Vec<&str> = fit.facts().iter().map(|fact| fact.name).collect();
        println!("{} of {} learners; its facts: {}", entry.name, LEARNERS.len(), names.join(", "));
    }
    Ok(())
}
