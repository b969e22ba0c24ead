//! `mercer fit ridge … --part I/K --statistics FILE`: the statistics of a part of the rows.

use std::path::Path;

use mercer::compute::human_bytes;
use mercer::features::FeatureMap;
use mercer::io::RowPart;
use serde_json::json;

use super::COMMAND;
use super::setup::Setup;
use crate::data::named;
use crate::failure::Failure;
use crate::numbers::grouped;
use crate::report::Report;
use crate::session::Session;

/// Makes, saves and reports the statistics.
pub fn part(setup: &Setup, part: RowPart, path: &Path, session: &Session) -> Result<Report, Failure> {
    if setup.passes.is_some() {
        return Err(Failure::request("--part: statistics are made in one pass; leave --solver out"));
    }
    let statistics = setup.file.statistics(&setup.spec, part, &session.compute);
    let statistics = statistics.map_err(|e| named(e, Path::new(&setup.training.name)))?.with_note("command", COMMAND);
    statistics.save(path)?;
    let bytes = std::fs::metadata(path).map_or(0, |facts| facts.len());
    let rows = part.rows(setup.file.rows());
    let title = format!("Part {part} of a ridge regression of {}", setup.training.targets.join(", "));
    let mut report = Report::new(title.clone());
    let features = statistics.stream().features();
    report.heading(title).fields([
        ("data", format!("{}: {} rows", setup.training.name, grouped(setup.file.rows() as u64))),
        ("rows", format!("{} to {}", grouped(rows.start as u64), grouped(rows.end.saturating_sub(1) as u64))),
        ("kernel", features.kernel().short()),
        ("features", grouped(features.components() as u64)),
    ]);
    report.text(format!(
        "The statistics are in {} ({}); `mercer merge` makes the model of all parts.",
        path.display(),
        human_bytes(bytes)
    ));
    report.json = json!({
        "command": "fit ridge",
        "kind": "statistics",
        "part": part.to_string(),
        "first_row": rows.start,
        "rows": rows.len(),
        "all_rows": setup.file.rows(),
        "kernel": features.kernel().to_string(),
        "components": features.components(),
        "bytes": bytes,
        "statistics": path.display().to_string(),
    });
    Ok(report)
}
