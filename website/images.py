"""Draw the pictures of docs/images that the command line makes, from bundled data.

    python website/images.py [NAME …] [--mercer target/debug/mercer] [--output docs/images]

Every picture is that of the command beside it; those of docs/pictures.md are drawn by crates/mercer-python/pictures.py.
Tables that are not bundled are written to a temporary folder: species of iris, signals that are mixed, and digits of
scikit-learn (Alpaydin and Kaynak 1998, CC BY 4.0) in two resolutions.
"""

from __future__ import annotations

import argparse
import csv
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "examples" / "data"
#: Rows of digits of which the common space is learned, those that are matched, and the gallery.
LEARNED, QUERIES, GALLERY = 500, 57, 500

#: The words of a command after `mercer`; `{plot}` is the picture, names ending in `.csv` are tables.
COMMANDS = {
    "boundary.png": "fit svm iris.csv --target species --columns petal_length,petal_width"
    " --kernel gaussian(lengthscale=1) -C 10 --plot {plot}",
    "cca.png": "embed cca iris.csv --x sepal_length,sepal_width --y petal_length,petal_width --permutations 99"
    " --color species --plot {plot}",
    "check.png": "kernel check tanh(scale=1,offset=0) --plot {plot}",
    "clusters.png": "cluster iris.csv --drop species -k 3 --plot {plot}",
    "concrete.png": "fit ridge concrete.csv --target strength --plot {plot}",
    "errors.svg": "embed fourier iris.csv --kernel gaussian(lengthscale=median) --components 500"
    " --columns sepal_length,sepal_width,petal_length,petal_width --plot {plot}",
    "fit.svg": "fit ridge iris.csv --target petal_width --columns petal_length --plot {plot}",
    "gram-order.png": "kernel gram gaussian(lengthscale=1) iris.csv --order species --plot {plot}",
    "null.png": "test two-sample versicolor.csv virginica.csv --columns sepal_width"
    " --kernel gaussian(lengthscale=median) --plot {plot}",
    "witness.png": "test two-sample versicolor.csv virginica.csv --columns sepal_length,petal_length"
    " --kernel gaussian(lengthscale=median) --picture witness --plot {plot}",
    "parts.png": "fit ridge iris.csv --target petal_width --lambda 0.1 --plot {plot}"
    " --kernel on([petal_length],gaussian(lengthscale=2))+on([sepal_length],gaussian(lengthscale=1))",
    "pca.png": "embed pca iris.csv --components 2 --color species --plot {plot}",
    "scaling.png": "embed scaling iris.csv --components 2 --color species --plot {plot}",
    "signals.png": "embed ica mixed.csv --plot {plot}",
    "spectrum.png": "kernel spectrum gaussian(lengthscale=1) iris.csv"
    " --columns sepal_length,sepal_width,petal_length,petal_width --plot {plot}",
    "matches.png": "match new.csv gallery.csv --using digits.safetensors --label digit --plot {plot}",
    "shares.png": "fit multiple-ridge concrete.csv --target strength --plot {plot} --kernels on([cement],gaussian())"
    " --kernels on([age],gaussian()) --kernels on([water],linear())",
}
#: Commands before the others.
FIRST = ["match low.csv high.csv --label digit --components 20 --model digits.safetensors"]
#: Pictures of a page: the command with `--report`, and a text of the title.
PAGES = {
    "scree.svg": ("embed pca iris.csv --drop species --components 10", "eigenvalues"),
    "surface.svg": ("fit ridge iris.csv --target petal_width --columns petal_length", "leave-one-out: "),
    "residuals.svg": ("fit ridge concrete.csv --target strength", "Residuals: "),
    "influence.svg": ("fit ridge concrete.csv --target strength", "Influence of single rows"),
    "coverage.svg": ("fit ridge concrete.csv --target strength", "Coverage of intervals"),
    "calibration.svg": ("fit logistic iris.csv --target species", "Calibration of probabilities"),
}
#: Pictures of `mercer demo`.
DEMO = ["co2.png", "functions.png", "gram.png"]


