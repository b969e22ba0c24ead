//! Sums over the derivatives of a matrix: for gradients of traces.

use ndarray::{Array2, ArrayView2, s};

use super::Bound;
use super::node::{Kind, Node};
use crate::{Compute, Error, Result};

/// Rows of a tile of derivatives. 16 and 64 differ by less than 9 %, 128 takes more than twice as
/// long (2000 points, 5 columns).
const TILE: usize = 32;
/// Up to this many values the work is serial: it takes less time than waking up other threads.
const SMALL: usize = 192 * 192;
/// Columns of a tile of derivatives. 128 and 512 differ by less than the noise of 10 %, 1024 takes
/// more than twice as long.
const WIDTH: usize = 256;

impl Bound<'_> {
    /// `Σᵢⱼ gᵢⱼ ∂kᵢⱼ/∂θ = tr(Gᵀ ∂K/∂θ)` for every parameter of
    /// [`Kernel::parameters`](crate::Kernel::parameters).
    ///
    /// # Cost
    /// One derivative by the metric of every base kernel, however many lengthscales it has, and one
    /// by each of its shapes; in tiles, none of them kept. The same bytes for any number of
    /// threads.
    ///
    /// # Errors
    /// [`Error::Shape`] unless `G` has the shape of `K`, [`Error::Value`] where a derivative leaves the
    /// range of the numbers, [`Error::Canceled`].
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, Kernel, gram::Pairs};
    /// use ndarray::array;
    /// let (compute, x) = (Compute::new(), array![[1.0], [2.0]]);
    /// let k: Kernel = "3*linear()".parse()?;
    /// // ∂K/∂scale = xxᵀ, whose entries have the sum (1 + 2)².
    /// let sums = k.bind(Pairs::within(x.view()), &compute)?.contract_derivatives(array![[1.0, 1.0], [1.0, 1.0]].view(), &compute)?;
    /// assert_eq!(sums, [9.0]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn contract_derivatives(&self, g: ArrayView2<f64>, compute: &Compute) -> Result<Vec<f64>> {
        if g.dim() != self.shape {
            let (expected, found) = (format!("{:?}", self.shape), format!("{:?}", g.dim()));
            return Err(Error::shape("factors of the derivatives", expected, found));
        }
        let all = vec![true; self.kernel.parameter_count()];
        self.contract_requested(g, &all, compute)
    }

    /// The same for the parameters requested; 0 for the others.
    pub(crate) fn contract_requested(
        &self,
        g: ArrayView2<f64>,
        requested: &[bool],
        compute: &Compute,
    ) -> Result<Vec<f64>> {
        let (n, columns) = self.shape;
        let tile = |t: usize| {
            compute.check_canceled()?;
            let rows = t * TILE..n.min((t + 1) * TILE);
            let mut sums = vec![0.0; self.kernel.parameter_count()];
            for start in (0..columns).step_by(WIDTH) {
                let cols = start..columns.min(start + WIDTH);
                let weights: Vec<f64> = g.slice(s![rows.clone(), cols.clone()]).iter().copied().collect();
                self.contract_tile(rows.clone(), cols, &weights, requested, &mut sums);
            }
            Ok(sums)
        };
        let count = n.div_ceil(TILE);
        let parts: Result<Vec<Vec<f64>>> =
            if n * columns <= SMALL { (0..count).map(tile).collect() } else { compute.try_map_tasks(count, tile) };
        let mut sums = vec![0.0; self.kernel.parameter_count()];
        for part in parts? {
            sums.iter_mut().zip(part).for_each(|(sum, value)| *sum += value);
        }
        if g.iter().all(|v| v.is_finite()) {
            self.check_slopes(&sums)?;
        }
        Ok(sums)
    }

    /// `Σⱼ vⱼ ∂k(xᵢ, yⱼ)/∂θ` for every row point `i`; a column for each parameter requested.
    pub(crate) fn row_slopes(&self, v: &[f64], requested: &[bool], compute: &Compute) -> Result<Array2<f64>> {
        let (n, columns) = self.shape;
        let kept: Vec<usize> = (0..requested.len()).filter(|&p| requested[p]).collect();
        let tile = |t: usize| {
            compute.check_canceled()?;
            let mut lines = Vec::with_capacity(TILE * kept.len());
            let mut sums = vec![0.0; requested.len()];
            for i in t * TILE..n.min((t + 1) * TILE) {
                sums.fill(0.0);
                self.contract_tile(i..i + 1, 0..columns, v, requested, &mut sums);
                lines.extend(kept.iter().map(|&p| sums[p]));
            }
            Ok(lines)
        };
        let count = n.div_ceil(TILE);
        let parts: Result<Vec<Vec<f64>>> =
            if n * columns <= SMALL { (0..count).map(tile).collect() } else { compute.try_map_tasks(count, tile) };
        let lines = parts?.concat();
        if v.iter().all(|v| v.is_finite()) {
            self.check_slopes(&lines)?;
        }
        Ok(Array2::from_shape_fn((n, kept.len()), |(i, p)| lines[i * kept.len() + p]))
    }

    /// Whether [`Self::row_slopes`] costs about as much as a matrix of derivatives: no node with a
    /// parameter requested is differentiated pair by pair.
    pub(crate) fn has_row_slopes(&self, requested: &[bool]) -> bool {
        has_row_slopes(&self.root, requested)
    }
}

