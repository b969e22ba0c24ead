"""A function of one variable: the mean with its bands and draws, or a slice of a function of several."""

from __future__ import annotations

import inspect
from statistics import NormalDist
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer._displays.style import (
    BLUE,
    DARK,
    SKY,
    Display,
    column_names,
    column_number,
    dots,
    fit_points,
    like,
    matrix,
    readable,
    require,
    tidy,
)


class FunctionDisplay(Display):
    """A fitted function along one column: mean, band of a given level, draws, and the data.

    With several columns it is a slice: the others stay at their medians, or at the values that are given. Make it by
    `from_estimator` or `from_function`.

    Parameters
    ----------
    x : array of shape (n_points,)
        The points along the column.
    mean : array of shape (n_points,) or (n_points, n_curves)
        The function, or several (quantiles).
    lower, upper : array, optional
        The band.
    draws : array of shape (n_points, n_draws), optional
        Functions drawn from the posterior.
    data : tuple of arrays, optional
        Positions along the column and targets of the data.
    names : dict
        Words for ``x``, ``y``, ``title`` and ``band``.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    line_, band_ : matplotlib artists
        The mean and the band; ``band_`` is None without one.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> x = np.linspace(0, 3, 30)[:, None]
    >>> model = mercer.KernelRidge(0.1, kernel="gaussian()").fit(x, np.sin(x[:, 0]))
    >>> display = mercer.FunctionDisplay.from_estimator(model, plot=False)
    >>> display.mean.shape, bool((display.lower < display.mean).all())
    ((200,), True)
    """

    def __init__(
        self,
        x: Any,
        mean: Any,
        lower: Any = None,
        upper: Any = None,
        draws: Any = None,
        data: tuple[Any, Any] | None = None,
        *,
        names: dict[str, str],
    ) -> None:
        self.x, self.mean, self.lower, self.upper = x, mean, lower, upper
        self.draws, self.data, self.names = draws, data, names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        feature: int | str = 0,
        at: Any = None,
        level: float = 0.95,
        n_draws: int = 0,
        include_noise: bool = False,
        resolution: int = 200,
        output: int = 0,
        random_state: Any = 0,
        ax: Any = None,
        plot: bool = True,
    ) -> FunctionDisplay:
        """Draw the function of a fitted regression.

        Parameters
        ----------
        estimator : estimator
            A fitted regression; bands need ``predict(…, return_std=True)``, draws ``sample_y``.
        X, y : array, optional
            Data to show. By default X is that of the fit, where the estimator holds it, and y is shown if it is known.
        feature : int or str, default=0
            The column along which the function is drawn, by position or name.
        at : array of shape (n_features,), optional
            Where the other columns are held; at the medians of X by default.
        level : float, default=0.95
            The level of the band.
        n_draws : int, default=0
            Functions to draw from the posterior.
        include_noise : bool, default=False
            Whether the band is that of new observations instead of the function.
        resolution : int, default=200
            Points along the column.
        output : int, default=0
            Which of several targets.
        random_state : int, RandomState or None, default=0
            The seed of the draws.
        ax, plot : matplotlib axes and bool, optional
            Where to draw, and whether: ``plot=False`` only collects the numbers.

        Returns
        -------
        The display.
        """
        check_is_fitted(estimator)
        points, targets = _data(estimator, X, y, output)
        require(points is not None, "X: expected the points of the data, which the estimator does not hold")
        titles = column_names(estimator, X, points.shape[1])
        column = column_number(feature, titles)
        x = np.linspace(points[:, column].min(), points[:, column].max(), resolution)
        slice_ = np.tile(np.median(points, axis=0) if at is None else np.asarray(at, dtype=float), (resolution, 1))
        slice_[:, column] = x
        mean, std = _predicted(estimator, like(slice_, estimator), include_noise)
        mean, std = _one_output(mean, output, estimator), _one_output(std, output, estimator)
        wide = None if std is None else NormalDist().inv_cdf(0.5 + level / 2) * std
        draws = None
        if n_draws:
            require(hasattr(estimator, "sample_y"), "n_draws needs an estimator with sample_y: a Gaussian process")
            draws = estimator.sample_y(like(slice_, estimator), n_draws, random_state=random_state)
            draws = draws[:, output] if draws.ndim == 3 else draws
        held = ", ".join(
            f"{t} = {v:.3g}" for i, (t, v) in enumerate(zip(titles, slice_[0], strict=True)) if i != column
        )
        of = "observations" if include_noise else "the function"
        names = {
            "x": titles[column],
            "y": (getattr(estimator, "_target_names", None) or ["y"])[0],
            "title": type(estimator).__name__ + (f" at {held}" if held and len(held) < 50 else ""),
            "band": f"{100 * level:g} % band of {of}",
        }
        data = None if targets is None else (points[:, column], targets)
        limits = (None, None) if wide is None else (mean - wide, mean + wide)
        display = cls(x, mean, *limits, draws, data, names=names)
        return display.plot(ax) if plot else display

    @classmethod
    def from_function(
        cls, function: Any, low: float, high: float, *, resolution: int = 400, ax: Any = None
    ) -> FunctionDisplay:
        """Draw a `mercer.Function` (or any function of a column of points) between two numbers.

        Parameters
        ----------
        function : mercer.Function or callable
            The function of one variable.
        low, high : float
            The ends.
        resolution : int, default=400
            Points between them.
        ax : matplotlib axes, optional
            Where to draw.

        Returns
        -------
        The display.
        """
        x = np.linspace(low, high, resolution)
        text = str(getattr(function, "kernel", ""))
        names = {"x": "x", "y": "f(x)", "title": f"function of {readable(text)}" if text else "", "band": ""}
        display = cls(x, np.ravel(function(x[:, None])), names=names)
        centers = matrix(getattr(function, "points", None))
        if centers is not None and centers.shape[1] == 1:
            inside = centers[(centers[:, 0] >= low) & (centers[:, 0] <= high)]
            display.data = (inside[:, 0], np.ravel(function(inside)) if len(inside) else np.zeros(0))
            names["data"] = "centers"
        return display.plot(ax)

    def _draw(self, ax: Any) -> None:
        tidy(ax, self.names["title"], self.names["x"], self.names["y"])
        if self.data is not None:
            label = self.names.get("data", "data")
            ax.scatter(*self.data, color=DARK, label=label, **dots(len(self.data[0]), alpha=0.5, zorder=1))
        self.band_ = None
        if self.lower is not None:
            self.band_ = ax.fill_between(
                self.x, self.lower, self.upper, color=SKY, alpha=0.35, linewidth=0, label=self.names["band"], zorder=2
            )
        if self.draws is not None:
            for i, draw in enumerate(self.draws.T):
                label = "draws" if i == 0 else None
                ax.plot(self.x, draw, color=DARK, alpha=0.45, linewidth=0.8, label=label, zorder=3)
        several = np.ndim(self.mean) == 2
        lines = ax.plot(self.x, self.mean, color=BLUE, linewidth=2, zorder=4)
        lines[0].set_label("quantiles" if several else "mean")
        self.line_ = lines[0]
        if len(ax.get_legend_handles_labels()[0]) > 1:
            self._legend(ax)


def _data(estimator: Any, X: Any, y: Any, output: int) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return the points and targets to show: those that are given, or those of the fit."""
    from mercer._displays.evidence import evidence_of

    if X is not None:
        values = None if y is None else np.asarray(y, dtype=float)
        return matrix(X), values if values is None or values.ndim == 1 else values[:, output]
    try:
        found = evidence_of(estimator, output=output)
    except (ValueError, AttributeError):
        return matrix(fit_points(estimator)), None
    return found.points, found.y


def _predicted(estimator: Any, points: Any, include_noise: bool) -> tuple[np.ndarray, np.ndarray | None]:
    takes = inspect.signature(estimator.predict).parameters
    if "return_std" not in takes:
        return np.asarray(estimator.predict(points)), None
    more = {"include_noise": True} if include_noise and "include_noise" in takes else {}
    try:
        return estimator.predict(points, return_std=True, **more)
    except (ValueError, AttributeError):
        return np.asarray(estimator.predict(points)), None


def _one_output(values: Any, output: int, estimator: Any) -> Any:
    if values is None or values.ndim == 1 or np.size(getattr(estimator, "quantile", 0.0)) > 1:
        return values
    return values[:, output]
