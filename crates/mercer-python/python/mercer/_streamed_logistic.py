"""Logistic regression on features, in passes over data of any length."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import _check_sample_weight

from mercer._dask import Partitions, is_dask, lazy, partition_names
from mercer._documents import filled
from mercer._features import seed_of
from mercer._intervals import PredictionSets
from mercer._learner import LearnerEstimator
from mercer._margins import ClassMixin
from mercer._mercer import AnyFit, LogisticStream, sample_rows
from mercer._parameters import check_kinds, parameters
from mercer._streams import FEATURES, FeatureStream, Rows, fitted_in_passes
from mercer._tables import validate_data


@filled(features=FEATURES)
@parameters
class StreamedKernelLogisticRegression(ClassMixin, ClassifierMixin, PredictionSets, FeatureStream, LearnerEstimator):
    """Logistic regression on explicit features: ``min Σ wᵢℓ(yᵢ, f(xᵢ)) + (alpha/2)·‖v‖²`` with ``f = v·z(x) + b``.

    A Newton step is a pass over the rows that collects ``12p²`` bytes for ``p`` features and each pair of functions:
    one function for two classes, one each for more, with softmax. The rows may be Dask arrays or data frames: the model
    has the bytes of a fit of the same rows in memory, however they are partitioned and on however many machines.

    Parameters
    ----------
    alpha : float, default=1.0
        The regularization, above 0; half of it multiplies ``‖v‖²`` beside a *sum* of losses.
    {features}
    fit_intercept : bool, default=True
        Whether each function has an unpenalized constant.
    tol : float, default=1e-9
        Stop when the next step promises less than this share of the loss of the zero function.
    max_iter : int, default=100
        Passes over the rows, at most.
    gamma, degree, coef0 : float
        Parameters of the names of scikit-learn.
    random_state, n_jobs, max_memory, verbose
        How to compute.

    Attributes
    ----------
    classes_ : array
        The labels.
    coef_ : array of shape (1, n_components) or (n_classes, n_components)
        The weights of the features.
    intercept_ : array
        The constants.
    n_iter_, objective_, converged_
        Passes over the rows, what was minimized, and whether the tolerance was reached.
    n_samples_seen_ : int
        The rows of a pass.
    kernel_ : Kernel
        The kernel, with medians resolved.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import StreamedKernelLogisticRegression
    >>> x = np.linspace(-2, 2, 400)[:, None]
    >>> y = np.where(np.abs(x[:, 0]) > 1, "out", "in")
    >>> model = StreamedKernelLogisticRegression(0.1, kernel="gaussian()", n_components=30, random_state=0).fit(x, y)
    >>> model.predict([[0.0], [1.8]]), model.converged_
    (array(['in', 'out'], dtype='<U3'), True)
    """

    _partitioned = True

    _learner: ClassVar[str] = "streamed_logistic"
    _setting_names: ClassVar[dict[str, str]] = {
        "alpha": "lambda",
        "n_components": "components",
        "fit_intercept": "intercept",
        "tol": "pass_tolerance",
        "max_iter": "max_passes",
    }
    _fact_names: ClassVar[dict[str, str]] = {
        "n_iter_": "passes",
        "objective_": "objective",
        "converged_": "converged",
        "intercept_": "intercept",
        "n_samples_seen_": "rows",
    }

    alpha: float = 1.0
    _: KW_ONLY
    fit_intercept: bool = True
    tol: float = 1e-9
    max_iter: int = 100

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> StreamedKernelLogisticRegression:
        """Fit the functions; the features are drawn from at most 10 000 of the rows.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or Dask array or data frame
            Points.
        y : array of shape (n_samples,), or Dask array or series
            Labels of any kind.
        sample_weight : array of shape (n_samples,), or Dask array or series, optional
            Factors of the losses, at least 0.

        Returns
        -------
        The fitted estimator.
        """
        check_kinds(self)
        self._require_language()
        self._seed = seed_of(self.random_state)
        fit = self._fit_partitions if is_dask(X, y, sample_weight) else self._fit_rows
        self._outside = None
        self._adopt(fit(X, y, sample_weight))
        return self

    def _fits_in_passes(self, X: Any) -> bool:
        return True

    def _fit_rows(self, X: Any, y: Any, sample_weight: Any) -> AnyFit:
        """Go over rows in memory."""
        X, codes = self._read_classes(X, y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        drawn = sample_rows(len(X), self._sample_size(), random_state=self._seed)
        stream = self._start(X if len(drawn) == len(X) else X[drawn])
        rows = Rows(X, codes.astype(np.float64)[:, None], sample_weight)
        return fitted_in_passes(self, stream, rows, self._how())

    def _fit_partitions(self, X: Any, y: Any, sample_weight: Any) -> AnyFit:
        """Go over the rows of Dask collections."""
        rows = Partitions(X=X, y=y, sample_weight=sample_weight)
        self.classes_ = rows.distinct("y")
        if len(self.classes_) < 2:
            raise ValueError(f"a classifier needs samples of at least 2 classes; found 1 class: {self.classes_[0]}")
        rows.encode("y", self.classes_)
        self._note_targets(partition_names(y))
        sample, _ = rows.sample(self._sample_size(), self._seed)
        stream = self._start(validate_data(self, sample, dtype=np.float64, order="C", reset=True))
        return fitted_in_passes(self, stream, rows, self._how())

    def _start(self, sample: np.ndarray) -> LogisticStream:
        return LogisticStream.start(
            self._learned_kernel(sample),
            self.features,
            self.n_components,
            float(self.alpha),
            bool(self.fit_intercept),
            float(self.tol),
            int(self.max_iter),
            sample,
            len(self.classes_),
            **self._how(),
        )

    def _evaluated(self, method: str, X: Any) -> np.ndarray:
        points = self._read(X)
        return getattr(self._fit, method)(points, **self._how())

    def decision_function(self, X: Any) -> np.ndarray:
        """Return ``f(x)``: the log-odds of the second of two classes, or a column per class.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or Dask array or data frame
            New points.

        Returns
        -------
        An array of shape (n_samples,), or (n_samples, n_classes) for more than two classes.
        """
        self._check_fitted()
        count = len(self.classes_)
        if is_dask(X):
            return lazy(self, "decision_function", X, None if count == 2 else count)
        values = self._evaluated("decision", X)
        return values[:, 0] if count == 2 else values

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of every class.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or Dask array or data frame
            New points.

        Returns
        -------
        An array of shape (n_samples, n_classes), in the order of ``classes_``.
        """
        self._check_fitted()
        if is_dask(X):
            return lazy(self, "predict_proba", X, len(self.classes_))
        return self._evaluated("probabilities", X)

    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable class.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or Dask array or data frame
            New points.

        Returns
        -------
        An array of shape (n_samples,); of a Dask array a Dask array, of a Dask data frame a Dask series, computed when
        the values are needed.
        """
        self._check_fitted()
        if is_dask(X):
            return lazy(self, "predict", X, None, self.classes_.dtype)
        return self.classes_[self._evaluated("predict", X)[:, 0].astype(np.intp)]

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the features."""
        return np.ascontiguousarray(self._fit.fact("weights").T)

    def _saved(self) -> tuple[AnyFit, dict[str, Any]]:
        fit, state = super()._saved()
        return fit, {**state, **self._class_state()}

    @classmethod
    def _of_settings(cls, settings: dict[str, Any]) -> StreamedKernelLogisticRegression:
        words = {"nystrom": "nystroem"}
        features = settings.get("features", "nystrom")
        return super()._of_settings(settings).set_params(features=words.get(features, features))
