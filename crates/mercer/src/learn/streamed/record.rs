//! Streams and fits as named texts and arrays.

use ndarray::{ArrayView1, ArrayView2};

use super::passes::PassState;
use super::stream::block_rows;
use super::{LambdaScore, Passes, RidgePasses, RidgeStream, StreamedRidgeFit};
use crate::error::RecordProblem;
use crate::features::{DrawnFeatures, ExactRidge, FeatureFunction, FeatureMap, RowBlocks};
use crate::learn::ridge::check_lambda;
use crate::record::{Record, container};
use crate::settings::Settings;
use crate::{Compute, Error, Result};

const KIND: &str = "ridge_stream";
/// The version of the bytes that are written and can be read. Version 2 has exact sums and rows with
/// numbers.
const VERSION: usize = 2;

impl StreamedRidgeFit {
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        self.features.put_into(&mut record);
        record.put_text("intercept", self.intercept);
        record.put_number("lambda", self.lambda);
        record.put_matrix("weights", self.function.weights());
        record.put_vector("constant", self.function.intercept());
        record.put_vector("residual_squares", self.function.residual_squares());
        record.put_vector("total_squares", self.total_squares.view());
        record.put_number("total_weight", self.total_weight);
        record.put_count("rows", self.rows as usize);
        if let Some(Passes { passes, residual, converged }) = self.passes {
            record.put_count("passes", passes);
            record.put_number("passes_residual", residual);
            record.put_text("passes_converged", converged);
        }
        record.put_slice("lambdas", &self.scores.iter().map(|s| s.lambda).collect::<Vec<_>>());
        record.put_slice("scores", &self.scores.iter().map(|s| s.score).collect::<Vec<_>>());
        record
    }

    pub(crate) fn from_record(record: &mut Record) -> Result<Self> {
        let features = DrawnFeatures::take_from(record)?;
        let weights = record.take_leading_matrix("weights")?;
        let (p, outputs) = weights.dim();
        if p != features.components() || outputs == 0 {
            return Err(Error::shape(
                "shape of the array `weights`",
                features.components(),
                format!("{p} × {outputs}"),
            ));
        }
        let lambda = record.number("lambda")?;
        check_lambda(lambda)?;
        let constant = record.take_finite_vector("constant", outputs)?;
        let residual_squares = record.take_vector("residual_squares", outputs)?;
        let lambdas = record.take_any_vector("lambdas")?;
        let scores = record.take_vector("scores", lambdas.len())?;
        let score = |(&lambda, &score): (&f64, &f64)| LambdaScore { lambda, score };
        Ok(Self {
            features,
            function: FeatureFunction::from_parts(weights, constant, residual_squares),
            intercept: record.flag("intercept")?,
            lambda,
            scores: lambdas.iter().zip(&scores).map(score).collect(),
            rows: record.count("rows")? as u64,
            total_weight: record.finite_number("total_weight")?,
            total_squares: record.take_vector("total_squares", outputs)?,
            passes: take_passes(record)?,
            settings: Settings::new(),
        })
    }
}

fn take_passes(record: &Record) -> Result<Option<Passes>> {
    if !record.has("passes") {
        return Ok(None);
    }
    let (passes, residual) = (record.count("passes")?, record.number("passes_residual")?);
    Ok(Some(Passes { passes, residual, converged: record.flag("passes_converged")? }))
}

