//! A view while the rows come.

use ndarray::{ArrayView1, ArrayView2};

use super::features::check_points;
use super::kmeans::{self, KMeansTerms, Step, StreamedKMeans};
use super::pca::{self, PcaTerms, StreamedPca};
use crate::error::RecordProblem;
use crate::features::{BlockStream, DrawnFeatures, FeatureMap};
use crate::learn::streamed::check_chunk_weights;
use crate::learner::Fitted;
use crate::record::{Record, container};
use crate::settings::Settings;
use crate::{Compute, Error, Result};

const KIND: &str = "view_stream";
/// The version of the bytes that are written and can be read.
const VERSION: usize = 1;

/// A view in one of its passes over the rows: a value that chunks and other streams of the same
/// pass are added to.
///
/// Rows have their numbers in the whole data, whoever reads them. Blocks of rows with fixed numbers
/// give sums that are added exactly, so that the bytes of the fit depend neither on the number of
/// threads, nor on how the rows are cut into chunks or spread over machines.
///
/// # Example
/// ```
/// use mercer::{Compute, features::{FeatureSpec, Nystrom}};
/// use mercer::view::streamed::{StreamedPca, ViewStep};
/// use ndarray::Array2;
/// let compute = Compute::new();
/// let x = Array2::from_shape_fn((900, 2), |(i, j)| ((2 * i + j) as f64).sin());
/// let spec = StreamedPca::new(FeatureSpec::Nystrom(Nystrom::new("gaussian()".parse()?, 20)), Some(2));
/// // Two machines, which share the rows.
/// let mut first = spec.start(x.view(), &compute)?;
/// let mut second = first.without_rows(400);
/// first.update(x.slice(ndarray::s![..400, ..]), None, &compute)?;
/// second.update(x.slice(ndarray::s![400.., ..]), None, &compute)?;
/// second.merge(&first, &compute)?;
/// let ViewStep::Done(fit) = second.next(&compute)? else { panic!("components need one pass") };
/// assert_eq!(fit.kind(), "streamed_pca");
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ViewStream(Pass);

#[derive(Clone, Debug, PartialEq)]
enum Pass {
    Pca(BlockStream<PcaTerms>),
    KMeans(BlockStream<KMeansTerms>),
}

/// What follows a pass.
#[derive(Debug)]
pub enum ViewStep {
    /// Another pass over the same rows.
    Again(Box<ViewStream>),
    /// The fit.
    Done(Box<dyn Fitted>),
}

/// In every kind of pass the same.
macro_rules! each {
    ($pass:expr, $stream:ident => $work:expr) => {
        match $pass {
            Pass::Pca($stream) => $work,
            Pass::KMeans($stream) => $work,
        }
    };
}

impl ViewStream {
    pub(super) fn of_pca(terms: PcaTerms) -> Self {
        Self(Pass::Pca(BlockStream::new(terms, 0)))
    }

    pub(super) fn of_kmeans(terms: KMeansTerms) -> Self {
        Self(Pass::KMeans(BlockStream::new(terms, 0)))
    }

