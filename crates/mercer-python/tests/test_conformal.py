"""Conformal prediction: the closed form against refits, coverage, scikit-learn's conventions, refusals."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.exceptions import DataConversionWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer

RNG = np.random.default_rng(5)


def wave(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 2, size=(n, 1))
    return X, np.sin(3 * X[:, 0]) + X[:, 0] * rng.exponential(size=n)


def blobs(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    return np.array([[0, 0], [1.2, 0], [0, 1.2]])[y] + rng.standard_normal((n, 2)), np.array(["a", "b", "c"])[y]


def by_refits(model, X, y, new, level):
    """Jackknife+ by its definition."""
    n, lower, upper = len(y), [], []
    for i in range(n):
        others = np.arange(n) != i
        fit = clone(model).fit(X[others], y[others])
        error = abs(y[i] - fit.predict(X[i : i + 1])[0])
        lower.append(fit.predict(new) - error)
        upper.append(fit.predict(new) + error)
    rank = int(np.ceil(level * (n + 1) - 1e-9))
    return np.sort(lower, axis=0)[n - rank], np.sort(upper, axis=0)[rank - 1]


@pytest.mark.parametrize(
    "model",
    [
        mercer.KernelRidge(0.2, kernel="gaussian(lengthscale=0.3)"),
        mercer.KernelRidge(0.2, kernel="matern(nu=3/2, lengthscale=0.5)", fit_intercept=True),
        mercer.GaussianProcessRegressor("2*gaussian(lengthscale=0.4)", noise=0.3, optimize=False),
    ],
)
def test_jackknife_is_that_of_the_refits(model):
    (X, y), new = wave(40, 0), wave(9, 1)[0]
    conformal = mercer.ConformalRegressor(model, level=0.8).fit(X, y)
    assert (conformal.method_, conformal.estimators_) == ("jackknife+", [])
    found = conformal.predict_interval(new)
    lower, upper = by_refits(model, X, y, new, 0.8)
    np.testing.assert_allclose(found[:, 0], lower, atol=1e-8)
    np.testing.assert_allclose(found[:, 1], upper, atol=1e-8)
    np.testing.assert_array_equal(conformal.predict(new), clone(model).fit(X, y).predict(new))


@pytest.mark.parametrize("method", ["jackknife+", "cv+", "split"])
def test_intervals_cover(method):
    model = mercer.KernelRidge(0.1, kernel="gaussian(lengthscale=0.5)", fit_intercept=True)
    held = []
    for seed in range(40):
        X, y = wave(80, 2 * seed)
        new, truth = wave(40, 2 * seed + 1)
        conformal = mercer.ConformalRegressor(model, method=method, level=0.8, cv=5, random_state=seed).fit(X, y)
        lower, upper = conformal.predict_interval(new).T
        held.append(np.mean((lower <= truth) & (truth <= upper)))
    # Standard error of a mean of 40 runs: √(0.16·(1/20 + 1/40)/40) < 0.018.
    assert 0.8 - 0.07 < np.mean(held) < 0.8 + 0.1, np.mean(held)


def test_any_estimator_of_scikit_learn():
    X, y = wave(120, 3)
    forest = RandomForestRegressor(20, random_state=0)
    for estimator in (LinearRegression(), forest, mercer.SVR(), mercer.SmoothingSpline(), mercer.KernelRidgeCV()):
        conformal = mercer.ConformalRegressor(estimator, cv=KFold(4), level=0.7).fit(X, y)
        found = conformal.predict_interval(X)
        assert found.shape == (120, 2)
        assert (found[:, 0] <= found[:, 1]).all()
    assert conformal.method_ == "jackknife+"
    curves = mercer.KernelMachine("quantile", 0.1, kernel="gaussian()", quantile=[0.1, 0.9])
    assert mercer.ConformalRegressor(curves, method="split").fit(X, y).predict_interval(X).shape == (120, 2)
    several = mercer.ConformalRegressor(LinearRegression(), method="cv+").fit(X, np.c_[y, 2 * y])
    assert several.predict_interval(X).shape == (120, 2, 2)
    ridge = mercer.ConformalRegressor(mercer.KernelRidge(kernel="gaussian()")).fit(X, np.c_[y, 2 * y])
    ends = ridge.predict_interval(X)
    np.testing.assert_allclose(ends[:, 1], 2 * ends[:, 0], rtol=1e-9)


def test_sets_cover_and_adapt():
    logistic = mercer.KernelLogisticRegression(0.5, kernel="gaussian(lengthscale=1.5)")
    for score, randomized in (("lac", False), ("aps", False), ("aps", True)):
        held, sizes = [], []
        for seed in range(15):
            X, y = blobs(100, 2 * seed)
            new, truth = blobs(60, 2 * seed + 1)
            conformal = mercer.ConformalClassifier(
                logistic, level=0.8, cv=5, set_score=score, randomized=randomized, random_state=seed
            ).fit(X, y)
            sets = conformal.predict_set(new)
            assert sets.dtype == bool
            held.append(sets[np.arange(60), np.searchsorted(conformal.classes_, truth)].mean())
            sizes.append(sets.sum(axis=1).mean())
        assert 0.74 < np.mean(held) < 0.92, (score, randomized, np.mean(held))
        assert 0.8 < np.mean(sizes) < 2.2


def test_any_classifier():
    X, y = blobs(150, 7)
    for estimator in (LogisticRegression(), RandomForestClassifier(20, random_state=0), LinearSVC(), mercer.SVC()):
        conformal = mercer.ConformalClassifier(estimator, method="split", level=0.7).fit(X, y)
        assert conformal.predict_set(X).shape == (150, 3)
        assert set(conformal.predict(X)) <= set("abc")
        assert hasattr(conformal, "predict_proba") == hasattr(estimator, "predict_proba")
    binary = mercer.ConformalClassifier(mercer.SVC(), cv=4).fit(X, y == "a")
    assert binary.predict_set(X, level=0.6).shape == (150, 2)


def test_other_points_and_precomputed_values():
    words = ["abba", "abab", "bbaa", "aabb", "cabc", "ccab", "bcbc", "cbca", "acca", "baba", "caca", "bbbb"] * 2
    counts = [word.count("a") + 0.1 * i for i, word in enumerate(words)]
    ridge = mercer.KernelRidge(kernel="spectrum(length=2)")
    for method in ("jackknife+", "cv+", "split"):
        found = mercer.ConformalRegressor(ridge, method=method, test_size=0.5, level=0.7).fit(words, counts)
        assert found.predict_interval(words[:3]).shape == (3, 2)
    X, y = wave(40, 4)
    k = mercer.gaussian(lengthscale=0.5)
    plain = mercer.ConformalRegressor(mercer.KernelRidge(0.1, kernel=k), method="cv+").fit(X, y)
    given = mercer.ConformalRegressor(mercer.KernelRidge(0.1, kernel="precomputed")).fit(k(X), y)
    assert given.method_ == "cv+"
    np.testing.assert_allclose(given.predict_interval(k(X)), plain.predict_interval(X), atol=1e-9)


def test_weights_pickles_and_guarantees():
    X, y = wave(60, 5)
    weights = np.where(np.arange(60) % 3 == 0, 0.0, 1.0)
    model = mercer.ConformalRegressor(mercer.KernelRidge(0.1, kernel="gaussian(lengthscale=0.5)"))
    weighted = clone(model).fit(X, y, sample_weight=weights)
    some = clone(model).fit(X[weights > 0], y[weights > 0])
    np.testing.assert_allclose(weighted.predict_interval(X), some.predict_interval(X), atol=1e-9)
    for method in ("jackknife+", "cv+", "split"):
        fitted = clone(model).set_params(method=method).fit(X, y)
        again = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_allclose(again.predict_interval(X), fitted.predict_interval(X), rtol=1e-12)
    assert fitted.guarantee(0.9) == pytest.approx(0.9)
    assert clone(model).fit(X, y).guarantee(0.9) == pytest.approx(0.8)
    assert clone(model).set_params(method="cv+").fit(X, y).guarantee(0.9) == pytest.approx(0.8 - (5 / 6) / 11)


def test_refusals():
    X, y = wave(20, 6)
    model = mercer.ConformalRegressor(mercer.KernelRidge(kernel="gaussian()"))
    with pytest.raises(ValueError, match="at least 99"):
        model.fit(X, y).predict_interval(X, level=0.99)
    for wrong in ({"method": "bootstrap"}, {"level": 1.0}, {"test_size": 0.0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            clone(model).set_params(**wrong).fit(X, y)
    with pytest.raises(ValueError, match=r"jackknife\+"):
        mercer.ConformalRegressor(LinearRegression(), method="jackknife+").fit(X, y)
    with pytest.raises(ValueError, match="at least 2"):
        clone(model).fit(X[:1], y[:1])
    with pytest.raises(ValueError, match="sample_weight"):
        mercer.ConformalRegressor(mercer.NadarayaWatson()).fit(X, y, sample_weight=np.ones(20))
    labels = np.arange(20) % 2
    with pytest.raises(ValueError, match="aps"):
        mercer.ConformalClassifier(mercer.SVC(), set_score="aps", cv=4).fit(X, labels)
    with pytest.raises(ValueError, match=r"jackknife\+"):
        mercer.ConformalClassifier(mercer.SVC(), method="jackknife+").fit(X, labels)
    splits = [(np.arange(10), np.arange(10, 20)), (np.arange(10), np.arange(10, 20))]
    twice = mercer.ConformalRegressor(LinearRegression(), method="cv+", cv=splits)
    with pytest.raises(ValueError, match="once"):
        twice.fit(X, y)


def test_scores_and_searches_of_scikit_learn():
    X, y = blobs(90, 9)
    classifier = mercer.ConformalClassifier(mercer.KernelLogisticRegression(), method="split").fit(X, y)
    assert classifier.score(X, y) == np.mean(classifier.predict(X) == y)
    assert cross_val_score(mercer.ConformalClassifier(method="split"), X, y, cv=3).shape == (3,)
    X, y = wave(60, 10)
    search = GridSearchCV(
        mercer.ConformalRegressor(mercer.KernelRidge(kernel="gaussian()")), {"estimator__alpha": [0.1, 1]}
    )
    assert search.fit(X, y).best_estimator_.predict_interval(X).shape == (60, 2)
    with pytest.raises(ValueError, match="y is None"):
        mercer.ConformalRegressor().fit(X, None)


def test_the_calibration_of_a_model_file(tmp_path):
    data = Path(__file__).parents[3] / "examples" / "data" / "iris.csv"
    table = pd.read_csv(data)

    def command(*words):
        subprocess.run([sys.executable, "-m", "mercer", *map(str, words), "--quiet"], check=True, capture_output=True)

    model, out = tmp_path / "m.safetensors", tmp_path / "p.csv"
    numbers = ["--target", "petal_width", "--drop", "species", "--kernel", "gaussian(lengthscale=1)"]
    command("fit", "svr", data, *numbers, "-C", 1, "--conformal", "-o", model)
    command("predict", model, data, "--interval", 0.8, "--conformal", "-o", out)
    # As texts: older versions of pandas do not read the last digit of every number.
    written, loaded = pd.read_csv(out, dtype=str).astype(float), mercer.load(model)
    found = loaded.predict(table.drop(columns=["petal_width", "species"]), interval=0.8, method="conformal")
    np.testing.assert_array_equal(np.stack(found, axis=-1), written[["prediction", "lower", "upper"]])
    classes = ["--target", "species", "--kernel", "gaussian(lengthscale=1)", "-C", 1]
    command("fit", "svm", data, *classes, "--conformal", "-o", model)
    command("predict", model, data, "--interval", 0.9, "--conformal", "-o", out)
    loaded = mercer.load(model)
    sets = loaded.predict_set(table.drop(columns="species"), level=0.9)
    # Empty sets are empty cells.
    written = pd.read_csv(out, keep_default_na=False)["set"]
    assert ["|".join(loaded.classes_[row]) for row in sets] == written.tolist()


CALIBRATED = [
    mercer.ConformalRegressor(mercer.KernelRidge(0.2, kernel="gaussian(lengthscale=0.3)"), level=0.8),
    mercer.ConformalRegressor(mercer.KernelRidgeCV(kernel="gaussian(lengthscale=0.3)"), method="cv+", cv=4),
    mercer.ConformalRegressor(mercer.KernelRidge(0.2, kernel="gaussian(lengthscale=0.3)"), method="split"),
    mercer.ConformalRegressor(
        mercer.GaussianProcessRegressor("2*gaussian(lengthscale=0.4)", noise=0.3, optimize=False)
    ),
    mercer.ConformalRegressor(mercer.SVR(C=2.0), cv=3),
    mercer.ConformalRegressor(mercer.KernelMachine("quantile", 0.1, quantile=[0.1, 0.9]), cv=3),
]


@pytest.mark.parametrize("model", CALIBRATED)
def test_files_hold_the_calibration(model, tmp_path):
    (X, y), new = wave(60, 0), wave(9, 1)[0]
    path = tmp_path / "model.safetensors"
    model = clone(model).fit(X, y)
    mercer.save(model, path)
    loaded = mercer.load(path)
    assert type(loaded) is type(model)
    assert repr(loaded) == repr(model)
    assert loaded.method_ == model.method_
    assert len(loaded.estimators_) == len(model.estimators_)
    np.testing.assert_array_equal(loaded.scores_, model.scores_)
    np.testing.assert_allclose(loaded.predict(new), model.predict(new), rtol=1e-12)
    for level in (0.5, 0.8):
        np.testing.assert_allclose(
            loaded.predict_interval(new, level), model.predict_interval(new, level), rtol=1e-10, atol=1e-12
        )
    assert loaded.guarantee() == model.guarantee()
    # Written again, it is the same file.
    mercer.save(loaded, tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    "model",
    [
        mercer.ConformalClassifier(mercer.KernelLogisticRegression(kernel="gaussian(lengthscale=1)"), cv=3),
        mercer.ConformalClassifier(mercer.SVC(C=2.0), set_score="lac", cv=3),
        mercer.ConformalClassifier(
            mercer.KernelLogisticRegression(), method="split", set_score="aps", randomized=True, random_state=4
        ),
    ],
)
def test_files_hold_sets_of_classes(model, tmp_path):
    (X, y), new = blobs(120, 0), blobs(30, 1)[0]
    model = clone(model).fit(X, y)
    mercer.save(model, tmp_path / "model.safetensors")
    loaded = mercer.load(tmp_path / "model.safetensors")
    assert repr(loaded) == repr(model)
    assert list(loaded.classes_) == ["a", "b", "c"]
    np.testing.assert_array_equal(loaded.predict(new), model.predict(new))
    np.testing.assert_array_equal(loaded.predict_set(new, 0.8), model.predict_set(new, 0.8))


def test_a_class_may_be_missing_in_a_fold_of_a_file(tmp_path):
    X, y = blobs(60, 0)
    y = np.array([3, 5, 10])[np.searchsorted(["a", "b", "c"], y)]
    X, y = np.vstack([X[y != 10], [[0.0, 3.0]]]), np.append(y[y != 10], 10)
    model = mercer.ConformalClassifier(mercer.KernelLogisticRegression(), cv=KFold(4)).fit(X, y)
    assert min(len(part.classes_) for part in model.estimators_) == 2
    mercer.save(model, tmp_path / "model.safetensors")
    loaded = mercer.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(loaded.classes_, [3, 5, 10])
    np.testing.assert_array_equal(loaded.predict_set(X, 0.8), model.predict_set(X, 0.8))


def test_calibrated_files_of_the_command_line_load_calibrated(tmp_path):
    (X, y), new = wave(80, 0), wave(9, 1)[0]
    table, out, path = (tmp_path / name for name in ("data.csv", "out.csv", "model"))
    np.savetxt(table, np.column_stack([X, 100 + 7 * y]), delimiter=",", header="x,y", comments="", fmt="%.17g")
    np.savetxt(tmp_path / "new.csv", new, delimiter=",", header="x", comments="", fmt="%.17g")

    def run(*words):
        subprocess.run([sys.executable, "-m", "mercer", *map(str, words), "--quiet"], check=True, capture_output=True)

    for method in ("jackknife+", "cv+", "split"):
        run("fit", "ridge", table, "--target", "y", "--conformal", method, "-o", path, "--force")
        run("predict", path, tmp_path / "new.csv", "--interval", "conformal", "--level", 0.8, "-o", out, "--force")
        loaded = mercer.load(path)
        assert isinstance(loaded, mercer.ConformalRegressor)
        assert loaded.method_ == method
        found = np.genfromtxt(out, delimiter=",", names=True)
        names = [name for name in found.dtype.names if "lower" in name or "upper" in name]
        expected = np.column_stack([found[name] for name in names])
        frame = pd.DataFrame(new, columns=["x"])
        np.testing.assert_allclose(loaded.predict_interval(frame, 0.8), expected, rtol=1e-9)
        # The file that Python writes gives the command line the same intervals.
        mercer.save(loaded, tmp_path / "again")
        run(
            "predict",
            tmp_path / "again",
            tmp_path / "new.csv",
            "--interval",
            "conformal",
            "--level",
            0.8,
            "-o",
            out,
            "--force",
        )
        again = np.genfromtxt(out, delimiter=",", names=True)
        np.testing.assert_allclose(np.column_stack([again[name] for name in names]), expected, rtol=1e-9)


def test_files_refuse_what_they_cannot_hold(tmp_path):
    X, y = wave(40, 0)
    with pytest.raises(TypeError, match="LinearRegression"):
        mercer.save(mercer.ConformalRegressor(LinearRegression()).fit(X, y), tmp_path / "model")
    scaled = mercer.GaussianProcessRegressor("gaussian()", noise=0.3, optimize=False, normalize_y=True)
    with pytest.raises(ValueError, match="normalize_y=False"):
        mercer.save(mercer.ConformalRegressor(scaled, method="cv+", cv=3).fit(X, y), tmp_path / "model")
    assert not (tmp_path / "model").exists()


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([mercer.ConformalRegressor(), mercer.ConformalClassifier()])
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_tags_are_those_of_the_estimator_inside():
    assert mercer.ConformalRegressor(LinearRegression()).__sklearn_tags__().target_tags.multi_output
    assert not mercer.ConformalRegressor(mercer.SVR()).__sklearn_tags__().target_tags.multi_output
    assert not mercer.ConformalClassifier(RandomForestClassifier()).__sklearn_tags__().target_tags.multi_output


@pytest.mark.parametrize("form", ["csr_array", "csc_matrix", "coo_array", "dia_matrix", "bsr_array"])
def test_sparse_points_of_every_format(form):
    X, y = blobs(60, 3)
    points = getattr(scipy.sparse, form)(X)
    dense = mercer.ConformalClassifier(method="cv+", cv=3).fit(X, y)
    sparse = mercer.ConformalClassifier(method="cv+", cv=3).fit(points, y)
    np.testing.assert_array_equal(sparse.predict_set(points), dense.predict_set(X))


def test_a_column_of_labels_is_flattened_with_a_warning():
    X, y = blobs(60, 3)
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        model = mercer.ConformalClassifier().fit(X, y[:, np.newaxis])
    np.testing.assert_array_equal(model.predict(X), mercer.ConformalClassifier().fit(X, y).predict(X))
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        assert mercer.ConformalRegressor(mercer.SVR()).fit(X, X[:, :1]).predict(X).ndim == 1
