"""Gaussian process regression."""

from __future__ import annotations

import warnings
from collections import namedtuple
from dataclasses import KW_ONLY
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_array, check_is_fitted

from mercer._covariance import OutsideCovariance, is_kernel_object
from mercer._documents import filled
from mercer._effects import PartialEffect
from mercer._estimator import target_count
from mercer._instances import InstanceScores
from mercer._intervals import INTERVAL, Intervals
from mercer._kernel_names import compiled
from mercer._mercer import CalibratedFit, Function, Objects, SharedProcessFit, jackknife, normal_ends
from mercer._parameters import check_count, parameters
from mercer._process_choices import ALPHA
from mercer._process_fit import ProcessFitting, generator_of, likelihood_at

LeaveOneOut = namedtuple("LeaveOneOut", ["mean", "variance", "log_density"])


@parameters
class GaussianProcessRegressor(MultiOutputMixin, RegressorMixin, Intervals, InstanceScores, ProcessFitting):
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
        Names of parameters that stay as given, for kernels that are not objects: ``"noise"``, ``"lengthscale"``, or one
        of several by its full name, ``"gaussian#2.lengthscale"``.
    free : list of str, optional
        Choices of smoothness that move too, which they do not otherwise: ``"nu"`` of Matérn kernels, ``"hurst"`` of
        Brownian motion, ``"power"`` of a distance, or one of them by its full name, ``"matern#2.nu"``.
    n_inducing : int, optional
        The number of inducing points of a sparse process, ``O(nm²)`` instead of ``O(n³)``; None is the exact process.
    inducing : {"greedy", "random"} or array of shape (m, n_features), default="greedy"
        How ``n_inducing`` rows of the data are chosen, or the inducing points themselves.
    approximation : {"variational", "fitc", "dtc", "sor"}, default="variational"
        The approximation by the inducing points.
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
        The free parameters of the kernel, then ``noise`` where it is free: nothing that is fixed, no noise that is 0 or
        ``alpha``, and a choice of smoothness such as ``matern.nu`` where it is in ``free``. For a kernel object the
        names of its ``theta``.
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

    kernel: Any = None
    noise: float | None = None
    _: KW_ONLY
    alpha: Any = ALPHA
    optimizer: Any = "fmin_l_bfgs_b"
    n_restarts_optimizer: int = 0
    normalize_y: bool = False
    copy_X_train: bool = True
    n_targets: int | None = None
    optimize: bool = True
    fixed: list[str] | None = None
    free: list[str] | None = None
    n_inducing: int | None = None
    inducing: Any = "greedy"
    approximation: str = "variational"
    optimize_inducing: bool = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.target_tags.multi_output = not self._is_sparse()
        tags.target_tags.single_output = True
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags

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
        kernel = self._auto or kernel
        self._forget()
        targets = self._scaled(y)
        rows = self._row_variances(kernel, len(targets))
        if self._is_one_process(kernel, targets):
            self._fit_one(kernel, noise, X, targets)
        elif self._is_sparse():
            raise ValueError("inducing points need one target, one noise variance for all rows and no own optimizer")
        else:
            self._fit_shared(self._covariance_of(kernel, noise, X), X, targets, rows)
        return self

    @filled(interval=INTERVAL)
    def predict(
        self,
        X: Any,
        return_std: bool = False,
        return_cov: bool = False,
        *,
        include_noise: bool = False,
        interval: float | None = None,
        method: str = "auto",
    ) -> Any:
        """Return the posterior mean of ``f``, and its spread; before `fit` those of the prior.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), list of objects, or kernel values with the points of the fit
            New points.
        return_std, return_cov : bool, default=False
            What to give beside the mean, one of them at most.
        include_noise : bool, default=False
            Whether the spread is that of a new observation ``y`` instead of ``f``. The noise of a ``WhiteKernel`` is
            always in the spread, as in scikit-learn.
        interval : float, optional
            The level of intervals, between 0 and 1: the answer is then a tuple ``(prediction, lower, upper)``.
        method : {"auto", "model", "conformal"}, default="auto"
            {interval}

        Returns
        -------
        mean : array of shape (n_samples,) or (n_samples, n_targets)
            The posterior mean.
        std : array of the shape of the mean
            The standard deviations, if ``return_std``.
        cov : array of shape (n_samples, n_samples) or (n_samples, n_samples, n_targets)
            The covariance, if ``return_cov``.
        lower, upper : arrays of the shape of the mean
            The ends of the intervals, if ``interval``.
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        if interval is not None:
            if return_std or return_cov:
                raise ValueError("interval goes neither with return_std nor with return_cov")
            check_is_fitted(self, "kernel_")
            return self._with_interval(X, self.predict(X), interval, method)
        points = self._read_points(X)
        if not hasattr(self, "kernel_"):
            return self._predict_prior(points, return_std, return_cov, include_noise)
        noise = self._new_noise() if include_noise else 0.0
        if return_std:
            means, variances = self._means_and_variances(points)
            return self._outputs(self._in_units(means)), np.sqrt(self._spread(variances + noise))
        mean = self._outputs(self._in_units(self._means(points)))
        if not return_cov:
            return mean
        covariance = self._covariances(points)
        covariance[np.diag_indices_from(covariance)] += noise
        return mean, self._spread(covariance)

    _has_intervals = True

    def _fit_points(self, X: Any) -> Any:
        return self._read_points(X)

    def _model_ends(self, X: Any, level: float) -> list[np.ndarray]:
        if self._posterior is None:
            return super()._model_ends(X, level)
        mean, deviation = self.predict(X, return_std=True, include_noise=True)
        shape = (len(mean), -1)
        return list(normal_ends(mean.reshape(shape), deviation.reshape(shape), level))

    def _closed_form(self) -> CalibratedFit | None:
        """Return jackknife+ of the fit; None without a closed form of leave-one-out."""
        return None if self._posterior is not None else jackknife(self._fit, **self._options())

    def _closed_ends(self, found: CalibratedFit, X: Any, level: float) -> list[np.ndarray]:
        """Return the lower and upper ends of the intervals of jackknife+, a column per target."""
        ends = found.ends(self._read_points(X), level, **self._options())
        return [self._in_units(end) for end in ends]

    def _gathered_scores(self, found: CalibratedFit) -> np.ndarray:
        """Return the absolute leave-one-out residuals, a column per target."""
        return found.scores if self._units is None else found.scores * np.abs(self._units[1])

    def _means(self, points: Any) -> np.ndarray:
        """Return the means in the units of the fit, a column per target."""
        if self._posterior is not None:
            return self._posterior.mean(points, self._options())
        return self._fit.mean(points, **self._options())[:, np.newaxis]

    def _means_and_variances(self, points: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the means and variances in the units of the fit, means with a column per target."""
        if self._posterior is None:
            mean, variance = self._fit.predict(points, **self._options())
            return mean[:, np.newaxis], variance
        self._require_points("standard deviations")
        variance = self._posterior.variance(points, self._options())
        if (variance < 0).any():
            warnings.warn("Predicted variances smaller than 0. Setting those variances to 0.", stacklevel=3)
        return self._means(points), np.maximum(variance, 0.0)

    def _covariances(self, points: Any) -> np.ndarray:
        if self._posterior is None:
            return self._fit.covariance(points, **self._options())
        self._require_points("covariances")
        return self._posterior.covariance(points, self._options())

    def _require_points(self, what: str) -> None:
        if isinstance(self.kernel_, str) and self.kernel_ == "precomputed":
            raise ValueError(
                f"{what} need the kernel values among the new points, which a precomputed kernel does not give: use a "
                "function of two samples as the kernel"
            )

    def _new_noise(self) -> float:
        """Return the noise variance of a new observation."""
        if self._posterior is None:
            return self.noise_
        own, rows = (0.0 if is_kernel_object(self.kernel_) else self.noise_), self._row_noise
        if (rows != rows[0]).any():
            raise ValueError("the rows of the data have different alpha: the noise of a new observation is not known")
        return own + float(rows[0])

    def _outputs(self, values: np.ndarray) -> np.ndarray:
        """Return values of one target without the axis of the targets."""
        return values[..., 0] if values.shape[-1] == 1 else values

    def _spread(self, variance: np.ndarray) -> np.ndarray:
        """Return variances in the units of every target."""
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
        """Return the covariance of the prior, or its diagonal."""
        if is_kernel_object(kernel):
            return kernel.diag(points) if diagonal else kernel(points)
        if self._is_compiled(kernel):
            prior = self._mercer_kernel(kernel, points.shape[1])
            return prior.diag(points, **self._options()) if diagonal else prior(points, **self._options())
        values = OutsideCovariance(kernel, 0.0, []).values(points)
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
        check_count("n_samples", n_samples, 1)
        if hasattr(self, "kernel_") and self._posterior is None:
            points = self._read_points(X)
            return self._in_units(self._fit.sample(points, n_samples, **self._options(random_state=random_state)))
        mean, covariance = self.predict(X, return_cov=True)
        generator = generator_of(random_state)
        if mean.ndim == 1:
            return generator.multivariate_normal(mean, covariance, n_samples).T
        draws = [
            generator.multivariate_normal(mean[:, t], covariance[..., t], n_samples).T for t in range(mean.shape[1])
        ]
        return np.stack(draws, axis=1)

    def log_marginal_likelihood(
        self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> float | tuple[float, np.ndarray]:
        """Return the log marginal likelihood of the data at other parameters.

        Parameters
        ----------
        theta : array, default=None
            The logarithms of the free parameters that are not 0, in the order of ``parameter_names_``
            (``kernel_.theta`` for a kernel object). None is the likelihood of the fit.
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
        covariance, data = self._free_covariance(clone_kernel), self._observations()
        if len(theta) != len(covariance.theta):
            raise ValueError(f"theta: expected {len(covariance.theta)} numbers, found {len(theta)}")
        value, gradient = likelihood_at(covariance, theta, data, eval_gradient)
        return (value, gradient) if eval_gradient else value

    def _plan(self, X: Any, y: Any = None) -> str:
        kernel, noise = self._chosen()
        step = "every step of the optimization" if self._optimizes() else "once"
        targets = target_count(y)
        own = self._is_compiled(kernel) and not callable(self.optimizer) and np.ndim(self.alpha) == 0
        if not own or targets > 1 or (self._has_alpha() and self.noise is not None):
            return f"{step}, a Cholesky factor of {len(X)} rows and {targets} targets: O(n³)"
        objects = self._object_kernel(X)
        if objects is not None:
            points, kernel = Objects(objects, X), objects
        else:
            if hasattr(X, "columns"):
                kernel = compiled(kernel, X.shape[1], None, 3, 1.0).with_column_names([str(name) for name in X.columns])
            points = check_array(X, accept_sparse="csr", dtype=np.float64, order="C")
        noise = float(self.alpha) if self._has_alpha() else noise
        process = self._process(self._mercer_kernel(kernel, points.shape[1]), noise, self._held(self._has_alpha()))
        return f"{step}, {process.plan(points, **self._options())}"

    def leave_one_out(self) -> LeaveOneOut:
        """Return what the others predict of each observation.

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
        """Return the parts of an additive process as effects of their columns, in the units of the fit.

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
            return self.log_marginal_likelihood(self._free_covariance(clone_kernel=False).theta, eval_gradient=True)[1]
        return self._fit.gradient(**self._options())[self._is_free()]

    @cached_property
    def function_(self) -> Function | list[Function]:
        """The posterior mean as a function of the space of the kernel; a list for several targets."""
        check_is_fitted(self, "kernel_")
        if self._posterior is None:
            return self._fit.function(**self._options())
        if self._fit is None:
            raise AttributeError("a kernel whose values Python computes gives no function: use predict")
        count = self._posterior.dual_coefficients.shape[1]
        functions = [self._fit.function(t, **self._options()) for t in range(count)]
        return functions[0] if self.y_train_.ndim == 1 else functions
