"""What all support vector machines share: parameters of the solver, support vectors, evidence."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer._kernels import is_computed_outside, may_be_indefinite
from mercer._margins import MarginEstimator
from mercer._mercer import Kernel

#: What the parameters that all machines share mean.
COMMON = """kernel : text, Kernel, name or callable, default="rbf"
        A text or a `mercer.Kernel`; one of scikit-learn's names with ``gamma``, ``degree`` and ``coef0``;
        ``"precomputed"``; or a function.
    gamma : {"scale", "auto"} or float, default="scale"
        For the names: ``1/(n_features·Var X)``, ``1/n_features``, or the number itself.
    degree, coef0 : float
        Parameters of the names.
    tol : float, default=1e-3
        By how much the optimality (KKT) conditions may be violated, as in LIBSVM.
    max_iter : int, default=-1
        Steps of the solver, -1 for LIBSVM's limit. A `ConvergenceWarning` tells the duality gap of a model that is not
        done.
    shrinking, cache_size
        Accepted for scikit-learn's sake; the solver decides by itself within ``max_memory``.
    allow_indefinite : bool, default=False
        Whether a kernel that is not positive semi-definite is meant: then the answer is a stationary point, as in
        LIBSVM. The name ``"sigmoid"`` says so by itself.
    kernel_params : dict, optional
        Keyword arguments of a kernel that is a function.
    random_state, n_jobs, max_memory, max_time, verbose
        How to compute: the seed, threads, bytes or text such as ``"2GB"``, seconds after which the solver stops with
        the model so far (and a warning with its gap), a progress bar."""
#: What the attributes that all machines share mean.
EVIDENCE = """support_, support_vectors_, n_support_, dual_coef_, intercept_, fit_status_, n_iter_, shape_fit_
        As in scikit-learn; ``coef_`` for the linear kernel.
    dual_objective_ : float
        ``Σα − ½αᵀQα`` at the answer; larger is better. Sums over the machines of several classes.
    duality_gap_ : float
        How far from the optimum the answer can be.
    kkt_violation_ : float
        The largest violation of the optimality conditions.
    kernel_ : Kernel
        The kernel, with medians and names of columns resolved."""


class Machine(MarginEstimator):
    """What all machines share: parameters of the solver, support vectors, evidence."""

    def _solver(self) -> dict[str, Any]:
        if self.max_iter != -1 and not self.max_iter > 0:
            raise ValueError(f"max_iter = {self.max_iter} is not allowed: it must be at least 1, or -1 for no limit")
        return {
            "tol": self.tol,
            "max_iter": None if self.max_iter == -1 else int(self.max_iter),
            "indefinite": bool(self.allow_indefinite or may_be_indefinite(self.kernel)),
        }

    def _adopt(self, fit: Any, shape: tuple[int, int]) -> None:
        """Take over what was fitted."""
        self._fit = fit
        self.support_, self.support_vectors_ = fit.support, fit.support_vectors
        if self._X is not None:
            self.support_vectors_ = self._X[self.support_]
        self.kernel_ = self.kernel if is_computed_outside(self.kernel) else fit.kernel
        evidence = fit.evidence
        self.dual_objective_ = evidence["objective"]
        self.duality_gap_ = evidence["gap"]
        self.kkt_violation_ = evidence["violation"]
        self.fit_status_ = int(evidence["stopped"] != "converged")
        self.shape_fit_ = shape

    def _warn(self, kernel: Kernel) -> None:
        self._warn_unless_converged(self._fit.evidence)
        self._warn_if_indefinite(kernel)

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the columns, for the linear kernel."""
        check_is_fitted(self)
        if str(self.kernel_) != "linear()":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return self._primal()

    def _primal(self) -> np.ndarray:
        return self.dual_coef_ @ self.support_vectors_

    def _restore(self, fit: Any, state: dict[str, Any]) -> None:
        """Become the fit of a model file."""
        self._X = None
        self._adopt(fit, tuple(state.get("shape", (0, fit.columns))))

    def _saved(self) -> tuple[Any, dict[str, Any]]:
        """Give what a model file holds, and what beside it makes the estimator."""
        self._require_file()
        return self._fit, {"shape": list(self.shape_fit_)}
