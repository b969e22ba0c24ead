"""Kernels on strings, graphs, bags and diagrams against plain Python."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import scipy.linalg
import scipy.sparse.csgraph

import mercer
from trust.compare import distance
from trust.data import generator
from trust.registry import Outcome, check


def strings(rng: np.random.Generator, count: int, alphabet: str = "abc") -> list[str]:
    """Draw short strings, one of them empty at times."""
    return ["".join(rng.choice(list(alphabet), size=int(rng.integers(0, 9)))) for _ in range(count)]


def products(counts: list[Counter]) -> np.ndarray:
    """Return the inner products of counted features."""
    return np.array([[float(sum(a[u] * b[u] for u in a)) for b in counts] for a in counts])


@check("differential", slice=40, full=10_000)
def string_kernels(seed: int) -> Outcome:
    """Spectrum, mismatch and subsequence kernels against counting in Python."""
    rng = generator(seed)
    texts = strings(rng, 5)
    length = int(rng.integers(1, 4))
    kind = int(rng.integers(3))
    if kind == 0:
        counts = [Counter(t[i : i + length] for i in range(len(t) - length + 1)) for t in texts]
        text = f"spectrum(length={length})"
    elif kind == 1:
        wrong = int(rng.integers(0, length))
        counts = [mismatches(t, length, wrong) for t in texts]
        text = f'mismatch(length={length}, mismatches={wrong}, alphabet="abc")'
    else:
        decay = round(float(rng.uniform(0.1, 1)), 2)
        counts = [subsequences(t, length, decay) for t in texts]
        text = f"subsequence(length={length}, decay={decay})"
    return Outcome(distance(mercer.Kernel(text)(texts), products(counts)), 1e-12)


def mismatches(text: str, length: int, wrong: int) -> Counter:
    """Count the words of an alphabet of three that differ from substrings in at most `wrong` places."""
    from itertools import product

    words = ["".join(w) for w in product("abc", repeat=length)]
    found: Counter = Counter()
    for i in range(len(text) - length + 1):
        part = text[i : i + length]
        found.update(w for w in words if sum(a != b for a, b in zip(w, part, strict=True)) <= wrong)
    return found


def subsequences(text: str, length: int, decay: float) -> Counter:
    """Weigh the subsequences of a length by the span of their indices."""
    found: Counter = Counter()
    for chosen in combinations(range(len(text)), length):
        found["".join(text[i] for i in chosen)] += decay ** (chosen[-1] - chosen[0] + 1)
    return found


def graph(rng: np.random.Generator) -> tuple[np.ndarray, list[int]]:
    """Draw a small undirected graph with labels."""
    n = int(rng.integers(1, 7))
    upper = np.triu(rng.random((n, n)) < 0.4, 1)
    return (upper + upper.T).astype(float), [int(v) for v in rng.integers(0, 3, size=n)]


@check("differential", slice=40, full=10_000)
def graph_kernels(seed: int) -> Outcome:
    """Weisfeiler–Lehman, shortest-path and random-walk kernels against plain Python."""
    rng = generator(seed)
    graphs = [graph(rng) for _ in range(4)]
    kind = int(rng.integers(3))
    if kind == 0:
        depth = int(rng.integers(0, 4))
        text, expected = f"weisfeiler_lehman(depth={depth})", products([refined(g, depth) for g in graphs])
    elif kind == 1:
        text, expected = "shortest_path()", products([paths(g) for g in graphs])
    else:
        decay = 0.01
        text = f"random_walk(decay={decay})"
        expected = np.array([[walks(g, h, decay) for h in graphs] for g in graphs])
    return Outcome(distance(mercer.Kernel(text)(mercer.Graphs(graphs)), expected), 1e-12)


def refined(given: tuple[np.ndarray, list[int]], depth: int) -> Counter:
    """Count the labels of all steps of the refinement, as nested tuples."""
    adjacency, labels = given
    current: list = list(labels)
    found: Counter = Counter((0, label) for label in current)
    for step in range(1, depth + 1):
        around = [sorted(current[j] for j in np.flatnonzero(row)) for row in adjacency]
        current = [str((own, near)) for own, near in zip(current, around, strict=True)]
        found.update((step, label) for label in current)
    return found


def paths(given: tuple[np.ndarray, list[int]]) -> Counter:
    """Count ordered pairs of vertices by labels and distance."""
    adjacency, labels = given
    far = scipy.sparse.csgraph.shortest_path(adjacency, unweighted=True)
    n = len(labels)
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j and np.isfinite(far[i, j])]
    return Counter((labels[i], labels[j], far[i, j]) for i, j in pairs)


def walks(g: tuple[np.ndarray, list[int]], h: tuple[np.ndarray, list[int]], decay: float) -> float:
    """Return the geometric random-walk kernel on the product of two graphs, whose vertex labels do not count."""
    product = np.kron(g[0], h[0])
    ones = np.ones(len(product))
    return float(ones @ np.linalg.solve(np.eye(len(ones)) - decay * product, ones))


@check("differential", slice=30, full=5_000)
def bags_and_diagrams(seed: int) -> Outcome:
    """Mean embeddings of bags and persistence diagrams against sums in numpy."""
    rng = generator(seed)
    if rng.random() < 0.5:
        bags = [rng.normal(size=(int(rng.integers(1, 6)), 2)) for _ in range(4)]
        inner = mercer.Kernel("gaussian(lengthscale=0.8)")
        expected = np.array([[inner(a, b).mean() for b in bags] for a in bags])
        return Outcome(distance(mercer.Kernel("mean_embedding(gaussian(lengthscale=0.8))")(bags), expected), 1e-12)
    sigma = round(float(rng.uniform(0.2, 2)), 2)
    diagrams = [np.sort(rng.uniform(0, 3, size=(int(rng.integers(0, 5)), 2)), axis=1) for _ in range(4)]
    expected = np.array([[heat(a, b, sigma) for b in diagrams] for a in diagrams])
    found = mercer.Kernel(f"persistence(scale={sigma})")(mercer.Diagrams(diagrams))
    return Outcome(distance(found, expected, max(np.abs(expected).max(), 1e-3)), 1e-12)


def heat(a: np.ndarray, b: np.ndarray, sigma: float) -> float:
    """Return the persistence scale-space kernel of two diagrams."""
    total = 0.0
    for p in a:
        for q in b:
            near, mirror = ((p - q) ** 2).sum(), ((p - q[::-1]) ** 2).sum()
            total += np.exp(-near / (8 * sigma)) - np.exp(-mirror / (8 * sigma))
    return total / (8 * np.pi * sigma)
