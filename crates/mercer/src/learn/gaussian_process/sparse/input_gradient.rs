//! Slopes by the inducing points themselves, by dual numbers.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::basis::InducingBasis;
use crate::real::{Dual, Real};
use crate::{Compute, Result};

/// `Σᵢ gⱼᵢ ∂k(zⱼ, xᵢ)/∂zⱼ` for every inducing point `zⱼ`: one row each.
///
/// # Cost
/// `d` kernel values in dual numbers for every pair.
pub(super) fn input_slopes(
    basis: &InducingBasis,
    x: ArrayView2<f64>,
    slopes: ArrayView2<f64>,
    compute: &Compute,
) -> Result<Array2<f64>> {
    let lift = |v: ndarray::ArrayView1<f64>| v.iter().map(|&v| Dual::<f64>::from_f64(v)).collect::<Vec<_>>();
    let p = basis.kernel.parameter_values::<Dual<f64>>();
    let data: Vec<_> = x.rows().into_iter().map(lift).collect();
    let row = |j: usize| {
        compute.check_canceled()?;
        let mut z = lift(basis.points.row(j));
        let mut row = vec![0.0; z.len()];
        for (c, slope) in row.iter_mut().enumerate() {
            z[c].derivative = 1.0;
            let terms = data.iter().zip(slopes.row(j));
            *slope = terms.map(|(x, g)| g * basis.kernel.value(&p, &z, x).derivative).sum();
            z[c].derivative = 0.0;
        }
        Ok(row)
    };
    let rows: Result<Vec<Vec<f64>>> = compute.install(|| (0..basis.points.nrows()).into_par_iter().map(row).collect());
    let rows = rows?;
    Ok(Array2::from_shape_fn(basis.points.dim(), |(j, c)| rows[j][c]))
}