impl RidgeStream {
    /// The stream as bytes, the same on every machine: another one can go on from there, or merge
    /// it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        container::write(&mut bytes, &self.to_record()).expect("writing to memory does not fail");
        bytes
    }

    /// The stream again.
    ///
    /// # Errors
    /// [`Error::Record`] for bytes of something else, cut short or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let failed =
            |error: Error| Error::record("stream of a ridge regression", RecordProblem::Damaged(error.to_string()));
        container::read(bytes).and_then(Self::from_record).map_err(failed)
    }

    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        record.put_text("kind", KIND);
        record.put_text("version", VERSION);
        record.put_text("intercept", self.intercept);
        self.features.put_into(&mut record);
        record.put_settings(&self.settings);
        record.put_slice("lambdas", &self.lambdas);
        record.put_count("outputs", self.outputs());
        record.put_count("folds", self.folds.len());
        for (i, fold) in self.folds.iter().enumerate() {
            record.integers.insert(fold_name(i), fold.to_integers());
        }
        self.rows.put_into(&mut record);
        record
    }

    pub(crate) fn from_record(mut record: Record) -> Result<Self> {
        if record.text("kind")? != KIND {
            return Err(Error::parameter("kind", record.text("kind")?, "a ridge_stream"));
        }
        if record.text("version")? != VERSION.to_string() {
            return Err(Error::parameter("version", record.text("version")?, format!("{VERSION}")));
        }
        let settings = record.take_settings()?;
        let features = DrawnFeatures::take_from(&mut record)?;
        let (outputs, folds) = (record.count("outputs")?, record.count("folds")?);
        let lambdas = record.take_any_vector("lambdas")?.to_vec();
        if outputs == 0 || folds == 0 || lambdas.is_empty() {
            return Err(Error::shape("outputs, folds and λ", "at least one of each", 0));
        }
        lambdas.iter().try_for_each(|lambda| check_lambda(*lambda))?;
        let shape = (features.components(), outputs);
        let fold = |i| {
            let integers = record.integers.remove(&fold_name(i));
            ExactRidge::from_integers(shape, &integers.unwrap_or_default())
        };
        let kept = (0..folds).map(fold).collect::<Result<_>>()?;
        let width = features.columns() + outputs + 1;
        let rows = RowBlocks::take_from(&mut record, (width, block_rows(features.columns(), folds)))?;
        let intercept = record.flag("intercept")?;
        Ok(Self { features, folds: kept, lambdas, intercept, rows, settings })
    }
}

fn fold_name(fold: usize) -> String {
    format!("fold_{fold}")
}

const PASSES: &str = "ridge_passes";

impl RidgePasses {
    /// The iteration after whole passes.
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        record.put_text("kind", PASSES);
        record.put_text("version", VERSION);
        record.put_text("intercept", self.intercept);
        record.put_number("lambda", self.lambda);
        record.put_count("outputs", self.outputs);
        record.put_settings(&self.settings);
        self.features.put_into(&mut record);
        if let Some(state) = &self.state {
            record.put_text("rows", state.rows);
            record.put_text("converged", state.converged);
            record.put_count("steps", state.steps);
            record.put_number("total_weight", state.total_weight);
            record.put_vector("feature_sum", state.feature_sum.view());
            record.put_vector("target_sum", state.target_sum.view());
            record.put_vector("target_squares", state.target_squares.view());
            record.put_vector("total_squares", state.total_squares.view());
            record.put_vector("size", state.size.view());
            record.put_vector("first_size", state.first_size.view());
            record.put_matrix("right", state.right.view());
            record.put_matrix("solution", state.solution.view());
            record.put_matrix("residual", state.residual.view());
            record.put_matrix("direction", state.direction.view());
        }
        record
    }

    /// The iteration again, on the sample with which it began.
    pub(crate) fn from_record(
        mut record: Record,
        sample: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<Self> {
        if record.text("kind")? != PASSES || record.text("version")? != VERSION.to_string() {
            return Err(Error::parameter("kind", record.text("kind")?, "ridge_passes of this version"));
        }
        let settings = record.take_settings()?;
        let features = DrawnFeatures::take_from(&mut record)?;
        let (outputs, lambda) = (record.count("outputs")?, record.number("lambda")?);
        check_lambda(lambda)?;
        let shape = (features.components(), outputs);
        let intercept = record.flag("intercept")?;
        let mut passes = Self::new(features, (lambda, intercept, outputs), sample, weights, compute)?;
        passes.settings = settings;
        if record.has("solution") {
            passes.state = Some(PassState::take_from(&mut record, shape)?);
        }
        Ok(passes)
    }
}

impl PassState {
    fn take_from(record: &mut Record, (p, outputs): (usize, usize)) -> Result<Self> {
        let rows = record.text("rows")?;
        Ok(Self {
            rows: rows.parse().map_err(|_| Error::parameter("rows", rows, "a whole number"))?,
            converged: record.flag("converged")?,
            steps: record.count("steps")?,
            total_weight: record.finite_number("total_weight")?,
            feature_sum: record.take_finite_vector("feature_sum", p)?,
            target_sum: record.take_finite_vector("target_sum", outputs)?,
            target_squares: record.take_finite_vector("target_squares", outputs)?,
            total_squares: record.take_finite_vector("total_squares", outputs)?,
            size: record.take_finite_vector("size", outputs)?,
            first_size: record.take_finite_vector("first_size", outputs)?,
            right: record.take_finite_matrix("right", (p, outputs))?,
            solution: record.take_finite_matrix("solution", (p, outputs))?,
            residual: record.take_finite_matrix("residual", (p, outputs))?,
            direction: record.take_finite_matrix("direction", (p, outputs))?,
        })
    }
}
