"""Conformal prediction: intervals and sets of classes with finite-sample coverage, on top of any estimator."""

from __future__ import annotations

from dataclasses import KW_ONLY
from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    RegressorMixin,
    clone,
    is_classifier,
)
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import _safe_split, available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
)

from mercer._logistic import KernelLogisticRegression
from mercer._mercer import (
    FoldScores,
    class_scores,
    conformal_guarantee,
    conformal_method,
    margin_scores,
    stratified_folds,
)
from mercer._parameters import check_between, check_choice, check_count, check_kinds, parameters
from mercer._ridge_cv import KernelRidgeCV
from mercer._tables import as_frame

#: The purposes of the random numbers of randomized scores, as in the compiled part.
_DATA, _NEW = "conformal scores of the data", "conformal scores of new points"


def _has(name: str) -> Any:
    """Return a check for a method of the estimator, fitted or not."""

    def check(self: Any) -> bool:
        getattr(self.__dict__.get("estimator_", self._base), name)
        return True

    return check


@parameters
class _Conformal(MetaEstimatorMixin, BaseEstimator):
    """What regression and classification have in common: methods, folds, fits without some of the rows."""

    estimator: Any = None
    _: KW_ONLY
    method: str = "auto"
    level: float = 0.9
    cv: Any = 10
    test_size: float = 0.25
    random_state: Any = 0

    @property
    def _base(self) -> Any:
        """The estimator as it is given, or the default one."""
        return self._default() if self.estimator is None else self.estimator

    def _seed(self) -> int:
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _check(self) -> None:
        check_kinds(self)
        check_choice("method", self.method, "auto", "jackknife+", "cv+", "split")
        check_between("level", self.level, 0, 1)
        check_between("test_size", self.test_size, 0, 1)

    def _level(self, level: float | None) -> float:
        """Return a level that is given, or that of the estimator."""
        level = self.level if level is None else level
        check_between("level", level, 0, 1)
        return float(level)

    def _fitted_on(self, X: Any, y: np.ndarray, weights: np.ndarray | None, rows: np.ndarray | None = None) -> Any:
        """Return a fresh estimator fitted on some of the rows, or on all."""
        estimator = clone(self._base)
        if rows is not None:
            X, y = _safe_split(estimator, X, y, rows)
            weights = None if weights is None else weights[rows]
        return estimator.fit(X, y) if weights is None else estimator.fit(X, y, **{_weight_name(estimator): weights})

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray | None, np.ndarray]:
        """Check the data; return the points so that rows of them can be taken, the weights, and the rows that count."""
        self._check()
        if y is None:
            name = type(self).__name__
            raise ValueError(f"This {name} estimator requires y to be passed, but the target y is None.")
        X = _with_rows(X)
        check_consistent_length(X, y)
        n = _num_samples(X)
        if sample_weight is None:
            weights, rows = None, np.arange(n)
        else:
            if _weight_name(self._base) is None:
                raise ValueError(f"sample_weight: {type(self._base).__name__}.fit does not take weights")
            weights = _check_sample_weight(sample_weight, np.empty((n, 1)), dtype=np.float64)
            rows = np.flatnonzero(weights > 0.0)
        if len(rows) < 2:
            raise ValueError(f"conformal prediction: n_samples={len(rows)} is too few, at least 2 rows are needed")
        return X, weights, rows

    def _lists(self, X: Any, y: np.ndarray, labels: np.ndarray, rows: np.ndarray, seed: int) -> list[np.ndarray]:
        """Return the rows of every fold, or those that a split holds out."""
        if self.method_ == "split":
            count = min(max(int(np.ceil(self.test_size * len(rows))), 1), len(rows) - 1)
            order = np.random.default_rng(seed).permutation(len(rows))
            return [np.sort(rows[order[:count]])]
        if isinstance(self.cv, Integral):
            check_count("cv", self.cv, 2, ", a splitter or a list of rows")
            folds = stratified_folds(labels[rows], min(int(self.cv), len(rows)), random_state=seed)
            return [rows[fold] for fold in folds]
        cv = check_cv(self.cv, y, classifier=isinstance(self, ClassifierMixin))
        lists = [np.intersect1d(test, rows) for _, test in cv.split(X, y)]
        held = np.concatenate(lists)
        if len(np.unique(held)) != len(held):
            raise ValueError("cv: every row may be held out once only")
        return lists

    def _fit_parts(self, X: Any, y: np.ndarray, weights: Any, rows: np.ndarray, lists: list[np.ndarray]) -> None:
        """Fit an estimator without each list of rows."""
        self.estimators_, self._train = [], []
        for held in lists:
            train = np.setdiff1d(rows, held)
            self.estimators_.append(self._fitted_on(X, y, weights, train))
            self._train.append(train)

    def _seen(self, estimator: Any, X: Any, train: np.ndarray) -> Any:
        """Return new points as the estimator of a fold takes them: of kernel values those with its own rows."""
        return np.asarray(X)[:, train] if get_tags(estimator).input_tags.pairwise else X

    def _new(self, X: Any) -> Any:
        """Return new points as ``estimator_`` takes them: that of a split saw some of the rows."""
        of_split = any(self.estimator_ is part for part in self.estimators_)
        return self._seen(self.estimator_, X, self._train[0]) if of_split else X

    def _held(self, X: Any, held: np.ndarray, train: np.ndarray) -> Any:
        return _safe_split(self._base, X, None, held, train)[0]

    def guarantee(self, level: float | None = None) -> float:
        """Return the coverage that is certain for exchangeable rows, whatever their distribution.

        Parameters
        ----------
        level : float, optional
            The level; that of the estimator without one.

        Returns
        -------
        The level itself for a split, ``2·level − 1`` for jackknife+, a little less for CV+; on most data the last two
        cover about the level.
        """
        check_is_fitted(self)
        level = self._level(level)
        return conformal_guarantee(self.method_, len(self.scores_), len(self.estimators_), level)

    @property
    def n_features_in_(self) -> int:
        """The number of columns of the fit."""
        check_is_fitted(self)
        return self.estimator_.n_features_in_

    @property
    def feature_names_in_(self) -> np.ndarray:
        """The names of these columns, where all of them are texts."""
        check_is_fitted(self)
        return self.estimator_.feature_names_in_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = get_tags(self._base)
        tags.input_tags.pairwise = own.input_tags.pairwise
        tags.input_tags.sparse = own.input_tags.sparse
        return tags


