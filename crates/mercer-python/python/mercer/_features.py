"""Explicit features as transformers: random Fourier, random binning, Nyström, empirical and exact."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
from scipy.sparse import issparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import check_random_state

from mercer._centers import is_single
from mercer._dask import SAMPLE, Partitions, is_dask, lazy
from mercer._documents import HOW, filled
from mercer._kernel_names import object_kernel
from mercer._kernels import KernelEstimator, compiled, is_computed_outside, is_function, symmetric
from mercer._margins import gamma_number
from mercer._mercer import Features, Kernel, Objects, sample_rows
from mercer._parameters import check_count, check_kinds, parameters, refuse
from mercer._streams import sample_size
from mercer._tables import as_frame, validate_data

#: What the parameters mean of transformers that draw nothing.
NAMES = """gamma : {"scale", "auto"} or float, optional
        For the names: ``1/(n_features·Var X)``, ``1/n_features`` (the default), or the number itself.
    coef0, degree : float
        For the names.
    random_state : int, RandomState instance or None, default=None
        Not used."""
#: What the attributes that all transformers share mean.
FITTED = """kernel_ : Kernel
        The kernel, with medians and names of columns resolved."""


@parameters
class FeatureTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    """A transformer whose features are made by the compiled part."""

    _: KW_ONLY
    gamma: Any = None

    #: The name of the learner of a model file, and its settings by the names of parameters.
    _learner: ClassVar[str]
    _setting_names: ClassVar[dict[str, str]] = {}
    #: Whether the features depend on the seed.
    _drawn = True
    #: The numbers of the rows in which medians and landmarks were found, where these were not all.
    _rows: ClassVar[np.ndarray | None] = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X: Any, y: Any = None) -> FeatureTransformer:
        """Make the features for the columns of ``X``.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or Dask array or data frame
            Points: medians and landmarks are taken from a sample of them.
        y : None
            Not used.

        Returns
        -------
        The fitted transformer.
        """
        check_kinds(self)
        self._require_language()
        self._seed, self._rows = seed_of(getattr(self, "random_state", None)), None
        X = self._sample_of_partitions(X) if is_dask(X) else as_frame(X)
        self._dtype = "float32" if is_single(X) else "float64"
        X = self._read_alone(X)
        self._gamma = gamma_number(self._given("gamma", None), X, self.kernel)
        size = self._sampled()
        if not isinstance(X, Objects) and self._rows is None and size is not None and X.shape[0] > size:
            self._rows = sample_rows(X.shape[0], size, random_state=self._seed)
            X = X[self._rows]
        self._sample_size = X.shape[0]
        self._requested = self._compiled_kernel(X.shape[1])
        self._map = self._make(self._requested, X)
        self.kernel_: Kernel = self._map.kernel
        self._n_features_out = self._map.components
        self._describe()
        return self

    def _sampled(self) -> int | None:
        """Return the rows from which features are drawn at most, or None for all."""
        return None

    def _sample_of_partitions(self, X: Any) -> Any:
        """Return rows of a Dask collection, drawn by their numbers in the whole data."""
        if self._given("gamma", None) == "scale":
            refuse("gamma", "scale", "a number for Dask collections, whose variance is not computed")
        size = self._sampled()
        sample, self._rows = Partitions(X=X).sample(SAMPLE if size is None else size, self._seed)
        return sample

    def _in_precision(self, points: Any) -> Any:
        """Return points in the precision of the features; objects as they are."""
        return points.astype(self._dtype) if isinstance(points, np.ndarray) or issparse(points) else points

    def transform(self, X: Any) -> Any:
        """Return the features, one row per point; of single precision for points of single precision.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or Dask array or data frame
            Points.

        Returns
        -------
        An array of shape (n_samples, n_features_out); of a Dask array a Dask array, of a Dask data
        frame a Dask data frame, computed when the values are needed.
        """
        if is_dask(X):
            self._check_fitted()
            return lazy(self, "transform", X, self._n_features_out, np.float32 if is_single(X) else np.float64)
        single = is_single(X)
        points = self._read(X)
        if issparse(points):
            found = self._map.transform(points, **self._how())
            return found.astype(np.float32) if single else found
        return (self._map.transform_single if single else self._map.transform)(points, **self._how())

    def _make(self, kernel: Kernel, X: np.ndarray) -> Features:
        raise NotImplementedError

    def _describe(self) -> None:
        """Take over attributes of the map."""

    def _given(self, name: str, default: Any) -> Any:
        """Return a parameter of the kernel: as it is, from ``kernel_params``, or what it is by default."""
        value = getattr(self, name, None)
        return (getattr(self, "kernel_params", None) or {}).get(name, default) if value is None else value

    def _how(self) -> dict[str, Any]:
        options = {name: getattr(self, name, None) for name in ("n_jobs", "verbose", "max_memory")}
        return {name: value for name, value in options.items() if value is not None} | {"random_state": self._seed}

    def _compiled_kernel(self, n_features: int) -> Kernel:
        degree, coef0 = self._given("degree", 3), self._given("coef0", 1)
        return self._with_columns(compiled(self._given_kernel, n_features, self._gamma, degree, coef0))

    @classmethod
    def _learners(cls) -> tuple[str, ...]:
        """Return the names of the learners whose fits the class takes over."""
        return (cls._learner,)

    @classmethod
    def _of_settings(cls, settings: dict[str, Any]) -> FeatureTransformer:
        """Make the transformer of the settings of a file."""
        given = {name: settings[setting] for name, setting in cls._setting_names.items() if setting in settings}
        given = {name: int(value) if name.startswith("n_") else value for name, value in given.items()}
        if "seed" in settings:
            given["random_state"] = int(settings["seed"])
        return cls(settings["kernel"], **given)

    def _saved(self) -> tuple[Any, dict[str, Any]]:
        """Return what a model file holds, and what beside it makes the transformer."""
        settings = {setting: self._setting(name) for name, setting in self._setting_names.items()}
        if self._drawn:
            settings["seed"] = str(self._seed)
        rows = None if self._rows is None else np.asarray(self._rows).tolist()
        state = {"dtype": self._dtype, "seed": self._seed, "sample_size": int(self._sample_size), "rows": rows}
        return self._map.to_fit(self._learner, {"kernel": self._requested, **settings}), state

    def _setting(self, name: str) -> Any:
        """Return a parameter as a setting of the learner."""
        return getattr(self, name)

    def _restore(self, fit: Any, state: dict[str, Any]) -> None:
        """Become the fit of a model file."""
        rows, self._requested = state.get("rows"), Kernel(fit.settings["kernel"])
        self._seed, self._dtype = state.get("seed", seed_of(self.random_state)), state.get("dtype", "float64")
        self._rows = None if rows is None else np.array(rows)
        self._sample_size = state.get("sample_size", 1)
        self._map = Features.of_fit(fit)
        self.kernel_ = self._map.kernel
        self._n_features_out = self._map.components
        self._describe()

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_map"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_sample_size" in state:
            self._map = self._remake()

    def _as_points(self, points: Any) -> Any:
        """Return kept points as the compiled part reads them."""
        return Objects(self.kernel_, points) if object_kernel(self.kernel_, points) is not None else points

    def _remake(self) -> Features:
        """Make the map again: it depends on the kernel, the seed and the columns alone."""
        return self._make(self.kernel_, np.zeros((1, self.n_features_in_)))


@filled(how=HOW, fitted=FITTED)
@parameters
class RandomFourierFeatures(FeatureTransformer):
    """Random Fourier features of a shift-invariant kernel (Rahimi and Recht 2007).

    ``z(x)·z(y)`` is an unbiased estimate of ``k(x, y)``, with a variance in proportion to ``1/n_components``.

    Parameters
    ----------
    kernel : str, Kernel, default="rbf"
        A shift-invariant kernel: a text, a Kernel, or a name of scikit-learn with ``gamma``.
    n_components : int, default=100
        The columns that come out.
    kind : {"pair", "offset"}, default="pair"
        A cosine and a sine per frequency (of an odd number of columns the last frequency has a cosine with a random
        offset alone), or a cosine with a random offset for all of them.
    sampling : {"iid", "orthogonal", "qmc"}, default="iid"
        How the frequencies are drawn.
    gamma : {"scale", "auto"} or float, optional
        For the names of scikit-learn: ``1/(n_features·Var X)``, ``1/n_features`` (the default), or the number itself.
    random_state : int, RandomState, Generator or None
        The seed; None is 0.
    {how}

    Attributes
    ----------
    random_weights_ : array of shape (n_features, n_components)
        The frequency of every column: for a kernel without summands the features are
        ``sqrt(2·k(x, x)/n_components)·cos(X @ random_weights_ + random_offset_)``.
    random_offset_ : array of shape (n_components,)
        The offset of every column: 0 for a cosine, −π/2 for a sine.
    frequencies_ : array of shape (n_frequencies, n_features)
        The frequencies.
    offsets_ : array
        The random offsets, of the frequencies that have one.
    {fitted}

    Examples
    --------
    >>> import mercer
    >>> z = mercer.RandomFourierFeatures("gaussian(lengthscale=2)", 2000, random_state=0).fit_transform([[0.0], [2.0]])
    >>> round(float(z[0] @ z[0]), 12), abs(float(z[0] @ z[1]) - 0.60653) < 0.1
    (1.0, True)
    """

    _takes_sparse = True
    _partitioned = True

    _learner = "fourier"
    _setting_names: ClassVar[dict[str, str]] = {
        "n_components": "components",
        "kind": "form",
        "sampling": "sampling",
    }

    kernel: Any = "rbf"
    n_components: int = 100
    _: KW_ONLY
    kind: str = "pair"
    sampling: str = "iid"

    def _sampled(self) -> int | None:
        return SAMPLE

    def _make(self, kernel: Kernel, X: np.ndarray) -> Features:
        return Features.fourier(kernel, self.n_components, self.kind, self.sampling, X, **self._how())

    def error_decay(
        self, X: Any, frequencies: Any = (16, 32, 64, 128, 256, 512, 1024), *, draws: int = 10, points: int = 300
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Measure how the error falls with the number of frequencies, on pairs of rows of ``X``.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points.
        frequencies : sequence of int
            The numbers of frequencies to try.
        draws : int, default=10
            How often each number is drawn.
        points : int, default=300
            Rows of ``X`` that are looked at, at most.

        Returns
        -------
        The numbers ``D`` of frequencies, the root mean square errors of ``z(x)·z(y)`` over pairs and draws, and the
        line ``c/√D`` through them: ``plt.loglog(d, errors, "o"); plt.loglog(d, line)``.

        Examples
        --------
        >>> import numpy as np, mercer
        >>> x = np.random.default_rng(0).normal(size=(60, 2))
        >>> d, errors, line = mercer.RandomFourierFeatures("gaussian()", random_state=0).error_decay(x, [16, 256])
        >>> bool(2.5 < errors[0] / errors[1] < 6), round(float(line[0] / line[1]), 6)
        (True, 4.0)
        """
        for name, value in (("draws", draws), ("points", points), *(("frequencies", count) for count in frequencies)):
            check_count(name, value, 1)
        points_of_x = np.ascontiguousarray(X, dtype=np.float64)
        counts = np.asarray(frequencies, dtype=np.int64)
        gamma = gamma_number(self.gamma, points_of_x, self.kernel)
        kernel = compiled(self.kernel, points_of_x.shape[1], gamma, 3, 1)
        how = {"random_state": seed_of(self.random_state)}
        given = (kernel, self.kind, self.sampling, points_of_x, counts.tolist(), draws, points)
        errors, scale = Features.fourier_decay(*given, **how)
        return counts, errors, scale / np.sqrt(counts)

    def _describe(self) -> None:
        self.frequencies_ = self._map.frequencies
        self.offsets_ = self._map.offsets
        weights, offsets = self.frequencies_.T, self.offsets_
        if self.kind == "pair":
            count = len(self.frequencies_)
            pairs = count - len(offsets)
            weights = np.concatenate([weights, weights[:, :pairs]], axis=1)
            offsets = np.concatenate([np.zeros(pairs), offsets, np.full(pairs, -np.pi / 2)])
        self.random_weights_ = np.ascontiguousarray(weights, dtype=self._dtype)
        self.random_offset_ = offsets.astype(self._dtype)


