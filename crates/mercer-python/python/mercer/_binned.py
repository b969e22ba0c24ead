"""Linear learning with random binning features: regression and classes."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._documents import filled
from mercer._estimator import target_count
from mercer._intervals import Intervals, PredictionSets
from mercer._kernels import compiled, is_computed_outside
from mercer._learner import LearnerEstimator
from mercer._margins import ClassMixin, class_count
from mercer._mercer import AnyFit, Learner
from mercer._parameters import check_above, check_count, check_kinds, parameters

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
class BinnedEstimator(LearnerEstimator):
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

    _setting_names: ClassVar[dict[str, str]] = {
        "alpha": "lambda",
        "n_grids": "grids",
        "n_buckets": "buckets",
        "loss": "loss",
        "fit_intercept": "intercept",
        "tol": "tolerance",
        "max_iter": "max_iterations",
    }
    _fact_names: ClassVar[dict[str, str]] = {
        "coef_": "weights",
        "intercept_": "intercept",
        "n_iter_": "n_iter",
        "objective_": "objective",
    }

    def _solve(self, X: np.ndarray, **data: Any) -> None:
        if is_computed_outside(self.kernel) or self.kernel == "precomputed":
            raise ValueError("random grids need a kernel of the language: its values alone are not enough")
        kernel = self._learned_kernel(X)
        learner = Learner(self._learner, {"kernel": kernel, **self._grid_settings(len(X))})
        fit = learner.fit([X], [kernel], **data, **self._options())
        self._outside = None
        self._adopt(fit)
        if not fit.fact("converged"):
            message = f"{self.n_iter_} iterations did not reach the tolerance: raise max_iter or tol"
            warnings.warn(message, ConvergenceWarning, stacklevel=3)

    def _grid_settings(self, rows: int) -> dict[str, Any]:
        check_kinds(self)
        check_above("alpha", self.alpha, 0.0)
        for name in ("n_grids", "n_buckets", "max_iter"):
            check_count(name, getattr(self, name), 1)
        # Conjugate gradients end after as many steps as there are rows: of a few, digits cost next
        # to nothing.
        tol = (1e-10 if rows <= _FEW_ROWS else 1e-5) if self.tol is None else self.tol
        return {**self._settings(), "tolerance": float(tol)}

    def _plan(self, X: Any, y: Any = None) -> str:
        rows, columns = self._shape(X)
        kernel = compiled(self.kernel, columns, self.gamma, 3, 1)
        outputs, classes = target_count(y), class_count(y) if isinstance(self, ClassMixin) else 0
        learner = Learner(self._learner, {"kernel": kernel, **self._grid_settings(rows)})
        return learner.plan([(rows, columns)], outputs, classes, **self._options(timed=True))


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

    _learner = "binned"

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
        X, y = self._read_fit(X, y, multi_output=True)
        self._flat = y.ndim == 1
        weights = self._read_weights(sample_weight, X)
        self._solve(X, y=np.ascontiguousarray(y.reshape(len(y), -1)), sample_weight=weights)
        return self

    def _predict(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        values = self._in_units(self._fit.predict(self._read(X), **self._options()))
        return values[:, 0] if self._flat else values

    def _restore(self, fit: AnyFit, state: dict[str, Any]) -> None:
        self._flat = state.get("flat", fit.targets == 1)
        super()._restore(fit, state)

    def _saved(self) -> tuple[AnyFit, dict[str, Any]]:
        return super()._saved()[0], {"flat": self._flat}


def _has_probabilities(model: Any) -> bool:
    several = len(getattr(model, "classes_", ())) > 2
    return model.loss == "softmax" or (model.loss == "logistic" and not several)


@filled(fitted=FITTED)
class BinnedClassifier(ClassMixin, ClassifierMixin, PredictionSets, BinnedEstimator):
    """Classification with random binning features: one softmax, or each class against the rest.

    Parameters
    ----------
    alpha, kernel, n_grids, n_buckets, gamma, fit_intercept, tol, max_iter, random_state, n_jobs, max_memory, verbose
        As for `BinnedRegressor`.
    loss : {"squared", "squared_hinge", "logistic", "softmax"}, default="squared"
        The loss of the sides −1 and 1 of each class against the rest (one function for two classes), or the softmax of
        one function per class, which has probabilities.

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

    _learner = "binned_classes"

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
        X, codes = self._read_classes(X, y)
        weights = self._read_weights(sample_weight, X)
        self._solve(X, classes=codes.tolist(), names=self._class_names(), sample_weight=weights)
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
        check_is_fitted(self)
        values = self._fit.decision(self._read(X), **self._options())
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
        check_is_fitted(self)
        codes = self._fit.predict(self._read(X), **self._options())[:, 0].astype(np.intp)
        return self.classes_[codes]

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of every class, for ``loss="softmax"``, and ``loss="logistic"`` of two classes.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points.

        Returns
        -------
        An array of shape (n_samples, n_classes).
        """
        check_is_fitted(self)
        return self._fit.probabilities(self._read(X), **self._options())

    def _saved(self) -> tuple[AnyFit, dict[str, Any]]:
        return super()._saved()[0], self._class_state()
