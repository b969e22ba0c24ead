"""Model files: the estimator comes back, predicts the same bytes, and keeps the names of its columns."""

import json
import pickle
import struct
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel

import mercer

STORED = Path(__file__).parents[2] / "mercer" / "tests" / "models"
RNG = np.random.default_rng(17)
X, T = RNG.uniform(size=(50, 2)), RNG.uniform(size=(9, 2))
Y = np.sin(5 * X[:, 0]) + X[:, 1] + 0.1 * RNG.normal(size=50)

ESTIMATORS = [
    mercer.KernelRidge(0.1, kernel="rbf", gamma=2.0, fit_intercept=True),
    mercer.KernelRidge(0.1, kernel=mercer.matern(nu=0.8, lengthscale="median")),
    mercer.KernelRidgeCV([0.01, 0.1], kernel="gaussian()", lengthscales=[0.3, 1.0], scoring="gcv"),
    mercer.GaussianProcessRegressor("1*gaussian(lengthscale=[1, 1])", normalize_y=True),
    mercer.GaussianProcessRegressor("1*gaussian()", n_inducing=12, approximation="fitc"),
    mercer.NadarayaWatson(0.3, weights="gaussian"),
    mercer.SmoothingSpline(order=3),
    mercer.SmoothingSpline(0.01, period=1.0),
    mercer.LocalLinear(weights="gaussian"),
    mercer.SVR(C=3.0),
    mercer.NuSVR(nu=0.3, kernel="matern(nu=3/2)"),
    mercer.KernelMachine("huber", 0.1, delta=0.3),
]


CLASSES = np.array(["low", "mid", "high"])[np.digitize(Y, [0.3, 1.0])]
CLASSIFIERS = [
    mercer.SVC(C=5.0, probability=True, random_state=3),
    mercer.SVC(kernel="gaussian(lengthscale=median)", probability=True, calibration="isotonic", multi_class="ovr"),
    mercer.SVCCV([0.5, 5.0], gammas=[0.1, "scale"], cv=2),
    mercer.NuSVC(nu=0.2, class_weight="balanced", decision_function_shape="ovo"),
    mercer.KernelLogisticRegression(0.1),
]


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize(
    "labels", [CLASSES, np.digitize(Y, [0.3, 1.0]), Y > 0.5, np.digitize(Y, [0.3, 1.0]) * 2.0], ids=str
)
def test_classifiers_come_back(estimator, labels, path):
    model = clone(estimator).fit(X, labels)
    loaded = there_and_back(model, path)
    assert type(loaded) is type(model)
    assert loaded.classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(loaded.predict(T), model.predict(T))
    assert loaded.decision_function(T).tobytes() == model.decision_function(T).tobytes()
    if hasattr(model, "predict_proba"):
        assert loaded.predict_proba(T).tobytes() == model.predict_proba(T).tobytes()
    public = [name for name in vars(model) if name.endswith("_") and not name.startswith("_")]
    for name in public:
        # What the run took is not in the file.
        if name not in ("X_fit_", "plan_"):
            assert same(getattr(loaded, name), getattr(model, name)), name
    assert pickle.loads(pickle.dumps(model)).decision_function(T).tobytes() == model.decision_function(T).tobytes()


def test_svms_of_two_sides_and_regions_come_back(path):
    sides = np.where(Y > 0.5, "yes", "no")
    for model in (mercer.KernelMachine("squared_hinge", 0.1), mercer.KernelMachine("logistic", 0.1)):
        loaded = there_and_back(model.fit(X, sides), path)
        np.testing.assert_array_equal(loaded.predict(T), model.predict(T))
        np.testing.assert_array_equal(loaded.classes_, ["no", "yes"])
    region = mercer.OneClassSVM(nu=0.2).fit(X)
    loaded = there_and_back(region, path)
    assert loaded.decision_function(T).tobytes() == region.decision_function(T).tobytes()
    curves = mercer.KernelMachine("quantile", 0.1, quantile=[0.1, 0.9]).fit(X, Y)
    assert there_and_back(curves, path).predict(T).tobytes() == curves.predict(T).tobytes()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


def there_and_back(model, path):
    mercer.save(model, path)
    return mercer.load(str(path))


