"""Gaussian processes with scikit-learn's interface: its numbers for every kind of kernel, its errors and warnings."""

import copy
import json
import pickle
import warnings

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.gaussian_process.kernels import (
    RBF,
    ConstantKernel,
    DotProduct,
    Exponentiation,
    ExpSineSquared,
    Matern,
    PairwiseKernel,
    RationalQuadratic,
    WhiteKernel,
)
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score

import mercer
from mercer import GaussianProcessRegressor
from mercer._covariance import ObjectCovariance
from mercer._translation import kernel_from_plain, kernel_to_plain

RNG = np.random.default_rng(12)
X, T = RNG.uniform(0, 4, size=(40, 2)), RNG.uniform(0, 4, size=(7, 2))
Y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.1 * RNG.normal(size=40)
BOTH = np.column_stack([Y, 3.0 - 2.0 * Y**2])
ROWS = RNG.uniform(0.05, 0.3, size=40)


class Tilted(RBF):
    """A kernel of a user: Mercer does not have it."""

    def __call__(self, X, Y=None, eval_gradient=False):
        found = super().__call__(X, Y, eval_gradient)
        return (2 * found[0], 2 * found[1]) if eval_gradient else 2 * found

    def diag(self, X):
        return 2 * super().diag(X)


TRANSLATED = [
    RBF(0.8),
    RBF([0.8, 1.7]),
    RBF(0.8, length_scale_bounds="fixed"),
    Matern(0.9, nu=0.5),
    Matern(0.9, nu=1.5),
    Matern([0.9, 2.0], nu=2.5),
    Matern(0.9, nu=0.8),
    Matern(0.9, nu=np.inf),
    RationalQuadratic(0.7, alpha=1.3),
    DotProduct(1.4),
    ConstantKernel(2.0) * RBF(0.8),
    RBF(0.8) * ConstantKernel(2.0),
    ConstantKernel(0.3) * ConstantKernel(2.0) * RBF(0.8),
    ConstantKernel(2.0) * Matern(0.8) + WhiteKernel(0.2),
    WhiteKernel(0.2) + 0.3 * DotProduct(0.5) + RBF([1.0, 2.0]) * RationalQuadratic(2.0),
    WhiteKernel(0.7),
    WhiteKernel(0.1) + WhiteKernel(0.2, noise_level_bounds="fixed") + RBF(),
    Exponentiation(RBF(0.8) + 0.2, 2),
    DotProduct(1.4) ** 2 + RBF(),
    ConstantKernel(0.5) + RBF(),
    ConstantKernel(0.5, constant_value_bounds="fixed") * RBF(0.6) + 2.0 * RBF(3.0),
]
OWN = [
    # On two columns it is positive definite only where the period is long beside the data.
    ExpSineSquared(2.0, 40.0),
    PairwiseKernel(metric="laplacian", gamma=0.6),
    Exponentiation(RBF(0.8), 0.5),
    ConstantKernel(2.0) * (RBF(0.8) + WhiteKernel(0.2)),
    Tilted(0.8),
    Tilted(0.8) + WhiteKernel(0.1),
]


