"""Explicit features and ridge regression on centers beside scikit-learn's, and Falkon's where it is installed.

    python bench/features.py --json features.json

Both sides run in turn in one process; every ridge regression runs in its own process, which reports its peak memory.
"""

import argparse
import dataclasses
import json
import subprocess
import sys
import textwrap

import numpy as np
from sklearn.kernel_approximation import Nystroem, RBFSampler
from timing import PEAK, Row, interleaved, machine, print_row, warn_if_busy

import mercer

RIDGE_DATA = """
import numpy as np
rng = np.random.default_rng(0)
n, d, m = {n}, 20, {m}
X = rng.normal(size=(n + 20_000, d)).astype(np.float32)
w = rng.normal(size=(d, 6)).astype(np.float32) / d**0.5
Y = np.sin(X @ w).sum(axis=1) + 0.3 * rng.normal(size=len(X)).astype(np.float32)
X, XT, Y, YT = X[:n], X[n:], Y[:n], Y[n:]
lengthscale, alpha = 6.0, 1e-6 * n
"""
OURS = """
import mercer
model = mercer.KernelRidge(alpha, kernel=f"gaussian(lengthscale={lengthscale})", solver="centers", n_centers=m,
                           tol=1e-2, random_state=0, max_memory="1500MB")
model.fit(X, Y)
took = time.perf_counter() - start
predicted, note = model.predict(XT), f"{model.n_iter_} passes"
"""
THEIRS = """
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
model = make_pipeline(Nystroem(gamma=0.5 / lengthscale**2, n_components=m, random_state=0),
                      Ridge(alpha, fit_intercept=False, copy_X=False, solver="cholesky"))
model.fit(X, Y)
took = time.perf_counter() - start
predicted, note = model.predict(XT), ""
"""
FALKON = """
import falkon, torch
kernel = falkon.kernels.GaussianKernel(sigma=lengthscale)
options = falkon.FalkonOptions(use_cpu=True, keops_active="no")
model = falkon.Falkon(kernel=kernel, penalty=alpha / n, M=m, maxiter=10, options=options)
model.fit(torch.from_numpy(X), torch.from_numpy(Y[:, None]))
took = time.perf_counter() - start
predicted, note = model.predict(torch.from_numpy(XT)).numpy()[:, 0], ""
"""


def in_a_process(work: str, n: int, m: int) -> dict[str, object]:
    """Fit one of the sides in a fresh process: seconds, test error, peak memory."""
    error = "float(np.sqrt(np.mean((predicted - YT) ** 2)))"
    tail = f"print(json.dumps([took, {error}, peak(), note, time.process_time() - cpu]))"
    start = "import json, time\nstart, cpu = time.perf_counter(), time.process_time()"
    code = "\n".join([PEAK, RIDGE_DATA.format(n=n, m=m), start, work, tail])
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return {"failed": run.stderr.strip().splitlines()[-1] if run.stderr else f"exit {run.returncode}"}
    seconds, error, peak, note, cpu = json.loads(run.stdout.strip().splitlines()[-1])
    return {"seconds": seconds, "error": error, "peak": peak, "note": note, "cpu": cpu}


def features(n: int, repeat: int) -> list[Row]:
    """Compare the transforms of n points of 50 columns to 1000 features."""
    X = np.random.default_rng(0).normal(size=(n, 50))
    single, rows = X.astype(np.float32), []
    theirs = RBFSampler(gamma=0.01, n_components=1000, random_state=0).fit(X)
    kernel = "gaussian(gamma=0.01)"
    for kind in ("offset", "pair"):
        ours = mercer.RandomFourierFeatures(kernel, 1000, kind=kind, random_state=0).fit(X)
        work = [lambda o=ours: o.transform(X), lambda o=ours: o.transform(single), lambda: theirs.transform(X)]
        double, half, peer = interleaved(work, repeat)
        for found, name in ((double, "f64"), (half, "f32")):
            rows.append(compared(f"Fourier {n}×50 → 1000, {kind} {name}", "RBFSampler", found, peer))
    theirs = Nystroem(gamma=0.01, n_components=1000, random_state=0).fit(X)
    theirs_single = Nystroem(gamma=0.01, n_components=1000, random_state=0).fit(single)
    ours = mercer.Nystroem(kernel, 1000, landmarks="uniform", random_state=0).fit(X)
    work = [
        lambda: ours.transform(X),
        lambda: ours.transform(single),
        lambda: theirs.transform(X),
        lambda: theirs_single.transform(single),
    ]
    double, half, peer, peer_single = interleaved(work, repeat)
    on_single = f"; on f32 input {peer_single[0]:.2f} s ({peer_single[1]:.2f} s of processor)"
    for found, name in ((double, "f64"), (half, "f32")):
        rows.append(compared(f"Nyström {n}×50 → 1000 {name}", "Nystroem", found, peer, on_single))
    return rows


def compared(name: str, peer: str, ours: tuple[float, float], theirs: tuple[float, float], note: str = "") -> Row:
    """Return the row of two times on the clock, with the times of the processor beside them."""
    processor = f"processor {ours[1]:.2f} and {theirs[1]:.2f} s ({theirs[1] / ours[1]:.1f}×){note}"
    return print_row(Row(name, peer, ours[0], theirs[0], 4.0, processor))


def ridge(n: int, m: int) -> list[Row]:
    """Compare ridge regressions on m centers of n points."""
    rows, ours = [], in_a_process(OURS, n, m)
    if "failed" in ours:
        print(f"ours: {ours['failed']}")
        return rows
    for name, work, target in (("Nystroem + Ridge", THEIRS, 5.0), ("Falkon on CPU", FALKON, 1.0)):
        theirs = in_a_process(work, n, m)
        if "failed" in theirs:
            print(f"ridge {n}×20, {m} centers: {name} did not run ({theirs['failed']})")
            continue
        note = (
            f"test error {ours['error']:.4f} and {theirs['error']:.4f}; peak {ours['peak'] / 1e9:.2f} and "
            f"{theirs['peak'] / 1e9:.2f} GB; processor {ours['cpu']:.0f} and {theirs['cpu']:.0f} s; {ours['note']}"
        )
        rows.append(
            print_row(Row(f"ridge {n}×20, {m} centers", name, ours["seconds"], theirs["seconds"], target, note))
        )
    return rows


def main() -> None:
    """Run the comparisons and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", help="write the figures here")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1.0, help="a part of the points, for a quick look")
    parser.add_argument("--only", choices=["features", "ridge"])
    given = parser.parse_args()
    warn_if_busy()
    print(f"{f'best of {given.repeat}':<38}{'peer':<26}{'ours s':>9}{'theirs s':>10}{'ratio':>9}{'target':>7}")
    rows = []
    if given.only != "ridge":
        rows += features(int(100_000 * given.scale), given.repeat)
    if given.only != "features":
        rows += ridge(int(1_000_000 * given.scale), 2000)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"machine": machine(), "rows": [dataclasses.asdict(row) for row in rows]}, file, indent=1)


if __name__ == "__main__":
    main()
