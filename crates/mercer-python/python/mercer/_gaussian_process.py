"""Gaussian process regression."""

from __future__ import annotations

import math
import warnings
from collections import namedtuple
from functools import cached_property
from typing import Any

import numpy as np
import scipy.optimize
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.validation import check_is_fitted, check_random_state, validate_data

from mercer._covariance import (
    CompiledPosterior,
    MercerCovariance,
    ObjectCovariance,
    Observations,
    OutsideCovariance,
    is_kernel_object,
    object_covariance,
)
from mercer._effects import PartialEffect
from mercer._estimator import Estimator, target_names
from mercer._kernel_names import compiled, is_computed_outside
from mercer._mercer import Function, GaussianProcess, GaussianProcessFit, Kernel, Ridge, SharedProcessFit
from mercer._translation import kernel_from_plain, kernel_to_plain

LeaveOneOut = namedtuple("LeaveOneOut", ["mean", "variance", "log_density"])

#: The covariance where noise or inducing points are asked for without a kernel, and the noise beside such a kernel.
_KERNEL, _NOISE = "1*gaussian(lengthscale=1)", 0.1
#: scikit-learn's default: a nugget for the condition of the matrix, not a noise.
_ALPHA = 1e-10


class GaussianProcessRegressor(MultiOutputMixin, RegressorMixin, Estimator):
    """Gaussian process regression: ``y = f(x) + ε`` with ``f ~ GP(0, k)`` and noise of variance σ².

    A replacement of scikit-learn's class of this name, with its parameters, attributes and methods; kernel objects of
    scikit-learn are evaluated by the compiled part where Mercer has the kernel, and by themselves otherwise. Kernels of
    Mercer may be given as text, and then a noise variance is estimated beside them. The posterior mean is `KernelRidge`
    with ``alpha = σ²``. The parameters of the kernel and the noise are chosen by the marginal likelihood; a scale in
    front of the kernel (``1*gaussian(lengthscale=1)``) is the signal variance.

    Parameters
    ----------
    kernel : kernel object, text, Kernel, name, callable or "precomputed", default=None
        The covariance, and the start of the optimization.

        - An object with the interface of ``sklearn.gaussian_process.kernels.Kernel``, with bounds of its own. None is
          ``ConstantKernel() * RBF()``, as in scikit-learn, or the text ``1*gaussian(lengthscale=1)`` where ``noise`` or
          inducing points are given.
        - A text or a `mercer.Kernel`, such as ``"1*matern(nu=3/2)"``.
        - A name: ``"rbf"``, ``"linear"``, ``"poly"``, ``"laplacian"``, ``"chi2"``, ``"cosine"``, ….
        - A function of two samples that returns the matrix of kernel values.
        - ``"precomputed"``: ``X`` is the matrix of kernel values, ``(n, n)`` in `fit` and ``(m, n)`` in `predict`.
    noise : float, default=None
        The variance of the noise, and the start of its optimization; 0 stays 0. Not for kernel objects, where
        ``WhiteKernel`` has that part. None is 0.1, or no noise beside ``alpha`` where ``alpha`` is given.
    alpha : float or array of shape (n_samples,), default=1e-10
        Variances that are added to the diagonal of the kernel matrix and stay as they are: a number, or one per row of
        the data. With kernels that are not objects the default is not added.
    optimizer : {"fmin_l_bfgs_b"}, callable or None, default="fmin_l_bfgs_b"
        How to choose the parameters. A function gets ``(obj_func, initial_theta, bounds)`` and returns
        ``(theta_opt, func_min)``; ``obj_func(theta, eval_gradient=True)`` is the negative log marginal likelihood and
        its gradient. None keeps the parameters as given.
    n_restarts_optimizer : int, default=0
        How many more times the optimization starts: within the bounds for kernel objects, else around the first start.
    normalize_y : bool, default=False
        Whether y is shifted to mean 0 and scaled to standard deviation 1 before the fit. Predictions and their spread
        are in the units of y; the kernel, the noise and the likelihood are those of the scaled y.
    copy_X_train : bool, default=True
        Whether ``X_train_`` and ``y_train_`` are copies.
    n_targets : int, default=None
        The number of targets of the prior, and what `fit` checks y against.
    optimize : bool, default=True
        False is ``optimizer=None``.
    fixed : list of str, optional
        Names from ``parameter_names_`` that stay as given, for kernels that are not objects.
    free : list of str, optional
        Choices of smoothness that move too, which they do not otherwise: ``"nu"`` of Matérn kernels, ``"hurst"`` of
        Brownian motion, ``"power"`` of a distance, or one of them by its full name, ``"matern#2.nu"``.
    n_inducing : int, optional
        The number of inducing points of a sparse process, ``O(nm²)`` instead of ``O(n³)``; None is the exact process.
    inducing : {"greedy", "random"} or array of shape (m, n_features), default="greedy"
        How ``n_inducing`` rows of the data are chosen, or the inducing points themselves.
    approximation : {"variational", "fitc", "dtc", "sor"}, default="variational"
        Which process the inducing points stand for.
    optimize_inducing : bool, default=False
        Whether the optimization moves the inducing points too.
    random_state : int, RandomState or None, default=None
        The starts of the optimization, and random inducing points.
    n_jobs : int, optional
        The number of threads; all cores by default.
    max_memory : int or str, optional
        The most bytes to allocate, such as ``"2GB"``.
    verbose : bool, default=False
        Whether to show progress.

    Attributes
    ----------
    kernel_ : of the kind of ``kernel``
        The kernel with the parameters that were chosen: a kernel object, or a `mercer.Kernel`.
    noise_ : float or array
        The variance of the noise that was chosen; ``alpha`` for kernel objects.
    log_marginal_likelihood_, log_marginal_likelihood_value_ : float
        ``−½yᵀA⁻¹y − ½ log det A − (n/2) log 2π`` with ``A = K + σ²I``, summed over the targets.
    log_marginal_likelihood_gradient_ : array
        Its gradient by the logarithms of the parameters, in the order of ``parameter_names_``; made at the first use.
    parameter_names_ : list of str
        The parameters of the kernel, then ``noise``; a choice of smoothness such as ``matern.nu`` where it is free. For
        a kernel object the names of its ``theta``.
    likelihoods_ : array
        The log marginal likelihood that each start of the optimization led to.
    alpha_ : array of shape (n_samples,) or (n_samples, n_targets)
        ``(K + σ²I)⁻¹y``; None for a sparse process.
    L_ : array of shape (n_samples, n_samples)
        The lower Cholesky factor of ``K + σ²I``; made at the first use.
    inducing_, trace_left_ : array, float
        The inducing points in use, and what of the variance of the data they leave open; None for an exact process.
    function_ : mercer.Function
        The posterior mean as a function; a list for several targets. Only for kernels that the compiled part evaluates.
    plan_ : str
        How the posterior was found: in one column, kernels of Markov processes take linear time.
    X_train_ : array of shape (n_samples, n_features), or list of objects
        The points of the data. A file of a sparse process does not hold them.
    y_train_ : array of shape (n_samples,) or (n_samples, n_targets)
        The targets, scaled if ``normalize_y``.

    Examples
    --------
    >>> from mercer import GaussianProcessRegressor
    >>> model = GaussianProcessRegressor("gaussian()", noise=1.0, optimize=False).fit([[0.0]], [2.0])
    >>> mean, std = model.predict([[0.0]], return_std=True)  # mean 2/2, variance 1 − 1/2
    >>> mean.round(12), (std**2).round(12)
    (array([1.]), array([0.5]))

    With a kernel object, as in scikit-learn:

    >>> from sklearn.gaussian_process.kernels import RBF, WhiteKernel
    >>> model = GaussianProcessRegressor(RBF() + WhiteKernel(), optimizer=None).fit([[0.0]], [2.0])
    >>> model.kernel_, model.predict([[0.0]]).round(6)
    (RBF(length_scale=1) + WhiteKernel(noise_level=1), array([1.]))
    """

    _lazy = ("log_marginal_likelihood_gradient_", "function_", "L_")
    #: One target and one noise variance: the fit of the compiled part. Otherwise a covariance with its posterior.
    _fit: GaussianProcessFit | None = None
    _covariance: Any = None
    _posterior: Any = None

    def __init__(
        self,
        kernel: Any = None,
        noise: float | None = None,
        *,
        alpha: Any = _ALPHA,
        optimizer: Any = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        copy_X_train: bool = True,
        n_targets: int | None = None,
        optimize: bool = True,
        fixed: list[str] | None = None,
        free: list[str] | None = None,
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
        self.alpha = alpha
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.copy_X_train = copy_X_train
        self.n_targets = n_targets
        self.optimize = optimize
        self.fixed = fixed
        self.free = free
        self.n_inducing = n_inducing
        self.inducing = inducing
        self.approximation = approximation
        self.optimize_inducing = optimize_inducing
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.target_tags.multi_output = not self._is_sparse()
        tags.target_tags.single_output = True
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags

    # ---- the data and the choices -------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any) -> GaussianProcessRegressor:
        """Fit the process to one value, or several, per row of ``X``.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), list of objects, or matrix of kernel values
            The points of the data.
        y : array of shape (n_samples,) or (n_samples, n_targets)
            The targets. Several share the kernel and its parameters.

        Returns
        -------
        self : GaussianProcessRegressor
            The fitted estimator.
        """
        self._check_choices()
        kernel, noise = self._chosen()
        X, y = self._read_data(kernel, X, y)
        self._forget()
        targets = self._scaled(y)
        alpha = self._row_variances(kernel, len(targets))
        if self._is_one_process(kernel, targets):
            return self._fit_one(kernel, noise, X, targets)
        if self._is_sparse():
            raise ValueError("inducing points need one target, one noise variance for all rows and no own optimizer")
        covariance = self._covariance_of(kernel, noise, X)
        data = Observations(X, targets.reshape(len(targets), -1), alpha, self._options())
        return self._fit_shared(covariance, data, targets)

    def _check_choices(self) -> None:
        """Refuse wrong parameters before any work."""
        try:
            alpha = np.asarray(self.alpha, dtype=np.float64)
        except (TypeError, ValueError):
            alpha = np.array(np.nan)
        if alpha.ndim > 1 or not (np.isfinite(alpha).all() and (alpha >= 0).all()):
            raise ValueError(
                f"alpha = {self.alpha!r} is not allowed: it must be a number, or one per row, finite and at least 0"
            )
        if not (self.optimizer is None or callable(self.optimizer) or self.optimizer == "fmin_l_bfgs_b"):
            raise ValueError(
                f"optimizer = {self.optimizer!r} is not allowed: it must be 'fmin_l_bfgs_b', a function or None"
            )
        for name, least in (("n_restarts_optimizer", 0), ("n_targets", 1)):
            value = getattr(self, name)
            optional = value is None and name == "n_targets"
            if not optional and (isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least):
                raise ValueError(f"{name} = {value!r} is not allowed: it must be a whole number from {least}")

    def _chosen(self) -> tuple[Any, float]:
        """Give the kernel that is used and the noise variance beside it."""
        kernel, sparse = self.kernel, self._is_sparse()
        if kernel is None:
            if self.noise is None and not sparse and self.fixed is None:
                return ConstantKernel() * RBF(), 0.0
            kernel = _KERNEL
        if is_kernel_object(kernel):
            if self.noise is not None:
                raise ValueError(
                    "noise is not for kernel objects: add WhiteKernel(noise_level=noise) to the kernel, or give alpha"
                )
            if self.fixed is not None or self.free is not None:
                raise ValueError('fixed and free are not for kernel objects: give bounds="fixed" to their parameters')
            if sparse:
                raise ValueError(
                    "inducing points need a kernel of Mercer, such as '1*gaussian(lengthscale=1)', not an object"
                )
            return kernel, 0.0
        if self.noise is not None:
            return kernel, self.noise
        return kernel, (0.0 if self._has_alpha() else _NOISE)

    def _has_alpha(self) -> bool:
        """Whether ``alpha`` is more than scikit-learn's default."""
        return np.ndim(self.alpha) > 0 or self.alpha != _ALPHA

    def _is_sparse(self) -> bool:
        return self.n_inducing is not None or not isinstance(self.inducing, str)

    def _is_compiled(self, kernel: Any) -> bool:
        """Whether a kernel is Mercer's, so that the compiled part knows its parameters."""
        outside = isinstance(kernel, str) and kernel == "precomputed"
        return not (is_kernel_object(kernel) or outside or is_computed_outside(kernel))

    def _is_one_process(self, kernel: Any, targets: np.ndarray) -> bool:
        """Whether the compiled part does all of it, also the optimization: one target and one noise variance."""
        if not self._is_compiled(kernel) or callable(self.optimizer) or np.ndim(self.alpha) > 0:
            return False
        return targets.size == len(targets) and not (self._has_alpha() and self.noise is not None)

    def _mercer_kernel(self, kernel: Any, n_features: int) -> Kernel:
        names = self._column_names()
        kernel = compiled(kernel, n_features, None, 3, 1.0)
        return kernel if names is None else kernel.with_column_names(names)

    def _covariance_of(self, kernel: Any, noise: float, X: Any) -> Any:
        """Give the kernel with its free parameters."""
        fixed = list(self.fixed or [])
        if is_kernel_object(kernel):
            return object_covariance(kernel)
        if self._is_compiled(kernel):
            resolved = self._mercer_kernel(kernel, X.shape[1]).resolve(X, **self._options())
            return MercerCovariance(resolved, noise, fixed, list(self.free or []))
        return OutsideCovariance(self._outside(kernel), noise, fixed)

    @staticmethod
    def _outside(kernel: Any) -> Any:
        if isinstance(kernel, str) and kernel != "precomputed":
            return _Pairwise(kernel)
        return kernel

    def _read_data(self, kernel: Any, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """Check the data; numbers keep their type for kernel objects, as in scikit-learn."""
        if self._is_compiled(kernel):
            X, y = self._read_fit(X, y, multi_output=True)
        else:
            self._target_names, self._units, self._inputs = target_names(y), None, None
            X, y = validate_data(self, X, y, multi_output=True, y_numeric=True, **self._form(kernel, X))
            y = np.asarray(y, dtype=np.float64)
        seen = y.shape[1] if y.ndim > 1 else 1
        if self.n_targets is not None and seen != self.n_targets:
            raise ValueError(
                "The number of targets seen in `y` is different from the parameter `n_targets`. "
                f"Got {seen} != {self.n_targets}."
            )
        return X, y

    @staticmethod
    def _form(kernel: Any, X: Any) -> dict[str, Any]:
        """Give what is required of points: a matrix of numbers, or for kernels on other objects anything."""
        vectors = getattr(kernel, "requires_vector_input", True)
        if not is_kernel_object(kernel) and callable(kernel) and not hasattr(X, "columns"):
            vectors = np.asarray(X).dtype.kind not in "OUS"
        return {"dtype": "numeric", "ensure_2d": True} if vectors else {"dtype": None, "ensure_2d": False}

    def _read_points(self, X: Any) -> Any:
        """Check new points against those of the fit, or as the first ones where there was none."""
        kernel, _ = self._chosen()
        if self._inputs is not None:
            return self._encoded(X)
        if self._is_compiled(kernel):
            return validate_data(self, X, dtype=np.float64, order="C", reset=False)
        return validate_data(self, X, reset=False, **self._form(kernel, X))

    def _scaled(self, y: np.ndarray) -> np.ndarray:
        """Give the targets in the units of the fit."""
        if not self.normalize_y:
            return y
        mean, scale = y.mean(axis=0), np.atleast_1d(y.std(axis=0))
        # A constant has rounding errors for a standard deviation.
        scale[scale <= 10 * np.finfo(np.float64).eps * np.abs(y).max(axis=0)] = 1.0
        self._units = np.atleast_1d(mean), scale
        return (y - self._units[0]) / self._units[1]

    def _row_variances(self, kernel: Any, rows: int) -> np.ndarray:
        """Give what is added to the diagonal beside the noise."""
        alpha = np.asarray(self.alpha, dtype=np.float64)
        if alpha.ndim == 1 and len(alpha) not in (1, rows):
            raise ValueError(
                f"alpha must be a scalar or an array with same number of entries as y. ({len(alpha)} != {rows})"
            )
        own = is_kernel_object(kernel) or self._has_alpha()
        return np.full(rows, alpha.reshape(-1) if own else 0.0)

    # ---- the fit ------------------------------------------------------------------------------------------------

    def _fit_one(self, kernel: Any, noise: float, X: np.ndarray, targets: np.ndarray) -> GaussianProcessRegressor:
        """Fit one target with one noise variance: all of it in the compiled part."""
        mercer_kernel = self._mercer_kernel(kernel, X.shape[1])
        fixed = list(self.fixed or [])
        if self._has_alpha():
            noise, fixed = float(self.alpha), [*fixed, "noise"]
        process = self._process(mercer_kernel, noise, fixed)
        self._posterior = self._covariance = None
        self._fit = process.fit(X, targets.reshape(-1), **self._options())
        self._keep(X, targets)
        self._adopt()
        self._warn_if_unfinished()
        return self

    def _process(self, kernel: Kernel, noise: float, fixed: list[str]) -> GaussianProcess:
        """Give what is to be fitted."""
        choices = {
            "optimize": bool(self.optimize) and self.optimizer is not None,
            "fixed": fixed,
            "free": list(self.free or []),
            "restarts": self.n_restarts_optimizer,
        }
        if not self._is_sparse():
            return GaussianProcess(kernel, noise, **choices)
        return GaussianProcess.sparse(
            kernel,
            noise,
            self.inducing,
            self.n_inducing,
            approximation=self.approximation,
            move_inducing=self.optimize_inducing,
            **choices,
        )

    def _fit_shared(self, covariance: Any, data: Observations, targets: np.ndarray) -> GaussianProcessRegressor:
        """Fit any kernel and targets at the parameters that the optimizer finds."""
        self._fit, self._covariance = None, covariance
        self.kernel_ = covariance.kernel
        self._keep(data.points, targets)
        data.points = self.X_train_
        self.__dict__.pop("likelihoods_", None)
        if self.optimize and self.optimizer is not None and len(covariance.theta) > 0:
            self._optimize(covariance, data)
        self._posterior = covariance.posterior(data)
        if self._posterior is None:
            raise np.linalg.LinAlgError(
                f"The kernel, {covariance.kernel}, is not returning a positive definite matrix. Try gradually "
                "increasing the 'alpha' parameter of your GaussianProcessRegressor estimator."
            )
        self._adopt_shared()
        return self

    def _keep(self, X: Any, targets: np.ndarray) -> None:
        copied = np.array if self.copy_X_train else np.asarray
        self.X_train_, self.y_train_ = copied(X), copied(targets)

    def _optimize(self, covariance: Any, data: Observations) -> None:
        """Move the parameters to the largest likelihood that the optimizer finds from several starts."""

        def objective(theta: np.ndarray, eval_gradient: bool = True) -> Any:
            value, gradient = _likelihood(covariance, theta, data, eval_gradient)
            return (-value, -gradient) if eval_gradient else -value

        start, bounds = np.array(covariance.theta), covariance.bounds
        optima = [self._constrained_optimization(objective, start, bounds)]
        if self.n_restarts_optimizer > 0:
            if not np.isfinite(bounds).all():
                raise ValueError(
                    "Multiple optimizer restarts (n_restarts_optimizer>0) requires that all bounds are finite."
                )
            generator = _generator(self.random_state)
            for _ in range(self.n_restarts_optimizer):
                start = generator.uniform(bounds[:, 0], bounds[:, 1])
                optima.append(self._constrained_optimization(objective, start, bounds))
        values = np.array([value for _, value in optima], dtype=np.float64)
        covariance.theta = optima[int(np.argmin(values))][0]
        covariance.warn_at_bounds()
        self.likelihoods_ = -values

    def _constrained_optimization(self, obj_func: Any, initial_theta: Any, bounds: Any) -> tuple[np.ndarray, float]:
        """Minimize from one start; a subclass may do so in its own way."""
        if callable(self.optimizer):
            return self.optimizer(obj_func, initial_theta, bounds=bounds)
        found = scipy.optimize.minimize(obj_func, initial_theta, method="L-BFGS-B", jac=True, bounds=bounds)
        if found.status != 0:
            warnings.warn(
                f"lbfgs failed to converge (status={found.status}): {found.message} Try other starts "
                "(n_restarts_optimizer), a scaled y, or fixed parameters.",
                ConvergenceWarning,
                stacklevel=5,
            )
        return found.x, found.fun

    def _warn_if_unfinished(self) -> None:
        if self._fit.optimisation is not None:
            converged, iterations, _, _ = self._fit.optimisation
            if not converged:
                warnings.warn(
                    f"the marginal likelihood was not at its maximum after {iterations} steps: try other starts "
                    "(n_restarts_optimizer), a scaled y, or fixed parameters",
                    ConvergenceWarning,
                    stacklevel=4,
                )

    def _adopt(self) -> None:
        self.kernel_, self.noise_ = self._fit.kernel, self._fit.noise
        self.alpha_ = self._fit.dual_coefficients
        if self.alpha_ is not None and getattr(self, "y_train_", self.alpha_).ndim == 2:
            self.alpha_ = self.alpha_[:, np.newaxis]
        self.inducing_, self.trace_left_ = self._fit.inducing, self._fit.trace_left
        self.log_marginal_likelihood_ = self.log_marginal_likelihood_value_ = self._fit.log_marginal_likelihood
        self.parameter_names_, self.plan_ = self._fit.parameter_names, self._fit.method
        self.__dict__.pop("likelihoods_", None)
        if self._fit.optimisation is not None:
            self.likelihoods_ = np.array(self._fit.optimisation[2])

    def _adopt_shared(self) -> None:
        posterior, covariance = self._posterior, self._covariance
        self.kernel_ = covariance.kernel
        self.noise_ = covariance.noise if hasattr(covariance, "noise") else self.alpha
        coefficients = posterior.dual_coefficients
        self.alpha_ = coefficients[:, 0] if self.y_train_.ndim == 1 else coefficients
        self.inducing_ = self.trace_left_ = None
        self.log_marginal_likelihood_ = self.log_marginal_likelihood_value_ = posterior.log_marginal_likelihood
        self.parameter_names_ = list(self._at_likelihood(clone_kernel=False).names)
        self.plan_ = "Cholesky factor: O(n³)"

    # ---- model files --------------------------------------------------------------------------------------------

    def _saved(self) -> tuple[Any, dict[str, Any]]:
        check_is_fitted(self, "kernel_")
        if callable(self.optimizer):
            raise TypeError("the optimizer is a Python function, which no model file can hold: set optimizer=None")
        if self._posterior is None:
            return self._fit, {}
        if not isinstance(self._posterior, CompiledPosterior):
            raise TypeError(
                f"the kernel {self.kernel_!r} is computed by Python, which no model file can hold: use pickle, or a "
                "kernel that Mercer has"
            )
        state: dict[str, Any] = {"flat": self.y_train_.ndim == 1, "white": self._posterior.white}
        if isinstance(self._covariance, ObjectCovariance):
            state["kernel"] = kernel_to_plain(self.kernel_)
        else:
            state["noise"] = self._covariance.noise
        return self._posterior.fit, state

    def _restore(self, fit: Any, state: dict[str, Any]) -> None:
        self._forget()
        if isinstance(fit, GaussianProcessFit):
            self._fit, self._posterior, self._covariance = fit, None, None
            if fit.points is not None:
                self.X_train_, self.y_train_ = fit.points, fit.targets
            self._adopt()
            return
        self._fit, self._posterior = None, CompiledPosterior(fit, state.get("white", 0.0))
        targets = fit.targets
        self.X_train_, self.y_train_ = fit.points, targets[:, 0] if state.get("flat", False) else targets
        if "kernel" in state:
            self._covariance = ObjectCovariance(kernel_from_plain(state["kernel"]))
        else:
            self._covariance = MercerCovariance(fit.kernel, state.get("noise", 0.0), [], list(self.free or []))
        self._adopt_shared()

    # ---- predictions --------------------------------------------------------------------------------------------

    def predict(
        self, X: Any, return_std: bool = False, return_cov: bool = False, *, include_noise: bool = False
    ) -> Any:
        """Give the posterior mean of ``f``, and its spread; before `fit` those of the prior.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), list of objects, or kernel values with the points of the fit
            New points.
        return_std, return_cov : bool, default=False
            What to give beside the mean, one of them at most.
        include_noise : bool, default=False
            Whether the spread is that of a new observation ``y`` instead of ``f``. The noise of a ``WhiteKernel`` is
            always in the spread, as in scikit-learn.

        Returns
        -------
        mean : array of shape (n_samples,) or (n_samples, n_targets)
            The posterior mean.
        std : array of the shape of the mean
            The standard deviations, if ``return_std``.
        cov : array of shape (n_samples, n_samples) or (n_samples, n_samples, n_targets)
            The covariance, if ``return_cov``.
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        points = self._read_points(X)
        if not hasattr(self, "kernel_"):
            return self._predict_prior(points, return_std, return_cov, include_noise)
        mean = self._outputs(self._in_units(self._means(points)))
        if not (return_std or return_cov):
            return mean
        noise = self._new_noise() if include_noise else 0.0
        if return_std:
            return mean, np.sqrt(self._spread(self._variances(points) + noise))
        covariance = self._covariances(points)
        covariance[np.diag_indices_from(covariance)] += noise
        return mean, self._spread(covariance)

    def _means(self, points: Any) -> np.ndarray:
        """Give the means in the units of the fit, a column per target."""
        if self._posterior is not None:
            return self._posterior.mean(points, self._options())
        return self._fit.mean(points, **self._options())[:, np.newaxis]

    def _variances(self, points: Any) -> np.ndarray:
        if self._posterior is None:
            return self._fit.predict(points, **self._options())[1]
        self._require_points("standard deviations")
        variance = self._posterior.variance(points, self._options())
        if (variance < 0).any():
            warnings.warn("Predicted variances smaller than 0. Setting those variances to 0.", stacklevel=3)
        return np.maximum(variance, 0.0)

    def _covariances(self, points: Any) -> np.ndarray:
        if self._posterior is None:
            return self._fit.covariance(points, **self._options())
        self._require_points("covariances")
        return self._posterior.covariance(points, self._options())

    def _require_points(self, what: str) -> None:
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError(
                f"{what} need the kernel values among the new points, which a precomputed kernel does not give: use a "
                "function of two samples as the kernel"
            )

    def _new_noise(self) -> float:
        """Give the noise variance of a new observation."""
        if self._posterior is None:
            return self.noise_
        own = 0.0 if isinstance(self._covariance, ObjectCovariance) else self._covariance.noise
        rows = self._row_variances(self._chosen()[0], len(self.y_train_))
        if rows.size > 1 and (rows != rows[0]).any():
            raise ValueError("the rows of the data have different alpha: the noise of a new observation is not known")
        return own + float(rows[0])

    def _outputs(self, values: np.ndarray) -> np.ndarray:
        """Give values of one target without the axis of the targets."""
        return values[..., 0] if values.shape[-1] == 1 else values

    def _spread(self, variance: np.ndarray) -> np.ndarray:
        """Give variances in the units of every target."""
        count = self.alpha_.shape[1] if np.ndim(self.alpha_) == 2 else 1
        scale = np.ones(count) if self._units is None else self._units[1]
        return self._outputs(variance[..., np.newaxis] * scale**2)

    def _predict_prior(self, points: Any, return_std: bool, return_cov: bool, include_noise: bool) -> Any:
        kernel, noise = self._chosen()
        count = self.n_targets or 1
        mean = self._outputs(np.zeros((len(points), count)))
        if not (return_std or return_cov):
            return mean
        own = float(np.max(self._row_variances(kernel, 1))) if np.ndim(self.alpha) == 0 else 0.0
        extra = noise + own if include_noise else 0.0
        if return_std:
            variance = np.array(self._prior(kernel, points, diagonal=True), dtype=np.float64) + extra
            return mean, self._outputs(np.repeat(np.sqrt(variance)[:, np.newaxis], count, axis=-1))
        covariance = np.array(self._prior(kernel, points, diagonal=False), dtype=np.float64)
        covariance[np.diag_indices_from(covariance)] += extra
        return mean, self._outputs(np.repeat(covariance[..., np.newaxis], count, axis=-1))

    def _prior(self, kernel: Any, points: Any, diagonal: bool) -> np.ndarray:
        """Give the covariance of the prior, or its diagonal."""
        if is_kernel_object(kernel):
            return kernel.diag(points) if diagonal else kernel(points)
        if self._is_compiled(kernel):
            prior = self._mercer_kernel(kernel, points.shape[1])
            return prior.diag(points, **self._options()) if diagonal else prior(points, **self._options())
        values = OutsideCovariance(self._outside(kernel), 0.0, []).values(points)
        return values.diagonal() if diagonal else values

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> np.ndarray:
        """Draw functions from the posterior, or from the prior before `fit`.

        Parameters
        ----------
        X : array of shape (n_samples_X, n_features) or list of objects
            Points.
        n_samples : int, default=1
            How many functions.
        random_state : int, RandomState, Generator or None, default=0
            Where the randomness comes from.

        Returns
        -------
        samples : array of shape (n_samples_X, n_samples) or (n_samples_X, n_targets, n_samples)
            A row per point and a column per function.
        """
        if hasattr(self, "kernel_") and self._posterior is None:
            points = self._read_points(X)
            return self._in_units(self._fit.sample(points, n_samples, **self._options(random_state=random_state)))
        mean, covariance = self.predict(X, return_cov=True)
        generator = _generator(random_state)
        if mean.ndim == 1:
            return generator.multivariate_normal(mean, covariance, n_samples).T
        draws = [
            generator.multivariate_normal(mean[:, t], covariance[..., t], n_samples).T for t in range(mean.shape[1])
        ]
        return np.stack(draws, axis=1)

    # ---- the likelihood -----------------------------------------------------------------------------------------

    def log_marginal_likelihood(
        self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> float | tuple[float, np.ndarray]:
        """Give the log marginal likelihood of the data at other parameters.

        Parameters
        ----------
        theta : array, default=None
            The logarithms of the parameters that are not 0, in the order of ``parameter_names_`` (``kernel_.theta`` for
            a kernel object). None is the likelihood of the fit.
        eval_gradient : bool, default=False
            Whether to give the gradient by ``theta`` too.
        clone_kernel : bool, default=True
            Whether a kernel object is copied; otherwise ``kernel_`` itself changes its parameters.

        Returns
        -------
        log_likelihood : float
            The log marginal likelihood, summed over the targets; −∞ where the matrix is not positive definite.
        gradient : array of the shape of ``theta``
            Its gradient, if ``eval_gradient``.
        """
        check_is_fitted(self, "kernel_")
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            return self.log_marginal_likelihood_value_
        theta = np.asarray(theta, dtype=np.float64)
        covariance, data = self._at_likelihood(clone_kernel), self._observations()
        if len(theta) != len(covariance.theta):
            raise ValueError(f"theta: expected {len(covariance.theta)} numbers, found {len(theta)}")
        value, gradient = _likelihood(covariance, theta, data, eval_gradient)
        return (value, gradient) if eval_gradient else value

    def _at_likelihood(self, clone_kernel: bool) -> Any:
        """Give a covariance whose ``theta`` may be changed."""
        if isinstance(self._covariance, ObjectCovariance):
            kernel = self.kernel_.clone_with_theta(self.kernel_.theta) if clone_kernel else self.kernel_
            return self._covariance.sharing(kernel)
        if isinstance(self._covariance, OutsideCovariance):
            return self._covariance.sharing()
        if self.inducing_ is not None:
            raise ValueError("a process through inducing points has no likelihood at other parameters")
        return MercerCovariance(self.kernel_, self.noise_, [], list(self.free or []))

    def _observations(self) -> Observations:
        targets = self.y_train_.reshape(len(self.y_train_), -1)
        if self._posterior is None:
            return Observations(self.X_train_, targets, np.zeros(len(targets)), self._options())
        rows = self._row_variances(self._chosen()[0], len(targets))
        return Observations(self.X_train_, targets, rows, self._options())

    def explain(self, X: Any, y: Any = None) -> str:
        """Give what a fit of this data would run, before it runs.

        Examples
        --------
        >>> import numpy as np
        >>> from mercer import GaussianProcessRegressor
        >>> GaussianProcessRegressor("matern(nu=3/2)").explain(np.zeros((10**6, 1))).partition(":")[0]
        'every step of the optimisation, state space'
        """
        kernel, noise = self._chosen()
        optimizes = self.optimize and self.optimizer is not None
        step = "every step of the optimisation" if optimizes else "once"
        targets = 1 if y is None or np.ndim(y) == 1 else np.shape(y)[1]
        if not self._is_compiled(kernel):
            return f"{step}, a Cholesky factor of {len(X)} rows and {targets} targets: O(n³)"
        rows, columns = np.shape(X)
        kernel = compiled(kernel, columns, None, 3, 1.0)
        if hasattr(X, "columns"):
            kernel = kernel.with_column_names([str(name) for name in X.columns])
        if self._is_sparse():
            count = self.n_inducing if isinstance(self.inducing, str) else len(self.inducing)
            return f"{step}, {self.approximation}: {count} inducing points for {rows} rows, O(nm²)"
        # The mean is a ridge regression with the noise as its alpha.
        noise = float(self.alpha) if self._has_alpha() and np.ndim(self.alpha) == 0 else noise
        ridge = Ridge(kernel, noise, diagnostics=True)
        linear = targets == 1 and np.ndim(self.alpha) == 0 and ridge.is_linear_time(rows, columns, 1)
        solver = "auto" if linear else "cholesky"
        plan = Ridge(kernel, noise, solver=solver).plan(rows, columns, targets, **self._options())
        return f"{step}, {plan}"

    def leave_one_out(self) -> LeaveOneOut:
        """Give what the others predict of each observation.

        Returns
        -------
        mean : array of the shape of y
            The expectation of each observation given the others.
        variance : array of the shape of y
            Its variance, with the noise.
        log_density : float
            The sum of the log densities.
        """
        check_is_fitted(self, "kernel_")
        if self._posterior is None:
            (mean, variance), log_density = self._fit.leave_one_out(**self._options())
            mean, variance = mean[:, np.newaxis], variance
        else:
            variance = 1.0 / self._posterior.inverse_diagonal(self._options())
            residual = self._posterior.dual_coefficients * variance[:, np.newaxis]
            mean = self.y_train_.reshape(residual.shape) - residual
            log_density = -0.5 * float(
                (residual**2 / variance[:, np.newaxis] + np.log(2 * np.pi * variance[:, np.newaxis])).sum()
            )
        scale = np.ones(1) if self._units is None else self._units[1]
        shift = len(mean) * float(np.log(np.broadcast_to(scale, mean.shape[1:])).sum())
        return LeaveOneOut(self._outputs(self._in_units(mean)), self._spread(variance), log_density - shift)

    def partial_effects(self, resolution: int = 50) -> list[PartialEffect]:
        """Give the parts of an additive process as effects of the columns that they depend on, in the units of the fit.

        Parameters
        ----------
        resolution : int, default=50
            Points along every column of the grids.

        Returns
        -------
        effects : list of PartialEffect
            One per term of the kernel.
        """
        check_is_fitted(self, "kernel_")
        if self._posterior is not None:
            raise ValueError("partial effects need a kernel of Mercer, one target and one noise variance")
        return [PartialEffect(**part) for part in self._fit.partial_effects(resolution, **self._options())]

    @property
    def _y_train_mean(self) -> Any:
        """The shift of y, by scikit-learn's name."""
        return self._unit(0, 0.0)

    @property
    def _y_train_std(self) -> Any:
        """The scale of y, by scikit-learn's name."""
        return self._unit(1, 1.0)

    def _unit(self, which: int, default: float) -> Any:
        count = 1 if self.y_train_.ndim == 1 else self.y_train_.shape[1]
        values = np.full(count, default) if self._units is None else self._units[which]
        return values[0] if self.y_train_.ndim == 1 else values

    @cached_property
    def L_(self) -> np.ndarray:
        """The lower Cholesky factor of the covariance matrix of the data."""
        check_is_fitted(self, "kernel_")
        if self._posterior is not None:
            return self._posterior.lower(self._options())
        if self.inducing_ is not None:
            raise AttributeError("a process through inducing points has no Cholesky factor of the data")
        noise = np.full(len(self.y_train_), self.noise_)
        fit = SharedProcessFit.fit(self.kernel_, self.X_train_, self.y_train_, noise, **self._options())
        if fit is None:
            raise AttributeError("the covariance matrix of the data has no Cholesky factor to working precision")
        return fit.lower(**self._options())

    @cached_property
    def log_marginal_likelihood_gradient_(self) -> np.ndarray:
        """The gradient by the logarithms of the parameters (by a parameter itself where it may be negative)."""
        check_is_fitted(self, "kernel_")
        if self._posterior is not None:
            return self.log_marginal_likelihood(self._at_likelihood(clone_kernel=False).theta, eval_gradient=True)[1]
        return self._fit.gradient(**self._options())

    @cached_property
    def function_(self) -> Function | list[Function]:
        """The posterior mean as a function of the space of the kernel; a list for several targets."""
        check_is_fitted(self, "kernel_")
        if self._posterior is None:
            return self._fit.function(**self._options())
        if not isinstance(self._posterior, CompiledPosterior):
            raise AttributeError("a kernel whose values Python computes gives no function: use predict")
        count = self._posterior.dual_coefficients.shape[1]
        functions = [self._posterior.fit.function(t, **self._options()) for t in range(count)]
        return functions[0] if self.y_train_.ndim == 1 else functions


class _Pairwise:
    """A kernel of scikit-learn by its name, as a function of two samples that can be pickled."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, X: Any, Y: Any) -> np.ndarray:
        return pairwise_kernels(X, Y, metric=self.name)

    def __repr__(self) -> str:
        return repr(self.name)


def _likelihood(
    covariance: Any, theta: np.ndarray, data: Observations, eval_gradient: bool
) -> tuple[float, np.ndarray]:
    """Give the log likelihood and its gradient at ``theta``: −∞ and 0 where the matrix is not positive definite."""
    nothing = (-math.inf, np.zeros_like(theta))
    try:
        covariance.theta = theta
    except ValueError:
        return nothing
    found = covariance.likelihood(data, eval_gradient)
    return nothing if found is None else found


def _generator(random_state: Any) -> Any:
    """Give a source of random numbers; numpy's generators are used as they are."""
    return random_state if isinstance(random_state, np.random.Generator) else check_random_state(random_state)
