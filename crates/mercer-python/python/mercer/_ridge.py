"""Kernel ridge regression."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted

from mercer._centers import CENTERS, Centers, is_single
from mercer._documents import filled
from mercer._effects import PartialEffect
from mercer._estimator import as_given, target_count
from mercer._instances import InstanceScores
from mercer._intervals import INTERVAL, Intervals
from mercer._kernels import KernelEstimator, compiled, is_computed_outside, is_known_by_values, may_be_indefinite
from mercer._mercer import CalibratedFit, Function, Kernel, Ridge, RidgeFit, interval_ends, jackknife
from mercer._parameters import KernelNames, check_kinds, parameters

#: Rows up to which the diagnostics are computed together with the fit.
_EAGER_ROWS = 1000


@parameters
class FittedRidge(MultiOutputMixin, RegressorMixin, Intervals, InstanceScores, KernelNames, KernelEstimator):
    """What a fitted ridge regression offers, however its parameters were chosen."""

    _: KW_ONLY
    fit_intercept: bool = False
    indefinite: bool = False
    gamma: float | None = None

    _takes_sparse = True

    _lazy = ("_diagnosed", "function_", "noise_variance_")
    #: Whether the points were of single precision, and whether the targets were too.
    _single, _narrow = False, False

    def _note_precision(self, X: Any, y: Any) -> None:
        """Remember what comes out in single precision: of points and targets of it, coefficients and predictions."""
        self._single = is_single(X)
        self._narrow = self._single and is_single(y)

    def _kept(self, points: Any) -> Any:
        return as_given(points).astype(np.float32) if self._single else as_given(points)

    @filled(interval=INTERVAL)
    def predict(
        self,
        X: Any,
        null_space: Any = None,
        *,
        return_std: bool = False,
        include_noise: bool = False,
        interval: float | None = None,
        method: str = "auto",
    ) -> Any:
        """Predict ``f(x) + b``, plus the unpenalized functions if the model has any.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New points; for ``kernel="precomputed"`` their kernel values with the points of the fit.
        null_space : array of shape (n_samples, n_functions), optional
            Values of the unpenalized functions at the new points.
        return_std : bool, default=False
            Whether to give standard errors too: those of the Gaussian process whose mean the model is, with its noise
            estimated (``noise_variance_``). Takes a factorization.
        include_noise : bool, default=False
            Whether the standard errors are those of a new observation instead of ``f(x) + b``.
        interval : float, optional
            The level of intervals, between 0 and 1: the answer is then a tuple ``(prediction, lower, upper)``.
        method : {"auto", "model", "conformal"}, default="auto"
            {interval}

        Returns
        -------
        An array of shape (n_samples,) or (n_samples, n_targets); with ``return_std`` a pair of such arrays, with
        ``interval`` three of them.
        """
        if interval is not None:
            if return_std or null_space is not None:
                raise ValueError("interval goes neither with return_std nor with null_space")
            return self._with_interval(X, self.predict(X), interval, method)
        points = self._read(X)
        values = self._values(points, self.X_fit_)
        functions = None if null_space is None else read_functions(null_space, points)
        parts = [fit.predict(values, functions, **self._options()) for _, fit in self._fits]
        mean = self._shaped(self._in_units(self._gathered(parts)))
        mean = mean.astype(np.float32) if self._narrow and is_single(X) else mean
        if not return_std:
            return mean
        errors = [fit.standard_errors(values, functions, include_noise, **self._options()) for _, fit in self._fits]
        scale = 1.0 if self._units is None else np.abs(self._units[1])
        return mean, self._shaped(scale * self._gathered(errors))

    @cached_property
    def noise_variance_(self) -> Any:
        """The estimate ``Σ wᵢrᵢ²/(n − dof)`` of the variance of the noise (at weight 1)."""
        check_is_fitted(self)
        return self._shaped(self._gathered([fit.noise_variance(**self._options()) for _, fit in self._fits]))

    def partial_effects(self, resolution: int = 50, output: int = 0) -> list[PartialEffect]:
        """Return the parts of an additive model as effects of the columns that they depend on, with standard errors.

        Parameters
        ----------
        resolution : int, default=50
            Places along every column of the grids.
        output : int, default=0
            Which target.

        Returns
        -------
        A list of `PartialEffect`, one for each summand.
        """
        check_is_fitted(self)
        positions = [(fit, i) for outputs, fit in self._fits for i, o in enumerate(outputs) if o == output]
        if not positions:
            raise ValueError(f"output = {output} is not allowed: the model has {sum(len(o) for o, _ in self._fits)}")
        fit, position = positions[0]
        return [PartialEffect(**part) for part in fit.partial_effects(position, resolution, **self._options())]

    @property
    def _has_intervals(self) -> bool:
        outside = is_known_by_values(self.kernel)
        return not outside and all(fit.centers is None for _, fit in self._fits)

    def _fit_points(self, X: Any) -> Any:
        return self._values(self._read(X), self.X_fit_)

    def _model_ends(self, X: Any, level: float) -> list[np.ndarray]:
        values = self._fit_points(X)
        return self._gathered_ends([interval_ends(fit, values, level, **self._options()) for _, fit in self._fits])

    def _closed_form(self) -> list[CalibratedFit] | None:
        """Return jackknife+ of every fit; None without a closed form of leave-one-out."""
        found = [jackknife(fit, **self._options()) for _, fit in self._fits]
        return None if any(one is None for one in found) else found

    def _closed_ends(self, found: list[CalibratedFit], X: Any, level: float) -> list[np.ndarray]:
        """Return the lower and upper ends of the intervals of jackknife+, a column per target."""
        values = self._fit_points(X)
        return self._gathered_ends([one.ends(values, level, **self._options()) for one in found])

    def _gathered_ends(self, ends: list[Any]) -> list[np.ndarray]:
        return [self._in_units(self._gathered([pair[i] for pair in ends])) for i in (0, 1)]

    def _gathered_scores(self, found: list[CalibratedFit]) -> np.ndarray:
        """Return the absolute leave-one-out residuals, a column per target."""
        return self._gathered([one.scores for one in found])

    def components(self) -> dict[str, Function]:
        """Return the parts of an additive model: a dict from the text of each summand of the kernel to its function.

        Returns
        -------
        A dict of `mercer.Function`; a list of such dicts for several targets.
        """
        return self.function_.components(**self._options())

    def _has_ready(self, name: str) -> bool:
        if name == "n_iter_":
            return self.trace_missed_ is not None
        if name not in ("dof_", "gcv_"):
            return super()._has_ready(name)
        return "_diagnosed" in self.__dict__ or all(fit.diagnosed for _, fit in self._fits)

    def _adopt(self, fits: list[tuple[np.ndarray, RidgeFit]], flat: bool) -> None:
        """Take over what was fitted: which outputs, and their fit."""
        self._forget()
        self._fits, self._flat = fits, flat
        dual = self._shaped(self._collect("dual_coefficients"))
        self.dual_coef_ = dual.astype(np.float32) if self._narrow else dual
        self.fitted_ = self._shaped(self._collect("fitted"))
        self.norm_ = self._shaped(self._collect("norms"))
        null = self._collect("null_coefficients")
        constant = null[0] if self.fit_intercept else np.zeros(null.shape[1])
        self.intercept_ = self._shaped(constant)
        self.null_coef_ = self._shaped(null[1:] if self.fit_intercept else null)
        first = fits[0][1]
        self.kernel_ = self.kernel if is_computed_outside(self.kernel) else first.kernel
        self.condition_ = first.condition
        self.plan_ = f"{first.plan}\nrun: {first.method}"
        found = first.centers
        self.n_iter_, self.trace_missed_ = (1, None) if found is None else (found[1], found[4])

    def _warn_if_singular(self) -> None:
        for _, fit in self._fits:
            if fit.minimum_norm:
                condition = "" if fit.condition is None else f" (condition about {fit.condition:.1e})"
                message = f"K + alpha·I is singular to working precision{condition}: {fit.method}"
                warnings.warn(message, UserWarning, stacklevel=3)

    def _restore(self, fit: RidgeFit, state: dict[str, Any]) -> None:
        """Become the fit of a model file."""
        self.X_fit_ = fit.points
        outputs = fit.dual_coefficients.shape[1]
        self._adopt([(np.arange(outputs), fit)], flat=state.get("flat", outputs == 1))

    def _saved(self) -> tuple[RidgeFit, dict[str, Any]]:
        """Return what a model file holds, and what beside it makes the estimator."""
        if is_computed_outside(self.kernel):
            raise ValueError(
                "a file cannot hold a kernel that Python computes: use one of the language, or precomputed"
            )
        if len(self._fits) > 1:
            raise ValueError("a file holds one alpha: save a model per target")
        return self._fits[0][1], {"flat": self._flat}

    def _collect(self, name: str) -> np.ndarray:
        return self._gathered([getattr(fit, name) for _, fit in self._fits])

    def _gathered(self, parts: list[np.ndarray]) -> np.ndarray:
        """Put the outputs of several fits side by side, in their order."""
        if len(parts) == 1:
            return parts[0]
        together = np.concatenate(parts, axis=-1)
        order = np.argsort(np.concatenate([outputs for outputs, _ in self._fits]))
        return together[..., order]

    def _shaped(self, values: np.ndarray) -> Any:
        """Return one output the shape that y had."""
        if not self._flat:
            return values
        return values[..., 0] if values.ndim > 1 else float(values[0])

    @cached_property
    def _diagnosed(self) -> list[RidgeFit]:
        """The fits with diagnostics, fitted again where they were left out for speed."""
        if all(fit.diagnosed for _, fit in self._fits):
            return [fit for _, fit in self._fits]
        if any(fit.centers is not None for _, fit in self._fits):
            raise AttributeError("a fit on centers has no leave-one-out residuals: use another solver")
        if not hasattr(self, "_targets"):
            raise AttributeError("the model file does not hold the targets: the diagnostics cannot be computed again")
        solver = "eigen" if self._solver == "eigen" else "cholesky"
        values = self._values(self.X_fit_)
        fits = []
        for outputs, fit in self._fits:
            ridge = Ridge(
                fit.kernel, fit.alpha, intercept=self.fit_intercept, solver=solver, indefinite=self._indefinite
            )
            targets = np.ascontiguousarray(self._targets[:, outputs])
            fits.append(ridge.fit(values, targets, self._weights, self._functions, **self._options()))
        return fits

    def _evidence(self, name: str) -> list[Any]:
        check_is_fitted(self)
        return [getattr(fit, name) for fit in self._diagnosed]

    @property
    def hat_diagonal_(self) -> np.ndarray:
        """The diagonal of the hat matrix, ``∂fitted(xᵢ)/∂yᵢ``; a column per output if each has its own alpha."""
        return self._per_output(self._evidence("hat_diagonal"))

    @property
    def dof_(self) -> Any:
        """The degrees of freedom: the trace of the hat matrix."""
        return self._per_output(self._evidence("degrees_of_freedom"))

    @property
    def loo_residuals_(self) -> np.ndarray:
        """The exact leave-one-out residuals ``yᵢ − f₋ᵢ(xᵢ)``."""
        return self._shaped(self._gathered(self._evidence("loo_residuals")))

    @property
    def gcv_(self) -> Any:
        """Generalized cross-validation ``(RSS/n)/(1 − dof/n)²``."""
        return self._shaped(self._gathered(self._evidence("gcv")))

    def _per_output(self, values: list[Any]) -> Any:
        """Repeat what the outputs of a fit share, where there are several fits."""
        if len(values) == 1:
            return values[0]
        parts = [np.stack([v] * len(outputs), axis=-1) for v, (outputs, _) in zip(values, self._fits, strict=True)]
        return self._gathered(parts)

    @cached_property
    def function_(self) -> Function | list[Function]:
        """The part of the prediction that lies in the space of the kernel; a list for several outputs."""
        check_is_fitted(self)
        if is_known_by_values(self.kernel):
            raise AttributeError("a model on given kernel values has no function: its kernel is only known on the data")
        positions = [(o, fit, i) for outputs, fit in self._fits for i, o in enumerate(outputs)]
        functions = [
            fit.function(i, **self._options()) for _, fit, i in sorted(positions, key=lambda position: position[0])
        ]
        return functions[0] if self._flat else functions


@filled(centers=CENTERS)
@parameters
class KernelRidge(Centers, FittedRidge):
    """Kernel ridge regression: ``min Σ wᵢ(yᵢ − f(xᵢ) − b)² + alpha·‖f‖²``.

    Drop-in replacement for scikit-learn's class of the same name, with additional parameters and attributes.

    Parameters
    ----------
    alpha : float or array of shape (n_targets,), default=1.0
        The regularization, at least 0, beside a *sum* of squares. At 0, or where the matrix is singular to working
        precision, the answer is the least-squares function of least norm, with a warning.
    kernel : text, Kernel, name or callable, default="linear"
        A text or a `mercer.Kernel`; one of scikit-learn's names ``"linear"``, ``"rbf"``, ``"poly"``, ``"sigmoid"``,
        ``"laplacian"``, ``"chi2"`` with ``gamma``, ``degree`` and ``coef0``; ``"precomputed"``; or a function.
    gamma, degree, coef0 : float
        Parameters of the names of scikit-learn. ``gamma=None`` is ``1/n_features``.
    kernel_params : dict, optional
        Keyword arguments of a kernel that is a function of two points.
    solver : {"auto", "cholesky", "mixed", "state_space", "finite_rank", "distinct_points", "grid", "eigen", "cg", \
            "features", "centers"}
        The solver, ``"auto"`` by default; ``explain`` returns its choice. In one column, kernels of Markov processes
        (``matern`` of smoothness 1/2, 3/2 and 5/2, ``wiener``, ``sobolev`` …) are solved in linear time, and so are
        kernels with finitely many features (``linear``, ``polynomial`` on few columns) in any number of columns.
        Points on a grid (one row per cell, some may be missing) are solved by Fourier transforms or Kronecker products.
        Where many rows are equal, they are merged: the answer is the same.
    {centers}
    tol, max_iter : float, int, default=1e-7, 200
        When the iteration on centers stops: at this relative residual, or after so many passes.
    fit_intercept : bool, default=False
        Whether a constant is fitted too, unpenalized.
    indefinite : bool, default=False
        Whether to accept a kernel that is not positive semi-definite. ``"sigmoid"`` implies it.
    random_state, n_jobs, max_memory, max_time, verbose
        How to compute: the seed, threads (all by default), bytes or text such as ``"2GB"``, seconds that ``"auto"`` may
        expect to take, a progress bar. With centers, a matrix of ``float32`` is worked on in single precision.
        Points of ``float32`` are kept as such; with targets of ``float32`` coefficients and predictions are, too.

    Attributes
    ----------
    dual_coef_ : array of shape (n_samples,) or (n_samples, n_targets)
        The coefficients α of ``f = Σ αᵢ k(·, xᵢ)``; of ``f = Σ αⱼ k(·, zⱼ)`` on centers.
    X_fit_ : array
        The points of the fit, or the centers.
    n_iter_ : int
        On centers: passes over the data. 1 for the other solvers.
    trace_missed_ : float or None
        On centers: the share of the kernel's trace that they miss.
    intercept_ : float or array
        The constant, 0 without one.
    null_coef_ : array
        The coefficients of the unpenalized functions.
    fitted_, norm_ : array, float
        ``f(xᵢ) + b``, and ``‖f‖``.
    hat_diagonal_, dof_, loo_residuals_, gcv_
        Diagnostics, exact; above 1000 rows they are computed at their first use, by a second fit.
    noise_variance_ : float or array
        The estimate of the variance of the noise; computed at its first use.
    function_ : mercer.Function
        ``f``; a list for several targets.
    kernel_ : Kernel
        The kernel, with medians and names of columns resolved.
    condition_ : float or None
        An estimate of the condition number of the system.
    plan_ : str
        What was run.

    Examples
    --------
    >>> from mercer import KernelRidge
    >>> model = KernelRidge(alpha=2.0, kernel="linear()").fit([[1.0], [2.0], [1.0]], [1.0, 4.0, 3.0])
    >>> model.predict([[2.0]]).round(12)  # f(x) = bx with b = Σxy/(Σx² + α) = 12/8
    array([3.])
    >>> round(model.dof_, 12), round(model.norm_, 12)
    (0.75, 1.5)
    """

    alpha: Any = 1.0
    _: KW_ONLY
    kernel: Any = "linear"
    tol: float = 1e-7
    max_iter: int = 200

    def fit(self, X: Any, y: Any, sample_weight: Any = None, null_space: Any = None) -> KernelRidge:
        """Fit the model.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points, or for ``kernel="precomputed"`` the matrix of kernel values.
        y : array of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : float or array of shape (n_samples,), optional
            A point of weight m counts as m points.
        null_space : array of shape (n_samples, n_functions), optional
            Values of functions whose coefficients are not penalized: a semi-parametric model.

        Returns
        -------
        The fitted estimator.
        """
        check_kinds(self)
        self._note_precision(X, y)
        X, y = self._read_fit(X, y, multi_output=True)
        self._weights = self._read_weights(sample_weight, X)
        self._functions = None if null_space is None else read_functions(null_space, X)
        self._targets = y.reshape(len(y), -1)
        self._solver, self._indefinite = self.solver, bool(self.indefinite or may_be_indefinite(self.kernel))
        self.X_fit_ = self._kept(X)
        kernel, values = self._compiled_kernel(X.shape[1]), self._values(X)
        fits = []
        for alpha, outputs in self._alphas(self._targets.shape[1]):
            targets = np.ascontiguousarray(self._targets[:, outputs])
            ridge = self._specification(kernel, alpha, X.shape, len(outputs))
            how = self._options(single=self._single and self._on_centers())
            fits.append((outputs, ridge.fit(values, targets, self._weights, self._functions, **how)))
        self._adopt(fits, flat=y.ndim == 1)
        if fits[0][1].centers is not None:
            self.X_fit_ = self._kept(fits[0][1].points)
        self._warn_if_singular()
        self._warn_unless_converged()
        return self

    def _warn_unless_converged(self) -> None:
        for _, fit in self._fits:
            if fit.centers is not None and not fit.centers[3] and self.validation_fraction is None:
                message = f"{fit.method}: raise max_iter or tol"
                warnings.warn(message, ConvergenceWarning, stacklevel=3)

    def _plan(self, X: Any, y: Any = None) -> str:
        rows, columns = self._shape(X)
        targets = target_count(y)
        alpha, outputs = max(self._alphas(targets), key=lambda group: len(group[1]))
        objects = self._object_kernel(X)
        kernel = objects or compiled(self.kernel, columns, self.gamma, self.degree, self.coef0)
        if hasattr(X, "columns"):
            kernel = kernel.with_column_names([str(name) for name in X.columns])
        ridge = self._specification(kernel, alpha, (rows, columns), len(outputs))
        if objects is not None or self._may_be_grid(X):
            return ridge.plan_on(X, len(outputs), **self._options(timed=True))
        return ridge.plan(rows, columns, len(outputs), **self._options(timed=True))

    def _may_be_grid(self, X: Any) -> bool:
        """Whether the values of the points may matter for the plan."""
        numbers = (
            isinstance(X, np.ndarray) and X.dtype.kind == "f" and self.solver in ("auto", "distinct_points", "grid")
        )
        outside = is_known_by_values(self.kernel)
        return numbers and not outside and bool(np.isfinite(X).all())

    def _specification(self, kernel: Kernel, alpha: float, shape: tuple[int, int], outputs: int) -> Ridge:
        """Return what is to be fitted: with diagnostics where they cost little."""
        choices = {
            "intercept": self.fit_intercept,
            "solver": self.solver,
            "centers": self._center_choices(),
            "indefinite": bool(self.indefinite or may_be_indefinite(self.kernel)),
        }
        bare = Ridge(kernel, alpha, diagnostics=False, **choices)
        if self._on_centers():
            return bare
        if shape[0] <= _EAGER_ROWS or self.solver == "eigen" or bare.is_linear_time(*shape, outputs):
            return Ridge(kernel, alpha, **choices)
        return bare

    def _alphas(self, targets: int) -> list[tuple[float, np.ndarray]]:
        """Return the distinct alphas, and the outputs that have them."""
        alpha = np.asarray(self.alpha, dtype=np.float64)
        if alpha.ndim == 0 or alpha.shape == (1,):
            return [(float(alpha.reshape(())), np.arange(targets))]
        if alpha.shape != (targets,):
            raise ValueError(f"alpha must be a number or one number per target ({targets}), found shape {alpha.shape}")
        values, position = np.unique(alpha, return_inverse=True)
        return [(float(value), np.flatnonzero(position == i)) for i, value in enumerate(values)]


def read_functions(null_space: Any, X: np.ndarray) -> np.ndarray:
    """Check the values of unpenalized functions: a row per point."""
    values = check_array(null_space, dtype=np.float64, order="C", ensure_2d=False, input_name="null_space")
    values = values.reshape(-1, 1) if values.ndim == 1 else values
    check_consistent_length(X, values)
    return values
