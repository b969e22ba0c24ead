"""Sparse matrices of scipy as points: the answers of the same numbers as a dense array."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import mercer
from mercer._mercer import run_command

KERNELS = [
    "linear()",
    "polynomial(degree=2, offset=1)",
    "exponential(scale=0.3)",
    "tanh(scale=0.1, offset=0.1)",
    "gaussian(lengthscale=1.5)",
    "gaussian(lengthscale=median)",
    "matern(nu=3/2)",
    "rational_quadratic(shape=2)",
    "inverse_multiquadric(offset=1)",
    "laplacian(lengthscale=2)",
    "laplacian(lengthscale=2, norm=l1)",
    "cauchy(lengthscale=1)",
    "normalized(linear() + 1)",
    "gaussian() * linear() + 0.5",
    "on([0, 3], gaussian())",
]
FORMATS = [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array, sp.coo_matrix, sp.coo_array, sp.lil_matrix]


def rows(seed: int, n: int = 60, d: int = 12) -> np.ndarray:
    """Numbers of which about a third are not 0; one row and one column have none."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * (random.uniform(size=(n, d)) < 0.3)
    X[n // 3], X[:, d // 2] = 0.0, 0.0
    return X


@pytest.fixture
def X() -> np.ndarray:
    """Points of two classes."""
    X = rows(0)
    X[::2, 0] += 2.0
    return X


@pytest.fixture
def y(X: np.ndarray) -> np.ndarray:
    """A function of the points."""
    return np.sin(X[:, 0]) + 0.3 * X[:, 1]


@pytest.mark.parametrize("text", KERNELS)
def test_kernels_give_the_values_of_dense_rows(text: str, X: np.ndarray) -> None:
    kernel, Y = mercer.Kernel(text), rows(1, 20)
    np.testing.assert_allclose(kernel(sp.csr_matrix(X)), kernel(X), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(kernel.diag(sp.csr_matrix(X)), kernel.diag(X), rtol=1e-12, atol=1e-13)
    expected = kernel(X, Y)
    for left, right in [(sp.csr_matrix(X), sp.csc_array(Y)), (sp.csr_matrix(X), Y), (X, sp.csr_matrix(Y))]:
        np.testing.assert_allclose(kernel(left, right), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, bool])
def test_every_format_and_type_is_read(make: type, dtype: type) -> None:
    X = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=dtype)
    np.testing.assert_array_equal(mercer.Kernel("linear()")(make(X)), X.astype(float) @ X.astype(float).T)


