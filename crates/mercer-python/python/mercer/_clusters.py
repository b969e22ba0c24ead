"""Kernel k-means and spectral clustering."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NearestNeighbors, kneighbors_graph
from sklearn.utils.metaestimators import available_if

from mercer._dask import is_dask, lazy
from mercer._documents import HOW, filled
from mercer._learner import LearnerEstimator
from mercer._mercer import AnyFit
from mercer._parameters import NAMES, KernelNames, check_choice, check_count, parameters
from mercer._pictures import Pictured
from mercer._precision import KeepsPrecision, like, precision_of
from mercer._streamed_views import StreamedView


@parameters
class _Clusters(Pictured, ClusterMixin, KernelNames, LearnerEstimator):
    """A clustering of points, with clusters of new ones."""

    n_clusters: Any = 8
    _: KW_ONLY
    kernel: Any = "rbf"
    n_init: int = 10
    max_iter: int = 300
    init: str = "k-means++"
    n_landmarks: int | None = None

    _takes_sparse = True
    _setting_names: ClassVar[dict[str, str]] = {
        "n_clusters": "clusters",
        "n_init": "starts",
        "max_iter": "max_iterations",
        "init": "init",
        "n_landmarks": "landmarks",
    }

    def _settings(self) -> dict[str, Any]:
        if self.n_clusters != "auto":
            check_count("n_clusters", self.n_clusters, 1, " or 'auto'")
        check_count("n_init", self.n_init, 1)
        check_count("max_iter", self.max_iter, 1)
        check_choice("init", self.init, "k-means++", "random")
        clusters = None if self.n_clusters == "auto" else self.n_clusters
        return {**super()._settings(), "clusters": clusters}

    def _adopt(self, fit: AnyFit) -> None:
        super()._adopt(fit)
        self.labels_ = self.labels_.astype(np.int32)

    def predict(self, X: Any) -> np.ndarray:
        """Return the clusters of points: those whose means or centers are nearest.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernel's kind
            Points; for ``kernel="precomputed"`` their kernel values with the points of the fit.

        Returns
        -------
        An array of shape (n_samples,).
        """
        self._check_fitted()
        return self._fit.predict(self._new_points(X), **self._options())[:, 0].astype(np.int32)

    @classmethod
    def _of_settings(cls, settings: dict[str, Any]) -> Any:
        return super()._of_settings({"clusters": "auto", **settings})


@filled(names=NAMES, HOW=HOW)
@parameters
class KernelKMeans(KeepsPrecision, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Clusters, StreamedView):
    """Kernel k-means: clusters with the smallest squared distances from their means in the space of the kernel.

    Lloyd's steps, then moves of single points until none improves; any kernel, points of any kind, weights.

    Dask arrays and data frames are fitted through ``n_landmarks`` Nyström features: the first means are found in a
    sample of the rows, and every pass over the partitions is one of Lloyd's steps. ``predict`` and ``transform`` of a
    Dask collection are Dask collections; there are no ``labels_``. The bytes of the fit are those of
    ``solver="streamed"`` on the same rows in memory.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Clusters; chosen by the eigengap of the normalized kernel matrix with ``"auto"``.
    kernel : text, Kernel, name or callable, default="rbf"
        A text or a `mercer.Kernel`, on points of any kind; one of scikit-learn's names; ``"precomputed"``; or a
        function of two matrices.
    gamma : {"scale", "auto"} or float, default="scale"
        For the names: ``1/(n_features·Var X)``, ``1/n_features``, or the number itself.
    {names}
    n_init : int, default=10
        Starts from different first means.
    max_iter : int, default=300
        Lloyd's steps and passes of single moves of every start.
    init : {"k-means++", "random"}, default="k-means++"
        How the first means are chosen.
    n_landmarks : int, optional
        An approximation on this many landmarks; by default only where memory is short, and 500 of them for
        ``solver="streamed"``.
    solver : {"auto", "streamed"}, default="auto"
        By size and memory; or through landmarks that are chosen in 10 000 rows (10 for each where that is more), with
        one of Lloyd's steps for every pass over the rows, which is how Dask collections are fitted.
    random_state : int, RandomState instance or None, default=None
        The seed of the starts.
    {HOW}

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
        The cluster of every point, numbered by first appearance; not for Dask collections.
    objective_ : float
        The sum of squared distances from the means, not divided.
    n_clusters_ : int
        Clusters.
    n_iter_ : int
        Iterations of the best start.
    converged_ : bool
        Whether no move of one point improves the objective.
    kernel_ : Kernel
        The kernel, with medians and names resolved.
    plan_ : str
        What was run.

    Examples
    --------
    >>> from mercer import KernelKMeans
    >>> clusters = KernelKMeans(2, kernel="linear()", random_state=0).fit([[0.0], [2.0], [10.0], [12.0]])
    >>> clusters.labels_, round(clusters.objective_, 12)  # four squared distances of 1
    (array([0, 0, 1, 1], dtype=int32), 4.0)
    """

    _learner = "kmeans"
    _streamed_learner = "streamed_kmeans"
    _fact_names: ClassVar[dict[str, str]] = {
        "labels_": "labels",
        "objective_": "objective",
        "n_clusters_": "clusters",
        "n_iter_": "iterations",
        "converged_": "converged",
        "plan_": "plan",
    }

    _: KW_ONLY
    gamma: Any = "scale"
    solver: str = "auto"

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_

    def _settings(self) -> dict[str, Any]:
        check_choice("solver", self.solver, "auto", "streamed")
        return {**super()._settings(), "indefinite": self.kernel == "sigmoid"}

    def _streamed_settings(self) -> dict[str, Any]:
        names = ("clusters", "starts", "init")
        settings = self._settings()
        return {name: settings[name] for name in names} | {"max_passes": self.max_iter}

    def _fit_streamed(self, X: Any, sample_weight: Any) -> KernelKMeans:
        """Find the clusters through features."""
        self._settings()
        if sample_weight is not None and not is_dask(X):
            sample_weight = self._read_weights(sample_weight, X)
        self.__dict__.pop("labels_", None)
        self._adopt(self._learn_streamed(X, sample_weight))
        if not is_dask(X):
            self.labels_ = self.predict(X)
        return self

    def _adopt(self, fit: AnyFit) -> None:
        if fit.kind != self._streamed_learner:
            super()._adopt(fit)
            return
        self._fit, self.kernel_ = fit, fit.kernel
        self.objective_, self.n_clusters_ = fit.fact("objective"), fit.fact("clusters")
        self.n_iter_, self.converged_ = fit.fact("passes"), fit.fact("converged")
        self.plan_ = f"{self.n_iter_} passes over {fit.fact('feature_count')} {fit.fact('features')} features"

    @classmethod
    def _of_settings(cls, settings: dict[str, Any]) -> Any:
        if "feature_count" not in settings:
            return super()._of_settings(settings)
        count, passes = int(settings["feature_count"]), int(settings["max_passes"])
        model = super()._of_settings({name: value for name, value in settings.items() if name != "landmarks"})
        return model.set_params(solver="streamed", n_landmarks=count, max_iter=passes)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KernelKMeans:
        """Find the clusters.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernel's kind
            Points, or for ``kernel="precomputed"`` the matrix of kernel values.
        y : None
            Not used.
        sample_weight : array of shape (n_samples,), optional
            Weights of the points.

        Returns
        -------
        The fitted estimator.
        """
        if is_dask(X, sample_weight) or self.solver == "streamed":
            return self._fit_streamed(X, sample_weight)
        X = self._read_points(X)
        weights = self._read_weights(sample_weight, X)
        try:
            fit = self._learn(X, sample_weight=weights)
        except ValueError:
            fit = self._learn_fewer(X, weights)
        self._adopt(fit)
        return self

    def _learn_fewer(self, X: Any, weights: np.ndarray | None) -> AnyFit:
        """Find a cluster per distinct point, where there are fewer than clusters; raise again where there are not."""
        counted = X if weights is None or not isinstance(X, np.ndarray) else X[weights > 0]
        distinct = len(np.unique(counted, axis=0)) if isinstance(X, np.ndarray) else X.shape[0]
        wanted = self.n_clusters if isinstance(self.n_clusters, Integral) else 0
        if self.kernel == "precomputed" or not 0 < distinct < wanted:
            return self._learn(X, sample_weight=weights)
        warnings.warn(
            f"Number of distinct points ({distinct}) smaller than n_clusters ({self.n_clusters}): a cluster for each.",
            ConvergenceWarning,
            stacklevel=3,
        )
        fewer = clone(self).set_params(n_clusters=distinct)
        fewer.__dict__.update({name: value for name, value in vars(self).items() if name.endswith("_in_")})
        return fewer._learn(X, sample_weight=weights)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Find the clusters and return them.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernel's kind
            Points.
        y : None
            Not used.
        sample_weight : array of shape (n_samples,), optional
            Weights of the points.

        Returns
        -------
        An array of shape (n_samples,).
        """
        fitted = self.fit(X, sample_weight=sample_weight)
        return fitted.predict(X) if is_dask(X) else fitted.labels_

    def predict(self, X: Any) -> np.ndarray:
        """Return the clusters of points: those whose means are nearest.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), objects of the kernel's kind, or Dask array or data frame
            Points; for ``kernel="precomputed"`` their kernel values with the points of the fit.

        Returns
        -------
        An array of shape (n_samples,); of a Dask collection a Dask array or series, which is computed when needed.
        """
        if is_dask(X):
            self._check_fitted()
            return lazy(self, "predict", X, None, np.int32)
        return super().predict(X)

    def transform(self, X: Any) -> np.ndarray:
        """Return the distances of points from the means of the clusters, in the space of the kernel.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernel's kind
            Points.

        Returns
        -------
        An array of shape (n_samples, n_clusters).
        """
        self._check_fitted()
        if is_dask(X):
            return lazy(self, "transform", X, self._n_features_out, precision_of(X))
        return like(X, self._fit.transform(self._new_points(X), **self._options()))


