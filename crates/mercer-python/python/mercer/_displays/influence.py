"""Rows that dominate a regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._displays.evidence import evidence_of
from mercer._displays.style import BLUE, DARK, GRAY, VERMILION, Display, require, tidy


class InfluenceDisplay(Display):
    """Leverage by residual, with the rows of largest influence named.

    The leverage ``hᵢ = ∂f(xᵢ)/∂yᵢ`` is how much of a fitted value is its own target; the area of a point is Cook's
    distance, how far all fitted values move without the row. The broken line is twice the mean leverage.

    Parameters
    ----------
    leverages, residuals, influence : array of shape (n_samples,)
        The leverages, the standardized leave-one-out residuals, and Cook's distances.
    n_labels : int, default=5
        How many rows are named.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> x = np.append(np.linspace(0, 1, 20), 5.0)[:, None]
    >>> model = mercer.KernelRidge(0.1, kernel="gaussian()").fit(x, x[:, 0])
    >>> int(np.argmax(mercer.InfluenceDisplay.from_estimator(model, plot=False).leverages))
    20
    """

    def __init__(self, leverages: Any, residuals: Any, influence: Any, *, n_labels: int = 5) -> None:
        self.leverages, self.residuals, self.influence, self.n_labels = leverages, residuals, influence, n_labels

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, n_labels: int = 5, output: int = 0, ax: Any = None, plot: bool = True
    ) -> InfluenceDisplay:
        """Draw the leverages of a fitted regression.

        Parameters
        ----------
        estimator : estimator
            A ridge regression, Gaussian process, spline or local smoother.
        n_labels : int, default=5
            How many rows are named, those of largest influence.
        output : int, default=0
            Which of several targets.
        ax, plot : matplotlib axes and bool, optional
            Where to draw, and whether: ``plot=False`` only collects the numbers.

        Returns
        -------
        The display.
        """
        found = evidence_of(estimator, output=output)
        require(found.leverages is not None, f"{type(estimator).__name__} has no leverages")
        require(bool(found.noise), "a model that interpolates has no influence of single rows: every leverage is 1")
        display = cls(found.leverages, found.standardized, found.influence, n_labels=n_labels)
        return display.plot(ax) if plot else display

    def _draw(self, ax: Any) -> None:
        tidy(ax, "influence of single rows", "leverage", "standardized leave-one-out residual")
        ax.axhline(0, color=DARK, linewidth=0.8)
        for level in (-2, 2):
            ax.axhline(level, color=GRAY, linewidth=0.8, linestyle=":")
        bound = 2 * float(np.mean(self.leverages))
        if bound < 1:
            ax.axvline(bound, color=GRAY, linewidth=0.8, linestyle="--")
        largest = float(np.max(self.influence)) or 1.0
        area = 12 + 220 * np.asarray(self.influence) / largest
        top = np.argsort(self.influence)[::-1][: self.n_labels]
        named = np.zeros(len(area), dtype=bool)
        named[top] = True
        for which, color in ((~named, BLUE), (named, VERMILION)):
            ax.scatter(
                np.asarray(self.leverages)[which],
                np.asarray(self.residuals)[which],
                s=area[which],
                color=color,
                alpha=0.55,
                linewidths=0,
            )
        for row in top:
            at = (self.leverages[row], self.residuals[row])
            ax.annotate(str(row), at, xytext=(6, 6), textcoords="offset points", fontsize=9, color=DARK)
        ax.margins(0.08)
