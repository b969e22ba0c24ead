//! The selection of kernel and λ: candidates, scores, the best.

use std::collections::HashSet;

use mercer::select::{
    Criterion, FoldChoice, RidgeChoice, RidgeFinals, RidgeSearch, Screening, SearchedRange, Tried, sample_rows,
};
use mercer::{Error, Kernel};
use ndarray::{Array2, Axis};
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
/// Minimum number of rows of a class in a sample, if it has as many.
const LEAST_OF_A_CLASS: usize = 10;
/// Bytes of a decomposition per squared row.
const BYTES: u64 = 48;

/// One thing that was tried, with the best λ for it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The kernel, or another name.
    pub name: String,
    /// What it is one of: its kernel before a lengthscale was put in.
    pub family: String,
    /// λ, where there is one.
    pub lambda: Option<f64>,
    /// The mean square of the errors by the criterion.
    pub score: f64,
}

/// The scores over lengthscales and λ of one kernel.
struct Surface {
    kernel: String,
    lengthscales: Vec<f64>,
    lambdas: Vec<f64>,
    scores: Array2<f64>,
    best: (usize, usize),
}

/// What is measured of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The mean square of the errors; its root is shown.
    SquaredError,
    /// The part of the rows whose class is wrong.
    WrongClasses,
    /// The mean of `−log P` of the class.
    LogLoss,
}

impl Measure {
    fn shown(self, score: f64) -> (&'static str, String) {
        match self {
            Self::SquaredError => ("RMSE", short(score.max(0.0).sqrt())),
            Self::WrongClasses => ("wrong", format!("{} %", digits(100.0 * score, 4))),
            Self::LogLoss => ("log-loss", short(score)),
        }
    }
}

/// What was tried.
pub struct Choice {
    criterion: Criterion,
    measure: Measure,
    /// The name of the parameter beside the kernel.
    parameter: &'static str,
    /// Rows that entered the choice.
    rows: usize,
    of: usize,
    screening: Option<Screening>,
    candidates: Vec<Candidate>,
    surface: Option<Surface>,
    /// What was tried of the numbers that were chosen.
    ranges: Vec<SearchedRange>,
    /// The rows of a first grid and its candidates, where it had fewer rows.
    screened: Option<(usize, Vec<Candidate>)>,
    /// Models that were fitted, where they were.
    fits: Option<usize>,
    /// Whether the search ended by itself.
    complete: bool,
    /// Whether screening left only the best of every kernel.
    frugal: bool,
    /// Rows that were fitted and rows on which these fits were scored, after a first search.
    held_out: Option<(usize, usize)>,
}

/// The winner of a search.
pub struct Winner {
    /// The kernel.
    pub kernel: Kernel,
    /// λ.
    pub lambda: f64,
    /// Its score.
    pub score: f64,
}

/// The rows that enter a choice: at most so many, and no more than the memory limit allows.
pub fn rows(training: &Training, most: usize, session: &Session) -> Vec<usize> {
    let affordable = ((session.compute.memory() / BYTES) as f64).sqrt() as usize;
    let most = most.min(affordable.max(2));
    match &training.classes {
        // Of every class enough for the folds.
        Some(classes) => sample_rows(classes.of(), most, LEAST_OF_A_CLASS, &session.compute),
        None => training.sample(most, session),
    }
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
    let choice = Choice::new(search, &found, rows.len(), training.rows());
    let mercer::select::Winner { kernel, lambda, score, .. } = found.winner;
    Ok((Winner { kernel, lambda, score }, choice))
}

