"""Golden files: their numbers and their tolerances."""

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


@pytest.fixture
def golden():
    return Golden


@pytest.fixture
def sample():
    return np.random.default_rng(0).normal(size=(40, 3))
