"""How kernels, functions and checks are shown in notebooks."""

from __future__ import annotations

from html import escape

import numpy as np

from mercer._mercer import Check, Function, Kernel

#: Centers up to which the norm of a function is computed to be shown.
_NORM_CENTERS = 2000
_LEFT = "style='text-align:left'"
_WORDS = {True: "yes", False: "no", None: "not known"}
_PROPERTIES = {
    "psd": "positive semi-definite",
    "strictly_pd": "strictly positive definite",
    "nsd": "negative definite",
    "universal": "universal",
    "characteristic": "characteristic",
    "shift_invariant": "shift-invariant",
    "bounded": "bounded",
}


def table(rows: list[tuple[str, str]]) -> str:
    """Return a table of names and values, which are escaped."""
    lines = (f"<tr><th {_LEFT}>{escape(name)}</th><td {_LEFT}>{escape(value)}</td></tr>" for name, value in rows)
    return f"<table>{''.join(lines)}</table>"


def folded(title: str, text: str) -> str:
    """Return a text that is shown on request."""
    return f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>"


def kernel_html(self: Kernel) -> str:
    """Return the text of a kernel with its properties, and its proof folded."""
    rows = [(_PROPERTIES.get(name, name), _WORDS[value]) for name, value in self.properties.items()]
    if self.point_kind is not None:
        rows.insert(0, ("points", self.point_kind))
    return f"<p><code>{escape(str(self))}</code></p>{table(rows)}{folded('proof', self.proof())}"


def function_html(self: Function) -> str:
    """Return a function with its kernel, its norm and, in one column, its picture."""
    count = len(self.coefficients)
    rows = [("kernel", str(self.kernel)), ("centers", str(count))]
    if count <= _NORM_CENTERS:
        rows.append(("norm", f"{self.norm():.6g}"))
    return f"<p><b>Function</b></p>{table(rows)}{_curve(self)}"


def check_html(self: Check) -> str:
    """Return the outcome of a check."""
    rows = [("positive semi-definite", _WORDS[self.psd]), ("smallest eigenvalue", f"{self.min_eigenvalue:.6g}")]
    if self.counterexample is not None:
        rows.append(("cᵀKc of the counterexample", f"{self.value:.6g}"))
        rows.append(("weights c", ", ".join(f"{weight:.4g}" for weight in np.ravel(self.weights)[:8])))
    return f"<p><b>Check</b></p>{table(rows)}{folded('details', str(self))}"


def _curve(function: Function, width: int = 420, height: int = 140) -> str:
    """Draw a function of one variable over its centers."""
    points = np.asarray(function.points)
    if points.ndim != 2 or points.shape[1] != 1 or len(points) == 0 or points.dtype.kind != "f":
        return ""
    low, high = float(points.min()), float(points.max())
    margin = 0.1 * (high - low) or 1.0
    x = np.linspace(low - margin, high + margin, 200)
    try:
        y = function(x[:, None])
    except ValueError:
        # The domain of some kernels ends where the centers do.
        x = np.linspace(low, high, 200)
        y = function(x[:, None])
    bottom, top = float(y.min()), float(y.max())
    if not (np.isfinite([bottom, top]).all() and x[-1] > x[0]):
        return ""
    across = 10 + (width - 20) * (x - x[0]) / (x[-1] - x[0])
    up = (height - 25) - (height - 35) * (y - bottom) / ((top - bottom) or 1.0)
    line = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across, up, strict=True))
    return (
        f"<svg width='{width}' height='{height}' role='img'>"
        f"<polyline points='{line}' fill='none' stroke='#0072B2' stroke-width='2'/>"
        f"<text x='10' y='{height - 6}' font-size='11'>{x[0]:.4g}</text>"
        f"<text x='{width - 10}' y='{height - 6}' font-size='11' text-anchor='end'>{x[-1]:.4g}</text></svg>"
    )


def install() -> None:
    """Give the compiled classes their form in notebooks."""
    Kernel._repr_html_ = kernel_html  # type: ignore[attr-defined]
    Function._repr_html_ = function_html  # type: ignore[attr-defined]
    Check._repr_html_ = check_html  # type: ignore[attr-defined]
