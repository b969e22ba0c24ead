"""Principal components and clusters of Dask collections: the bytes of one machine, however the rows are partitioned."""

import numpy as np
import pandas as pd
import pytest
from partitions import IGNORED, Cuts, da, dask, dd
from sklearn.metrics import adjusted_rand_score

import mercer

ROWS = 13_000
RNG = np.random.default_rng(11)
X = RNG.normal(size=(ROWS, 3)) * 0.4 + np.array([0.0, 3.0, 7.0])[RNG.integers(0, 3, ROWS)][:, None]
WEIGHTS = RNG.uniform(0.5, 2.0, size=ROWS)
NAMES = ["a", "b", "c"]

#: Rows of the partitions: one, two, seven and thirteen uneven ones, some of them empty.
CUTS = {
    1: (ROWS,),
    2: (5_999, ROWS - 5_999),
    7: (1, 0, 5_000, 2_143, 2, 0, ROWS - 7_146),
    13: (1_000, 1, 1, 1, 4_096, 3, 0, 3_000, 17, 1_000, 1_500, 1_237, 1_144),
}

pytestmark = IGNORED
CUT = Cuts(CUTS, NAMES)
array, unknown, frame = CUT.array, CUT.unknown, CUT.frame


def pca(**changes):
    given = {"kernel": "gaussian(lengthscale=median)", "n_landmarks": 30, "random_state": 3}
    return mercer.KernelPCA(3, **(given | changes))


def clusters(**changes):
    given = {"kernel": "gaussian(lengthscale=median)", "n_landmarks": 30, "n_init": 2, "random_state": 3}
    return mercer.KernelKMeans(5, **(given | changes))


def saved(model, tmp_path):
    """Return the bytes of a model file but for the parameter that only rows in memory need."""
    path = tmp_path / "model"
    model = model.set_params(**{"eigen_solver" if isinstance(model, mercer.KernelPCA) else "solver": "streamed"})
    mercer.save(model, path)
    return path.read_bytes()


@pytest.mark.parametrize("kind", [array, unknown])
def test_components_of_arrays(kind, tmp_path):
    expected = saved(pca(eigen_solver="streamed").fit(X), tmp_path)
    with dask.config.set(scheduler="threads"):
        for cut in CUTS:
            assert saved(pca().fit(kind(X, cut)), tmp_path) == expected, cut


@pytest.mark.parametrize("kind", [array, unknown])
def test_clusters_of_arrays(kind, tmp_path):
    single = clusters(solver="streamed").fit(X, sample_weight=WEIGHTS)
    expected = saved(single, tmp_path)
    assert single.n_iter_ > 1
    with dask.config.set(scheduler="threads"):
        for cut in CUTS:
            found = clusters().fit(kind(X, cut), sample_weight=kind(WEIGHTS, cut))
            assert saved(found, tmp_path) == expected, cut
            assert not hasattr(found, "labels_")


def test_frames_and_lazy_answers(tmp_path):
    table = pd.DataFrame(X, columns=NAMES)
    single, grouped = pca(eigen_solver="streamed").fit(table), clusters(solver="streamed").fit(table)
    with dask.config.set(scheduler="threads"):
        found = pca().fit(frame(X, 7))
        assert saved(found, tmp_path) == saved(single, tmp_path)
        np.testing.assert_array_equal(found.feature_names_in_, NAMES)
        scores = found.transform(frame(X, 13))
        assert isinstance(scores, dd.DataFrame)
        np.testing.assert_allclose(scores.compute().to_numpy(), single.transform(table), atol=1e-12)
        lazily = found.transform(array(X, 7))
        assert isinstance(lazily, da.Array)
        assert lazily.shape == (ROWS, 3)
        np.testing.assert_allclose(lazily.compute(), single.transform(table.to_numpy()), atol=1e-12)
        novelty = found.score_samples(array(X, 2))
        np.testing.assert_allclose(novelty.compute(), single.score_samples(table.to_numpy()), atol=1e-12)
        found = clusters().fit(frame(X, 13))
        assert saved(found, tmp_path) == saved(grouped, tmp_path)
        labels = found.predict(array(X, 7))
        assert isinstance(labels, da.Array)
        assert labels.dtype == np.int32
        np.testing.assert_array_equal(labels.compute(), grouped.labels_)
        distances = found.transform(array(X, 7)).compute()
        np.testing.assert_array_equal(distances.argmin(axis=1), grouped.labels_)


