"""One model file for all doors: the command line predicts with the same bytes as Python, whoever fitted the model."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mercer

BINARY = Path(os.environ.get("MERCER_BINARY", Path(__file__).parents[3] / "target" / "debug" / "mercer"))
RNG = np.random.default_rng(3)
TABLE = pd.DataFrame(
    {"a": RNG.normal(size=40), "b": RNG.uniform(size=40), "kind": RNG.choice(["red", "blue"], size=40)}
)
TABLE["y"] = np.sin(TABLE.a) + TABLE.b + (TABLE.kind == "red")


def run(*words):
    done = subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def predicted(model, table, folder):
    table.to_csv(folder / "new.csv", index=False)
    run("predict", model, folder / "new.csv", "-o", folder / "out.csv", "--quiet")
    return pd.read_csv(folder / "out.csv")["prediction"].to_numpy()


@pytest.fixture(autouse=True)
def _binary():
    if (
        not BINARY.exists()
        or subprocess.run([BINARY, "predict", "--help"], capture_output=True, check=False).returncode
    ):
        pytest.skip("the command line is not built: cargo build -p mercer-cli")


@pytest.mark.parametrize(
    "model",
    [
        mercer.KernelRidge(0.1, kernel="gaussian(lengthscale=median)", fit_intercept=True),
        mercer.GaussianProcessRegressor("1*gaussian()", normalize_y=True),
        mercer.GaussianProcessRegressor("1*gaussian()", noise=0.1, optimize=False, n_inducing=9),
        mercer.NadarayaWatson(0.7),
        mercer.SVR(C=5.0),
        mercer.KernelMachine("huber", 0.1),
    ],
    ids=["ridge", "process", "sparse", "smoother", "machine", "huber"],
)
def test_models_of_python(model, tmp_path):
    points = TABLE[["a", "b"]]
    model.fit(points, TABLE.y)
    mercer.save(model, tmp_path / "model")
    assert predicted(tmp_path / "model", TABLE[["b", "a", "y"]], tmp_path).tobytes() == model.predict(points).tobytes()
    unnamed = model.fit(points.to_numpy(), TABLE.y.to_numpy())
    mercer.save(unnamed, tmp_path / "model")
    found = predicted(tmp_path / "model", points.rename(columns={"a": "u", "b": "v"}), tmp_path)
    assert found.tobytes() == unnamed.predict(points.to_numpy()).tobytes()


@pytest.mark.parametrize("method", ["ridge", "gp"])
def test_models_of_the_command_line(method, tmp_path):
    TABLE.to_csv(tmp_path / "data.csv", index=False)
    kernel = ["--kernel", "gaussian(lengthscale=median)"]
    run("fit", method, tmp_path / "data.csv", "--target", "y", *kernel, "-o", tmp_path / "model", "--quiet")
    model = mercer.load(tmp_path / "model")
    assert list(model.feature_names_in_) == ["a", "b", "kind"]
    points = pd.read_csv(tmp_path / "data.csv").drop(columns="y")
    assert model.predict(points).tobytes() == predicted(tmp_path / "model", TABLE, tmp_path).tobytes()


@pytest.mark.parametrize(
    "model",
    [mercer.SVC(C=5.0, probability=True), mercer.KernelLogisticRegression(0.1), mercer.KernelMachine("logistic", 0.1)],
    ids=["machine", "logistic", "loss"],
)
def test_classes_of_python(model, tmp_path):
    points = TABLE[["a", "b"]]
    model.fit(points, TABLE.kind)
    mercer.save(model, tmp_path / "model")
    TABLE.to_csv(tmp_path / "new.csv", index=False)
    run(
        "predict",
        tmp_path / "model",
        tmp_path / "new.csv",
        "-o",
        tmp_path / "out.csv",
        "--proba",
        "--quiet",
        "--columns",
        "a,b",
    )
    found = pd.read_csv(tmp_path / "out.csv")
    assert found["prediction"].tolist() == model.predict(points).tolist()
    together = found[["proba_blue", "proba_red"]].to_numpy()
    assert together.tobytes() == np.ascontiguousarray(model.predict_proba(points)).tobytes()


@pytest.mark.parametrize("learner", ["svm", "logistic"])
def test_classes_of_the_command_line(learner, tmp_path):
    TABLE.to_csv(tmp_path / "table.csv", index=False)
    extra = (
        ["--proba", "-C", "2", "--lengthscales", "1"] if learner == "svm" else ["--lambda", "1", "--lengthscales", "1"]
    )
    run("fit", learner, tmp_path / "table.csv", "--target", "kind", "-o", tmp_path / "model", *extra)
    model = mercer.load(tmp_path / "model")
    run("predict", tmp_path / "model", tmp_path / "table.csv", "-o", tmp_path / "out.csv", "--proba", "--quiet")
    found = pd.read_csv(tmp_path / "out.csv")
    points = TABLE[["a", "b", "y"]]
    assert found["prediction"].tolist() == model.predict(points).tolist()
    together = found[["proba_blue", "proba_red"]].to_numpy()
    assert together.tobytes() == np.ascontiguousarray(model.predict_proba(points)).tobytes()


def test_tests_give_the_same_numbers(tmp_path):
    columns = ["a", "b"]
    TABLE[columns][:25].to_csv(tmp_path / "x.csv", index=False)
    TABLE[columns][25:].to_csv(tmp_path / "y.csv", index=False)
    words = ["--permutations", "99", "--seed", "5", "--json"]
    found = json.loads(run("test", "two-sample", tmp_path / "x.csv", tmp_path / "y.csv", *words))
    expected = mercer.two_sample_test(TABLE[columns][:25], TABLE[columns][25:], permutations=99, random_state=5)
    assert (found["p_value"], found["statistic"]) == (expected.p_value, expected.statistic)
    TABLE.to_csv(tmp_path / "table.csv", index=False)
    found = json.loads(run("test", "independence", tmp_path / "table.csv", "--x", "a", "--y", "b", *words))
    expected = mercer.independence_test(TABLE["a"], TABLE["b"], permutations=99, random_state=5)
    assert (found["p_value"], found["statistic"]) == (expected.p_value, expected.statistic)
