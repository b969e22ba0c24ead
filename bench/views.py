"""Views of data (components, clusters, correlations, several kernels) beside scikit-learn, scipy, tslearn and MKLpy.

    python bench/views.py [--data FOLDER] [--only TEXT] [--repeat 3]

Both sides run in turn in one process, kernel matrices included on both unless a row says otherwise; the best of several
counts. The results are compared too: eigenvalues, clusterings, objectives, correlations or accuracies stand in the last
column, with what they must reach. Everything is drawn from seeds. ``--data`` names a folder with ``mnist``; without it
random points take its place. Packages that are not installed (``requirements-views.txt``) are left out, and said so.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.sparse.linalg import LinearOperator, eigsh, svds
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_blobs, make_moons
from sklearn.decomposition import KernelPCA
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from svm import read_images
from timing import PEAK, Row, interleaved, print_row, warn_if_busy

import mercer

#: A peer that takes longer than this many seconds is run once.
LONG = 10.0


@dataclass
class Peer:
    """What ours is compared with, the ratio to reach, and what to say of both results."""

    name: str
    run: Callable[[], Any]
    target: float
    judge: Callable[[Any, Any], str]


def compare(name: str, ours: Callable[[], Any], peers: list[Peer], repeat: int) -> None:
    """Run ours and its peers in turn and print a row for each; processor seconds tell more on a busy machine."""
    functions = [ours, *(peer.run for peer in peers)]
    best, results = [], []
    for function in functions:
        clock, cpu = time.perf_counter(), time.process_time()
        results.append(function())
        best.append((time.perf_counter() - clock, time.process_time() - cpu))
    often = [at for at, (clock, _) in enumerate(best) if clock < LONG]
    for at, again in zip(often, interleaved([functions[at] for at in often], repeat - 1), strict=True):
        best[at] = (min(best[at][0], again[0]), min(best[at][1], again[1]))
    for peer, theirs, result in zip(peers, best[1:], results[1:], strict=True):
        note = f"cpu {best[0][1]:.2f} and {theirs[1]:.2f} s; {peer.judge(results[0], result)}"
        print_row(Row(name, peer.name, best[0][0], theirs[0], peer.target, note))


def has(package: str) -> bool:
    """Whether a package can be imported; say so if not."""
    if importlib.util.find_spec(package) is None:
        print(f"{package} is not installed: its rows are left out", flush=True)
        return False
    return True


def reached(right: bool) -> str:
    """Return the verdict of a comparison of results."""
    return "ok" if right else "MISSED"


# ---- kernel principal components ------------------------------------------------------------------------------------


def images(data: Path | None, rows: int = 5000) -> tuple[str, np.ndarray]:
    """Return the first images of MNIST, or random points of the same shape."""
    if data is not None and (data / "mnist").is_dir():
        return f"MNIST {rows}×784", read_images(data / "mnist", "train")[0][:rows]
    return f"random {rows}×784", np.random.default_rng(0).random((rows, 784))


def pca(data: Path | None, repeat: int, components: int = 20, gamma: float = 0.01) -> None:
    """Twenty components of images, beside all solvers of scikit-learn and the best that can be put together by hand."""
    name, x = images(data)
    ours = mercer.KernelPCA(components, kernel="rbf", gamma=gamma, random_state=0)
    centered = rbf_kernel(x, gamma=gamma)
    centered -= centered.mean(axis=0)
    centered -= centered.mean(axis=1)[:, None]
    exact = eigsh(centered, k=components)[0][::-1]

    def by_hand(found: mercer.KernelPCA, values: np.ndarray) -> str:
        apart = differ(found.eigenvalues_, values[::-1])
        return f"eigenvalues differ by {apart:.0e}, {reached(apart < 1e-6)}"

    def by_scikit_learn(_: mercer.KernelPCA, theirs: KernelPCA) -> str:
        return f"theirs are off by {differ(theirs.eigenvalues_, exact):.0e}"

    peers = [Peer("scipy eigsh, matrix ready", lambda: eigsh(centered, k=components)[0], 2.0, by_hand)]
    for solver in ("randomized", "arpack", "dense"):
        theirs = KernelPCA(components, kernel="rbf", gamma=gamma, eigen_solver=solver, random_state=0)
        peers.append(Peer(f"scikit-learn, {solver}", lambda theirs=theirs: theirs.fit(x), 2.0, by_scikit_learn))
    compare(f"kernel PCA, {name}", lambda: ours.fit(x), peers, repeat)


def differ(a: np.ndarray, b: np.ndarray) -> float:
    """Return the largest relative difference."""
    return float(np.max(np.abs(a - b) / np.abs(b)))


#: 50 000 points near a curved surface of three dimensions in 50 columns.
MANY = """
import time
import numpy as np
import mercer
draw = np.random.default_rng(0)
x = np.tanh(draw.normal(size=(50_000, 3)) @ draw.normal(size=(3, 50))) + 0.05 * draw.normal(size=(50_000, 50))
mercer.KernelPCA(2, kernel="rbf").fit(x[:100])
"""
FIT = """
start = time.perf_counter()
fit = mercer.KernelPCA(20, kernel="gaussian(lengthscale=5)", max_memory="1GB", random_state=0).fit(x)
seconds = time.perf_counter() - start
"""


def many(_: Path | None, __: int, limit: float = 60.0) -> None:
    """Fit 50 000 points within a gigabyte, in a fresh process."""
    show = (
        "print(seconds, peak() - before, fit.trace_missed_, fit.explained_variance_ratio_.sum(), fit.solver_, sep='|')"
    )
    code = f"{PEAK}\n{MANY}\nbefore = peak()\n{FIT}\n{show}\n"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, grown, missed, explained, solver = run.stdout.strip().split("|")
    note = (
        f"memory grew by {float(grown) / 1e6:.0f} MB, {reached(float(grown) < 1e9)}; part of the trace missed: {missed}"
    )
    print_row(Row("kernel PCA 50000×50 within 1 GB", "a minute", float(seconds), limit, 1.0, note))
    print(f"  {solver.strip()}; 20 components explain {float(explained):.3f}", flush=True)


# ---- clusters -------------------------------------------------------------------------------------------------------


def spectral(_: Path | None, repeat: int, rows: int = 5000) -> None:
    """Five blobs and two moons."""
    blobs, own = make_blobs(rows, n_features=10, centers=5, cluster_std=1.5, random_state=0)
    moons, halves = make_moons(rows, noise=0.05, random_state=0)
    for name, x, truth, clusters, gamma in [
        ("5 blobs", blobs, own, 5, 0.02),
        ("2 moons", moons, halves, 2, 50.0),
    ]:
        ours = mercer.SpectralClustering(clusters, kernel="rbf", gamma=gamma, random_state=0)
        theirs = SpectralClustering(clusters, affinity="rbf", gamma=gamma, assign_labels="kmeans", random_state=0)

        def judge(ours: Any, theirs: Any, truth: np.ndarray = truth) -> str:
            same = adjusted_rand_score(ours.labels_, theirs.labels_)
            right = [adjusted_rand_score(truth, found.labels_) for found in (ours, theirs)]
            return f"ARI of both {same:.3f}, {reached(same >= 0.99)}; with the truth {right[0]:.3f} and {right[1]:.3f}"

        peer = Peer("scikit-learn", lambda theirs=theirs, x=x: theirs.fit(x), 3.0, judge)
        compare(f"spectral clustering {rows}, {name}", lambda ours=ours, x=x: ours.fit(x), [peer], repeat)


def kmeans(_: Path | None, repeat: int, clusters: int = 10, starts: int = 10, gamma: float = 0.003) -> None:
    """Ten clusters of overlapping blobs; tslearn leaves the norms of the means out of its distances."""
    if not has("tslearn"):
        return
    warnings.filterwarnings("ignore", module="tslearn")
    from tslearn.clustering import KernelKMeans

    for rows in (2000, 5000):
        x, _ = make_blobs(rows, n_features=10, centers=clusters, cluster_std=4.0, random_state=0)
        ours = mercer.KernelKMeans(clusters, kernel="rbf", gamma=gamma, n_init=starts, random_state=0)
        theirs = KernelKMeans(
            clusters, kernel="rbf", kernel_params={"gamma": gamma}, n_init=starts, max_iter=300, random_state=0
        )
        matrix = rbf_kernel(x, gamma=gamma)

        def judge(ours: Any, theirs: Any, matrix: np.ndarray = matrix) -> str:
            mine, other = within(matrix, ours.labels_), within(matrix, theirs.labels_)
            return f"objective {mine:.3f} and {other:.3f}, {reached(mine <= other * (1 + 1e-9))}"

        peer = Peer("tslearn", lambda theirs=theirs, x=x: theirs.fit(x), 5.0, judge)
        compare(f"kernel k-means {rows}, {clusters} clusters", lambda ours=ours, x=x: ours.fit(x), [peer], repeat)


def within(matrix: np.ndarray, labels: np.ndarray) -> float:
    """Return the sum of squared distances from the means, by the kernel matrix."""
    total = np.trace(matrix)
    for label in np.unique(labels):
        own = labels == label
        total -= matrix[np.ix_(own, own)].sum() / own.sum()
    return float(total)


# ---- canonical correlations -----------------------------------------------------------------------------------------


def cca(_: Path | None, repeat: int, rows: int = 2000, components: int = 4, kappa: float = 0.02) -> None:
    """Two views of two common sources, beside the generalized eigenvalue problem of Bach and Jordan as it stands."""
    draw = np.random.default_rng(0)
    common = draw.uniform(-1, 1, size=(rows, 2))
    x = np.c_[np.sin(3 * common[:, 0]), common[:, 1], draw.normal(size=rows)] + 0.1 * draw.normal(size=(rows, 3))
    y = np.c_[common[:, 0] ** 2, np.cos(2 * common[:, 1])] + 0.1 * draw.normal(size=(rows, 2))
    ours = mercer.KernelCCA(components, kernels="gaussian(lengthscale=1)", kappa=kappa)
    c = rows * kappa / 2

    def centered(points: np.ndarray) -> np.ndarray:
        matrix = rbf_kernel(points, gamma=0.5)
        return matrix - matrix.mean(axis=0) - matrix.mean(axis=1)[:, None] + matrix.mean()

    def regularized(matrix: np.ndarray) -> np.ndarray:
        return matrix + c * np.eye(rows)

    def whole() -> np.ndarray:
        first, second = centered(x), centered(y)
        left, right = np.zeros((2 * rows, 2 * rows)), np.zeros((2 * rows, 2 * rows))
        left[:rows, rows:] = first @ second
        left[rows:, :rows] = left[:rows, rows:].T
        for at, matrix in ((0, regularized(first)), (rows, regularized(second))):
            right[at : at + rows, at : at + rows] = matrix @ matrix
        return eigh(left, right, eigvals_only=True, subset_by_index=[2 * rows - components, 2 * rows - 1])[::-1]

    def reduced() -> np.ndarray:
        """Return the singular values of (K₁ + cI)⁻¹K₁ K₂(K₂ + cI)⁻¹, without an n×n product."""
        held = [(matrix, cho_factor(regularized(matrix))) for matrix in (centered(x), centered(y))]
        (first, one), (second, two) = held
        product = LinearOperator(
            (rows, rows),
            matvec=lambda v: cho_solve(one, first @ (second @ cho_solve(two, v))),
            rmatvec=lambda v: cho_solve(two, second @ (first @ cho_solve(one, v))),
            dtype=float,
        )
        return np.sort(svds(product, k=components, return_singular_vectors=False, random_state=0))[::-1]

    def judge(ours: mercer.KernelCCA, values: np.ndarray) -> str:
        apart = differ(ours.correlations_, values)
        return f"correlations differ by {apart:.0e}, {reached(apart < 1e-6)}; the first is {values[0]:.4f}"

    peers = [Peer("scipy eigh, 2n×2n", whole, 5.0, judge), Peer("scipy svds by hand", reduced, 1.0, judge)]
    compare(f"kernel CCA {rows}", lambda: ours.fit(x, y), peers, repeat)


# ---- several kernels ------------------------------------------------------------------------------------------------

WIDTHS = [0.25, 0.5, 1.0, 2.0, 4.0]
#: Steps of a learner that goes on without a criterion to stop.
STEPS = 50


def several(_: Path | None, repeat: int, rows: int = 500, columns: int = 20) -> None:
    """Weight a hundred kernels, five widths on each of twenty columns, of which three matter."""
    draw = np.random.default_rng(0)
    x = draw.normal(size=(2 * rows, columns))
    value = np.sin(2 * x[:, 0]) + x[:, 1] ** 2 - 1 + x[:, 2]
    y = np.where(value + 0.3 * draw.normal(size=2 * rows) > 0, 1, -1)
    train, test = slice(rows), slice(rows, None)
    kernels = [f"on([{j}], gaussian(lengthscale={width}))" for j in range(columns) for width in WIDTHS]
    ours = {
        "convex": mercer.MultipleKernelClassifier(kernels, C=10.0),
        # One shot, as EasyMKL: weights from the targets, then one machine.
        "alignment": mercer.MultipleKernelClassifier(kernels, C=10.0, method="alignment"),
    }

    def right(values: Any) -> float:
        return float(np.mean(np.asarray(values) == y[test]))

    def matrices(points: np.ndarray) -> list[Any]:
        made = [
            rbf_kernel(points[:, [j]], x[train][:, [j]], gamma=1 / (2 * width**2))
            for j in range(columns)
            for width in WIDTHS
        ]
        return as_tensors(made)

    def judge(ours: mercer.MultipleKernelClassifier, theirs: Any) -> str:
        mine, other = right(ours.predict(x[test])), right(theirs.predict(matrices(x[test])))
        kept = [int(np.sum(np.asarray(weights) > 1e-6)) for weights in (ours.weights_, theirs.solution.weights)]
        return f"accuracy {mine:.3f} and {other:.3f}, {reached(mine >= other)}; kernels {kept[0]} and {kept[1]}"

    learners = mklpy_learners() if has("torch") and has("cvxopt") and has("MKLpy") else {}
    peers = [
        Peer(name, lambda make=make: make().fit(matrices(x[train]), y[train]), target, judge)
        for name, (make, target) in learners.items()
    ]
    for method, model in ours.items():
        name = f"{len(kernels)} kernels, n = {rows}, {method}"
        fit = functools.partial(model.fit, x[train], y[train])
        # Weights in one shot beside weights in one shot.
        beside = [peer for peer in peers if method == "convex" or "EasyMKL" in peer.name]
        if beside:
            compare(name, fit, beside, repeat)
            continue
        start = time.perf_counter()
        accuracy = right(fit().predict(x[test]))
        print(f"{name}: ours {time.perf_counter() - start:.3f} s, accuracy {accuracy:.3f}")


def as_tensors(matrices: list[np.ndarray]) -> list[Any]:
    """Return the matrices as MKLpy takes them."""
    import torch

    return [torch.from_numpy(matrix) for matrix in matrices]


def mklpy_learners() -> dict[str, tuple[Callable[[], Any], float]]:
    """Return learners of MKLpy with the ratio to reach: EasyMKL solves one problem, RMKL a problem at every step."""
    from MKLpy.algorithms import RMKL, EasyMKL
    from sklearn.svm import SVC

    def svc() -> SVC:
        return SVC(C=10.0, kernel="precomputed")

    return {
        "MKLpy EasyMKL": (lambda: EasyMKL(lam=0.1, learner=svc()), 10.0),
        f"MKLpy RMKL, {STEPS} steps": (lambda: RMKL(max_iter=STEPS, learner=svc()), 10.0),
    }


CASES: dict[str, Callable[[Path | None, int], None]] = {
    "pca": pca,
    "many": many,
    "spectral": spectral,
    "kmeans": kmeans,
    "cca": cca,
    "kernels": several,
}


def main() -> None:
    """Run the comparisons."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a folder with mnist")
    parser.add_argument("--only", default="", metavar="TEXT", help=f"some of {', '.join(CASES)}")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    warn_if_busy()
    print(f"best of {options.repeat:<30}{'peer':<26}{'ours s':>9}{'theirs s':>10}{'ratio':>9}{'target':>7}")
    for name, case in CASES.items():
        if options.only in name:
            case(options.data, options.repeat)


if __name__ == "__main__":
    main()
