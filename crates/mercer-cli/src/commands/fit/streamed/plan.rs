//! The plan of a streamed fit.

use mercer::compute::{human_bytes, human_seconds};
use mercer::features::FeatureSpec;
use serde_json::{Value, json};

use super::setup::Setup;
use crate::arguments::RidgeArguments;
use crate::failure::Failure;
use crate::numbers::{grouped, json as number};
use crate::report::{Block, Report, Truth};
use crate::session::Session;

/// Passes of conjugate gradients, about.
const PASSES: f64 = 20.0;

/// What the fit would take, stage by stage.
pub fn explain(words: &RidgeArguments, reason: String, session: &Session) -> Result<Report, Failure> {
    let setup = Setup::new(words, reason, session)?;
    let work = Work::of(&setup);
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
    for (name, what, flops) in &work.stages {
        report.heading(format!("Stage: {name}")).fields([
            ("work", what.clone()),
            ("operations", format!("about {flops:.1e}")),
            ("time", human_seconds(flops / speed)),
        ]);
    }
    let fits = work.bytes <= limit;
    let words = if fits { "fits into the memory limit" } else { "does not fit into the memory limit" };
    report.push(Block::Verdict(Truth::from_option(Some(fits)), format!("{}: {words}", human_bytes(work.bytes))));
    report.json = json_of(&setup, &work, speed, session);
    Ok(report)
}

/// Bytes, and the stages with their operations.
struct Work {
    bytes: u64,
    stages: Vec<(&'static str, String, f64)>,
}

impl Work {
    fn of(setup: &Setup) -> Self {
        let spec = &setup.spec;
        let (rows, columns) = (setup.file.rows() as f64, setup.training.columns());
        let p = spec.features.components() as f64;
        let map = match spec.features {
            FeatureSpec::Fourier(_) => columns as f64 * p + 20.0 * p,
            FeatureSpec::Nystrom(_) => 2.0 * columns as f64 * p + 20.0 * p + 2.0 * p * p,
        };
        let names = match spec.features {
            FeatureSpec::Fourier(_) => "random Fourier features",
            FeatureSpec::Nystrom(_) => "Nyström features",
        };
        if let Some(options) = setup.passes {
            let what =
                format!("{p} {names} by conjugate gradients, about {PASSES} passes (at most {})", options.max_passes);
            let flops = PASSES * rows * p * (2.0 * columns as f64 + 24.0) + p.powi(3) / 3.0;
            let bytes = 8
                * spec.features.components() as u64
                * (3 * spec.features.components() + setup.training.rows() + 1024) as u64;
            return Self { bytes, stages: vec![("several passes", what, flops)] };
        }
        let mut stages =
            vec![("one pass", format!("{p} {names} of every row, and their squares"), rows * (map + p * p))];
        if spec.lambdas.len() > 1 {
            let systems = spec.folds * spec.lambdas.len();
            let what = format!("{systems} systems of {p} equations: {} λ, {} folds", spec.lambdas.len(), spec.folds);
            stages.push(("choice of λ", what, systems as f64 * p.powi(3) / 3.0));
        }
        Self { bytes: spec.bytes(columns, setup.training.targets.len()), stages }
    }
}

fn json_of(setup: &Setup, work: &Work, speed: f64, session: &Session) -> Value {
    let limit = session.compute.memory();
    let stage = |(name, what, flops): &(&str, String, f64)| json!({ "stage": name, "work": what, "flops": number(*flops), "seconds": number(flops / speed) });
    let flops: f64 = work.stages.iter().map(|(_, _, flops)| flops).sum();
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
