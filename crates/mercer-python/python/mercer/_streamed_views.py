"""Principal components and clusters through features: rows in memory or in partitions, the same bytes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer._dask import Partitions, is_dask
from mercer._features import seed_of
from mercer._learner import LearnerEstimator
from mercer._mercer import AnyFit, Learner, ViewStream, sample_rows
from mercer._parameters import check_kinds
from mercer._streams import Rows, fitted_in_passes, sample_size
from mercer._tables import validate_data

#: Features where none are requested.
FEATURES = 500


class StreamedView(LearnerEstimator):
    """A view that can also be fitted through features, in passes over the rows."""

    _partitioned = True

    #: The learner on features.
    _streamed_learner: ClassVar[str]
    n_landmarks: int | None

    @classmethod
    def _learners(cls) -> tuple[str, ...]:
        return (cls._learner, cls._streamed_learner)

    def _streamed_settings(self) -> dict[str, Any]:
        """Return the settings of the learner on features, but for the kernel and their number."""
        raise NotImplementedError

    def _is_streamed(self) -> bool:
        """Return whether rows in memory are fitted through features."""
        return "streamed" in (getattr(self, "eigen_solver", None), getattr(self, "solver", None))

    def _fits_in_passes(self, X: Any) -> bool:
        return is_dask(X) or self._is_streamed()

    def _feature_count(self) -> int:
        return FEATURES if self.n_landmarks is None else self.n_landmarks

    def explain(self, X: Any, y: Any = None) -> str:
        """Return what a fit of this data would run, before it runs.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Data of the size that is meant; its values are not looked at.
        y : array, optional
            Not used.

        Returns
        -------
        The plan: solver, memory, operations and expected time.
        """
        if not self._is_streamed():
            return super().explain(X, y)
        given = {"kernel": "gaussian()", "feature_count": self._feature_count(), **self._streamed_settings()}
        return Learner(self._streamed_learner, given).plan([self._shape(X)], **self._options(timed=True))

    def _learn_streamed(self, X: Any, sample_weight: Any = None) -> AnyFit:
        """Fit rows in memory or the partitions of Dask collections."""
        check_kinds(self)
        self._require_language()
        self._note_targets()
        self._outside = None
        count = self._feature_count()
        seed, size = seed_of(self.random_state), sample_size(count)
        if is_dask(X, sample_weight):
            rows: Any = Partitions(X=X, sample_weight=sample_weight)
            sample, chosen = rows.sample(size, seed)
            sample = validate_data(self, sample, dtype=np.float64, order="C", reset=True)
            weights = None if sample_weight is None else rows.values("sample_weight", chosen)
        else:
            X = validate_data(self, X, dtype=np.float64, order="C", reset=True)
            chosen = sample_rows(len(X), size, random_state=seed)
            sample, weights = X[chosen], None if sample_weight is None else sample_weight[chosen]
            rows = Rows(X, None, sample_weight)
        settings = {"kernel": self._learned_kernel(sample), "feature_count": count, **self._streamed_settings()}
        options = {**self._options(), "random_state": seed}
        stream = ViewStream.start(self._streamed_learner, settings, sample, weights, **options)
        return fitted_in_passes(self, stream, rows, options)
