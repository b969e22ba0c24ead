"""Model files of features and of learners on random grids: the same bytes, settings and attributes after loading."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import mercer
from mercer._mercer import run_command

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(80, 3))
NEW = RANDOM.normal(size=(7, 3))
Y = np.sin(X[:, 0]) + X[:, 1]
LABELS = np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)]

TRANSFORMERS = [
    mercer.RandomFourierFeatures("gaussian(lengthscale=median)", 15, kind="offset", random_state=3),
    mercer.RandomFourierFeatures("matern(nu=3/2)", 15, sampling="qmc"),
    mercer.RandomFourierFeatures("rbf", 15, gamma="scale", random_state=1),
    mercer.RandomBinningFeatures("laplacian(norm=l1)", 9, n_buckets=64, random_state=2),
    mercer.RandomBinningFeatures("on([0], laplacian())", 9, n_buckets=64),
    mercer.Nystroem("gaussian(lengthscale=median)", 10, landmarks="greedy"),
    mercer.Nystroem("rbf", 10, gamma=0.3, random_state=5),
    mercer.EmpiricalKernelMap("gaussian(lengthscale=2)"),
    mercer.ExplicitFeatures("polynomial(degree=2)"),
    mercer.ExplicitFeatures("poly", degree=2),
]


def dense(values):
    return values.toarray() if sp.issparse(values) else values


@pytest.mark.parametrize("model", TRANSFORMERS, ids=lambda m: f"{type(m).__name__}-{m.kernel}")
@pytest.mark.parametrize("single", [False, True])
def test_transformers_come_back(model, single, tmp_path):
    x = X.astype(np.float32) if single else X
    model.fit(x)
    path = tmp_path / "model.safetensors"
    mercer.save(model, path)
    again = mercer.load(path)
    assert type(again) is type(model)
    assert str(again.get_params()) == str(model.get_params())
    assert str(again.kernel_) == str(model.kernel_)
    np.testing.assert_array_equal(dense(again.transform(NEW)), dense(model.transform(NEW)))
    assert again.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    second = tmp_path / "again.safetensors"
    mercer.save(again, second)
    assert path.read_bytes() == second.read_bytes()


def test_landmarks_of_objects_and_sparse_rows(tmp_path):
    words = ["abab", "abba", "baba", "bbbb", "aaaa", "abcabc"]
    path = tmp_path / "model.safetensors"
    for points, kernel in ((words, "spectrum(length=2)"), (sp.csr_matrix(np.maximum(X, 0.5) - 0.5), "gaussian()")):
        model = mercer.Nystroem(kernel, 4).fit(points)
        mercer.save(model, path)
        again = mercer.load(path)
        np.testing.assert_array_equal(again.transform(points), model.transform(points))
        np.testing.assert_array_equal(again.component_indices_, model.component_indices_)


def test_kernels_of_python_have_no_file(tmp_path):
    for model in (mercer.Nystroem("sigmoid", 5), mercer.Nystroem(lambda x, y: float(x @ y), 5)):
        with pytest.raises(ValueError, match="cannot be stored"):
            mercer.save(model.fit(X), tmp_path / "model")


@pytest.mark.parametrize("loss", ["squared", "huber", "log_cosh"])
@pytest.mark.parametrize("several", [False, True])
def test_regressors_on_grids_come_back(loss, several, tmp_path):
    y = np.stack([Y, -Y], axis=1) if several else Y
    model = mercer.BinnedRegressor(0.1, "laplacian(norm=l1)", 20, loss=loss, n_buckets=64, random_state=4).fit(X, y)
    path = tmp_path / "model.safetensors"
    mercer.save(model, path)
    again = mercer.load(path)
    assert str(again.get_params()) == str(model.get_params())
    np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))
    np.testing.assert_array_equal(again.coef_, model.coef_)
    assert again.predict(NEW).ndim == y.ndim
    assert again.objective_ == model.objective_


@pytest.mark.parametrize("loss", ["squared", "squared_hinge", "logistic", "softmax"])
@pytest.mark.parametrize("labels", [LABELS, X[:, 0] > 0], ids=["three", "two"])
def test_classifiers_on_grids_come_back(loss, labels, tmp_path):
    model = mercer.BinnedClassifier(0.1, "laplacian(norm=l1)", 30, loss=loss, n_buckets=64, random_state=4)
    model.fit(X, labels)
    assert model.score(X, labels) > 0.85
    path = tmp_path / "model.safetensors"
    mercer.save(model, path)
    again = mercer.load(path)
    np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))
    np.testing.assert_array_equal(again.decision_function(NEW), model.decision_function(NEW))
    has = loss == "softmax" or (loss == "logistic" and len(np.unique(labels)) == 2)
    assert hasattr(model, "predict_proba") == has
    if has:
        p = again.predict_proba(NEW)
        np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)
        np.testing.assert_array_equal(p, model.predict_proba(NEW))
        np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(NEW))


def test_the_softmax_is_that_of_logistic_regression_on_the_features():
    from sklearn.linear_model import LogisticRegression

    model = mercer.BinnedClassifier(
        0.5, "laplacian(norm=l1)", 20, loss="softmax", n_buckets=32, tol=1e-13, max_iter=20_000, random_state=0
    ).fit(X, LABELS)
    z = mercer.RandomBinningFeatures("laplacian(norm=l1)", 20, n_buckets=32, random_state=0).fit_transform(X)
    # Theirs is Σ loss + ‖w‖²/(2C): C = 1/(2 alpha).
    theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(z, LABELS)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(z), atol=1e-4)


def test_files_of_the_command_line(tmp_path):
    data, path = tmp_path / "x.csv", tmp_path / "model.safetensors"
    data.write_text("a,b,c\n" + "\n".join(",".join(repr(float(v)) for v in row) for row in X) + "\n")
    for name, kind in {
        "fourier": mercer.RandomFourierFeatures,
        "binning": mercer.RandomBinningFeatures,
        "nystrom": mercer.Nystroem,
        "empirical": mercer.EmpiricalKernelMap,
        "explicit": mercer.ExplicitFeatures,
    }.items():
        kernel = {"binning": "laplacian(norm=l1)", "explicit": "polynomial(degree=2)"}.get(name, "gaussian()")
        words = ["embed", name, str(data), "--kernel", kernel, "--model", str(path), "--seed", "6", "--scale", "none"]
        words = words if name in ("empirical", "explicit") else [*words[:-2], "--components", "8"]
        assert run_command(["mercer", *words]) == 0
        model = mercer.load(path)
        assert type(model) is kind
        assert str(model.kernel) == str(mercer.Kernel(kernel))
        if hasattr(model, "n_components"):
            assert model.n_components == 8
            assert model.random_state == 6
        again = type(model)(**model.get_params()).fit(X)
        np.testing.assert_allclose(dense(model.transform(X)), dense(again.transform(X)), atol=1e-12)
