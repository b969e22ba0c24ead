//! The permutation engine.

use ndarray::{Array2, Axis, s};

use crate::error::{AllowedRange, Remedy};
use crate::{Compute, Error, Result, Stream};

/// Relabelings evaluated at once, unless they are longer than `BATCH_BYTES` together.
/// Batches of 128 take 2.2 times as long (500 + 500 points, 2000 permutations).
const BATCH: usize = 1024;
const BATCH_BYTES: usize = 1 << 27;
/// Relabelings evaluated at once by the sequential mode, which may stop after any of them. 64 is
/// 51 % and 256 23 % slower where a test of 500 + 500 points stops early; where it stops later 64
/// is 21 % slower and 256 27 % faster.
const SEQUENTIAL_BATCH: usize = 128;
/// The most relabelings that are enumerated. A safety limit: any round number would do.
const MAX_ENUMERATED: f64 = 1e6;

/// The relabelings of a statistic.
pub trait Group: Sync {
    /// A relabeling: labels, signs or an order.
    type Label: Clone + PartialEq + Send + Sync;

    /// The relabeling that leaves everything as it was observed.
    fn identity(&self) -> Self::Label;

    /// A uniformly random relabeling.
    fn draw(&self, random: &mut Stream) -> Self::Label;

    /// How many relabelings there are, `∞` for more than can be counted.
    fn count(&self) -> f64;

    /// All of them, in any order. Only called for a [`Group::count`] of at most a million.
    fn all(&self) -> Vec<Self::Label>;

    /// The bytes of one relabeling: of long ones fewer are evaluated at once.
    fn bytes(&self) -> usize;
}

/// What the permutation engine needs of a statistic.
///
/// # Theory
/// Under the hypothesis the distribution of the data does not change when a relabeling of the group
/// is applied. The observed statistic is then exchangeable with the relabeled ones, and its rank
/// among them is (sub-)uniform: whatever the data, `P(p ≤ α) ≤ α` [Lehmann, Romano 2005, ch. 15].
pub trait Relabeled: Sync {
    /// The relabelings.
    type Group: Group;

    /// The relabelings that leave the distribution of the data unchanged when the hypothesis is
    /// true.
    fn group(&self) -> &Self::Group;

    /// The bytes that one more relabeling takes while it is evaluated: where memory is short,
    /// fewer are evaluated at once. The values do not depend on how many.
    fn bytes_each(&self) -> usize {
        self.group().bytes()
    }

    /// The statistics under some relabelings.
    ///
    /// # Errors
    /// As the statistic demands.
    fn evaluate(&self, labels: &[<Self::Group as Group>::Label], compute: &Compute) -> Result<Relabeling>;
}

/// Statistics under some relabelings.
#[derive(Clone, Debug, PartialEq)]
pub struct Relabeling {
    /// A row per relabeling, a column per statistic.
    pub values: Array2<f64>,
    /// For each statistic, differences up to this size are rounding: such values count as equal.
    pub rounding: Vec<f64>,
}

/// Whether all relabelings are enumerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Enumeration {
    /// When there are not more of them than would be drawn.
    #[default]
    WhenFew,
    /// Always; more than a million are refused.
    Always,
    /// Never.
    Never,
}

/// How relabelings are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resampling {
    /// How many are drawn, beside the observed one.
    pub permutations: usize,
    /// Whether all of them are enumerated instead.
    pub enumeration: Enumeration,
    /// Stop as soon as rejection at this level has become impossible (Besag, Clifford 1991).
    pub stop_at: Option<f64>,
}

impl Resampling {
    /// Draws this many, or enumerates when there are fewer.
    pub fn new(permutations: usize) -> Self {
        Self { permutations, enumeration: Enumeration::WhenFew, stop_at: None }
    }
}

/// Statistics under relabelings, the observed ones first.
#[derive(Clone, Debug, PartialEq)]
pub struct Resampled {
    /// A row per relabeling, the first of them the observed one; a column per statistic.
    pub values: Array2<f64>,
    /// For each statistic, the size of rounding.
    pub rounding: Vec<f64>,
    /// Whether these are all relabelings.
    pub exact: bool,
    /// Whether drawing stopped before the number requested.
    pub stopped: bool,
}

impl Resampled {
    /// The relabelings beside the observed one.
    pub fn relabelings(&self) -> usize {
        self.values.nrows() - 1
    }

    /// The observed value of a statistic.
    pub fn observed(&self, statistic: usize) -> f64 {
        self.values[[0, statistic]]
    }

    /// The values of a statistic under the other relabelings.
    pub fn null(&self, statistic: usize) -> Vec<f64> {
        self.values.slice(s![1.., statistic]).to_vec()
    }

    /// The same with the relabeled values, not the observed ones, multiplied by a factor.
    pub(super) fn with_null_times(mut self, factor: f64) -> Self {
        self.values.slice_mut(s![1.., ..]).mapv_inplace(|v| factor * v);
        self
    }

    /// How many relabeled values are at least the observed one; ties count.
    pub fn at_least(&self, statistic: usize) -> usize {
        let bar = self.observed(statistic) - self.rounding[statistic];
        self.values.slice(s![1.., statistic]).iter().filter(|v| **v >= bar).count()
    }

    /// `(1 + #{≥})/(1 + B)`; after an early stop `#{≥}/B` (Besag, Clifford). Never 0.
    pub fn p_value(&self, statistic: usize) -> f64 {
        let (above, drawn) = (self.at_least(statistic) as f64, self.relabelings() as f64);
        if self.stopped { above / drawn } else { (1.0 + above) / (1.0 + drawn) }
    }

