//! Model files of LIBSVM.

use std::path::PathBuf;

use mercer::io;
use mercer::learn::svm::LibsvmModel;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors::to_python;
use crate::model::FittedObject;
use crate::svc::PySvcFit;
use crate::svm::{PySvmFit, SvmFit};

/// Writes a support vector machine as a model file that LIBSVM's `svm-predict` takes.
#[pyfunction]
pub fn write_libsvm_model(py: Python<'_>, path: PathBuf, fit: FittedObject<'_>) -> PyResult<()> {
    let model = match fit {
        FittedObject::Svc(fit) => LibsvmModel::Classifier(fit.get().0.clone()),
        FittedObject::Svm(fit) => match &fit.get().0 {
            SvmFit::Regression(fit) => LibsvmModel::Regression(fit.clone()),
            SvmFit::Region(fit) => LibsvmModel::OneClass(fit.clone()),
        },
        _ => return Err(PyTypeError::new_err("only support vector machines have model files of LIBSVM")),
    };
    py.detach(|| io::write_libsvm_model(&path, &model)).map_err(to_python)
}

/// Reads a model file of LIBSVM; `columns` is how many columns new points have.
#[pyfunction]
#[pyo3(signature = (path, columns=None))]
pub fn read_libsvm_model(py: Python<'_>, path: PathBuf, columns: Option<usize>) -> PyResult<Bound<'_, PyAny>> {
    Ok(match py.detach(|| io::read_libsvm_model(&path, columns)).map_err(to_python)? {
        LibsvmModel::Classifier(fit) => Bound::new(py, PySvcFit(fit))?.into_any(),
        LibsvmModel::Regression(fit) => Bound::new(py, PySvmFit(SvmFit::Regression(fit)))?.into_any(),
        LibsvmModel::OneClass(fit) => Bound::new(py, PySvmFit(SvmFit::Region(fit)))?.into_any(),
    })
}