/// Runs a search on these rows and, where there are many more and the best beats `score`, compares
/// the best candidates again by fits on more rows.
pub fn search_twice(
    search: &RidgeSearch,
    training: &Training,
    rows: &[usize],
    score: f64,
    session: &Session,
) -> Result<(Winner, Choice), Failure> {
    let (x, y) = (training.x.taken(rows), training.y.select(Axis(0), rows));
    let all = training.weights.as_ref();
    let weights = all.map(|w| w.select(Axis(0), rows));
    let (mut found, finals) = session.search(|compute| {
        let found = search.choose(&x, y.view(), weights.as_ref().map(|w| w.view()), compute)?;
        if !found.complete || found.winner.score >= score {
            return Ok((found, None));
        }
        let weights = all.map(|w| w.view());
        match RidgeFinals::new(search, &found, training.points(), training.y.view(), weights, compute) {
            // The best of the first search is an answer.
            Err(Error::Canceled) => Ok((RidgeChoice { complete: false, ..found }, None)),
            finals => Ok((found, finals?)),
        }
    })?;
    let choice = Choice::new(search, &found, rows.len(), training.rows());
    let choice = match finals {
        None => choice,
        Some(finals) => {
            found.winner = finals.winner.clone();
            choice.then(search, finals)
        }
    };
    let mercer::select::Winner { kernel, lambda, score, .. } = found.winner;
    Ok((Winner { kernel, lambda, score }, choice))
}

impl Choice {
    /// With a comparison on more rows after the search.
    fn then(self, search: &RidgeSearch, finals: RidgeFinals) -> Self {
        let line = |(candidate, lambda, score): &(mercer::select::Candidate, f64, f64)| Candidate {
            name: candidate.kernel.to_string(),
            family: search.kernels[candidate.family].to_string(),
            lambda: Some(*lambda),
            score: *score,
        };
        Self {
            rows: finals.fitted + finals.scored,
            screening: None,
            screened: Some((self.rows, self.candidates)),
            candidates: finals.tried.iter().filter(|(.., score)| score.is_finite()).map(line).collect(),
            ranges: finals.ranges,
            fits: Some(finals.fits),
            complete: self.complete && finals.complete,
            held_out: Some((finals.fitted, finals.scored)),
            ..self
        }
    }

    /// Whether the candidates were compared on more rows after the first search.
    pub fn is_compared(&self) -> bool {
        self.held_out.is_some()
    }

    /// How it was chosen, as people name it.
    fn criterion(&self) -> String {
        if self.held_out.is_some() { "the error on held-out rows".into() } else { name(self.criterion) }
    }

    fn new(search: &RidgeSearch, found: &RidgeChoice, rows: usize, of: usize) -> Self {
        let line = |(i, candidate): (usize, &mercer::select::Candidate)| {
            let scores = found.scores.row(i);
            let best =
                (0..scores.len()).filter(|&j| !scores[j].is_nan()).min_by(|&a, &b| scores[a].total_cmp(&scores[b]));
            let best = best?;
            Some(Candidate {
                name: candidate.kernel.to_string(),
                family: search.kernels[candidate.family].to_string(),
                lambda: Some(found.lambdas[best]),
                score: scores[best],
            })
        };
        let mut candidates: Vec<Candidate> = found.candidates.iter().enumerate().filter_map(line).collect();
        let winner = &found.winner;
        // λ may have been refined beyond the grid.
        if !found.lambdas.contains(&winner.lambda) {
            let family = search.kernels[found.candidates[found.best.0].family].to_string();
            let (name, lambda) = (winner.kernel.to_string(), Some(winner.lambda));
            candidates.push(Candidate { name, family, lambda, score: winner.score });
        }
        let (measure, parameter, surface) = (Measure::SquaredError, "λ", Surface::new(search, found));
        let screening = found.screening.clone().filter(|screening| screening.dropped > 0);
        let (ranges, complete, criterion) = (found.ranges.clone(), found.complete, search.criterion);
        let (screened, fits, frugal, held_out) = (None, None, search.frugal, None);
        Self {
            criterion,
            measure,
            parameter,
            rows,
            of,
            screening,
            frugal,
            held_out,
            candidates,
            surface,
            ranges,
            screened,
            fits,
            complete,
        }
    }

