"""Explicit features as transformers: random Fourier, random binning, Nyström, empirical and exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from mercer._centers import is_single
from mercer._kernels import KernelEstimator, compiled, is_computed_outside
from mercer._mercer import Features, Kernel


class FeatureTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    """A transformer whose features are made by the compiled part."""

    def fit(self, X: Any, y: Any = None) -> FeatureTransformer:
        """Make the features for the columns of ``X``; ``y`` is not used."""
        if is_computed_outside(self.kernel) or self.kernel == "precomputed":
            raise ValueError("explicit features need a kernel of the language: its values alone are not enough")
        X = validate_data(self, X, dtype=np.float64, order="C")
        self._seed = _seed(getattr(self, "random_state", None))
        self._sample_size = X.shape[0]
        self._map = self._make(self._compiled_kernel(X.shape[1]), X)
        self.kernel_: Kernel = self._map.kernel
        self._n_features_out = self._map.components
        self._describe()
        return self

    def transform(self, X: Any) -> Any:
        """Give the features, one row per point; of single precision for points of single precision."""
        single = is_single(X)
        points = self._read(X)
        return (self._map.transform_single if single else self._map.transform)(points, **self._how())

    def _make(self, kernel: Kernel, X: np.ndarray) -> Features:
        raise NotImplementedError

    def _describe(self) -> None:
        """Take over attributes of the map."""

    def _how(self) -> dict[str, Any]:
        options = {name: getattr(self, name, None) for name in ("n_jobs", "verbose", "max_memory")}
        return {name: value for name, value in options.items() if value is not None} | {"random_state": self._seed}

    def _compiled_kernel(self, n_features: int) -> Kernel:
        names = self._column_names()
        kernel = compiled(self.kernel, n_features, self.gamma, getattr(self, "degree", 3), getattr(self, "coef0", 1))
        return kernel if names is None else kernel.with_column_names(names)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_map"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "kernel_" in state:
            self._map = self._remake()

    def _remake(self) -> Features:
        """Make the map again: it depends on the kernel, the seed and the columns alone."""
        return self._make(self.kernel_, np.zeros((1, self.n_features_in_)))


class RandomFourierFeatures(FeatureTransformer):
    """Random Fourier features of a shift-invariant kernel (Rahimi and Recht 2007).

    ``z(x)·z(y)`` is an unbiased estimate of ``k(x, y)``, with a variance in proportion to ``1/n_components``.

    Parameters
    ----------
    kernel : str, Kernel, default="rbf"
        A shift-invariant kernel: a text, a Kernel, or a name of scikit-learn with ``gamma``.
    n_components : int, default=100
        The columns that come out; even for ``kind="pair"``.
    kind : {"pair", "offset"}, default="pair"
        A cosine and a sine per frequency, or a cosine with a random offset.
    sampling : {"iid", "orthogonal", "qmc"}, default="iid"
        How the frequencies are drawn.
    gamma : float, optional
        For the names of scikit-learn; 1/n_features by default.
    random_state : int, RandomState or None
        The seed.

    Examples
    --------
    >>> import mercer
    >>> z = mercer.RandomFourierFeatures("gaussian(lengthscale=2)", 2000, random_state=0).fit_transform([[0.0], [2.0]])
    >>> round(float(z[0] @ z[0]), 12), abs(float(z[0] @ z[1]) - 0.60653) < 0.1
    (1.0, True)
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        n_components: int = 100,
        *,
        kind: str = "pair",
        sampling: str = "iid",
        gamma: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        max_memory: Any = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self.kind = kind
        self.sampling = sampling
        self.gamma = gamma
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory
        self.verbose = verbose

    def _make(self, kernel: Kernel, X: np.ndarray) -> Features:
        return Features.fourier(kernel, self.n_components, self.kind, self.sampling, X, **self._how())

    def error_decay(
        self, X: Any, frequencies: Any = (16, 32, 64, 128, 256, 512, 1024), *, draws: int = 10, points: int = 300
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Measure how the error falls with the number of frequencies, on pairs of rows of ``X``.

        Returns the numbers ``D`` of frequencies, the root mean square errors of ``z(x)·z(y)`` over pairs and draws, and
        the line ``c/√D`` through them: ``plt.loglog(d, errors, "o"); plt.loglog(d, line)``.

        Examples
        --------
        >>> import numpy as np, mercer
        >>> x = np.random.default_rng(0).normal(size=(60, 2))
        >>> d, errors, line = mercer.RandomFourierFeatures("gaussian()", random_state=0).error_decay(x, [16, 256])
        >>> bool(2.5 < errors[0] / errors[1] < 6), round(float(line[0] / line[1]), 6)
        (True, 4.0)
        """
        points_of_x = np.ascontiguousarray(X, dtype=np.float64)
        counts = np.asarray(frequencies, dtype=np.int64)
        kernel = compiled(self.kernel, points_of_x.shape[1], self.gamma, 3, 1)
        how = {"random_state": _seed(self.random_state)}
        given = (kernel, self.kind, self.sampling, points_of_x, counts.tolist(), draws, points)
        errors, scale = Features.fourier_decay(*given, **how)
        return counts, errors, scale / np.sqrt(counts)

    def _describe(self) -> None:
        self.frequencies_ = self._map.frequencies
        self.offsets_ = self._map.offsets


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
    gamma : float, optional
        For the names of scikit-learn; 1/n_features by default.
    random_state : int, RandomState or None
        The seed.

    Examples
    --------
    >>> import mercer
    >>> grids = mercer.RandomBinningFeatures("laplacian(norm=l1)", 50, n_buckets=64, random_state=0)
    >>> grids.fit_transform([[0.0], [1.0]]).shape
    (2, 3200)
    """

    def __init__(
        self,
        kernel: Any = "laplacian",
        n_components: int = 100,
        *,
        n_buckets: int = 4096,
        gamma: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        max_memory: Any = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self.n_buckets = n_buckets
        self.gamma = gamma
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory
        self.verbose = verbose

    def transform(self, X: Any) -> scipy.sparse.csr_matrix:
        """Give the features, one row per point, one entry per grid."""
        cells, values = self._map.cells(self._read(X), **self._how())
        n, grids = cells.shape
        narrow = max(cells.size, self._n_features_out) <= np.iinfo(np.int32).max
        # The same bytes read as the type that scipy wants: a copy would double what was asked of the memory limit.
        places = cells.reshape(-1).view(np.int32) if narrow else cells.reshape(-1).astype(np.int64)
        starts = np.arange(0, cells.size + 1, grids, dtype=places.dtype)
        shape = (n, self._n_features_out)
        return scipy.sparse.csr_matrix((np.tile(values, n), places, starts), shape=shape)

    def _make(self, kernel: Kernel, X: np.ndarray) -> Features:
        return Features.binning(kernel, self.n_components, self.n_buckets, X, **self._how())


class Nystroem(FeatureTransformer):
    """Nyström features: the kernel seen from a few landmarks.

    Parameters
    ----------
    kernel : str, Kernel, default="rbf"
        A positive semi-definite kernel: a text, a Kernel, or a name of scikit-learn with ``gamma``, ``degree`` and
        ``coef0``.
    n_components : int, default=100
        The landmarks, at most: directions in which their kernel matrix is rounding are left out.
    landmarks : {"rpcholesky", "uniform", "kmeans", "leverage", "greedy"}, default="rpcholesky"
        How they are chosen.
    tol : float, default=0
        Pivots stop when they leave no more than this share of the trace.

    Attributes
    ----------
    components_ : array of shape (n_landmarks, n_features)
        The landmarks.
    normalization_ : array
        ``z(x) = normalization_ @ k(components_, x)``.
    trace_error_ : float
        ``tr(K − K̂)`` on the sample: what the landmarks miss.

    Examples
    --------
    >>> import mercer
    >>> map = mercer.Nystroem("polynomial(degree=2)", 10, random_state=0).fit([[0.0], [1.0], [2.0], [3.0]])
    >>> map.n_components_, map.trace_error_ < 1e-9
    (3, True)
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        n_components: int = 100,
        *,
        gamma: float | None = None,
        coef0: float = 1,
        degree: float = 3,
        landmarks: str = "rpcholesky",
        tol: float = 0.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        max_memory: Any = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.n_components = n_components
        self.landmarks = landmarks
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory
        self.verbose = verbose

    def _make(self, kernel: Kernel, X: np.ndarray) -> Features:
        return Features.nystrom(kernel, self.n_components, self.landmarks, self.tol, X, **self._how())

    def _remake(self) -> Features:
        points = self.components_
        return Features.nystrom(self.kernel_, len(points), self.landmarks, 0.0, points, points, **self._how())

    def _describe(self) -> None:
        self.components_ = self._map.landmarks
        self.normalization_ = self._map.normalization
        self.trace_, self.trace_error_ = self._map.trace, self._map.trace_error
        self.n_components_ = self._map.components


class EmpiricalKernelMap(FeatureTransformer):
    """The empirical kernel map ``(K⁺)^{1/2}(k(x, x₁), …, k(x, xₘ))``, which reproduces the kernel on the sample.

    Parameters
    ----------
    kernel : str, Kernel, default="rbf"
        A positive semi-definite kernel.

    Examples
    --------
    >>> import mercer
    >>> z = mercer.EmpiricalKernelMap("gaussian()").fit_transform([[0.0], [1.0]])
    >>> (z @ z.T).round(6)
    array([[1.      , 0.606531],
           [0.606531, 1.      ]])
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: float | None = None,
        coef0: float = 1,
        degree: float = 3,
        n_jobs: int | None = None,
        max_memory: Any = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.n_jobs = n_jobs
        self.max_memory = max_memory
        self.verbose = verbose

    def _make(self, kernel: Kernel, X: np.ndarray) -> Features:
        return Features.empirical(kernel, X, **self._how())

    def _remake(self) -> Features:
        return Features.empirical(self.kernel_, self.X_fit_, **self._how())

    def _describe(self) -> None:
        self.X_fit_ = self._map.landmarks


class ExplicitFeatures(FeatureTransformer):
    """Exact features of a kernel with finitely many: polynomials, finite ranks, and sums and products of them.

    Parameters
    ----------
    kernel : str, Kernel, default="poly"
        The kernel.

    Examples
    --------
    >>> import mercer
    >>> mercer.ExplicitFeatures("polynomial(degree=2, offset=1)").fit_transform([[1.0], [2.0]]).shape
    (2, 3)
    """

    def __init__(
        self,
        kernel: Any = "poly",
        *,
        gamma: float | None = None,
        coef0: float = 1,
        degree: float = 3,
        n_jobs: int | None = None,
        max_memory: Any = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.n_jobs = n_jobs
        self.max_memory = max_memory
        self.verbose = verbose

    def _make(self, kernel: Kernel, X: np.ndarray) -> Features:
        return Features.explicit(kernel, X.shape[1])


def _seed(random_state: Any) -> int:
    """Give a number for a seed, a generator, or None."""
    if random_state is None:
        return 0
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**63))
    return int(check_random_state(random_state).randint(2**31 - 1))
