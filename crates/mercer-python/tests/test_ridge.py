"""Kernel ridge regression: scikit-learn's answers, brute force, lazy diagnostics, null spaces, wrong requests."""

import signal
import subprocess
import sys
import textwrap
import threading
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.kernel_ridge import KernelRidge as Theirs

import mercer
from mercer import KernelRidge, KernelRidgeCV

RNG = np.random.default_rng(5)
X, T = RNG.normal(size=(60, 4)), RNG.normal(size=(9, 4))
Y = np.column_stack([np.sin(X[:, 0]) + 0.1 * RNG.normal(size=60), X[:, 1] * X[:, 2]])


def close(found, expected, tolerance=1e-9):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "polynomial", "laplacian", "cosine"])
@pytest.mark.parametrize("y", [Y[:, 0], Y], ids=["one", "two"])
def test_the_names_of_scikit_learn(kernel, y):
    for parameters in ({}, {"gamma": 0.3, "degree": 2, "coef0": 0.5}):
        ours = KernelRidge(0.7, kernel=kernel, **parameters).fit(X, y)
        theirs = Theirs(0.7, kernel=kernel, **parameters).fit(X, y)
        close(ours.predict(T), theirs.predict(T))
        close(ours.dual_coef_, theirs.dual_coef_)
        assert ours.dual_coef_.shape == theirs.dual_coef_.shape
        assert ours.X_fit_.tobytes() == X.tobytes()


@pytest.mark.filterwarnings("ignore:Singular matrix in solving dual problem:UserWarning")
def test_the_name_sigmoid_allows_what_it_means():
    ours, theirs = (kind(0.7, kernel="sigmoid", gamma=0.3).fit(X, Y[:, 0]) for kind in (KernelRidge, Theirs))
    close(ours.predict(T), theirs.predict(T), 1e-7)
    with pytest.raises(
        mercer.NotPositiveDefiniteError, match=r"(?s)tanh.*If it is meant, pass indefinite=True"
    ) as caught:
        KernelRidge(0.7, kernel="tanh(scale=0.3, offset=1)").fit(X, Y)
    assert caught.value.counterexample.value < 0
    allowed = KernelRidge(0.7, kernel="tanh(scale=0.3, offset=1)", indefinite=True).fit(X, Y[:, 0])
    close(allowed.predict(T), ours.predict(T))


def test_chi2():
    ours = KernelRidge(0.1, kernel="chi2", gamma=0.4).fit(np.abs(X), Y)
    close(ours.predict(np.abs(T)), Theirs(0.1, kernel="chi2", gamma=0.4).fit(np.abs(X), Y).predict(np.abs(T)))


def test_callable_and_precomputed_kernels():
    def k(a, b, power=2.0):
        return np.exp(-power * np.sum((a - b) ** 2))

    k2 = mercer.gaussian(gamma=0.2)
    expected = KernelRidge(0.7, kernel=k2, fit_intercept=True).fit(X, Y)
    called = KernelRidge(0.7, kernel=k, kernel_params={"power": 0.2}, fit_intercept=True).fit(X, Y)
    given = KernelRidge(0.7, kernel="precomputed", fit_intercept=True).fit(k2(X), Y)
    for model, points in ((called, T), (given, k2(T, X))):
        close(model.predict(points), expected.predict(T))
        close(model.loo_residuals_, expected.loo_residuals_)
        with pytest.raises(AttributeError, match="has no function"):
            model.function_  # noqa: B018


def test_precomputed_values_must_be_a_kernel_matrix():
    lopsided = X @ X.T
    lopsided[0, 1] += 1e-13
    KernelRidge(kernel="precomputed").fit(lopsided, Y)
    lopsided[0, 1] += 1.0
    with pytest.raises(ValueError, match="not symmetric: entries differ by up to 1"):
        KernelRidge(kernel="precomputed").fit(lopsided, Y)
    with pytest.raises(ValueError, match="square"):
        KernelRidge(kernel="precomputed").fit(X, Y)
    with pytest.raises(mercer.NotPositiveDefiniteError, match="eigenvalue"):
        KernelRidge(kernel="precomputed").fit(-2 * np.eye(5), np.ones(5))


