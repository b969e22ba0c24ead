"""Unmixed signals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer._displays.embedding import _coordinates, _own_points
from mercer._displays.style import MANY, PALETTE, Display, require, tidy

#: Signals that are drawn by default.
_MOST = 8


class SignalsDisplay(Display):
    """The components of an independent component analysis as signals over the rows, one under the other.

    Every signal is centered and divided by its standard deviation: the order, the signs and the scales of independent
    components are not determined.

    Parameters
    ----------
    signals : array of shape (n_samples, n_signals)
        The values, a column per signal.
    names : list of str
        Their names.
    title : str
        The title.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> X = np.random.default_rng(0).uniform(size=(100, 2))
    >>> model = mercer.KernelICA(random_state=0).fit(X)
    >>> mercer.SignalsDisplay.from_estimator(model, X, plot=False).names
    ['component 1', 'component 2']
    """

    #: Standard deviations between two signals.
    _step = 5.0

    def __init__(self, signals: Any, names: list[str], *, title: str = "") -> None:
        values = np.asarray(signals, dtype=float)
        require(values.ndim == 2 and values.size > 0, "signals: expected an array with a column per signal")
        require(len(names) == values.shape[1], f"names: expected {values.shape[1]}, found {len(names)}")
        spread = values.std(axis=0)
        self.signals = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        self.names, self.title = names, title

    @property
    def _size(self) -> tuple[float, float]:
        return 7.0, 1.2 + 0.9 * len(self.names)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        components: Sequence[int] | None = None,
        ax: Any = None,
        plot: bool = True,
    ) -> SignalsDisplay:
        """Draw the components of a fitted `KernelICA`, or of any transformer.

        Parameters
        ----------
        estimator : KernelICA or transformer
            The fitted estimator.
        X : array, optional
            The mixed signals, a row per time; those of the fit by default, where the estimator holds them.
        components : sequence of int, optional
            Which components, counted from 0; the first eight by default.
        ax, plot : matplotlib axes and bool, optional
            Where to draw, and whether: ``plot=False`` only collects the numbers.

        Returns
        -------
        The display.
        """
        check_is_fitted(estimator)
        title = type(estimator).__name__
        found = _coordinates(estimator, _own_points(estimator) if X is None else X)
        chosen = list(range(min(found.shape[1], _MOST)) if components is None else components)
        valid = bool(chosen) and all(0 <= c < found.shape[1] for c in chosen)
        require(valid, f"components: {title} has {found.shape[1]}, counted from 0")
        display = cls(found[:, chosen], [f"component {c + 1}" for c in chosen], title=title)
        return display.plot(ax) if plot else display

    def _draw(self, ax: Any) -> None:
        tidy(ax, self.title, "row", "")
        count = len(self.names)
        shifts = -self._step * np.arange(count)
        for at in range(count):
            width = 0.7 if len(self.signals) > MANY else 1.1
            ax.plot(self.signals[:, at] + shifts[at], color=PALETTE[at % 6], linewidth=width)
        ax.set_yticks(shifts, self.names)
        ax.grid(False, axis="y")
        ax.margins(x=0.01)
