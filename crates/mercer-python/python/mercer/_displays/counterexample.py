"""Points and weights that show that a kernel is not positive semi-definite."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._displays.style import BLUE, DARK, ORANGE, SIGNED, Display, readable, require, tidy
from mercer._mercer import Check, Counterexample, Kernel

#: Points up to which the values are written into the cells.
_FEW = 8


class CounterexampleDisplay(Display):
    """The points and weights of a counterexample, and the matrix with ``cᵀKc < 0``.

    Parameters
    ----------
    kernel : Kernel or None
        The kernel; None where only the numbers are known.
    points : array of shape (n_points, n_features) or list
        The points.
    weights : array of shape (n_points,)
        The weights ``c``.
    value : float
        ``cᵀKc``.
    matrix : array, optional
        The kernel values among the points.

    Attributes
    ----------
    axes_ : array of axes
        The points with their weights, and the matrix.
    ax_, figure_
        The first of them, and the figure.

    Examples
    --------
    >>> import mercer
    >>> display = mercer.CounterexampleDisplay.from_kernel("tanh(scale=1, offset=0)", plot=False)
    >>> display.value < 0, bool(abs(display.weights @ display.matrix @ display.weights - display.value) < 1e-9)
    (True, True)
    """

    def __init__(self, kernel: Any, points: Any, weights: Any, value: float, matrix: Any = None) -> None:
        self.kernel, self.points, self.weights, self.value = kernel, points, np.asarray(weights), float(value)
        self.matrix = None if matrix is None else np.asarray(matrix)

    @classmethod
    def from_kernel(
        cls, kernel: Any, X: Any = None, *, random_state: int = 0, ax: Any = None, plot: bool = True
    ) -> CounterexampleDisplay:
        """Search for a counterexample and draw it.

        Parameters
        ----------
        kernel : text or Kernel
            The kernel.
        X : array, optional
            Points among which to search; by default the search chooses them.
        random_state : int, default=0
            The seed of the search.
        ax, plot : matplotlib axes and bool, optional
            Where to draw, and whether: ``plot=False`` only collects the numbers.

        Returns
        -------
        The display.
        """
        kernel = Kernel(kernel)
        return cls.from_check(kernel.check(X, random_state=random_state), kernel, ax=ax, plot=plot)

    @classmethod
    def from_check(cls, check: Any, kernel: Any = None, *, ax: Any = None, plot: bool = True) -> CounterexampleDisplay:
        """Draw the counterexample of a check, of a `NotPositiveDefiniteError`, or one by itself.

        Parameters
        ----------
        check : Check, Counterexample or NotPositiveDefiniteError
            What holds it.
        kernel : text or Kernel, optional
            The kernel, for the matrix.
        ax, plot : matplotlib axes and bool, optional
            Where to draw, and whether: ``plot=False`` only collects the numbers.

        Returns
        -------
        The display.
        """
        found = check if isinstance(check, Counterexample) else getattr(check, "counterexample", None)
        if found is None:
            state = "is positive semi-definite" if isinstance(check, Check) and check.psd else "has no counterexample"
            raise ValueError(f"{'the kernel' if kernel is None else kernel} {state}: there is nothing to draw")
        kernel = None if kernel is None else Kernel(kernel)
        points = np.asarray(found.points)
        values = None
        if kernel is not None and points.ndim == 2 and len(points) and kernel.point_kind in (None, "vectors"):
            values = kernel(points)
        display = cls(kernel, points, found.weights, found.value, values)
        return display.plot(ax) if plot else display

    def _axes(self, ax: Any) -> list[Any]:
        return self._several(ax, 1 if self.matrix is None else 2, 2, (3.9, 3.5))

    def _draw(self, axes: list[Any]) -> None:
        self._weights(axes[0])
        if self.matrix is not None:
            self._matrix(axes[1])

    def _weights(self, ax: Any) -> None:
        require(len(self.weights) > 0, "the counterexample has no points")
        text = "" if self.kernel is None else f"\n{readable(self.kernel, 34)}"
        colors = np.where(self.weights > 0, BLUE, ORANGE)
        points = np.asarray(self.points, dtype=float) if np.ndim(self.points) == 2 else None
        title = f"cᵀKc = {self.value:.3g} < 0{text}"
        if points is not None and points.shape[1] == 2:
            tidy(ax, title, "column 0", "column 1")
            area = 30 + 300 * np.abs(self.weights) / np.abs(self.weights).max()
            ax.scatter(*points.T, s=area, color=colors, alpha=0.85)
            for (x, y), weight in zip(points, self.weights, strict=True):
                ax.annotate(
                    f"{weight:+.2g}", (x, y), xytext=(0, 11), textcoords="offset points", ha="center", fontsize=8
                )
            ax.margins(0.2)
            return
        tidy(ax, title, "x" if points is not None and points.shape[1] == 1 else "point", "weight c")
        at = points[:, 0] if points is not None and points.shape[1] == 1 else np.arange(len(self.weights))
        ax.axhline(0, color=DARK, linewidth=0.8)
        ax.vlines(at, 0, self.weights, color=colors, linewidth=2.5)
        ax.scatter(at, self.weights, color=colors, s=36, zorder=3)
        ax.margins(0.12)

    def _matrix(self, ax: Any) -> None:
        largest = float(np.abs(self.matrix).max()) or 1.0
        image = ax.imshow(self.matrix, cmap=SIGNED, vmin=-largest, vmax=largest)
        tidy(ax, "kernel values K", "point", "point")
        ax.grid(False)
        if len(self.matrix) <= _FEW:
            for (i, j), value in np.ndenumerate(self.matrix):
                color = "white" if abs(value) > 0.6 * largest else DARK
                ax.text(j, i, f"{value:.2g}", ha="center", va="center", fontsize=8, color=color)
            ax.set_xticks(range(len(self.matrix)))
            ax.set_yticks(range(len(self.matrix)))
        ax.figure.colorbar(image, ax=ax)
