"""Kernels as they are accepted everywhere: texts, kernels, scikit-learn's names, matrices of values, functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer._catalogue import constructors
from mercer._exchange.kernels import is_theirs, own_kernel
from mercer._graphs import begins_graphs, is_graph
from mercer._mercer import Kernel, default_kernel

#: Names of scikit-learn that have no kernel of ours: their values are computed there.
_THEIRS = ("additive_chi2", "cosine")


#: The kernel of vectors where none is named.
_AUTO = "gaussian(lengthscale=median)"


def is_auto(kernel: Any) -> bool:
    """Whether the kernel is left to the kind of the points."""
    return isinstance(kernel, str) and kernel == "auto"


def auto_kernel(X: Any) -> Kernel | None:
    """Return the kernel of points that are not vectors by their kind, None for vectors and what is no sample."""
    numbers = isinstance(X, np.ndarray) and X.dtype.kind in "fiub"
    if X is None or numbers or hasattr(X, "toarray"):
        return None
    try:
        kernel = default_kernel(X)
    except (TypeError, ValueError) as error:
        # Of graphs and of columns of a mixed table the error says what is wrong; of everything else the checks of
        # vectors do.
        graphs = is_graph(X) or (isinstance(X, (list, tuple)) and len(X) > 0 and begins_graphs(X[0]))
        if graphs or hasattr(error, "column"):
            raise
        return None
    return object_kernel(kernel, X)


def view_kernel(kernel: Any, X: Any) -> Kernel:
    """Return the kernel of one of several samples."""
    return (auto_kernel(X) if is_auto(kernel) else None) or compiled(kernel, 1, None, 3, 1)


def is_function(kernel: Any) -> bool:
    """Whether the kernel is a function of Python; a kernel object of scikit-learn is one where Mercer has none."""
    if not callable(kernel) or isinstance(kernel, Kernel):
        return False
    return not is_theirs(kernel) or own_kernel(kernel) is None


def is_computed_outside(kernel: Any) -> bool:
    """Whether Python computes the values: by a function, or a name that only scikit-learn has."""
    return kernel in _THEIRS if isinstance(kernel, str) else is_function(kernel)


def is_known_by_values(kernel: Any) -> bool:
    """Whether only values of the kernel are known: a matrix of them, or those that Python computes."""
    return (isinstance(kernel, str) and kernel == "precomputed") or is_computed_outside(kernel)


def takes_gamma(kernel: Any) -> bool:
    """Whether the parameter ``gamma`` is part of the kernel: of most names of scikit-learn, and of functions."""
    return is_function(kernel) or (isinstance(kernel, str) and kernel in _NAMES and kernel != "linear")


def as_parameter(kernel: Any) -> str:
    """Return the parameter ``kernel`` of an estimator whose kernel has this text."""
    text = str(kernel)
    return "precomputed" if text == "precomputed()" else text


def compiled(kernel: Any, n_features: int, gamma: float | None, degree: float, coef0: float) -> Kernel:
    """Return the kernel of a text, a kernel, a name of scikit-learn, or one that stands on a matrix of values.

    ``"auto"`` is that of vectors; for other points see :func:`auto_kernel`.
    """
    if is_auto(kernel):
        return Kernel(_AUTO)
    if is_known_by_values(kernel):
        return constructors()["precomputed"]()
    if isinstance(kernel, str) and kernel in _NAMES:
        gamma = 1.0 / n_features if gamma is None and kernel != "chi2" else gamma
        if kernel == "laplacian" and not gamma > 0:
            raise ValueError(f"gamma = {gamma} is not allowed: it must be finite and positive")
        return _NAMES[kernel](constructors(), gamma, degree, coef0)
    return own_kernel(kernel) if is_theirs(kernel) else Kernel(kernel)


_NAMES: dict[str, Callable[..., Kernel]] = {
    "linear": lambda k, gamma, degree, coef0: k["linear"](),
    "rbf": lambda k, gamma, degree, coef0: k["gaussian"](gamma=gamma),
    "poly": lambda k, gamma, degree, coef0: k["polynomial"](degree=degree, offset=coef0, scale=gamma),
    "polynomial": lambda k, gamma, degree, coef0: k["polynomial"](degree=degree, offset=coef0, scale=gamma),
    "sigmoid": lambda k, gamma, degree, coef0: k["tanh"](scale=gamma, offset=coef0),
    "laplacian": lambda k, gamma, degree, coef0: k["laplacian"](lengthscale=1.0 / gamma, norm="l1"),
    "chi2": lambda k, gamma, degree, coef0: k["chi2"](gamma=1.0 if gamma is None else gamma),
}


def object_kernel(kernel: Any, X: Any = None) -> Kernel | None:
    """Return a kernel whose points are not vectors, on this data; None for every other."""
    if is_auto(kernel):
        return auto_kernel(X)
    if isinstance(kernel, str):
        if kernel in _NAMES:
            return None
        try:
            kernel = Kernel(kernel)
        except ValueError:
            return None
    if not isinstance(kernel, Kernel):
        return None
    if kernel.point_kind in (None, "vectors", "precomputed kernel values"):
        return kernel if names_objects(kernel, X) else None
    return kernel


def names_objects(kernel: Kernel, X: Any) -> bool:
    """Whether the kernel names a column of a table that does not hold numbers."""
    wanted = {name for names in kernel.named_columns for name in names}
    if not wanted or hasattr(X, "toarray") or not (hasattr(X, "columns") or isinstance(X, dict)):
        return False
    named = wanted & set(X if isinstance(X, dict) else X.columns)
    return any(np.asarray(X[name]).dtype.kind not in "fiub" for name in named)


def may_be_indefinite(kernel: Any) -> bool:
    """Whether a name of scikit-learn implies that the kernel is not positive semi-definite."""
    return isinstance(kernel, str) and kernel in ("sigmoid", "additive_chi2")


def symmetric(values: Any) -> np.ndarray:
    """Return the matrix of kernel values; where rounding made it unsymmetric, the mean of it and its transpose."""
    values = np.ascontiguousarray(values, dtype=np.float64)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise ValueError(f"precomputed kernel values must be a square matrix, found {values.shape}")
    gap = np.abs(values - values.T).max(initial=0.0)
    if gap == 0.0:
        return values
    if gap > 1e-8 * np.abs(values).max():
        raise ValueError(f"the matrix of kernel values is not symmetric: entries differ by up to {gap:.3g}")
    return (values + values.T) / 2
