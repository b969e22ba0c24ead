//! A calibrated fit: intervals and sets of classes.

use std::sync::{Arc, OnceLock};

use ndarray::{Array2, Axis};

use super::parts::Part;
use super::ranks::{End, FoldScores};
use super::{ConformalMethod, SetScore};
use crate::learner::{Fitted, LeaveOneOut};
use crate::{Compute, Error, Points, Result, Sample, Seed};

/// New points whose weights are computed together.
const STRIP: usize = 256;
/// The purpose of the random numbers of new points.
const NEW_STREAM: &str = "conformal scores of new points";

/// The ends of intervals: one row per point, one column per target.
#[derive(Clone, Debug, PartialEq)]
pub struct IntervalEnds {
    /// The lower ends.
    pub lower: Array2<f64>,
    /// The upper ends.
    pub upper: Array2<f64>,
}

/// How a fit was calibrated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// The method; never `Auto`.
    pub method: ConformalMethod,
    /// The score of classes.
    pub score: SetScore,
    /// Whether [`SetScore::Aps`] counts a class with a random share.
    pub randomized: bool,
    /// The seed of the random shares.
    pub seed: Seed,
}

/// What [`Conformal::fit`](super::Conformal::fit) found: the scores of held-out rows, and the fits
/// that did not see them.
#[derive(Clone, Debug)]
pub struct ConformalFit {
    pub(super) rule: Rule,
    /// The rows of the data that the scores belong to.
    pub(super) rows: Vec<usize>,
    pub(super) scores: FoldScores,
    pub(super) parts: Vec<Part>,
    /// The number of classes; 0 for numbers.
    pub(super) classes: usize,
    /// Made from the fit when it is first needed.
    pub(super) closed_form: Arc<OnceLock<Box<dyn LeaveOneOut>>>,
}

impl ConformalFit {
    /// Jackknife+ of a regression from its closed form of leave-one-out; `None` for a fit without one.
    /// Rows of weight 0 do not count.
    ///
    /// # Cost
    /// A factor of `n³/3`.
    ///
    /// # Errors
    /// [`Error::Undetermined`] where the other rows do not determine the unpenalized part of a row;
    /// as [`Fitted::leave_one_out`].
    pub fn jackknife(fitted: &dyn Fitted, compute: &Compute) -> Result<Option<Self>> {
        if fitted.class_names().is_some() || fitted.outputs() != fitted.targets() {
            return Ok(None);
        }
        let Some(found) = fitted.leave_one_out(compute)? else { return Ok(None) };
        let rows = found.rows().to_vec();
        let scores = found.residuals().select(Axis(0), &rows).mapv(f64::abs);
        let scores = FoldScores::new((0..rows.len()).collect(), scores)?;
        let rule = Rule {
            method: ConformalMethod::JackknifePlus,
            score: SetScore::Lac,
            randomized: false,
            seed: compute.seed(),
        };
        let closed_form = Arc::new(OnceLock::from(found));
        Ok(Some(Self { rule, rows, scores, parts: Vec::new(), classes: 0, closed_form }))
    }

