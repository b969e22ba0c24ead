"""Every learner, transformer and test with every kernel of the catalogue in several shapes, beside scikit-learn.

    python bench/sweep.py [--only TEXT] [--seconds 1200] [--output PAGE]

The kernels come from the catalogue: the first example of every entry that takes rows of numbers. A case is run beside
scikit-learn where it has the kernel (by name, or as an object of its Gaussian processes), both with the kernel matrix
included, in turn, the best of several. Printed are the cases with a ratio below 2, and those that take more than ten
times as long as the Gaussian kernel in the same shape; the page has all of them. Larger shapes of a kernel are left out
once a case has taken long, and the rest when the time is over: both are said.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Matern, RationalQuadratic
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import (
    chi2_kernel,
    laplacian_kernel,
    linear_kernel,
    polynomial_kernel,
    rbf_kernel,
    sigmoid_kernel,
)
from sklearn.svm import SVC, SVR
from timing import PAUSE, warn_if_busy

import mercer
from mercer._mercer import catalogue

#: A kernel of ours in words, and the same as a function of two samples.
PEERS: dict[str, tuple[str, Callable[..., np.ndarray]]] = {
    "linear": ("linear()", linear_kernel),
    "polynomial": ("polynomial(degree=2, offset=1)", partial(polynomial_kernel, degree=2, gamma=1.0, coef0=1.0)),
    "gaussian": ("gaussian(lengthscale=1)", partial(rbf_kernel, gamma=0.5)),
    "laplacian": ("laplacian(lengthscale=1, norm=l1)", partial(laplacian_kernel, gamma=1.0)),
    "matern": ("matern(nu=3/2, lengthscale=1)", Matern(nu=1.5)),
    "rational_quadratic": ("rational_quadratic(alpha=1, lengthscale=1)", RationalQuadratic()),
    "chi2": ("chi2(gamma=1)", chi2_kernel),
    "tanh": ("tanh(scale=0.1, offset=0)", partial(sigmoid_kernel, gamma=0.1, coef0=0.0)),
}
#: Rows and columns, from small to large.
SHAPES = [(50, 3), (500, 3), (500, 100), (2000, 1), (2000, 20), (2000, 784), (8000, 20)]
#: Runs that take less than these seconds all together are made again.
SHORT = 0.01
#: A kernel is not run in larger shapes by a learner that took this many seconds.
LONG = 4.0


@dataclass
class Family:
    """A kernel, and the same of scikit-learn."""

    name: str
    text: str
    theirs: Callable[..., np.ndarray] | None


@dataclass
class Case:
    """One learner with one kernel in one shape."""

    learner: str
    family: Family
    shape: tuple[int, int]
    ours: float = field(default=np.nan)
    theirs: float = field(default=np.nan)

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.theirs / self.ours

    def line(self) -> str:
        """Return the case as a line of a table."""
        rows, columns = self.shape
        seconds = [f"{value:.2g}" if value == value else "–" for value in (self.ours, self.theirs)]
        ratio = f"{self.ratio:.2f}" if self.ratio == self.ratio else "–"
        return f"| {self.learner} | `{self.family.text}` | {rows} × {columns} | {seconds[0]} | {seconds[1]} | {ratio} |"


def families() -> list[Family]:
    """Return a kernel of every entry of the catalogue that takes rows of numbers, the Gaussian first."""
    found = []
    for entry in catalogue():
        name = entry["name"]
        text, theirs = PEERS.get(name, (next(iter(entry["examples"]), ""), None))
        try:
            kernel = mercer.Kernel(text)
            kernel(sample(4, 1)[0])
        except (ValueError, TypeError):
            continue
        if kernel.point_kind in (None, "vectors"):
            found.append(Family(name, text, theirs))
    return sorted(found, key=lambda family: family.name != "gaussian")


def sample(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return points above 0, numbers and classes."""
    draw = np.random.default_rng(rows + columns)
    x = draw.random((rows, columns))
    y = np.sin(4 * x[:, 0]) + 0.1 * draw.normal(size=rows)
    return x, y, (y > np.median(y)).astype(int)


