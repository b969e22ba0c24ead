//! A sketch as named texts and integers: how its features are drawn, and their exact sums.

use super::EmbeddingSketch;
use crate::error::RecordProblem;
use crate::features::{FeatureMap, FourierForm, RandomFourier, Sampling};
use crate::record::Record;
use crate::{Compute, Error, Result, Seed};

const FORMS: [(FourierForm, &str); 2] = [(FourierForm::Pair, "pair"), (FourierForm::Offset, "offset")];
const SAMPLINGS: [(Sampling, &str); 3] =
    [(Sampling::Iid, "iid"), (Sampling::Orthogonal, "orthogonal"), (Sampling::QuasiMonteCarlo, "quasi_monte_carlo")];

impl EmbeddingSketch {
    /// The complete record of the sketch. The frequencies are drawn again; their sum shows whether
    /// they are the same.
    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        record.put_text("kind", "embedding_sketch");
        record.put_text("kernel", &self.spec.kernel);
        record.put_text("form", word(&FORMS, self.spec.form));
        record.put_text("sampling", word(&SAMPLINGS, self.spec.sampling));
        record.put_text("seed", self.seed.0);
        record.put_count("columns", self.columns());
        record.put_count("points", self.count as usize);
        record.put_number("frequencies_sum", self.features.frequencies().sum());
        record.put_count("components", self.features.components());
        record.integers.insert("sums".into(), self.sums.to_integers());
        record
    }

    /// The sketch that [`EmbeddingSketch::to_record`] wrote.
    pub(crate) fn from_record(mut record: Record, compute: &Compute) -> Result<Self> {
        if record.text("kind")? != "embedding_sketch" {
            return Err(Error::parameter("kind", record.text("kind")?, "embedding_sketch"));
        }
        let seed = record.text("seed")?;
        let seed = Seed(seed.parse().map_err(|_| Error::parameter("seed", seed, "a whole number"))?);
        let sums = record.integers.remove("sums").unwrap_or_default();
        let components = record.count("components")?;
        // Three words for a sum: checked before anything is allocated.
        if components.checked_mul(3).is_none_or(|words| words > sums.len()) {
            return Err(Error::shape("array `sums` of the sketch", 3 * components.min(sums.len()), sums.len()));
        }
        let spec = RandomFourier {
            kernel: record.kernel()?,
            components,
            form: value(&FORMS, "form", record.text("form")?)?,
            sampling: value(&SAMPLINGS, "sampling", record.text("sampling")?)?,
        };
        let mut sketch = Self::new(&spec, record.count("columns")?, &compute.clone().with_seed(seed))?;
        let found = sketch.features.frequencies().sum();
        let stored = record.finite_number("frequencies_sum")?;
        if (found - stored).abs() > 1e-9 * stored.abs().max(1.0) {
            return Err(Error::record("array of frequencies of the sketch", RecordProblem::Foreign));
        }
        sketch.sums = sketch.sums.restored(&sums)?;
        sketch.count = record.count("points")? as u64;
        Ok(sketch)
    }
}

fn word<T: PartialEq>(words: &[(T, &'static str)], value: T) -> &'static str {
    words.iter().find(|(v, _)| *v == value).map_or("", |(_, word)| word)
}

fn value<T: Copy>(words: &[(T, &str)], name: &str, text: &str) -> Result<T> {
    let found = words.iter().find(|(_, word)| *word == text).map(|(value, _)| *value);
    found.ok_or_else(|| Error::parameter(name, text, "a word that this version knows"))
}
