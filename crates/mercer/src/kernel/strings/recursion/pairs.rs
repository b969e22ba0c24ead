//! Dynamic programming over pairs of strings, several pairs at once in the lanes of a vector.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use crate::error::MemoryPurpose;
use crate::kernel::strings::features::symbols::Encoded;
use crate::points::Strings;
use crate::{Compute, Error, Result};

/// Columns that a recursion treats at once: their state stays in the first-level cache (8 kB for
/// five levels and 8 lanes).
pub(crate) const BLOCK: usize = 32;

/// The most lanes that a vector of any processor has.
const LANES: usize = 8;

/// Strings per task of a diagonal.
const TASK: usize = 64;

/// A recursion over the cells `(a, b)` of two strings, in every lane for another pair.
///
/// Strings are padded with NaN, which is equal to no symbol; the padding must not change the value,
/// so that it does not depend on the other pairs.
pub(crate) trait Recursion: std::fmt::Debug + Send + Sync {
    /// What it computes, in words.
    fn name(&self) -> &'static str;

    /// Operations per cell.
    fn operations(&self) -> usize;

    /// The numbers that are kept for each symbol of the shorter string, per lane.
    fn kept(&self) -> usize;

    /// The values of all lanes. `scratch` is memory for any use.
    fn run<S: Simd>(&self, simd: S, s: &[S::f64s], t: &[S::f64s], scratch: &mut Vec<f64>) -> S::f64s;
}

/// The pairs of two lists of strings, prepared for any recursion.
#[derive(Debug)]
pub(crate) struct Pairs {
    encoded: Encoded,
    /// The rank of each string by length, then symbols; equal strings have equal ranks.
    ranks: Vec<u32>,
    /// A string of each rank.
    examples: Vec<usize>,
    /// The first string that is a column.
    first_column: usize,
}

/// A value to compute: the ranks of the longer and of the shorter string, and its place in `out`.
type Job = ((u32, u32), usize);

impl Pairs {
    /// Pairs of rows and columns, or of rows and rows.
    pub(crate) fn new(rows: &Strings, cols: Option<&Strings>) -> Result<Self> {
        let encoded = Encoded::new(rows, cols)?;
        let (ranks, examples) = ranks(&encoded);
        Ok(Self { encoded, ranks, examples, first_column: if cols.is_some() { rows.len() } else { 0 } })
    }

    /// The number of rows and of columns.
    pub(crate) fn shape(&self) -> (usize, usize) {
        (self.encoded.rows(), self.encoded.len() - self.first_column)
    }

    /// The rectangle of the given rows and columns, row after row.
    pub(crate) fn fill<R: Recursion>(&self, recursion: &R, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        let cells = rows.iter().flat_map(|&i| cols.clone().map(move |j| (i, self.first_column + j)));
        self.evaluate(recursion, cells, out);
    }

    /// The values of the given pairs of strings, in order. Every pair is computed with the longer
    /// string as the columns of the recursion, so that values are symmetric to the last bit.
    fn evaluate<R: Recursion>(&self, recursion: &R, cells: impl Iterator<Item = (usize, usize)>, out: &mut [f64]) {
        let longer_first = |(i, j): (usize, usize)| {
            let (a, b) = (self.ranks[i], self.ranks[j]);
            (a.max(b), a.min(b))
        };
        let mut jobs: Vec<Job> = cells.map(longer_first).zip(0..out.len()).collect();
        jobs.sort_unstable();
        Arch::new().dispatch(Evaluate { pairs: self, recursion, jobs: &jobs, out });
    }

    /// Checks that the memory of all threads is there.
    pub(crate) fn reserve<R: Recursion>(&self, recursion: &R, compute: &Compute) -> Result<()> {
        let longest = (0..self.encoded.len()).map(|i| self.encoded.string(i).len()).max().unwrap_or(0);
        let numbers = (longest + BLOCK) * recursion.kept() * LANES * compute.threads();
        let what = format!("{} of strings of {longest} symbols", recursion.name());
        compute.reserve(MemoryPurpose::KernelMatrix, &what, 8 * numbers as u64, "use shorter strings or fewer threads")
    }

    /// The mean of `|s| · |t|` over all pairs.
    pub(crate) fn mean_cells(&self) -> usize {
        let mean = |strings: Range<usize>| {
            let symbols: usize = strings.clone().map(|i| self.encoded.string(i).len()).sum();
            symbols / strings.len().max(1) + 1
        };
        mean(0..self.encoded.rows()) * mean(self.first_column..self.encoded.len())
    }

