//! What partitions have in common, whether of points in ℋ or of vectors.

/// Rounding of a sum, relative to the size of its terms: differences below are ties.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A sum, with the size of its terms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounded {
    pub(super) value: f64,
    pub(super) size: f64,
}

impl Rounded {
    /// The sum of three terms.
    pub(super) fn sum(a: f64, b: f64, c: f64) -> Self {
        Self { value: a + b + c, size: a.abs() + b.abs() + c.abs() }
    }

    fn times(self, factor: f64) -> Self {
        Self { value: factor * self.value, size: factor * self.size }
    }

    /// Whether it is smaller by more than rounding.
    pub(super) fn is_below(self, other: Self) -> bool {
        self.value < other.value - ROUNDING * (self.size + other.size)
    }
}

/// The weight and the number of points of every cluster; points of weight 0 do not count.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    /// `W_c = Σ wᵢ`.
    pub(super) mass: Vec<f64>,
    /// Points with a positive weight.
    pub(super) members: Vec<usize>,
}

impl Sizes {
    pub(super) fn of(labels: &[usize], weights: &[f64], clusters: usize) -> Self {
        let mut sizes = Self { mass: vec![0.0; clusters], members: vec![0; clusters] };
        for (&label, &w) in labels.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
            sizes.mass[label] += w;
            sizes.members[label] += 1;
        }
        sizes
    }

    /// A point of weight `w` goes from one cluster to another.
    pub(super) fn shift(&mut self, w: f64, from: usize, to: usize) {
        self.mass[from] -= w;
        self.mass[to] += w;
        self.members[from] -= 1;
        self.members[to] += 1;
    }

    /// The cluster that a point of weight `w` should move to, if any: where the objective falls
    /// most, by more than rounding. `squared` is the squared distance from the mean of a cluster.
    ///
    /// # Formula
    /// The objective falls by `wW/(W − w) ‖φ(x) − m‖²` when the point leaves a cluster of weight
    /// `W`, and rises by `wW/(W + w) ‖φ(x) − m‖²` when it joins one. The only point of a cluster
    /// stays.
    pub(super) fn better(&self, w: f64, from: usize, squared: &dyn Fn(usize) -> Rounded) -> Option<usize> {
        let rest = self.mass[from] - w;
        if w == 0.0 || self.members[from] < 2 || rest <= 0.0 {
            return None;
        }
        let gained = squared(from).times(w * self.mass[from] / rest);
        let (mut best, mut least) = (None, f64::INFINITY);
        for to in (0..self.mass.len()).filter(|&to| to != from) {
            let lost = squared(to).times(w * self.mass[to] / (self.mass[to] + w));
            if lost.is_below(gained) && lost.value < least {
                (best, least) = (Some(to), lost.value);
            }
        }
        best
    }

    /// Moves the farthest point of the others to every cluster that is empty: the point of positive
    /// weight, not alone in its cluster, that is farthest from the mean of its cluster.
    pub(super) fn open_empty(&mut self, labels: &mut [usize], weights: &[f64], squared: impl Fn(usize) -> f64) {
        for empty in 0..self.members.len() {
            if self.members[empty] > 0 {
                continue;
            }
            let free = (0..labels.len()).filter(|&i| weights[i] > 0.0 && self.members[labels[i]] > 1);
            // The first of equals.
            let farthest = free.map(|i| (squared(i), i)).reduce(|a, b| if b.0 > a.0 { b } else { a });
            if let Some((_, point)) = farthest {
                self.shift(weights[point], labels[point], empty);
                labels[point] = empty;
            }
        }
    }
}

/// The clusters in the order in which they first appear.
pub(in crate::view) fn order_of_appearance(labels: &[usize], clusters: usize) -> Vec<usize> {
    let (mut seen, mut order) = (vec![false; clusters], Vec::with_capacity(clusters));
    for &label in labels {
        if !std::mem::replace(&mut seen[label], true) {
            order.push(label);
        }
    }
    order.extend((0..clusters).filter(|&c| !seen[c]));
    order
}

/// The labels when cluster `order[c]` is renamed `c`.
pub(in crate::view) fn renamed(labels: &[usize], order: &[usize]) -> Vec<usize> {
    let mut names = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, &old)| names[old] = new);
    labels.iter().map(|&label| names[label]).collect()
}