def test_an_alpha_for_every_target():
    alphas = [2.0, 0.1]
    both = KernelRidge(alphas, kernel="rbf", fit_intercept=True).fit(X, Y)
    theirs = Theirs(alphas, kernel="rbf").fit(X, Y)
    close(KernelRidge(alphas, kernel="rbf").fit(X, Y).predict(T), theirs.predict(T))
    for j, alpha in enumerate(alphas):
        one = KernelRidge(alpha, kernel="rbf", fit_intercept=True).fit(X, Y[:, j])
        for name in ("dual_coef_", "fitted_", "hat_diagonal_", "loo_residuals_"):
            close(getattr(both, name)[:, j], getattr(one, name))
        for name in ("intercept_", "dof_", "gcv_", "norm_"):
            close(getattr(both, name)[j], getattr(one, name))
        close(both.predict(T)[:, j], one.predict(T))
        close(both.function_[j](T), one.function_(T))
    with pytest.raises(ValueError, match=r"one number per target \(2\), found shape \(3,\)"):
        KernelRidge([1, 2, 3]).fit(X, Y)


def test_leave_one_out_equals_refits():
    model = KernelRidge(0.3, kernel="rbf", fit_intercept=True).fit(X, Y)
    for i in (0, 17, 59):
        rest = np.arange(len(X)) != i
        without = KernelRidge(0.3, kernel="rbf", fit_intercept=True).fit(X[rest], Y[rest])
        close(model.loo_residuals_[i], Y[i] - without.predict(X[i : i + 1])[0])


def test_diagnostics_of_large_fits_are_computed_at_their_first_use():
    x, y = RNG.uniform(size=(1200, 2)), RNG.normal(size=1200)
    large = KernelRidge(0.5, kernel="gaussian()", fit_intercept=True).fit(x, y)
    assert large.plan_.startswith("Cholesky in mixed precision")
    assert "_diagnosed" not in vars(large)
    full = KernelRidge(0.5, kernel="gaussian()", fit_intercept=True, solver="eigen").fit(x, y)
    assert full.plan_.startswith("eigendecomposition")
    for name in ("hat_diagonal_", "dof_", "gcv_", "loo_residuals_", "dual_coef_", "norm_"):
        close(getattr(large, name), getattr(full, name), 1e-7)
    assert "_diagnosed" in vars(large)
    large.set_params(alpha=100.0)
    close(large.dof_, full.dof_, 1e-7)
    large.fit(x[:100], y[:100])
    assert large.hat_diagonal_.shape == (100,)


def test_weights_count_points():
    counts = RNG.integers(1, 4, size=len(X))
    weighted = KernelRidge(0.3, kernel="rbf", fit_intercept=True).fit(X, Y, sample_weight=counts)
    repeated = KernelRidge(0.3, kernel="rbf", fit_intercept=True).fit(
        X.repeat(counts, axis=0), Y.repeat(counts, axis=0)
    )
    close(weighted.predict(T), repeated.predict(T))
    close(KernelRidge(2.0).fit(X, Y, sample_weight=2.0).predict(T), KernelRidge(1.0).fit(X, Y).predict(T))


def test_unpenalized_functions():
    """A line costs nothing beside the kernel: it is recovered whatever alpha is."""
    y = 3 + 2 * X[:, 0] - X[:, 1]
    model = KernelRidge(5.0, kernel="gaussian()", fit_intercept=True).fit(X, y, null_space=X[:, :2])
    close(model.intercept_, 3.0)
    close(model.null_coef_, [2.0, -1.0])
    close(model.norm_, 0.0)
    close(model.predict(T, null_space=T[:, :2]), 3 + 2 * T[:, 0] - T[:, 1])
    with pytest.raises(ValueError, match="the model has 2 unpenalized functions"):
        model.predict(T)
    with pytest.raises(ValueError, match="unpenalized functions"):
        model.predict(T, null_space=T[:, :1])
    with pytest.raises(ValueError, match="combination of those before it"):
        model.fit(X, y, null_space=np.ones(len(X)))
    with pytest.raises(ValueError, match="inconsistent"):
        model.fit(X, y, null_space=X[:5])


