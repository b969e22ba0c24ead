"""Dask collections: the bytes of one machine, however the rows are partitioned."""

import os
import signal
import time
from inspect import signature

import helpers
import numpy as np
import pandas as pd
import pytest
from partitions import IGNORED, Cuts, da, dask, dd

import mercer
from mercer._tables import PARTITIONED

ROWS = 23_000
RNG = np.random.default_rng(7)
X = RNG.normal(size=(ROWS, 3))
Y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * RNG.normal(size=ROWS)
WEIGHTS = RNG.uniform(0.5, 2.0, size=ROWS)
NAMES = ["a", "b", "c"]

#: Rows of the partitions: one, two, seven and thirteen uneven ones, some of them empty.
CUTS = {
    1: (ROWS,),
    2: (9_999, ROWS - 9_999),
    7: (1, 0, 5_000, 6_143, 2, 0, ROWS - 11_146),
    13: (2_000, 1, 1, 1, 10_240, 3, 0, 5_000, 17, 2_000, 1_500, 1_237, 1_000),
}

pytestmark = IGNORED
CUT = Cuts(CUTS, NAMES)
array, unknown, frame = CUT.array, CUT.unknown, CUT.frame


def ridge(**changes):
    given = {"kernel": "gaussian()", "n_components": 40, "fit_intercept": True, "random_state": 3}
    return mercer.StreamedKernelRidge([1e-3, 1e-1, 10.0], **(given | changes))


