"""Pictures of views, as methods."""

from __future__ import annotations

from typing import Any

from sklearn.utils.metaestimators import available_if


def _has_eigenvalues(self: Any) -> bool:
    return "eigenvalues_" in self._fact_names


class Pictured:
    """A view with pictures of its coordinates and its eigenvalues."""

    def plot(self, X: Any = None, y: Any = None, *, components: tuple[int, int] = (0, 1), ax: Any = None) -> Any:
        """Draw points in two coordinates of the view: `EmbeddingDisplay`.

        Parameters
        ----------
        X : array, or objects of the kernel's kind, optional
            The points; those of the fit by default, where the view holds them. Of several views a list with a sample
            for each.
        y : array, optional
            Classes or numbers that give the colors; the clusters by default, where there are some.
        components : tuple of int, default=(0, 1)
            Which two coordinates; of canonical variates the first names the pair that is drawn.
        ax : matplotlib axes, optional
            Where to draw; new axes by default.

        Returns
        -------
        The display, whose ``figure_`` can be saved.
        """
        from mercer._displays.embedding import EmbeddingDisplay

        return EmbeddingDisplay.from_estimator(self, X, y, components=components, ax=ax)

    @available_if(_has_eigenvalues)
    def plot_scree(self, *, ax: Any = None) -> Any:
        """Draw the eigenvalues and their shares: `SpectrumDisplay`.

        Parameters
        ----------
        ax : matplotlib axes or two of them, optional
            Where to draw; new axes by default.

        Returns
        -------
        The display, whose ``figure_`` can be saved.
        """
        from mercer._displays.spectrum import SpectrumDisplay

        return SpectrumDisplay.from_estimator(self, ax=ax)
