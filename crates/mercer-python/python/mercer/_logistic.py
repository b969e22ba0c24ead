"""Kernel logistic regression."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from mercer._centers import CENTERS
from mercer._documents import filled
from mercer._estimator import as_given
from mercer._intervals import PredictionSets
from mercer._margins import ClassMixin, class_count
from mercer._mercer import Kernel, Penalized
from mercer._parameters import check_kinds, parameters
from mercer._penalized import PenalizedEstimator


@filled(centers=CENTERS)
@parameters
class KernelLogisticRegression(ClassMixin, ClassifierMixin, PredictionSets, PenalizedEstimator):
    """Kernel logistic regression: ``min Σ wᵢ log(1 + exp(−yᵢf(xᵢ))) + (alpha/2)·‖f‖²``, softmax for more classes.

    Probabilities by construction: with an intercept the mean probability of each class is its share of the data.

    Parameters
    ----------
    alpha : float, default=1.0
        The regularization, above 0; half of it multiplies ``‖f‖²`` beside a *sum* of losses.
    kernel : text, Kernel, name or callable, default="rbf"
        A text or a `mercer.Kernel`; one of scikit-learn's names with ``gamma``, ``degree`` and ``coef0``;
        ``"precomputed"``; or a function.
    gamma : {"scale", "auto"} or float, default="scale"
        For the names: ``1/(n_features·Var X)``, ``1/n_features``, or the number itself.
    degree, coef0, kernel_params
        Parameters of the names, and of a kernel that is a function.
    fit_intercept : bool, default=True
        Whether each function has an unpenalized constant.
    class_weight : dict or "balanced", optional
        Factors of the losses of the classes.
    solver : {"auto", "newton", "newton-cg", "centers"}, default="auto"
        Newton's method with exact steps, or by conjugate gradients.
    {centers}
    tol : float, optional
        Stop when the duality gap is at most this part of the loss of the zero function, after one more step: the
        gap is the square of an error, and the step makes as many digits again.
    max_iter : int, optional
        Newton steps.
    random_state, n_jobs, max_memory, max_time, verbose
        How to compute: the seed, threads, bytes or text such as ``"2GB"``, seconds that ``"auto"`` may expect to
        take, a progress bar.

    Attributes
    ----------
    classes_, class_weight_ : array
        The labels, and the factors of their losses.
    dual_coef_ : array of shape (n_samples,) or (n_samples, n_classes)
        The coefficients of ``f = Σ αᵢk(·, xᵢ)``: one function for two classes, positive for
        the second; one each for more.
    intercept_ : array
        The constants.
    X_fit_, fitted_ : array
        The points of the fit, and the decision values there.
    objective_, dual_objective_, duality_gap_, kkt_violation_, n_iter_, loss_, norm_
        What was minimized, a bound below it, their difference, how stationary the answer is, steps, and the parts.
    loo_decisions_ : array or None
        What each decision would be without its own point, by one Newton step; for two classes and exact steps.
    kernel_, plan_
        The kernel with medians and names resolved, and what was run.

    Examples
    --------
    >>> from mercer import KernelLogisticRegression
    >>> model = KernelLogisticRegression(alpha=1.0, kernel="linear()").fit([[-1.0], [1.0]], ["no", "yes"])
    >>> model.decision_function([[1.0]]).round(6)  # a = 2/(1 + exp a)
    array([0.674832])
    >>> model.predict([[0.3]]), model.predict_proba([[1.0]]).round(4)
    (array(['yes'], dtype='<U3'), array([[0.3374, 0.6626]]))
    """

    alpha: float = 1.0
    _: KW_ONLY
    kernel: Any = "rbf"
    fit_intercept: bool = True
    class_weight: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelLogisticRegression:
        """Fit the functions.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points, or for ``kernel="precomputed"`` the matrix of kernel values.
        y : array of shape (n_samples,)
            Labels of any kind.
        sample_weight : array of shape (n_samples,), optional
            Factors of the losses, at least 0.

        Returns
        -------
        The fitted estimator.
        """
        check_kinds(self)
        X, codes = self._read_classes(X, y)
        weights = self._read_weights(sample_weight, X)
        factors = self._class_factors(codes)
        kernel, values = self._prepared(X, weights)
        fit = self._specification(kernel, factors).fit(values, codes.astype(np.float64), weights, **self._options())
        self.X_fit_, self.class_weight_ = as_given(X), factors
        self._adopt(fit, flat=len(self.classes_) == 2)
        self._warn()
        return self

    def _specification(self, kernel: Kernel, factors: np.ndarray | None) -> Penalized:
        weights = None if factors is None else factors.tolist()
        return Penalized(kernel, self.alpha, class_weights=weights, **self._choices())

    def _plan(self, X: Any, y: Any = None) -> str:
        kernel, rows, columns = self._shape_of(X)
        return self._specification(kernel, None).plan(rows, columns, class_count(y), **self._options(timed=True))

    def decision_function(self, X: Any) -> np.ndarray:
        """Return ``f(x)``: the log-odds of the second of two classes, or a column per class.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New points; for ``kernel="precomputed"`` their kernel values with the points of the fit.

        Returns
        -------
        An array of shape (n_samples,), or (n_samples, n_columns) for more than two classes.
        """
        return self._shaped(self._evaluated("decision", X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of every class.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New points; for ``kernel="precomputed"`` their kernel values with the points of the fit.

        Returns
        -------
        An array of shape (n_samples, n_classes), in the order of ``classes_``.
        """
        return self._evaluated("probabilities", X)

    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable class.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New points; for ``kernel="precomputed"`` their kernel values with the points of the fit.

        Returns
        -------
        An array of shape (n_samples,).
        """
        codes = self._evaluated("predict", X)[:, 0].astype(np.intp)
        return self.classes_[codes]

    @property
    def loo_decisions_(self) -> np.ndarray | None:
        """What each decision would be without its own point."""
        return self._fit.loo_decisions

    def _saved(self) -> tuple[Any, dict[str, Any]]:
        fit, state = super()._saved()
        return fit, {**state, **self._class_state()}
