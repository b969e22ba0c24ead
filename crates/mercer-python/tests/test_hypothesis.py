"""Measures and tests: what is accepted, what is refused, what comes out."""

import doctest
import pickle

import numpy as np
import pandas as pd
import pytest

import mercer

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 2)), RNG.normal(size=(30, 2)) + 1.0
U, V = RNG.normal(size=60), RNG.normal(size=60)
K = mercer.gaussian(lengthscale=1.5)


def values(x, y):
    """The Gaussian kernel as a function of two points."""
    return float(np.exp(-np.sum((x - y) ** 2) / (2 * 1.5**2)))


def test_every_form_of_a_kernel_gives_the_same_test():
    expected = mercer.two_sample_test(X, Y, K, permutations=99)
    pooled = np.concatenate([X, Y])
    for found in [
        mercer.two_sample_test(X, Y, str(K), permutations=99),
        mercer.two_sample_test(pd.DataFrame(X), pd.DataFrame(Y), K, permutations=99),
        mercer.two_sample_test(X, Y, values, permutations=99),
        mercer.two_sample_test(K(pooled), len(X), "precomputed", permutations=99),
    ]:
        assert found.p_value == expected.p_value
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
    for found in [mercer.mmd(X, Y, values), mercer.mmd(K(pooled), 40, "precomputed"), mercer.mmd(X, Y, K)]:
        assert found == pytest.approx(expected.statistic, rel=1e-12)
    assert mercer.mmd(X, Y, "rbf") == pytest.approx(mercer.mmd(X, Y, mercer.gaussian(gamma=0.5)), rel=1e-12)


def test_variables_may_be_mixed():
    k = mercer.gaussian(lengthscale=1)
    expected = mercer.independence_test(U, V, k, k, permutations=99)
    mixed = mercer.independence_test(k(U), V, "precomputed", k, permutations=99)
    assert mixed.p_value == expected.p_value
    assert mercer.hsic(U, k(V), k, "precomputed") == pytest.approx(mercer.hsic(U, V, k, k), rel=1e-12)
    joint = mercer.joint_independence_test([k(U), V, U * V], ["precomputed", k, "auto"], permutations=99)
    assert joint.statistic == pytest.approx(mercer.dhsic([U, V, U * V], [k, k, "auto"]), rel=1e-12)
    three = mercer.interaction_test(U, k(V), U * V, k, "precomputed", k, permutations=99)
    assert three.statistic == pytest.approx(mercer.lancaster(U, V, U * V, k, k, k), rel=1e-12)


METHODS = [
    "permutation",
    "sequential",
    "gamma",
    "spectral",
    "bound",
    "linear",
    "block",
    "aggregated",
    "fused",
    "split",
    "features",
]


@pytest.mark.parametrize("method", METHODS)
def test_two_sample_methods(method):
    result = mercer.two_sample_test(X, Y + 2, method=method, permutations=199, block_size=5)
    assert result.method == ("biased bound" if method == "bound" else method)
    assert 0 < result.p_value <= 1
    assert result.reject == (result.p_value <= 0.05)
    assert result.reject or method in ("bound", "linear")
    again = mercer.two_sample_test(X, Y + 2, method=method, permutations=199, block_size=5, n_jobs=1)
    assert again.p_value == result.p_value


@pytest.mark.parametrize("method", ["permutation", "sequential", "gamma", "aggregated", "features"])
def test_independence_methods(method):
    assert mercer.independence_test(U, U**2 + 0.1 * V, method=method, permutations=199).reject
    assert not mercer.independence_test(U, V, method=method, permutations=199).reject


def test_the_default_is_aggregated_and_an_explicit_kernel_is_permuted():
    assert mercer.two_sample_test(X, Y, permutations=99).method == "aggregated"
    result = mercer.two_sample_test(X, Y, "gaussian(lengthscale=median)", permutations=99)
    assert result.method == "permutation"
    assert result.kernel.startswith("gaussian(lengthscale=")
    assert "median" not in result.kernel


def test_paired_and_stratified():
    pairs = mercer.two_sample_test(U, U + 0.5, method="paired", permutations=199)
    assert pairs.method == "paired"
    strata = ["a"] * 20 + ["b"] * 20 + ["a"] * 15 + ["b"] * 15
    inside = mercer.two_sample_test(X, Y, K, strata=strata, permutations=199)
    assert inside.reject
    assert inside.p_value >= 1 / 200
    wild = mercer.two_sample_test(X[:30], Y, wild=True, weights="centered", permutations=199)
    assert wild.reject


