"""Learning with several kernels, whose weights are learned too."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin, OutlierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from mercer._documents import HOW, filled
from mercer._intervals import Intervals, PredictionSets
from mercer._kernel_names import as_parameter, compiled, object_kernel, symmetric
from mercer._kernels import refuse_functions
from mercer._learner import LearnerEstimator
from mercer._margins import ClassMixin
from mercer._mercer import AnyFit, Kernel, Learner
from mercer._parameters import check_above, check_choice, check_from, check_kinds, check_share, parameters, refuse

#: Kernels of several lengthscales and a line, where none are named.
DEFAULT = (
    "gaussian(lengthscale=0.5)",
    "gaussian(lengthscale=1)",
    "gaussian(lengthscale=2)",
    "gaussian(lengthscale=4)",
    "linear()",
)

#: The parameters and the attributes of all estimators.
NORMS = """normalize : {"trace", "none"}, default="trace"
        "trace" divides every kernel by its mean variance over the data, so that numbers that multiply kernels change
        nothing; "none" weighs the kernels as they are given.
    norm : float, default=1
        The weights have ``Σ wᵖ = 1``: 1 leaves few kernels, larger numbers spread the weights."""
WEIGHTS = """weights_ : array of shape (n_kernels,)
        The weights of the kernels as they were given, with ``Σ wᵖ = 1``.
    shares_ : array of shape (n_kernels,)
        The part of every kernel in ``‖f‖²``.
    duality_gap_ : float or None
        How far the objective can be from its minimum, for ``method="simple"``."""


@parameters
class _Multiple(LearnerEstimator):
    """An estimator with several kernels."""

    kernels: Any = None
    _: KW_ONLY
    method: str = "simple"
    normalize: str = "trace"
    norm: float = 1

    _fact_names: ClassVar[dict[str, str]] = {
        "weights_": "weights",
        "shares_": "shares",
        "duality_gap_": "duality_gap",
    }
    _takes_sparse = True
    #: The outputs and the classes of a plan.
    _plan_outputs: ClassVar[tuple[int, int]] = (1, 2)
    #: How the weights may be found.
    _methods: ClassVar[tuple[str, ...]] = ("simple", "alignment", "mean")

    def _kernel_list(self) -> list[Kernel]:
        given = DEFAULT if self.kernels is None else self.kernels
        if isinstance(given, (str, Kernel)) or len(given) == 0:
            refuse("kernels", given, "a list of at least one kernel")
        refuse_functions("kernels", given)
        columns = getattr(self, "n_features_in_", 1)
        return [self._with_columns(compiled(kernel, columns, None, 3, 1)) for kernel in given]

    def _object_kernel(self, X: Any = None) -> Kernel | None:
        given = DEFAULT if self.kernels is None else self.kernels
        found = [object_kernel(kernel, X) for kernel in given if isinstance(kernel, (str, Kernel))]
        return next((kernel for kernel in found if kernel is not None), None)

    def _settings(self) -> dict[str, Any]:
        check_kinds(self)
        check_choice("method", self.method, *self._methods)
        check_choice("normalize", self.normalize, "trace", "none")
        check_from("norm", self.norm, 1.0)
        return super()._settings()

    def _is_precomputed(self) -> bool:
        """Return whether one of the kernels is a matrix of values."""
        named = isinstance(self.kernels, (list, tuple))
        return named and any(as_parameter(kernel) == "precomputed" for kernel in self.kernels)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        return tags

    def _sparse_format(self) -> Any:
        return False if self._is_precomputed() else super()._sparse_format()

    def _learn_all(self, X: Any, **data: Any) -> AnyFit:
        kernels = self._kernel_list()
        X = symmetric(X) if self._is_precomputed() else X
        learner = Learner(self._learner, {"kernels": kernels, **self._settings()})
        self._outside = None
        return learner.fit([X], kernels[:1], **data, **self._options())

    def _adopt(self, fit: AnyFit) -> None:
        self._fit = fit
        for attribute, fact in self._fact_names.items():
            setattr(self, attribute, fit.fact(fact) if fact in fit.meanings else None)
        self.kernel_ = fit.kernel

    def _restore(self, fit: AnyFit, state: dict[str, Any]) -> None:
        self._outside = None
        self._adopt(fit)

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the weights of the kernels and their shares: `KernelWeightsDisplay`.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; new axes by default.

        Returns
        -------
        The display, whose ``figure_`` can be saved.
        """
        from mercer._displays.weights import KernelWeightsDisplay

        return KernelWeightsDisplay.from_estimator(self, ax=ax)

    def _plan(self, X: Any, y: Any = None) -> str:
        learner = Learner(self._learner, {"kernels": self._kernel_list(), **self._settings()})
        outputs, classes = self._plan_outputs
        return learner.plan([self._shape(X)], outputs, classes, **self._options(timed=True))

    @classmethod
    def _of_settings(cls, settings: dict[str, Any]) -> Any:
        model = super()._of_settings(settings)
        model.kernels = settings.get("kernels")
        return model


