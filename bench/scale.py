"""Real data by centers, random features and random binning, as tables for docs/scale.md.

    python bench/scale.py --data FOLDER [--only TEXT] [--output docs/scale.md]

The folder holds `california_housing`, `mnist`, `a9a`, `covtype` and the sets of the table of landmarks; what is not
there is left out, and said so.
"""

import argparse
import gzip
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from accuracy import rewrite
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

import mercer

HEAD = """\
| data | rows | method | test error | to reach | s (fit + predict) |
|---|---|---|---|---|---|"""
LANDMARK_HEAD = """\
| data | rows | landmarks | `rpcholesky` | `uniform` |
|---|---|---|---|---|"""
#: Sets of the table of landmarks: file, rows at most, landmarks.
LANDMARK_SETS = [
    ("california_housing", 5000, 200),
    ("abalone", 4177, 100),
    ("airfoil", 1503, 100),
    ("concrete", 1030, 100),
    ("protein_casp", 5000, 200),
    ("kin8nm", 5000, 200),
    ("wine_quality_red", 1599, 100),
    ("bike_sharing_hour", 5000, 200),
    ("cpusmall", 5000, 200),
    ("space_ga", 3107, 100),
]


def row(*cells: object) -> str:
    """Return a line of a table, and print it."""
    line = "| " + " | ".join(str(cell) for cell in cells) + " |"
    print(line, flush=True)
    return line


def table_of(folder: Path, name: str) -> np.ndarray:
    """Read a data set: numbers of a CSV file, or the dense form of LIBSVM's."""
    for file in sorted((folder / name).glob("*.csv*")):
        first = pd.read_csv(file, nrows=1, header=None).iloc[0, 0]
        table = pd.read_csv(file, header=None if is_number(str(first)) else 0)
        return table.select_dtypes("number").to_numpy(np.float64)
    for file in sorted((folder / name).glob("*.libsvm*")):
        points, y = load_svmlight_file(str(file))
        return np.column_stack([points.toarray(), y])
    raise FileNotFoundError(name)


def is_number(text: str) -> bool:
    """Return whether a cell is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def california(folder: Path) -> Iterator[str]:
    """Falkon's notebook: sigma 1, lambda 1e-5, 5000 centers, standardized inputs, 80/20."""
    data = table_of(folder, "california_housing")
    order = np.random.default_rng(0).permutation(len(data))
    train, test = np.split(order, [int(0.8 * len(data))])
    x, y = StandardScaler().fit(data[train, :-1]).transform(data[:, :-1]), data[:, -1] / 1e5
    start = time.perf_counter()
    model = mercer.KernelRidge(
        1e-5 * len(train), kernel="gaussian(lengthscale=1)", solver="centers", n_centers=5000, tol=1e-4, random_state=0
    )
    model.fit(x[train].astype(np.float32), y[train])
    middle = time.perf_counter()
    error = np.sqrt(np.mean((model.predict(x[test]) - y[test]) ** 2))
    seconds = f"{middle - start:.1f} + {time.perf_counter() - middle:.1f}"
    how = "ridge, σ = 1, λ = 1e-5·n, 5 000 centers"
    yield row("California housing", len(train), how, f"RMSE {error:.3f} (100 000 dollars)", "0.58 (Falkon)", seconds)


