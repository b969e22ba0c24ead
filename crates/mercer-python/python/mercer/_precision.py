"""Transformers keep single precision: what they return is of the precision of what they are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._centers import is_single


class KeepsPrecision:
    """A transformer that returns single precision for points of single precision."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def precision_of(X: Any) -> type:
    """Return the type of numbers that a transformer returns for an array, a data frame or a Dask collection."""
    return np.float32 if is_single(X) else np.float64


def like(X: Any, values: np.ndarray) -> np.ndarray:
    """Return what was computed in the precision of the points as they were given."""
    return values.astype(precision_of(X), copy=False)
