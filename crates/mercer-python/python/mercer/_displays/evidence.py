"""What a fitted regression holds of its own data, the same for all of them: residuals, leverages, leave-one-out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer._displays.style import fit_points, matrix
from mercer._mercer import cook_distances


@dataclass(frozen=True, eq=False)
class Evidence:
    """Numbers of one target, in its units; an array has an entry per row of the data, None is not known."""

    y: np.ndarray
    fitted: np.ndarray
    points: np.ndarray | None = None
    loo_residuals: np.ndarray | None = None
    loo_std: np.ndarray | None = None
    leverages: np.ndarray | None = None
    dof: float | None = None
    noise: float | None = None

    @property
    def residuals(self) -> np.ndarray:
        """What the fit leaves of the targets."""
        return self.y - self.fitted

    @property
    def standardized(self) -> np.ndarray:
        """Leave-one-out residuals in units of their standard deviations, or plain ones in units of their spread."""
        if self.loo_residuals is not None and self.loo_std is not None:
            return self.loo_residuals / self.loo_std
        left = self.residuals if self.loo_residuals is None else self.loo_residuals
        spread = np.sqrt(np.mean(left**2))
        return left / spread if spread > 0 else left

    @property
    def influence(self) -> np.ndarray:
        """Cook's distances: how far all fitted values move without a row, in units of the noise per degree."""
        return cook_distances(self.residuals, self.leverages, self.dof, self.noise)


def evidence_of(estimator: Any, X: Any = None, y: Any = None, output: int = 0) -> Evidence:
    """Return what is known: of the data of the fit, or of new data, which has no leave-one-out residuals."""
    check_is_fitted(estimator)
    if X is not None and y is not None:
        return _new(estimator, X, y, output)
    if hasattr(estimator, "leave_one_out"):
        return _process(estimator, output)
    if hasattr(estimator, "loo_residuals_"):
        return _smoother(estimator, output)
    name = type(estimator).__name__
    raise ValueError(f"{name} does not hold residuals of its data: give X and y")


def _new(estimator: Any, X: Any, y: Any, output: int) -> Evidence:
    targets, predicted = _column(np.asarray(y, dtype=float), output), _column(estimator.predict(X), output)
    return Evidence(targets, predicted, matrix(X))


def _column(values: Any, output: int) -> np.ndarray:
    values = np.asarray(values, dtype=float)
    return values if values.ndim == 1 else values[:, output]


def _process(estimator: Any, output: int) -> Evidence:
    """Return the evidence of a Gaussian process, whose hat matrix is ``K(K + σ²I)⁻¹``."""
    if getattr(estimator, "inducing_", None) is not None:
        raise ValueError("a process through inducing points has no leave-one-out residuals: give X and y")
    left = estimator.leave_one_out()
    y = _column(estimator._in_units(estimator.y_train_.reshape(len(estimator.y_train_), -1)), output)
    mean, variance = _column(left.mean, output), _column(left.variance, output)
    scale = 1.0 if estimator._units is None else float(np.ravel(estimator._units[1])[output])
    noise = _noise_of(estimator) * scale**2
    leverages = np.clip(1.0 - noise / variance, 0.0, 1.0)
    residuals = y - mean
    return Evidence(
        y=y,
        fitted=y - (1.0 - leverages) * residuals,
        points=matrix(estimator.X_train_),
        loo_residuals=residuals,
        loo_std=np.sqrt(variance),
        leverages=leverages,
        dof=float(leverages.sum()),
        noise=float(np.mean(noise)) or None,
    )


def _noise_of(estimator: Any) -> Any:
    """Return the variance of the noise of every row, in the units of the fit."""
    if estimator._posterior is None:
        return estimator.noise_
    own = 0.0 if hasattr(estimator.kernel_, "theta") else estimator.noise_
    return own + estimator._white + estimator._row_noise


def _smoother(estimator: Any, output: int) -> Evidence:
    """Return the evidence of a linear smoother: ``yᵢ − f(xᵢ) = (1 − hᵢ)·(yᵢ − f₋ᵢ(xᵢ))``."""
    units = getattr(estimator, "_units", None)
    scale = 1.0 if units is None else float(np.ravel(units[1])[output])
    shift = 0.0 if units is None else float(np.ravel(units[0])[output])
    left = scale * _column(estimator.loo_residuals_, output)
    fitted = shift + scale * _column(estimator.fitted_, output)
    leverages = estimator.hat_diagonal_ if hasattr(estimator, "hat_diagonal_") else estimator.leverages_
    leverages = _column(leverages, output)
    dof = float(np.ravel(estimator.dof_)[min(output, np.size(estimator.dof_) - 1)])
    y = fitted + (1.0 - leverages) * left
    noise = _residual_variance(estimator, y - fitted, dof, output, scale)
    weights = getattr(estimator, "_weights", None)
    weights = np.ones_like(y) if weights is None or isinstance(weights, str) else weights
    free = np.clip(1.0 - leverages, 1e-12, None)
    spread = None if not noise else np.sqrt(noise / (np.maximum(weights, 1e-300) * free))
    return Evidence(y, fitted, matrix(fit_points(estimator)), left, spread, leverages, dof, noise or None)


def _residual_variance(estimator: Any, residuals: np.ndarray, dof: float, output: int, scale: float) -> float | None:
    """Return the estimate of the noise variance that the model itself uses, where it has one."""
    for name in ("noise_variance_", "variance_"):
        found = getattr(estimator, name, None)
        if found is not None:
            return float(np.ravel(found)[min(output, np.size(found) - 1)]) * scale**2
    free = len(residuals) - dof
    return float(residuals @ residuals) / free if free > 1e-9 else None
