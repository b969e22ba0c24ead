"""Support vector regression and the support of a distribution: drop-in replacements for scikit-learn's classes."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from sklearn.base import OutlierMixin, RegressorMixin

from mercer._documents import filled
from mercer._intervals import Intervals
from mercer._mercer import Kernel, Svm, SvmFit
from mercer._parameters import check_above, check_flag, check_from, check_share, parameters
from mercer._support import COMMON, EVIDENCE, Machine, shape_of


class NumberMachine(Machine):
    """A support vector machine with one function: a regression, or the support of a distribution."""

    def _adopt(self, fit: SvmFit, shape: tuple[int, int]) -> None:
        super()._adopt(fit, shape)
        self.dual_coef_ = self._as_fitted(fit.dual_coefficients.reshape(1, -1))
        self.intercept_ = np.array([fit.offset])
        self.n_support_ = np.array([len(self.support_)], dtype=np.int32)
        self.n_iter_ = fit.evidence["steps"]

    def _specification(self, kernel: Kernel, values: np.ndarray | None = None) -> Svm:
        return Svm(kernel, **self._penalty(kernel, values), **self._solver())

    def _plan(self, X: Any, y: Any = None) -> str:
        kernel, rows, columns = self._shape_of(X)
        return self._specification(kernel).plan(rows, columns, **self._options())

    def _decisions(self, X: Any) -> np.ndarray:
        self._check_fitted()
        return self._fit.decision(self._new_values(X), **self._options())


class SupportVectorRegressor(RegressorMixin, Intervals, NumberMachine):
    """A regression with a tube of no loss."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SupportVectorRegressor:
        """Fit the model.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points, or for ``kernel="precomputed"`` the matrix of kernel values.
        y : array of shape (n_samples,)
            Targets.
        sample_weight : array of shape (n_samples,), optional
            Factors of C. Rows of weight 0 or below are dropped.

        Returns
        -------
        The fitted estimator.
        """
        self._check_parameters()
        X, y = self._read_fit(X, y)
        weights = self._read_weights(sample_weight, X)
        kernel, values = self._prepared(X)
        fit = self._specification(kernel, values).fit(values, y, weights, **self._options())
        self._adopt(fit, shape_of(X))
        self._warn(kernel)
        return self

    def _predict(self, X: Any) -> np.ndarray:
        return self._in_units(self._decisions(X))

    @property
    def epsilon_(self) -> float:
        """Half of the width of the tube: given, or found by ν."""
        self._check_fitted()
        return self._fit.epsilon


@filled(common=COMMON, evidence=EVIDENCE)
@parameters
class SVR(SupportVectorRegressor):
    """Support vector regression: ``min ½‖f‖² + C Σ wᵢ max(0, |yᵢ − f(xᵢ) − b| − ε)``.

    Parameters
    ----------
    C : float, default=1.0
        What an error beyond the tube costs, above 0; infinite for no such errors, where that is possible.
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

    _: KW_ONLY
    C: float = 1.0
    epsilon: float = 0.1
    fit_intercept: bool = True

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_above("C", self.C, 0, infinite=True)
        check_from("epsilon", self.epsilon, 0)
        check_flag("fit_intercept", self.fit_intercept)

    def _penalty(self, kernel: Kernel, values: np.ndarray | None) -> dict[str, Any]:
        return {"c": self._cost(kernel, values), "epsilon": self.epsilon, "offset": self.fit_intercept}


@filled(common=COMMON, evidence=EVIDENCE)
@parameters
class NuSVR(SupportVectorRegressor):
    """Support vector regression whose tube width is determined by ν.

    Parameters
    ----------
    nu : float, default=0.5
        Above 0 and at most 1: at most this part of the rows is outside of the tube.
    C : float, default=1.0
        What an error beyond the tube costs, above 0; infinite for no such errors, where that is possible.
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

    _: KW_ONLY
    nu: float = 0.5
    C: float = 1.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_above("C", self.C, 0, infinite=True)
        check_share("nu", self.nu)

    def _penalty(self, kernel: Kernel, values: np.ndarray | None) -> dict[str, Any]:
        return {"c": self._cost(kernel, values), "nu": self.nu}


@filled(common=COMMON, evidence=EVIDENCE)
@parameters
class OneClassSVM(OutlierMixin, NumberMachine):
    """The support of a distribution: a small region that holds most of the data.

    Parameters
    ----------
    nu : float, default=0.5
        Above 0 and at most 1: about this part of the data is outside.
    {common}

    Attributes
    ----------
    offset_ : array of shape (1,)
        ρ, so that ``decision_function = score_samples − offset_``.
    {evidence}

    Examples
    --------
    >>> from mercer import OneClassSVM
    >>> model = OneClassSVM(nu=0.3, kernel="gaussian()").fit([[0.0], [0.1], [-0.1], [0.05], [4.0]])
    >>> model.predict([[0.0], [9.0]])
    array([ 1, -1])
    """

    _: KW_ONLY
    nu: float = 0.5

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_share("nu", self.nu)

    def _penalty(self, kernel: Kernel, values: np.ndarray | None) -> dict[str, Any]:
        return {"nu": self.nu}

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> OneClassSVM:
        """Fit the region.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points, or for ``kernel="precomputed"`` the matrix of kernel values.
        y : None
            Not looked at.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows. Rows of weight 0 or below are dropped.

        Returns
        -------
        The fitted estimator.
        """
        self._check_parameters()
        self._note_targets()
        X = self._read_alone(X)
        weights = self._read_weights(sample_weight, X)
        kernel, values = self._prepared(X)
        fit = self._specification(kernel, values).fit(values, None, weights, **self._options())
        self._adopt(fit, shape_of(X))
        self._warn(kernel)
        return self

    @property
    def offset_(self) -> np.ndarray:
        """Return ρ: ``decision_function = score_samples − offset_``."""
        self._check_fitted()
        return -self.intercept_

    def decision_function(self, X: Any) -> np.ndarray:
        """Return ``f(x) − ρ``: not negative inside.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New points; for ``kernel="precomputed"`` their kernel values with the points of the fit.

        Returns
        -------
        An array of shape (n_samples,).
        """
        return self._decisions(X)

    def score_samples(self, X: Any) -> np.ndarray:
        """Return ``f(x)``.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New points; for ``kernel="precomputed"`` their kernel values with the points of the fit.

        Returns
        -------
        An array of shape (n_samples,).
        """
        return self._decisions(X) + self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """Return 1 inside and -1 outside.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            New points; for ``kernel="precomputed"`` their kernel values with the points of the fit.

        Returns
        -------
        An array of shape (n_samples,).
        """
        return np.where(self._decisions(X) >= 0, 1, -1)
