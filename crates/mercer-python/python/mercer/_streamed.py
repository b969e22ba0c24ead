"""Ridge regression on features, for data that comes in chunks."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from mercer._borders import searched_list, warn_at_borders
from mercer._callbacks import each_chunk
from mercer._dask import Partitions, is_dask, lazy, partition_names
from mercer._documents import filled
from mercer._estimator import target_count, target_names
from mercer._features import seed_of
from mercer._intervals import INTERVAL, Intervals
from mercer._kernels import KernelEstimator
from mercer._mercer import Kernel, Learner, RidgeStream, StreamedRidgeFit, sample_rows
from mercer._parameters import check_kinds, parameters
from mercer._streams import FEATURES, FeatureStream
from mercer._tables import validate_data


@filled(features=FEATURES)
@parameters
class StreamedKernelRidge(MultiOutputMixin, RegressorMixin, Intervals, FeatureStream, KernelEstimator):
    """Ridge regression on explicit features, in one pass over data of any length.

    ``min Σ wᵢ(yᵢ − v·z(xᵢ) − b)² + alpha·‖v‖²`` with ``p`` features ``z(x)·z(y) ≈ k(x, y)``: ``12p²`` bytes for each
    fold, however many rows come. ``fit`` draws the features (landmarks, medians) from 10 000 rows of the data,
    ``partial_fit`` from the first chunk. The answer depends neither on how the rows are cut into chunks after that, nor
    on the number of threads. ``fit`` takes Dask arrays and data frames too: the model has the bytes of a fit of the
    same rows in memory, however they are partitioned and on however many machines; ``predict`` is then lazy.

    Parameters
    ----------
    alpha : float or list of float, default=1.0
        The regularization, beside a *sum* of squares. Of several, the one with the least error on held-out rows is
        taken: row ``i`` belongs to fold ``i mod folds``, and one pass serves them all.
    {features}
    folds : int, default=5
        The folds by which alpha is chosen.
    fit_intercept : bool, default=False
        Whether a constant is fitted too, unpenalized.
    gamma, degree, coef0 : float
        Parameters of the names of scikit-learn.
    random_state, n_jobs, max_memory, verbose
        How to compute.

    Attributes
    ----------
    alpha_ : float
        The regularization that was selected.
    scores_ : dict
        The mean squared error of every alpha on held-out rows; empty where there was one.
    coef_ : array of shape (n_features,) or (n_targets, n_features)
        The weights of the features.
    intercept_ : float or array
        The constant, 0 without one.
    kernel_ : Kernel
        The kernel, with medians resolved.
    n_samples_seen_ : int
        The rows that came.
    stream_ : RidgeStream
        The statistics: ``to_bytes`` and ``RidgeStream.from_bytes`` carry them to a file or another computer.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import StreamedKernelRidge
    >>> model = StreamedKernelRidge([1e-6, 1e-3], kernel="gaussian()", n_components=30, random_state=0)
    >>> for start in range(0, 600, 100):
    ...     x = np.arange(start, start + 100)[:, None] / 100
    ...     model = model.partial_fit(x, np.sin(x[:, 0])) if start else model.partial_fit(x * 6, np.sin(x[:, 0] * 6))
    >>> model.n_samples_seen_, bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 1e-3)
    (600, True)
    """

    _partitioned = True

    alpha: Any = 1.0
    _: KW_ONLY
    folds: int = 5
    fit_intercept: bool = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> StreamedKernelRidge:
        """Forget everything, and fit these rows; the features are drawn from at most 10 000 of them.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or Dask array or data frame
            Points.
        y : array of shape (n_samples,) or (n_samples, n_targets), or Dask array, series or data frame
            Targets, in the partitions of ``X``.
        sample_weight : array of shape (n_samples,), or Dask array or series, optional
            Weights of the rows, at least 0.

        Returns
        -------
        The fitted estimator.
        """
        check_kinds(self)
        self._begin()
        if is_dask(X, y, sample_weight):
            return self._fit_partitions(X, y, sample_weight)
        return self._take(X, y, sample_weight, self._sample_size())

    def _plan(self, X: Any, y: Any = None) -> str:
        rows, columns = self._shape(X)
        settings = {
            "kernel": self._compiled_kernel(columns),
            "components": self.n_components,
            "features": {"nystroem": "nystrom"}.get(self.features, self.features),
            "lambdas": np.atleast_1d(np.asarray(self.alpha, dtype=np.float64)).tolist(),
            "folds": self.folds,
            "intercept": bool(self.fit_intercept),
        }
        targets = target_count(y)
        return Learner("streamed_ridge", settings).plan([(rows, columns)], targets, **self._options(timed=True))

    def _fit_partitions(self, X: Any, y: Any, sample_weight: Any) -> StreamedKernelRidge:
        """Fit the rows of Dask collections."""
        rows = Partitions(X=X, y=y, sample_weight=sample_weight)
        sample, _ = rows.sample(self._sample_size(), seed_of(self.random_state))
        sample = validate_data(self, sample, dtype=np.float64, order="C", reset=True)
        self._target_names, self._flat = partition_names(y), y.ndim == 1
        self._start(sample, 1 if self._flat else int(y.shape[1]))
        self.stream_ = rows.statistics(self.stream_, self._how())
        self._answer: list[StreamedRidgeFit] = []
        self.n_samples_seen_ = self.stream_.rows
        return self

    def fit_stream(self, chunks: Iterable[tuple[Any, ...]]) -> StreamedKernelRidge:
        """Forget everything, and fit the rows of an iterable of ``(X, y)`` or ``(X, y, sample_weight)``.

        Parameters
        ----------
        chunks : iterable of (X, y) or (X, y, sample_weight)
            The parts of the data, in their order. A callback of scikit-learn may stop after any of them.

        Returns
        -------
        The fitted estimator.

        Examples
        --------
        >>> import numpy as np
        >>> from mercer import StreamedKernelRidge
        >>> rng = np.random.default_rng(0)
        >>> def chunks():
        ...     for _ in range(5):
        ...         x = rng.uniform(size=(200, 2))
        ...         yield x, x[:, 0] * x[:, 1]
        >>> model = StreamedKernelRidge(1e-6, kernel="gaussian()", n_components=50).fit_stream(chunks())
        >>> bool(abs(model.predict([[0.5, 0.5]])[0] - 0.25) < 1e-3)
        True
        """
        self._forget_data()
        self._begin()
        each_chunk(self, chunks, self.partial_fit)
        if not hasattr(self, "stream_"):
            raise ValueError("the stream has no chunk: at least one is needed")
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> StreamedKernelRidge:
        """Take in a chunk, whose rows follow those before; the first one also gives the features.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points.
        y : array of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows, at least 0.

        Returns
        -------
        The fitted estimator.
        """
        self._forget_data()
        return self._take(X, y, sample_weight, None)

    def _take(self, X: Any, y: Any, sample_weight: Any, sample: int | None) -> StreamedKernelRidge:
        """Take in a chunk; the features of the first one are drawn from so many of its rows, or all."""
        check_kinds(self)
        if is_dask(X, y, sample_weight):
            raise TypeError("partial_fit takes rows in memory: give a Dask collection to fit")
        if hasattr(self, "kernel_") and not hasattr(self, "stream_"):
            raise ValueError("a model file holds no statistics: a loaded model predicts, but takes no more rows")
        first = not hasattr(self, "stream_")
        names = target_names(y)
        X, y = validate_data(self, X, y, dtype=np.float64, order="C", y_numeric=True, multi_output=True, reset=first)
        y = np.asarray(y, dtype=np.float64)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        targets = y.reshape(len(y), -1)
        if first:
            self._target_names, self._flat = names, y.ndim == 1
            rows = None if sample is None else sample_rows(len(X), sample, random_state=seed_of(self.random_state))
            self._start(X if rows is None or len(rows) == len(X) else X[rows], targets.shape[1])
        self.stream_.update(X, targets, sample_weight, **self._how())
        self._answer: list[StreamedRidgeFit] = []
        self.n_samples_seen_ = self.stream_.rows
        return self

    def without_rows(self, first_row: int = 0) -> StreamedKernelRidge:
        """Return a model of the same features that has seen no rows: the starting point of another computer.

        Parameters
        ----------
        first_row : int, default=0
            The number in the whole data of the first row that will come.

        Returns
        -------
        A new estimator with the features of this one.

        Examples
        --------
        >>> import numpy as np
        >>> from mercer import StreamedKernelRidge
        >>> x = np.linspace(0, 6, 301)[:, None]
        >>> model = StreamedKernelRidge([1e-6, 1e-3], kernel="gaussian()", n_components=30, random_state=0)
        >>> first = model.partial_fit(x, np.sin(x[:, 0]))
        >>> second = first.without_rows(301).partial_fit(x + 0.01, np.sin(x[:, 0] + 0.01))
        >>> second.n_samples_seen_, first.merge(second).n_samples_seen_
        (301, 602)
        """
        check_is_fitted(self, "stream_")
        empty = copy(self)
        empty.stream_ = self.stream_.without_rows(first_row)
        empty._answer = []
        empty.n_samples_seen_ = 0
        return empty

    def merge(self, other: StreamedKernelRidge) -> StreamedKernelRidge:
        """Take in all that another model has seen.

        The other model must have the same features and other rows: ``without_rows(first_row)`` of this one, filled
        elsewhere. Merged in any order, the parts give the fit of a single computer, byte for byte, however the rows
        were split. Rows that are in both are refused, and so is a prediction while rows are missing.

        Parameters
        ----------
        other : StreamedKernelRidge
            An estimator with the same features, fitted on other rows.

        Returns
        -------
        The estimator, with both parts in it.
        """
        check_is_fitted(self, "stream_")
        check_is_fitted(other, "stream_")
        self._forget_data()
        self.stream_.merge(other.stream_, **self._how())
        self._answer: list[StreamedRidgeFit] = []
        self.n_samples_seen_ = self.stream_.rows
        return self

    @filled(interval=INTERVAL)
    def predict(self, X: Any, *, interval: float | None = None, method: str = "auto") -> Any:
        """Return predictions at the rows of ``X``.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or Dask array or data frame
            Points.
        interval : float, optional
            The level of intervals, between 0 and 1: the answer is then a tuple ``(prediction, lower, upper)``.
        method : {"auto", "model", "conformal"}, default="auto"
            {interval}

        Returns
        -------
        An array of shape (n_samples,) or (n_samples, n_targets), with ``interval`` three of them; of a Dask array a
        Dask array, of a Dask data frame a Dask series or data frame, computed when the values are needed.
        """
        if interval is not None:
            return self._with_interval(X, self.predict(X), interval, method)
        if is_dask(X):
            columns = None if self._flat else self._solved().weights.shape[1]
            return lazy(self._without_statistics(), "predict", X, columns)
        X = self._read(X)
        values = self._in_units(self._solved().predict(X, **self._how()))
        return values[:, 0] if self._flat else values

    @property
    def alpha_(self) -> float:
        """The regularization that was selected."""
        return self._solved().alpha

    @property
    def scores_(self) -> dict[float, float]:
        """The mean squared error of every alpha on held-out rows."""
        return dict(self._solved().scores)

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the features."""
        weights = self._solved().weights.T
        return weights[0] if self._flat else weights

    @property
    def intercept_(self) -> Any:
        """The constant, 0 without one."""
        constant = self._solved().intercept
        constant = np.zeros(len(self._solved().weights.T)) if constant is None else constant
        return float(constant[0]) if self._flat else constant

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "kernel_")

    def _has_ready(self, name: str) -> bool:
        return super()._has_ready(name) and (name != "alpha_" or bool(self._answer))

    def _begin(self) -> None:
        for name in ("stream_", "kernel_", "n_samples_seen_"):
            self.__dict__.pop(name, None)
        self._units, self._inputs = None, None

    def _start(self, X: np.ndarray, outputs: int) -> None:
        self._require_language()
        self._seed = seed_of(self.random_state)
        alphas = [float(alpha) for alpha in np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))]
        self.stream_ = RidgeStream.start(
            self._compiled_kernel(X.shape[1]),
            self.features,
            self.n_components,
            alphas,
            self.folds,
            bool(self.fit_intercept),
            X,
            outputs,
            **self._how(),
        )
        self.kernel_: Kernel = self.stream_.kernel

    def _without_statistics(self) -> StreamedKernelRidge:
        """Return what predicts, which is all that a task needs."""
        self._solved()
        small = copy(self)
        small._forget_data()
        small.__dict__.pop("stream_", None)
        return small.set_params(n_jobs=1, verbose=False)

    def _solved(self) -> StreamedRidgeFit:
        check_is_fitted(self)
        if not self._answer:
            self._answer.append(self.stream_.finish(**self._how()))
            scores = dict(self._answer[0].scores)
            ranges = searched_list("alpha", list(scores), self._answer[0].alpha)
            warn_at_borders(ranges, {"alpha": len(scores)})
        return self._answer[0]

    def _restore(self, fit: StreamedRidgeFit, state: dict[str, Any]) -> None:
        """Become the fit of a model file, which predicts but takes no more rows."""
        self._answer, self.kernel_, self.n_samples_seen_ = [fit], fit.kernel, fit.rows
        self._flat = state.get("flat", fit.weights.shape[1] == 1)

    def _saved(self) -> tuple[StreamedRidgeFit, dict[str, Any]]:
        """Return what a model file holds, and what beside it makes the estimator."""
        return self._solved(), {"flat": self._flat}
