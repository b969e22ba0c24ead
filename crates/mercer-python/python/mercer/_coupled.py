"""Coupled kernel embedding: two modes of the same objects in one space."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from mercer._cca import _view, encoder_of, first_view, forget_file, row_count
from mercer._documents import HOW, filled
from mercer._kernel_names import view_kernel
from mercer._kernels import refuse_functions
from mercer._learner import LearnerEstimator
from mercer._mercer import Kernel, Learner, coupled_matches
from mercer._parameters import check_choice, check_count, check_from, check_kinds, parameters
from mercer._pictures import Pictured
from mercer._precision import like


@filled(HOW=HOW)
@parameters
class CoupledKernelEmbedding(Pictured, LearnerEstimator):
    """Coupled kernel embedding: two modes of objects, such as images of low and high resolution, in one space.

    Minimizes ``Σ W_ij‖f(x_i) − g(y_j)‖²`` over functions of the low and the high points; then points of one mode are
    matched with points of the other by distance (Ren, Dai and Yan 2012).

    Parameters
    ----------
    n_components : int, default=2
        The dimension of the embedding.
    kernel_low : text or Kernel, default="gaussian(lengthscale=median)"
        The kernel of the low points.
    kernel_high : text or Kernel, default="gaussian(lengthscale=median)"
        The kernel of the high points.
    reg : float, default=1e-6
        What is added to the squared kernel matrices.
    affinity : {"auto", "class", "neighbors", "pairs"}, default="auto"
        Which points belong together: those of one class, those whose objects are neighbors, or row ``i`` with row
        ``i``; ``"auto"`` is ``"class"`` where ``fit`` has the labels of both modes, else ``"pairs"``. A matrix ``W``
        of ``fit`` replaces it.
    n_neighbors : int, default=5
        Neighbors of an object, for ``affinity="neighbors"``.
    random_state : int, RandomState instance or None, default=None
        The seed of landmarks.
    {HOW}

    Attributes
    ----------
    eigenvalues_ : array of shape (n_components,)
        The smallest eigenvalues, ascending.
    objective_ : float
        Their sum.
    embedding_low_ : array of shape (n_low, n_components)
        The coordinates of the low points.
    embedding_high_ : array of shape (n_high, n_components)
        The coordinates of the high points.
    kernel_low_ : Kernel
        The kernel of the low points, with medians resolved.
    kernel_high_ : Kernel
        The kernel of the high points.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import CoupledKernelEmbedding
    >>> low, high = np.array([[0.0], [0.1], [5.0], [5.1]]), np.array([[7.0, 1.0], [7.2, 1.0], [1.0, 9.0], [1.0, 9.1]])
    >>> model = CoupledKernelEmbedding(1).fit(low, high, [0, 0, 1, 1], [0, 0, 1, 1])
    >>> model.score([[0.05], [5.05]], [0, 1], high, [0, 0, 1, 1])
    1.0
    """

    _learner = "coupled"
    _takes_sparse = True
    _setting_names: ClassVar[dict[str, str]] = {
        "n_components": "components",
        "reg": "reg",
        "affinity": "affinity",
        "n_neighbors": "neighbors",
    }
    _fact_names: ClassVar[dict[str, str]] = {
        "eigenvalues_": "eigenvalues",
        "objective_": "objective",
        "embedding_low_": "embedding_low",
        "embedding_high_": "embedding_high",
    }

    n_components: int = 2
    kernel_low: Any = "gaussian(lengthscale=median)"
    kernel_high: Any = "gaussian(lengthscale=median)"
    reg: float = 1e-6
    affinity: str = "auto"
    _: KW_ONLY
    n_neighbors: int = 5

    def _settings(self) -> dict[str, Any]:
        check_kinds(self)
        check_count("n_components", self.n_components, 1)
        check_from("reg", self.reg, 0.0)
        check_choice("affinity", self.affinity, "auto", "class", "neighbors", "pairs", "given")
        settings = super()._settings()
        return {**settings, "affinity": "pairs"} if self.affinity == "auto" else settings

    def fit(
        self, X_low: Any, X_high: Any, labels_low: Any = None, labels_high: Any = None, W: Any = None
    ) -> CoupledKernelEmbedding:
        """Find the embedding.

        Parameters
        ----------
        X_low : array of shape (n_low, n_features), or objects
            The points of the low mode.
        X_high : array of shape (n_high, n_features), or objects
            The points of the high mode.
        labels_low : array of shape (n_low,), optional
            The classes of the low points.
        labels_high : array of shape (n_high,), optional
            The classes of the high points.
        W : array of shape (n_low, n_high), optional
            How much points belong together, at least 0.

        Returns
        -------
        The fitted estimator.
        """
        forget_file(self)
        settings = self._settings()
        refuse_functions("kernel_low and kernel_high", [self.kernel_low, self.kernel_high])
        low, high = view_kernel(self.kernel_low, X_low), view_kernel(self.kernel_high, X_high)
        x, y = first_view(self, X_low, low, reset=True, least=2), _view(X_high, high, "X_high")
        labels = None
        if W is not None:
            settings["affinity"] = "given"
        elif labels_low is not None and labels_high is not None:
            check_consistent_length(x, labels_low)
            check_consistent_length(y, labels_high)
            together = np.concatenate([np.asarray(labels_low), np.asarray(labels_high)])
            codes = np.unique(together, return_inverse=True)[1].ravel()
            labels = [codes[: len(labels_low)].tolist(), codes[len(labels_low) :].tolist()]
            if self.affinity == "auto":
                settings["affinity"] = "class"
        learner = Learner(self._learner, {"kernel_low": low, "kernel_high": high, **settings})
        fit = learner.fit([x, y], [low, high], labels=labels, affinity=W, **self._options())
        self._adopt(fit)
        return self

    def _adopt(self, fit: Any) -> None:
        self._fit = fit
        for attribute, fact in self._fact_names.items():
            setattr(self, attribute, fit.fact(fact))
        self.kernel_low_, self.kernel_high_ = Kernel(fit.fact("kernel_low")), Kernel(fit.fact("kernel_high"))

    def _low(self, X: Any) -> Any:
        inputs = encoder_of(self, 0)
        if inputs is None:
            return first_view(self, X, self.kernel_low_, reset=False)
        return _view(X, self.kernel_low_, "X_low", inputs)

    def _high(self, X: Any, name: str) -> Any:
        return _view(X, self.kernel_high_, name, encoder_of(self, 1))

    def transform_low(self, X: Any) -> np.ndarray:
        """Return the coordinates of low points.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects
            Points of the low mode.

        Returns
        -------
        An array of shape (n_samples, n_components).
        """
        check_is_fitted(self)
        points = self._low(X)
        return like(X, self._fit.transform(points, view=0, kernel=self.kernel_low_, **self._options()))

    def transform_high(self, X: Any) -> np.ndarray:
        """Return the coordinates of high points.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects
            Points of the high mode.

        Returns
        -------
        An array of shape (n_samples, n_components).
        """
        check_is_fitted(self)
        points = self._high(X, "X_high")
        return like(X, self._fit.transform(points, view=1, kernel=self.kernel_high_, **self._options()))

    def match(self, X_low: Any, gallery_high: Any, k: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return the nearest points of a gallery of the high mode.

        Parameters
        ----------
        X_low : array of shape (n_low, n_features), or objects
            Points of the low mode.
        gallery_high : array of shape (n_gallery, n_features), or objects
            Points of the high mode.
        k : int, default=1
            Matches of every point.

        Returns
        -------
        Indices and distances, both of shape (n_low, k), the nearest first.
        """
        check_is_fitted(self)
        check_count("k", k, 1)
        low, high = self._low(X_low), self._high(gallery_high, "gallery_high")
        return coupled_matches(self._fit, low, high, k, **self._options())

    def score(self, X_low: Any, y_low: Any, gallery_high: Any, y_high: Any) -> float:
        """Return the share of low points whose nearest point of the gallery has their label.

        Parameters
        ----------
        X_low : array of shape (n_low, n_features), or objects
            Points of the low mode.
        y_low : array of shape (n_low,)
            Their labels.
        gallery_high : array of shape (n_gallery, n_features), or objects
            Points of the high mode.
        y_high : array of shape (n_gallery,)
            Their labels.

        Returns
        -------
        A number from 0 to 1.
        """
        nearest = self.match(X_low, gallery_high)[0][:, 0]
        check_consistent_length(nearest, y_low)
        check_consistent_length(gallery_high, y_high)
        return float(np.mean(np.asarray(y_high)[nearest] == np.asarray(y_low)))

    def explain(self, X_low: Any, X_high: Any = None) -> str:
        """Return what a fit of this data would run, before it runs.

        Parameters
        ----------
        X_low : array
            Low points of the number that is meant.
        X_high : array, optional
            High points.

        Returns
        -------
        The plan: solver, memory, operations and expected time.
        """
        shapes = [(row_count(X_low), 1), (row_count(X_low if X_high is None else X_high), 1)]
        return Learner(self._learner, self._settings()).plan(shapes, **self._options(timed=True))

    @classmethod
    def _of_settings(cls, settings: dict[str, Any]) -> Any:
        model = super()._of_settings(settings)
        model.kernel_low, model.kernel_high = settings.get("kernel_low"), settings.get("kernel_high")
        return model
