"""One row at a time: predictions of fitted models beside scikit-learn, and what a fit of 50 rows costs.

    python bench/one_row.py [--repeat 400]

The best time of many calls of each side, and the median behind it. All kernels of the catalogue are in the sweep.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC
from timing import warn_if_busy

import mercer

#: Rows and columns of the fits.
SHAPES = [(150, 4), (1000, 10), (8000, 20), (3000, 300)]
#: Larger fits of ridge regression and components are left to the other benchmarks.
MOST = 3000


def microseconds(call: Callable[[], object], repeat: int) -> tuple[float, float]:
    """Return the best time and the median."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e6 * min(times), 1e6 * float(np.median(times))


def compare(name: str, ours: Callable[[], object], theirs: Callable[[], object], repeat: int) -> None:
    """Print a line of the table."""
    (best, middle), (their_best, their_middle) = microseconds(ours, repeat), microseconds(theirs, repeat)
    print(
        f"{name:<28}{best:>8.0f}{middle:>8.0f}{their_best:>8.0f}{their_middle:>8.0f}{their_best / best:>7.1f}×",
        flush=True,
    )


def main() -> None:
    """Run all shapes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=400, help="calls of each side (default 400)")
    repeat = parser.parse_args().repeat
    warn_if_busy()
    print(f"{'microseconds':<28}{'ours':>8}{'median':>8}{'theirs':>8}{'median':>8}{'ratio':>8}")
    rng = np.random.default_rng(0)
    for rows, columns in SHAPES:
        x = rng.normal(size=(rows, columns))
        values, gamma, row = x[:, 0], 1 / columns, x[:1].copy()
        classes = (values + 0.3 * rng.normal(size=rows) > 0).astype(int)
        shape = f"{rows}×{columns}"
        ours, theirs = mercer.SVC(gamma=gamma).fit(x, classes), SVC(gamma=gamma).fit(x, classes)
        compare(f"SVC {shape}", partial(ours.predict, row), partial(theirs.predict, row), repeat)
        if rows > MOST:
            continue
        ours = mercer.KernelRidge(kernel="rbf", gamma=gamma).fit(x, values)
        theirs = KernelRidge(kernel="rbf", gamma=gamma).fit(x, values)
        compare(f"ridge {shape}", partial(ours.predict, row), partial(theirs.predict, row), repeat)
        ours = mercer.KernelPCA(5, kernel="rbf", gamma=gamma).fit(x)
        theirs = KernelPCA(5, kernel="rbf", gamma=gamma, eigen_solver="arpack").fit(x)
        compare(f"PCA {shape}", partial(ours.transform, row), partial(theirs.transform, row), repeat)
    x = rng.normal(size=(50, 3))
    ours, theirs = mercer.KernelRidge(kernel="rbf", gamma=0.3), KernelRidge(kernel="rbf", gamma=0.3)
    compare("fit of ridge 50×3", lambda: ours.fit(x, x[:, 0]), lambda: theirs.fit(x, x[:, 0]), repeat)
    mine, other, signs = mercer.SVC(gamma=0.3), SVC(gamma=0.3), (x[:, 0] > 0).astype(int)
    compare("fit of SVC 50×3", lambda: mine.fit(x, signs), lambda: other.fit(x, signs), repeat)


if __name__ == "__main__":
    main()
