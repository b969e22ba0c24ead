"""What logistic regression and general losses share: functions on all points of the data, and the evidence."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

import numpy as np

from mercer._centers import Centers
from mercer._instances import InstanceScores
from mercer._kernels import is_computed_outside
from mercer._margins import MarginEstimator
from mercer._mercer import PenalizedFit
from mercer._parameters import KernelNames, parameters
from mercer._tables import len_of


@parameters
class PenalizedEstimator(InstanceScores, Centers, KernelNames, MarginEstimator):
    """An estimator that minimizes a loss and a norm, with an expansion on all points."""

    _: KW_ONLY
    tol: float | None = None
    max_iter: int | None = None
    gamma: Any = "scale"

    _takes_sparse = True

    #: Kernels have to be positive semi-definite: there is no switch.
    allow_indefinite = False

    def _choices(self) -> dict[str, Any]:
        centers = self._center_choices()
        return {
            "intercept": self.fit_intercept,
            "solver": self.solver,
            "centers": centers,
            "tol": self.tol if centers is None else None,
            "max_iter": self.max_iter if centers is None else None,
        }

    def _adopt(self, fit: PenalizedFit, flat: bool) -> None:
        """Take over what was fitted; one function is an array of one dimension."""
        self._fit, self._flat = fit, flat
        points = fit.points
        if len_of(points) < len(fit.fitted) and not is_computed_outside(self.kernel):
            self.X_fit_ = points
        self.dual_coef_ = self._shaped(fit.dual_coefficients)
        self.intercept_ = fit.intercept
        self.fitted_ = self._shaped(fit.fitted)
        self.kernel_ = self.kernel if is_computed_outside(self.kernel) else fit.kernel
        evidence = fit.evidence
        self.objective_ = sum(e["objective"] for e in evidence)
        self.dual_objective_ = sum(e["dual_objective"] for e in evidence)
        self.duality_gap_ = sum(e["gap"] for e in evidence)
        self.kkt_violation_ = max(e["violation"] for e in evidence)
        self.loss_ = sum(e["loss"] for e in evidence)
        self.norm_ = float(np.sqrt(max(0.0, sum(e["squared_norm"] for e in evidence))))
        self.n_iter_ = max(e["steps"] for e in evidence)
        self.plan_ = fit.plan

    def _warn(self) -> None:
        for evidence in self._fit.evidence:
            if evidence["stopped"] != "converged":
                self._warn_unless_converged(evidence)
                return

    def _shaped(self, values: np.ndarray) -> np.ndarray:
        return values[:, 0] if self._flat else values

    def _evaluated(self, what: str, X: Any) -> np.ndarray:
        self._check_fitted()
        return getattr(self._fit, what)(self._new_values(X), **self._options())

    def _restore(self, fit: PenalizedFit, state: dict[str, Any]) -> None:
        """Become the fit of a model file."""
        self._X, self.X_fit_ = None, fit.points
        self._adopt(fit, flat=state.get("flat", fit.dual_coefficients.shape[1] == 1))

    def _saved(self) -> tuple[Any, dict[str, Any]]:
        """Return what a model file holds, and what beside it makes the estimator."""
        self._require_file()
        return self._fit, {"flat": self._flat}
