"""Ridge regressions and Gaussian processes on grids in Mercer, beside a dense solve of a small part.

No peer in the list of requirements solves on grids, so the times of one million cells stand alone; the answers are
compared with the dense solve of scikit-learn on a small grid. Run it as

    python bench/grids.py [--side 1000] [--json FILE]
"""

import argparse
import json
import time

import numpy as np
from sklearn import kernel_ridge

import mercer

CASES = [
    (1, "gaussian(lengthscale=20)"),
    (2, "gaussian(lengthscale=20)"),
    (2, "matern(nu=3/2, lengthscale=20)"),
    (3, "gaussian(lengthscale=5)"),
]


def cells(side: int, axes: int, missing: float, rng: np.random.Generator) -> np.ndarray:
    """Return the cells of a grid of about side² cells, in random order, without some of them."""
    length = {1: side * side, 2: side, 3: round(side ** (2 / 3))}[axes]
    x = np.stack(np.meshgrid(*[np.arange(length, dtype=float)] * axes, indexing="ij"), -1).reshape(-1, axes)
    order = rng.permutation(len(x))
    return x[order[: round(len(x) * (1 - missing))]]


def targets(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a smooth function of the cells with noise."""
    return np.sin(x.sum(axis=1) / 30) + 0.3 * rng.standard_normal(len(x))


def agreement() -> float:
    """Return the largest difference of dual coefficients from scikit-learn on 40 × 35 cells."""
    rng = np.random.default_rng(0)
    x = cells(40, 2, 0.2, rng)
    y = targets(x, rng)
    ours = mercer.KernelRidge(alpha=0.1, kernel="gaussian(lengthscale=3)", solver="grid").fit(x, y)
    theirs = kernel_ridge.KernelRidge(alpha=0.1, kernel="rbf", gamma=1 / 18).fit(x, y)
    return float(np.abs(ours.dual_coef_ - theirs.dual_coef_).max())


def main() -> None:
    """Print one line per case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", type=int, default=1000)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    rows = []
    print(f"largest difference from the dense solve: {agreement():.1e}")
    for axes, kernel in CASES:
        for missing in (0.0, 0.2):
            rng = np.random.default_rng(1)
            x = cells(arguments.side, axes, missing, rng)
            y = targets(x, rng)
            start = time.perf_counter()
            ridge = mercer.KernelRidge(alpha=0.1, kernel=kernel).fit(x, y)
            seconds = time.perf_counter() - start
            rows.append({"axes": axes, "kernel": kernel, "missing": missing, "rows": len(x), "seconds": seconds})
            print(f"{axes} axes, {kernel}, {missing:.0%} missing, {len(x)} rows: {seconds:.2f} s; {ridge.plan_}")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=2)


if __name__ == "__main__":
    main()
