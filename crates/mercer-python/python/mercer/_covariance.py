"""Covariances of Gaussian processes: kernels with free parameters, evaluated in Rust or Python.

A covariance has ``theta`` (the logarithms of its free parameters), ``bounds`` on it, and ``names``; it gives the
likelihood of data, its gradient by ``theta``, and the posterior. `ObjectCovariance` holds a kernel object with
scikit-learn's interface, `MercerCovariance` a `mercer.Kernel` with a noise variance, `OutsideCovariance` a Python
function or a matrix of kernel values with a noise variance.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels

from mercer._kernel_names import symmetric
from mercer._mercer import Kernel, MatrixEvidence, SharedProcessFit
from mercer._translation import Translation, translate

#: Where the optimization may go with a kernel of Mercer or a noise variance: scikit-learn's default
#: bounds.
BOUNDS = (1e-5, 1e5)


def is_kernel_object(kernel: Any) -> bool:
    """Whether a kernel has scikit-learn's interface: values by a call, free parameters ``theta`` with ``bounds``."""
    return callable(kernel) and hasattr(kernel, "clone_with_theta") and hasattr(kernel, "theta")


@dataclass
class Observations:
    """The data of a fit: points as they were given, targets as columns, a noise variance per row, how to compute."""

    points: Any
    targets: np.ndarray
    noise: np.ndarray
    options: dict[str, Any]

    @property
    def matrix(self) -> Any:
        """The points as a matrix of doubles, or None where they are something else."""
        return as_matrix(self.points)

    def reserve(self, matrices: int) -> None:
        """Raise a ``MemoryError`` if so many matrices of kernel values are more than the limit allows."""
        MatrixEvidence.reserve(matrices * len(self.targets) ** 2, **self.options)


def as_matrix(points: Any) -> Any:
    """Return points as a matrix of doubles, or None where they are something else than numbers; sparse as they are."""
    if issparse(points):
        return points
    array = np.asarray(points)
    return np.ascontiguousarray(array, dtype=np.float64) if array.ndim == 2 and array.dtype.kind in "fiub" else None


class CompiledPosterior:
    """The posterior of a kernel that the compiled part evaluates.

    ``white`` is a variance that the kernel adds to every point but not between samples (scikit-learn's
    ``WhiteKernel``): it is part of the spread of predictions.
    """

    def __init__(self, fit: SharedProcessFit, white: float) -> None:
        self.fit, self.white = fit, white

    @property
    def dual_coefficients(self) -> np.ndarray:
        return self.fit.dual_coefficients

    @property
    def log_marginal_likelihood(self) -> float:
        return self.fit.log_marginal_likelihood

    def mean(self, points: Any, options: dict[str, Any]) -> np.ndarray:
        return self.fit.mean(as_matrix(points), **options)

    def variance(self, points: Any, options: dict[str, Any]) -> np.ndarray:
        return self.fit.variance(as_matrix(points), **options) + self.white

    def covariance(self, points: Any, options: dict[str, Any]) -> np.ndarray:
        covariance = self.fit.covariance(as_matrix(points), **options)
        covariance[np.diag_indices_from(covariance)] += self.white
        return covariance

    def lower(self, options: dict[str, Any]) -> np.ndarray:
        return self.fit.lower(**options)

    def inverse_diagonal(self, options: dict[str, Any]) -> np.ndarray:
        return self.fit.inverse_diagonal(**options)


