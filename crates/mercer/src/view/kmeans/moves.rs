//! Moves of single points on kernel values (Hartigan's method).

use super::starts::{Problem, Start};
use crate::Result;

impl Problem<'_> {
    /// Moves single points to other clusters as long as that improves the objective.
    ///
    /// # Theory
    /// A move changes the means, which Lloyd's steps take as fixed: a point leaves for a mean that
    /// is farther away if the objective falls. Every optimum of these moves is one of Lloyd's
    /// steps, not the other way round [Telgarsky and Vattani 2010].
    ///
    /// # Cost
    /// `O(k)` per point that stays, `O(n)` per point that moves.
    pub(super) fn move_points(&self, start: &mut Start) -> Result<()> {
        let mut buffer = Vec::new();
        while start.iterations < self.search.max_iterations {
            self.compute.check_canceled()?;
            start.iterations += 1;
            let mut moved = false;
            for point in 0..self.weights.len() {
                let Some(to) = self.better_cluster(start, point) else { continue };
                self.move_point(start, point, to, &mut buffer);
                moved = true;
            }
            start.refresh(self);
            if !moved {
                start.converged = true;
                break;
            }
        }
        Ok(())
    }

    /// The cluster that a point should move to, if any.
    fn better_cluster(&self, start: &Start, point: usize) -> Option<usize> {
        let squared = |cluster: usize| start.squared(self.diagonal[point], point, cluster);
        start.sizes.better(self.weights[point], start.labels[point], &squared)
    }

    fn move_point(&self, start: &mut Start, point: usize, to: usize, buffer: &mut Vec<f64>) {
        let (w, from) = (self.weights[point], start.labels[point]);
        let own = w * w * self.diagonal[point];
        start.squares[from] += own - 2.0 * w * start.sums.get(point, from);
        start.squares[to] += own + 2.0 * w * start.sums.get(point, to);
        self.rows.with_line(point, buffer, |line| start.sums.shift(line, w, from, to));
        start.sizes.shift(w, from, to);
        start.labels[point] = to;
    }
}
