"""Eigenvalues of kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._displays.style import BLUE, GRAY, VERMILION, Display, readable, require, tidy
from mercer._mercer import Kernel, Spectrum, repair


class SpectrumDisplay(Display):
    """Eigenvalues on a logarithmic scale, and the share of their sum that the first ones hold.

    Eigenvalues below the broken line are rounding; negative ones are drawn as red crosses by their size. The number of
    components that hold 95 % shows how many features, landmarks or components a method needs.

    Parameters
    ----------
    eigenvalues : array
        Descending.
    total : float, optional
        The sum of all, where these are the first ones only.
    rounding : float, optional
        The size below which eigenvalues are rounding.
    errors : array, optional
        Standard errors.
    title : str
        The title.

    Attributes
    ----------
    axes_ : array of axes
        The eigenvalues, and the shares.
    ax_, figure_
        The first of them, and the figure.

    Examples
    --------
    >>> import mercer
    >>> display = mercer.SpectrumDisplay.from_matrix([[2.0, 1.0], [1.0, 2.0]], plot=False)
    >>> display.eigenvalues.round(12).tolist(), display.needed(0.7)
    ([3.0, 1.0], 1)
    """

    def __init__(
        self,
        eigenvalues: Any,
        *,
        total: float | None = None,
        rounding: float = 0.0,
        errors: Any = None,
        title: str = "",
    ) -> None:
        self.eigenvalues = np.asarray(eigenvalues, dtype=float)
        self.total = float(np.abs(self.eigenvalues).sum()) if total is None else float(total)
        self.rounding, self.errors, self.title = rounding, errors, title

    @classmethod
    def from_matrix(cls, K: Any, *, ax: Any = None, plot: bool = True, title: str = "") -> SpectrumDisplay:
        """Draw the eigenvalues of a symmetric matrix.

        Parameters
        ----------
        K : array of shape (n, n)
            Kernel values.
        ax, plot : matplotlib axes and bool, optional
            Where to draw, and whether: ``plot=False`` only collects the numbers.
        title : str
            The title.

        Returns
        -------
        The display.
        """
        values = np.sort(repair(K).eigenvalues)[::-1]
        rounding = len(values) * np.finfo(float).eps * float(np.abs(values).max(initial=0.0))
        display = cls(values, rounding=rounding, title=title)
        return display.plot(ax) if plot else display

    @classmethod
    def from_kernel(cls, kernel: Any, X: Any, *, ax: Any = None, plot: bool = True) -> SpectrumDisplay:
        """Draw the eigenvalues of the matrix of a kernel on a sample.

        Parameters
        ----------
        kernel : text or Kernel
            The kernel.
        X : array, or objects of the kernel's kind
            The sample.
        ax, plot : matplotlib axes and bool, optional
            Where to draw, and whether: ``plot=False`` only collects the numbers.

        Returns
        -------
        The display.
        """
        kernel = Kernel(kernel)
        return cls.from_matrix(kernel(X), ax=ax, plot=plot, title=readable(kernel, 46))

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, plot: bool = True) -> SpectrumDisplay:
        """Draw the eigenvalues of a `KernelPCA`, `ClassicalScaling`, `SpectralClustering` or `Spectrum`.

        Parameters
        ----------
        estimator : KernelPCA, ClassicalScaling, SpectralClustering or Spectrum
            What has them.
        ax, plot : matplotlib axes and bool, optional
            Where to draw, and whether: ``plot=False`` only collects the numbers.

        Returns
        -------
        The display.
        """
        if isinstance(estimator, Spectrum):
            display = cls(
                estimator.eigenvalues,
                total=estimator.trace,
                errors=estimator.standard_errors,
                title=readable(estimator.kernel, 46),
            )
            return display.plot(ax) if plot else display
        values = getattr(estimator, "eigenvalues_", None)
        require(values is not None, f"{type(estimator).__name__} has no eigenvalues")
        left = getattr(estimator, "reconstruction_error_", None)
        total = None if left is None else float(np.sum(values)) + float(left)
        display = cls(np.sort(values)[::-1], total=total, title=type(estimator).__name__)
        return display.plot(ax) if plot else display

    def needed(self, share: float) -> int:
        """Return how many of the first eigenvalues hold a share of the sum.

        Parameters
        ----------
        share : float
            Between 0 and 1.

        Returns
        -------
        A number of components; one more than there are where all of them hold less.
        """
        return int(np.searchsorted(self._shares(), share * (1 - 1e-12)) + 1)

    def _shares(self) -> np.ndarray:
        return np.cumsum(np.abs(self.eigenvalues)) / (self.total or 1.0)

    def _axes(self, ax: Any) -> list[Any]:
        return self._several(ax, 2, 2, (3.9, 3.4))

    def _draw(self, axes: list[Any]) -> None:
        left, right = axes
        rank = np.arange(1, len(self.eigenvalues) + 1)
        up, down = self.eigenvalues > self.rounding, self.eigenvalues < -max(self.rounding, 0.0)
        tidy(left, self.title or "eigenvalues", "rank", "eigenvalue")
        left.plot(rank[up], self.eigenvalues[up], ".", color=BLUE, markersize=5)
        if self.errors is not None:
            left.errorbar(rank[up], self.eigenvalues[up], 2 * np.asarray(self.errors)[up], fmt="none", ecolor=GRAY)
        if down.any():
            left.plot(rank[down], -self.eigenvalues[down], "x", color=VERMILION, markersize=5, label="negative")
            left.set_title(f"{self.title or 'eigenvalues'}: {int(down.sum())} negative (crosses)", fontsize=11)
        if (up | down).any():
            left.set_yscale("log")
        if self.rounding > 0:
            left.axhline(self.rounding, color=GRAY, linestyle="--", linewidth=0.9)
            left.annotate(
                "rounding",
                (0.98, self.rounding),
                xycoords=("axes fraction", "data"),
                ha="right",
                va="bottom",
                fontsize=8,
                color=GRAY,
            )
        tidy(right, "share of the sum", "components", "share")
        right.plot(rank, self._shares(), color=BLUE, linewidth=2)
        enough = self.needed(0.95)
        if enough <= len(rank):
            right.plot([enough, enough, rank[0]], [0, 0.95, 0.95], color=GRAY, linestyle="--", linewidth=0.9)
            right.set_title(f"95 % in {enough} of {len(rank)}", fontsize=11)
        right.set_ylim(0, 1.03)
