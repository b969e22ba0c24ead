"""Golden files with their tolerances, samples, and a cluster of Dask."""

import json
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "mercer" / "tests" / "golden"


class Golden:
    def __init__(self, name):
        self.name = name
        self.root = json.loads((FOLDER / f"{name}.json").read_text())
        self.inputs = self.root["inputs"]
        self.expected = self.root["expected"]

    def check(self, key, found, expected):
        """`|found − expected| ≤ atol + rtol·|expected|`, for every value; NaN fails."""
        own = self.root.get("tolerance_by_key", {}).get(key, self.root)
        found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
        assert found.shape == expected.shape, f"{self.name} {key}"
        good = np.abs(found - expected) <= own["atol"] + own["rtol"] * np.abs(expected)
        assert good.all(), f"{self.name} {key}: found {found[~good]}, expected {expected[~good]}"

    def check_all(self, found, expected=None):
        """Check several values by their keys: those of the case, or of a part of it."""
        expected = self.expected if expected is None else expected
        for key, value in found.items():
            self.check(key, value, expected[key])


@pytest.fixture
def golden():
    return Golden


@pytest.fixture
def sample():
    return np.random.default_rng(0).normal(size=(40, 3))


@pytest.fixture(scope="module")
def client():
    """Two workers of Dask, in processes of their own."""
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit="1GiB"
    )
    with cluster, distributed.Client(cluster) as client:
        yield client