@filled(norms=NORMS, weights=WEIGHTS, HOW=HOW)
@parameters
class MultipleKernelRegressor(RegressorMixin, Intervals, _Multiple):
    """Ridge regression with several kernels: the weights of their sum are learned with the function.

    Parameters
    ----------
    kernels : list of texts or Kernels, optional
        The kernels that are weighted; by default Gaussian ones of four lengthscales, and a linear one.
    alpha : float, default=1.0
        The penalty of ``‖f‖²`` beside a sum of squares.
    method : {"simple", "alignment", "mean"}, default="simple"
        The convex problem with its duality gap; the alignment of the centered kernel matrices with the targets; or
        equal weights.
    {norms}
    fit_intercept : bool, default=True
        Whether there is a constant that is not penalized.
    random_state : int, RandomState instance or None, default=None
        Not used.
    {HOW}

    Attributes
    ----------
    {weights}
    kernel_ : Kernel
        The kernel of the function, in the language: a common factor times the sum of the kernels with these weights.
        The function with this kernel and ``alpha`` is the minimum that the gap is of; its parts are components.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import MultipleKernelRegressor
    >>> x = np.linspace(-2, 2, 40)[:, None]
    >>> model = MultipleKernelRegressor(["linear()", "gaussian(lengthscale=0.1)"], alpha=0.01).fit(x, 3 * x[:, 0])
    >>> bool(model.weights_[0] > 0.9)
    True
    """

    _learner = "multiple_ridge"
    _setting_names: ClassVar[dict[str, str]] = {
        "alpha": "lambda",
        "method": "method",
        "normalize": "normalize",
        "norm": "norm",
        "fit_intercept": "intercept",
    }

    alpha: float = 1.0
    _: KW_ONLY
    fit_intercept: bool = True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MultipleKernelRegressor:
        """Fit the weights and the function.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernels' kind
            Points.
        y : array of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array of shape (n_samples,), optional
            Weights of the points.

        Returns
        -------
        The fitted estimator.
        """
        check_from("alpha", self.alpha, 0.0)
        X, y = self._read_fit(X, y, multi_output=True, ensure_min_samples=2)
        self._flat = y.ndim == 1
        weights = self._read_weights(sample_weight, X)
        self._adopt(self._learn_all(X, y=y.reshape(len(y), -1), sample_weight=weights))
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


