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


@pytest.mark.parametrize(
    ("words", "kind", "parameters"),
    [
        ("svm --target kind -C 12.5 --tol 0.01 --kernel gaussian()", mercer.SVC, {"C": 12.5, "tol": 0.01}),
        ("svm --target kind --nu 0.4 --kernel gaussian()", mercer.NuSVC, {"nu": 0.4}),
        (
            "svm --target kind -C 2 --kernel gaussian() --class-weight red=3,blue=1 --proba",
            mercer.SVC,
            {"class_weight": {"blue": 1.0, "red": 3.0}, "probability": True},
        ),
        ("svr --target y -C 3 --epsilon 0.07 --kernel gaussian()", mercer.SVR, {"C": 3.0, "epsilon": 0.07}),
        ("svr --target y -C 3 --nu 0.4 --kernel gaussian()", mercer.NuSVR, {"C": 3.0, "nu": 0.4}),
        ("one-class --drop y --nu 0.2 --kernel gaussian()", mercer.OneClassSVM, {"nu": 0.2}),
        (
            "ridge --target y --lambda 0.25 --kernel gaussian(lengthscale=median) --intercept",
            mercer.KernelRidge,
            {"alpha": 0.25, "kernel": "gaussian(lengthscale=median)", "fit_intercept": True},
        ),
        (
            "ridge --target y --lambda 0.25 --kernel gaussian() --centers 9 --seed 4",
            mercer.KernelRidge,
            {"n_centers": 9, "random_state": 4, "alpha": 0.25},
        ),
        (
            "ridge --target y --lambda 0.25 --kernel gaussian() --stream --components 9",
            mercer.StreamedKernelRidge,
            {"alpha": 0.25, "n_components": 9},
        ),
        (
            "logistic --target kind --lambda 0.75 --kernel gaussian() --no-intercept",
            mercer.KernelLogisticRegression,
            {"alpha": 0.75, "fit_intercept": False},
        ),
        (
            "gp --target y --kernel 2*gaussian() --noise 0.3 --no-optimize",
            mercer.GaussianProcessRegressor,
            {"kernel": "2*gaussian(lengthscale=1)", "noise": 0.3, "optimize": False},
        ),
        (
            "gp --target y --kernel 2*gaussian() --noise 0.3 --centers 6",
            mercer.GaussianProcessRegressor,
            {"noise": 0.3, "optimize": True, "n_inducing": 6},
        ),
        ("spline --target y --columns a --df 6", mercer.SmoothingSpline, {"df": 6.0, "order": 2}),
        ("smooth --target y --columns a --bandwidth 0.4", mercer.LocalLinear, {"bandwidth": 0.4}),
    ],
    ids=lambda v: v.split(" ")[0] if isinstance(v, str) else "",
)
def test_settings_of_the_command_line(words, kind, parameters, tmp_path):
    TABLE.to_csv(tmp_path / "d.csv", index=False)
    learner, *rest = words.split(" ")
    run("fit", learner, tmp_path / "d.csv", *rest, "-o", tmp_path / "m")
    model = mercer.load(tmp_path / "m")
    assert type(model) is kind
    assert {name: model.get_params()[name] for name in parameters} == parameters


def test_settings_of_python_on_the_command_line(tmp_path):
    model = mercer.SVR(C=7.5, epsilon=0.2, kernel="gaussian()").fit(TABLE[["a", "b"]], TABLE.y)
    mercer.save(model, tmp_path / "m")
    TABLE.to_csv(tmp_path / "d.csv", index=False)
    output = json.loads(run("predict", tmp_path / "m", tmp_path / "d.csv", "--columns", "a,b", "--json"))
    assert (output["settings"]["C"], output["settings"]["epsilon"]) == (7.5, 0.2)


def reviews(count=40):
    good = np.arange(count) % 2 == 0
    words = np.where(good, "very good and solid", "rather poor and weak")
    return pd.DataFrame(
        {
            "review": [f"it is {word} number {i}" for i, word in enumerate(words)],
            "price": RNG.uniform(size=count).round(3),
            "color": RNG.choice(["red", "blue"], size=count),
            "sold": np.where(good, "yes", "no"),
        }
    )


MIXED = "on([review], normalized(spectrum(length=4))) * on([price], gaussian(lengthscale=2)) + on([color], delta())"


def labels(model, table, folder, *words):
    table.to_csv(folder / "new.csv", index=False)
    run("predict", model, folder / "new.csv", "-o", folder / "out.csv", "--quiet", *words)
    return pd.read_csv(folder / "out.csv", dtype=str)["prediction"].tolist()


