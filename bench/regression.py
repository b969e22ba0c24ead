"""Regression in Mercer beside its peers, in one run: ridge, the choice of its numbers, splines, Gaussian processes.

Both sides are run in turn and the best time of each counts. Run it as

    python bench/regression.py [--json FILE] [--only TEXT] [--repeat 3] [--scale 1.0] [--grid-search]

`--grid-search` also runs scikit-learn's GridSearchCV, once: it takes minutes.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict

import numpy as np
from scipy.interpolate import make_smoothing_spline
from sklearn import gaussian_process, kernel_ridge
from sklearn.datasets import make_friedman1
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.metrics import pairwise
from sklearn.model_selection import GridSearchCV
from timing import Row, best_seconds, machine, peak_growth, print_row, warn_if_busy

import mercer


def sample(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw Friedman's first function of `d` uniform columns with noise."""
    return make_friedman1(n_samples=n, n_features=d, noise=1.0, random_state=seed)


def exact_ridge(arguments: argparse.Namespace) -> list[Row]:
    """Fit an exact ridge regression of 8 000 rows and 50 columns."""
    n, d, alpha = int(8_000 * arguments.scale), 50, 1e-1
    gamma = 1 / d
    x, y = sample(n, d)
    ours = mercer.KernelRidge(alpha=alpha, kernel="rbf", gamma=gamma)
    theirs = kernel_ridge.KernelRidge(alpha=alpha, kernel="rbf", gamma=gamma)
    times = best_seconds([lambda: ours.fit(x, y), lambda: theirs.fit(x, y)], arguments.repeat)
    residuals = relative_residuals(x, y, gamma, alpha, [ours.dual_coef_, theirs.dual_coef_])
    note = f"residual {residuals[0]:.0e} and {residuals[1]:.0e}; memory {memory_share(n, d, alpha):.2f} × (target 0.60)"
    return [print_row(Row(f"exact ridge {n}×{d}", "KernelRidge", times[0], times[1], 2.5, note))]


def relative_residuals(
    x: np.ndarray, y: np.ndarray, gamma: float, alpha: float, duals: list[np.ndarray]
) -> list[float]:
    """Return ‖(K + λI)α − y‖/‖y‖ of each answer."""
    shifted = pairwise.rbf_kernel(x, gamma=gamma)
    shifted[np.diag_indices_from(shifted)] += alpha
    return [float(np.linalg.norm(shifted @ dual - y) / np.linalg.norm(y)) for dual in duals]


def memory_share(n: int, d: int, alpha: float) -> float:
    """Return our peak memory of the fit as a share of scikit-learn's."""
    prepare = f"""
import numpy as np, mercer
from sklearn.kernel_ridge import KernelRidge
from sklearn.datasets import make_friedman1
x, y = make_friedman1(n_samples={n}, n_features={d}, noise=1.0, random_state=0)
options = dict(alpha={alpha}, kernel="rbf", gamma={1 / d})
mercer.KernelRidge(**options).fit(x[:300], y[:300])
KernelRidge(**options).fit(x[:300], y[:300])
"""
    ours, theirs = (
        peak_growth(prepare, f"m = {name}(**options).fit(x, y)") for name in ("mercer.KernelRidge", "KernelRidge")
    )
    return ours / theirs


def selection(arguments: argparse.Namespace) -> list[Row]:
    """Choose λ out of 20 and the lengthscale out of 10 at 2 000 rows."""
    n, d = int(2_000 * arguments.scale), 10
    x, y = sample(n, d)
    test_x, test_y = sample(4_000, d, seed=1)
    alphas, lengths = np.logspace(-4, 2, 20), np.logspace(-0.7, 1, 10)

    def ours() -> mercer.KernelRidgeCV:
        return mercer.KernelRidgeCV(alphas=alphas, kernel="gaussian(lengthscale=1)", lengthscales=lengths).fit(x, y)

    def by_hand() -> tuple[float, float]:
        return numpy_selection(x, y, alphas, lengths)

    times = best_seconds([ours, by_hand], arguments.repeat)
    error = rmse(ours().predict(test_x), test_y)
    alpha, length = by_hand()
    hand = kernel_ridge.KernelRidge(alpha=alpha, kernel="rbf", gamma=1 / (2 * length**2)).fit(x, y)
    name = f"20 λ × 10 lengthscales {n}×{d}"
    note = f"test error {error:.4f} and {rmse(hand.predict(test_x), test_y):.4f}"
    rows = [print_row(Row(name, "numpy eigh by hand", times[0], times[1], 4.0, note))]
    if arguments.grid_search:
        data = (x, y, test_x, test_y)
        rows += [print_row(grid_search(name, times[0], error, data, alphas, lengths, jobs)) for jobs in (None, -1)]
    return rows


def grid_search(
    name: str, ours: float, error: float, data: tuple, alphas: np.ndarray, lengths: np.ndarray, jobs: int | None
) -> Row:
    """Run scikit-learn's search over the same numbers by five folds, once; by default in one process."""
    x, y, test_x, test_y = data
    grid = {"alpha": list(alphas), "gamma": [1 / (2 * length**2) for length in lengths]}
    search = GridSearchCV(kernel_ridge.KernelRidge(kernel="rbf"), grid, cv=5, n_jobs=jobs)
    (theirs,) = best_seconds([lambda: search.fit(x, y)], 1)
    note = f"test error {error:.4f} and {rmse(search.predict(test_x), test_y):.4f}"
    peer = "GridSearchCV, 5 folds" + ("" if jobs is None else f", n_jobs={jobs}")
    return Row(name, peer, ours, theirs, 30.0, note)