@filled(how=HOW, fitted=FITTED)
@parameters
class RandomBinningFeatures(FeatureTransformer):
    """Random binning features (Rahimi and Recht 2007): a sparse matrix with one entry per row and grid.

    Parameters
    ----------
    kernel : str, Kernel, default="laplacian"
        A product over the columns with convex profiles, or a sum of such products.
    n_components : int, default=100
        The grids.
    n_buckets : int, default=4096
        Columns for each grid, into which its cells are hashed.
    gamma : {"scale", "auto"} or float, optional
        For the names of scikit-learn: ``1/(n_features·Var X)``, ``1/n_features`` (the default), or the number itself.
    random_state : int, RandomState, Generator or None
        The seed; None is 0.
    {how}

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> import mercer
    >>> grids = mercer.RandomBinningFeatures("laplacian(norm=l1)", 50, n_buckets=64, random_state=0)
    >>> grids.fit_transform([[0.0], [1.0]]).shape
    (2, 3200)
    """

    _learner = "binning"
    _setting_names: ClassVar[dict[str, str]] = {"n_components": "components", "n_buckets": "buckets"}

    kernel: Any = "laplacian"
    n_components: int = 100
    _: KW_ONLY
    n_buckets: int = 4096

    def transform(self, X: Any) -> scipy.sparse.csr_matrix:
        """Return the features, one row per point, one entry per grid.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points.

        Returns
        -------
        A sparse matrix of shape (n_samples, n_components·n_buckets).
        """
        points = self._read(X)
        cells, values = self._map.cells(points, **self._how())
        n, grids = cells.shape
        data = np.tile(values.astype(np.float32 if is_single(X) else np.float64), n)
        narrow = max(cells.size, self._n_features_out) <= np.iinfo(np.int32).max
        # The same bytes read as the type that scipy requires: a copy would double the memory.
        positions = cells.reshape(-1).view(np.int32) if narrow else cells.reshape(-1).astype(np.int64)
        starts = np.arange(0, cells.size + 1, grids, dtype=positions.dtype)
        shape = (n, self._n_features_out)
        return scipy.sparse.csr_matrix((data, positions, starts), shape=shape)

    def _make(self, kernel: Kernel, X: np.ndarray) -> Features:
        return Features.binning(kernel, self.n_components, self.n_buckets, X, **self._how())


