"""Sparse matrices of scipy as points: the answers of the same numbers as a dense array."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import mercer

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
    with pytest.raises(ValueError, match="dimension"):
        mercer.Kernel("linear()")(sp.coo_array(np.array([1.0, 0.0])))
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
