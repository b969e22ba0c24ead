"""Estimators in skops files, which hold plain data and named types alone."""

import numpy as np
import pytest
from helpers import ESTIMATORS
from sklearn.base import clone

import mercer

skops = pytest.importorskip("skops.io")
rng = np.random.default_rng(9)
X = rng.uniform(size=(40, 2))
Y = np.sin(4 * X[:, 0])
LABELS = np.where(Y > 0.3, "up", "down")

MODELS = [
    (mercer.KernelRidge(0.1, kernel="gaussian(lengthscale=median)"), Y),
    (mercer.KernelRidge(0.1, kernel=mercer.matern(nu=1.5)), Y),
    (mercer.KernelRidge([0.1, 0.2], kernel="rbf"), np.column_stack([Y, -Y])),
    (mercer.KernelRidgeCV(kernel="gaussian()"), Y),
    (mercer.GaussianProcessRegressor(), Y),
    (mercer.NadarayaWatson(), Y),
    (mercer.SVC(), LABELS),
    (mercer.SVC(probability=True), LABELS),
    (mercer.SVC(probability=True, calibration="isotonic"), LABELS),
    (mercer.SVCCV([1, 10], kernel="gaussian()", lengthscales=2, cv=2), LABELS),
    (mercer.NuSVC(nu=0.3), LABELS),
    (mercer.SVR(), Y),
    (mercer.NuSVR(), Y),
    (mercer.OneClassSVM(), None),
    (mercer.KernelLogisticRegression(), LABELS),
    (mercer.KernelMachine("huber"), Y),
    (mercer.KernelMachine("quantile", quantile=[0.2, 0.8]), Y),
    (mercer.BinnedRegressor(n_grids=10, n_buckets=32), Y),
    (mercer.BinnedClassifier(n_grids=10, n_buckets=32), LABELS),
    (mercer.StreamedKernelLogisticRegression(n_components=20), LABELS),
    (mercer.StreamedKernelRidge(n_components=20), Y),
    (mercer.ConformalRegressor(mercer.KernelRidge(0.1, kernel="gaussian()")), Y),
    (mercer.ConformalClassifier(mercer.KernelLogisticRegression()), LABELS),
    (mercer.RandomFourierFeatures(n_components=11), None),
    (mercer.RandomBinningFeatures(n_components=5, n_buckets=16), None),
    (mercer.Nystroem(n_components=10), None),
    (mercer.Nystroem("cosine", n_components=10), None),
    (mercer.EmpiricalKernelMap(), None),
    (mercer.ExplicitFeatures(), None),
    (mercer.KernelPCA(2, kernel="rbf"), None),
    (mercer.KernelKMeans(3, random_state=0), None),
    (mercer.SpectralClustering(3, random_state=0), None),
    (mercer.ClassicalScaling(), None),
    (mercer.KernelICA(random_state=0), None),
    (mercer.KernelCCA(1), Y),
    (mercer.MultipleKernelRegressor(), Y),
    (mercer.MultipleKernelClassifier(), LABELS),
    (mercer.MultipleKernelOneClass(), None),
]
#: Both modes are fitted, and one is evaluated.
COUPLED = mercer.CoupledKernelEmbedding(affinity="pairs")
ON_A_LINE = [mercer.SmoothingSpline(), mercer.LocalLinear()]


def through_skops(model):
    data = skops.dumps(model)
    # Nothing but classes of this package needs the reader's trust.
    types = skops.get_untrusted_types(data=data)
    assert all(name.startswith("mercer.") for name in types), types
    return skops.loads(data, trusted=types)


def answers(model, x):
    named = ("predict", "transform", "decision_function", "predict_proba")
    found = [getattr(model, name)(x) for name in named if hasattr(model, name)]
    return [np.asarray(a.toarray() if hasattr(a, "toarray") else a) for a in found]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("model", "y"), MODELS, ids=lambda m: type(m).__name__)
def test_every_estimator_in_a_skops_file(model, y):
    assert through_skops(model).get_params().keys() == model.get_params().keys()
    fitted = clone(model).fit(X, y)
    expected = answers(fitted, X[:9])
    found = answers(through_skops(fitted), X[:9])
    assert expected
    for a, b in zip(expected, found, strict=True):
        if a.dtype.kind == "f":
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
        else:
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("model", ON_A_LINE, ids=lambda m: type(m).__name__)
def test_estimators_on_a_line_in_a_skops_file(model):
    fitted = clone(model).fit(X[:, 0], Y)
    np.testing.assert_array_equal(through_skops(fitted).predict(X[:5, 0]), fitted.predict(X[:5, 0]))


def test_two_modes_in_a_skops_file():
    fitted = clone(COUPLED).fit(X, X)
    np.testing.assert_array_equal(through_skops(fitted).transform_low(X[:9]), fitted.transform_low(X[:9]))


def test_lazy_attributes_do_not_hinder():
    model = mercer.KernelRidge(0.1, kernel="gaussian()").fit(X, Y)
    norm = model.function_.norm()
    assert through_skops(model).function_.norm() == pytest.approx(norm, rel=1e-12)


def test_nothing_is_forgotten():
    assert {type(model).__name__ for model in [*(m for m, _ in MODELS), *ON_A_LINE, COUPLED]} == set(ESTIMATORS)
