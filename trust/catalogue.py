"""Every estimator and every test, with calls that suit it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import mercer

ON_A_LINE = ("SmoothingSpline", "LocalLinear")
CLASSIFIERS = (
    "BinnedClassifier",
    "ConformalClassifier",
    "KernelLogisticRegression",
    "MultipleKernelClassifier",
    "NuSVC",
    "SVC",
    "SVCCV",
    "StreamedKernelLogisticRegression",
)
ANSWERS = ("predict", "transform", "decision_function", "predict_proba", "score_samples")


@cache
def estimators() -> tuple[str, ...]:
    """Return the names of all estimators."""
    from sklearn.base import BaseEstimator

    found = []
    for name in sorted(mercer.__all__):
        value = getattr(mercer, name)
        if inspect.isclass(value) and issubclass(value, BaseEstimator):
            found.append(name)
    return tuple(found)


def settings(name: str) -> dict[str, Any]:
    """Return settings with which an estimator is quick and has nothing random."""
    accepted = inspect.signature(getattr(mercer, name)).parameters
    wanted: dict[str, Any] = {"random_state": 0, "n_jobs": 1, "n_init": 2, "n_clusters": 2}
    if name == "CoupledKernelEmbedding":
        wanted["affinity"] = "pairs"
    if name in ("KernelPCA", "ClassicalScaling"):
        wanted["n_components"] = 1
    if name == "KernelICA":
        wanted["n_components"] = None
    return {key: value for key, value in wanted.items() if key in accepted}


def accepted(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that an estimator has."""
    known = inspect.signature(getattr(mercer, name)).parameters
    return {key: value for key, value in options.items() if key in known}


def fit(name: str, x: np.ndarray, y: np.ndarray, classes: np.ndarray, weights: Any = None, **changes: Any) -> Any:
    """Fit an estimator to points with the targets that it takes."""
    model = getattr(mercer, name)(**{**settings(name), **changes})
    given = {} if weights is None else {"sample_weight": weights}
    if name in ("CoupledKernelEmbedding", "KernelCCA"):
        return model.fit(x, x + 0.1 * y[:, None], **given)
    if name in ON_A_LINE:
        return model.fit(x[:, 0], y, **given)
    return model.fit(x, classes if name in CLASSIFIERS else y, **given)


def answers(name: str, model: Any, x: np.ndarray) -> dict[str, np.ndarray]:
    """Return what a fitted estimator computes for points, by method."""
    at = x[:, 0] if name in ON_A_LINE else x
    found = {}
    for method in ANSWERS:
        if hasattr(model, method):
            arguments = ([at, at],) if name == "KernelCCA" else (at,)
            for part, value in enumerate(as_list(getattr(model, method)(*arguments))):
                found[f"{method}{part or ''}"] = value
    return found


def as_list(value: Any) -> list[np.ndarray]:
    """Return arrays of numbers; sparse matrices by their entries, labels of text left out."""
    values = value if isinstance(value, (list, tuple)) else [value]
    arrays = [np.asarray(v.data if hasattr(v, "tocsr") else v) for v in values]
    return [a for a in arrays if a.dtype.kind in "fiub"]


def takes_weights(name: str) -> bool:
    """Whether an estimator has weights of rows."""
    return "sample_weight" in inspect.signature(getattr(mercer, name).fit).parameters


def tests() -> dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray, dict[str, Any]], Any]]:
    """Return every test as a function of three samples with the same number of rows."""
    two = mercer.two_sample_test
    one = mercer.independence_test
    given = mercer.conditional_independence_test
    samples: dict[str, Any] = {}
    methods = ("aggregated", "permutation", "paired", "sequential", "fused", "split", "features")
    for method in (*methods, "gamma", "spectral", "linear", "block", "bound"):
        samples[f"two_sample_{method}"] = lambda x, y, z, o, m=method: two(x, y, method=m, **blocks(m), **o)
    for method in ("permutation", "sequential", "gamma", "aggregated", "features"):
        samples[f"independence_{method}"] = lambda x, y, z, o, m=method: one(x, y, method=m, **o)
    samples["independence_wild"] = lambda x, y, z, o: one(x, y, method="aggregated", wild=True, **o)
    samples["joint"] = lambda x, y, z, o: mercer.joint_independence_test([x, y, z], **o)
    samples["interaction"] = lambda x, y, z, o: mercer.interaction_test(x, y, z, **o)
    for method in ("permutation", "gamma"):
        samples[f"conditional_{method}"] = lambda x, y, z, o, m=method: given(x, y, z, method=m, **o)
    samples["goodness_of_fit"] = lambda x, y, z, o: mercer.goodness_of_fit_test(x, "normal()", **o)
    return samples


def blocks(method: str) -> dict[str, Any]:
    """Return the size of a block where one is used: small samples have few."""
    return {"block_size": 4} if method == "block" else {}
