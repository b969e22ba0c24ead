"""Intervals cover what they promise, and probabilities are calibrated."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import scipy.stats
import sklearn.datasets

import mercer
from trust.registry import Check, Outcome, add, check

ROOT = Path(__file__).resolve().parent.parent
LEVEL = 0.9
WIDTH = float(scipy.stats.norm.ppf((1 + LEVEL) / 2))


def band(low: float, high: float) -> Callable[[list[int]], tuple[str, str | None]]:
    """Return the verdict on covered shares: their mean, up to its own error, lies between two numbers."""

    def verdict(values: list[int]) -> tuple[str, str | None]:
        shares = np.repeat(np.arange(len(values)) / (len(values) - 1), values)
        mean, error = shares.mean(), shares.std() / np.sqrt(len(shares))
        wrong = not low - 3.3 * error <= mean <= high + 3.3 * error
        text = f"{mean:.3f} of the {LEVEL:.0%} intervals cover"
        return text, f"{text}: expected {low} to {high}" if wrong else None

    return verdict


def covered(name: str, about: str, run: Callable[[np.random.Generator], float], low: float, high: float, *,
            slice: int, full: int) -> None:  # fmt: skip
    """Register a check that collects covered shares."""

    def case(seed: int) -> Outcome:
        return Outcome(value=run(np.random.default_rng([seed, 11])))

    add(Check("coverage", name, about, case, slice, full, 60.0, band(low, high)))


def prior_draw(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw points and a function of a Gaussian process at them, with noise of variance 0.1."""
    x = rng.uniform(0, 4, size=(n, 1))
    gram = mercer.Kernel("gaussian(lengthscale=0.7)")(x, n_jobs=1)
    values, vectors = np.linalg.eigh(gram)
    truth = vectors @ (np.sqrt(np.maximum(values, 0)) * rng.normal(size=n))
    return x, truth + np.sqrt(0.1) * rng.normal(size=n)


def process(rng: np.random.Generator) -> float:
    """Return the share of observations inside intervals of the process that made them."""
    x, y = prior_draw(rng, 60)
    model = mercer.GaussianProcessRegressor("gaussian(lengthscale=0.7)", 0.1, optimize=False, n_jobs=1)
    mean, std = model.fit(x[:40], y[:40]).predict(x[40:], return_std=True, include_noise=True)
    return float(np.mean(np.abs(y[40:] - mean) <= WIDTH * std))


def chosen_process(rng: np.random.Generator) -> float:
    """Return the same with parameters chosen from the data."""
    x, y = prior_draw(rng, 90)
    model = mercer.GaussianProcessRegressor("1*gaussian(lengthscale=1)", 0.3, random_state=0, n_jobs=1)
    mean, std = model.fit(x[:60], y[:60]).predict(x[60:], return_std=True, include_noise=True)
    return float(np.mean(np.abs(y[60:] - mean) <= WIDTH * std))


def ridge(rng: np.random.Generator) -> float:
    """Return the share of observations inside intervals of ridge regression."""
    x, y = prior_draw(rng, 100)
    model = mercer.KernelRidge(0.1, kernel="gaussian(lengthscale=0.7)", n_jobs=1).fit(x[:70], y[:70])
    mean, std = model.predict(x[70:], return_std=True, include_noise=True)
    return float(np.mean(np.abs(y[70:] - mean) <= WIDTH * std))


def spline(rng: np.random.Generator) -> float:
    """Return the share of the curve inside Bayesian intervals of a smoothing spline, across the line."""
    x = np.sort(rng.uniform(size=120))
    truth = np.sin(2 * np.pi * x) + 0.5 * np.cos(6 * np.pi * x)
    mean, std = mercer.SmoothingSpline("reml").fit(x, truth + 0.3 * rng.normal(size=120)).predict(x, return_std=True)
    return float(np.mean(np.abs(truth - mean) <= WIDTH * std))


@cache
def real(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a real data set with standardized columns."""
    if name == "diabetes":
        x, y = sklearn.datasets.load_diabetes(return_X_y=True)
    else:
        bench = ROOT / "bench" / "data" / f"{name}.csv.gz"
        path = bench if bench.exists() else ROOT / "examples" / "data" / f"{name}.csv"
        table = np.genfromtxt(path, delimiter=",", skip_header=1)
        table = table[np.isfinite(table).all(axis=1)]
        x, y = table[:, :-1], table[:, -1]
    spread = x.std(axis=0)
    return (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1), (y - y.mean()) / y.std()


def on_real(name: str) -> Callable[[np.random.Generator], float]:
    """Return the check of a process with chosen parameters on a real data set."""

    def run(rng: np.random.Generator) -> float:
        x, y = real(name)
        order = rng.permutation(len(x))[:500]
        train, rest = order[:300], order[300:]
        kernel = "1*matern(nu=3/2, lengthscale=1)"
        model = mercer.GaussianProcessRegressor(kernel, 0.1, random_state=0, n_jobs=1).fit(x[train], y[train])
        mean, std = model.predict(x[rest], return_std=True, include_noise=True)
        return float(np.mean(np.abs(y[rest] - mean) <= WIDTH * std))

    return run


covered("process", "Gaussian process with the true kernel", process, 0.9, 0.9, slice=60, full=10_000)
covered(
    "chosen_process", "Gaussian process, parameters by the likelihood", chosen_process, 0.86, 0.91, slice=8, full=2000
)
covered("ridge", "ridge regression with the true kernel and λ", ridge, 0.88, 0.92, slice=60, full=10_000)
covered("spline", "smoothing spline by REML, across the line", spline, 0.87, 0.94, slice=60, full=10_000)
for _name in ("diabetes", "concrete", "california", "protein"):
    covered(f"real_{_name}", f"Gaussian process on 300 rows of {_name}", on_real(_name), 0.85, 0.96,
            slice=2 if _name in ("diabetes", "concrete") else 0, full=200)  # fmt: skip


@check("coverage", slice=12, full=1000, limit=60.0)
def probabilities(seed: int) -> Outcome:
    """Probabilities of held-out rows: their mean is the share of the class, within 4 standard errors and 3 %."""
    rng = np.random.default_rng([seed, 13])
    loaders = (sklearn.datasets.load_breast_cancer, sklearn.datasets.load_wine, sklearn.datasets.load_digits)
    x, y = loaders[seed % 3](return_X_y=True)
    x = x - x.mean(axis=0)
    x /= np.where(x.std(axis=0) > 0, x.std(axis=0), 1)
    order = rng.permutation(len(x))[:400]
    train, rest = order[: len(order) * 2 // 3], order[len(order) * 2 // 3 :]
    if seed % 2:
        model = mercer.SVC(probability=True, random_state=0, n_jobs=1)
    else:
        model = mercer.KernelLogisticRegression(0.05, n_jobs=1)
    probability = model.fit(x[train], y[train]).predict_proba(x[rest])
    actual = (y[rest][:, None] == model.classes_).mean(axis=0)
    spread = np.sqrt((probability * (1 - probability)).sum(axis=0)) / len(rest)
    off = np.abs(probability.mean(axis=0) - actual) / (4 * spread + 0.03)
    return Outcome(float(off.max()), 1.0)
