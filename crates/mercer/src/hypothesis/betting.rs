//! Sequential two-sample test by betting, valid after every batch.

mod bets;

use ndarray::{Array1, Axis};

use self::bets::{Bets, Scale};
use super::outcome::check_level;
use super::two_sample::{of_objects, quantiles};
use crate::gram::{self, MetricKind, Pairs};
use crate::{Compute, Kernel, Points, Result, Sample};

/// Pairs that are only learned from before the first bet, and the fewest in a round.
const FIRST: usize = 8;
/// Recent points on which the range of the witness is looked up.
const RECENT: usize = 128;
/// Lengthscales, in multiples of the median distance, when no kernel is given.
const MULTIPLES: [f64; 3] = [0.25, 0.5, 1.0];

/// A sequential test of `P = Q` whose level holds however long one goes on, and whenever one stops.
///
/// # Formula
/// Before a round the witness `g` of the points seen so far is known. Each new pair is a bet on it:
/// with `h` the witness centered, scaled by its range on the past and cut at ±½, the wealth is
/// multiplied by `1 + λ(h(x) − h(y))`. It starts at 1, and is the mean over bets `λ` and over
/// kernels. Points of the larger batch enter as means of groups.
///
/// # Theory
/// When both samples have the same distribution, `h(x) − h(y)` has mean 0 given the past: the
/// wealth is a non-negative martingale (an e-process), and reaches `1/α` at any time with
/// probability at most `α` [Ville 1939; Shekhar, Ramdas 2023]. No correction is needed for looking
/// after each batch, and both distributions may change with time as long as they are equal. When
/// they differ for good, the wealth grows exponentially. The points must be new: a reference sample
/// may be dealt out in batches, not used again.
///
/// # Example
/// ```
/// use mercer::{Compute, Seed, hypothesis::SequentialTwoSample};
/// use ndarray::Array2;
/// let mut random = Seed(1).stream("example", 0);
/// let mut test = SequentialTwoSample::default().start()?;
/// while !test.evidence().reject && test.evidence().pairs < 2000 {
///     let x = Array2::from_shape_fn((20, 1), |_| random.normal());
///     let y = Array2::from_shape_fn((20, 1), |_| random.normal() + 1.0);
///     test.update(&x, &y, &Compute::new())?;
/// }
/// assert!(test.evidence().reject && test.evidence().pairs < 400);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SequentialTwoSample {
    /// The kernel; the terms of a sum bet separately. `None` for three Gaussian kernels with
    /// lengthscales up to the median distance of the first points.
    pub kernel: Option<Kernel>,
    /// The significance level.
    pub level: f64,
}

impl Default for SequentialTwoSample {
    /// Three Gaussian kernels, level 0.05.
    fn default() -> Self {
        Self { kernel: None, level: 0.05 }
    }
}

impl SequentialTwoSample {
    /// The test before any data.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a level outside of (0, 1).
    pub fn start(&self) -> Result<BettingTest> {
        check_level(self.level)?;
        Ok(BettingTest {
            test: self.clone(),
            seen: None,
            kernels: Vec::new(),
            bets: Bets::default(),
            evidence: BettingEvidence::none(),
            history: Vec::new(),
        })
    }
}

/// The evidence of the data so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BettingEvidence {
    /// The wealth after the last batch: how many times the stake was multiplied by betting against
    /// `P = Q`.
    pub wealth: f64,
    /// Its logarithm, for wealths beyond the range of numbers.
    pub log_wealth: f64,
    /// `1/max wealth`, at most 1: a p-value at every time.
    pub p_value: f64,
    /// Whether the wealth has reached `1/level`, now or before.
    pub reject: bool,
    /// Pairs that were bet on.
    pub pairs: usize,
    /// Batches that were looked at.
    pub batches: usize,
}

impl BettingEvidence {
    fn none() -> Self {
        Self { wealth: 1.0, log_wealth: 0.0, p_value: 1.0, reject: false, pairs: 0, batches: 0 }
    }
}

/// A sequential test under way.
#[derive(Clone, Debug)]
pub struct BettingTest {
    test: SequentialTwoSample,
    /// The points of each sample so far.
    seen: Option<[Sample; 2]>,
    /// The kernels with medians resolved, once they could be.
    kernels: Vec<Kernel>,
    bets: Bets,
    evidence: BettingEvidence,
    history: Vec<BettingEvidence>,
}