def saved(model, tmp_path):
    path = tmp_path / "model"
    mercer.save(model, path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dask")
    return {
        "array": saved(ridge().fit(X, Y, WEIGHTS), folder),
        "frame": saved(ridge().fit(pd.DataFrame(X, columns=NAMES), pd.Series(Y, name="y"), WEIGHTS), folder),
    }


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("kind", [array, unknown, frame])
def test_bytes_do_not_depend_on_the_partitions(cut, kind, expected, tmp_path):
    with dask.config.set(scheduler="threads"):
        model = ridge().fit(kind(X, cut), kind(Y, cut), kind(WEIGHTS, cut))
    assert model.n_samples_seen_ == ROWS
    assert saved(model, tmp_path) == expected["frame" if kind is frame else "array"]


@pytest.mark.parametrize("cut", CUTS)
def test_bytes_of_a_cluster(cut, client, expected, tmp_path):
    assert saved(ridge().fit(array(X, cut), array(Y, cut), array(WEIGHTS, cut)), tmp_path) == expected["array"]
    assert saved(ridge().fit(frame(X, cut), frame(Y, cut), frame(WEIGHTS, cut)), tmp_path) == expected["frame"]


def test_other_schedulers_and_columns_in_chunks(expected, tmp_path):
    with dask.config.set(scheduler="synchronous"):
        cut = array(X, 7).rechunk({1: 2})
        # Targets in other chunks, weights in memory.
        model = ridge().fit(cut, da.from_array(Y, chunks=5_000), WEIGHTS)
    assert saved(model, tmp_path) == expected["array"]
    with dask.config.set(scheduler="processes", num_workers=2):
        model = ridge().fit(array(X, 2), array(Y, 2), array(WEIGHTS, 2))
    assert saved(model, tmp_path) == expected["array"]


def test_predictions_are_lazy():
    with dask.config.set(scheduler="threads"):
        model = ridge().fit(array(X, 7), array(Y, 7))
        whole = model.predict(X)
        for given in (array(X, 7), unknown(X, 13)):
            found = model.predict(given)
            assert isinstance(found, da.Array)
            np.testing.assert_allclose(found.compute(), whole, rtol=1e-10, atol=1e-12)
        both = ridge().fit(array(X, 2), array(np.column_stack([Y, -Y]), 2))
        found = both.predict(array(X, 7))
        assert found.shape == (ROWS, 2)
        np.testing.assert_allclose(found.compute(), both.predict(X), rtol=1e-10, atol=1e-12)
        named = ridge().fit(frame(X, 2), frame(Y, 2))
        assert named.feature_names_in_.tolist() == NAMES
        whole = named.predict(pd.DataFrame(X, columns=NAMES))
        found = named.predict(frame(X, 7))
        assert isinstance(found, dd.Series)
        np.testing.assert_allclose(found.compute(), whole, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "make",
    [
        lambda: mercer.RandomFourierFeatures("gaussian()", 32, random_state=1),
        lambda: mercer.Nystroem("gaussian()", 20, random_state=1),
    ],
)
def test_features_of_partitions(make):
    single = make().fit(X)
    with dask.config.set(scheduler="threads"):
        for cut in CUTS:
            fitted = make().fit(array(X, cut))
            assert fitted.kernel_ == single.kernel_
            np.testing.assert_array_equal(fitted.transform(X[:100]), single.transform(X[:100]))
            found = fitted.transform(array(X, cut))
            assert found.shape == (ROWS, single.transform(X[:1]).shape[1])
            np.testing.assert_allclose(found[:500].compute(), single.transform(X[:500]), rtol=1e-9, atol=1e-12)
        named = make().fit(frame(X, 7))
        assert named.feature_names_in_.tolist() == NAMES
        assert named.transform(frame(X, 7)).compute().shape == (ROWS, single.transform(X[:1]).shape[1])
        if hasattr(fitted, "component_indices_"):
            np.testing.assert_array_equal(fitted.components_, X[fitted.component_indices_])
        with pytest.raises(ValueError, match="gamma"):
            make().set_params(kernel="rbf", gamma="scale").fit(array(X, 2))
    with pytest.raises(TypeError, match="EmpiricalKernelMap.fit needs all rows in memory"):
        mercer.EmpiricalKernelMap("gaussian()").fit(array(X, 2))


def test_bad_partitions_are_named():
    with dask.config.set(scheduler="threads"):
        bad = X.copy()
        bad[10_020, 1] = np.nan
        with pytest.raises(ValueError, match=r"X has NaN in partition 1, row 21, column 1 \(row 10020 of all\)"):
            ridge().fit(array(bad, 2), array(Y, 2))
        with pytest.raises(ValueError, match="X has NaN in partition 1, row 21, column b"):
            ridge().fit(frame(bad, 2), frame(Y, 2))
        target = Y.copy()
        target[3] = np.inf
        with pytest.raises(ValueError, match=r"y has inf in partition 2, row 2 \(row 3 of all\)"):
            ridge().fit(array(X, 7), array(target, 7))
        weights = WEIGHTS.copy()
        weights[-1] = -1
        with pytest.raises(ValueError, match="partition 12: .*weights"):
            ridge().fit(array(X, 13), array(Y, 13), array(weights, 13))
        with pytest.raises(ValueError, match="X has 2 partitions and y has 7"):
            ridge().fit(unknown(X, 2), unknown(Y, 7))
        with pytest.raises(ValueError, match="rows and y has 10"):
            ridge().fit(array(X, 2), Y[:10])
        pieces = [pd.DataFrame(X[:50], columns=NAMES), pd.DataFrame(X[50:90], columns=["a", "b", "d"])]
        other = dd.from_delayed([dask.delayed(piece) for piece in pieces], meta=pieces[0].iloc[:0], verify_meta=False)
        with pytest.raises(ValueError, match="partition 1 of X has the columns a, b, d, and partition 0 has a, b, c"):
            ridge().fit(other, Y[:90])
        pieces[1] = pd.DataFrame({"a": ["x"], "b": [1.0], "c": [2.0]})
        other = dd.from_delayed([dask.delayed(piece) for piece in pieces], meta=pieces[0].iloc[:0], verify_meta=False)
        with pytest.raises(ValueError, match="partition 1 of X holds values that are not numbers"):
            ridge().fit(other, Y[:51])
        with pytest.raises(ValueError, match="no rows"):
            ridge().fit(array(X, 2)[:0], array(Y, 2)[:0])
        with pytest.raises(TypeError, match="give a Dask collection to fit"):
            ridge().partial_fit(array(X, 2), array(Y, 2))


def slow_rows(first, last, flag):
    """Return rows of X; a worker that makes the flag dies, once."""
    time.sleep(0.02)
    if flag is not None and not os.path.exists(flag):
        with open(flag, "w"):
            pass
        os.kill(os.getpid(), signal.SIGKILL)
    return X[first:last]


def test_a_killed_worker_changes_nothing(client, expected, tmp_path):
    flag = str(tmp_path / "killed")
    ends = np.cumsum(CUTS[13])
    blocks = [
        da.from_delayed(
            dask.delayed(slow_rows)(int(end - rows), int(end), flag if number == 7 else None),
            shape=(rows, 3),
            dtype=float,
        )
        for number, (end, rows) in enumerate(zip(ends, CUTS[13], strict=True))
    ]
    model = ridge().fit(da.concatenate(blocks), array(Y, 13), array(WEIGHTS, 13))
    assert os.path.exists(flag)
    assert saved(model, tmp_path) == expected["array"]


LABELS = np.array(["high", "low", "middle"])[np.digitize(Y, [-0.5, 0.5])]


def logistic(**changes):
    given = {"kernel": "gaussian()", "n_components": 25, "random_state": 3, "tol": 1e-4, "max_iter": 12}
    return mercer.StreamedKernelLogisticRegression(0.5, **(given | changes))


@pytest.mark.parametrize("labels", [LABELS, (Y > 0).astype(int)])
def test_classes_of_partitions(labels, tmp_path):
    single = logistic().fit(X, labels, WEIGHTS)
    with dask.config.set(scheduler="threads"):
        for cut in (1, 7):
            found = logistic().fit(array(X, cut), array(labels, cut), array(WEIGHTS, cut))
            assert saved(found, tmp_path) == saved(single, tmp_path)
        series = dd.from_delayed([dask.delayed(pd.Series(part)) for part in CUT.parts(labels, 13)], verify_meta=False)
        np.testing.assert_array_equal(logistic().fit(array(X, 13), series, array(WEIGHTS, 13)).coef_, single.coef_)
        lazily = single.predict(array(X, 2))
        assert isinstance(lazily, da.Array)
        np.testing.assert_array_equal(lazily.compute(), single.predict(X))
        np.testing.assert_allclose(single.predict_proba(array(X, 2)).compute(), single.predict_proba(X), atol=1e-12)
    loaded = mercer.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(X[:50]), single.predict(X[:50]))