    /// A choice by folds.
    pub fn by_folds(
        folds: usize,
        measure: Measure,
        parameter: &'static str,
        of: usize,
        found: &FoldChoice,
        candidates: impl Fn(&[Tried]) -> Vec<Candidate>,
    ) -> Self {
        let screened = found.screened.first().map(|tried| (tried.rows, candidates(&found.screened)));
        Self {
            criterion: Criterion::Folds(folds),
            measure,
            parameter,
            rows: found.rows,
            of,
            screening: None,
            candidates: candidates(&found.tried),
            surface: None,
            ranges: found.ranges.clone(),
            screened,
            fits: Some(found.fits),
            complete: found.complete,
            frugal: false,
            held_out: None,
        }
    }

    /// Remarks on the selection; flags are named if the learner has them.
    pub fn remarks(&self, learner: &str) -> Vec<String> {
        let mut remarks = Vec::new();
        for range in &self.ranges {
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
        if !self.complete {
            remarks.push("The search was stopped early; the best result so far is used.".into());
        }
        remarks
    }

    /// Things that were tried in another way.
    pub fn extend(&mut self, candidates: impl IntoIterator<Item = Candidate>) {
        self.candidates.extend(candidates);
    }

    /// The candidates, best first.
    pub fn ranked(&self) -> Vec<&Candidate> {
        let mut ranked: Vec<&Candidate> = self.candidates.iter().collect();
        ranked.sort_by(|a, b| a.score.total_cmp(&b.score));
        ranked
    }

    /// The best of every family, or of a single family the best few.
    fn shown(&self) -> Vec<&Candidate> {
        let mut seen = HashSet::new();
        let ranked = self.ranked();
        let best: Vec<&Candidate> = ranked.iter().copied().filter(|c| seen.insert(c.family.as_str())).collect();
        if best.len() > 1 { best } else { ranked.into_iter().take(SHOWN).collect() }
    }

    /// The same with a word before the name of every candidate.
    pub fn renamed(mut self, word: &str) -> Self {
        for candidate in &mut self.candidates {
            candidate.name = format!("{word} {}", candidate.name);
            candidate.family = format!("{word} {}", candidate.family);
        }
        self
    }

    /// Takes the candidates of another choice; its surface too if it won.
    pub fn join(mut self, other: Self, other_won: bool) -> Self {
        match &mut self.screened {
            // Scores on other rows cannot be compared.
            Some((_, candidates)) if self.held_out.is_some() => candidates.extend(other.candidates),
            _ => self.candidates.extend(other.candidates),
        }
        self.complete &= other.complete;
        self.fits = self.fits.map(|fits| fits + other.fits.unwrap_or(0));
        if other_won {
            (self.surface, self.ranges) = (other.surface, other.ranges);
        }
        self
    }

    /// The best few, as a table.
    pub fn push_into(&self, report: &mut Report) {
        report.heading(format!("Choice by {}", self.criterion()));
        if self.rows < self.of {
            let (rows, of) = (grouped(self.rows as u64), grouped(self.of as u64));
            report.text(format!("Selected on a random sample of {rows} of the {of} rows; fitted on all rows."));
        }
        if let Some(screening) = &self.screening {
            let (dropped, rows) = (grouped(screening.dropped as u64), grouped(screening.rows as u64));
            let what = if screening.dropped == 1 { "candidate was" } else { "candidates were" };
            let how = if self.frugal { "worse" } else { "clearly worse" };
            report.text(format!("{dropped} {what} {how} on {rows} rows and dropped (--no-screening scores all)."));
        }
        if let Some((rows, candidates)) = &self.screened {
            let (rows, candidates) = (grouped(*rows as u64), grouped(candidates.len() as u64));
            report.text(format!(
                "{candidates} candidates were screened on {rows} rows; the best of them, and their neighbors, are below."
            ));
        }
        if let Some((fitted, scored)) = self.held_out {
            let (fitted, scored) = (grouped(fitted as u64), grouped(scored as u64));
            report.text(format!("They were fitted on {fitted} rows and scored on {scored} others."));
        }
        let mut table = Table::new(&["candidate", self.parameter, self.measure.shown(0.0).0], &[1, 2]);
        let shown = self.shown();
        for candidate in &shown {
            let lambda = candidate.lambda.map_or("—".into(), short);
            table.push([shortened(&candidate.name), lambda, self.measure.shown(candidate.score).1]);
        }
        report.push(Block::Table(table));
        let rest = self.candidates.len().saturating_sub(shown.len());
        if rest > 0 {
            report.text(format!("… and {rest} more candidates."));
        }
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let line = |c: &Candidate| json!({ "candidate": c.name, (self.parameter_key()): c.lambda.map_or(Value::Null, number), "score": number(c.score) });
        json!({
            "criterion": self.criterion(),
            "rows": self.rows,
            "fitted_rows": self.held_out.map(|(fitted, _)| fitted),
            "scored_rows": self.held_out.map(|(_, scored)| scored),
            "dropped": self.screening.as_ref().map_or(0, |screening| screening.dropped),
            "screened": self.screened.as_ref().map(|(rows, candidates)| json!({ "rows": rows, "candidates": candidates.len() })),
            "fits": self.fits,
            "complete": self.complete,
            "ranges": self.ranges.iter().map(range_json).collect::<Vec<_>>(),
            "candidates": self.ranked().into_iter().map(line).collect::<Vec<_>>(),
            "surface": self.surface.as_ref().map(|s| json!({
                "kernel": s.kernel,
                "lengthscales": s.lengthscales,
                "lambdas": s.lambdas,
                "scores": json_rows(s.scores.view()),
                "best": [s.best.0, s.best.1],
            })),
        })
    }

    fn parameter_key(&self) -> &'static str {
        match self.parameter {
            "λ" => "lambda",
            "C or λ" => "parameter",
            other => other,
        }
    }