class MatrixPosterior:
    """The posterior of a kernel whose values Python computes, white noise among them."""

    fit, white = None, 0.0

    def __init__(self, evidence: MatrixEvidence, covariance: Any, points: Any) -> None:
        self._evidence, self._covariance, self._points = evidence, covariance, points
        self.dual_coefficients = evidence.dual_coefficients
        self.log_marginal_likelihood = evidence.log_marginal_likelihood

    def _cross(self, points: Any, options: dict[str, Any], others: int = 0) -> np.ndarray:
        """Give the kernel values between new points and those of the fit, with room for those among the new ones."""
        new = len(points)
        MatrixEvidence.reserve(2 * new * len(self._points) + others * new * new, **options)
        return np.asarray(self._covariance.cross(points, self._points), dtype=np.float64)

    def mean(self, points: Any, options: dict[str, Any]) -> np.ndarray:
        return self._cross(points, options) @ self.dual_coefficients

    def variance(self, points: Any, options: dict[str, Any]) -> np.ndarray:
        explained = self._evidence.explained_variance(self._cross(points, options).T, **options)
        return np.array(self._covariance.diagonal(points), dtype=np.float64) - explained

    def covariance(self, points: Any, options: dict[str, Any]) -> np.ndarray:
        explained = self._evidence.explained(self._cross(points, options, others=2).T, **options)
        return np.asarray(self._covariance.values(points), dtype=np.float64) - explained

    def lower(self, options: dict[str, Any]) -> np.ndarray:
        return self._evidence.lower(**options)

    def inverse_diagonal(self, options: dict[str, Any]) -> np.ndarray:
        return self._evidence.inverse_diagonal(**options)


class ObjectCovariance:
    """A kernel object with scikit-learn's interface.

    Kernels that Mercer has are evaluated by the compiled part; all others by their own ``__call__``.
    """

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self._translations: dict[int, Translation | None] = {}

    def sharing(self, clone_kernel: bool) -> ObjectCovariance:
        """Return the covariance of the kernel, or of a copy of it, that is not translated again."""
        other = ObjectCovariance(clone(self.kernel) if clone_kernel else self.kernel)
        other._translations = self._translations
        return other

    @property
    def theta(self) -> np.ndarray:
        return self.kernel.theta

    @theta.setter
    def theta(self, theta: np.ndarray) -> None:
        self.kernel.theta = theta

    @property
    def bounds(self) -> np.ndarray:
        return self.kernel.bounds

    @property
    def names(self) -> list[str]:
        """The names of ``theta``: those of scikit-learn, with the place in a vector behind them."""
        free = [h for h in self.kernel.hyperparameters if not h.fixed]
        return [
            f"{h.name}[{i}]" if h.n_elements > 1 else h.name for h in free for i in range(max(int(h.n_elements), 1))
        ]

    def translation(self, points: Any) -> Translation | None:
        matrix = as_matrix(points)
        columns = -1 if matrix is None else matrix.shape[1]
        if columns not in self._translations:
            self._translations[columns] = None if columns < 0 else translate(self.kernel, columns)
        return self._translations[columns]

    def values(self, points: Any) -> np.ndarray:
        return self.kernel(points)

    def cross(self, points: Any, others: Any) -> np.ndarray:
        return self.kernel(points, others)

    def diagonal(self, points: Any) -> np.ndarray:
        return self.kernel.diag(points)

    def likelihood(self, data: Observations, gradient: bool) -> tuple[float, np.ndarray] | None:
        """Return the log likelihood and its gradient by ``theta``; None where the matrix is not positive definite."""
        translation = self.translation(data.points)
        if translation is not None:
            return self._compiled_likelihood(translation, data, gradient)
        # The values, their copy with the noise, and a slope per parameter.
        data.reserve(2 + (len(self.theta) if gradient else 0))
        values, slopes = self.kernel(data.points, eval_gradient=True) if gradient else (self.kernel(data.points), None)
        if not np.isfinite(values).all():
            return None
        evidence = MatrixEvidence.of(values, data.targets, data.noise, **data.options)
        if evidence is None:
            return None
        slope = evidence.gradient(slopes, **data.options)[0] if gradient else np.zeros(0)
        return evidence.log_marginal_likelihood, slope

    def _compiled_likelihood(
        self, translation: Translation, data: Observations, gradient: bool
    ) -> tuple[float, np.ndarray] | None:
        theta = self.theta
        kernel, white = translation.at(theta)
        if kernel is None:
            return None
        noise = data.noise + white
        if not gradient:
            fit = SharedProcessFit.fit(kernel, data.matrix, data.targets, noise, **data.options)
            return None if fit is None else (fit.log_marginal_likelihood, np.zeros(0))
        found = SharedProcessFit.likelihood_gradient(
            kernel, data.matrix, data.targets, noise, translation.requested, **data.options
        )
        return None if found is None else (found[0], translation.slopes(theta, *found[1]))

    def posterior(self, data: Observations) -> CompiledPosterior | MatrixPosterior | None:
        """Return the posterior, or None where the matrix is not positive definite."""
        translation = self.translation(data.points)
        if translation is not None:
            kernel, white = translation.at(self.theta)
            if kernel is not None:
                fit = SharedProcessFit.fit(kernel, data.matrix, data.targets, data.noise + white, **data.options)
                return None if fit is None else CompiledPosterior(fit, white)
        data.reserve(2)
        evidence = MatrixEvidence.of(self.kernel(data.points), data.targets, data.noise, **data.options)
        return None if evidence is None else MatrixPosterior(evidence, self, data.points)

    def warn_at_bounds(self) -> None:
        """Warn of every parameter that the optimization left at a bound, in scikit-learn's words."""
        theta, bounds = self.theta, self.bounds
        near = np.isclose(bounds, np.atleast_2d(theta).T) if len(theta) else np.zeros((0, 2), dtype=bool)
        at = 0
        for parameter in (h for h in self.kernel.hyperparameters if not h.fixed):
            for dimension in range(parameter.n_elements):
                for side, word, advice in ((0, "lower", "Decreasing"), (1, "upper", "Increasing")):
                    if near[at, side]:
                        warnings.warn(
                            f"The optimal value found for dimension {dimension} of parameter {parameter.name} is close "
                            f"to the specified {word} bound {parameter.bounds[dimension][side]}. {advice} the bound "
                            "and calling fit again may find a better value.",
                            ConvergenceWarning,
                            stacklevel=5,
                        )
                        break
                at += 1


