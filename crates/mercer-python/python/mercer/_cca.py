"""Kernel canonical correlation and kernel independent components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from mercer._documents import HOW, filled
from mercer._estimator import encoded
from mercer._kernel_names import object_kernel, view_kernel
from mercer._kernels import refuse_functions
from mercer._learner import LearnerEstimator
from mercer._mercer import (
    AnyFit,
    Inputs,
    Kernel,
    Learner,
    Objects,
    cca_coefficients,
    cca_score,
    ica_contrast,
    ica_inverse,
)
from mercer._mercer import amari_distance as _amari_distance
from mercer._parameters import check_above, check_choice, check_count, check_kinds, parameters, refuse
from mercer._pictures import Pictured
from mercer._precision import KeepsPrecision, like
from mercer._tables import as_frame, refuse_dask, validate_data


@filled(HOW=HOW)
@parameters
class KernelCCA(KeepsPrecision, Pictured, TransformerMixin, LearnerEstimator):
    """Kernel canonical correlation: functions of two or more views of the same objects that correlate most.

    Parameters
    ----------
    n_components : int, default=2
        Correlations.
    kernels : text, Kernel, or list of these, default="gaussian(lengthscale=median)"
        The kernel of every view, or one for all of them; views may be of different kinds. ``"auto"`` is that of the
        kind of the points.
    kappa : float or "auto", default=0.02
        The strength of the regularization, for kernels with values of about 1 on the diagonal; for
        ``form="fukumizu"`` it is ε. ``"auto"`` takes the one whose first correlation exceeds permuted ones most.
    form : {"bach_jordan", "fukumizu"}, default="bach_jordan"
        How the problem is regularized.
    n_permutations : int, default=0
        Permutations for a p-value of every correlation.
    random_state : int, RandomState instance or None, default=None
        The seed of the permutations.
    {HOW}

    Attributes
    ----------
    correlations_ : array of shape (n_components,)
        The canonical correlations, descending; with three or more views ``1 − λ`` of the smallest generalized
        eigenvalues λ. Those beyond the rank of the data are 0, and so are their variates.
    p_values_ : array or None
        The p-value of every correlation, if there are permutations.
    dual_coefs_ : list of arrays of shape (n_samples, n_components)
        The coefficients of the functions of every view.
    kappa_ : float
        The strength of the regularization that was used.
    kernels_ : list of Kernel
        The kernels, with medians resolved.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelCCA
    >>> x = np.linspace(-1, 1, 50)[:, None]
    >>> cca = KernelCCA(1).fit(x, x**2)  # no linear correlation, but a function of it
    >>> bool(cca.correlations_[0] > 0.8)
    True
    """

    _learner = "cca"
    _takes_sparse = True
    _setting_names: ClassVar[dict[str, str]] = {
        "n_components": "components",
        "form": "form",
        "n_permutations": "permutations",
    }

    n_components: int = 2
    _: KW_ONLY
    kernels: Any = "gaussian(lengthscale=median)"
    kappa: Any = 0.02
    form: str = "bach_jordan"
    n_permutations: int = 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _settings(self) -> dict[str, Any]:
        check_kinds(self)
        check_count("n_components", self.n_components, 1)
        check_count("n_permutations", self.n_permutations, 0)
        check_choice("form", self.form, "bach_jordan", "fukumizu")
        settings = super()._settings()
        if self.kappa == "auto":
            return {**settings, "choose_kappa": True}
        check_above("kappa", self.kappa, 0.0)
        return {**settings, "kappa": float(self.kappa)}

    def _kernel_list(self, views: list[Any]) -> list[Kernel]:
        count, several = len(views), isinstance(self.kernels, (list, tuple))
        given = list(self.kernels) if several else [self.kernels] * count
        if len(given) != count:
            raise ValueError(f"kernels: expected one for each of {count} views, or one for all, found {len(given)}")
        refuse_functions("kernels", given)
        return [view_kernel(kernel, x) for kernel, x in zip(given, views, strict=True)]

    def _views(self, X: Any, Y: Any) -> list[Any]:
        if Y is None:
            if not isinstance(X, (list, tuple)) or len(X) < 2:
                raise ValueError(
                    "This KernelCCA estimator requires y to be passed, but the target y is None: "
                    "pass fit(X, Y), or a list of two or more views"
                )
            return list(X)
        return [X, Y]

    def _points(self, views: list[Any], kernels: list[Kernel]) -> list[Any]:
        pairs = enumerate(zip(views, kernels, strict=True))
        return [
            None if x is None else _view(x, kernel, f"view {at}", encoder_of(self, at)) for at, (x, kernel) in pairs
        ]

    def _first(self, X: Any) -> Any:
        """Check new points of the first view; those of a table are checked where they are encoded."""
        return X if encoder_of(self, 0) else first_view(self, X, self.kernels_[0], reset=False)

    def fit(self, X: Any, y: Any = None) -> KernelCCA:
        """Find the functions.

        Parameters
        ----------
        X : array, or list of views
            The first view, or a list of all views: arrays of shape (n_samples, n_features), or objects.
        y : array, optional
            The second view.

        Returns
        -------
        The fitted estimator.
        """
        forget_file(self)
        views = self._views(X, y)
        settings, kernels = self._settings(), self._kernel_list(views)
        if y is None:
            points = self._points(views, kernels)
            self.__dict__.pop("feature_names_in_", None)
            self.n_features_in_ = 1 if isinstance(points[0], Objects) else points[0].shape[1]
        else:
            points = [first_view(self, X, kernels[0], reset=True, least=2), _view(y, kernels[1], "y")]
        learner = Learner(self._learner, {"kernels": kernels, **settings})
        self._adopt(learner.fit(points, kernels, **self._options()))
        return self

    def _adopt(self, fit: AnyFit) -> None:
        self._fit = fit
        self.correlations_, self.kappa_ = fit.fact("correlations"), fit.fact("kappa")
        self.p_values_ = fit.fact("p_values") if "p_values" in fit.meanings else None
        self.kernels_ = [Kernel(text) for text in fit.fact("kernels")]
        self.dual_coefs_ = cca_coefficients(fit)

    def transform(self, X: Any, y: Any = None) -> Any:
        """Return the canonical variates of new points.

        Parameters
        ----------
        X : array, or list of views
            Points of the first view, or a list with points of every view; None for a view without new points.
        y : array, optional
            Points of the second view.

        Returns
        -------
        A list of arrays of shape (n_samples, n_components), one for every view; a tuple of two for ``transform(X, Y)``;
        an array for points of the first view alone. None for a view without points: ``transform([None, Y])[1]`` are
        the variates of the second view alone.
        """
        check_is_fitted(self)
        if y is not None:
            return tuple(self._transformed([X, y], [self._first(X), y]))
        if isinstance(X, (list, tuple)) and len(X) == len(self.kernels_) and all(x is None or _is_sample(x) for x in X):
            return self._transformed(list(X), list(X))
        return self._transformed([X], [self._first(X)])[0]

    def _transformed(self, given: list[Any], views: list[Any]) -> list[np.ndarray]:
        """Return the variates of every view, in the precision of its points as they were given."""
        points = self._points(views, self.kernels_[: len(views)])
        options = self._options()
        if all(x is None for x in points):
            raise ValueError("X: expected points of at least one view, found none")
        found = zip(given, points, self.kernels_, strict=False)
        return [
            None if x is None else like(own, self._fit.transform(x, view=at, kernel=kernel, **options))
            for at, (own, x, kernel) in enumerate(found)
        ]

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Find the functions and return the canonical variates.

        Parameters
        ----------
        X : array, or list of views
            The first view, or a list of all views.
        y : array, optional
            The second view.
        **params : dict
            Not used.

        Returns
        -------
        As `transform`.
        """
        return self.fit(X, y, **params).transform(X, y)

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean of the correlations of the variates of this data.

        Parameters
        ----------
        X : array, or list of views
            The first view, or a list of all views.
        y : array, optional
            The second view.

        Returns
        -------
        The mean over the components.
        """
        check_is_fitted(self)
        if y is not None:
            X = self._first(X)
        points = self._points(self._views(X, y), self.kernels_)
        return cca_score(self._fit, points, **self._options())

    def explain(self, X: Any, y: Any = None) -> str:
        """Return what a fit of this data would run, before it runs.

        Parameters
        ----------
        X : array, or list of views
            Data of the size that is meant.
        y : array, optional
            The second view.

        Returns
        -------
        The plan: solver, memory, operations and expected time.
        """
        shapes = [(row_count(x), 1) for x in self._views(X, y)]
        return Learner(self._learner, self._settings()).plan(shapes, **self._options(timed=True))

    @classmethod
    def _of_settings(cls, settings: dict[str, Any]) -> Any:
        model = super()._of_settings(settings)
        kernels = settings.get("kernels", ["gaussian(lengthscale=median)"])
        model.kernels = kernels[0] if len(kernels) == 1 else kernels
        model.kappa = "auto" if settings.get("choose_kappa") else settings.get("kappa", 0.02)
        return model


def _is_sample(x: Any) -> bool:
    """Whether it holds points, and is not one point: rows of numbers, or a list of objects."""
    if issparse(x):
        return True
    if isinstance(x, (list, tuple)):
        return len(x) > 0 and not isinstance(x[0], (int, float))
    return hasattr(x, "__len__") and not isinstance(x, str) and np.ndim(x) != 1


def row_count(x: Any) -> int:
    """Return the number of points, of which sparse matrices have no length."""
    return x.shape[0] if issparse(x) else len(x)


def encoder_of(estimator: Any, at: int) -> Inputs | None:
    """Return what makes points of a table as this view, where a file of the command line or Rust has it."""
    inputs = estimator._of_views[at] if estimator._of_views else None
    return inputs if inputs is not None and inputs.encoded else None


def forget_file(estimator: Any) -> None:
    """Forget what a file expects of new data: the next fit is one of points."""
    estimator._of_views, estimator._inputs = (), None


def _view(x: Any, kernel: Kernel, name: str, inputs: Inputs | None = None) -> Any:
    """Check the points of a view, or make them of a table."""
    refuse_dask("this method", **{name: x})
    if inputs is not None:
        return encoded(inputs, object_kernel(kernel), as_frame(x), name)
    if object_kernel(kernel, x) is not None:
        return Objects(kernel, x)
    if not isinstance(x, list) and not hasattr(x, "columns") and not issparse(x):
        x = np.asarray(x)
        x = x[:, None] if x.ndim == 1 else x
    return check_array(x, dtype=np.float64, order="C", input_name=name, accept_sparse="csr")


def first_view(estimator: Any, X: Any, kernel: Kernel, *, reset: bool, least: int = 1) -> Any:
    """Check the points of the first view, as scikit-learn does with ``X``: their columns are noted by a fit."""
    if object_kernel(kernel, X) is not None:
        if reset:
            estimator.__dict__.pop("feature_names_in_", None)
            estimator.n_features_in_ = 1
        return Objects(kernel, X)
    return validate_data(
        estimator,
        as_frame(X),
        dtype=np.float64,
        order="C",
        reset=reset,
        ensure_min_samples=least if reset else 1,
        accept_sparse="csr",
    )


@filled(HOW=HOW)
@parameters
class KernelICA(KeepsPrecision, Pictured, ClassNamePrefixFeaturesOutMixin, TransformerMixin, LearnerEstimator):
    """Kernel independent components: a linear map to components that are as independent as possible.

    Negentropy by density estimates, the contrasts of Bach and Jordan (2002) or HSIC, minimized over rotations of the
    whitened data.

    Parameters
    ----------
    n_components : int, optional
        Components; as many as columns by default.
    contrast : {"negentropy", "kgv", "kcc", "hsic"}, default="negentropy"
        How far the components are from Gaussian, by density estimates; the kernel generalized variance, the kernel
        canonical correlation, or HSIC.
    lengthscale : float, optional
        Of the Gaussian kernel on components of variance 1: for negentropy 0.4, from 1000 rows on
        ``0.4 * (n / 1000) ** -0.2``; else 1, from 1000 rows on 1/2.
    kappa : float, optional
        The strength of the regularization of ``"kgv"`` and ``"kcc"``: 0.02, from 1000 rows on 0.002.
    n_init : int, default=3
        Rotations to begin with, for three or more components.
    random_state : int, RandomState instance or None, default=None
        The seed of these rotations.
    {HOW}

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        The unmixing matrix, for data with the mean subtracted.
    mixing_ : array of shape (n_features, n_components)
        Its pseudo-inverse.
    mean_ : array of shape (n_features,)
        The mean of the data.
    contrast_ : float
        The contrast that was reached.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelICA, amari_distance
    >>> sources = np.random.default_rng(0).uniform(-1, 1, size=(400, 2))
    >>> mixing = np.array([[1.0, 0.5], [0.3, 1.0]])
    >>> ica = KernelICA(random_state=0).fit(sources @ mixing.T)
    >>> bool(amari_distance(ica.components_, mixing) < 0.1)
    True
    """

    _learner = "ica"
    _setting_names: ClassVar[dict[str, str]] = {
        "n_components": "components",
        "contrast": "contrast",
        "lengthscale": "lengthscale",
        "kappa": "kappa",
        "n_init": "starts",
    }
    _fact_names: ClassVar[dict[str, str]] = {
        "components_": "components",
        "mixing_": "mixing",
        "mean_": "mean",
        "contrast_": "contrast",
    }

    n_components: int | None = None
    _: KW_ONLY
    contrast: str = "negentropy"
    lengthscale: float | None = None
    kappa: float | None = None
    n_init: int = 3

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def fit(self, X: Any, y: Any = None) -> KernelICA:
        """Find the components.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Mixtures.
        y : None
            Not used.

        Returns
        -------
        The fitted estimator.
        """
        check_choice("contrast", self.contrast, "negentropy", "kgv", "kcc", "hsic")
        X = self._read_points(X, least=2)
        learner = Learner(self._learner, self._settings())
        self._outside = None
        self._adopt(learner.fit([X], [], **self._options()))
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the sources of mixtures.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Mixtures.

        Returns
        -------
        An array of shape (n_samples, n_components).
        """
        check_is_fitted(self)
        return like(X, self._fit.transform(self._read(X), **self._options()))

    def plot(self, X: Any = None, y: Any = None, *, components: Sequence[int] | None = None, ax: Any = None) -> Any:
        """Draw the components as signals, one under the other: `SignalsDisplay`.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), optional
            Mixtures, a row per time; those of the fit by default, where the estimator holds them.
        y : None
            Not used.
        components : sequence of int, optional
            Which components, counted from 0; the first eight by default.
        ax : matplotlib axes, optional
            Where to draw; new axes by default.

        Returns
        -------
        The display, whose ``figure_`` can be saved. `EmbeddingDisplay.from_estimator` draws two components as a
        scatter of points.
        """
        from mercer._displays.signals import SignalsDisplay

        return SignalsDisplay.from_estimator(self, X, components=components, ax=ax)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Return the mixtures of sources.

        Parameters
        ----------
        X : array of shape (n_samples, n_components)
            Sources.

        Returns
        -------
        An array of shape (n_samples, n_features).
        """
        check_is_fitted(self)
        return like(X, ica_inverse(self._fit, X))

    def _plan(self, X: Any, y: Any = None) -> str:
        return Learner(self._learner, self._settings()).plan([np.shape(X)], **self._options(timed=True))


def _contrast(kind: str, Y: Any, lengthscale: float, kappa: float) -> float:
    if not kappa > 0:
        refuse("kappa", kappa, "a number above 0")
    return ica_contrast(kind, Y, lengthscale, kappa)


def kcc_contrast(Y: Any, lengthscale: float, kappa: float) -> float:
    """Return the kernel canonical correlation contrast of the columns of ``Y``: ``−½ log λ_min``.

    Parameters
    ----------
    Y : array of shape (n_samples, n_components)
        Components.
    lengthscale : float
        Of the Gaussian kernel.
    kappa : float
        The strength of the regularization.

    Returns
    -------
    A number: 0 for independent columns, up to rounding and the sample.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import kcc_contrast
    >>> u, v = np.random.default_rng(0).normal(size=(2, 200))
    >>> kcc_contrast(np.c_[u, v], 1.0, 0.02) < kcc_contrast(np.c_[u, u + 0.1 * v], 1.0, 0.02)
    True
    """
    return _contrast("kcc", Y, lengthscale, kappa)


def kgv_contrast(Y: Any, lengthscale: float, kappa: float) -> float:
    """Return the kernel generalized variance contrast of the columns of ``Y``: ``−½ log det K_κ/det D_κ``.

    Parameters
    ----------
    Y : array of shape (n_samples, n_components)
        Components.
    lengthscale : float
        Of the Gaussian kernel.
    kappa : float
        The strength of the regularization.

    Returns
    -------
    A number: 0 for independent columns, up to rounding and the sample.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import kgv_contrast
    >>> u, v = np.random.default_rng(0).normal(size=(2, 200))
    >>> kgv_contrast(np.c_[u, v], 1.0, 0.02) < kgv_contrast(np.c_[u, u + 0.1 * v], 1.0, 0.02)
    True
    """
    return _contrast("kgv", Y, lengthscale, kappa)


def hsic_contrast(Y: Any, lengthscale: float) -> float:
    """Return the sum of the biased HSIC of all pairs of columns of ``Y``.

    Parameters
    ----------
    Y : array of shape (n_samples, n_components)
        Components.
    lengthscale : float
        Of the Gaussian kernel.

    Returns
    -------
    A number.

    Examples
    --------
    >>> from mercer import hsic, hsic_contrast
    >>> a, b = [[0.0], [1.0], [3.0]], [[1.0], [0.0], [2.0]]
    >>> together = hsic_contrast([[0.0, 1.0], [1.0, 0.0], [3.0, 2.0]], 1.0)
    >>> abs(together - hsic(a, b, "gaussian()", "gaussian()")) < 1e-12
    True
    """
    return _contrast("hsic", Y, lengthscale, 1.0)


def negentropy_contrast(Y: Any, lengthscale: float = 0.4) -> float:
    """Return how near to Gaussian the columns of ``Y`` are: minus the sum of two estimates of their negentropies.

    One is by a kernel density estimate, the other by the mean of ``log cosh``; the columns are scaled to mean 0 and
    variance 1. Of all rotations of white data the one with the least dependent columns has the smallest value.

    Parameters
    ----------
    Y : array of shape (n_samples, n_components)
        Components.
    lengthscale : float, default=0.4
        Of the density estimate, between 0 and 1.

    Returns
    -------
    A number: 0 for Gaussian columns, up to the sample and the width of the kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import negentropy_contrast
    >>> draw = np.random.default_rng(0)
    >>> negentropy_contrast(draw.uniform(size=(200, 1))) < negentropy_contrast(draw.normal(size=(200, 1)))
    True
    """
    return _contrast("negentropy", Y, lengthscale, 1.0)


def amari_distance(W: Any, A: Any) -> float:
    """Return how far an unmixing matrix is from undoing a mixing matrix: 0 up to order and scale, ``m − 1`` at most.

    Parameters
    ----------
    W : array of shape (m, m)
        The unmixing matrix.
    A : array of shape (m, m)
        The mixing matrix.

    Returns
    -------
    The distance of Amari et al., from 0 to ``m − 1``.

    Examples
    --------
    >>> from mercer import amari_distance
    >>> amari_distance([[0.0, 2.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]])
    0.0
    """
    return _amari_distance(W, A)


__all__ = [
    "KernelCCA",
    "KernelICA",
    "amari_distance",
    "hsic_contrast",
    "kcc_contrast",
    "kgv_contrast",
    "negentropy_contrast",
]
