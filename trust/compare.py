"""Errors of arrays, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from trust.registry import Outcome


def distance(found: Any, expected: Any, scale: float | None = None) -> float:
    """Return the largest difference over the largest expected number or `scale`; infinite for other shapes and NaN."""
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    if found.shape != expected.shape:
        return float("inf")
    if found.size == 0:
        return 0.0
    size = np.abs(expected).max() if scale is None else scale
    error = np.abs(found - expected).max()
    if not np.isfinite(error):
        return float("inf")
    if error == 0:
        return 0.0
    return float(error / size) if size > 0 else float("inf")


def worst(bound: float, *pairs: tuple[Any, Any], scale: float | None = None) -> Outcome:
    """Compare pairs of arrays; the outcome has the largest error."""
    return Outcome(error=max(distance(found, expected, scale) for found, expected in pairs), bound=bound)


def elementwise(found: Any, expected: Any, scale: Any, bound: float) -> Outcome:
    """Compare numbers, each relative to its own scale."""
    found, expected, scale = (np.asarray(a, dtype=float) for a in (found, expected, scale))
    if found.shape != expected.shape:
        return Outcome(finding=f"shape {found.shape} instead of {expected.shape}")
    with np.errstate(all="ignore"):
        error = np.abs(found - expected) / np.where(scale > 0, scale, 1.0)
    error = np.where(found == expected, 0.0, error)
    return Outcome(error=float(np.where(np.isnan(error), np.inf, error).max(initial=0.0)), bound=bound)


def same_bytes(first: Any, *others: Any) -> Outcome:
    """Require equal bits."""
    bits = [np.ascontiguousarray(a).tobytes() for a in (first, *others)]
    different = [i for i, b in enumerate(bits) if b != bits[0]]
    return Outcome(finding=f"results {different} differ from the first in bits") if different else Outcome()


# A RuntimeError is what the library raises where the numbers of a valid request cannot be found.
REFUSALS = (ValueError, MemoryError, OverflowError, RuntimeError)


def or_refusal(run: Callable[[], Outcome]) -> Outcome:
    """Run what may be refused with a message; an empty message is a finding."""
    try:
        return run()
    except REFUSALS as error:
        text = str(error)
        if len(text) < 10:
            return Outcome(finding=f"a refusal without explanation: {type(error).__name__}({text!r})")
        return Outcome(refusal=f"{type(error).__name__}: {text}")


def all_of(*outcomes: Outcome) -> Outcome:
    """Return the first failure, else the outcome with the largest ratio."""
    failed = [outcome for outcome in outcomes if outcome.finding is not None]
    return failed[0] if failed else max(outcomes, key=lambda outcome: outcome.ratio)
