"""Linear learning with random binning features: regression and classes."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from mercer._documents import filled
from mercer._estimator import Estimator, target_count
from mercer._features import RandomBinningFeatures
from mercer._intervals import Intervals, PredictionSets
from mercer._kernels import compiled
from mercer._margins import ClassMixin, class_count
from mercer._mercer import Binned, Kernel
from mercer._parameters import check_kinds, parameters

#: Rows up to which the solver gives all digits by default.
_FEW_ROWS = 100
#: The attributes of both estimators.
FITTED = """coef_ : array of shape (n_grids·n_buckets, n_functions)
        The coefficients of the cells.
    intercept_ : array of shape (n_functions,)
        The constants.
    kernel_ : Kernel
        The kernel, with medians and names of columns resolved.
    n_iter_ : int
        Iterations of the solver.
    objective_ : float
        What was minimized, at the answer."""


@parameters
class BinnedEstimator(Estimator):
    """What both share: grids, and coefficients of their cells."""

    alpha: float = 1.0
    kernel: Any = "laplacian"
    n_grids: int = 100
    _: KW_ONLY
    loss: str = "squared"
    n_buckets: int = 4096
    gamma: float | None = None
    fit_intercept: bool = True
    tol: float | None = None
    max_iter: int = 500

    def _grids(self) -> RandomBinningFeatures:
        how = {name: getattr(self, name) for name in ("n_buckets", "gamma", "random_state", "n_jobs", "max_memory")}
        return RandomBinningFeatures(self.kernel, self.n_grids, **how)

    def _solve(self, X: np.ndarray, targets: np.ndarray, weights: np.ndarray | None) -> None:
        self._features = self._grids().fit(X)
        self.kernel_ = self._features.kernel_
        parts = [targets] if self.loss == "squared" else [targets[:, [j]] for j in range(targets.shape[1])]
        found = [self._specification(len(X)).fit(X, part, weights, **self._how()) for part in parts]
        self.coef_ = np.concatenate([coefficients for coefficients, *_ in found], axis=1)
        self.intercept_ = np.concatenate([constant for _, constant, *_ in found])
        self.n_iter_ = max(iterations for _, _, iterations, _, _ in found)
        self.objective_ = sum(objective for *_, objective in found)
        if not all(converged for *_, converged, _ in found):
            message = f"{self.n_iter_} iterations did not reach the tolerance: raise max_iter or tol"
            warnings.warn(message, ConvergenceWarning, stacklevel=3)

    def _how(self) -> dict[str, Any]:
        return self._options(random_state=self._features._seed)

    def _plan(self, X: Any, y: Any = None) -> str:
        rows, columns = self._shape(X)
        outputs = target_count(y)
        if isinstance(self, ClassMixin):
            outputs = 1 if class_count(y) == 2 else class_count(y)
        kernel = compiled(self.kernel, columns, self.gamma, 3, 1)
        return self._specification(rows, kernel).plan(rows, outputs, **self._options())

    def _specification(self, rows: int, kernel: Kernel | None = None) -> Binned:
        # Conjugate gradients end after as many steps as there are rows: of a few, digits cost next
        # to nothing.
        tol = (1e-10 if rows <= _FEW_ROWS else 1e-5) if self.tol is None else self.tol
        choices = {"loss": self.loss, "intercept": self.fit_intercept, "tol": tol, "max_iter": self.max_iter}
        return Binned(kernel or self.kernel_, self.n_grids, self.n_buckets, self.alpha, **choices)

    def _values(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._features.transform(self._read(X)) @ self.coef_ + self.intercept_


@filled(fitted=FITTED)
class BinnedRegressor(MultiOutputMixin, RegressorMixin, Intervals, BinnedEstimator):
    """Regression with random binning features: ``min Σ wᵢℓ(yᵢ, z(xᵢ)·c + b) + alpha·‖c‖²``.

    Parameters
    ----------
    alpha : float, default=1.0
        The regularization, above 0, beside a *sum* of losses.
    kernel : str, Kernel, default="laplacian"
        A product over the columns with convex profiles, or a sum of such products.
    n_grids : int, default=100
        The grids.
    loss : {"squared", "log_cosh", "huber", "poisson", "gamma", "tweedie"}, default="squared"
        The loss, a smooth one; predictions of the last three are logarithms of means.
    n_buckets : int, default=4096
        Columns for each grid, into which its cells are hashed.
    gamma : float, optional
        For the names of scikit-learn; 1/n_features by default.
    fit_intercept : bool, default=True
        Whether a constant is fitted too, unpenalized.
    tol : float, optional
        When conjugate gradients stop: 1e-5 by default, 1e-10 for at most 100 rows.
    max_iter : int, default=500
        Iterations, at most.
    random_state, n_jobs, max_memory, verbose
        How to compute: the seed of the grids, threads, bytes or text such as ``"2GB"``, a progress bar.

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> import numpy as np, mercer
    >>> x = np.linspace(0, 4, 400)[:, None]
    >>> model = mercer.BinnedRegressor(1e-3, "laplacian(norm=l1)", 200, random_state=0).fit(x, x[:, 0] > 2)
    >>> bool(np.abs(model.predict([[1.0], [3.0]]) - [0, 1]).max() < 0.1)
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BinnedRegressor:
        """Fit the coefficients of the cells.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points.
        y : array of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows, at least 0.

        Returns
        -------
        The fitted estimator.
        """
        check_kinds(self)
        X, y = self._read_fit(X, y, multi_output=True)
        self._flat = y.ndim == 1
        self._solve(X, np.ascontiguousarray(y.reshape(len(y), -1)), self._read_weights(sample_weight, X))
        return self

    def _predict(self, X: Any) -> np.ndarray:
        values = self._values(X)
        return values[:, 0] if self._flat else values