@pytest.mark.parametrize("kernel", TRANSLATED + OWN, ids=str)
@pytest.mark.parametrize("y", [Y, BOTH], ids=["one", "two"])
def test_the_posterior_of_every_kernel(kernel, y):
    choices = {"alpha": 0.05, "optimizer": None}
    ours = GaussianProcessRegressor(kernel, **choices).fit(X, y)
    theirs = Theirs(kernel, **choices).fit(X, y)
    for what in ({"return_std": True}, {"return_cov": True}):
        for found, expected in zip(ours.predict(T, **what), theirs.predict(T, **what), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(ours.predict(T), theirs.predict(T), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(ours.alpha_, theirs.alpha_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ours.L_, theirs.L_, rtol=1e-7, atol=1e-10)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-9)
    assert ours.log_marginal_likelihood() == ours.log_marginal_likelihood_value_
    assert ours.kernel_ == kernel
    assert ours.kernel_ is not kernel


@pytest.mark.parametrize("kernel", TRANSLATED + OWN, ids=str)
@pytest.mark.parametrize("y", [Y, BOTH], ids=["one", "two"])
def test_the_likelihood_of_every_kernel(kernel, y):
    ours = GaussianProcessRegressor(kernel, alpha=ROWS, optimizer=None).fit(X, y)
    theirs = Theirs(kernel, alpha=ROWS, optimizer=None).fit(X, y)
    theta = kernel.theta + 0.2
    found, slopes = ours.log_marginal_likelihood(theta, eval_gradient=True)
    expected, their_slopes = theirs.log_marginal_likelihood(theta, eval_gradient=True)
    assert found == pytest.approx(expected, rel=1e-9)
    assert ours.log_marginal_likelihood(theta) == pytest.approx(expected, rel=1e-9)
    # scikit-learn differentiates some kernels by differences.
    rough = isinstance(kernel, PairwiseKernel) or getattr(kernel, "nu", 0.5) == 0.8
    np.testing.assert_allclose(slopes, their_slopes, rtol=1e-4 if rough else 1e-7, atol=1e-4 if rough else 1e-7)
    np.testing.assert_array_equal(ours.kernel_.theta, kernel.theta)


def test_who_computes_the_values():
    def compiled(kernel, points):
        return ObjectCovariance(kernel).translation(points) is not None

    assert [kernel for kernel in TRANSLATED if not compiled(kernel, X)] == []
    assert [kernel for kernel in OWN if compiled(kernel, X)] == []
    # On one column the sine of the distance is the sine of the column.
    assert compiled(ExpSineSquared(0.9, 2.5), X[:, :1])
    assert not compiled(RBF(), np.array(["a", "b"]))


def test_periodic_kernels_in_one_column():
    kernel, x, t = ConstantKernel(1.5) * ExpSineSquared(0.9, 2.5), X[:, :1], T[:, :1]
    ours, theirs = (c(kernel, alpha=0.1, optimizer=None).fit(x, Y) for c in (GaussianProcessRegressor, Theirs))
    np.testing.assert_allclose(ours.predict(t, return_std=True), theirs.predict(t, return_std=True), rtol=1e-8)
    np.testing.assert_allclose(
        ours.log_marginal_likelihood(kernel.theta, True)[1],
        theirs.log_marginal_likelihood(kernel.theta, True)[1],
        rtol=1e-7,
    )


@pytest.mark.parametrize(
    "kernel",
    [
        None,
        ConstantKernel() * RBF() + WhiteKernel(0.1),
        ConstantKernel() * Matern([1.0, 1.0], nu=1.5) + WhiteKernel(0.1),
        RationalQuadratic() + WhiteKernel(0.1, (1e-3, 1e1)),
        DotProduct() + WhiteKernel(),
        Tilted(1.0) + WhiteKernel(0.1),
    ],
    ids=str,
)
@pytest.mark.parametrize("choices", [{"alpha": 1e-2}, {"alpha": ROWS, "normalize_y": True}], ids=["number", "rows"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_optimum(kernel, choices):
    # Restarts cost most: they are drawn for the default kernel alone.
    restarts = 2 if kernel is None else 0
    for y in (Y, BOTH):
        start = {"n_restarts_optimizer": restarts, "random_state": 3}
        ours = GaussianProcessRegressor(kernel, **start, **choices).fit(X, y)
        theirs = Theirs(kernel, **start, **choices).fit(X, y)
        assert type(ours.kernel_) is type(theirs.kernel_)
        if theirs.kernel_.n_dims == 0:
            pytest.skip("the default kernel of this version of scikit-learn is fixed")
        best = ours.log_marginal_likelihood_value_
        assert best == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-5)
        assert ours.likelihoods_.shape == (1 + restarts,)
        assert ours.likelihoods_.max() == pytest.approx(best, rel=1e-9)
        np.testing.assert_allclose(ours.predict(T), theirs.predict(T), rtol=1e-2, atol=1e-3)
        assert ours.kernel_.theta.shape == (len(ours.parameter_names_),)
        np.testing.assert_allclose(
            ours.log_marginal_likelihood_gradient_,
            ours.log_marginal_likelihood(ours.kernel_.theta, eval_gradient=True)[1],
        )


def test_names_of_parameters():
    kernel = ConstantKernel() * RBF([1.0, 2.0]) + WhiteKernel(0.1, "fixed")
    model = GaussianProcessRegressor(kernel, optimizer=None).fit(X, Y)
    assert model.parameter_names_ == ["k1__k1__constant_value", "k1__k2__length_scale[0]", "k1__k2__length_scale[1]"]


def test_samples_are_those_of_scikit_learn():
    kernel = ConstantKernel(2.0) * Matern(0.5, nu=0.5) + WhiteKernel(0.1)
    for y in (Y, BOTH):
        ours, theirs = (c(kernel, optimizer=None).fit(X, y) for c in (GaussianProcessRegressor, Theirs))
        found, expected = ours.sample_y(T, 3, random_state=5), theirs.sample_y(T, 3, random_state=5)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    prior = GaussianProcessRegressor(kernel).sample_y(T, 4, random_state=7)
    np.testing.assert_allclose(prior, Theirs(kernel).sample_y(T, 4, random_state=7), rtol=1e-9)
    generator = np.random.default_rng(0)
    assert GaussianProcessRegressor(kernel).sample_y(T, 2, random_state=generator).shape == (7, 2)


@pytest.mark.parametrize(
    "kernel", [None, RBF(0.7) + WhiteKernel(0.3), "1*gaussian(lengthscale=2)", "rbf", "precomputed", rbf_kernel]
)
@pytest.mark.parametrize("n_targets", [None, 1, 3])
def test_the_prior(kernel, n_targets):
    points = rbf_kernel(T) if kernel == "precomputed" else T
    model = GaussianProcessRegressor(kernel, n_targets=n_targets)
    mean, std = model.predict(points, return_std=True)
    _, cov = model.predict(points, return_cov=True)
    shape = (7, 3) if n_targets == 3 else (7,)
    assert (mean == 0).all()
    assert mean.shape == std.shape == shape
    assert cov.shape == (7, *shape)
    first = cov if n_targets != 3 else cov[..., 2]
    np.testing.assert_allclose(np.diag(first), (std if n_targets != 3 else std[:, 2]) ** 2)
    assert model.sample_y(points, 2).shape == (*shape, 2)
    if not isinstance(kernel, str) and kernel is not rbf_kernel:
        np.testing.assert_allclose(cov, Theirs(kernel, n_targets=n_targets).predict(T, return_cov=True)[1], rtol=1e-12)


def test_what_needs_a_fit():
    model = GaussianProcessRegressor(RBF())
    for use in (model.leave_one_out, model.partial_effects, model.log_marginal_likelihood, lambda: model.function_):
        with pytest.raises(NotFittedError):
            use()
    assert not hasattr(model, "L_")


def test_an_optimizer_of_the_user():
    seen = {}

    def optimizer(obj_func, initial_theta, bounds):
        seen["start"], seen["bounds"] = initial_theta, bounds
        value, slope = obj_func(initial_theta)
        assert slope.shape == initial_theta.shape
        assert obj_func(initial_theta, eval_gradient=False) == pytest.approx(value)
        theta = initial_theta - 0.1 * np.sign(slope)
        return theta, obj_func(theta, eval_gradient=False)

    kernel = ConstantKernel(1.0, (1e-2, 1e2)) * RBF(1.0)
    model = GaussianProcessRegressor(kernel, alpha=0.1, optimizer=optimizer).fit(X, Y)
    np.testing.assert_array_equal(seen["bounds"], kernel.bounds)
    np.testing.assert_allclose(np.abs(model.kernel_.theta), 0.1)
    text = GaussianProcessRegressor("1*gaussian(lengthscale=1)", noise=0.5, optimizer=optimizer).fit(X, Y)
    assert seen["start"].shape == (3,)
    assert seen["bounds"].shape == (3, 2)
    assert text.parameter_names_ == ["scale", "gaussian.lengthscale", "noise"]
    assert isinstance(text.kernel_, mercer.Kernel)
    assert text.noise_ == pytest.approx(0.5 * np.exp(0.1)) or text.noise_ == pytest.approx(0.5 * np.exp(-0.1))


class TestKernelsOfMercer:
    """Texts beside what scikit-learn has: several targets, a noise per row, the likelihood at other parameters."""

    TEXT, OBJECT = "1.5*gaussian(lengthscale=0.8)", ConstantKernel(1.5) * RBF(0.8)

    def test_alpha_is_the_noise(self):
        ours = GaussianProcessRegressor(self.TEXT, alpha=0.2).fit(X, Y)
        theirs = Theirs(self.OBJECT, alpha=0.2).fit(X, Y)
        assert ours.noise_ == 0.2
        assert ours.log_marginal_likelihood_ == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-6)
        np.testing.assert_allclose(ours.predict(T), theirs.predict(T), rtol=1e-3)

    def test_a_noise_per_row_and_several_targets(self):
        for y in (Y, BOTH):
            ours = GaussianProcessRegressor(self.TEXT, alpha=ROWS, normalize_y=True).fit(X, y)
            theirs = Theirs(self.OBJECT, alpha=ROWS, normalize_y=True).fit(X, y)
            assert ours.log_marginal_likelihood_ == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-6)
            for what in ({"return_std": True}, {"return_cov": True}):
                for found, expected in zip(ours.predict(T, **what), theirs.predict(T, **what), strict=True):
                    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)
            assert isinstance(ours.kernel_, mercer.Kernel)
            with pytest.raises(ValueError, match="different alpha"):
                ours.predict(T, return_std=True, include_noise=True)

    def test_noise_beside_alpha(self):
        ours = GaussianProcessRegressor(self.TEXT, noise=0.1, alpha=ROWS).fit(X, BOTH)
        theirs = Theirs(self.OBJECT + WhiteKernel(0.1), alpha=ROWS).fit(X, BOTH)
        assert ours.log_marginal_likelihood_ == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-6)
        assert ours.noise_ == pytest.approx(np.exp(theirs.kernel_.theta[-1]), rel=1e-2)
        assert ours.parameter_names_ == ["scale", "gaussian.lengthscale", "noise"]
        one = GaussianProcessRegressor(self.TEXT, noise=0.1, alpha=0.3, optimize=False).fit(X, Y)
        same = GaussianProcessRegressor(self.TEXT, noise=0.4, optimize=False).fit(X, Y)
        np.testing.assert_allclose(one.predict(T), same.predict(T), rtol=1e-9)
        for model in (one, same):
            _, noisy = model.predict(T, return_std=True, include_noise=True)
            _, plain = model.predict(T, return_std=True)
            np.testing.assert_allclose(noisy**2 - plain**2, 0.4, rtol=1e-9)

    def test_several_targets_are_single_fits(self):
        both = GaussianProcessRegressor(self.TEXT, noise=0.2, optimize=False).fit(X, BOTH)
        single = [GaussianProcessRegressor(self.TEXT, noise=0.2, optimize=False).fit(X, y) for y in BOTH.T]
        np.testing.assert_allclose(both.predict(T), np.column_stack([m.predict(T) for m in single]), rtol=1e-9)
        assert both.log_marginal_likelihood_ == pytest.approx(sum(m.log_marginal_likelihood_ for m in single))
        for function, model in zip(both.function_, single, strict=True):
            np.testing.assert_allclose(function(T), model.predict(T), rtol=1e-9)
        left, others = both.leave_one_out(), [m.leave_one_out() for m in single]
        np.testing.assert_allclose(left.mean, np.column_stack([o.mean for o in others]), rtol=1e-8)
        np.testing.assert_allclose(left.variance, np.column_stack([o.variance for o in others]), rtol=1e-8)
        assert left.log_density == pytest.approx(sum(o.log_density for o in others))

    @pytest.mark.parametrize("y", [Y, BOTH], ids=["one", "two"])
    def test_the_likelihood_at_other_parameters(self, y):
        model = GaussianProcessRegressor(self.TEXT, noise=0.2, optimize=False).fit(X, y)
        theirs = Theirs(self.OBJECT + WhiteKernel(0.2), alpha=0.0, optimizer=None).fit(X, y)
        theta = np.log([1.1, 0.6, 0.3])
        found, slopes = model.log_marginal_likelihood(theta, eval_gradient=True)
        expected, their_slopes = theirs.log_marginal_likelihood(theta, eval_gradient=True)
        assert found == pytest.approx(expected, rel=1e-10)
        np.testing.assert_allclose(slopes, their_slopes, rtol=1e-8)
        np.testing.assert_allclose(
            model.log_marginal_likelihood_gradient_,
            model.log_marginal_likelihood(np.log([1.5, 0.8, 0.2]), eval_gradient=True)[1],
            rtol=1e-8,
        )
        np.testing.assert_allclose(model.L_ @ model.L_.T, model.kernel_(X) + 0.2 * np.eye(40), rtol=1e-12, atol=1e-12)
        with pytest.raises(ValueError, match="theta: expected 3 numbers, found 2"):
            model.log_marginal_likelihood([0.0, 0.0])

    def test_fixed_and_free_names(self):
        kernel = "1*matern(nu=3/2, lengthscale=1)"
        held = GaussianProcessRegressor(kernel, fixed=["lengthscale"], noise=0.1).fit(X, BOTH)
        assert held.kernel_.parameters["matern.lengthscale"] == 1.0
        assert held.kernel_.parameters["matern.nu"] == 1.5
        assert held.parameter_names_ == ["scale", "noise"]
        with pytest.raises(ValueError, match="fixed = length is not allowed: it must be one of scale"):
            GaussianProcessRegressor(kernel, fixed=["length"]).fit(X, BOTH)

    @pytest.mark.parametrize("name", ["rbf", "laplacian", "linear", "poly", "cosine"])
    def test_names_of_scikit_learn(self, name):
        x, t = 0.3 * X + 0.1, 0.3 * T + 0.1
        model = GaussianProcessRegressor(name, alpha=0.1, optimizer=None).fit(x, Y)
        values = {"rbf": rbf_kernel}.get(name) or (lambda a, b: mercer_pairwise(name, a, b))
        expected = values(t, x) @ np.linalg.solve(values(x, x) + 0.1 * np.eye(40), Y)
        np.testing.assert_allclose(model.predict(t), expected, rtol=1e-7, atol=1e-9)

    def test_sparse_processes_have_one_target(self):
        with pytest.raises(ValueError, match="inducing points need one target"):
            GaussianProcessRegressor(n_inducing=5).fit(X, BOTH)
        with pytest.raises(ValueError, match="inducing points need a kernel of Mercer"):
            GaussianProcessRegressor(RBF(), n_inducing=5).fit(X, Y)
        sparse = GaussianProcessRegressor(n_inducing=8).fit(X, Y)
        assert str(sparse.kernel_).count("gaussian") == 1
        assert not hasattr(sparse, "L_")
        with pytest.raises(ValueError, match="inducing points"):
            sparse.log_marginal_likelihood([0.0, 0.0, 0.0])


