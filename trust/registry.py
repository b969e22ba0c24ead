"""Checks: what is run, how often, and what counts as a failure."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

SUITES = {
    "differential": "Differential: against independent implementations and our own second method",
    "metamorphic": "Metamorphic: changes of a problem whose effect on the answer is known",
    "numbers": "Numbers: extreme and ill-conditioned inputs",
    "levels": "Levels: p-values where the hypothesis is true",
    "coverage": "Coverage of intervals and calibration of probabilities",
    "faults": "Faults: failing writes, kills, limits of the operating system",
    "fuzz": "Fuzzing: mutated texts, files and command lines",
    "memory": "Memory contract: peaks under a limit, and cancellation",
    "panics": "Panics, unsafe code and dependencies",
}


@dataclass
class Outcome:
    """The result of one case of a check.

    `error` is compared with `bound`. A `refusal` is the message of an error that the library raised where one is
    allowed; a `finding` is a defect in words. `value` is what a check on a distribution collects (a p-value, or 1 for
    a covered target).
    """

    error: float = 0.0
    bound: float = 0.0
    refusal: str | None = None
    finding: str | None = None
    value: float | None = None
    note: str | None = None

    @property
    def ratio(self) -> float:
        """The error in units of its bound."""
        if self.error == 0.0:
            return 0.0
        return self.error / self.bound if self.bound > 0 else float("inf")

    @property
    def failed(self) -> bool:
        """Whether the case is a defect; a NaN is."""
        return self.finding is not None or not self.ratio <= 1.0


@dataclass(frozen=True)
class Check:
    """A family of cases numbered by seed.

    `run` maps a seed to an outcome. `slice` and `full` are the numbers of cases in ``make test`` and in a full run;
    `limit` is the most processor seconds of a case. `judge` is for checks on distributions: it maps all collected
    values to a finding or None, with the numbers to print.
    """

    suite: str
    name: str
    about: str
    run: Callable[[int], Outcome]
    slice: int
    full: int
    limit: float = 10.0
    judge: Callable[[Any], Any] | None = None

    @property
    def key(self) -> str:
        """The name with which a check is selected on the command line."""
        return f"{self.suite}.{self.name}"


CHECKS: dict[str, Check] = {}


def add(check: Check) -> None:
    """Register a check under its key."""
    if check.key in CHECKS:
        raise ValueError(f"{check.key}: registered twice")
    CHECKS[check.key] = check


def check(suite: str, *, slice: int, full: int, limit: float = 10.0, name: str | None = None) -> Callable[..., Any]:
    """Register the decorated function of a seed; its docstring is the line of the report."""

    def register(run: Callable[[int], Outcome]) -> Callable[[int], Outcome]:
        about = (run.__doc__ or "").strip().partition("\n")[0]
        add(Check(suite, name or run.__name__, about, run, slice, full, limit))
        return run

    return register


def load_all() -> dict[str, Check]:
    """Import every suite, and return the checks by key in the order of the suites."""
    for suite in SUITES:
        importlib.import_module(f"trust.{suite}")
    order = list(SUITES)
    return dict(sorted(CHECKS.items(), key=lambda item: order.index(item[1].suite)))
