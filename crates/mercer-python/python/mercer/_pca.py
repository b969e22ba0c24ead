"""Kernel principal components and classical scaling."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from mercer._dask import is_dask, lazy
from mercer._documents import HOW, filled
from mercer._estimator import as_given
from mercer._learner import LearnerEstimator
from mercer._mercer import AnyFit, pca_preimage, pca_scores
from mercer._parameters import NAMES, KernelNames, check_choice, check_from, check_number, parameters, refuse
from mercer._pictures import Pictured
from mercer._precision import KeepsPrecision, like, precision_of
from mercer._streamed_views import StreamedView

_SOLVERS = ("auto", "dense", "leading", "nystrom", "finite_rank", "streamed", "arpack", "randomized")


@filled(names=NAMES, HOW=HOW)
@parameters
class KernelPCA(KeepsPrecision, Pictured, ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelNames, StreamedView):
    """Kernel principal components: a drop-in replacement for scikit-learn's class, for points of any kind.

    The eigenvectors of the centered kernel matrix ``HKH``; scores of new points are projections onto the directions in
    the space of the kernel along which the points of the fit vary most.

    Dask arrays and data frames are fitted in one pass over their partitions, through ``n_landmarks`` Nyström features
    of a sample of the rows; their scores are Dask collections. The bytes of the fit are those of
    ``eigen_solver="streamed"`` on the same rows in memory.

    Parameters
    ----------
    n_components : int, optional
        Components; all with a positive eigenvalue by default.
    kernel : text, Kernel, name or callable, default="linear"
        A text or a `mercer.Kernel`, on points of any kind; one of scikit-learn's names; ``"precomputed"``; or a
        function of two matrices.
    gamma : float, optional
        For the names: ``1/n_features`` by default.
    {names}
    alpha : float, default=1.0
        Penalty of the ridge regression from scores to points.
    fit_inverse_transform : bool, default=False
        Whether to fit that regression, for ``inverse_transform``.
    eigen_solver : {"auto", "dense", "leading", "nystrom", "finite_rank", "streamed", ...}, default="auto"
        By size and memory; all eigenvectors; the leading ones by products (``"arpack"`` and ``"randomized"`` are the
        same); through landmarks, an approximation whose error is reported; or, exactly, in the features of a kernel
        that has few of them, such as ``"linear"`` (chosen by ``"auto"`` where it is faster). ``"streamed"`` chooses
        the landmarks in 10 000 rows (10 for each where that is more) and goes over all rows once, which is how Dask
        collections are fitted; it keeps nothing of the rows (no ``X_fit_``, no ``eigenvectors_``).
    n_landmarks : int, optional
        Landmarks of ``"nystrom"`` and ``"streamed"``, at most; 500 for ``"streamed"`` by default.
    tol : float, default=0
        Not used: eigenvectors are computed to rounding.
    max_iter : int, optional
        Not used.
    iterated_power : int or "auto", default="auto"
        Not used.
    remove_zero_eig : bool, default=False
        Whether components with an eigenvalue of 0 are left out.
    random_state : int, RandomState instance or None, default=None
        The seed of landmarks.
    copy_X : bool, default=True
        Whether ``X_fit_`` is a copy.
    {HOW}

    Attributes
    ----------
    eigenvalues_ : array of shape (n_components,)
        Eigenvalues of the centered kernel matrix, descending.
    eigenvectors_ : array of shape (n_samples, n_components)
        Its eigenvectors; the entry of each that is largest in absolute value is positive.
    explained_variance_ratio_ : array of shape (n_components,)
        The eigenvalues over the sum of all.
    reconstruction_error_ : float
        The sum of the eigenvalues that are left out.
    trace_missed_ : float or None
        The part of the trace of the kernel matrix that landmarks miss, where there are some.
    X_fit_ : array or list
        The points of the fit.
    X_transformed_fit_ : array of shape (n_samples, n_components)
        Their scores, if ``fit_inverse_transform``.
    dual_coef_ : array of shape (n_samples, n_features)
        The coefficients of the regression from scores to points, if ``fit_inverse_transform``.
    gamma_ : float or None
        What ``gamma`` is.
    kernel_ : Kernel
        The kernel, with medians and names resolved.
    solver_ : str
        What was run.

    Examples
    --------
    >>> from mercer import KernelPCA
    >>> pca = KernelPCA(1, kernel="linear()").fit([[0.0], [1.0], [5.0]])
    >>> pca.eigenvalues_.round(12), pca.transform([[3.0]]).round(12)  # around the mean 2
    (array([14.]), array([[1.]]))
    """

    _takes_sparse = True
    #: It counts for pre-images alone.
    _not_shown = ("alpha",)

    _learner = "pca"
    _streamed_learner = "streamed_pca"
    _setting_names: ClassVar[dict[str, str]] = {"n_components": "components", "remove_zero_eig": "remove_zero"}
    _fact_names: ClassVar[dict[str, str]] = {
        "eigenvalues_": "eigenvalues",
        "eigenvectors_": "eigenvectors",
        "explained_variance_ratio_": "explained_variance_ratio",
        "reconstruction_error_": "reconstruction_error",
        "solver_": "solver",
    }

    n_components: int | None = None
    _: KW_ONLY
    kernel: Any = "linear"
    alpha: float = 1.0
    fit_inverse_transform: bool = False
    eigen_solver: str = "auto"
    n_landmarks: int | None = None
    tol: float = 0
    max_iter: int | None = None
    iterated_power: Any = "auto"
    remove_zero_eig: bool = False
    copy_X: bool = True

    def _settings(self) -> dict[str, Any]:
        check_choice("eigen_solver", self.eigen_solver, *_SOLVERS)
        check_from("alpha", self.alpha, 0.0)
        renamed = {"arpack": "leading", "randomized": "leading", "streamed": "auto"}
        solver = renamed.get(self.eigen_solver, self.eigen_solver)
        inverse = self.alpha if self.fit_inverse_transform else None
        settings = {**super()._settings(), "solver": solver, "landmarks": self.n_landmarks, "inverse": inverse}
        # scikit-learn takes such a matrix, and refuses negative eigenvalues that are not rounding.
        return {**settings, "indefinite": self.kernel in ("sigmoid", "precomputed") or callable(self.kernel)}

    def fit(self, X: Any, y: Any = None) -> KernelPCA:
        """Find the components.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), objects of the kernel's kind, or Dask array or data frame
            Points, or for ``kernel="precomputed"`` the matrix of kernel values.
        y : None
            Not used.

        Returns
        -------
        The fitted estimator.
        """
        if is_dask(X) or self.eigen_solver == "streamed":
            return self._fit_streamed(X)
        if self.fit_inverse_transform and self.kernel == "precomputed":
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        X = self._read_points(X)
        fit = self._learn(X)
        self.X_fit_ = as_given(X)
        self.gamma_ = self.gamma
        if self.kernel in ("rbf", "poly", "sigmoid", "laplacian") and self.gamma is None:
            self.gamma_ = 1.0 / self.n_features_in_
        self._adopt(fit)
        return self

    def _fit_streamed(self, X: Any) -> KernelPCA:
        """Find the components through features."""
        if self._settings()["solver"] not in ("auto", "nystrom"):
            refuse("eigen_solver", self.eigen_solver, "'auto', 'nystrom' or 'streamed' for Dask collections")
        if self.fit_inverse_transform:
            raise ValueError("fit_inverse_transform needs the points of the fit: a streamed fit keeps none")
        fit = self._learn_streamed(X)
        self.gamma_ = self.gamma
        self._adopt(fit)
        return self

    def _streamed_settings(self) -> dict[str, Any]:
        return {"components": self.n_components}

    def _adopt(self, fit: AnyFit) -> None:
        if fit.kind == self._streamed_learner:
            self._adopt_streamed(fit)
            return
        super()._adopt(fit)
        self.trace_missed_ = fit.fact("trace_missed") if "trace_missed" in fit.meanings else None
        scores, dual = pca_scores(fit)
        self._scores = scores
        if dual is not None:
            self.X_transformed_fit_, self.dual_coef_ = scores, dual

    def _adopt_streamed(self, fit: AnyFit) -> None:
        """Take over the facts of a fit through features, which has none of the rows."""
        self._fit = fit
        for name in ("eigenvalues", "explained_variance_ratio", "reconstruction_error", "trace_missed"):
            setattr(self, f"{name}_", fit.fact(name))
        self.kernel_, self.solver_, self._scores = fit.kernel, "streamed", None

    @classmethod
    def _of_settings(cls, settings: dict[str, Any]) -> KernelPCA:
        model = super()._of_settings(settings)
        if "feature_count" in settings:
            return model.set_params(eigen_solver="streamed", n_landmarks=int(settings["feature_count"]))
        if "landmarks" in settings:
            model.n_landmarks = int(settings["landmarks"])
        if "inverse" in settings:
            model.set_params(fit_inverse_transform=True, alpha=settings["inverse"])
        return model.set_params(eigen_solver=settings.get("solver", "auto"))

    @property
    def _n_features_out(self) -> int:
        return self.eigenvalues_.shape[0]

    def _restore(self, fit: AnyFit, state: dict[str, Any]) -> None:
        self.gamma_ = state.get("gamma", self.gamma)
        if fit.kind != self._streamed_learner:
            self.X_fit_ = fit.points()
        super()._restore(fit, state)

    def _saved(self) -> tuple[AnyFit, dict[str, Any]]:
        return super()._saved()[0], {"gamma": self.gamma_}

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> np.ndarray:
        """Find the components and return the scores of the points.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernel's kind
            Points.
        y : None
            Not used.
        **params : dict
            Not used.

        Returns
        -------
        An array of shape (n_samples, n_components).
        """
        self.fit(X, **params)
        if self._scores is None:
            return self.transform(X)
        return like(X, self._scores)

    def transform(self, X: Any) -> np.ndarray:
        """Return the scores of points.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernel's kind
            Points; for ``kernel="precomputed"`` their kernel values with the points of the fit.

        Returns
        -------
        An array of shape (n_samples, n_components).
        """
        self._check_fitted()
        if is_dask(X):
            return lazy(self, "transform", X, self._n_features_out, precision_of(X))
        return like(X, self._fit.transform(self._new_points(X), **self._options()))

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Return points that belong to scores, by the regression of the fit.

        Parameters
        ----------
        X : array of shape (n_samples, n_components)
            Scores.

        Returns
        -------
        An array of shape (n_samples, n_features).
        """
        self._check_fitted()
        if not self.fit_inverse_transform:
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(
                "The fit_inverse_transform parameter was not set to True when instantiating and hence the inverse "
                "transform is not available."
            )
        return like(X, pca_preimage(self._fit, X, "ridge", self.alpha, **self._options())[0])

    def preimage(self, Z: Any, method: str = "fixed_point") -> np.ndarray:
        """Return points whose images are near the elements with these scores.

        Parameters
        ----------
        Z : array of shape (n_samples, n_components)
            Scores.
        method : {"fixed_point", "ridge"}, default="fixed_point"
            The iteration of Mika et al., for Gaussian kernels; or a ridge regression with the penalty ``alpha``.

        Returns
        -------
        An array of shape (n_samples, n_features).
        """
        self._check_fitted()
        check_choice("method", method, "fixed_point", "ridge")
        check_number("alpha", self.alpha)
        if self._fit.kind == self._streamed_learner:
            raise ValueError("a pre-image needs the points of the fit: a streamed fit keeps none")
        return like(Z, pca_preimage(self._fit, Z, method, self.alpha, **self._options())[0])

    def score_samples(self, X: Any) -> np.ndarray:
        """Return how novel points are: squared distances from the span of the components, in the kernel's space.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernel's kind
            Points.

        Returns
        -------
        An array of shape (n_samples,); large is novel.
        """
        self._check_fitted()
        if is_dask(X):
            return lazy(self, "score_samples", X, None)
        if getattr(self, "_outside", None) is not None or self.kernel == "precomputed":
            raise ValueError("score_samples needs k(x, x) of new points: use a kernel of the language")
        return self._fit.novelty(self._new_points(X), **self._options())