def test_seeds():
    one, again, other = (mercer.two_sample_test(X, Y, K, permutations=99, random_state=seed).null for seed in (3, 3, 4))
    assert one.tobytes() == again.tobytes() != other.tobytes()
    assert mercer.two_sample_test(X, Y, K, permutations=99, random_state=3).seed == 3


def test_the_p_value_counts_the_observed_statistic_and_ties():
    result = mercer.two_sample_test(X, Y + 5, K, permutations=99)
    assert result.p_value == 0.01
    low, high = result.p_interval
    assert low == 0
    assert 0.01 < high < 0.1
    assert result.effect == result.details["effect"] > 3


def test_results_are_readable():
    result = mercer.two_sample_test(X, Y, K, permutations=199)
    text = str(result)
    assert text.splitlines()[0] == "Two-sample test: rejected at level 0.05 (p = 0.005)"
    for part in [
        "both samples have the same distribution",
        "199 random permutations",
        "gaussian(lengthscale=1.5)",
        "99 %",
    ]:
        assert part in text
    html = result._repr_html_()
    assert "<svg" in html
    assert "rejected at level 0.05" in html
    assert html.count("<rect") == 40
    exact = mercer.two_sample_test(X[:3], Y[:3], K)
    assert "19 all permutations" in str(exact)
    assert "<svg" not in mercer.two_sample_test(X, Y, K, method="gamma")._repr_html_()
    again = pickle.loads(pickle.dumps(result))
    assert str(again) == text
    assert again.null.tobytes() == result.null.tobytes()


def test_levels():
    result = mercer.two_sample_test(X, Y, K, permutations=99, level=0.001)
    assert result.level == 0.001
    assert not result.reject


def test_goodness_of_fit():
    x = RNG.normal(size=(100, 2))
    result = mercer.goodness_of_fit_test(x, lambda x: -x)
    assert not result.reject
    assert result.statistic == pytest.approx(mercer.stein_discrepancy(x, -x), rel=1e-12)
    for score in ["normal()", "normal(mean=[0, 0], std=1)", -x]:
        assert mercer.goodness_of_fit_test(x, score).p_value == result.p_value
    assert mercer.goodness_of_fit_test(x, "normal(mean=1)").reject
    assert mercer.goodness_of_fit_test(x, "normal(std=3)", "gaussian(lengthscale=median)").reject
    unbiased = mercer.stein_discrepancy(x, "normal()", estimator="unbiased")
    assert unbiased < mercer.stein_discrepancy(x, "normal()")
    with pytest.raises(ValueError, match="no density named `norml`"):
        mercer.goodness_of_fit_test(x, "norml()")
    with pytest.raises(ValueError, match="not a kernel for a Stein discrepancy"):
        mercer.goodness_of_fit_test(x, "normal()", "linear()")
    with pytest.raises(ValueError, match="scores: expected"):
        mercer.goodness_of_fit_test(x, x[:5])


def test_conditional_independence():
    z = RNG.normal(size=80)
    x, y = z + RNG.normal(size=80), z**2 + RNG.normal(size=80)
    assert not mercer.conditional_independence_test(x, y, z, permutations=499).reject
    assert mercer.conditional_independence_test(x, y + 2 * x, z, permutations=499).reject
    with pytest.raises(ValueError, match="kernel_y: the conditional test works on points"):
        mercer.conditional_independence_test(x, y, z, kernel_y="precomputed")


def test_mean_embeddings():
    mu, nu = mercer.MeanEmbedding(K, X), mercer.MeanEmbedding(K, Y)
    assert mu.distance(nu) ** 2 == pytest.approx(mercer.mmd(X, Y, K), rel=1e-10)
    f = mercer.Function(K, X[:3], [1.0, -2.0, 0.5])
    assert mu.inner(f) == pytest.approx(f(X).mean(), rel=1e-12)
    assert mu.function().inner(f) == pytest.approx(mu.inner(f), rel=1e-12)
    weighted = mercer.MeanEmbedding(K, X[:2], weights=[2.0, -1.0])
    np.testing.assert_allclose(weighted(Y), 2 * K(Y, X[:1])[:, 0] - K(Y, X[1:2])[:, 0], rtol=1e-12)
    small, rows, distance = mu.herd(10)
    assert len(rows) == len(small.points) == 10
    assert small.distance(mu) == pytest.approx(distance, abs=1e-9)
    best, _, nearer = mu.compress(10)
    assert nearer < distance
    assert pickle.loads(pickle.dumps(best)) == best
    assert repr(mu) == 'MeanEmbedding("gaussian(lengthscale=1.5)", 40 points)'
    with pytest.raises(TypeError, match="inner takes a MeanEmbedding or a Function"):
        mu.inner(3)
    with pytest.raises(ValueError, match="different spaces"):
        mu.inner(mercer.MeanEmbedding("linear()", Y))
    with pytest.raises(ValueError, match="weights: expected one per point"):
        mercer.MeanEmbedding(K, X, weights=[1.0])


