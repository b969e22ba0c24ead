//! Lloyd's steps on kernel values, for all starts together.

use super::options::Search;
use super::partition::{Rounded, Sizes};
use super::rows::{Change, KernelRows};
use super::sums::{COLUMNS, Sums};
use crate::gram::Bound;
use crate::{Compute, Result};

/// k-means on kernel values.
pub(super) struct Problem<'p> {
    pub(super) bound: &'p Bound<'p>,
    pub(super) rows: KernelRows<'p>,
    /// `k(xᵢ, xᵢ)` of the matrix, in its precision.
    pub(super) diagonal: Vec<f64>,
    /// The same in double precision.
    pub(super) exact_diagonal: &'p [f64],
    pub(super) weights: &'p [f64],
    pub(super) search: Search,
    pub(super) indefinite: bool,
    pub(super) compute: &'p Compute,
}

/// A partition with what its improvement needs.
#[derive(Clone, Debug)]
pub(super) struct Start {
    pub(super) labels: Vec<usize>,
    pub(super) sizes: Sizes,
    pub(super) sums: Sums,
    /// `Σ_{i ∈ c} wᵢSᵢc = ‖Σ_{i ∈ c} wᵢφ(xᵢ)‖²`.
    pub(super) squares: Vec<f64>,
    /// `Σ wᵢk(xᵢ, xᵢ) − Σ_c squares_c / W_c`.
    pub(super) objective: Rounded,
    pub(super) iterations: usize,
    pub(super) converged: bool,
}

impl Start {
    /// `‖φ(xᵢ) − m_c‖²`.
    pub(super) fn squared(&self, diagonal: f64, point: usize, cluster: usize) -> Rounded {
        self.squared_from(diagonal, cluster, self.sums.get(point, cluster))
    }

    /// The same for a point with this inner product with the sum of the cluster.
    fn squared_from(&self, diagonal: f64, cluster: usize, sum: f64) -> Rounded {
        let mass = self.sizes.mass[cluster];
        Rounded::sum(diagonal, -2.0 * sum / mass, self.squares[cluster] / mass / mass)
    }

    /// Sizes, squares and objective of the labels, from the sums.
    pub(super) fn refresh(&mut self, problem: &Problem<'_>) {
        let clusters = self.squares.len();
        self.sizes = Sizes::of(&self.labels, problem.weights, clusters);
        self.squares = vec![0.0; clusters];
        let (mut trace, mut explained) = (0.0, 0.0);
        for (i, (&label, &w)) in self.labels.iter().zip(problem.weights).enumerate().filter(|(_, (_, w))| **w > 0.0) {
            self.squares[label] += w * self.sums.get(i, label);
            trace += w * problem.diagonal[i];
        }
        for (square, mass) in self.squares.iter().zip(&self.sizes.mass).filter(|(_, mass)| **mass > 0.0) {
            explained += square / mass;
        }
        self.objective = Rounded::sum(trace, -explained, 0.0);
    }

    fn relabel(&mut self, changes: &[Change]) {
        changes.iter().for_each(|change| self.labels[change.point] = change.to);
    }
}

impl<'p> Problem<'p> {
    pub(super) fn new(
        bound: &'p Bound<'p>,
        rows: KernelRows<'p>,
        (exact_diagonal, weights): (&'p [f64], &'p [f64]),
        search: Search,
        indefinite: bool,
        compute: &'p Compute,
    ) -> Self {
        let diagonal = match &rows {
            KernelRows::Single(matrix) => matrix.diag().iter().map(|v| f64::from(*v)).collect(),
            _ => exact_diagonal.to_vec(),
        };
        Self { bound, rows, diagonal, exact_diagonal, weights, search, indefinite, compute }
    }

    /// The starts of these numbers, improved until no move of one point improves them.
    ///
    /// # Errors
    /// As [`Problem::first_labels`]; [`Error::Canceled`](crate::Error::Canceled).
    pub(super) fn run(&self, numbers: std::ops::Range<usize>) -> Result<Vec<Start>> {
        let labels = self.compute.try_map_tasks(numbers.len(), |at| self.first_labels(numbers.start + at))?;
        let mut starts = self.begin(labels)?;
        self.lloyd(&mut starts)?;
        self.compute.try_each_chunk(&mut starts, 1, |_, start| self.move_points(&mut start[0]))?;
        Ok(starts)
    }

