"""Fits on a few centers and on random grids: dense answers where every point is a center, plans, files, refusals."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge

import mercer

RNG = np.random.default_rng(5)
X = RNG.uniform(-2, 2, size=(200, 2))
Y = np.stack([np.sin(2 * X[:, 0]) + 1.5, X[:, 0] * X[:, 1]], axis=1) + 0.1 * RNG.normal(size=(200, 2))
CLASSES = np.where(Y[:, 1] > 0.5, "c", np.where(Y[:, 0] > 1.5, "b", "a"))
KERNEL = "matern(nu=3/2, lengthscale=1.5)"


def test_ridge_on_all_points_is_exact():
    exact = mercer.KernelRidge(0.2, kernel=KERNEL, fit_intercept=True).fit(X, Y)
    model = mercer.KernelRidge(0.2, kernel=KERNEL, fit_intercept=True, n_centers=200, tol=1e-12, max_iter=2000).fit(
        X, Y
    )
    np.testing.assert_allclose(model.predict(X), exact.predict(X), atol=1e-7)
    np.testing.assert_allclose(model.norm_, exact.norm_, rtol=1e-6)
    assert model.trace_missed_ < 1e-10
    assert exact.trace_missed_ is None
    assert "centers" in model.plan_


def test_few_centers_are_kept_and_errors_are_reported():
    model = mercer.KernelRidge(0.1, kernel=KERNEL, solver="centers", n_centers=30, landmarks="rpcholesky").fit(X, Y)
    assert model.X_fit_.shape == (30, 2)
    assert model.dual_coef_.shape == (30, 2)
    assert model.fitted_.shape == (200, 2)
    assert 0 < model.trace_missed_ < 0.2
    assert model.n_iter_ > 0
    with pytest.raises(AttributeError, match="centers"):
        _ = model.loo_residuals_
    with pytest.raises(ValueError, match="centers"):
        model.predict(X, return_std=True)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        mercer.KernelRidge(1e-9, kernel=KERNEL, n_centers=60, max_iter=1).fit(X, Y)
    stopped = mercer.KernelRidge(1e-9, kernel=KERNEL, n_centers=60, validation_fraction=0.2, n_iter_no_change=2)
    assert np.isfinite(stopped.fit(X, Y).predict(X)).all()


def test_single_precision_is_near():
    double = mercer.KernelRidge(0.1, kernel=KERNEL, n_centers=40).fit(X, Y)
    single = mercer.KernelRidge(0.1, kernel=KERNEL, n_centers=40).fit(X.astype(np.float32), Y)
    np.testing.assert_allclose(single.predict(X), double.predict(X), atol=1e-3)


@pytest.mark.parametrize("labels", [CLASSES, CLASSES == "c"], ids=["three", "two"])
def test_logistic_regression_on_all_points_is_exact(labels):
    exact = mercer.KernelLogisticRegression(0.3, kernel=KERNEL).fit(X, labels)
    model = mercer.KernelLogisticRegression(0.3, kernel=KERNEL, n_centers=200, tol=1e-13, max_iter=5000).fit(X, labels)
    np.testing.assert_allclose(model.predict_proba(X), exact.predict_proba(X), atol=1e-5)
    assert abs(model.objective_ - exact.objective_) < 1e-8 * exact.objective_


def test_squared_hinge_on_centers():
    exact = mercer.KernelMachine("squared_hinge", 0.1, kernel=KERNEL).fit(X, CLASSES == "c")
    model = mercer.KernelMachine("squared_hinge", 0.1, kernel=KERNEL, n_centers=200, tol=1e-13).fit(X, CLASSES == "c")
    assert abs(model.objective_ - exact.objective_) < 1e-7 * exact.objective_
    with pytest.raises(ValueError, match="kinks"):
        mercer.KernelMachine("hinge", 0.1, kernel=KERNEL, solver="centers").fit(X, CLASSES == "c")


def test_plans_have_solver_memory_time_and_approximation():
    big = np.random.default_rng(0).normal(size=(2_000_000, 3))
    text = mercer.KernelRidge(0.1, kernel=KERNEL, max_memory="2GB").explain(big)
    assert "centers" in text
    assert "approximation" in text
    assert "operations" in text
    assert "operations, " in text
    assert "about" in text or "less than" in text
    hurried = mercer.KernelRidge(0.1, kernel=KERNEL, max_time=1e-3).explain(big[:5000])
    assert "time limit" in hurried
    assert "centers" in mercer.KernelLogisticRegression(kernel=KERNEL, max_memory="2GB").explain(big)


def test_files(tmp_path):
    model = mercer.KernelRidge(0.1, kernel=KERNEL, n_centers=30, fit_intercept=True).fit(X, Y)
    mercer.save(model, tmp_path / "m.safetensors")
    np.testing.assert_array_equal(mercer.load(tmp_path / "m.safetensors").predict(X), model.predict(X))
    classes = mercer.KernelLogisticRegression(0.1, kernel=KERNEL, n_centers=30).fit(X, CLASSES)
    mercer.save(classes, tmp_path / "c.safetensors")
    np.testing.assert_array_equal(mercer.load(tmp_path / "c.safetensors").predict(X), classes.predict(X))


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"n_centers": 0}, "n_centers"),
        ({"n_centers": 5, "landmarks": "best"}, "landmarks"),
        ({"n_centers": 5, "tol": 0.0}, "tol = 0 is not allowed"),
        ({"n_centers": 5, "validation_fraction": 2.0}, "validation_fraction = 2 is not allowed"),
        ({"n_centers": 5, "alpha": 0.0}, "alpha"),
        ({"n_centers": 5, "kernel": "precomputed"}, "precomputed"),
    ],
)
def test_bad_requests(choices, message):
    with pytest.raises(ValueError, match=message):
        mercer.KernelRidge(**{"alpha": 0.1, "kernel": KERNEL, **choices}).fit(X[:, :1] @ X[:, :1].T, Y)
    with pytest.raises(MemoryError):
        mercer.KernelRidge(0.1, kernel=KERNEL, n_centers=100, max_memory=1000).fit(X, Y)


def test_grids_solve_the_ridge_of_their_features():
    model = mercer.BinnedRegressor(0.3, "laplacian(norm=l1)", 20, n_buckets=64, tol=1e-12, random_state=0).fit(X, Y)
    z = mercer.RandomBinningFeatures("laplacian(norm=l1)", 20, n_buckets=64, random_state=0).fit_transform(X)
    theirs = Ridge(0.3, solver="sparse_cg", tol=1e-12, fit_intercept=True).fit(z.toarray(), Y)
    np.testing.assert_allclose(model.predict(X), theirs.predict(z.toarray()), atol=1e-6)
    for loss in ("squared", "squared_hinge", "logistic"):
        classes = mercer.BinnedClassifier(0.1, "laplacian(norm=l1)", 50, loss=loss, random_state=0).fit(X, CLASSES)
        assert classes.score(X, CLASSES) > 0.85, loss


def test_features_of_single_precision():
    single = X.astype(np.float32)
    for map in (
        mercer.RandomFourierFeatures("gaussian()", 40, random_state=0),
        mercer.RandomFourierFeatures("gaussian()", 40, kind="offset", random_state=0),
        mercer.Nystroem("gaussian()", 20, random_state=0),
    ):
        z = map.fit(X).transform(single)
        assert z.dtype == np.float32
        # Directions with small eigenvalues carry the rounding of the kernel values.
        np.testing.assert_allclose(z @ z.T, map.transform(X) @ map.transform(X).T, atol=1e-3)
