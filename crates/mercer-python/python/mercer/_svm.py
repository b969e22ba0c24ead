"""Support vector classification: drop-in replacements for scikit-learn's classes."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse, vstack
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from mercer._documents import filled
from mercer._intervals import PredictionSets
from mercer._margins import ClassMixin, class_count
from mercer._mercer import Kernel, Svc, SvcFit
from mercer._parameters import check_above, check_choice, check_count, check_flag, check_share, parameters
from mercer._support import COMMON, EVIDENCE, Machine, shape_of


@parameters
class SupportVectorClassifier(ClassMixin, ClassifierMixin, PredictionSets, Machine):
    """A one-versus-one classifier."""

    _: KW_ONLY
    probability: bool | str = False
    calibration: str = "sigmoid"
    calibration_cv: int = 5
    class_weight: Any = None
    decision_function_shape: str = "ovr"
    break_ties: bool = False
    multi_class: str = "ovo"

    #: The beginning of the error of weights that leave one class, as in scikit-learn.
    _one_class = "Invalid input -"
    #: The same fit without probabilities, where classes are predicted by votes in spite of them: as by models that
    #: were taken over from scikit-learn.
    _voting: ClassVar[SvcFit | None] = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SupportVectorClassifier:
        """Fit the classifier.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points, or for ``kernel="precomputed"`` the matrix of kernel values.
        y : array of shape (n_samples,)
            Labels of any kind.
        sample_weight : array of shape (n_samples,), optional
            Factors of C. Rows of weight 0 or below are dropped.

        Returns
        -------
        The fitted estimator.
        """
        X, codes, weights = self._read_weighted_classes(X, y, sample_weight)
        kernel, values = self._prepared(X)
        return self._fit_machines(kernel, X, values, (codes.tolist(), self._class_names(), weights))

    def _read_weighted_classes(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray | None]:
        """Check the parameters and the data of a fit; the classes and their weights are noted."""
        self._check_parameters()
        X, codes = self._read_classes(X, y)
        weights = self._read_weights(sample_weight, X)
        if weights is not None and len(np.unique(codes[weights > 0])) < 2:
            raise ValueError(f"{self._one_class} all samples with positive weights belong to the same class")
        self.class_weight_ = self._class_factors(codes)
        return X, codes, weights

    def _fit_machines(self, kernel: Kernel, X: Any, values: np.ndarray, data: tuple[Any, ...]) -> Any:
        fit = self._specification(kernel, self.class_weight_, values).fit(values, *data, **self._options())
        self._adopt(fit, shape_of(X))
        self._warn(kernel)
        return self

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("multi_class", self.multi_class, "ovo", "ovr")
        check_choice("decision_function_shape", self.decision_function_shape, "ovr", "ovo")
        check_choice("calibration", self.calibration, "sigmoid", "isotonic")
        check_count("calibration_cv", self.calibration_cv, 2)
        check_flag("break_ties", self.break_ties)
        check_flag("fit_intercept", self.fit_intercept)
        if self.probability != "deprecated":
            check_flag("probability", self.probability)

    @property
    def _calibrates(self) -> bool:
        """Whether probabilities are requested; scikit-learn's default value means that they are not."""
        return self.probability != "deprecated" and bool(self.probability)

    def _specification(self, kernel: Kernel, factors: np.ndarray | None, values: np.ndarray | None = None) -> Svc:
        weights = None if factors is None or (factors == 1.0).all() else factors.tolist()
        return Svc(
            kernel,
            class_weights=weights,
            rest=self.multi_class == "ovr",
            offset=self.fit_intercept,
            break_ties=self.break_ties,
            calibration=self.calibration if self._calibrates else None,
            folds=self.calibration_cv,
            **self._penalty(kernel, values),
            **self._solver(),
        )

    def _plan(self, X: Any, y: Any = None) -> str:
        kernel, rows, columns = self._shape_of(X)
        return self._specification(kernel, None).plan(rows, columns, class_count(y), **self._options())

    def _adopt(self, fit: SvcFit, shape: tuple[int, int]) -> None:
        super()._adopt(fit, shape)
        self._voting = None
        # The decision function of two classes is positive for the first; scikit-learn's is positive
        # for the second.
        sign = -1.0 if len(self.classes_) == 2 else 1.0
        self.dual_coef_ = self._as_fitted(np.ascontiguousarray(sign * fit.dual_coefficients.T))
        self.intercept_ = sign * fit.offsets
        self.n_support_ = fit.support_sizes
        self.n_iter_ = fit.steps
        sigmoids = np.array(fit.sigmoids or [], dtype=np.float64).reshape(-1, 2)
        self.probA_, self.probB_ = sigmoids[:, 0].copy(), sigmoids[:, 1].copy()

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of every row: by votes, or with ``probability=True`` the most probable one.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New points; for ``kernel="precomputed"`` their kernel values with the points of the fit.

        Returns
        -------
        An array of shape (n_samples,).
        """
        self._check_fitted()
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        fit = self._fit if self._voting is None else self._voting
        return self.classes_[fit.predict(self._new_values(X), **self._options())]

    def decision_function(self, X: Any) -> np.ndarray:
        """Return decision values: positive for the second of two classes; of more a column per class or per pair.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New points; for ``kernel="precomputed"`` their kernel values with the points of the fit.

        Returns
        -------
        An array of shape (n_samples,) for two classes, otherwise (n_samples, n_classes) or, for
        ``decision_function_shape="ovo"``, (n_samples, n_pairs).
        """
        self._check_fitted()
        values = self._fit.decision(self._new_values(X), self.decision_function_shape == "ovo", **self._options())
        return values.ravel() if len(self.classes_) == 2 else values

    def _has_probabilities(self) -> bool:
        if not self._calibrates:
            raise AttributeError("predict_proba is only available with probability=True")
        return True

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of every class; its largest is the prediction, always.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New points; for ``kernel="precomputed"`` their kernel values with the points of the fit.

        Returns
        -------
        An array of shape (n_samples, n_classes), in the order of ``classes_``.
        """
        self._check_fitted()
        if not self._fit.calibrated:
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        return self._fit.probabilities(self._new_values(X), **self._options())

    def _primal(self) -> Any:
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
        return vstack(rows, format="csr") if issparse(self.support_vectors_) else np.array(rows)

    def _restore(self, fit: SvcFit, state: dict[str, Any]) -> None:
        self._restore_classes(fit.names, state)
        super()._restore(fit, state)

    def _saved(self) -> tuple[Any, dict[str, Any]]:
        fit, state = super()._saved()
        if self._voting is not None:
            message = "a model file predicts the most probable class, where scikit-learn's model counts votes"
            warnings.warn(message, UserWarning, stacklevel=3)
        return fit, {**state, **self._class_state()}