    /// The surface by colors.
    pub fn figure(&self) -> Option<Figure> {
        let s = self.surface.as_ref()?;
        let names = |values: &[f64]| values.iter().map(|&v| digits(v, 2).replace('-', "−")).collect();
        // Places that were not tried, beyond the first grid, look like the worst.
        let worst = s.scores.iter().copied().filter(|v| v.is_finite()).fold(f64::MIN_POSITIVE, f64::max);
        let root = |v: f64| (if v.is_nan() { worst } else { v.max(f64::MIN_POSITIVE) }).sqrt().log10();
        Some(Figure::Heat(HeatMap {
            title: format!("{}: {}", name(self.criterion), s.kernel),
            cells: s.scores.mapv(root),
            shape: (s.lengthscales.len().max(12), s.lambdas.len()),
            bar: "log₁₀ RMSE".into(),
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

impl Surface {
    /// The rows of the kernel that won, where lengthscales were searched.
    fn new(search: &RidgeSearch, found: &RidgeChoice) -> Option<Self> {
        let family = found.candidates[found.best.0].family;
        let scored = |i: usize| found.scores.row(i).iter().any(|score| !score.is_nan());
        let of_family = |&i: &usize| found.candidates[i].family == family && scored(i);
        let rows: Vec<usize> = (0..found.candidates.len()).filter(of_family).collect();
        let lengthscales: Vec<f64> = rows.iter().filter_map(|&i| found.candidates[i].lengthscale).collect();
        if lengthscales.len() < 2 || found.lambdas.len() < 2 {
            return None;
        }
        let position = rows.iter().position(|&i| i == found.best.0)?;
        Some(Self {
            kernel: search.kernels[family].to_string(),
            lengthscales,
            lambdas: found.lambdas.clone(),
            scores: found.scores.select(Axis(0), &rows),
            best: (position, found.best.1),
        })
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
