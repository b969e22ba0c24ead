//! Calibration: fits without some of the rows, and the scores of these rows.

use std::borrow::Cow;
use std::sync::Arc;

use ndarray::{Array2, ArrayView2, Axis};

use super::classes::{margin_scores, scores_of_rows};
use super::fit::{ConformalFit, Rule};
use super::ranks::FoldScores;
use super::{Conformal, ConformalMethod, SetScore};
use crate::learner::{FitInput, Fitted, Targets};
use crate::select::stratified_folds;
use crate::settings::Settings;
use crate::{Compute, Error, Points, Result, Sample, Seed};

/// The purpose of the random numbers of the data.
const DATA_STREAM: &str = "conformal scores of the data";

/// A fit without some of the rows.
#[derive(Clone, Debug)]
pub struct Part {
    /// The fit.
    pub fit: Arc<dyn Fitted>,
    /// The classes that the fit knows, by their numbers among all; empty for numbers.
    pub present: Vec<usize>,
    /// For precomputed kernel values: the rows of the data that it was fitted on.
    pub train: Option<Vec<usize>>,
}

/// A fit with its data, and how it is calibrated.
pub(super) struct Calibration<'c, 'i> {
    spec: &'c Conformal,
    fitted: &'c dyn Fitted,
    x: Points<'c>,
    input: &'c FitInput<'i>,
    /// The class of every row; empty for numbers.
    labels: Cow<'c, [usize]>,
    /// The names of the classes.
    names: Vec<String>,
    /// The rows that count.
    pub(super) rows: Vec<usize>,
}

impl<'c, 'i> Calibration<'c, 'i> {
    pub(super) fn new(spec: &'c Conformal, fitted: &'c dyn Fitted, input: &'c FitInput<'i>) -> Result<Self> {
        let x = input.only()?;
        let x = fitted.kernel().map_or(x, |kernel| kernel.points(x));
        x.check_square()?;
        let (labels, names) = match (&input.targets, fitted.class_names()) {
            (Targets::Classes(of, names), Some(_)) => (Cow::Borrowed(*of), names.to_vec()),
            // Losses of two classes take them as numbers of either sign.
            (Targets::Values(y), Some(names)) if y.ncols() == 1 => {
                (Cow::Owned(y.column(0).iter().map(|&side| usize::from(side > 0.0)).collect()), names)
            }
            (Targets::Values(y), None) if fitted.targets() == y.ncols() => (Cow::Borrowed(&[][..]), Vec::new()),
            _ => return Err(not_a_prediction(fitted)),
        };
        let rows = match input.weights {
            Some(weights) => (0..x.len()).filter(|&i| weights[i] > 0.0).collect(),
            None => (0..x.len()).collect(),
        };
        Ok(Self { spec, fitted, x, input, labels, names, rows })
    }

    /// The closed form; `None` where there is none.
    pub(super) fn jackknife(&self, compute: &Compute) -> Result<Option<ConformalFit>> {
        ConformalFit::jackknife(self.fitted, compute)
    }

    pub(super) fn cross_validated(&self, compute: &Compute) -> Result<ConformalFit> {
        let labels: Vec<usize> = self.rows.iter().map(|&row| self.labels.get(row).copied().unwrap_or(0)).collect();
        let folds = stratified_folds(&labels, self.spec.folds.min(labels.len()), compute)?;
        let folds: Vec<Vec<usize>> =
            folds.into_iter().map(|fold| fold.into_iter().map(|at| self.rows[at]).collect()).collect();
        self.held_out(ConformalMethod::CvPlus, &folds, compute)
    }

    pub(super) fn split(&self, compute: &Compute) -> Result<ConformalFit> {
        let n = self.rows.len();
        let count = ((self.spec.held_out * n as f64).ceil() as usize).clamp(1, n - 1);
        let order = compute.seed().stream("conformal split", 0).permutation(n);
        let mut held: Vec<usize> = order[..count].iter().map(|&at| self.rows[at]).collect();
        held.sort_unstable();
        self.held_out(ConformalMethod::Split, &[held], compute)
    }

    /// A fit without each of these lists of rows, and the scores of the rows.
    fn held_out(&self, method: ConformalMethod, lists: &[Vec<usize>], compute: &Compute) -> Result<ConformalFit> {
        let (mut parts, mut rows, mut fold_of, mut scores) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (fold, held) in lists.iter().enumerate() {
            compute.check_canceled()?;
            compute.report("conformal fits", fold as u64, lists.len() as u64);
            let train: Vec<usize> = self.rows.iter().copied().filter(|row| held.binary_search(row).is_err()).collect();
            let part = self.part(&train, compute)?;
            let x = Sample::select_new(self.x, held, &train);
            scores.extend(self.scores(&part, x.as_points(), held, compute)?);
            parts.push(part);
            rows.extend_from_slice(held);
            fold_of.extend(vec![fold; held.len()]);
        }
        compute.report("conformal fits", lists.len() as u64, lists.len() as u64);
        let targets = scores.len() / rows.len().max(1);
        let scores = Array2::from_shape_vec((rows.len(), targets), scores)
            .map_err(|e| Error::shape("scores of held-out rows", rows.len(), e))?;
        Ok(ConformalFit { rows, ..self.fit_of(method, FoldScores::new(fold_of, scores)?, parts, compute.seed()) })
    }