fn has_row_slopes(node: &Node<'_>, requested: &[bool]) -> bool {
    let moves = node.parameters.clone().any(|p| requested.get(p).copied().unwrap_or(false));
    !moves
        || match &node.kind {
            Kind::Profile { .. } | Kind::Columnwise { .. } | Kind::Circles { .. } | Kind::Constant(_) => true,
            Kind::Object(tiles) => tiles.has_quick_slopes(),
            Kind::Scale(_, inner) | Kind::Pointwise(_, inner) => has_row_slopes(inner, requested),
            Kind::Sum(nodes) | Kind::Product(nodes) => nodes.iter().all(|node| has_row_slopes(node, requested)),
            Kind::Minus(a, b) => has_row_slopes(a, requested) && has_row_slopes(b, requested),
            Kind::Outer { .. }
            | Kind::Based { .. }
            | Kind::Features { .. }
            | Kind::Brownian { .. }
            | Kind::Matrix(_) => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::gram::Pairs;

    #[test]
    fn row_slopes_are_products_with_matrices_of_derivatives() {
        let compute = Compute::new().with_threads(2).unwrap();
        let mut stream = Seed(4).stream("points", 0);
        let x = Array2::from_shape_fn((70, 2), |_| stream.uniform());
        let v: Vec<f64> = (0..70).map(|_| stream.normal()).collect();
        for text in [
            "2*gaussian(lengthscale=[0.5, 2]) + linear()",
            "3*rational_quadratic(lengthscale=0.4, shape=1.5)*matern(nu=3/2, lengthscale=[1, 2])",
            "periodic(period=0.7, lengthscale=[0.6, 1.1]) + on([1], periodic(period=2, lengthscale=0.8))",
            "exp(0.5*cauchy(lengthscale=[1, 3]))",
        ] {
            let kernel: crate::Kernel = text.parse().unwrap();
            let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
            let requested: Vec<bool> = (0..kernel.parameter_count()).map(|p| p != 1).collect();
            assert!(bound.has_row_slopes(&requested), "{text}");
            let found = bound.row_slopes(&v, &requested, &compute).unwrap();
            for (column, p) in (0..requested.len()).filter(|p| requested[*p]).enumerate() {
                let mut slopes = Array2::zeros((70, 70));
                bound.fill_derivative(p, 0..70, 0..70, slopes.as_slice_mut().unwrap()).unwrap();
                for (i, row) in slopes.rows().into_iter().enumerate() {
                    let expected: f64 = row.iter().zip(&v).map(|(slope, v)| slope * v).sum();
                    assert_close!(found[[i, column]], expected, abs = 1e-11, "{text}, parameter {p}, row {i}");
                }
            }
        }
        let slow: crate::Kernel = "normalized(polynomial(degree=2, offset=1))".parse().unwrap();
        assert!(!slow.bind(Pairs::within(x.view()), &compute).unwrap().has_row_slopes(&[true; 2]));
    }
}
