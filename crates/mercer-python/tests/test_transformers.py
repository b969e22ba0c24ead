"""Transformers and single precision as users of scikit-learn expect them."""

import helpers
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.kernel_approximation import Nystroem as TheirNystroem
from sklearn.metrics.pairwise import cosine_similarity, linear_kernel, pairwise_kernels

import mercer

rng = np.random.default_rng(2)
X = rng.normal(size=(50, 4))
Y = np.sin(X[:, 0])


@pytest.mark.parametrize("count", [1, 2, 3, 7, 100, 101, 515])
@pytest.mark.parametrize("sampling", ["iid", "orthogonal", "qmc"])
def test_any_number_of_fourier_features(count, sampling):
    model = mercer.RandomFourierFeatures("gaussian(lengthscale=2)", count, sampling=sampling, random_state=1).fit(X)
    z = model.transform(X)
    assert z.shape == (50, count)
    assert model.random_weights_.shape == (4, count)
    assert model.random_offset_.shape == (count,)
    np.testing.assert_allclose(z, np.sqrt(2 / count) * np.cos(X @ model.random_weights_ + model.random_offset_))
    single = model.transform(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, z, atol=1e-5)


def test_an_odd_number_is_unbiased():
    """The mean over many draws is the kernel, within five standard errors."""
    kernel = mercer.Kernel("2*gaussian(lengthscale=2) + 1 + laplacian(lengthscale=3)")
    exact = kernel(X[:6])
    maps = (mercer.RandomFourierFeatures(kernel, 9, random_state=seed).fit_transform(X[:6]) for seed in range(3000))
    draws = np.array([z @ z.T for z in maps])
    error = draws.std(axis=0) / np.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0) - exact) < 5 * error + 1e-12).all()


def test_gamma_of_the_data():
    z = mercer.RandomFourierFeatures("rbf", 10, gamma="scale", random_state=0).fit(X)
    assert z.kernel_ == mercer.gaussian(gamma=1 / (4 * X.var()))
    assert mercer.RandomFourierFeatures("rbf", 10, gamma="auto").fit(X).kernel_ == mercer.gaussian(gamma=0.25)
    assert mercer.Nystroem(gamma="scale").fit(X).kernel_ == mercer.gaussian(gamma=1 / (4 * X.var()))
    counts, errors, _ = mercer.RandomFourierFeatures(gamma="scale").error_decay(X, [8, 64])
    assert counts.tolist() == [8, 64]
    assert errors[1] < errors[0]


@pytest.mark.parametrize("landmarks", ["auto", "rpcholesky", "uniform", "kmeans", "leverage", "greedy"])
def test_landmarks_are_rows_of_the_data(landmarks):
    model = mercer.Nystroem(n_components=10, landmarks=landmarks, random_state=3).fit(X)
    assert model.component_indices_.shape == (10,)
    np.testing.assert_array_equal(X[model.component_indices_], model.components_)


def product(x, y, weight=1.0):
    return weight * float(x @ y)


@pytest.mark.parametrize("kernel", [product, "cosine", "additive_chi2", "sigmoid", "precomputed", "rbf", "poly"])
def test_nystroem_with_all_components_is_the_kernel(kernel):
    x = np.abs(X) if kernel == "additive_chi2" else X
    metric = "linear" if kernel in (product, "precomputed") else kernel
    exact = pairwise_kernels(x, metric=metric)
    given = exact if kernel == "precomputed" else x
    ours = mercer.Nystroem(kernel, 50, random_state=0).fit(given)
    z = ours.transform(given)
    theirs = TheirNystroem(kernel=kernel, n_components=50, random_state=0).fit(given).transform(given)
    np.testing.assert_allclose(z @ z.T, theirs @ theirs.T, atol=1e-4)
    if kernel not in ("sigmoid", "additive_chi2"):
        np.testing.assert_allclose(z @ z.T, exact, atol=1e-8)


def test_nystroem_with_some_components():
    few = mercer.Nystroem(product, 10, kernel_params={"weight": 2.0}, random_state=0).fit(X)
    np.testing.assert_allclose(few.transform(X) @ few.transform(X).T, 2 * linear_kernel(X), atol=1e-8)
    assert few.transform(X).shape == (50, 10)
    same = TheirNystroem(kernel="cosine", n_components=10, random_state=4).fit(X)
    ours = mercer.Nystroem("cosine", 10, random_state=4).fit(X)
    np.testing.assert_array_equal(ours.component_indices_, same.component_indices_)
    matrix = cosine_similarity(X)
    given = mercer.Nystroem("precomputed", 10, random_state=4).fit(matrix)
    np.testing.assert_allclose(given.transform(matrix[:5]), ours.transform(X[:5]), atol=1e-8)
    assert mercer.Nystroem("poly", 10, kernel_params={"gamma": 0.5, "degree": 2}).fit(X).kernel_ == mercer.Kernel(
        "polynomial(degree=2, offset=1, scale=0.5)"
    )


@pytest.mark.parametrize("kernel", [product, "precomputed"])
@pytest.mark.parametrize("given", [{"gamma": 1}, {"coef0": 1}, {"degree": 2}])
def test_numbers_that_a_kernel_does_not_take(kernel, given):
    with pytest.raises(ValueError, match="Don't pass gamma, coef0 or degree to Nystroem"):
        mercer.Nystroem(kernel, **given).fit(linear_kernel(X))