class _WithNoise:
    """A covariance with a noise variance beside the kernel, in the logarithms of its free parameters."""

    noise: float
    names: list[str]
    theta: np.ndarray

    @property
    def bounds(self) -> np.ndarray:
        low, high = np.log(BOUNDS)
        return np.column_stack([np.minimum(low, self._start), np.maximum(high, self._start)])

    def warn_at_bounds(self) -> None:
        """Warn of every parameter that the optimization left at a bound."""
        for name, value, (low, high) in zip(self.names, self.theta, self.bounds, strict=True):
            for bound, word in ((low, "lower"), (high, "upper")):
                if np.isclose(value, bound):
                    warnings.warn(
                        f"The optimal value found for parameter {name} is close to the {word} bound "
                        f"{np.exp(bound):.3g}: fix it, scale y, or start from another value.",
                        ConvergenceWarning,
                        stacklevel=5,
                    )


def is_named(names: list[str], name: str) -> bool:
    """Whether a list names a parameter, by its full name (``matern.nu``) or by its own (``nu``)."""
    return name in names or name.rpartition(".")[2] in names


class MercerCovariance(_WithNoise):
    """A kernel of Mercer and a noise variance.

    Parameters that are fixed or 0 stay, and so does a choice of smoothness that is not named in ``free``.
    """

    def __init__(self, kernel: Kernel, noise: float, fixed: list[str], free: list[str]) -> None:
        self.kernel, self.noise = kernel, noise
        values = {**kernel.parameters, "noise": noise}
        for what, names in (("fixed", fixed), ("free", free)):
            unknown = [name for name in names if not any(is_named([name], known) for known in values)]
            if unknown:
                raise ValueError(f"{what} = {unknown[0]} is not allowed: it must be one of {', '.join(values)}")
        stay = [name for name in SharedProcessFit.choices(kernel) if not is_named(free, name)]
        self._values = np.array(list(values.values()))
        self._free = np.array(
            [not (name in stay or is_named(fixed, name)) and value > 0 for name, value in values.items()], dtype=bool
        )
        self.names = [name for name, free in zip(values, self._free, strict=True) if free]
        self._start = self.theta

    @property
    def theta(self) -> np.ndarray:
        return np.log(self._values[self._free])

    @theta.setter
    def theta(self, theta: np.ndarray) -> None:
        self._values[self._free] = np.exp(theta)
        self.kernel = self.kernel.with_parameters(self._values[:-1].tolist())
        self.noise = float(self._values[-1])

    def likelihood(self, data: Observations, gradient: bool) -> tuple[float, np.ndarray] | None:
        noise = data.noise + self.noise
        if not gradient:
            fit = SharedProcessFit.fit(self.kernel, data.matrix, data.targets, noise, **data.options)
            return None if fit is None else (fit.log_marginal_likelihood, np.zeros(0))
        requested = self._free[:-1].tolist()
        found = SharedProcessFit.likelihood_gradient(
            self.kernel, data.matrix, data.targets, noise, requested, **data.options
        )
        if found is None:
            return None
        value, (slopes, by_noise) = found
        return value, (np.append(slopes, by_noise) * self._values)[self._free]

    def posterior(self, data: Observations) -> CompiledPosterior | None:
        fit = SharedProcessFit.fit(self.kernel, data.matrix, data.targets, data.noise + self.noise, **data.options)
        return None if fit is None else CompiledPosterior(fit, 0.0)