def test_the_function_and_its_norm():
    model = KernelRidge(0.3, kernel="gaussian(lengthscale=median)", fit_intercept=True).fit(X, Y[:, 0])
    close(model.function_(T) + model.intercept_, model.predict(T))
    close(model.function_.norm(), model.norm_)
    assert "median" not in str(model.kernel_)


def test_singular_systems_are_reported():
    with pytest.warns(UserWarning, match=r"singular to working precision \(condition about .*minimum norm"):
        model = KernelRidge(0.0, kernel="linear()").fit(X, Y[:, 0])
    close(model.predict(T), T @ np.linalg.lstsq(X, Y[:, 0], rcond=None)[0])
    assert "minimum norm" in model.plan_
    assert model.condition_ > 1e15
    twice = np.repeat(X, 2, axis=0)
    close(KernelRidge(1e-3, kernel="rbf").fit(twice, np.repeat(Y, 2, axis=0)).predict(T).shape, (9, 2))


def test_small_and_constant_data():
    assert KernelRidge(1.0, kernel="rbf").fit([[1.0, 2.0]], [3.0]).predict([[1.0, 2.0]]) == pytest.approx(
        1.5, rel=1e-14
    )
    constant = KernelRidge(1.0, kernel="rbf", fit_intercept=True).fit(X, np.full(60, 7.0))
    close(constant.predict(T), 7.0)
    close(constant.norm_, 0.0)
    with pytest.raises(ValueError, match="0 sample"):
        KernelRidge().fit(np.zeros((0, 3)), [])


@pytest.mark.parametrize(
    ("parameters", "x", "message"),
    [
        ({"alpha": -1.0}, X, "alpha = -1 is not allowed: it must be finite and at least 0"),
        ({"alpha": np.nan}, X, "alpha = NaN is not allowed"),
        ({"kernel": "gausian()"}, X, "did you mean `gaussian`"),
        ({"solver": "lu"}, X, 'solver = "lu" is not allowed: it must be one of "auto", "cholesky"'),
        ({"kernel": "sobolev()"}, X[:, :1], r"row 0, column 0 holds .*: outside the domain \[0, 1\]"),
        ({"kernel": "wiener()"}, X, "one column"),
        ({"kernel": "laplacian", "gamma": 0}, X, "gamma = 0 is not allowed: it must be finite and positive"),
        ({"kernel": "rbf", "gamma": -1}, X, "gamma = -1 is not allowed"),
        ({"n_jobs": 0}, X, "n_jobs = 0 is not allowed"),
        ({"max_memory": "much"}, X, "max_memory = much is not allowed"),
        ({}, np.where(np.arange(4) == 2, np.nan, X), "NaN"),
    ],
)
def test_wrong_requests(parameters, x, message):
    y = Y[:, 0]
    if "sobolev" in str(parameters):
        x = np.where(np.arange(60)[:, None] == 0, 1.5, np.abs(x) / 10)
    with pytest.raises(ValueError, match=message):
        KernelRidge(**parameters).fit(x, y)


@pytest.mark.parametrize("value", [3, None, ["linear()"]])
def test_a_kernel_is_a_text(value):
    with pytest.raises(TypeError, match="a kernel is a text or a mercer.Kernel"):
        KernelRidge(kernel=value).fit(X, Y)


def test_memory_limits():
    x, y = RNG.normal(size=(900, 2)), RNG.normal(size=900)
    tight = KernelRidge(1.0, kernel="gaussian()", max_memory="4MB").fit(x, y)
    assert tight.plan_.startswith("conjugate gradients")
    close(tight.predict(x), KernelRidge(1.0, kernel="gaussian()").fit(x, y).predict(x), 1e-6)
    with pytest.raises(
        MemoryError, match=r"ridge fit of 900 rows by Cholesky needs .* but the memory limit is 3\.81 MiB"
    ):
        tight.dof_  # noqa: B018
    with pytest.raises(MemoryError, match="use λ > 0"):
        KernelRidge(0.0, kernel="gaussian()", max_memory="4MB").fit(x, y)


