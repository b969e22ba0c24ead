//! The components of an additive model: shares, and a picture of each.

use mercer::learn::additive::PartialEffect;
use mercer::learn::{GaussianProcessFit, RidgeFit};
use mercer::model::Model;
use mercer::{Compute, Error, Kernel};
use serde_json::{Value, json};

use super::Training;
use crate::failure::Failure;
use crate::numbers::{json as number, short};
use crate::plot::{Curve, CurvePlot, Figure, Mark};
use crate::report::{Block, Report, Table};

/// Beyond this many rows the factor that the standard errors need takes too long beside the fit.
const ROWS: usize = 4000;
/// Grid points along a column: many where every part has one column, few where grids are squares.
const GRID_POINTS: (usize, usize) = (400, 30);
/// Pictures side by side.
const PICTURES: usize = 4;
/// The half width of the band, in standard errors.
const BAND: f64 = 1.96;

/// The parts of one target.
pub struct Effects {
    target: String,
    parts: Vec<Part>,
}

struct Part {
    effect: PartialEffect,
    columns: Vec<String>,
    /// The curve with its band, over a column of numbers in its own units.
    curve: Option<Vec<(f64, f64, f64)>>,
}

impl Effects {
    /// The parts of every target, where the kernel is a sum and the fit is small enough.
    pub fn of(model: &Model, training: &Training, compute: &Compute) -> Result<Vec<Self>, Failure> {
        let Some(kernel) = model.kernel().filter(|k| is_sum(k) && training.rows() <= ROWS && !training.has_objects())
        else {
            return Ok(Vec::new());
        };
        let single = terms(kernel).iter().all(|k| k.used_columns(training.columns()).len() == 1);
        let positions = if single { GRID_POINTS.0 } else { GRID_POINTS.1 };
        let mut found = Vec::new();
        for (j, target) in training.targets.iter().enumerate() {
            let parts = if let Some(fit) = model.fit::<RidgeFit>() {
                fit.partial_effects(j, positions, compute)
            } else if let Some(fit) = model.fit::<GaussianProcessFit>() {
                fit.partial_effects(positions, compute)
            } else {
                return Ok(Vec::new());
            };
            match parts {
                Ok(parts) => found.push(Self::new(target, j, parts, training)),
                // Without an estimate of the noise there are no bands, and a function is all there
                // is.
                Err(
                    Error::Undetermined { .. }
                    | Error::Unsupported { .. }
                    | Error::Precomputed { .. }
                    | Error::Singular { .. }
                    | Error::Undefined { .. }
                    | Error::Memory { .. },
                ) => return Ok(Vec::new()),
                Err(other) => return Err(other.into()),
            }
        }
        Ok(found)
    }

    fn new(target: &str, j: usize, effects: Vec<PartialEffect>, training: &Training) -> Self {
        let scale = training.inputs.targets[j].map.scale;
        let part = |effect: PartialEffect| Part {
            columns: effect.columns.iter().map(|&c| training.coordinates[c].clone()).collect(),
            curve: curve(&effect, training, scale),
            effect,
        };
        Self { target: target.to_owned(), parts: effects.into_iter().map(part).collect() }
    }

    /// The shares as a table.
    pub fn push_into(&self, report: &mut Report) {
        report.heading(format!("Components of {}", self.target));
        let mut table = Table::new(&["part", "columns", "share of variance", "share of ‖f‖²"], &[2, 3]);
        for part in &self.parts {
            let percent = |share: f64| format!("{} %", crate::numbers::digits(100.0 * share, 3));
            table.push([
                part.effect.kernel.to_string(),
                part.columns.join(", "),
                percent(part.effect.variance_share),
                percent(part.effect.norm_share),
            ]);
        }
        report.push(Block::Table(table));
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let part = |p: &Part| {
            json!({
                "kernel": p.effect.kernel.to_string(),
                "columns": p.columns,
                "variance_share": number(p.effect.variance_share),
                "norm_share": number(p.effect.norm_share),
                "mean": number(p.effect.mean),
            })
        };
        json!({ "target": self.target, "parts": self.parts.iter().map(part).collect::<Vec<_>>() })
    }

    /// The curves of the parts of one column of numbers, side by side: the largest shares first.
    pub fn figure(&self) -> Option<Figure> {
        let mut drawn: Vec<&Part> = self.parts.iter().filter(|p| p.curve.is_some()).collect();
        drawn.sort_by(|a, b| b.effect.norm_share.total_cmp(&a.effect.norm_share));
        let plots: Vec<CurvePlot> = drawn.into_iter().take(PICTURES).filter_map(|part| self.plot(part)).collect();
        (!plots.is_empty()).then_some(Figure::Curves(plots))
    }

    fn plot(&self, part: &Part) -> Option<CurvePlot> {
        let curve = part.curve.as_ref()?;
        let ends = curve.iter().map(|&(x, f, s)| (x, f - BAND * s, f + BAND * s));
        let line = curve.iter().map(|&(x, f, _)| (x, f)).collect();
        let share = short((1000.0 * part.effect.norm_share).round() / 10.0);
        Some(CurvePlot {
            title: format!("{}: {share} % of ‖f‖²", part.columns[0]),
            x: part.columns[0].clone(),
            y: format!("effect on {}", self.target),
            curves: vec![Curve::band("", ends), Curve { label: String::new(), points: line, mark: Mark::Line }],
        })
    }
}

/// The places, values and standard errors of a part of one column of numbers, in the units of the
/// data.
fn curve(effect: &PartialEffect, training: &Training, scale: f64) -> Option<Vec<(f64, f64, f64)>> {
    let ([column], Some(grid)) = (&effect.columns[..], &effect.grid) else { return None };
    let map = training.map_of(*column)?;
    let position = |i: usize| map.shift + map.scale * grid.axes[0][i];
    let values = |i: usize| (grid.values[[i, 0]] * scale, grid.standard_errors[[i, 0]] * scale.abs());
    Some((0..grid.axes[0].len()).map(|i| (position(i), values(i).0, values(i).1)).collect())
}

/// Whether the kernel is a sum, perhaps with a number in front.
fn is_sum(kernel: &Kernel) -> bool {
    match kernel {
        Kernel::Sum(_) => true,
        Kernel::Scale(_, inner) => is_sum(inner),
        _ => false,
    }
}

fn terms(kernel: &Kernel) -> Vec<&Kernel> {
    match kernel {
        Kernel::Sum(_) => kernel.children(),
        Kernel::Scale(_, inner) => terms(inner),
        other => vec![other],
    }
}
