//! The selection of kernel and λ for people and programs: candidates, scores, the best.

use mercer::select::{
    Criterion, FoldChoice, FoldSearch, Measure, RidgeSearch, SearchReport, SearchResult, SearchedRange, Winner,
    selection_rows,
};
use ndarray::Axis;
use serde_json::{Value, json};

use super::Training;
use crate::failure::Failure;
use crate::numbers::{digits, grouped, json as number, json_rows, short};
use crate::plot::{Figure, HeatLabels, HeatMap};
use crate::report::{Block, Report, Table};
use crate::session::Session;

/// Characters of a candidate's name in a table; programs get all of it.
const NAME_WIDTH: usize = 72;
/// Candidates that are shown.
const SHOWN: usize = 6;

/// The name of a measure, and a score as people read it.
fn shown(measure: Measure, score: f64) -> (&'static str, String) {
    match measure {
        Measure::SquaredError => ("RMSE", short(score.max(0.0).sqrt())),
        Measure::WrongClasses => ("wrong", format!("{} %", digits(100.0 * score, 4))),
        Measure::LogLoss => ("log-loss", short(score)),
    }
}

/// What was tried.
pub struct Choice(pub SearchReport);

/// The rows that enter a choice: at most so many, and no more than the memory limit allows.
pub fn rows(training: &Training, most: usize, session: &Session) -> Vec<usize> {
    let labels = training.classes.as_ref().map_or(&[][..], |classes| classes.of());
    selection_rows(training.rows(), labels, most, &session.compute)
}

/// Runs a search on these rows.
pub fn search(
    search: &RidgeSearch,
    training: &Training,
    rows: &[usize],
    session: &Session,
) -> Result<(Winner, Choice), Failure> {
    let (x, y) = (training.x.taken(rows), training.y.select(Axis(0), rows));
    let weights = training.weights.as_ref().map(|w| w.select(Axis(0), rows));
    let weights = weights.as_ref().map(|w| w.view());
    let found = session.search(|compute| search.choose(&x, y.view(), weights, compute))?;
    let choice = Choice(SearchReport::of_ridge(search, &found, rows.len(), training.rows()));
    Ok((found.winner, choice))
}

impl Choice {
    /// A choice by folds.
    pub fn by_folds(
        learner: &'static str,
        search: &FoldSearch,
        how: (Measure, &'static str),
        found: &FoldChoice,
        of: usize,
    ) -> Self {
        Self(SearchReport::of_folds(learner, search, how, found, of))
    }

    /// How it was chosen, as people name it.
    fn criterion(&self) -> String {
        if self.0.is_compared() { "the error on held-out rows".into() } else { name(self.0.criterion) }
    }

    /// Remarks on the selection; flags are named if the learner has them.
    pub fn remarks(&self, learner: &str) -> Vec<String> {
        let mut remarks = Vec::new();
        for range in &self.0.ranges {
            let (name, flag) = words_of(range.parameter);
            if range.is_extended() {
                remarks.push(format!(
                    "The best {name} lay at an end of the first range ({} to {}), which was extended to {} to {}.",
                    short(range.first.0),
                    short(range.first.1),
                    short(range.last.0),
                    short(range.last.1)
                ));
            }
            if range.at_border {
                let more = if learner == "auto" { String::new() } else { format!(" ({flag} tries others)") };
                remarks.push(format!(
                    "The {name} {} is at the border of the search range ({} to {}): the optimum may lie beyond{more}.",
                    short(range.chosen),
                    short(range.last.0),
                    short(range.last.1)
                ));
            }
        }
        if !self.0.complete {
            remarks.push("The search was stopped early; the best result so far is used.".into());
        }
        remarks
    }

    /// The best few, as a table.
    pub fn push_into(&self, report: &mut Report) {
        report.heading(format!("Choice by {}", self.criterion()));
        if self.0.rows < self.0.of {
            let (rows, of) = (grouped(self.0.rows as u64), grouped(self.0.of as u64));
            report.text(format!("Selected on a random sample of {rows} of the {of} rows; fitted on all rows."));
        }
        if let Some(screening) = &self.0.screening {
            let (dropped, rows) = (grouped(screening.dropped as u64), grouped(screening.rows as u64));
            let what = if screening.dropped == 1 { "candidate was" } else { "candidates were" };
            let how = if self.0.frugal { "worse" } else { "clearly worse" };
            report.text(format!("{dropped} {what} {how} on {rows} rows and dropped (--no-screening scores all)."));
        }
        if let Some((rows, candidates)) = &self.0.screened {
            let (rows, candidates) = (grouped(*rows as u64), grouped(candidates.len() as u64));
            report.text(format!(
                "{candidates} candidates were screened on {rows} rows; the best of them, and their neighbors, are below."
            ));
        }
        if let Some((fitted, scored)) = self.0.held_out {
            let (fitted, scored) = (grouped(fitted as u64), grouped(scored as u64));
            report.text(format!("They were fitted on {fitted} rows and scored on {scored} others."));
        }
        let mut table = Table::new(&["candidate", self.0.parameter, shown(self.0.measure, 0.0).0], &[1, 2]);
        let leading = self.0.leading(SHOWN);
        for candidate in &leading {
            let lambda = candidate.parameter.map_or("—".into(), short);
            table.push([shortened(&candidate.name), lambda, shown(self.0.measure, candidate.score).1]);
        }
        report.push(Block::Table(table));
        let rest = self.0.results.len().saturating_sub(leading.len());
        if rest > 0 {
            report.text(format!("… and {rest} more candidates."));
        }
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let line = |c: &SearchResult| json!({ "candidate": c.name, (self.parameter_key()): c.parameter.map_or(Value::Null, number), "score": number(c.score) });
        json!({
            "criterion": self.criterion(),
            "rows": self.0.rows,
            "fitted_rows": self.0.held_out.map(|(fitted, _)| fitted),
            "scored_rows": self.0.held_out.map(|(_, scored)| scored),
            "dropped": self.0.screening.as_ref().map_or(0, |screening| screening.dropped),
            "screened": self.0.screened.as_ref().map(|(rows, candidates)| json!({ "rows": rows, "candidates": candidates.len() })),
            "fits": self.0.fits,
            "complete": self.0.complete,
            "ranges": self.0.ranges.iter().map(range_json).collect::<Vec<_>>(),
            "candidates": self.0.ranked().into_iter().map(line).collect::<Vec<_>>(),
            "surface": self.0.surface.as_ref().map(|s| json!({
                "kernel": s.kernel,
                "lengthscales": s.lengthscales,
                "lambdas": s.lambdas,
                "scores": json_rows(s.scores.view()),
                "best": [s.best.0, s.best.1],
            })),
        })
    }

    fn parameter_key(&self) -> &'static str {
        match self.0.parameter {
            "λ" => "lambda",
            "C or λ" => "parameter",
            other => other,
        }
    }

