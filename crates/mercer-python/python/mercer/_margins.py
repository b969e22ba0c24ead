"""Common parts of SVMs, logistic regression and general losses: gamma, classes, class weights, evidence."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from mercer._estimator import target_names
from mercer._kernel_names import takes_gamma
from mercer._kernels import KernelEstimator, is_computed_outside
from mercer._mercer import Kernel, Objects
from mercer._parameters import refuse
from mercer._tables import len_of


class MarginEstimator(KernelEstimator):
    """An estimator whose ``gamma`` may be ``"scale"`` or ``"auto"``, and whose answer comes with a duality gap."""

    def _prepared(self, X: np.ndarray, weights: np.ndarray | None = None) -> tuple[Kernel, np.ndarray]:
        """Return the kernel, and the points or the precomputed kernel values."""
        self._X = X if is_computed_outside(self.kernel) else None
        self._gamma = gamma_number(self.gamma, X, self.kernel, weights)
        return self._compiled_kernel(X.shape[1], self._gamma), self._values(X)

    def _new_values(self, X: Any) -> np.ndarray:
        """Check new points, and return them or their precomputed kernel values."""
        return self._values(self._read(X), self._X if self._X is not None else np.empty((0, 0)))

    def _fit_points(self, X: Any) -> Any:
        return self._new_values(X)

    def _warn_unless_converged(self, evidence: dict[str, Any]) -> None:
        if evidence["stopped"] == "converged":
            return
        message = (
            f"{self._early(evidence)} "
            f"objective is within {evidence['gap']:.3g} of the optimum, the optimality conditions are violated by "
            f"{evidence['violation']:.3g}. Raise max_iter, max_time or tol, or scale the data."
        )
        warnings.warn(message, ConvergenceWarning, stacklevel=4)

    def _early(self, evidence: dict[str, Any]) -> str:
        """Begin the warning of a model that is not done."""
        return f"the solver stopped before it converged ({evidence['stopped']}, after {evidence['steps']} steps): the"

    def _warn_if_indefinite(self, kernel: Kernel) -> None:
        """Warn that the kernel is not proven PSD, if an indefinite kernel was allowed."""
        if self.allow_indefinite and kernel.properties["psd"] is not True and "precomputed" not in str(kernel):
            message = (
                f"{kernel} is not known to be positive semi-definite: as in LIBSVM the answer is a stationary point "
                "of the dual problem, and the duality gap is no bound"
            )
            warnings.warn(message, UserWarning, stacklevel=4)

    def _require_file(self) -> None:
        if is_computed_outside(self.kernel):
            raise ValueError(
                "a file cannot hold a kernel that Python computes: use one of the language, or precomputed"
            )

    def _shape_of(self, X: Any) -> tuple[Kernel, int, int]:
        """Return the kernel, rows and columns of data that is only to be explained."""
        count = len_of(X)
        rows, columns = (count, count) if is_computed_outside(self.kernel) else self._shape(X)
        kernel = self._compiled_kernel(columns, 1.0 if isinstance(self.gamma, str) else self.gamma)
        return kernel, rows, columns


class ClassMixin:
    """Labels of any kind as numbers of classes, and back."""

    def _read_classes(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Check the data of a fit; points and the number of the class of each come out, ``classes_`` is noted."""
        self._note_targets(target_names(y))
        X, y = self._validated(X, y)
        # Integers are classes; scikit-learn's check looks at all values.
        if not (isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "iub"):
            check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._class_counts = np.bincount(codes).tolist()
        if len(self.classes_) < 2:
            only = ", ".join(map(str, self.classes_))
            raise ValueError(f"a classifier needs samples of at least 2 classes; found 1 class: {only}")
        return X, codes

    @available_if(lambda self: hasattr(self, "predict_proba"))
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the logarithms of the probabilities.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New points; for ``kernel="precomputed"`` their kernel values with the points of the fit.

        Returns
        -------
        An array of shape (n_samples, n_classes), in the order of ``classes_``.
        """
        return np.log(self.predict_proba(X))

    def _class_factors(self, codes: np.ndarray) -> np.ndarray:
        """Return a factor per class from ``class_weight``."""
        if self.class_weight is None:
            return np.ones(len(self.classes_))
        return compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_[codes])

    def _class_names(self) -> list[str]:
        return [class_name(label) for label in self.classes_.tolist()]

    def _class_state(self) -> dict[str, Any]:
        """Return the labels as a file can hold them."""
        plain = all(isinstance(label, (str, int, float, bool)) for label in self.classes_.tolist())
        kind = self.classes_.dtype.str if self.classes_.dtype.kind != "O" else "O"
        state = {"classes": self.classes_.tolist(), "classes_dtype": kind} if plain else {}
        return {**state, "class_weight": self.class_weight_.tolist()} if hasattr(self, "class_weight_") else state

    def _restore_classes(self, names: list[str], state: dict[str, Any]) -> None:
        """Take the labels of a file: those that Python wrote, or numbers and texts from their names."""
        if "classes" in state:
            self.classes_ = np.array(state["classes"], dtype=state["classes_dtype"])
        else:
            self.classes_ = labels_of(names)
        if hasattr(self, "class_weight"):
            self.class_weight_ = np.array(state.get("class_weight", [1.0] * len(self.classes_)))


def class_count(y: Any) -> int:
    """Return the number of classes of data that is only to be explained."""
    return 2 if y is None else len(np.unique(y))


def class_name(label: Any) -> str:
    """Write a label as the command line writes it: integers without a point."""
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label)


def labels_of(names: list[str]) -> np.ndarray:
    """Return integers, numbers, or texts: what the names of the classes are."""
    for kind in (int, float):
        try:
            return np.array([kind(name) for name in names])
        except ValueError:
            continue
    return np.array(names)


def gamma_number(gamma: Any, X: np.ndarray, kernel: Any, weights: np.ndarray | None = None) -> float | None:
    """Return ``gamma``: ``"scale"`` is ``1/(n_features·Var X)``, ``"auto"`` and None are ``1/n_features``."""
    if not isinstance(gamma, str):
        return gamma
    if gamma == "auto":
        return 1.0 / X.shape[1]
    if gamma != "scale":
        refuse("gamma", gamma, "'scale', 'auto' or a number above 0")
    # Rows of negative weight are dropped, as LIBSVM does.
    kept = None if weights is None else np.maximum(weights, 0.0)
    variance = 1.0 if kernel == "precomputed" or isinstance(X, Objects) else spread(X, kept)
    usable = variance >= np.finfo(np.float64).tiny and np.isfinite(variance)
    if not usable and takes_gamma(kernel) and differs(X):
        size = "small" if variance < 1 else "large"
        raise ValueError(f"gamma = 'scale' needs the variance of X, which is too {size} for a number: rescale X")
    return 1.0 / (X.shape[1] * variance) if usable else 1.0


def differs(X: Any) -> bool:
    """Say whether the numbers of a table are not all the same."""
    values = X.data if issparse(X) else X
    zeros = issparse(X) and X.nnz < X.shape[0] * X.shape[1]
    return values.size > 0 and bool(np.any(values != (0.0 if zeros else values.flat[0])))


def spread(X: Any, weights: np.ndarray | None) -> float:
    """Return the variance of all numbers, with weights of the rows where there are some."""
    if issparse(X):
        return sparse_spread(X, weights)
    with np.errstate(over="ignore", invalid="ignore"):
        if weights is None or not weights.sum() > 0:
            return X.var()
        mean = np.average(X, weights=weights, axis=0).mean()
        return np.average((X - mean) ** 2, weights=weights, axis=0).mean()


def sparse_spread(X: Any, weights: np.ndarray | None) -> float:
    """Return the variance of all numbers of a sparse matrix, those that are 0 with the others."""
    rows, columns = X.shape
    weights = np.ones(rows) if weights is None or not weights.sum() > 0 else np.asarray(weights, dtype=np.float64)
    counts = np.diff(X.indptr)
    of_values, total = np.repeat(weights, counts), weights.sum() * columns
    with np.errstate(over="ignore", invalid="ignore"):
        mean = of_values @ X.data / total
        return float((of_values @ (X.data - mean) ** 2 + (total - of_values.sum()) * mean**2) / total)