@filled(fitted=FITTED)
class BinnedClassifier(ClassMixin, ClassifierMixin, PredictionSets, BinnedEstimator):
    """Classification with random binning features: each class against the rest, one function for two classes.

    Parameters
    ----------
    alpha, kernel, n_grids, n_buckets, gamma, fit_intercept, tol, max_iter, random_state, n_jobs, max_memory, verbose
        As for `BinnedRegressor`.
    loss : {"squared", "squared_hinge", "logistic"}, default="squared"
        The loss of the sides −1 and 1.

    Attributes
    ----------
    classes_ : array
        The labels.
    {fitted}

    Examples
    --------
    >>> import numpy as np, mercer
    >>> x = np.linspace(0, 4, 400)[:, None]
    >>> y = np.where(x[:, 0] < 2, "low", "high")
    >>> model = mercer.BinnedClassifier(0.1, "laplacian(norm=l1)", 100, loss="squared_hinge", random_state=0).fit(x, y)
    >>> [str(name) for name in model.predict([[1.0], [3.0]])]
    ['low', 'high']
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BinnedClassifier:
        """Fit the coefficients of the cells.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points.
        y : array of shape (n_samples,)
            Labels of any kind.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows, at least 0.

        Returns
        -------
        The fitted estimator.
        """
        check_kinds(self)
        X, codes = self._read_classes(X, y)
        names = self.classes_
        sides = 2.0 * (codes[:, None] == np.arange(len(names))) - 1.0
        sides = sides[:, 1:] if len(names) == 2 else sides
        self._solve(X, np.ascontiguousarray(sides), self._read_weights(sample_weight, X))
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return ``f(x)``: positive for the second of two classes, or a column per class.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points.

        Returns
        -------
        An array of shape (n_samples,), or (n_samples, n_columns) for more than two classes.
        """
        values = self._values(X)
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points.

        Returns
        -------
        An array of shape (n_samples,).
        """
        values = self.decision_function(X)
        codes = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        return self.classes_[codes]
