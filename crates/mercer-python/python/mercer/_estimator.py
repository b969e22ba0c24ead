"""Common parts of all estimators: options, column names, lazy attributes, units of the target, positions."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    check_consistent_length,
    check_is_fitted,
)

from mercer._callbacks import CallbackSupportMixin, reported
from mercer._documents import with_columns
from mercer._kernel_names import is_auto, object_kernel
from mercer._mercer import Inputs, Kernel, Objects
from mercer._parameters import Computed
from mercer._storage import restored, stored
from mercer._tables import as_frame, is_plain_rows, validate_data

#: What is kept of the data of a fit for conformal prediction: not part of pickles.
_DATA = ("_data", "_calibration")


class Estimator(CallbackSupportMixin, BaseEstimator, Computed):
    """An estimator whose work is done by the compiled part."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Let callbacks of scikit-learn see the fits of a class, and document what every fit notes of its columns."""
        super().__init_subclass__(**kwargs)
        if cls.__doc__:
            cls.__doc__ = with_columns(cls.__doc__)
        if "fit" in cls.__dict__:
            cls.fit = reported(cls.__dict__["fit"])

    #: Whether sparse matrices are points, without a dense copy.
    _takes_sparse = False
    #: Whether a fit takes Dask collections, partition by partition.
    _partitioned = False
    #: Attributes that the table of a notebook leaves out, as they mean something else there.
    _not_shown: ClassVar[tuple[str, ...]] = ()
    #: Attributes that are computed at their first use, and forgotten by the next fit.
    _lazy: tuple[str, ...] = ()
    #: Shift and scale of every target: predictions are ``shift + scale·f``. None where y was fitted
    #: as it is.
    _units: tuple[np.ndarray, np.ndarray] | None = None
    #: What a loaded model expects of a table, where its columns have to be encoded.
    _inputs: Inputs | None = None
    #: What a loaded model of several views expects as each of them.
    _of_views: tuple[Inputs, ...] = ()
    #: The kernel of the fit, where it was left to the kind of the points and these are not vectors.
    _auto: Kernel | None = None
    #: The names of the targets, where y has names.
    _target_names: list[str] | None = None

    def _options(self, **changes: Any) -> dict[str, Any]:
        """How to compute, as the compiled part reads it."""
        given = {name: getattr(self, name) for name in ("n_jobs", "random_state", "max_memory", "verbose")}
        given.update(changes)
        if given["max_memory"] is None:
            del given["max_memory"]
        if getattr(self, "max_time", None) is not None:
            given["max_time"] = self.max_time
        if self.__dict__.get("_stages") is not None:
            given["progress"] = self._stages
        return given

    @available_if(lambda self: hasattr(self, "_plan"))
    def explain(self, X: Any, y: Any = None) -> str:
        """Return what a fit of this data would run, before it runs.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or objects
            Data of the size that is meant; the values matter where they are strings, graphs or bags, or a grid.
        y : array, optional
            Targets, where their number or their classes matter.

        Returns
        -------
        The plan: solver, memory, operations and expected time.

        Examples
        --------
        >>> import numpy as np
        >>> from mercer import GaussianProcessRegressor, KernelRidge, KernelRidgeCV
        >>> print(KernelRidge(kernel="gaussian()").explain(np.arange(1500.0).reshape(500, 3)).partition(":")[0])
        Cholesky
        >>> GaussianProcessRegressor("matern(nu=3/2)").explain(np.zeros((10**6, 1))).partition(":")[0]
        'every step of the optimization, state space'
        >>> plan = KernelRidgeCV(kernel="gaussian()", lengthscales=[0.5, 1, 2]).explain(np.zeros((500, 3)))
        >>> print(plan.partition(":")[0])
        3 times, for 19 alphas each
        """
        return self._plan(X, y)

    def diagnose(self, X: Any = None, y: Any = None) -> Any:
        """Return what to look at first, with warnings where something is wrong.

        A regression is judged by its exact leave-one-out residuals, leverages and intervals; a classifier by its solver
        and, where data is given, by its accuracy and its probabilities; a view by what it leaves out.

        Parameters
        ----------
        X, y : array, optional
            Data that the fit has not seen; ``y`` alone is that of the fit.

        Returns
        -------
        A `mercer.Diagnosis`: ``print`` shows it, ``findings`` lists what was found, ``ok`` is False with warnings.
        """
        from mercer._diagnosis.checks import diagnosis_of

        check_is_fitted(self)
        return diagnosis_of(self, X, y)

    def _has_ready(self, name: str) -> bool:
        """Whether an attribute may be shown, and reading it computes nothing."""
        return name not in self._not_shown

    def _facts_html(self) -> str:
        """Return the facts of the fit; nothing before it."""
        try:
            check_is_fitted(self)
        except NotFittedError:
            return ""
        from mercer._model_html import model_html

        return model_html(self)

    def _repr_html_inner(self) -> str:
        """Return scikit-learn's diagram, and below it the facts of the fit."""
        return super()._repr_html_inner() + self._facts_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return what notebooks show, of which the page is the one of ``_repr_html_``."""
        found = super()._repr_mimebundle_(**kwargs)
        if "text/html" in found:
            found["text/html"] += self._facts_html()
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = bool(self._sparse_format())
        return tags

    def _sparse_format(self) -> Any:
        """Return the format of sparse matrices, as scikit-learn's checks take it; False where they are not taken."""
        given = getattr(self, "kernel", None)
        return "csr" if self._takes_sparse and not (isinstance(given, str) and given == "precomputed") else False

    def _forget(self) -> None:
        for name in self._lazy:
            self.__dict__.pop(name, None)

    def _forget_data(self) -> None:
        for name in _DATA:
            self.__dict__.pop(name, None)

    def _fits_in_passes(self, X: Any) -> bool:
        """Whether a fit of this data makes passes over the rows, each of which is a task for callbacks."""
        return False

    def _note_data(self, args: tuple[Any, ...], params: dict[str, Any]) -> None:
        """Note the arguments of a fit, where something is made from them later."""

    def __getstate__(self) -> dict[str, Any]:
        """Return plain data: what is computed at its first use is left out, compiled objects are bytes."""
        state = super().__getstate__()
        left_out = (*self._lazy, *_DATA)
        return {name: stored(value) for name, value in state.items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state."""
        super().__setstate__({name: restored(value) for name, value in state.items()})

    def _read_fit(self, X: Any, y: Any, **checks: Any) -> tuple[np.ndarray, np.ndarray]:
        """Check the data of a fit and note the columns; matrices of doubles come out, without a copy where possible."""
        self._note_targets(target_names(y))
        X = as_frame(X)
        kernel = self._fit_kernel(X)
        if kernel is not None:
            y = _check_y(y, multi_output=checks.get("multi_output", False), y_numeric=True, estimator=self)
            return self._read_objects(kernel, X, y), np.asarray(y, dtype=np.float64)
        accepted = {"accept_sparse": self._sparse_format(), **checks}
        X, y = validate_data(self, X, y, dtype=np.float64, order="C", y_numeric=True, **accepted)
        return X, np.asarray(y, dtype=np.float64)

    def _note_targets(self, names: list[str] | None = None) -> None:
        """Begin a fit: note the names of the targets, which are fitted as they are."""
        self._target_names, self._units, self._inputs = names, None, None

    def _read_alone(self, X: Any, y: Any = None, **checks: Any) -> Any:
        """Check the points of a fit, and note their columns."""
        X = as_frame(X)
        kernel = self._fit_kernel(X)
        if kernel is not None:
            return self._read_objects(kernel, X, y)
        return validate_data(self, X, dtype=np.float64, order="C", accept_sparse=self._sparse_format(), **checks)

    def _object_kernel(self, X: Any = None) -> Kernel | None:
        """Return the kernel, where its points are not vectors."""
        given = getattr(self, "kernel", None)
        return self._auto if is_auto(given) and (X is None or isinstance(X, Objects)) else object_kernel(given, X)

    def _fit_kernel(self, X: Any) -> Kernel | None:
        """Return the kernel of a fit, where its points are not vectors; one that was left to them is noted."""
        self._auto = None
        kernel = self._object_kernel(X)
        self._auto = kernel if is_auto(getattr(self, "kernel", None)) else None
        return kernel

    @property
    def _given_kernel(self) -> Any:
        """The kernel as it is given, or the one that the points of the fit have chosen."""
        kernel = getattr(self, "kernel", None)
        return self._auto if is_auto(kernel) and self._auto is not None else kernel

    def _shape(self, X: Any) -> tuple[int, int]:
        """Return rows and columns of data that is only to be explained; an object counts as one column."""
        return np.shape(X) if self._object_kernel(X) is None else (len(X), 1)

    def _read_objects(self, kernel: Kernel, X: Any, y: Any = None) -> Objects:
        """Check strings, graphs, bags or diagrams of a fit; a former fit may have known columns."""
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
        points = Objects(kernel, X)
        check_consistent_length(points, y)
        return points

    def _validated(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """Check the data of a fit whose targets are classes."""
        X = as_frame(X)
        kernel = self._fit_kernel(X)
        if kernel is not None:
            y = _check_y(y, estimator=self)
            return self._read_objects(kernel, X, y), y
        return validate_data(self, X, y, dtype=np.float64, order="C", accept_sparse=self._sparse_format())

    def _check_fitted(self) -> None:
        """Raise NotFittedError before a fit; scikit-learn's own check takes 10 µs of a fitted estimator."""
        if "_fit" not in self.__dict__:
            check_is_fitted(self)

    def _read(self, X: Any) -> np.ndarray:
        """Check new points against the columns of the fit."""
        if self._is_plain(X):
            return X
        self._check_fitted()
        X = as_frame(X)
        if self._inputs is not None:
            return self._encoded(X)
        kernel = self._auto if self._auto is not None else self._object_kernel(X)
        if kernel is not None:
            return Objects(kernel, X)
        return validate_data(self, X, dtype=np.float64, order="C", reset=False, accept_sparse=self._sparse_format())

    def _fit_points(self, X: Any) -> Any:
        """Return new points as the compiled fit takes them."""
        return self._read(X)

    def _is_plain(self, X: Any) -> bool:
        """Whether new points are rows of finite doubles as the fit had them.

        The usual checks would take longer than the prediction of a few rows.
        """
        known = self.__dict__
        if type(X) is not np.ndarray or "feature_names_in_" in known or self._inputs is not None:
            return False
        return self._auto is None and is_plain_rows(X) and known.get("n_features_in_") == X.shape[1]

    def _encoded(self, X: Any) -> np.ndarray:
        """Make points of a table, as the table of the fit was made into points."""
        return encoded(self._inputs, self._object_kernel(), X)

    def _in_units(self, values: np.ndarray) -> np.ndarray:
        """Return values in the units of y."""
        if self._units is None:
            return values
        shift, scale = self._units
        return shift + scale * values

    def _read_weights(self, sample_weight: Any, X: np.ndarray) -> np.ndarray | None:
        return None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)

    def _column_names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    def _with_columns(self, kernel: Kernel) -> Kernel:
        """Return a kernel with the names of its columns resolved, where the data has names."""
        names = self._column_names()
        return kernel if names is None else kernel.with_column_names(names)


