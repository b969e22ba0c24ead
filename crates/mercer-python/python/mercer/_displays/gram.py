"""Matrices of kernel values."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._displays.style import SEQUENTIAL, SIGNED, Display, fit_points, readable, require, shorter, tidy
from mercer._kernel_names import symmetric
from mercer._mercer import Kernel
from mercer._tables import rows_of

#: Rows that are drawn; of more, this many evenly spaced ones.
_MOST = 1000
_ORDERS = ("class", "cluster", "spectrum", "given")


class GramDisplay(Display):
    """A Gram matrix as an image, with its rows ordered by class, by cluster or along its leading eigenvector.

    Blocks on the diagonal are groups that the kernel sees; a matrix near the identity has a lengthscale that is too
    short, a constant one has a lengthscale that is too long.

    Parameters
    ----------
    matrix : array of shape (n, n)
        The kernel values, in the order of the picture.
    order : array of shape (n,)
        Which row of the data each row of the picture is.
    groups : list of tuple, optional
        Names and sizes of the blocks.
    title : str
        The title.

    Attributes
    ----------
    ax_, figure_, colorbar_
        Where it was drawn, and the scale of colors.

    Examples
    --------
    >>> import mercer
    >>> display = mercer.GramDisplay.from_kernel("linear()", [[1.0], [3.0], [2.0]], [1, 0, 1], plot=False)
    >>> display.order.tolist(), float(display.matrix[0, 0])
    ([1, 0, 2], 9.0)
    """

    _size = (5.2, 4.4)

    def __init__(
        self, matrix: Any, order: Any, *, groups: list[tuple[str, int]] | None = None, title: str = ""
    ) -> None:
        self.matrix, self.order, self.groups, self.title = np.asarray(matrix), np.asarray(order), groups, title

    @classmethod
    def from_kernel(
        cls,
        kernel: Any,
        X: Any,
        y: Any = None,
        *,
        order: str | None = None,
        n_clusters: int = 3,
        random_state: int = 0,
        ax: Any = None,
        plot: bool = True,
    ) -> GramDisplay:
        """Draw the matrix of a kernel on a sample.

        Parameters
        ----------
        kernel : text or Kernel
            The kernel.
        X : array, or objects of the kernel's kind
            The sample; of more than 1000 rows so many evenly spaced ones.
        y : array, optional
            Classes of the rows.
        order : {"class", "cluster", "spectrum", "given"}, optional
            The order of the rows: by class, by clusters of kernel k-means, along the first principal component, or as
            they come. By default by class where there are classes, and along the component otherwise.
        n_clusters : int, default=3
            Clusters of ``order="cluster"``.
        random_state : int, default=0
            The seed of the clusters.
        ax, plot : matplotlib axes and bool, optional
            Where to draw, and whether: ``plot=False`` only collects the numbers.

        Returns
        -------
        The display.
        """
        kernel = Kernel(kernel)
        rows = _thinned(len(X))
        sample = X if len(rows) == len(X) else rows_of(X, rows)
        display = cls._of(kernel(sample), y, rows, order, n_clusters, random_state)
        display.title = readable(kernel.resolve(sample) if kernel.point_kind in (None, "vectors") else kernel)
        return display.plot(ax) if plot else display

    @classmethod
    def from_matrix(
        cls,
        K: Any,
        y: Any = None,
        *,
        order: str | None = None,
        n_clusters: int = 3,
        random_state: int = 0,
        ax: Any = None,
        plot: bool = True,
    ) -> GramDisplay:
        """Draw a matrix of kernel values.

        Parameters
        ----------
        K : array of shape (n, n)
            The symmetric matrix.
        y, order, n_clusters, random_state, ax, plot
            As in `from_kernel`.

        Returns
        -------
        The display.
        """
        values = symmetric(K)
        rows = _thinned(len(values))
        display = cls._of(values[np.ix_(rows, rows)], y, rows, order, n_clusters, random_state)
        return display.plot(ax) if plot else display

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, y: Any = None, **choices: Any) -> GramDisplay:
        """Draw the matrix of the kernel of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator with ``kernel_``; clusters are ordered by their labels.
        X : array, optional
            The sample; that of the fit where the estimator holds it.
        y : array, optional
            Classes of the rows.
        **choices
            As in `from_kernel`.

        Returns
        -------
        The display.
        """
        found = fit_points(estimator) if X is None else X
        require(found is not None, "X: expected the points of the data, which the estimator does not hold")
        require(isinstance(getattr(estimator, "kernel_", None), Kernel), "the estimator has no kernel of the language")
        labels = getattr(estimator, "labels_", None) if y is None else y
        return cls.from_kernel(estimator.kernel_, found, labels, **choices)

    @classmethod
    def _of(cls, K: np.ndarray, y: Any, rows: np.ndarray, order: str | None, n_clusters: int, seed: int) -> GramDisplay:
        order = ("spectrum" if y is None else "class") if order is None else order
        require(order in _ORDERS, f"order = {order!r} is not allowed: it must be one of {', '.join(_ORDERS)}")
        require(order != "class" or y is not None, "order = 'class' needs y")
        labels = np.asarray(y)[rows] if order == "class" else None
        if order == "cluster":
            from mercer._clusters import KernelKMeans

            labels = KernelKMeans(n_clusters, kernel="precomputed", random_state=seed).fit(K).labels_
        if order == "given":
            return cls(K, rows)
        first = _first_component(K)
        if labels is None:
            at = np.argsort(first, kind="stable")
            return cls(K[np.ix_(at, at)], rows[at])
        classes, codes = np.unique(labels, return_inverse=True)
        at = np.argsort(codes, kind="stable") if order == "class" else np.lexsort((first, codes))
        word = "" if order == "class" else "cluster "
        sizes = [(f"{word}{name}", int((codes == c).sum())) for c, name in enumerate(classes.tolist())]
        return cls(K[np.ix_(at, at)], rows[at], groups=sizes)

    def _draw(self, ax: Any) -> None:
        largest = float(np.abs(self.matrix).max(initial=0.0)) or 1.0
        negative = self.matrix.min(initial=0.0) < -1e-9 * largest
        limits = (-largest, largest) if negative else (min(0.0, self.matrix.min(initial=0.0)), largest)
        image = ax.imshow(
            self.matrix,
            cmap=SIGNED if negative else SEQUENTIAL,
            vmin=limits[0],
            vmax=limits[1],
            interpolation="nearest",
        )
        tidy(ax, self.title, "row", "row")
        ax.grid(False)
        if self.groups is not None:
            self._blocks(ax)
        self.colorbar_ = ax.figure.colorbar(image, ax=ax, label="k(x, y)")

    def _blocks(self, ax: Any) -> None:
        ends = np.cumsum([size for _, size in self.groups])
        for end in ends[:-1]:
            ax.axhline(end - 0.5, color="white", linewidth=0.9)
            ax.axvline(end - 0.5, color="white", linewidth=0.9)
        if len(self.groups) <= 12:
            middles = [end - size / 2 - 0.5 for end, (_, size) in zip(ends, self.groups, strict=True)]
            names = [shorter(name, 14) for name, _ in self.groups]
            ax.set_yticks(middles, names)
            ax.set_xticks(middles, names, rotation=30, ha="right")
            ax.set(xlabel="", ylabel="")


def _thinned(count: int) -> np.ndarray:
    return np.arange(count) if count <= _MOST else np.linspace(0, count - 1, _MOST).astype(int)


def _first_component(K: np.ndarray) -> np.ndarray:
    """Return the scores on the first principal component; zeros where all rows are equal."""
    from mercer._pca import KernelPCA

    if len(K) < 2:
        return np.zeros(len(K))
    scores = KernelPCA(1, kernel="precomputed").fit_transform(K)
    return scores[:, 0] if scores.shape[1] else np.zeros(len(K))