def test_classes_of_a_cluster(client, tmp_path):
    found = logistic().fit(array(X, 7), array(LABELS, 7))
    assert saved(found, tmp_path) == saved(logistic().fit(X, LABELS), tmp_path)


def test_bad_classes_are_named():
    labels = (Y > 0).astype(float)
    labels[10_000] = np.nan
    with dask.config.set(scheduler="threads"):
        with pytest.raises(ValueError, match="y has NaN in partition 1, row 1"):
            logistic().fit(array(X, 2), array(labels, 2))
        with pytest.raises(ValueError, match="at least 2 classes"):
            logistic().fit(array(X, 2), array(np.zeros(ROWS), 2))


ROWS_IN_MEMORY = {
    name: kind
    for name, kind in helpers.ESTIMATORS.items()
    if name not in PARTITIONED and not name.startswith("Conformal")
}


@pytest.mark.parametrize("name", ROWS_IN_MEMORY)
def test_other_estimators_refuse_dask_collections(name):
    """All rows would be loaded otherwise, silently."""
    model, x, y = ROWS_IN_MEMORY[name](), array(X, 2), array(Y, 2)
    named = rf"X(_low)? is a Dask collection, and {name}.fit needs all rows.*StreamedKernelRidge.* and Nystroem"
    with pytest.raises(TypeError, match=named):
        model.fit(x, y)
    if "sample_weight" in signature(model.fit).parameters:
        with pytest.raises(TypeError, match="sample_weight is a Dask collection"):
            model.fit(X[:9, :1], Y[:9], sample_weight=array(WEIGHTS, 2))


def test_the_estimators_of_the_message_take_dask_collections():
    found = {name for name, kind in helpers.ESTIMATORS.items() if getattr(kind, "_partitioned", False)}
    assert found == set(PARTITIONED)


def test_predictions_refuse_dask_collections():
    model = mercer.KernelRidge(kernel="gaussian()").fit(X[:50], Y[:50])
    for work in (
        lambda: model.predict(array(X, 2)),
        lambda: model.predict(frame(X, 2)),
        lambda: mercer.KernelRidge(n_centers=20, kernel="gaussian()").fit(frame(X, 2), Y),
        lambda: mercer.ConformalRegressor().fit(array(X, 2), Y),
    ):
        with pytest.raises(TypeError, match="is a Dask collection"):
            work()
    lazily = array(X, 2).map_blocks(model.predict, drop_axis=1, dtype=float)
    np.testing.assert_array_equal(lazily.compute()[:50], model.predict(X[:50]))


@pytest.mark.parametrize(
    "work",
    [
        lambda points: mercer.MeanEmbedding("gaussian()", points),
        lambda points: mercer.Function("gaussian()", points, Y),
        lambda points: mercer.gaussian()(points),
        lambda points: mercer.mmd(points, X[:20], "gaussian()"),
        lambda points: mercer.hsic(points, Y),
        lambda points: mercer.energy_distance(X[:20], points),
        lambda points: mercer.joint_independence_test([points, Y], permutations=9),
        lambda points: mercer.auto(points, Y),
        lambda points: mercer.KernelCCA().fit([X, points]),
    ],
)
@pytest.mark.parametrize("kind", [array, frame])
def test_kernels_and_measures_refuse_dask_collections(work, kind):
    with pytest.raises(TypeError, match="is a Dask collection"):
        work(kind(X, 2))
