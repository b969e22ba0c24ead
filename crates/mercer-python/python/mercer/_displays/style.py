"""The style that all pictures share: colors, axes, legends, numbers, names of columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

#: Okabe and Ito's palette, whose colors differ for every kind of color vision.
BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY, YELLOW = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#CC79A7",
    "#56B4E9",
    "#F0E442",
)
GRAY, DARK = "#7f7f7f", "#333333"
PALETTE = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY, YELLOW, GRAY)
#: Shapes beside the colors: groups differ in gray print too.
MARKERS = "os^DvPX*"
#: Colors of numbers that begin at 0, and of numbers of both signs.
SEQUENTIAL, SIGNED = "viridis", "PuOr"
#: Points from which on scatters are drawn smaller and paler.
MANY = 400


def pyplot(who: Any) -> Any:
    """Return matplotlib's interface, or raise an error with the remedy."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        name = type(who).__name__
        raise ImportError(f"{name}.plot needs matplotlib: pip install matplotlib") from error
    return pyplot


class Display:
    """A picture whose numbers are known: `plot` draws them."""

    #: Inches of a figure of its own.
    _size: tuple[float, float] = (6.0, 4.2)

    def plot(self, ax: Any = None) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib axes or a sequence of them, optional
            Where to draw; new axes by default. Pictures of several panels take axes for each, or divide those given.

        Returns
        -------
        The display.
        """
        self._draw(self._axes(ax))
        return self

    def _draw(self, axes: Any) -> None:
        """Draw on the axes, or on those of several panels."""
        raise NotImplementedError

    def _axes(self, ax: Any) -> Any:
        """Return the axes to draw on: those that are given, or new ones."""
        plt = pyplot(self)
        self._own_figure = ax is None
        if ax is None:
            _, ax = plt.subplots(figsize=self._size, layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        return ax

    def _several(self, ax: Any, count: int, columns: int, panel: tuple[float, float] = (3.6, 3.2)) -> list[Any]:
        """Return axes for several panels: new ones, those of a sequence, or a grid that replaces the given axes."""
        plt = pyplot(self)
        self._own_figure = ax is None
        columns = min(columns, count)
        rows = -(-count // columns)
        if ax is None:
            size = (panel[0] * columns, panel[1] * rows)
            figure, grid = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
            axes = list(grid.ravel())
            for unused in axes[count:]:
                unused.set_axis_off()
        elif isinstance(ax, (list, tuple, np.ndarray)):
            axes = list(np.ravel(np.asarray(ax, dtype=object)))
            if len(axes) < count:
                raise ValueError(f"ax: expected {count} axes, found {len(axes)}")
            figure = axes[0].figure
        elif count == 1:
            axes, figure = [ax], ax.figure
        else:
            figure = ax.figure
            ax.set_axis_off()
            grid = ax.get_subplotspec().subgridspec(rows, columns, wspace=0.35, hspace=0.45)
            axes = [figure.add_subplot(grid[i // columns, i % columns]) for i in range(count)]
        self.axes_ = np.array(axes[:count], dtype=object)
        self.ax_, self.figure_ = axes[0], figure
        return axes[:count]

    def _legend(self, ax: Any) -> None:
        """Explain what was drawn: below a figure of its own, where no data is; else where the axes have room."""
        handles, labels = ax.get_legend_handles_labels()
        if not handles:
            return
        if self._own_figure:
            columns = 4 if sum(len(label) + 5 for label in labels) <= 11 * self.figure_.get_figwidth() else 2
            self.figure_.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False, fontsize=9)
        else:
            ax.legend(handles, labels, loc="best", framealpha=0.85, fontsize=8)


def tidy(ax: Any, title: str = "", xlabel: str = "", ylabel: str = "") -> None:
    """Title and names of the axes, a pale grid behind the data, no upper and right frame."""
    ax.set_title(title, fontsize=11)
    ax.set_xlabel(xlabel, fontsize=10)
    ax.set_ylabel(ylabel, fontsize=10)
    ax.tick_params(labelsize=9)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)


def dots(count: int, **changes: Any) -> dict[str, Any]:
    """Return how points are drawn: smaller and paler where there are many."""
    many = count > MANY
    style = {"s": 9 if many else 20, "alpha": 0.45 if many else 0.8, "linewidths": 0}
    return {**style, **changes}


def number(value: Any) -> str:
    """Write a number with the digits that a tick has room for."""
    return f"{value:.3g}" if isinstance(value, (int, float, np.number)) else shorter(str(value))


def shorter(text: str, width: int = 28) -> str:
    """Shorten a text with an ellipsis in its middle."""
    return text if len(text) <= width else f"{text[: width - 10]}…{text[-9:]}"


def readable(kernel: Any, width: int = 52) -> str:
    """Write a kernel for a title: numbers with four digits, and not too long."""
    return shorter(re.sub(r"\d+\.\d{4,}(e[-+]?\d+)?", lambda found: f"{float(found[0]):.4g}", str(kernel)), width)


def column_number(feature: Any, names: list[str]) -> int:
    """Return the position of a column that is given by its position or its name."""
    number = names.index(feature) if feature in names else feature
    known = isinstance(number, (int, np.integer)) and 0 <= number < len(names)
    require(known, f"feature = {feature!r} is not allowed: it must be one of {', '.join(names)}")
    return int(number)


def span(values: np.ndarray, count: int) -> np.ndarray:
    """Return so many numbers from the smallest to the largest value, and a little beyond."""
    margin = 0.06 * (values.max() - values.min()) or 1.0
    return np.linspace(values.min() - margin, values.max() + margin, count)


def column_names(estimator: Any, X: Any, count: int) -> list[str]:
    """Return the names of columns: those of the data, of the fit, or ``column 0`` and so on."""
    for names in (getattr(X, "columns", None), getattr(estimator, "feature_names_in_", None)):
        if names is not None and len(names) == count:
            return [str(name) for name in names]
    return [f"column {i}" for i in range(count)]


def matrix(X: Any) -> np.ndarray | None:
    """Return points as a matrix of doubles, or None where they are not vectors."""
    if X is None:
        return None
    if hasattr(X, "to_numpy"):
        X = X.to_numpy()
    try:
        points = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    points = points.reshape(-1, 1) if points.ndim == 1 else points
    return points if points.ndim == 2 else None


def fit_points(estimator: Any) -> Any:
    """Return the points of a fit, or None where the estimator does not hold them."""
    found = (getattr(estimator, name, None) for name in ("X_fit_", "X_train_"))
    return next((points for points in found if points is not None), None)


def require(condition: bool, message: str) -> None:
    """Refuse what cannot be drawn."""
    if not condition:
        raise ValueError(message)


def like(points: np.ndarray, estimator: Any) -> Any:
    """Return points as the estimator met them: with names of columns where it has some."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return points
    try:
        import pandas
    except ImportError:
        return points
    return pandas.DataFrame(points, columns=list(names))