class ConformalRegressor(RegressorMixin, _Conformal):
    """Prediction intervals that hold a new observation with a stated probability, on top of any regressor.

    All that is assumed is that the rows and the new observation are exchangeable, such as independent draws from one
    distribution. The probability is an average over the data and all ``x``, not a statement for each of them.

    Parameters
    ----------
    estimator : regressor, optional
        Any regressor of this package or of scikit-learn; `KernelRidgeCV` without it.
    method : {"auto", "jackknife+", "cv+", "split"}, default="auto"
        ``"jackknife+"`` uses the closed form of leave-one-out at new points, without a further fit: for `KernelRidge`,
        `KernelRidgeCV` and `GaussianProcessRegressor`, with the kernel and regularization that were chosen on all rows.
        ``"cv+"`` fits a clone without each fold, ``"split"`` one without the held-out rows. ``"auto"`` is jackknife+ up
        to 4000 rows where it has a closed form, else CV+ up to 20 000 rows, else a split.
    level : float, default=0.9
        The level of the intervals, unless `predict_interval` is given another.
    cv : int, splitter or iterable, default=10
        The folds of CV+.
    test_size : float, default=0.25
        The share of the rows that a split holds out.
    random_state : int, RandomState or None, default=0
        The seed of the folds and of the split.

    Attributes
    ----------
    estimator_ : regressor
        The fit that `predict` uses: on all rows; for a split on those that are not held out.
    estimators_ : list
        The fits without a fold; empty for jackknife+.
    method_ : str
        The method that was taken.
    scores_ : array of shape (n_rows, n_targets)
        The absolute errors of the held-out rows.
    n_features_in_ : int
        The number of columns of the fit.
    feature_names_in_ : array of shape (n_features_in_,)
        The names of these columns, where all of them are texts.

    Notes
    -----
    Rows of weight 0 do not count; all others count once. The level needs at least ``level/(1 − level)`` held-out rows:
    with fewer only an infinite interval has it, and `predict_interval` raises a ValueError that states the number.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import ConformalRegressor, KernelRidge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(200, 1))
    >>> y = np.sin(6 * X[:, 0]) + 0.2 * rng.standard_normal(200)
    >>> model = ConformalRegressor(KernelRidge(0.1, kernel="gaussian(lengthscale=0.2)")).fit(X, y)
    >>> model.method_, model.predict_interval([[0.5]]).shape
    ('jackknife+', (1, 2))
    >>> lower, upper = model.predict_interval(X, level=0.8).T
    >>> bool(0.75 < np.mean((lower <= y) & (y <= upper)) < 0.9)
    True
    """

    _default = KernelRidgeCV

    def __sklearn_tags__(self) -> Any:
        # After the mixin, which puts tags of its own in the place of others.
        tags, own = super().__sklearn_tags__(), get_tags(self._base)
        tags.target_tags.multi_output = own.target_tags.multi_output
        if own.regressor_tags is not None:
            tags.regressor_tags.poor_score = own.regressor_tags.poor_score
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ConformalRegressor:
        """Fit the estimator, and the scores of held-out rows.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or points of the kernel of the estimator
            The points.
        y : array of shape (n_samples,) or (n_samples, n_targets)
            The targets.
        sample_weight : array of shape (n_samples,), optional
            Weights, for an estimator that takes them.

        Returns
        -------
        The fitted estimator.
        """
        X, weights, rows = self._read(X, y, sample_weight)
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        if y.ndim == 2 and y.shape[1] == 1 and not get_tags(self._base).target_tags.multi_output:
            y = column_or_1d(y, warn=True)
        self._flat = y.ndim == 1
        self.estimator_ = None
        self.method_ = self.method
        if self.method in ("auto", "jackknife+"):
            self._try_closed_form(X, y, weights, len(rows))
        return self if self.method_ == "jackknife+" else self._hold_out(X, y, weights, rows)

    def _hold_out(self, X: Any, y: np.ndarray, weights: Any, rows: np.ndarray) -> ConformalRegressor:
        """Fit without folds, or without a part of the rows, and score the rows that were held out."""
        seed = self._seed()
        self.__dict__.pop("_jackknife", None)
        lists = self._lists(X, y, np.zeros(len(y), dtype=int), rows, seed)
        self._fit_parts(X, y, weights, rows, lists)
        if self.method_ == "split":
            self.estimator_ = self.estimators_[0]
        elif self.estimator_ is None:
            self.estimator_ = self._fitted_on(X, y, weights)
        fold_of = np.repeat(np.arange(len(lists)), [len(held) for held in lists])
        parts = zip(self.estimators_, lists, self._train, strict=True)
        found = [_band(estimator, self._held(X, held, train)) for estimator, held, train in parts]
        lower, upper = (np.concatenate([band[end] for band in found]) for end in (0, 1))
        truth = _columns(y)[np.concatenate(lists)]
        self._ranks = FoldScores.of_values(fold_of, truth, lower, upper)
        self.scores_ = self._ranks.scores
        return self

    def _try_closed_form(self, X: Any, y: np.ndarray, weights: Any, rows: int) -> None:
        """Take jackknife+ if it has a closed form; for ``"auto"`` another method otherwise."""
        automatic = conformal_method(rows, True)
        if self.method == "auto" and automatic != "jackknife+":
            self.method_ = automatic
            return
        if not hasattr(self._base, "_closed_form"):
            if self.method == "jackknife+":
                raise ValueError(_no_closed_form(self._base))
            self.method_ = conformal_method(rows, False)
            return
        self.estimator_ = self._fitted_on(X, y, weights)
        if not self._takes_closed_form():
            self.method_ = conformal_method(rows, False)

    def _takes_closed_form(self) -> bool:
        """Take jackknife+ of the fit, if it has a closed form; only ``"auto"`` may take another method."""
        try:
            found = self.estimator_._closed_form()
        except ValueError:
            if self.method != "auto":
                raise
            return False
        if found is None:
            if self.method != "auto":
                raise ValueError(_no_closed_form(self._base))
            return False
        self.method_, self.estimators_ = "jackknife+", []
        self._jackknife, self.scores_ = found, self.estimator_._gathered_scores(found)
        return True

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the factor, which is made again when it is needed."""
        state = dict(super().__getstate__())
        ranks = state.pop("_ranks", None)
        state.pop("_jackknife", None)
        if ranks is not None:
            state["_fold_of"] = ranks.fold_of
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state."""
        state = dict(state)
        fold_of = state.pop("_fold_of", None)
        super().__setstate__(state)
        if fold_of is not None:
            self._ranks = FoldScores(fold_of, self.scores_)

    def predict(self, X: Any, *, interval: float | None = None, method: str = "conformal") -> Any:
        """Return the predictions of ``estimator_``.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or points of the kernel of the estimator
            New points.
        interval : float, optional
            The level of intervals: the answer is then a tuple ``(prediction, lower, upper)``.
        method : {"conformal", "auto"}, default="conformal"
            The intervals, as of the other regressors; those of the model are in ``estimator_``.

        Returns
        -------
        An array of shape (n_samples,) or (n_samples, n_targets), or three of them.
        """
        check_is_fitted(self)
        found = self.estimator_.predict(self._new(X))
        if interval is None:
            return found
        check_choice("method", method, "conformal", "auto")
        lower, upper = self._ends(X, self._level(interval))
        return (found, lower[:, 0], upper[:, 0]) if self._flat else (found, lower, upper)

    def predict_interval(self, X: Any, level: float | None = None) -> np.ndarray:
        """Return the lower and the upper end of the interval of every point.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or points of the kernel of the estimator
            New points.
        level : float, optional
            The level; that of the estimator without one.

        Returns
        -------
        An array of shape (n_samples, 2), or (n_samples, n_targets, 2) for a matrix of targets.
        """
        check_is_fitted(self)
        ends = np.stack(self._ends(X, self._level(level)), axis=-1)
        return ends[:, 0] if self._flat else ends

    def _closed(self) -> Any:
        """Return jackknife+ of the fit, made again where it is not kept."""
        if "_jackknife" not in self.__dict__:
            self._jackknife = self.estimator_._closed_form()
        return self._jackknife

    def _ends(self, X: Any, level: float) -> Any:
        """Return the lower and upper ends of the intervals, a column per target."""
        if self.method_ == "jackknife+":
            return self.estimator_._closed_ends(self._closed(), X, level)
        parts = zip(self.estimators_, self._train, strict=True)
        bands = [_band(estimator, self._seen(estimator, X, train)) for estimator, train in parts]
        return self._ranks.ends([band[0] for band in bands], [band[1] for band in bands], level)


