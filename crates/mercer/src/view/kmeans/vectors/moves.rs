//! Moves of single rows (Hartigan's method).

use ndarray::{ArrayView1, s};

use super::ROWS;
use super::start::{Problem, Start, products, squared_norms};
use crate::Result;
use crate::view::kmeans::partition::Rounded;

impl Problem<'_> {
    /// Moves single rows where that improves the objective; whether one moved. Rows whose move
    /// would improve it now are found in parallel, and looked at again one by one.
    pub(super) fn move_points(&self, start: &mut Start) -> Result<bool> {
        start.iterations += 1;
        let norms = squared_norms(&start.centers);
        let parts = self.compute.try_map_tasks(self.x.nrows().div_ceil(ROWS), |at| {
            self.compute.check_canceled()?;
            Ok(self.candidates(at, start, &norms))
        })?;
        let mut moved = false;
        for point in parts.into_iter().flatten() {
            // A sum of squares: rounding is relative to itself.
            let squared = |c: usize| Rounded::sum(self.squared(point, start, c), 0.0, 0.0);
            if let Some(to) = start.sizes.better(self.weights[point], start.labels[point], &squared) {
                self.move_point(start, point, to);
                moved = true;
            }
        }
        Ok(moved)
    }

    fn candidates(&self, at: usize, start: &Start, norms: &[f64]) -> Vec<usize> {
        let rows = at * ROWS..self.x.nrows().min((at + 1) * ROWS);
        let products = products(self.x.slice(s![rows.clone(), ..]), start.centers.view());
        let improves = |(i, products): &(usize, ArrayView1<f64>)| {
            let squared = |c: usize| Rounded::sum(self.squared_norms[*i], -2.0 * products[c], norms[c]);
            start.sizes.better(self.weights[*i], start.labels[*i], &squared).is_some()
        };
        rows.zip(products.rows()).filter(improves).map(|(i, _)| i).collect()
    }

    fn move_point(&self, start: &mut Start, point: usize, to: usize) {
        let (w, from, row) = (self.weights[point], start.labels[point], self.x.row(point));
        start.sizes.shift(w, from, to);
        for (cluster, w) in [(from, -w), (to, w)] {
            let step = w / start.sizes.mass[cluster];
            let mut center = start.centers.row_mut(cluster);
            center.zip_mut_with(&row, |c, x| *c += step * (x - *c));
        }
        start.labels[point] = to;
    }
}
