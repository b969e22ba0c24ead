"""Shapes that other benchmarks leave out, beside scikit-learn: Nyström landmarks, few components of few rows, images.

    python bench/shapes.py [--only TEXT] [--repeat 3]

Both sides are run in turn. On a busy machine the ratio by processor time is the one to read; it counts the threads of
OpenBLAS that wait.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from timing import interleaved, warn_if_busy

import mercer

Case = tuple[str, Callable[[], Any], Callable[[], Any]]


def landmarks() -> Iterator[Case]:
    """Fit Nyström features with both choices of landmarks beside uniform ones, and apply them."""
    for rows, columns, count in [(5000, 3, 100), (20_000, 10, 500), (2000, 784, 100), (20_000, 200, 1000)]:
        x = np.random.default_rng(0).random((rows, columns))
        theirs = Nystroem("rbf", gamma=3.0 / columns, n_components=count, random_state=0).fit(x)
        kernel = mercer.gaussian(gamma=3.0 / columns)
        for choice in ("uniform", "rpcholesky"):
            ours = mercer.Nystroem(kernel, n_components=count, landmarks=choice, random_state=0).fit(x)
            yield f"Nyström {rows}×{columns}→{count}, {choice}", partial(ours.fit, x), partial(theirs.fit, x)
        yield f"Nyström {rows}×{columns}→{count}, transform", partial(ours.transform, x), partial(theirs.transform, x)


def components() -> Iterator[Case]:
    """Find components, with the kernel matrix included on both sides."""
    for rows, columns, count in [(300, 10, 10), (500, 3, 5), (500, 100, 5), (500, 10, 20), (800, 10, 40)]:
        x = np.random.default_rng(rows).normal(size=(rows, columns))
        ours = mercer.KernelPCA(count, kernel="gaussian(lengthscale=1)")
        theirs = KernelPCA(count, kernel="rbf", gamma=0.5, eigen_solver="arpack")
        yield f"PCA, Gaussian, {rows}×{columns}, {count}", partial(ours.fit, x), partial(theirs.fit, x)
    x = np.random.default_rng(3).random((2000, 20))
    ours, theirs = mercer.KernelPCA(5, kernel="linear"), KernelPCA(5, kernel="linear", eigen_solver="arpack")
    yield "PCA, linear, 2000×20, 5", partial(ours.fit, x), partial(theirs.fit, x)


def images() -> Iterator[Case]:
    """Compute kernel matrices of 784 columns."""
    for rows in (2000, 5000):
        x = np.random.default_rng(0).random((rows, 784))
        yield f"linear Gram {rows}×784", partial(mercer.linear(), x), partial(linear_kernel, x)
        gaussian = mercer.gaussian(lengthscale=5)
        yield f"Gaussian Gram {rows}×784", partial(gaussian, x), partial(rbf_kernel, x, gamma=0.02)
        yield (
            f"Gaussian Gram {rows}×784, float32 / float64",
            partial(gaussian, x, dtype="float32"),
            partial(gaussian, x),
        )


def smoothness() -> Iterator[Case]:
    """Compute Matérn matrices of any smoothness beside that of 3/2."""
    x = np.random.default_rng(0).random((2000, 5))
    for nu in (0.8, 7.3):
        yield f"Matérn ν = {nu} beside 3/2", partial(mercer.matern(nu=nu), x), partial(mercer.matern(nu=1.5), x)


def main() -> None:
    """Run the cases and print times and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases whose name contains this")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    warn_if_busy()
    print(f"{'':<44}{'ours, ms':>10}{'theirs':>10}{'ratio':>8}{'by processor':>14}")
    for make in (landmarks, components, images, smoothness):
        for name, ours, theirs in make():
            if options.only not in name:
                continue
            (clock, own), (their_clock, their_own) = interleaved([ours, theirs], options.repeat)
            times = f"{1e3 * clock:>10.2f}{1e3 * their_clock:>10.2f}{their_clock / clock:>8.2f}"
            print(f"{name:<44}{times}{their_own / max(own, 1e-9):>14.2f}", flush=True)


if __name__ == "__main__":
    main()
