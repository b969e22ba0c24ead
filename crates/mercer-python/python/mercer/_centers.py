"""Fits on a few centers: what the estimators that have them share."""

from __future__ import annotations

from typing import Any

import numpy as np


def center_choices(estimator: Any) -> dict[str, Any] | None:
    """Return the centers of an estimator, or None."""
    if estimator.solver != "centers" and estimator.n_centers is None:
        return None
    return {
        "n_centers": None if estimator.n_centers is None else int(estimator.n_centers),
        "landmarks": estimator.landmarks,
        "tol": estimator.tol,
        "max_iter": estimator.max_iter,
        "validation_fraction": estimator.validation_fraction,
        "n_iter_no_change": estimator.n_iter_no_change,
    }


def is_single(X: Any) -> bool:
    """Return whether the numbers of an array or of all columns of a data frame are of single precision."""
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        kinds = list(X.dtypes)
        return bool(kinds) and all(str(kind).lower() == "float32" for kind in kinds)
    return getattr(X, "dtype", None) == np.float32