@filled(HOW=HOW)
@parameters
class ClassicalScaling(KeepsPrecision, Pictured, ClassNamePrefixFeaturesOutMixin, TransformerMixin, LearnerEstimator):
    """Classical scaling: coordinates whose squared distances are the values of a negative-definite kernel.

    Parameters
    ----------
    n_components : int, default=2
        Coordinates.
    kernel : text or Kernel, default="sqdist()"
        A negative-definite kernel, such as ``sqdist()``, ``distance(power=1)``, ``log_distance()`` or, on bags,
        ``squared_mmd(k)``; ``"precomputed"`` for a matrix of squared distances.
    allow_indefinite : bool, default=False
        Whether a kernel that is known not to be negative definite is accepted.
    random_state : int, RandomState instance or None, default=None
        The seed of the iteration for the leading eigenvectors.
    {HOW}

    Attributes
    ----------
    embedding_ : array of shape (n_samples, n_components)
        The coordinates.
    eigenvalues_ : array of shape (n_components,)
        Eigenvalues of the centered matrix ``−HDH/2``, descending.
    negative_part_ : float
        The sizes of the negative eigenvalues over those of all: 0 where the distances are Euclidean.
    stress_ : float
        Kruskal's stress of the distances.
    kernel_ : Kernel
        The kernel, with medians and names resolved.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import ClassicalScaling
    >>> line = ClassicalScaling(1, kernel="precomputed").fit([[0.0, 9.0], [9.0, 0.0]])
    >>> np.abs(line.embedding_[:, 0] - line.embedding_[::-1, 0]).round(12)
    array([3., 3.])
    """

    _learner = "scaling"
    _takes_sparse = True
    _setting_names: ClassVar[dict[str, str]] = {"n_components": "components", "allow_indefinite": "indefinite"}
    _fact_names: ClassVar[dict[str, str]] = {
        "embedding_": "embedding",
        "eigenvalues_": "eigenvalues",
        "negative_part_": "negative_part",
        "stress_": "stress",
    }

    n_components: int = 2
    _: KW_ONLY
    kernel: Any = "sqdist()"
    allow_indefinite: bool = False

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]

    def fit(self, X: Any, y: Any = None) -> ClassicalScaling:
        """Find the coordinates.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernel's kind
            Points, or for ``kernel="precomputed"`` their squared distances.
        y : None
            Not used.

        Returns
        -------
        The fitted estimator.
        """
        if callable(self.kernel) and not hasattr(self.kernel, "proof"):
            refuse("kernel", self.kernel, "a kernel of the language, or 'precomputed'")
        self._adopt(self._learn(self._read_points(X)))
        return self

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> np.ndarray:
        """Find the coordinates and return them.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernel's kind
            Points.
        y : None
            Not used.
        **params : dict
            Not used.

        Returns
        -------
        An array of shape (n_samples, n_components).
        """
        return like(X, self.fit(X, **params).embedding_)

    def transform(self, X: Any) -> np.ndarray:
        """Return the coordinates of new points, by Gower's formula.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects of the kernel's kind
            Points; for ``kernel="precomputed"`` their squared distances from the points of the fit.

        Returns
        -------
        An array of shape (n_samples, n_components).
        """
        self._check_fitted()
        return like(X, self._fit.transform(self._new_points(X), **self._options()))
