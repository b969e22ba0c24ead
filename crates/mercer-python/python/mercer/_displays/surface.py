"""The scores of a search on a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer._displays.style import (
    BLUE,
    SEQUENTIAL,
    VERMILION,
    Display,
    number,
    require,
    shorter,
    ticks,
    tidy,
)


class ScoreSurfaceDisplay(Display):
    """The scores of a search: regularization by lengthscale (or kernel), with the winner marked.

    Make it by `from_estimator` or `from_scores`. With one candidate it is a curve instead of a surface.

    Parameters
    ----------
    scores : array of shape (n_candidates, n_numbers)
        A row per lengthscale or kernel, a column per alpha or C; NaN where a candidate was dropped.
    rows, columns : list
        The lengthscales (or texts of kernels) of the rows, the numbers of the columns.
    best : tuple
        The row and the column of the winner.
    names : dict
        Words for ``rows``, ``columns``, ``scores`` and ``title``.
    logarithmic : bool, default=False
        Whether the colors are those of the logarithms of the scores: for errors, which are positive.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    colorbar_
        The scale of colors; None for a curve.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> x = np.linspace(0, 3, 30)[:, None]
    >>> model = mercer.KernelRidgeCV([0.01, 0.1], kernel="gaussian()", lengthscales=[0.1, 0.5]).fit(x, np.sin(x[:, 0]))
    >>> mercer.ScoreSurfaceDisplay.from_estimator(model, plot=False).scores.shape
    (2, 2)
    """

    def __init__(
        self, scores: Any, rows: Any, columns: Any, best: Any, *, names: dict[str, str], logarithmic: bool = False
    ) -> None:
        self.scores = np.asarray(scores, dtype=float)
        self.rows, self.columns = list(rows), list(columns)
        self.best = (int(best[0]), int(best[1]))
        self.names, self.logarithmic = names, logarithmic

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, plot: bool = True) -> ScoreSurfaceDisplay:
        """Draw the search of a fitted `KernelRidgeCV` or `SVCCV`.

        Parameters
        ----------
        estimator : KernelRidgeCV or SVCCV
            The fitted search.
        ax, plot : matplotlib axes and bool, optional
            Where to draw, and whether: ``plot=False`` only collects the numbers.

        Returns
        -------
        The display.
        """
        check_is_fitted(estimator)
        require(
            hasattr(estimator, "scores_") and hasattr(estimator, "candidates_"),
            f"{type(estimator).__name__} has no grid of scores: expected KernelRidgeCV or SVCCV",
        )
        machine = hasattr(estimator, "Cs_")
        (row, rows), (column, columns) = estimator._grid_rows(), estimator._grid_numbers()
        what = "accuracy of the folds" if machine else f"mean squared error ({_scoring(estimator.scoring)})"
        title = f"best: {column} = {number(columns[estimator.best_index_[1]])}"
        if len(rows) > 1:
            title += f", {row} = {number(rows[estimator.best_index_[0]])}"
        names = {"rows": row, "columns": column, "scores": what, "title": title}
        display = cls(estimator.scores_, rows, columns, estimator.best_index_, names=names, logarithmic=not machine)
        return display.plot(ax) if plot else display

    @classmethod
    def from_scores(
        cls,
        scores: Any,
        rows: Any,
        columns: Any,
        *,
        greater_is_better: bool = True,
        names: dict[str, str] | None = None,
        ax: Any = None,
    ) -> ScoreSurfaceDisplay:
        """Draw any scores on a grid.

        Parameters
        ----------
        scores : array of shape (n_rows, n_columns)
            The scores.
        rows, columns : list
            The numbers or texts that they belong to.
        greater_is_better : bool, default=True
            Whether the winner has the largest score; otherwise scores are errors and drawn by their logarithms.
        names : dict, optional
            Words for ``rows``, ``columns``, ``scores`` and ``title``.
        ax : matplotlib axes, optional
            Where to draw.

        Returns
        -------
        The display.
        """
        values = np.asarray(scores, dtype=float)
        found = np.nanargmax(values) if greater_is_better else np.nanargmin(values)
        words = {"rows": "row", "columns": "column", "scores": "score", "title": "", **(names or {})}
        best = np.unravel_index(found, values.shape)
        return cls(values, rows, columns, best, names=words, logarithmic=not greater_is_better).plot(ax)

    def _draw(self, ax: Any) -> None:
        self.colorbar_ = None
        if len(self.rows) == 1:
            self._curve(ax)
        else:
            self._surface(ax)

    def _curve(self, ax: Any) -> None:
        tidy(ax, self.names["title"], self.names["columns"], self.names["scores"])
        ax.plot(self.columns, self.scores[0], "o-", color=BLUE, markersize=4)
        ax.plot(self.columns[self.best[1]], self.scores[self.best], "*", color=VERMILION, markersize=15)
        if min(self.columns) > 0:
            ax.set_xscale("log")
        if self.logarithmic and np.nanmin(self.scores) > 0:
            ax.set_yscale("log")

    def _surface(self, ax: Any) -> None:
        from matplotlib.colors import LogNorm

        shown = np.ma.masked_invalid(self.scores)
        positive = self.logarithmic and shown.count() and shown.min() > 0
        ax.set_facecolor("#e8e8e8")
        mesh = ax.pcolormesh(
            shown, cmap=f"{SEQUENTIAL}_r" if self.logarithmic else SEQUENTIAL, norm=LogNorm() if positive else None
        )
        tidy(ax, self.names["title"], self.names["columns"], self.names["rows"])
        ax.grid(False)
        for axis, labels in ((ax.xaxis, self.columns), (ax.yaxis, self.rows)):
            at = ticks(len(labels), 8 if axis is ax.xaxis else 14)
            axis.set_ticks([i + 0.5 for i in at], [number(labels[i]) for i in at])
        if len(self.columns) > 5:
            ax.tick_params(axis="x", rotation=45)
        if np.isnan(self.scores).all(axis=1).any():
            ax.set_ylabel(f"{self.names['rows']} (gray: dropped early)", fontsize=10)
        ax.plot(self.best[1] + 0.5, self.best[0] + 0.5, "*", color=VERMILION, markersize=17, markeredgecolor="white")
        self.colorbar_ = ax.figure.colorbar(mesh, ax=ax, label=shorter(self.names["scores"], 60))


def _scoring(scoring: Any) -> str:
    return {"loo": "leave-one-out", "gcv": "GCV"}.get(scoring, f"{scoring} folds")