def numpy_selection(x: np.ndarray, y: np.ndarray, alphas: np.ndarray, lengths: np.ndarray) -> tuple[float, float]:
    """Choose by leave-one-out from one eigendecomposition per lengthscale, as one would write it in numpy."""
    distances = pairwise.euclidean_distances(x, squared=True)
    best = (np.inf, 0.0, 0.0)
    for length in lengths:
        values, vectors = np.linalg.eigh(np.exp(-distances / (2 * length**2)))
        squares, rotated = vectors**2, vectors.T @ y
        for alpha in alphas:
            inverse = 1 / (values + alpha)
            score = np.mean((vectors @ (inverse * rotated) / (squares @ inverse)) ** 2)
            best = min(best, (score, alpha, length))
    return best[1], best[2]


def rmse(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.sqrt(np.mean((found - expected) ** 2)))


def splines(arguments: argparse.Namespace) -> list[Row]:
    """Fit smoothing splines with GCV from 10³ to 10⁶ points; scipy's fails beyond some thousands."""
    rng = np.random.default_rng(0)
    rows, seconds = [], []
    for n in (1_000, 10_000, 100_000, 1_000_000):
        x = np.sort(rng.uniform(0, 10, size=n))
        y = np.sin(3 * x) + 0.5 * rng.normal(size=n)
        (ours,) = best_seconds(
            [lambda x=x, y=y: mercer.SmoothingSpline(lam="gcv").fit(x[:, None], y)], arguments.repeat
        )
        seconds.append((n, ours))
        if n == 1_000:
            (theirs,) = best_seconds([lambda x=x, y=y: make_smoothing_spline(x, y)], arguments.repeat)
            rows.append(print_row(Row(f"smoothing spline {n}", "scipy", ours, theirs, 1.0)))
    growth = ", ".join(f"{n:.0e}: {t:.4f} s ({1e9 * t / n:.0f} ns per point)" for n, t in seconds)
    print(f"{'smoothing spline with GCV':<38}{growth}")
    rows.append(print_row(Row("smoothing spline 1000000", "three seconds", seconds[-1][1], 3.0, 1.0)))
    return rows


def gaussian_processes(arguments: argparse.Namespace) -> list[Row]:
    """Choose signal, lengthscale and noise of a Gaussian process by its likelihood at 1 000 rows."""
    n, d = int(1_000 * arguments.scale), 5
    x, y = sample(n, d)
    y = y - y.mean()
    kernel = ConstantKernel(1.0) * RBF(1.0) + WhiteKernel(1.0)

    def ours() -> mercer.GaussianProcessRegressor:
        return mercer.GaussianProcessRegressor(kernel="1*gaussian(lengthscale=1)", noise=1.0, optimize=True).fit(x, y)

    def theirs() -> gaussian_process.GaussianProcessRegressor:
        return gaussian_process.GaussianProcessRegressor(kernel, alpha=0.0).fit(x, y)

    times = best_seconds([ours, theirs], arguments.repeat)
    found = ours().log_marginal_likelihood_, theirs().log_marginal_likelihood_value_
    note = f"log likelihood {found[0]:.4f} and {found[1]:.4f}"
    return [print_row(Row(f"Gaussian process {n}×{d}", "scikit-learn", times[0], times[1], 3.0, note))]


def prediction(arguments: argparse.Namespace) -> list[Row]:
    """Predict 10 000 rows from 10 000 centers."""
    n, d = int(10_000 * arguments.scale), 50
    x, y = sample(n, d)
    new, _ = sample(n, d, seed=1)
    ours = mercer.KernelRidge(alpha=1.0, kernel="rbf", gamma=1 / d).fit(x, y)
    theirs = kernel_ridge.KernelRidge(alpha=1.0, kernel="rbf", gamma=1 / d)
    theirs.X_fit_, theirs.dual_coef_, theirs.n_features_in_ = x, ours.dual_coef_, d
    times = best_seconds([lambda: ours.predict(new), lambda: theirs.predict(new)], arguments.repeat)
    off = float(np.abs(ours.predict(new) - theirs.predict(new)).max())
    note = f"largest difference {off:.0e}"
    return [print_row(Row(f"prediction {n} from {n}×{d}", "KernelRidge", times[0], times[1], 4.0, note))]


CASES: dict[str, Callable[[argparse.Namespace], list[Row]]] = {
    "ridge": exact_ridge,
    "selection": selection,
    "spline": splines,
    "gp": gaussian_processes,
    "prediction": prediction,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="also write the figures to this file")
    parser.add_argument("--only", default="", metavar="TEXT", help=f"only these comparisons: {', '.join(CASES)}")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each side; the best counts (default 3)")
    parser.add_argument("--scale", type=float, default=1.0, help="multiply the numbers of rows by this (default 1)")
    parser.add_argument("--grid-search", action="store_true", help="run GridSearchCV too (minutes)")
    arguments = parser.parse_args()
    warn_if_busy()
    heads = f"{'ours s':>9}{'theirs s':>10}{'ratio':>9}{'target':>7}"
    print(f"{'best of ' + str(arguments.repeat):<38}{'peer':<26}{heads}")
    rows = [row for name, case in CASES.items() if arguments.only in name for row in case(arguments)]
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"rows": [asdict(r) | {"ratio": r.ratio} for r in rows], "machine": machine()}, file, indent=1)


if __name__ == "__main__":
    main()
