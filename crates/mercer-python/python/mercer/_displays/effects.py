"""The parts of an additive model."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._displays.evidence import evidence_of
from mercer._displays.style import BLUE, DARK, SIGNED, SKY, Display, column_names, dots, require, shorter, tidy


class EffectsDisplay(Display):
    """The parts of an additive model with their bands and partial residuals, a panel per part.

    A partial residual is the part at a row plus what the whole model leaves there: a curve that misses its cloud is a
    part that is too smooth. Parts of two columns are maps; parts of more are named with their shares only.

    Parameters
    ----------
    effects : list of PartialEffect
        The parts.
    points : array of shape (n_samples, n_features)
        The data.
    residuals : array of shape (n_samples,) or None
        What the model leaves.
    names : list of str
        The columns.

    Attributes
    ----------
    axes_ : array of axes
        A panel per part.
    ax_, figure_
        The first of them, and the figure.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> X = np.random.default_rng(0).uniform(size=(60, 2))
    >>> model = mercer.KernelRidge(0.1, kernel="on([0], gaussian()) + on([1], gaussian())").fit(X, X[:, 0])
    >>> len(mercer.EffectsDisplay.from_estimator(model, plot=False).effects)
    2
    """

    def __init__(self, effects: list[Any], points: Any, residuals: Any = None, *, names: list[str]) -> None:
        self.effects, self.points, self.residuals, self.names = effects, points, residuals, names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        resolution: int = 60,
        residuals: bool = True,
        ax: Any = None,
        plot: bool = True,
    ) -> EffectsDisplay:
        """Draw the parts of a fitted additive model.

        Parameters
        ----------
        estimator : KernelRidge, KernelRidgeCV or GaussianProcessRegressor
            A fitted model whose kernel is a sum.
        X : array, optional
            The data of the fit, for the names of its columns.
        resolution : int, default=60
            Points along every column.
        residuals : bool, default=True
            Whether partial residuals are drawn.
        ax, plot : matplotlib axes and bool, optional
            Where to draw, and whether: ``plot=False`` only collects the numbers.

        Returns
        -------
        The display.
        """
        require(
            hasattr(estimator, "partial_effects"), f"{type(estimator).__name__} has no parts: expected a KernelRidge"
        )
        found = evidence_of(estimator)
        require(found.points is not None, "effects of columns need points that are vectors")
        effects = [effect for effect in estimator.partial_effects(resolution) if effect.columns]
        require(bool(effects), "the kernel has no part that depends on a column")
        names = column_names(estimator, X, found.points.shape[1])
        left = found.residuals if residuals else None
        units = getattr(estimator, "_units", None)
        left = left if left is None or units is None else left / float(np.ravel(units[1])[0])
        display = cls(effects, found.points, left, names=names)
        return display.plot(ax) if plot else display

    def _axes(self, ax: Any) -> list[Any]:
        return self._several(ax, len(self.effects), 3)

    def _draw(self, axes: list[Any]) -> None:
        for panel, effect in zip(axes, self.effects, strict=True):
            share = f"{100 * effect.variance_share:.0f} % of the variance"
            names = [self.names[c] for c in effect.columns]
            if effect.axes is None or effect.values is None:
                tidy(panel, ", ".join(map(shorter, names)) + f"\n{share}")
                panel.set_axis_off()
                panel.text(0.5, 0.5, "depends on more than\ntwo columns", ha="center", va="center", fontsize=9)
            elif len(effect.columns) == 1:
                self._curve(panel, effect, names[0], share)
            else:
                self._map(panel, effect, names, share)

    def _curve(self, ax: Any, effect: Any, name: str, share: str) -> None:
        tidy(ax, f"{shorter(name)}\n{share}", shorter(name), "effect")
        x, values, errors = effect.axes[0], np.ravel(effect.values), effect.standard_errors
        if self.residuals is not None:
            at = self.points[:, effect.columns[0]]
            ax.scatter(at, effect.at_data + self.residuals, color=DARK, **dots(len(at), alpha=0.35, s=8))
        if errors is not None:
            wide = 2 * np.ravel(errors)
            ax.fill_between(x, values - wide, values + wide, color=SKY, alpha=0.4, linewidth=0)
        ax.plot(x, values, color=BLUE, linewidth=2)

    def _map(self, ax: Any, effect: Any, names: list[str], share: str) -> None:
        x, y = effect.axes
        largest = np.abs(effect.values).max() or 1.0
        mesh = ax.pcolormesh(x, y, np.asarray(effect.values).T, cmap=SIGNED, vmin=-largest, vmax=largest)
        tidy(ax, f"{' × '.join(map(shorter, names))}\n{share}", shorter(names[0]), shorter(names[1]))
        ax.grid(False)
        ax.figure.colorbar(mesh, ax=ax, label="effect")