impl BettingTest {
    /// Bets on a new batch of each sample. Batches may differ in size; points of an empty side are
    /// only learned from.
    ///
    /// # Cost
    /// Kernel values of the new points with all earlier ones.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for other columns than before,
    /// [`Error::Value`](crate::Error::Value) for NaN and infinities; as [`Kernel::bind`]. The test
    /// is then as it was.
    pub fn update<'a, 'b>(
        &mut self,
        x: impl Into<Points<'a>>,
        y: impl Into<Points<'b>>,
        compute: &Compute,
    ) -> Result<BettingEvidence> {
        let (x, y) = (x.into(), y.into());
        x.check_finite("first batch")?;
        y.check_finite("second batch")?;
        let mut next = self.clone();
        let groups = x.len().min(y.len());
        let mut start = 0;
        while start < groups {
            let end = groups.min(start + next.round());
            let part = |points: &Points<'_>| {
                let size = points.len();
                let rows: Vec<usize> = (start * size / groups..end * size / groups).collect();
                Sample::select(points.reborrow(), &rows)
            };
            next.play([part(&x), part(&y)], end - start, compute)?;
            start = end;
        }
        if groups == 0 {
            next.learn([Sample::from(x), Sample::from(y)])?;
        }
        next.look();
        *self = next;
        Ok(self.evidence)
    }

    /// The evidence of the data so far.
    pub fn evidence(&self) -> BettingEvidence {
        self.evidence
    }

    /// The evidence after every batch.
    pub fn history(&self) -> &[BettingEvidence] {
        &self.history
    }

    /// The kernels that bet, once enough points were seen to choose them.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// The significance level.
    pub fn level(&self) -> f64 {
        self.test.level
    }

    /// Pairs in the next round: more as more is known, so that the number of rounds grows with the
    /// logarithm of the data.
    fn round(&self) -> usize {
        FIRST.max(self.least_seen() / 4)
    }

    fn least_seen(&self) -> usize {
        self.seen.as_ref().map_or(0, |[x, y]| x.as_points().len().min(y.as_points().len()))
    }

    /// Bets on a round, then learns from it.
    fn play(&mut self, round: [Sample; 2], groups: usize, compute: &Compute) -> Result<()> {
        if self.kernels.is_empty() && self.least_seen() >= FIRST {
            self.kernels = self.choose(compute)?;
            self.bets = Bets::new(self.kernels.len());
        }
        for at in 0..self.kernels.len() {
            let payoffs = self.payoffs(&self.kernels[at], &round, groups, compute)?;
            self.bets.settle(at, &payoffs);
        }
        if !self.kernels.is_empty() {
            self.evidence.pairs += groups;
            self.evidence.log_wealth = self.bets.log_wealth();
            self.look_back();
        }
        self.learn(round)
    }

    /// Wealth counts at the end of every round, the best of all times for the p-value.
    fn look_back(&mut self) {
        let evidence = &mut self.evidence;
        evidence.wealth = evidence.log_wealth.exp();
        evidence.p_value = evidence.p_value.min((-evidence.log_wealth).exp());
        evidence.reject = evidence.p_value <= self.test.level;
    }

    fn look(&mut self) {
        self.evidence.batches += 1;
        self.history.push(self.evidence);
    }

    fn learn(&mut self, [x, y]: [Sample; 2]) -> Result<()> {
        self.seen = Some(match &self.seen {
            None => {
                Sample::pooled(x.as_points(), y.as_points())?;
                [x, y]
            }
            Some([a, b]) => {
                [Sample::pooled(a.as_points(), x.as_points())?, Sample::pooled(b.as_points(), y.as_points())?]
            }
        });
        Ok(())
    }

    /// The kernels that bet, with the medians of the points seen so far; none yet when these are
    /// all equal.
    fn choose(&self, compute: &Compute) -> Result<Vec<Kernel>> {
        let Some([x, y]) = &self.seen else { return Ok(Vec::new()) };
        let pooled = Sample::pooled(x.as_points(), y.as_points())?;
        if !pooled.as_points().kind().is_object() && pooled.as_points().first_equal().iter().all(|first| *first == 0) {
            return Ok(Vec::new());
        }
        let pairs = Pairs::Within(pooled.as_points());
        let requested = match &self.test.kernel {
            Some(Kernel::Sum(terms)) => terms.iter().cloned().collect(),
            Some(kernel) => vec![kernel.clone()],
            None if pairs.rows().kind().is_object() => of_objects(pairs, compute)?,
            None => {
                let [median] = quantiles(pairs, MetricKind::SquaredEuclidean, [0.5], compute)?;
                MULTIPLES.iter().map(|m| Kernel::gaussian(m * median)).collect::<Result<Vec<_>>>()?
            }
        };
        requested.iter().map(|k| k.resolve(pairs.rows(), compute)).collect()
    }

    /// `mean h(x) − mean h(y)` for every group of a round.
    fn payoffs(&self, kernel: &Kernel, round: &[Sample; 2], groups: usize, compute: &Compute) -> Result<Vec<f64>> {
        let Some([x, y]) = &self.seen else { return Ok(Vec::new()) };
        let past = Sample::pooled(x.as_points(), y.as_points())?;
        let (m, n) = (x.as_points().len(), y.as_points().len());
        let weights = Array1::from_shape_fn(m + n, |i| if i < m { 1.0 / m as f64 } else { -1.0 / n as f64 });
        let at = |points: &Sample| {
            let bound = kernel.bind(Pairs::Between(points.as_points(), past.as_points()), compute)?;
            Ok(gram::multiply(&bound, weights.view().insert_axis(Axis(1)), compute)?.into_raw_vec_and_offset().0)
        };
        let recent: Vec<usize> = (m.saturating_sub(RECENT)..m).chain(m + n.saturating_sub(RECENT)..m + n).collect();
        let scale = Scale::of(at(&Sample::select(past.as_points(), &recent))?);
        let [first, second] = [at(&round[0])?, at(&round[1])?];
        let mean = |values: &[f64], group: usize| {
            let range = group * values.len() / groups..(group + 1) * values.len() / groups;
            values[range.clone()].iter().map(|v| scale.apply(*v)).sum::<f64>() / range.len() as f64
        };
        Ok((0..groups).map(|g| mean(&first, g) - mean(&second, g)).collect())
    }
}
