"""What a hypothesis test gives back."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from typing import ClassVar

import numpy as np


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TestResult:
    """The outcome of a test: the decision and all that it rests on.

    Attributes
    ----------
    statistic, p_value : float
        The observed statistic; the p-value of a permutation test is never 0.
    reject : bool
        Whether the hypothesis is rejected: ``p_value <= level``.
    level : float
        The level of the decision.
    method : str
        How the p-value was found.
    n_permutations, permutations : int
        The number of permutations besides the observed labeling (two names of one number); 0 for other null
        distributions.
    null : array or None
        The statistic under the permutations, or simulated from its null distribution.
    seed : int
        The seed of the permutations.
    kernel : str
        The kernel or kernels with the parameters that were used.
    details : dict of str to float
        Further numbers; ``effect`` is the statistic in units of the spread of its null distribution.
    threshold : float or None
        Statistics above it are rejected at the level.
    p_interval : (float, float) or None
        Holds the p-value of all permutations with 99 % confidence, where they were drawn at random.
    exact, stopped_early : bool
        Whether all permutations were evaluated; whether drawing stopped because rejection had become impossible.
    remark : str or None
        What to know beside the numbers, also given as a warning: every permutation has the same statistic, as the
        kernel does not distinguish the points of a sample.
    test, hypothesis : str
        The name of the test, and what it tests.

    Examples
    --------
    >>> import mercer
    >>> result = mercer.two_sample_test([0.1, 0.2, 0.3], [5.1, 5.2, 5.3], "gaussian()", method="exact")
    >>> result.p_value, result.reject, result.exact
    (0.1, False, True)
    """

    # The name begins like that of a test class, which it is not.
    __test__: ClassVar[bool] = False

    test: str
    hypothesis: str
    statistic: float
    p_value: float
    reject: bool
    level: float
    method: str
    n_permutations: int
    null: np.ndarray | None = field(default=None)
    seed: int = 0
    kernel: str = ""
    details: dict[str, float] = field(default_factory=dict)
    threshold: float | None = None
    p_interval: tuple[float, float] | None = None
    exact: bool = False
    stopped_early: bool = False
    remark: str | None = None

    def __post_init__(self) -> None:
        """Warn of a test that cannot reject."""
        if self.remark:
            warnings.warn(self.remark, stacklevel=4)

    @property
    def permutations(self) -> int:
        """The same number as ``n_permutations``."""
        return self.n_permutations

    @property
    def effect(self) -> float | None:
        """The statistic in units of the spread of its null distribution, from its mean, or None."""
        return self.details.get("effect")

    def _headline(self) -> str:
        decision = "rejected" if self.reject else "not rejected"
        return f"{self.test}: {decision} at level {self.level:g} (p = {self.p_value:.4g})"

    def _rows(self) -> Iterator[tuple[str, str]]:
        yield "hypothesis", self.hypothesis
        yield "statistic", f"{self.statistic:.6g}"
        if self.threshold is not None:
            yield "threshold", f"{self.threshold:.6g}"
        if self.effect is not None:
            yield "effect", f"{self.effect:.3g} standard deviations above the mean of the null distribution"
        if self.p_interval is not None:
            low, high = self.p_interval
            yield "p-value", f"{self.p_value:.4g}, exact p-value within [{low:.3g}, {high:.3g}] (99 %)"
        yield "method", self._how()
        if self.kernel:
            yield "kernel", self.kernel if len(self.kernel) <= 100 else f"{self.kernel[:99]}…"

    def _how(self) -> str:
        if not self.n_permutations:
            return self.method
        kind = "all" if self.exact else "random"
        early = ", stopped early" if self.stopped_early else ""
        seed = "" if self.exact else f" (seed {self.seed})"
        return f"{self.method}, {self.n_permutations} {kind} permutations besides the observed labeling{seed}{early}"

    def __str__(self) -> str:
        rows = [f"  {name:<10}  {value}" for name, value in self._rows()]
        return "\n".join([self._headline(), *rows])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(value)}</td></tr>"
            for name, value in self._rows()
        )
        return f"<p><b>{escape(self._headline())}</b></p><table>{rows}</table>{self._histogram()}"

    def _histogram(self, width: int = 420, height: int = 140) -> str:
        """Draw the null sample with the statistic as a small picture."""
        if self.null is None or len(self.null) < 2:
            return ""
        low, high = min(self.null.min(), self.statistic), max(self.null.max(), self.statistic)
        if not high > low:
            return ""
        counts, edges = np.histogram(self.null, bins=40, range=(low, high))

        def position(value: float) -> float:
            return 10 + (width - 20) * (value - low) / (high - low)

        wide, tops = (width - 20) / 40, (height - 40) * counts / counts.max()
        bars = "".join(
            f"<rect x='{position(left):.1f}' y='{height - 20 - tall:.1f}' width='{wide:.1f}' height='{tall:.1f}'/>"
            for left, tall in zip(edges[:-1], tops, strict=True)
        )
        at = position(self.statistic)
        anchor = "end" if at > width / 2 else "start"
        return (
            f"<svg width='{width}' height='{height}' role='img'><g fill='#33638d'>{bars}</g>"
            f"<line x1='{at:.1f}' x2='{at:.1f}' y1='14' y2='{height - 20}' stroke='#c8553d' stroke-width='2'/>"
            f"<text x='{at:.1f}' y='11' font-size='11' text-anchor='{anchor}'>statistic {self.statistic:.4g}</text>"
            f"<text x='10' y='{height - 6}' font-size='11'>{low:.4g}</text>"
            f"<text x='{width - 10}' y='{height - 6}' font-size='11' text-anchor='end'>{high:.4g}</text></svg>"
        )
