"""Extreme numbers, wrong shapes and tight limits: an answer that is right, or a refusal with the remedy."""

import tracemalloc
import warnings
from functools import cache

import numpy as np
import pytest
from helpers import ESTIMATORS
from scipy.sparse import csr_array
from sklearn.base import clone, is_classifier

import mercer

RNG = np.random.default_rng(0)
X = RNG.normal(size=(24, 2))
Y = np.sin(X[:, 0])
WRONG = {
    "scalar": 3.0,
    "None": None,
    "no columns": np.zeros((24, 0)),
    "three dimensions": np.zeros((24, 2, 2)),
    "no rows": np.zeros((0, 2)),
    "one dimension": X[:, 0],
}
LINES = ("SmoothingSpline", "LocalLinear")


@cache
def fitted(name):
    model = getattr(mercer, name)()
    y = (Y > 0).astype(int) if is_classifier(model) else Y
    if name == "CoupledKernelEmbedding":
        return model.set_params(affinity="pairs").fit(X, X), X
    return model.fit(np.linspace(0, 1, 24)[:, None] if name in LINES else X, y), y


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_points_of_the_wrong_shape_are_refused(name, wrong):
    if wrong == "one dimension" and name in (*LINES, "KernelCCA", "CoupledKernelEmbedding"):
        pytest.skip("places on a line are an array of one dimension, and so may a view be")
    with warnings.catch_warnings(action="ignore"):
        model, y = fitted(name)
        with pytest.raises((ValueError, TypeError) if wrong == "None" else ValueError):
            clone(model).fit(WRONG[wrong], y)
        for method in ("predict", "transform", "decision_function"):
            if hasattr(model, method):
                with pytest.raises((ValueError, TypeError) if wrong == "None" else ValueError):
                    getattr(model, method)(WRONG[wrong])


@pytest.mark.parametrize("wrong", ["scalar", "None", "no columns", "three dimensions"])
@pytest.mark.parametrize("name", LINES)
def test_estimators_on_a_line_report_the_shape(name, wrong):
    with pytest.raises(ValueError, match=r"shape \(n,\) or \(n, 1\)"):
        getattr(mercer, name)().fit(WRONG[wrong], Y)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
@pytest.mark.parametrize(
    "text",
    [
        "linear()",
        "polynomial(degree=3)",
        "matern(nu=3/2)",
        "matern(nu=0.8)",
        "distance(power=1)",
        "periodic(period=1)",
        "gaussian(lengthscale=median)",
    ],
)
def test_kernels_are_finite_or_refuse(text, scale):
    kernel = mercer.Kernel(text)
    try:
        values, refusal = kernel(scale * X), "rescale"
    except ValueError as error:
        values, refusal = np.zeros(1), str(error)
    assert np.isfinite(values).all()
    assert "rescale" in refusal


def test_refusals_name_the_largest_entry():
    far = X.copy()
    far[7, 1] = 1e300
    with pytest.raises(ValueError, match=r"row 7, column 1 holds 1e300.*rescale"):
        mercer.linear()(far)
    with pytest.raises(ValueError, match="rescale"):
        mercer.SVC(kernel="linear").fit(X + 1e300, Y > 0)
    with pytest.raises(ValueError, match="rescale"):
        mercer.ExplicitFeatures("polynomial(degree=3)").fit(X).transform(1e160 * X)
    with pytest.raises(ValueError, match="scale them down"):
        mercer.MeanEmbedding("gaussian()", X, np.full(len(X), 1e300))
    with pytest.raises(ValueError, match="scale the weights down"):
        mercer.KernelMachine("quantile").fit(X, Y, sample_weight=np.full(len(X), 1e300))


def test_sparse_features_take_what_they_requested():
    points, grids = RNG.normal(size=(20_000, 3)), 50
    cells = len(points) * grids
    binning = mercer.RandomBinningFeatures("laplacian(norm=l1)", grids, random_state=0).fit(points[:100])
    expected = binning.transform(points)
    assert expected.indices.dtype == np.int32
    tracemalloc.start()
    found = binning.set_params(max_memory=12 * cells).transform(points)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_array_equal(found.indices, expected.indices)
    # The indices were made outside of numpy: eight bytes are left for each number, and a copy would
    # show.
    assert peak <= 9 * cells
    with pytest.raises(MemoryError, match="fewer rows"):
        binning.set_params(max_memory=12 * cells - 1).transform(points)


@pytest.mark.parametrize("scale", [1e100, 1e150])
def test_measures_that_overflow_are_refused(scale):
    x = scale * np.random.default_rng(0).normal(size=(20, 2))
    for call in [
        lambda: mercer.hsic(x, x, "linear()", "linear()"),
        lambda: mercer.hsic(x, x, "linear()", "linear()", estimator="unbiased"),
        lambda: mercer.stein_discrepancy(x * (1e155 / scale), lambda z: -z, "gaussian()"),
    ]:
        with pytest.raises(ValueError, match="rescale"):
            call()
    with pytest.raises(ValueError, match="rescale"):
        mercer.independence_test(1e50 * x, 1e50 * x, "linear()", "linear()", permutations=19)


def test_checks_resolve_medians_on_the_data():
    x = np.random.default_rng(0).normal(size=(20, 2))
    assert mercer.Kernel("gaussian(lengthscale=median)").check(x).psd


def test_margins_that_are_no_numbers_are_refused():
    x = 1e-160 * np.random.default_rng(0).normal(size=(40, 3))
    with pytest.raises(ValueError, match="there is no margin"):
        mercer.NuSVC(kernel="linear", gamma=1.0).fit(x, x[:, 0] > 0)


@pytest.mark.parametrize("make", [mercer.SVC, mercer.SVR, mercer.KernelPCA, mercer.Nystroem])
def test_gammas_of_samples_without_a_variance_are_refused(make):
    x = np.random.default_rng(0).normal(size=(40, 3))
    y = (x[:, 0] > 0).astype(float)
    for scale, size in [(1e-160, "small"), (1e-300, "small"), (1e160, "large")]:
        for points in [scale * x, csr_array(scale * x)]:
            with pytest.raises(ValueError, match=f"variance of X, which is too {size} for a number: rescale X"):
                make(kernel="rbf", gamma="scale").fit(points, y)
    # A gamma that is not used, and points that are all the same, refuse nothing.
    mercer.SVC(kernel="linear").fit(1e-100 * x, y)
    mercer.SVC(kernel="rbf", gamma="scale").fit(np.full((40, 3), 1e-160), y)


def test_several_kernels_without_a_variance_are_refused():
    x, y = 1e-160 * X, Y
    for make, targets in [(mercer.MultipleKernelRegressor, y), (mercer.MultipleKernelClassifier, y > 0)]:
        with pytest.raises(ValueError, match=r"the trace of linear.*rescale the data"):
            make(kernels=["linear()"]).fit(x, targets)


def test_numbers_of_many_digits_are_shown_short():
    with pytest.raises(ValueError, match=r"n_components = 10000000… \(101 digits\) is not allowed"):
        mercer.Nystroem(n_components=10**100).fit(X)
    with pytest.raises(ValueError, match="alpha = -1e100 is not allowed"):
        mercer.KernelRidge(alpha=-1e100).fit(X, Y)