@filled(how=HOW, fitted=FITTED)
@parameters
class Nystroem(FeatureTransformer):
    """Nyström features: the kernel seen from a few landmarks.

    Drop-in replacement for scikit-learn's class of the same name, with additional parameters and attributes.

    Parameters
    ----------
    kernel : text, Kernel, name or callable, default="rbf"
        A positive semi-definite kernel: a text, a `mercer.Kernel`, a name of scikit-learn with ``gamma``, ``degree``
        and ``coef0``, ``"precomputed"``, or a function of two points. Of the names that are not positive semi-definite
        (``"sigmoid"``, ``"additive_chi2"``, ``"poly"`` of a fractional degree) the absolute values of the eigenvalues
        are taken, as in scikit-learn.
    n_components : int, default=100
        The landmarks, at most: directions in which their kernel matrix is rounding are dropped.
    gamma : {"scale", "auto"} or float, optional
        For the names: ``1/(n_features·Var X)``, ``1/n_features`` (the default), or the number itself.
    coef0, degree : float, optional
        For the names; 1 and 3 by default.
    kernel_params : dict, optional
        Keyword arguments of a kernel that is a function; numbers of a name that are not given by themselves.
    landmarks : {"auto", "rpcholesky", "uniform", "kmeans", "leverage", "greedy"}, default="auto"
        How they are chosen: ``"auto"`` is ``"rpcholesky"``, and ``"uniform"`` where Python computes the kernel.
    tol : float, default=0
        Pivots stop when they leave no more than this share of the trace.
    random_state : int, RandomState, Generator or None
        The seed; None is 0.
    {how}

    Attributes
    ----------
    components_ : array of shape (n_landmarks, n_features)
        The landmarks; for ``kernel="precomputed"`` their rows of the matrix.
    component_indices_ : array of shape (n_landmarks,)
        Which rows of the data they are.
    normalization_ : array of shape (n_components_, n_landmarks)
        ``z(x) = normalization_ @ k(components_, x)``.
    n_components_ : int
        The columns that come out.
    trace_, trace_error_ : float or None
        ``tr K`` on the sample and ``tr(K − K̂)``, what the landmarks miss, of more than 512 points estimated from
        so many of them; None where Python computes the kernel.
    {fitted}

    Examples
    --------
    >>> import mercer
    >>> map = mercer.Nystroem("polynomial(degree=2)", 10, random_state=0).fit([[0.0], [1.0], [2.0], [3.0]])
    >>> map.n_components_, map.trace_error_ < 1e-9
    (3, True)
    """

    _takes_sparse = True
    _partitioned = True

    _learner = "nystrom"
    _setting_names: ClassVar[dict[str, str]] = {
        "n_components": "components",
        "landmarks": "landmarks",
        "tol": "tolerance",
    }

    kernel: Any = "rbf"
    n_components: int = 100
    _: KW_ONLY
    coef0: float | None = None
    degree: float | None = None
    kernel_params: dict[str, Any] | None = None
    landmarks: str = "auto"
    tol: float = 0.0

    def fit(self, X: Any, y: Any = None) -> Nystroem:
        """Choose the landmarks.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points, or for ``kernel="precomputed"`` the matrix of kernel values.
        y : None
            Not used.

        Returns
        -------
        The fitted transformer.
        """
        check_kinds(self)
        check_count("n_components", self.n_components, 1)
        outside = is_computed_outside(self.kernel) or self.kernel in ("precomputed", "sigmoid") or self._is_fractional()
        if outside and is_dask(X):
            raise ValueError("Dask collections need a kernel of the language: Python computes the values of this one")
        for former in ("_taken", "_sample_size" if outside else "_params"):
            self.__dict__.pop(former, None)
        return self._fit_outside(X) if outside else super().fit(X)

    def _is_fractional(self) -> bool:
        """Whether it is a name with a power that no kernel of the language has."""
        return self.kernel in ("poly", "polynomial") and not float(self._given("degree", 3)).is_integer()

    def _fit_outside(self, X: Any) -> Nystroem:
        """Take landmarks at random, and the matrix of their kernel values from Python."""
        if self.landmarks not in ("auto", "uniform"):
            refuse("landmarks", self.landmarks, "'auto' or 'uniform' where Python computes the kernel")
        self._params = self._kernel_params()
        self._dtype = "float32" if is_single(X) else "float64"
        X = validate_data(self, X, dtype=np.float64, order="C", accept_sparse=self._sparse_format())
        if self.kernel == "precomputed":
            symmetric(X)
        rows = _random_state(self.random_state).permutation(X.shape[0])[: self.n_components]
        basis = X[np.ix_(rows, rows)] if self.kernel == "precomputed" else self._computed(X[rows])
        values, vectors = np.linalg.eigh(np.asarray(basis, dtype=np.float64))
        kept = np.abs(values) > len(rows) * np.finfo(float).eps * np.abs(values).max(initial=0.0)
        scales = np.divide(np.sign(values), np.sqrt(np.abs(values)), out=np.zeros_like(values), where=kept)
        self.normalization_ = ((vectors * scales) @ vectors.T).astype(self._dtype)
        self.components_, self.component_indices_ = X[rows].astype(self._dtype), rows
        self.trace_ = self.trace_error_ = None
        self.kernel_: Any = self.kernel
        self.n_components_ = self._n_features_out = len(rows)
        return self

    def _kernel_params(self) -> dict[str, Any]:
        given = {name: getattr(self, name) for name in ("gamma", "coef0", "degree")}
        given = {name: value for name, value in given.items() if value is not None}
        if given and (is_function(self.kernel) or self.kernel == "precomputed"):
            raise ValueError("Don't pass gamma, coef0 or degree to Nystroem if using a callable or precomputed kernel")
        return {**(self.kernel_params or {}), **given}

    def _computed(self, X: np.ndarray, Y: np.ndarray | None = None) -> np.ndarray:
        if "_taken" in self.__dict__:
            return Kernel(self._taken)(X, Y)
        return pairwise_kernels(X, Y, metric=self.kernel, filter_params=True, n_jobs=self.n_jobs, **self._params)

    def transform(self, X: Any) -> np.ndarray:
        """Return the features, one row per point; of single precision for points of single precision.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points; for ``kernel="precomputed"`` their kernel values with the points of the fit.

        Returns
        -------
        An array of shape (n_samples, n_components_).
        """
        if "_params" not in self.__dict__ or is_dask(X):
            return super().transform(X)
        single, points = is_single(X), self._read(X)
        if self.kernel == "precomputed":
            values = points[:, self.component_indices_]
        else:
            values = self._computed(points, self.components_.astype(np.float64))
        return (values @ self.normalization_.T).astype(np.float32 if single else np.float64)

    def _sampled(self) -> int | None:
        # Other landmarks are chosen by looking at all rows.
        if self.landmarks not in ("auto", "rpcholesky", "uniform", "greedy"):
            return None
        return sample_size(self.n_components)

    def _make(self, kernel: Kernel, X: np.ndarray) -> Features:
        return Features.nystrom(kernel, self.n_components, self._choice(), self.tol, X, **self._how())

    def _choice(self) -> str:
        return "rpcholesky" if self.landmarks == "auto" else self.landmarks

    def _setting(self, name: str) -> Any:
        return self._choice() if name == "landmarks" else super()._setting(name)

    def _saved(self) -> tuple[Any, dict[str, Any]]:
        if "_params" in self.__dict__:
            raise ValueError("a kernel that Python computes cannot be stored in a model file: it has no text")
        fit, state = super()._saved()
        return fit, {**state, "indices": np.asarray(self.component_indices_).tolist()}

    def _restore(self, fit: Any, state: dict[str, Any]) -> None:
        super()._restore(fit, state)
        if "indices" in state:
            self.component_indices_ = np.array(state["indices"], dtype=np.int64)

    def _remake(self) -> Features:
        points = self._as_points(self.components_)
        count = points.shape[0]
        return Features.nystrom(self.kernel_, count, self._choice(), 0.0, points, every_row=True, **self._how())

    def _describe(self) -> None:
        self.components_ = self._in_precision(self._map.landmarks)
        own = self._map.rows
        # Files do not hold which rows of the sample they are.
        self.component_indices_ = own if own is None or self._rows is None else self._rows[own]
        self.normalization_ = self._map.normalization.astype(self._dtype)
        self.trace_, self.trace_error_ = self._map.trace, self._map.trace_error
        self.n_components_ = self._map.components


