"""Checks of regressions: leave-one-out errors, leverages, intervals, parameters of a process."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._displays.evidence import Evidence, evidence_of
from mercer._hypothesis import independence_test

#: Rows from which on intervals, and up to which the dependence of residuals, are looked at.
_FEW, _MANY = 20, 1000


def check_regression(model: Any, X: Any, y: Any, notes: Any) -> None:
    """Check a regression by what is known of its residuals."""
    if hasattr(model, "decision_function"):
        _region(model, notes)
        return
    _parameters(model, notes)
    _support(model, notes)
    try:
        found = evidence_of(model, X, y)
    except (ValueError, AttributeError) as error:
        notes.note("residuals", str(error))
        return
    if "rows" not in notes.facts:
        notes.fact("rows", f"{len(found.y)}")
    if X is not None or y is not None:
        _new_data(found, notes)
    _errors(found, notes)
    _leverages(found, notes)
    _intervals(found, notes)
    _structure(found, notes)


def _parameters(model: Any, notes: Any) -> None:
    """Note the numbers of the fit, and those at a bound."""
    for name, fact in (
        ("alpha_", "alpha"),
        ("lam_", "lam"),
        ("bandwidth_", "bandwidth"),
        ("lengthscale_", "lengthscale"),
    ):
        value = getattr(model, name, None)
        if isinstance(value, (int, float)):
            notes.fact(fact, value)
    alpha = getattr(model, "alpha", None)
    if "alpha" not in notes.facts and isinstance(alpha, (int, float)) and not hasattr(model, "leave_one_out"):
        notes.fact("alpha", alpha)
    fit = getattr(model, "_fit", None)
    if getattr(fit, "at_limit", False):
        notes.warn("smoothing", "it is at the end of its range", "set it by hand, or check for repeated x")
    if hasattr(model, "leave_one_out") and hasattr(model, "kernel_"):
        _process(model, notes)


def _process(model: Any, notes: Any) -> None:
    notes.fact("log likelihood", float(model.log_marginal_likelihood_))
    noise = model.noise_
    if np.ndim(noise) == 0 and not hasattr(model.kernel_, "theta"):
        notes.fact("noise variance", float(noise))
    optimization = getattr(model._fit, "optimization", None)
    if optimization is not None and not optimization[0]:
        notes.warn("optimization", "the likelihood was not at its maximum", "raise n_restarts_optimizer, or scale y")
    starts = getattr(model, "likelihoods_", None)
    if starts is not None and len(starts) > 1 and np.ptp(starts) > 1.0:
        text = f"the starts ended between {np.min(starts):.4g} and {np.max(starts):.4g}: several maxima"
        notes.note("optimization", text)
    for name, value, low, high in _bounded(model):
        if np.isclose(np.log(value), np.log(low), atol=1e-3) or np.isclose(np.log(value), np.log(high), atol=1e-3):
            notes.warn(
                "bounds", f"{name} = {value:.3g} is at its bound [{low:.3g}, {high:.3g}]", "fix it or scale the data"
            )
    _lengthscales(model, notes)


def _bounded(model: Any) -> list[tuple[str, float, float, float]]:
    """Return the free parameters with the bounds of their optimization."""
    from mercer._covariance import BOUNDS

    kernel = model.kernel_
    if hasattr(kernel, "theta"):
        names = model.parameter_names_
        values = zip(names, np.exp(kernel.theta), np.exp(kernel.bounds), strict=True)
        return [(name, float(value), float(low), float(high)) for name, value, (low, high) in values]
    if not hasattr(kernel, "parameters") or not model._optimizes():
        return []
    return [(name, value, *BOUNDS) for name, value in kernel.parameters.items() if value > 0]


def _lengthscales(model: Any, notes: Any) -> None:
    """Compare lengthscales with the extent of the data."""
    kernel, points = model.kernel_, getattr(model, "X_train_", None)
    if not hasattr(kernel, "parameters") or not isinstance(points, np.ndarray) or points.ndim != 2 or len(points) < 5:
        return
    extent = float(np.linalg.norm(points.max(axis=0) - points.min(axis=0)))
    long = [
        f"{name} = {value:.3g}"
        for name, value in kernel.parameters.items()
        if "lengthscale" in name and extent > 0 and value > 20 * extent
    ]
    if long:
        advice = "the column may not matter, or the trend is linear"
        notes.note("lengthscale", f"{', '.join(long)} is far beyond the extent of the data ({extent:.3g})", advice)


def _support(model: Any, notes: Any) -> None:
    if not hasattr(model, "support_"):
        return
    share, rows = notes.support(model)
    if share > 0.95 and rows > _FEW:
        notes.note("support vectors", f"{100 * share:.0f} % of the rows", "a wider epsilon gives a sparser model")


def _region(model: Any, notes: Any) -> None:
    _support(model, notes)
    fitted = getattr(getattr(model, "_fit", None), "fitted", None)
    if fitted is None or not hasattr(model, "nu"):
        return
    outside = float((np.asarray(fitted) < 0).mean())
    notes.fact("outside", f"{100 * outside:.1f} % of the rows (nu = {model.nu:g})")
    if abs(outside - model.nu) > max(0.05, 3 * np.sqrt(model.nu / max(len(fitted), 1))):
        notes.note("nu", "the share of rows outside differs from nu", "lower tol")


def _new_data(found: Evidence, notes: Any) -> None:
    notes.fact("data", f"{len(found.y)} rows that were given")


def _errors(found: Evidence, notes: Any) -> None:
    """Compare the errors with those of the mean."""
    spread = float(np.mean((found.y - found.y.mean()) ** 2))
    left = found.residuals if found.loo_residuals is None else found.loo_residuals
    if not spread > 0:
        notes.note("target", "it is constant")
        return
    word = "R²" if found.loo_residuals is None else "leave-one-out R²"
    score, inner = 1 - float(np.mean(left**2)) / spread, 1 - float(np.mean(found.residuals**2)) / spread
    notes.fact("R² of the fit" if found.loo_residuals is not None else "R²", inner)
    notes.fact(word, score)
    notes.fact("root mean square error", float(np.sqrt(np.mean(left**2))))
    if score <= 0:
        notes.warn("error", f"predictions are no better than the mean ({word} {score:.2g})", "search again")
    elif inner - score > 0.25:
        text = f"{word} {score:.2f} beside {inner:.2f} on the data of the fit"
        notes.warn("overfitting", text, "raise alpha or the noise, or lengthen the lengthscale")
    else:
        notes.ok("error", f"{word} {score:.3f}")


def _leverages(found: Evidence, notes: Any) -> None:
    """Name rows that dominate, and a model without freedom."""
    if found.leverages is None or found.dof is None:
        return
    count, h = len(found.y), found.leverages
    notes.fact("degrees of freedom", f"{found.dof:.4g} of {count}")
    share = found.dof / count
    if share > 0.9 and count > _FEW:
        text = f"{found.dof:.3g} degrees of freedom for {count} rows: the model nearly interpolates"
        notes.warn("freedom", text, "raise alpha or the noise, or lengthen the lengthscale")
        return
    alone = np.flatnonzero(h > max(0.95, 3 * share))
    far = np.flatnonzero(found.influence > 1) if found.noise else np.zeros(0, dtype=int)
    rows = np.unique(np.concatenate([alone, far]))
    if len(rows):
        order = rows[np.argsort(h[rows])[::-1]]
        shown = ", ".join(f"row {row} ({h[row]:.2f})" for row in order[:5])
        more = f" and {len(rows) - 5} more" if len(rows) > 5 else ""
        advice = "InfluenceDisplay shows them; such rows determine their own prediction"
        notes.warn("leverage", f"rows that dominate, with their leverage: {shown}{more}", advice)
    else:
        notes.ok("leverage", f"no row dominates (largest leverage {h.max():.2f})")


def _intervals(found: Evidence, notes: Any) -> None:
    """Check by leave-one-out whether intervals cover as often as they state."""
    if found.loo_std is None or len(found.y) < _FEW:
        return
    scores = np.abs(found.standardized)
    covered, count = float((scores <= 1.959964).mean()), len(scores)
    notes.fact("coverage of 95 % intervals", f"{100 * covered:.1f} % (leave-one-out)")
    error = np.sqrt(0.95 * 0.05 / count)
    if covered < 0.95 - max(3 * error, 0.02):
        advice = "noise of varying size, heavy tails, or a lengthscale that is too long: use conformal intervals"
        notes.warn("intervals", f"the 95 % intervals cover {100 * covered:.1f} %", advice)
    elif covered > 0.95 + max(3 * error, 0.035):
        notes.note("intervals", f"the 95 % intervals cover {100 * covered:.1f} %: they are too wide")
    else:
        notes.ok("intervals", f"the 95 % intervals cover {100 * covered:.1f} %")
    extreme = np.flatnonzero(scores > 4)
    if len(extreme):
        shown = ", ".join(map(str, extreme[np.argsort(scores[extreme])[::-1]][:5].tolist()))
        notes.warn("outliers", f"{len(extreme)} rows are more than 4 standard deviations away: {shown}", "check them")


def _structure(found: Evidence, notes: Any) -> None:
    """Test whether residuals, or their sizes, depend on the points."""
    if found.loo_residuals is None or found.points is None or not _FEW <= len(found.y) <= _MANY:
        return
    if not np.ptp(found.points, axis=0).any() or not np.ptp(found.standardized) > 0:
        return
    result = independence_test(found.points, found.standardized, method="gamma")
    if result.p_value < 0.001:
        advice = "a better kernel, another lengthscale, or noise that varies: ResidualsDisplay shows them"
        notes.warn("structure", f"the residuals depend on the points (HSIC, p = {result.p_value:.1g})", advice)
    else:
        notes.ok("structure", f"residuals do not depend on the points (HSIC, p = {result.p_value:.2g})")
