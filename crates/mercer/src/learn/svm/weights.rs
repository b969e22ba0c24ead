//! Weights of rows.

use ndarray::ArrayView1;

use crate::learn::observations::bad_value;
use crate::{Error, Result};

/// One finite weight, at least 0, for every row; ones where none are given.
pub(super) fn check_weights(weights: Option<ArrayView1<f64>>, n: usize) -> Result<Vec<f64>> {
    let Some(weights) = weights else { return Ok(vec![1.0; n]) };
    if weights.len() != n {
        return Err(Error::shape("weights", format!("one per row ({n})"), weights.len()));
    }
    if let Some((row, value)) = weights.iter().enumerate().find(|(_, w)| !(w.is_finite() && **w >= 0.0)) {
        return Err(bad_value("weights", row, *value, "a weight must be a finite number, at least 0"));
    }
    if weights.iter().all(|w| *w == 0.0) {
        return Err(Error::request("every weight is 0: there is nothing to fit"));
    }
    Ok(weights.to_vec())
}