def mercer_pairwise(name, a, b):
    from sklearn.metrics.pairwise import pairwise_kernels

    return pairwise_kernels(a, b, metric=name)


class TestFunctionsAndMatrices:
    """Kernels as Python functions of two samples, and matrices of kernel values."""

    def test_a_function_is_its_matrix(self):
        calls = []

        def kernel(a, b):
            calls.append((len(a), len(b)))
            return rbf_kernel(a, b, gamma=0.7)

        text = GaussianProcessRegressor("gaussian(gamma=0.7)", fixed=["gaussian.lengthscale"]).fit(X, Y)
        model = GaussianProcessRegressor(kernel).fit(X, Y)
        assert calls == [(40, 40)]
        given = GaussianProcessRegressor("precomputed").fit(rbf_kernel(X, gamma=0.7), Y)
        for other, points in ((model, T), (given, rbf_kernel(T, X, gamma=0.7))):
            assert other.noise_ == pytest.approx(text.noise_, rel=1e-3)
            assert other.log_marginal_likelihood_ == pytest.approx(text.log_marginal_likelihood_, rel=1e-6)
            np.testing.assert_allclose(other.predict(points), text.predict(T), rtol=1e-4, atol=1e-5)
        for found, expected in zip(model.predict(T, return_std=True), text.predict(T, return_std=True), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-3)
        with pytest.raises(ValueError, match="standard deviations need the kernel values among the new points"):
            given.predict(rbf_kernel(T, X), return_std=True)
        value, slope = model.log_marginal_likelihood(np.log([0.3]), eval_gradient=True)
        up, down = (model.log_marginal_likelihood(np.log([0.3]) + s) for s in (1e-5, -1e-5))
        assert slope[0] == pytest.approx((up - down) / 2e-5, rel=1e-5)
        assert np.isfinite(value)

    def test_objects_of_any_kind(self):
        def shared_letters(a, b):
            return np.array([[len(set(u) & set(v)) for v in b] for u in a], dtype=float)

        words = ["abc", "abd", "xyz", "xy"]
        model = GaussianProcessRegressor(shared_letters, alpha=0.1).fit(words, [1.0, 1.2, -1.0, -0.8])
        assert (np.sign(model.predict(["ab", "z"])) == [1, -1]).all()

    def test_precomputed_in_cross_validation(self):
        k = mercer.gaussian(lengthscale=1.0)
        on_points = cross_val_score(GaussianProcessRegressor(k, noise=0.1, optimize=False), X, Y, cv=4)
        on_values = cross_val_score(GaussianProcessRegressor("precomputed", noise=0.1, optimize=False), k(X), Y, cv=4)
        np.testing.assert_allclose(on_values, on_points, rtol=1e-9)


