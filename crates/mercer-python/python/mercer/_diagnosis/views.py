"""Checks of views: components, clusters, canonical correlations, scaling."""

from __future__ import annotations

from typing import Any

import numpy as np


def check_views(model: Any, X: Any, notes: Any) -> None:
    """Check what a view left out."""
    for applies, check in (
        ("explained_variance_ratio_", _components),
        ("labels_", _clusters),
        ("correlations_", _correlations),
        ("negative_part_", _scaling),
        ("contrast_", _contrast),
        ("embedding_low_", _coupled),
        ("weights_", _weights),
    ):
        if hasattr(model, applies):
            check(model, notes)


def _components(model: Any, notes: Any) -> None:
    share = np.asarray(model.explained_variance_ratio_)
    notes.fact("components", f"{len(share)}, with {100 * share.sum():.1f} % of the variance")
    values = np.asarray(model.eigenvalues_)
    small = int((values <= 1e-12 * values.max(initial=0.0)).sum())
    if small:
        notes.warn("components", f"{small} have eigenvalues that are rounding", "remove_zero_eig=True, or fewer")
    if len(share) >= 2 and share[0] > 0.999:
        notes.warn("components", f"the first one holds {100 * share[0]:.2f} %", "shorten the lengthscale")
    elif share.sum() < 0.5:
        notes.note("components", f"they leave {100 * (1 - share.sum()):.0f} % of the variance out", "more components")
    else:
        notes.ok("components", f"they hold {100 * share.sum():.0f} % of the variance")


def _clusters(model: Any, notes: Any) -> None:
    sizes = np.bincount(np.asarray(model.labels_).astype(int))
    notes.fact("rows", f"{int(sizes.sum())}")
    notes.fact("clusters", ", ".join(map(str, sizes.tolist())))
    small = int((sizes < 0.1 * sizes.sum() / len(sizes)).sum())
    if small:
        notes.warn("clusters", f"{small} have less than a tenth of the mean size", "fewer clusters, or outliers")
    else:
        notes.ok("clusters", f"the smallest has {sizes.min()} rows")
    values = getattr(model, "eigenvalues_", None)
    count = len(sizes)
    if values is not None and len(values) > count:
        gap = float(values[count] - values[count - 1])
        notes.fact("eigengap", gap)
        gaps = np.diff(values)
        if gaps.argmax() + 1 != count and gaps.max() > 2 * gap:
            notes.note("clusters", f"the largest eigengap is at {int(gaps.argmax()) + 1} clusters", "try that number")


def _correlations(model: Any, notes: Any) -> None:
    values = np.asarray(model.correlations_)
    notes.fact("correlations", ", ".join(f"{value:.3f}" for value in values[:6]))
    p_values = getattr(model, "p_values_", None)
    if p_values is not None:
        notes.fact("p-values", ", ".join(f"{value:.3g}" for value in np.asarray(p_values)[:6]))
        if p_values[0] > 0.05:
            notes.warn("correlations", f"the first one is not significant (p = {p_values[0]:.2g})", "raise kappa")
    elif values.max(initial=0.0) > 0.999:
        advice = "raise kappa, and test with permutations"
        notes.warn("correlations", f"{values.max():.4f} is what any two views reach without regularization", advice)
    else:
        notes.note("correlations", "they are those of the data of the fit", "permutations give p-values")


def _scaling(model: Any, notes: Any) -> None:
    notes.fact("stress", float(model.stress_))
    notes.fact("negative part", float(model.negative_part_))
    if model.negative_part_ > 0.1:
        notes.warn("distances", f"{100 * model.negative_part_:.0f} % of the eigenvalues is negative: not Euclidean")
    if model.stress_ > 0.2:
        notes.warn("stress", f"{model.stress_:.2f}: distances are distorted", "more components")
    else:
        notes.ok("stress", f"{model.stress_:.3f}")


def _contrast(model: Any, notes: Any) -> None:
    notes.fact("contrast", float(model.contrast_))
    condition = float(np.linalg.cond(model.components_))
    if condition > 1e8:
        notes.warn("unmixing", f"the matrix is nearly singular: condition number {condition:.1e}", "fewer components")
    else:
        notes.ok("unmixing", f"condition number {condition:.3g}")


def _coupled(model: Any, notes: Any) -> None:
    notes.fact("eigenvalues", ", ".join(f"{value:.3g}" for value in np.asarray(model.eigenvalues_)[:6]))
    if len(model.embedding_low_) == len(model.embedding_high_):
        apart = np.linalg.norm(model.embedding_low_ - model.embedding_high_, axis=1).mean()
        wide = np.linalg.norm(model.embedding_high_ - model.embedding_high_.mean(axis=0), axis=1).mean()
        ratio = float(apart / wide) if wide > 0 else 0.0
        notes.fact("distance of pairs", f"{ratio:.3g} of the spread")
        if ratio > 1:
            notes.warn("pairs", "they are as far apart as rows that do not belong together", "another kernel or reg")


def _weights(model: Any, notes: Any) -> None:
    weights = getattr(model, "weights_", None)
    if weights is None or not hasattr(model, "kernels"):
        return
    weights = np.asarray(weights, dtype=float)
    notes.fact("weights", ", ".join(f"{value:.3g}" for value in weights[:8]))
    used = int((weights > 1e-6 * weights.max(initial=0.0)).sum())
    notes.ok("weights", f"{used} of {len(weights)} kernels are used")
