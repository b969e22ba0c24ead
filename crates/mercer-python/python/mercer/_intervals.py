"""Intervals of regressions and sets of classes: those of the model, and conformal ones from the data of its fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from mercer._dask import is_dask
from mercer._documents import filled
from mercer._mercer import Calibration, interval_ends
from mercer._parameters import check_between, check_choice
from mercer._tables import as_frame

#: What the methods of intervals are, in docstrings of `predict`.
INTERVAL = """``"model"``: the normal interval of the model, of those that have one (ridge regression, Gaussian process,
            spline, local smoothers). ``"conformal"``: jackknife+ where leave-one-out has a closed form (ridge
            regression and Gaussian processes up to 4000 rows), else CV+ with a fit for each of 10 folds at the first
            use, from the arrays that `fit` was given; these are kept by reference, and left out of copies, pickles and
            model files. ``"auto"``: that of the model if it has one, else the conformal one."""


class Calibrated:
    """Keeps what `fit` was given, so that conformal prediction can be calibrated at its first use."""

    #: X, y, the weights of the rows, and whether there was more; None after a pickle or a model file.
    _data: tuple[Any, Any, Any, bool] | None = None
    #: A conformal estimator of the data, or the calibration of a model file; made at its first use.
    _calibration: Any = None

    def _note_data(self, args: tuple[Any, ...], params: dict[str, Any]) -> None:
        """Note the arguments of a fit."""
        given = dict(zip(("X", "y", "sample_weight", "more"), args, strict=False)) | params
        weights = given.pop("weights", given.pop("sample_weight", None))
        X, y = given.pop("X"), given.pop("y", None)
        more = any(value is not None for value in given.values())
        self._data = None if is_dask(X, y, weights) else (X, y, weights, more)

    def _plain_points(self, X: Any) -> Any:
        """Return points as `fit` of a clone takes them: encoded, if columns of a table were."""
        return X if self._inputs is None else self._encoded(as_frame(X))

    def _calibrated(self) -> Any:
        if self._calibration is None:
            from mercer._conformal import calibrate

            self._calibration = calibrate(self)
        return self._calibration


class Intervals(Calibrated):
    """A regressor whose `predict` takes ``interval`` and ``method``."""

    #: Whether the model has intervals of its own.
    _has_intervals = False

    @filled(interval=INTERVAL)
    def predict(self, X: Any, *, interval: float | None = None, method: str = "auto") -> Any:
        """Predict the targets of new points.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernel's kind
            New points, of the kind that `fit` was given; for ``kernel="precomputed"`` their kernel values with the
            points of the fit.
        interval : float, optional
            The level of intervals, between 0 and 1: the answer is then a tuple ``(prediction, lower, upper)``.
        method : {"auto", "model", "conformal"}, default="auto"
            {interval}

        Returns
        -------
        An array of shape (n_samples,) or (n_samples, n_targets), with ``interval`` three of them.
        """
        prediction = self._predict(X)
        return prediction if interval is None else self._with_interval(X, prediction, interval, method)

    def _predict(self, X: Any) -> np.ndarray:
        """Return the predictions, in the units and the shape of the targets."""
        raise NotImplementedError

    def _with_interval(self, X: Any, prediction: np.ndarray, level: float, method: str) -> tuple[np.ndarray, ...]:
        """Return predictions with the ends of their intervals, all of one shape."""
        check_choice("method", method, "auto", "model", "conformal")
        check_between("interval", level, 0, 1)
        if is_dask(X):
            raise TypeError(
                "intervals are computed in memory: predict the partitions of the Dask collection one by one"
            )
        if method == "auto":
            method = "model" if self._has_intervals else "conformal"
        ends = self._model_ends(X, level) if method == "model" else self._conformal_ends(X, level)
        # The quantiles of one target share its interval.
        shape = prediction.shape if prediction.ndim == 2 else (len(prediction), 1)
        lower, upper = (np.broadcast_to(end, shape).reshape(prediction.shape) for end in ends)
        # A negative scale of y turns intervals around.
        return prediction, np.minimum(lower, upper), np.maximum(lower, upper)

    def _model_ends(self, X: Any, level: float) -> list[np.ndarray]:
        """Return the ends of the intervals of the model, a column per target."""
        if not self._has_intervals:
            name = type(self).__name__
            raise ValueError(f"method = 'model': {name} has no intervals of its own; use method='conformal'")
        return self._ends_of(self._fit, self._fit_points(X), level)

    def _ends_of(self, fit: Any, points: Any, level: float) -> list[np.ndarray]:
        return [self._in_units(end) for end in interval_ends(fit, points, level, **self._options())]

    def _conformal_ends(self, X: Any, level: float) -> list[np.ndarray]:
        """Return the ends of conformal intervals, a column per target."""
        found = self._calibrated()
        if isinstance(found, Calibration):
            ends = found.ends(self._fit_points(X), level, **self._options())
            return [self._in_units(end) for end in ends]
        return found._ends(X if found.method_ == "jackknife+" else self._plain_points(X), level)


class PredictionSets(Calibrated):
    """A classifier with conformal sets of classes."""

    def _decides_classes(self) -> bool:
        return True

    @available_if(lambda self: self._decides_classes())
    def predict_set(self, X: Any, level: float = 0.9) -> np.ndarray:
        """Return conformal sets of classes: which classes belong to the set of every point.

        A set holds the class of a new observation with this probability on most data, whatever their distribution; it
        may be empty where no class conforms. Calibrated by CV+ with a fit for each of 10 folds at the first use, from
        the arrays that `fit` was given; these are kept by reference, and left out of copies, pickles and model files.
        Other methods and scores: `ConformalClassifier`.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernel's kind
            New points; for ``kernel="precomputed"`` their kernel values with the points of the fit.
        level : float, default=0.9
            The probability, between 0 and 1.

        Returns
        -------
        A boolean array of shape (n_samples, n_classes), in the order of ``classes_``.
        """
        self._check_fitted()
        found = self._calibrated()
        if isinstance(found, Calibration):
            check_between("level", level, 0, 1)
            return found.sets(self._fit_points(X), level, **self._options())
        return found.predict_set(self._plain_points(X), level)
