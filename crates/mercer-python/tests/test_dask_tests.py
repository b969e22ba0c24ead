"""Tests and sketches of Dask collections: the same outcome however the rows are partitioned."""

import numpy as np
import pandas as pd
import pytest
from partitions import IGNORED, da, dask, dd

import mercer

RNG = np.random.default_rng(5)
X = RNG.normal(size=(9_000, 2))
Y = RNG.normal(size=(7_000, 2)) + np.array([0.08, 0.0])
Z = X[:, :1] * X[:, 1:] + RNG.normal(size=(9_000, 1))
CUTS = {
    "X": [(9_000,), (3_001, 5_999), (1, 0, 2_048, 2_049, 0, 4_000, 902)],
    "Y": [(7_000,), (10, 6_990), (2_000, 48, 1, 0, 1, 3_000, 1_950)],
}

pytestmark = IGNORED


def cut(values, chunks):
    return da.from_array(values, chunks=(chunks, *values.shape[1:]))


def two(x, y, **changes):
    return mercer.two_sample_test(x, y, **({"n_components": 60, "permutations": 499, "random_state": 2} | changes))


def dependence(x, y, **changes):
    return mercer.independence_test(x, y, **({"n_components": 20, "permutations": 499, "random_state": 2} | changes))


def same(results):
    first = results[0]
    for other in results[1:]:
        assert other.statistic == first.statistic
        assert other.p_value == first.p_value
        np.testing.assert_array_equal(other.null, first.null)
    return first


def test_two_samples_in_partitions():
    with dask.config.set(scheduler="threads"):
        found = same([two(cut(X, x), cut(Y, y)) for x in CUTS["X"] for y in CUTS["Y"][:2]])
        frames = [dd.from_pandas(pd.DataFrame(v, columns=["a", "b"]), npartitions=3) for v in (X, Y)]
        same([found, two(*frames)])
    assert found.reject
    # The biased squared MMD of the same kernel, up to the features.
    exact = mercer.mmd(X[:2_000], Y[:2_000], found.kernel, "biased")
    assert found.statistic == pytest.approx(exact, abs=0.01)


def test_equal_distributions_are_not_rejected_too_often():
    rejected = 0
    with dask.config.set(scheduler="sync"):
        for seed in range(40):
            rng = np.random.default_rng(seed)
            x, y = rng.normal(size=(600, 2)), rng.normal(size=(900, 2))
            rejected += two(cut(x, (600,)), cut(y, (900,)), random_state=seed, permutations=199).reject
    assert rejected <= 7  # of 40 at level 0.05: more with a probability of 0.1 %


def test_variables_in_partitions():
    with dask.config.set(scheduler="threads"):
        found = same([dependence(cut(X, x), cut(Z, x)) for x in CUTS["X"]])
        assert found.reject
        same([found, dependence(cut(X, CUTS["X"][0]), cut(Z[:, 0], CUTS["X"][0]))])
        independent = dependence(cut(X, CUTS["X"][1]), cut(RNG.normal(size=(9_000, 1)), CUTS["X"][1]))
    assert independent.p_value > 0.01


def test_sketches_of_partitions():
    empty = mercer.EmbeddingSketch("gaussian(lengthscale=1)", 100, columns=2)
    whole = empty.add(X)
    assert whole == empty.add(X[::-1])
    with dask.config.set(scheduler="threads"):
        for chunks in CUTS["X"]:
            assert empty.add(cut(X, chunks)).to_bytes() == whole.to_bytes()
        # Rows that were there before stay.
        assert empty.add(X[:10]).add(cut(X[10:], (4_000, 4_990))).to_bytes() == whole.to_bytes()
    assert whole.count == 9_000


def test_bad_partitions_are_named():
    bad = Y.copy()
    bad[15, 1] = np.nan
    with dask.config.set(scheduler="threads"):
        with pytest.raises(ValueError, match=r"Y has NaN in partition 1, row 5, column 1"):
            two(cut(X, CUTS["X"][0]), cut(bad, CUTS["Y"][1]))
        with pytest.raises(ValueError, match="X has the columns 2, and Y has 1"):
            two(cut(X, CUTS["X"][0]), cut(Y[:, :1], CUTS["Y"][0]))
        with pytest.raises(ValueError, match="method = 'fused' is not allowed"):
            two(cut(X, CUTS["X"][0]), cut(Y, CUTS["Y"][0]), method="fused")
        with pytest.raises(TypeError, match="Y must be a Dask collection"):
            two(cut(X, CUTS["X"][0]), Y)
        with pytest.raises(ValueError, match="X has NaN in partition 0, row 15"):
            mercer.EmbeddingSketch("gaussian(lengthscale=1)", 10, columns=2).add(cut(bad, CUTS["Y"][0]))
