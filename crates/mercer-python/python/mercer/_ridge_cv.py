"""Kernel ridge regression that chooses its numbers."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from mercer._borders import searched, warn_at_borders
from mercer._estimator import target_count
from mercer._kernels import compiled, may_be_indefinite
from mercer._mercer import Kernel, Ridge, RidgeFit, RidgeSearch, RidgeTuner, median_lengthscales
from mercer._parameters import check_count, check_kinds, parameters
from mercer._ridge import FittedRidge, KernelRidge
from mercer._search import GridSearched


@parameters
class KernelRidgeCV(GridSearched, FittedRidge):
    """Kernel ridge regression with alpha, lengthscale and kernel chosen together.

    One decomposition per kernel and lengthscale scores every alpha, exactly and in closed form: no model is fitted
    twice but the winner. From 1000 rows and five kernels or lengthscales on, those that are clearly worse on a third of
    the rows are dropped before the others are scored on all rows.

    Parameters
    ----------
    alphas : array, optional
        The regularizations to try; 19 from 1e-6 to 1e3 by default, and more where the best is at an end of these.
    kernels : list of text or Kernel, optional
        The kernels to choose from, instead of ``kernel``.
    kernel : text, Kernel, name or callable, default="gaussian(lengthscale=median)"
        The kernel, as in `KernelRidge`.
    lengthscales : array or int, optional
        The lengthscales to try with every kernel; a number takes so many around the median distance, powers of 2 apart,
        and more where the best is at an end of these. By default the kernels are taken as they are.
    scoring : {"loo", "gcv"} or int, default="loo"
        What is made small: the mean square of the leave-one-out residuals, generalized cross-validation, or the mean
        square of the residuals of this many folds.
    refinements : int, default=0
        How often the gaps beside the best lengthscale are halved after the grid, and those beside the best alpha cut in
        eight.
    screening : bool, default=True
        Whether candidates may be dropped: those whose squared leave-one-out errors are worse than those of the best by
        three standard errors, on a third of the rows. False scores the whole surface.
    ard : bool, default=False
        Whether the winner is the start of a search by the gradient of the score (leave-one-out or GCV), with a
        lengthscale for every column: automatic relevance determination.
    gamma, degree, coef0, kernel_params, fit_intercept, indefinite, random_state, n_jobs, max_memory, verbose
        As in `KernelRidge`.

    Attributes
    ----------
    alpha_, kernel_, lengthscale_
        What was chosen; the lengthscale is that of the grid, None where none was searched.
    best_score_ : float
        Its score: a mean square, smaller is better.
    scores_ : array of shape (n_candidates, n_alphas)
        The score of every kernel and lengthscale (rows) with every alpha (columns); NaN where a row was dropped.
    n_dropped_ : int
        How many candidates were dropped.
    ranges_ : list of dict
        What was tried of the alphas and of the lengthscales: ``parameter``, the ends of the ``first`` grid and of the
        ``range`` in the end, what was ``chosen``, and whether that is ``at_border``. A number at the border of three
        and more is warned of (`BorderWarning`).
    candidates_, lengthscales_, alphas_
        The kernels and lengthscales of the rows, the alphas of the columns.
    best_index_ : tuple
        The row and the column of the winner.
    search_ : SearchTable
        The same as a list, best first (``search_.results_``), and as a picture (``search_.plot()``).
    best_params_, best_estimator_
        The winner as parameters of `KernelRidge`, and as a fitted one.
    dual_coef_, X_fit_, intercept_, null_coef_, fitted_, norm_, hat_diagonal_, dof_, loo_residuals_, gcv_
        As in `KernelRidge`, of the winner.
    noise_variance_, function_, condition_, plan_, n_iter_, trace_missed_
        As in `KernelRidge`, of the winner.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelRidgeCV
    >>> x = np.arange(40.0)[:, None] / 10
    >>> model = KernelRidgeCV(kernel="gaussian()", lengthscales=[0.01, 0.5, 100]).fit(x, np.sin(2 * x[:, 0]))
    >>> model.lengthscale_, len(model.scores_), bool(model.best_score_ < 1e-6)
    (0.5, 3, True)
    """

    alphas: Any = None
    _: KW_ONLY
    kernels: Any = None
    kernel: Any = "gaussian(lengthscale=median)"
    lengthscales: Any = None
    scoring: str | int = "loo"
    refinements: int = 0
    screening: bool = True
    ard: bool = False

    def fit(self, X: Any, y: Any, weights: Any = None) -> KernelRidgeCV:
        """Choose by the scores, and fit the winner on all of the data.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points, or for ``kernel="precomputed"`` the matrix of kernel values.
        y : array of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        weights : array of shape (n_samples,), optional
            Weights of the squares, in the fit and in the scores. They are not counts of repeated points, which
            scikit-learn's ``sample_weight`` stands for: a row is held out as a whole, whatever its weight.

        Returns
        -------
        The fitted estimator.
        """
        check_kinds(self)
        self._note_precision(X, y)
        X, y = self._read_fit(X, y, multi_output=True, ensure_min_samples=2)
        weights = self._read_weights(weights, X)
        self.X_fit_ = self._kept(X)
        kernels = self._candidates(X.shape[1], self._column_names())
        search = RidgeSearch(
            kernels,
            self.alphas,
            self._lengths(X),
            scoring=self.scoring,
            intercept=self.fit_intercept,
            refinements=self.refinements,
            indefinite=bool(self.indefinite or any(map(may_be_indefinite, self._given()))),
            screening=bool(self.screening),
            extend=isinstance(self.lengthscales, (int, np.integer)),
        )
        values, targets = self._values(X), y.reshape(len(y), -1)
        found = search.fit(values, targets, weights, **self._options())
        self.candidates_, self.lengthscales_, self.alphas_ = found.kernels, found.lengthscales, np.array(found.alphas)
        self._families = [str(kernels[family]) for family in found.families]
        self.scores_, self.best_score_, self.best_index_ = found.scores, found.best_score, found.best
        self.lengthscale_, self.n_dropped_, fit = found.lengthscales[found.best[0]], found.dropped, found.fit
        self.ranges_ = [searched(name.replace("lambda", "alpha"), *rest) for name, *rest in found.ranges]
        counts = {"alpha": len(self.alphas_), "lengthscale": len(set(self.lengthscales_))}
        warn_at_borders(self.ranges_, counts)
        if self.ard:
            fit, self.best_score_ = self._tuned(fit, values, targets, weights)
        self.alpha_ = fit.alpha
        self._adopt([(np.arange(targets.shape[1]), fit)], flat=y.ndim == 1)
        self._warn_if_singular()
        return self

    def _tuned(self, fit: RidgeFit, X: np.ndarray, y: np.ndarray, weights: Any) -> tuple[RidgeFit, float]:
        """Follow the gradient of the score from the winner of the grid."""
        scoring = "gcv" if self.scoring == "gcv" else "loo"
        tuner = RidgeTuner(fit.kernel, fit.alpha, ard=True, scoring=scoring, intercept=self.fit_intercept)
        tuned, score, converged = tuner.fit(X, y, weights, **self._options())
        if not converged:
            message = "the score was not at its minimum when the search by its gradient ended: try another start"
            warnings.warn(message, ConvergenceWarning, stacklevel=3)
        return tuned, score

    def _saved(self) -> tuple[RidgeFit, dict[str, Any]]:
        fit, state = super()._saved()
        data = self.surface()
        lists = {"alphas": self.alphas_.tolist(), "scores": self.scores_.tolist(), "best_score": self.best_score_}
        return fit, {**state, **data, **lists, "ranges": self.ranges_, "families": self._families}

    def _restore(self, fit: RidgeFit, state: dict[str, Any]) -> None:
        super()._restore(fit, state)
        self.candidates_ = [Kernel(text) for text in state["kernels"]]
        self.lengthscales_, self.alphas_ = state["lengthscales"], np.array(state["alphas"])
        self.scores_, self.best_index_ = np.array(state["scores"]), tuple(state["best"])
        self.best_score_, self.n_dropped_ = state["best_score"], int(np.isnan(self.scores_).all(axis=1).sum())
        self.alpha_, self.lengthscale_ = fit.alpha, self.lengthscales_[self.best_index_[0]]
        self.ranges_, self._families = state.get("ranges", []), state.get("families")

    def surface(self) -> dict[str, Any]:
        """Return the scores as plain data: a dict of lengthscales, kernels, alphas, scores and best (row, column).

        Returns
        -------
        A dict.
        """
        return {
            "lengthscales": self.lengthscales_,
            "kernels": [str(kernel) for kernel in self.candidates_],
            "alphas": self.alphas_,
            "scores": self.scores_,
            "best": self.best_index_,
        }

    _searched = ("ridge", "squared_error", False)

    def _grid_numbers(self) -> tuple[str, np.ndarray]:
        return "alpha", self.alphas_

    def _grid_criterion(self) -> str:
        return self.scoring if isinstance(self.scoring, str) else f"{self.scoring} folds"

    def _plan(self, X: Any, y: Any = None) -> str:
        rows, columns = self._shape(X)
        targets = target_count(y)
        names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
        kernels = self._candidates(columns, names)
        given = 1 if self.lengthscales is None else self.lengthscales
        lengths = given if isinstance(given, (int, np.integer)) else len(given)
        alphas = 19 if self.alphas is None else len(self.alphas)
        plan = Ridge(kernels[0], 1.0, solver="eigen").plan(rows, columns, targets, **self._options())
        count = len(kernels) * lengths
        at_most = "at most " if self.screening and rows >= 1000 and count >= 5 else ""
        return f"{at_most}{count} times, for {alphas} alphas each: {plan}"

    @property
    def best_params_(self) -> dict[str, Any]:
        """What was chosen, as parameters of `KernelRidge`."""
        return {"alpha": self.alpha_, "kernel": self.kernel_}

    @property
    def best_estimator_(self) -> KernelRidge:
        """The winner as a fitted `KernelRidge`."""
        check_is_fitted(self)
        shared = ("kernel_params", "fit_intercept", "indefinite", "random_state", "n_jobs", "max_memory", "verbose")
        kernel = "precomputed" if self.kernel == "precomputed" else self.kernel_
        model = KernelRidge(self.alpha_, kernel=kernel, **{name: getattr(self, name) for name in shared})
        for name in ("X_fit_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(model, name, getattr(self, name))
        model._single, model._narrow = self._single, self._narrow
        model._adopt(self._fits, self._flat)
        return model

    def _candidates(self, n_features: int, names: list[str] | None) -> list[Kernel]:
        kernels = [compiled(kernel, n_features, self.gamma, self.degree, self.coef0) for kernel in self._given()]
        return kernels if names is None else [kernel.with_column_names(names) for kernel in kernels]

    def _lengths(self, X: np.ndarray) -> Any:
        if isinstance(self.lengthscales, (int, np.integer)):
            check_count("lengthscales", self.lengthscales, 1, " or a list of numbers")
            return median_lengthscales(X, int(self.lengthscales), **self._options())
        return self.lengthscales