    /// Begins the fit of a learner of the catalogue, `streamed_pca` or `streamed_kmeans`, with the
    /// features drawn in a sample of the rows.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another learner, and as its settings; as `start` of the typed
    /// specification.
    pub fn start(
        learner: &str,
        settings: &Settings,
        sample: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<Self> {
        match learner {
            "streamed_pca" => StreamedPca::of_settings(&pca::entry::ENTRY.complete(settings)?)?.start(sample, compute),
            "streamed_kmeans" => {
                let complete = kmeans::entry::ENTRY.complete(settings)?;
                StreamedKMeans::of_settings(&complete)?.start(sample, weights, compute)
            }
            other => Err(Error::parameter("learner", other, "streamed_pca or streamed_kmeans")),
        }
    }

    /// Takes in a chunk: points and, where the view takes them, weights, one row each. Its first
    /// row follows the last one before.
    ///
    /// # Errors
    /// [`Error::Shape`] for wrong sizes, [`Error::Value`] for NaN, infinities and negative weights,
    /// with the row of the chunk, [`Error::Unsupported`] for weights of principal components,
    /// [`Error::Mismatch`] for rows that came before; the stream is then as it was.
    /// [`Error::Canceled`], [`Error::Memory`] and [`Error::Overflow`] leave a stream that must not be
    /// used any more.
    pub fn update(&mut self, x: ArrayView2<f64>, weights: Option<ArrayView1<f64>>, compute: &Compute) -> Result<()> {
        check_points(self.features(), x)?;
        if let Some(weights) = weights {
            check_chunk_weights(weights, x.nrows())?;
        }
        match &mut self.0 {
            Pass::Pca(_) if weights.is_some() => Err(Error::unsupported(
                "weights",
                "kernel principal components",
                "all rows count the same",
                "give none",
            )),
            Pass::Pca(stream) => stream.push(x.nrows(), &|i, row| row.extend(x.row(i)), compute),
            Pass::KMeans(stream) => {
                let write = |i: usize, row: &mut Vec<f64>| {
                    row.extend(x.row(i));
                    row.push(weights.map_or(1.0, |weights| weights[i]));
                };
                stream.push(x.nrows(), &write, compute)
            }
        }
    }

    /// A stream of the same pass that has seen no rows yet, and whose first row will be row
    /// `first_row` of the whole data: what another machine begins with.
    pub fn without_rows(&self, first_row: u64) -> Self {
        Self(match &self.0 {
            Pass::Pca(stream) => Pass::Pca(stream.without_rows(first_row)),
            Pass::KMeans(stream) => Pass::KMeans(stream.without_rows(first_row)),
        })
    }

    /// Takes in all that another stream of the same pass has seen.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for a stream of another pass or fit, and for rows that are in both; the
    /// stream is then as it was.
    pub fn merge(&mut self, other: &Self, compute: &Compute) -> Result<()> {
        match (&mut self.0, &other.0) {
            (Pass::Pca(own), Pass::Pca(other)) => own.merge(other, compute),
            (Pass::KMeans(own), Pass::KMeans(other)) => own.merge(other, compute),
            _ => Err(Error::mismatch(
                "the streams are of two kinds of views",
                self.learner(),
                other.learner(),
                "start both from one specification",
            )),
        }
    }

    /// Ends the pass, in which no row may be missing.
    ///
    /// # Errors
    /// [`Error::Mismatch`] unless the rows are numbered from 0 without a gap, [`Error::TooFew`]
    /// before the first one; [`Error::Memory`], [`Error::Canceled`].
    pub fn next(self, compute: &Compute) -> Result<ViewStep> {
        let rows = self.rows();
        Ok(match self.0 {
            Pass::Pca(stream) => {
                let (terms, sums) = stream.settled(compute)?;
                ViewStep::Done(Box::new(terms.finish(&sums, compute)?))
            }
            Pass::KMeans(stream) => {
                let (terms, sums) = stream.settled(compute)?;
                match terms.finish(&sums, rows)? {
                    Step::Again(terms) => ViewStep::Again(Box::new(Self::of_kmeans(terms))),
                    Step::Done(fit) => ViewStep::Done(Box::new(fit)),
                }
            }
        })
    }

    /// The name of the learner in the catalogue.
    pub fn learner(&self) -> &'static str {
        match self.0 {
            Pass::Pca(_) => pca::entry::ENTRY.name,
            Pass::KMeans(_) => kmeans::entry::ENTRY.name,
        }
    }

    /// The rows that came in this pass.
    pub fn rows(&self) -> u64 {
        each!(&self.0, stream => stream.rows())
    }

    /// The numbers of the rows that came: first, and one after the last, of every gapless range.
    pub fn row_ranges(&self) -> &[(u64, u64)] {
        each!(&self.0, stream => stream.ranges())
    }

    /// Passes that were made before this one.
    pub fn passes(&self) -> usize {
        match &self.0 {
            Pass::Pca(_) => 0,
            Pass::KMeans(stream) => stream.terms.passes,
        }
    }

    /// The features.
    pub fn features(&self) -> &DrawnFeatures {
        each!(&self.0, stream => &stream.terms.features)
    }

    /// The columns of the points.
    pub fn columns(&self) -> usize {
        self.features().columns()
    }

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
    /// [`Error::Record`] for bytes of something else, of another version, cut short or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let failed = |error: Error| Error::record("stream of a view", RecordProblem::Damaged(error.to_string()));
        container::read(bytes).and_then(Self::from_record).map_err(failed)
    }

    pub(crate) fn to_record(&self) -> Record {
        let mut record = Record::default();
        record.put_text("kind", KIND);
        record.put_text("version", VERSION);
        record.put_text("learner", self.learner());
        each!(&self.0, stream => {
            stream.terms.put_into(&mut record);
            stream.put_into(&mut record);
        });
        record
    }

    pub(crate) fn from_record(mut record: Record) -> Result<Self> {
        if record.text("kind")? != KIND || record.text("version")? != VERSION.to_string() {
            return Err(Error::parameter("kind", record.text("kind")?, "a view_stream of this version"));
        }
        Ok(Self(match record.text("learner")? {
            "streamed_pca" => {
                let terms = PcaTerms::take_from(&mut record)?;
                Pass::Pca(BlockStream::take_from(&mut record, terms)?)
            }
            "streamed_kmeans" => {
                let terms = KMeansTerms::take_from(&mut record)?;
                Pass::KMeans(BlockStream::take_from(&mut record, terms)?)
            }
            other => return Err(Error::parameter("learner", other, "streamed_pca or streamed_kmeans")),
        }))
    }
}
