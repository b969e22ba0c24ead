"""Coverage and width of conformal intervals and sets, beside the model's own intervals, on real data.

    python bench/coverage.py [--data FOLDER] [--splits 5] [--rows 1000] [--level 0.9] [--output TABLE.md]

Every set is split at random into four fifths to fit and one fifth to predict, so many times; columns are standardized
by the rows of the fit. Numbers: ridge regression with a Gaussian kernel whose lengthscale and alpha are chosen by
leave-one-out on the rows of the fit, its Bayesian intervals, jackknife+, CV+ (10 folds) and a split (a quarter held
out), and a Gaussian process (marginal likelihood) with its own intervals and jackknife+. Classes: logistic regression
with sets by the scores LAC and APS, CV+ with 5 folds. The width is the mean over the predictions, divided by the
standard deviation of the target; the table has means over the splits. Sets without FOLDER: those that come with the
repository and with scikit-learn.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm
from sklearn import datasets
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import mercer

EXAMPLES = Path(__file__).parents[1] / "examples" / "data"
#: Sets of a folder: the file, the target (a name, or the number of a column without header), columns to leave out.
NUMBERS = {
    "abalone": ("abalone/abalone.csv.gz", "target", ["Sex"]),
    "airfoil": ("airfoil/airfoil.csv.gz", -1, []),
    "california": ("california_housing/california_housing.csv.gz", "target", []),
    "cars": ("cars/cars.csv.gz", "dist", []),
    "cpusmall": ("cpusmall/cpusmall.csv.gz", "target", []),
    "ethanol": ("ethanol/ethanol.csv.gz", "NOx", []),
    "faithful": ("faithful/faithful.csv.gz", "eruptions", []),
    "kin8nm": ("kin8nm/kin8nm.csv.gz", "target", []),
    "mcycle": ("mcycle/mcycle.csv.gz", "accel", []),
    "millionsong": ("millionsong_subset/millionsong.csv.gz", 0, []),
    "protein": ("protein_casp/protein_casp.csv.gz", "target", []),
    "space_ga": ("space_ga/space_ga.csv.gz", "target", []),
    "wine_red": ("wine_quality_red/wine_quality_red.csv.gz", None, []),
}
CLASSES = {
    "australian": ("australian/australian.csv.gz", "label", []),
    "breast-cancer": ("breast-cancer/breast-cancer.csv.gz", None, ["Id"]),
    "german.numer": ("german.numer/german.numer.csv.gz", None, []),
    "ionosphere": ("ionosphere/ionosphere.csv.gz", None, []),
    "pima": ("diabetes_pima/diabetes_pima.csv.gz", "label", []),
    "sonar": ("sonar/sonar.csv.gz", None, []),
}


def read(path: Path, target: str | int | None, drop: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return columns and target; the last column without a name."""
    table = pd.read_csv(path, header=None if isinstance(target, int) else "infer").dropna()
    name = table.columns[target] if isinstance(target, int) else target or table.columns[-1]
    inputs = table.drop(columns=[name, *drop]).select_dtypes("number")
    return inputs.to_numpy(float), table[name].to_numpy()


def number_sets(folder: Path | None) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the sets with numbers as targets."""
    iris = read(EXAMPLES / "iris.csv", "petal_width", ["species"])
    sets = {"concrete": read(EXAMPLES / "concrete.csv", "strength", []), "iris (petal width)": iris}
    sets["diabetes"] = datasets.load_diabetes(return_X_y=True)
    linnerud = datasets.load_linnerud()
    sets["linnerud (weight)"] = (linnerud.data, linnerud.target[:, 0])
    found = (
        {} if folder is None else {n: (folder / p, t, d) for n, (p, t, d) in NUMBERS.items() if (folder / p).exists()}
    )
    return sets | {name: read(*where) for name, where in found.items()}


def class_sets(folder: Path | None) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the sets with classes as targets."""
    sets = {"iris": read(EXAMPLES / "iris.csv", "species", [])}
    for name in ("wine", "breast_cancer", "digits"):
        sets[name] = getattr(datasets, f"load_{name}")(return_X_y=True)
    found = (
        {} if folder is None else {n: (folder / p, t, d) for n, (p, t, d) in CLASSES.items() if (folder / p).exists()}
    )
    return sets | {name: read(*where) for name, where in found.items()}


