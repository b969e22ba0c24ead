"""Hypothesis tests on real data, as tables for docs/tests.md.

    python bench/tests_tables.py --data FOLDER [--only TEXT] [--output docs/tests.md]

The folder holds mnist, electricity_elec2, tuebingen_pairs and gas_sensor_drift, which are not bundled; what is missing
there is left out. Every table is drawn from seed 0.
"""

import argparse
import gzip
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import mercer

LEVEL = 0.05


def share(hits: int, count: int) -> str:
    return f"{100 * hits / count:.0f}"


def line(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def columns(path: Path) -> tuple[list[str], list[list[str]]]:
    """Read a table of texts with a header."""
    with gzip.open(path, "rt") as file:
        head, *rows = (row.rstrip("\n").split(",") for row in file)
    return head, rows


def holm(p_values: list[float]) -> list[float]:
    """Return Holm's corrected p-values."""
    order = np.argsort(p_values)
    scaled = [min(1.0, (len(order) - i) * p_values[j]) for i, j in enumerate(order)]
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(scaled)
    return adjusted.tolist()


def standardized(x: np.ndarray) -> np.ndarray:
    spread = x.std(axis=0)
    return (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


# ---- MNIST ----------------------------------------------------------------------------------------------------------


def mnist(folder: Path, draws: int = 40, size: int = 15) -> list[str]:
    """Return the share of rejections of digit against digit, and of a digit against itself."""
    images = idx(folder / "t10k-images-idx3-ubyte.gz", 16).reshape(-1, 7, 4, 7, 4).mean(axis=(2, 4)).reshape(-1, 49)
    digits = idx(folder / "t10k-labels-idx1-ubyte.gz", 8)
    rows = ["| |" + "".join(f" {b} |" for b in range(10)), "|---|" + "---|" * 10]
    for a in range(10):
        cells = [
            "" if b < a else share(rejections(images[digits == a], images[digits == b], a == b, draws, size), draws)
            for b in range(10)
        ]
        rows.append(line(f"**{a}**", *cells))
    return rows


def rejections(x: np.ndarray, y: np.ndarray, same: bool, draws: int, size: int) -> int:
    """Count the rejections of the default test between random points of two classes, or of one."""
    rng, count = np.random.default_rng(0), 0
    for draw in range(draws):
        if same:
            order = rng.permutation(len(x))
            a, b = x[order[:size]], x[order[size : 2 * size]]
        else:
            a, b = x[rng.permutation(len(x))[:size]], y[rng.permutation(len(y))[:size]]
        count += mercer.two_sample_test(a, b, permutations=199, random_state=draw).reject
    return count


def idx(path: Path, head: int) -> np.ndarray:
    with gzip.open(path) as file:
        return np.frombuffer(file.read(), dtype=np.uint8, offset=head).astype(float)


# ---- electricity ----------------------------------------------------------------------------------------------------


def electricity(folder: Path, month: int = 30) -> list[str]:
    """Compare every thirty days at noon with the first ninety, and a shuffled copy likewise."""
    head, rows = columns(folder / "elec2.csv.gz")
    table = np.array(rows, dtype=float)
    names = ["nswprice", "nswdemand", "vicprice", "vicdemand", "transfer"]
    noon = table[24::48][:, [head.index(name) for name in names]]
    shuffled = noon[np.random.default_rng(0).permutation(len(noon))]
    starts = range(3 * month, len(noon) - month + 1, month)

    def against_reference(days: np.ndarray) -> list[mercer.TestResult]:
        return [mercer.two_sample_test(days[: 3 * month], days[s : s + month], permutations=999) for s in starts]

    real, mixed = against_reference(noon), against_reference(shuffled)
    real_p, mixed_p = holm([r.p_value for r in real]), holm([r.p_value for r in mixed])
    lines = ["| days | p | corrected p | columns that differ | corrected p, days shuffled |", "|---|---|---|---|---|"]
    for start, result, p, other in zip(starts, real, real_p, mixed_p, strict=True):
        each = [
            mercer.two_sample_test(noon[: 3 * month, j], noon[start : start + month, j], permutations=999).p_value
            if np.ptp(noon[: start + month, j]) > 0
            else 1.0
            for j in range(len(names))
        ]
        differ = [name for name, q in zip(names, holm(each), strict=True) if q <= LEVEL]
        lines.append(
            line(f"{start}–{start + month - 1}", f"{result.p_value:.3f}", f"{p:.3f}", ", ".join(differ), f"{other:.3f}")
        )
    return lines


# ---- Tübingen pairs -------------------------------------------------------------------------------------------------


def tuebingen(folder: Path, limit: int = 300) -> list[str]:
    """Decide cause and effect by the independence of the residuals of a regression in each direction."""
    head, rows = columns(folder / "pairs.csv.gz")
    assert head == ["pair", "x", "y"]
    by_pair: dict[str, list[tuple[float, float]]] = {}
    for pair, x, y in rows:
        by_pair.setdefault(pair, []).append((float(x), float(y)))
    found = [directions(np.array(values), limit) for values in by_pair.values()]
    right = sum(forward.statistic < backward.statistic for forward, backward in found)
    clear = [(f, b) for f, b in found if f.reject != b.reject]
    lines = ["| | pairs | share |", "|---|---|---|"]
    n = len(found)
    lines.append(line("the residuals of the true direction are less dependent", f"{right} of {n}", interval(right, n)))
    good = sum(b.reject for _, b in clear)
    lines.append(
        line(
            "only one direction is rejected, and it is the wrong one",
            f"{good} of {len(clear)}",
            interval(good, len(clear)),
        )
    )
    both, none = (sum(f.reject and b.reject for f, b in found), sum(not f.reject and not b.reject for f, b in found))
    lines.append(line("both directions are rejected", f"{both} of {n}", f"{100 * both / n:.0f} %"))
    lines.append(line("neither is", f"{none} of {n}", f"{100 * none / n:.0f} %"))
    return lines


def interval(hits: int, count: int) -> str:
    """Return a share with its Wilson interval of 95 %."""
    if count == 0:
        return "—"
    z, p = 1.96, hits / count
    middle, half = p + z**2 / (2 * count), z * np.sqrt(p * (1 - p) / count + z**2 / (4 * count**2))
    low, high = ((middle + sign * half) / (1 + z**2 / count) for sign in (-1, 1))
    return f"{100 * p:.0f} % ({100 * low:.0f} to {100 * high:.0f})"


def directions(values: np.ndarray, limit: int) -> tuple[mercer.TestResult, mercer.TestResult]:
    """Test the residuals of y given x against x, and the other way round."""
    values = values[np.random.default_rng(0).permutation(len(values))[:limit]]
    x, y = standardized(values).T
    return residual_test(x, y), residual_test(y, x)


def residual_test(x: np.ndarray, y: np.ndarray) -> mercer.TestResult:
    """Test whether what a regression on x leaves of y is independent of x."""
    with warnings.catch_warnings(action="ignore"):
        model = mercer.KernelRidgeCV(
            alphas=np.logspace(-4, 2, 13), kernel="gaussian(lengthscale=1)", lengthscales=[0.2, 0.5, 1, 2, 5]
        )
        model.set_params(fit_intercept=True).fit(x[:, None], y)
    residuals = y - model.predict(x[:, None])
    return mercer.independence_test(x, standardized(residuals[:, None]), permutations=999)


# ---- gas sensors ----------------------------------------------------------------------------------------------------


def gas(folder: Path, size: int = 80) -> list[str]:
    """Compare the batches of a sensor array for one gas, and the halves of each batch."""
    head, rows = columns(folder / "gas_sensor_drift.csv.gz")
    chosen = [row for row in rows if row[head.index("gas")] == "Ethanol"]
    batch = np.array([int(row[head.index("batch")]) for row in chosen])
    sensors = standardized(np.array([row[3:] for row in chosen], dtype=float))
    numbers = sorted(set(batch.tolist()))
    rng = np.random.default_rng(0)
    lines = ["| batch | rows |" + "".join(f" against {b} |" for b in numbers), "|---|---|" + "---|" * len(numbers)]
    for a in numbers:
        cells = ["" if b < a else gas_cell(sensors, batch == a, batch == b, size, rng) for b in numbers]
        lines.append(line(a, int(np.sum(batch == a)), *cells))
    return lines


def gas_cell(sensors: np.ndarray, a: np.ndarray, b: np.ndarray, size: int, rng: np.random.Generator) -> str:
    """Return the p-value of two batches; of one batch, how often random halves are rejected."""
    first, second = np.flatnonzero(a), np.flatnonzero(b)
    if not np.array_equal(first, second):
        x, y = sensors[rng.permutation(first)[:size]], sensors[rng.permutation(second)[:size]]
        return f"{mercer.two_sample_test(x, y, permutations=999).p_value:.3f}"
    count = 0
    for draw in range(20):
        halves = np.array_split(rng.permutation(first)[: 2 * size], 2)
        x, y = (sensors[half] for half in halves)
        count += mercer.two_sample_test(x, y, permutations=199, random_state=draw).reject
    return f"halves: {count} of 20"


TABLES: dict[str, tuple[str, Callable[[Path], list[str]]]] = {
    "mnist": ("mnist", mnist),
    "electricity": ("electricity_elec2", electricity),
    "tuebingen": ("tuebingen_pairs", tuebingen),
    "gas": ("gas_sensor_drift", gas),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder with the data sets")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the tables whose name contains this")
    parser.add_argument("--output", type=Path, help="write the tables between the marks of this page")
    arguments = parser.parse_args()
    for name, (folder, make) in TABLES.items():
        place = arguments.data / folder
        if arguments.only not in name:
            continue
        if not place.is_dir():
            print(f"{name}: there is no folder {folder} in --data")
            continue
        table = "\n".join(make(place))
        print(f"{name}\n{table}\n", flush=True)
        if arguments.output:
            rewrite(arguments.output, name, table)


def rewrite(page: Path, name: str, table: str) -> None:
    """Put a table between its marks on the page."""
    text, mark = page.read_text(encoding="utf-8"), f"<!-- {name} -->\n"
    before, found, rest = text.partition(mark)
    if not found:
        raise SystemExit(f"{page} has no mark {mark.strip()}")
    _, _, after = rest.partition("<!-- end -->")
    page.write_text(f"{before}{mark}{table}\n<!-- end -->{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
