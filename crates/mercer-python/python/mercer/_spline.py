"""Smoothing splines."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import column_or_1d

from mercer._borders import warn_at_limit
from mercer._documents import filled
from mercer._estimator import OneColumn
from mercer._intervals import INTERVAL, Intervals
from mercer._mercer import Spline, SplineFit
from mercer._parameters import check_count, check_kinds, parameters


@parameters
class SmoothingSpline(RegressorMixin, Intervals, OneColumn):
    """Smoothing spline: ``min Σ wᵢ(yᵢ − f(xᵢ))² + λ∫(f⁽ᵐ⁾)²``, in linear time.

    Parameters
    ----------
    lam : {"gcv", "reml"} or float, default="gcv"
        λ, on the scale of x as given and beside the residual *sum* of squares; or how it is chosen.
    df : float, optional
        Degrees of freedom to reach, instead of ``lam``.
    order : {1, 2, 3}, default=2
        The order m of the derivative in the penalty: 2 is the natural cubic spline.
    period : float, optional
        The period of f.
    random_state, n_jobs, max_memory, verbose
        How to compute.

    Attributes
    ----------
    lam_, dof_, gcv_, reml_ : float
        λ, the trace of the smoother matrix, and the criteria.
    fitted_, leverages_, loo_residuals_ : array
        ``f(xᵢ)``, ``∂f(xᵢ)/∂yᵢ``, and the exact leave-one-out residuals at this λ.
    loo_score_, residual_sum_, roughness_ : float
        Their (weighted) mean square, ``Σ wᵢ(yᵢ − f(xᵢ))²``, and ``∫(f⁽ᵐ⁾)²``.
    knots_ : array
        The distinct x.
    variance_ : float or None
        The estimate of the noise variance; None where the spline interpolates.

    Examples
    --------
    >>> from mercer import SmoothingSpline
    >>> spline = SmoothingSpline(lam=1.0).fit([0.0, 1.0, 2.0], [0.0, 1.0, 0.0])
    >>> spline.predict([1.0]).round(12), spline.predict([1.0], derivative=2).round(12)
    (array([0.4]), array([-0.3]))
    """

    lam: str | float = "gcv"
    _: KW_ONLY
    df: float | None = None
    order: int = 2
    period: float | None = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SmoothingSpline:
        """Fit the spline to points of shape (n,) or (n, 1); tied observations are pooled.

        Parameters
        ----------
        X : array of shape (n_samples,) or (n_samples, 1)
            Places.
        y : array of shape (n_samples,)
            Targets.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows, at least 0.

        Returns
        -------
        The fitted estimator.
        """
        check_kinds(self)
        spline = Spline(self.lam, self.df, self.order, self.period)
        X, y = self._read_fit(X, y, ensure_min_samples=1 if self.period is not None else self.order)
        weights = self._read_weights(sample_weight, X)
        self._fit = spline.fit(X[:, 0], column_or_1d(y, warn=True), weights, **self._options())
        self._adopt()
        if self._fit.at_limit:
            warn_at_limit("lam", self.lam_, "interpolation to the polynomial that is not penalized")
        return self

    def _adopt(self) -> None:
        fit = self._fit
        self.lam_, self.dof_, self.gcv_, self.reml_ = fit.lam, fit.degrees_of_freedom, fit.gcv, fit.reml
        self.fitted_, self.leverages_, self.loo_residuals_ = fit.fitted, fit.leverages, fit.loo_residuals
        self.loo_score_, self.variance_, self.knots_ = fit.loo_score, fit.variance, fit.knots
        self.residual_sum_, self.roughness_ = fit.residual_sum_of_squares, fit.roughness

    def _saved(self) -> tuple[SplineFit, dict[str, Any]]:
        return self._fit, {}

    def _restore(self, fit: SplineFit, state: dict[str, Any]) -> None:
        self._fit = fit
        self._adopt()

    def _plan(self, X: Any, y: Any = None) -> str:
        choice = f"df = {self.df}" if self.df is not None else f"lam = {self.lam}"
        passes = "one pass" if self.df is None and not isinstance(self.lam, str) else "some passes"
        kind = "natural" if self.period is None else "periodic"
        return f"{kind} spline of order {self.order} by {choice}: {passes} over {len(X)} observations, O(n)"

    _has_intervals = True

    @filled(interval=INTERVAL)
    def predict(
        self,
        X: Any,
        derivative: int = 0,
        return_std: bool = False,
        *,
        interval: float | None = None,
        method: str = "auto",
    ) -> Any:
        """Return the spline, or a derivative of it, and the standard errors of the spline.

        Outside the data it continues as a polynomial of degree m − 1.

        Parameters
        ----------
        X : array of shape (n,) or (n, 1)
            Places.
        derivative : int, default=0
            The order of the derivative, at most 2m − 1.
        return_std : bool, default=False
            Whether to give Wahba's standard errors of f too (for ``derivative=0``).
        interval : float, optional
            The level of intervals, between 0 and 1: the answer is then a tuple ``(prediction, lower, upper)``.
        method : {"auto", "model", "conformal"}, default="auto"
            {interval}

        Returns
        -------
        An array of shape (n_samples,); with ``return_std`` a pair of such arrays, with ``interval`` three of them.
        """
        check_count("derivative", derivative, 0)
        if interval is not None:
            if return_std or derivative != 0:
                raise ValueError("interval goes neither with return_std nor with a derivative")
            return self._with_interval(X, self.predict(X), interval, method)
        positions = np.ascontiguousarray(self._read(X)[:, 0])
        if return_std and derivative != 0:
            raise ValueError("standard errors are those of the spline itself: derivative must be 0")
        scale = 1.0 if self._units is None else float(self._units[1][0])
        values = self._fit.predict(positions, derivative)
        values = self._in_units(values) if derivative == 0 else scale * values
        return (values, abs(scale) * self._fit.standard_errors(positions)) if return_std else values
