"""The settings in model files: files that Rust or the command line wrote load with the parameters of the fit."""

import json
import struct

import numpy as np
import pytest
from sklearn.base import clone

import mercer

RNG = np.random.default_rng(5)
X = RNG.uniform(size=(60, 2))
Y = np.sin(5 * X[:, 0]) + X[:, 1] + 0.1 * RNG.normal(size=60)
CLASSES = np.array(["high", "low", "mid"])[np.digitize(Y, [0.6, 1.2])]
K = "gaussian(lengthscale=median)"
MAX = 10_000_000

#: Estimators of every kind that a file can hold, and the parameters that its settings must hold.
REGRESSORS = [
    (mercer.KernelRidge(0.3, kernel=K, fit_intercept=True), ["alpha", "kernel", "fit_intercept", "solver"]),
    (mercer.KernelRidge(0.3, kernel=K, solver="cg"), ["solver", "indefinite"]),
    (
        mercer.KernelRidge(0.3, kernel=K, n_centers=12, landmarks="greedy", tol=1e-6, max_iter=50, random_state=5),
        ["n_centers", "landmarks", "tol", "max_iter", "random_state"],
    ),
    (
        mercer.KernelRidge(0.3, kernel=K, n_centers=12, validation_fraction=0.2, n_iter_no_change=3),
        ["validation_fraction", "n_iter_no_change"],
    ),
    (
        mercer.GaussianProcessRegressor("1*gaussian()", noise=0.2, fixed=["noise"], n_restarts_optimizer=1),
        ["kernel", "noise", "optimize", "fixed", "n_restarts_optimizer"],
    ),
    (mercer.GaussianProcessRegressor("2*gaussian()", noise=0.2, optimize=False, normalize_y=True), ["normalize_y"]),
    (
        mercer.GaussianProcessRegressor("1*gaussian()", n_inducing=7, inducing="random", approximation="fitc"),
        ["n_inducing", "inducing", "approximation", "optimize_inducing"],
    ),
    (mercer.NadarayaWatson(0.3, weights="tricube"), ["bandwidth", "weights"]),
    (mercer.NadarayaWatson(), ["bandwidth", "weights"]),
    (mercer.SVR(C=3.5, epsilon=0.03, tol=1e-4, kernel=K, max_iter=MAX), ["C", "epsilon", "tol", "kernel", "max_iter"]),
    (mercer.SVR(fit_intercept=False, kernel=K), ["fit_intercept", "allow_indefinite", "max_iter"]),
    (mercer.NuSVR(nu=0.3, C=2.5, kernel=K), ["nu", "C"]),
    (
        mercer.KernelMachine("huber", 0.1, delta=0.3, kernel=K, tol=1e-9, max_iter=60),
        ["loss", "delta", "tol", "max_iter"],
    ),
    (mercer.KernelMachine("huber", 0.1, delta=0.3, kernel=K, fit_intercept=False, solver="newton-cg"), ["solver"]),
    (mercer.KernelMachine("quantile", 0.1, quantile=0.8, kernel=K), ["loss", "quantile", "alpha"]),
    (mercer.KernelMachine("quantile", 0.1, quantile=[0.1, 0.9], kernel=K), ["loss", "quantile"]),
    (mercer.KernelMachine("epsilon_insensitive", 0.1, epsilon=0.02, kernel=K), ["loss", "epsilon"]),
    (
        mercer.StreamedKernelRidge(0.2, kernel=K, n_components=9, features="nystroem", random_state=3),
        ["alpha", "kernel"],
    ),
    (
        mercer.StreamedKernelRidge(
            [0.1, 1.0], kernel=K, n_components=8, features="fourier", folds=4, fit_intercept=True
        ),
        ["alpha", "n_components", "features", "folds", "fit_intercept"],
    ),
]
LINES = [
    (mercer.SmoothingSpline(0.01, order=3), ["lam", "order", "period", "df"]),
    (mercer.SmoothingSpline("reml", period=1.5), ["lam", "period"]),
    (mercer.SmoothingSpline(df=6), ["lam", "df"]),
    (mercer.LocalLinear(0.3, weights="biweight"), ["bandwidth", "weights"]),
]
CLASSIFIERS = [
    (
        mercer.SVC(
            C=12.5,
            kernel=K,
            tol=1e-4,
            class_weight={"low": 2.0, "mid": 1.0, "high": 0.5},
            probability=True,
            calibration="isotonic",
            calibration_cv=3,
            multi_class="ovr",
            random_state=4,
        ),
        ["C", "tol", "class_weight", "probability", "calibration", "calibration_cv", "multi_class", "random_state"],
    ),
    (mercer.SVC(break_ties=True, fit_intercept=False, kernel=K), ["break_ties", "fit_intercept", "probability"]),
    (mercer.NuSVC(nu=0.2, kernel=K), ["nu", "kernel", "max_iter"]),
    (
        mercer.KernelLogisticRegression(0.4, kernel=K, class_weight={"low": 2.0, "mid": 1.0, "high": 0.5}),
        ["alpha", "kernel", "class_weight", "fit_intercept", "solver"],
    ),
    (
        mercer.KernelLogisticRegression(0.4, kernel=K, n_centers=12, max_iter=40, tol=1e-5),
        ["n_centers", "max_iter", "tol"],
    ),
]
CASES = [(e, p, X, Y) for e, p in REGRESSORS] + [(e, p, X[:, :1], Y) for e, p in LINES]
CASES += [(e, p, X, CLASSES) for e, p in CLASSIFIERS] + [
    (mercer.OneClassSVM(nu=0.15, kernel=K), ["nu", "kernel", "tol"], X, None)
]