@filled(names=NAMES, how=HOW, fitted=FITTED)
@parameters
class EmpiricalKernelMap(FeatureTransformer):
    """The empirical kernel map ``(K⁺)^{1/2}(k(x, x₁), …, k(x, xₘ))``, which reproduces the kernel on the sample.

    Parameters
    ----------
    kernel : str, Kernel, default="rbf"
        A positive semi-definite kernel: a text, a Kernel, or a name of scikit-learn.
    {names}
    {how}

    Attributes
    ----------
    X_fit_ : array of shape (n_samples, n_features)
        The sample.
    {fitted}

    Examples
    --------
    >>> import mercer
    >>> z = mercer.EmpiricalKernelMap("gaussian()").fit_transform([[0.0], [1.0]])
    >>> (z @ z.T).round(6)
    array([[1.      , 0.606531],
           [0.606531, 1.      ]])
    """

    _takes_sparse = True

    _learner = "empirical"
    _drawn = False

    kernel: Any = "rbf"
    _: KW_ONLY
    coef0: float = 1
    degree: float = 3

    def _make(self, kernel: Kernel, X: np.ndarray) -> Features:
        return Features.empirical(kernel, X, **self._how())

    def _remake(self) -> Features:
        return Features.empirical(self.kernel_, self._as_points(self.X_fit_), **self._how())

    def _describe(self) -> None:
        self.X_fit_ = self._in_precision(self._map.landmarks)


