"""Support vector classification that chooses its numbers."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from mercer._borders import searched_list, warn_at_borders
from mercer._documents import filled
from mercer._kernels import compiled, is_computed_outside, is_function, is_known_by_values
from mercer._margins import gamma_number
from mercer._mercer import Kernel, SvcFit, median_lengthscales
from mercer._parameters import check_count, parameters
from mercer._search import GridSearched
from mercer._support import COMMON, EVIDENCE
from mercer._svm import SVC, SupportVectorClassifier

#: The C to try unless others are given.
_CS = (0.1, 1.0, 10.0, 100.0, 1000.0)


@filled(common=COMMON, evidence=EVIDENCE)
@parameters
class SVCCV(GridSearched, SupportVectorClassifier):
    """Support vector classification with C, lengthscale (or gamma) and kernel chosen together by folds.

    Replaces ``GridSearchCV(SVC())``, with its folds and its scores: the matrix of a kernel is computed once for
    all folds, pairs of classes and C, and every fit begins where that of the C or the lengthscale before ended.

    Parameters
    ----------
    Cs : array, optional
        The C to try; 0.1, 1, 10, 100 and 1000 by default.
    lengthscales : array or int, optional
        The lengthscales to try with every kernel; a number takes so many around the median distance, powers of 2 apart.
        By default the kernels are taken as they are.
    gammas : array, optional
        The gammas to try with every kernel that is one of scikit-learn's names, instead of ``gamma``.
    kernels : list of text or Kernel, optional
        The kernels to choose from, instead of ``kernel``.
    cv : int, splitter or iterable, default=5
        The folds, as in scikit-learn. Every row has to be held out once.
    {common}
    probability, calibration, calibration_cv, class_weight, decision_function_shape, break_ties
        As in `SVC`. ``max_time`` limits the fit of the winner, not the search.
    multi_class, fit_intercept
        As in `SVC`.

    Attributes
    ----------
    C_, kernel_, lengthscale_, gamma_
        What was chosen; the lengthscale and the gamma are None where none was searched.
    best_score_ : float
        Its score: the mean accuracy of the folds.
    scores_ : array of shape (n_candidates, n_Cs)
        The mean accuracy for every kernel with its lengthscale or gamma (rows) and every C (columns).
    candidates_, lengthscales_, gammas_, Cs_
        The kernels, lengthscales and gammas of the rows, the C of the columns, ascending.
    best_index_ : tuple
        The row and the column of the winner, the first of equals.
    search_ : SearchTable
        The same as a list, best first (``search_.results_``), and as a picture (``search_.plot()``).
    ranges_ : list of dict
        What was tried of C and of the lengthscale or gamma: ``parameter``, the ends of the ``range`` (and of the
        ``first`` one, the same here), what was ``chosen``, and whether that is ``at_border``. A number at the border of
        three and more is warned of (`BorderWarning`); lists are not extended, because every candidate needs a fit per
        fold.
    best_params_, best_estimator_
        The winner as parameters of `SVC`, and as a fitted one.
    classes_, class_weight_, probA_, probB_
        As in scikit-learn.
    {evidence}

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import SVCCV
    >>> x = np.arange(60.0)[:, None]
    >>> model = SVCCV([1, 10], kernel="gaussian()", lengthscales=[1, 100]).fit(x, x[:, 0] // 5 % 2)
    >>> model.lengthscale_, model.scores_.shape, bool(model.best_score_ == model.scores_.max())
    (1.0, (2, 2), True)
    """

    Cs: Any = None
    _: KW_ONLY
    lengthscales: Any = None
    gammas: Any = None
    kernels: Any = None
    cv: Any = 5
    fit_intercept: bool = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SVCCV:
        """Choose by the scores of the folds, and fit the winner on all of the data.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points, or for ``kernel="precomputed"`` the matrix of kernel values.
        y : array of shape (n_samples,)
            Labels of any kind.
        sample_weight : array of shape (n_samples,), optional
            Factors of C, and weights of the rows in the accuracies. Rows of weight 0 or below are dropped.

        Returns
        -------
        The fitted estimator.
        """
        X, codes, weights = self._read_weighted_classes(X, y, sample_weight)
        self._X = X if is_computed_outside(self.kernel) else None
        values, data = self._values(X), (codes.tolist(), self._class_names(), weights)
        found = zip(*self._candidates(X), strict=True)
        self.candidates_, self.lengthscales_, self.gammas_, self._families = map(list, found)
        self.Cs_ = np.sort(np.asarray(_CS if self.Cs is None else self.Cs, dtype=np.float64).ravel())
        search = self._specification(self.candidates_[0], self.class_weight_)
        folds = self._folds(X, y)
        self._n_folds = len(folds)
        self.scores_ = search.grid(self.candidates_, self.Cs_.tolist(), folds, values, *data, **self._options())
        row, column = np.unravel_index(np.argmax(self.scores_), self.scores_.shape)
        self._choose(int(row), int(column))
        counts = {"C": len(self.Cs_), "lengthscale": len(set(self.lengthscales_)), "gamma": len(set(self.gammas_))}
        warn_at_borders(self.ranges_, counts)
        return self._fit_machines(self.candidates_[row], X, values, data)

    def _choose(self, row: int, column: int) -> None:
        self.best_index_, self.best_score_ = (row, column), float(self.scores_[row, column])
        self.C_ = float(self.Cs_[column])
        self.lengthscale_, self.gamma_ = self.lengthscales_[row], self.gammas_[row]
        # Where every row is right nothing beyond the border is better.
        perfect = self.best_score_ >= 1.0
        lists = (
            ("C", self.Cs_, self.C_),
            ("lengthscale", self.lengthscales_, self.lengthscale_),
            ("gamma", self.gammas_, self.gamma_),
        )
        self.ranges_ = [found for name, values, best in lists for found in searched_list(name, values, best, perfect)]

    def _penalty(self, kernel: Kernel, values: np.ndarray | None) -> dict[str, float]:
        return {"c": getattr(self, "C_", 1.0)}

    def _candidates(self, X: np.ndarray) -> list[tuple[Kernel, float | None, float | None, str]]:
        """Return every kernel with its lengthscale, its gamma and what it was made from.

        Lengthscales ascend, gammas descend.
        """
        if self.gammas is not None and self.lengthscales is not None:
            raise ValueError("gammas and lengthscales are alternatives: give one of them")
        found: list[tuple[Kernel, float | None, float | None, str]] = []
        for kernel in self._given():
            if self.gammas is not None:
                numbers = [gamma_number(gamma, X, kernel) for gamma in self.gammas]
                numbers = sorted(map(float, numbers), reverse=True)
                found += [(self._named(kernel, X, g), None, g, str(kernel)) for g in numbers]
                continue
            base = self._named(kernel, X, gamma_number(1.0 if is_function(kernel) else self.gamma, X, kernel))
            lengths = self._lengths(X)
            if lengths is None:
                found.append((base, None, None, str(base)))
            else:
                found += [(base.with_lengthscale(s), s, None, str(base)) for s in lengths]
        if not found:
            raise ValueError("there is no kernel to choose from: a list is empty")
        return found

    def _named(self, kernel: Any, X: np.ndarray, gamma: float | None) -> Kernel:
        columns = 1 if is_function(kernel) else X.shape[1]
        return self._with_columns(compiled(kernel, columns, gamma, self.degree, self.coef0))

    def _lengths(self, X: np.ndarray) -> list[float] | None:
        if self.lengthscales is None:
            return None
        if isinstance(self.lengthscales, (int, np.integer)):
            check_count("lengthscales", self.lengthscales, 1, " or a list of numbers")
            return sorted(median_lengthscales(X, int(self.lengthscales), **self._options()))
        return sorted(float(length) for length in self.lengthscales)

    def _folds(self, X: np.ndarray, y: Any) -> list[list[int]]:
        y = np.asarray(y).ravel()
        return [np.asarray(rows).tolist() for _, rows in check_cv(self.cv, y, classifier=True).split(X, y)]

    def _plan(self, X: Any, y: Any = None) -> str:
        plan = super()._plan(X, y)
        count = 1 if self.gammas is None else len(self.gammas)
        if self.lengthscales is not None:
            count = self.lengthscales if isinstance(self.lengthscales, (int, np.integer)) else len(self.lengthscales)
        costs = len(_CS if self.Cs is None else self.Cs)
        return f"{count * len(self._given())} kernel matrices, {costs} C each by folds, and the winner: {plan}"

    @property
    def best_params_(self) -> dict[str, Any]:
        """What was chosen, as parameters of `SVC`."""
        check_is_fitted(self)
        kernel = self.kernel if is_known_by_values(self.kernel) else self.kernel_
        return {"C": self.C_, "kernel": kernel}

    @property
    def best_estimator_(self) -> SVC:
        """The winner as a fitted `SVC`."""
        shared = {name: value for name, value in self.get_params(deep=False).items() if name in SVC().get_params()}
        model = SVC(**{**shared, **self.best_params_})
        for name in ("classes_", "class_weight_", "n_features_in_", "feature_names_in_", "_X", "_inputs", "_units"):
            if hasattr(self, name):
                setattr(model, name, getattr(self, name))
        model._target_names = self._target_names
        model._adopt(self._fit, self.shape_fit_)
        return model

    _searched = ("svc", "accuracy", True)

    def _grid_numbers(self) -> tuple[str, np.ndarray]:
        return "C", self.Cs_

    def _grid_criterion(self) -> str:
        return f"{self._n_folds} folds"

    def _saved(self) -> tuple[Any, dict[str, Any]]:
        fit, state = super()._saved()
        search = {
            "candidates": [str(kernel) for kernel in self.candidates_],
            "lengthscales": self.lengthscales_,
            "gammas": self.gammas_,
            "Cs": self.Cs_.tolist(),
            "scores": self.scores_.tolist(),
            "best": self.best_index_,
            "families": self._families,
            "folds": self._n_folds,
        }
        return fit, {**state, **search}

    def _restore(self, fit: SvcFit, state: dict[str, Any]) -> None:
        self.candidates_ = [Kernel(text) for text in state["candidates"]]
        self.lengthscales_, self.gammas_ = state["lengthscales"], state["gammas"]
        self.Cs_, self.scores_ = np.array(state["Cs"]), np.array(state["scores"])
        self._families, self._n_folds = state.get("families"), state.get("folds", 0)
        self._choose(*state["best"])
        super()._restore(fit, state)
