"""Estimators with a kernel among their parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels

from mercer._estimator import Estimator
from mercer._kernel_names import (
    compiled,
    is_computed_outside,
    is_function,
    is_known_by_values,
    may_be_indefinite,
    symmetric,
)
from mercer._mercer import Kernel

__all__ = [
    "KernelEstimator",
    "compiled",
    "is_computed_outside",
    "is_function",
    "is_known_by_values",
    "may_be_indefinite",
    "refuse_functions",
    "symmetric",
]


def refuse_functions(name: str, kernels: Any) -> None:
    """Refuse kernels that Python computes, where several kernels or samples leave no matrix to stand for them."""
    for kernel in kernels:
        if is_computed_outside(kernel):
            found = f"not {kernel!r} of scikit-learn" if isinstance(kernel, str) else "not functions"
            raise ValueError(f"{name} must be kernels of the language or precomputed, {found}")


class KernelEstimator(Estimator):
    """An estimator with the parameters ``kernel``, ``gamma``, ``degree``, ``coef0`` and ``kernel_params``."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _compiled_kernel(self, n_features: int, gamma: float | None = None) -> Kernel:
        """Return the kernel that the compiled part works with, with its columns numbered."""
        gamma = self.gamma if gamma is None else gamma
        return self._with_columns(compiled(self._given_kernel, n_features, gamma, self.degree, self.coef0))

    def _require_language(self) -> None:
        """Refuse kernels that are known by their values alone."""
        if is_known_by_values(self.kernel):
            raise ValueError("explicit features need a kernel of the language: its values alone are not enough")

    def _values(self, X: np.ndarray, Y: np.ndarray | None = None) -> np.ndarray:
        """Return the points, or the matrix of precomputed kernel values."""
        if self.kernel == "precomputed":
            return symmetric(X) if Y is None else X
        if is_computed_outside(self.kernel):
            params = {} if isinstance(self.kernel, str) else self.kernel_params or {}
            values = pairwise_kernels(X, Y, metric=self.kernel, **params)
            return symmetric(values) if Y is None else np.ascontiguousarray(values, dtype=np.float64)
        return X
