"""Gaussian process regression."""

from __future__ import annotations

import math
import warnings
from collections import namedtuple
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, column_or_1d

from mercer._effects import PartialEffect
from mercer._estimator import Estimator
from mercer._mercer import Function, GaussianProcess, GaussianProcessFit, Kernel, Ridge

LeaveOneOut = namedtuple("LeaveOneOut", ["mean", "variance", "log_density"])


class GaussianProcessRegressor(RegressorMixin, Estimator):
    """Gaussian process regression: ``y = f(x) + ε`` with ``f ~ GP(0, k)`` and noise of variance σ².

    The posterior mean is `KernelRidge` with ``alpha = σ²``. The parameters of the kernel and the noise are chosen by
    the marginal likelihood; a scale in front of the kernel (``1*gaussian(lengthscale=1)``) is the signal variance.

    Parameters
    ----------
    kernel : text or Kernel, default="1*gaussian(lengthscale=1)"
        The covariance, and the start of the optimisation.
    noise : float, default=0.1
        The variance of the noise, and the start of the optimisation; 0 stays 0.
    optimize : bool, default=True
        Whether to choose the parameters by the marginal likelihood.
    fixed : list of str, optional
        Names from ``parameter_names_`` that stay as given.
    free : list of str, optional
        Choices of smoothness that move too, which they do not otherwise: ``"nu"`` of Matérn kernels, ``"hurst"`` of
        Brownian motion, ``"power"`` of a distance, or one of them by its full name, ``"matern#2.nu"``.
    n_restarts_optimizer : int, default=0
        How many more times the optimisation starts, from points around the first.
    normalize_y : bool, default=False
        Whether y is shifted to mean 0 and scaled to standard deviation 1 before the fit. Predictions and their spread
        are in the units of y; the kernel, the noise and the likelihood are those of the scaled y.
    n_inducing : int, optional
        The number of inducing points of a sparse process, ``O(nm²)`` instead of ``O(n³)``; None is the exact process.
    inducing : {"greedy", "random"} or array of shape (m, n_features), default="greedy"
        How ``n_inducing`` rows of the data are chosen, or the inducing points themselves.
    approximation : {"variational", "fitc", "dtc", "sor"}, default="variational"
        Which process the inducing points stand for.
    optimize_inducing : bool, default=False
        Whether the optimisation moves the inducing points too.
    random_state, n_jobs, max_memory, verbose
        How to compute.

    Attributes
    ----------
    kernel_, noise_
        What was chosen; the noise as a variance.
    log_marginal_likelihood_ : float
        ``−½yᵀA⁻¹y − ½ log det A − (n/2) log 2π`` with ``A = K + σ²I``.
    log_marginal_likelihood_gradient_ : array
        Its gradient by the logarithms of the parameters, in the order of ``parameter_names_``; made at the first use.
    parameter_names_ : list of str
        The parameters of the kernel, then ``noise``; a choice of smoothness such as ``matern.nu`` where it is free.
    alpha_ : array
        ``(K + σ²I)⁻¹y``; None for a sparse process.
    inducing_, trace_left_ : array, float
        The inducing points in use, and what of the variance of the data they leave open; None for an exact process.
    function_ : mercer.Function
        The posterior mean as a function.
    plan_ : str
        How the posterior was found: in one column, kernels of Markov processes take linear time.
    X_train_, y_train_
        The data, scaled if ``normalize_y``. A file of a sparse process does not hold them.

    Examples
    --------
    >>> from mercer import GaussianProcessRegressor
    >>> model = GaussianProcessRegressor("gaussian()", noise=1.0, optimize=False).fit([[0.0]], [2.0])
    >>> mean, std = model.predict([[0.0]], return_std=True)  # mean 2/2, variance 1 − 1/2
    >>> mean.round(12), (std**2).round(12)
    (array([1.]), array([0.5]))
    """

    _lazy = ("log_marginal_likelihood_gradient_", "function_")

    def __init__(
        self,
        kernel: Any = "1*gaussian(lengthscale=1)",
        noise: float = 0.1,
        *,
        optimize: bool = True,
        fixed: list[str] | None = None,
        free: list[str] | None = None,
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        n_inducing: int | None = None,
        inducing: Any = "greedy",
        approximation: str = "variational",
        optimize_inducing: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        max_memory: int | str | None = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.noise = noise
        self.optimize = optimize
        self.fixed = fixed
        self.free = free
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.n_inducing = n_inducing
        self.inducing = inducing
        self.approximation = approximation
        self.optimize_inducing = optimize_inducing
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> GaussianProcessRegressor:
        """Fit the process to one value per row of ``X``."""
        X, y = self._read_fit(X, y)
        y = column_or_1d(y, warn=True)
        kernel, names = Kernel(self.kernel), self._column_names()
        process = self._process(kernel if names is None else kernel.with_column_names(names))
        if self.normalize_y:
            self._units = np.atleast_1d(y.mean()), np.atleast_1d(y.std() or 1.0)
        targets = y if self._units is None else (y - self._units[0]) / self._units[1]
        self._forget()
        self._fit = process.fit(X, targets, **self._options())
        self.X_train_, self.y_train_ = X, targets
        self._adopt()
        self._warn_if_unfinished()
        return self

    def _process(self, kernel: Kernel) -> GaussianProcess:
        """Give what is to be fitted."""
        choices = {
            "optimize": self.optimize,
            "fixed": None if self.fixed is None else list(self.fixed),
            "free": None if self.free is None else list(self.free),
            "restarts": self.n_restarts_optimizer,
        }
        if self.n_inducing is None and isinstance(self.inducing, str):
            return GaussianProcess(kernel, self.noise, **choices)
        return GaussianProcess.sparse(
            kernel,
            self.noise,
            self.inducing,
            self.n_inducing,
            approximation=self.approximation,
            move_inducing=self.optimize_inducing,
            **choices,
        )

    def _saved(self) -> tuple[GaussianProcessFit, dict[str, Any]]:
        return self._fit, {}

    def _restore(self, fit: GaussianProcessFit, state: dict[str, Any]) -> None:
        self._forget()
        self._fit = fit
        if fit.points is not None:
            self.X_train_, self.y_train_ = fit.points, fit.targets
        self._adopt()

    def _warn_if_unfinished(self) -> None:
        if self._fit.optimisation is not None:
            converged, iterations, _, _ = self._fit.optimisation
            if not converged:
                warnings.warn(
                    f"the marginal likelihood was not at its maximum after {iterations} steps: try other starts "
                    "(n_restarts_optimizer), a scaled y, or fixed parameters",
                    ConvergenceWarning,
                    stacklevel=3,
                )

    def _adopt(self) -> None:
        self.kernel_, self.noise_ = self._fit.kernel, self._fit.noise
        self.alpha_ = self._fit.dual_coefficients
        self.inducing_, self.trace_left_ = self._fit.inducing, self._fit.trace_left
        self.log_marginal_likelihood_ = self._fit.log_marginal_likelihood
        self.parameter_names_, self.plan_ = self._fit.parameter_names, self._fit.method
        if self._fit.optimisation is not None:
            self.likelihoods_ = np.array(self._fit.optimisation[2])

    def predict(
        self, X: Any, return_std: bool = False, return_cov: bool = False, *, include_noise: bool = False
    ) -> Any:
        """Give the posterior mean of ``f``, and its standard deviations or its covariance.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New points.
        return_std, return_cov : bool, default=False
            What to give beside the mean, one of them at most.
        include_noise : bool, default=False
            Whether the spread is that of a new observation ``y`` instead of ``f``.
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        points = self._read(X)
        noise, scale = (self.noise_ if include_noise else 0.0), self._scale()
        if return_std:
            mean, variance = self._fit.predict(points, **self._options())
            return self._in_units(mean), scale * np.sqrt(variance + noise)
        mean = self._in_units(self._fit.mean(points, **self._options()))
        if return_cov:
            covariance = self._fit.covariance(points, **self._options())
            return mean, scale**2 * (covariance + noise * np.eye(len(points)) if include_noise else covariance)
        return mean

    def _scale(self) -> float:
        return 1.0 if self._units is None else abs(float(self._units[1][0]))

    def explain(self, X: Any, y: Any = None) -> str:
        """Tell what a fit of this data would run, before it runs.

        Examples
        --------
        >>> import numpy as np
        >>> from mercer import GaussianProcessRegressor
        >>> GaussianProcessRegressor("matern(nu=3/2)").explain(np.zeros((10**6, 1))).partition(":")[0]
        'every step of the optimisation, state space'
        """
        rows, columns = np.shape(X)
        kernel = Kernel(self.kernel)
        if hasattr(X, "columns"):
            kernel = kernel.with_column_names([str(name) for name in X.columns])
        step = "every step of the optimisation" if self.optimize else "once"
        if self.n_inducing is not None or not isinstance(self.inducing, str):
            count = self.n_inducing if isinstance(self.inducing, str) else len(self.inducing)
            return f"{step}, {self.approximation}: {count} inducing points for {rows} rows, O(nm²)"
        # The mean is a ridge regression with the noise as its alpha.
        ridge = Ridge(kernel, self.noise, diagnostics=True)
        linear = ridge.is_linear_time(rows, columns, 1)
        solver = "auto" if linear else "cholesky"
        plan = Ridge(kernel, self.noise, solver=solver).plan(rows, columns, 1, **self._options())
        return f"{step}, {plan}"

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> np.ndarray:
        """Draw functions from the posterior: a row per point of ``X`` and a column per draw."""
        points = self._read(X)
        return self._in_units(self._fit.sample(points, n_samples, **self._options(random_state=random_state)))

    def leave_one_out(self) -> LeaveOneOut:
        """Give what the others say of each observation: mean, variance (with the noise), and the summed log density."""
        check_is_fitted(self)
        (mean, variance), log_density = self._fit.leave_one_out(**self._options())
        scale = self._scale()
        return LeaveOneOut(self._in_units(mean), scale**2 * variance, log_density - len(mean) * math.log(scale))

    def partial_effects(self, resolution: int = 50) -> list[PartialEffect]:
        """Give the parts of an additive process as effects of the columns that they depend on, in the units of the fit.

        Parameters
        ----------
        resolution : int, default=50
            Places along every column of the grids.
        """
        check_is_fitted(self)
        return [PartialEffect(**part) for part in self._fit.partial_effects(resolution, **self._options())]

    @property
    def log_marginal_likelihood_value_(self) -> float:
        """The log marginal likelihood, by scikit-learn's name."""
        return self.log_marginal_likelihood_

    @cached_property
    def log_marginal_likelihood_gradient_(self) -> np.ndarray:
        """The gradient by the logarithms of the parameters (by a parameter itself where it may be negative)."""
        check_is_fitted(self)
        return self._fit.gradient(**self._options())

    @cached_property
    def function_(self) -> Function:
        """The posterior mean as a function of the space of the kernel."""
        check_is_fitted(self)
        return self._fit.function(**self._options())