KINDS = {
    "default": (None, {}),
    "object": (ConstantKernel() * RBF([1.0, 1.0]) + WhiteKernel(0.1), {"alpha": 1e-6}),
    "fixed object": (Matern(0.7, nu=1.5, length_scale_bounds="fixed"), {"alpha": ROWS}),
    "own object": (Tilted(1.0), {"alpha": 0.1}),
    "text": ("1*gaussian(lengthscale=1)", {}),
    "kernel": (mercer.matern(lengthscale=0.5), {"alpha": 0.2}),
    "rows": ("1*gaussian(lengthscale=1)", {"alpha": ROWS}),
    "name": ("rbf", {}),
    "function": (rbf_kernel, {}),
    "outside name": ("cosine", {"alpha": 0.1}),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("y", [Y, BOTH], ids=["one", "two"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_copies_of_every_kind(kind, y, tmp_path):
    kernel, choices = KINDS[kind]
    model = GaussianProcessRegressor(kernel, normalize_y=True, **choices).fit(X, y)
    again = clone(model)
    assert str(again.get_params()) == str(model.get_params())
    joblib.dump(model, tmp_path / "model.joblib")
    copies = [copy.deepcopy(model), pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")]
    computed_by_python = kind in ("own object", "function", "outside name")
    if computed_by_python:
        with pytest.raises(TypeError, match="computed by Python, which no model file can hold"):
            mercer.save(model, tmp_path / "model.safetensors")
        assert not (tmp_path / "model.safetensors").exists()
    else:
        mercer.save(model, tmp_path / "model.safetensors")
        copies.append(mercer.load(tmp_path / "model.safetensors"))
        assert str(copies[-1].kernel) == str(model.kernel)
    for other in copies:
        for found, expected in zip(other.predict(T, return_std=True), model.predict(T, return_std=True), strict=True):
            assert found.tobytes() == expected.tobytes()
        np.testing.assert_allclose(other.predict(T, return_cov=True)[1], model.predict(T, return_cov=True)[1])
        assert str(other.kernel_) == str(model.kernel_)
        assert other.log_marginal_likelihood() == model.log_marginal_likelihood()
        np.testing.assert_array_equal(other.L_, model.L_)
        if len(model.parameter_names_) and kind != "fixed object":
            np.testing.assert_allclose(
                other.log_marginal_likelihood_gradient_, model.log_marginal_likelihood_gradient_, rtol=1e-7, atol=1e-9
            )


@pytest.mark.parametrize("kernel", [*TRANSLATED, *OWN[:3]], ids=str)
def test_kernel_objects_as_plain_data(kernel):
    plain = kernel_to_plain(kernel)
    again = kernel_from_plain(json.loads(json.dumps(plain)))
    assert again == kernel
    assert str(again.get_params()) == str(kernel.get_params())
    assert again.theta.tobytes() == kernel.theta.tobytes()
    assert again.bounds.tobytes() == kernel.bounds.tobytes()
    with pytest.raises(TypeError, match="is not one of scikit-learn's"):
        kernel_to_plain(Tilted() + kernel)
    with pytest.raises(ValueError, match="a kernel that scikit-learn does not have: 'clone'"):
        kernel_from_plain({"kernel": "clone", "parameters": {}})


def test_what_a_model_file_cannot_hold(tmp_path):
    def optimizer(obj_func, initial_theta, bounds):
        return initial_theta, obj_func(initial_theta, eval_gradient=False)

    model = GaussianProcessRegressor(RBF(), optimizer=optimizer).fit(X, Y)
    with pytest.raises(TypeError, match="optimizer is a Python function"):
        mercer.save(model, tmp_path / "model")
    mercer.save(model.set_params(optimizer=None), tmp_path / "model")
    with pytest.raises(NotFittedError):
        mercer.save(GaussianProcessRegressor(RBF()), tmp_path / "other")
    with pytest.raises(TypeError, match="computed by Python"):
        mercer.save(GaussianProcessRegressor("precomputed").fit(rbf_kernel(X), Y), tmp_path / "other")


def test_parameters_inside_kernel_objects():
    model = GaussianProcessRegressor(ConstantKernel() * RBF())
    assert model.get_params()["kernel__k2__length_scale"] == 1.0
    model.set_params(kernel__k2__length_scale=2.5, alpha=0.1)
    assert model.kernel.k2.length_scale == 2.5
    grid = {"kernel": [RBF(0.1, "fixed"), RBF(1.0, "fixed")], "alpha": [1e-3, 1e-1]}
    search = GridSearchCV(GaussianProcessRegressor(), grid, cv=3).fit(X, Y)
    assert search.best_params_["kernel"] == RBF(1.0, "fixed")


def test_parameters_of_scikit_learn():
    theirs = Theirs(RBF(2.0), alpha=0.1, optimizer=None, normalize_y=True).fit(X, Y)
    ours = GaussianProcessRegressor(**theirs.get_params(deep=False)).fit(X, Y)
    np.testing.assert_allclose(ours.predict(T), theirs.predict(T), rtol=1e-9)
    defaults = GaussianProcessRegressor().get_params()
    assert {name: defaults[name] for name in Theirs().get_params()} == Theirs().get_params()


def test_a_failed_fit_leaves_the_last_one():
    model = GaussianProcessRegressor(DotProduct(), alpha=0.1, optimizer=None).fit(X, Y)
    before = model.predict(T)
    model.set_params(alpha=0.0)
    with pytest.raises(np.linalg.LinAlgError):
        model.fit(np.repeat(X, 2, axis=0), np.repeat(Y, 2))
    assert model.predict(T).tobytes() == before.tobytes()
    assert model.X_train_.shape == (40, 2)


def test_numbers_of_other_types():
    single, whole = X.astype(np.float32), (10 * X).astype(int)
    for points in (single, whole):
        ours, theirs = (
            c(RBF(2.0), alpha=0.1, optimizer=None).fit(points, Y) for c in (GaussianProcessRegressor, Theirs)
        )
        assert ours.X_train_.dtype == theirs.X_train_.dtype == points.dtype
        at = points[:5]
        np.testing.assert_allclose(ours.predict(at), theirs.predict(at), rtol=1e-9)
        assert ours.predict(at).dtype == theirs.predict(at).dtype == np.float64


def test_copies_of_the_data():
    kept = GaussianProcessRegressor(RBF(), alpha=0.1, optimizer=None, copy_X_train=False).fit(X, Y)
    copied = GaussianProcessRegressor(RBF(), alpha=0.1, optimizer=None).fit(X, Y)
    assert np.shares_memory(kept.X_train_, X)
    assert not np.shares_memory(copied.X_train_, X)


@pytest.mark.parametrize("kernel", ["1*gaussian()", ConstantKernel() * RBF()], ids=["text", "object"])
def test_one_column_of_targets(kernel):
    with warnings.catch_warnings(action="error"):
        flat = GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None).fit(X, Y)
        column = GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None).fit(X, Y[:, None])
    assert column.predict(T).shape == (7,)
    np.testing.assert_allclose(column.predict(T), flat.predict(T))
    assert column.alpha_.shape == column.y_train_.shape == (40, 1)
    assert flat.alpha_.shape == (40,)


def test_normalized_targets():
    model = GaussianProcessRegressor(RBF() + WhiteKernel(), normalize_y=True).fit(X, BOTH)
    np.testing.assert_allclose(model._y_train_mean, BOTH.mean(axis=0))
    np.testing.assert_allclose(model._y_train_std, BOTH.std(axis=0))
    np.testing.assert_allclose(model.y_train_.std(axis=0), 1.0)
    # A constant has rounding errors for a standard deviation, and is not scaled by them.
    constant = GaussianProcessRegressor(RBF(), alpha=0.1, normalize_y=True, optimizer=None).fit(X, np.full(40, 0.1))
    assert constant._y_train_std == 1.0
    np.testing.assert_allclose(constant.predict(T), 0.1)


def test_bounds_are_kept_and_remarked():
    with pytest.warns(ConvergenceWarning, match="length_scale is close to the specified upper bound 0.5"):
        model = GaussianProcessRegressor(RBF(0.4, (0.1, 0.5)), alpha=0.01).fit(X, Y)
    assert model.kernel_.length_scale == pytest.approx(0.5)
    with pytest.warns(ConvergenceWarning, match="dimension 1 of parameter length_scale .* upper bound"):
        GaussianProcessRegressor(RBF([1.0, 1.0], [(1e-2, 1e2), (0.9, 1.1)]), alpha=0.01).fit(X, Y)
    with pytest.warns(ConvergenceWarning) as record:
        GaussianProcessRegressor("1*gaussian()", noise=0.1).fit(X, np.column_stack([X @ [1.0, 0.5]] * 2))
    assert any("parameter noise is close to the lower bound 1e-05" in str(warning.message) for warning in record)


def test_singular_matrices():
    twice = np.repeat(X, 2, axis=0)
    for kernel in (DotProduct(), Tilted(1.0), "linear()", lambda a, b: a @ b.T):
        with pytest.raises(np.linalg.LinAlgError):
            GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None).fit(twice, np.repeat(Y, 2))
    message = r"The kernel, DotProduct\(sigma_0=1\), is not returning a positive definite matrix. Try gradually increas"
    with pytest.raises(np.linalg.LinAlgError, match=message):
        GaussianProcessRegressor(DotProduct(), alpha=0.0).fit(twice, np.repeat(Y, 2))
    model = GaussianProcessRegressor(RBF(), alpha=0.0, optimizer=None).fit(X[:5], Y[:5])
    value, slope = model.log_marginal_likelihood([30.0], eval_gradient=True)
    assert value == -np.inf
    assert (slope == 0).all()
    # scikit-learn's default nugget beside a large signal variance: LAPACK finds a factor, and so do
    # we.
    large = GaussianProcessRegressor(ConstantKernel(1e5) * RBF(3.0), optimizer=None).fit(X, Y)
    assert np.isfinite(large.log_marginal_likelihood_value_)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"alpha": -1.0}, "alpha = -1.0 is not allowed"),
        ({"alpha": "much"}, "alpha = 'much' is not allowed"),
        ({"alpha": np.full((40, 1), 0.1)}, "is not allowed: it must be a number, or one per row"),
        ({"alpha": np.nan}, "alpha = nan is not allowed"),
        ({"alpha": np.full(39, 0.1)}, r"same number of entries as y. \(39 != 40\)"),
        ({"optimizer": "adam"}, "optimizer = 'adam' is not allowed"),
        ({"n_restarts_optimizer": -1}, "n_restarts_optimizer = -1 is not allowed"),
        ({"n_targets": 0}, "n_targets = 0 is not allowed"),
        ({"n_targets": 2}, "The number of targets seen in `y`"),
        ({"noise": 0.1}, "noise is not for kernel objects: add WhiteKernel"),
        ({"fixed": ["noise"]}, "fixed and free are not for kernel objects"),
        ({"max_memory": "1kB"}, "limit"),
    ],
)
def test_wrong_requests(choices, message):
    with pytest.raises((ValueError, MemoryError), match=message):
        GaussianProcessRegressor(RBF(), **choices).fit(X, Y)


