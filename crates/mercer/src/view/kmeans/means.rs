//! Means of clusters in ℋ, and distances from them.

use ndarray::{Array1, Array2, ArrayView1, Axis};

use super::partition::Sizes;
use crate::gram::{self, Bound, KeptCenters};
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// `m_c = Σⱼ Aⱼc φ(zⱼ)`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Means {
    pub(super) kernel: Kernel,
    pub(super) points: Sample,
    pub(super) coefficients: Array2<f64>,
    /// `‖m_c‖²`.
    pub(super) squared_norms: Array1<f64>,
    pub(super) kept: KeptCenters,
}

/// `Aⱼc = wⱼ/W_c` for the points of the cluster, else 0.
pub(super) fn coefficients(labels: &[usize], weights: &[f64], clusters: usize) -> Array2<f64> {
    let sizes = Sizes::of(labels, weights, clusters);
    let mut coefficients = Array2::zeros((labels.len(), clusters));
    for (i, (&label, &w)) in labels.iter().zip(weights).enumerate().filter(|(_, (_, w))| **w > 0.0) {
        coefficients[[i, label]] = w / sizes.mass[label];
    }
    coefficients
}

impl Means {
    /// `‖m_c‖² − 2⟨φ(x), m_c⟩`, which is smallest for the nearest mean; a column per cluster.
    pub(super) fn relative(&self, bound: &Bound<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let mut values = gram::multiply(bound, self.coefficients.view(), compute)?;
        values.mapv_inplace(|v| -2.0 * v);
        Ok(values + &self.squared_norms)
    }

    /// The kernel with new points as rows; none without points.
    pub(super) fn bind<'b>(&'b self, x: Points<'b>, compute: &Compute) -> Result<Option<Bound<'b>>> {
        let (own, columns) = (self.points.as_points(), self.points.as_points().columns());
        if x.kind() == own.kind() && x.columns() != columns {
            return Err(Error::shape("columns of the points", columns, x.columns()));
        }
        if x.is_empty() {
            return Ok(None);
        }
        self.kept.bind(&self.kernel, x, &self.points, compute).map(Some)
    }

    /// `‖φ(x) − m_c‖²`, a column per cluster.
    pub(super) fn squared_distances(
        &self,
        x: Points<'_>,
        diagonal: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        let Some(bound) = self.bind(x.reborrow(), compute)? else {
            return Ok(Array2::zeros((0, self.squared_norms.len())));
        };
        let diagonal = match diagonal {
            Some(given) if given.len() != x.len() => {
                return Err(Error::shape("values k(x, x)", format!("one per point ({})", x.len()), given.len()));
            }
            Some(given) => given.to_owned(),
            None => bound.diagonal()?,
        };
        Ok(self.relative(&bound, compute)? + &diagonal.insert_axis(Axis(1)))
    }
}

/// The position of the smallest number, the first of equals.
pub(in crate::view) fn smallest(row: ArrayView1<f64>) -> usize {
    row.iter().enumerate().fold((0, f64::INFINITY), |m, (c, &v)| if v < m.1 { (c, v) } else { m }).0
}