@filled(names=NAMES, how=HOW, fitted=FITTED)
@parameters
class ExplicitFeatures(FeatureTransformer):
    """Exact features of a kernel with finitely many: polynomials, finite ranks, and sums and products of them.

    Parameters
    ----------
    kernel : str, Kernel, default="poly"
        The kernel: a text, a Kernel, or a name of scikit-learn.
    {names}
    {how}

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> import mercer
    >>> mercer.ExplicitFeatures("polynomial(degree=2, offset=1)").fit_transform([[1.0], [2.0]]).shape
    (2, 3)
    """

    _learner = "explicit"
    _drawn = False

    kernel: Any = "poly"
    _: KW_ONLY
    coef0: float = 1
    degree: float = 3

    def _make(self, kernel: Kernel, X: np.ndarray) -> Features:
        return Features.explicit(kernel, X.shape[1])


def seed_of(random_state: Any) -> int:
    """Return a number for a seed, a generator, or None."""
    if random_state is None:
        return 0
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**63))
    return int(check_random_state(random_state).randint(2**31 - 1))


def _random_state(random_state: Any) -> np.random.RandomState:
    """Return a generator of numpy's older kind, as scikit-learn's functions take it."""
    if isinstance(random_state, np.random.RandomState):
        return random_state
    return np.random.RandomState(seed_of(random_state) % 2**32)
