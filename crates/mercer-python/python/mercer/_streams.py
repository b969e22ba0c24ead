"""Fits through features in passes over the rows, in memory or in partitions: the same bytes."""

from __future__ import annotations

from dataclasses import KW_ONLY
from functools import partial
from typing import Any

import numpy as np

from mercer._callbacks import a_pass
from mercer._dask import SAMPLE
from mercer._exchange.record import packed, unpacked
from mercer._parameters import parameters

#: What the parameters of the features mean, but for those of the names.
FEATURES = """kernel : text, Kernel or name, default="rbf"
        The kernel; names of scikit-learn with ``gamma``, ``degree`` and ``coef0``.
    n_components : int, default=500
        The features, at most.
    features : {"nystroem", "fourier"}, default="nystroem"
        Nyström features (every positive semi-definite kernel), or random Fourier features (shift-invariant kernels)."""


@parameters
class FeatureStream:
    """The parameters of an estimator on explicit features, which are drawn from a sample of the rows."""

    _: KW_ONLY
    kernel: Any = "rbf"
    n_components: int = 500
    features: str = "nystroem"
    gamma: float | None = None
    degree: float = 3
    coef0: float = 1

    #: The seed of the fit.
    _seed = 0

    def _sample_size(self) -> int:
        """Return the rows from which the features are drawn."""
        return sample_size(self.n_components)

    def _how(self) -> dict[str, Any]:
        return self._options(random_state=self._seed)


class Rows:
    """Rows in memory, read as partitions are."""

    def __init__(self, X: np.ndarray, y: np.ndarray | None, sample_weight: np.ndarray | None) -> None:
        """Hold the rows with their targets and weights."""
        self.given = (X, y, sample_weight)

    def statistics(self, template: Any, options: dict[str, Any]) -> Any:
        """Return the statistics of all rows; they begin with a copy of the template without rows."""
        stream = template.without_rows()
        stream.update(*self.given, **options)
        return stream


def fitted_in_passes(estimator: Any, stream: Any, rows: Any, options: dict[str, Any]) -> Any:
    """Return the fit of a stream of statistics that takes as many passes over the rows as it needs.

    Every pass is a task for callbacks, after which one may request a stop.
    """
    fit = None
    while fit is None:
        with a_pass(estimator) as task:
            filled_stream = rows.statistics(stream, options)
            stream, fit = filled_stream.step(**options)
            # As if this pass were the last one: for callbacks that evaluate the model, or stop here.
            task.fit = partial(_ended, filled_stream, options) if fit is None else lambda found=fit: found
        if task.is_stopped and fit is None:
            fit = task.fit()
    return fit


def _ended(stream: Any, options: dict[str, Any]) -> Any:
    """Return the fit of a stream whose pass is the last that is allowed: the limit is a number of its bytes."""
    texts, arrays = unpacked(stream.to_bytes())
    arrays["max_passes"] = np.float64(stream.passes + 1)
    return type(stream).from_bytes(packed(texts, arrays)).step(**options)[1]


def sample_size(n_features: int) -> int:
    """Return the rows from which so many features are drawn."""
    return max(SAMPLE, 10 * n_features)
