"""Support vector machines in Mercer beside scikit-learn (LIBSVM) and scikit-learn-intelex, in one run.

Training with the same C, γ and tolerance, the dual objectives compared; prediction; kernels of few features,
regressions, hard problems (many steps); a grid of C and γ with folds. Both
sides are run in turn; the best time on the clock and the least processor time of each count. Run it as

    python bench/svm.py [--data FOLDER] [--json FILE] [--only TEXT] [--repeat 1] [--slow]

a9a and letter are bundled, digits come with scikit-learn. FOLDER holds the others: ijcnn1/ijcnn1.libsvm.gz and
usps/usps.libsvm.gz (with .t), mnist/ with its four files, covtype/covtype.csv.gz. What is not there is left out,
and said so. `--slow` also runs scikit-learn where it takes minutes.
"""

import argparse
import gzip
import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import timing
from sklearn import svm as sklearn_svm
from sklearn.datasets import load_digits, load_iris, load_svmlight_file
from sklearn.metrics import pairwise
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC
from timing import interleaved, machine, warn_if_busy

import mercer

try:
    from sklearnex.svm import SVC as IntelSVC
except ImportError:
    IntelSVC = None

Data = tuple[np.ndarray, np.ndarray]


@dataclass
class Row(timing.Row):
    """One comparison, with seconds of the processor beside those on the clock."""

    ours_cpu: float = math.nan
    theirs_cpu: float = math.nan


@dataclass
class Problem:
    """A training set with its numbers, and the ratios to reach against both peers."""

    name: str
    file: str
    c: float
    gamma: float
    targets: tuple[float, float]
    rows: int | None = None
    slow: bool = False


PROBLEMS = [
    Problem("a9a", "a9a/a9a", 8.0, 2.0**-5, (8.0, 1.5), slow=True),
    Problem("ijcnn1", "ijcnn1/ijcnn1", 32.0, 2.0, (4.0, 1.0), slow=True),
    Problem("letter", "letter/letter.scale", 16.0, 4.0, (4.0, 1.0)),
    Problem("usps", "usps/usps", 10.0, 2.0**-7, (4.0, 1.0)),
    Problem("mnist", "mnist", 10.0, 0.02, (4.0, 1.0), rows=10_000, slow=True),
    Problem("digits", "digits", 1.0, 0.001, (1.0, 1.0)),
]


# ---- data -----------------------------------------------------------------------------------------------------------


