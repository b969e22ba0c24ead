//! The centres of a learner, as Python users say them.

use mercer::learn::centres::{Centres, HeldOut};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::features::landmarks_named;

/// A dict of ``n_centers``, ``landmarks``, ``tol``, ``max_iter``, ``validation_fraction`` and ``n_iter_no_change``; None where no centres are asked for.
pub fn centres(given: Option<&Bound<'_, PyDict>>) -> PyResult<Option<Centres>> {
    let Some(given) = given else { return Ok(None) };
    let mut centres = Centres::default();
    let (mut share, mut patience) = (None, 5);
    for (key, value) in given {
        match key.extract::<String>()?.as_str() {
            "n_centers" => centres.count = value.extract()?,
            "landmarks" => centres.landmarks = landmarks_named(&value.extract::<String>()?)?,
            "tol" => centres.tolerance = value.extract::<Option<f64>>()?.unwrap_or(centres.tolerance),
            "max_iter" => centres.max_iterations = value.extract::<Option<usize>>()?.unwrap_or(centres.max_iterations),
            "validation_fraction" => share = value.extract::<Option<f64>>()?,
            "n_iter_no_change" => patience = value.extract()?,
            other => return Err(pyo3::exceptions::PyTypeError::new_err(format!("centres have no '{other}'"))),
        }
    }
    centres.held_out = share.map(|share| HeldOut { share, patience });
    Ok(Some(centres))
}
