"""Everything works in a forked child, whatever its parent has done before and is doing now."""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mercer

SCRIPT = Path(__file__).with_name("forked_work.py")
#: How children are made, and the threads that they use.
WAYS = [("fork", None), ("threads", 2), ("pool", 1), ("joblib", None)]
if os.environ.get("MERCER_FULL"):
    WAYS += [("fork", 1), ("fork", 2), ("threads", None), ("threads", 1), ("pool", None), ("joblib", 2)]
#: Parts of the package that compute nothing by themselves, or are what others give back.
STILL = {
    "Bags",
    "BorderWarning",
    "ConvergenceWarning",
    "Counterexample",
    "Diagrams",
    "Graphs",
    "NotPositiveDefiniteError",
    "Repaired",
    "RidgeStream",
    "TestResult",
    "__version__",
    "binning_bound",
    "catalogue",
    "fourier_bound",
    "fourier_components",
}

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="systems with fork")


@functools.cache
def outcomes(mode, n_jobs):
    """What became of every piece of work. A child that hangs is ended by the script, the script by its time."""
    command = [sys.executable, "-W", "ignore", str(SCRIPT), mode, str(n_jobs)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1500)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(("mode", "n_jobs"), WAYS)
def test_work_in_forked_children(mode, n_jobs):
    found = outcomes(mode, n_jobs)
    assert {name: words for name, words in found.items() if words != "done"} == {}


def test_nothing_is_forgotten():
    kernels = {entry.name if hasattr(entry, "name") else entry["name"] for entry in mercer.catalogue()}
    displays = {name for name in mercer.__all__ if name.endswith("Display")} | {"Diagnosis", "Finding"}
    names = set(mercer.__all__) - STILL - kernels - displays
    covered = {name.partition(" ")[0].strip(",") for name in outcomes("fork", None)}
    combinators = {name for name in names if callable(getattr(mercer, name)) and name.islower()} - covered
    assert {name for name in names - covered if name not in combinators} == set()
    assert not any(name.endswith("_test") or name.endswith("_tests") for name in combinators)
