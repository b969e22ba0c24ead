"""The choice of the parameters of a Gaussian process: what moves, how far it gets, how often it looks."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor as Peer
from sklearn.gaussian_process.kernels import (
    RBF,
    ConstantKernel,
    DotProduct,
    ExpSineSquared,
    Matern,
    RationalQuadratic,
    WhiteKernel,
)

import mercer
from mercer import GaussianProcessRegressor

C = ConstantKernel()


def sample(rows, columns, seed=0):
    random = np.random.default_rng(seed)
    x = random.uniform(0.0, 1.0, (rows, columns))
    y = np.sin(6.0 * x[:, 0]) + (2.0 * x[:, 1 % columns] - 1.0) ** 2 + 0.1 * random.normal(size=rows)
    return x, (y - y.mean()) / y.std()


def pairs(columns):
    ones = ", ".join(["1"] * columns)
    each = np.ones(columns)
    return [
        ("1*gaussian(lengthscale=1)", C * RBF(1.0)),
        (f"1*gaussian(lengthscale=[{ones}])", C * RBF(each)),
        ("1*matern(nu=1/2, lengthscale=1)", C * Matern(1.0, nu=0.5)),
        ("1*matern(nu=3/2, lengthscale=1)", C * Matern(1.0, nu=1.5)),
        (f"1*matern(nu=5/2, lengthscale=[{ones}])", C * Matern(each, nu=2.5)),
        ("1*rational_quadratic(lengthscale=1, shape=1)", C * RationalQuadratic()),
        ("1*gaussian(lengthscale=1)*matern(nu=3/2, lengthscale=1)", C * RBF(1.0) * Matern(1.0, nu=1.5)),
        ("1*linear() + constant(value=1)", C * DotProduct(1.0)),
    ]


@pytest.mark.parametrize("columns", [1, 2, 5])
@pytest.mark.filterwarnings("ignore")
def test_the_likelihood_is_at_least_that_of_scikit_learn(columns):
    x, y = sample(80, columns)
    known = [
        *pairs(columns),
        *([("1*periodic(period=2, lengthscale=1)", C * ExpSineSquared(1.0, 2.0))] * (columns == 1)),
    ]
    for text, kernel in known:
        ours = GaussianProcessRegressor(text, noise=0.1).fit(x, y)
        theirs = Peer(kernel + WhiteKernel(0.1), alpha=0.0).fit(x, y)
        assert ours.log_marginal_likelihood_ >= theirs.log_marginal_likelihood_value_ - 1e-3, text
        assert ours._fit.optimization[3] <= 100, text


@pytest.mark.parametrize("columns", [1, 3])
def test_the_gradient_is_that_of_scikit_learn(columns):
    x, y = sample(30, columns, seed=1)
    for text, kernel in pairs(columns)[:6]:
        ours = GaussianProcessRegressor(text, noise=0.1, optimize=False).fit(x, y)
        theirs = Peer(kernel + WhiteKernel(0.1), alpha=0.0, optimizer=None).fit(x, y)
        value, gradient = theirs.log_marginal_likelihood(theirs.kernel_.theta, eval_gradient=True)
        assert ours.log_marginal_likelihood_ == pytest.approx(value, rel=1e-9), text
        if "rational" in text:
            # Theirs has the shape before the lengthscale.
            gradient[[1, 2]] = gradient[[2, 1]]
        assert ours.log_marginal_likelihood_gradient_ == pytest.approx(gradient, rel=1e-6, abs=1e-8), text


def test_a_smoothness_moves_only_when_it_is_freed():
    x, y = sample(40, 2, seed=2)
    kernel = "1*matern(nu=3/2, lengthscale=1)"
    model = GaussianProcessRegressor(kernel).fit(x, y)
    assert model.parameter_names_ == ["scale", "matern.lengthscale", "noise"]
    assert "nu=1.5" in str(model.kernel_)
    # Another fixed parameter leaves the smoothness where it is.
    held = GaussianProcessRegressor(kernel, fixed=["noise"]).fit(x, y)
    assert "nu=1.5" in str(held.kernel_)
    for free in (["nu"], ["matern.nu"]):
        with warnings.catch_warnings():
            # The likelihood of smooth data hardly changes from some smoothness on, so that the
            # search may not end.
            warnings.simplefilter("ignore", ConvergenceWarning)
            moved = GaussianProcessRegressor(kernel, free=free).fit(x, y)
        assert moved.parameter_names_ == ["scale", "matern.lengthscale", "matern.nu", "noise"]
        assert len(moved.log_marginal_likelihood_gradient_) == 4
        assert "nu=1.5" not in str(moved.kernel_)
        assert moved.log_marginal_likelihood_ > model.log_marginal_likelihood_
    with pytest.raises(ValueError, match="free = width is not allowed: it must be one of"):
        GaussianProcessRegressor(kernel, free=["width"]).fit(x, y)
    with pytest.raises(ValueError, match="a parameter that is not fixed too"):
        GaussianProcessRegressor(kernel, free=["nu"], fixed=["matern.nu"]).fit(x, y)


@pytest.mark.parametrize(("slope", "warns"), [(1e-4, False), (1.0, True)])
def test_a_search_that_ends_for_want_of_digits_warns_only_on_a_slope(monkeypatch, slope, warns):
    import scipy.optimize

    def ended(function, start, **_):
        value, _ = function(start)
        return scipy.optimize.OptimizeResult(
            x=start, fun=value, jac=np.full(len(start), slope), status=2, message="ABNORMAL"
        )

    monkeypatch.setattr(scipy.optimize, "minimize", ended)
    x = np.linspace(0.0, 9.0, 60)[:, None]
    model = GaussianProcessRegressor(ConstantKernel() * RBF(), alpha=1e-2)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model.fit(x, 5.0 * np.sin(3.0 * x[:, 0]))
    assert abs(model.log_marginal_likelihood_value_) > 20.0
    assert any("failed to converge" in str(w.message) for w in found) == warns


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"alpha": 0.1}, ["gaussian.lengthscale"]),
        ({"alpha": np.full(30, 0.1)}, ["gaussian.lengthscale"]),
        ({"noise": 0.0, "fixed": []}, ["gaussian.lengthscale"]),
        ({"noise": 0.1, "fixed": ["noise"]}, ["gaussian.lengthscale"]),
        ({"noise": 0.1, "fixed": ["lengthscale"]}, ["noise"]),
        ({"noise": 0.1, "fixed": ["lengthscale", "noise"]}, []),
        ({"noise": 0.1, "alpha": 0.05}, ["gaussian.lengthscale", "noise"]),
        ({"noise": 0.1}, ["gaussian.lengthscale", "noise"]),
    ],
)
@pytest.mark.parametrize("targets", [1, 2])
def test_names_and_theta_are_those_of_the_free_parameters(given, names, targets, tmp_path):
    x = np.random.default_rng(0).uniform(0, 3, size=(30, 2))
    y = np.sin(3 * x) + 0.1 * np.cos(37 * x)
    y = y[:, 0] if targets == 1 else y
    fitted = GaussianProcessRegressor("gaussian(lengthscale=0.3)", optimize=False, **given).fit(x, y)
    mercer.save(fitted, tmp_path / "m")
    for model in (fitted, mercer.load(tmp_path / "m")):
        assert model.parameter_names_ == names
        values = {**model.kernel_.parameters, "noise": model.noise_}
        theta = np.log([values[name] for name in names])
        found, gradient = model.log_marginal_likelihood(theta, eval_gradient=True)
        assert found == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)
        np.testing.assert_allclose(model.log_marginal_likelihood_gradient_, gradient, rtol=1e-6, atol=1e-8)
        with pytest.raises(ValueError, match=f"theta: expected {len(names)} numbers"):
            model.log_marginal_likelihood(np.zeros(len(names) + 1))


def test_a_fixed_noise_beside_a_function():
    x = np.linspace(0, 3, 30)[:, None]
    model = GaussianProcessRegressor(lambda a, b: np.exp(-((a - b.T) ** 2)), noise=0.1, fixed=["noise"]).fit(
        x, np.sin(x[:, 0])
    )
    assert (model.parameter_names_, len(model.log_marginal_likelihood_gradient_)) == ([], 0)
