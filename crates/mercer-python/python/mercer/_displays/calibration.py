"""Calibration of probabilities and intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer._displays.evidence import evidence_of
from mercer._displays.style import BLUE, DARK, GRAY, MARKERS, PALETTE, SKY, Display, require, tidy
from mercer._mercer import calibration_bins, interval_coverage

#: Nominal levels at which the coverage of intervals is drawn.
LEVELS = np.linspace(0.05, 0.99, 40)


class CalibrationDisplay(Display):
    """Stated by observed: frequencies of classes by their probabilities, or coverage of intervals by their level.

    On the diagonal the model is calibrated. Bars and bands are 95 % intervals of the binomial distribution: points
    whose bar reaches the diagonal do not contradict it.

    Parameters
    ----------
    curves : list of dict
        For every curve ``name``, ``stated``, ``observed``, ``count`` (of every point) and, for intervals, ``band``.
    kind : {"probabilities", "intervals"}
        What is stated.
    title : str
        The title.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> x = np.random.default_rng(0).normal(size=(200, 1))
    >>> y = (x[:, 0] + np.random.default_rng(1).logistic(size=200) > 0).astype(int)
    >>> model = mercer.KernelLogisticRegression(1.0, kernel="gaussian()").fit(x, y)
    >>> display = mercer.CalibrationDisplay.from_estimator(model, x, y, plot=False)
    >>> display.kind, len(display.curves)
    ('probabilities', 1)
    """

    _size = (4.6, 4.6)

    def __init__(self, curves: list[dict[str, Any]], *, kind: str, title: str = "") -> None:
        self.curves, self.kind, self.title = curves, kind, title

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        n_bins: int = 10,
        output: int = 0,
        ax: Any = None,
        plot: bool = True,
    ) -> CalibrationDisplay:
        """Draw the calibration of a classifier with probabilities, or of the intervals of a regression.

        Parameters
        ----------
        estimator : estimator
            A fitted classifier with ``predict_proba``, or a regression with ``return_std``.
        X, y : array, optional
            Data that the fit has not seen. Without X leave-one-out predictions are used: of a regression without y,
            of a `KernelLogisticRegression` of two classes with its y.
        n_bins : int, default=10
            Bins of the probabilities, with equal numbers of rows.
        output : int, default=0
            Which of several targets.
        ax, plot : matplotlib axes and bool, optional
            Where to draw, and whether: ``plot=False`` only collects the numbers.

        Returns
        -------
        The display.
        """
        check_is_fitted(estimator)
        if hasattr(estimator, "classes_"):
            require(y is not None, "y: the classes of the rows are needed")
            proba = _left_out(estimator) if X is None else estimator.predict_proba(X)
            display = cls._probabilities(np.asarray(y), proba, list(estimator.classes_), n_bins)
        else:
            display = cls._intervals(_standard_scores(estimator, X, y, output))
        display.title = type(estimator).__name__ + (", leave-one-out" if X is None else "")
        return display.plot(ax) if plot else display

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_prob: Any, *, classes: Any = None, n_bins: int = 10, ax: Any = None
    ) -> CalibrationDisplay:
        """Draw the calibration of probabilities.

        Parameters
        ----------
        y_true : array of shape (n_samples,)
            The classes.
        y_prob : array of shape (n_samples,) or (n_samples, n_classes)
            Probabilities of the second class, or of every class.
        classes : list, optional
            The classes of the columns; the sorted ones of ``y_true`` by default.
        n_bins : int, default=10
            Bins with equal numbers of rows.
        ax : matplotlib axes, optional
            Where to draw.

        Returns
        -------
        The display.
        """
        y, proba = np.asarray(y_true), np.asarray(y_prob, dtype=float)
        proba = np.column_stack([1 - proba, proba]) if proba.ndim == 1 else proba
        names = list(np.unique(y) if classes is None else classes)
        require(len(names) == proba.shape[1], f"y_prob: expected {len(names)} columns, found {proba.shape[1]}")
        return cls._probabilities(y, proba, names, n_bins).plot(ax)

    @classmethod
    def from_intervals(cls, y_true: Any, mean: Any, std: Any, *, ax: Any = None) -> CalibrationDisplay:
        """Draw the coverage of normal intervals ``mean ± z·std``.

        Parameters
        ----------
        y_true, mean, std : array of shape (n_samples,)
            Targets, predictions, and their standard deviations for a new observation.
        ax : matplotlib axes, optional
            Where to draw.

        Returns
        -------
        The display.
        """
        y, mean, std = (np.asarray(a, dtype=float).ravel() for a in (y_true, mean, std))
        return cls._intervals((y - mean) / std).plot(ax)

    @classmethod
    def _probabilities(cls, y: np.ndarray, proba: np.ndarray, classes: list[Any], n_bins: int) -> CalibrationDisplay:
        shown = [1] if len(classes) == 2 else range(len(classes))
        curves = [_binned(f"class {classes[c]}", y == classes[c], proba[:, c], n_bins) for c in shown]
        return cls(curves, kind="probabilities")

    @classmethod
    def _intervals(cls, scores: np.ndarray) -> CalibrationDisplay:
        scores = scores[np.isfinite(scores)]
        covered, spread = interval_coverage(scores, LEVELS.tolist())
        curve = {"name": "coverage", "stated": LEVELS, "observed": covered, "count": len(scores), "band": spread}
        return cls([curve], kind="intervals")

    def coverage(self, level: float) -> float:
        """Return the observed coverage of intervals at the nearest level that was drawn.

        Parameters
        ----------
        level : float
            The stated level.

        Returns
        -------
        A share of the rows.
        """
        require(self.kind == "intervals", "probabilities have no coverage")
        return float(self.curves[0]["observed"][np.argmin(np.abs(LEVELS - level))])

    def _draw(self, ax: Any) -> None:
        chances = self.kind == "probabilities"
        words = ("stated probability", "observed frequency") if chances else ("stated level", "observed coverage")
        tidy(ax, self.title, *words)
        ax.plot([0, 1], [0, 1], color=DARK, linewidth=0.9, label="calibrated")
        for i, curve in enumerate(self.curves):
            if chances:
                self._points(ax, curve, PALETTE[i % len(PALETTE)], MARKERS[i % len(MARKERS)])
            else:
                band = curve["band"]
                low, high = LEVELS - band, np.minimum(LEVELS + band, 1)
                ax.fill_between(LEVELS, low, high, color=GRAY, alpha=0.25, linewidth=0, label="95 % by chance")
                ax.plot(curve["stated"], curve["observed"], color=BLUE, linewidth=2, label=f"{curve['count']} rows")
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        self._legend(ax)

    def _points(self, ax: Any, curve: dict[str, Any], color: str, marker: str) -> None:
        observed, low, high = curve["observed"], *curve["band"]
        bars = np.maximum([observed - low, high - observed], 0)
        ax.errorbar(
            curve["stated"],
            observed,
            yerr=bars,
            color=color,
            ecolor=SKY if len(self.curves) == 1 else color,
            elinewidth=1.2,
            marker=marker,
            markersize=5,
            linewidth=1.2,
            label=curve["name"],
        )


def _binned(name: str, hit: np.ndarray, stated: np.ndarray, n_bins: int) -> dict[str, Any]:
    """Return stated and observed frequencies in bins with equal numbers of rows, with Wilson's intervals of 95 %."""
    stated, observed, count, low, high = calibration_bins(stated, hit.tolist(), n_bins, 0.95)
    return {"name": name, "stated": stated, "observed": observed, "count": count, "band": (low, high)}