def without_python(path):
    """Take out what Python alone wrote: what is left is a file of Rust or the command line."""
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    texts = header["__metadata__"]
    header["__metadata__"] = {name: text for name, text in texts.items() if not name.startswith("note.python.")}
    assert len(header["__metadata__"]) < len(texts)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + size :])


@pytest.mark.parametrize(("estimator", "names", "x", "y"), CASES, ids=lambda v: type(v).__name__)
def test_parameters_come_from_the_settings(estimator, names, x, y, tmp_path):
    path = tmp_path / "model.safetensors"
    model = clone(estimator).fit(x, y)
    mercer.save(model, path)
    without_python(path)
    loaded = mercer.load(path)
    assert type(loaded) is type(model)
    for name in names:
        found, expected = loaded.get_params()[name], model.get_params()[name]
        # A kernel is written in full, with the parameters that were left out.
        same = mercer.Kernel(found) == mercer.Kernel(expected) if name == "kernel" else found == expected
        assert same, (name, found, expected)
    assert np.asarray(loaded.predict(x)).tobytes() == np.asarray(model.predict(x)).tobytes()
    if hasattr(model, "class_weight_"):
        np.testing.assert_array_equal(loaded.class_weight_, model.class_weight_)
    # The same fit again, from the file alone.
    again = clone(loaded).fit(x, y)
    assert np.asarray(again.predict(x)).tobytes() == np.asarray(model.predict(x)).tobytes()


def test_inducing_points_that_were_given(tmp_path):
    points = X[:6].copy()
    model = mercer.GaussianProcessRegressor("1*gaussian()", inducing=points, optimize=False).fit(X, Y)
    mercer.save(model, tmp_path / "m")
    without_python(tmp_path / "m")
    loaded = mercer.load(tmp_path / "m")
    np.testing.assert_array_equal(loaded.inducing, points)
    assert loaded.n_inducing is None


def test_weights_that_python_balanced(tmp_path):
    model = mercer.SVC(class_weight="balanced", kernel=K).fit(X, CLASSES)
    mercer.save(model, tmp_path / "m")
    assert mercer.load(tmp_path / "m").class_weight == "balanced"
    without_python(tmp_path / "m")
    assert mercer.load(tmp_path / "m").class_weight == dict(zip(model.classes_, model.class_weight_, strict=True))


def test_searches_are_loaded_as_what_they_chose(tmp_path):
    model = mercer.KernelRidgeCV([0.01, 0.1], kernel="gaussian()", lengthscales=[0.3, 1.0]).fit(X, Y)
    mercer.save(model, tmp_path / "m")
    without_python(tmp_path / "m")
    loaded = mercer.load(tmp_path / "m")
    assert (type(loaded), loaded.alpha, loaded.kernel) == (mercer.KernelRidge, model.alpha_, str(model.kernel_))
    machine = mercer.SVCCV([0.5, 5.0], gammas=[0.1, 1.0], cv=2).fit(X, CLASSES)
    mercer.save(machine, tmp_path / "m")
    without_python(tmp_path / "m")
    loaded = mercer.load(tmp_path / "m")
    assert (type(loaded), loaded.C) == (mercer.SVC, machine.C_)


@pytest.mark.parametrize(("estimator", "names", "x", "y"), CASES, ids=lambda v: type(v).__name__)
def test_files_hold_nothing_about_the_run(estimator, names, x, y, tmp_path):
    files = []
    for n_jobs, more in [(1, {}), (2, {"max_memory": "2GB"}), (8, {"max_time": 1e6, "cache_size": 7})]:
        allowed = estimator.get_params()
        model = clone(estimator).set_params(n_jobs=n_jobs, **{k: v for k, v in more.items() if k in allowed})
        mercer.save(model.fit(x, y), tmp_path / f"{n_jobs}")
        files.append((tmp_path / f"{n_jobs}").read_bytes())
    assert files[0] == files[1] == files[2]