@filled(common=COMMON, evidence=EVIDENCE)
@parameters
class SVC(SupportVectorClassifier):
    """Support vector classification: ``min ½‖f‖² + C Σ wᵢ max(0, 1 − yᵢ(f(xᵢ) + b))``.

    Drop-in replacement for scikit-learn's class of the same name, with additional parameters and attributes.

    Parameters
    ----------
    C : float, default=1.0
        What an error costs, above 0; infinite for no errors at all, where that is possible.
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
        One-versus-one or one-versus-rest.
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

    _: KW_ONLY
    C: float = 1.0
    fit_intercept: bool = True

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_above("C", self.C, 0, infinite=True)

    def _penalty(self, kernel: Kernel, values: np.ndarray | None) -> dict[str, float]:
        return {"c": self._cost(kernel, values)}


@filled(common=COMMON, evidence=EVIDENCE)
@parameters
class NuSVC(SupportVectorClassifier):
    """Support vector classification with ν instead of C.

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

    #: A ν-SVM always has an offset.
    fit_intercept = True
    _one_class = "specified nu is infeasible:"

    _: KW_ONLY
    nu: float = 0.5

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_share("nu", self.nu)

    def _penalty(self, kernel: Kernel, values: np.ndarray | None) -> dict[str, float]:
        return {"nu": self.nu}
