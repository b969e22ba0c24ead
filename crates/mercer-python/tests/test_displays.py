"""Pictures: numbers that are drawn, scikit-learn's contract, axes that are given, and what is refused."""

import itertools
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import mercer

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")

RNG = np.random.default_rng(5)
X = RNG.uniform(size=(60, 2))
Y = np.sin(5 * X[:, 0]) + X[:, 1] + 0.1 * RNG.normal(size=60)
LABELS = np.where(Y > 1, "up", "down")
THREE = np.digitize(X[:, 0], [0.3, 0.6])
ADDITIVE = "on([0], gaussian(lengthscale=0.3)) + on([1], gaussian(lengthscale=0.5))"
RIDGE = mercer.KernelRidge(0.1, kernel=ADDITIVE, fit_intercept=True).fit(X, Y)
PROCESS = mercer.GaussianProcessRegressor("1*gaussian(lengthscale=0.4)", noise=0.02).fit(X, Y)
SEARCH = mercer.KernelRidgeCV([0.01, 0.1, 1], kernel="gaussian()", lengthscales=[0.1, 0.4, 1]).fit(X, Y)
MACHINE = mercer.SVC(C=10, kernel="gaussian(lengthscale=0.5)").fit(X, LABELS)
LOGISTIC = mercer.KernelLogisticRegression(0.1, kernel="gaussian(lengthscale=0.5)").fit(X, LABELS)
PCA = mercer.KernelPCA(3, kernel="gaussian()").fit(X)
WEIGHTS = mercer.MultipleKernelRegressor(["linear()", "gaussian(lengthscale=0.3)"], 0.1).fit(X, Y)
RESULT = mercer.two_sample_test(X[:30], X[30:] + 0.3, "gaussian(lengthscale=0.3)", permutations=99)

#: Every display: how it is made, without drawing.
MAKERS = {
    "ScoreSurfaceDisplay": lambda: mercer.ScoreSurfaceDisplay.from_estimator(SEARCH, plot=False),
    "FunctionDisplay": lambda: mercer.FunctionDisplay.from_estimator(PROCESS, n_draws=2, plot=False),
    "EffectsDisplay": lambda: mercer.EffectsDisplay.from_estimator(RIDGE, plot=False),
    "ResidualsDisplay": lambda: mercer.ResidualsDisplay.from_estimator(RIDGE, plot=False),
    "InfluenceDisplay": lambda: mercer.InfluenceDisplay.from_estimator(RIDGE, plot=False),
    "CalibrationDisplay": lambda: mercer.CalibrationDisplay.from_estimator(LOGISTIC, X, LABELS, plot=False),
    "BoundaryDisplay": lambda: mercer.BoundaryDisplay.from_estimator(MACHINE, X, LABELS, resolution=40, plot=False),
    "GramDisplay": lambda: mercer.GramDisplay.from_kernel("gaussian()", X, LABELS, plot=False),
    "SpectrumDisplay": lambda: mercer.SpectrumDisplay.from_estimator(PCA, plot=False),
    "WitnessDisplay": lambda: mercer.WitnessDisplay.from_samples(X[:30], X[30:], plot=False),
    "NullDisplay": lambda: mercer.NullDisplay.from_result(RESULT, plot=False),
    "EmbeddingDisplay": lambda: mercer.EmbeddingDisplay.from_estimator(PCA, X, LABELS, plot=False),
    "SignalsDisplay": lambda: mercer.SignalsDisplay.from_estimator(
        mercer.KernelICA(random_state=0).fit(X), X, plot=False
    ),
    "KernelWeightsDisplay": lambda: mercer.KernelWeightsDisplay.from_estimator(WEIGHTS, plot=False),
    "CounterexampleDisplay": lambda: mercer.CounterexampleDisplay.from_kernel("tanh(scale=1)", plot=False),
}


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_every_display_is_here():
    assert {name for name in mercer.__all__ if name.endswith("Display")} == set(MAKERS)


@pytest.mark.parametrize("name", MAKERS)
def test_a_figure_of_its_own(name):
    display = MAKERS[name]()
    assert not hasattr(display, "ax_")
    assert display.plot() is display
    assert display.figure_ is display.ax_.figure
    display.figure_.canvas.draw()
    axes = display.figure_.axes
    assert any(ax.get_title() for ax in axes)
    assert any(ax.has_data() for ax in axes)
    shown = getattr(display, "axes_", [display.ax_])
    labeled = [ax for ax in shown if ax.axison]
    assert all(ax.get_xlabel() or ax.get_xticklabels() for ax in labeled)