def test_wasserstein_on_the_line():
    scipy = pytest.importorskip("scipy.stats")
    assert mercer.wasserstein(U, V[:30]) == pytest.approx(scipy.wasserstein_distance(U, V[:30]), rel=1e-12)
    assert mercer.energy_distance(U, V) == pytest.approx(scipy.energy_distance(U, V) ** 2, rel=1e-10)


NAN = np.where(np.arange(80).reshape(40, 2) == 7, np.nan, X)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mercer.two_sample_test(X[:1], Y), "points of the first sample .*expected at least 2, found 1"),
        (lambda: mercer.two_sample_test(X, Y[:0]), "points of the second sample .*expected at least 2, found 0"),
        (lambda: mercer.two_sample_test(X, Y[:, :1]), "columns"),
        (lambda: mercer.two_sample_test(X, Y[:, :1], values), "different numbers of columns: 2 and 1"),
        (lambda: mercer.two_sample_test(NAN, Y), "row 3, column 1 holds NaN"),
        (lambda: mercer.two_sample_test(X, NAN), "row 3, column 1 holds NaN"),
        (lambda: mercer.two_sample_test(X, Y, permutations=0), "permutations = 0 is not allowed"),
        (lambda: mercer.two_sample_test(X, Y, permutations=-5), "permutations = -5 is not allowed"),
        (lambda: mercer.two_sample_test(X, Y, level=0), "level = 0 is not allowed"),
        (lambda: mercer.two_sample_test(X, Y, level=1.0), "level = 1 is not allowed"),
        (lambda: mercer.two_sample_test(X, Y, level=np.nan), "level = NaN is not allowed"),
        (lambda: mercer.two_sample_test(X, Y, method="magic"), 'method = "magic" is not allowed: it must be one of'),
        (lambda: mercer.two_sample_test(X, Y, estimator="linear"), "estimator = .* is not allowed"),
        (
            lambda: mercer.two_sample_test(X, Y, K, "exact"),
            "relabelings: at most 1e6 can be enumerated",
        ),
        (lambda: mercer.two_sample_test(X, Y, K, "paired"), "as many as in the first"),
        (lambda: mercer.two_sample_test(np.ones((5, 2)), np.ones((5, 2))), "equal"),
        (lambda: mercer.two_sample_test(K(X), Y, "precomputed"), "X is the matrix of the pooled sample"),
        (lambda: mercer.two_sample_test(K(X), 39, "precomputed"), "points of the second sample"),
        (lambda: mercer.two_sample_test(K(X, Y), 20, "precomputed"), "must be a square matrix"),
        (lambda: mercer.two_sample_test(X @ X.T + np.triu(X @ X.T), 20, "precomputed"), "not symmetric"),
        (lambda: mercer.two_sample_test(X, Y, "gausian()"), "did you mean `gaussian`"),
        (lambda: mercer.two_sample_test(X, Y, K, strata=[1, 2]), "strata"),
        (lambda: mercer.independence_test(U, V[:-1]), "rows of y: expected one per row of x"),
        (lambda: mercer.independence_test(U[:3], V[:3]), "at least 4, found 3"),
        (lambda: mercer.independence_test(U, np.ones(60)), "median"),
        (lambda: mercer.independence_test(U, V, permutations=0), "permutations = 0 is not allowed"),
        (lambda: mercer.independence_test(U, V, level=2), "level = 2 is not allowed"),
        (lambda: mercer.independence_test(U, V, method="exact"), "relabelings"),
        (lambda: mercer.joint_independence_test([U]), "variables .*expected at least 2, found 1"),
        (lambda: mercer.joint_independence_test([U, V], kernels=["auto"]), "one per variable"),
        (lambda: mercer.interaction_test(U, V, U[:9]), "rows of z"),
        (lambda: mercer.conditional_independence_test(U, V, U[:9]), "rows of z"),
        (lambda: mercer.goodness_of_fit_test(U[:1], "normal()"), "at least 2"),
        (lambda: mercer.goodness_of_fit_test(NAN, "normal()"), "holds NaN"),
        (lambda: mercer.mmd(X, Y, estimator="best"), "estimator = .* is not allowed"),
        (lambda: mercer.mmd_witness(X, Y, values), "the witness is a function on points"),
        (lambda: mercer.hsic(U, V, estimator="paired"), "estimator = .* is not allowed"),
        (lambda: mercer.energy_distance(X, Y[:, :1]), "columns"),
        (lambda: mercer.wasserstein([], [1.0]), "at least 1"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_identical_samples_are_not_rejected():
    same = mercer.two_sample_test(X, X, permutations=199)
    assert same.p_value == 1
    assert mercer.two_sample_test(X, X, K, permutations=199).p_value == 1
    assert mercer.mmd(X, X, K) == pytest.approx(0, abs=1e-15)


def test_constant_samples_with_an_explicit_kernel():
    """All points are equal: every relabeling gives the same statistic, so that p = 1."""
    ones = np.ones((6, 1))
    with pytest.warns(UserWarning, match="Every relabeling"):
        assert mercer.two_sample_test(ones, ones, K).p_value == 1
    assert mercer.two_sample_test(ones, 2 * ones, K, permutations=999).p_value < 0.01


def test_memory_limits():
    x = RNG.normal(size=(3000, 1))
    with pytest.raises(MemoryError, match="memory limit is"):
        mercer.joint_independence_test(
            [x, x], kernels=["laplacian()", "laplacian()"], max_memory="10MB", permutations=9
        )
    # Smooth kernels on one column have factors of low rank, and need no matrix.
    assert mercer.joint_independence_test([x, x], max_memory="10MB", permutations=99).reject
    with pytest.raises(MemoryError, match="fewer points"):
        mercer.conditional_independence_test(x, x, x[::-1], max_memory="10MB")
    # The two-sample test stores no matrix: a limit that is far below n² is no obstacle.
    big = mercer.two_sample_test(x, x[::-1] + 0.001, K, permutations=9, max_memory="20MB")
    assert not big.reject


def test_sequential_test():
    rng = np.random.default_rng(1)
    test = mercer.SequentialTwoSampleTest(level=0.01)
    while not test.reject and test.batches < 50:
        assert test.update(rng.normal(size=(25, 2)), rng.normal(size=(20, 2)) + 0.7) == test.p_value
    assert test.reject
    assert test.p_value <= test.level == 0.01
    assert len(test.history) == test.batches
    assert test.history[-1] == test.wealth
    assert "rejected at level 0.01" in repr(test)
    same = mercer.SequentialTwoSampleTest("gaussian(lengthscale=1)")
    for _ in range(10):
        same.update(rng.normal(size=20), rng.normal(size=20))
    assert not same.reject
    assert [str(k) for k in same.kernels] == ["gaussian(lengthscale=1)"]
    with pytest.raises(ValueError, match="columns"):
        same.update(rng.normal(size=(20, 2)), rng.normal(size=(20, 2)))
    with pytest.raises(ValueError, match="level = 3 is not allowed"):
        mercer.SequentialTwoSampleTest(level=3)


def test_progress(capsys):
    mercer.two_sample_test(X, Y, K, permutations=9, verbose=True)
    assert capsys.readouterr().out == ""


def test_examples():
    runner = doctest.DocTestRunner()
    for module in [mercer._measures, mercer._hypothesis]:
        tests = [t for t in doctest.DocTestFinder().find(module) if t.examples]
        assert len(tests) >= 6
        for test in tests:
            runner.run(test)
    for name in ["MeanEmbedding", "SequentialTwoSampleTest", "TestResult"]:
        for test in doctest.DocTestFinder().find(getattr(mercer, name), name):
            runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_columns_by_themselves():
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, 60, 3))
    y[:, 1] *= 3.0
    found = mercer.column_tests(x, y, "gaussian(lengthscale=1)", permutations=199)
    assert [result.reject for result in found] == [False, True, False]
    alone = mercer.two_sample_test(x[:, 1], y[:, 1], "gaussian(lengthscale=1)", permutations=199)
    assert found[1].p_value == alone.p_value
    assert found[1].details["p_adjusted"] == pytest.approx(3 * alone.p_value, abs=1e-15)
    unbiased = mercer.mmd(x[:, 1], y[:, 1], "gaussian(lengthscale=1)", "unbiased")
    assert found[1].details["mmd"] == pytest.approx(unbiased, abs=1e-15)
    plain = mercer.column_tests(x, y, "gaussian(lengthscale=1)", correction="none", permutations=199)
    assert all(result.details["p_adjusted"] == result.p_value for result in plain)
    with pytest.raises(ValueError, match="correction"):
        mercer.column_tests(x, y, correction="all")
    with pytest.raises(ValueError, match="columns are tested from points"):
        mercer.column_tests(x, y, "precomputed")


