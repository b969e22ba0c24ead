"""The recipes of examples/recipes give the bytes of one machine. Ray and Spark are large: `make test-full` has them."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[3] / "examples" / "recipes"


@pytest.fixture
def parts(monkeypatch):
    """What the recipes share, which they import from their folder."""
    monkeypatch.syspath_prepend(FOLDER)
    yield importlib.import_module("parts")
    sys.modules.pop("parts", None)


def data(rows=9_001):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(rows, 3))
    return x, np.sin(x[:, 0]) + x[:, 1] * x[:, 2]


def started(parts, x, y):
    settings = {"alpha": [1e-3, 1e-1], "kernel": "gaussian(lengthscale=1)", "n_components": 40, "random_state": 0}
    return parts.start(x[:2_000], y[:2_000], **settings)


def test_parts_of_any_order_and_size_are_the_fit_of_one_machine(parts):
    x, y = data()
    model = started(parts, x, y)
    here = model.without_rows().partial_fit(x, y)
    rows = np.random.default_rng(5).permutation(len(x))
    # Uneven parts, one of them empty; the first is a few shuffled rows with gaps.
    cuts = [rows[:7], *np.split(np.sort(rows[7:]), [2_500, 2_500, 8_000])]
    merged = b""
    for cut in reversed(cuts):
        merged = parts.added(merged, parts.statistics(model, cut, x[cut], y[cut]))
    there = parts.finished(model, merged)
    assert there.stream_ == here.stream_
    assert there.n_samples_seen_ == len(x)
    np.testing.assert_array_equal(there.predict(x[:20]), here.predict(x[:20]))


@pytest.mark.parametrize("name", ["ray", "pyspark"])
def test_a_cluster_gives_the_bytes_of_one_machine(name):
    if not os.environ.get("MERCER_FULL"):
        pytest.skip("make test-full runs the recipes")
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed")
    recipe = FOLDER / {"ray": "ray_ridge.py", "pyspark": "spark_ridge.py"}[name]
    done = subprocess.run([sys.executable, recipe], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-2:] == ["True", "0.1"], done.stdout
