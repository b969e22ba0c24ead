"""The weights of several kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer._displays.style import BLUE, ORANGE, Display, readable, require, tidy


class KernelWeightsDisplay(Display):
    """The weight of every kernel of a learned sum, and its share of ``‖f‖²``, the first kernel on top.

    Parameters
    ----------
    kernels : list of texts or Kernels
        The kernels.
    weights, shares : array of shape (n_kernels,)
        Their weights, and their shares.
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
    >>> x = np.linspace(-2, 2, 40)[:, None]
    >>> model = mercer.MultipleKernelRegressor(["linear()", "gaussian(lengthscale=0.1)"], alpha=0.1).fit(x, 3 * x[:, 0])
    >>> mercer.KernelWeightsDisplay.from_estimator(model, plot=False).kernels
    ['linear()', 'gaussian(lengthscale=0.1)']
    """

    def __init__(self, kernels: Any, weights: Any, shares: Any, *, title: str = "") -> None:
        self.kernels = [str(kernel) for kernel in kernels]
        self.weights, self.shares, self.title = np.asarray(weights), np.asarray(shares), title

    @property
    def _size(self) -> tuple[float, float]:
        return 6.0, 1.6 + 0.35 * len(self.kernels)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, plot: bool = True) -> KernelWeightsDisplay:
        """Draw the weights of a fitted estimator of several kernels.

        Parameters
        ----------
        estimator : MultipleKernelRegressor, MultipleKernelClassifier or MultipleKernelOneClass
            The fitted estimator.
        ax, plot : matplotlib axes and bool, optional
            Where to draw, and whether: ``plot=False`` only collects the numbers.

        Returns
        -------
        The display.
        """
        check_is_fitted(estimator)
        name = type(estimator).__name__
        require(hasattr(estimator, "shares_"), f"{name} has no weights of kernels")
        kernels = estimator._kernel_list() if estimator.kernels is None else estimator.kernels
        display = cls(kernels, estimator.weights_, estimator.shares_, title=name)
        return display.plot(ax) if plot else display

    def _draw(self, ax: Any) -> None:
        places = np.arange(len(self.kernels))[::-1]
        tidy(ax, self.title, "weight, and share of the squared norm", "")
        ax.barh(places + 0.18, self.weights, 0.34, color=BLUE, label="weight")
        ax.barh(places - 0.18, self.shares, 0.34, color=ORANGE, label="share of ‖f‖²")
        ax.set_yticks(places, [readable(kernel, 40) for kernel in self.kernels])
        self._legend(ax)
