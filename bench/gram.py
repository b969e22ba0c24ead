"""Gram matrices of Mercer beside scikit-learn's, in one run: seconds, ratios, memory, and the share of the GEMM peak.

Both sides are run in turn, five times each, and the best time of each counts. Run it as

    python bench/gram.py [--json FILE] [--only TEXT] [--repeat 5] [--scale 1.0]
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
from sklearn.gaussian_process.kernels import Matern
from sklearn.metrics import pairwise
from timing import best_seconds, interleaved, machine, peak_growth, warn_if_busy

import mercer


@dataclass
class Case:
    """One comparison: what each side computes, and which of our times has to beat theirs by how much.

    Theirs is run on double precision input, which is what counts, and on single precision input where that makes sense.
    """

    name: str
    ours: dict[str, tuple[Callable[[], object], float]]
    theirs: list[Callable[[], object]]


@dataclass
class Row:
    """What was measured: seconds on the clock, and seconds of all cores together."""

    name: str
    ours: float
    theirs: float
    theirs_single: float | None
    ours_cpu: float
    theirs_cpu: float
    target: float

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.theirs / self.ours


def gram_cases(x: np.ndarray, label: str) -> list[Case]:
    """Compare the Gram matrices of one sample, in double and in single precision."""
    d = x.shape[1]
    length, gamma, single = float(np.sqrt(d)), 1 / (2 * d), x.astype(np.float32)
    kernels = [
        ("gaussian", mercer.gaussian(lengthscale=length), lambda a: pairwise.rbf_kernel(a, gamma=gamma), 8.0),
        (
            "polynomial",
            mercer.polynomial(degree=3, offset=1, scale=1 / d),
            lambda a: pairwise.polynomial_kernel(a, degree=3, gamma=1 / d, coef0=1),
            8.0,
        ),
        ("matern 3/2", mercer.matern(nu=1.5, lengthscale=length), Matern(length_scale=length, nu=1.5), 8.0),
        (
            "l1-laplacian",
            mercer.laplacian(lengthscale=d, norm="l1"),
            lambda a: pairwise.laplacian_kernel(a, gamma=1 / d),
            5.0,
        ),
    ]
    return [
        Case(
            f"{name} {label}",
            {
                "f64": (lambda k=ours: k(x), 5.0),
                "f32": (lambda k=ours: k(single, dtype="float32"), target),
            },
            [lambda f=theirs: f(x), lambda f=theirs: f(single)],
        )
        for name, ours, theirs, target in kernels
    ]


def other_cases(x: np.ndarray, y: np.ndarray, v: np.ndarray) -> list[Case]:
    """Compare cross Gram matrices and products that do not store the matrix."""
    length, gamma = float(np.sqrt(x.shape[1])), 1 / (2 * x.shape[1])
    gaussian = mercer.gaussian(lengthscale=length)
    half, w = x[: len(x) // 2], v[: len(x) // 2]
    return [
        Case(
            f"gaussian cross {len(x)}×{len(y)}×{x.shape[1]}",
            {"f64": (lambda: gaussian(x, y), 5.0), "f32": (lambda: gaussian(x, y, dtype="float32"), 8.0)},
            [lambda: pairwise.rbf_kernel(x, y, gamma=gamma)],
        ),
        Case(
            f"K·V {len(half)}×{x.shape[1]}",
            {
                "f64": (lambda: gaussian.matvec(half, w), 6.0),
                "f32 tiles": (lambda: gaussian.matvec(half, w, single=True), 6.0),
            },
            [lambda: pairwise.rbf_kernel(half, gamma=gamma) @ w],
        ),
    ]


def sum_of_three(x: np.ndarray, repeat: int) -> tuple[float, float]:
    """Time one radial kernel and a sum of three that share a metric."""
    one = mercer.gaussian(lengthscale=5)
    three = one + mercer.matern(nu=1.5, lengthscale=7) + mercer.rational_quadratic(lengthscale=6)
    single, triple = best_seconds([lambda: one(x), lambda: three(x)], repeat)
    return single, triple


def gemm_peak(repeat: int) -> float:
    """Measure numpy's dgemm in Gflop/s."""
    n = 3000
    a, b = np.random.default_rng(0).normal(size=(2, n, n))
    (seconds,) = best_seconds([lambda: a @ b], repeat)
    return 2 * n**3 / seconds / 1e9


def page_fault_seconds(n: int, repeat: int) -> float:
    """Time the writing of a fresh matrix of this size once: what the system takes to hand out its pages."""
    (seconds,) = best_seconds([lambda: np.ones((n, n))], repeat)
    return seconds


