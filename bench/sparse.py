"""Sparse matrices beside scikit-learn: Gram matrices, support vector machines, ridge regression, Nyström features.

    python bench/sparse.py [--rows 4000] [--output PAGE]

Two kinds of synthetic data: like a9a (binary columns, 123 of them, 11 % ones) and like text (20 000 columns, 0.5 % of
the numbers, by a Zipf law, rows of norm 1). Every case is run in turn by both, the best of three; the largest
difference of the answers stands beside the ratio (landmarks are drawn by different generators, so that Nyström features
differ).
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel
from sklearn.svm import SVC
from timing import PAUSE, warn_if_busy

import mercer

#: Runs of each side.
RUNS = 3


def like_a9a(rows: int, seed: int = 0) -> tuple[sp.csr_matrix, np.ndarray]:
    """Draw binary columns of unequal frequency, and a class that they decide."""
    random = np.random.default_rng(seed)
    frequency = np.clip(random.beta(0.3, 2.4, 123), 0.002, 0.95)
    X = (random.uniform(size=(rows, 123)) < frequency).astype(np.float64)
    score = X @ random.normal(size=123) + random.normal(size=rows)
    return sp.csr_matrix(X), (score > np.quantile(score, 0.76)).astype(int)


def like_text(rows: int, columns: int = 20_000, seed: int = 0) -> tuple[sp.csr_matrix, np.ndarray]:
    """Draw words by a Zipf law as rows of norm 1, and a class by the words of two topics."""
    random = np.random.default_rng(seed)
    law = 1.0 / np.arange(1, columns + 1) ** 0.9
    law /= law.sum()
    y = random.integers(0, 2, rows)
    topics = [random.permutation(columns)[:400] for _ in range(2)]
    indices, starts = [], [0]
    for row in range(rows):
        words = random.choice(columns, 90, p=law)
        own = random.choice(topics[y[row]], 10)
        indices.append(np.concatenate([words, own]))
        starts.append(starts[-1] + 100)
    X = sp.csr_matrix((np.ones(starts[-1]), np.concatenate(indices), starts), shape=(rows, columns))
    X.sum_duplicates()
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return sp.csr_matrix(sp.diags(1.0 / norms) @ X), y


def best(ours: Callable[[], Any], theirs: Callable[[], Any]) -> tuple[float, float, Any, Any]:
    """Run both in turn; the best seconds and the last answers of each."""
    seconds, answers = ([], []), [None, None]
    for _ in range(RUNS):
        for side, work in enumerate((ours, theirs)):
            time.sleep(PAUSE)
            start = time.perf_counter()
            answers[side] = work()
            seconds[side].append(time.perf_counter() - start)
    return min(seconds[0]), min(seconds[1]), *answers


def cases(X: sp.csr_matrix, y: np.ndarray, gamma: float) -> list[tuple[str, Callable[[], Any], Callable[[], Any]]]:
    """Every case as a name and two functions that give comparable numbers."""
    gaussian = mercer.Kernel(f"gaussian(gamma={gamma!r})")
    linear, quadratic = mercer.Kernel("linear()"), mercer.Kernel("polynomial(degree=2, offset=1)")
    target = 2.0 * y - 1.0

    def svm(make: type, **settings: Any) -> Callable[[], np.ndarray]:
        return lambda: make(C=1.0, tol=1e-3, **settings).fit(X, y).decision_function(X[:500])

    def ridge(make: type, **settings: Any) -> Callable[[], np.ndarray]:
        return lambda: make(alpha=1.0, **settings).fit(X, target).predict(X[:500])

    rbf = {"kernel": "rbf", "gamma": gamma}
    basis = {"n_components": 300, "random_state": 0}

    def nystroem(make: type, **settings: Any) -> Callable[[], np.ndarray]:
        def run() -> np.ndarray:
            Z = make(**rbf, **basis, **settings).fit(X).transform(X)
            return Z[:300] @ Z[:300].T

        return run

    return [
        ("Gram, linear", lambda: linear(X), lambda: linear_kernel(X)),
        ("Gram, polynomial", lambda: quadratic(X), lambda: polynomial_kernel(X, degree=2, gamma=1.0, coef0=1.0)),
        ("Gram, gaussian", lambda: gaussian(X), lambda: rbf_kernel(X, gamma=gamma)),
        ("SVC, linear", svm(mercer.SVC, kernel="linear"), svm(SVC, kernel="linear")),
        ("SVC, gaussian", svm(mercer.SVC, **rbf), svm(SVC, **rbf)),
        ("ridge, linear", ridge(mercer.KernelRidge, kernel="linear"), ridge(KernelRidge, kernel="linear")),
        ("ridge, gaussian", ridge(mercer.KernelRidge, **rbf), ridge(KernelRidge, **rbf)),
        ("Nyström, 300 uniform", nystroem(mercer.Nystroem, landmarks="uniform"), nystroem(Nystroem)),
    ]


def main() -> None:
    """Print the table, and put it into a page where one is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--only", default="")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    warn_if_busy()
    lines = ["| data | case | ours | scikit-learn | ratio | largest difference |", "|---|---|---|---|---|---|"]
    print("\n".join(lines))
    for data, (X, y), gamma in [("a9a-like", like_a9a(given.rows), 0.05), ("text-like", like_text(given.rows), 0.7)]:
        name = f"{data} {X.shape[0]}×{X.shape[1]}, {100 * X.nnz / np.prod(X.shape):.1f} %"
        for case, ours, theirs in cases(X, y, gamma):
            if given.only not in f"{data} {case}":
                continue
            a, b, found, expected = best(ours, theirs)
            gap = np.abs(found - expected).max()
            lines.append(f"| {name} | {case} | {a:.3f} s | {b:.3f} s | {b / a:.1f} | {gap:.0e} |")
            print(lines[-1], flush=True)
    if given.output is not None:
        given.output.write_text("# Sparse matrices\n\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
