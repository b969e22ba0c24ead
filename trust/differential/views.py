"""Views and features against scikit-learn, scipy and numpy."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from sklearn.decomposition import KernelPCA

import mercer
from trust.compare import all_of, distance
from trust.data import generator, kernel, lengthscale, points
from trust.registry import Outcome, check


@check("differential", slice=30, full=5_000)
def pca_scikit_learn(seed: int) -> Outcome:
    """Kernel principal components against scikit-learn: eigenvalues, and scores up to their signs."""
    rng = generator(seed)
    n, d = int(rng.integers(5, 80)), int(rng.integers(1, 5))
    x = points(rng, n, d, str(rng.choice(["normal", "uniform", "heavy", "scaled"])))
    settings = {"kernel": "rbf", "gamma": 0.5 / lengthscale(rng, x) ** 2}
    count = int(rng.integers(1, 4))
    found, expected = mercer.KernelPCA(count, **settings).fit(x), KernelPCA(count, **settings).fit(x)
    fresh = points(rng, 6, d)
    top = expected.eigenvalues_
    whole = np.linalg.eigvalsh(centered(mercer.Kernel(f"gaussian(gamma={settings['gamma']!r})")(x)))[::-1]
    gaps = np.abs(np.diff(whole[: count + 1])).min() if n > count else top.min()
    scores, theirs = found.transform(fresh), expected.transform(fresh)
    scores = scores * np.where(np.sum(scores * theirs, axis=0) < 0, -1, 1)
    bound = max(1e-9, 1e-11 * top[0] / max(gaps, 1e-300) * np.sqrt(top[0] / max(top[-1], 1e-300)))
    return all_of(
        Outcome(distance(found.eigenvalues_, top, top[0]), 1e-12),
        Outcome(distance(scores, theirs), bound),
    )


def centered(gram: np.ndarray) -> np.ndarray:
    """Return the matrix with rows and columns of mean zero."""
    return gram - gram.mean(axis=0) - gram.mean(axis=1)[:, None] + gram.mean()


@check("differential", slice=25, full=3_000)
def kmeans_objective(seed: int) -> Outcome:
    """Kernel k-means: the objective is that of its labels, and no single move improves it."""
    rng = generator(seed)
    n, d, clusters = int(rng.integers(6, 70)), int(rng.integers(1, 4)), int(rng.integers(1, 5))
    x = points(rng, n, d)
    text = kernel(rng, x)
    gram = mercer.Kernel(text)(x)
    model = mercer.KernelKMeans(clusters, kernel=text, n_init=2, random_state=seed).fit(x)
    expected = objective(gram, model.labels_)
    best = expected
    for i in range(n):
        for other in range(clusters):
            moved = model.labels_.copy()
            moved[i] = other
            best = min(best, objective(gram, moved))
    scale = float(np.trace(gram)) or 1.0
    return all_of(
        Outcome(distance(model.objective_, expected, scale), 1e-11),
        Outcome(max(0.0, (expected - best) / scale), 1e-9),
    )


def objective(gram: np.ndarray, labels: np.ndarray) -> float:
    """Return the sum of squared distances from the means of clusters."""
    total = float(np.trace(gram))
    for cluster in np.unique(labels):
        rows = np.flatnonzero(labels == cluster)
        total -= gram[np.ix_(rows, rows)].sum() / len(rows)
    return total


@check("differential", slice=25, full=3_000)
def cca_scipy(seed: int) -> Outcome:
    """Kernel canonical correlations of Bach and Jordan against scipy's generalized eigenvalues."""
    rng = generator(seed)
    n = int(rng.integers(8, 50))
    x = points(rng, n, 2, "normal")
    y = np.column_stack([np.sin(x[:, 0]), rng.normal(size=n)])
    kappa = float(rng.uniform(0.01, 0.2))
    texts = [f"gaussian(lengthscale={rng.uniform(0.5, 2):.3f})" for _ in range(2)]
    found = mercer.KernelCCA(2, kernels=texts, kappa=kappa).fit(x, y)
    k, other = (centered(mercer.Kernel(t)(a)) for t, a in zip(texts, (x, y), strict=True))
    ridge = n * kappa / 2 * np.eye(n)
    first, second = k + ridge, other + ridge
    operator = np.linalg.solve(first, k) @ np.linalg.solve(second, other).T
    expected = np.linalg.svd(operator, compute_uv=False)[:2]
    return Outcome(distance(found.correlations_, expected, 1.0), 1e-6)


@check("differential", slice=25, full=3_000)
def scaling_numpy(seed: int) -> Outcome:
    """Classical scaling against the eigenvalues of the centered distances."""
    rng = generator(seed)
    n, d = int(rng.integers(4, 60)), int(rng.integers(1, 5))
    x = points(rng, n, d, str(rng.choice(["normal", "uniform", "scaled"])))
    found = mercer.ClassicalScaling(min(2, d)).fit(x)
    singular = np.linalg.svd(x - x.mean(axis=0), compute_uv=False) ** 2
    return Outcome(distance(found.eigenvalues_, singular[: min(2, d)], singular[0]), 1e-11)


@check("differential", slice=25, full=3_000)
def nystroem_numpy(seed: int) -> Outcome:
    """Nyström features: their products are K_xZ K_ZZ⁺ K_Zy, and with all points the kernel itself."""
    rng = generator(seed)
    n, d = int(rng.integers(5, 80)), int(rng.integers(1, 4))
    x = points(rng, n, d, str(rng.choice(["normal", "uniform", "scaled"])))
    text = f"matern(nu=3/2, lengthscale={lengthscale(rng, x)!r})"
    count = int(rng.integers(1, n + 1))
    features = mercer.Nystroem(text, count, random_state=seed).fit(x)
    chosen = x[features.component_indices_]
    k = mercer.Kernel(text)
    cross, inner = k(x, chosen), k(chosen)
    expected = cross @ scipy.linalg.solve(inner, cross.T, assume_a="pos")
    z = features.transform(x)
    return Outcome(distance(z @ z.T, expected, 1.0), max(1e-9, 1e-14 * np.linalg.cond(inner)))