def test_landmarks_that_need_a_kernel_of_the_language():
    with pytest.raises(ValueError, match="landmarks = 'greedy'"):
        mercer.Nystroem("cosine", landmarks="greedy").fit(X)


TRANSFORMERS = [
    mercer.RandomFourierFeatures(),
    mercer.RandomBinningFeatures(),
    mercer.Nystroem(),
    mercer.Nystroem("cosine"),
    mercer.EmpiricalKernelMap(),
    mercer.ExplicitFeatures(),
]


@pytest.mark.parametrize("model", TRANSFORMERS, ids=repr)
def test_before_a_fit(model):
    with pytest.raises(NotFittedError):
        model.transform(X)


@pytest.mark.parametrize("model", TRANSFORMERS, ids=repr)
@pytest.mark.parametrize("frame", [False, True])
def test_transformers_keep_single_precision(model, frame):
    single = X.astype(np.float32)
    given = pd.DataFrame(single, columns=list("abcd")) if frame else single
    z = model.fit(given).transform(given)
    assert z.dtype == np.float32
    for name in ("components_", "normalization_", "X_fit_", "random_weights_", "random_offset_"):
        assert getattr(model, name, single).dtype == np.float32
    assert model.transform(given.astype(np.float64)).dtype == np.float64


@pytest.mark.parametrize("frame", [False, True])
@pytest.mark.parametrize("kind", [mercer.KernelRidge, mercer.KernelRidgeCV])
def test_ridge_keeps_single_precision(kind, frame):
    x, y = X.astype(np.float32), Y.astype(np.float32)
    given = pd.DataFrame(x, columns=list("abcd")) if frame else x
    model = kind(kernel="gaussian()").fit(given, pd.Series(y) if frame else y)
    assert model.X_fit_.dtype == model.dual_coef_.dtype == model.predict(given).dtype == np.float32
    double = kind(kernel="gaussian()").fit(x.astype(np.float64), y)
    assert double.X_fit_.dtype == double.predict(given.to_numpy() if frame else x).dtype == np.float64
    np.testing.assert_allclose(model.predict(given), double.predict(x), atol=1e-5)
    mixed = kind(kernel="gaussian()").fit(x, Y)
    assert (mixed.X_fit_.dtype, mixed.predict(x).dtype) == (np.float32, np.float64)
    np.testing.assert_allclose(model.loo_residuals_, double.loo_residuals_, atol=1e-5)


def test_a_kernel_keeps_single_precision():
    k, x = mercer.gaussian() + mercer.linear(), X.astype(np.float32)
    assert k(x).dtype == k(x, x[:3]).dtype == np.float32
    assert k(pd.DataFrame(x, columns=list("abcd"))).dtype == np.float32
    assert k(x, X).dtype == k(X, x).dtype == k(X).dtype == k(X.tolist()).dtype == np.float64
    assert k(x, dtype="float64").dtype == np.float64
    np.testing.assert_allclose(k(x), k(X), rtol=1e-4, atol=1e-4)
    frame = pd.DataFrame(x, columns=list("abcd"))
    assert k.diag(x).dtype == k.diag(frame).dtype == k.diag(X, dtype="float32").dtype == np.float32
    assert k.diag(X).dtype == k.diag(X.tolist()).dtype == k.diag(x, dtype="float64").dtype == np.float64
    np.testing.assert_array_equal(k.diag(x, dtype="float64").astype(np.float32), k.diag(x))


#: Every estimator with `transform`, with parameters for a few rows.
ALL = {name: kind for name, kind in helpers.ESTIMATORS.items() if hasattr(kind, "transform")}
GIVEN = {
    "KernelPCA": {"n_components": 2, "kernel": "rbf", "fit_inverse_transform": True},
    "KernelKMeans": {"n_clusters": 3},
}


def as_kind(x, kind):
    return pd.DataFrame(x, columns=list("abcd")) if kind == "frame" else x


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("kind", ["array", "frame"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_transformer_answers_in_the_precision_of_its_points(name, kind, dtype):
    x = as_kind(X.astype(dtype), kind)
    model = ALL[name](**GIVEN.get(name, {}))
    fitted = model.fit(x, x) if name == "KernelCCA" else model.fit(x)
    z = fitted.transform(x)
    assert z.dtype == dtype
    assert model.fit_transform(*((x, x) if name == "KernelCCA" else (x,)))[0].dtype == dtype
    assert "float32" in model.__sklearn_tags__().transformer_tags.preserves_dtype
    if hasattr(model, "inverse_transform"):
        assert fitted.inverse_transform(z).dtype == dtype
    other = np.float64 if dtype == np.float32 else np.float32
    assert fitted.transform(as_kind(X.astype(other), kind)).dtype == other


def test_two_views_answer_in_the_precision_of_each():
    x = X.astype(np.float32)
    cca = mercer.KernelCCA(1).fit(x, X)
    assert [z.dtype for z in cca.transform(x, X)] == [np.float32, np.float64]
    assert [None if z is None else z.dtype for z in cca.transform([None, x])] == [None, np.float32]
    coupled = mercer.CoupledKernelEmbedding(1, affinity="pairs").fit(x, X)
    assert coupled.transform_low(x).dtype == coupled.transform_high(x).dtype == np.float32
    assert coupled.transform_low(X).dtype == np.float64
    pca = mercer.KernelPCA(2, kernel="gaussian(lengthscale=2)").fit(x)
    assert pca.preimage(pca.transform(x[:3])).dtype == np.float32