def same(found, expected):
    if isinstance(expected, np.ndarray) and expected.dtype != object:
        return np.asarray(found).tobytes() == expected.tobytes()
    return np.array_equal(found, expected)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_everything_comes_back(estimator, path):
    line = isinstance(estimator, (mercer.SmoothingSpline, mercer.LocalLinear))
    x, t = (X[:, 0], T[:, 0]) if line else (X, T)
    model = clone(estimator).fit(x, Y)
    loaded = there_and_back(model, path)
    assert type(loaded) is type(model)
    written = {k: str(v) if isinstance(v, mercer.Kernel) else v for k, v in model.get_params().items()}
    assert loaded.get_params() == written
    assert loaded.predict(t).tobytes() == model.predict(t).tobytes()
    # What the run took is not in the file.
    public = [name for name in vars(model) if name.endswith("_") and not name.startswith("_") and name != "plan_"]
    if getattr(model, "inducing_", None) is not None:
        public = [name for name in public if name not in ("X_train_", "y_train_")]
    for name in public:
        assert same(getattr(loaded, name), getattr(model, name)), name
    again = path.with_name("again.safetensors")
    mercer.save(loaded, again)
    assert again.read_bytes() == path.read_bytes()
    refitted = clone(loaded).fit(x, Y)
    assert refitted.predict(t).tobytes() == model.predict(t).tobytes()


def test_spreads_come_back(path):
    model = mercer.GaussianProcessRegressor("1*gaussian()", normalize_y=True).fit(X, 100 + 50 * Y)
    loaded = there_and_back(model, path)
    for found, expected in zip(loaded.predict(T, return_std=True), model.predict(T, return_std=True), strict=True):
        assert found.tobytes() == expected.tobytes()
    assert loaded.sample_y(T, 2).tobytes() == model.sample_y(T, 2).tobytes()
    assert loaded.log_marginal_likelihood_gradient_.tobytes() == model.log_marginal_likelihood_gradient_.tobytes()
    np.testing.assert_allclose(loaded.y_train_, (Y - Y.mean()) / Y.std(), rtol=1e-9)


def test_units_of_y():
    """A process on scaled targets is the same process: kernel and noise scale with them."""
    y = 100 + 50 * Y
    scaled = mercer.GaussianProcessRegressor("1.5*gaussian()", noise=0.1, optimize=False, normalize_y=True).fit(X, y)
    factor = y.std() ** 2
    kernel = 1.5 * factor * mercer.gaussian()
    plain = mercer.GaussianProcessRegressor(kernel, noise=0.1 * factor, optimize=False).fit(X, y - y.mean())
    for noise in (False, True):
        mean, std = scaled.predict(T, return_std=True, include_noise=noise)
        np.testing.assert_allclose(mean, y.mean() + plain.predict(T), rtol=1e-10)
        np.testing.assert_allclose(std, plain.predict(T, return_std=True, include_noise=noise)[1], rtol=1e-8)
    covariance = scaled.predict(T, return_cov=True)[1]
    np.testing.assert_allclose(covariance, plain.predict(T, return_cov=True)[1], rtol=1e-7, atol=1e-9 * factor)
    ours, theirs = scaled.leave_one_out(), plain.leave_one_out()
    np.testing.assert_allclose(ours.mean, y.mean() + theirs.mean, rtol=1e-9)
    np.testing.assert_allclose(ours.variance, theirs.variance, rtol=1e-9)
    assert ours.log_density == pytest.approx(theirs.log_density, rel=1e-9)


def test_names_of_columns(path):
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = mercer.KernelRidge(0.1, kernel="on([b], gaussian()) + linear()").fit(frame, pd.Series(Y, name="target"))
    loaded = there_and_back(model, path)
    assert list(loaded.feature_names_in_) == ["a", "b"]
    assert loaded.predict(frame).tobytes() == model.predict(frame).tobytes()
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame[["b", "a"]])
    inputs = json.loads(header(path)["inputs"])
    assert inputs["targets"] == ["target"]
    assert inputs["features"]["names"] == ["a", "b"]


def header(path):
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8 : 8 + size])["__metadata__"]


def test_several_outputs_and_shapes(path):
    both = np.column_stack([Y, 2 * Y])
    for y in (both, both[:, :1]):
        model = mercer.KernelRidge(0.1, kernel="rbf").fit(X, y)
        loaded = there_and_back(model, path)
        assert loaded.predict(T).shape == (9, y.shape[1])
        assert loaded.predict(T).tobytes() == model.predict(T).tobytes()
        assert loaded.loo_residuals_.shape == y.shape


