"""Common base of support vector machines: parameters of the solver, support vectors, evidence."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from mercer._estimator import target_names
from mercer._instances import InstanceScores
from mercer._kernels import is_computed_outside, is_function, may_be_indefinite, symmetric
from mercer._margins import MarginEstimator
from mercer._mercer import Kernel
from mercer._parameters import (
    check_above,
    check_count,
    check_flag,
    check_from,
    check_kinds,
    check_number,
    is_number,
    parameters,
    refuse,
)
from mercer._tables import len_of, rows_of

#: What an infinite C is replaced by, in units of 1/k(x, x): far beyond the coefficients of any SVM
#: of separable data.
_HARD = 1e10

#: The parameters common to all support vector machines.
COMMON = """kernel : text, Kernel, name or callable, default="rbf"
        A text or a `mercer.Kernel`; one of scikit-learn's names with ``gamma``, ``degree`` and ``coef0``;
        ``"precomputed"``; or a function that is called once with two samples, ``kernel(X, Y)``, and gives the matrix of
        their kernel values. Samples are handed over as they are: they may be lists of texts or of anything else.
    gamma : {"scale", "auto"} or float, default="scale"
        For the names: ``1/(n_features·Var X)``, ``1/n_features``, or the number itself.
    degree, coef0 : float
        Parameters of the names.
    tol : float, default=1e-3
        By how much the optimality (KKT) conditions may be violated, as in LIBSVM.
    max_iter : int, default=-1
        Steps of the solver, -1 for LIBSVM's limit, 0 for none. A `ConvergenceWarning` reports the duality gap of a
        model that is not done.
    shrinking, cache_size
        Accepted for scikit-learn's sake; the solver decides by itself within ``max_memory``.
    allow_indefinite : bool, default=False
        Whether a kernel that is not positive semi-definite is meant: then the answer is a stationary point, as in
        LIBSVM. ``"sigmoid"`` implies it.
    kernel_params : dict, optional
        Keyword arguments of a kernel that is a function.
    random_state, n_jobs, max_memory, max_time, verbose
        How to compute: the seed, threads, bytes or text such as ``"2GB"``, seconds after which the solver stops with
        the model so far (and a warning with its gap), a progress bar."""
#: The attributes common to all support vector machines.
EVIDENCE = """support_, support_vectors_, n_support_, dual_coef_, intercept_, fit_status_, n_iter_, shape_fit_
        As in scikit-learn.
    coef_ : array
        The weights of the columns, for the linear kernel; not to be written to.
    dual_objective_ : float
        ``Σα − ½αᵀQα`` at the answer; larger is better. Sum over the binary SVMs of several classes.
    duality_gap_ : float
        How far from the optimum the answer can be.
    kkt_violation_ : float
        The largest violation of the optimality conditions.
    kernel_ : Kernel
        The kernel, with medians and names of columns resolved."""


@parameters
class Machine(InstanceScores, MarginEstimator):
    """Common base of support vector machines: parameters of the solver, support vectors, evidence."""

    _: KW_ONLY
    kernel: Any = "rbf"
    gamma: Any = "scale"
    degree: float = 3
    coef0: float = 0.0
    tol: float = 1e-3
    max_iter: int = -1
    shrinking: bool = True
    cache_size: float = 200
    allow_indefinite: bool = False
    kernel_params: dict[str, Any] | None = None
    max_time: float | None = None

    _takes_sparse = True
    _least: ClassVar[dict[str, int]] = {"max_iter": -1}

    def _check_parameters(self) -> None:
        """Refuse what is not allowed, in words, before any work."""
        check_kinds(self)
        if not (isinstance(self.kernel, (str, Kernel)) or callable(self.kernel)):
            refuse("kernel", self.kernel, "a text, a mercer.Kernel or a function")
        if not isinstance(self.gamma, str):
            check_from("gamma", self.gamma, 0)
        check_from("degree", self.degree, 0)
        check_number("coef0", self.coef0)
        check_above("tol", self.tol, 0)
        check_above("cache_size", self.cache_size, 0)
        check_count("max_iter", self.max_iter, -1, " (-1 is no limit)")
        check_flag("shrinking", self.shrinking)
        if not (isinstance(self.verbose, (bool, np.bool_)) or is_number(self.verbose)):
            refuse("verbose", self.verbose, "True, False or a number")

    def _read_fit(self, X: Any, y: Any, **checks: Any) -> tuple[Any, np.ndarray]:
        if not is_function(self.kernel):
            self._refuse_sparse_values(X)
            return super()._read_fit(X, y, **checks)
        self._note_targets(target_names(y))
        X = self._objects(X, y)
        return X, check_array(column_or_1d(y, warn=True), ensure_2d=False, dtype=np.float64, input_name="y")

    def _validated(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        if not is_function(self.kernel):
            self._refuse_sparse_values(X)
            return super()._validated(X, y)
        return self._objects(X, y), column_or_1d(y, warn=True)

    def _refuse_sparse_values(self, X: Any) -> None:
        if self.kernel == "precomputed" and issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported: use .toarray()")

    def _read_alone(self, X: Any, y: Any = None, **checks: Any) -> Any:
        if is_function(self.kernel):
            return self._objects(X, y)
        self._refuse_sparse_values(X)
        return super()._read_alone(X, y, **checks)

    def _objects(self, X: Any, y: Any) -> Any:
        """Return data that the function alone understands as it is; a former fit may have known columns."""
        check_consistent_length(X, y)
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
        return X

    def _read(self, X: Any) -> Any:
        self._check_fitted()
        if is_function(self.kernel):
            return X
        if issparse(X) and not issparse(self.support_vectors_):
            raise ValueError(
                f"cannot use sparse input in {type(self).__name__!r} trained on dense data: use .toarray()"
            )
        return super()._read(X)

    def _read_weights(self, sample_weight: Any, X: Any) -> np.ndarray | None:
        """Return weights of at least 0: rows of negative ones are dropped, as in LIBSVM."""
        if sample_weight is not None and not (np.asarray(sample_weight, dtype=np.float64) > 0).any():
            raise ValueError("Invalid input - all samples have zero or negative weights.")
        weights = super()._read_weights(sample_weight, X)
        return None if weights is None else np.maximum(weights, 0.0)

    def _prepared(self, X: Any, weights: np.ndarray | None = None) -> tuple[Kernel, np.ndarray]:
        if not is_function(self.kernel):
            return super()._prepared(X, weights)
        self._X = X
        return self._compiled_kernel(1, 1.0), self._values(X)

    def _values(self, X: Any, Y: Any = None) -> np.ndarray:
        if not is_function(self.kernel):
            return super()._values(X, Y)
        values = self.kernel(X, X if Y is None else Y, **(self.kernel_params or {}))
        values = np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64, order="C")
        expected = (len_of(X), len_of(X if Y is None else Y))
        if values.shape != expected:
            raise ValueError(f"the kernel gave values of shape {values.shape}, expected {expected}: a row per sample")
        return symmetric(values) if Y is None else check_array(values, input_name="kernel values")

    def _cost(self, kernel: Kernel, values: np.ndarray | None) -> float:
        """Return C, with data as a finite number: an infinite one allows no error, where that is possible."""
        if values is None or np.isfinite(self.C):
            return float(self.C)
        own = np.diag(values) if "precomputed" in str(kernel) else kernel.diag(values)
        return _HARD / max(float(np.mean(np.abs(own))), np.finfo(float).tiny * _HARD)

    def _solver(self) -> dict[str, Any]:
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
            self.support_vectors_ = rows_of(self._X, self.support_)
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

    def _early(self, evidence: dict[str, Any]) -> str:
        """Begin the warning of a model that is not done as scikit-learn does."""
        if evidence["stopped"] != "step limit" or self.max_iter == -1:
            return super()._early(evidence)
        return (
            f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing your data with "
            "StandardScaler or MinMaxScaler. The"
        )

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the columns, for the linear kernel."""
        self._check_fitted()
        if is_function(self.kernel_) or str(self.kernel_) != "linear()":
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self._primal()
        # It is computed at every use: what is written to it would be lost.
        (coef.data if issparse(coef) else coef).flags.writeable = False
        return coef

    def _as_fitted(self, coefficients: np.ndarray) -> Any:
        """Return coefficients of support vectors: sparse for sparse ones, as in scikit-learn."""
        return csr_matrix(coefficients) if issparse(self.support_vectors_) else coefficients

    def _primal(self) -> Any:
        return self.dual_coef_ @ self.support_vectors_

    def _restore(self, fit: Any, state: dict[str, Any]) -> None:
        """Become the fit of a model file."""
        self._X = None
        self._adopt(fit, tuple(state.get("shape", (0, fit.columns))))

    def _saved(self) -> tuple[Any, dict[str, Any]]:
        """Return what a model file holds, and what beside it makes the estimator."""
        self._require_file()
        return self._fit, {"shape": list(self.shape_fit_)}


def shape_of(X: Any) -> tuple[int, ...]:
    """Return the shape of samples of any kind."""
    return tuple(X.shape) if hasattr(X, "shape") else (len(X),)