class OutsideCovariance(_WithNoise):
    """A function of two samples, a name of scikit-learn's, or a matrix of kernel values; and a noise variance."""

    def __init__(self, kernel: Callable[..., Any] | str, noise: float, fixed: list[str]) -> None:
        self.kernel, self.noise, self._fixed = kernel, noise, fixed
        self.names = ["noise"] if noise > 0 and "noise" not in fixed else []
        self._start = self.theta
        self._known: tuple[Any, np.ndarray] | None = None

    @property
    def theta(self) -> np.ndarray:
        return np.log([self.noise]) if self.names else np.zeros(0)

    @theta.setter
    def theta(self, theta: np.ndarray) -> None:
        if self.names:
            self.noise = float(np.exp(theta[0]))

    @property
    def _matrices(self) -> int:
        """How many matrices of kernel values a fit makes: a given one is only copied."""
        return 1 if isinstance(self.kernel, str) and self.kernel == "precomputed" else 2

    def sharing(self, clone_kernel: bool) -> OutsideCovariance:
        """Return the same covariance with a noise of its own; the function is not called again."""
        other = OutsideCovariance(self.kernel, self.noise, self._fixed)
        other._known = self._known
        return other

    def values(self, points: Any) -> np.ndarray:
        """Return the kernel matrix of a sample; the function is called once for the data of a fit."""
        if self._known is None or self._known[0] is not points:
            self._known = (points, symmetric(self.cross(points, points)))
        return self._known[1]

    def cross(self, points: Any, others: Any) -> np.ndarray:
        if not isinstance(self.kernel, str):
            return self.kernel(points, others)
        return points if self.kernel == "precomputed" else pairwise_kernels(points, others, metric=self.kernel)

    def diagonal(self, points: Any) -> np.ndarray:
        return np.array([self.cross(points[i : i + 1], points[i : i + 1])[0, 0] for i in range(len(points))])

    def likelihood(self, data: Observations, gradient: bool) -> tuple[float, np.ndarray] | None:
        data.reserve(self._matrices)
        evidence = MatrixEvidence.of(self.values(data.points), data.targets, data.noise + self.noise, **data.options)
        if evidence is None:
            return None
        count = len(data.targets)
        slopes = np.zeros(0)
        if gradient and self.names:
            slopes = np.array([evidence.gradient(np.zeros((count, count, 0)), **data.options)[1] * self.noise])
        return evidence.log_marginal_likelihood, slopes

    def posterior(self, data: Observations) -> MatrixPosterior | None:
        noise = data.noise + self.noise
        data.reserve(self._matrices)
        evidence = MatrixEvidence.of(self.values(data.points), data.targets, noise, **data.options)
        return None if evidence is None else MatrixPosterior(evidence, self, data.points)
