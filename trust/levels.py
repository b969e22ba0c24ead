"""Levels of every test where its hypothesis is true, on families of distributions.

The share of rejections must lie in the 99.9 % interval of the binomial distribution: from above for every test, and
from below too for tests that are exact on data without ties. Shares are judged at the levels 0.01, 0.05 and 0.1, and
all p-values up to 0.75 must be at least as large as uniform ones (super-uniform). Tests that are documented as
conservative must stay below the level itself. Approximations are judged at the levels only, around the shares that
docs/hypothesis.md states for them (`ALLOWED`); `approach_*` measures from how many points on they need no allowance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import scipy.stats

import mercer
from trust.registry import Check, Outcome, add
from trust.state import BINS, Progress

CONFIDENCE = 0.999
DECISIONS = (0.01, 0.05, 0.1)
UNIFORM = (0.2, 0.3, 0.5, 0.75)
PERMUTATIONS = 99

Sample = Callable[[np.random.Generator, int, int], Any]

FAMILIES: dict[str, Sample] = {
    "normal": lambda rng, n, d: rng.normal(size=(n, d)),
    "cauchy": lambda rng, n, d: rng.standard_cauchy(size=(n, d)),
    "student": lambda rng, n, d: rng.standard_t(3, size=(n, d)),
    "ties": lambda rng, n, d: rng.integers(0, 3, size=(n, d)).astype(float),
    "dependent columns": lambda rng, n, d: rng.normal(size=(n, 1)) + 0.3 * rng.normal(size=(n, d)),
    "strings": lambda rng, n, d: ["".join(rng.choice(list("abcd"), size=int(rng.integers(4, 9)))) for _ in range(n)],
    "graphs": lambda rng, n, d: mercer.Graphs([cycle(rng) for _ in range(n)]),
}


def cycle(rng: np.random.Generator) -> tuple[list[tuple[int, int]], list[int]]:
    """Return a ring with labels."""
    n = int(rng.integers(4, 8))
    return [(i, (i + 1) % n) for i in range(n)], [int(v) for v in rng.integers(0, 2, size=n)]


def shares(values: list[int], at: float) -> tuple[int, int]:
    """Return how many of the p-values are at most a number, and how many there are."""
    return sum(values[: round(BINS * at) + 1]), sum(values)


class Kind(Enum):
    """The level that the documentation states for a test."""

    EXACT = "exact"
    """The level: the band from both sides."""
    VALID = "valid"
    """At most the level, such as with ties: the band from above."""
    CONSERVATIVE = "conservative"
    """Below the level: no more rejections than the level, without a band."""
    APPROXIMATE = "approximate"
    """In the limit: the band from above around what is allowed."""


@dataclass(frozen=True)
class Allowance:
    """The shares of rejections that an approximation may have, by level, and why; stated in docs/hypothesis.md."""

    shares: dict[float, float]
    why: str


ALLOWED: dict[str, Allowance] = {
    "two samples, gamma": Allowance({0.01: 0.015, 0.05: 0.06, 0.1: 0.11}, "a gamma distribution has two moments"),
    "two samples, spectral": Allowance({0.05: 0.06, 0.1: 0.115}, "eigenvalues of the sample stand for the true ones"),
    "two samples, linear": Allowance({0.01: 0.015, 0.05: 0.06, 0.1: 0.11}, "a normal distribution of n/2 terms"),
    "independence, gamma": Allowance({0.01: 0.02, 0.05: 0.065, 0.1: 0.115}, "the tail of two moments is too light"),
    "conditional independence": Allowance(
        {0.01: 0.02, 0.05: 0.07, 0.1: 0.13}, "no such test has its level for all distributions"
    ),
}

Verdict = Callable[[list[int]], tuple[str, str | None]]


def most_and_least(total: int, at: float) -> tuple[float, float]:
    """Return the ends of the 99.9 % band of rejections."""
    ends = ((1 + CONFIDENCE) / 2, (1 - CONFIDENCE) / 2)
    most, least = (scipy.stats.binom.ppf(end, total, min(1.0, at)) for end in ends)
    return most, least


def judge(kind: Kind, allowance: Allowance | None = None) -> Verdict:
    """Return the verdict on p-values: the shares at the levels, what is allowed, and the first that is too many."""
    allowed = allowance.shares if allowance else {}

    def verdict(values: list[int]) -> tuple[str, str | None]:
        wrong = None
        parts = []
        # Two moments say nothing of the middle of a distribution.
        judged = DECISIONS if kind is Kind.APPROXIMATE else (*DECISIONS, *UNIFORM)
        for at in judged:
            count, total = shares(values, at)
            if at in DECISIONS:
                parts.append(f"{count / total:.3f} at {at}")
            most, least = most_and_least(total, allowed.get(at, at))
            if kind is Kind.CONSERVATIVE:
                most = np.floor(at * total)
            if count > most:
                wrong = wrong or f"{count} of {total} p-values up to {at}: at most {most:.0f} are expected"
            if kind is Kind.EXACT and at in DECISIONS and count < least:
                wrong = wrong or f"{count} of {total} p-values up to {at}: at least {least:.0f} are expected"
        told = ", ".join(parts)
        if allowance:
            limits = ", ".join(f"{share:g} is allowed at {at:g}" for at, share in allowed.items())
            told += f" ({limits}: {allowance.why})"
        return told, wrong

    return verdict


def level(name: str, about: str, draw: Callable[[np.random.Generator], float], kind: Kind, *, slice: int,
          full: int = 10_000, allowance: Allowance | None = None, verdict: Verdict | None = None) -> None:  # fmt: skip
    """Register a test with a null distribution."""

    def run(seed: int) -> Outcome:
        return Outcome(value=draw(np.random.default_rng([seed, 7, len(name)])))

    add(Check("levels", name, about, run, slice, full, 60.0, verdict or judge(kind, allowance)))


def options(rng: np.random.Generator) -> dict[str, Any]:
    """Return few permutations and a seed of their own: the tests are exact for any number."""
    return {"permutations": PERMUTATIONS, "random_state": int(rng.integers(2**31)), "n_jobs": 1}


def two_samples() -> None:
    """Register two-sample tests."""
    exact = ("aggregated", "permutation", "paired", "fused", "split", "features", "sequential")
    approximate = ("gamma", "spectral", "linear", "block")
    for family in FAMILIES:
        objects = family in ("strings", "graphs")
        for method in ("permutation",) if objects else (*exact, *approximate, "bound"):
            for n, m in ((8, 8), (40, 25)) if method in exact else ((60, 60),):
                if method == "paired":
                    m = n
                if method == "split" and n < 20:
                    continue
                ties = family == "ties" or objects or method in ("sequential",) or n == 8
                kind = Kind.VALID if ties else Kind.EXACT
                kind = Kind.CONSERVATIVE if method == "bound" else kind
                kind = Kind.APPROXIMATE if method in approximate else kind

                def draw(rng: np.random.Generator, family=family, method=method, n=n, m=m) -> float:
                    x, y = FAMILIES[family](rng, n, 2), FAMILIES[family](rng, m, 2)
                    more = {"block_size": 8} if method == "block" else {}
                    return mercer.two_sample_test(x, y, kernel_of(family), method, **more, **options(rng)).p_value

                name = f"two_sample_{method}_{family}_{n}_{m}".replace(" ", "_")
                about = f"two samples, `{method}`, {family}, {n} and {m} points"
                slice = 150 if (n, family) in ((40, "normal"), (8, "ties"), (60, "cauchy")) or objects else 0
                level(name, about, draw, kind, slice=slice, allowance=ALLOWED.get(f"two samples, {method}"))


def kernel_of(family: str) -> Any:
    """Return the kernel that is chosen by default; objects have one by name."""
    return {"strings": "normalized(spectrum(length=2))", "graphs": "normalized(weisfeiler_lehman(depth=2))"}.get(
        family, "auto"
    )


def independence() -> None:
    """Register tests of independence."""
    for family in FAMILIES:
        objects = family in ("strings", "graphs")
        for method in (
            ("permutation",) if objects else ("permutation", "aggregated", "wild", "features", "sequential", "gamma")
        ):
            for n in (8, 30) if method != "gamma" else (100,):
                if n == 8 and method in ("aggregated", "wild"):
                    continue

                def draw(rng: np.random.Generator, family=family, method=method, n=n) -> float:
                    x, y = FAMILIES[family](rng, n, 2), FAMILIES["student"](rng, n, 1)
                    how = {"method": "aggregated", "wild": True} if method == "wild" else {"method": method}
                    return mercer.independence_test(x, y, kernel_of(family), **how, **options(rng)).p_value

                ties = family == "ties" or objects or n == 8 or method in ("sequential", "wild")
                kind = Kind.VALID if ties else Kind.EXACT
                kind = Kind.APPROXIMATE if method == "gamma" else kind
                name = f"independence_{method}_{family}_{n}".replace(" ", "_")
                slice = (
                    150
                    if (n, family) in ((30, "normal"), (8, "cauchy"), (100, "normal")) or (objects and n == 30)
                    else 0
                )
                about = f"independence, `{method}`, {family}, {n} points"
                level(name, about, draw, kind, slice=slice, allowance=ALLOWED.get(f"independence, {method}"))


def joint() -> None:
    """Register tests of joint independence, of interaction and of fit."""
    for family in ("normal", "cauchy", "ties"):
        for n in (12, 40):

            def together(rng: np.random.Generator, family=family, n=n) -> float:
                return mercer.joint_independence_test(
                    [FAMILIES[family](rng, n, 1) for _ in range(3)], **options(rng)
                ).p_value

            def apart(rng: np.random.Generator, family=family, n=n) -> float:
                x, y = FAMILIES[family](rng, n, 1), FAMILIES[family](rng, n, 1)
                return mercer.interaction_test(x, x + y, FAMILIES[family](rng, n, 1), **options(rng)).p_value

            kind = Kind.VALID if family == "ties" else Kind.EXACT
            slice = 100 if family == "normal" and n == 12 else 0
            level(
                f"joint_{family}_{n}",
                f"joint independence of three, {family}, {n} points",
                together,
                kind,
                slice=slice,
            )
            level(f"interaction_{family}_{n}", f"interaction with one independent, {family}, {n} points", apart,
                  Kind.VALID, slice=slice)  # fmt: skip
    for n in (20, 100, 500):

        def fit(rng: np.random.Generator, n=n) -> float:
            return mercer.goodness_of_fit_test(rng.normal(size=(n, 2)), "normal()", **options(rng)).p_value

        # The wild bootstrap holds its level in the limit.
        level(f"fit_normal_{n}", f"fit of a normal density, {n} points", fit, Kind.APPROXIMATE,
              slice=100 if n == 20 else 0, allowance=ALLOWED.get("goodness of fit"))  # fmt: skip


def large() -> None:
    """Register larger samples, in the full run."""
    for n in (500, 2000):

        def two(rng: np.random.Generator, n=n) -> float:
            return mercer.two_sample_test(rng.normal(size=(n, 3)), rng.normal(size=(n // 2, 3)), **options(rng)).p_value

        def one(rng: np.random.Generator, n=n) -> float:
            return mercer.independence_test(
                rng.normal(size=(n, 3)), rng.standard_t(3, size=(n, 1)), **options(rng)
            ).p_value

        full = 2000 if n == 500 else 300
        level(f"two_sample_large_{n}", f"two samples of {n} and {n // 2} points", two, Kind.EXACT, slice=0, full=full)
        level(f"independence_large_{n}", f"independence of {n} points", one, Kind.EXACT, slice=0, full=full)


NULLS: dict[str, Callable[[np.random.Generator, np.ndarray], tuple[np.ndarray, np.ndarray]]] = {
    "independent": lambda rng, z: (rng.normal(size=len(z)), rng.normal(size=len(z))),
    "linear": lambda rng, z: (
        z @ rng.normal(size=z.shape[1]) / np.sqrt(z.shape[1]) + rng.normal(size=len(z)),
        z @ rng.normal(size=z.shape[1]) / np.sqrt(z.shape[1]) + rng.normal(size=len(z)),
    ),
    "two columns": lambda rng, z: (
        z[:, 0] + z[:, -1] + 0.5 * rng.normal(size=len(z)),
        np.tanh(z[:, 0]) + 0.5 * rng.normal(size=len(z)),
    ),
}


def conditional() -> None:
    """Register tests of conditional independence. No such test has its level for all distributions."""
    for given in (1, 5, 49):
        for kind, causes in NULLS.items():
            for method in ("permutation", "gamma"):
                for n in (100, 300, 1000):

                    def draw(rng: np.random.Generator, given=given, causes=causes, method=method, n=n) -> float:
                        z = rng.normal(size=(n, given))
                        x, y = causes(rng, z)
                        return mercer.conditional_independence_test(x, y, z, method=method, **options(rng)).p_value

                    name = f"conditional_{method}_{kind}_{given}_{n}".replace(" ", "_")
                    about = f"conditional independence, `{method}`, {kind}, given {given} columns, {n} points"
                    slice = 80 if n == 100 and given == 1 else 0
                    full = {100: 2000, 300: 1000, 1000: 200}[n]
                    level(name, about, draw, Kind.APPROXIMATE, slice=slice, full=full,
                          allowance=ALLOWED.get("conditional independence"))  # fmt: skip


def approximations() -> None:
    """Register approximations at growing numbers of points: from where on they are within the band."""
    for method, families in APPROXIMATIONS.items():
        for family in families:
            for n in SIZES:

                def draw(rng: np.random.Generator, method=method, family=family, n=n) -> float:
                    return APPROXIMATE[method](rng, FAMILIES[family], n)

                name = approach_name(method, family, n)
                level(name, f"{method}, {family}, {n} points: the band", draw, Kind.APPROXIMATE, slice=0, full=5000,
                      verdict=told)  # fmt: skip


def told(values: list[int]) -> tuple[str, str | None]:
    """Return the shares, and whether they are in the band; to be outside is no finding here."""
    text, above = judge(Kind.APPROXIMATE)(values)
    return f"{text}; {'above' if above else 'not above'} the 99.9 % band", None


def approach_name(method: str, family: str, n: int) -> str:
    """Return the name of the check of an approximation at a size."""
    return f"approach_{method}_{family}_{n}".replace(", ", "_").replace(" ", "_")


def approach(progress: dict[str, Progress]) -> list[str]:
    """Return in words from how many points on every approximation is within the band, as far as it was run."""
    lines = []
    for method, families in APPROXIMATIONS.items():
        for family in families:
            found = {}
            for n in SIZES:
                values = progress.get(f"levels.{approach_name(method, family, n)}", Progress()).values
                if values:
                    found[n] = judge(Kind.APPROXIMATE)(values)[1] is None
            if found:
                above = [n for n, inside in found.items() if not inside]
                since = [n for n in found if not above or n > max(above)]
                where = f"from {since[0]} points on" if since else f"not up to {max(found)} points"
                lines.append(f"{method}, {family}: within the 99.9 % band {where} (sizes {', '.join(map(str, found))})")
    return lines


def two(method: str, **more: Any) -> Callable[[np.random.Generator, Sample, int], float]:
    """Return a two-sample test of n + n points."""

    def p_value(rng: np.random.Generator, family: Sample, n: int) -> float:
        x, y = family(rng, n, 2), family(rng, n, 2)
        return mercer.two_sample_test(x, y, "auto", method, **more, **options(rng)).p_value

    return p_value


SIZES = (16, 25, 60, 100, 200, 400)
APPROXIMATE: dict[str, Callable[[np.random.Generator, Sample, int], float]] = {
    "two samples, gamma": two("gamma"),
    "two samples, spectral": two("spectral"),
    "two samples, linear": two("linear"),
    "two samples, block": two("block", block_size=8),
    "independence, gamma": lambda rng, family, n: (
        mercer.independence_test(
            family(rng, n, 2), rng.standard_t(3, size=(n, 1)), "auto", method="gamma", **options(rng)
        ).p_value
    ),
    "goodness of fit": lambda rng, family, n: (
        mercer.goodness_of_fit_test(family(rng, n, 2), "normal()", **options(rng)).p_value
    ),
}
APPROXIMATIONS = {
    method: ("normal",) if method == "goodness of fit" else ("normal", "cauchy", "ties") for method in APPROXIMATE
}

for _register in (two_samples, independence, joint, conditional, large, approximations):
    _register()
