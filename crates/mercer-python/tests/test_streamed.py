"""Chunks: a streamed ridge regression, and statistics of features as values."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge as Reference

import mercer

RNG = np.random.default_rng(3)
X = RNG.normal(size=(3000, 3))
Y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * RNG.normal(size=3000)


def chunks(height):
    for start in range(0, len(X), height):
        yield X[start : start + height], Y[start : start + height]


def small(**parameters):
    given = {"kernel": "gaussian(lengthscale=2)", "n_components": 60, "fit_intercept": True, "random_state": 0}
    return mercer.StreamedKernelRidge([1e-3, 1e-1, 10.0], **(given | parameters))


def test_all_landmarks_give_kernel_ridge_regression():
    x, y = X[:80], Y[:80]
    found = mercer.StreamedKernelRidge(0.1, kernel="rbf", gamma=0.5, n_components=80).fit(x, y).predict(X[80:100])
    expected = Reference(alpha=0.1, kernel="rbf", gamma=0.5).fit(x, y).predict(X[80:100])
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_streams_do_not_depend_on_their_chunks():
    # Features are drawn from the first chunk: the first thousand rows in every case.
    def cut(height):
        yield X[:1000], Y[:1000]
        for start in range(1000, len(X), height):
            yield X[start : start + height], Y[start : start + height]

    first = small().fit_stream(cut(2000))
    assert first.n_samples_seen_ == 3000
    assert first.alpha_ in (1e-3, 1e-1)
    assert first.scores_[10.0] > first.scores_[first.alpha_] > 0.01
    assert first.score(X, Y) > 0.9
    for height in (1, 333):
        other = small(n_jobs=1).fit_stream(cut(height))
        np.testing.assert_array_equal(other.predict(X[:50]), first.predict(X[:50]))
        assert other.stream_ == first.stream_


def test_partial_fit_goes_on_after_a_prediction():
    model = small()
    for x, y in chunks(1000):
        model.partial_fit(x, y)
        model.predict(x[:2])
    np.testing.assert_array_equal(model.predict(X[:50]), small().fit_stream(chunks(1000)).predict(X[:50]))


def test_streams_are_values():
    model = small().partial_fit(X[:1000], Y[:1000])
    copies = [pickle.loads(pickle.dumps(model)) for _ in range(2)]
    assert copies[0].stream_ == model.stream_
    assert mercer.RidgeStream.from_bytes(model.stream_.to_bytes()) == model.stream_
    whole = model.partial_fit(X[1000:], Y[1000:]).predict(X[:50])
    # A machine with the rest alone starts from the features of the first one, and no rows: here
    # from its own copy.
    copies[0].partial_fit(X[1000:2000], Y[1000:2000]).partial_fit(X[2000:], Y[2000:])
    np.testing.assert_array_equal(copies[0].predict(X[:50]), whole)
    with pytest.raises(ValueError, match="the rows 0 to 999 are in both parts"):
        copies[1].merge(model)
    rest = copies[1].without_rows(1000).partial_fit(X[1000:], Y[1000:])
    with pytest.raises(ValueError, match="the rows 0 to 999 are missing"):
        rest.predict(X[:5])
    merged = rest.merge(copies[1])
    assert merged.stream_ == model.stream_
    assert merged.stream_.row_ranges == [(0, 3000)]
    with pytest.raises(ValueError, match="differ in their features"):
        merged.merge(small(random_state=1, features="fourier").fit(X[:100], Y[:100]))
    with pytest.raises(ValueError, match="the stream of a ridge regression is damaged"):
        mercer.RidgeStream.from_bytes(b"nothing")


@pytest.mark.parametrize("cut", [1, 1301, 2500])
def test_merged_parts_are_the_fit_of_one_computer(cut):
    alphas = list(np.geomspace(1e-4, 10, 21))
    whole = small(folds=3).set_params(alpha=alphas).partial_fit(X[:500], Y[:500])
    parts = [whole.without_rows(first_row) for first_row in (0, cut)]
    assert parts[0].n_samples_seen_ == 0
    whole = whole.without_rows().partial_fit(X, Y)
    parts[0].partial_fit(X[:cut], Y[:cut])
    parts[1].partial_fit(X[cut:], Y[cut:])
    merged = parts[0].merge(pickle.loads(pickle.dumps(parts[1])))
    assert merged.n_samples_seen_ == 3000
    assert merged.alpha_ == whole.alpha_
    assert merged.scores_ == whole.scores_
    assert merged.stream_ == whole.stream_
    np.testing.assert_array_equal(merged.predict(X[:50]), whole.predict(X[:50]))


def test_models_are_saved_and_read(tmp_path):
    model = small(features="fourier").fit(X, np.column_stack([Y, -Y]))
    mercer.save(model, tmp_path / "model")
    loaded = mercer.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(X[:20]), model.predict(X[:20]))
    assert loaded.features == "fourier"
    assert loaded.alpha_ == model.alpha_
    assert loaded.coef_.shape == (2, 60)
    assert loaded.intercept_.shape == (2,)


def test_wrong_requests():
    with pytest.raises(ValueError, match="no chunk"):
        small().fit_stream([])
    with pytest.raises(ValueError, match="nystroem"):
        small(features="binning").fit(X[:50], Y[:50])
    with pytest.raises(ValueError, match="alpha"):
        mercer.StreamedKernelRidge(-1.0).fit(X[:50], Y[:50])
    with pytest.raises(ValueError, match="features"):
        small().fit(X[:50], Y[:50]).partial_fit(X[:50, :2], Y[:50])
    with pytest.raises(ValueError, match="NaN"):
        small().fit(X[:50], Y[:50]).partial_fit(X[:50] * np.nan, Y[:50])
    with pytest.raises(MemoryError, match="limit"):
        clone(small()).set_params(max_memory=1000).fit(X, Y)


def test_ridge_statistics():
    z = RNG.normal(size=(200, 7))
    weights = RNG.uniform(size=200)
    first, second = mercer.RidgeStatistics(7), mercer.RidgeStatistics(7)
    first.update(z[:120], Y[:120], weights[:120])
    second.update(z[120:], Y[120:200], weights[120:])
    first.merge(pickle.loads(pickle.dumps(second)))
    coef, intercept, squares = first.finish(0.5)
    expected = np.linalg.solve((z.T * weights) @ z + 0.5 * np.eye(7), (z.T * weights) @ Y[:200])
    np.testing.assert_allclose(coef[:, 0], expected, rtol=1e-10)
    np.testing.assert_allclose(squares[0], (weights * (Y[:200] - z @ expected) ** 2).sum(), rtol=1e-10)
    assert intercept[0] == 0.0
    assert mercer.RidgeStatistics.from_bytes(first.to_bytes()) == first
    with pytest.raises(ValueError, match="damaged"):
        mercer.RidgeStatistics.from_bytes(first.to_bytes()[:-1])


def test_means_and_covariances():
    features = mercer.RandomFourierFeatures("gaussian()", 64, random_state=0).fit(X)
    z = features.transform(X[:1000])
    p, q = mercer.MeanStatistics(64), mercer.MeanStatistics(64)
    for part in np.array_split(z[:500], 3):
        p.update(part)
    q.update(z[500:] + 0.0)
    np.testing.assert_allclose(p.finish(), z[:500].mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(p.mmd(q), ((z[:500].mean(0) - z[500:].mean(0)) ** 2).sum(), rtol=1e-9)
    assert mercer.MeanStatistics.from_bytes(p.to_bytes()) == p
    both, rest = mercer.CovarianceStatistics(64, 64), mercer.CovarianceStatistics(64, 64)
    u = mercer.RandomFourierFeatures("gaussian()", 64, random_state=1).fit(Y[:, None]).transform(Y[:1000, None])
    both.update(z[:300], u[:300])
    rest.update(z[300:], u[300:])
    both.merge(mercer.CovarianceStatistics.from_bytes(rest.to_bytes()))
    expected = ((z - z.mean(0)).T @ (u - u.mean(0))) / 1000
    np.testing.assert_allclose(both.finish(), expected, atol=1e-12)
    np.testing.assert_allclose(both.hsic(), (expected**2).sum(), rtol=1e-9)
    assert both.count == 1000


def test_an_alpha_at_the_border_is_warned_of():
    rng = np.random.default_rng(3)
    x = rng.uniform(size=(300, 1))
    y = np.sin(6 * x[:, 0])
    model = mercer.StreamedKernelRidge([1.0, 10.0, 100.0], kernel="gaussian(lengthscale=0.3)", n_components=30).fit(
        x, y
    )
    with pytest.warns(mercer.BorderWarning, match="alpha, 1,"):
        assert model.alpha_ == 1.0
