"""Published accuracies of support vector machines, reproduced as a table for docs/accuracy.md.

    python bench/classification.py [--data FOLDER] [--only TEXT] [--output docs/accuracy.md]

Every row is one fit on the training file with the parameters of the publication, and the accuracy on the test file.
Files are in LIBSVM's format; `letter` and `a9a` are bundled, `svmguide1` and `ijcnn1` (no license stated) are looked
for in the folder of `--data`, as `NAME.libsvm.gz` or `NAME/NAME.libsvm.gz`.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from accuracy import ROOT, rewrite
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import MinMaxScaler

import mercer

Scale = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def as_given(train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Leave the columns as they are."""
    return train, test


def to_unit(train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Map every column onto [−1, 1] by the training rows, as svm-scale does."""
    scaler = MinMaxScaler((-1, 1)).fit(train)
    return scaler.transform(train), scaler.transform(test)


@dataclass
class Case:
    """A fit whose accuracy was published."""

    data: str
    file: str
    how: str
    scale: Scale
    C: float
    gamma: float
    published: str
    source: str


GUIDE = "Hsu, Chang and Lin, practical guide"
CASES = [
    Case("svmguide1", "svmguide1", "raw, C = 1, γ = 1/4", as_given, 1.0, 0.25, "66.925 %", GUIDE),
    Case("svmguide1", "svmguide1", "scaled, C = 1, γ = 1/4", to_unit, 1.0, 0.25, "96.15 %", GUIDE),
    Case("svmguide1", "svmguide1", "scaled, C = 2, γ = 2", to_unit, 2.0, 2.0, "96.875 %", GUIDE),
    Case("letter", "letter.scale", "C = 16, γ = 4", as_given, 16.0, 4.0, "97.96–97.98 %", "Hsu and Lin 2002; LIBSVM"),
    Case("ijcnn1", "ijcnn1", "C = 32, γ = 2", as_given, 32.0, 2.0, "98.69–98.70 %", "Chang et al. 2010; LIBSVM"),
    Case("a9a", "a9a", "C = 8, γ = 2⁻⁵", as_given, 8.0, 2.0**-5, "85.03–85.12 %", "Chang et al. 2010; LIBSVM"),
]


def find(case: Case, folder: Path | None) -> tuple[Path, Path] | None:
    """Find the training and the test file among the bundled ones or in the folder of the user."""
    places = [ROOT / "bench" / "data"]
    if folder:
        places += [folder, folder / case.data]
    for place in places:
        files = place / f"{case.file}.libsvm.gz", place / f"{case.file}.t.libsvm.gz"
        if all(file.exists() for file in files):
            return files
    return None


def measure(case: Case, files: tuple[Path, Path]) -> str:
    """Fit and count; give the row of the table."""
    train, y = load_svmlight_file(str(files[0]))
    test, z = load_svmlight_file(str(files[1]), n_features=train.shape[1])
    train, test = case.scale(train.toarray(), test.toarray())
    start = time.perf_counter()
    model = mercer.SVC(C=case.C, kernel="rbf", gamma=case.gamma).fit(train, y)
    middle = time.perf_counter()
    right = np.mean(model.predict(test) == z)
    end = time.perf_counter()
    seconds = f"{middle - start:.1f} + {end - middle:.1f}"
    gap = f"{model.duality_gap_ / abs(model.dual_objective_):.0e}"
    cells = [case.data, f"{len(train)} + {len(test)}", case.how, f"{100 * right:.3f} %", case.published, case.source]
    return "| " + " | ".join([*cells, str(len(model.support_)), gap, seconds]) + " |"


HEAD = """\
| data | rows | machine | accuracy | published | by | support vectors | relative gap | s (fit + predict) |
|---|---|---|---|---|---|---|---|---|"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a folder with data sets that are not bundled")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the data sets whose name contains this")
    parser.add_argument("--output", type=Path, help="write the table between the marks of this page")
    arguments = parser.parse_args()
    lines = [*HEAD.splitlines()]
    print(HEAD, flush=True)
    for case in CASES:
        files = find(case, arguments.data)
        if arguments.only not in case.data:
            continue
        if files is None:
            print(f"{case.data}: not bundled; name its folder by --data")
            continue
        lines.append(measure(case, files))
        print(lines[-1], flush=True)
    if arguments.output:
        rewrite(arguments.output, "\n".join(lines), "classes")


if __name__ == "__main__":
    main()