def test_the_plan_before_the_work():
    large = np.random.default_rng(0).normal(size=(5000, 3))
    small = large[:500]
    model = KernelRidge(kernel="gaussian()")
    assert model.explain(small, np.zeros(500)).startswith("Cholesky: ")
    assert model.explain(large, np.zeros((5000, 2))).startswith("Cholesky in mixed precision: ")
    assert model.set_params(max_memory="50MB").explain(large).startswith("conjugate gradients: ")
    assert not hasattr(model, "dual_coef_")


def test_linear_time_along_a_line():
    """Markov kernels of one column: the same answers, with their diagnostics, whatever the number of rows."""
    x, y = np.sort(RNG.uniform(size=(1500, 1)), axis=0), RNG.normal(size=1500)
    model = KernelRidge(0.3, kernel="matern(nu=3/2, lengthscale=0.2)", fit_intercept=True)
    assert model.explain(x, y).startswith("state space: ")
    fast, dense = model.fit(x, y), KernelRidge(**{**model.get_params(), "solver": "cholesky"}).fit(x, y)
    assert "linear time" in fast.plan_
    assert fast._fits[0][1].diagnosed
    for name in ("dual_coef_", "hat_diagonal_", "dof_", "loo_residuals_", "gcv_", "norm_"):
        close(getattr(fast, name), getattr(dense, name), 1e-7)
    close(fast.predict(x[:50] + 0.01), dense.predict(x[:50] + 0.01), 1e-8)


def test_standard_errors():
    """Those of the Gaussian process with kernel (σ²/α)k and noise σ²."""
    model = KernelRidge(0.3, kernel="gaussian(lengthscale=2)").fit(X, Y[:, 0])
    mean, std = model.predict(T, return_std=True)
    assert mean.tobytes() == model.predict(T).tobytes()
    noise = np.sum((Y[:, 0] - model.fitted_) ** 2) / (60 - model.dof_)
    close(model.noise_variance_, noise)
    kernel = noise / 0.3 * mercer.gaussian(lengthscale=2)
    process = mercer.GaussianProcessRegressor(kernel, noise=noise, optimize=False).fit(X, Y[:, 0])
    close(std, process.predict(T, return_std=True)[1], 1e-7)
    noisy = model.predict(T, return_std=True, include_noise=True)[1]
    close(noisy**2, std**2 + noise)
    both = KernelRidge([0.3, 2.0], kernel="gaussian(lengthscale=2)").fit(X, Y)
    close(both.predict(T, return_std=True)[1][:, 0], std)
    close(both.noise_variance_[0], noise)
    part = KernelRidge(0.3, kernel="rbf", fit_intercept=True).fit(X, Y[:, 0], null_space=X[:, :1])
    assert (part.predict(T, null_space=T[:, :1], return_std=True)[1] > 0).all()


def test_partial_effects():
    kernel = "on([0], gaussian(lengthscale=1)) + on([1, 2], gaussian(lengthscale=2))"
    model = KernelRidge(0.1, kernel=kernel, fit_intercept=True).fit(X, Y)
    for output in (0, 1):
        first, second = model.partial_effects(resolution=11, output=output)
        assert (first.columns, second.columns) == ([0], [1, 2])
        assert (first.values.shape, second.values.shape) == ((11, 1), (11, 11))
        close(first.norm_share + second.norm_share, 1.0)
        close(first.variance_share + second.variance_share, 1.0)
        total = first.at_data + first.mean + second.at_data + second.mean + model.intercept_[output]
        close(total, model.fitted_[:, output])
        assert (first.standard_errors > 0).all()
        close(first.axes[0][[0, -1]], [X[:, 0].min(), X[:, 0].max()])
    process = mercer.GaussianProcessRegressor(kernel, noise=0.1, optimize=False).fit(X, Y[:, 0])
    assert [effect.columns for effect in process.partial_effects(5)] == [[0], [1, 2]]
    with pytest.raises(ValueError, match="output = 2 is not allowed: the model has 2"):
        model.partial_effects(output=2)
    with pytest.raises(ValueError, match="resolution = 1 is not allowed"):
        model.partial_effects(resolution=1)