@pytest.mark.parametrize("name", MAKERS)
def test_axes_that_are_given(name):
    display = MAKERS[name]()
    figure, axes = plt.subplots(1, 2)
    count = len(display.plot().axes_) if hasattr(display.plot(), "axes_") else 1
    display.plot(axes if count == 2 else axes[0])
    assert display.figure_ is figure
    figure.canvas.draw()
    if count > 1:
        # One pair of axes is divided.
        display.plot(plt.subplots()[1])
        assert len(display.axes_) == count
        with pytest.raises(ValueError, match=f"ax: expected {count} axes, found 1"):
            display.plot([plt.subplots()[1]])


def test_legends_do_not_cover_the_data():
    for name in ("FunctionDisplay", "BoundaryDisplay", "WitnessDisplay", "NullDisplay", "EmbeddingDisplay"):
        display = MAKERS[name]().plot()
        display.figure_.canvas.draw()
        legend = display.figure_.legends[0].get_window_extent()
        assert not legend.overlaps(display.ax_.get_window_extent()), name


def test_score_surfaces():
    display = mercer.ScoreSurfaceDisplay.from_estimator(SEARCH)
    np.testing.assert_array_equal(display.scores, SEARCH.scores_)
    assert display.best == SEARCH.best_index_
    assert display.ax_.get_ylabel() == "lengthscale"
    curve = mercer.KernelRidgeCV([0.01, 0.1, 1], kernel="gaussian()").fit(X, Y)
    assert mercer.ScoreSurfaceDisplay.from_estimator(curve).colorbar_ is None
    machine = mercer.SVCCV([1, 10], lengthscales=[0.2, 1], kernel="gaussian()", cv=3).fit(X, LABELS)
    assert mercer.ScoreSurfaceDisplay.from_estimator(machine).names["columns"] == "C"
    gammas = mercer.SVCCV([1, 10], gammas=[0.2, 1], cv=3).fit(X, LABELS)
    assert mercer.ScoreSurfaceDisplay.from_estimator(gammas).names["rows"] == "gamma"
    kernels = mercer.KernelRidgeCV([0.1, 1], kernels=["linear()", "gaussian()"]).fit(X, Y)
    assert mercer.ScoreSurfaceDisplay.from_estimator(kernels).rows == ["linear()", "gaussian(lengthscale=1)"]
    own = mercer.ScoreSurfaceDisplay.from_scores([[1.0, np.nan], [0.5, 2.0]], ["a", "b"], [1, 2])
    assert own.best == (1, 1)
    with pytest.raises(ValueError, match="KernelRidge has no grid of scores"):
        mercer.ScoreSurfaceDisplay.from_estimator(RIDGE)


