"""Support vector machines, in the place of scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, OutlierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer._kernels import is_computed_outside, may_be_indefinite
from mercer._margins import ClassMixin, MarginEstimator, filled
from mercer._mercer import Kernel, Svc, SvcFit, Svm, SvmFit

_COMMON = """kernel : text, Kernel, name or callable, default="rbf"
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
    random_state, n_jobs, max_memory, verbose
        How to compute: the seed, threads, bytes or text such as ``"2GB"``, a progress bar."""
_EVIDENCE = """support_, support_vectors_, n_support_, dual_coef_, intercept_, fit_status_, n_iter_, shape_fit_
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


class SupportVectorClassifier(ClassMixin, ClassifierMixin, Machine):
    """A classifier by machines for pairs of classes."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SupportVectorClassifier:
        """Fit the machines.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points, or for ``kernel="precomputed"`` the matrix of kernel values.
        y : array of shape (n_samples,)
            Labels of any kind.
        sample_weight : array of shape (n_samples,), optional
            Factors of C, at least 0.
        """
        self._check_shape()
        X, codes = self._read_classes(X, y)
        weights = self._read_weights(sample_weight, X)
        factors = self._class_factors(codes)
        kernel, values = self._prepared(X)
        spec = self._specification(kernel, factors)
        fit = spec.fit(values, codes.tolist(), self._class_names(), weights, **self._options())
        self.class_weight_ = factors
        self._adopt(fit, X.shape)
        self._warn(kernel)
        return self

    def _check_shape(self) -> None:
        if self.multi_class not in ("ovo", "ovr"):
            raise ValueError(f"multi_class = {self.multi_class!r} is not allowed: it must be 'ovo' or 'ovr'")
        if self.decision_function_shape not in ("ovr", "ovo"):
            raise ValueError(
                f"decision_function_shape = {self.decision_function_shape!r} is not allowed: it must be 'ovr' or 'ovo'"
            )

    def _specification(self, kernel: Kernel, factors: np.ndarray | None) -> Svc:
        weights = None if factors is None or (factors == 1.0).all() else factors.tolist()
        return Svc(
            kernel,
            class_weights=weights,
            rest=self.multi_class == "ovr",
            offset=self.fit_intercept,
            break_ties=self.break_ties,
            calibration=self.calibration if self.probability else None,
            folds=self.calibration_cv,
            **self._penalty(),
            **self._solver(),
        )

    def explain(self, X: Any, y: Any = None) -> str:
        """Tell what a fit of this data would take, before it runs."""
        kernel, rows, columns = self._shape_of(X)
        classes = 2 if y is None else len(np.unique(y))
        return self._specification(kernel, None).plan(rows, columns, classes, **self._options())

    def _adopt(self, fit: SvcFit, shape: tuple[int, int]) -> None:
        super()._adopt(fit, shape)
        # The machine of two classes is positive for the first; scikit-learn's is positive for the second.
        sign = -1.0 if len(self.classes_) == 2 else 1.0
        self.dual_coef_ = np.ascontiguousarray(sign * fit.dual_coefficients.T)
        self.intercept_ = sign * fit.offsets
        self.n_support_ = fit.support_sizes
        self.n_iter_ = fit.steps
        sigmoids = np.array(fit.sigmoids or [], dtype=np.float64).reshape(-1, 2)
        self.probA_, self.probB_ = sigmoids[:, 0].copy(), sigmoids[:, 1].copy()

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of every row: by votes, or with ``probability=True`` the most probable one."""
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        return self.classes_[self._fit.predict(self._new_values(X), **self._options())]

    def decision_function(self, X: Any) -> np.ndarray:
        """Give decision values: positive for the second of two classes; of more a column per class or per pair."""
        check_is_fitted(self)
        values = self._fit.decision(self._new_values(X), self.decision_function_shape == "ovo", **self._options())
        return values.ravel() if len(self.classes_) == 2 else values

    def _has_probabilities(self) -> bool:
        if not self.probability:
            raise AttributeError("predict_proba is only available with probability=True")
        return True

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Give the probability of every class; its largest is the prediction, always."""
        check_is_fitted(self)
        return self._fit.probabilities(self._new_values(X), **self._options())

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Give the logarithms of the probabilities."""
        return np.log(self.predict_proba(X))

    def _primal(self) -> np.ndarray:
        if len(self.classes_) == 2 or not self._fit.paired:
            return super()._primal()
        # Machine (a, b) has the support vectors of both classes, each in the column of the other.
        ends = np.concatenate([[0], np.cumsum(self.n_support_)])
        of = [slice(ends[c], ends[c + 1]) for c in range(len(self.classes_))]
        rows = [
            self.dual_coef_[b - 1, of[a]] @ self.support_vectors_[of[a]]
            + self.dual_coef_[a, of[b]] @ self.support_vectors_[of[b]]
            for a in range(len(of))
            for b in range(a + 1, len(of))
        ]
        return np.array(rows)

    def _restore(self, fit: SvcFit, state: dict[str, Any]) -> None:
        self._restore_classes(fit.names, state)
        self.class_weight_ = np.array(state.get("class_weight", [1.0] * len(self.classes_)))
        super()._restore(fit, state)

    def _saved(self) -> tuple[Any, dict[str, Any]]:
        fit, state = super()._saved()
        return fit, {**state, **self._class_state(), "class_weight": self.class_weight_.tolist()}