def test_other_wrong_requests():
    with pytest.raises(TypeError, match="a kernel is a text or a mercer.Kernel"):
        GaussianProcessRegressor(3.0).fit(X, Y)
    with pytest.raises(TypeError, match=r"kernel = RBF is a class: give an object of it, RBF\(\)"):
        GaussianProcessRegressor(RBF).fit(X, Y)
    unbounded = GaussianProcessRegressor(WhiteKernel(noise_level_bounds=(1e-5, np.inf)), n_restarts_optimizer=1)
    with pytest.raises(ValueError, match="requires that all bounds are finite"):
        unbounded.fit(X, Y)
    with pytest.raises(ValueError, match="partial effects need"):
        GaussianProcessRegressor(RBF(), alpha=0.1).fit(X, Y).partial_effects()
    with pytest.raises(AttributeError, match="use predict"):
        GaussianProcessRegressor(Tilted(), alpha=0.1).fit(X, Y).function_  # noqa: B018
    with pytest.raises(ValueError, match="Gradient can only be evaluated for theta!=None"):
        GaussianProcessRegressor(RBF(), alpha=0.1).fit(X, Y).log_marginal_likelihood(eval_gradient=True)


@pytest.mark.parametrize("kernel", [ConstantKernel() * Matern([1.0, 1.0]) + WhiteKernel(), Tilted(1.0)], ids=str)
def test_any_number_of_threads_gives_the_same_bytes(kernel):
    one, two = (GaussianProcessRegressor(kernel, alpha=0.1, n_jobs=n).fit(X, BOTH) for n in (1, 2))
    assert one.predict(T).tobytes() == two.predict(T).tobytes()
    assert one.kernel_.theta.tobytes() == two.kernel_.theta.tobytes()


def test_a_refit_forgets_what_was_there():
    model = GaussianProcessRegressor(RBF(), alpha=0.1).fit(X, BOTH)
    first = model.L_, model.function_
    model.set_params(kernel="1*gaussian()", noise=0.1, alpha=1e-10).fit(X, Y)
    assert isinstance(model.kernel_, mercer.Kernel)
    assert model.L_ is not first[0]
    assert callable(model.function_)
    model.set_params(kernel=RBF(), noise=None, alpha=0.1, optimizer=None).fit(X, Y)
    assert isinstance(model.kernel_, RBF)
    assert not hasattr(model, "likelihoods_")
    assert model.explain(X, Y).startswith("once, a Cholesky factor of 40 rows")
