"""Residuals of a regression."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np

from mercer._displays.evidence import Evidence, evidence_of
from mercer._displays.style import BLUE, DARK, VERMILION, Display, dots, require, tidy


class ResidualsDisplay(Display):
    """Residuals beside the fitted values with a smooth curve through them, and their normal quantiles.

    For a model that has them these are the exact leave-one-out residuals, in units of their standard deviations. A
    curve away from 0 means structure that is not fitted; a cloud that widens means noise that is not constant.

    Parameters
    ----------
    fitted, residuals : array of shape (n_samples,)
        The fitted (or leave-one-out) values, and the residuals.
    standardized : array of shape (n_samples,)
        The residuals in units of their standard deviations.
    loo : bool, default=False
        Whether they are leave-one-out residuals.
    kinds : tuple of {"fitted", "quantiles", "index"}
        The panels.

    Attributes
    ----------
    axes_ : array of axes
        The panels.
    ax_, figure_
        The first of them, and the figure.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> x = np.linspace(0, 3, 30)[:, None]
    >>> model = mercer.KernelRidge(0.1, kernel="gaussian()").fit(x, np.sin(x[:, 0]))
    >>> mercer.ResidualsDisplay.from_estimator(model, plot=False).loo
    True
    """

    def __init__(
        self,
        fitted: Any,
        residuals: Any,
        standardized: Any,
        *,
        loo: bool = False,
        kinds: tuple[str, ...] = ("fitted", "quantiles"),
    ) -> None:
        unknown = set(kinds) - set(_PANELS)
        require(not unknown, f"kinds: expected {', '.join(_PANELS)}, found {', '.join(sorted(unknown))}")
        self.fitted, self.residuals, self.standardized = fitted, residuals, standardized
        self.loo, self.kinds = loo, kinds

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        kinds: tuple[str, ...] = ("fitted", "quantiles"),
        output: int = 0,
        ax: Any = None,
        plot: bool = True,
    ) -> ResidualsDisplay:
        """Draw the residuals of a fitted regression.

        Parameters
        ----------
        estimator : estimator
            A fitted regression.
        X, y : array, optional
            New data; by default the leave-one-out residuals of the data of the fit.
        kinds : tuple of {"fitted", "quantiles", "index"}
            The panels.
        output : int, default=0
            Which of several targets.
        ax, plot : matplotlib axes and bool, optional
            Where to draw, and whether: ``plot=False`` only collects the numbers.

        Returns
        -------
        The display.
        """
        display = cls._of(evidence_of(estimator, X, y, output), kinds)
        return display.plot(ax) if plot else display

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, kinds: tuple[str, ...] = ("fitted", "quantiles"), ax: Any = None
    ) -> ResidualsDisplay:
        """Draw the residuals of predictions.

        Parameters
        ----------
        y_true, y_pred : array of shape (n_samples,)
            Targets and predictions.
        kinds : tuple of {"fitted", "quantiles", "index"}
            The panels.
        ax : matplotlib axes or a sequence of them, optional
            Where to draw.

        Returns
        -------
        The display.
        """
        found = Evidence(np.asarray(y_true, dtype=float).ravel(), np.asarray(y_pred, dtype=float).ravel())
        return cls._of(found, kinds).plot(ax)

    @classmethod
    def _of(cls, found: Evidence, kinds: tuple[str, ...]) -> ResidualsDisplay:
        loo = found.loo_residuals is not None
        left = found.loo_residuals if loo else found.residuals
        return cls(found.y - left, left, found.standardized, loo=loo, kinds=tuple(kinds))

    def _axes(self, ax: Any) -> list[Any]:
        return self._several(ax, len(self.kinds), 3, (3.9, 3.4))

    def _draw(self, axes: list[Any]) -> None:
        for panel, kind in zip(axes, self.kinds, strict=True):
            _PANELS[kind](self, panel)

    @property
    def _word(self) -> str:
        return "leave-one-out residual" if self.loo else "residual"

    def _beside_fitted(self, ax: Any) -> None:
        tidy(ax, f"{self._word}s", "predicted", self._word)
        ax.axhline(0, color=DARK, linewidth=0.8)
        ax.scatter(self.fitted, self.residuals, color=BLUE, **dots(len(self.fitted)))
        smooth = _smooth(self.fitted, self.residuals)
        if smooth is not None:
            ax.plot(*smooth, color=VERMILION, linewidth=2)

    def _beside_index(self, ax: Any) -> None:
        tidy(ax, f"{self._word}s by row", "row", "standardized")
        ax.axhline(0, color=DARK, linewidth=0.8)
        ax.scatter(np.arange(len(self.standardized)), self.standardized, color=BLUE, **dots(len(self.standardized)))

    def _quantiles(self, ax: Any) -> None:
        tidy(ax, "normal quantiles", "normal distribution", f"standardized {self._word}")
        values = np.sort(self.standardized)
        normal = normal_quantiles(len(values))
        ends = [normal[0], normal[-1]]
        ax.plot(ends, ends, color=DARK, linewidth=0.8)
        ax.scatter(normal, values, color=BLUE, **dots(len(values)))


def normal_quantiles(count: int) -> np.ndarray:
    """Return the quantiles of the standard normal distribution at ``(i − ½)/n``."""
    return np.array([NormalDist().inv_cdf((i + 0.5) / count) for i in range(count)])


def _smooth(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return a local linear curve through a cloud, where it has enough points at different positions."""
    from mercer._smoothers import LocalLinear

    low, high = np.min(x), np.max(x)
    if len(x) < 10 or not high > low:
        return None
    # At the ends a few points decide.
    places = np.linspace(*np.quantile(x, [0.02, 0.98]), 100)
    try:
        model = LocalLinear(bandwidth=0.2 * float(np.std(x)) + 0.05 * float(high - low)).fit(x, y)
        return places, model.predict(places)
    except (ValueError, ArithmeticError):
        return None


_PANELS = {
    "fitted": ResidualsDisplay._beside_fitted,
    "quantiles": ResidualsDisplay._quantiles,
    "index": ResidualsDisplay._beside_index,
}
