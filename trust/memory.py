"""Every learner and test under a memory limit in a fresh process: within it, or refused with the numbers.

The peak of the process may exceed the limit by 10 % and by what the interpreter and the data take.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from typing import Any

from trust import catalogue
from trust.registry import Check, Outcome, add, check

LIMITS = {"100MB": 100e6, "500MB": 500e6, "2GB": 2e9}
SIZES = (50_000, 200_000)
WORST = 1.1
SECONDS = 240
"""A fit that takes longer is interrupted; what it took until then counts."""


def cases() -> list[tuple[str, str]]:
    """Return every estimator and test by kind and name."""
    return [("estimator", name) for name in catalogue.estimators()] + [("test", name) for name in catalogue.tests()]


def measure(kind: str, name: str, rows: int, limit: str, seconds: float) -> dict[str, Any]:
    """Run one case in a fresh process, and return what it reports."""
    words = [sys.executable, "-m", "trust.memory", kind, name, str(rows), limit]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    assert process.stdout is not None
    # The time counts from where the interpreter has loaded everything.
    if process.stdout.readline() != b"READY\n":
        process.kill()
        return {"ended": f"not ready: {process.communicate()[1].decode()[-300:]}"}
    answered = {}
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        asked = time.monotonic()
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return {"ended": "no answer to an interrupt after 60 s"}
        answered = {"asked": asked}
    found = last_line(out) or {"ended": f"code {process.returncode}: {err.decode()[-300:]}"}
    return {**found, "answered": found.get("at", 0.0) - answered["asked"]} if answered else found


def environment() -> dict[str, str]:
    """Return the environment with this package on the path."""
    from trust.programs import ROOT

    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}


def last_line(out: bytes) -> dict[str, Any] | None:
    """Return the report of a process."""
    lines = out.decode(errors="replace").strip().splitlines()
    try:
        return json.loads(lines[-1]) if lines else None
    except json.JSONDecodeError:
        return None


def contract(kind: str, name: str, sizes: tuple[int, ...], limits: tuple[str, ...], seconds: float) -> Any:
    """Return the check of one entry: a case is a size and a limit."""

    def run(seed: int) -> Outcome:
        rows, limit = sizes[seed // len(limits)], limits[seed % len(limits)]
        found = measure(kind, name, rows, limit, seconds)
        about = f"{rows} rows, {limit}"
        if found["ended"] not in ("done", "refused", "interrupted"):
            return Outcome(finding=f"{about}: {found['ended']}")
        if found["ended"] == "refused" and not any(c.isdigit() for c in found["message"]):
            return Outcome(finding=f"{about}: refused without numbers: {found['message'][:200]}")
        used, allowed = max(0.0, found["peak"] - found["before"]), WORST * LIMITS.get(limit, 0) or 1.0
        note = f"{about}: {found['ended']}, {used / 1e6:.0f} MB"
        slow = found.get("answered", 0.0)
        if slow > 1.5 and found["ended"] == "interrupted":
            return Outcome(finding=f"{about}: answered an interrupt after {slow:.1f} s", note=note)
        return Outcome(
            error=used, bound=allowed, note=note, refusal=found["message"] if found["ended"] == "refused" else None
        )

    return run


QUICK = (
    "KernelRidge",
    "SVC",
    "KernelPCA",
    "GaussianProcessRegressor",
    "two_sample_permutation",
    "independence_permutation",
)

for _kind, _name in cases():
    about = f"peak of `{_name}` beside the data"
    add(
        Check(
            "memory",
            _name,
            about,
            contract(_kind, _name, SIZES, tuple(LIMITS), SECONDS),
            0,
            len(SIZES) * len(LIMITS),
            1e5,
        )
    )
for _name in QUICK:
    _kind = "estimator" if _name[0].isupper() else "test"
    about = f"peak of `{_name}` of 20 000 rows under 100 MB"
    add(Check("memory", f"quick_{_name}", about, contract(_kind, _name, (20_000,), ("100MB",), 8.0), 1, 1, 1e5))


@check("memory", slice=3, full=60, limit=1e5)
def interrupts(seed: int) -> Outcome:
    """An interrupt in the middle of a long fit is answered within 0.5 s (twice that on a busy computer)."""
    names = (
        "KernelRidge",
        "SVC",
        "KernelPCA",
        "KernelLogisticRegression",
        "GaussianProcessRegressor",
        "two_sample_permutation",
    )
    name = names[seed % len(names)]
    kind = "estimator" if name[0].isupper() else "test"
    found = measure(kind, name, 12_000, "8GB", 3.0 + 0.3 * (seed // len(names)))
    if found["ended"] in ("done", "refused"):
        return Outcome(note=f"{name}: {found['ended']} before the interrupt")
    if found["ended"] != "interrupted":
        return Outcome(finding=f"{name}: {found['ended']}")
    return Outcome(error=found["answered"], bound=1.0 + float(found.get("load", 0.0)))


def peak() -> float:
    """Return the largest resident size so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def serve(kind: str, name: str, rows: int, limit: str) -> dict[str, Any]:
    """Run a fit or a test in this process."""
    import warnings

    import numpy as np
    import sklearn.svm  # noqa: F401  # what estimators import belongs to the interpreter

    import mercer

    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, 5))
    y = np.sin(x[:, 0]) + 0.1 * rng.normal(size=rows)
    classes = (y > 0).astype(int)
    small = slice(0, 40)
    warm = {"max_memory": "100MB", "n_jobs": 2}
    catalogue_call(kind, name, x[small], y[small], classes[small], warm)
    before = peak()
    print("READY", flush=True)
    try:
        catalogue_call(kind, name, x, y, classes, {"max_memory": limit, "n_jobs": 2})
        ended, message = "done", ""
    except (MemoryError, ValueError, RuntimeError) as error:
        ended, message = "refused", str(error)
    except KeyboardInterrupt:
        ended, message = "interrupted", ""
    at = time.monotonic()
    # The process is still of use.
    mercer.Kernel("linear()")([[1.0]])
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    return {"ended": ended, "message": message, "before": before, "peak": peak(), "at": at, "load": load}


def catalogue_call(kind: str, name: str, x: Any, y: Any, classes: Any, how: dict[str, Any]) -> None:
    """Fit an estimator, or test samples."""
    if kind == "estimator":
        accepted = catalogue.accepted(name, how)
        catalogue.fit(name, x, y, classes, **accepted)
    else:
        catalogue.tests()[name](x[:, :2], x[:, 2:4], x[:, 4:], {"permutations": 199, "random_state": 0, **how})


if __name__ == "__main__":
    print(json.dumps(serve(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])))
