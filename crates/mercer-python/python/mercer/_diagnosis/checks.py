"""Which checks an estimator gets, and those that all of them share."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._diagnosis.classes import check_classes
from mercer._diagnosis.regression import check_regression
from mercer._diagnosis.report import Diagnosis, Finding
from mercer._diagnosis.views import check_views
from mercer._displays.style import matrix, readable
from mercer._mercer import Kernel

_ORDER = {"warning": 0, "note": 1, "ok": 2}
#: Rows on which kernel values are looked at.
_ROWS = 300
#: A condition number whose solution has few digits left.
_SINGULAR = 1e13


class Notes:
    """Facts and findings while they are collected."""

    def __init__(self) -> None:
        self.facts: dict[str, str] = {}
        self.findings: list[Finding] = []

    def fact(self, name: str, value: Any) -> None:
        """Note a number of the fit."""
        self.facts[name] = value if isinstance(value, str) else f"{value:.4g}"

    def ok(self, topic: str, text: str) -> None:
        """Note what is in order."""
        self.findings.append(Finding("ok", topic, text))

    def note(self, topic: str, text: str, advice: str = "") -> None:
        """Note what may matter."""
        self.findings.append(Finding("note", topic, text, advice))

    def warn(self, topic: str, text: str, advice: str = "") -> None:
        """Note what is wrong."""
        self.findings.append(Finding("warning", topic, text, advice))

    def support(self, model: Any) -> tuple[float, int]:
        """Note the number of support vectors; return their share of the rows, and the rows."""
        count = len(model.support_)
        rows = model.shape_fit_[0] or count
        self.fact("support vectors", f"{count} of {rows}")
        return count / max(rows, 1), rows


def diagnosis_of(model: Any, X: Any = None, y: Any = None) -> Diagnosis:
    """Run the checks of an estimator."""
    notes = Notes()
    _facts(model, notes)
    if hasattr(model, "classes_"):
        check_classes(model, X, y, notes)
    elif hasattr(model, "predict") and not hasattr(model, "labels_"):
        check_regression(model, X, y, notes)
    check_views(model, X, notes)
    _borders(model, notes)
    _convergence(model, notes)
    _condition(model, notes)
    _kernel_values(model, X, notes)
    findings = sorted(notes.findings, key=lambda finding: _ORDER[finding.level])
    return Diagnosis(type(model).__name__, notes.facts, findings)


def _facts(model: Any, notes: Notes) -> None:
    points = _points(model)
    shape = getattr(model, "shape_fit_", None) or (None if points is None else points.shape)
    if shape is not None and shape[0]:
        notes.fact("rows", f"{shape[0]}")
        if len(shape) > 1 and not isinstance(getattr(model, "kernel", None), type(None)):
            notes.fact("columns", f"{shape[1]}")
    kernel = getattr(model, "kernel_", None)
    if kernel is not None:
        notes.fact("kernel", readable(kernel, 90))
    if not isinstance(kernel, Kernel) or "precomputed" in str(kernel):
        return
    known = kernel.properties
    if known["psd"] is not True and known["nsd"] is not True:
        notes.note("kernel", "it is not proven positive semi-definite", "kernel.check() searches for a counterexample")


def _points(model: Any) -> np.ndarray | None:
    for name in ("X_fit_", "X_train_"):
        if hasattr(model, name):
            return matrix(getattr(model, name))
    return None


def _borders(model: Any, notes: Notes) -> None:
    """Numbers at an end of what a search tried."""
    ranges = getattr(model, "ranges_", None)
    if not ranges:
        return
    for found in ranges:
        low, high = found["range"]
        if found["at_border"]:
            text = f"the best {found['parameter']}, {found['chosen']:.4g}, is at the border of [{low:.4g}, {high:.4g}]"
            notes.warn("search", text, "extend the grid")
    if not any(found["at_border"] for found in ranges):
        notes.ok("search", "every number that was chosen lies inside its grid")


def _convergence(model: Any, notes: Notes) -> None:
    """Whether the solver was done."""
    gap, objective = getattr(model, "duality_gap_", None), getattr(model, "dual_objective_", None)
    objective = getattr(model, "objective_", None) if objective is None else objective
    if getattr(model, "fit_status_", 0):
        notes.warn("solver", "it stopped before it converged", "raise max_iter or max_time, or scale the data")
    elif gap is not None and objective is not None:
        share = abs(gap) / max(abs(objective), 1e-300)
        text = f"the duality gap is {gap:.3g}, {share:.1g} of the objective"
        if share > 0.01:
            notes.warn("solver", text, "lower tol, or scale the data")
        else:
            notes.ok("solver", text)
    if getattr(model, "converged_", True) is False:
        notes.warn("solver", "it stopped before it converged", "raise max_iter")


def _condition(model: Any, notes: Notes) -> None:
    condition = getattr(model, "condition_", None)
    if any(getattr(fit, "minimum_norm", False) for _, fit in getattr(model, "_fits", [])):
        notes.warn("condition", "K + alpha·I is singular to working precision", "raise alpha, or drop repeated rows")
    elif condition is not None and condition > _SINGULAR:
        advice = "raise alpha or shorten the lengthscale"
        notes.warn("condition", f"the system is nearly singular: condition number {condition:.1e}", advice)
    missed = getattr(model, "trace_missed_", None)
    if missed is not None and missed > 0.05:
        notes.warn("centers", f"they miss {100 * missed:.1f} % of the trace of the kernel", "raise n_centers")
    left, total = getattr(model, "trace_error_", None), getattr(model, "trace_", None)
    if left is not None and total:
        notes.fact("trace missed", f"{100 * left / total:.2g} %")
        if left > 0.05 * total:
            notes.note("landmarks", f"they miss {100 * left / total:.1f} % of the trace", "raise n_components")


def _kernel_values(model: Any, X: Any, notes: Notes) -> None:
    """Whether different points have different kernel values, and similar points similar ones."""
    kernel, points = getattr(model, "kernel_", None), _points(model) if X is None else matrix(X)
    if not isinstance(kernel, Kernel) or kernel.point_kind not in (None, "vectors") or points is None:
        return
    if len(points) < 5 or "precomputed" in str(kernel):
        return
    rows = points[np.linspace(0, len(points) - 1, min(len(points), _ROWS)).astype(int)]
    values = kernel(np.ascontiguousarray(rows))
    own = np.sqrt(np.maximum(np.diagonal(values), 0.0))
    if not (own > 0).all():
        return
    likeness = (values / np.outer(own, own))[np.triu_indices(len(rows), 1)]
    middle, most = float(np.median(likeness)), float(np.quantile(likeness, 0.99))
    if most < 0.05:
        text = f"almost no two rows are alike (the 99 % quantile of their correlations is {most:.2g})"
        notes.warn("lengthscale", text + ": the Gram matrix is nearly diagonal", "lengthen the lengthscale")
    elif middle > 0.9999:
        text = f"all rows are nearly equal to the kernel (median correlation {middle:.6f})"
        notes.warn("lengthscale", text, "shorten the lengthscale, or scale the columns")