    /// Starts with these labels and their sums.
    fn begin(&self, labels: Vec<Vec<usize>>) -> Result<Vec<Start>> {
        let (n, k) = (self.weights.len(), self.search.clusters);
        let start = |labels: Vec<usize>| Start {
            sizes: Sizes::of(&labels, self.weights, k),
            labels,
            sums: Sums::new(n, k),
            squares: vec![0.0; k],
            objective: Rounded::sum(f64::INFINITY, 0.0, 0.0),
            iterations: 0,
            converged: false,
        };
        let mut starts: Vec<Start> = labels.into_iter().map(start).collect();
        let counted = |i: &usize| self.weights[*i] > 0.0;
        let all = |start: &Start| {
            let first = |i: usize| Change { point: i, from: None, to: start.labels[i] };
            (0..n).filter(counted).map(first).collect()
        };
        let changes: Vec<Vec<Change>> = starts.iter().map(all).collect();
        self.apply(&mut starts, &changes)?;
        starts.iter_mut().for_each(|start| start.refresh(self));
        Ok(starts)
    }

    fn apply(&self, starts: &mut [Start], changes: &[Vec<Change>]) -> Result<()> {
        let mut sums: Vec<&mut Sums> = starts.iter_mut().map(|start| &mut start.sums).collect();
        self.rows.apply(&mut sums, changes, self.weights, self.compute)
    }

    /// Lloyd's steps of all starts, each until its labels stay or its objective does not fall.
    fn lloyd(&self, starts: &mut [Start]) -> Result<()> {
        let mut active = vec![true; starts.len()];
        loop {
            self.compute.check_canceled()?;
            let done = active.iter().filter(|active| !**active).count();
            self.compute.report("Lloyd's steps", done as u64, starts.len() as u64);
            let changes = self.compute.map_tasks(starts.len(), |at| match active[at] {
                true => self.nearest_means(&starts[at]),
                false => Vec::new(),
            });
            if changes.iter().all(Vec::is_empty) {
                self.compute.report("Lloyd's steps", starts.len() as u64, starts.len() as u64);
                return Ok(());
            }
            self.apply(starts, &changes)?;
            let mut back = vec![Vec::new(); starts.len()];
            for (at, (start, changes)) in
                starts.iter_mut().zip(&changes).enumerate().filter(|(_, (_, c))| !c.is_empty())
            {
                let before = start.objective;
                start.relabel(changes);
                start.refresh(self);
                start.iterations += 1;
                // A step of an indefinite kernel may lead up.
                if before.is_below(start.objective) {
                    back[at] = changes.iter().map(Change::reversed).collect();
                }
                active[at] = start.objective.value < before.value && start.iterations < self.search.max_iterations;
            }
            active.iter_mut().zip(&changes).for_each(|(active, changes)| *active &= !changes.is_empty());
            if back.iter().any(|changes| !changes.is_empty()) {
                self.apply(starts, &back)?;
                for (start, back) in starts.iter_mut().zip(&back).filter(|(_, back)| !back.is_empty()) {
                    start.relabel(back);
                    start.refresh(self);
                }
            }
        }
    }

    /// The points of positive weight whose nearest mean is another one; clusters that would be
    /// empty are opened by the farthest point.
    fn nearest_means(&self, start: &Start) -> Vec<Change> {
        let mut labels = start.labels.clone();
        for (at, block) in start.sums.blocks().enumerate() {
            let points = at * COLUMNS..labels.len().min((at + 1) * COLUMNS);
            nearest_in_block(start, block, &mut labels[points]);
        }
        let mut sizes = Sizes::of(&labels, self.weights, self.search.clusters);
        let before = &start.labels;
        sizes.open_empty(&mut labels, self.weights, |i| start.squared(self.diagonal[i], i, before[i]).value);
        let changed = |&i: &usize| self.weights[i] > 0.0 && labels[i] != before[i];
        let change = |i: usize| Change { point: i, from: Some(before[i]), to: labels[i] };
        (0..labels.len()).filter(changed).map(change).collect()
    }
}

/// The nearest mean of every point of a block; the present one unless another is nearer by more
/// than rounding.
fn nearest_in_block(start: &Start, block: &[f64], labels: &mut [usize]) {
    let width = labels.len();
    let (mut best, mut found) = (vec![f64::INFINITY; width], vec![0; width]);
    for (cluster, sums) in block.chunks_exact(width).enumerate() {
        let mass = start.sizes.mass[cluster];
        let (factor, norm) = (2.0 / mass, start.squares[cluster] / mass / mass);
        for ((&sum, best), found) in sums.iter().zip(&mut best).zip(&mut found) {
            let value = norm - factor * sum;
            if value < *best {
                (*best, *found) = (value, cluster);
            }
        }
    }
    for (i, (label, found)) in labels.iter_mut().zip(found).enumerate() {
        let squared = |cluster: usize| start.squared_from(0.0, cluster, block[cluster * width + i]);
        if found != *label && squared(found).is_below(squared(*label)) {
            *label = found;
        }
    }
}

impl Change {
    fn reversed(&self) -> Self {
        Self { point: self.point, from: Some(self.to), to: self.from.unwrap_or(self.to) }
    }
}
