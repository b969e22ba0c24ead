"""Model files of LIBSVM."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer import _mercer
from mercer._kernel_names import as_parameter
from mercer._margins import labels_of
from mercer._support import Machine
from mercer._svm import SVC
from mercer._svr import SVR, OneClassSVM


def export_libsvm(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted support vector machine as a model file that LIBSVM's ``svm-predict`` takes.

    Numbers have all their digits. LIBSVM has the linear, polynomial, Gaussian, ``tanh`` and precomputed kernels, pairs
    of classes whose labels are whole numbers, and sigmoid probabilities; everything else is refused by name.

    Parameters
    ----------
    model : SVC, NuSVC, SVCCV, SVR, NuSVR or OneClassSVM
        The fitted machine.
    path : str or path
        The file, which is written whole or not at all.

    Returns
    -------
    None.

    Examples
    --------
    >>> import os, tempfile
    >>> import mercer
    >>> model = mercer.SVC(C=10, kernel="linear()").fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mercer.export_libsvm(model, os.path.join(folder, "machine.model"))
    ...     mercer.from_libsvm(os.path.join(folder, "machine.model")).predict([[0.5], [2.5]])
    array([0, 1])
    """
    if not isinstance(model, Machine):
        raise TypeError(f"only support vector machines have model files of LIBSVM, not {type(model).__name__}")
    check_is_fitted(model)
    model._require_file()
    _mercer.write_libsvm_model(os.fspath(path), model._fit)


def from_libsvm(path: str | os.PathLike[str], n_features: int | None = None) -> Any:
    """Read a model file of LIBSVM as a fitted estimator.

    Parameters
    ----------
    path : str or path
        What ``svm-train`` wrote.
    n_features : int, optional
        The number of columns of new points; by default the largest that the file names.

    Returns
    -------
    A fitted `SVC`, `SVR` or `OneClassSVM`. C, ν and ε are not in such files, and have their defaults.

    Examples
    --------
    >>> import mercer
    >>> mercer.from_libsvm("no.model")
    Traceback (most recent call last):
        ...
    FileNotFoundError: [Errno 2] No such file or directory: 'no.model'
    """
    fit = _mercer.read_libsvm_model(os.fspath(path), n_features)
    kernel = as_parameter(fit.kernel)
    if isinstance(fit, _mercer.SvcFit):
        model: Any = SVC(kernel=kernel, probability=fit.calibrated)
        model.classes_ = labels_of(fit.names)
        model.class_weight_ = np.ones(len(model.classes_))
    else:
        model = OneClassSVM(kernel=kernel) if fit.region else SVR(kernel=kernel)
    model.n_features_in_ = fit.columns
    model._X = None
    model._adopt(fit, (0, fit.columns))
    return model