    /// The smallest value `v` with `#{T ≤ v} ≥ (1 − level)(1 + B)`, the observed one counted:
    /// values above it are rejected.
    pub fn threshold(&self, statistic: usize, level: f64) -> f64 {
        let mut sorted = self.values.column(statistic).to_vec();
        sorted.sort_by(f64::total_cmp);
        let rank = ((1.0 - level) * sorted.len() as f64 - 1e-9).ceil() as usize;
        sorted[rank.clamp(1, sorted.len()) - 1]
    }
}

/// Evaluates a statistic under relabelings.
///
/// # Cost
/// One evaluation of all relabelings in batches; draws by stream, so that the same seed gives the
/// same bytes for any number of threads.
///
/// # Errors
/// [`Error::Parameter`] for no permutations or a level outside of (0, 1), [`Error::Unsupported`]
/// when enumeration is requested and there are too many relabelings; as the statistic demands.
pub fn resample<S: Relabeled>(statistic: &S, how: &Resampling, compute: &Compute) -> Result<Resampled> {
    if how.permutations == 0 {
        return Err(Error::parameter("permutations", 0, 1..));
    }
    let count = statistic.group().count();
    let few = count <= how.permutations as f64 + 1.0;
    match how.enumeration {
        Enumeration::Always if count > MAX_ENUMERATED => Err(Error::unsupported(
            "exact test",
            format!("{count:.3e} relabelings"),
            format!("at most {MAX_ENUMERATED:e} can be enumerated"),
            "draw permutations",
        )),
        Enumeration::Always => enumerate(statistic, compute),
        Enumeration::WhenFew if few && count <= MAX_ENUMERATED => enumerate(statistic, compute),
        _ => draw(statistic, how, compute),
    }
}

fn enumerate<S: Relabeled>(statistic: &S, compute: &Compute) -> Result<Resampled> {
    let identity = statistic.group().identity();
    let others = statistic.group().all().into_iter().filter(|label| *label != identity);
    let labels: Vec<_> = std::iter::once(identity.clone()).chain(others).collect();
    let mut collected = Collected::default();
    for batch in labels.chunks(batch(statistic, compute)) {
        collected.add(statistic.evaluate(batch, compute)?)?;
    }
    Ok(Resampled { exact: true, ..collected.finish(false)? })
}

fn draw<S: Relabeled>(statistic: &S, how: &Resampling, compute: &Compute) -> Result<Resampled> {
    let total = how.permutations + 1;
    let stop = how.stop_at.map(|level| exceedances_to_stop(level, total)).transpose()?;
    let batch = batch(statistic, compute).min(if stop.is_some() { SEQUENTIAL_BATCH } else { BATCH });
    let label = |b: usize| match b {
        0 => statistic.group().identity(),
        b => statistic.group().draw(&mut compute.seed().stream("relabeling", b as u64)),
    };
    let mut collected = Collected::default();
    for start in (0..total).step_by(batch) {
        let range = start..total.min(start + batch);
        let labels = compute.map_tasks(range.len(), |at| label(start + at));
        collected.add(statistic.evaluate(&labels, compute)?)?;
        if let Some(rows) = stop.and_then(|h| collected.rows_until(h)) {
            collected.truncate(rows);
            return collected.finish(true);
        }
    }
    collected.finish(false)
}

/// How many relabelings are evaluated at once: together they take no more than a quarter of the
/// memory limit.
fn batch<S: Relabeled>(statistic: &S, compute: &Compute) -> usize {
    let usual = (BATCH_BYTES / statistic.group().bytes().max(1)).clamp(8, BATCH);
    let affordable = compute.memory() / 4 / statistic.bytes_each().max(1) as u64;
    usual.min(usize::try_from(affordable).unwrap_or(BATCH)).max(1)
}

/// The number of exceedances after which `p ≤ level` is impossible.
fn exceedances_to_stop(level: f64, total: usize) -> Result<usize> {
    if !(level > 0.0 && level < 1.0) {
        return Err(Error::parameter("level", level, AllowedRange::OPEN_UNIT));
    }
    Ok(((level * total as f64) as usize).max(1))
}

/// Batches of values, put together.
#[derive(Default)]
struct Collected {
    parts: Vec<Array2<f64>>,
    rounding: Vec<f64>,
}

impl Collected {
    fn add(&mut self, part: Relabeling) -> Result<()> {
        if let Some(at) = part.values.iter().position(|v| !v.is_finite()) {
            return Err(Error::undefined(format!("the statistic of relabeling {at}"), Remedy::Rescale));
        }
        match self.rounding.is_empty() {
            true => self.rounding = part.rounding,
            false => self.rounding.iter_mut().zip(part.rounding).for_each(|(r, p)| *r = r.max(p)),
        }
        self.parts.push(part.values);
        Ok(())
    }

    /// The rows up to the `h`-th relabeling whose first statistic is at least the observed one.
    fn rows_until(&self, h: usize) -> Option<usize> {
        let bar = self.parts.first()?[[0, 0]] - self.rounding[0];
        let values = self.parts.iter().flat_map(|part| part.column(0).to_vec());
        let reached = values.enumerate().skip(1).filter(|(_, v)| *v >= bar).nth(h - 1);
        reached.map(|(row, _)| row + 1)
    }

    fn truncate(&mut self, rows: usize) {
        let mut left = rows;
        for part in &mut self.parts {
            let kept = left.min(part.nrows());
            *part = part.slice(s![..kept, ..]).to_owned();
            left -= kept;
        }
    }

    fn finish(self, stopped: bool) -> Result<Resampled> {
        let views: Vec<_> = self.parts.iter().map(|p| p.view()).collect();
        let values =
            ndarray::concatenate(Axis(0), &views).map_err(|e| Error::shape("statistics of a batch", "equal", e))?;
        Ok(Resampled { values, rounding: self.rounding, exact: false, stopped })
    }
}