@filled(common=_COMMON, evidence=_EVIDENCE)
class SVC(SupportVectorClassifier):
    """Support vector classification: ``min ½‖f‖² + C Σ wᵢ max(0, 1 − yᵢ(f(xᵢ) + b))``.

    In the place of scikit-learn's class: the same parameters and attributes, and more of both.

    Parameters
    ----------
    C : float, default=1.0
        What an error costs, above 0.
    {common}
    probability : bool, default=False
        Whether there is ``predict_proba``: from decision values of internal folds. The most probable class is then the
        prediction.
    calibration : {"sigmoid", "isotonic"}, default="sigmoid"
        How decision values become probabilities.
    calibration_cv : int, default=5
        The number of internal folds.
    class_weight : dict or "balanced", optional
        Factors of C for the classes.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        A column per class, or per pair.
    break_ties : bool, default=False
        Whether equal votes are decided by decision values.
    multi_class : {"ovo", "ovr"}, default="ovo"
        A machine per pair of classes, or one per class against the rest.
    fit_intercept : bool, default=True
        Whether there is an offset.

    Attributes
    ----------
    classes_, class_weight_, probA_, probB_
        As in scikit-learn.
    {evidence}

    Examples
    --------
    >>> from mercer import SVC
    >>> model = SVC(C=10, kernel="linear()").fit([[-2.0], [-1.0], [1.0], [3.0]], ["left", "left", "right", "right"])
    >>> model.predict([[-0.1], [0.2]])
    array(['left', 'right'], dtype='<U5')
    >>> model.support_, round(model.dual_objective_, 6)  # the widest margin lies between −1 and 1
    (array([1, 2], dtype=int32), 0.5)
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: float = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        multi_class: str = "ovo",
        calibration: str = "sigmoid",
        calibration_cv: int = 5,
        fit_intercept: bool = True,
        allow_indefinite: bool = False,
        kernel_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | str | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.multi_class = multi_class
        self.calibration = calibration
        self.calibration_cv = calibration_cv
        self.fit_intercept = fit_intercept
        self.allow_indefinite = allow_indefinite
        self.kernel_params = kernel_params
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    def _penalty(self) -> dict[str, float]:
        return {"c": self.C}


@filled(common=_COMMON, evidence=_EVIDENCE)
class NuSVC(SupportVectorClassifier):
    """Support vector classification with ν in the place of C.

    Parameters
    ----------
    nu : float, default=0.5
        Above 0 and at most ``2·min(n₊, n₋)/n`` for every pair of classes: at most this part of the rows is beyond the
        margin, at least this part are support vectors.
    {common}
    probability, calibration, calibration_cv, class_weight, decision_function_shape, break_ties, multi_class
        As in `SVC`.

    Attributes
    ----------
    classes_, class_weight_, probA_, probB_
        As in scikit-learn.
    {evidence}

    Examples
    --------
    >>> from mercer import NuSVC
    >>> model = NuSVC(nu=0.5, kernel="linear()").fit([[-2.0], [-1.0], [1.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict([[-1.5], [2.0]])
    array([0, 1])
    """

    #: A ν-machine always has an offset.
    fit_intercept = True

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: Any = "rbf",
        degree: float = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        multi_class: str = "ovo",
        calibration: str = "sigmoid",
        calibration_cv: int = 5,
        allow_indefinite: bool = False,
        kernel_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | str | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.multi_class = multi_class
        self.calibration = calibration
        self.calibration_cv = calibration_cv
        self.allow_indefinite = allow_indefinite
        self.kernel_params = kernel_params
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    def _penalty(self) -> dict[str, float]:
        return {"nu": self.nu}


class NumberMachine(Machine):
    """A machine with one function: a regression, or the support of a distribution."""

    def _adopt(self, fit: SvmFit, shape: tuple[int, int]) -> None:
        super()._adopt(fit, shape)
        self.dual_coef_ = fit.dual_coefficients.reshape(1, -1)
        self.intercept_ = np.array([fit.offset])
        self.n_support_ = np.array([len(self.support_)], dtype=np.int32)
        self.n_iter_ = fit.evidence["steps"]

    def _specification(self, kernel: Kernel) -> Svm:
        return Svm(kernel, **self._penalty(), **self._solver())

    def explain(self, X: Any, y: Any = None) -> str:
        """Tell what a fit of this data would take, before it runs."""
        kernel, rows, columns = self._shape_of(X)
        return self._specification(kernel).plan(rows, columns, **self._options())

    def _decisions(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._fit.decision(self._new_values(X), **self._options())


class SupportVectorRegressor(RegressorMixin, NumberMachine):
    """A regression with a tube of no loss."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SupportVectorRegressor:
        """Fit the machine.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points, or for ``kernel="precomputed"`` the matrix of kernel values.
        y : array of shape (n_samples,)
            Targets.
        sample_weight : array of shape (n_samples,), optional
            Factors of C, at least 0.
        """
        X, y = self._read_fit(X, y)
        weights = self._read_weights(sample_weight, X)
        kernel, values = self._prepared(X)
        fit = self._specification(kernel).fit(values, y, weights, **self._options())
        self._adopt(fit, X.shape)
        self._warn(kernel)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict ``f(x) + b``."""
        return self._in_units(self._decisions(X))

    @property
    def epsilon_(self) -> float:
        """Half of the width of the tube: given, or found by ν."""
        check_is_fitted(self)
        return self._fit.epsilon


@filled(common=_COMMON, evidence=_EVIDENCE)
class SVR(SupportVectorRegressor):
    """Support vector regression: ``min ½‖f‖² + C Σ wᵢ max(0, |yᵢ − f(xᵢ) − b| − ε)``.

    Parameters
    ----------
    C : float, default=1.0
        What an error beyond the tube costs, above 0.
    epsilon : float, default=0.1
        Half of the width of the tube, at least 0.
    {common}
    fit_intercept : bool, default=True
        Whether there is an offset.

    Attributes
    ----------
    epsilon_ : float
        Half of the width of the tube.
    {evidence}

    Examples
    --------
    >>> from mercer import SVR
    >>> model = SVR(C=100, epsilon=0.5, kernel="linear()").fit([[0.0], [1.0], [2.0]], [0.0, 2.0, 4.0])
    >>> model.predict([[3.0]]).round(3)  # the flattest line with all errors at most ½: 1.5x + ½
    array([5.])
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: float = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        fit_intercept: bool = True,
        allow_indefinite: bool = False,
        kernel_params: dict[str, Any] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        max_memory: int | str | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.allow_indefinite = allow_indefinite
        self.kernel_params = kernel_params
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    def _penalty(self) -> dict[str, Any]:
        return {"c": self.C, "epsilon": self.epsilon, "offset": self.fit_intercept}


@filled(common=_COMMON, evidence=_EVIDENCE)
class NuSVR(SupportVectorRegressor):
    """Support vector regression whose tube is as wide as ν asks for.

    Parameters
    ----------
    nu : float, default=0.5
        Above 0 and at most 1: at most this part of the rows is outside of the tube.
    C : float, default=1.0
        What an error beyond the tube costs, above 0.
    {common}

    Attributes
    ----------
    epsilon_ : float
        Half of the width of the tube that was found.
    {evidence}

    Examples
    --------
    >>> from mercer import NuSVR
    >>> model = NuSVR(nu=0.5, C=100, kernel="linear()").fit([[0.0], [1.0], [2.0]], [0.0, 2.0, 4.0])
    >>> model.predict([[3.0]]).round(2)
    array([6.])
    """

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: float = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        allow_indefinite: bool = False,
        kernel_params: dict[str, Any] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        max_memory: int | str | None = None,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.allow_indefinite = allow_indefinite
        self.kernel_params = kernel_params
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    def _penalty(self) -> dict[str, Any]:
        return {"c": self.C, "nu": self.nu}


@filled(common=_COMMON, evidence=_EVIDENCE)
class OneClassSVM(OutlierMixin, NumberMachine):
    """The support of a distribution: a small region that holds most of the data.

    Parameters
    ----------
    nu : float, default=0.5
        Above 0 and at most 1: about this part of the data is outside.
    {common}

    Attributes
    ----------
    offset_ : float
        ρ, so that ``decision_function = score_samples − offset_``.
    {evidence}

    Examples
    --------
    >>> from mercer import OneClassSVM
    >>> model = OneClassSVM(nu=0.3, kernel="gaussian()").fit([[0.0], [0.1], [-0.1], [0.05], [4.0]])
    >>> model.predict([[0.0], [9.0]])
    array([ 1, -1])
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: float = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        allow_indefinite: bool = False,
        kernel_params: dict[str, Any] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        max_memory: int | str | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.allow_indefinite = allow_indefinite
        self.kernel_params = kernel_params
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    def _penalty(self) -> dict[str, Any]:
        return {"nu": self.nu}

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> OneClassSVM:
        """Fit the region; y is not looked at."""
        self._target_names, self._units, self._inputs = None, None, None
        X = validate_data(self, X, dtype=np.float64, order="C")
        weights = self._read_weights(sample_weight, X)
        kernel, values = self._prepared(X)
        self._adopt(self._specification(kernel).fit(values, None, weights, **self._options()), X.shape)
        self._warn(kernel)
        return self

    @property
    def offset_(self) -> float:
        """Give ρ: ``decision_function = score_samples − offset_``."""
        check_is_fitted(self)
        return -float(self.intercept_[0])

    def decision_function(self, X: Any) -> np.ndarray:
        """Give ``f(x) − ρ``: not negative inside."""
        return self._decisions(X)

    def score_samples(self, X: Any) -> np.ndarray:
        """Give ``f(x)``."""
        return self._decisions(X) + self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """Give 1 inside and -1 outside."""
        return np.where(self._decisions(X) >= 0, 1, -1)
