"""Levels of every test where its hypothesis is true, on families of distributions.

The share of rejections must lie in the 99.9 % interval of the binomial distribution: from above for every test, and
from below too for tests that are exact on data without ties. Shares are judged at the levels 0.01, 0.05 and 0.1, and
all p-values up to 0.75 must be at least as large as uniform ones (super-uniform).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.stats

import mercer
from trust.registry import Check, Outcome, add
from trust.state import BINS

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


def judge(exact: bool, caveat: float = 0.0, up_to: float = 0.75) -> Callable[[list[int]], tuple[str, str | None]]:
    """Return the verdict on p-values: those of a caveat of the documentation may be too small by its share."""

    def verdict(values: list[int]) -> tuple[str, str | None]:
        wrong = None
        parts = []
        for at in (*DECISIONS, *UNIFORM):
            count, total = shares(values, at)
            if at in DECISIONS:
                parts.append(f"{count / total:.3f} at {at}")
            most = scipy.stats.binom.ppf((1 + CONFIDENCE) / 2, total, min(1.0, at * (1 + caveat)))
            least = scipy.stats.binom.ppf((1 - CONFIDENCE) / 2, total, at)
            if at <= up_to and count > most:
                wrong = wrong or f"{count} of {total} p-values up to {at}: at most {most:.0f} are expected"
            if exact and at in DECISIONS and count < least:
                wrong = wrong or f"{count} of {total} p-values up to {at}: at least {least:.0f} are expected"
        return ", ".join(parts), wrong

    return verdict


def level(name: str, about: str, draw: Callable[[np.random.Generator], float], *, exact: bool, slice: int,
          full: int = 10_000, caveat: float = 0.0, up_to: float = 0.75) -> None:  # fmt: skip
    """Register a test with a null distribution."""

    def run(seed: int) -> Outcome:
        return Outcome(value=draw(np.random.default_rng([seed, 7, len(name)])))

    add(Check("levels", name, about, run, slice, full, 60.0, judge(exact, caveat, up_to)))


def options(rng: np.random.Generator) -> dict[str, Any]:
    """Return few permutations and a seed of their own: the tests are exact for any number."""
    return {"permutations": PERMUTATIONS, "random_state": int(rng.integers(2**31)), "n_jobs": 1}


def two_samples() -> None:
    """Register two-sample tests."""
    exact = ("aggregated", "permutation", "paired", "fused", "split", "features", "sequential")
    # Two moments of the statistic: too small in the middle (see the page of tests).
    limits = {
        "gamma": (0.3, 0.1),
        "spectral": (0.3, 0.3),
        "linear": (0.3, 0.1),
        "block": (0.3, 0.1),
        "bound": (0.0, 0.75),
    }
    for family in FAMILIES:
        objects = family in ("strings", "graphs")
        for method in ("permutation",) if objects else (*exact, *limits):
            for n, m in ((8, 8), (40, 25)) if method in exact else ((60, 60),):
                if method == "paired":
                    m = n
                if method == "split" and n < 20:
                    continue
                ties = family == "ties" or objects or method in ("sequential",) or n == 8
                caveat, up_to = limits.get(method, (0.0, 0.75))

                def draw(rng: np.random.Generator, family=family, method=method, n=n, m=m) -> float:
                    x, y = FAMILIES[family](rng, n, 2), FAMILIES[family](rng, m, 2)
                    more = {"block_size": 8} if method == "block" else {}
                    return mercer.two_sample_test(x, y, kernel_of(family), method, **more, **options(rng)).p_value

                name = f"two_sample_{method}_{family}_{n}_{m}".replace(" ", "_")
                about = f"two samples, `{method}`, {family}, {n} and {m} points"
                slice = 150 if (n, family) in ((40, "normal"), (8, "ties"), (60, "cauchy")) or objects else 0
                level(name, about, draw, exact=method in exact and not ties, slice=slice, caveat=caveat, up_to=up_to)


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
                # The gamma distribution of HSIC rejects about 1.5 % at 0.01.
                caveat, up_to = (1.0, 0.1) if method == "gamma" else (0.0, 0.75)
                name = f"independence_{method}_{family}_{n}".replace(" ", "_")
                slice = (
                    150
                    if (n, family) in ((30, "normal"), (8, "cauchy"), (100, "normal")) or (objects and n == 30)
                    else 0
                )
                level(name, f"independence, `{method}`, {family}, {n} points", draw,
                      exact=not ties and method != "gamma", slice=slice, caveat=caveat, up_to=up_to)  # fmt: skip


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

            exact = family != "ties"
            slice = 100 if family == "normal" and n == 12 else 0
            level(
                f"joint_{family}_{n}",
                f"joint independence of three, {family}, {n} points",
                together,
                exact=exact,
                slice=slice,
            )
            level(f"interaction_{family}_{n}", f"interaction with one independent, {family}, {n} points", apart,
                  exact=False, slice=slice)  # fmt: skip
    for n in (20, 100, 500):

        def fit(rng: np.random.Generator, n=n) -> float:
            return mercer.goodness_of_fit_test(rng.normal(size=(n, 2)), "normal()", **options(rng)).p_value

        # The wild bootstrap holds its level in the limit.
        level(f"fit_normal_{n}", f"fit of a normal density, {n} points", fit, exact=False, slice=100 if n == 20 else 0,
              caveat=0.3, up_to=0.1)  # fmt: skip


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
        level(f"two_sample_large_{n}", f"two samples of {n} and {n // 2} points", two, exact=True, slice=0, full=full)
        level(f"independence_large_{n}", f"independence of {n} points", one, exact=True, slice=0, full=full)


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
                    level(name, about, draw, exact=False, slice=slice, full=full, caveat=0.3, up_to=0.1)


for _register in (two_samples, independence, joint, conditional, large):
    _register()
