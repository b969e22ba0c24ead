"""Smoothing splines and local smoothers: identities, choices of λ and bandwidth, wrong requests."""

import warnings

import numpy as np
import pytest

import mercer
from mercer import KernelRidge, LocalLinear, NadarayaWatson, SmoothingSpline

RNG = np.random.default_rng(21)
X = np.sort(RNG.uniform(size=80))
Y = np.sin(6 * X) + 0.2 * RNG.normal(size=80)
T = np.linspace(0.05, 0.95, 11)


@pytest.mark.parametrize("order", [1, 2])
def test_a_spline_is_ridge_with_a_null_space(order):
    """The spline of order m is ridge with the Sobolev kernel and the polynomials of degree below m unpenalized."""
    lam = 1e-3
    spline = SmoothingSpline(lam, order=order).fit(X, Y)
    powers = [] if order == 1 else [X]
    ridge = KernelRidge(lam, kernel=f"sobolev(order={order}, null_space=false)", fit_intercept=True)
    ridge.fit(X[:, None], Y, null_space=np.column_stack(powers) if powers else None)
    np.testing.assert_allclose(spline.fitted_, ridge.fitted_, atol=1e-9)
    assert spline.dof_ == pytest.approx(ridge.dof_, rel=1e-8)
    assert spline.gcv_ == pytest.approx(ridge.gcv_, rel=1e-8)


def test_the_choice_of_lambda():
    gcv, reml, df = (SmoothingSpline(**c).fit(X, Y) for c in ({}, {"lam": "reml"}, {"df": 7.0}))
    assert df.dof_ == pytest.approx(7.0, abs=1e-8)
    for factor in (0.9, 1.1):
        assert SmoothingSpline(gcv.lam_ * factor).fit(X, Y).gcv_ > gcv.gcv_
        assert SmoothingSpline(reml.lam_ * factor).fit(X, Y).reml_ > reml.reml_


def test_derivatives_and_standard_errors():
    spline = SmoothingSpline().fit(X[:, None], Y)
    h = 1e-5
    slope = (spline.predict(T + h) - spline.predict(T - h)) / (2 * h)
    np.testing.assert_allclose(spline.predict(T, derivative=1), slope, rtol=1e-5, atol=1e-5)
    values, errors = spline.predict(T, return_std=True)
    assert values.tobytes() == spline.predict(T[:, None]).tobytes()
    assert (errors > 0).all()
    _, at_data = spline.predict(X, return_std=True)
    np.testing.assert_allclose(at_data, np.sqrt(spline.variance_ * spline.leverages_), rtol=1e-8)
    with pytest.raises(ValueError, match="derivative must be 0"):
        spline.predict(T, derivative=1, return_std=True)
    with pytest.raises(ValueError, match="derivative = 4 is not allowed: it must be at most 3"):
        spline.predict(T, derivative=4)


def test_periods_ties_and_weights():
    periodic = SmoothingSpline(1e-4, period=1.0).fit(X, Y)
    np.testing.assert_allclose(periodic.predict(T + 3), periodic.predict(T), rtol=1e-9)
    counts = RNG.integers(1, 4, size=80)
    weighted = SmoothingSpline(1e-3).fit(X, Y, sample_weight=counts)
    repeated = SmoothingSpline(1e-3).fit(np.repeat(X, counts), np.repeat(Y, counts))
    np.testing.assert_allclose(weighted.predict(T), repeated.predict(T), rtol=1e-9)


def test_leave_one_out_of_splines_and_smoothers():
    i, rest = 30, np.arange(80) != 30
    models = [SmoothingSpline(1e-3), NadarayaWatson(0.05), LocalLinear(0.1, weights="tricube")]
    for model, column in zip(models, (False, True, False), strict=True):
        x = X[:, None] if column else X
        whole = model.fit(x, Y).loo_residuals_[i]
        left = model.fit(x[rest], Y[rest]).predict(x[i : i + 1])[0]
        assert whole == pytest.approx(Y[i] - left, rel=1e-9)


@pytest.mark.parametrize("weights", ["gaussian", "epanechnikov", "tricube", "uniform", "biweight"])
def test_bandwidths_by_leave_one_out(weights):
    x = X[:, None]
    chosen = NadarayaWatson(weights=weights).fit(x, Y)
    assert chosen.loo_score_ == pytest.approx(np.mean(chosen.loo_residuals_**2), rel=1e-12)
    for factor in (0.5, 2.0):
        other = NadarayaWatson(chosen.bandwidth_ * factor, weights=weights).fit(x, Y)
        assert not other.loo_score_ < chosen.loo_score_


