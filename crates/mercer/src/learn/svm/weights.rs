//! Weights of rows.

use ndarray::ArrayView1;

use crate::error::{AllowedRange, Requirement};
use crate::learn::observations::{LARGE_WEIGHTS, check_range};
use crate::{Error, Result};

/// One finite weight, at least 0, for every row; ones where none are given.
pub(in crate::learn) fn check_weights(weights: Option<ArrayView1<f64>>, n: usize) -> Result<Vec<f64>> {
    let Some(weights) = weights else { return Ok(vec![1.0; n]) };
    if weights.len() != n {
        return Err(Error::shape("weights", format!("one per row ({n})"), weights.len()));
    }
    if let Some((row, value)) = weights.iter().enumerate().find(|(_, w)| !(w.is_finite() && **w >= 0.0)) {
        return Err(Error::value("weights", (row, 0), value, Requirement::Range(AllowedRange::NON_NEGATIVE)));
    }
    if weights.iter().all(|w| *w == 0.0) {
        return Err(Error::all_zero("weight", "there is nothing to fit; give some rows a positive weight"));
    }
    check_range(weights)?;
    let total = weights.sum();
    if total < 1.0 / LARGE_WEIGHTS {
        return Err(Error::overflow(format!("a square of weights of the sum {total:e}"), "scale the weights up"));
    }
    Ok(weights.to_vec())
}
