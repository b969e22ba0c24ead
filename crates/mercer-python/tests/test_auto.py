"""The search over learners: the same choice as the command line, tables, deadlines, refusals."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mercer

DATA = Path(__file__).parents[3] / "examples" / "data"
PROGRAM = Path(__file__).parents[3] / "target" / "debug" / "mercer"


def command_line(*words):
    run = subprocess.run([PROGRAM, "fit", "auto", *words, "--json"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


@pytest.mark.skipif(not PROGRAM.exists(), reason="the command line is not built")
@pytest.mark.parametrize(
    ("name", "target", "drop"),
    [("iris", "petal_width", "species"), ("iris", "species", None), ("concrete", "strength", None)],
)
def test_the_choice_is_that_of_the_command_line(name, target, drop):
    table = pd.read_csv(DATA / f"{name}.csv")
    y, X = table[target], table.drop(columns=[target] + ([drop] if drop else []))
    model = mercer.auto(X, y)
    found = command_line(str(DATA / f"{name}.csv"), "--target", target, *(["--drop", drop] if drop else []))
    assert str(model.kernel_) == found["kernel"]
    number = found.get("lambda") or found.get("C")
    assert float(model.get_params().get("alpha") or model.get_params()["C"]) == pytest.approx(number, rel=1e-12)
    tried = [(line["candidate"], line["score"]) for line in model.search_.results_]
    assert tried == [
        (line["candidate"], pytest.approx(line["score"], rel=1e-12)) for line in found["choice"]["candidates"]
    ]
    frame = pd.DataFrame(model.search_.results_)
    assert list(frame.columns) == ["learner", "candidate", "family", "parameter", "score"]
    assert len(frame) == len(tried)
    assert frame["score"].is_monotonic_increasing


def test_arrays_objects_and_classes():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 2)) * [1, 1000]
    y = np.sin(2 * X[:, 0]) + X[:, 1] / 1000
    model = mercer.auto(X, y)
    # Predictions of raw rows: the columns are standardized inside.
    assert np.mean((model.predict(X) - y) ** 2) < 0.01
    assert not hasattr(model, "feature_names_in_")
    assert np.array_equal(model.predict(X), mercer.auto(X, y, n_jobs=1).predict(X))
    labels = np.where(X[:, 0] ** 2 + (X[:, 1] / 1000) ** 2 < 1, "in", "out")
    classifier = mercer.auto(X, labels)
    assert set(classifier.classes_) == {"in", "out"}
    assert classifier.score(X, labels) > 0.9
    assert classifier.search_.measure == "wrong_classes"
    words = ["abba", "abab", "bbaa", "aabb", "cabc", "ccab", "bcbc", "cbca", "acca", "baba", "caca", "bbbb"] * 3
    strings = mercer.auto(words, [word.count("a") for word in words])
    assert "spectrum" in str(strings.kernel_)
    assert strings.predict(words[:2]).shape == (2,)
    numbers = mercer.auto(X, (X[:, 0] > 0).astype(int), task="classes")
    assert numbers.classes_.tolist() == [0, 1]


def test_learners_by_name():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(90, 2))
    y = np.sin(5 * X[:, 0]) + 0.1 * rng.standard_normal(90)
    for name, kind in (("svr", "SVR"), ("gaussian_process", "GaussianProcessRegressor"), ("ridge", "KernelRidge")):
        model = mercer.auto(X, y, learners=[name])
        assert type(model).__name__ == kind
        assert model.search_.learner == name
        assert np.mean((model.predict(X) - y) ** 2) < 0.05
    only = mercer.auto(X, y, kernels=["gaussian()", "laplacian()"], lengthscales=[0.5, 1.0, 2.0], cv=5)
    assert only.search_.criterion == "5 folds"
    assert len({r["family"] for r in only.search_.results_}) == 2


def test_max_time_bounds_the_search():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((2500, 8))
    y = np.sin(X).sum(axis=1) + 0.1 * rng.standard_normal(2500)
    # On a busy machine the first limits may end before a candidate is scored: a TimeoutError.
    for seconds in (1e-6, 1.0, 2.0, 4.0, 8.0, 16.0):
        try:
            model = mercer.auto(X, y, max_time=seconds, max_rows=2500, screening=False)
        except TimeoutError as error:
            assert "max_time" in str(error)  # noqa: PT017
            continue
        break
    assert seconds > 1e-6
    assert not model.search_.complete
    assert model.predict(X[:3]).shape == (3,)


def test_pictures_and_refusals(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(60, 2))
    model = mercer.auto(X, np.sin(3 * X[:, 0]) * X[:, 1])
    pytest.importorskip("matplotlib")
    classifier = mercer.auto(X, np.where(X[:, 0] > 0.5, "a", "b"), learners=["logistic"])
    assert model.search_.surface is not None
    assert classifier.search_.surface is None
    for number, found in enumerate((model, classifier)):
        found.search_.plot(tmp_path / f"{number}.png")
        assert (tmp_path / f"{number}.png").stat().st_size > 1000
    with pytest.raises(ValueError, match="task"):
        mercer.auto(X, X[:, 0], task="clusters")
    with pytest.raises(ValueError, match="learners"):
        mercer.auto(X, X[:, 0], learners=["svc"])
    with pytest.raises(ValueError, match="one class"):
        mercer.auto(X, ["a"] * 60)
    with pytest.raises(ValueError, match="y"):
        mercer.auto(X, np.full(60, np.nan))
