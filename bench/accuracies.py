"""Accuracies of kernels on graphs, strings and bags beside published figures, as a table for docs/points.md.

    python bench/accuracies.py --data FOLDER [NAME ...] [--repeats 10] [--folds 10]

A row is a kernel on a data set: the mean over repeated folds, its standard error, the published figure and the verdict.
C and the parameter of the kernel (depth, length, lengthscale) are chosen by folds of the training part alone. Kernel
values of a pair do not depend on other points, so that matrices are computed once; the document frequencies of `words`
do, and are counted on every training part. The standard error is that of the mean over the repeats; for one repeat,
that over its folds; for one split, that of a share of its rows. A figure is reached if it is at most two standard
errors of the difference above the mean, where the published spread of repeats is taken as their standard deviation.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import lzma
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from objects import without_edge_labels
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, StratifiedShuffleSplit

import mercer

#: The C of the publications on graphs.
CS = [10.0**power for power in range(-3, 4)]
#: A training and a test part.
Split = tuple[np.ndarray, np.ndarray]
Score = Callable[[np.ndarray, np.ndarray, np.ndarray], float]


@dataclass
class Figure:
    """A published figure in percent, where it stands, its spread, and the repeats that this is the spread of."""

    value: float
    source: str
    spread: float = 0.0
    repeats: int = 10

    def text(self) -> str:
        """Return it as the table shows it."""
        spread = f" ± {self.spread:g}" if self.spread else ""
        return f"{self.value:g}{spread} ({self.source})"


@dataclass
class Task:
    """A data set, how it is split and scored."""

    name: str
    x: Any
    y: np.ndarray
    rows: list[Row]
    splits: Callable[[np.ndarray, int, int], Iterator[Iterator[Split]]] | None = None
    score: str = "accuracy"
    inner: int = 5
    repeats: int | None = None
    cs: list[float] = field(default_factory=lambda: CS)


@dataclass
class Row:
    """Kernels of one kind, of which one is chosen, and what was published."""

    kernel: str
    candidates: list[str]
    figure: Figure | None = None
    #: Whether the kernel takes something from the points of the fit.
    fitted: bool = False


# ---- protocols ------------------------------------------------------------------------------------------------------


def folds_of(y: np.ndarray, repeats: int, folds: int) -> Iterator[Iterator[Split]]:
    """Yield repeated stratified folds."""
    for seed in range(repeats):
        yield StratifiedKFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y)


def leave_one_out(y: np.ndarray, _repeats: int, _folds: int) -> Iterator[Iterator[Split]]:
    """Yield one repeat, a fold for every row."""
    yield LeaveOneOut().split(y)


def shares(train: float) -> Callable[[np.ndarray, int, int], Iterator[Iterator[Split]]]:
    """Return repeated random splits with this share of training rows."""

    def splits(y: np.ndarray, repeats: int, _folds: int) -> Iterator[Iterator[Split]]:
        for seed in range(repeats):
            yield StratifiedShuffleSplit(1, train_size=train, random_state=seed).split(np.zeros(len(y)), y)

    return splits


def halves(y: np.ndarray, _repeats: int, _folds: int) -> Iterator[Iterator[Split]]:
    """Yield one split: the second half of the rows is predicted from the sites and every tenth decoy of the first."""
    middle = len(y) // 2
    train = [at for at in range(middle) if y[at] == 1 or at % 10 == 0]
    yield iter([(np.array(train), np.arange(middle, len(y)))])


def accuracy(y: np.ndarray, predicted: np.ndarray, _values: np.ndarray) -> float:
    """Return the share of rows that are right."""
    return float(np.mean(y == predicted))


SCORES: dict[str, Score] = {
    "accuracy": accuracy,
    "F1 of the rarer class": lambda y, predicted, _: float(f1_score(y == rarer(y), predicted == rarer(y))),
    "area under the ROC curve": lambda y, _, values: float(roc_auc_score(y == max(y), values)),
    "average precision": lambda y, _, values: float(average_precision_score(y == max(y), values)),
}


def rarer(y: np.ndarray) -> Any:
    """Return the class with the fewest rows."""
    names, counts = np.unique(y, return_counts=True)
    return names[np.argmin(counts)]


# ---- runs -----------------------------------------------------------------------------------------------------------


def chosen(task: Task, row: Row, matrices: list[np.ndarray], train: np.ndarray, seed: int) -> tuple[Any, int]:
    """Return the model with the best kernel and C by folds of the training part, and which kernel it is."""
    y = task.y[train]
    inner = StratifiedKFold(task.inner, shuffle=True, random_state=seed)
    if row.fitted:
        model = mercer.SVCCV(task.cs, kernels=row.candidates, cv=inner).fit(some(task.x, train), y)
        return model, -1
    found = []
    for matrix in matrices:
        model = mercer.SVCCV(task.cs, kernel="precomputed", cv=inner)
        found.append(model.fit(matrix[np.ix_(train, train)], y))
    best = int(np.argmax([model.best_score_ for model in found]))
    return found[best], best


def some(x: Any, rows: np.ndarray) -> Any:
    """Return some of the points."""
    return [x[at] for at in rows] if isinstance(x, list) else x[rows.tolist()]


def scaled(matrix: np.ndarray) -> np.ndarray:
    """Return the matrix with a mean of the diagonal of 1, so that the same C suit kernels that are not normalized."""
    return matrix / np.mean(np.diag(matrix))


def run(task: Task, row: Row, repeats: int, folds: int) -> tuple[list[float], list[float], int]:
    """Return the score of every repeat, those of every fold, and the rows that it is a share of."""
    matrices = [] if row.fitted else [scaled(mercer.Kernel(text)(task.x)) for text in row.candidates]
    means: list[float] = []
    every: list[float] = []
    tested = 0
    for seed, splits in enumerate((task.splits or folds_of)(task.y, repeats, folds)):
        truth, predicted, values = [], [], []
        for train, test in splits:
            model, best = chosen(task, row, matrices, train, seed)
            x = some(task.x, test) if row.fitted else matrices[best][np.ix_(test, train)]
            truth.append(task.y[test])
            values.append(model.decision_function(x))
            predicted.append(model.classes_[decided(values[-1])])
            every.append(accuracy(truth[-1], predicted[-1], values[-1]))
        y = np.concatenate(truth)
        tested = len(y) if task.score == "accuracy" else int(np.sum(y == rarer(y)))
        means.append(SCORES[task.score](y, np.concatenate(predicted), np.concatenate(values)))
    return means, every, tested


def decided(values: np.ndarray) -> np.ndarray:
    """Return the numbers of the classes."""
    return (values > 0).astype(int) if values.ndim == 1 else values.argmax(axis=1)


def standard_error(means: list[float], every: list[float], tested: int) -> float:
    """Return the standard error of the mean in percent."""
    if len(means) > 1:
        return 100 * float(np.std(means, ddof=1) / np.sqrt(len(means)))
    if 1 < len(every) < tested:
        return 100 * float(np.std(every, ddof=1) / np.sqrt(len(every)))
    return 100 * float(np.sqrt(means[0] * (1 - means[0]) / tested))


def verdict(mean: float, error: float, figure: Figure | None) -> str:
    """Return whether a figure is reached, as a text."""
    if figure is None:
        return ""
    allowed = 2 * np.hypot(error, figure.spread / np.sqrt(figure.repeats))
    if mean >= figure.value:
        return "above"
    return "within" if mean + allowed >= figure.value else f"below by {figure.value - mean:.1f}"


def print_task(task: Task, repeats: int, folds: int) -> None:
    """Print the rows of a data set."""
    repeats = repeats if task.repeats is None else min(repeats, task.repeats)
    for row in task.rows:
        start = time.perf_counter()
        means, every, tested = run(task, row, repeats, folds)
        mean, error = 100 * float(np.mean(means)), standard_error(means, every, tested)
        name = task.name if task.score == "accuracy" else f"{task.name}, {task.score}"
        published = row.figure.text() if row.figure else "–"
        print(
            f"| {name} | {row.kernel} | {len(means)} | {mean:.1f} ± {error:.1f} | {published} |"
            f" {verdict(mean, error, row.figure)} | {time.perf_counter() - start:.0f} |",
            flush=True,
        )


# ---- graphs ---------------------------------------------------------------------------------------------------------

SHERVASHIDZE, RIECK, MORRIS = "Shervashidze et al. 2011", "Rieck et al. 2019", "Morris et al. 2020"
#: Weisfeiler–Lehman, shortest path and the histogram of the labels.
GRAPHS: dict[str, tuple[Figure, Figure | None, Figure | None]] = {
    "MUTAG": (
        Figure(82.05, SHERVASHIDZE, 0.36),
        Figure(87.28, SHERVASHIDZE, 0.55),
        Figure(85.96, RIECK, 0.27),
    ),
    "PTC_MR": (Figure(63.12, RIECK, 1.44), None, Figure(58.31, RIECK, 0.27)),
    "ENZYMES": (Figure(52.22, SHERVASHIDZE, 1.26), Figure(41.68, SHERVASHIDZE, 1.79), None),
    "PROTEINS": (Figure(72.6, MORRIS, 0.7), Figure(75.6, MORRIS, 0.7), Figure(72.33, RIECK, 0.32)),
    "NCI1": (Figure(82.19, SHERVASHIDZE, 0.18), Figure(73.47, SHERVASHIDZE, 0.11), Figure(64.40, RIECK, 0.07)),
}
#: Repeats of the larger sets.
REPEATS = {"ENZYMES": 3, "PROTEINS": 3, "NCI1": 1}


def graphs(name: str) -> Callable[[Path], Task]:
    """Return a set of the TU collection; edges have no labels, as in the publications."""
    wl, path, histogram = GRAPHS[name]

    def load(data: Path) -> Task:
        folder = data / f"graphs_{name}"
        x, y = mercer.Graphs.read_tu(folder)
        depths = range(6 if name in ("PROTEINS", "NCI1") else 11)
        paths = [f"shortest_path(labels={labels})" for labels in ("true", "false")]
        rows = [
            Row("weisfeiler_lehman", [f"normalized(weisfeiler_lehman(depth={h}))" for h in depths], wl),
            Row("shortest_path", [f"normalized({paths[0]})", *paths], path),
            Row("vertex_histogram", ["normalized(vertex_histogram())", "vertex_histogram()"], histogram),
        ]
        repeats, inner = REPEATS.get(name), 3 if name == "NCI1" else 5
        return Task(name, without_edge_labels(x, folder), np.array(y), rows, inner=inner, repeats=repeats)

    return load


# ---- strings --------------------------------------------------------------------------------------------------------


def lines(path: Path, delimiter: str = ",") -> list[list[str]]:
    """Read a table of texts."""
    opened = lzma.open if path.suffix == ".xz" else gzip.open
    with opened(path, "rb") as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        quoting = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
        return list(csv.reader(text, delimiter=delimiter, quoting=quoting))


def positioned(sequences: list[str]) -> list[str]:
    """Return strings whose symbols are a letter and its position: substrings match at the same position alone."""
    letters = sorted(set("".join(sequences)))
    code = {letter: at for at, letter in enumerate(letters)}
    symbol = lambda at, letter: chr(0x10000 + len(letters) * at + code[letter])  # noqa: E731
    return ["".join(symbol(at, letter) for at, letter in enumerate(text)) for text in sequences]


def lengths(kernel: str, values: range) -> list[str]:
    """Return the kernel with every length."""
    return [f"normalized({kernel.replace('LENGTH', str(value))})" for value in values]


#: Equal letters at equal positions, as in a Gaussian kernel on binary columns; substrings at equal positions.
MATCHES = [f"exp({factor}*spectrum(length=1))" for factor in (0.05, 0.1, 0.2)]
DEGREES = lengths("spectrum(length=LENGTH, blended=true)", range(1, 7))


def splice(data: Path) -> list[Task]:
    """Splice junctions of three classes."""
    rows = lines(data / "splice_junction_uci" / "splice_junction.csv.gz")[1:]
    x, y = [row[1] for row in rows], np.array([row[2] for row in rows])
    free = [
        Row("spectrum", lengths("spectrum(length=LENGTH)", range(4, 7))),
        Row("mismatch", lengths("mismatch(length=LENGTH, mismatches=1)", range(5, 7))),
    ]
    placed = [
        Row("exp(spectrum), length 1", [f"normalized({k})" for k in MATCHES], Figure(95.447, "Hsu & Lin 2002")),
        Row("spectrum, blended", DEGREES[1::2], Figure(93.7, "KBANN, Towell et al. 1990")),
    ]
    common = {"repeats": 1, "inner": 3, "cs": [0.1, 1.0, 10.0]}
    return [
        Task("splice", x, y, free, **common),
        Task("splice, letters with positions", positioned(x), y, placed, **common),
    ]


def promoters(data: Path) -> list[Task]:
    """Promoters, by leaving one out."""
    rows = lines(data / "string_promoters" / "promoters.csv.gz")[1:]
    x, y = [row[1] for row in rows], np.array([row[0] for row in rows])
    free = [
        Row("spectrum", lengths("spectrum(length=LENGTH)", range(2, 7))),
        Row("mismatch", lengths("mismatch(length=LENGTH, mismatches=1)", range(4, 7))),
    ]
    placed = [
        Row(
            "exp(spectrum), length 1",
            [f"normalized({k})" for k in MATCHES],
            Figure(92.5, "network, Towell et al. 1990"),
        ),
        Row("spectrum, blended", DEGREES, Figure(96.2, "KBANN, Towell et al. 1990")),
    ]
    return [
        Task("promoters", x, y, free, leave_one_out),
        Task("promoters, letters with positions", positioned(x), y, placed, leave_one_out),
    ]


def acceptors(data: Path) -> list[Task]:
    """C. elegans acceptor sites among decoys, windows of 140 letters in the order of their positions."""
    rows = lines(data / "string_celegans_acceptor" / "celegans_acceptor.csv.xz")[1:]
    middle = len(rows[0][1]) // 2
    x, y = [row[1][middle - 60 : middle + 80] for row in rows], np.array([int(row[0]) for row in rows])
    figure = Figure(92.0, "weighted degrees on all data, Sonnenburg et al. 2007")
    row = Row("spectrum, blended", [DEGREES[3], DEGREES[5]], figure, fitted=True)
    name, score = "C. elegans acceptors, letters with positions", "average precision"
    return [Task(name, positioned(x), y, [row], halves, score, inner=3, cs=[0.1, 1.0, 10.0])]


def reuters(data: Path) -> list[Task]:
    """Seventy documents of the topics acq and crude."""
    rows = lines(data / "string_reuters_acq_crude" / "reuters_acq_crude.tsv.gz", "\t")[1:]
    x, y = [" ".join(row[3].lower().split()) for row in rows], np.array([row[0] for row in rows])
    lodhi = "Lodhi et al. 2002, 470 documents"
    kinds = [
        Row("subsequence", [f"normalized(subsequence(length={p}, decay=0.5))" for p in (3, 5)], Figure(93.6, lodhi)),
        Row("spectrum", lengths("spectrum(length=LENGTH)", range(3, 7)), Figure(93.7, lodhi)),
        Row(
            "words", [f"normalized(words(weights={w}))" for w in ("tfidf", "counts")], Figure(90.4, lodhi), fitted=True
        ),
    ]
    return [Task("Reuters crude against acq", x, y, kinds, score="F1 of the rarer class")]


def sms(data: Path) -> list[Task]:
    """Text messages, three tenths of them for training."""
    rows = lines(data / "string_sms_spam" / "SMSSpamCollection.tsv.gz", "\t")
    x, y = [row[1] for row in rows], np.array([row[0] for row in rows])
    figure = Figure(97.64, "linear SVM, Almeida et al. 2011")
    kinds = [
        Row("words", ["normalized(words(weights=tfidf))"], figure, fitted=True),
        Row("spectrum", lengths("spectrum(length=LENGTH)", range(3, 6)), figure),
    ]
    return [Task("SMS spam", x, y, kinds, shares(0.3), inner=3, cs=[0.1, 1.0, 10.0, 100.0])]


def proteins(data: Path) -> list[Task]:
    """Proteins outside of cells or in mitochondria, three quarters of them for training."""
    rows = lines(data / "string_protein_location" / "protein_location.csv.gz")[1:]
    x, y = ["".join(row[2].split()) for row in rows], np.array([row[0] for row in rows])
    figure = Figure(86.5, "random forest, vignette of protr")
    kinds = [
        Row("spectrum", lengths("spectrum(length=LENGTH)", range(1, 5)), figure),
        Row("mismatch", lengths("mismatch(length=LENGTH, mismatches=1)", range(3, 5)), figure),
    ]
    return [Task("protein location", x, y, kinds, shares(0.75), "area under the ROC curve")]


# ---- bags -----------------------------------------------------------------------------------------------------------

GAERTNER = "MI-kernel, Gärtner et al. 2002"
#: As quoted by Ilse et al. 2018, whose spreads are standard errors of means.
BAGS = {
    "musk1": Figure(88.0, GAERTNER, 3.1, 1),
    "musk2": Figure(89.3, GAERTNER, 1.5, 1),
    "elephant": Figure(84.3, GAERTNER, 1.6, 1),
}


def bags(name: str) -> Callable[[Path], Task]:
    """Return bags of vectors, with lengthscales around the median distance of the vectors."""

    def load(data: Path) -> Task:
        table = np.array(lines(data / f"mil_{name}" / f"{name}.csv.gz")[1:], dtype=float)
        numbers = list(dict.fromkeys(table[:, 0]))
        x = mercer.Bags([table[table[:, 0] == number][:, 2:] for number in numbers])
        y = np.array([int(table[table[:, 0] == number][0, 1]) for number in numbers])
        scales = mercer._mercer.median_lengthscales(table[:, 2:], 7)
        gaussians = [f"gaussian(lengthscale={scale:.6g})" for scale in scales]
        rows = [
            Row("mean_embedding", [f"normalized(mean_embedding({k}))" for k in gaussians], BAGS[name]),
            Row("gaussian_embedding", [f"gaussian_embedding({k})" for k in gaussians], BAGS[name]),
        ]
        return Task(name, x, y, rows)

    return load


TASKS: dict[str, Callable[[Path], Task | list[Task]]] = {
    **{name: graphs(name) for name in GRAPHS},
    "splice": splice,
    "promoters": promoters,
    "acceptors": acceptors,
    "reuters": reuters,
    "sms": sms,
    "proteins": proteins,
    **{name: bags(name) for name in BAGS},
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(TASKS)}; all by default")
    parser.add_argument("--data", type=Path, required=True, help="the folder with the data sets")
    parser.add_argument("--repeats", type=int, default=10, help="repeats of the folds or splits; fewer on large sets")
    parser.add_argument("--folds", type=int, default=10)
    options = parser.parse_args()
    unknown = set(options.names) - set(TASKS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    warnings.simplefilter("ignore", mercer.BorderWarning)
    print("| data | kernel | repeats | mean | published | verdict | seconds |\n|---|---|---|---|---|---|---|")
    for name in options.names or TASKS:
        found = TASKS[name](options.data)
        for task in found if isinstance(found, list) else [found]:
            print_task(task, options.repeats, options.folds)


if __name__ == "__main__":
    main()