def _left_out(estimator: Any) -> np.ndarray:
    """Return leave-one-out probabilities of a logistic regression of two classes."""
    found = getattr(estimator, "loo_decisions_", None)
    require(found is not None, f"{type(estimator).__name__} has no leave-one-out decisions: give X and y")
    decisions = np.asarray(found)
    decisions = decisions[:, 0] if decisions.ndim == 2 and decisions.shape[1] == 1 else decisions
    if decisions.ndim == 1:
        with np.errstate(over="ignore"):
            second = 1.0 / (1.0 + np.exp(-decisions))
        return np.column_stack([1 - second, second])
    shifted = np.exp(decisions - decisions.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def _standard_scores(estimator: Any, X: Any, y: Any, output: int) -> np.ndarray:
    """Return errors in units of the standard deviations that the model states for a new observation."""
    if X is None:
        found = evidence_of(estimator, output=output)
        require(found.loo_std is not None, f"{type(estimator).__name__} states no standard deviations")
        return found.standardized
    require(y is not None, "y: the targets of the rows are needed")
    try:
        mean, std = estimator.predict(X, return_std=True, include_noise=True)
    except TypeError:
        raise ValueError(f"{type(estimator).__name__} has no standard deviations of observations") from None
    mean, std = (a if a.ndim == 1 else a[:, output] for a in (mean, std))
    y = np.asarray(y, dtype=float)
    return ((y if y.ndim == 1 else y[:, output]) - mean) / std
