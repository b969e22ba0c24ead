"""How fitted estimators are shown in notebooks: scikit-learn's diagram, and below it the facts of the fit."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Number
from typing import Any

import numpy as np

from mercer._html import folded, table
from mercer._mercer import Kernel
from mercer._tables import len_of

#: Numbers of which an array is written out; of longer ones the first are.
_SHOWN = 6
#: Characters of a kernel in the table; longer ones are in full above their proof.
_WIDTH = 100
#: Kernels of a fit, with their names in the table.
_KERNELS = (("kernel_", "kernel"), ("kernel_low_", "kernel of X_low"), ("kernel_high_", "kernel of X_high"))
#: What was chosen: its name, and the attributes that hold it, of which the first that is a number is shown.
_CHOICES = (
    ("loss", ("loss",)),
    ("alpha", ("alpha_", "alpha")),
    ("C", ("C_", "C")),
    ("nu", ("nu",)),
    ("epsilon", ("epsilon_",)),
    ("noise variance", ("noise_",)),
    ("lam", ("lam_",)),
    ("bandwidth", ("bandwidth_",)),
    ("lengthscale", ("lengthscale_",)),
    ("kappa", ("kappa_",)),
    ("reg", ("reg",)),
    ("clusters", ("n_clusters_",)),
    ("components", ("n_components_", "n_components")),
)
#: What the fit is judged by.
_SCORES = (
    ("best score of the search", "best_score_"),
    ("log marginal likelihood", "log_marginal_likelihood_"),
    ("degrees of freedom", "dof_"),
    ("GCV", "gcv_"),
    ("leave-one-out score", "loo_score_"),
    ("norm", "norm_"),
    ("objective", "objective_"),
    ("dual objective", "dual_objective_"),
    ("duality gap", "duality_gap_"),
    ("KKT violation", "kkt_violation_"),
    ("share of the trace missed", "trace_missed_"),
    ("explained variance", "explained_variance_ratio_"),
    ("reconstruction error", "reconstruction_error_"),
    ("correlations", "correlations_"),
    ("eigenvalues", "eigenvalues_"),
    ("stress", "stress_"),
    ("contrast", "contrast_"),
    ("weights of the kernels", "weights_"),
    ("iterations", "n_iter_"),
)


def model_html(model: Any) -> str:
    """Return the facts of a fitted estimator as a table, with the proof of each kernel and the plan folded."""
    rows, proofs = list(model_facts(model)), []
    for _, kernel in _kernels(model):
        if isinstance(kernel, Kernel):
            proofs.append(folded(f"proof of {_shortened(str(kernel))}", f"{kernel}\n\n{kernel.proof()}"))
    plan = _value(model, "plan_")
    if isinstance(plan, str):
        proofs.append(folded("plan", plan))
    return f"{table(rows)}{''.join(proofs)}" if rows else ""


def model_facts(model: Any) -> Iterator[tuple[str, str]]:
    """Return what a fit has found, by name; nothing is computed for it."""
    for name, kernel in _kernels(model):
        yield name, _shortened(str(kernel))
        if isinstance(kernel, Kernel):
            psd = kernel.properties["psd"]
            yield f"{name} is PSD", {True: "proven", False: "no", None: "not known"}[psd]
    yield from _sizes(model)
    for label, names in _CHOICES:
        # Where there is an attribute of the name, a list among the parameters is what was tried.
        listed = not any(name.endswith("_") and hasattr(type(model), name) for name in names)
        values = ((name, _value(model, name)) for name in names)
        texts = (_written(value) for name, value in values if listed or name.endswith("_") or np.ndim(value) == 0)
        found = next((text for text in texts if text is not None), None)
        if found is not None:
            yield label, found
    for label, name in _SCORES:
        found = _written(_value(model, name))
        if found is not None:
            yield label, found
    if _value(model, "fit_status_") == 1 or _value(model, "converged_") is False:
        yield "converged", "no"


def _kernels(model: Any) -> Iterator[tuple[str, Any]]:
    """Return the kernels of a fit, with their names."""
    for name, label in _KERNELS:
        found = _value(model, name)
        if found is not None:
            yield label, getattr(found, "__name__", "a function") if _is_function(found) else found
    for number, found in enumerate(_value(model, "kernels_") or []):
        yield f"kernel {number + 1}", found


def _is_function(kernel: Any) -> bool:
    return callable(kernel) and not isinstance(kernel, Kernel) and not hasattr(kernel, "theta")


def _sizes(model: Any) -> Iterator[tuple[str, str]]:
    """Return how many rows, classes, support vectors and centers there are."""
    seen, shape = _value(model, "n_samples_seen_"), _value(model, "shape_fit_")
    rows = seen if seen is not None else shape[0] if shape else None
    for name in ("fitted_", "X_train_"):
        values = _value(model, name)
        rows = len_of(values) if rows is None and values is not None else rows
    if rows:
        yield "rows", f"{int(rows)}"
    classes = _value(model, "classes_")
    if classes is not None:
        names = ", ".join(map(str, classes[:_SHOWN])) + (", …" if len(classes) > _SHOWN else "")
        yield "classes", f"{len(classes)}: {names}"
    support = _value(model, "support_")
    if support is not None:
        yield "support vectors", f"{len(support)} of {rows}" if rows else f"{len(support)}"
    if _value(model, "trace_missed_") is not None and (points := _value(model, "X_fit_")) is not None:
        yield "centers", f"{len(points)}"
    inducing = _value(model, "inducing_")
    if inducing is not None:
        yield "inducing points", f"{len(inducing)}"


def _value(model: Any, name: str) -> Any:
    """Return an attribute; None where the model has none, or would have to compute it."""
    if not model._has_ready(name):
        return None
    try:
        return getattr(model, name)
    except (AttributeError, ValueError):
        return None


def _written(value: Any) -> str | None:
    """Return a number, a few numbers or a word as text; None for everything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)) or value is None:
        return None
    if isinstance(value, Number):
        return f"{value:.6g}"
    if not isinstance(value, (np.ndarray, list)) or np.ndim(value) != 1 or not len(value):
        return None
    if not all(isinstance(number, Number) for number in value[:_SHOWN]):
        return None
    return ", ".join(f"{number:.4g}" for number in value[:_SHOWN]) + (", …" if len(value) > _SHOWN else "")


def _shortened(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