def main() -> int:
    """Draw all pictures, or those that are named."""
    parser = argparse.ArgumentParser(description="Draw the pictures of docs/images.")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--mercer", type=Path, default=ROOT / "target" / "debug" / "mercer")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "images")
    words = parser.parse_args()
    unknown = set(words.names) - {*COMMANDS, *PAGES, *DEMO}
    if unknown:
        parser.error(f"unknown pictures: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as folder:
        drawn = draw(words.names, words.mercer.resolve(), Path(folder), words.output.resolve())
    print(f"{drawn} pictures in {words.output}")
    return 0


def draw(names: Sequence[str], mercer: Path, folder: Path, output: Path) -> int:
    """Write the tables, run the commands and keep the pictures."""
    tables(folder)

    def run(text: str, *more: str) -> None:
        subprocess.run([mercer, *text.split(), "--quiet", *more], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    def wanted(name: str) -> bool:
        return not names or name in names

    if wanted("matches.png"):
        for text in FIRST:
            run(text)
    for name, text in COMMANDS.items():
        if wanted(name):
            run(text.replace("{plot}", str(output / name)))
    for text in dict.fromkeys(text for name, (text, _) in PAGES.items() if wanted(name)):
        run(text, "--report", "page.html")
        page = (folder / "page.html").read_text(encoding="utf-8")
        for name, (other, title) in PAGES.items():
            if other == text and wanted(name):
                (output / name).write_text(picture(page, title), encoding="utf-8")
    if any(wanted(name) for name in DEMO):
        run("demo", "--output", "demo")
        for name in filter(wanted, DEMO):
            shutil.copyfile(folder / "demo" / name, output / name)
    return len(names) or len(COMMANDS) + len(PAGES) + len(DEMO)


def picture(page: str, title: str) -> str:
    """Return the picture of a page whose text holds the title."""
    for found in re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL):
        if title in found:
            return found + "\n"
    raise ValueError(f"no picture of the page has the title {title!r}")


def tables(folder: Path) -> None:
    """Copy the bundled tables and write the others."""
    for name in ("iris.csv", "concrete.csv"):
        shutil.copyfile(DATA / name, folder / name)
    with (DATA / "iris.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = list(csv.reader(file))
    for species in ("versicolor", "virginica"):
        write(folder / f"{species}.csv", head[:4], (row[:4] for row in rows if row[4] == species))
    write(folder / "mixed.csv", ["first", "second", "third"], mixed().tolist())
    high, digit = load_digits(return_X_y=True)
    low = high.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(-1, 16)
    queries, gallery = slice(LEARNED, LEARNED + QUERIES), slice(LEARNED + QUERIES, LEARNED + QUERIES + GALLERY)
    for name, values, which in (
        ("low", low, slice(LEARNED)),
        ("high", high, slice(LEARNED)),
        ("new", low, queries),
        ("gallery", high, gallery),
    ):
        columns = ["digit", *(f"pixel{i}" for i in range(values.shape[1]))]
        lines = zip(digit[which], values[which], strict=True)
        write(folder / f"{name}.csv", columns, ([f"d{label}", *pixels] for label, pixels in lines))


def mixed() -> np.ndarray:
    """Return mixtures of a sine, a square wave and Laplace noise."""
    t = np.linspace(0, 8, 600)
    noise = np.random.default_rng(0).laplace(size=600)
    sources = np.column_stack([np.sin(3 * t), np.sign(np.sin(5 * t)), noise])
    sources = (sources - sources.mean(0)) / sources.std(0)
    return sources @ np.array([[1.0, 0.6, 0.4], [0.5, 1.0, -0.7], [-0.6, 0.4, 1.0]]).T


def write(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(rows)


if __name__ == "__main__":
    sys.exit(main())