def peak_memory(n: int, d: int) -> float:
    """Return the peak memory of a process for one Gram matrix, beyond what it had before, in sizes of the matrix."""
    prepare = f"""
import numpy as np, mercer
x = np.random.default_rng(0).normal(size=({n}, {d}))
k = mercer.gaussian(lengthscale=7)
k(x[:400])
"""
    return peak_growth(prepare, "g = k(x)") / (8 * n * n)


def print_row(row: Row) -> None:
    verdict = "ok" if row.ratio >= row.target else "MISSED"
    times = f"{row.ours:>9.3f}{row.theirs:>10.3f}{row.ratio:>8.1f}×{row.target:>7.0f}×  {verdict:<7}"
    single = "" if row.theirs_single is None else f"{row.theirs_single:.3f}"
    print(f"{row.name:<40}{times}{single:>10}{row.ours_cpu:>9.2f}{row.theirs_cpu:>11.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="also write the figures to this file")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the comparisons whose name contains this")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each side; the best counts (default 5)")
    parser.add_argument("--scale", type=float, default=1.0, help="multiply the numbers of rows by this (default 1)")
    arguments = parser.parse_args()
    rows = measure(arguments)
    summary = summarize(arguments, rows) if not arguments.only else {}
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"rows": [asdict(r) | {"ratio": r.ratio} for r in rows], **summary}, file, indent=1)


def measure(arguments: argparse.Namespace) -> list[Row]:
    rng = np.random.default_rng(0)
    n = {key: int(value * arguments.scale) for key, value in {"wide": 5_000, "tall": 10_000, "cross": 20_000}.items()}
    tall, wide = rng.normal(size=(n["tall"], 50)), rng.normal(size=(n["wide"], 784))
    x, y = rng.normal(size=(n["cross"], 50)), rng.normal(size=(n["cross"] // 10, 50))
    cases = [
        *gram_cases(tall, f"{len(tall)}×50"),
        *gram_cases(wide, f"{len(wide)}×784"),
        *other_cases(x, y, rng.normal(size=(len(x), 1))),
    ]
    warn_if_busy()
    heads = f"{'ours s':>9}{'theirs s':>10}{'ratio':>9}{'target':>8}{'':<9}{'on f32':>10}{'cpu':>9}{'their cpu':>11}"
    print(f"{'best of ' + str(arguments.repeat):<40}{heads}")
    rows = []
    for case in cases:
        if arguments.only in case.name:
            rows += compare(case, arguments.repeat)
    return rows


def compare(case: Case, repeat: int) -> list[Row]:
    times = interleaved([*(function for function, _ in case.ours.values()), *case.theirs], repeat)
    (theirs, theirs_cpu), *others = times[len(case.ours) :]
    single = others[0][0] if others else None
    rows = [
        Row(f"{case.name} {label}", clock, theirs, single, cpu, theirs_cpu, target)
        for (label, (_, target)), (clock, cpu) in zip(case.ours.items(), times, strict=False)
    ]
    for row in rows:
        print_row(row)
    return rows


def summarize(arguments: argparse.Namespace, rows: list[Row]) -> dict[str, object]:
    """Measure the rest: sums of kernels, memory, and the share of the GEMM peak."""
    n, d = int(10_000 * arguments.scale), 50
    x = np.random.default_rng(0).normal(size=(n, d))
    one, three = sum_of_three(x, arguments.repeat)
    memory = peak_memory(n, d)
    peak, faults = gemm_peak(arguments.repeat), page_fault_seconds(n, arguments.repeat)
    wide_n, wide_d = int(5_000 * arguments.scale), 784
    share = {
        label: rows_n**2 * columns / seconds / 1e9 / peak
        for label, rows_n, columns, seconds in [
            (f"{n}×{d}", n, d, rows[0].ours),
            (f"{wide_n}×{wide_d}", wide_n, wide_d, rows[8].ours),
        ]
    }
    print(f"\nsum of three radial kernels: {three / one:.2f} × one (target 1.8): {three:.3f} s and {one:.3f} s")
    print(f"peak memory of a dense Gram: {memory:.3f} × its size (target 1.1)")
    print(f"dgemm here: {peak:.1f} Gflop/s; writing a fresh {n}×{n} matrix once: {faults:.3f} s")
    for label, value in share.items():
        print(
            f"gaussian Gram {label} f64: {100 * value:.0f} % of the dgemm peak (n²d flops: half of the pairs, 2d each)"
        )
    return {
        "sum_of_three": {"one": one, "three": three, "ratio": three / one},
        "peak_memory": memory,
        "gemm_gflops": peak,
        "page_faults_seconds": faults,
        "gemm_share": share,
        "machine": machine(),
    }


if __name__ == "__main__":
    main()
