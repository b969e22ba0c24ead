"""Samples and kernels as the functions of measures and tests accept them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

import numpy as np

from mercer._kernel_names import compiled, is_computed_outside, symmetric
from mercer._mercer import Kernel, default_kernel


class Options(TypedDict, total=False):
    """How to compute: the keywords that every function of measures and tests has."""

    random_state: Any
    """The seed of all that is drawn: a number, a generator, or None for a fresh one; 0 by default."""
    n_jobs: int | None
    """Threads; all of them by default."""
    max_memory: int | str | None
    """The most memory to use, in bytes or as a text such as ``"2GB"``."""
    verbose: bool
    """Whether a progress bar is shown."""


def how(options: Options) -> dict[str, Any]:
    """Return the compute options, as the compiled part reads them."""
    given = {"random_state": 0, **options}
    return {name: value for name, value in given.items() if name != "max_memory" or value is not None}


def chosen(kernel: Any, X: Any) -> Kernel | None:
    """Return the kernel of a text, a kernel, a name of scikit-learn or ``"precomputed"``; None for ``"auto"``."""
    if kernel is None or (isinstance(kernel, str) and kernel == "auto"):
        return None
    if isinstance(kernel, Kernel) or (isinstance(kernel, str) and "(" in kernel):
        return Kernel(kernel)
    shape = np.shape(X)
    return compiled(kernel, shape[1] if len(shape) == 2 else 1, None, 3, 1)


def named(kernel: Any, X: Any) -> Kernel:
    """Return the kernel, and for ``"auto"`` that of the kind of the points: on vectors the Gaussian one."""
    found = chosen(kernel, X)
    return default_kernel(X) if found is None else found


def variable(kernel: Any, X: Any) -> Any:
    """Return the sample, or the matrix of precomputed kernel values."""
    if isinstance(kernel, str) and kernel == "precomputed":
        return symmetric(X)
    return gram(kernel, X) if is_computed_outside(kernel) else X


def two_samples(kernel: Any, X: Any, Y: Any) -> tuple[Any, Any]:
    """Return the samples; for given kernel values the matrix of the pooled sample, and the size of the first."""
    if isinstance(kernel, str) and kernel == "precomputed":
        return symmetric(X), Y
    if is_computed_outside(kernel):
        first, second = rows(X), rows(Y)
        if first.shape[1:] != second.shape[1:]:
            raise ValueError(f"X and Y have different numbers of columns: {first.shape[1]} and {second.shape[1]}")
        return gram(kernel, np.concatenate([first, second])), len(first)
    return X, Y


def gram(kernel: str | Callable[[Any, Any], float], X: Any) -> np.ndarray:
    """Return the matrix of the values of a function of two points, each pair once."""
    if isinstance(kernel, str):
        raise ValueError(f'the kernel {kernel!r} is one of scikit-learn: give its matrix with kernel="precomputed"')
    points = rows(X)
    n = len(points)
    values = np.empty((n, n))
    for i in range(n):
        for j in range(i + 1):
            values[i, j] = values[j, i] = kernel(points[i], points[j])
    return values


def rows(X: Any) -> np.ndarray:
    """Return a sample as a matrix with a row per point; one dimension is one column."""
    points = np.asarray(X)
    return points.reshape(-1, 1) if points.ndim == 1 else points


def scores(score: Any, X: Any) -> np.ndarray:
    """Return ``∇log p(xᵢ)`` row by row: from a function, from a matrix, or from the text of a density."""
    from mercer._mercer import density_scores

    if isinstance(score, str):
        return density_scores(score, X)
    points = rows(X)
    values = np.asarray(score(points) if callable(score) else score, dtype=np.float64)
    return values.reshape(-1, 1) if values.ndim == 1 and points.shape[1] == 1 else values