def encoded(inputs: Inputs, kernel: Kernel | None, X: Any, name: str = "X") -> Any:
    """Make points of a table for a kernel on objects or on vectors, as the table of the fit was made into points."""
    if not hasattr(X, "columns") and np.ndim(X) != 2:
        found = "None" if X is None else f"an array of shape {np.shape(X)}"
        raise ValueError(f"{name}: expected a table of shape (n, {len(inputs.names)}), found {found}")
    names = list(X.columns) if hasattr(X, "columns") else inputs.names
    columns = [X[name] for name in names] if hasattr(X, "columns") else list(np.asarray(X).T)
    if len(names) != len(columns):
        raise ValueError(f"{name} has {len(columns)} columns, but the model expects {len(names)}")
    pairs = [(str(name), column_values(values)) for name, values in zip(names, columns, strict=True)]
    points, kept = inputs.encode(pairs) if kernel is None else inputs.encode_objects(kernel, pairs)
    if len(kept) != len(X):
        raise ValueError(f"{len(X) - len(kept)} rows have missing values, which the model leaves out: drop them")
    return points


class OneColumn(Estimator):
    """An estimator on a line: its points are an array of one dimension, or a matrix of one column."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags

    def _read_fit(self, X: Any, y: Any, **checks: Any) -> tuple[np.ndarray, np.ndarray]:
        X, y = super()._read_fit(as_column(X), y, **checks)
        if X.shape[1] != 1:
            raise ValueError(f"{type(self).__name__} takes x of one column, found {X.shape[1]}")
        return X, y

    def _read(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return super()._read(as_column(X))


def as_column(x: Any) -> Any:
    """Make a column of an array of one dimension; leave everything else as it is."""
    if hasattr(x, "to_frame"):
        return x.to_frame() if isinstance(x.name, str) else np.asarray(x).reshape(-1, 1)
    if hasattr(x, "columns") or hasattr(x, "toarray"):
        return x
    shape = None if x is None else np.shape(x)
    if shape is None or len(shape) not in (1, 2):
        found = "None" if shape is None else f"an array of shape {shape}"
        raise ValueError(f"x: expected an array of shape (n,) or (n, 1), found {found}")
    if len(shape) == 2 and shape[1] == 0:
        message = f"0 feature(s) (shape={shape}) while a minimum of 1 is required: x must be of shape (n,) or (n, 1)"
        raise ValueError(message)
    return np.asarray(x).reshape(-1, 1) if len(shape) == 1 else x


def as_given(X: Any) -> Any:
    """Return points as Python has them: objects as a list."""
    return X.to_list() if isinstance(X, Objects) else X


def target_names(y: Any) -> list[str] | None:
    """Return the names of the columns of y, if all of them are names."""
    names = list(y.columns) if hasattr(y, "columns") else [getattr(y, "name", None)]
    return names if all(isinstance(name, str) for name in names) else None


def target_count(y: Any) -> int:
    """Return the number of targets of data that is only to be explained."""
    return 1 if y is None or np.ndim(y) == 1 else np.shape(y)[1]


def column_values(values: Any) -> list[Any]:
    """Return a column of a table as numbers, or as texts with None for a missing value."""
    array = np.asarray(values)
    given = [None if v is None or v != v else v for v in array.tolist()]
    if all(v is None or isinstance(v, (int, float)) for v in given):
        return [np.nan if v is None else float(v) for v in given]
    return [None if v is None else str(v) for v in given]
