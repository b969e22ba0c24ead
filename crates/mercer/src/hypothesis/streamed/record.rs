//! Streams of tests as bytes.

use super::TestStream;
use super::terms::{Controls, TestTerms};
use crate::error::RecordProblem;
use crate::features::{BlockStream, DrawnFeatures, FeatureMap};
use crate::hypothesis::outcome::check_level;
use crate::record::{Record, container};
use crate::{Error, Result, Seed};

const KIND: &str = "test_stream";
/// The version of the bytes that are written and can be read.
const VERSION: usize = 1;

impl TestStream {
    /// The stream as bytes, the same on every machine: another one can go on from there, or merge
    /// it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        container::write(&mut bytes, &self.to_record()).expect("writing to memory does not fail");
        bytes
    }

    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        let terms = &self.0.terms;
        record.put_text("kind", KIND);
        record.put_text("version", VERSION);
        record.put_text("seed", terms.controls.seed.0);
        record.put_number("level", terms.controls.level);
        record.put_count("draws", terms.controls.draws);
        record.put_count("variables", terms.maps.len());
        if let Some(first) = terms.first {
            record.put_count("first", first as usize);
        }
        record.put_vector("shift", terms.shift.view());
        for (number, map) in terms.maps.iter().enumerate() {
            let mut own = Record::default();
            map.put_into(&mut own);
            record.put_nested(&format!("map_{number}."), own);
        }
        self.0.put_into(&mut record);
        record
    }

    /// The stream again.
    ///
    /// # Errors
    /// [`Error::Record`] for bytes of something else, of another version, cut short or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let failed = |error: Error| Error::record("stream of a test", RecordProblem::Damaged(error.to_string()));
        container::read(bytes).and_then(Self::from_record).map_err(failed)
    }

    pub(crate) fn from_record(mut record: Record) -> Result<Self> {
        if record.text("kind")? != KIND || record.text("version")? != VERSION.to_string() {
            return Err(Error::parameter("kind", record.text("kind")?, "a test_stream of this version"));
        }
        let seed = record.text("seed")?;
        let seed = Seed(seed.parse().map_err(|_| Error::parameter("seed", seed, "a whole number"))?);
        let controls = Controls { draws: record.count("draws")?, level: record.number("level")?, seed };
        check_level(controls.level)?;
        let count = record.count("variables")?;
        if !(1..=2).contains(&count) {
            return Err(Error::parameter("variables", count, "1 or 2"));
        }
        let maps = (0..count)
            .map(|number| DrawnFeatures::take_from(&mut record.take_nested(&format!("map_{number}."))))
            .collect::<Result<Vec<_>>>()?;
        let dimension = maps.iter().map(FeatureMap::components).sum();
        let first = if record.has("first") { Some(record.count("first")? as u64) } else { None };
        let terms = TestTerms { maps, shift: record.take_finite_vector("shift", dimension)?, first, controls };
        Ok(Self(BlockStream::take_from(&mut record, terms)?))
    }
}