    /// The surface by colors.
    pub fn figure(&self) -> Option<Figure> {
        let s = self.0.surface.as_ref()?;
        let names = |values: &[f64]| values.iter().map(|&v| digits(v, 2).replace('-', "−")).collect();
        // Places that were not tried, beyond the first grid, look like the worst.
        let worst = s.scores.iter().copied().filter(|v| v.is_finite()).fold(f64::MIN_POSITIVE, f64::max);
        let root = |v: f64| (if v.is_nan() { worst } else { v.max(f64::MIN_POSITIVE) }).sqrt().log10();
        Some(Figure::Heat(HeatMap {
            title: format!("{}: {}", name(self.0.criterion), s.kernel),
            cells: s.scores.mapv(root),
            shape: (s.lengthscales.len().max(12), s.lambdas.len()),
            bar: "log₁₀ RMSE".into(),
            groups: Vec::new(),
            labels: Some(Box::new(HeatLabels {
                x: "λ".into(),
                y: "lengthscale".into(),
                columns: names(&s.lambdas),
                rows: names(&s.lengthscales),
                marked: s.best,
            })),
        }))
    }
}

/// A number that is chosen, and the flag that lists others.
fn words_of(parameter: &str) -> (&str, &'static str) {
    match parameter {
        "lambda" => ("λ", "--lambdas"),
        "C" => ("C", "--cs"),
        "lengthscale" => ("lengthscale", "--lengthscales"),
        other => (other, "a list"),
    }
}

fn range_json(range: &SearchedRange) -> Value {
    json!({
        "parameter": range.parameter,
        "chosen": number(range.chosen),
        "first": [number(range.first.0), number(range.first.1)],
        "range": [number(range.last.0), number(range.last.1)],
        "extended": range.is_extended(),
        "at_border": range.at_border,
    })
}

/// A criterion as people name it.
pub fn name(criterion: Criterion) -> String {
    match criterion {
        Criterion::LeaveOneOut => "leave-one-out".into(),
        Criterion::Gcv => "generalized cross-validation".into(),
        Criterion::Folds(k) => format!("{k}-fold cross-validation"),
    }
}

/// The name of a candidate, or as much of it as a table has room for.
fn shortened(name: &str) -> String {
    if name.chars().count() <= NAME_WIDTH {
        return name.into();
    }
    name.chars().take(NAME_WIDTH - 1).chain(['…']).collect()
}