def test_formulas_of_the_smoothers():
    w = np.exp(-((T[:, None] - X) ** 2) / (2 * 0.1**2))
    model = NadarayaWatson(0.1).fit(X[:, None], Y)
    np.testing.assert_allclose(model.predict(T[:, None]), w @ Y / w.sum(axis=1), rtol=1e-12)
    line = LocalLinear(0.1).fit(X, 1 + 2 * X)
    np.testing.assert_allclose(line.predict(T), 1 + 2 * T, rtol=1e-11)
    np.testing.assert_allclose(line.slope(T), 2.0, rtol=1e-10)


@pytest.mark.parametrize(
    ("model", "x", "message"),
    [
        (SmoothingSpline(-1.0), X, "lam = -1 is not allowed"),
        (SmoothingSpline("loo"), X, 'lam = \'loo\' is not allowed: it must be "gcv", "reml" or a positive number'),
        (SmoothingSpline(order=4), X, "order = 4 is not allowed"),
        (SmoothingSpline(df=1.0), X, "is not allowed"),
        (SmoothingSpline(1.0), np.zeros(80), "distinct x"),
        (SmoothingSpline(1.0), np.zeros((80, 2)), "SmoothingSpline takes x of one column, found 2"),
        (SmoothingSpline(1.0), np.where(np.arange(80) == 3, np.nan, X), "NaN"),
        (NadarayaWatson(0.0), X[:, None], "bandwidth = 0 is not allowed"),
        (NadarayaWatson("cv"), X[:, None], "bandwidth = 'cv' is not allowed: it must be \"loo\" or a positive number"),
        (NadarayaWatson(weights="box"), X[:, None], 'weights = "box" is not allowed: it must be one of "gaussian"'),
        (NadarayaWatson(), np.zeros((80, 1)), "all x are equal"),
        (LocalLinear(1e-9, weights="uniform"), X, "row 0 at .* use a larger bandwidth"),
        (LocalLinear(), np.zeros((80, 2)), "LocalLinear takes x of one column, found 2"),
    ],
)
def test_wrong_requests(model, x, message):
    with pytest.raises(ValueError, match=message):
        model.fit(x, Y)


def test_small_and_constant_data():
    line = SmoothingSpline(1.0).fit([0.0, 1.0], [1.0, 3.0])
    assert line.predict([2.0]) == pytest.approx(5.0, rel=1e-12)
    with pytest.raises(ValueError, match="1 sample"):
        SmoothingSpline(1.0).fit([0.0], [1.0])
    with pytest.raises(ValueError, match="0 sample"):
        SmoothingSpline(1.0).fit([], [])
    np.testing.assert_allclose(SmoothingSpline().fit(X, np.full(80, 4.0)).predict(T), 4.0, rtol=1e-10)
    np.testing.assert_allclose(
        NadarayaWatson(0.1).fit(X[:, None], np.full(80, 4.0)).predict(T[:, None]), 4.0, rtol=1e-12
    )
    with pytest.raises(MemoryError, match="a smoothing spline needs"):
        SmoothingSpline(1.0, max_memory="1kB").fit(X, Y)
    assert isinstance(mercer.SmoothingSpline(), SmoothingSpline)


def test_a_chosen_bandwidth_gives_lines_at_every_observation():
    """Steps are smoothed best by narrow weights, beside which the own observation of a lonely place weighs alone."""
    for seed in range(20):
        x = 3 * np.random.RandomState(seed).uniform(size=20)
        model = LocalLinear().fit(x, x.astype(int))
        assert np.isfinite(model.predict(x)).all()
        assert np.isfinite(model.slope(x)).all()
    with pytest.raises(ValueError, match="at one position only"):
        LocalLinear(0.5, weights="uniform").fit([0.0, 0.0, 1.0, 1.0], [1.0, 2.0, 3.0, 4.0])


def test_choices_at_the_border_are_warned_of():
    x = np.linspace(0.0, 1.0, 30)
    noise = np.random.default_rng(0).normal(size=30)
    # Alternating targets have no smooth part: the best bandwidth is the longest. Without noise the best spline is an
    # interpolant.
    with pytest.warns(mercer.BorderWarning, match="bandwidth"):
        mercer.NadarayaWatson().fit(x[:, None], np.where(np.arange(30) % 2, 1.0, -1.0))
    with pytest.warns(mercer.BorderWarning, match="lam"):
        mercer.SmoothingSpline().fit(x, np.exp(3 * x))
    with warnings.catch_warnings(action="error"):
        mercer.NadarayaWatson(bandwidth=1e3).fit(x[:, None], noise)
        mercer.SmoothingSpline().fit(x, np.sin(6 * x) + 0.1 * noise)