def test_embeddings_of_distributions():
    normal = mercer.LawEmbedding.normal("gaussian(lengthscale=2)", [1.0, -1.0], [[1.0, 0.0], [0.0, 4.0]])
    # det(I + S/4)^(−1/2) at the mean.
    assert normal([[1.0, -1.0]])[0] == pytest.approx((1.25 * 2.0) ** -0.5, abs=1e-14)
    assert normal.squared_mmd(normal) == pytest.approx(0.0, abs=1e-15)
    assert normal.norm() ** 2 == pytest.approx(normal.inner(normal), abs=1e-14)
    wiener = mercer.LawEmbedding.uniform("wiener()")
    assert wiener([[0.5]])[0] == pytest.approx(0.375, abs=1e-14)
    sample = mercer.MeanEmbedding("wiener()", (np.arange(2000) + 0.5) / 2000)
    assert sample([0.5])[0] == pytest.approx(0.375, abs=1e-6)
    assert mercer.LawEmbedding.laplace("laplacian(lengthscale=2)", 1.0)([[0.0]])[0] == pytest.approx(2 / 3, abs=1e-14)
    assert "uniform distribution" in repr(wiener)
    assert wiener == mercer.LawEmbedding.uniform("wiener()")
    with pytest.raises(ValueError, match="closed form"):
        mercer.LawEmbedding.laplace("gaussian(lengthscale=1)")