def test_long_indices_unsorted_rows_and_repeated_entries() -> None:
    data, columns, starts = np.array([1.0, 2.0, 4.0, 8.0]), np.array([2, 0, 2, 1]), np.array([0, 3, 4])
    kernel = mercer.Kernel("linear()")
    for index in (np.int32, np.int64):
        X = sp.csr_matrix((data, columns.astype(index), starts.astype(index)), shape=(2, 3))
        assert not X.has_sorted_indices or X.indices.dtype == index
        np.testing.assert_array_equal(kernel(X), [[29.0, 0.0], [0.0, 64.0]])
    coo = sp.coo_matrix(([1.0, 2.0, 0.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    np.testing.assert_array_equal(kernel(coo), [[9.0, 0.0], [0.0, 0.0]])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(bad: float) -> None:
    X = sp.csr_matrix(np.array([[0.0, 1.0], [bad, 0.0]]))
    with pytest.raises(ValueError, match="row 1, column 0"):
        mercer.Kernel("linear()")(X)
    with pytest.raises(ValueError, match="NaN|infinity"):
        mercer.SVC().fit(X, [0, 1])


def test_what_is_no_matrix_of_real_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="complex"):
        mercer.Kernel("linear()")(sp.csr_matrix(np.array([[1j, 0.0]])))
    flat = sp.coo_array(np.array([1.0, 0.0]))
    # scipy before 1.13 makes a row of an array of one dimension.
    if flat.ndim == 1:
        with pytest.raises(ValueError, match="dimension"):
            mercer.Kernel("linear()")(flat)
    with pytest.raises(ValueError, match="wiener.*dense"):
        mercer.Kernel("wiener()")(sp.csr_matrix(np.eye(1)))


def estimators() -> list:
    """Regressions, classifiers and others that take sparse matrices."""
    return [
        mercer.KernelRidge(alpha=0.1, kernel="rbf"),
        mercer.KernelRidge(alpha=0.1, kernel="poly", degree=2),
        mercer.KernelRidge(alpha=0.1, kernel="laplacian"),
        mercer.KernelRidge(alpha=0.1, kernel="linear", fit_intercept=True),
        mercer.KernelRidge(alpha=0.1, kernel="cosine"),
        mercer.KernelRidgeCV(lengthscales=5),
        mercer.SVR(tol=1e-8),
        mercer.NuSVR(tol=1e-8),
        mercer.SVR(kernel="linear", tol=1e-8),
        mercer.KernelMachine(loss="huber"),
    ]


@pytest.mark.parametrize("model", estimators(), ids=lambda m: f"{type(m).__name__}-{m.kernel}")
def test_regressions_agree_with_dense_rows(model: object, X: np.ndarray, y: np.ndarray) -> None:
    expected = model.fit(X, y).predict(X)
    model.fit(sp.csr_matrix(X), y)
    np.testing.assert_allclose(model.predict(sp.csr_matrix(X)), expected, atol=2e-6)
    # A model of sparse rows predicts on dense ones.
    np.testing.assert_allclose(model.predict(X), expected, atol=2e-6)
    np.testing.assert_allclose(pickle.loads(pickle.dumps(model)).predict(sp.csc_matrix(X)), expected, atol=2e-6)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid", "gaussian(lengthscale=median)"])
@pytest.mark.parametrize("make", [mercer.SVC, mercer.NuSVC, mercer.KernelLogisticRegression])
def test_classifiers_agree_with_dense_rows(make: type, kernel: str, X: np.ndarray) -> None:
    if make is mercer.KernelLogisticRegression and kernel == "sigmoid":
        pytest.skip("needs a positive semi-definite kernel")
    if make is mercer.NuSVC and kernel in ("linear", "sigmoid"):
        pytest.skip("has no margin on these labels, dense or sparse")
    labels = np.array(["b", "a", "c"])[np.arange(len(X)) % 3]
    dense, sparse = make(kernel=kernel, tol=1e-9).fit(X, labels), make(kernel=kernel, tol=1e-9)
    sparse.fit(sp.csr_matrix(X), labels)
    np.testing.assert_allclose(sparse.decision_function(sp.csr_matrix(X)), dense.decision_function(X), atol=1e-6)
    np.testing.assert_array_equal(sparse.predict(X), dense.predict(X))


def test_support_vectors_and_coefficients_are_sparse(X: np.ndarray) -> None:
    labels = np.arange(len(X)) % 2
    model = mercer.SVC(kernel="linear", tol=1e-8).fit(sp.csr_matrix(X), labels)
    dense = mercer.SVC(kernel="linear", tol=1e-8).fit(X, labels)
    for name in ("support_vectors_", "dual_coef_", "coef_"):
        assert sp.issparse(getattr(model, name)), name
        assert not sp.issparse(getattr(dense, name)), name
    np.testing.assert_allclose(model.coef_.toarray(), dense.coef_, atol=1e-6)
    np.testing.assert_allclose(
        model.decision_function(X), X @ model.coef_.toarray().ravel() + model.intercept_, atol=1e-9
    )
    three = mercer.SVC(kernel="linear", tol=1e-8).fit(sp.csr_matrix(X), np.arange(len(X)) % 3)
    assert sp.issparse(three.coef_)
    assert three.coef_.shape == (3, X.shape[1])


def test_an_svm_of_dense_rows_refuses_sparse_ones(X: np.ndarray) -> None:
    model = mercer.SVC().fit(X, np.arange(len(X)) % 2)
    with pytest.raises(ValueError, match="trained on dense data"):
        model.predict(sp.csr_matrix(X))
    with pytest.raises(TypeError, match="precomputed"):
        mercer.SVC(kernel="precomputed").fit(sp.csr_matrix(np.eye(4)), [0, 1, 0, 1])


def test_gamma_is_that_of_dense_rows(X: np.ndarray) -> None:
    labels = np.arange(len(X)) % 2
    sparse, dense = mercer.SVC().fit(sp.csr_matrix(X), labels), mercer.SVC().fit(X, labels)
    assert sparse._gamma == pytest.approx(dense._gamma, rel=1e-13)


def test_novelty_and_views(X: np.ndarray) -> None:
    S = sp.csr_matrix(X)
    one, dense = mercer.OneClassSVM(tol=1e-9).fit(S), mercer.OneClassSVM(tol=1e-9).fit(X)
    np.testing.assert_allclose(one.decision_function(S), dense.decision_function(X), atol=1e-6)
    pca, expected = mercer.KernelPCA(3, kernel="rbf").fit(S), mercer.KernelPCA(3, kernel="rbf").fit(X)
    np.testing.assert_allclose(np.abs(pca.transform(S)), np.abs(expected.transform(X)), atol=1e-8)
    assert pca.fit_transform(S).shape == (len(X), 3)
    labels = mercer.KernelKMeans(2, random_state=0).fit_predict(S)
    np.testing.assert_array_equal(labels, mercer.KernelKMeans(2, random_state=0).fit_predict(X))


@pytest.mark.parametrize("make", [mercer.Nystroem, mercer.RandomFourierFeatures])
def test_features_agree_with_dense_rows(make: type, X: np.ndarray) -> None:
    S, settings = sp.csr_matrix(X), {"kernel": "gaussian(lengthscale=2)", "n_components": 20, "random_state": 0}
    sparse, dense = make(**settings).fit(S), make(**settings).fit(X)
    expected = dense.transform(X)
    np.testing.assert_allclose(sparse.transform(S), expected, atol=1e-8)
    np.testing.assert_allclose(pickle.loads(pickle.dumps(sparse)).transform(S), expected, atol=1e-8)
    assert sparse.transform(S.astype(np.float32)).dtype == np.float32


def test_measures_and_tests(X: np.ndarray) -> None:
    Y, k = rows(3, 50), "gaussian(lengthscale=2)"
    S, T = sp.csr_matrix(X), sp.csr_matrix(Y)
    assert mercer.mmd(S, T, kernel=k) == pytest.approx(mercer.mmd(X, Y, kernel=k), rel=1e-10)
    of = {"kernel_x": k, "kernel_y": k}
    assert mercer.hsic(S[:50], T, **of) == pytest.approx(mercer.hsic(X[:50], Y, **of), rel=1e-10)
    found, expected = mercer.two_sample_test(S, T), mercer.two_sample_test(X, Y)
    assert found.p_value == expected.p_value
    found, expected = mercer.independence_test(S[:50], T), mercer.independence_test(X[:50], Y)
    assert found.p_value == expected.p_value


def test_files(tmp_path: object, X: np.ndarray, y: np.ndarray) -> None:
    S = sp.csr_matrix(X)
    for model in (
        mercer.KernelRidge(alpha=0.1, kernel="rbf").fit(S, y),
        mercer.SVC(kernel="linear").fit(S, y > 0),
        mercer.SVR().fit(S, y),
        mercer.KernelLogisticRegression().fit(S, y > 0),
        mercer.OneClassSVM().fit(S),
    ):
        path = tmp_path / "model.safetensors"
        mercer.save(model, path)
        loaded = mercer.load(path)
        np.testing.assert_array_equal(loaded.predict(S), model.predict(S))
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_text_like_data_takes_no_matrix() -> None:
    """A kernel matrix of these rows would take 3 GB; the limit is 200 MB."""
    random, n, d = np.random.default_rng(0), 20_000, 50_000
    labels = random.integers(0, 2, n)
    columns = random.integers(0, d - 2, (n, 30))
    own = d - 2 + labels[:, None]
    indices, values = np.hstack([columns, own]), random.uniform(0.5, 1.0, (n, 31))
    X = sp.csr_matrix((values.ravel(), indices.ravel(), 31 * np.arange(n + 1)), shape=(n, d))
    model = mercer.SVC(kernel="linear", max_memory="200MB").fit(X, labels)
    assert model.score(X, labels) > 0.99
    ridge = mercer.KernelRidge(alpha=1.0, kernel="linear", max_memory="200MB").fit(X, 2.0 * labels - 1)
    assert ((ridge.predict(X) > 0) == (labels == 1)).mean() > 0.99


def test_tags_and_empty_matrices(X: np.ndarray) -> None:
    assert mercer.SVC().__sklearn_tags__().input_tags.sparse
    assert not mercer.SVC(kernel="precomputed").__sklearn_tags__().input_tags.sparse
    assert not mercer.KernelICA().__sklearn_tags__().input_tags.sparse
    kernel = mercer.Kernel("gaussian()")
    assert kernel(sp.csr_matrix((0, 5))).shape == (0, 0)
    np.testing.assert_array_equal(kernel(sp.csr_matrix((2, 5))), np.ones((2, 2)))
    np.testing.assert_array_equal(kernel(sp.csr_matrix(X[:1])), [[1.0]])
    features = mercer.Kernel("4*linear()").features(sp.csr_matrix(X))
    np.testing.assert_array_equal(features.toarray(), 2 * X)


def alike(found: object, expected: object, tolerance: float = 1e-7) -> None:
    """Compare up to the signs of the columns."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.ndim == 2:
        found = found * np.sign((found * expected).sum(axis=0))
    np.testing.assert_allclose(found, expected, atol=tolerance)


def test_gaussian_processes_agree_with_dense_rows(X: np.ndarray, y: np.ndarray) -> None:
    y = y + 0.1 * np.random.default_rng(5).normal(size=len(y))
    per_column = "gaussian(lengthscale=[" + ", ".join(["2"] * X.shape[1]) + "])"
    for kernel, optimize in (("2*gaussian(lengthscale=1.5)", True), (per_column, False)):
        dense = mercer.GaussianProcessRegressor(kernel, noise=0.1, optimize=optimize).fit(X, y)
        sparse = mercer.GaussianProcessRegressor(kernel, noise=0.1, optimize=optimize).fit(sp.csr_matrix(X), y)
        np.testing.assert_allclose(sparse.log_marginal_likelihood_, dense.log_marginal_likelihood_, atol=1e-6)
        expected = dense.log_marginal_likelihood_gradient_
        np.testing.assert_allclose(sparse.log_marginal_likelihood_gradient_, expected, atol=1e-5)
    dense = mercer.GaussianProcessRegressor("gaussian(lengthscale=1.5)", noise=0.1, optimize=False).fit(X, y)
    sparse = mercer.GaussianProcessRegressor("gaussian(lengthscale=1.5)", noise=0.1, optimize=False)
    sparse.fit(sp.csc_array(X), y)
    assert sp.issparse(sparse.X_train_)
    for rows in (X, sp.csr_matrix(X)):
        mean, std = sparse.predict(rows, return_std=True)
        expected, spread = dense.predict(X, return_std=True)
        np.testing.assert_allclose(mean, expected, atol=1e-9)
        np.testing.assert_allclose(std, spread, atol=1e-9)
    again = pickle.loads(pickle.dumps(sparse))
    np.testing.assert_allclose(again.predict(sp.csr_matrix(X)), dense.predict(X), atol=1e-9)
    both = np.stack([y, 2 * y], axis=1)
    shared = mercer.GaussianProcessRegressor("gaussian(lengthscale=1.5)", noise=0.1, optimize=False)
    expected = shared.fit(X, both).predict(X)
    np.testing.assert_allclose(shared.fit(sp.csr_matrix(X), both).predict(sp.csr_matrix(X)), expected, atol=1e-9)


def test_processes_that_look_at_every_column_refuse_sparse_rows(X: np.ndarray, y: np.ndarray) -> None:
    for model in (mercer.GaussianProcessRegressor(), mercer.GaussianProcessRegressor("gaussian()", n_inducing=5)):
        with pytest.raises(TypeError, match="sparse matrices need.*toarray"):
            model.fit(sp.csr_matrix(X), y)


def test_several_views_and_kernels_agree_with_dense_rows(X: np.ndarray, y: np.ndarray) -> None:
    S, Z = sp.csr_matrix(X), np.abs(X) + 0.0
    kernel = "gaussian(lengthscale=1.5)"
    dense, sparse = mercer.KernelCCA(2, kernels=kernel), mercer.KernelCCA(2, kernels=kernel)
    dense.fit(X, Z)
    for views in ((S, Z), (S, sp.csr_matrix(Z))):
        sparse.fit(*views)
        np.testing.assert_allclose(sparse.correlations_, dense.correlations_, atol=1e-8)
        alike(sparse.transform(*views)[0], dense.transform(X, Z)[0], 1e-5)
    assert "rows" in sparse.explain(S, S) or "operations" in sparse.explain(S, S)
    labels = (np.arange(len(X)) % 2).tolist()
    coupled = mercer.CoupledKernelEmbedding(1, kernel, kernel)
    expected = coupled.fit(X, Z, labels, labels).objective_
    np.testing.assert_allclose(coupled.fit(S, sp.csr_matrix(Z), labels, labels).objective_, expected, atol=1e-8)
    assert coupled.score(S, labels, sp.csr_matrix(Z), labels) >= 0.0
    scaling = mercer.ClassicalScaling(2)
    expected = scaling.fit(X).embedding_
    alike(scaling.fit(S).embedding_, expected)
    alike(scaling.transform(S), expected, 1e-6)
    kernels = ["linear()", "gaussian(lengthscale=1)", "gaussian(lengthscale=4)"]
    regressor = mercer.MultipleKernelRegressor(kernels, 0.1)
    expected = regressor.fit(X, y).predict(X)
    np.testing.assert_allclose(regressor.fit(S, y).predict(S), expected, atol=1e-4)
    classifier = mercer.MultipleKernelClassifier(kernels)
    expected = classifier.fit(X, labels).decision_function(X)
    np.testing.assert_allclose(classifier.fit(S, labels).decision_function(S), expected, atol=2e-2)
    spectrum = mercer.Spectrum(kernel, S, n_components=4)
    expected = mercer.Spectrum(kernel, X, n_components=4)
    np.testing.assert_allclose(spectrum.eigenvalues, expected.eigenvalues, atol=1e-10)
    alike(spectrum.eigenfunctions(S), expected.eigenfunctions(X), 1e-6)


def test_spectra_of_strings() -> None:
    words = ["abab", "abba", "baba", "bbbb", "aaaa"]
    spectrum = mercer.Spectrum("spectrum(length=2)", words, n_components=3)
    gram = mercer.Kernel("spectrum(length=2)")(words)
    np.testing.assert_allclose(spectrum.eigenvalues, np.linalg.eigvalsh(gram / 5)[::-1][:3], atol=1e-10)
    assert spectrum.eigenfunctions(["abab"]).shape == (1, 3)


def test_models_of_the_command_line_predict_on_sparse_rows(tmp_path) -> None:
    random = np.random.default_rng(3)
    X = random.normal(size=(40, 100)) * (random.uniform(size=(40, 100)) < 0.03)
    X[:, 0] = np.arange(40) % 2
    X[0, 99] = 1.0
    y = np.where(X[:, 0] > 0, 1, -1)
    lines = [
        f"{label} " + " ".join(f"{j + 1}:{row[j]!r}" for j in np.flatnonzero(row))
        for label, row in zip(y, X, strict=True)
    ]
    data, model = tmp_path / "x.libsvm", tmp_path / "model.safetensors"
    data.write_text("\n".join(line.replace("np.float64(", "").replace(")", "") for line in lines) + "\n")
    assert (
        run_command(
            [
                "mercer",
                "fit",
                "svm",
                str(data),
                "--target",
                "target",
                "--kernel",
                "linear()",
                "-C",
                "1",
                "-o",
                str(model),
            ]
        )
        == 0
    )
    loaded = mercer.load(model)
    assert loaded.predict(sp.csr_matrix(X)).tolist() == loaded.predict(X).tolist()
    assert (loaded.predict(X).astype(int) == y).mean() > 0.9