def test_null_spaces_and_precomputed_kernels(path):
    model = mercer.KernelRidge(0.1, kernel="rbf", fit_intercept=True).fit(X, Y, null_space=X)
    loaded = there_and_back(model, path)
    assert loaded.predict(T, null_space=T).tobytes() == model.predict(T, null_space=T).tobytes()
    model = mercer.KernelRidge(0.1, kernel="precomputed").fit(rbf_kernel(X), Y)
    loaded = there_and_back(model, path)
    assert loaded.predict(rbf_kernel(T, X)).tobytes() == model.predict(rbf_kernel(T, X)).tobytes()


def test_diagnostics_that_were_not_computed_are_not_there(path):
    x, y = RNG.uniform(size=(1100, 1)), RNG.normal(size=1100)
    loaded = there_and_back(mercer.KernelRidge(kernel="gaussian()").fit(x, y), path)
    with pytest.raises(AttributeError, match="does not hold the targets"):
        loaded.dof_  # noqa: B018


LIBRARY = {
    path.with_suffix(".safetensors").name: json.loads(path.read_text()) for path in sorted(STORED.glob("*.json"))
}


#: Views without predictions.
VIEWS = [name for name, numbers in LIBRARY.items() if "transform1" in numbers and "kmeans" not in name]


@pytest.mark.parametrize("name", [name for name in LIBRARY if name not in VIEWS or "spectral" in name])
def test_files_of_the_library(name, path):
    """The stored files of the first version, which Rust wrote: vectors, and tables whose columns are encoded."""
    model, table = mercer.load(STORED / name), pd.read_csv(STORED / "points.csv")
    expected = np.array(LIBRARY[name]["prediction"])
    if hasattr(model, "feature_names_in_"):
        found = model.predict(table[["z", "x", "kind"]])
        assert model.predict(table.to_numpy(dtype=object)).tobytes() == found.tobytes()
        with pytest.raises(ValueError, match="no column `kind`"):
            model.predict(table[["x", "z"]])
        with pytest.raises(ValueError, match="row 0, column kind"):
            model.predict(table.assign(kind="unheard of"))
    else:
        found = model.predict(table[["x"]].to_numpy())
    if hasattr(model, "classes_"):
        np.testing.assert_array_equal(found, model.classes_[expected.astype(int)])
        methods = {"probabilities": "predict_proba", "decision": "decision_function"}
        key = next(key for key in methods if key in LIBRARY[name])
        values = getattr(model, methods[key])(table[["z", "x", "kind"]])
        np.testing.assert_allclose(values.ravel(), LIBRARY[name][key], rtol=1e-9)
    else:
        np.testing.assert_allclose(found.ravel(), expected, rtol=1e-11)
    again = there_and_back(model, path)
    points = table if hasattr(model, "feature_names_in_") else table[["x"]].to_numpy()
    assert again.predict(points).tobytes() == found.tobytes()
    if "upper" in LIBRARY[name] and hasattr(model, "noise_"):
        _, std = model.predict(points, return_std=True, include_noise=True)
        np.testing.assert_allclose(found + 1.959963984540054 * std, LIBRARY[name]["upper"], rtol=1e-10)


@pytest.mark.parametrize("name", [name for name in VIEWS if "spectral" not in name])
def test_views_of_the_library(name, path):
    """Tables are encoded as every view was, with scaling and categories, also after the file is written again."""
    model, table = mercer.load(STORED / name), pd.read_csv(STORED / "points.csv")
    low, high = table[["kind", "x"]], table[["z"]]
    mercer.save(model, path)
    for each in (model, mercer.load(path)):
        if hasattr(each, "transform_low"):
            found = [each.transform_low(low), each.transform_high(high)]
            assert each.match(low, high)[0].shape == (len(table), 1)
        elif isinstance(each, mercer.KernelCCA):
            found = each.transform([low, high])
            np.testing.assert_array_equal(each.transform(low, high)[1], found[1])
            np.testing.assert_array_equal(each.transform(low), found[0])
            np.testing.assert_array_equal(each.transform([None, high.to_numpy()])[1], found[1])
            assert -1 <= each.score(low, high) <= 1
        else:
            found = [each.transform(table[[str(name) for name in each.feature_names_in_]])]
        for view, values in enumerate(found, 1):
            np.testing.assert_allclose(values.ravel(), LIBRARY[name][f"transform{view}"], rtol=1e-9, atol=1e-11)
    if isinstance(model, mercer.KernelCCA):
        with pytest.raises(ValueError, match="no column `kind`"):
            model.transform(table[["x"]], high)
        # Another fit is one of points.
        x, y = RNG.normal(size=(30, 2)), RNG.normal(size=(30, 2))
        model.set_params(kernels="linear()").fit(x, y)
        assert model.transform(x, y)[0].shape == (30, 1)


