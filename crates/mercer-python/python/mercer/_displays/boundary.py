"""Regions of a classifier, or of a one-class machine, in two columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer._displays.style import (
    DARK,
    PALETTE,
    SEQUENTIAL,
    SIGNED,
    VERMILION,
    Display,
    column_names,
    column_number,
    like,
    matrix,
    require,
    scatter,
    span,
    tidy,
)

#: Points on colored regions have a dark edge.
_POINT = {"linewidths": 0.5, "edgecolors": DARK, "alpha": 1.0}


class BoundaryDisplay(Display):
    """The regions of a classifier in the plane of two columns, with the data and the support vectors.

    Other columns are held at their medians. Of two classes the decision function is drawn with its lines at 0 and ±1,
    of more the region of every class; of `OneClassSVM` its level lines; of a regression its values.

    Parameters
    ----------
    x, y : array
        The grid along both columns.
    values : array of shape (len(y), len(x))
        Decision values, or the numbers of the classes.
    points, labels : array, optional
        The data in both columns, and its classes.
    support : array of shape (n_support, 2), optional
        The support vectors in both columns.
    kind : {"decision", "classes", "region", "values"}
        What the values are.
    names : dict
        Words for ``x``, ``y`` and ``title``.
    classes : list, optional
        The classes.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> model = mercer.SVC(kernel="gaussian()").fit(X, X[:, 0] * X[:, 1] > 0)
    >>> mercer.BoundaryDisplay.from_estimator(model, X, resolution=50, plot=False).values.shape
    (50, 50)
    """

    _size = (5.4, 4.6)

    def __init__(
        self,
        x: Any,
        y: Any,
        values: Any,
        *,
        points: Any = None,
        labels: Any = None,
        support: Any = None,
        kind: str = "decision",
        names: dict[str, str],
        classes: list[Any] | None = None,
    ) -> None:
        self.x, self.y, self.values = x, y, values
        self.points, self.labels, self.support = points, labels, support
        self.kind, self.names, self.classes = kind, names, classes

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        features: tuple[int | str, int | str] = (0, 1),
        at: Any = None,
        resolution: int = 200,
        ax: Any = None,
        plot: bool = True,
    ) -> BoundaryDisplay:
        """Draw the regions of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            A fitted classifier, `OneClassSVM` or regression on vectors of at least two columns.
        X : array of shape (n_samples, n_features)
            The data, which gives the range and is drawn.
        y : array of shape (n_samples,), optional
            Its classes.
        features : tuple, default=(0, 1)
            The two columns, by position or name.
        at : array of shape (n_features,), optional
            Where the other columns are held; at the medians of X by default.
        resolution : int, default=200
            Points along each column.
        ax, plot : matplotlib axes and bool, optional
            Where to draw, and whether: ``plot=False`` only collects the numbers.

        Returns
        -------
        The display.
        """
        check_is_fitted(estimator)
        points = matrix(X)
        require(points is not None and points.shape[1] >= 2, "X: expected vectors of at least two columns")
        titles = column_names(estimator, X, points.shape[1])
        first, second = (column_number(feature, titles) for feature in features)
        ranges = [span(points[:, c], resolution) for c in (first, second)]
        held = np.median(points, axis=0) if at is None else np.asarray(at, dtype=float)
        grid = np.tile(held, (resolution * resolution, 1))
        across, up = np.meshgrid(*ranges)
        grid[:, first], grid[:, second] = across.ravel(), up.ravel()
        values, kind = _values(estimator, like(grid, estimator))
        support = matrix(getattr(estimator, "support_vectors_", None))
        flat = points.shape[1] == 2 and support is not None and support.shape[1:] == (2,)
        names = {"x": titles[first], "y": titles[second], "title": type(estimator).__name__}
        display = cls(
            *ranges,
            values.reshape(across.shape),
            points=points[:, [first, second]],
            labels=None if y is None else np.asarray(y),
            support=support[:, [first, second]] if flat else None,
            kind=kind,
            names=names,
            classes=list(getattr(estimator, "classes_", [])) or None,
        )
        return display.plot(ax) if plot else display

    def _draw(self, ax: Any) -> None:
        tidy(ax, self.names["title"], self.names["x"], self.names["y"])
        ax.grid(False)
        getattr(self, f"_draw_{self.kind}")(ax)
        if self.points is not None:
            color = {"color": VERMILION} if self.kind == "region" and self.labels is None else {}
            scatter(ax, *self.points.T, self.labels, zorder=3, **{**_POINT, **color})
        if self.support is not None:
            ax.scatter(
                *self.support.T,
                s=42,
                facecolors="none",
                edgecolors=DARK,
                linewidths=0.7,
                zorder=4,
                label=f"{len(self.support)} support vectors",
            )
        ax.set(xlim=(self.x[0], self.x[-1]), ylim=(self.y[0], self.y[-1]))
        self._legend(ax)

    def _draw_decision(self, ax: Any) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        largest = float(np.abs(self.values).max()) or 1.0
        colors = LinearSegmentedColormap.from_list("sides", [PALETTE[0], "white", PALETTE[1]])
        mesh = ax.pcolormesh(
            self.x, self.y, self.values, cmap=colors, vmin=-largest, vmax=largest, alpha=0.55, rasterized=True
        )
        mesh.set_edgecolor("none")
        ax.contour(self.x, self.y, self.values, [-1, 0, 1], colors=DARK, linestyles=["--", "-", "--"], linewidths=1)

    def _draw_classes(self, ax: Any) -> None:
        from matplotlib.colors import ListedColormap

        count = len(self.classes)
        colors = ListedColormap([PALETTE[i % len(PALETTE)] for i in range(count)])
        ax.pcolormesh(self.x, self.y, self.values, cmap=colors, vmin=-0.5, vmax=count - 0.5, alpha=0.3, rasterized=True)
        for code in range(count):
            inside = (self.values == code).astype(float)
            if 0 < inside.sum() < inside.size:
                ax.contour(self.x, self.y, inside, [0.5], colors=DARK, linewidths=0.8)

    def _draw_region(self, ax: Any) -> None:
        mesh = ax.pcolormesh(self.x, self.y, self.values, cmap="Blues", alpha=0.8, rasterized=True)
        ax.contour(self.x, self.y, self.values, [0], colors=DARK, linewidths=1.4)
        ax.figure.colorbar(mesh, ax=ax, label="decision function (0 at the line)")

    def _draw_values(self, ax: Any) -> None:
        both = self.values.min() < 0 < self.values.max()
        largest = float(np.abs(self.values).max())
        limits = {"cmap": SIGNED, "vmin": -largest, "vmax": largest} if both else {"cmap": SEQUENTIAL}
        mesh = ax.pcolormesh(self.x, self.y, self.values, rasterized=True, **limits)
        ax.figure.colorbar(mesh, ax=ax, label="prediction")


def _values(estimator: Any, grid: Any) -> tuple[np.ndarray, str]:
    """Return what is drawn at every point of the grid, and what kind of number it is."""
    if not hasattr(estimator, "classes_"):
        if hasattr(estimator, "decision_function"):
            return estimator.decision_function(grid), "region"
        found = np.asarray(estimator.predict(grid), dtype=float)
        return (found if found.ndim == 1 else found[:, 0]), "values"
    if len(estimator.classes_) == 2 and hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(grid)).reshape(-1), "decision"
    return np.searchsorted(estimator.classes_, estimator.predict(grid)).astype(float), "classes"
