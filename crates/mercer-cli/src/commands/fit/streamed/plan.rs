//! The plan of a streamed fit.

use mercer::Compute;
use mercer::compute::{human_bytes, human_seconds};
use mercer::learner::Plan;
use serde_json::{Value, json};

use super::setup::Setup;
use crate::arguments::RidgeArguments;
use crate::failure::Failure;
use crate::numbers::{grouped, json as number};
use crate::report::{Block, Report, Truth};
use crate::session::Session;

/// What the fit would take, stage by stage.
pub fn explain(words: &RidgeArguments, reason: String, session: &Session) -> Result<Report, Failure> {
    let setup = Setup::new(words, reason, session)?;
    let work = Work::of(&setup, &session.compute);
    let speed = session.speed();
    let limit = session.compute.memory();
    let mut report = Report::new("Plan of a fit");
    let (rows, columns) = (setup.file.rows() as u64, setup.training.columns());
    report.heading("Plan of the fit").fields([
        ("points", format!("{} in {columns} columns, {} targets", grouped(rows), setup.training.targets.len())),
        ("streamed", setup.reason.clone()),
        ("file", format!("{}, read in chunks", human_bytes(setup.file.file().size()))),
        ("threads", session.compute.threads().to_string()),
        ("memory limit", human_bytes(limit)),
        ("speed here", format!("about {:.1} GFlop/s, measured", speed / 1e9)),
    ]);
    for (name, plan) in &work.stages {
        report.heading(format!("Stage: {name}")).fields([
            ("work", plan.solver.clone()),
            ("operations", format!("about {:.1e}", plan.flops)),
            ("time", human_seconds(plan.flops / speed)),
        ]);
    }
    let fits = work.bytes <= limit;
    let words = if fits { "fits into the memory limit" } else { "does not fit into the memory limit" };
    report.push(Block::Verdict(Truth::from_option(Some(fits)), format!("{}: {words}", human_bytes(work.bytes))));
    report.json = json_of(&setup, &work, speed, session);
    Ok(report)
}

/// Bytes, and the stages with their plans.
struct Work {
    bytes: u64,
    stages: Vec<(&'static str, Plan)>,
}

impl Work {
    fn of(setup: &Setup, compute: &Compute) -> Self {
        let (spec, rows, columns) = (&setup.spec, setup.file.rows(), setup.training.columns());
        if let Some(options) = setup.passes {
            let plan = spec.plan_passes((rows, columns), setup.training.rows(), options.max_passes, compute);
            return Self { bytes: plan.bytes, stages: vec![("several passes", plan)] };
        }
        let pass = spec.plan_pass(rows, columns, setup.training.targets.len(), compute);
        let bytes = pass.bytes;
        let choice = spec.plan_choice(compute).map(|plan| ("choice of λ", plan));
        Self { bytes, stages: std::iter::once(("one pass", pass)).chain(choice).collect() }
    }
}

fn json_of(setup: &Setup, work: &Work, speed: f64, session: &Session) -> Value {
    let limit = session.compute.memory();
    let stage = |(name, plan): &(&str, Plan)| {
        let seconds = number(plan.flops / speed);
        json!({ "stage": name, "work": plan.solver, "flops": number(plan.flops), "seconds": seconds })
    };
    let flops: f64 = work.stages.iter().map(|(_, plan)| plan.flops).sum();
    json!({
        "command": "explain fit",
        "rows": setup.file.rows(),
        "columns": setup.training.columns(),
        "targets": setup.training.targets,
        "memory_limit": limit,
        "threads": session.compute.threads(),
        "flops_per_second": number(speed),
        "solver": "streamed",
        "streamed": setup.reason,
        "components": setup.spec.features.components(),
        "bytes": work.bytes,
        "flops": number(flops),
        "seconds": number(flops / speed),
        "fits": work.bytes <= limit,
        "stages": work.stages.iter().map(stage).collect::<Vec<_>>(),
    })
}
