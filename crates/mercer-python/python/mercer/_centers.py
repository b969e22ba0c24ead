"""Fits on a few centers: what the estimators that have them share."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

import numpy as np

from mercer._parameters import parameters

#: What the parameters of the centers mean.
CENTERS = """n_centers : int, optional
        Functions on this many centers instead of all points: an approximation for many rows, whose error is measured.
        With ``solver="centers"`` alone the plan uses ``5√n``, fewer if memory or time is short.
    landmarks : {"uniform", "rpcholesky", "kmeans", "leverage", "greedy"}, default="uniform"
        How the centers are chosen.
    validation_fraction : float, optional
        Fraction of rows held out for early stopping of the iteration on centers.
    n_iter_no_change : int, default=5
        Stop after so many iterations without a better loss on these rows."""


@parameters
class Centers:
    """An estimator whose functions may have a few centers instead of all points."""

    _: KW_ONLY
    solver: str = "auto"
    n_centers: int | None = None
    landmarks: str = "uniform"
    validation_fraction: float | None = None
    n_iter_no_change: int = 5
    max_time: float | None = None

    def _on_centers(self) -> bool:
        return self.solver == "centers" or self.n_centers is not None

    def _center_choices(self) -> dict[str, Any] | None:
        """Return how the centers are chosen and fitted; None for a fit on all points."""
        if not self._on_centers():
            return None
        return {
            "n_centers": None if self.n_centers is None else int(self.n_centers),
            "landmarks": self.landmarks,
            "tol": self.tol,
            "max_iter": self.max_iter,
            "validation_fraction": self.validation_fraction,
            "n_iter_no_change": self.n_iter_no_change,
        }


def is_single(X: Any) -> bool:
    """Return whether the numbers of an array or of all columns of a data frame are of single precision."""
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        kinds = list(X.dtypes)
        return bool(kinds) and all(str(kind).lower() == "float32" for kind in kinds)
    return getattr(X, "dtype", None) == np.float32
