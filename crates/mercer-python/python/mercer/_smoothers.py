"""Local smoothers."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import column_or_1d

from mercer._borders import warn_at_limit
from mercer._documents import filled
from mercer._estimator import Estimator, OneColumn
from mercer._intervals import Intervals
from mercer._mercer import LocalFit, Smoother
from mercer._parameters import check_kinds, parameters

#: The attributes of both smoothers.
FITTED = """bandwidth_, dof_, loo_score_ : float
        The bandwidth, the trace of the smoother matrix, and the mean square of the leave-one-out residuals.
    fitted_, leverages_, loo_residuals_ : array
        ``f(xᵢ)``, ``∂f(xᵢ)/∂yᵢ`` and ``yᵢ − f₋ᵢ(xᵢ)``."""


@parameters
class LocalSmoother(RegressorMixin, Intervals, Estimator):
    """A weighted fit around each point."""

    _linear: ClassVar[bool]
    _has_intervals = True

    bandwidth: str | float = "loo"
    _: KW_ONLY
    weights: str = "gaussian"

    def fit(self, X: Any, y: Any) -> LocalSmoother:
        """Fit the smoother; with ``bandwidth="loo"`` choose its bandwidth.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points.
        y : array of shape (n_samples,)
            Targets.

        Returns
        -------
        The fitted estimator.
        """
        check_kinds(self)
        smoother = Smoother(self._linear, self.bandwidth, self.weights)
        X, y = self._read_fit(X, y, ensure_min_samples=2 if self._linear or self.bandwidth == "loo" else 1)
        self._fit = smoother.fit(X, column_or_1d(y, warn=True), **self._options())
        self._adopt()
        if self.bandwidth == "loo" and self._fit.at_limit:
            warn_at_limit("bandwidth", self.bandwidth_, "a quarter of the mean spacing to twice the diameter")
        return self

    def _adopt(self) -> None:
        fit = self._fit
        self.bandwidth_, self.fitted_, self.leverages_ = fit.bandwidth, fit.fitted, fit.leverages
        self.loo_residuals_, self.loo_score_, self.dof_ = fit.loo_residuals, fit.loo_score, fit.degrees_of_freedom

    def _saved(self) -> tuple[LocalFit, dict[str, Any]]:
        return self._fit, {}

    def _restore(self, fit: LocalFit, state: dict[str, Any]) -> None:
        self._fit = fit
        self._adopt()

    def _plan(self, X: Any, y: Any = None) -> str:
        kind = "lines" if self._linear else "means"
        passes = "a pass for every bandwidth that is tried" if self.bandwidth == "loo" else "two passes"
        return f"local {kind} with {self.weights} weights: {passes} over the neighborhoods of {len(X)} observations"

    def _predict(self, X: Any) -> np.ndarray:
        points = self._read(X)
        return self._in_units(self._fit.predict(points, **self._options()))


@filled(fitted=FITTED)
class NadarayaWatson(LocalSmoother):
    """The Nadaraya–Watson smoother: a weighted mean around each point.

    Parameters
    ----------
    bandwidth : "loo" or float, default="loo"
        The bandwidth h, or the one of least leave-one-out error.
    weights : {"gaussian", "epanechnikov", "tricube", "uniform", "biweight"}, default="gaussian"
        How weights fall with ``u = ‖x − xᵢ‖/h``; Gaussian weights are ``exp(−u²/2)``.
    random_state, n_jobs, max_memory, verbose
        How to compute.

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> from mercer import NadarayaWatson
    >>> model = NadarayaWatson(2.0, weights="epanechnikov").fit([[0.0], [1.0], [5.0]], [0.0, 7.0, 2.0])
    >>> model.predict([[0.0]]).round(12)  # weights 1 and 3/4
    array([3.])
    """

    _linear = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # A local mean needs neighbors, of which there are few in many columns.
        tags.regressor_tags.poor_score = True
        return tags


@filled(fitted=FITTED)
class LocalLinear(LocalSmoother, OneColumn):
    """The local linear smoother on a line: a weighted least-squares line around each point.

    Its points are of shape (n,) or (n, 1).

    Parameters
    ----------
    bandwidth : "loo" or float, default="loo"
        The bandwidth h, or the one of least leave-one-out error.
    weights : {"gaussian", "epanechnikov", "tricube", "uniform", "biweight"}, default="gaussian"
        How weights fall with ``u = |x − xᵢ|/h``; Gaussian weights are ``exp(−u²/2)``.
    random_state, n_jobs, max_memory, verbose
        How to compute.

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> from mercer import LocalLinear
    >>> model = LocalLinear(2.5, weights="tricube").fit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0])
    >>> model.predict([-1.0]).round(12), model.slope([-1.0]).round(12)
    (array([-1.]), array([2.]))
    """

    _linear = True

    def slope(self, X: Any) -> np.ndarray:
        """Return the slope of the local line at every point.

        Parameters
        ----------
        X : array of shape (n_samples,) or (n_samples, 1)
            Places.

        Returns
        -------
        An array of shape (n_samples,).
        """
        positions = self._read(X)
        scale = 1.0 if self._units is None else float(self._units[1][0])
        return scale * self._fit.slopes(positions, **self._options())
