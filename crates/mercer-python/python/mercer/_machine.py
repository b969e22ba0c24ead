"""General losses beside a norm."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, mean_pinball_loss, r2_score
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if

from mercer._centers import CENTERS
from mercer._documents import filled
from mercer._estimator import as_given
from mercer._intervals import INTERVAL, Intervals, PredictionSets
from mercer._margins import ClassMixin
from mercer._mercer import Kernel, Penalized
from mercer._parameters import check_kinds, parameters
from mercer._penalized import PenalizedEstimator

#: Losses whose targets are two classes.
_CLASSES = ("hinge", "squared_hinge", "logistic")
#: The parameter of a loss, by the name of the estimator's.
_PARAMETERS = {"huber": "delta", "quantile": "quantile", "epsilon_insensitive": "epsilon", "tweedie": "power"}
#: Losses whose predictions are means ``exp f`` of targets that are not negative.
LOG_LINK = ("poisson", "gamma", "tweedie")


@filled(centers=CENTERS)
@parameters
class KernelMachine(ClassMixin, Intervals, PredictionSets, PenalizedEstimator):
    """A regularized loss: ``min Σ wᵢ loss(yᵢ, f(xᵢ)) + alpha·‖f‖²``.

    A regressor or a classifier of two classes, depending on the loss.

    Parameters
    ----------
    loss : str, default="huber"
        ``"squared"``, ``"huber"``, ``"log_cosh"``, ``"absolute"``, ``"quantile"``, ``"epsilon_insensitive"``,
        ``"poisson"``, ``"gamma"``, ``"tweedie"`` (half of the deviance with the mean ``exp f``, which `predict` gives:
        counts, positive amounts, amounts that may be 0); of two classes ``"hinge"``, ``"squared_hinge"``,
        ``"logistic"``.
    alpha : float, default=1.0
        The regularization, above 0, beside a *sum* of losses.
    kernel : text, Kernel, name or callable, default="rbf"
        A text or a `mercer.Kernel`; one of scikit-learn's names with ``gamma``, ``degree`` and ``coef0``;
        ``"precomputed"``; or a function.
    fit_intercept : bool, default=True
        Whether there is an unpenalized constant.
    quantile : float or list of floats, default=0.5
        The level of the quantile loss. For an ascending list predictions have a column per level, and never cross.
    delta : float, default=1.0
        Where Huber's loss ``r²/2`` becomes linear.
    epsilon : float, default=0.1
        Half of the width of the tube of no loss.
    power : float, default=1.5
        Between 1 and 2: the variance of ``"tweedie"`` is proportional to the mean to this power.
    gamma, degree, coef0, kernel_params
        Parameters of the names, and of a kernel that is a function; ``gamma`` may be ``"scale"`` or ``"auto"``.
    solver : {"auto", "newton", "newton-cg", "dual", "centers"}, default="auto"
        Newton's method for smooth losses, the dual problem for those with kinks.
    {centers}
    tol : float, optional
        Stop when the duality gap is at most this part of the objective.
    max_iter : int, optional
        Steps.
    random_state, n_jobs, max_memory, max_time, verbose
        How to compute: the seed, threads, bytes or text such as ``"2GB"``, seconds that ``"auto"`` may expect to
        take, a progress bar.

    Attributes
    ----------
    dual_coef_, intercept_, X_fit_, fitted_ : array
        ``f = Σ αᵢk(·, xᵢ) + b``, its points, and its values there; a column per level for a list of levels.
    objective_, dual_objective_, duality_gap_, kkt_violation_, n_iter_, loss_, norm_
        What was minimized, a bound below it, their difference, how stationary the answer is, steps, and the parts.
    classes_ : array
        The labels, for losses of classes.
    crossings_ : int or None
        At how many points of the data the curves of a list of levels crossed before they were sorted.
    kernel_, plan_
        The kernel with medians and names resolved, and what was run.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelMachine
    >>> x, y = np.arange(4.0)[:, None], [0.0, 1.0, 2.0, 100.0]
    >>> median = KernelMachine("absolute", alpha=1e6, kernel="gaussian()").fit(x, y)
    >>> bool(0.99 < median.predict([[0.5]])[0] < 2.01)  # the last value does not move it
    True
    >>> curves = KernelMachine("quantile", alpha=0.1, kernel="gaussian()", quantile=[0.1, 0.9]).fit(x, y)
    >>> curves.predict(x).shape
    (4, 2)
    """

    loss: str = "huber"
    alpha: float = 1.0
    kernel: Any = "rbf"
    fit_intercept: bool = True
    quantile: Any = 0.5
    _: KW_ONLY
    delta: float = 1.0
    epsilon: float = 0.1
    power: float = 1.5

    @property
    def _estimator_type(self) -> str:
        return "classifier" if self.loss in _CLASSES else "regressor"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.target_tags.required = self._estimator_type, True
        if self.loss in _CLASSES:
            tags.classifier_tags = ClassifierTags(multi_class=False)
        else:
            tags.regressor_tags = RegressorTags()
            tags.target_tags.positive_only = self.loss in LOG_LINK
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelMachine:
        """Fit the function.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points, or for ``kernel="precomputed"`` the matrix of kernel values.
        y : array of shape (n_samples,)
            Targets: numbers, counts for ``"poisson"``, numbers above 0 for ``"gamma"`` and of at least 0 for
            ``"tweedie"``, labels of two classes for losses of classes.
        sample_weight : array of shape (n_samples,), optional
            Factors of the losses, at least 0.

        Returns
        -------
        The fitted estimator.
        """
        check_kinds(self)
        X, targets = self._sides(X, y) if self.loss in _CLASSES else self._read_fit(X, y)
        weights = self._read_weights(sample_weight, X)
        kernel, values = self._prepared(X, weights)
        fit = self._specification(kernel).fit(values, targets, weights, **self._options())
        self.X_fit_ = as_given(X)
        self._adopt(fit, flat=fit.levels is None)
        self._warn()
        return self

    def _sides(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        X, codes = self._read_classes(X, y)
        if len(self.classes_) > 2:
            raise ValueError(
                f"Only binary classification is supported. The loss {self.loss} supports two classes; found "
                f"{len(self.classes_)}: use SVC or KernelLogisticRegression"
            )
        return X, 2.0 * codes - 1.0

    def _specification(self, kernel: Kernel) -> Penalized:
        if self.loss == "quantile" and np.ndim(self.quantile) == 1:
            levels = [float(level) for level in self.quantile]
            return Penalized(kernel, self.alpha, levels=levels, **self._choices())
        name = _PARAMETERS.get(self.loss)
        parameter = None if name is None else float(getattr(self, name))
        return Penalized(kernel, self.alpha, loss=self.loss, parameter=parameter, **self._choices())

    def _plan(self, X: Any, y: Any = None) -> str:
        kernel, rows, columns = self._shape_of(X)
        return self._specification(kernel).plan(rows, columns, **self._options(timed=True))

    @filled(interval=INTERVAL)
    def predict(self, X: Any, *, interval: float | None = None, method: str = "auto") -> Any:
        """Predict what the loss estimates: a number, a class, the mean of a count or an amount, or quantiles.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New points; for ``kernel="precomputed"`` their kernel values with the points of the fit.
        interval : float, optional
            The level of intervals, between 0 and 1: the answer is then a tuple ``(prediction, lower, upper)``.
        method : {"auto", "model", "conformal"}, default="auto"
            {interval}

        Returns
        -------
        An array of shape (n_samples,), or (n_samples, n_quantiles) for several quantiles, with ``interval`` three of
        them.
        """
        if interval is not None:
            if self.loss in _CLASSES:
                raise ValueError(f"the loss {self.loss} has classes, which have no intervals: use predict_set")
            return self._with_interval(X, self.predict(X), interval, method)
        values = self._evaluated("predict", X)
        if self.loss in _CLASSES:
            return self.classes_[(values[:, 0] > 0).astype(np.intp)]
        return self._in_units(self._shaped(values))

    def _decides_classes(self) -> bool:
        if self.loss not in _CLASSES:
            raise AttributeError(f"the loss {self.loss} has no decision function: use predict")
        return True

    def _has_probabilities(self) -> bool:
        if self.loss != "logistic":
            raise AttributeError(f"the loss {self.loss} has no probabilities: use the logistic loss")
        return True

    @available_if(_decides_classes)
    def decision_function(self, X: Any) -> np.ndarray:
        """Return ``f(x)``, positive for the second class.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New points; for ``kernel="precomputed"`` their kernel values with the points of the fit.

        Returns
        -------
        An array of shape (n_samples,).
        """
        return self._evaluated("decision", X)[:, 0]

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities of both classes.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New points; for ``kernel="precomputed"`` their kernel values with the points of the fit.

        Returns
        -------
        An array of shape (n_samples, 2).
        """
        second = self._evaluated("probabilities", X)[:, 0]
        return np.column_stack([1.0 - second, second])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of classes, R² of numbers, minus the mean pinball loss of quantiles.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New points; for ``kernel="precomputed"`` their kernel values with the points of the fit.
        y : array of shape (n_samples,)
            Targets.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows, at least 0.

        Returns
        -------
        A number; more is better.
        """
        found = self.predict(X)
        if self.loss in _CLASSES:
            return accuracy_score(y, found, sample_weight=sample_weight)
        if self.loss != "quantile":
            return r2_score(y, found, sample_weight=sample_weight)
        levels = np.atleast_1d(self.quantile)
        columns = found.reshape(len(found), -1).T
        losses = [
            mean_pinball_loss(y, q, sample_weight=sample_weight, alpha=a) for a, q in zip(levels, columns, strict=True)
        ]
        return -float(np.mean(losses))

    @property
    def crossings_(self) -> int | None:
        """At how many points of the data the curves crossed before they were sorted."""
        return self._fit.crossings

    def _saved(self) -> tuple[Any, dict[str, Any]]:
        fit, state = super()._saved()
        return fit, {**state, **self._class_state()} if self.loss in _CLASSES else state