    /// The value of each string with itself, for the rows or the columns.
    ///
    /// # Errors
    /// [`Error::Overflow`] if a value is not finite. By the Cauchy–Schwarz inequality no value
    /// overflows if those of the diagonal do not.
    pub(crate) fn diagonal<R: Recursion>(
        &self,
        recursion: &R,
        columns: bool,
        remedy: &str,
        compute: &Compute,
    ) -> Result<Vec<f64>> {
        let (rows, cols) = self.shape();
        let (first, count) = if columns { (self.first_column, cols) } else { (0, rows) };
        let mut values = vec![0.0; count];
        compute.try_each_chunk(&mut values, TASK, |task, values| {
            compute.check_canceled()?;
            let start = first + task * TASK;
            self.evaluate(recursion, (start..start + values.len()).map(|i| (i, i)), values);
            Ok(())
        })?;
        match values.iter().position(|value| !value.is_finite()) {
            Some(index) => {
                let (name, length) = (recursion.name(), self.encoded.string(first + index).len());
                let sample = if first > 0 { " of the second sample" } else { "" };
                let what = format!("{name} of string {index}{sample} ({length} symbols) with itself");
                Err(Error::overflow(what, remedy))
            }
            None => Ok(values),
        }
    }

    fn string(&self, rank: u32) -> &[u32] {
        self.encoded.string(self.examples[rank as usize])
    }
}

/// The rank of each string by length, then symbols, and a string of each rank.
fn ranks(encoded: &Encoded) -> (Vec<u32>, Vec<usize>) {
    let content = |&i: &usize| (encoded.string(i).len(), encoded.string(i));
    let mut order: Vec<usize> = (0..encoded.len()).collect();
    order.sort_by(|a, b| content(a).cmp(&content(b)));
    let (mut ranks, mut examples) = (vec![0; encoded.len()], Vec::new());
    for equal in order.chunk_by(|a, b| content(a) == content(b)) {
        equal.iter().for_each(|&i| ranks[i] = examples.len() as u32);
        examples.push(equal[0]);
    }
    (ranks, examples)
}

struct Evaluate<'a, R> {
    pairs: &'a Pairs,
    recursion: &'a R,
    /// Sorted, so that strings of similar lengths share a vector.
    jobs: &'a [Job],
    out: &'a mut [f64],
}

impl<R: Recursion> WithSimd for Evaluate<'_, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let distinct: Vec<&[Job]> = self.jobs.chunk_by(|a, b| a.0 == b.0).collect();
        let mut buffers = [Vec::new(), Vec::new(), Vec::new()];
        for lanes in distinct.chunks(S::F64_LANES) {
            let [s, t, scratch] = &mut buffers;
            let s = interleave(lanes.iter().map(|jobs| self.pairs.string(jobs[0].0.1)), S::F64_LANES, s);
            let t = interleave(lanes.iter().map(|jobs| self.pairs.string(jobs[0].0.0)), S::F64_LANES, t);
            let (s, t) = (S::as_simd_f64s(s).0, S::as_simd_f64s(t).0);
            let values = [self.recursion.run(simd, s, t, scratch)];
            for (jobs, value) in lanes.iter().zip(lane_values::<S>(&values)) {
                jobs.iter().for_each(|job| self.out[job.1] = *value);
            }
        }
    }
}

/// The lanes of a vector.
fn lane_values<S: Simd>(vector: &[S::f64s]) -> &[f64] {
    pulp::bytemuck::cast_slice(vector)
}

/// Symbol `i` of each string beside the others, padded with NaN to the longest string.
fn interleave<'b, 's>(
    strings: impl Iterator<Item = &'s [u32]> + Clone,
    lanes: usize,
    buffer: &'b mut Vec<f64>,
) -> &'b [f64] {
    let longest = strings.clone().map(<[u32]>::len).max().unwrap_or(0);
    let symbols = aligned(buffer, longest * lanes, f64::NAN);
    for (lane, string) in strings.enumerate() {
        for (vector, &code) in symbols.chunks_exact_mut(lanes).zip(string) {
            vector[lane] = f64::from(code);
        }
    }
    symbols
}

/// `count` equal numbers that begin at a cache line: vectors that cross lines take twice the time.
pub(crate) fn aligned(buffer: &mut Vec<f64>, count: usize, value: f64) -> &mut [f64] {
    buffer.clear();
    buffer.resize(count + 8, value);
    let skip = buffer.as_ptr().align_offset(64).min(8);
    &mut buffer[skip..skip + count]
}
