"""Where two samples differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._displays.style import (
    BLUE,
    DARK,
    ORANGE,
    Display,
    column_names,
    column_number,
    dots,
    matrix,
    require,
    span,
    tidy,
)
from mercer._measures import mmd_witness


class WitnessDisplay(Display):
    """The witness function of the maximum mean discrepancy: positive where the first sample is denser.

    In one column a curve over both histograms; in two a map with both samples; of more columns a map in two of them
    with the others at their medians.

    Parameters
    ----------
    witness : Function
        The witness.
    first, second : array of shape (n_samples, n_features)
        The samples.
    features : tuple of int
        The columns that are drawn.
    names : list of str
        The names of all columns.
    labels : tuple of str
        The names of the samples.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.normal(size=(50, 1)), rng.normal(2, size=(50, 1))
    >>> display = mercer.WitnessDisplay.from_samples(a, b, plot=False)
    >>> bool(display.witness([[0.0]])[0] > 0 > display.witness([[2.0]])[0])
    True
    """

    def __init__(
        self,
        witness: Any,
        first: Any,
        second: Any,
        *,
        features: tuple[int, ...],
        names: list[str],
        labels: tuple[str, str] = ("first sample", "second sample"),
    ) -> None:
        self.witness, self.first, self.second = witness, first, second
        self.features, self.names, self.labels = features, names, labels

    @classmethod
    def from_samples(
        cls,
        X: Any,
        Y: Any,
        kernel: Any = "auto",
        *,
        features: tuple[int | str, ...] | None = None,
        labels: tuple[str, str] = ("first sample", "second sample"),
        ax: Any = None,
        plot: bool = True,
    ) -> WitnessDisplay:
        """Draw the witness of two samples.

        Parameters
        ----------
        X, Y : array of shape (n_samples, n_features)
            The samples.
        kernel : text, Kernel or "auto", default="auto"
            The kernel of the discrepancy.
        features : tuple, optional
            One or two columns to draw, by position or name; the first two by default.
        labels : tuple of str
            The names of the samples.
        ax, plot : matplotlib axes and bool, optional
            Where to draw, and whether: ``plot=False`` only collects the numbers.

        Returns
        -------
        The display.
        """
        first, second = matrix(X), matrix(Y)
        require(first is not None and second is not None, "X and Y: expected vectors")
        names = column_names(None, X, first.shape[1])
        chosen = tuple(range(min(2, first.shape[1]))) if features is None else features
        columns = tuple(column_number(feature, names) for feature in chosen)
        require(len(columns) in (1, 2), "features: expected one column or two")
        display = cls(mmd_witness(first, second, kernel), first, second, features=columns, names=names, labels=labels)
        return display.plot(ax) if plot else display

    def _draw(self, ax: Any) -> None:
        if len(self.features) == 1:
            self._line(ax)
        else:
            self._map(ax)
        self._legend(ax)

    def _along(self, values: list[np.ndarray]) -> np.ndarray:
        """Return points with these columns, and the others at the medians of both samples."""
        both = np.concatenate([self.first, self.second])
        points = np.tile(np.median(both, axis=0), (len(values[0]), 1))
        for column, value in zip(self.features, values, strict=True):
            points[:, column] = value
        return points

    def _line(self, ax: Any) -> None:
        column = self.features[0]
        both = np.concatenate([self.first[:, column], self.second[:, column]])
        x = np.linspace(both.min(), both.max(), 400)
        tidy(ax, "witness of the difference", self.names[column], "witness")
        ax.axhline(0, color=DARK, linewidth=0.8)
        below = ax.twinx()
        bins = np.linspace(both.min(), both.max(), 41)
        for sample, color, label in zip((self.first, self.second), (BLUE, ORANGE), self.labels, strict=True):
            below.hist(sample[:, column], bins, density=True, color=color, alpha=0.3)
            ax.fill_between([], [], color=color, alpha=0.3, label=label)
        below.set_ylim(0, 1.9 * below.get_ylim()[1])
        below.set_yticks([])
        below.spines[["top", "right"]].set_visible(False)
        ax.set_zorder(below.get_zorder() + 1)
        ax.patch.set_visible(False)
        ax.plot(x, self.witness(self._along([x])), color=DARK, linewidth=2, label="witness")

    def _map(self, ax: Any) -> None:
        a, b = self.features
        both = np.concatenate([self.first, self.second])
        ranges = [span(both[:, column], 120) for column in self.features]
        across, up = np.meshgrid(*ranges)
        values = self.witness(self._along([across.ravel(), up.ravel()])).reshape(across.shape)
        largest = float(np.abs(values).max()) or 1.0
        # Blue is the first sample: the map has its colors.
        from matplotlib.colors import LinearSegmentedColormap

        colors = LinearSegmentedColormap.from_list("witness", [ORANGE, "white", BLUE])
        mesh = ax.pcolormesh(*ranges, values, cmap=colors, vmin=-largest, vmax=largest, alpha=0.65, rasterized=True)
        ax.contour(*ranges, values, [0], colors=DARK, linewidths=1)
        tidy(ax, "witness of the difference", self.names[a], self.names[b])
        ax.grid(False)
        for sample, color, marker, label in zip(
            (self.first, self.second), (BLUE, ORANGE), "os", self.labels, strict=True
        ):
            style = dots(len(sample), linewidths=0.4, edgecolors="white", s=18)
            ax.scatter(sample[:, a], sample[:, b], color=color, marker=marker, label=label, **style)
        ax.figure.colorbar(mesh, ax=ax, label=f"witness: > 0 {self.labels[0]}")