def groups(y: Any) -> tuple[list[Any], np.ndarray] | None:
    """Return the classes of labels and the class of every row; None where the labels are numbers on a scale."""
    labels = np.asarray(y)
    if labels.dtype.kind == "f" and not np.all(labels == np.round(labels)):
        return None
    found, codes = np.unique(labels.astype(str) if labels.dtype.kind == "O" else labels, return_inverse=True)
    return (found.tolist(), codes) if len(found) <= 12 else None


def scatter(ax: Any, x: np.ndarray, y: np.ndarray, labels: Any = None, **changes: Any) -> Any:
    """Draw points: a color and a shape per class, a scale of colors for numbers, blue without labels."""
    if labels is None:
        ax.scatter(x, y, **dots(len(x), **{"color": BLUE, **changes}))
        return None
    classes = groups(labels)
    if classes is None:
        return ax.scatter(x, y, c=np.asarray(labels, dtype=float), cmap=SEQUENTIAL, **dots(len(x), **changes))
    for code, name in enumerate(classes[0]):
        here = classes[1] == code
        color, marker = PALETTE[code % len(PALETTE)], MARKERS[code % len(MARKERS)]
        ax.scatter(x[here], y[here], color=color, marker=marker, label=str(name), **dots(len(x), **changes))
    return None


def ticks(count: int, most: int = 9) -> Sequence[int]:
    """Return which of many positions have a label: the first, and evenly spaced ones."""
    step = max(1, -(-count // most))
    return range(0, count, step)