def test_progress_bar(capsys):
    KernelRidge(kernel="gaussian()", verbose=True).fit(X, Y)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "100%" in captured.err


def test_control_c_stops_a_fit():
    code = """
        import mercer, numpy as np
        x = np.random.default_rng(0).normal(size=(30_000, 30))
        print("ready", flush=True)
        try:
            mercer.KernelRidge(1e-3, kernel="matern(nu=0.8)", solver="cg").fit(x, x[:, 0])
        except KeyboardInterrupt:
            print("stopped", flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    threading.Event().wait(1.0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert out == "stopped\n", err


class TestSearch:
    def test_the_surface(self):
        alphas, lengths = [0.01, 0.1, 1.0], [2.0, 0.5, 8.0]
        found = KernelRidgeCV(alphas, kernel="gaussian()", lengthscales=lengths, fit_intercept=True).fit(X, Y)
        assert found.lengthscales_ == sorted(lengths)
        assert found.scores_.shape == (3, 3)
        for i, length in enumerate(sorted(lengths)):
            for j, alpha in enumerate(alphas):
                kernel = mercer.gaussian(lengthscale=length)
                one = KernelRidge(alpha, kernel=kernel, fit_intercept=True).fit(X, Y)
                close(found.scores_[i, j], np.mean(one.loo_residuals_**2))
        assert found.best_score_ == found.scores_.min() == found.scores_[found.best_index_]
        assert (found.alpha_, found.lengthscale_) == (
            alphas[found.best_index_[1]],
            found.lengthscales_[found.best_index_[0]],
        )
        same = KernelRidge(found.alpha_, kernel=found.kernel_, fit_intercept=True).fit(X, Y)
        assert found.predict(T).tobytes() == same.predict(T).tobytes()
        close(found.dof_, same.dof_)

    def test_screening_drops_what_is_clearly_worse(self, tmp_path):
        x = np.random.default_rng(3).uniform(0, 6, size=(1000, 2))
        y = np.sin(x[:, 0]) + np.cos(2 * x[:, 1]) + 0.1 * np.random.default_rng(4).normal(size=1000)
        numbers = {"alphas": [0.01, 0.1, 1.0], "kernel": "gaussian()", "lengthscales": 0.02 * 3.0 ** np.arange(8)}
        screened, whole = (KernelRidgeCV(**numbers, screening=screening).fit(x, y) for screening in (True, False))
        assert (screened.alpha_, screened.lengthscale_) == (whole.alpha_, whole.lengthscale_)
        assert screened.predict(x[:9]).tobytes() == whole.predict(x[:9]).tobytes()
        dropped = np.isnan(screened.scores_).all(axis=1)
        assert dropped.sum() == screened.n_dropped_ >= 3
        assert whole.n_dropped_ == 0
        assert np.array_equal(screened.scores_[~dropped], whole.scores_[~dropped])
        mercer.save(screened, tmp_path / "screened.model")
        again = mercer.load(tmp_path / "screened.model")
        assert np.array_equal(again.scores_, screened.scores_, equal_nan=True)
        assert again.n_dropped_ == screened.n_dropped_

    def test_lists_of_kernels_and_folds(self):
        found = KernelRidgeCV([0.1, 1.0], kernels=["linear", "rbf", mercer.matern()], scoring=5, random_state=1).fit(
            X, Y
        )
        assert [str(k).partition("(")[0] for k in found.candidates_] == ["linear", "gaussian", "matern"]
        assert found.lengthscale_ is None
        other = KernelRidgeCV([0.1, 1.0], kernels=["linear", "rbf", mercer.matern()], scoring=5, random_state=2).fit(
            X, Y
        )
        assert not np.array_equal(found.scores_, other.scores_)
        with pytest.raises(ValueError, match="kernels must be a list"):
            KernelRidgeCV(kernels="rbf").fit(X, Y)

    def test_lengthscales_around_the_median(self):
        found = KernelRidgeCV([0.1], kernel="gaussian()", lengthscales=5, refinements=2).fit(X, Y)
        median = mercer.gaussian(lengthscale="median").resolve(X).parameters["gaussian.lengthscale"]
        assert any(abs(length / median - 1) < 1e-12 for length in found.lengthscales_)
        assert 5 < len(found.lengthscales_) <= 9

    def test_the_winner_as_an_estimator(self):
        frame = pd.DataFrame(X, columns=list("abcd"))
        found = KernelRidgeCV([0.1, 1.0], kernel="gaussian()", lengthscales=[1.0, 2.0], fit_intercept=True).fit(
            frame, Y
        )
        best = found.best_estimator_
        assert isinstance(best, KernelRidge)
        assert best.predict(frame).tobytes() == found.predict(frame).tobytes()
        assert best.dof_ == found.dof_
        assert found.best_params_ == {"alpha": best.alpha, "kernel": best.kernel}
        with pytest.raises(ValueError, match="kernels must be kernels of the language"):
            KernelRidgeCV(kernels=["rbf", "precomputed"]).fit(X, Y)
        sigmoid = KernelRidgeCV([10.0], kernels=["rbf", "sigmoid"]).fit(X, Y)
        assert sigmoid.scores_.shape == (2, 1)

    def test_refinement_of_alpha(self):
        coarse = KernelRidgeCV([0.001, 0.1, 10.0], kernel="gaussian(lengthscale=2)").fit(X, Y)
        fine = KernelRidgeCV([0.001, 0.1, 10.0], kernel="gaussian(lengthscale=2)", refinements=2).fit(X, Y)
        assert fine.best_score_ < coarse.best_score_
        again = KernelRidge(fine.alpha_, kernel="gaussian(lengthscale=2)").fit(X, Y)
        close(fine.best_score_, np.mean(again.loo_residuals_**2))

    def test_relevance_of_columns(self):
        """The target depends on the first column alone: the lengthscales of the others grow."""
        grid = KernelRidgeCV([0.01, 0.1], kernel="gaussian()", lengthscales=[1.0, 3.0]).fit(X, np.sin(X[:, 0]))
        found = KernelRidgeCV([0.01, 0.1], kernel="gaussian()", lengthscales=[1.0, 3.0], ard=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", mercer.ConvergenceWarning)
            found.fit(X, np.sin(X[:, 0]))
        assert found.best_score_ < grid.best_score_
        lengths = list(found.kernel_.parameters.values())
        assert len(lengths) == 4
        assert min(lengths[1:]) > 5 * lengths[0]

    def test_precomputed(self):
        k = mercer.gaussian(lengthscale=2)
        given = KernelRidgeCV([0.1, 1.0], kernel="precomputed").fit(k(X), Y[:, 0])
        direct = KernelRidgeCV([0.1, 1.0], kernel=k).fit(X, Y[:, 0])
        close(given.scores_, direct.scores_)
        close(given.predict(k(T, X)), direct.predict(T))

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"alphas": [-1.0]}, "alpha = -1 is not allowed"),
            ({"alphas": []}, "at least one number"),
            (
                {"scoring": "accuracy"},
                'scoring = \'accuracy\' is not allowed: it must be "loo", "gcv" or a number of folds',
            ),
            ({"scoring": 1}, "scoring = 1 is not allowed"),
            ({"kernel": "linear()", "lengthscales": [1.0]}, "has no lengthscale"),
            ({"kernel": "tanh()"}, "pass indefinite=True"),
            ({"kernels": []}, "at least one kernel"),
        ],
    )
    def test_wrong_requests(self, parameters, message):
        with pytest.raises(ValueError, match=message):
            KernelRidgeCV(**parameters).fit(X, Y)

    def test_the_surface_is_drawn(self, tmp_path):
        found = KernelRidgeCV([0.1, 1.0], kernel="gaussian()", lengthscales=[1.0, 2.0]).fit(X, Y)
        data = found.surface()
        assert data["lengthscales"] == [1.0, 2.0]
        assert data["scores"].shape == (2, 2)
        pytest.importorskip("matplotlib")
        found.plot_surface(tmp_path / "surface.png")
        assert (tmp_path / "surface.png").stat().st_size > 1000


class TestGrids:
    CELLS = np.stack(np.meshgrid(np.arange(40.0), np.arange(30.0), indexing="ij"), -1).reshape(-1, 2)

    @pytest.mark.parametrize("kernel", ["gaussian(lengthscale=3)", "matern(nu=3/2, lengthscale=4)"])
    def test_the_answer_is_the_dense_one(self, kernel):
        order = np.random.default_rng(0).permutation(1200)
        x = self.CELLS[order[:1000]]
        y = np.sin(x[:, 0] / 5) + np.cos(x[:, 1] / 7)
        found = KernelRidge(alpha=0.1, kernel=kernel, solver="grid").fit(x, y)
        dense = KernelRidge(alpha=0.1, kernel=kernel, solver="cholesky").fit(x, y)
        assert "40 × 30 cells, 17 % missing" in found.plan_
        close(found.dual_coef_, dense.dual_coef_, 1e-8)
        close(found.predict(self.CELLS), dense.predict(self.CELLS), 1e-8)

    def test_a_grid_is_recognized(self):
        y = np.sin(self.CELLS[:, 0] / 5)
        ridge = KernelRidge(alpha=0.1, kernel="gaussian(lengthscale=3)")
        assert ridge.explain(self.CELLS).startswith("grid")
        assert "Kronecker" in ridge.fit(self.CELLS, y).plan_
        with pytest.raises(ValueError, match="one row per cell"):
            KernelRidge(kernel="gaussian()", solver="grid").fit(np.random.default_rng(0).normal(size=(50, 2)), y[:50])


@pytest.mark.parametrize("offset", [0.0, 1e5, 1e6, 1e7])
@pytest.mark.parametrize("intercept", [False, True])
def test_a_linear_kernel_on_columns_far_from_zero_has_the_answer_of_more_digits(offset, intercept, tmp_path):
    rng = np.random.default_rng(4)
    X = offset + rng.normal(size=(400, 2))
    y = X @ [1.0, -2.0] + 5.0 + rng.normal(size=400)
    # The normal equations in rational numbers, solved by Cramer's rule.
    p, q, t = ([Fraction(v) for v in column] for column in (X[:, 0], X[:, 1], y))
    level = sum(t) / 400 if intercept else 0
    if intercept:
        p, q, t = ([v - sum(column) / 400 for v in column] for column in (p, q, t))
    a, b, d = (sum(u * v for u, v in zip(*pair, strict=True)) for pair in ((p, p), (p, q), (q, q)))
    u, v = (sum(z * w for z, w in zip(column, t, strict=True)) for column in (p, q))
    a, d = a + 30, d + 30
    first, second = (d * u - b * v) / (a * d - b * b), (a * v - b * u) / (a * d - b * b)
    expected = [float(first * z + second * w + level) for z, w in zip(p, q, strict=True)]
    model = mercer.KernelRidge(30, kernel="linear()", fit_intercept=intercept).fit(X, y)
    tolerance = 1e-6 * np.abs(y - y.mean()).max()
    np.testing.assert_allclose(model.predict(X), expected, rtol=0, atol=tolerance)
    mercer.save(model, tmp_path / "m.safetensors")
    assert mercer.load(tmp_path / "m.safetensors").predict(X).tobytes() == model.predict(X).tobytes()
    # Leverages too: the residuals of a fit without the row.
    rest = mercer.KernelRidge(30, kernel="linear()", fit_intercept=intercept).fit(X[1:], y[1:])
    np.testing.assert_allclose(model.loo_residuals_[0], y[0] - rest.predict(X[:1])[0], rtol=0, atol=1e2 * tolerance)