def test_a_cluster_of_workers(client, tmp_path):
    assert saved(pca().fit(array(X, 13)), tmp_path) == saved(pca(eigen_solver="streamed").fit(X), tmp_path)
    found = clusters().fit(array(X, 7), sample_weight=array(WEIGHTS, 7))
    assert saved(found, tmp_path) == saved(clusters(solver="streamed").fit(X, sample_weight=WEIGHTS), tmp_path)


def test_answers_are_those_of_the_exact_views(tmp_path):
    few = X[:600]
    exact = mercer.KernelPCA(3, kernel="gaussian(lengthscale=4)").fit(few)
    found = mercer.KernelPCA(3, kernel="gaussian(lengthscale=4)", eigen_solver="streamed", n_landmarks=150).fit(few)
    np.testing.assert_allclose(found.eigenvalues_, exact.eigenvalues_, rtol=1e-4)
    signs = np.sign((found.transform(few) * exact.transform(few)).sum(axis=0))
    np.testing.assert_allclose(found.transform(few) * signs, exact.transform(few), atol=1e-2)
    assert found.solver_ == "streamed"
    assert not hasattr(found, "X_fit_")
    groups = mercer.KernelKMeans(3, kernel="linear()", random_state=0).fit(few)
    streamed = mercer.KernelKMeans(3, kernel="linear()", solver="streamed", random_state=0).fit(few)
    assert adjusted_rand_score(groups.labels_, streamed.labels_) == pytest.approx(1.0)
    assert streamed.objective_ == pytest.approx(groups.objective_)
    for model in (found, streamed):
        mercer.save(model, tmp_path / "model")
        loaded = mercer.load(tmp_path / "model")
        assert type(loaded) is type(model)
        np.testing.assert_array_equal(loaded.transform(few), model.transform(few))
        assert "features" in model.explain(few)


def test_bad_partitions_are_named():
    bad = X.copy()
    bad[6_010, 1] = np.nan
    with dask.config.set(scheduler="threads"):
        for model in (pca(), clusters()):
            with pytest.raises(ValueError, match=r"X has NaN in partition 1, row 11, column 1 \(row 6010 of all\)"):
                model.fit(array(bad, 2))
        with pytest.raises(ValueError, match="no rows"):
            pca().fit(array(X, 2)[:0])
        pieces = [pd.DataFrame(X[:50], columns=NAMES), pd.DataFrame(X[50:99], columns=["a", "b", "d"])]
        other = dd.from_delayed([dask.delayed(piece) for piece in pieces], meta=pieces[0].iloc[:0], verify_meta=False)
        with pytest.raises(ValueError, match="partition 1 of X has the columns a, b, d, and partition 0 has a, b, c"):
            pca().fit(other)
    with pytest.raises(ValueError, match="eigen_solver"):
        pca(eigen_solver="dense").fit(array(X, 2))
    with pytest.raises(ValueError, match="fit_inverse_transform"):
        pca(fit_inverse_transform=True).fit(array(X, 2))
    with pytest.raises(ValueError, match="kernel of the language"):
        pca(kernel="precomputed").fit(array(X, 2))


@pytest.mark.parametrize("frames", [False, True])
@pytest.mark.parametrize("made", [pca, clusters])
def test_single_precision_stays_single(made, frames):
    rows = X[:90].astype(np.float32)
    rows = pd.DataFrame(rows, columns=NAMES) if frames else rows
    given = dd.from_pandas(rows, npartitions=3) if frames else da.from_array(rows, chunks=(40, 3))
    model = made().fit(given)
    found = np.asarray(model.transform(given).compute())
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, model.transform(rows))
    assert np.asarray(model.transform(given.astype(np.float64)).compute()).dtype == np.float64
