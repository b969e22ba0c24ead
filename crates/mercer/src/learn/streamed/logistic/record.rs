//! Passes and fits as named texts and arrays.

use super::stream::{Controls, Functions, Past, pairs};
use super::{LogisticStream, StreamedLogisticFit};
use crate::error::RecordProblem;
use crate::features::{DrawnFeatures, ExactRidge, FeatureMap, RowBlocks};
use crate::learn::ridge::check_lambda;
use crate::learn::streamed::stream::block_rows;
use crate::record::{Record, container};
use crate::settings::Settings;
use crate::solve::exact_sums::ExactSums;
use crate::{Error, Result};

const KIND: &str = "logistic_stream";
/// The version of the bytes that are written and can be read.
const VERSION: usize = 1;

impl Functions {
    fn put_into(&self, record: &mut Record, prefix: &str) {
        record.put_matrix(&format!("{prefix}weights"), self.weights.view());
        record.put_vector(&format!("{prefix}constants"), self.constants.view());
    }

    fn take_from(record: &mut Record, prefix: &str, shape: (usize, usize)) -> Result<Self> {
        Ok(Self {
            weights: record.take_finite_matrix(&format!("{prefix}weights"), shape)?,
            constants: record.take_finite_vector(&format!("{prefix}constants"), shape.1)?,
        })
    }
}

/// One function for two classes, one per class for more.
fn functions_of(classes: usize) -> Result<usize> {
    match classes {
        0 | 1 => Err(Error::parameter("classes", classes, 2..)),
        2 => Ok(1),
        more => Ok(more),
    }
}

impl StreamedLogisticFit {
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        self.features.put_into(&mut record);
        self.functions.put_into(&mut record, "");
        record.put_count("class_count", self.classes);
        record.put_number("lambda", self.lambda);
        record.put_number("objective", self.objective);
        record.put_number("decrease", self.decrease);
        record.put_text("converged", self.converged);
        record.put_count("passes", self.passes);
        record.put_count("rows", self.rows as usize);
        record
    }

    pub(crate) fn from_record(record: &mut Record) -> Result<Self> {
        let features = DrawnFeatures::take_from(record)?;
        let classes = record.count("class_count")?;
        let shape = (features.components(), functions_of(classes)?);
        let lambda = record.number("lambda")?;
        check_lambda(lambda)?;
        Ok(Self {
            functions: Functions::take_from(record, "", shape)?,
            features,
            classes,
            lambda,
            objective: record.finite_number("objective")?,
            decrease: record.finite_number("decrease")?,
            converged: record.flag("converged")?,
            passes: record.count("passes")?,
            rows: record.count("rows")? as u64,
            settings: Settings::new(),
        })
    }
}

impl LogisticStream {
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
            |error: Error| Error::record("stream of a logistic regression", RecordProblem::Damaged(error.to_string()));
        container::read(bytes).and_then(Self::from_record).map_err(failed)
    }

    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        record.put_text("kind", KIND);
        record.put_text("version", VERSION);
        record.put_text("intercept", self.spec.intercept);
        record.put_number("lambda", self.spec.lambda);
        record.put_number("tolerance", self.spec.tolerance);
        record.put_count("max_passes", self.spec.max_passes);
        record.put_count("class_count", self.classes);
        record.put_count("passes", self.passes);
        self.features.put_into(&mut record);
        record.put_settings(&self.settings);
        self.functions.put_into(&mut record, "");
        if let Some(past) = &self.past {
            past.functions.put_into(&mut record, "past_");
            record.put_number("past_objective", past.objective);
            record.put_number("first_objective", past.first);
        }
        for (c, sums) in self.sums.iter().enumerate() {
            record.integers.insert(sums_name(c), sums.to_integers());
        }
        for (c, sums) in self.cross.iter().enumerate() {
            record.integers.insert(format!("cross_{c}"), sums.to_integers());
        }
        record.integers.insert("loss".into(), self.loss.to_integers());
        self.rows.put_into(&mut record);
        record
    }

    pub(crate) fn from_record(mut record: Record) -> Result<Self> {
        if record.text("kind")? != KIND || record.text("version")? != VERSION.to_string() {
            return Err(Error::parameter("kind", record.text("kind")?, "a logistic_stream of this version"));
        }
        let settings = record.take_settings()?;
        let features = DrawnFeatures::take_from(&mut record)?;
        let classes = record.count("class_count")?;
        let shape = (features.components(), functions_of(classes)?);
        let spec = Controls {
            lambda: record.number("lambda")?,
            intercept: record.flag("intercept")?,
            tolerance: record.finite_number("tolerance")?,
            max_passes: record.count("max_passes")?,
        };
        check_lambda(spec.lambda)?;
        let past = match record.has("past_objective") {
            true => Some(Past {
                functions: Functions::take_from(&mut record, "past_", shape)?,
                objective: record.finite_number("past_objective")?,
                first: record.finite_number("first_objective")?,
            }),
            false => None,
        };
        let mut integers = |name: &str| record.integers.remove(name).unwrap_or_default();
        let sums = (0..shape.1).map(|c| ExactRidge::from_integers((shape.0, 1), &integers(&sums_name(c))));
        let sums = sums.collect::<Result<_>>()?;
        let cross = (0..pairs(shape.1).count())
            .map(|c| ExactRidge::from_integers((shape.0, 1), &integers(&format!("cross_{c}"))))
            .collect::<Result<_>>()?;
        let loss = ExactSums::new([1]).restored(&integers("loss"))?;
        let block = block_rows(features.columns(), 1);
        let rows = RowBlocks::take_from(&mut record, (features.columns() + 2, block))?;
        let functions = Functions::take_from(&mut record, "", shape)?;
        let passes = record.count("passes")?;
        Ok(Self { features, spec, classes, functions, past, passes, sums, cross, loss, rows, settings })
    }
}

fn sums_name(function: usize) -> String {
    format!("sums_{function}")
}