def test_what_cannot_be_saved(path):
    with pytest.raises(TypeError, match="only estimators of this package can be saved as model files, not Ridge"):
        mercer.save(Ridge().fit(X, Y), path)
    with pytest.raises(NotFittedError):
        mercer.save(mercer.KernelRidge(), path)
    with pytest.raises(ValueError, match="kernel that Python computes"):
        mercer.save(mercer.KernelRidge(kernel=lambda a, b: a @ b).fit(X, Y), path)
    with pytest.raises(ValueError, match="one alpha"):
        mercer.save(mercer.KernelRidge([1.0, 2.0]).fit(X, np.column_stack([Y, Y])), path)
    assert not path.exists()


def test_files_that_are_wrong(tmp_path):
    with pytest.raises(FileNotFoundError):
        mercer.load(tmp_path / "nothing.safetensors")
    with pytest.raises(FileNotFoundError):
        mercer.save(mercer.KernelRidge().fit(X, Y), tmp_path / "no" / "folder.safetensors")
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(b"no model")
    with pytest.raises(ValueError, match="no model can be read"):
        mercer.load(broken)
    mercer.save(mercer.KernelRidge().fit(X, Y), broken)
    with pytest.raises(MemoryError, match="a model file needs"):
        mercer.load(broken, max_memory=100)


@pytest.mark.parametrize("kind", [mercer.SVC, mercer.NuSVC, mercer.KernelLogisticRegression, mercer.SVCCV])
@pytest.mark.parametrize("labels", [CLASSES, np.digitize(Y, [0.3, 1.0]), Y > 0.5, np.digitize(Y, [0.3, 1.0]) * 2.0])
def test_class_weights_keep_their_labels(kind, labels, path):
    classes, more = np.unique(labels), {"nu": 0.1} if kind is mercer.NuSVC else {}
    # Labels and weights of numpy, too.
    weights = {label: np.float64(1.0 + at) for at, label in enumerate(classes)}
    loaded = there_and_back(kind(class_weight=weights, **more).fit(X, labels), path)
    assert loaded.class_weight == weights
    assert {type(label) for label in loaded.class_weight} == {type(label) for label in classes.tolist()}
    np.testing.assert_array_equal(clone(loaded).fit(X, labels).predict(T), loaded.predict(T))


def test_parameters_keep_their_types(path):
    alpha = np.linspace(0.1, 0.2, len(X)).astype(np.float32)
    process = there_and_back(mercer.GaussianProcessRegressor("gaussian()", alpha=alpha).fit(X, Y), path)
    assert isinstance(process.alpha, np.ndarray)
    assert process.alpha.dtype == alpha.dtype
    np.testing.assert_array_equal(process.alpha, alpha)
    inducing = mercer.GaussianProcessRegressor("gaussian()", inducing=X[:4].copy()).fit(X, Y)
    np.testing.assert_array_equal(there_and_back(inducing, path).inducing, X[:4])
    grid = mercer.KernelRidgeCV((0.1, 1.0), kernel="gaussian()", lengthscales=np.array([0.5, 1.0])).fit(X, Y)
    loaded = there_and_back(grid, path)
    assert (loaded.alphas, type(loaded.lengthscales)) == ((0.1, 1.0), np.ndarray)
    given = mercer.KernelRidge(kernel="rbf", kernel_params={"gamma": 1.0}, alpha=np.array([0.1, 0.2]))
    loaded = there_and_back(given.set_params(alpha=0.1).fit(X, Y), path)
    assert loaded.kernel_params == {"gamma": 1.0}
    conformal = mercer.ConformalClassifier(mercer.SVC(class_weight={0: 2.0, 1: 1.0}), method="split")
    loaded = there_and_back(conformal.fit(X, (Y > 0.5).astype(int)), path)
    assert loaded.estimator.class_weight == {0: 2.0, 1: 1.0}