def test_sketches_merge_and_are_kept():
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(300, 2)), rng.normal(size=(200, 2)) + 1.0
    empty = mercer.EmbeddingSketch("gaussian(lengthscale=1)", 4000, columns=2, random_state=3)
    parts = empty.add(x[:100]).merge(empty.add(x[100:]))
    whole, other = empty.add(x), empty.add(y)
    assert (parts.count, empty.count, whole.columns) == (300, 0, 2)
    np.testing.assert_allclose(parts.mean, whole.mean, rtol=0, atol=1e-14)
    assert whole.squared_mmd(other) == pytest.approx(mercer.mmd(x, y, "gaussian(lengthscale=1)"), abs=0.03)
    assert whole.inner(other) == pytest.approx(whole.mean @ other.mean, abs=1e-14)
    at = mercer.MeanEmbedding("gaussian(lengthscale=1)", x)([[0.0, 0.0]])
    np.testing.assert_allclose(whole([[0.0, 0.0]]), at, rtol=0, atol=0.05)
    assert mercer.EmbeddingSketch.from_bytes(whole.to_bytes()) == whole
    assert pickle.loads(pickle.dumps(other)) == other
    with pytest.raises(ValueError, match="different features"):
        whole.merge(mercer.EmbeddingSketch("gaussian(lengthscale=1)", 4000, columns=2, random_state=4).add(x))
    with pytest.raises(ValueError, match="columns"):
        whole.add(x[:, :1])
    with pytest.raises(ValueError, match="sketch"):
        mercer.EmbeddingSketch.from_bytes(b"nothing")


def test_how_to_compute_is_set_by_keywords():
    x, y = np.arange(20.0), np.arange(20.0) + 3.0
    one = mercer.two_sample_test(x, y, "gaussian(lengthscale=3)", permutations=99, random_state=4, n_jobs=1)
    two = mercer.two_sample_test(x, y, "gaussian(lengthscale=3)", permutations=99, random_state=4, max_memory=None)
    assert one.p_value == two.p_value
    assert one.seed == 4
    with pytest.raises(TypeError, match="n_job"):
        mercer.mmd(x, y, n_job=1)


def test_a_kernel_that_distinguishes_nothing_is_told():
    letters, numbers = ["a", "b"] * 10, np.arange(20.0)
    with pytest.warns(UserWarning, match="Every relabeling"):
        result = mercer.independence_test(letters, numbers)
    assert result.p_value == 1.0
    assert result.remark is not None
    assert mercer.independence_test(letters, numbers, "spectrum(length=1)", "gaussian()").remark is None
