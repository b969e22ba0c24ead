"""The null distribution of a test."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._displays.style import BLUE, GRAY, VERMILION, Display, require, tidy


class NullDisplay(Display):
    """The statistic of a test beside its null distribution, with the threshold.

    Parameters
    ----------
    null : array
        The statistic under the hypothesis: of permutations, or simulated.
    statistic : float
        The observed one.
    threshold : float, optional
        Statistics above it are rejected.
    title : str
        The title.
    level : float, default=0.05
        The level of the threshold.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> a = np.random.default_rng(0).normal(size=(40, 1))
    >>> result = mercer.two_sample_test(a[:20], a[20:] + 1, "gaussian()", permutations=99)
    >>> len(mercer.NullDisplay.from_result(result, plot=False).null)
    99
    """

    _size = (6.0, 3.8)

    def __init__(
        self, null: Any, statistic: float, threshold: float | None = None, *, title: str = "", level: float = 0.05
    ) -> None:
        self.null, self.statistic, self.threshold = np.asarray(null, dtype=float), statistic, threshold
        self.title, self.level = title, level

    @classmethod
    def from_result(cls, result: Any, *, ax: Any = None, plot: bool = True) -> NullDisplay:
        """Draw the result of a test.

        Parameters
        ----------
        result : TestResult
            The result of `two_sample_test` and its kin; one with a null sample (permutations, spectral).
        ax, plot : matplotlib axes and bool, optional
            Where to draw, and whether: ``plot=False`` only collects the numbers.

        Returns
        -------
        The display.
        """
        null = getattr(result, "null", None)
        require(
            null is not None and len(null) > 1,
            f"the method {getattr(result, 'method', '?')!r} has no sample of the null distribution: use permutations",
        )
        decision = "rejected" if result.reject else "not rejected"
        title = f"{result.test}: {decision} (p = {result.p_value:.3g})"
        display = cls(null, result.statistic, result.threshold, title=title, level=result.level)
        return display.plot(ax) if plot else display

    def _draw(self, ax: Any) -> None:
        tidy(ax, self.title, "statistic", "permutations")
        low, high = min(self.null.min(), self.statistic), max(self.null.max(), self.statistic)
        bins = np.linspace(low, high, 41) if high > low else 10
        ax.hist(self.null, bins, color=BLUE, alpha=0.7, label="null distribution")
        if self.threshold is not None:
            label = f"threshold at level {self.level:g}"
            ax.axvline(self.threshold, color=GRAY, linestyle="--", linewidth=1.5, label=label)
        ax.axvline(self.statistic, color=VERMILION, linewidth=2, label=f"observed {self.statistic:.3g}")
        self._legend(ax)