@filled(names=NAMES, HOW=HOW)
@parameters
class SpectralClustering(_Clusters):
    """Spectral clustering: k-means on the leading eigenvectors of the normalized kernel matrix.

    Drop-in replacement for scikit-learn's class of the same name, for points of any kind. New points have clusters too,
    except with graphs of nearest neighbors.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Clusters; chosen by the eigengap with ``"auto"``.
    kernel : text, Kernel, name or callable, default="rbf"
        A kernel without negative values: a text or a `mercer.Kernel`, on points of any kind; one of scikit-learn's
        names; ``"precomputed"`` for a matrix of affinities; or a function of two matrices.
    gamma : {"scale", "auto"} or float, default=1.0
        For the names: ``1/(n_features·Var X)``, ``1/n_features``, or the number itself.
    {names}
    affinity : str or callable, optional
        scikit-learn's name of ``kernel``, which it replaces where it is given; also ``"nearest_neighbors"``, and
        ``"precomputed_nearest_neighbors"`` for a sparse matrix of distances between neighbors.
    n_neighbors : int, default=10
        Neighbors of these graphs.
    n_components : int, optional
        Eigenvectors; as many as clusters by default. With another number there are no clusters of new points.
    assign_labels : {"kmeans", "discretize", "cluster_qr"}, default="kmeans"
        Accepted for scikit-learn's sake: labels are those of k-means.
    eigen_solver, eigen_tol
        Not used: eigenvectors are computed to rounding.
    n_init : int, default=10
        Starts of k-means from different first means.
    max_iter : int, default=300
        Iterations of every start.
    init : {"k-means++", "random"}, default="k-means++"
        How the first means are chosen.
    n_landmarks : int, optional
        An approximation on this many landmarks; by default only where memory is short.
    random_state : int, RandomState instance or None, default=None
        The seed of the starts.
    {HOW}

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
        The cluster of every point, numbered by first appearance.
    eigenvalues_ : array
        The smallest eigenvalues of the symmetric normalized Laplacian, ascending.
    embedding_ : array
        The coordinates in which k-means works.
    n_clusters_ : int
        Clusters.
    n_iter_ : int
        Iterations of the best start of k-means.
    kernel_ : Kernel
        The kernel, with medians and names resolved.
    plan_ : str
        What was run.

    Examples
    --------
    >>> from mercer import SpectralClustering
    >>> points = [[0.0], [0.5], [9.0], [9.5]]
    >>> SpectralClustering(2, kernel="gaussian(lengthscale=1)", random_state=0).fit(points).labels_
    array([0, 0, 1, 1], dtype=int32)
    """

    _learner = "spectral"
    _fact_names: ClassVar[dict[str, str]] = {
        "labels_": "labels",
        "eigenvalues_": "eigenvalues",
        "embedding_": "embedding",
        "n_clusters_": "clusters",
        "n_iter_": "iterations",
        "plan_": "plan",
    }

    _: KW_ONLY
    gamma: Any = 1.0
    affinity: Any = None
    n_neighbors: int = 10
    n_components: int | None = None
    assign_labels: str = "kmeans"
    eigen_solver: Any = None
    eigen_tol: Any = "auto"

    def fit(self, X: Any, y: Any = None) -> SpectralClustering:
        """Find the clusters.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernel's kind
            Points, or for ``kernel="precomputed"`` the matrix of affinities.
        y : None
            Not used.

        Returns
        -------
        The fitted estimator.
        """
        self.__dict__.pop("_inner", None)
        check_choice("assign_labels", self.assign_labels, "kmeans", "discretize", "cluster_qr")
        if self.affinity is None and self.n_components in (None, self.n_clusters):
            self._adopt(self._learn(self._read_points(X)))
            return self
        return self._fit_inner(X)

    def _fit_inner(self, X: Any) -> SpectralClustering:
        """Fit one with a kernel of this affinity, and take it over."""
        kernel = self.kernel if self.affinity is None else self.affinity
        values, graph = _affinities(kernel, X, self.n_neighbors)
        given = {name: value for name, value in self.get_params(deep=False).items() if name not in _NAMES_ONLY}
        inner = SpectralClustering(**{**given, "kernel": "precomputed" if graph else kernel})
        other = self.n_components not in (None, self.n_clusters)
        if other:
            check_count("n_components", self.n_components, 1)
            inner.set_params(n_clusters=self.n_components)
        inner.fit(values)
        known = {name: value for name, value in vars(inner).items() if name.endswith("_") or name.startswith("_")}
        self.__dict__.update(known)
        self._inner = None if graph or other else inner
        if graph:
            self.n_features_in_ = np.shape(X)[1]
        if other:
            means = KernelKMeans(self.n_clusters, kernel="linear", n_init=self.n_init, random_state=self.random_state)
            # Coordinates that differ by rounding are those of one point.
            self.labels_ = means.fit(np.round(self.embedding_, 12)).labels_
            self.n_clusters_, self.n_iter_ = means.n_clusters_, means.n_iter_
        return self

    def _has_new_points(self) -> bool:
        graph = self.affinity in ("nearest_neighbors", "precomputed_nearest_neighbors")
        if graph or self.n_components not in (None, self.n_clusters):
            raise AttributeError(
                "a graph of neighbors, or another number of eigenvectors, has no clusters of new points"
            )
        return True

    @available_if(_has_new_points)
    def predict(self, X: Any) -> np.ndarray:
        """Return the clusters of points: those whose centers are nearest.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernel's kind
            Points; for ``kernel="precomputed"`` their affinities with the points of the fit.

        Returns
        -------
        An array of shape (n_samples,).
        """
        self._check_fitted()
        return super().predict(X) if "_inner" not in self.__dict__ else self._inner.predict(X)

    def _saved(self) -> tuple[AnyFit, dict[str, Any]]:
        if "_inner" not in self.__dict__:
            return super()._saved()
        if self._inner is None:
            raise ValueError("a graph of neighbors, or another number of eigenvectors, has no model file")
        return self._inner._saved()

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """Find the clusters and return them.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernel's kind
            Points.
        y : None
            Not used.

        Returns
        -------
        An array of shape (n_samples,).
        """
        return self.fit(X).labels_


#: Parameters that stand for others.
_NAMES_ONLY = ("kernel", "affinity", "n_neighbors", "n_components")


def _affinities(kernel: Any, X: Any, n_neighbors: int) -> tuple[Any, bool]:
    """Return what is fitted: points, a matrix of affinities, or the graph of nearest neighbors, symmetric."""
    if kernel == "nearest_neighbors":
        graph = kneighbors_graph(X, n_neighbors=n_neighbors, include_self=True)
    elif kernel == "precomputed_nearest_neighbors":
        finder = NearestNeighbors(n_neighbors=n_neighbors, metric="precomputed").fit(X)
        graph = finder.kneighbors_graph(X, mode="connectivity")
    else:
        dense = X.toarray() if kernel == "precomputed" and hasattr(X, "toarray") else X
        return dense, False
    graph = 0.5 * (graph + graph.T)
    if connected_components(graph, directed=False, return_labels=False) > 1:
        message = "the graph of nearest neighbors is not fully connected: raise n_neighbors, or expect split clusters"
        warnings.warn(message, UserWarning, stacklevel=4)
    return graph.toarray(), True