    /// A calibration that was made elsewhere: how, the rows of the data that the scores belong to, and
    /// the fits that did not see them (none for jackknife+). `fitted` is the fit on all rows.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a method that does not go with the fits, and for a class that the fit
    /// does not know; [`Error::Shape`] where rows, scores and targets do not fit together.
    ///
    /// # Example
    /// ```
    /// use mercer::conformal::{ConformalFit, ConformalMethod, FoldScores, Part, Rule, SetScore};
    /// use mercer::learn::Ridge;
    /// use mercer::{Compute, Seed};
    /// use ndarray::{Array2, array};
    /// use std::sync::Arc;
    /// let compute = Compute::new();
    /// let fit = Ridge::new("linear()".parse()?, 1e-12).fit(array![[1.0]].view(), array![[2.0]].view(), None, &compute)?;
    /// // Nine rows that were held out, with the errors 1, …, 9.
    /// let scores = FoldScores::new(vec![0; 9], Array2::from_shape_fn((9, 1), |(i, _)| (i + 1) as f64))?;
    /// let rule = Rule { method: ConformalMethod::Split, score: SetScore::Lac, randomized: false, seed: Seed(0) };
    /// let part = Part { fit: Arc::new(fit.clone()), present: vec![], train: None };
    /// let found = ConformalFit::of_parts(rule, &fit, (1..10).collect(), scores, vec![part])?;
    /// let ends = found.intervals(&fit, array![[10.0]].view(), 0.5, &compute)?;
    /// mercer::assert_close!(ends.lower[[0, 0]], 15.0, abs = 1e-9);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn of_parts(
        rule: Rule,
        fitted: &dyn Fitted,
        rows: Vec<usize>,
        scores: FoldScores,
        parts: Vec<Part>,
    ) -> Result<Self> {
        let classes = fitted.class_names().map_or(0, |names| names.len());
        let targets = if classes > 0 { 1 } else { fitted.targets() };
        if scores.scores().dim() != (rows.len(), targets) {
            let expected = format!("{:?}", (rows.len(), targets));
            return Err(Error::shape("scores of held-out rows", expected, format!("{:?}", scores.scores().dim())));
        }
        let closed = rule.method == ConformalMethod::JackknifePlus;
        let folds = scores.fold_of().iter().max().map_or(0, |most| most + 1);
        let complete = if closed { parts.is_empty() && classes == 0 } else { folds <= parts.len() };
        if rule.method == ConformalMethod::Auto || !complete {
            return Err(Error::parameter("conformal.method", rule.method.name(), "one that goes with its fits"));
        }
        if parts.iter().any(|part| part.fit.kind() != fitted.kind()) {
            return Err(Error::mismatch("the conformal fits", "the fit", "they are of another learner", ""));
        }
        if parts.iter().flat_map(|part| &part.present).any(|&class| class >= classes) {
            return Err(Error::parameter("conformal.present", "", ..classes));
        }
        Ok(Self { rule, rows, scores, parts, classes, closed_form: Arc::default() })
    }

    /// How it was calibrated.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The rows of the data that the scores belong to.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The fits that did not see some of the rows; none for jackknife+.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The method that was taken: never `Auto`.
    pub fn method(&self) -> ConformalMethod {
        self.rule.method
    }

    /// The fits that were made: folds, 1 for a split, 0 for jackknife+.
    pub fn fits(&self) -> usize {
        self.parts.len()
    }

    /// The scores of the held-out rows.
    pub fn scores(&self) -> &FoldScores {
        &self.scores
    }

    /// The number of classes; 0 for numbers.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The number of targets.
    pub fn targets(&self) -> usize {
        self.scores.scores().ncols()
    }

    /// The score of classes.
    pub fn score(&self) -> SetScore {
        self.rule.score
    }

    /// The probability that an interval or a set of this level holds a new observation, at least,
    /// for exchangeable rows (the table of the [module](crate::conformal)); not below 0.
    ///
    /// # Errors
    /// As [`FoldScores::rank`].
    pub fn guarantee(&self, level: f64) -> Result<f64> {
        self.scores.rank(level)?;
        Ok(self.rule.method.guarantee(self.scores.rows(), self.parts.len(), level))
    }

    /// In words: `jackknife+ (150 leave-one-out residuals)`.
    pub fn describe(&self) -> String {
        let rows = self.scores.rows();
        match self.rule.method {
            ConformalMethod::Split => format!("split ({rows} held-out rows)"),
            ConformalMethod::CvPlus => format!("cv+ ({} folds, {rows} rows)", self.parts.len()),
            _ => format!("jackknife+ ({rows} leave-one-out residuals)"),
        }
    }

    /// Intervals that hold a new observation of every target with probability `level` on most data,
    /// and with [`ConformalFit::guarantee`] on all; in the units of the fit. `fitted` is the fit
    /// that was calibrated.
    ///
    /// # Cost
    /// Jackknife+: `2n²` per point (a factor of `n³/3` first, for a model from a file). CV+ and split:
    /// the predictions of the fits, and `O(n)` per point for several fits.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a classifier; [`Error::TooFew`] where the level needs more
    /// held-out rows than there are: the interval would be infinite; as the predictions.
    pub fn intervals<'x>(
        &self,
        fitted: &dyn Fitted,
        x: impl Into<Points<'x>>,
        level: f64,
        compute: &Compute,
    ) -> Result<IntervalEnds> {
        if self.classes > 0 {
            return Err(wrong("intervals", "a classifier", "use sets of classes"));
        }
        self.scores.rank(level)?;
        let x = self.points(fitted, x.into());
        if self.rule.method == ConformalMethod::JackknifePlus {
            return self.by_weights(fitted, x, level, compute);
        }
        let band = |part: &Part| part.band(part.new_points(x).as_points(), compute);
        let bands = self.parts.iter().map(band).collect::<Result<Vec<_>>>()?;
        self.scores.ends(&bands, level, compute)
    }

    /// Whether every class belongs to the set of a new point: one row per point, one column per
    /// class. The set holds the class of a new observation with probability `level` on most data,
    /// and with [`ConformalFit::guarantee`] on all. It may be empty: no class conforms.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a regression; as [`ConformalFit::intervals`].
    pub fn sets<'x>(
        &self,
        fitted: &dyn Fitted,
        x: impl Into<Points<'x>>,
        level: f64,
        compute: &Compute,
    ) -> Result<Array2<bool>> {
        if self.classes == 0 {
            return Err(wrong("sets of classes", "a regression", "use intervals"));
        }
        self.scores.rank(level)?;
        let x = self.points(fitted, x.into());
        let rows: Vec<usize> = (0..x.len()).collect();
        let random = self.rule.randomized.then_some((self.rule.seed, NEW_STREAM));
        let how = (self.classes, self.rule.score);
        let scores = |part: &Part| part.class_scores(part.new_points(x).as_points(), how, (random, &rows), compute);
        let scores = self.parts.iter().map(scores).collect::<Result<Vec<_>>>()?;
        self.scores.sets(&scores, level, compute)
    }

    fn points<'x>(&self, fitted: &dyn Fitted, x: Points<'x>) -> Points<'x> {
        fitted.kernel().map_or(x, |kernel| kernel.points(x))
    }

    /// Jackknife+, strip by strip.
    fn by_weights(&self, fitted: &dyn Fitted, x: Points<'_>, level: f64, compute: &Compute) -> Result<IntervalEnds> {
        let found = self.closed_form(fitted, compute)?;
        let residuals = found.residuals();
        if residuals.ncols() != self.targets() || self.rows.iter().any(|&row| row >= residuals.nrows()) {
            return Err(Error::mismatch("the conformal scores", "the fit", "they belong to another fit", ""));
        }
        let mut parts = Vec::new();
        for start in (0..x.len()).step_by(STRIP) {
            compute.check_canceled()?;
            let part = x.part(start..x.len().min(start + STRIP));
            let (values, weights) =
                (fitted.predict(part.as_points(), compute)?, found.weights(part.as_points(), compute)?);
            // A row per point, so that the weights of one point lie together.
            let weights = weights.select(Axis(0), &self.rows).reversed_axes();
            let weights = weights.as_standard_layout();
            let without = |_: End, row: usize, (point, target): (usize, usize)| {
                values[[point, target]] - weights[[point, row]] * residuals[[self.rows[row], target]]
            };
            parts.push(self.scores.ends_by(values.nrows(), level, compute, without)?);
        }
        Ok(IntervalEnds::joined(&parts, self.targets()))
    }

    fn closed_form(&self, fitted: &dyn Fitted, compute: &Compute) -> Result<&dyn LeaveOneOut> {
        if let Some(found) = self.closed_form.get() {
            return Ok(&**found);
        }
        let made = fitted
            .leave_one_out(compute)?
            .ok_or_else(|| wrong("jackknife+", "this fit", "calibrate it with cv+ or split"))?;
        Ok(&**crate::compute::filled(&self.closed_form, || made))
    }
}

impl Part {
    /// New points as the fit takes them: of precomputed kernel values those with its own rows.
    pub(super) fn new_points(&self, x: Points<'_>) -> Sample {
        match (&self.train, x) {
            (Some(train), Points::Precomputed(values)) => Sample::Precomputed(values.select(Axis(1), train)),
            (_, x) => Sample::from(x),
        }
    }
}

fn wrong(what: &str, model: &str, remedy: &str) -> Error {
    Error::unsupported(what, model, "", remedy)
}
