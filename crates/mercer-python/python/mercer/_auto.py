"""One search over learners, kernels, lengthscales and regularization: the one of ``mercer fit auto``."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _num_samples, check_array, check_consistent_length

from mercer._estimator import column_values, target_names
from mercer._kernel_names import auto_kernel
from mercer._mercer import AutomaticSearch, Objects
from mercer._models import assembled
from mercer._parameters import check_above, check_choice, check_count, check_flag
from mercer._search import SearchTable
from mercer._tables import refuse_dask

_TASKS = {"auto": None, "numbers": False, "regression": False, "classes": True, "classification": True}


def auto(
    X: Any,
    y: Any,
    kernels: Any = None,
    learners: Any = None,
    cv: Any = None,
    max_time: float | None = None,
    random_state: Any = 0,
    *,
    task: str = "auto",
    lengthscales: Any = None,
    sample_weight: Any = None,
    screening: bool = True,
    max_rows: int | None = None,
    n_jobs: int | None = None,
    max_memory: int | str | None = None,
    verbose: bool = False,
) -> Any:
    """Choose a learner, its kernel and its regularization, and fit it on all rows: as ``mercer fit auto``.

    Columns are standardized, categories become indicators. Numbers: ridge regression with linear, Gaussian, Matérn and
    (for few columns) additive kernels by leave-one-out, and for one column a smoothing spline. Classes: support vector
    machine and logistic regression by the errors of folds.

    Parameters
    ----------
    X : data frame, array of shape (n_samples, n_features), or objects
        The points: strings, graphs, bags and diagrams are searched with the kernels of their kind.
    y : array of shape (n_samples,) or (n_samples, n_targets)
        Numbers or classes.
    kernels : list of texts or Kernels, optional
        The kernels to choose from.
    learners : list of str, optional
        Learners of the catalogue: of ``"ridge"``, ``"spline"``, ``"svr"``, ``"gaussian_process"``, or of ``"svc"``,
        ``"logistic"``.
    cv : int, "loo" or "gcv", optional
        Folds, or the criterion of ridge regression; leave-one-out and 5 folds (for classes) without it.
    max_time : float, optional
        Seconds for the whole search and the fit: after half of them the best candidate so far is taken.
    random_state : int, default=0
        The seed of samples and folds.
    task : {"auto", "numbers", "classes"}, default="auto"
        What y holds; ``"auto"`` takes texts and booleans as classes and everything else as numbers.
    lengthscales : list of float, optional
        The lengthscales to choose from; without it a grid around the median distance, extended where needed.
    sample_weight : array of shape (n_samples,), optional
        Weights of the rows.
    screening : bool, default=True
        Whether candidates that are clearly worse on a part of the rows are dropped.
    max_rows : int, optional
        Rows of the selection; without it 1000 (400 and a comparison on more from 3000 on), 4000 for classes.
    n_jobs, max_memory, verbose
        How to compute: threads (all by default), bytes or text such as ``"2GB"``, a progress bar.

    Returns
    -------
    A fitted estimator of this package, whose attribute ``search_`` is a `SearchTable`.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = mercer.auto(X[:, :3], X[:, 3])
    >>> type(model).__name__, model.search_.criterion
    ('KernelRidge', 'loo')
    >>> model.search_.results_[0]["score"] < 0.04
    True
    """
    refuse_dask("mercer.auto", X=X, y=y, sample_weight=sample_weight)
    check_choice("task", task, *_TASKS)
    check_flag("screening", screening)
    if isinstance(cv, Integral):
        check_count("cv", cv, 2, ', "loo" or "gcv"')
    if max_rows is not None:
        check_count("max_rows", max_rows, 1)
    if max_time is not None:
        check_above("max_time", max_time, 0)
    check_consistent_length(X, y)
    search = AutomaticSearch(
        learners=None if learners is None else list(learners),
        kernels=None if kernels is None else list(kernels),
        lengthscales=lengthscales,
        scoring=cv,
        folds=int(cv) if isinstance(cv, Integral) else 5,
        screening=screening,
        rows=max_rows,
    )
    options = {"n_jobs": n_jobs, "random_state": random_state, "verbose": verbose}
    options |= {} if max_memory is None else {"max_memory": max_memory}
    options |= {} if max_time is None else {"max_time": max_time}
    weights = None
    if sample_weight is not None:
        weights = _check_sample_weight(sample_weight, np.empty((_num_samples(X), 1)), dtype=np.float64)
    targets, classes = _targets(y, task)
    found = search.fit(**_points(X), **targets, sample_weight=weights, seconds=max_time, **options)
    names = None if classes is None else [str(label) for label in classes]
    model = assembled(found["fit"], found["inputs"], {}, names, found["settings"])
    if not hasattr(X, "columns"):
        model.__dict__.pop("feature_names_in_", None)
    if classes is not None:
        model.classes_ = classes
    model._target_names = target_names(y)
    model._data = (X, y, weights, False)
    model.search_ = _table(found)
    return model


def _targets(y: Any, task: str) -> tuple[dict[str, Any], np.ndarray | None]:
    """Return the targets as the compiled part takes them, and the labels of classes."""
    values = np.asarray(y)
    wanted = _TASKS[task]
    if wanted if wanted is not None else values.dtype.kind in "OUSb":
        check_classification_targets(values)
        classes, labels = np.unique(values.ravel(), return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"y has one class only, {classes.tolist()}: at least 2 are needed")
        return {"labels": labels.tolist(), "classes": [str(label) for label in classes]}, classes
    numbers = check_array(values, ensure_2d=False, dtype=np.float64, input_name="y")
    return {"y": numbers[:, np.newaxis] if numbers.ndim == 1 else numbers}, None


def _points(X: Any) -> dict[str, Any]:
    """Return columns of a table, or objects."""
    if hasattr(X, "columns"):
        return {"columns": [(str(name), column_values(X[name])) for name in X.columns]}
    kernel = auto_kernel(X)
    if kernel is not None:
        return {"X": X if isinstance(X, Objects) else Objects(kernel, X)}
    X = check_array(X, dtype=np.float64)
    return {"columns": [(f"x{j}", column.tolist()) for j, column in enumerate(X.T)]}


def _table(found: dict[str, Any]) -> SearchTable:
    known = ("learner", "score", "criterion", "measure", "rows", "fits", "complete", "remarks")
    surface = found.get("surface")
    if surface is not None:
        surface = {
            "scores": surface["scores"],
            "rows": list(surface["lengthscales"]),
            "columns": list(surface["alphas"]),
            "best": tuple(surface["best"]),
            "names": {
                "rows": "lengthscale",
                "columns": "alpha",
                "scores": "mean squared error",
                "title": surface["kernel"],
            },
        }
    given = {name: found[name] for name in known if name in found}
    screened_rows, screened = found.get("screened", (None, []))
    given |= {"screened_rows": screened_rows, "screened_": screened}
    return SearchTable(results_=found.get("results", []), n_samples=found.get("of"), surface=surface, **given)
