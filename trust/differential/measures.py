"""Measures and tests against closed forms in numpy and enumerations."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import scipy.spatial.distance
import scipy.stats

import mercer
from trust.compare import all_of, distance
from trust.data import generator, kernel, points
from trust.registry import Outcome, check


@check("differential", slice=60, full=10_000)
def discrepancies_numpy(seed: int) -> Outcome:
    """MMD², energy distance, Wasserstein distance and HSIC against numpy and scipy."""
    rng = generator(seed)
    n, m, d = int(rng.integers(4, 40)), int(rng.integers(4, 40)), int(rng.integers(1, 4))
    pooled = points(rng, n + m, d)
    x, y = pooled[:n], pooled[n:]
    text = kernel(rng, pooled)
    gram = mercer.Kernel(text)(pooled, n_jobs=1)
    size = np.abs(gram).max()
    biased = mercer.mmd(x, y, text, n_jobs=1)
    unbiased = mercer.mmd(x, y, text, "unbiased", n_jobs=1)
    far = scipy.spatial.distance.cdist(pooled, pooled)
    energy = mercer.energy_distance(x, y, n_jobs=1)
    line = mercer.wasserstein(x[:, 0], y[:, 0])
    expected = scipy.stats.wasserstein_distance(x[:, 0], y[:, 0])
    return all_of(
        Outcome(distance(biased, squared_mmd(gram, n, False), size), 1e-13),
        Outcome(distance(unbiased, squared_mmd(gram, n, True), size), 1e-13),
        Outcome(distance(energy, -squared_mmd(far, n, False), far.max() or 1.0), 1e-11),
        Outcome(distance(line, expected, np.abs(pooled[:, 0]).max()), 1e-12),
    )


def squared_mmd(gram: np.ndarray, n: int, unbiased: bool) -> float:
    """Return MMD² of the first n points and the others from the matrix of all."""
    own, other, cross = gram[:n, :n], gram[n:, n:], gram[:n, n:]
    if not unbiased:
        return own.mean() + other.mean() - 2 * cross.mean()
    means = [(a.sum() - np.trace(a)) / (len(a) * (len(a) - 1)) for a in (own, other)]
    return means[0] + means[1] - 2 * cross.mean()


@check("differential", slice=60, full=10_000)
def dependence_numpy(seed: int) -> Outcome:
    """HSIC, dHSIC and distance covariance against their definitions."""
    rng = generator(seed)
    n = int(rng.integers(6, 40))
    x, y, z = (points(rng, n, int(rng.integers(1, 3))) for _ in range(3))
    texts = [kernel(rng, a) for a in (x, y, z)]
    grams = [mercer.Kernel(t)(a, n_jobs=1) for t, a in zip(texts, (x, y, z), strict=True)]
    size = float(np.prod([np.abs(g).max() for g in grams]))
    pair = np.abs(grams[0]).max() * np.abs(grams[1]).max()
    center = np.eye(n) - 1 / n
    biased = np.trace(grams[0] @ center @ grams[1] @ center) / n**2
    joint = (
        np.mean(grams[0] * grams[1] * grams[2])
        + np.prod([g.mean() for g in grams])
        - 2 * np.mean(np.prod([g.mean(axis=1) for g in grams], axis=0))
    )
    far = [scipy.spatial.distance.cdist(a, a) for a in (x, y)]
    covariance = np.sqrt(max(0.0, np.mean((center @ far[0] @ center) * (center @ far[1] @ center))))
    scale = np.sqrt(far[0].max() * far[1].max()) or 1.0
    return all_of(
        Outcome(distance(mercer.hsic(x, y, *texts[:2], n_jobs=1), biased, pair), 1e-12),
        Outcome(distance(mercer.hsic(x, y, *texts[:2], "unbiased", n_jobs=1), unbiased_hsic(*grams[:2]), pair), 1e-11),
        Outcome(distance(mercer.dhsic([x, y, z], texts, n_jobs=1), joint, size), 1e-12),
        Outcome(distance(mercer.distance_covariance(x, y, n_jobs=1) ** 2, covariance**2, scale**2), 1e-12),
    )


def unbiased_hsic(k: np.ndarray, other: np.ndarray) -> float:
    """Return the unbiased estimate of Song et al. (2012)."""
    n = len(k)
    k, other = k - np.diag(np.diag(k)), other - np.diag(np.diag(other))
    whole = np.trace(k @ other) + k.sum() * other.sum() / ((n - 1) * (n - 2))
    return (whole - 2 / (n - 2) * (k @ other).sum()) / (n * (n - 3))


@check("differential", slice=25, full=3_000)
def exact_two_sample(seed: int) -> Outcome:
    """The exact two-sample test against an enumeration of all relabelings."""
    rng = generator(seed)
    n, m = int(rng.integers(2, 5)), int(rng.integers(2, 5))
    pooled = points(rng, n + m, int(rng.integers(1, 3)))
    text = kernel(rng, pooled)
    gram = mercer.Kernel(text)(pooled, n_jobs=1)
    values = []
    for chosen in combinations(range(n + m), n):
        order = [*chosen, *(i for i in range(n + m) if i not in chosen)]
        values.append(squared_mmd(gram[np.ix_(order, order)], n, False))
    found = mercer.two_sample_test(pooled[:n], pooled[n:], text, method="exact", n_jobs=1)
    # Values that differ by rounding are ties.
    expected = np.mean(np.array(values) >= values[0] - 1e-10 * np.abs(gram).max())
    return Outcome(distance(found.p_value, expected), 1e-12)


@check("differential", slice=25, full=3_000)
def exact_independence(seed: int) -> Outcome:
    """The exact independence test against an enumeration of all permutations."""
    rng = generator(seed)
    n = int(rng.integers(4, 7))
    x, y = points(rng, n, 1), points(rng, n, 2)
    texts = kernel(rng, x), kernel(rng, y)
    k, other = (mercer.Kernel(t)(a, n_jobs=1) for t, a in zip(texts, (x, y), strict=True))
    center = np.eye(n) - 1 / n
    middle = center @ k @ center
    values = np.array([np.sum(middle * other[np.ix_(order, order)]) for order in permutations(range(n))])
    found = mercer.independence_test(x, y, *texts, method="exact", n_jobs=1)
    expected = np.mean(values >= values[0] - 1e-10 * np.abs(k).max() * np.abs(other).max())
    return Outcome(distance(found.p_value, expected), 1e-12)


@check("differential", slice=30, full=3_000)
def stein_numpy(seed: int) -> Outcome:
    """The kernel Stein discrepancy of a normal density against its formula."""
    rng = generator(seed)
    n, d = int(rng.integers(4, 40)), int(rng.integers(1, 4))
    x = rng.normal(size=(n, d)) * rng.uniform(0.5, 2)
    found = mercer.stein_discrepancy(x, lambda a: -a, "inverse_multiquadric(offset=1)", n_jobs=1)
    difference = x[:, None] - x[None]
    base = 1 + (difference**2).sum(axis=2)
    score = -x
    inner = score @ score.T / np.sqrt(base)
    first = np.einsum("ijk,jk->ij", -difference, score) * base**-1.5
    second = np.einsum("ijk,ik->ij", difference, score) * base**-1.5
    trace = d * base**-1.5 - 3 * (difference**2).sum(axis=2) * base**-2.5
    values = inner + first + second + trace
    return Outcome(distance(found, values.mean(), np.abs(values).max()), 1e-12)