@parameters
class ConformalClassifier(ClassifierMixin, _Conformal):
    """Sets of classes that hold the class of a new observation with a stated probability, on top of any classifier.

    Parameters
    ----------
    estimator : classifier, optional
        Any classifier of this package or of scikit-learn, with probabilities or with decision values;
        `KernelLogisticRegression` without it.
    method : {"auto", "cv+", "split"}, default="auto"
        ``"cv+"`` fits a clone without each fold, ``"split"`` one without the held-out rows; ``"auto"`` is CV+ up to
        20 000 rows.
    level : float, default=0.9
        The level of the sets, unless `predict_set` is given another.
    set_score : {"lac", "aps"}, default="lac"
        ``"lac"`` is one minus the probability of a class (without probabilities the margin by which it loses) and gives
        the smallest sets; ``"aps"`` is the sum of the probabilities down to the class, so that sets adapt to how hard a
        point is.
    randomized : bool, default=False
        Whether ``"aps"`` counts the class itself with a random share: exact coverage instead of a little more.
    cv : int, splitter or iterable, default=10
        The folds of CV+; those of a number are stratified.
    test_size : float, default=0.25
        The share of the rows that a split holds out.
    random_state : int, RandomState or None, default=0
        The seed of the folds, of the split and of randomized scores.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes.
    estimator_ : classifier
        The fit that `predict` uses: on all rows; for a split on those that are not held out.
    estimators_ : list
        The fits without a fold.
    method_ : str
        The method that was taken.
    scores_ : array of shape (n_rows, 1)
        The scores of the held-out rows.
    n_features_in_ : int
        The number of columns of the fit.
    feature_names_in_ : array of shape (n_features_in_,)
        The names of these columns, where all of them are texts.

    Notes
    -----
    A set may be empty: no class conforms to the point. A class without a row in a fold's fit has probability 0 there.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import ConformalClassifier, KernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(KernelLogisticRegression(kernel="gaussian(lengthscale=2)")).fit(X, y)
    >>> sets = model.predict_set(X)
    >>> sets.shape, bool(sets[range(150), y].mean() >= 0.9)
    ((150, 3), True)
    """

    _default = KernelLogisticRegression

    _: KW_ONLY
    set_score: str = "lac"
    randomized: bool = False

    def __sklearn_tags__(self) -> Any:
        tags, own = super().__sklearn_tags__(), get_tags(self._base)
        if own.classifier_tags is not None:
            tags.classifier_tags.poor_score = own.classifier_tags.poor_score
            tags.classifier_tags.multi_class = own.classifier_tags.multi_class
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ConformalClassifier:
        """Fit the estimator, and the scores of held-out rows.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or points of the kernel of the estimator
            The points.
        y : array of shape (n_samples,)
            The classes.
        sample_weight : array of shape (n_samples,), optional
            Weights, for an estimator that takes them.

        Returns
        -------
        The fitted estimator.
        """
        X, weights, rows = self._read(X, y, sample_weight)
        if self.method == "jackknife+":
            raise ValueError("method = 'jackknife+' is not allowed for classes: use 'cv+' or 'split'")
        check_choice("set_score", self.set_score, "lac", "aps")
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        self.estimator_ = None
        self.method_ = conformal_method(len(rows), False) if self.method == "auto" else self.method
        return self._hold_out(X, y, labels, weights, rows)

    def _hold_out(
        self, X: Any, y: np.ndarray, labels: np.ndarray, weights: Any, rows: np.ndarray
    ) -> ConformalClassifier:
        """Fit without folds, or without a part of the rows, and score the rows that were held out."""
        self._noise = self._seed()
        lists = self._lists(X, y, labels, rows, self._noise)
        self._fit_parts(X, y, weights, rows, lists)
        if self.method_ == "split":
            self.estimator_ = self.estimators_[0]
        elif self.estimator_ is None:
            self.estimator_ = self._fitted_on(X, y, weights)
        all_scores = np.empty((len(y), len(self.classes_)))
        for estimator, held, train in zip(self.estimators_, lists, self._train, strict=True):
            all_scores[held] = self._raw(estimator, self._held(X, held, train))
        held = np.concatenate(lists)
        scores = self._scored(all_scores, _DATA, held)[held, labels[held]]
        fold_of = np.repeat(np.arange(len(lists)), [len(list_) for list_ in lists])
        self.scores_ = scores[:, np.newaxis]
        self._fold_of = fold_of.tolist()
        return self

    def _raw(self, estimator: Any, X: Any) -> np.ndarray:
        """Return probabilities, or scores by margins, a column for each of all classes."""
        if hasattr(estimator, "predict_proba"):
            found, absent = estimator.predict_proba(X), 0.0
        elif self.set_score == "aps":
            name = type(self._base).__name__
            raise ValueError(f"set_score = 'aps' needs probabilities, which {name} does not have: use 'lac'")
        else:
            found, absent = margin_scores(_columns(estimator.decision_function(X))), np.inf
        if found.shape[1] != len(estimator.classes_):
            raise ValueError(f"{type(estimator).__name__} does not give a value for every class")
        every = np.full((len(found), len(self.classes_)), absent)
        every[:, np.searchsorted(self.classes_, estimator.classes_)] = found
        return every

    def _scored(self, raw: np.ndarray, purpose: str, rows: Any = None) -> np.ndarray:
        """Return the scores of classes."""
        if not hasattr(self.estimators_[0], "predict_proba"):
            return raw
        if rows is not None:
            # Rows that were not held out have no probabilities.
            raw = np.where(np.isin(np.arange(len(raw)), rows)[:, np.newaxis], raw, 0.0)
        return class_scores(raw, self.set_score, self._noise if self.randomized else None, purpose)

    def predict(self, X: Any) -> np.ndarray:
        """Return the classes that ``estimator_`` predicts.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or points of the kernel of the estimator
            New points.

        Returns
        -------
        An array of shape (n_samples,).
        """
        check_is_fitted(self)
        return self.estimator_.predict(self._new(X))

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities of ``estimator_``.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or points of the kernel of the estimator
            New points.

        Returns
        -------
        An array of shape (n_samples, n_classes).
        """
        check_is_fitted(self)
        return self._raw(self.estimator_, self._new(X))

    def predict_set(self, X: Any, level: float | None = None) -> np.ndarray:
        """Return whether every class belongs to the set of a point.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or points of the kernel of the estimator
            New points.
        level : float, optional
            The level; that of the estimator without one.

        Returns
        -------
        A boolean array of shape (n_samples, n_classes), in the order of ``classes_``.
        """
        check_is_fitted(self)
        level = self._level(level)
        parts = zip(self.estimators_, self._train, strict=True)
        raw = [self._raw(estimator, self._seen(estimator, X, train)) for estimator, train in parts]
        scores = [self._scored(one, _NEW) for one in raw]
        return FoldScores(self._fold_of, self.scores_).sets(scores, level)


def _with_rows(X: Any) -> Any:
    """Return points of which rows can be taken: what only converts to an array as one, sparse matrices by rows."""
    X = as_frame(X)
    if issparse(X):
        return X.tocsr()
    if hasattr(X, "__len__") or hasattr(X, "shape"):
        return X
    if not hasattr(X, "__array__"):
        raise ValueError(f"X is a {type(X).__name__}: an array of shape (n_samples, n_features) is needed")
    return np.asarray(X)


def _columns(values: Any) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    return values[:, np.newaxis] if values.ndim == 1 else values


def _band(estimator: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the predictions as bands: twice the same, or the lowest and highest of several quantiles."""
    values = _columns(estimator.predict(X))
    if np.ndim(getattr(estimator, "quantile", None)) == 1:
        return values.min(axis=1, keepdims=True), values.max(axis=1, keepdims=True)
    return values, values