def test_functions():
    display = mercer.FunctionDisplay.from_estimator(PROCESS, feature=1, level=0.9, plot=False)
    points = np.column_stack([np.full(200, np.median(X[:, 0])), display.x])
    mean, std = PROCESS.predict(points, return_std=True)
    np.testing.assert_allclose(display.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(display.upper - mean, 1.6448536269514722 * std, rtol=1e-9)
    np.testing.assert_allclose(display.data[1], Y, rtol=1e-9)
    noisy = mercer.FunctionDisplay.from_estimator(PROCESS, feature=1, level=0.9, include_noise=True, plot=False)
    assert (noisy.upper > display.upper).all()
    spline = mercer.SmoothingSpline().fit(X[:, 0], Y)
    assert mercer.FunctionDisplay.from_estimator(spline, X[:, 0], Y).band_ is not None
    svr = mercer.SVR(kernel="gaussian()").fit(X, Y)
    assert mercer.FunctionDisplay.from_estimator(svr, X).band_ is None
    curves = mercer.KernelMachine("quantile", 0.1, kernel="gaussian()", quantile=[0.1, 0.9]).fit(X, Y)
    assert mercer.FunctionDisplay.from_estimator(curves).mean.shape == (200, 2)
    frame = pd.DataFrame(X, columns=["age", "height"])
    named = mercer.KernelRidge(0.1, kernel="gaussian()").fit(frame, pd.Series(Y, name="price"))
    drawn = mercer.FunctionDisplay.from_estimator(named, feature="height")
    assert (drawn.ax_.get_xlabel(), drawn.ax_.get_ylabel()) == ("height", "price")
    f = mercer.Function("gaussian()", [[0.0], [1.0]], [1.0, -1.0])
    np.testing.assert_allclose(mercer.FunctionDisplay.from_function(f, -1, 2).mean[0], f([[-1.0]])[0])
    with pytest.raises(ValueError, match="feature = 7 is not allowed: it must be one of column 0, column 1"):
        mercer.FunctionDisplay.from_estimator(RIDGE, feature=7)
    with pytest.raises(ValueError, match="n_draws needs an estimator with sample_y"):
        mercer.FunctionDisplay.from_estimator(RIDGE, n_draws=1)
    with pytest.raises(ValueError, match="X: expected the points of the data"):
        mercer.FunctionDisplay.from_estimator(svr)


def test_effects():
    display = mercer.EffectsDisplay.from_estimator(RIDGE)
    assert len(display.axes_) == 2
    total = sum(effect.at_data + effect.mean for effect in display.effects)
    np.testing.assert_allclose(total + RIDGE.intercept_, RIDGE.fitted_, rtol=1e-8)
    np.testing.assert_allclose(display.residuals, Y - RIDGE.fitted_, atol=1e-10)
    pair = mercer.KernelRidge(0.1, kernel="on([0], gaussian()) + on([0, 1], gaussian())").fit(X, Y)
    assert len(mercer.EffectsDisplay.from_estimator(pair).axes_) == 2
    process = mercer.GaussianProcessRegressor(ADDITIVE, noise=0.02, optimize=False).fit(X, Y)
    assert len(mercer.EffectsDisplay.from_estimator(process).axes_) == 2
    with pytest.raises(ValueError, match="SVC has no parts"):
        mercer.EffectsDisplay.from_estimator(MACHINE)


@pytest.mark.parametrize(
    "model",
    [
        RIDGE,
        PROCESS,
        mercer.GaussianProcessRegressor("1*gaussian(lengthscale=0.4)", noise=0.02, normalize_y=True).fit(X, Y + 50),
        mercer.KernelRidge(0.1, kernel="gaussian()").fit(X, Y, sample_weight=np.linspace(0.5, 2, 60)),
        mercer.SmoothingSpline().fit(X[:, 0], Y),
        mercer.NadarayaWatson().fit(X, Y),
    ],
    ids=["ridge", "process", "scaled process", "weights", "spline", "smoother"],
)
def test_leave_one_out_residuals(model):
    """The leave-one-out residual of a row is that of a model fitted without it."""
    display = mercer.ResidualsDisplay.from_estimator(model, kinds=("fitted", "quantiles", "index"))
    assert display.loo
    targets = display.fitted + display.residuals
    np.testing.assert_allclose(targets - targets.mean(), Y - Y.mean(), atol=1e-8)
    row = 17
    keep = np.arange(60) != row
    from sklearn.base import clone

    again = clone(model)
    points = X[:, 0] if isinstance(model, mercer.SmoothingSpline) else X
    if isinstance(model, mercer.GaussianProcessRegressor):
        # The shift and scale of normalize_y change with the row.
        again = again.set_params(kernel=model.kernel_, noise=model.noise_, optimize=False, normalize_y=False)
        shift, scale = (0.0, 1.0) if model._units is None else (model._units[0][0], model._units[1][0])
        again.fit(points[keep], (targets[keep] - shift) / scale)
        found = shift + scale * again.predict(points[[row]])[0]
    else:
        if isinstance(model, mercer.SmoothingSpline):
            again.set_params(lam=model.lam_)
        if isinstance(model, mercer.NadarayaWatson):
            again.set_params(bandwidth=model.bandwidth_)
        weights = {"sample_weight": model._weights[keep]} if getattr(model, "_weights", None) is not None else {}
        found = again.fit(points[keep], targets[keep], **weights).predict(points[[row]])[0]
    np.testing.assert_allclose(targets[row] - found, display.residuals[row], rtol=1e-5, atol=1e-7)


def test_residuals_of_predictions():
    svr = mercer.SVR(kernel="gaussian()").fit(X, Y)
    assert not mercer.ResidualsDisplay.from_estimator(svr, X, Y).loo
    np.testing.assert_array_equal(mercer.ResidualsDisplay.from_predictions([1, 2], [0, 4]).residuals, [1, -2])
    with pytest.raises(ValueError, match="SVR does not hold residuals of its data: give X and y"):
        mercer.ResidualsDisplay.from_estimator(svr)
    with pytest.raises(ValueError, match="kinds: expected fitted, quantiles, index, found other"):
        mercer.ResidualsDisplay.from_predictions([1, 2], [0, 4], kinds=("other",))


def test_influence():
    display = mercer.InfluenceDisplay.from_estimator(RIDGE, n_labels=3)
    np.testing.assert_allclose(display.leverages, RIDGE.hat_diagonal_)
    named = [text.get_text() for text in display.ax_.texts]
    assert named == [str(row) for row in np.argsort(display.influence)[::-1][:3]]
    # Cook's distance by its definition, with a fit without the row.
    row = int(named[0])
    keep = np.arange(60) != row
    without = mercer.KernelRidge(0.1, kernel=ADDITIVE, fit_intercept=True).fit(X[keep], Y[keep]).predict(X)
    moved = Y[row] - without[row]
    expected = (RIDGE.hat_diagonal_[row] * moved**2) / (RIDGE.dof_ * RIDGE.noise_variance_)
    np.testing.assert_allclose(display.influence[row], expected, rtol=1e-6)


def test_calibration():
    rng = np.random.default_rng(0)
    chance = rng.uniform(size=4000)
    hit = rng.uniform(size=4000) < chance
    good = mercer.CalibrationDisplay.from_predictions(hit, chance).curves[0]
    assert ((good["band"][0] <= good["stated"] + 0.03) & (good["stated"] <= good["band"][1] + 0.03)).all()
    np.testing.assert_allclose(good["count"].sum(), 4000)
    bad = mercer.CalibrationDisplay.from_predictions(hit, chance**3).curves[0]
    assert (bad["stated"] < bad["band"][0]).sum() >= 6
    three = mercer.KernelLogisticRegression(0.1, kernel="gaussian()").fit(X, THREE)
    assert len(mercer.CalibrationDisplay.from_estimator(three, X, THREE).curves) == 3
    left = mercer.CalibrationDisplay.from_estimator(LOGISTIC, y=LABELS)
    assert left.title == "KernelLogisticRegression, leave-one-out"
    noise = rng.normal(size=4000)
    covered = mercer.CalibrationDisplay.from_intervals(noise, np.zeros(4000), np.ones(4000))
    assert abs(covered.coverage(0.9) - 0.9) < 0.03
    narrow = mercer.CalibrationDisplay.from_intervals(noise, np.zeros(4000), np.full(4000, 0.5))
    assert narrow.coverage(0.9) < 0.7
    assert mercer.CalibrationDisplay.from_estimator(PROCESS).kind == "intervals"
    assert mercer.CalibrationDisplay.from_estimator(PROCESS, X, Y).kind == "intervals"
    with pytest.raises(ValueError, match="y: the classes of the rows are needed"):
        mercer.CalibrationDisplay.from_estimator(LOGISTIC, X)
    with pytest.raises(ValueError, match="SVR has no standard deviations"):
        mercer.CalibrationDisplay.from_estimator(mercer.SVR().fit(X, Y), X, Y)


def test_boundaries():
    display = mercer.BoundaryDisplay.from_estimator(MACHINE, X, LABELS, resolution=30)
    corner = [[display.x[0], display.y[-1]]]
    np.testing.assert_allclose(display.values[-1, 0], MACHINE.decision_function(corner)[0], rtol=1e-9)
    assert len(display.support) == len(MACHINE.support_)
    three = mercer.SVC(kernel="gaussian()").fit(X, THREE)
    assert mercer.BoundaryDisplay.from_estimator(three, X, THREE, resolution=30).kind == "classes"
    region = mercer.OneClassSVM(nu=0.2).fit(X)
    assert mercer.BoundaryDisplay.from_estimator(region, X, resolution=30).kind == "region"
    assert mercer.BoundaryDisplay.from_estimator(RIDGE, X, resolution=30).kind == "values"
    frame = pd.DataFrame(np.column_stack([X, X[:, 0] ** 2]), columns=["a", "b", "c"])
    named = mercer.SVC(kernel="gaussian()").fit(frame, LABELS)
    drawn = mercer.BoundaryDisplay.from_estimator(named, frame, LABELS, features=("a", "c"), resolution=30)
    assert (drawn.ax_.get_xlabel(), drawn.ax_.get_ylabel()) == ("a", "c")
    for wrong in ("d", 3, -1):
        with pytest.raises(ValueError, match=f"feature = {wrong!r} is not allowed: it must be one of a, b, c"):
            mercer.BoundaryDisplay.from_estimator(named, frame, features=("a", wrong))
    with pytest.raises(ValueError, match="X: expected vectors of at least two columns"):
        mercer.BoundaryDisplay.from_estimator(MACHINE, X[:, :1])


@pytest.mark.parametrize("order", ["class", "cluster", "spectrum", "given"])
def test_gram_matrices(order):
    kernel = mercer.gaussian(lengthscale=0.3)
    display = mercer.GramDisplay.from_kernel(kernel, X, LABELS, order=order)
    assert sorted(display.order) == list(range(60))
    np.testing.assert_array_equal(display.matrix, kernel(X)[np.ix_(display.order, display.order)])
    if order == "class":
        assert (LABELS[display.order] == np.sort(LABELS)).all()
        assert display.groups == [("down", int((LABELS == "down").sum())), ("up", int((LABELS == "up").sum()))]


def test_gram_matrices_of_models_and_objects():
    np.testing.assert_array_equal(mercer.GramDisplay.from_matrix(np.eye(3), order="given").matrix, np.eye(3))
    assert mercer.GramDisplay.from_estimator(RIDGE).matrix.shape == (60, 60)
    clusters = mercer.KernelKMeans(2, kernel="gaussian()").fit(X)
    assert len(mercer.GramDisplay.from_estimator(clusters, X).groups) == 2
    words = ["banana", "bandana", "lynx"]
    assert mercer.GramDisplay.from_kernel("spectrum(length=2)", words, order="given").matrix[0, 0] == 9
    many = mercer.GramDisplay.from_kernel("linear()", RNG.normal(size=(1500, 1)), order="given", plot=False)
    assert many.matrix.shape == (1000, 1000)
    with pytest.raises(ValueError, match="order = 'other' is not allowed"):
        mercer.GramDisplay.from_kernel("linear()", X, order="other")
    with pytest.raises(ValueError, match="order = 'class' needs y"):
        mercer.GramDisplay.from_kernel("linear()", X, order="class")


def test_spectra():
    kernel = mercer.gaussian(lengthscale=0.3)
    display = mercer.SpectrumDisplay.from_kernel(kernel, X)
    np.testing.assert_allclose(display.eigenvalues, np.linalg.eigvalsh(kernel(X))[::-1], atol=1e-12)
    shares = np.cumsum(display.eigenvalues) / 60
    assert shares[display.needed(0.9) - 1] >= 0.9 > shares[display.needed(0.9) - 2]
    spectrum = mercer.Spectrum("gaussian()", X, 5)
    np.testing.assert_array_equal(mercer.SpectrumDisplay.from_estimator(spectrum).eigenvalues, spectrum.eigenvalues)
    pca = mercer.SpectrumDisplay.from_estimator(PCA)
    np.testing.assert_allclose(pca._shares()[-1], PCA.explained_variance_ratio_.sum(), rtol=1e-9)
    negative = mercer.SpectrumDisplay.from_matrix([[0.0, 1.0], [1.0, 0.0]])
    assert "1 negative" in negative.ax_.get_title()
    with pytest.raises(ValueError, match="SVC has no eigenvalues"):
        mercer.SpectrumDisplay.from_estimator(MACHINE)


def test_witnesses_and_null_distributions():
    line = mercer.WitnessDisplay.from_samples(X[:, 0], X[:, 1] + 1)
    assert len(line.features) == 1
    frame = pd.DataFrame(np.column_stack([X, X]), columns=list("abcd"))
    wide = mercer.WitnessDisplay.from_samples(frame[:30], frame[30:], features=("b", "d"), labels=("one", "two"))
    assert (wide.ax_.get_xlabel(), wide.features) == ("b", (1, 3))
    with pytest.raises(ValueError, match="feature = 'e' is not allowed: it must be one of a, b, c, d"):
        mercer.WitnessDisplay.from_samples(frame[:30], frame[30:], features=("b", "e"))
    null = mercer.NullDisplay.from_result(RESULT)
    np.testing.assert_array_equal(null.null, RESULT.null)
    gamma = mercer.two_sample_test(X[:30], X[30:], "gaussian()", method="gamma")
    with pytest.raises(ValueError, match="has no sample of the null distribution: use permutations"):
        mercer.NullDisplay.from_result(gamma)


def test_embeddings():
    np.testing.assert_allclose(mercer.EmbeddingDisplay.from_estimator(PCA).points, PCA.transform(X)[:, :2], atol=1e-9)
    other = mercer.EmbeddingDisplay.from_estimator(PCA, X, Y, components=(0, 2))
    assert other.ax_.get_ylabel().startswith("component 3 (")
    spectral = mercer.SpectralClustering(3, kernel="gaussian(lengthscale=0.3)").fit(X)
    assert mercer.EmbeddingDisplay.from_estimator(spectral).ax_.get_xlabel() == "spectral coordinate 1"
    means = mercer.KernelKMeans(2, kernel="gaussian()").fit(X)
    assert "2 clusters" in mercer.EmbeddingDisplay.from_estimator(means, X).ax_.get_title()
    cca = mercer.KernelCCA(1, kernels="gaussian()").fit([X, X**2])
    assert "correlation" in mercer.EmbeddingDisplay.from_estimator(cca, [X, X**2]).ax_.get_title()
    scaling = mercer.ClassicalScaling(2).fit(X)
    np.testing.assert_allclose(mercer.EmbeddingDisplay.from_estimator(scaling).points, scaling.embedding_)
    ica = mercer.KernelICA(random_state=0).fit(X)
    np.testing.assert_allclose(mercer.EmbeddingDisplay.from_estimator(ica, X).points, ica.transform(X), rtol=1e-12)
    coupled = mercer.CoupledKernelEmbedding(2, kernel_low="gaussian()", kernel_high="gaussian()")
    coupled.fit(X, X, LABELS, LABELS)
    assert mercer.EmbeddingDisplay.from_estimator(coupled).others.shape == (60, 2)
    with pytest.raises(ValueError, match="components: KernelPCA has 3"):
        mercer.EmbeddingDisplay.from_estimator(PCA, components=(0, 3))


def test_signals_lie_one_under_the_other():
    t = np.linspace(0, 8, 300)
    sources = np.column_stack([np.sin(3 * t), np.sign(np.sin(5 * t)), t % 1])
    mixed = sources @ np.array([[1.0, 0.6, 0.4], [0.5, 1.0, -0.7], [-0.6, 0.4, 1.0]])
    ica = mercer.KernelICA(random_state=0).fit(mixed)
    display = ica.plot(mixed)
    assert isinstance(display, mercer.SignalsDisplay)
    found = ica.transform(mixed)
    np.testing.assert_allclose(display.signals * found.std(axis=0) + found.mean(axis=0), found, atol=1e-9)
    heights = [line.get_ydata() for line in display.ax_.lines]
    assert len(heights) == 3
    assert all(upper.mean() > lower.mean() + 4 for upper, lower in itertools.pairwise(heights))
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == [
        "component 1",
        "component 2",
        "component 3",
    ]
    two = ica.plot(mixed, components=[2, 0])
    np.testing.assert_array_equal(two.signals, display.signals[:, [2, 0]])
    constant = mercer.SignalsDisplay(np.ones((4, 1)), ["still"])
    np.testing.assert_array_equal(constant.signals, np.zeros((4, 1)))
    with pytest.raises(ValueError, match="components: KernelICA has 3, counted from 0"):
        ica.plot(mixed, components=[3])
    with pytest.raises(ValueError, match="names: expected 1, found 2"):
        mercer.SignalsDisplay(np.ones((4, 1)), ["a", "b"])


def test_counterexamples():
    display = MAKERS["CounterexampleDisplay"]()
    np.testing.assert_allclose(display.weights @ display.matrix @ display.weights, display.value, rtol=1e-9)
    with pytest.raises(mercer.NotPositiveDefiniteError) as caught:
        mercer.KernelRidge(kernel="tanh(scale=1)").fit(X, Y)
    assert mercer.CounterexampleDisplay.from_check(caught.value, "tanh(scale=1)").value < 0
    two = mercer.CounterexampleDisplay.from_kernel("tanh(scale=5, offset=-1)", X)
    assert two.points.shape[1] == 2
    with pytest.raises(ValueError, match=r"gaussian\(\) is positive semi-definite|there is nothing to draw"):
        mercer.CounterexampleDisplay.from_kernel("gaussian()")


def test_without_matplotlib():
    code = """
import sys
sys.modules["matplotlib"] = None
import mercer
display = mercer.GramDisplay.from_kernel("linear()", [[1.0], [2.0]], plot=False)
try:
    display.plot()
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "GramDisplay.plot needs matplotlib: pip install matplotlib\n", done.stderr