def images(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Read images and labels of MNIST."""
    with gzip.open(folder / "mnist" / f"{name}-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read()[16:], np.uint8).reshape(-1, 784)
    with gzip.open(folder / "mnist" / f"{name}-labels-idx1-ubyte.gz") as file:
        labels = np.frombuffer(file.read()[8:], np.uint8)
    return (pixels / 255).astype(np.float32), labels


def mnist(folder: Path) -> Iterator[str]:
    """Falkon's notebook: sigma 15, lambda 1e-8, 1000 centers, 10 iterations."""
    x, y = images(folder, "train")
    xt, yt = images(folder, "t10k")
    start = time.perf_counter()
    model = mercer.KernelRidge(
        1e-8 * len(x), kernel="gaussian(lengthscale=15)", solver="centers", n_centers=1000, max_iter=10, tol=1e-3
    )
    model.fit(x, np.eye(10)[y])
    middle = time.perf_counter()
    error = np.mean(model.predict(xt).argmax(axis=1) != yt)
    seconds = f"{middle - start:.1f} + {time.perf_counter() - middle:.1f}"
    how = "ridge, ten outputs, σ = 15, λ = 1e-8·n, 1 000 centers, 10 passes"
    yield row("MNIST", len(x), how, f"{100 * error:.2f} %", "4.3 % (Falkon)", seconds)


def adult(folder: Path) -> Iterator[str]:
    """Rahimi and Recht's Adult: Fourier features with D = 500, binning with P = 30, least squares."""
    x, y = load_svmlight_file(str(folder / "a9a" / "a9a.libsvm.gz"), n_features=123)
    xt, yt = load_svmlight_file(str(folder / "a9a" / "a9a.t.libsvm.gz"), n_features=123)
    x, xt = x.toarray(), xt.toarray()
    start = time.perf_counter()
    map = mercer.RandomFourierFeatures("gaussian(gamma=0.03125)", 1000, random_state=0).fit(x)
    model = Ridge(1.0).fit(map.transform(x), y)
    middle = time.perf_counter()
    error = np.mean(np.sign(model.predict(map.transform(xt))) != yt)
    seconds = f"{middle - start:.1f} + {time.perf_counter() - middle:.1f}"
    yield row("a9a", len(x), "Fourier, D = 500, ridge", f"{100 * error:.2f} %", "15.5 %", seconds)
    alpha, length = chosen_grids(x, y)
    start = time.perf_counter()
    grids = grids_of(alpha, length).fit(x, y)
    middle = time.perf_counter()
    error = np.mean(grids.predict(xt) != yt)
    seconds = f"{middle - start:.1f} + {time.perf_counter() - middle:.1f}"
    how = f"binning, P = 30, ridge, α = {alpha:g}, lengthscale {length:g}"
    yield row("a9a", len(x), how, f"{100 * error:.2f} %", "15.5 %", seconds)


def grids_of(alpha: float, length: float) -> mercer.BinnedClassifier:
    """Return a classifier on thirty random grids."""
    return mercer.BinnedClassifier(alpha, f"laplacian(norm=l1, lengthscale={length})", 30, random_state=0)


def chosen_grids(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Choose alpha and the lengthscale of grids by the error on a fifth of the training rows, fitted on the others."""
    order = np.random.default_rng(0).permutation(len(x))
    held, others = order[: len(x) // 5], order[len(x) // 5 :]
    numbers = [(alpha, length) for alpha in (1.0, 3.0, 10.0) for length in (2.0, 4.0, 8.0, 16.0)]
    errors = [np.mean(grids_of(*n).fit(x[others], y[others]).predict(x[held]) != y[held]) for n in numbers]
    return numbers[int(np.argmin(errors))]


def forest(folder: Path) -> Iterator[str]:
    """Rahimi and Recht's Forest: class 2 against the rest, columns in [0, 1], 10 % to test.

    The lengthscale and alpha of the grids were chosen on 20 000 training rows that 100 000 others were fitted without.
    """
    data = table_of(folder, "covtype")
    x, y = data[:, :-1], np.where(data[:, -1] == 2, 1.0, -1.0)
    x = (x - x.min(axis=0)) / np.maximum(np.ptp(x, axis=0), 1e-12)
    order = np.random.default_rng(0).permutation(len(x))
    train, test = np.split(order, [int(0.9 * len(x))])
    start = time.perf_counter()
    grids = mercer.BinnedClassifier(
        0.1, "laplacian(norm=l1, lengthscale=0.2)", 50, n_buckets=65536, tol=1e-3, random_state=0
    ).fit(x[train], y[train])
    middle = time.perf_counter()
    error = np.mean(grids.predict(x[test]) != y[test])
    end = time.perf_counter()
    budget = end - start
    seconds = f"{middle - start:.1f} + {end - middle:.1f}"
    yield row("covtype, class 2", len(train), "binning, P = 50, ridge", f"{100 * error:.2f} %", "2.2 % (R&R)", seconds)
    count = 500
    while True:
        start = time.perf_counter()
        error = fourier_error(x, y, train, test, count)
        took = time.perf_counter() - start
        if took > 0.5 * budget or count >= 4000:
            break
        count *= 2
    how = f"Fourier, D = {count}, ridge, {took / budget:.1f} × the time"
    yield row("covtype, class 2", len(train), how, f"{100 * error:.2f} %", "11.6 % (R&R)", f"{took:.1f}")


def fourier_error(x: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, count: int) -> float:
    """Solve the normal equations of Fourier features in chunks, and count errors."""
    map = mercer.RandomFourierFeatures("gaussian(lengthscale=0.5)", 2 * count, random_state=0).fit(x[:1])
    gram, right = np.zeros((2 * count, 2 * count)), np.zeros(2 * count)
    for chunk in np.array_split(train, max(1, len(train) // 20_000)):
        z = map.transform(x[chunk].astype(np.float32))
        gram += z.T @ z
        right += z.T @ y[chunk]
    w = np.linalg.solve(gram + 0.1 * np.eye(2 * count), right)
    return float(np.mean(np.sign(map.transform(x[test]) @ w) != y[test]))


def landmarks(folder: Path) -> Iterator[str]:
    """Compare the share of the trace that random pivots and uniform landmarks miss, means of three seeds."""
    for name, most, count in LANDMARK_SETS:
        try:
            data = table_of(folder, name)
        except FileNotFoundError:
            print(f"{name}: not found")
            continue
        rows = np.random.default_rng(0).permutation(len(data))[:most]
        x = data[rows, :-1]
        x = StandardScaler().fit_transform(x[:, x.std(axis=0) > 0])
        missed = {}
        for choice in ("rpcholesky", "uniform"):
            maps = [
                mercer.Nystroem("gaussian(lengthscale=median)", count, landmarks=choice, random_state=seed).fit(x)
                for seed in range(3)
            ]
            missed[choice] = np.mean([map.trace_error_ / map.trace_ for map in maps])
        shares = [f"{100 * missed[choice]:.3g}" for choice in ("rpcholesky", "uniform")]
        yield row(name, len(x), count, *shares)


def main() -> None:
    """Make both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder with the data sets")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the parts whose name contains this")
    parser.add_argument("--output", type=Path, help="write the tables between the marks of this page")
    given = parser.parse_args()
    parts = {"california": california, "mnist": mnist, "adult": adult, "forest": forest}
    lines = [*HEAD.splitlines()]
    print(HEAD)
    for name, part in parts.items():
        if given.only in name:
            try:
                lines += list(part(given.data))
            except FileNotFoundError as missing:
                print(f"{name}: {missing} is not there")
    if given.output and not given.only:
        rewrite(given.output, "\n".join(lines), "errors")
    if given.only in "landmarks":
        print(LANDMARK_HEAD)
        lines = [*LANDMARK_HEAD.splitlines(), *landmarks(given.data)]
        if given.output:
            rewrite(given.output, "\n".join(lines), "landmarks")


if __name__ == "__main__":
    main()
