"""Choices without settings, beside scikit-learn's grid searches: held-out error and processor time.

    python bench/search.py --data FOLDER [--mercer PATH] [--only TEXT] [--json FILE]

Every `NAME.csv` of the folder (a header, the target in the last column) is one data set: classes where the target is
texts or has at most ten integers, numbers otherwise. A quarter of the rows, drawn by a fixed seed, is held out.
Both sides get the rest on standardized columns: `mercer fit svm` (`fit auto` for numbers; `--learners auto,logistic`
names others) without settings, and `GridSearchCV` of `SVC` over C = 1, 10, 100 and gamma = 1/4, 1, 4 over the number of
columns (for numbers of `KernelRidge`, on at most 2000 rows, over four alphas and three gammas). Processor time is user
and system time of a process of its own.
"""

import argparse
import csv
import json
import multiprocessing
import resource
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

#: A target of at most this many integers is a target of classes.
CLASSES = 10
#: Rows that the grid search of a kernel ridge regression gets.
RIDGE_ROWS = 2000


def read(path: Path) -> tuple[list[str], list[list[str]], bool]:
    """Return the header, the rows, and whether the target is classes."""
    with path.open() as file:
        header, *rows = list(csv.reader(file))
    targets = {row[-1] for row in rows}
    try:
        few = all(float(t).is_integer() for t in targets) and len(targets) <= CLASSES
    except ValueError:
        few = True
    return header, rows, few


def write(path: Path, header: list[str], rows: list[list[str]]) -> None:
    """Write a table."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def split(rows: list[list[str]], seed: int = 0) -> tuple[list[list[str]], list[list[str]]]:
    """Three quarters of the rows to fit, the others to test."""
    order = np.random.default_rng(seed).permutation(len(rows))
    held = len(rows) // 4
    return [rows[i] for i in order[held:]], [rows[i] for i in order[:held]]


def used(work: Any) -> tuple[Any, float]:
    """Run work that starts processes, and give its answer with their processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return answer, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def error(found: list[str], true: list[str], classes: bool) -> float:
    """Return the part of the rows whose class is wrong, or the root of the mean square."""
    if classes:
        return float(np.mean([label(f) != label(t) for f, t in zip(found, true, strict=True)]))
    return float(np.sqrt(np.mean((np.array(found, float) - np.array(true, float)) ** 2)))


def label(text: str) -> str:
    """Return a class as one text, however its number is written."""
    try:
        return str(float(text))
    except ValueError:
        return text


def ours(program: str, learner: str, folder: Path, target: str, extra: list[str]) -> tuple[list[str], float, dict]:
    """Fit by the command line without settings: predictions, processor time, the report."""
    model, out = folder / "model.safetensors", folder / "out.csv"
    for old in (model, out):
        old.unlink(missing_ok=True)
    words = [program, "fit", learner, str(folder / "train.csv"), "--target", target, "-o", str(model), "--json", *extra]
    report, seconds = used(lambda: subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    words = [program, "predict", str(model), str(folder / "test.csv"), "-o", str(out), "--quiet"]
    subprocess.run(words, check=True, capture_output=True)
    with out.open() as file:
        rows = list(csv.DictReader(file))
    return [row.get(target) or next(iter(row.values())) for row in rows], seconds, json.loads(report)


def numbers(column: Any) -> Any:
    """Return a column as numbers, where it is one."""
    try:
        return column.astype(float)
    except ValueError:
        return column


def theirs(train: list[list[str]], test: list[list[str]], classes: bool, answer: Any) -> None:
    """Fit by a grid search, in a process of its own."""
    import pandas as pd
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    from sklearn.svm import SVC

    frames = [pd.DataFrame(rows).apply(numbers) for rows in (train, test)]
    (x, y), (x_test, _) = ((frame.iloc[:, :-1], frame.iloc[:, -1]) for frame in frames)
    columns = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include="number")),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), make_column_selector(dtype_exclude="number")),
    )
    gammas = np.array([0.25, 1.0, 4.0]) / columns.fit_transform(x).shape[1]
    if classes:
        grid = {"svc__C": [1, 10, 100], "svc__gamma": gammas}
        search = GridSearchCV(make_pipeline(columns, SVC()), grid, cv=StratifiedKFold(5))
    else:
        x, y = x[:RIDGE_ROWS], y[:RIDGE_ROWS].astype(float)
        grid = {"kernelridge__alpha": [1e-3, 1e-2, 0.1, 1.0], "kernelridge__gamma": gammas}
        model = make_pipeline(columns, KernelRidge(kernel="rbf"))
        search = GridSearchCV(model, grid, cv=5, scoring="neg_mean_squared_error")
    mean = 0.0 if classes else float(y.mean())
    found = search.fit(x, y if classes else y - mean).predict(x_test)
    answer.put([str(f if classes else f + mean) for f in found])


def grid_search(train: list[list[str]], test: list[list[str]], classes: bool) -> tuple[list[str], float]:
    """Do the same by scikit-learn: predictions and processor time."""

    def work() -> list[str]:
        answer: multiprocessing.Queue = multiprocessing.Queue()
        process = multiprocessing.Process(target=theirs, args=(train, test, classes, answer))
        process.start()
        found = answer.get()
        process.join()
        return found

    return used(work)


def chosen(report: dict) -> str:
    """Return what was chosen, in a few words."""
    numbers = ", ".join(f"{key} {report[key]:.3g}" for key in ("C", "lambda") if report.get(key) is not None)
    return f"{report['kernel']}, {numbers}"


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--mercer", default="mercer")
    parser.add_argument("--only", default="")
    parser.add_argument("--learners", default="")
    parser.add_argument("--no-theirs", action="store_true")
    parser.add_argument("--json", type=Path)
    words = parser.parse_args()
    results: list[dict] = []
    print(f"{'data':<14} {'by':<14} {'error':>8} {'cpu s':>8}  chosen")
    for path in sorted(words.data.glob("*.csv")):
        if words.only not in path.stem:
            continue
        header, rows, classes = read(path)
        train, test = split(rows)
        learners = words.learners.split(",") if words.learners else ["svm"] if classes else ["auto"]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write(folder / "train.csv", header, train)
            write(folder / "test.csv", header[:-1], [row[:-1] for row in test])
            true, lines = [row[-1] for row in test], []
            for learner in learners:
                found, seconds, report = ours(words.mercer, learner, folder, header[-1], [])
                lines.append((f"fit {learner}", error(found, true, classes), seconds, chosen(report)))
            if not words.no_theirs:
                found, seconds = grid_search(train, test, classes)
                lines.append(("GridSearchCV", error(found, true, classes), seconds, ""))
        for by, wrong, seconds, text in lines:
            shown = f"{100 * wrong:.2f} %" if classes else f"{wrong:.4g}"
            print(f"{path.stem:<14} {by:<14} {shown:>8} {seconds:>8.1f}  {text}", flush=True)
            results.append({"data": path.stem, "by": by, "error": wrong, "seconds": seconds, "chosen": text})
    if words.json:
        words.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
