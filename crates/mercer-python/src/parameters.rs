//! Parameters of a kernel by name or by position.

use mercer::Kernel;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::input::numbers;

/// The position of a parameter given by its name or by its position, which may count from the end.
pub fn position(kernel: &Kernel, parameter: &Bound<'_, PyAny>) -> PyResult<usize> {
    if let Ok(name) = parameter.cast::<PyString>() {
        return named(kernel, &name.to_cow()?);
    }
    let (index, count) = (parameter.extract::<isize>()?, kernel.parameter_count());
    let from_front = if index < 0 { index + count as isize } else { index };
    usize::try_from(from_front).ok().filter(|i| *i < count).ok_or_else(|| {
        PyValueError::new_err(format!("parameter = {index} is not allowed: {kernel} has {count} parameters"))
    })
}

/// All parameters, with those of a dict replaced; a list stands for itself.
pub fn values(kernel: &Kernel, given: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let Ok(changes) = given.cast::<PyDict>() else {
        return numbers(given, "parameters");
    };
    let mut values: Vec<f64> = kernel.parameters().into_iter().map(|p| p.value).collect();
    for (name, value) in changes {
        values[named(kernel, &name.extract::<String>()?)?] = value.extract()?;
    }
    Ok(values)
}

fn named(kernel: &Kernel, name: &str) -> PyResult<usize> {
    let known = kernel.parameters();
    known.iter().position(|p| p.name == name).ok_or_else(|| {
        let names: Vec<_> = known.iter().map(|p| p.name.as_str()).collect();
        PyValueError::new_err(format!("{kernel} has no parameter `{name}`; it has {}", names.join(", ")))
    })
}