def read_images(folder: Path, name: str) -> Data:
    """Read images and labels in the format of MNIST, gray values from 0 to 1."""
    with gzip.open(folder / f"{name}-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(), np.uint8, offset=16)
    with gzip.open(folder / f"{name}-labels-idx1-ubyte.gz") as file:
        labels = np.frombuffer(file.read(), np.uint8, offset=8)
    return pixels.reshape(len(labels), -1) / 255.0, labels.astype(float)


def folder_of(problem: Problem, folder: Path | None) -> Path | None:
    """Return the folder of the files: that of the bundled sets, or a folder in that of the user."""
    bundled = Path(__file__).parent / "data"
    if (bundled / f"{Path(problem.file).name}.libsvm.gz").is_file():
        return bundled
    place = None if folder is None else folder / Path(problem.file).parts[0]
    return place if place is not None and place.is_dir() else None


def read_problem(problem: Problem, folder: Path | None) -> tuple[Data, Data] | None:
    """Return the training and the test set, `None` if they are not at hand."""
    if problem.name == "digits":
        points, labels = load_digits(return_X_y=True)
        return (points, labels.astype(float)), (points, labels.astype(float))
    folder = folder_of(problem, folder)
    if folder is None:
        return None
    if problem.name == "mnist":
        (x, y), test = read_images(folder, "train"), read_images(folder, "t10k")
        return (x[: problem.rows], y[: problem.rows]), test
    name = Path(problem.file).name
    x, y = load_svmlight_file(str(folder / f"{name}.libsvm.gz"))
    test, labels = load_svmlight_file(str(folder / f"{name}.t.libsvm.gz"), n_features=x.shape[1])
    return (np.asarray(x.todense()), y), (np.asarray(test.todense()), labels)


# ---- objectives -----------------------------------------------------------------------------------------------------


def dual_objective(model: SVC, gamma: float) -> float:
    """Return Σα − ½αᵀQα, summed over the machines of a fit with attributes like scikit-learn's."""
    vectors, sizes = np.asarray(model.support_vectors_), np.asarray(model.n_support_)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    classes = range(len(sizes))
    total = 0.0
    for a in classes:
        for b in classes[a + 1 :]:
            rows = np.r_[ends[a] : ends[a + 1], ends[b] : ends[b + 1]]
            dual = np.r_[model.dual_coef_[b - 1, ends[a] : ends[a + 1]], model.dual_coef_[a, ends[b] : ends[b + 1]]]
            rows, dual = rows[dual != 0], dual[dual != 0]
            total += np.abs(dual).sum() - 0.5 * quadratic(vectors[rows], dual, gamma)
    return float(total)


def quadratic(vectors: np.ndarray, dual: np.ndarray, gamma: float) -> float:
    """Return βᵀKβ in strips."""
    strips = range(0, len(dual), 2000)
    return sum(
        dual[s : s + 2000] @ (pairwise.rbf_kernel(vectors[s : s + 2000], vectors, gamma=gamma) @ dual) for s in strips
    )


# ---- comparisons ----------------------------------------------------------------------------------------------------


def print_row(row: Row) -> Row:
    verdict = "ok" if row.ratio >= row.target else "MISSED"
    clock = f"{row.ours:>9.3f}{row.theirs:>10.3f}{row.ratio:>8.1f}×{row.target:>6.1f}×  {verdict:<7}"
    print(f"{row.name:<26}{row.peer:<22}{clock}{row.ours_cpu:>9.3f}{row.theirs_cpu:>10.3f}  {row.note}", flush=True)
    return row


def peers(problem: Problem, slow: bool) -> Iterator[tuple[str, type, float]]:
    """Return the peers that are installed, with the ratio to reach."""
    if slow or not problem.slow:
        yield "scikit-learn", SVC, problem.targets[0]
    if IntelSVC is not None:
        yield "scikit-learn-intelex", IntelSVC, problem.targets[1]


def compare(problem: Problem, arguments: argparse.Namespace) -> Iterator[Row]:
    """Train and predict."""
    data = read_problem(problem, arguments.data)
    if data is None:
        print(f"{problem.name}: not at hand; name its folder by --data")
        return
    (x, y), (test, _) = data
    numbers = {"C": problem.c, "gamma": problem.gamma, "tol": 1e-3}
    ours = mercer.SVC(kernel="rbf", **numbers)
    for peer, make, target in peers(problem, arguments.slow):
        theirs = make(kernel="rbf", cache_size=2000, **numbers)
        times = interleaved([lambda: ours.fit(x, y), lambda t=theirs: t.fit(x, y)], arguments.repeat)
        objectives = ours.dual_objective_, dual_objective(theirs, problem.gamma)
        note = f"objectives differ by {objectives[0] / objectives[1] - 1:+.0e}"
        yield row(f"{problem.name} {len(x)}×{x.shape[1]}", peer, times, target, note)
        if peer == "scikit-learn":
            answers: list[np.ndarray] = [np.empty(0), np.empty(0)]
            times = interleaved(predictions([ours, theirs], test, answers), arguments.repeat)
            note = f"{100 * np.mean(answers[0] == answers[1]):.2f} % the same"
            yield row(f"{problem.name}, {len(test)} predictions", peer, times, 10.0, note)


def predictions(models: list[SVC], test: np.ndarray, answers: list[np.ndarray]) -> list[Callable[[], None]]:
    """Return functions that predict and keep the answers."""

    def keep(at: int) -> None:
        answers[at] = models[at].predict(test)

    return [lambda at=at: keep(at) for at in range(len(models))]


def row(name: str, peer: str, times: list[tuple[float, float]], target: float, note: str) -> Row:
    (ours, ours_cpu), (theirs, theirs_cpu) = times
    return print_row(Row(name, peer, ours, theirs, target, note, ours_cpu, theirs_cpu))


# ---- few features, regressions, hard problems -----------------------------------------------------------------------


def noisy_line(rows: int, columns: int, noise: float, seed: int = 0) -> Data:
    """Return normal points and a linear function of them with noise."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(rows, columns))
    slopes = 2.0 * generator.normal(size=columns) / np.sqrt(columns)
    return x, x @ slopes + noise * generator.normal(size=rows)


def sides(data: Data) -> Data:
    """Return the points with the sign of their targets."""
    return data[0], (data[1] > 0).astype(int)


def wave(rows: int = 4_000) -> Data:
    """Return points in ten columns and a smooth function of two of them with noise."""
    generator = np.random.default_rng(0)
    x = generator.normal(size=(rows, 10))
    return x, np.sin(x[:, 0]) + 0.5 * x[:, 1] + 0.3 * generator.normal(size=rows)


def some_covtype(folder: Path | None) -> Data | None:
    """Return 6 000 rows of covtype, scaled to [0, 1]: class 2 against the rest."""
    file = None if folder is None else folder / "covtype" / "covtype.csv.gz"
    if file is None or not file.is_file():
        return None
    with gzip.open(file, "rt") as lines:
        table = np.loadtxt(lines, delimiter=",", skiprows=1)
    table = table[np.random.default_rng(0).choice(len(table), 6_000, replace=False)]
    x = table[:, :-1]
    return (x - x.min(0)) / np.maximum(np.ptp(x, axis=0), 1e-300), (table[:, -1] == 2).astype(int)


def some_a9a(folder: Path | None) -> Data | None:
    """Return 6 000 rows of a9a."""
    data = read_problem(PROBLEMS[0], folder)
    return None if data is None else (data[0][0][:6_000], data[0][1][:6_000])


#: Names, estimators, their numbers, the data, and the ratio to reach.
CASES: list[tuple[str, str, dict, Callable[[Path | None], Data | None], float]] = [
    ("iris, linear C=100", "SVC", {"kernel": "linear", "C": 100.0}, lambda _: load_iris(return_X_y=True), 4.0),
    ("linear 8 000×20", "SVC", {"kernel": "linear", "C": 1.0}, lambda _: sides(noisy_line(8_000, 20, 1.0)), 20.0),
    ("linear 3 000×300", "SVC", {"kernel": "linear", "C": 1.0}, lambda _: sides(noisy_line(3_000, 300, 1.0)), 20.0),
    ("linear separable", "SVC", {"kernel": "linear", "C": 1e3}, lambda _: sides(noisy_line(3_000, 20, 0.0)), 4.0),
    ("linear NuSVC", "NuSVC", {"kernel": "linear", "nu": 0.3}, lambda _: sides(noisy_line(8_000, 20, 1.0)), 4.0),
    ("linear SVR 4 000×10", "SVR", {"kernel": "linear", "C": 1.0}, lambda _: wave(), 20.0),
    ("SVR 4 000×10 C=1", "SVR", {"C": 1.0}, lambda _: wave(), 4.0),
    ("SVR 4 000×10 C=30", "SVR", {"C": 30.0}, lambda _: wave(), 4.0),
    ("NuSVR 4 000×10", "NuSVR", {"C": 1.0}, lambda _: wave(), 4.0),
    ("covtype 6 000 C=10", "SVC", {"C": 10.0, "gamma": 10.0}, some_covtype, 4.0),
    ("covtype 6 000 C=100", "SVC", {"C": 100.0, "gamma": 1.0}, some_covtype, 4.0),
    ("a9a 6 000 C=1 000", "SVC", {"C": 1e3, "gamma": 2.0**-5}, some_a9a, 4.0),
]


def compare_case(
    name: str, estimator: str, numbers: dict, read: Callable[[Path | None], Data | None], target: float, arguments
) -> Iterator[Row]:
    """Fit one of the cases on both sides, and compare the functions on some rows."""
    data = read(arguments.data)
    if data is None:
        print(f"{name}: not at hand; name its folder by --data")
        return
    ours, theirs = getattr(mercer, estimator)(**numbers), getattr(sklearn_svm, estimator)(cache_size=1000, **numbers)
    times = interleaved([lambda: ours.fit(*data), lambda: theirs.fit(*data)], arguments.repeat)
    call = "predict" if estimator.endswith("SVR") else "decision_function"
    found, expected = (getattr(model, call)(data[0][:500]) for model in (ours, theirs))
    steps = f"steps {np.sum(ours.n_iter_)} and {np.sum(theirs.n_iter_)}"
    note = f"functions differ by {np.abs(found - expected).max():.0e}, {steps}"
    yield row(name, "scikit-learn", times, target, note)


def million(arguments: argparse.Namespace) -> Iterator[Row]:
    """Fit a linear classifier to a million rows, which takes scikit-learn's SVC hours: no peer."""
    data = sides(noisy_line(1_000_000, 20, 1.0))
    model = mercer.SVC(kernel="linear", C=1.0)
    start, cpu = time.perf_counter(), time.process_time()
    model.fit(*data)
    took, cpu = time.perf_counter() - start, time.process_time() - cpu
    note = f"duality gap {model.duality_gap_:.0e} of {model.dual_objective_:.0f}"
    yield row("linear 1 000 000×20", "none", [(took, cpu), (np.nan, np.nan)], np.nan, note)


def grid(arguments: argparse.Namespace) -> Iterator[Row]:
    """Score ten C times ten γ by five folds on 5 000 rows of covtype."""
    file = None if arguments.data is None else arguments.data / "covtype" / "covtype.csv.gz"
    if file is None or not file.is_file():
        print("covtype: not at hand; name its folder by --data")
        return
    with gzip.open(file, "rt") as lines:
        table = np.loadtxt(lines, delimiter=",", skiprows=1)
    table = table[np.random.default_rng(0).choice(len(table), 5_000, replace=False)]
    x, y = table[:, :-1], table[:, -1]
    keep = np.isin(y, [label for label in np.unique(y) if np.sum(y == label) >= 10])
    x, y = x[keep], y[keep]
    x = (x - x.min(0)) / np.maximum(np.ptp(x, axis=0), 1e-300)
    costs, gammas = np.logspace(-2, 3, 10), np.logspace(-2, 1.5, 10)
    folds = StratifiedKFold(5)
    start, cpu = time.perf_counter(), time.process_time()
    best = mercer.SVCCV(costs, gammas=gammas, cv=folds).fit(x, y).best_score_
    times = [(time.perf_counter() - start, time.process_time() - cpu)]
    start, cpu = time.perf_counter(), time.process_time()
    search = GridSearchCV(SVC(cache_size=1000), {"C": costs, "gamma": gammas}, cv=folds, refit=False)
    search.fit(x, y)
    times.append((time.perf_counter() - start, time.process_time() - cpu))
    note = f"best accuracy {best:.4f} and {search.cv_results_['mean_test_score'].max():.4f}"
    yield row(f"10 × 10 grid, covtype {len(x)}", "GridSearchCV(SVC)", times, 20.0, note)


def main() -> None:
    """Run the comparisons and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder with the data sets")
    parser.add_argument("--json", metavar="FILE", help="write the figures to this file")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the sets whose name contains this")
    parser.add_argument("--repeat", type=int, default=1, help="the best of so many runs counts")
    parser.add_argument("--slow", action="store_true", help="also what takes scikit-learn minutes")
    arguments = parser.parse_args()
    warn_if_busy()
    if IntelSVC is None:
        print("scikit-learn-intelex is not installed (bench/requirements.txt): its rows are left out")
    print(
        f"{'':<26}{'peer':<22}{'ours s':>9}{'theirs':>10}{'ratio':>9}{'target':>7}{'':>9}{'our CPU':>9}{'theirs':>10}"
    )
    chosen = [problem for problem in PROBLEMS if arguments.only in problem.name]
    rows = [found for problem in chosen for found in compare(problem, arguments)]
    rows += [found for case in CASES if arguments.only in case[0] for found in compare_case(*case, arguments)]
    if arguments.slow and arguments.only in "linear 1 000 000×20":
        rows += million(arguments)
    if arguments.slow and arguments.only in "covtype":
        rows += grid(arguments)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps({"machine": machine(), "rows": [asdict(r) for r in rows]}, indent=1))


if __name__ == "__main__":
    main()