Run = Callable[[], Any]
Maker = Callable[[Family, tuple[np.ndarray, np.ndarray, np.ndarray]], tuple[Run, Run | None]]


def beside(family: Family, theirs: Run) -> Run | None:
    """Return the run of scikit-learn, where it has the kernel."""
    return theirs if family.theirs is not None else None


def gram(family: Family, data: tuple[np.ndarray, ...]) -> tuple[Run, Run | None]:
    """Compute the kernel matrix."""
    x, kernel = data[0], mercer.Kernel(family.text)
    return lambda: kernel(x), beside(family, lambda: family.theirs(x, x))


def ridge(family: Family, data: tuple[np.ndarray, ...]) -> tuple[Run, Run | None]:
    """Fit a ridge regression."""
    x, y, _ = data
    ours, theirs = mercer.KernelRidge(kernel=family.text), KernelRidge(kernel="precomputed")
    return lambda: ours.fit(x, y), beside(family, lambda: theirs.fit(family.theirs(x, x), y))


def process(family: Family, data: tuple[np.ndarray, ...]) -> tuple[Run, Run | None]:
    """Fit a Gaussian process with fixed parameters."""
    x, y, _ = data
    ours = mercer.GaussianProcessRegressor(family.text, noise=0.1, optimize=False)
    known = family.theirs if isinstance(family.theirs, (Matern, RationalQuadratic)) else None
    theirs = GaussianProcessRegressor(known, alpha=0.1, optimizer=None)
    return lambda: ours.fit(x, y), None if known is None else lambda: theirs.fit(x, y)


def classes(family: Family, data: tuple[np.ndarray, ...]) -> tuple[Run, Run | None]:
    """Fit a support vector machine."""
    x, _, y = data
    ours, theirs = mercer.SVC(kernel=family.text), SVC(kernel=family.theirs or "rbf")
    return lambda: ours.fit(x, y), beside(family, lambda: theirs.fit(x, y))


def values(family: Family, data: tuple[np.ndarray, ...]) -> tuple[Run, Run | None]:
    """Fit a support vector regression."""
    x, y, _ = data
    ours, theirs = mercer.SVR(kernel=family.text), SVR(kernel=family.theirs or "rbf")
    return lambda: ours.fit(x, y), beside(family, lambda: theirs.fit(x, y))


def one_row(family: Family, data: tuple[np.ndarray, ...]) -> tuple[Run, Run | None]:
    """Classify one row."""
    x, _, y = data
    ours, row = mercer.SVC(kernel=family.text).fit(x, y), x[:1].copy()
    if family.theirs is None:
        return lambda: ours.predict(row), None
    theirs = SVC(kernel=family.theirs).fit(x, y)
    return lambda: ours.predict(row), lambda: theirs.predict(row)


def one_value(family: Family, data: tuple[np.ndarray, ...]) -> tuple[Run, Run | None]:
    """Predict one row by a ridge regression."""
    x, y, _ = data
    ours, row = mercer.KernelRidge(kernel=family.text).fit(x, y), x[:1].copy()
    if family.theirs is None:
        return lambda: ours.predict(row), None
    theirs = KernelRidge(kernel="precomputed").fit(family.theirs(x, x), y)
    return lambda: ours.predict(row), lambda: theirs.predict(family.theirs(row, x))


def one_process(family: Family, data: tuple[np.ndarray, ...]) -> tuple[Run, Run | None]:
    """Predict one row by a Gaussian process, with its standard deviation."""
    x, y, _ = data
    ours, row = mercer.GaussianProcessRegressor(family.text, noise=0.1, optimize=False).fit(x, y), x[:1].copy()
    known = family.theirs if isinstance(family.theirs, (Matern, RationalQuadratic)) else None
    if known is None:
        return lambda: ours.predict(row, return_std=True), None
    theirs = GaussianProcessRegressor(known, alpha=0.1, optimizer=None).fit(x, y)
    return lambda: ours.predict(row, return_std=True), lambda: theirs.predict(row, return_std=True)


