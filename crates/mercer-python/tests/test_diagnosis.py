"""What `diagnose` warns of, and that it is silent where nothing is wrong."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import MetaEstimatorMixin, is_classifier

import mercer

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(120, 2))
Y = np.sin(5 * X[:, 0]) + X[:, 1] + 0.1 * RNG.normal(size=120)
LABELS = np.where(Y > 1, "up", "down")


def topics(model, *data, **named):
    return {finding.topic for finding in model.diagnose(*data, **named).warnings}


def fitted(model, *data):
    with warnings.catch_warnings(action="ignore"):
        return model.fit(*(data or (X, Y)))


@pytest.mark.parametrize(
    "model",
    [
        mercer.KernelRidge(0.1, kernel="gaussian(lengthscale=0.3)", fit_intercept=True),
        mercer.KernelRidgeCV(kernel="gaussian()", lengthscales=[0.1, 0.3, 1.0, 3.0]),
        mercer.GaussianProcessRegressor("1*gaussian(lengthscale=0.4)", noise=0.02),
        mercer.NadarayaWatson(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_good_regressions(model):
    found = fitted(model).diagnose()
    assert found.ok, str(found)
    assert float(found.facts["leave-one-out R²"]) > 0.9
    assert {"error", "leverage", "intervals"} <= {finding.topic for finding in found}


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (mercer.KernelRidge(1e-14, kernel="gaussian(lengthscale=0.3)"), {"error", "freedom", "condition"}),
        (mercer.KernelRidge(1e-3, kernel="gaussian(lengthscale=0.003)"), {"error", "freedom", "lengthscale"}),
        (mercer.KernelRidge(1.0, kernel="gaussian(lengthscale=300)"), {"error", "lengthscale"}),
        (mercer.KernelRidge(30.0, kernel="gaussian(lengthscale=1)"), {"structure"}),
        (mercer.KernelRidgeCV([10, 100, 1000], kernel="gaussian()", lengthscales=[0.2, 0.4, 0.8]), {"search"}),
        (mercer.GaussianProcessRegressor(), {"bounds", "error"}),
        (mercer.KernelRidge(1e-6, kernel="gaussian(lengthscale=0.1)", n_centers=8), {"centers"}),
    ],
    ids=["singular", "short", "long", "too smooth", "border", "bound", "centers"],
)
def test_bad_regressions(model, expected):
    assert expected <= topics(fitted(model))


def test_rows_that_dominate():
    far = np.append(X, [[40.0, 40.0]], axis=0)
    model = mercer.KernelRidge(0.01, kernel="gaussian(lengthscale=0.4)").fit(far, np.append(Y, 3.0))
    leverage = [finding for finding in model.diagnose().warnings if finding.topic == "leverage"]
    assert "row 120 (0.99)" in leverage[0].text


def test_intervals_that_do_not_cover():
    """Noise whose size varies much: nominal 95 % intervals of equal width miss more than they should."""
    rng = np.random.default_rng(2)
    x = rng.uniform(size=(400, 1))
    wild = rng.standard_t(1.0, size=400)
    model = mercer.KernelRidge(1.0, kernel="gaussian(lengthscale=0.3)").fit(x, np.sin(6 * x[:, 0]) + 0.1 * wild)
    assert "outliers" in topics(model)
    process = mercer.GaussianProcessRegressor("gaussian(lengthscale=0.3)", noise=0.01, optimize=False)
    found = process.fit(x, np.sin(6 * x[:, 0]) + 0.3 * rng.normal(size=400)).diagnose()
    assert "intervals" in {finding.topic for finding in found.warnings}
    assert "conformal" in str(found)


def test_classifiers():
    good = mercer.SVC(C=10, kernel="gaussian(lengthscale=0.5)").fit(X[:60], LABELS[:60])
    assert good.diagnose(X[60:], LABELS[60:]).ok
    assert good.diagnose().ok
    short = mercer.SVC(C=10, kernel="gaussian(lengthscale=0.01)").fit(X[:60], LABELS[:60])
    assert {"support vectors", "lengthscale", "accuracy"} <= topics(short, X[60:], LABELS[60:])
    early = fitted(mercer.SVC(max_iter=3), X, LABELS)
    assert "solver" in topics(early)
    rare = np.where(np.arange(120) < 5, "rare", "often")
    assert "balance" in topics(mercer.SVC().fit(X, rare))
    assert "balance" not in topics(mercer.SVC(class_weight="balanced").fit(X, rare))
    border = fitted(mercer.SVCCV([1e-3, 1e-2, 1e-1], kernel="gaussian(lengthscale=0.3)"), X, LABELS)
    assert "search" in topics(border)


def test_probabilities():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(800, 1))
    y = (x[:, 0] + rng.logistic(size=800) > 0).astype(int)
    good = mercer.KernelLogisticRegression(1.0, kernel="gaussian(lengthscale=2)").fit(x[:400], y[:400])
    assert good.diagnose(x[400:], y[400:]).ok
    assert "leave-one-out accuracy" in good.diagnose(y=y[:400]).facts
    steep = mercer.KernelLogisticRegression(1e-7, kernel="gaussian(lengthscale=0.05)")
    assert "calibration" in topics(fitted(steep, x[:400], y[:400]), x[400:], y[400:])


def test_views():
    assert mercer.KernelPCA(3, kernel="gaussian()").fit(X).diagnose().ok
    assert "components" in topics(mercer.KernelPCA(3, kernel="gaussian(lengthscale=1e4)").fit(X))
    assert mercer.KernelKMeans(3).fit(X).diagnose().facts["clusters"].count(",") == 2
    lonely = np.append(X, [[50.0, 50.0]], axis=0)
    assert "clusters" in topics(mercer.KernelKMeans(3, kernel="linear").fit(lonely))
    assert "stress" in topics(mercer.ClassicalScaling(1).fit(X))
    assert mercer.ClassicalScaling(2).fit(X).diagnose().ok
    tight = mercer.KernelCCA(1, kernels="gaussian(lengthscale=0.05)", kappa=1e-6).fit([X, X[::-1]])
    assert "correlations" in topics(tight)
    few = mercer.Nystroem("gaussian(lengthscale=0.05)", 3).fit(X).diagnose()
    assert "landmarks" in {finding.topic for finding in few}


def test_every_estimator_has_a_diagnosis():
    for name in mercer.__all__:
        kind = getattr(mercer, name)
        if not hasattr(kind, "get_params") or issubclass(kind, MetaEstimatorMixin):
            continue
        x = X[:, 0] if name in ("SmoothingSpline", "LocalLinear") else X
        y = LABELS if is_classifier(kind()) else Y
        data = (x, x, LABELS, LABELS) if name == "CoupledKernelEmbedding" else (x, y)
        found = fitted(kind(), *data).diagnose()
        assert isinstance(found, mercer.Diagnosis)
        assert str(found).startswith(f"{name}: ")
        assert len(found) == len(list(found))


def test_text_and_html_are_escaped():
    frame = pd.DataFrame(X, columns=["a<b", "c"])
    model = mercer.SVC(kernel="gaussian()").fit(frame, np.where(Y > 1, "<script>", "&"))
    found = model.diagnose()
    html = found._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert repr(found) == str(found)


def test_wrong_requests():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        mercer.KernelRidge().diagnose()
    model = mercer.KernelLogisticRegression(kernel="gaussian()").fit(X, LABELS)
    with pytest.raises(ValueError, match="y: expected 120 labels, found 3"):
        model.diagnose(y=LABELS[:3])
