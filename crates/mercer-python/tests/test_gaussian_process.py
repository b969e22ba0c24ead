"""Gaussian processes: ridge as the mean, scikit-learn's optimum, samples, the gradient, wrong requests."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

import mercer
from mercer import GaussianProcessRegressor, KernelRidge

RNG = np.random.default_rng(8)
X, T = RNG.uniform(0, 4, size=(50, 2)), RNG.uniform(0, 4, size=(7, 2))
Y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.1 * RNG.normal(size=50)


def test_the_mean_is_ridge():
    model = GaussianProcessRegressor("matern(nu=5/2)", noise=0.2, optimize=False).fit(X, Y)
    ridge = KernelRidge(0.2, kernel="matern(nu=5/2)").fit(X, Y)
    np.testing.assert_allclose(model.predict(T), ridge.predict(T), rtol=1e-11)
    np.testing.assert_allclose(model.function_(T), model.predict(T), rtol=1e-11)
    assert model.noise_ == 0.2


def test_the_optimum_is_that_of_scikit_learn():
    ours = GaussianProcessRegressor("1*gaussian(lengthscale=1)", noise=0.1).fit(X, Y)
    theirs = Theirs(ConstantKernel(1.0) * RBF(1.0) + WhiteKernel(0.1)).fit(X, Y)
    assert ours.log_marginal_likelihood_ == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-6)
    assert ours.log_marginal_likelihood_value_ == ours.log_marginal_likelihood_
    mean, std = ours.predict(T, return_std=True, include_noise=True)
    their_mean, their_std = theirs.predict(T, return_std=True)
    np.testing.assert_allclose(mean, their_mean, rtol=1e-3)
    np.testing.assert_allclose(std, their_std, rtol=1e-3)
    assert ours.parameter_names_ == ["scale", "gaussian.lengthscale", "noise"]
    assert np.abs(ours.log_marginal_likelihood_gradient_).max() < 1e-2


def test_the_gradient_by_differences():
    step, base = 1e-5, np.array([1.3, 0.7, 0.2])

    def fit(scale, length, noise):
        kernel = scale * mercer.gaussian(lengthscale=length)
        return GaussianProcessRegressor(kernel, noise=noise, optimize=False).fit(X, Y)

    gradient = fit(*base).log_marginal_likelihood_gradient_
    for i in range(3):
        up, down = (fit(*(base * np.exp(sign * step * np.eye(3)[i]))).log_marginal_likelihood_ for sign in (1, -1))
        assert gradient[i] == pytest.approx((up - down) / (2 * step), rel=1e-6)


def test_fixed_parameters_and_restarts():
    kernel = "1*gaussian(lengthscale=1)"
    free = GaussianProcessRegressor(kernel).fit(X, Y)
    held = GaussianProcessRegressor(kernel, fixed=["gaussian.lengthscale", "noise"]).fit(X, Y)
    assert held.kernel_.parameters["gaussian.lengthscale"] == 1.0
    assert held.noise_ == 0.1
    assert held.log_marginal_likelihood_ < free.log_marginal_likelihood_
    often = GaussianProcessRegressor(kernel, n_restarts_optimizer=2, random_state=3).fit(X, Y)
    assert len(often.likelihoods_) == 3
    assert often.log_marginal_likelihood_ == max(often.likelihoods_)
    with pytest.raises(ValueError, match="fixed = length is not allowed: it must be one of"):
        GaussianProcessRegressor(kernel, fixed=["length"]).fit(X, Y)


def test_samples():
    model = GaussianProcessRegressor("gaussian()", noise=0.1, optimize=False).fit(X, Y)
    draws = model.sample_y(T, 4000, random_state=1)
    assert draws.shape == (7, 4000)
    assert draws.tobytes() == model.sample_y(T, 4000, random_state=1).tobytes()
    assert draws.tobytes() != model.sample_y(T, 4000, random_state=2).tobytes()
    mean, covariance = model.predict(T, return_cov=True)
    # Five standard errors of a mean of 4000 draws.
    assert (np.abs(draws.mean(axis=1) - mean) <= 5 * np.sqrt(covariance.diagonal() / 4000)).all()
    np.testing.assert_allclose(np.cov(draws), covariance, atol=0.2 * covariance.max())


def test_covariances():
    model = GaussianProcessRegressor("gaussian()", noise=0.1, optimize=False).fit(X, Y)
    _, std = model.predict(T, return_std=True)
    _, covariance = model.predict(T, return_cov=True)
    _, noisy = model.predict(T, return_cov=True, include_noise=True)
    np.testing.assert_allclose(covariance.diagonal(), std**2, rtol=1e-9)
    np.testing.assert_allclose(noisy - covariance, 0.1 * np.eye(7), atol=1e-14)
    with pytest.raises(RuntimeError, match="At most one of return_std or return_cov"):
        model.predict(T, return_std=True, return_cov=True)


def test_small_constant_and_repeated_data():
    one = GaussianProcessRegressor("gaussian()", noise=1.0, optimize=False).fit([[0.0]], [2.0])
    assert one.predict([[0.0]]) == pytest.approx(1.0, rel=1e-14)
    twice = GaussianProcessRegressor("1*gaussian()").fit(np.repeat(X, 2, axis=0), np.repeat(Y, 2))
    assert np.isfinite(twice.log_marginal_likelihood_)
    constant = GaussianProcessRegressor("gaussian()", noise=0.1, optimize=False).fit(X, np.full(50, 3.0))
    assert np.isfinite(constant.predict(T)).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"noise": -0.1}, "noise = -0.1 is not allowed: it must be finite and at least 0"),
        ({"kernel": "tanh()"}, "not known to be positive semi-definite"),
        ({"kernel": "sobolev()"}, "one column"),
        ({"kernel": "precomputed()"}, "precomputed"),
        ({"max_memory": "10kB"}, "limit"),
    ],
)
def test_wrong_requests(parameters, message):
    with pytest.raises((ValueError, MemoryError), match=message):
        GaussianProcessRegressor(**parameters).fit(X, Y)


def test_several_outputs_and_what_is_no_kernel():
    both = GaussianProcessRegressor("1*gaussian()", noise=0.1, optimize=False).fit(X, np.column_stack([Y, -Y]))
    one = GaussianProcessRegressor("1*gaussian()", noise=0.1, optimize=False).fit(X, Y)
    np.testing.assert_allclose(both.predict(T), np.column_stack([one.predict(T), -one.predict(T)]), rtol=1e-9)
    with pytest.raises(TypeError, match="a kernel is a text or a mercer.Kernel"):
        GaussianProcessRegressor(["gaussian()"]).fit(X, Y)


def test_a_search_that_does_not_end_warns():
    with pytest.warns(mercer.ConvergenceWarning, match="not at its maximum"):
        GaussianProcessRegressor("1*gaussian(lengthscale=1)").fit(X, np.ones(50))


def test_linear_time_along_a_line():
    x, y = X[:, :1], Y
    fast = GaussianProcessRegressor("1.5*matern(nu=5/2, lengthscale=0.7)", noise=0.2, optimize=False).fit(x, y)
    assert fast.plan_ == "state space: O(n), 3 states"
    slow = KernelRidge(0.2, kernel="1.5*matern(nu=5/2, lengthscale=0.7)", solver="cholesky").fit(x, y)
    np.testing.assert_allclose(fast.predict(T[:, :1]), slow.predict(T[:, :1]), rtol=1e-9)


class TestInducingPoints:
    """A sparse process: exact with all points, a bound with fewer."""

    KERNEL = "1.5*gaussian(lengthscale=0.8)"

    def exact(self):
        return GaussianProcessRegressor(self.KERNEL, noise=0.2, optimize=False).fit(X, Y)

    def sparse(self, **choices):
        return GaussianProcessRegressor(self.KERNEL, noise=0.2, optimize=False, **choices).fit(X, Y)

    @pytest.mark.parametrize("approximation", ["variational", "fitc", "dtc", "sor"])
    def test_all_points_are_the_exact_process(self, approximation):
        exact, sparse = self.exact(), self.sparse(inducing=X, approximation=approximation)
        assert sparse.log_marginal_likelihood_ == pytest.approx(exact.log_marginal_likelihood_, rel=1e-6)
        for found, expected in zip(sparse.predict(X, return_std=True), exact.predict(X, return_std=True), strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-5)
        assert sparse.alpha_ is None
        assert sparse.trace_left_ < 1e-6

    def test_the_bound_grows_with_the_points(self):
        bounds = [self.sparse(n_inducing=m).log_marginal_likelihood_ for m in (5, 10, 20, 50)]
        assert bounds == sorted(bounds)
        assert bounds[-1] <= self.exact().log_marginal_likelihood_ + 1e-6

    def test_copies(self):
        model = GaussianProcessRegressor("1*gaussian()", n_inducing=15, inducing="random", random_state=2).fit(X, Y)
        assert model.inducing_.shape == (15, 2)
        for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            for found, expected in zip(
                other.predict(T, return_std=True), model.predict(T, return_std=True), strict=True
            ):
                assert found.tobytes() == expected.tobytes()
        np.testing.assert_allclose(model.function_(T), model.predict(T), rtol=1e-8)
        assert np.abs(model.log_marginal_likelihood_gradient_).max() < 1e-2

    def test_moving_the_points_is_no_worse(self):
        still = GaussianProcessRegressor("1*gaussian()", n_inducing=6).fit(X, Y)
        moved = GaussianProcessRegressor("1*gaussian()", n_inducing=6, optimize_inducing=True).fit(X, Y)
        assert moved.log_marginal_likelihood_ > still.log_marginal_likelihood_

    def test_wrong_requests(self):
        for choices, message in [
            ({"n_inducing": 0}, "n_inducing = 0 is not allowed: it must be a whole number from 1 on"),
            ({"inducing": "kmeans", "n_inducing": 3}, "inducing = 'kmeans' is not allowed"),
            ({"n_inducing": 3, "approximation": "vfe"}, 'approximation = "vfe" is not allowed: it must be one of "var'),
            ({"inducing": X[:3, :1]}, "columns"),
        ]:
            with pytest.raises(ValueError, match=message):
                self.sparse(**choices)
        with pytest.raises(ValueError, match="no leave-one-out density"):
            self.sparse(n_inducing=4).leave_one_out()


def test_a_column_of_little_relevance_is_left_out_where_that_is_likelier():
    # The search alone ends at 25.218 with a lengthscale of 70 in column 6; without that column it reaches 25.236.
    random = np.random.default_rng(108)
    x = random.uniform(0.0, 1.0, (100, 8))
    y = np.sin(6.0 * x[:, 0]) + (2.0 * x[:, 1] - 1.0) ** 2 + 0.5 * x[:, -1] + 0.1 * random.normal(size=100)
    y = (y - y.mean()) / y.std()
    kernel = "1*matern(nu=5/2, lengthscale=[1, 1, 1, 1, 1, 1, 1, 1])"
    model = mercer.GaussianProcessRegressor(kernel=kernel, noise=0.1).fit(x, y)
    assert model.log_marginal_likelihood_ > 25.2357


def test_explain_names_the_way_that_the_data_allows():
    texts = ["".join(np.random.default_rng(i).choice(list("ab"), 8)) for i in range(120)]
    for kernel, data, expected in [
        ("1*linear()", np.zeros((5000, 3)), "in 3 features: O(n)"),
        ("1*gaussian(lengthscale=1)", np.zeros((5000, 3)), "Cholesky"),
        ("1*matern(nu=3/2, lengthscale=1)", np.zeros((5000, 1)), "state space: O(n), 2 states"),
        ("1*spectrum(length=2)", texts, "in 4 features: O(n)"),
    ]:
        plan = mercer.GaussianProcessRegressor(kernel).explain(data)
        assert plan.startswith(f"every step of the optimization, {expected}: "), plan
    assert (
        GaussianProcessRegressor(n_inducing=20)
        .explain(np.zeros((500, 2)))
        .startswith("every step of the optimization, inducing points: ")
    )


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
def test_a_linear_process_finds_the_noise_of_columns_far_from_zero(offset):
    rng = np.random.default_rng(7)
    X = offset + rng.normal(size=(400, 2))
    y = X @ [1.0, -2.0] + 0.5 * rng.normal(size=400)
    model = mercer.GaussianProcessRegressor("1*linear()").fit(X, y)
    # The standard error of an estimated variance is √(2/n) of it.
    assert abs(model.noise_ - 0.25) < 4 * np.sqrt(2 / 400) * 0.25
    covariance = model.kernel_(X) + model.noise_ * np.eye(400)
    if offset == 0.0:
        likelihood = -0.5 * (
            y @ np.linalg.solve(covariance, y) + np.linalg.slogdet(covariance)[1] + 400 * np.log(2 * np.pi)
        )
        assert model.log_marginal_likelihood_value_ == pytest.approx(likelihood, rel=1e-9)