@filled(norms=NORMS, weights=WEIGHTS, HOW=HOW)
@parameters
class MultipleKernelClassifier(ClassMixin, ClassifierMixin, PredictionSets, _Multiple):
    """A support vector machine with several kernels: the weights of their sum are learned with the classifier.

    Parameters
    ----------
    kernels : list of texts or Kernels, optional
        The kernels that are weighted; by default Gaussian ones of four lengthscales, and a linear one.
    C : float, default=1.0
        The penalty of margin violations, beside half of ``‖f‖²``.
    method : {"simple", "alignment", "mean"}, default="simple"
        The convex problem with its duality gap; the alignment of the centered kernel matrices with the classes; or
        equal weights.
    {norms}
    random_state : int, RandomState instance or None, default=None
        Not used.
    {HOW}

    Attributes
    ----------
    classes_ : array
        The labels.
    {weights}
    kernel_ : Kernel
        The kernel of the classifier, in the language: a common factor times the sum of the kernels with these
        weights. The classifier with this kernel and ``C`` is the minimum that the gap is of.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import MultipleKernelClassifier
    >>> x = np.linspace(-2, 2, 40)[:, None]
    >>> model = MultipleKernelClassifier(["linear()", "gaussian(lengthscale=1)"]).fit(x, np.abs(x[:, 0]) > 1)
    >>> bool(model.weights_[1] > 0.9), model.predict([[0.0], [2.0]])
    (True, array([False,  True]))
    """

    _learner = "multiple_svm"
    _setting_names: ClassVar[dict[str, str]] = {
        "C": "C",
        "method": "method",
        "normalize": "normalize",
        "norm": "norm",
    }

    C: float = 1.0

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MultipleKernelClassifier:
        """Fit the weights and the classifier.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernels' kind
            Points.
        y : array of shape (n_samples,)
            Labels of any kind.
        sample_weight : array of shape (n_samples,), optional
            Weights of the points.

        Returns
        -------
        The fitted estimator.
        """
        check_above("C", self.C, 0.0)
        X, codes = self._read_classes(X, y)
        weights = self._read_weights(sample_weight, X)
        fit = self._learn_all(X, classes=codes.tolist(), names=self._class_names(), sample_weight=weights)
        self._adopt(fit)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the decision values: positive for the second of two classes, or a column per class.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernels' kind
            Points.

        Returns
        -------
        An array of shape (n_samples,) or (n_samples, n_classes).
        """
        check_is_fitted(self)
        values = self._fit.decision(self._read(X), **self._options())
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: Any) -> np.ndarray:
        """Predict the classes.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernels' kind
            Points.

        Returns
        -------
        An array of shape (n_samples,).
        """
        check_is_fitted(self)
        codes = self._fit.predict(self._read(X), **self._options())[:, 0].astype(np.intp)
        return self.classes_[codes]

    def _saved(self) -> tuple[AnyFit, dict[str, Any]]:
        return super()._saved()[0], self._class_state()


@filled(norms=NORMS, weights=WEIGHTS, HOW=HOW)
@parameters
class MultipleKernelOneClass(OutlierMixin, _Multiple):
    """The support of a distribution with several kernels: the weights of their sum are learned with the region.

    The least value of the convex problem is the largest distance of the points from the origin of the feature space:
    ``norm=1`` prefers smooth kernels. With kernels of different smoothness use ``norm=2`` or ``method="mean"``.

    Parameters
    ----------
    kernels : list of texts or Kernels, optional
        The kernels that are weighted; by default Gaussian ones of four lengthscales, and a linear one.
    nu : float, default=0.5
        Above 0 and at most 1: about this part of the data is outside.
    method : {"simple", "mean"}, default="simple"
        The convex problem with its duality gap; or equal weights.
    {norms}
    random_state : int, RandomState instance or None, default=None
        Not used.
    {HOW}

    Attributes
    ----------
    offset_ : array of shape (1,)
        ρ, so that ``decision_function = score_samples − offset_``.
    {weights}
    kernel_ : Kernel
        The kernel of the region, in the language: a common factor times the sum of the kernels with these weights.
        `OneClassSVM` with this kernel and ``nu`` has the same region.

    Examples
    --------
    >>> from mercer import MultipleKernelOneClass
    >>> kernels = ["gaussian(lengthscale=1)", "gaussian(lengthscale=0.1)"]
    >>> model = MultipleKernelOneClass(kernels, nu=0.3, norm=2).fit([[0.0], [0.1], [-0.1], [0.05], [4.0]])
    >>> model.predict([[0.0], [9.0]])
    array([ 1, -1])
    """

    _learner = "multiple_one_class"
    _setting_names: ClassVar[dict[str, str]] = {
        "nu": "nu",
        "method": "method",
        "normalize": "normalize",
        "norm": "norm",
    }
    _methods: ClassVar[tuple[str, ...]] = ("simple", "mean")
    _plan_outputs: ClassVar[tuple[int, int]] = (1, 0)

    nu: float = 0.5

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> MultipleKernelOneClass:
        """Fit the weights and the region.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernels' kind
            Points.
        y : None
            Not looked at.
        sample_weight : array of shape (n_samples,), optional
            Weights of the points.

        Returns
        -------
        The fitted estimator.
        """
        check_share("nu", self.nu)
        X = self._read_points(X)
        self._adopt(self._learn_all(X, sample_weight=self._read_weights(sample_weight, X)))
        return self

    @property
    def offset_(self) -> np.ndarray:
        """Return ρ: ``decision_function = score_samples − offset_``."""
        check_is_fitted(self)
        return np.array([-self._fit.fact("offset")])

    def decision_function(self, X: Any) -> np.ndarray:
        """Return ``f(x) − ρ``: not negative inside.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernels' kind
            Points.

        Returns
        -------
        An array of shape (n_samples,).
        """
        check_is_fitted(self)
        return self._fit.decision(self._read(X), **self._options())[:, 0]

    def score_samples(self, X: Any) -> np.ndarray:
        """Return ``f(x)``.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernels' kind
            Points.

        Returns
        -------
        An array of shape (n_samples,).
        """
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """Return 1 inside and -1 outside.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernels' kind
            Points.

        Returns
        -------
        An array of shape (n_samples,).
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)


__all__ = ["MultipleKernelClassifier", "MultipleKernelOneClass", "MultipleKernelRegressor"]