    fn fit_of(&self, method: ConformalMethod, scores: FoldScores, parts: Vec<Part>, seed: Seed) -> ConformalFit {
        let rule = Rule { method, score: self.spec.score, randomized: self.spec.randomized, seed };
        let (rows, classes) = (self.rows.clone(), self.names.len());
        ConformalFit { rule, rows, scores, parts, classes, closed_form: Arc::default() }
    }

    /// A fit of these rows.
    fn part(&self, train: &[usize], compute: &Compute) -> Result<Part> {
        let x = Sample::select(self.x, train);
        let weights = self.input.weights.map(|weights| weights.select(Axis(0), train));
        let (of, present) = self.classes_of(train);
        let names: Vec<String> = present.iter().map(|&class| self.names[class].clone()).collect();
        let values = match self.input.targets {
            Targets::Values(y) => Some(y.select(Axis(0), train)),
            _ => None,
        };
        let targets = match &values {
            Some(values) => Targets::Values(values.view()),
            None => Targets::Classes(&of, &names),
        };
        let input = FitInput::points(&x).with_targets(targets).with_weights(weights.as_ref().map(|w| w.view()));
        let learner = self.fitted.entry().build(&self.settings(&present))?;
        let fit = Arc::from(learner.fit(&input, compute)?);
        let train = matches!(self.x, Points::Precomputed(_)).then(|| train.to_vec());
        // Of classes as numbers of either sign both are there.
        let present = if values.is_some() { (0..self.names.len()).collect() } else { present };
        Ok(Part { fit, present, train })
    }

    /// The classes of some rows, numbered without those that do not occur, and which they are.
    fn classes_of(&self, rows: &[usize]) -> (Vec<usize>, Vec<usize>) {
        if self.labels.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let of: Vec<usize> = rows.iter().map(|&row| self.labels[row]).collect();
        let mut present = of.clone();
        present.sort_unstable();
        present.dedup();
        (of.iter().map(|class| present.binary_search(class).unwrap_or(0)).collect(), present)
    }

    /// The settings of the fit, with the factors of the classes that occur.
    fn settings(&self, present: &[usize]) -> Settings {
        let settings = self.fitted.settings().clone();
        match settings.optional_numbers("class_weights") {
            Ok(Some(all)) if present.len() < self.names.len() => {
                let kept: Vec<f64> = present.iter().filter_map(|&class| all.get(class).copied()).collect();
                settings.with("class_weights", &kept[..])
            }
            _ => settings,
        }
    }

    /// The scores of held-out rows, row by row.
    fn scores(&self, part: &Part, x: Points<'_>, held: &[usize], compute: &Compute) -> Result<Vec<f64>> {
        if !self.names.is_empty() {
            let random = self.spec.randomized.then_some((compute.seed(), DATA_STREAM));
            let found = part.class_scores(x, (self.names.len(), self.spec.score), (random, held), compute)?;
            return Ok(held.iter().enumerate().map(|(i, &row)| found[[i, self.labels[row]]]).collect());
        }
        let Targets::Values(y) = self.input.targets else { return Err(not_a_prediction(self.fitted)) };
        let (lower, upper) = part.band(x, compute)?;
        let y = y.select(Axis(0), held);
        let scores = FoldScores::of_values(vec![0; held.len()], y.view(), lower.view(), upper.view())?;
        Ok(scores.scores().iter().copied().collect())
    }
}

impl Part {
    /// The prediction of every target as a band: twice the same number, or the lowest and the
    /// highest of several quantiles of one target.
    pub(super) fn band(&self, x: Points<'_>, compute: &Compute) -> Result<(Array2<f64>, Array2<f64>)> {
        let values = self.fit.predict(x, compute)?;
        if self.fit.outputs() == self.fit.targets() {
            return Ok((values.clone(), values));
        }
        let edge = |of: fn(f64, f64) -> f64, start: f64| {
            let ends = values.map_axis(Axis(1), |row| row.iter().copied().fold(start, of));
            ends.insert_axis(Axis(1))
        };
        Ok((edge(f64::min, f64::INFINITY), edge(f64::max, f64::NEG_INFINITY)))
    }

    /// The scores of all classes: one column each. A class that was not among the rows of the fit
    /// has probability 0.
    pub(super) fn class_scores(
        &self,
        x: Points<'_>,
        (classes, score): (usize, SetScore),
        (random, rows): (Option<(Seed, &str)>, &[usize]),
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        if self.fit.has_probabilities() {
            let found = self.fit.probabilities(x, compute)?;
            let all = self.spread(found.view(), classes, 0.0);
            return Ok(scores_of_rows(all.view(), score, random, rows));
        }
        if score == SetScore::Aps {
            return Err(Error::unsupported(
                "adaptive prediction sets",
                format!("this model of the kind {}", self.fit.kind()),
                "they need probabilities",
                "use the score lac, or a classifier with probabilities",
            ));
        }
        let found = margin_scores(self.fit.decision_values(x, compute)?.view());
        Ok(self.spread(found.view(), classes, f64::INFINITY))
    }

    fn spread(&self, found: ArrayView2<f64>, classes: usize, absent: f64) -> Array2<f64> {
        let mut all = Array2::from_elem((found.nrows(), classes), absent);
        for (&class, column) in self.present.iter().zip(found.columns()) {
            all.column_mut(class).assign(&column);
        }
        all
    }
}

fn not_a_prediction(fitted: &dyn Fitted) -> Error {
    Error::unsupported(
        "conformal prediction",
        format!("a model of the kind {}", fitted.kind()),
        "it predicts no value or class of its data",
        "fit a regression or a classifier",
    )
}