def one_view(family: Family, data: tuple[np.ndarray, ...]) -> tuple[Run, Run | None]:
    """Find the five components of one row."""
    x = data[0]
    ours, row = mercer.KernelPCA(5, kernel=family.text).fit(x), x[:1].copy()
    if family.theirs is None:
        return lambda: ours.transform(row), None
    theirs = KernelPCA(5, kernel="precomputed", eigen_solver="arpack").fit(family.theirs(x, x))
    return lambda: ours.transform(row), lambda: theirs.transform(family.theirs(row, x))


def single(family: Family, data: tuple[np.ndarray, ...]) -> tuple[Run, Run | None]:
    """Compute the kernel matrix of points in single precision."""
    x, kernel = data[0].astype(np.float32), mercer.Kernel(family.text)
    return lambda: kernel(x), beside(family, lambda: family.theirs(x, x))


def logistic(family: Family, data: tuple[np.ndarray, ...]) -> tuple[Run, Run | None]:
    """Fit a logistic regression."""
    x, _, y = data
    ours = mercer.KernelLogisticRegression(kernel=family.text)
    return lambda: ours.fit(x, y), None


def components(family: Family, data: tuple[np.ndarray, ...]) -> tuple[Run, Run | None]:
    """Find five principal components."""
    x = data[0]
    ours, theirs = mercer.KernelPCA(5, kernel=family.text), KernelPCA(5, kernel="precomputed", eigen_solver="arpack")
    return lambda: ours.fit(x), beside(family, lambda: theirs.fit(family.theirs(x, x)))


def clusters(family: Family, data: tuple[np.ndarray, ...]) -> tuple[Run, Run | None]:
    """Find three clusters."""
    ours = mercer.KernelKMeans(3, kernel=family.text, random_state=0)
    return lambda: ours.fit(data[0]), None


def landmarks(family: Family, data: tuple[np.ndarray, ...]) -> tuple[Run, Run | None]:
    """Find features of 100 landmarks, drawn uniformly, and apply them."""
    x = data[0]
    count = min(100, len(x))
    ours = mercer.Nystroem(family.text, n_components=count, landmarks="uniform", random_state=0)
    names = {"linear": {}, "gaussian": {"gamma": 0.5}, "laplacian": {"gamma": 1.0}, "chi2": {"gamma": 1.0}}
    known = {"gaussian": "rbf"}.get(family.name, family.name)
    if family.name not in names:
        return lambda: ours.fit_transform(x), None
    theirs = Nystroem(known, n_components=count, random_state=0, **names[family.name])
    return lambda: ours.fit_transform(x), lambda: theirs.fit_transform(x)


def two_samples(family: Family, data: tuple[np.ndarray, ...]) -> tuple[Run, Run | None]:
    """Test two halves for equal distributions."""
    x, kernel, half = data[0], mercer.Kernel(family.text), len(data[0]) // 2
    return lambda: mercer.two_sample_test(x[:half], x[half:], kernel=kernel, permutations=199), None


def dependence(family: Family, data: tuple[np.ndarray, ...]) -> tuple[Run, Run | None]:
    """Test points and numbers for independence."""
    x, y, _ = data
    kernel = mercer.Kernel(family.text)
    return lambda: mercer.independence_test(x, y[:, None], kernel_x=kernel, permutations=199), None


