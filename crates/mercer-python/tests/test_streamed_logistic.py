"""Logistic regression on features."""

import numpy as np
import pandas as pd
import pytest

import mercer

RNG = np.random.default_rng(5)
X = RNG.normal(size=(800, 2))
Y = np.where(np.hypot(*X.T) + 0.2 * RNG.normal(size=800) > 1.2, "out", "in")


def small(**changes):
    given = {"kernel": "gaussian(lengthscale=1)", "n_components": 60, "random_state": 0}
    return mercer.StreamedKernelLogisticRegression(1.0, **(given | changes))


def test_all_landmarks_give_kernel_logistic_regression():
    x, y = X[:90], Y[:90]
    found = small(n_components=90, tol=1e-13).fit(x, y)
    expected = mercer.KernelLogisticRegression(1.0, kernel="gaussian(lengthscale=1)").fit(x, y)
    np.testing.assert_allclose(found.predict_proba(X[90:]), expected.predict_proba(X[90:]), atol=1e-4)
    assert found.converged_
    assert found.n_iter_ < 15


def test_three_classes():
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    model = small().fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.coef_.shape == (3, model.coef_.shape[1])
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.decision_function(X[:5]).shape == (5, 3)


def test_weights_are_repetitions():
    weights = RNG.integers(1, 4, size=300)
    # Landmarks are drawn from the rows: frequencies are not.
    one = small(features="fourier", tol=1e-14).fit(X[:300], Y[:300], weights)
    rows = np.repeat(np.arange(300), weights)
    two = small(features="fourier", tol=1e-14).fit(X[rows], Y[rows])
    np.testing.assert_allclose(one.decision_function(X), two.decision_function(X), atol=1e-6)


def test_models_are_saved_and_read(tmp_path):
    model = small().fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    mercer.save(model, tmp_path / "model")
    loaded = mercer.load(tmp_path / "model")
    assert loaded.features == "nystroem"
    assert loaded.n_components == 60
    frame = pd.DataFrame(X[:20], columns=["a", "b"])
    np.testing.assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame))


def test_wrong_requests():
    with pytest.raises(ValueError, match="alpha"):
        small(n_components=5).set_params(alpha=0.0).fit(X, Y)
    with pytest.raises(ValueError, match="nystroem"):
        small(features="binning").fit(X, Y)
    with pytest.raises(ValueError, match="kernel of the language"):
        small(kernel="precomputed").fit(X, Y)
