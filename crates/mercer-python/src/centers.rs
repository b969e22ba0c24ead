//! The centers of a learner, from Python arguments.

use mercer::learn::centers::{Centers, EarlyStopping};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::features::landmarks_named;

/// A dict of ``n_centers``, ``landmarks``, ``tol``, ``max_iter``, ``validation_fraction`` and
/// ``n_iter_no_change``; None where no centers are requested.
pub fn centers_of(given: Option<&Bound<'_, PyDict>>) -> PyResult<Option<Centers>> {
    let Some(given) = given else { return Ok(None) };
    let mut centers = Centers::default();
    let (mut share, mut patience) = (None, 5);
    for (key, value) in given {
        match key.extract::<String>()?.as_str() {
            "n_centers" => centers.count = value.extract()?,
            "landmarks" => centers.landmarks = landmarks_named(&value.extract::<String>()?)?,
            "tol" => centers.tolerance = value.extract::<Option<f64>>()?.unwrap_or(centers.tolerance),
            "max_iter" => centers.max_iterations = value.extract::<Option<usize>>()?.unwrap_or(centers.max_iterations),
            "validation_fraction" => share = value.extract::<Option<f64>>()?,
            "n_iter_no_change" => patience = value.extract()?,
            other => return Err(pyo3::exceptions::PyTypeError::new_err(format!("centers have no '{other}'"))),
        }
    }
    centers.held_out = share.map(|share| EarlyStopping { share, patience });
    Ok(Some(centers))
}
