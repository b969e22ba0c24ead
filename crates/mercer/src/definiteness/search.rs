//! The search for points on which a kernel has the wrong sign.

use ndarray::{Array2, ArrayView2};

use super::candidates::{ROUNDS, Scales, round};
use super::gram::Evaluator;
use super::region::DomainBox;
use super::side::{Claim, rounding};
use super::simplify::refutation;
use crate::kernel::Counterexample;
use crate::solve::symmetric_eigen;
use crate::{Compute, Kernel, Result};

/// Number of the worst point sets of a round that are improved locally: more cost time, fewer may
/// miss a counterexample.
/// Of 13 kernels without a proof, 1 to 10 refute the same ten: any of them would do.
const FOLLOWED: usize = 5;
/// Steps of local improvement, and the largest set that is improved: a step costs an eigenvalue of
/// the set. The same ten kernels are refuted without any step, in two thirds of the time.
const STEPS: u64 = 150;
const IMPROVED_SIZE: usize = 12;

/// A kernel and the claim about it that is attacked.
pub(super) struct Attack<'k> {
    pub evaluator: Evaluator<'k>,
    pub side: Claim,
}

/// Points and the weights that make the quadratic form smallest.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub points: Array2<f64>,
    pub weights: Vec<f64>,
    /// The smallest eigenvalue of the matrix that should be PSD.
    pub lowest: f64,
    /// Eigenvalues below this in size are rounding.
    pub tolerance: f64,
}

impl Attempt {
    /// The smallest eigenvalue against the size of the matrix; the smaller the worse for the claim.
    pub(super) fn ratio(&self) -> f64 {
        if self.tolerance > 0.0 { self.lowest / self.tolerance * self.points.nrows() as f64 } else { 0.0 }
    }

    /// The ratio in steps of a factor of two: among equally bad sets, the first (for example a
    /// grid) is the simplest.
    fn grade(&self) -> f64 {
        let ratio = self.ratio();
        if ratio < 0.0 { -(-ratio).log2().floor() } else { f64::INFINITY }
    }

    /// Whether the eigenvalue is more than rounding.
    pub(super) fn is_negative(&self) -> bool {
        self.lowest < -self.tolerance
    }
}

/// What a search found.
#[derive(Default)]
pub(super) struct Found {
    pub counterexample: Option<Counterexample>,
    pub worst: Option<Attempt>,
    pub sets: usize,
    pub points: usize,
}

impl<'k> Attack<'k> {
    pub(super) fn new(kernel: &'k Kernel, side: Claim) -> Self {
        Self { evaluator: Evaluator::new(kernel), side }
    }

    /// The smallest eigenvalue on these points; `None` outside the domain and where values
    /// overflow.
    pub(super) fn attempt(&self, points: ArrayView2<f64>) -> Option<Attempt> {
        let gram = self.evaluator.gram(points)?;
        let matrix = self.side.matrix(&gram);
        let eigen = symmetric_eigen(matrix.view(), &Compute::unlimited()).ok()?;
        let lowest = *eigen.values.first()?;
        let weights = eigen.vectors.column(0).to_vec();
        Some(Attempt { points: points.to_owned(), weights, lowest, tolerance: rounding(&matrix).max(rounding(&gram)) })
    }

    /// The fewest columns first, so that counterexamples stay small; in each, round after round,
    /// then local improvement.
    pub(super) fn search(&self, regions: &[DomainBox], compute: &Compute) -> Result<Found> {
        let scales = Scales::of(self.evaluator.kernel);
        let mut found = Found::default();
        for (position, region) in regions.iter().enumerate() {
            self.search_region(region, &scales, compute, &mut found)?;
            compute.report("searching for a counterexample", position as u64 + 1, regions.len() as u64);
            if found.counterexample.is_some() {
                break;
            }
        }
        Ok(found)
    }

    fn search_region(&self, region: &DomainBox, scales: &Scales, compute: &Compute, found: &mut Found) -> Result<()> {
        let mut small: Vec<Attempt> = Vec::new();
        for index in 0..ROUNDS {
            let sets = round(index, scales, region, compute.seed());
            let attempts = self.attempt_all(&sets, compute)?;
            found.count(&sets);
            if self.follow(&attempts, found) {
                return Ok(());
            }
            small.extend(attempts.into_iter().filter(|a| a.points.nrows() <= IMPROVED_SIZE).take(2));
        }
        self.improve_all(&small, region, compute, found)
    }

    /// All attempts, the worst for the claim first. The order does not depend on the number of
    /// threads.
    fn attempt_all(&self, sets: &[Array2<f64>], compute: &Compute) -> Result<Vec<Attempt>> {
        let run = |set: usize| compute.check_canceled().map(|()| self.attempt(sets[set].view()));
        let results = compute.try_map_tasks(sets.len(), run)?;
        let mut attempts: Vec<Attempt> = results.into_iter().flatten().collect();
        attempts.sort_by(|a, b| a.grade().total_cmp(&b.grade()));
        Ok(attempts)
    }

    /// Tries to certify the worst attempts; `true` when one is certified.
    fn follow(&self, attempts: &[Attempt], found: &mut Found) -> bool {
        if let Some(worst) = attempts.first() {
            found.keep_worst(worst);
        }
        for attempt in attempts.iter().take(FOLLOWED).filter(|a| a.is_negative()) {
            if let Some(counterexample) = refutation(self, attempt) {
                found.keep_worst(attempt);
                found.counterexample = Some(counterexample);
                return true;
            }
        }
        false
    }

    fn improve_all(&self, small: &[Attempt], region: &DomainBox, compute: &Compute, found: &mut Found) -> Result<()> {
        let run =
            |task: usize| compute.check_canceled().map(|()| self.improve(&small[task], region, task as u64, compute));
        let mut attempts = compute.try_map_tasks(small.len(), run)?;
        found.sets += attempts.len() * STEPS as usize;
        found.points += attempts.iter().map(|a| a.points.nrows() * STEPS as usize).sum::<usize>();
        attempts.sort_by(|a, b| a.grade().total_cmp(&b.grade()));
        self.follow(&attempts, found);
        Ok(())
    }

    /// Random steps that are kept when the smallest eigenvalue falls.
    fn improve(&self, start: &Attempt, region: &DomainBox, task: u64, compute: &Compute) -> Attempt {
        let mut stream = compute.seed().stream("improvement of points", task);
        let mut best = start.clone();
        let size = start.points.iter().fold(0.0_f64, |m, v| m.max(v.abs())).max(1e-6);
        for step in 0..STEPS {
            let width = size * 0.5_f64.powi((step % 12) as i32 + 1);
            let moved = region.fit(best.points.mapv(|v| v + width * stream.normal()));
            if let Some(next) = self.attempt(moved.view())
                && next.ratio() < best.ratio()
            {
                best = next;
            }
        }
        best
    }
}

impl Found {
    fn count(&mut self, sets: &[Array2<f64>]) {
        self.sets += sets.len();
        self.points += sets.iter().map(|s| s.nrows()).sum::<usize>();
    }

    fn keep_worst(&mut self, attempt: &Attempt) {
        if self.worst.as_ref().is_none_or(|w| attempt.ratio() < w.ratio()) {
            self.worst = Some(attempt.clone());
        }
    }
}
