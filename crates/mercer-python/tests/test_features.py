"""Explicit features as transformers."""

import pickle

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

import mercer

X = np.random.default_rng(0).normal(size=(60, 3))
TRANSFORMERS = [
    mercer.RandomFourierFeatures(),
    mercer.RandomBinningFeatures(),
    mercer.Nystroem(),
    mercer.Nystroem("cosine"),
    mercer.ExplicitFeatures(),
    mercer.RandomFourierFeatures(n_components=21, random_state=1),
    mercer.RandomFourierFeatures(n_components=20, kind="offset", random_state=1),
    mercer.RandomFourierFeatures("matern(nu=3/2)", 20, kind="offset", sampling="qmc", random_state=1),
    mercer.RandomBinningFeatures(n_components=10, n_buckets=32, random_state=1),
    mercer.Nystroem(n_components=15, random_state=1),
    mercer.EmpiricalKernelMap(),
    mercer.ExplicitFeatures(degree=2),
]


def dense(z):
    return z.toarray() if scipy.sparse.issparse(z) else z


@pytest.mark.parametrize("transformer", TRANSFORMERS, ids=lambda t: type(t).__name__)
def test_scikit_learn_s_checks(transformer):
    check_estimator(clone(transformer), on_skip=None)


@pytest.mark.parametrize("transformer", TRANSFORMERS, ids=lambda t: type(t).__name__)
def test_features_survive_a_pickle(transformer):
    fitted = clone(transformer).fit(X)
    expected = dense(fitted.transform(X[:7]))
    assert expected.shape == (7, len(fitted.get_feature_names_out()))
    found = dense(pickle.loads(pickle.dumps(fitted)).transform(X[:7]))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("sampling", ["iid", "orthogonal", "qmc"])
@pytest.mark.parametrize("kind", ["pair", "offset"])
def test_fourier_features_are_near_the_kernel(kind, sampling):
    kernel = mercer.Kernel("gaussian(lengthscale=2)")
    z = mercer.RandomFourierFeatures(kernel, 4000, kind=kind, sampling=sampling, random_state=3).fit_transform(X)
    # Five standard deviations of the worst pair of 60 points.
    assert np.abs(z @ z.T - kernel(X)).max() < 0.12


def test_binning_features_are_near_the_laplacian_kernel():
    kernel = mercer.Kernel("laplacian(lengthscale=2, norm=l1)")
    z = mercer.RandomBinningFeatures(kernel, 3000, random_state=3).fit_transform(X)
    assert scipy.sparse.issparse(z)
    assert (np.diff(z.indptr) == 3000).all()
    assert np.abs((z @ z.T).toarray() - kernel(X)).max() < 0.05


@pytest.mark.parametrize("landmarks", ["rpcholesky", "uniform", "kmeans", "leverage", "greedy"])
def test_nystrom_features_report_the_trace_that_they_miss(landmarks):
    kernel = mercer.Kernel("matern(nu=3/2)")
    fitted = mercer.Nystroem(kernel, n_components=25, landmarks=landmarks, random_state=0).fit(X)
    z = fitted.transform(X)
    assert fitted.trace_error_ == pytest.approx(np.trace(kernel(X) - z @ z.T), rel=1e-9)
    np.testing.assert_allclose(z, kernel(X, fitted.components_) @ fitted.normalization_.T, atol=1e-9)


def test_exact_features_are_exact():
    kernel = mercer.Kernel("polynomial(degree=3, offset=0.5)")
    for transformer in (mercer.ExplicitFeatures(kernel), mercer.EmpiricalKernelMap(kernel)):
        z = transformer.fit_transform(X)
        np.testing.assert_allclose(z @ z.T, kernel(X), rtol=1e-9, atol=1e-7)


def test_bounds():
    assert mercer.fourier_bound(1000, 0.1) == pytest.approx(2 * np.exp(-5))
    assert mercer.fourier_bound(1000, 0.1, "offset") == pytest.approx(2 * np.exp(-1.25))
    assert mercer.fourier_bound(10, 0.1) == 1.0
    assert mercer.fourier_components(0.1, 0.01) == 1060
    region = {"dimension": 3, "diameter": 4.0, "second_moment": 3 / 0.64}
    assert mercer.fourier_components(0.1, 0.05, **region) == 34928
    assert mercer.binning_bound(500, 0.1) == pytest.approx(2 * np.exp(-10))
    with pytest.raises(ValueError, match="together"):
        mercer.fourier_bound(10, 0.1, dimension=2)


@pytest.mark.parametrize(
    ("transformer", "reason"),
    [
        (mercer.RandomFourierFeatures("linear()"), "shift-invariant"),
        (mercer.RandomFourierFeatures(n_components=0), "components"),
        (mercer.RandomFourierFeatures(kind="triple"), "kind"),
        (mercer.RandomBinningFeatures("gaussian()"), "product over the columns"),
        (mercer.Nystroem(landmarks="best"), "landmarks"),
        (mercer.EmpiricalKernelMap(kernel=np.dot), "kernel of the language"),
        (mercer.Nystroem(n_components=0), "n_components"),
        (mercer.ExplicitFeatures("gaussian()"), "finite feature map"),
    ],
)
def test_wrong_requests_are_refused(transformer, reason):
    with pytest.raises(ValueError, match=reason):
        transformer.fit(X)
