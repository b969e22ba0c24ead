"""The settings of model files as parameters of estimators: one table per estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer._kernel_names import as_parameter

#: What a run takes is not part of a model: files are the same for every number of threads, memory
#: and time.
RUN = ("n_jobs", "max_memory", "max_time", "verbose", "cache_size")

Settings = dict[str, Any]
#: A parameter from the settings; None of the settings that it needs gives ``NotImplemented``.
Reader = Callable[[Settings], Any]


def of(name: str, kind: Callable[[Any], Any] = lambda value: value, default: Any = NotImplemented) -> Reader:
    """Read one setting, or give what its absence means."""
    return lambda settings: kind(settings[name]) if name in settings else default


def word(name: str, words: dict[str, str] | None = None) -> Reader:
    """Read a setting whose words are others here."""
    return of(name, lambda value: (words or {}).get(value, value))


def _one_or_all(values: list[float]) -> Any:
    return values[0] if len(values) == 1 else values


def _loss(settings: Settings) -> Any:
    return settings["loss"].partition("(")[0] if "loss" in settings else "quantile"


def _loss_number(name: str, default: float) -> Reader:
    """Read a number of the loss: ``huber(delta=0.5)``."""

    def read(settings: Settings) -> float:
        given = settings.get("loss", "").partition("(")[2].rstrip(")").partition("=")
        return float(given[2]) if given[0] == name else default

    return read


def _quantile(settings: Settings) -> Any:
    return settings["levels"] if "levels" in settings else _loss_number("level", 0.5)(settings)


def _smoothing(settings: Settings) -> Any:
    return settings.get("lambda", settings["smoothing"]) if settings["smoothing"] != "degrees_of_freedom" else "gcv"


def _centered(name: str, plain: str, kind: Callable[[Any], Any]) -> Reader:
    """Read a number of the iteration: that of the centers where there are some."""
    return lambda settings: of(name if name in settings else plain, kind)(settings)


#: Parameters that mean the same everywhere.
_ANY: dict[str, Reader] = {"kernel": of("kernel", as_parameter), "random_state": of("seed", int)}
_CENTERS: dict[str, Reader] = {
    "n_centers": of("centers", int),
    "landmarks": of("landmarks"),
    "validation_fraction": of("held_out"),
    "n_iter_no_change": of("held_out_patience", int),
}
_SOLVER: dict[str, Reader] = {
    "tol": of("tolerance"),
    "max_iter": of("max_iterations", int, -1),
    "allow_indefinite": of("indefinite"),
}
_CLASSIFIER: dict[str, Reader] = {
    **_ANY,
    **_SOLVER,
    "class_weight": of("class_weights"),
    "multi_class": word("scheme", {"one_versus_one": "ovo", "one_versus_rest": "ovr"}),
    "break_ties": of("break_ties"),
    "probability": lambda settings: "calibration" in settings,
    "calibration": of("calibration"),
    "calibration_cv": of("calibration_folds", int),
    "fit_intercept": of("offset"),
}
_PENALIZED: dict[str, Reader] = {
    **_ANY,
    **_CENTERS,
    "alpha": of("lambda"),
    "fit_intercept": of("intercept"),
    "solver": word("solver", {"newton_conjugate_gradients": "newton-cg"}),
    "tol": _centered("center_tolerance", "tolerance", float),
    "max_iter": _centered("center_iterations", "max_iterations", int),
}
_SMOOTHER: dict[str, Reader] = {"bandwidth": of("bandwidth", default="loo"), "weights": of("weights")}

#: The parameters of every estimator that a file can hold, from the settings of the learner.
PARAMETERS: dict[str, dict[str, Reader]] = {
    "KernelRidge": {
        **_ANY,
        **_CENTERS,
        "alpha": of("lambda"),
        "fit_intercept": of("intercept"),
        "solver": word("solver", {"conjugate_gradients": "cg"}),
        "indefinite": of("indefinite"),
        "tol": of("center_tolerance"),
        "max_iter": of("center_iterations", int),
    },
    "GaussianProcessRegressor": {
        **_ANY,
        "noise": of("noise"),
        "optimize": of("optimize"),
        "fixed": of("fixed"),
        "n_restarts_optimizer": of("restarts", int),
        "n_inducing": of("inducing_count", int),
        "inducing": of("inducing"),
        "approximation": of("approximation"),
        "optimize_inducing": of("move_inducing"),
    },
    "SmoothingSpline": {
        "lam": _smoothing,
        "df": of("degrees_of_freedom"),
        "order": of("order", int),
        "period": of("period"),
    },
    "NadarayaWatson": _SMOOTHER,
    "LocalLinear": _SMOOTHER,
    "SVC": {**_CLASSIFIER, "C": of("C")},
    "NuSVC": {**_CLASSIFIER, "nu": of("nu")},
    "SVR": {**_ANY, **_SOLVER, "C": of("C"), "epsilon": of("epsilon"), "fit_intercept": of("offset")},
    "NuSVR": {**_ANY, **_SOLVER, "C": of("C"), "nu": of("nu")},
    "OneClassSVM": {**_ANY, **_SOLVER, "nu": of("nu")},
    "KernelLogisticRegression": {**_PENALIZED, "class_weight": of("class_weights")},
    "KernelMachine": {
        **_PENALIZED,
        "loss": _loss,
        "quantile": _quantile,
        "delta": _loss_number("delta", 1.0),
        "epsilon": _loss_number("epsilon", 0.1),
        "power": _loss_number("power", 1.5),
    },
    "StreamedKernelRidge": {
        **_ANY,
        "alpha": of("lambdas", _one_or_all),
        "n_components": of("components", int),
        "features": word("features", {"nystrom": "nystroem"}),
        "folds": of("folds", int),
        "fit_intercept": of("intercept"),
    },
}


def parameters(kind: type, settings: Settings, labels: np.ndarray | None) -> dict[str, Any]:
    """Return the parameters of an estimator from the settings of a file.

    Weights of classes are a list in the order of the classes there, and a dict from the labels here.
    """
    allowed = kind().get_params()
    found = {name: read(settings) for name, read in PARAMETERS[kind.__name__].items() if name in allowed}
    found = {name: value for name, value in found.items() if value is not NotImplemented}
    if labels is not None and "class_weight" in found:
        found["class_weight"] = dict(zip(labels.tolist(), found["class_weight"], strict=True))
    return found
