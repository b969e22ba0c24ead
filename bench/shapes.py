"""Shapes that other benchmarks leave out, beside scikit-learn: landmarks, few components, images, few features.

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
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, WhiteKernel
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.svm import SVC
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


def few_features() -> Iterator[Case]:
    """Fit kernels that have few features, and Fourier features with offsets."""
    for rows, columns in [(2000, 10), (4000, 50)]:
        x = np.random.default_rng(1).normal(size=(rows, columns))
        y = x @ np.random.default_rng(2).normal(size=columns) + np.random.default_rng(3).normal(size=rows)
        ours, theirs = mercer.KernelRidge(1e-3, kernel="linear"), KernelRidge(alpha=1e-3, kernel="linear")
        yield f"ridge, linear, {rows}×{columns}", partial(ours.fit, x, y), partial(theirs.fit, x, y)
    for rows, columns in [(500, 5), (1500, 10)]:
        y = x[:rows, :columns] @ np.arange(1.0, columns + 1) + np.random.default_rng(4).normal(size=rows)
        ours = mercer.GaussianProcessRegressor("1*linear()")
        # Without the constant of its kernel: ours has none.
        kernel = ConstantKernel() * DotProduct(sigma_0=1e-6, sigma_0_bounds="fixed") + WhiteKernel(0.1)
        theirs = GaussianProcessRegressor(kernel)
        z = x[:rows, :columns]
        yield f"Gaussian process, linear, {rows}×{columns}", partial(ours.fit, z, y), partial(theirs.fit, z, y)
    x = np.random.default_rng(5).normal(size=(5000, 3))
    ours = mercer.RandomFourierFeatures("gaussian()", n_components=100, kind="offset", random_state=0).fit(x)
    theirs = RBFSampler(gamma=0.5, n_components=100, random_state=0).fit(x)
    yield "Fourier features with offsets, 5000×3→100", partial(ours.transform, x), partial(theirs.transform, x)


def wide_classes() -> Iterator[Case]:
    """Fit a support vector machine on many columns."""
    x = np.random.default_rng(6).normal(size=(3000, 300))
    y = x[:, 0] + 0.5 * np.random.default_rng(7).normal(size=3000) > 0
    for kernel in ("rbf", "linear"):
        ours, theirs = mercer.SVC(kernel=kernel), SVC(kernel=kernel)
        yield f"SVC, {kernel}, 3000×300", partial(ours.fit, x, y), partial(theirs.fit, x, y)


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
    for make in (landmarks, components, images, few_features, wide_classes, smoothness):
        for name, ours, theirs in make():
            if options.only not in name:
                continue
            (clock, own), (their_clock, their_own) = interleaved([ours, theirs], options.repeat)
            times = f"{1e3 * clock:>10.2f}{1e3 * their_clock:>10.2f}{their_clock / clock:>8.2f}"
            print(f"{name:<44}{times}{their_own / max(own, 1e-9):>14.2f}", flush=True)


if __name__ == "__main__":
    main()
