"""Points in the coordinates that a view found."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer._displays.style import BLUE, GRAY, ORANGE, Display, dots, require, scatter, tidy


class EmbeddingDisplay(Display):
    """A scatter of points in two coordinates of a view: components, clusters, canonical variates, scaling.

    Parameters
    ----------
    points : array of shape (n_samples, 2)
        The coordinates.
    labels : array, optional
        Classes or numbers that give the colors.
    names : dict
        Words for ``x``, ``y``, ``title`` and, of numbers, ``labels``.
    others : array of shape (n_samples, 2), optional
        A second set of points in the same coordinates, joined to the first (a coupled embedding).

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> X = np.random.default_rng(0).normal(size=(30, 3))
    >>> pca = mercer.KernelPCA(2, kernel="gaussian()").fit(X)
    >>> mercer.EmbeddingDisplay.from_estimator(pca, X, plot=False).points.shape
    (30, 2)
    """

    _size = (5.2, 4.6)

    def __init__(self, points: Any, labels: Any = None, *, names: dict[str, str], others: Any = None) -> None:
        self.points, self.labels, self.names, self.others = points, labels, names, others

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        components: tuple[int, int] = (0, 1),
        ax: Any = None,
        plot: bool = True,
    ) -> EmbeddingDisplay:
        """Draw the coordinates of a fitted view.

        Parameters
        ----------
        estimator : KernelPCA, KernelKMeans, SpectralClustering, KernelCCA, KernelICA, …
            The fitted view; also `ClassicalScaling`, `CoupledKernelEmbedding` and transformers.
        X : array, optional
            The points. Those of the fit by default, where the view holds their coordinates. For `KernelCCA` a list
            with a sample per view.
        y : array, optional
            Classes or numbers that give the colors; the clusters by default, where there are some.
        components : tuple of int, default=(0, 1)
            Which two coordinates; of `KernelCCA` the first names the pair of variates that is drawn.
        ax, plot : matplotlib axes and bool, optional
            Where to draw, and whether: ``plot=False`` only collects the numbers.

        Returns
        -------
        The display.
        """
        check_is_fitted(estimator)
        display = _display(cls, estimator, X, y, components)
        display.names.setdefault("labels", str(getattr(y, "name", None) or "y"))
        return display.plot(ax) if plot else display

    def _draw(self, ax: Any) -> None:
        tidy(ax, self.names["title"], self.names["x"], self.names["y"])
        if self.others is not None:
            self._pairs(ax)
        else:
            colors = scatter(ax, *np.asarray(self.points).T, self.labels)
            if colors is not None:
                ax.figure.colorbar(colors, ax=ax, label=self.names.get("labels", "y"))
        self._legend(ax)

    def _pairs(self, ax: Any) -> None:
        first, second = np.asarray(self.points), np.asarray(self.others)
        if len(first) == len(second):
            for a, b in zip(first, second, strict=True):
                ax.plot(*zip(a, b, strict=True), color=GRAY, linewidth=0.5, alpha=0.5, zorder=1)
        ax.scatter(*first.T, color=BLUE, marker="o", label="low", **dots(len(first)))
        ax.scatter(*second.T, color=ORANGE, marker="s", label="high", **dots(len(second)))


def _display(cls: type[EmbeddingDisplay], estimator: Any, X: Any, y: Any, components: tuple[int, int]) -> Any:
    title = type(estimator).__name__
    if X is None:
        X = _own_points(estimator)
    if hasattr(estimator, "correlations_"):
        return _canonical(cls, estimator, X, y, components[0], title)
    if hasattr(estimator, "embedding_low_"):
        names = {**_plain(components), "title": title}
        low, high = (_two(e, components, title) for e in (estimator.embedding_low_, estimator.embedding_high_))
        return cls(low, names=names, others=high)
    if hasattr(estimator, "labels_"):
        return _clusters(cls, estimator, X, y, components, title)
    coordinates = _coordinates(estimator, X)
    names = {**_plain(components), "title": title}
    share = getattr(estimator, "explained_variance_ratio_", None)
    if share is not None:
        for axis, c in zip("xy", components, strict=True):
            names[axis] = f"component {c + 1} ({100 * share[c]:.1f} %)" if c < len(share) else names[axis]
    return cls(_two(coordinates, components, title), y, names=names)


def _own_points(estimator: Any) -> Any:
    """Return the points that a fit holds, where its coordinates have to be computed: a list for several views."""
    fit = getattr(estimator, "_fit", None)
    if fit is None or any(hasattr(estimator, name) for name in ("embedding_", "embedding_low_", "_scores")):
        return None
    if hasattr(estimator, "correlations_"):
        found = [fit.points(view) for view in range(len(estimator.kernels_))]
        return None if any(points is None for points in found) else found
    return fit.points() if hasattr(fit, "points") else None


def _plain(components: tuple[int, int]) -> dict[str, str]:
    return {axis: f"component {c + 1}" for axis, c in zip("xy", components, strict=True)}


def _two(coordinates: np.ndarray, components: tuple[int, int], title: str) -> np.ndarray:
    require(max(components) < coordinates.shape[1], f"components: {title} has {coordinates.shape[1]}, counted from 0")
    return np.asarray(coordinates)[:, list(components)]


def _coordinates(estimator: Any, X: Any) -> np.ndarray:
    if X is not None:
        found = estimator.transform(X)
        return np.asarray(found.toarray() if hasattr(found, "toarray") else found)
    for name in ("embedding_", "_scores"):
        if hasattr(estimator, name):
            return np.asarray(getattr(estimator, name))
    raise ValueError(f"X: {type(estimator).__name__} does not hold the coordinates of its data")


def _clusters(cls: Any, estimator: Any, X: Any, y: Any, components: tuple[int, int], title: str) -> EmbeddingDisplay:
    """Draw clusters in their spectral coordinates, or in the principal components of their kernel."""
    own = X is None or len(X) == len(estimator.labels_)
    labels = (estimator.labels_ if own else estimator.predict(X)) if y is None else y
    labels = np.array([f"cluster {label}" for label in labels]) if y is None else labels
    title = f"{title}: {len(np.unique(labels))} clusters" if y is None else title
    spectral = getattr(estimator, "embedding_", None)
    if own and spectral is not None and spectral.shape[1] > max(components) and len(spectral) == len(labels):
        names = {axis: f"spectral coordinate {c + 1}" for axis, c in zip("xy", components, strict=True)}
        return cls(_two(spectral, components, title), labels, names={**names, "title": title})
    require(X is not None, f"X: {type(estimator).__name__} does not hold the points of its data")
    from mercer._pca import KernelPCA

    pca = KernelPCA(max(components) + 1, kernel=estimator.kernel_).fit(X)
    display = _display(cls, pca, X, labels, components)
    display.names["title"] = title
    return display


def _canonical(cls: Any, estimator: Any, X: Any, y: Any, component: int, title: str) -> EmbeddingDisplay:
    """Draw the variates of two views against each other."""
    require(isinstance(X, (list, tuple)) and len(X) >= 2, "X: expected a list with a sample per view")
    variates = estimator.transform(list(X))
    points = np.column_stack([v[:, component] for v in variates[:2]])
    value = estimator.correlations_[component]
    names = {
        "x": f"variate {component + 1} of the first view",
        "y": f"variate {component + 1} of the second view",
        "title": f"{title}: correlation {value:.3f}",
    }
    return cls(points, y, names=names)
