"""Hypothesis tests in Mercer beside its peers, in one run: MMD, HSIC, conditional and joint tests, a million points.

Both sides are run in turn and the best time of each counts; peers that take minutes run once. Run it as

    python bench/tests.py [--json FILE] [--only TEXT] [--repeat 3] [--scale 1.0] [--slow]

`--slow` also runs hyppo at every size, and 5 000 + 5 000 points in 100 columns: that takes many minutes. Peers that are
not installed (bench/requirements-tests.txt) are left out, and said so.
"""

import argparse
import importlib
import json
from collections.abc import Callable
from dataclasses import asdict

import numpy as np
from scipy.spatial.distance import cdist
from timing import Row, interleaved, machine, peak_growth, print_row, warn_if_busy

import mercer

PERMUTATIONS = 500


def samples(n: int, d: int, shift: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Draw two normal samples, the first column of the second one shifted."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(n, d)), rng.normal(size=(n, d))
    y[:, 0] += shift
    return x, y


def pairs(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw pairs that depend a little."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 1))
    return x, 0.2 * x**2 + rng.normal(size=(n, 1))


def once(work: Callable[[], object]) -> tuple[float, float]:
    """Return the time on the clock and that of the processor."""
    return interleaved([work], 1)[0]


def compared(
    name: str, who: str, ours: tuple[float, float], theirs: tuple[float, float], target: float, note: str = ""
) -> Row:
    """Print a comparison: the ratio is of times on the clock, processor times stand in the note."""
    processor = f"CPU {ours[1]:.3f} and {theirs[1]:.3f} s ({theirs[1] / max(ours[1], 1e-9):.1f}×)"
    return print_row(Row(name, who, ours[0], theirs[0], target, f"{processor}{', ' if note else ''}{note}"))


def peer(name: str) -> object | None:
    """Import a peer, or report that it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"{name}: not installed ({error})", flush=True)
        return None


# ---- numpy by hand --------------------------------------------------------------------------------------------------


def split_labels(m: int, n: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return a column per relabeling, the observed one first: 1/m for the first sample and −1/n for the second."""
    labels = np.concatenate([np.full(m, 1 / m), np.full(n, -1 / n)])
    return np.stack([labels, *(rng.permutation(labels) for _ in range(count))], axis=1)


def numpy_mmd(x: np.ndarray, y: np.ndarray, permutations: int) -> float:
    """Return the p-value of the biased MMD², all relabelings as one product with the matrix of signs."""
    pooled = np.concatenate([x, y])
    squares = cdist(pooled, pooled, "sqeuclidean")
    median = np.median(squares[np.triu_indices_from(squares, 1)])
    kernel = np.exp(-squares / (2 * median))
    labels = split_labels(len(x), len(y), permutations, np.random.default_rng(0))
    values = np.sum(labels * (kernel @ labels), axis=0)
    return float(np.mean(values >= values[0] - 1e-12))


def numpy_aggregated(x: np.ndarray, y: np.ndarray, first: int, second: int, level: float = 0.05) -> bool:
    """Decide by MMDAgg as its paper describes it.

    Ten lengthscales of two kernels, quantiles from the first set of relabelings, the correction of the level by
    bisection on the second.
    """
    pooled = np.concatenate([x, y])
    labels = split_labels(len(x), len(y), first + second, np.random.default_rng(0))
    values = np.stack([unbiased(kernel, labels, len(x), len(y)) for kernel in family(pooled)])
    observed, ranked, fresh = values[:, 0], np.sort(values[:, : first + 1], axis=1), values[:, first + 1 :]
    weight, low, high = 1 / len(values), 0.0, float(len(values))
    for _ in range(50):
        middle = 0.5 * (low + high)
        bars = thresholds(ranked, middle * weight)
        if np.mean(np.any(fresh > bars[:, None], axis=0)) <= level:
            low = middle
        else:
            high = middle
    return bool(np.any(observed > thresholds(ranked, low * weight)))


def thresholds(ranked: np.ndarray, share: float) -> np.ndarray:
    """Return the 1 − share quantiles of every kernel."""
    count = ranked.shape[1]
    place = int(np.ceil(count * max(1 - share, 0.0))) - 1
    return ranked[:, min(max(place, 0), count - 1)]


def family(pooled: np.ndarray) -> list[np.ndarray]:
    """Return ten Laplacian and ten Gaussian kernel matrices, lengthscales in geometric progression."""
    matrices = []
    for metric, profile in (("cityblock", lambda t: np.exp(-t)), ("euclidean", lambda t: np.exp(-(t**2)))):
        distances = cdist(pooled, pooled, metric)
        every = distances[np.triu_indices_from(distances, 1)]
        low = every.min() / 2 if every.min() >= 0.1 else max(np.quantile(every, 0.05), 0.1) / 2
        lengths = np.geomspace(low, 2 * max(every.max(), 0.3), 10)
        matrices += [profile(distances / length) for length in lengths]
    return matrices


def unbiased(kernel: np.ndarray, labels: np.ndarray, m: int, n: int) -> np.ndarray:
    """Return the unbiased MMD² of every relabeling from products with the indicators of the first sample."""
    hollow = kernel - np.diag(np.diag(kernel))
    inside = (labels > 0).astype(float)
    product = hollow @ inside
    within_first = np.sum(inside * product, axis=0)
    to_first = product.sum(axis=0)
    total = hollow.sum()
    between = to_first - within_first
    within_second = total - within_first - 2 * between
    return within_first / (m * (m - 1)) + within_second / (n * (n - 1)) - 2 * between / (m * n)


# ---- cases ----------------------------------------------------------------------------------------------------------


def permutation(arguments: argparse.Namespace) -> list[Row]:
    """Test 500 + 500 points with 500 permutations by one Gaussian kernel."""
    n = int(500 * arguments.scale)
    x, y = samples(n, 10)

    def ours() -> mercer.TestResult:
        return mercer.two_sample_test(x, y, "gaussian(lengthscale=median)", permutations=PERMUTATIONS)

    name = f"MMD {n}+{n}, {PERMUTATIONS} permutations"
    seconds, hand = interleaved([ours, lambda: numpy_mmd(x, y, PERMUTATIONS)], arguments.repeat)
    note = f"p {ours().p_value:.3f} and {numpy_mmd(x, y, PERMUTATIONS):.3f}"
    rows = [compared(name, "numpy, all signs at once", seconds, hand, 5.0, note)]
    if hyppo := peer("hyppo.ksample"):
        test = hyppo.MMD(compute_kernel="gaussian")
        theirs = once(lambda: test.test(x, y, reps=PERMUTATIONS, workers=1, auto=False))
        rows.append(compared(name, "hyppo MMD", seconds, theirs, 200.0, "hyppo once"))
    return rows


def aggregated(arguments: argparse.Namespace) -> list[Row]:
    """Run the default test, 20 kernels, beside MMDAgg in numpy with two sets of relabelings."""
    n = int(500 * arguments.scale)
    rows = [aggregated_row(n, 10, arguments.repeat, 5.0)]
    if arguments.slow:
        rows.append(aggregated_row(int(5_000 * arguments.scale), 100, 1, 3.0))
    return rows


def aggregated_row(n: int, d: int, repeat: int, target: float) -> Row:
    x, y = samples(n, d)

    def ours() -> mercer.TestResult:
        return mercer.two_sample_test(x, y, permutations=2 * PERMUTATIONS)

    def theirs() -> bool:
        return numpy_aggregated(x, y, PERMUTATIONS, PERMUTATIONS)

    seconds, hand = interleaved([ours, theirs], repeat)
    note = f"rejected: {ours().reject}" if n > 1_000 else f"rejected: {ours().reject} and {theirs()}"
    name = f"aggregated {n}+{n}×{d}, 20 kernels"
    return compared(name, "numpy MMDAgg", seconds, hand, target, note)


def larger(arguments: argparse.Namespace) -> list[Row]:
    """Test 2 000 + 2 000 points beside the fastest of the peers."""
    n = int(2_000 * arguments.scale)
    x, y = samples(n, 10)
    (seconds,) = interleaved(
        [lambda: mercer.two_sample_test(x, y, "gaussian(lengthscale=median)", permutations=PERMUTATIONS)],
        arguments.repeat,
    )
    times: dict[str, tuple[float, float]] = {}
    if dcor := peer("dcor"):
        times["dcor energy test"] = once(
            lambda: dcor.homogeneity.energy_test(x, y, num_resamples=PERMUTATIONS, random_state=0)
        )
    if detect := peer("alibi_detect.cd"):
        for backend in ("pytorch", "tensorflow"):
            try:
                drift = detect.MMDDrift(x, backend=backend, n_permutations=PERMUTATIONS, p_val=0.05)
            except ImportError:
                continue
            times[f"alibi-detect, {backend}"] = once(lambda drift=drift: drift.predict(y))
    if arguments.slow and (hyppo := peer("hyppo.ksample")):
        test = hyppo.MMD(compute_kernel="gaussian")
        times["hyppo MMD"] = once(lambda: test.test(x, y, reps=PERMUTATIONS, workers=1, auto=False))
    name, fastest = f"MMD {n}+{n}, {PERMUTATIONS} permutations", min(times, key=times.get, default=None)
    return [
        compared(name, who, seconds, theirs, 50.0, "the fastest peer" if who == fastest else "")
        for who, theirs in times.items()
    ]


def independence(arguments: argparse.Namespace) -> list[Row]:
    """Test the independence of 2 000 pairs with 500 permutations."""
    n = int(2_000 * arguments.scale)
    x, y = pairs(n)
    (seconds,) = interleaved([lambda: mercer.independence_test(x, y, permutations=PERMUTATIONS)], arguments.repeat)
    name, rows = f"HSIC {n}, {PERMUTATIONS} permutations", []
    if hyppo := peer("hyppo.independence"):
        test = hyppo.Hsic()
        theirs = once(lambda: test.test(x, y, reps=PERMUTATIONS, workers=1, auto=False))
        rows.append(compared(name, "hyppo Hsic", seconds, theirs, 20.0))
    if dcor := peer("dcor"):
        theirs = once(
            lambda: dcor.independence.distance_covariance_test(x, y, num_resamples=PERMUTATIONS, random_state=0)
        )
        rows.append(compared(name, "dcor distance covariance", seconds, theirs, 5.0))
    return rows


def conditional(arguments: argparse.Namespace) -> list[Row]:
    """Test conditional independence given 1 and 49 columns, beside the KCI of causal-learn with its own defaults."""
    rows = []
    for n, columns in ((500, 49), (2_000, 1), (2_000, 49)):
        n = int(n * arguments.scale)
        rng = np.random.default_rng(0)
        z = rng.normal(size=(n, columns))
        x = z[:, :1] + rng.normal(size=(n, 1))
        y = np.sin(z[:, :1]) + rng.normal(size=(n, 1))

        def ours(x: np.ndarray = x, y: np.ndarray = y, z: np.ndarray = z) -> mercer.TestResult:
            return mercer.conditional_independence_test(x, y, z)

        (seconds,) = interleaved([ours], arguments.repeat)
        name, p = f"conditional {n}, given {columns}", ours().p_value
        if causal := peer("causallearn.utils.cit"):
            test = causal.CIT(np.hstack([x, y, z]), "kci")
            found: list[float] = []
            theirs = once(lambda test=test, found=found, last=columns + 2: found.append(test(0, 1, range(2, last))))
            rows.append(compared(name, "causal-learn KCI", seconds, theirs, 10.0, f"p {p:.3f} and {found[0]:.3f}"))
        else:
            rows.append(print_row(Row(name, "no peer", seconds[0], seconds[0], 1.0, f"p {p:.3f}")))
    return rows


def spectral(arguments: argparse.Namespace) -> list[Row]:
    """Test 2 000 + 2 000 points by the eigenvalues of their kernel matrix, beside those of numpy."""
    n = int(2_000 * arguments.scale)
    x, y = samples(n, 10)

    def by_hand() -> float:
        pooled = np.concatenate([x, y])
        squares = cdist(pooled, pooled, "sqeuclidean")
        kernel = np.exp(-squares / (2 * np.median(squares[np.triu_indices_from(squares, 1)])))
        signs = np.concatenate([np.full(n, 1 / n), np.full(n, -1 / n)])
        centered = kernel - kernel.mean(axis=0) - kernel.mean(axis=1)[:, None] + kernel.mean()
        values = np.linalg.eigvalsh(centered / len(pooled))
        normal = np.random.default_rng(0).normal(size=(1_999, len(values)))
        return float(np.mean(normal**2 @ values * 2 / n >= signs @ kernel @ signs))

    def ours() -> mercer.TestResult:
        return mercer.two_sample_test(x, y, method="spectral")

    (seconds,) = interleaved([ours], arguments.repeat)
    note = f"p {ours().p_value:.3f} and {by_hand():.3f}"
    return [compared(f"spectral {n}+{n}", "numpy, all eigenvalues", seconds, once(by_hand), 10.0, note)]


def several(arguments: argparse.Namespace) -> list[Row]:
    """Run the tests that permute stored matrices: aggregated and joint independence, kernels of no low rank.

    No peer has these tests: they are timed alone.
    """
    n = int(2_000 * arguments.scale)
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(n, 50)), rng.normal(size=(n, 50))
    x, y, z = rng.normal(size=(n, 1)), rng.normal(size=(n, 1)), rng.normal(size=(n, 1))
    runs = {
        f"aggregated independence {n}×50": lambda: mercer.independence_test(*wide, method="aggregated"),
        f"joint independence {n}, 3 variables": lambda: mercer.joint_independence_test([x, y, z]),
        f"HSIC {n}, laplacian, 199 permutations": lambda: mercer.independence_test(
            x, y, kernel_x="laplacian()", permutations=199
        ),
        f"HSIC {n}, gaussian, 199 permutations": lambda: mercer.independence_test(x, y, permutations=199),
    }
    rows = []
    for name, run in runs.items():
        ((clock, cpu),) = interleaved([run], arguments.repeat)
        rows.append(print_row(Row(name, "none", clock, np.nan, np.nan, f"CPU {cpu:.3f} s")))
    return rows


def features(arguments: argparse.Namespace) -> list[Row]:
    """Test up to a million points by random features: linear growth, within 1 GB."""
    rows = []
    for n in (int(size * arguments.scale) for size in (10_000, 100_000, 1_000_000)):
        for name, call in (
            ("two-sample", "mercer.two_sample_test(x[: n // 2], x[n // 2 :], method='features', permutations=200)"),
            ("independence", "mercer.independence_test(x[:, :5], x[:, 5:], method='features', permutations=200)"),
        ):
            prepare = f"import mercer, numpy as np\nn = {n}\nx = np.random.default_rng(0).normal(size=(n, 10))"
            setting: dict[str, object] = {}
            exec(prepare, setting)
            try:
                seconds, _ = once(lambda call=call, setting=setting: exec(call, setting))
            except ValueError as error:
                print(f"random features, {name}: {error}", flush=True)
                return rows
            grown = peak_growth(prepare, call)
            note = f"{1e9 * seconds / n:.0f} ns per point, {grown / 1e9:.2f} GB (target 1 GB)"
            rows.append(print_row(Row(f"features, {name}, {n}", "no peer", seconds, seconds, 1.0, note)))
    return rows


CASES = [permutation, aggregated, larger, independence, conditional, spectral, several, features]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write the rows as JSON too")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the cases whose name contains this")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each side (default 3)")
    parser.add_argument("--scale", type=float, default=1.0, help="shrink the samples, such as 0.2")
    parser.add_argument("--slow", action="store_true", help="run what takes many minutes too")
    arguments = parser.parse_args()
    warn_if_busy()
    head = f"{'ours s':>9}{'theirs s':>10}{'ratio':>9}{'target':>7}"
    print(f"{f'best of {arguments.repeat}':<38}{'peer':<26}{head}")
    rows = [row for case in CASES if arguments.only in case.__name__ for row in case(arguments)]
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({**machine(), "rows": [{**asdict(row), "ratio": row.ratio} for row in rows]}, file, indent=1)


if __name__ == "__main__":
    main()
