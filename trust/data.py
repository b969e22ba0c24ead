"""Random problems."""

from __future__ import annotations

import numpy as np

KINDS = ("normal", "uniform", "heavy", "ties", "scaled", "shifted", "duplicates")


def generator(seed: int) -> np.random.Generator:
    """Return the generator of a case."""
    return np.random.default_rng([seed, 20])


def points(rng: np.random.Generator, n: int, d: int, kind: str | None = None) -> np.ndarray:
    """Draw n points in d columns of a random or a given kind."""
    kind = kind or str(rng.choice(KINDS))
    x = rng.normal(size=(n, d))
    if kind == "uniform":
        return rng.uniform(size=(n, d))
    if kind == "heavy":
        return rng.standard_t(2, size=(n, d))
    if kind == "ties":
        return rng.integers(0, 4, size=(n, d)).astype(float)
    if kind == "scaled":
        return x * 10.0 ** rng.uniform(-2, 2, size=d)
    if kind == "shifted":
        return x + 10.0 ** rng.uniform(0, 3, size=d)
    if kind == "duplicates":
        return x[rng.integers(0, max(1, n // 2), size=n)]
    return x


def lengthscale(rng: np.random.Generator, x: np.ndarray) -> float:
    """Return a lengthscale between a third and three times a typical distance."""
    spread = float(np.sqrt(x.var(axis=0).sum())) or 1.0
    return spread * 3.0 ** rng.uniform(-1, 1)


def target(rng: np.random.Generator, x: np.ndarray, noise: float = 0.1) -> np.ndarray:
    """Draw a smooth function of the points with noise."""
    spread = x.std(axis=0)
    z = (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    weights = rng.normal(size=x.shape[1])
    return np.sin(z @ weights) + noise * rng.normal(size=len(x))


def labels(rng: np.random.Generator, x: np.ndarray, classes: int = 2) -> np.ndarray:
    """Draw classes that depend on the points, every class at least twice."""
    score = target(rng, x, 0.5)
    cuts = np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1])
    found = np.searchsorted(cuts, score)
    found[: 2 * classes] = np.repeat(np.arange(classes), 2)
    return found


KERNELS = (
    "gaussian(lengthscale={l})",
    "laplacian(lengthscale={l})",
    "laplacian(lengthscale={l}, norm=l1)",
    "matern(nu=3/2, lengthscale={l})",
    "matern(nu=5/2, lengthscale={l})",
    "matern(nu=0.8, lengthscale={l})",
    "rational_quadratic(lengthscale={l}, shape=0.7)",
    "cauchy(lengthscale={l})",
    "0.5*gaussian(lengthscale={l}) + laplacian(lengthscale={l})",
    "normalized(polynomial(degree=3, offset=1))",
    "gaussian(lengthscale={l}) * matern(nu=1/2, lengthscale={l})",
    "on([0], gaussian(lengthscale={l})) + 0.1*delta()",
)


def kernel(rng: np.random.Generator, x: np.ndarray) -> str:
    """Return the text of a random positive definite kernel at the scale of the points."""
    return str(rng.choice(KERNELS)).format(l=round(lengthscale(rng, x), 6) or 1.0)
