"""The fit of a Gaussian process: by the compiled part, or at the parameters that an optimizer finds."""

from __future__ import annotations

import contextlib
import warnings
from functools import cached_property
from typing import Any

import numpy as np
import scipy.optimize
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, check_random_state

from mercer._covariance import (
    CompiledPosterior,
    MatrixPosterior,
    MercerCovariance,
    ObjectCovariance,
    Observations,
    OutsideCovariance,
    is_kernel_object,
    is_named,
)
from mercer._mercer import GaussianProcess, GaussianProcessFit, Kernel, SharedProcessFit
from mercer._process_choices import ProcessChoices
from mercer._translation import is_plain_kernel, kernel_from_plain, kernel_to_plain

# The status of a search by scipy that ended in a line search.
ABNORMAL = 2
# The slope of an optimum, as a part of the value.
FLAT = 1e-5


class ProcessFitting(ProcessChoices):
    """Fits, and what a fit leaves behind.

    One target with one noise variance and a kernel of Mercer is fitted by the compiled part alone (`_fit` is a
    ``GaussianProcessFit``); everything else has a covariance and a posterior, made again where they are missing.
    """

    #: ``alpha_`` holds the coefficients, and ``alpha`` counts for some kernels alone.
    _not_shown = ("alpha_", "alpha")
    _lazy = ("log_marginal_likelihood_gradient_", "function_", "L_", "_covariance", "_posterior")
    #: What was fitted by the compiled part; None where Python computes the values of the kernel.
    _fit: GaussianProcessFit | SharedProcessFit | None = None
    #: What the kernel adds to the variance of every point, and the noise of the rows beside
    #: ``noise_``.
    _white: float = 0.0
    _row_noise: np.ndarray | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return plain data: what is made again where it is missing is left out, kernels of scikit-learn are dicts."""
        state = {name: value for name, value in super().__getstate__().items() if name not in self._lazy}
        if is_kernel_object(state.get("kernel_")):
            # A kernel of the user's own stays what it is.
            with contextlib.suppress(TypeError):
                state["kernel_"] = kernel_to_plain(state["kernel_"])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state."""
        if is_plain_kernel(state.get("kernel_")):
            state = {**state, "kernel_": kernel_from_plain(state["kernel_"])}
        super().__setstate__(state)

    def _fit_one(self, kernel: Any, noise: float, X: np.ndarray, targets: np.ndarray) -> None:
        """Fit one target with one noise variance: all of it in the compiled part."""
        noise = float(self.alpha) if self._has_alpha() else noise
        process = self._process(self._mercer_kernel(kernel, X.shape[1]), noise, self._held(self._has_alpha()))
        self._fit = process.fit(X, targets.reshape(-1), **self._options())
        self._white, self._row_noise, self._posterior = 0.0, None, None
        self.X_train_, self.y_train_ = self._copied(X), self._copied(targets)
        self._adopt_one()
        self._warn_if_unfinished()

    def _held(self, is_alpha: bool | None = None) -> list[str]:
        """Return the names of what stays as given: what is fixed, and the noise where ``alpha`` is the noise."""
        if is_alpha is None:
            is_alpha = isinstance(self._fit, GaussianProcessFit) and self._has_alpha()
        return [*(self.fixed or []), *(["noise"] if is_alpha else [])]

    def _mercer_covariance(self) -> MercerCovariance:
        """Return the covariance of a kernel of Mercer where the fit is, with its free parameters."""
        return MercerCovariance(self.kernel_, self.noise_, self._held(), list(self.free or []))

    def _is_free(self) -> list[bool]:
        """Return which parameters of the compiled fit are free; a noise of 0 is not."""
        held = [*self._held(), *(["noise"] if self._fit.noise == 0.0 else [])]
        return [not is_named(held, name) for name in self._fit.parameter_names]

    def _process(self, kernel: Kernel, noise: float, fixed: list[str]) -> GaussianProcess:
        """Return what is to be fitted."""
        choices = {
            "optimize": self._optimizes(),
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

    def _fit_shared(self, covariance: Any, X: Any, targets: np.ndarray, rows: np.ndarray) -> None:
        """Fit any kernel and targets at the parameters that the optimizer finds."""
        X, targets = self._copied(X), self._copied(targets)
        data = Observations(X, targets.reshape(len(targets), -1), rows, self._options())
        likelihoods = None
        if self._optimizes() and len(covariance.theta) > 0:
            likelihoods = self._optimize(covariance, data)
        posterior = covariance.posterior(data)
        if posterior is None:
            raise np.linalg.LinAlgError(
                f"The kernel, {covariance.kernel}, is not returning a positive definite matrix. Try gradually "
                "increasing the 'alpha' parameter of your GaussianProcessRegressor estimator."
            )
        self.X_train_, self.y_train_, self._row_noise = X, targets, rows
        self._fit, self._white = posterior.fit, posterior.white
        self.kernel_ = covariance.kernel
        self.noise_ = self.alpha if isinstance(covariance, ObjectCovariance) else covariance.noise
        self._covariance, self._posterior = covariance, posterior
        self._adopt_shared()
        self.__dict__.pop("likelihoods_", None)
        if likelihoods is not None:
            self.likelihoods_ = likelihoods

    def _copied(self, data: Any) -> np.ndarray:
        if issparse(data):
            return data.copy() if self.copy_X_train else data
        return np.array(data) if self.copy_X_train else np.asarray(data)

    def _observations(self) -> Observations:
        targets = self.y_train_.reshape(len(self.y_train_), -1)
        rows = np.zeros(len(targets)) if self._row_noise is None else self._row_noise
        return Observations(self.X_train_, targets, rows, self._options())

    @cached_property
    def _covariance(self) -> Any:
        """The kernel of the fit with its free parameters."""
        if is_kernel_object(self.kernel_):
            return ObjectCovariance(self.kernel_)
        if isinstance(self.kernel_, Kernel):
            return self._mercer_covariance()
        return OutsideCovariance(self.kernel_, self.noise_, self._held())

    @cached_property
    def _posterior(self) -> CompiledPosterior | MatrixPosterior | None:
        """The posterior, but for one target that was fitted by the compiled part alone."""
        if self._fit is None:
            return self._covariance.posterior(self._observations())
        return None if isinstance(self._fit, GaussianProcessFit) else CompiledPosterior(self._fit, self._white)

    def _optimize(self, covariance: Any, data: Observations) -> np.ndarray:
        """Move the parameters to the largest likelihood that is found from several starts; give that of each start."""

        def objective(theta: np.ndarray, eval_gradient: bool = True) -> Any:
            value, gradient = likelihood_at(covariance, theta, data, eval_gradient)
            return (-value, -gradient) if eval_gradient else -value

        start, bounds = np.array(covariance.theta), covariance.bounds
        optima = [self._constrained_optimization(objective, start, bounds)]
        if self.n_restarts_optimizer > 0:
            if not np.isfinite(bounds).all():
                raise ValueError(
                    "Multiple optimizer restarts (n_restarts_optimizer>0) requires that all bounds are finite."
                )
            generator = generator_of(self.random_state)
            for _ in range(self.n_restarts_optimizer):
                start = generator.uniform(bounds[:, 0], bounds[:, 1])
                optima.append(self._constrained_optimization(objective, start, bounds))
        values = np.array([value for _, value in optima], dtype=np.float64)
        covariance.theta = optima[int(np.argmin(values))][0]
        covariance.warn_at_bounds()
        return -values

    def _constrained_optimization(self, obj_func: Any, initial_theta: Any, bounds: Any) -> tuple[np.ndarray, float]:
        """Minimize from one start; a subclass may do so in its own way."""
        if callable(self.optimizer):
            return self.optimizer(obj_func, initial_theta, bounds=bounds)
        found = scipy.optimize.minimize(obj_func, initial_theta, method="L-BFGS-B", jac=True, bounds=bounds)
        if found.status != 0 and not _is_flat(found, bounds):
            warnings.warn(
                f"lbfgs failed to converge (status={found.status}): {found.message} Try other starts "
                "(n_restarts_optimizer), a scaled y, or fixed parameters.",
                ConvergenceWarning,
                stacklevel=5,
            )
        return found.x, found.fun

    def _warn_if_unfinished(self) -> None:
        if self._fit.optimization is not None:
            converged, iterations, _, _ = self._fit.optimization
            if not converged:
                warnings.warn(
                    f"the marginal likelihood was not at its maximum after {iterations} steps: try other starts "
                    "(n_restarts_optimizer), a scaled y, or fixed parameters",
                    ConvergenceWarning,
                    stacklevel=4,
                )

    def _adopt_one(self) -> None:
        self.kernel_, self.noise_ = self._fit.kernel, self._fit.noise
        self.alpha_ = self._fit.dual_coefficients
        if self.alpha_ is not None and getattr(self, "y_train_", self.alpha_).ndim == 2:
            self.alpha_ = self.alpha_[:, np.newaxis]
        self.inducing_, self.trace_left_ = self._fit.inducing, self._fit.trace_left
        self._keep_likelihood(self._fit.log_marginal_likelihood)
        named = zip(self._fit.parameter_names, self._is_free(), strict=True)
        self.parameter_names_, self.plan_ = [name for name, free in named if free], self._fit.method
        self.__dict__.pop("likelihoods_", None)
        if self._fit.optimization is not None:
            self.likelihoods_ = np.array(self._fit.optimization[2])

    def _adopt_shared(self) -> None:
        coefficients = self._posterior.dual_coefficients
        self.alpha_ = coefficients[:, 0] if self.y_train_.ndim == 1 else coefficients
        self.inducing_ = self.trace_left_ = None
        self._keep_likelihood(self._posterior.log_marginal_likelihood)
        self.parameter_names_ = list(self._free_covariance(clone_kernel=False).names)
        self.plan_ = "Cholesky factor: O(n³)"

    def _keep_likelihood(self, value: float) -> None:
        # A number of numpy, as in scikit-learn: with numbers of single precision it stays double.
        self.log_marginal_likelihood_ = self.log_marginal_likelihood_value_ = np.float64(value)

    def _free_covariance(self, clone_kernel: bool) -> Any:
        """Return the covariance of the fit with its free parameters."""
        if self.inducing_ is not None:
            raise ValueError("a process through inducing points has no likelihood at other parameters")
        if isinstance(self.kernel_, Kernel):
            return self._mercer_covariance()
        return self._covariance.sharing(clone_kernel)

    def _saved(self) -> tuple[GaussianProcessFit | SharedProcessFit, dict[str, Any]]:
        check_is_fitted(self, "kernel_")
        if callable(self.optimizer):
            raise TypeError("the optimizer is a Python function, which no model file can hold: set optimizer=None")
        if self._fit is None:
            raise TypeError(
                f"the kernel {self.kernel_!r} is computed by Python, which no model file can hold: use pickle, or a "
                "kernel that Mercer has"
            )
        if isinstance(self._fit, GaussianProcessFit):
            return self._fit, {}
        state: dict[str, Any] = {"flat": self.y_train_.ndim == 1, "white": self._white}
        if is_kernel_object(self.kernel_):
            state["kernel"] = kernel_to_plain(self.kernel_)
        else:
            state["noise"] = self.noise_
        return self._fit, state

    def _restore(self, fit: GaussianProcessFit | SharedProcessFit, state: dict[str, Any]) -> None:
        self._forget()
        self._fit = fit
        if isinstance(fit, GaussianProcessFit):
            if fit.points is not None:
                self.X_train_, self.y_train_ = fit.points, fit.targets
            self._adopt_one()
            return
        self._white, noise = state.get("white", 0.0), state.get("noise", 0.0)
        targets = fit.targets
        self.X_train_, self.y_train_ = fit.points, targets[:, 0] if state.get("flat", False) else targets
        self.kernel_ = kernel_from_plain(state["kernel"]) if "kernel" in state else fit.kernel
        self.noise_ = self.alpha if "kernel" in state else noise
        self._row_noise = np.maximum(fit.noise - self._white - noise, 0.0)
        self._adopt_shared()


def likelihood_at(
    covariance: Any, theta: np.ndarray, data: Observations, eval_gradient: bool
) -> tuple[float, np.ndarray]:
    """Return the log likelihood and its gradient at ``theta``: −∞ and 0 where the matrix is not positive definite."""
    nothing = (np.float64(-np.inf), np.zeros_like(theta))
    try:
        covariance.theta = theta
    except ValueError:
        return nothing
    found = covariance.likelihood(data, eval_gradient)
    return nothing if found is None else (np.float64(found[0]), found[1])


def generator_of(random_state: Any) -> Any:
    """Return a source of random numbers; numpy's generators are used as they are."""
    return random_state if isinstance(random_state, np.random.Generator) else check_random_state(random_state)


def _is_flat(found: Any, bounds: Any) -> bool:
    """Whether a line search ended for want of digits: where nothing but rounding is left to descend.

    With repeated points and a small `alpha` the likelihood itself has few digits, and the gradient
    of an optimum is not below the absolute tolerance of the optimizer.
    """
    inside = np.clip(found.x - found.jac, bounds[:, 0], bounds[:, 1])
    return found.status == ABNORMAL and np.max(np.abs(inside - found.x)) <= FLAT * max(1.0, abs(found.fun))
