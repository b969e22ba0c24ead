//! The spectrum of `K/n` on a sample.

use ndarray::{Array1, Array2, Axis, s};

use super::Spectrum;
use super::modes::Modes;
use crate::error::MemoryPurpose;
use crate::gram::{self, Bound, Pairs, Tiles};
use crate::operator::Tiled;
use crate::solve::{leading_eigen, symmetric_eigen};
use crate::{Compute, Kernel, Result, Sample};

/// Rows up to which the whole matrix is decomposed: the cubic cost is then below that of
/// iterations. 5 eigenvalues of 1000 rows take 72 to 81 ms, and 29 to 36 ms by iterations; 60 take 74 to
/// 83 and 115 to 285 ms. At 1500 rows 20 take 241 to 272 and 68 to 109 ms, 60 take 242 to
/// 273 and 201 to 383 ms.
const DENSE: usize = 1000;
/// Eigenvalues below this share of the trace are rounding, and have no eigenfunction.
const NEGLIGIBLE: f64 = 1e-13;

pub(super) fn spectrum(kernel: &Kernel, x: &Sample, count: usize, compute: &Compute) -> Result<Spectrum> {
    let bound = kernel.bind(Pairs::Within(x.into()), compute)?;
    let n = x.len();
    let (values, vectors) = if n <= DENSE || 4 * count > n {
        dense(&bound, count, compute)?
    } else {
        let found = leading_eigen(&Tiled::new(&bound, compute), count, compute)?;
        (found.values, found.vectors)
    };
    let trace = Bound::diagonal(&bound)?.sum() / n as f64;
    let eigenvalues: Vec<f64> = values.iter().map(|v| v / n as f64).take_while(|v| *v > NEGLIGIBLE * trace).collect();
    let modes = signed(vectors.slice(s![.., ..eigenvalues.len()]).to_owned() * (n as f64).sqrt());
    let errors = Some(errors(&eigenvalues, &modes));
    let modes = Modes::Sample { points: x.clone(), values: modes };
    Ok(Spectrum { kernel: bound.kernel().clone(), eigenvalues, modes, errors, trace })
}

fn dense(bound: &Bound<'_>, count: usize, compute: &Compute) -> Result<(Vec<f64>, Array2<f64>)> {
    let n = bound.shape().0;
    let advice = "ask for fewer components, so that the matrix need not be stored, or take fewer rows";
    compute.reserve(
        MemoryPurpose::Factorization,
        "the eigendecomposition of the sample",
        40 * (n as u64) * n as u64,
        advice,
    )?;
    let eigen = symmetric_eigen(gram::dense(bound, compute)?.view(), compute)?;
    let chosen: Vec<usize> = (0..n).rev().take(count).collect();
    Ok((chosen.iter().map(|&j| eigen.values[j]).collect(), eigen.vectors.select(Axis(1), &chosen)))
}

/// Every column positive at the first row where it is not zero by far.
fn signed(mut modes: Array2<f64>) -> Array2<f64> {
    for mut mode in modes.columns_mut() {
        let first = mode.iter().copied().find(|v| v.abs() > 1e-8).unwrap_or(1.0);
        mode *= first.signum();
    }
    modes
}

fn errors(eigenvalues: &[f64], modes: &Array2<f64>) -> Vec<f64> {
    let n = modes.nrows() as f64;
    let fourth: Array1<f64> = modes.mapv(|v| v.powi(4)).sum_axis(Axis(0)) / n;
    eigenvalues.iter().zip(fourth).map(|(v, m)| v * ((m - 1.0).max(0.0) / n).sqrt()).collect()
}