def parts(X: np.ndarray, y: np.ndarray, rows: int, seed: int, stratify: bool) -> list[np.ndarray]:
    """Return a random split of at most so many rows, with standardized columns."""
    chosen = np.random.default_rng(seed).permutation(len(y))[: rows * 5 // 4]
    labels = y[chosen] if stratify else None
    X, X_new, y, y_new = train_test_split(X[chosen], y[chosen], test_size=0.2, random_state=seed, stratify=labels)
    scaler = StandardScaler().fit(X)
    return [scaler.transform(X), scaler.transform(X_new), y, y_new]


def measured(lower: np.ndarray, upper: np.ndarray, y: np.ndarray, unit: float) -> tuple[float, float]:
    """Return the coverage and the mean width."""
    return float(np.mean((lower <= y) & (y <= upper))), float(np.mean(upper - lower) / unit)


def own(model: mercer.KernelRidge, X: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the model's own interval of a new observation."""
    mean, error = model.predict(X, return_std=True, include_noise=True)
    half = norm.ppf(0.5 + level / 2) * error
    return mean - half, mean + half


def intervals(X: np.ndarray, X_new: np.ndarray, y: np.ndarray, y_new: np.ndarray, level: float, seed: int) -> dict:
    """Return coverage and width by method."""
    unit = y.std() or 1.0
    chosen = mercer.KernelRidgeCV(kernel="gaussian()", fit_intercept=True).fit(X, y)
    ridge = mercer.KernelRidge(chosen.alpha_, kernel=chosen.kernel_, fit_intercept=True)
    found = {"ridge, own": measured(*own(ridge.fit(X, y), X_new, level), y_new, unit)}
    for method in ("jackknife+", "cv+", "split"):
        conformal = mercer.ConformalRegressor(ridge, method=method, level=level, random_state=seed).fit(X, y)
        found[f"ridge, {method}"] = measured(*conformal.predict_interval(X_new).T, y_new, unit)
    process = mercer.GaussianProcessRegressor("1*gaussian(lengthscale=median)", noise=0.1, normalize_y=True)
    conformal = mercer.ConformalRegressor(process, level=level, random_state=seed).fit(X, y)
    found["gp, own"] = measured(*own(conformal.estimator_, X_new, level), y_new, unit)
    found["gp, jackknife+"] = measured(*conformal.predict_interval(X_new).T, y_new, unit)
    return found


def sets_of_classes(
    X: np.ndarray, X_new: np.ndarray, y: np.ndarray, y_new: np.ndarray, level: float, seed: int
) -> dict:
    """Return coverage and mean size by score."""
    logistic = mercer.KernelLogisticRegression(0.1, kernel="gaussian(lengthscale=median)")
    found = {}
    for name, score, randomized in (("lac", "lac", False), ("aps", "aps", False), ("aps, randomized", "aps", True)):
        conformal = mercer.ConformalClassifier(
            logistic, method="cv+", cv=5, level=level, set_score=score, randomized=randomized, random_state=seed
        ).fit(X, y)
        sets = conformal.predict_set(X_new)
        held = sets[np.arange(len(y_new)), np.searchsorted(conformal.classes_, y_new)]
        found[name] = (float(held.mean()), float(sets.sum(axis=1).mean()))
    plain = np.argmax(conformal.predict_proba(X_new), axis=1)
    found["most probable class"] = (float(np.mean(conformal.classes_[plain] == y_new)), 1.0)
    return found


def table(sets: dict, run: object, arguments: argparse.Namespace, stratify: bool, columns: str) -> list[str]:
    """Return the lines of a table: a row per set, coverage and width per method."""
    lines, sums = [], {}
    for name, (X, y) in sets.items():
        runs = []
        for seed in range(arguments.splits):
            X_fit, X_new, y_fit, y_new = parts(X, y, arguments.rows, seed, stratify)
            try:
                runs.append(run(X_fit, X_new, y_fit, y_new, arguments.level, seed))
            except ValueError as error:
                print(f"{name}: {error}", flush=True)
                break
        if len(runs) < arguments.splits:
            continue
        mean = {key: np.mean([one[key] for one in runs], axis=0) for key in runs[0]}
        if not lines:
            lines += [f"| {columns} | " + " | ".join(mean) + " |", "|---|---|" + "---|" * len(mean)]
        cells = " | ".join(f"{100 * cover:.1f} % ({width:.2f})" for cover, width in mean.values())
        lines.append(f"| {name} | {len(y_fit)} | {cells} |")
        print(lines[-1], flush=True)
        for key, (cover, _) in mean.items():
            sums.setdefault(key, []).append(cover)
    average = " | ".join(f"**{100 * np.mean(covers):.1f} %**" for covers in sums.values())
    worst = " | ".join(f"{100 * min(covers):.1f} %" for covers in sums.values())
    return [*lines, f"| mean | | {average} |", f"| smallest | | {worst} |"]


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, help="a folder with more sets, one folder each")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1000, help="rows to fit, at most")
    parser.add_argument("--level", type=float, default=0.9)
    parser.add_argument("--output", type=Path, help="a file for the tables")
    arguments = parser.parse_args()
    numbers = table(number_sets(arguments.data), intervals, arguments, False, "set | rows")
    classes = table(class_sets(arguments.data), sets_of_classes, arguments, True, "set | rows")
    text = "\n".join([*numbers, "", *classes, ""])
    if arguments.output is not None:
        arguments.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