@pytest.mark.parametrize("kernel", [MIXED, None], ids=["given", "chosen"])
def test_tables_with_texts_of_the_command_line(kernel, tmp_path):
    table = reviews()
    table.to_csv(tmp_path / "table.csv", index=False)
    words = [] if kernel is None else ["--kernel", kernel, "-C", 10]
    run("fit", "svm", tmp_path / "table.csv", "--target", "sold", *words, "-o", tmp_path / "model", "--quiet")
    loaded = mercer.load(tmp_path / "model")
    assert loaded.predict(table.drop(columns="sold")).tolist() == labels(tmp_path / "model", table, tmp_path)


def test_tables_with_texts_of_python(tmp_path):
    table = reviews()
    model = mercer.SVC(kernel=MIXED, C=10).fit(table.drop(columns="sold"), table.sold)
    mercer.save(model, tmp_path / "model")
    expected = model.predict(table.drop(columns="sold")).tolist()
    assert labels(tmp_path / "model", table.drop(columns="sold"), tmp_path) == expected
    assert mercer.load(tmp_path / "model").predict(table.drop(columns="sold")).tolist() == expected


def test_strings_both_ways(tmp_path):
    table = reviews()
    model = mercer.SVC(kernel="spectrum(length=4)").fit(table.review, table.sold)
    mercer.save(model, tmp_path / "model")
    expected = model.predict(table.review).tolist()
    assert labels(tmp_path / "model", table[["review"]], tmp_path) == expected
    assert labels(tmp_path / "model", table, tmp_path, "--columns", "review") == expected
    table.to_csv(tmp_path / "table.csv", index=False)
    words = ["--columns", "review", "--kernel", "spectrum(length=4)", "-C", 1]
    run("fit", "svm", tmp_path / "table.csv", "--target", "sold", *words, "-o", tmp_path / "other", "--quiet")
    loaded = mercer.load(tmp_path / "other")
    assert loaded.predict(list(table.review)).tolist() == labels(tmp_path / "other", table, tmp_path)
    assert not hasattr(loaded, "n_features_in_")


def test_bags_and_graphs_both_ways(tmp_path):
    long = pd.DataFrame({"bag": np.repeat(np.arange(20), 4), "a": RNG.normal(size=80), "b": RNG.normal(size=80)})
    long["a"] += long.bag % 2
    long["kind"] = np.where(long.bag % 2, "odd", "even")
    bags = mercer.Bags.from_table(long[["a", "b"]].to_numpy(), long.bag.astype(str))
    kinds = long.groupby("bag").kind.first()
    kernel = "mean_embedding(gaussian(lengthscale=1))"
    model = mercer.SVC(kernel=kernel).fit(bags, kinds)
    mercer.save(model, tmp_path / "model")
    found = labels(tmp_path / "model", long[["bag", "a", "b"]], tmp_path, "--bag", "bag")
    assert found == model.predict(bags).tolist()
    long.to_csv(tmp_path / "long.csv", index=False)
    words = ["--bag", "bag", "--target", "kind", "--kernel", kernel, "-C", 1]
    run("fit", "svm", tmp_path / "long.csv", *words, "-o", tmp_path / "other", "--quiet")
    assert labels(tmp_path / "other", long, tmp_path) == model.predict(bags).tolist()
    folder = Path(__file__).parents[2] / "mercer" / "tests" / "fixtures" / "MUTAG"
    graphs, _ = mercer.Graphs.read_tu(folder)
    words = ["--kernel", "weisfeiler_lehman(depth=2)", "-C", 1]
    run("fit", "svm", folder, *words, "-o", tmp_path / "graphs", "--quiet")
    run("predict", tmp_path / "graphs", folder, "-o", tmp_path / "out.csv", "--quiet")
    loaded = mercer.load(tmp_path / "graphs")
    assert loaded.predict(graphs).tolist() == pd.read_csv(tmp_path / "out.csv").prediction.tolist()


def test_fasta(tmp_path):
    path = tmp_path / "s.fasta"
    path.write_text(">a|x first\nACG\nT\n; a comment\n>b|y\nTT GG\n>c|x\n\n")
    ids, sequences = mercer.read_fasta(path)
    assert (ids, sequences) == (["a|x", "b|y", "c|x"], ["ACGT", "TTGG", ""])
    found = json.loads(run("kernel", "gram", "spectrum(length=1)", path, "--json"))["matrix"]
    assert found == mercer.Kernel("spectrum(length=1)")(sequences).tolist()
    with pytest.raises(OSError, match="no such file|No such file"):
        mercer.read_fasta(tmp_path / "absent.fasta")
    path.write_text("ACGT\n")
    with pytest.raises(ValueError, match="line 1"):
        mercer.read_fasta(path)