def _no_closed_form(estimator: Any) -> str:
    return (
        f"method = 'jackknife+': {type(estimator).__name__} has no closed form of leave-one-out; use 'cv+' or 'split'"
    )


def _weight_name(estimator: Any) -> str | None:
    """Return the name of the weights of the rows in `fit`; None where there are none."""
    return next((name for name in ("sample_weight", "weights") if has_fit_parameter(estimator, name)), None)


def calibrate(fitted: Any) -> ConformalRegressor | ConformalClassifier:
    """Return the conformal estimator of a fit, from the data that it keeps.

    Jackknife+ from the closed form of leave-one-out, else CV+; the fit itself is not repeated.
    """
    classes = is_classifier(fitted)
    found = (ConformalClassifier if classes else ConformalRegressor)(clone(fitted))
    found.estimator_ = fitted
    rows = None if fitted._data is None else _num_samples(fitted._data[0])
    closed = hasattr(fitted, "_closed_form") and not classes
    if closed and (rows is None or conformal_method(rows, True) == "jackknife+") and found._takes_closed_form():
        return found
    if fitted._data is None:
        raise ValueError(
            "conformal prediction needs the rows of the fit in memory, which pickles, model files, streams and Dask "
            "collections do not keep: fit the model again on arrays, or fit a ConformalRegressor or ConformalClassifier"
        )
    X, y, weights, more = fitted._data
    if more:
        raise ValueError("conformal prediction of a model with unpenalized functions is not available")
    if hasattr(fitted, "decision_function_shape"):
        # Scores need a value for every class.
        found.estimator.set_params(decision_function_shape="ovr")
    X, found.method_ = fitted._plain_points(X), "cv+"
    X, weights, rows = found._read(X, y, weights)
    if classes:
        found.classes_ = fitted.classes_
        labels = np.searchsorted(fitted.classes_, np.ravel(y))
        return found._hold_out(X, np.asarray(y), labels, weights, rows)
    y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    return found._hold_out(X, y, weights, rows)