LEARNERS: dict[str, tuple[Maker, int]] = {
    "Gram matrix": (gram, 8000),
    "Gram matrix, float32": (single, 2000),
    "ridge": (ridge, 2000),
    "ridge, one row": (one_value, 2000),
    "Gaussian process, fixed": (process, 2000),
    "Gaussian process, one row": (one_process, 2000),
    "SVC": (classes, 2000),
    "SVC, one row": (one_row, 2000),
    "SVR": (values, 2000),
    "logistic": (logistic, 2000),
    "PCA, 5": (components, 2000),
    "PCA, one row": (one_view, 2000),
    "k-means, 3": (clusters, 2000),
    "Nyström, 100": (landmarks, 8000),
    "two-sample test": (two_samples, 2000),
    "independence test": (dependence, 2000),
}
"""Each with the most rows that it is run with."""


def seconds(run: Run, most: int = 5, enough: float = 0.4) -> float:
    """Return the best time of some runs, fewer of long ones and more of short ones."""
    best, spent, count = np.inf, 0.0, 0
    while spent < enough and (count < most or spent < SHORT):
        start = time.perf_counter()
        run()
        took = time.perf_counter() - start
        best, spent, count = min(best, took), spent + took, count + 1
    return best


def cases(only: str, limit: float) -> Iterator[Case]:
    """Run the cases; those of a learner that are refused, as a kernel does not suit it, are left out."""
    start, all_families = time.perf_counter(), families()
    for learner, (make, most) in LEARNERS.items():
        if only not in learner:
            continue
        slow: set[str] = set()
        for shape in (shape for shape in SHAPES if shape[0] <= most):
            data = sample(*shape)
            for family in all_families:
                if time.perf_counter() - start > limit:
                    print(f"the time is over: {learner} from {shape} on, and what follows, is left out", flush=True)
                    return
                if family.name in slow:
                    continue
                try:
                    ours, theirs = make(family, data)
                    case = Case(learner, family, shape, seconds(ours))
                except (ValueError, TypeError, RuntimeError):
                    continue
                if theirs is not None:
                    case.theirs = seconds(theirs)
                    # The threads of theirs go on turning for a while.
                    time.sleep(PAUSE)
                    case.ours = min(case.ours, seconds(ours))
                if case.ours > LONG:
                    slow.add(family.name)
                    print(f"{learner} with {family.name} is not run in shapes beyond {shape}", flush=True)
                yield case


def main() -> None:
    """Run the sweep and print what is behind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="only learners whose name contains this")
    parser.add_argument("--seconds", type=float, default=1200.0, help="the time for all of it")
    parser.add_argument("--output", type=Path, help="write all cases to this page")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    warn_if_busy()
    done: list[Case] = []
    gaussian: dict[tuple[str, tuple[int, int]], float] = {}
    behind, cliffs = [], []
    for case in cases(options.only, options.seconds):
        done.append(case)
        if case.family.name == "gaussian":
            gaussian[case.learner, case.shape] = case.ours
        if case.ratio < 2:
            behind.append(case)
            print(case.line(), flush=True)
        if case.ours > 10 * gaussian.get((case.learner, case.shape), np.inf):
            cliffs.append(case)
            print(f"{case.line()} ten times the Gaussian", flush=True)
    ratios = sorted(case.ratio for case in done if case.ratio == case.ratio)
    if ratios:
        summary = f"{len(done)} cases, {len(ratios)} beside scikit-learn: worst {ratios[0]:.2f}"
        summary += f", median {np.median(ratios):.1f}"
    else:
        summary = f"{len(done)} cases, none beside scikit-learn"
    summary += f"; {len(behind)} below 2, {len(cliffs)} ten times slower than the Gaussian kernel"
    print(summary)
    if options.output:
        head = "| learner | kernel | shape | ours, s | scikit-learn, s | ratio |\n|---|---|---|---|---|---|"
        parts = [("All cases", done), ("Below 2", behind), ("Ten times slower than the Gaussian kernel", cliffs)]
        text = [f"# Sweep\n\n{summary}"]
        text += [f"## {title}\n{head}\n" + "\n".join(case.line() for case in some) for title, some in reversed(parts)]
        options.output.write_text("\n\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
