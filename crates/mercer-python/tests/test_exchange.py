"""Models from and to other libraries: scikit-learn's kernels and fitted estimators, ONNX, LIBSVM's files."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn import decomposition, gaussian_process, kernel_approximation, kernel_ridge, svm
from sklearn.gaussian_process.kernels import (
    RBF,
    ConstantKernel,
    DotProduct,
    ExpSineSquared,
    Matern,
    PairwiseKernel,
    RationalQuadratic,
    WhiteKernel,
)
from sklearn.model_selection import GridSearchCV

import mercer

RNG = np.random.default_rng(3)
X = RNG.normal(size=(80, 3)) + 2
Z = RNG.normal(size=(30, 3)) + 2
Y = np.sin(X[:, 0]) + X[:, 1]
CODES = np.digitize(Y, [2.0, 3.2])
LABELS = {
    "integers": CODES,
    "two": CODES > 0,
    "words": np.array(["low", "middle", 'a "quoted" \\ name'])[CODES],
}
GRAM, CROSS = X @ X.T, Z @ X.T
close = {"rtol": 1e-10, "atol": 1e-10}


@pytest.mark.parametrize(
    "theirs",
    [
        RBF(0.7),
        RBF([0.5, 1.0, 2.0]),
        2.0 * Matern(1.3, nu=1.5) + ConstantKernel(0.5),
        RationalQuadratic(1.2, 0.6),
        DotProduct(2.0) * RBF(1.5),
        (DotProduct(1.0)) ** 2,
    ],
    ids=str,
)
def test_kernel_objects_have_the_same_values(theirs):
    ours = mercer.from_sklearn(theirs)
    np.testing.assert_allclose(ours(X, Z), theirs(X, Z), rtol=1e-10)


def test_kernel_objects_that_have_no_translation():
    line = X[:, :1]
    one = mercer.from_sklearn(ExpSineSquared(1.1, 2.0), n_features=1)
    np.testing.assert_allclose(one(line), ExpSineSquared(1.1, 2.0)(line), rtol=1e-10)
    for kernel, message in (
        (ExpSineSquared(), "give n_features=1"),
        (RBF() + WhiteKernel(), "WhiteKernel is noise"),
        (PairwiseKernel(metric="cosine"), "Mercer has no kernel with these values"),
    ):
        with pytest.raises(ValueError, match=message):
            mercer.from_sklearn(kernel)


@pytest.mark.parametrize(
    "kind",
    [
        mercer.KernelRidge,
        mercer.KernelRidgeCV,
        mercer.SVR,
        mercer.NuSVR,
        mercer.OneClassSVM,
        mercer.SVC,
        mercer.NuSVC,
        mercer.SVCCV,
        mercer.KernelLogisticRegression,
        mercer.KernelMachine,
        mercer.KernelPCA,
        mercer.KernelKMeans,
        mercer.SpectralClustering,
        mercer.Nystroem,
        mercer.RandomFourierFeatures,
        mercer.EmpiricalKernelMap,
        mercer.StreamedKernelRidge,
    ],
)
def test_kernel_objects_are_kernels_everywhere(kind):
    y = CODES > 0 if hasattr(kind(), "class_weight") else Y
    model = kind(kernel=2.0 * RBF(0.7)).fit(X, y)
    own = kind(kernel="2*gaussian(lengthscale=0.7)").fit(X, y)
    assert str(model.kernel_) == str(own.kernel_)
    method = "predict" if hasattr(model, "predict") else "transform"
    np.testing.assert_array_equal(getattr(model, method)(Z), getattr(own, method)(Z))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(getattr(again, method)(Z), getattr(own, method)(Z))


def test_kernel_objects_in_tests_searches_and_files(tmp_path):
    kernel = RBF(1.3)
    ours = mercer.from_sklearn(kernel)
    assert mercer.mmd(X, Z, kernel) == mercer.mmd(X, Z, ours)
    assert mercer.hsic(X, X**2, kernel, kernel) == mercer.hsic(X, X**2, ours, ours)
    assert mercer.two_sample_test(X, Z, kernel).p_value == mercer.two_sample_test(X, Z, ours).p_value
    search = GridSearchCV(mercer.KernelRidge(0.1, kernel=RBF(1.0)), {"kernel__length_scale": [0.1, 1.0, 3.0]}, cv=3)
    assert search.fit(X, Y).best_params_["kernel__length_scale"] > 0.1
    model = mercer.SVC(kernel=kernel).fit(X, CODES)
    mercer.save(model, tmp_path / "model.safetensors")
    again = mercer.load(tmp_path / "model.safetensors")
    assert again.kernel == kernel
    np.testing.assert_array_equal(again.decision_function(Z), model.decision_function(Z))
    # White noise is no kernel of points: scikit-learn computes the values, as in its own class.
    noisy = RBF(1.3) + WhiteKernel(0.1)
    expected = kernel_ridge.KernelRidge(kernel=noisy).fit(X, Y).predict(Z)
    np.testing.assert_allclose(mercer.KernelRidge(kernel=noisy).fit(X, Y).predict(Z), expected, **close)


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize(
    "theirs",
    [
        svm.SVC(),
        svm.SVC(kernel="linear", decision_function_shape="ovo"),
        svm.SVC(kernel="poly", coef0=0.5),
        svm.SVC(kernel="sigmoid"),
        svm.SVC(break_ties=True),
        svm.NuSVC(nu=0.2),
    ],
    ids=str,
)
def test_fitted_classifiers(theirs, labels, tmp_path):
    theirs.fit(X, LABELS[labels])
    ours = mercer.from_sklearn(theirs)
    np.testing.assert_allclose(ours.decision_function(Z), theirs.decision_function(Z), **close)
    np.testing.assert_array_equal(ours.predict(Z), theirs.predict(Z))
    for name in ("dual_coef_", "intercept_", "support_", "n_support_", "support_vectors_", "classes_", "class_weight_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    mercer.save(ours, tmp_path / "model.safetensors")
    again = mercer.load(tmp_path / "model.safetensors")
    assert again.decision_function(Z).tobytes() == ours.decision_function(Z).tobytes()
    np.testing.assert_array_equal(again.predict(Z), theirs.predict(Z))
    assert "support vectors" in ours.diagnose().facts


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("labels", LABELS)
def test_fitted_probabilities(labels, tmp_path):
    theirs = svm.SVC(probability=True, random_state=0).fit(X, LABELS[labels])
    ours = mercer.from_sklearn(theirs)
    # Of two classes scikit-learn's come from an iteration that stops at 0.0025; ours are the sigmoid.
    tolerance = 5e-3 if labels == "two" else 1e-10
    np.testing.assert_allclose(ours.predict_proba(Z), theirs.predict_proba(Z), atol=tolerance)
    np.testing.assert_array_equal(ours.predict(Z), theirs.predict(Z))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ours)).predict(Z), theirs.predict(Z))
    with pytest.warns(UserWarning, match="predicts the most probable class"):
        mercer.save(ours, tmp_path / "model.safetensors")


@pytest.mark.parametrize("theirs", [svm.SVR(epsilon=0.05), svm.NuSVR(kernel="poly"), svm.OneClassSVM(nu=0.2)], ids=str)
def test_fitted_machines(theirs, tmp_path):
    theirs.fit(X, Y)
    ours = mercer.from_sklearn(theirs)
    np.testing.assert_allclose(ours.predict(Z), theirs.predict(Z), **close)
    np.testing.assert_array_equal(ours.dual_coef_, theirs.dual_coef_)
    if hasattr(theirs, "score_samples"):
        np.testing.assert_allclose(ours.score_samples(Z), theirs.score_samples(Z), **close)
    mercer.save(ours, tmp_path / "model.safetensors")
    np.testing.assert_array_equal(mercer.load(tmp_path / "model.safetensors").predict(Z), ours.predict(Z))


def test_fitted_machines_on_kernel_values():
    theirs = svm.SVC(kernel="precomputed").fit(GRAM, CODES)
    ours = mercer.from_sklearn(theirs)
    np.testing.assert_allclose(ours.decision_function(CROSS), theirs.decision_function(CROSS), **close)
    with pytest.raises(ValueError, match="does not hold its points"):
        mercer.from_sklearn(svm.SVC(kernel=lambda a, b: a @ b.T).fit(X, CODES))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid", "laplacian", "cosine", "precomputed"])
def test_fitted_ridge_regressions(kernel, tmp_path):
    x, z = (GRAM, CROSS) if kernel == "precomputed" else (X, Z)
    # A wide tanh is far from positive semi-definite: scikit-learn's matrix would be singular.
    named = {"kernel": kernel, "gamma": 0.01 if kernel == "sigmoid" else None}
    for y in (Y, np.column_stack([Y, -Y])):
        theirs = kernel_ridge.KernelRidge(alpha=0.5, **named).fit(x, y)
        ours = mercer.from_sklearn(theirs)
        np.testing.assert_allclose(ours.predict(z), theirs.predict(z), **close)
        np.testing.assert_array_equal(ours.dual_coef_, theirs.dual_coef_)
        np.testing.assert_allclose(ours.fitted_, theirs.predict(x), **close)
    if kernel != "cosine":
        mercer.save(ours, tmp_path / "model.safetensors")
        np.testing.assert_array_equal(mercer.load(tmp_path / "model.safetensors").predict(z), ours.predict(z))
    weighted = kernel_ridge.KernelRidge(alpha=0.5, **named).fit(x, Y, sample_weight=np.linspace(0.5, 2, 80))
    np.testing.assert_allclose(mercer.from_sklearn(weighted).predict(z), weighted.predict(z), **close)


def test_fitted_ridge_regressions_with_names_and_several_alphas():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    theirs = kernel_ridge.KernelRidge(alpha=[0.5, 0.1], kernel="rbf").fit(frame, np.column_stack([Y, -Y]))
    ours = mercer.from_sklearn(theirs)
    np.testing.assert_allclose(ours.predict(frame), theirs.predict(frame), **close)
    assert list(ours.feature_names_in_) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        ours.predict(frame[["c", "a", "b"]])


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize(
    "kernel",
    [None, RBF() + WhiteKernel(0.1), 2.0 * Matern([1.0, 2.0, 3.0]), DotProduct() * RationalQuadratic() ** 1.5],
    ids=str,
)
def test_fitted_processes(kernel, normalize, tmp_path):
    settings = {"alpha": 0.05, "normalize_y": normalize, "optimizer": None}
    theirs = gaussian_process.GaussianProcessRegressor(kernel, **settings).fit(X, 3 * Y + 10)
    ours = mercer.from_sklearn(theirs)
    for found, expected in zip(ours.predict(Z, return_std=True), theirs.predict(Z, return_std=True), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(ours.alpha_, theirs.alpha_)
    np.testing.assert_allclose(ours.sample_y(Z, 2).shape, theirs.sample_y(Z, 2).shape)
    if ours._fit is not None:
        mercer.save(ours, tmp_path / "model.safetensors")
        np.testing.assert_array_equal(mercer.load(tmp_path / "model.safetensors").predict(Z), ours.predict(Z))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "cosine"])
def test_fitted_components(kernel):
    theirs = decomposition.KernelPCA(2, kernel=kernel).fit(X)
    ours = mercer.from_sklearn(theirs)
    np.testing.assert_allclose(ours.transform(Z), theirs.transform(Z), **close)
    np.testing.assert_array_equal(ours.eigenvalues_, theirs.eigenvalues_)
    if kernel != "cosine":
        theirs = decomposition.KernelPCA(2, kernel=kernel, fit_inverse_transform=True).fit(X)
        back = mercer.from_sklearn(theirs).inverse_transform(theirs.transform(Z))
        np.testing.assert_allclose(back, theirs.inverse_transform(theirs.transform(Z)), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid", "cosine"])
def test_fitted_landmarks(kernel):
    theirs = kernel_approximation.Nystroem(kernel=kernel, n_components=20, random_state=0).fit(X)
    ours = mercer.from_sklearn(theirs)
    np.testing.assert_allclose(ours.transform(Z), theirs.transform(Z), **close)
    again = pickle.loads(pickle.dumps(ours))
    np.testing.assert_array_equal(again.transform(Z), ours.transform(Z))
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())
    # A new fit forgets what was taken over.
    assert ours.fit(X[:, :2]).transform(Z[:, :2]).shape[0] == len(Z)


def test_what_cannot_be_taken_over():
    from sklearn.exceptions import NotFittedError
    from sklearn.linear_model import Ridge

    with pytest.raises(TypeError, match="Ridge cannot be taken over: expected a kernel"):
        mercer.from_sklearn(Ridge())
    with pytest.raises(NotFittedError):
        mercer.from_sklearn(svm.SVC())
    with pytest.raises(ValueError, match="offset = -1 is not allowed"):
        mercer.from_sklearn(svm.SVC(kernel="poly", coef0=-1.0).fit(X, CODES))
    with pytest.raises(ValueError, match="an inverse transform needs a kernel that Mercer has"):
        mercer.from_sklearn(decomposition.KernelPCA(2, kernel="cosine", fit_inverse_transform=True).fit(X))


def run(model, points=Z):
    """The outputs of an ONNX model, by onnxruntime."""
    onnxruntime = pytest.importorskip("onnxruntime")
    data = mercer.to_onnx(model).SerializeToString()
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": np.ascontiguousarray(points, dtype=np.float64)}), strict=True))


@pytest.mark.parametrize(
    "kernel",
    [
        "linear()",
        "polynomial(degree=2, scale=0.3)",
        "gaussian(lengthscale=1.7)",
        "gaussian(lengthscale=[1.1, 2.3, 3.1])",
        "laplacian(lengthscale=1.7)",
        "laplacian(lengthscale=1.7, norm=l1)",
        "matern(nu=1/2)",
        "matern(nu=3/2, lengthscale=[1.1, 2.3, 3.1])",
        "matern(nu=5/2, lengthscale=1.3)",
        "rational_quadratic(lengthscale=1.7, shape=0.7)",
        "cauchy(lengthscale=1.7)",
        "periodic(period=3.3, lengthscale=1.7)",
        "exponential(scale=30)",
        "1.3*on([0, 2], gaussian()) + on([1], linear())^2 + 0.7",
        "normalized(polynomial(degree=2, scale=0.3))",
        "exp(0.1*gaussian())",
        "gaussian(lengthscale=median)*linear()",
        "inverse_multiquadric(offset=0.7)",
        "wendland(smoothness=0, dimension=3, radius=2.5)",
        "wendland(smoothness=1, dimension=3, radius=4)",
        "wendland(smoothness=2, dimension=5, radius=5)",
        "minus(2*gaussian(lengthscale=2), gaussian(lengthscale=2))",
    ],
)
def test_onnx_kernels(kernel):
    model = mercer.KernelRidge(0.5, kernel=kernel, fit_intercept=True).fit(X, Y)
    np.testing.assert_allclose(run(model)["prediction"], model.predict(Z), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("kernel", "columns"),
    [("chi2(gamma=0.3)", 3), ("histogram_intersection()", 3), ("1 + wiener()", 1), ("bridge()", 1)],
)
def test_onnx_kernels_of_positive_numbers(kernel, columns):
    x, z = np.abs(X[:, :columns]) / 8, np.abs(Z[:, :columns]) / 8
    x[0, 0] = z[0, 0] = 0.0
    model = mercer.KernelRidge(0.5, kernel=kernel).fit(x, Y)
    np.testing.assert_allclose(run(model, z)["prediction"], model.predict(z), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        mercer.KernelRidge(0.5, kernel="rbf").fit(X, np.column_stack([Y, -Y])),
        mercer.KernelRidgeCV(kernel="gaussian()", lengthscales=[0.5, 1, 2, 4]).fit(X, Y),
        mercer.SVR().fit(X, Y),
        mercer.NuSVR(kernel="poly").fit(X, Y),
        mercer.GaussianProcessRegressor("1*gaussian()", noise=0.1, optimize=False, normalize_y=True).fit(X, Y),
        mercer.GaussianProcessRegressor(RBF() + WhiteKernel(0.1), optimizer=None).fit(X, Y),
        mercer.GaussianProcessRegressor("1*gaussian()", n_inducing=20, normalize_y=True, optimize=False).fit(X, Y),
        mercer.KernelRidge(0.5, kernel="gaussian()", n_centers=20).fit(X, Y),
    ],
    ids=lambda model: type(model).__name__,
)
def test_onnx_regressions(model):
    np.testing.assert_allclose(run(model)["prediction"], model.predict(Z), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize(
    "model",
    [
        mercer.SVC(),
        mercer.SVC(kernel="sigmoid"),
        mercer.NuSVC(nu=0.2),
        mercer.SVC(multi_class="ovr"),
        mercer.SVC(break_ties=True),
        mercer.SVCCV([1, 10], cv=3),
        mercer.KernelLogisticRegression(0.1, kernel="gaussian()"),
    ],
    ids=str,
)
def test_onnx_classifiers(model, labels):
    model.fit(X, LABELS[labels])
    found = run(model)
    np.testing.assert_allclose(found["scores"], model.decision_function(Z), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(found["label"], model.predict(Z))
    if "probabilities" in found:
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(Z), rtol=1e-9, atol=1e-12)


def test_onnx_of_other_models(tmp_path):
    region = mercer.OneClassSVM(nu=0.2).fit(X)
    np.testing.assert_allclose(run(region)["scores"], region.decision_function(Z), atol=1e-12)
    np.testing.assert_array_equal(run(region)["label"], region.predict(Z))
    sure = mercer.SVC(probability=True, random_state=0).fit(X, CODES > 0)
    np.testing.assert_allclose(run(sure)["probabilities"], sure.predict_proba(Z), atol=1e-12)
    np.testing.assert_array_equal(run(sure)["label"], sure.predict(Z))
    for count in (50, 51):
        features = mercer.RandomFourierFeatures("2*gaussian() + matern()", count, random_state=0).fit(X)
        np.testing.assert_allclose(run(features)["features"], features.transform(Z), atol=1e-12)
    offset = mercer.RandomFourierFeatures("gaussian()", 40, kind="offset", random_state=0).fit(X)
    np.testing.assert_allclose(run(offset)["features"], offset.transform(Z), atol=1e-12)
    few = mercer.Nystroem("gaussian()", 20, random_state=0).fit(X)
    np.testing.assert_allclose(run(few)["features"], few.transform(Z), atol=1e-12)
    given = mercer.SVC(kernel="precomputed").fit(GRAM, CODES)
    np.testing.assert_allclose(run(given, CROSS)["scores"], given.decision_function(CROSS), atol=1e-10)
    taken = mercer.from_sklearn(svm.SVC().fit(X, CODES))
    np.testing.assert_array_equal(run(taken)["label"], taken.predict(Z))
    mercer.export_onnx(few, tmp_path / "few.onnx")
    onnx = pytest.importorskip("onnx")
    assert onnx.load(tmp_path / "few.onnx").producer_name == "mercer"
    assert [file.name for file in tmp_path.iterdir()] == ["few.onnx"]


@pytest.mark.parametrize(
    ("loss", "options"),
    [
        ("huber", {}),
        ("absolute", {"fit_intercept": False}),
        ("poisson", {}),
        ("gamma", {}),
        ("tweedie", {"power": 1.3}),
        ("quantile", {"quantile": 0.3}),
        ("quantile", {"quantile": [0.2, 0.5, 0.9]}),
        ("squared", {"n_centers": 20}),
        ("hinge", {}),
        ("squared_hinge", {}),
        ("logistic", {}),
    ],
)
def test_onnx_losses(loss, options):
    classes = loss in ("hinge", "squared_hinge", "logistic")
    y = np.where(np.median(Y) < Y, "up", "down") if classes else np.exp(Y)
    model = mercer.KernelMachine(loss, 0.1, kernel="gaussian(lengthscale=0.7)", **options).fit(X, y)
    found = run(model)
    if not classes:
        np.testing.assert_allclose(found["prediction"], model.predict(Z), rtol=1e-9, atol=1e-9)
        return
    np.testing.assert_allclose(found["scores"], model.decision_function(Z), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(found["label"], model.predict(Z))
    assert ("probabilities" in found) == (loss == "logistic")
    if loss == "logistic":
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(Z), atol=1e-12)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "matern(nu=3/2)", "precomputed"])
def test_onnx_components(kernel):
    x, z = (GRAM, CROSS) if kernel == "precomputed" else (X, Z)
    model = mercer.KernelPCA(3, kernel=kernel).fit(x)
    np.testing.assert_allclose(run(model, z)["features"], model.transform(z), rtol=1e-9, atol=1e-9)
    whole = mercer.KernelPCA(kernel=kernel).fit(x)
    np.testing.assert_allclose(run(whole, z)["features"], whole.transform(z), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("method", ["simple", "alignment", "mean"])
@pytest.mark.parametrize("normalize", ["trace", "none"])
def test_onnx_of_several_kernels(method, normalize):
    kernels = ["gaussian(lengthscale=0.5)", "on([0], gaussian(lengthscale=2))", "linear()"]
    options = {"method": method, "normalize": normalize}
    for y in (Y, np.column_stack([Y, Y**2])):
        model = mercer.MultipleKernelRegressor(kernels, alpha=0.1, **options).fit(X, y)
        np.testing.assert_allclose(run(model)["prediction"], model.predict(Z), rtol=1e-9, atol=1e-9)
    for labels in (CODES, CODES > 0):
        model = mercer.MultipleKernelClassifier(kernels, C=10, **options).fit(X, labels)
        found = run(model)
        np.testing.assert_allclose(found["scores"], model.decision_function(Z), rtol=1e-8, atol=1e-8)
        np.testing.assert_array_equal(found["label"], model.predict(Z))


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("lam", ["gcv", 0.001, 1e-9])
def test_onnx_splines(order, lam):
    x, places = X[:, 0].round(2), np.linspace(X[:, 0].min() - 0.5, X[:, 0].max() + 0.5, 301)
    model = mercer.SmoothingSpline(lam, order=order).fit(x, Y)
    found = run(model, np.concatenate([places, model.knots_])[:, None])["prediction"]
    expected = model.predict(np.concatenate([places, model.knots_]))
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)


def test_what_onnx_cannot_hold():
    pytest.importorskip("onnx")
    with pytest.raises(TypeError, match="KernelKMeans cannot be exported to ONNX"):
        mercer.to_onnx(mercer.KernelKMeans(2).fit(X))
    with pytest.raises(ValueError, match="brownian has no form in primitive operators"):
        mercer.to_onnx(mercer.KernelRidge(kernel="brownian()").fit(X, Y))
    with pytest.raises(ValueError, match="fit with probability=False"):
        mercer.to_onnx(mercer.SVC(probability=True).fit(X, CODES))
    with pytest.raises(ValueError, match="ONNX takes vectors"):
        mercer.to_onnx(mercer.KernelRidge(kernel="spectrum(length=2)").fit(["aab", "bba", "abab"], [0.0, 1.0, 2.0]))
    with pytest.raises(ValueError, match="a kernel that Python computes"):
        mercer.to_onnx(mercer.KernelRidge(kernel="cosine").fit(X, Y))
    with pytest.raises(ValueError, match="a periodic spline cannot be exported"):
        mercer.to_onnx(mercer.SmoothingSpline(0.1, period=9.0).fit(X[:, 0], Y))
    with pytest.raises(ValueError, match="fit on all points"):
        mercer.to_onnx(mercer.KernelPCA(2, kernel="rbf", n_landmarks=10, eigen_solver="nystrom").fit(X))
    with pytest.raises(ValueError, match="unpenalized functions"):
        mercer.to_onnx(mercer.KernelRidge(kernel="gaussian()").fit(X, Y, null_space=X))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid", "precomputed"])
def test_files_of_libsvm(kernel, tmp_path):
    x, z = (GRAM, CROSS) if kernel == "precomputed" else (X, Z)
    path = tmp_path / "machine.model"
    for model in (mercer.SVC(kernel=kernel, C=3), mercer.SVR(kernel=kernel), mercer.OneClassSVM(kernel=kernel)):
        model.fit(x, CODES if isinstance(model, mercer.SVC) else Y)
        mercer.export_libsvm(model, path)
        again = mercer.from_libsvm(path, n_features=x.shape[1])
        assert type(again) is type(model)
        np.testing.assert_allclose(again.predict(z), model.predict(z), rtol=1e-12, atol=1e-12)


def test_files_of_libsvm_with_probabilities_and_of_others(tmp_path):
    sure = mercer.SVC(probability=True, random_state=0).fit(X, CODES)
    mercer.export_libsvm(sure, tmp_path / "machine.model")
    again = mercer.from_libsvm(tmp_path / "machine.model")
    np.testing.assert_allclose(again.predict_proba(Z), sure.predict_proba(Z), atol=1e-12)
    with pytest.raises(TypeError, match="only support vector machines have model files of LIBSVM, not KernelRidge"):
        mercer.export_libsvm(mercer.KernelRidge().fit(X, Y), tmp_path / "machine.model")
    with pytest.raises(ValueError, match="LIBSVM"):
        mercer.export_libsvm(mercer.SVC(kernel="matern()").fit(X, CODES), tmp_path / "other.model")
    assert not (tmp_path / "other.model").exists()
    with pytest.raises(OSError, match=r"no\.model"):
        mercer.from_libsvm(tmp_path / "no.model")
