//! Tests of files that are longer than memory, in one pass.

use ndarray::{Array2, ArrayView2, Axis, concatenate, s};

use super::checkpoint::{Checkpoint, Facts};
use super::fit::Resumed;
use super::part::Part;
use super::survey::{SurveyedFile, height};
use crate::hypothesis::{StreamedIndependence, StreamedTwoSample, TestOutcome, TestStream};
use crate::record::Record;
use crate::{Compute, Error, Result};

/// The outcome of a test of a file that was read in chunks.
#[derive(Clone, Debug)]
pub struct StreamedTest {
    /// The outcome.
    pub outcome: TestOutcome,
    /// The row at which the work went on from a checkpoint, if it did.
    pub resumed_at: Option<Resumed>,
}

/// How a stream takes the encoded rows of a chunk.
type Take<'t> = dyn Fn(&mut TestStream, ArrayView2<f64>, &Compute) -> Result<()> + 't;

/// Where the pass over the files stands.
struct Work {
    stream: TestStream,
    file: usize,
    next_row: usize,
}

impl SurveyedFile {
    /// Tests whether two variables of the rows are independent ([`SurveyedFile::of_points`]): the
    /// first `columns` coordinates, and the others. The guarantee on the bytes of
    /// [`SurveyedFile::fit`] holds here too.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless both variables have coordinates; as
    /// [`StreamedIndependence::start`], [`TestStream::finish`] and the reader of the file.
    pub fn test_independence(
        &self,
        spec: &StreamedIndependence,
        columns: usize,
        checkpoint: Option<&Checkpoint>,
        compute: &Compute,
    ) -> Result<StreamedTest> {
        let sample = self.sample_points();
        if columns == 0 || columns >= sample.ncols() {
            return Err(Error::parameter("columns", columns, 1..=sample.ncols().saturating_sub(1)));
        }
        let start = || spec.start(sample.slice(s![.., ..columns]), sample.slice(s![.., columns..]), &compute.silent());
        let take = |stream: &mut TestStream, x: ArrayView2<f64>, compute: &Compute| {
            stream.update(x.slice(s![.., ..columns]), Some(x.slice(s![.., columns..])), compute)
        };
        let own = Facts::from([("test", format!("{spec:?}")), ("columns", columns.to_string())]);
        let facts = self.facts_with(own, "independence", compute);
        in_one_pass(&[self], start, &take, checkpoint.map(|checkpoint| (checkpoint, &facts)), compute)
    }

    /// Tests whether the rows of two files have one distribution ([`SurveyedFile::of_samples`]).
    /// The guarantee on the bytes of [`SurveyedFile::fit`] holds here too.
    ///
    /// # Errors
    /// As [`StreamedTwoSample::start`], [`TestStream::finish`] and the reader of the files.
    pub fn test_two_samples(
        &self,
        other: &Self,
        spec: &StreamedTwoSample,
        checkpoint: Option<&Checkpoint>,
        compute: &Compute,
    ) -> Result<StreamedTest> {
        let samples = [self.sample_points(), other.sample_points()];
        let sample: Array2<f64> = concatenate(Axis(0), &samples)
            .map_err(|_| Error::shape("columns of the second sample", samples[0].ncols(), samples[1].ncols()))?;
        let start = || spec.start(self.rows() as u64, sample.view(), &compute.silent());
        let take = |stream: &mut TestStream, x: ArrayView2<f64>, compute: &Compute| stream.update(x, None, compute);
        let own = Facts::from([
            ("test", format!("{spec:?}")),
            ("second data", other.fingerprint.clone()),
            ("second rows", other.rows().to_string()),
        ]);
        let facts = self.facts_with(own, "two samples", compute);
        in_one_pass(&[self, other], start, &take, checkpoint.map(|checkpoint| (checkpoint, &facts)), compute)
    }
}

/// Goes over the rows of the files, one after the other, from the checkpoint where there is one.
fn in_one_pass(
    files: &[&SurveyedFile],
    start: impl FnOnce() -> Result<TestStream>,
    take: &Take<'_>,
    stored: Option<(&Checkpoint, &Facts)>,
    compute: &Compute,
) -> Result<StreamedTest> {
    let record = stored.map_or(Ok(None), |(checkpoint, facts)| checkpoint.load(facts, compute))?;
    let (mut work, resumed_at) = match (record, stored) {
        (Some(record), Some((checkpoint, _))) => {
            let work = Work::from_record(record).map_err(|e| checkpoint.damaged(e))?;
            let at = Resumed::Row(work.stream.rows() as usize);
            (work, Some(at))
        }
        _ => (Work { stream: start()?, file: 0, next_row: 0 }, None),
    };
    let quiet = compute.silent();
    while let Some(file) = files.get(work.file) {
        let mut saved = None;
        for chunk in file.file.chunks(work.next_row, height(&file.file, compute))? {
            let chunk = chunk?;
            let part = Part::new(&chunk, &file.rules.roles, file.rules.leave_out)?;
            let stream = &mut work.stream;
            let given = file.give(&part, &mut |x, _, _| take(stream, x, &quiet));
            given.map_err(|e| part.in_file(e))?;
            work.next_row = chunk.first_row + chunk.table.rows();
            compute.report("testing", chunk.position, file.file.size());
            let since = chunk.position - *saved.get_or_insert(chunk.position.min(file.file.size()));
            if let Some((checkpoint, facts)) = stored.filter(|(c, _)| since >= c.every) {
                checkpoint.save(work.to_record(), facts)?;
                saved = Some(chunk.position);
            }
        }
        (work.file, work.next_row) = (work.file + 1, 0);
    }
    let expected: usize = files.iter().map(|file| file.rows()).sum();
    if work.stream.rows() != expected as u64 {
        return Err(Error::mismatch(
            "the file changed while it was read",
            format!("{expected} rows at first"),
            format!("{} later", work.stream.rows()),
            "test again",
        ));
    }
    Ok(StreamedTest { outcome: work.stream.finish(compute)?, resumed_at })
}

impl Work {
    fn to_record(&self) -> Record {
        let mut record = self.stream.to_record();
        record.put_count("file", self.file);
        record.put_count("next_row", self.next_row);
        record
    }

    fn from_record(record: Record) -> Result<Self> {
        let (file, next_row) = (record.count("file")?, record.count("next_row")?);
        Ok(Self { stream: TestStream::from_record(record)?, file, next_row })
    }
}
