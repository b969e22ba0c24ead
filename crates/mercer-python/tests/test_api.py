"""The public names, parameters, attributes and methods that users rely on: each is called once, on small data."""

import dataclasses
import inspect
import pickle
import warnings

import numpy as np
import pytest
from helpers import ESTIMATORS
from scipy.sparse import csr_matrix, issparse

import mercer

RNG = np.random.default_rng(7)
X = RNG.uniform(-1, 1, size=(40, 2))
Y = np.sin(3 * X[:, 0]) + X[:, 1] + 0.1 * RNG.standard_normal(40)
LABELS = np.where(X[:, 0] + X[:, 1] > 0, "a", "b")
THREE = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.3, 0.3])]
NEW = RNG.uniform(-1, 1, size=(5, 2))
STRINGS = ["gattaca", "tacagat", "acgtacgt", "ttttacg", "gatta", "acacac", "tgtgtg", "gggacc"]
BAGS = [RNG.standard_normal((3 + i % 3, 2)) for i in range(8)]
DIAGRAMS = [np.array([[0.0, 1.0 + i], [0.5, 0.7 + 0.1 * i]]) for i in range(6)]
GRAPHS = [([(0, 1), (1, 2), (2, i % 3)], [i % 2, 0, 1]) for i in range(6)]

KERNELS = [
    "linear()",
    "polynomial(degree=3,offset=1,scale=1)",
    "exponential(scale=1)",
    "constant(value=1)",
    "delta()",
    "ball(radius=1)",
    "gaussian(lengthscale=1)",
    "gaussian(gamma=0.5)",
    "gaussian(sigma2=2)",
    "laplacian(lengthscale=1,norm=l2)",
    "laplacian(lengthscale=1,norm=l1)",
    "matern(nu=3/2,lengthscale=1)",
    "rational_quadratic(lengthscale=1,shape=1)",
    "inverse_multiquadric(offset=1)",
    "cauchy(lengthscale=1)",
    "periodic(period=1,lengthscale=1)",
    "sinc(bandlimit=1)",
    "normalized(polynomial(degree=2))",
    "exp(linear())",
    "series([1,0.5],linear())",
    "on([0],gaussian())",
    "2*gaussian()+linear()",
    "gaussian()*linear()",
    "linear()^2",
    "transformed(gaussian(),by=square())",
    "transformed(gaussian(),by=abs())",
    "transformed(gaussian(),by=unit())",
    "conformal(gaussian(),by=column(0))",
    "conformal(gaussian(),by=norm())",
    "conformal(gaussian(),by=gaussian(lengthscale=1))",
    "conformal(gaussian(),by=quadratic())",
    "series(geometric,0.1*gaussian())",
    "series(logarithm,0.1*gaussian())",
    "series(cosh,linear())",
    "series(sinh,linear())",
    "induced(gaussian(),at=[[0,0],[1,1]])",
    "gaussian(lengthscale=[1,2])",
    "gaussian(lengthscale=median)",
    "schoenberg(sqdist(),t=1)",
    "schoenberg(distance(power=1),t=1)",
    "based(sqdist(),at=[0,0])",
]
#: Kernels of one column, of positive numbers, not positive definite, or of other kinds of points.
OTHERS = {
    "tanh(scale=1,offset=0)": X,
    "minus(linear(),gaussian())": X,
    "sqdist()": X,
    "distance(power=1)": X,
    "log_distance()": X,
    "wiener()": np.abs(X[:, :1]),
    "bridge()": np.abs(X[:, :1]),
    "brownian(hurst=0.5)": X[:, :1],
    "sobolev(order=1,null_space=true)": np.abs(X[:, :1]),
    "weighted_sobolev()": np.abs(X[:, :1]),
    "finite_rank(weights=[1,0.5],basis=monomials)": X[:, :1],
    "finite_rank(weights=[1,0.5],basis=cosines)": np.abs(X[:, :1]),
    "finite_rank(weights=[1,0.5],basis=hermite)": X[:, :1],
    "chi2(gamma=1)": np.abs(X),
    "histogram_intersection()": np.abs(X),
    "transformed(gaussian(),by=log1p())": np.abs(X),
    "transformed(gaussian(),by=sqrt())": np.abs(X),
    "transformed(gaussian(),by=matrix([[1,0],[0,2]]))": X,
    "spectrum(length=3)": STRINGS,
    "spectrum(length=3,blended=true)": STRINGS,
    "mismatch(length=3,mismatches=1)": STRINGS,
    'mismatch(length=3,mismatches=1,alphabet="acgt")': STRINGS,
    "subsequence(length=3,decay=0.5)": STRINGS,
    "all_subsequences()": STRINGS,
    "words(weights=tfidf)": STRINGS,
    "words(weights=counts)": STRINGS,
    "vertex_histogram()": GRAPHS,
    "weisfeiler_lehman(depth=3)": GRAPHS,
    "shortest_path()": GRAPHS,
    "shortest_path(labels=false)": GRAPHS,
    "random_walk(decay=0.1)": GRAPHS,
    "random_walk(decay=0.1,series=exponential)": GRAPHS,
    "mean_embedding(gaussian())": BAGS,
    "squared_mmd(gaussian())": BAGS,
    "gaussian_embedding(gaussian(),lengthscale=1)": BAGS,
    "persistence(scale=1)": DIAGRAMS,
    "normalized(spectrum(length=3))": STRINGS,
    "normalized(weisfeiler_lehman(depth=3))": GRAPHS,
}

REGRESSORS = {
    "KernelRidge": lambda: mercer.KernelRidge(0.1, kernel="gaussian()"),
    "KernelRidgeCV": lambda: mercer.KernelRidgeCV([0.01, 0.1, 1], kernel="gaussian()", lengthscales=[0.5, 1, 2]),
    "GaussianProcessRegressor": lambda: mercer.GaussianProcessRegressor("1*gaussian()", noise=0.1),
    "SmoothingSpline": lambda: mercer.SmoothingSpline(),
    "NadarayaWatson": lambda: mercer.NadarayaWatson(0.3),
    "LocalLinear": lambda: mercer.LocalLinear(0.5),
    "SVR": lambda: mercer.SVR(C=10, kernel="gaussian()"),
    "NuSVR": lambda: mercer.NuSVR(C=10, kernel="gaussian()"),
    "KernelMachine": lambda: mercer.KernelMachine("huber", 0.1, kernel="gaussian()"),
    "MultipleKernelRegressor": lambda: mercer.MultipleKernelRegressor(["linear()", "gaussian()"], alpha=0.1),
    "BinnedRegressor": lambda: mercer.BinnedRegressor(0.1, "laplacian(norm=l1)", 20, random_state=0),
    "StreamedKernelRidge": lambda: mercer.StreamedKernelRidge(0.1, kernel="gaussian()", n_components=20),
    "ConformalRegressor": lambda: mercer.ConformalRegressor(mercer.KernelRidge(0.1, kernel="gaussian()")),
}
ONE_COLUMN = ("SmoothingSpline", "LocalLinear")
#: Regressors with intervals of their own.
OWN_INTERVALS = (
    "KernelRidge",
    "KernelRidgeCV",
    "GaussianProcessRegressor",
    "SmoothingSpline",
    "NadarayaWatson",
    "LocalLinear",
)
CLASSIFIERS = {
    "SVC": lambda: mercer.SVC(kernel="gaussian()"),
    "NuSVC": lambda: mercer.NuSVC(nu=0.2, kernel="gaussian()"),
    "SVCCV": lambda: mercer.SVCCV([0.1, 1, 10], kernel="gaussian()", lengthscales=[0.5, 1, 2], cv=3),
    "KernelLogisticRegression": lambda: mercer.KernelLogisticRegression(0.1, kernel="gaussian()"),
    "KernelMachine": lambda: mercer.KernelMachine("logistic", 0.1, kernel="gaussian()"),
    "MultipleKernelClassifier": lambda: mercer.MultipleKernelClassifier(["linear()", "gaussian()"]),
    "BinnedClassifier": lambda: mercer.BinnedClassifier(0.1, "laplacian(norm=l1)", 20, random_state=0),
    "StreamedKernelLogisticRegression": lambda: mercer.StreamedKernelLogisticRegression(
        0.1, kernel="gaussian()", n_components=20
    ),
    "ConformalClassifier": lambda: mercer.ConformalClassifier(mercer.SVC(kernel="gaussian()")),
}


def points(name):
    """The points of an estimator: one column for those on a line."""
    return (X[:, :1], NEW[:, :1]) if name in ONE_COLUMN else (X, NEW)


def fitted(make, *data):
    with warnings.catch_warnings(action="ignore"):
        return make().fit(*data)


@pytest.mark.parametrize("text", KERNELS)
def test_kernels_of_vectors(text):
    kernel = mercer.Kernel(text)
    assert kernel(X).shape == (40, 40)
    assert kernel(X, NEW).shape == (40, 5)
    np.testing.assert_allclose(kernel.diag(X), np.diag(kernel(X)), rtol=1e-12, atol=1e-12)
    assert mercer.Kernel(str(kernel)) == kernel


@pytest.mark.parametrize("text", OTHERS)
def test_kernels_of_other_points(text):
    kernel, data = mercer.Kernel(text), OTHERS[text]
    gram = kernel(data)
    assert gram.shape == (len(data), len(data))
    if "tfidf" in text:
        # Its weights are those of the strings of a call.
        return
    np.testing.assert_allclose(kernel(data, data), gram, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(kernel.diag(data), np.diag(gram), rtol=1e-12, atol=1e-12)
    assert mercer.Kernel(str(kernel)) == kernel


def test_kernel_objects():
    k = mercer.gaussian(lengthscale=2) + 0.5 * mercer.linear() * mercer.polynomial(degree=2) ** 2
    assert isinstance(k, mercer.Kernel)
    known = {"psd", "strictly_pd", "nsd", "universal", "characteristic", "shift_invariant", "bounded"}
    assert known <= set(k.properties)
    assert all(value in (True, False, None) for value in k.properties.values())
    assert "gaussian" in k.proof()
    check = mercer.Kernel("tanh(scale=1, offset=-1)").check(X=None, random_state=0)
    assert check.psd is False
    assert check.min_eigenvalue < 0
    assert check.value < 0
    assert len(check.points) == len(check.weights)
    assert mercer.Kernel("tanh()").check(X).psd in (True, False, None)
    assert k.with_lengthscale(3) != k
    assert {"name"} <= set(mercer.catalogue()[0])
    indefinite = np.array([[1.0, 2.0], [2.0, 1.0]])
    for method in ("clip", "flip", "shift"):
        repaired = mercer.repair(indefinite, method=method)
        assert np.linalg.eigvalsh(np.asarray(repaired)).min() > -1e-12
        assert np.array_equal(np.asarray(repaired), repaired.matrix)
        assert repaired.shift >= 0
        assert repaired.negative_mass > 0


def test_functions_of_the_space():
    f = mercer.Function("linear() + gaussian()", X[:3], [1.0, 2.0, 3.0])
    g = mercer.Function("linear() + gaussian()", X[3:5], [1.0, -1.0])
    assert f(NEW).shape == (5,)
    h = f + g - 2 * f
    assert f.inner(g) == pytest.approx(g.inner(f))
    assert h.norm() >= 0
    assert f.distance(g) == pytest.approx((f - g).norm())
    assert f.project(X[:2]).norm() <= f.norm() + 1e-12
    assert f.gradient(NEW).shape == (5, 2)
    assert set(f.components()) == {"linear()", "gaussian()"} or len(f.components()) == 2
    assert np.all(np.abs(f(NEW)) <= np.asarray(f.bound(NEW)) + 1e-12)
    gaussian = "gaussian(lengthscale=0.5)"
    for kernel, measure in (("wiener()", "uniform"), (gaussian, ("gaussian", 1.0)), (gaussian, X[:, :1])):
        spectrum = mercer.Spectrum(kernel, measure, n_components=5)
        assert len(spectrum.eigenvalues) == 5
        assert spectrum.eigenfunctions(np.abs(NEW[:, :1])).shape == (5, 5)
        assert spectrum.features(np.abs(NEW[:, :1])).shape == (5, 5)


def test_features():
    for kind in ("pair", "offset"):
        for sampling in ("iid", "orthogonal", "qmc"):
            made = mercer.RandomFourierFeatures("gaussian()", 10, kind=kind, sampling=sampling, random_state=0)
            assert made.fit_transform(X).shape == (40, 10)
    assert issparse(mercer.RandomBinningFeatures("laplacian(norm=l1)", 10, random_state=0).fit_transform(X))
    for landmarks in ("rpcholesky", "uniform", "kmeans", "leverage", "greedy"):
        made = mercer.Nystroem("gaussian()", n_components=8, landmarks=landmarks, random_state=0).fit(X)
        assert made.transform(NEW).shape == (5, 8)
        assert made.trace_error_ >= 0
    assert mercer.EmpiricalKernelMap("gaussian()").fit_transform(X).shape[0] == 40
    np.testing.assert_allclose(
        (lambda z: z @ z.T)(mercer.ExplicitFeatures("polynomial(degree=2)").fit_transform(X)),
        mercer.Kernel("polynomial(degree=2)")(X),
    )
    assert mercer.fourier_bound(100, 0.5) == pytest.approx(min(1.0, 2 * np.exp(-100 * 0.25 / 2)))
    assert mercer.fourier_bound(n_frequencies=100, eps=0.5, kind="offset") <= 1
    assert mercer.fourier_bound(10000, 0.1, dimension=2, diameter=1.0, second_moment=2.0) <= 1
    smallest = mercer.fourier_components(0.1, 0.05)
    assert mercer.fourier_bound(smallest, 0.1) <= 0.05 < mercer.fourier_bound(smallest - 1, 0.1)
    assert mercer.binning_bound(100, 0.5) == pytest.approx(min(1.0, 2 * np.exp(-2 * 100 * 0.25)))
    assert mercer.binning_bound(n_grids=100, eps=0.5) <= 1


#: The first parameters of functions and classes, in their order; more may follow.
SIGNATURES = {
    "KernelRidge": "alpha kernel",
    "KernelRidgeCV": "alphas kernels kernel lengthscales scoring screening",
    "GaussianProcessRegressor": "kernel noise optimize",
    "SmoothingSpline": "lam df order",
    "NadarayaWatson": "bandwidth weights",
    "LocalLinear": "bandwidth weights",
    "KernelLogisticRegression": "alpha kernel fit_intercept",
    "KernelMachine": "loss alpha kernel fit_intercept quantile",
    "SVC": "C kernel degree gamma coef0 class_weight probability",
    "NuSVC": "nu kernel",
    "SVR": "C epsilon kernel",
    "NuSVR": "nu C kernel",
    "OneClassSVM": "nu kernel",
    "SVCCV": "Cs lengthscales gammas kernels cv",
    "KernelPCA": "n_components kernel fit_inverse_transform alpha",
    "KernelKMeans": "n_clusters kernel n_init max_iter init random_state",
    "SpectralClustering": "n_clusters kernel",
    "KernelCCA": "n_components kernels kappa form",
    "KernelICA": "n_components contrast lengthscale kappa n_init random_state",
    "CoupledKernelEmbedding": "n_components kernel_low kernel_high reg affinity",
    "ClassicalScaling": "n_components kernel",
    "MultipleKernelRegressor": "kernels alpha method norm",
    "MultipleKernelClassifier": "kernels C method norm",
    "MultipleKernelOneClass": "kernels nu method norm",
    "RandomFourierFeatures": "kernel n_components kind sampling random_state",
    "RandomBinningFeatures": "kernel n_components random_state",
    "Nystroem": "kernel n_components landmarks random_state",
    "EmpiricalKernelMap": "kernel",
    "ExplicitFeatures": "kernel",
    "mmd": "X Y kernel estimator",
    "mmd_witness": "X Y kernel",
    "hsic": "X Y kernel_x kernel_y estimator",
    "energy_distance": "X Y",
    "distance_covariance": "X Y",
    "stein_discrepancy": "X score kernel",
    "two_sample_test": "X Y kernel method permutations options",
    "independence_test": "X Y kernel_x kernel_y method permutations wild",
    "joint_independence_test": "samples kernels",
    "conditional_independence_test": "X Y Z method",
    "interaction_test": "X Y Z kernel_x kernel_y kernel_z permutations",
    "goodness_of_fit_test": "X score",
    "auto": "X y kernels learners cv max_time random_state",
    "kcc_contrast": "Y lengthscale kappa",
    "kgv_contrast": "Y lengthscale kappa",
    "hsic_contrast": "Y lengthscale",
    "amari_distance": "W A",
    "save": "model path",
    "load": "path",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures(name):
    given, wanted = list(inspect.signature(getattr(mercer, name)).parameters), SIGNATURES[name].split()
    assert set(wanted) <= set(given), given
    if name == "auto":
        assert given[: len(wanted)] == wanted
    assert given[0] == wanted[0] or name.startswith(("SVC", "SVR", "NuSVR", "OneClassSVM", "Kernel", "Multiple")), given
    if inspect.isclass(getattr(mercer, name)) and name != "SVCCV":
        assert {"random_state", "n_jobs", "max_memory", "verbose"} <= set(given)


#: What fits have: attributes without data, and methods of new points.
ATTRIBUTES = {
    "KernelRidge": "dual_coef_ intercept_ fitted_ hat_diagonal_ dof_ loo_residuals_ gcv_ norm_ function_ plan_ X_fit_ "
    "trace_missed_",
    "KernelRidgeCV": "alpha_ kernel_ best_score_ scores_ n_dropped_ search_",
    "GaussianProcessRegressor": "kernel_ noise_ log_marginal_likelihood_ log_marginal_likelihood_gradient_ "
    "parameter_names_ alpha_ L_ X_train_ y_train_ log_marginal_likelihood_value_",
    "SmoothingSpline": "lam_ dof_ gcv_ fitted_",
    "NadarayaWatson": "loo_residuals_ bandwidth_",
    "LocalLinear": "loo_residuals_ bandwidth_",
    "SVR": "support_ support_vectors_ dual_coef_ intercept_ n_support_ n_iter_ fit_status_ shape_fit_ dual_objective_ "
    "duality_gap_ kkt_violation_",
    "NuSVR": "support_ support_vectors_ dual_coef_ intercept_ dual_objective_ duality_gap_ kkt_violation_ n_iter_",
    "KernelMachine": "dual_coef_ intercept_ objective_ duality_gap_",
    "MultipleKernelRegressor": "weights_ kernel_ duality_gap_",
    "StreamedKernelRidge": "alpha_ coef_ intercept_",
    "BinnedRegressor": "coef_ intercept_",
}
CLASS_ATTRIBUTES = {
    "SVC": "classes_ support_ support_vectors_ n_support_ dual_coef_ intercept_ class_weight_ n_iter_ fit_status_ "
    "shape_fit_ dual_objective_ duality_gap_ kkt_violation_",
    "NuSVC": "classes_ support_ dual_objective_ duality_gap_ kkt_violation_",
    "SVCCV": "C_ kernel_ best_score_ scores_ search_ classes_",
    "KernelLogisticRegression": "classes_ objective_ duality_gap_ dual_coef_ intercept_",
    "MultipleKernelClassifier": "classes_ weights_ kernel_ duality_gap_",
    "BinnedClassifier": "classes_ coef_",
    "StreamedKernelLogisticRegression": "classes_ coef_",
}


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_of_regressors(name):
    model = fitted(REGRESSORS[name], points(name)[0], Y)
    for attribute in ATTRIBUTES[name].split():
        assert hasattr(model, attribute), attribute
    assert isinstance(model.score(points(name)[0], Y), float)


@pytest.mark.parametrize("name", CLASS_ATTRIBUTES)
def test_attributes_of_classifiers(name):
    model = fitted(CLASSIFIERS[name], X, LABELS)
    for attribute in CLASS_ATTRIBUTES[name].split():
        assert hasattr(model, attribute), attribute
    assert model.decision_function(NEW).shape == (5,)
    assert set(model.predict(NEW)) <= {"a", "b"}


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.parametrize("method", ["auto", "model", "conformal"])
def test_intervals(name, method):
    (data, new), level = points(name), 0.8
    model = fitted(REGRESSORS[name], data, Y)
    if method == "model" and name not in OWN_INTERVALS:
        with pytest.raises(ValueError, match="method"):
            model.predict(new, interval=level, method=method)
        return
    with warnings.catch_warnings(action="ignore"):
        prediction, lower, upper = model.predict(new, interval=level, method=method)
        _, narrow, wide = model.predict(new, interval=0.5, method=method)
        held = model.predict(data, interval=level, method=method)
    np.testing.assert_array_equal(prediction, model.predict(new))
    assert lower.shape == upper.shape == prediction.shape == (5,)
    assert (lower <= narrow).all()
    assert (narrow < wide).all()
    assert (wide <= upper).all()
    # Of the rows of the fit: more than the level, but for the binomial error of 40 rows.
    assert np.mean((held[1] <= Y) & (held[2] >= Y)) >= level - 0.15


def test_intervals_are_those_of_the_conformal_estimator():
    for make in (REGRESSORS["KernelRidge"], REGRESSORS["SVR"]):
        model, conformal = make().fit(X, Y), mercer.ConformalRegressor(make()).fit(X, Y)
        found = np.stack(model.predict(NEW, interval=0.8, method="conformal")[1:], axis=-1)
        np.testing.assert_array_equal(found, conformal.predict_interval(NEW, 0.8))
    model, conformal = (
        CLASSIFIERS["SVC"]().fit(X, THREE),
        mercer.ConformalClassifier(CLASSIFIERS["SVC"]()).fit(X, THREE),
    )
    np.testing.assert_array_equal(model.predict_set(NEW, level=0.8), conformal.predict_set(NEW, 0.8))


def test_intervals_of_weights_targets_and_units():
    weights = np.r_[np.zeros(10), np.ones(30)]
    model = mercer.KernelRidge(0.1, kernel="gaussian()").fit(X, Y, weights)
    other = mercer.KernelRidge(0.1, kernel="gaussian()").fit(X[10:], Y[10:])
    for method in ("model", "conformal"):
        for a, b in zip(*(m.predict(NEW, interval=0.8, method=method) for m in (model, other)), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-8)
    two = np.column_stack([Y, 2 * Y])
    for alpha in (0.1, [0.1, 0.2]):
        found = (
            mercer.KernelRidge(alpha, kernel="gaussian()").fit(X, two).predict(NEW, interval=0.8, method="conformal")
        )
        assert all(part.shape == (5, 2) for part in found)
    scaled = mercer.GaussianProcessRegressor("gaussian()", noise=0.1, normalize_y=True).fit(X, 1000 * Y)
    for method in ("model", "conformal"):
        _, lower, upper = scaled.predict(X, interval=0.8, method=method)
        assert np.mean((lower <= 1000 * Y) & (upper >= 1000 * Y)) > 0.6
    quantiles = mercer.KernelMachine("quantile", 0.1, kernel="gaussian()", quantile=[0.2, 0.8]).fit(X, Y)
    assert quantiles.predict(NEW, interval=0.8)[1].shape == (5, 2)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_sets_of_classes(name):
    labels = LABELS if name == "KernelMachine" else THREE
    with warnings.catch_warnings(action="ignore"):
        model = CLASSIFIERS[name]().fit(X, labels)
        sets = model.predict_set(X, level=0.9)
        default = model.predict_set(X)
    assert sets.dtype == bool
    assert sets.shape == (40, len(model.classes_))
    np.testing.assert_array_equal(sets, default)
    assert np.mean(sets[np.arange(40), np.searchsorted(model.classes_, labels)]) >= 0.75


def test_sets_without_classes_or_data(tmp_path):
    assert not hasattr(mercer.KernelMachine("huber").fit(X, Y), "predict_set")
    model = mercer.KernelMachine("logistic", kernel="gaussian()").fit(X, LABELS)
    with pytest.raises(ValueError, match="predict_set"):
        model.predict(NEW, interval=0.9)
    for level in (0.0, 1.0, 2.0):
        with pytest.raises(ValueError, match="level"):
            model.predict_set(NEW, level=level)
        with pytest.raises(ValueError, match="interval"):
            mercer.SVR().fit(X, Y).predict(NEW, interval=level)
    with pytest.raises(ValueError, match="method"):
        mercer.SVR().fit(X, Y).predict(NEW, interval=0.8, method="bayes")
    with pytest.raises(ValueError, match="rows of the fit"):
        pickle.loads(pickle.dumps(model)).predict_set(NEW)
    # The closed form needs no data.
    ridge = mercer.KernelRidge(0.1, kernel="gaussian()").fit(X, Y)
    mercer.save(ridge, tmp_path / "m.safetensors")
    for again in (pickle.loads(pickle.dumps(ridge)), mercer.load(tmp_path / "m.safetensors")):
        for a, b in zip(
            again.predict(NEW, interval=0.8, method="conformal"),
            ridge.predict(NEW, interval=0.8, method="conformal"),
            strict=True,
        ):
            np.testing.assert_array_equal(a, b)


def test_searches(tmp_path):
    model = mercer.auto(X, Y, ["gaussian()", "linear()"], ["ridge"], "loo", None, 0)
    classes = mercer.auto(X, LABELS, kernels=None, learners=None, cv=3, max_time=60, random_state=0)
    ridge = REGRESSORS["KernelRidgeCV"]().fit(X, Y)
    with warnings.catch_warnings(action="ignore"):
        machine = CLASSIFIERS["SVCCV"]().fit(X, LABELS)
    for found in (model, classes, ridge, machine):
        results = found.search_.results_
        assert isinstance(results, list)
        assert set(results[0]) == {"learner", "candidate", "family", "parameter", "score"}
        scores = [line["score"] for line in results]
        assert scores == sorted(scores, reverse=found is machine)
        found.search_.plot(tmp_path / "search.png")
        assert hasattr(found.search_.plot(), "figure")
    assert ridge.search_.results_[0]["parameter"] == ridge.alpha_
    assert ridge.search_.results_[0]["family"] == str(mercer.gaussian())
    assert machine.search_.results_[0]["parameter"] == machine.C_
    assert len(machine.search_.results_) == 9
    assert model.predict(NEW, interval=0.9)[1].shape == (5,)
    assert model.predict(NEW, interval=0.9, method="conformal")[1].shape == (5,)
    assert classes.predict_set(NEW, level=0.9).shape == (5, 2)
    other = mercer.auto(X, Y, learners=["svr"])
    assert other.predict(NEW, interval=0.8)[1].shape == (5,)
    # A fold of the chosen model sees points as the search encoded them.
    held = other.predict(X, interval=0.8)
    assert np.mean((held[1] <= Y) & (held[2] >= Y)) > 0.6


def test_regressors_in_detail():
    spline = mercer.SmoothingSpline(lam=0.1).fit(X[:, 0], Y)
    mean, std = spline.predict(NEW[:, 0], derivative=0, return_std=True)
    assert mean.shape == std.shape == (5,)
    process = mercer.GaussianProcessRegressor("1*gaussian()", noise=0.1, optimize=False).fit(X, Y)
    assert process.predict(NEW, return_cov=True)[1].shape == (5, 5)
    assert process.sample_y(NEW, 3).shape == (5, 3)
    assert len(process.log_marginal_likelihood_gradient_) == len(process.parameter_names_)
    centers = mercer.KernelRidge(
        0.1,
        kernel="gaussian()",
        n_centers=10,
        solver="centers",
        landmarks="uniform",
        max_time=10,
        validation_fraction=None,
    ).fit(X, Y)
    assert centers.trace_missed_ is not None
    for weights in ("gaussian", "epanechnikov"):
        assert mercer.NadarayaWatson(0.7, weights=weights).fit(X, Y).predict(X).shape == (40,)
    assert isinstance(REGRESSORS["KernelRidge"]().fit(X, Y).function_, mercer.Function)
    for kernel in ("rbf", "poly", "sigmoid", "laplacian", "linear"):
        with warnings.catch_warnings(action="ignore"):
            assert mercer.KernelRidge(kernel=kernel, gamma=0.5, degree=2, coef0=1).fit(X, Y).predict(NEW).shape == (5,)
            assert mercer.SVC(kernel=kernel, gamma=0.5, degree=2, coef0=0).fit(X, LABELS).predict(NEW).shape == (5,)
    gram = mercer.gaussian()(X)
    assert mercer.SVR(kernel="precomputed").fit(gram, Y).predict(gram[:3]).shape == (3,)
    assert mercer.SVC(kernel=lambda a, b: a @ b.T).fit(X, LABELS).predict(NEW).shape == (5,)
    text = mercer.KernelRidge(kernel=mercer.gaussian()).explain(X, Y)
    assert isinstance(text, str)
    for make in (*REGRESSORS.values(), *CLASSIFIERS.values()):
        if hasattr(make(), "explain"):
            assert isinstance(make().explain(X, Y), str)


def test_views():
    pca = mercer.KernelPCA(n_components=2, kernel="gaussian()", fit_inverse_transform=True, alpha=1.0).fit(X)
    for attribute in [
        "eigenvalues_",
        "eigenvectors_",
        "X_transformed_fit_",
        "dual_coef_",
        "X_fit_",
        "explained_variance_ratio_",
        "reconstruction_error_",
    ]:
        assert hasattr(pca, attribute), attribute
    assert pca.score_samples(NEW).shape == (5,)
    for method in ("fixed_point", "ridge"):
        assert pca.preimage(pca.transform(NEW), method=method).shape == (5, 2)
    means = mercer.KernelKMeans(
        n_clusters=3, kernel="gaussian()", n_init=2, max_iter=50, init="k-means++", random_state=0
    )
    means.fit(X, sample_weight=np.ones(40))
    assert means.labels_.shape == (40,)
    assert means.objective_ > 0
    assert means.predict(NEW).shape == (5,)
    assert means.transform(NEW).shape == (5, 3)
    spectral = mercer.SpectralClustering(2, kernel="gaussian(lengthscale=0.5)").fit(X)
    assert spectral.labels_.shape == (40,)
    assert len(spectral.eigenvalues_) >= 2
    assert spectral.predict(NEW).shape == (5,)
    for form in ("bach_jordan", "fukumizu"):
        cca = mercer.KernelCCA(n_components=2, kernels="gaussian()", kappa=0.1, form=form).fit(X, Y[:, None])
        assert cca.correlations_.shape == (2,)
        assert [part.shape for part in cca.transform([NEW, Y[:5, None]])] == [(5, 2), (5, 2)]
        assert len(cca.dual_coefs_) == 2
        assert isinstance(cca.score([X, Y[:, None]]), float)
    assert mercer.KernelCCA(kernels=["gaussian()", "linear()", "linear()"]).fit([X, Y[:, None], X[:, :1]]) is not None
    assert mercer.KernelCCA(kernels="gaussian()", kappa="auto").fit([X, Y[:, None]]).correlations_[0] <= 1
    sources = RNG.uniform(-1, 1, (60, 2)) @ np.array([[1.0, 0.5], [0.2, 1.0]])
    for contrast in ("kgv", "kcc", "hsic"):
        ica = mercer.KernelICA(n_components=None, contrast=contrast, n_init=1, random_state=0).fit(sources)
        assert ica.components_.shape == ica.mixing_.shape == (2, 2)
        np.testing.assert_allclose(ica.inverse_transform(ica.transform(sources)), sources, atol=1e-8)
        assert np.isfinite(ica.contrast_)
    assert mercer.amari_distance(ica.components_, ica.mixing_) == pytest.approx(0, abs=1e-8)
    for contrast in (mercer.kcc_contrast, mercer.kgv_contrast):
        assert np.isfinite(contrast(sources, 1.0, 0.1))
    assert np.isfinite(mercer.hsic_contrast(sources, 1.0))
    high = np.hstack([X, X**2])
    groups = np.arange(40) % 4
    coupled = mercer.CoupledKernelEmbedding(2, "gaussian()", "gaussian()", reg=1e-3, affinity="class")
    coupled.fit(X, high, labels_low=groups, labels_high=groups)
    assert coupled.eigenvalues_.shape == (2,)
    assert np.isfinite(coupled.objective_)
    assert coupled.transform_low(X).shape == coupled.transform_high(high).shape == (40, 2)
    indices, distances = coupled.match(X, high)
    assert indices.shape == distances.shape == (40, 1)
    assert coupled.match(X, high, k=3)[0].shape == (40, 3)
    assert 0 <= coupled.score(X, groups, high, groups) <= 1
    for affinity in ("neighbors", "pairs"):
        assert mercer.CoupledKernelEmbedding(2, "gaussian()", "gaussian()", reg=1e-3, affinity=affinity).fit(X, high)
    assert mercer.CoupledKernelEmbedding(2, "gaussian()", "gaussian()", reg=1e-3).fit(X, high, W=np.eye(40))
    scaling = mercer.ClassicalScaling(2, kernel="sqdist()").fit(X)
    assert scaling.embedding_.shape == (40, 2)
    assert len(scaling.eigenvalues_) >= 2
    assert scaling.negative_part_ == pytest.approx(0, abs=1e-10)
    assert scaling.stress_ == pytest.approx(0, abs=1e-6)
    assert scaling.transform(NEW).shape == (5, 2)
    squares = mercer.Kernel("sqdist()")(X)
    assert mercer.ClassicalScaling(2, kernel="precomputed").fit(squares).embedding_.shape == (40, 2)
    for method in ("simple", "alignment", "mean"):
        model = mercer.MultipleKernelRegressor(kernels=["linear()", "gaussian()"], alpha=0.1, method=method, norm=1)
        model.fit(X, Y)
        assert model.weights_.sum() == pytest.approx(1)
        assert len(mercer.Function(model.kernel_, X, Y).components()) == (model.weights_ > 0).sum()


#: Views and transformers, with the data of a fit; each has a picture.
PICTURES = {
    "KernelPCA": lambda: mercer.KernelPCA(3, kernel="gaussian()").fit(X),
    "KernelKMeans": lambda: mercer.KernelKMeans(3, kernel="gaussian()", n_init=2, random_state=0).fit(X),
    "SpectralClustering": lambda: mercer.SpectralClustering(2, kernel="gaussian(lengthscale=0.5)").fit(X),
    "KernelCCA": lambda: mercer.KernelCCA(2, kernels="gaussian()", kappa=0.1).fit(X, Y[:, None]),
    "KernelICA": lambda: mercer.KernelICA(n_init=1, random_state=0).fit(X),
    "CoupledKernelEmbedding": lambda: mercer.CoupledKernelEmbedding(
        2, "gaussian()", "gaussian()", reg=1e-3, affinity="pairs"
    ).fit(X, np.hstack([X, X**2])),
    "ClassicalScaling": lambda: mercer.ClassicalScaling(2).fit(X),
    "MultipleKernelRegressor": lambda: REGRESSORS["MultipleKernelRegressor"]().fit(X, Y),
    "MultipleKernelClassifier": lambda: CLASSIFIERS["MultipleKernelClassifier"]().fit(X, LABELS),
    "MultipleKernelOneClass": lambda: mercer.MultipleKernelOneClass(["linear()", "gaussian()"], nu=0.2).fit(X),
}


@pytest.mark.parametrize("name", PICTURES)
def test_views_have_pictures(name, tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    model = PICTURES[name]()
    displays = [model.plot(X) if name == "KernelICA" else model.plot()]
    if hasattr(model, "eigenvalues_"):
        displays.append(model.plot_scree())
    assert len(displays) == 1 + (
        name in ("KernelPCA", "SpectralClustering", "ClassicalScaling", "CoupledKernelEmbedding")
    )
    for number, display in enumerate(displays):
        display.figure_.savefig(tmp_path / f"{number}.png")
        assert (tmp_path / f"{number}.png").stat().st_size > 1000
        pyplot.close(display.figure_)


def test_measures_and_tests():
    other = RNG.normal(0.5, 1, (30, 2))
    embedding = mercer.MeanEmbedding("gaussian()", X, weights=None)
    second = mercer.MeanEmbedding("gaussian()", other)
    assert embedding(NEW).shape == (5,)
    assert embedding.inner(second) == pytest.approx(second.inner(embedding))
    assert embedding.inner(mercer.Function("gaussian()", X[:1], [1.0])) == pytest.approx(embedding(X[:1])[0])
    assert embedding.norm() > 0
    for estimator in ("biased", "unbiased", "paired", "linear"):
        assert np.isfinite(mercer.mmd(X[:30], other, "gaussian()", estimator=estimator))
    assert embedding.distance(second) ** 2 == pytest.approx(mercer.mmd(X, other, "gaussian()", estimator="biased"))
    assert mercer.mmd_witness(X, other, "gaussian()")(NEW).shape == (5,)
    for estimator in ("biased", "unbiased"):
        assert np.isfinite(mercer.hsic(X, Y[:, None], "gaussian()", "gaussian()", estimator=estimator))
    assert mercer.energy_distance(X, other) > 0
    assert mercer.distance_covariance(X, Y[:, None]) > 0
    assert np.isfinite(mercer.stein_discrepancy(X, lambda x: -x, "gaussian()"))
    options = {"permutations": 19, "random_state": 0}
    for method in ("permutation", "gamma", "spectral", "bound", "aggregated", "linear", "features"):
        found = mercer.two_sample_test(X[:30], other, kernel="auto", method=method, **options)
        check_result(found)
    check_result(mercer.two_sample_test(X[:4], other[:4], method="exact"))
    with pytest.raises(ValueError, match="137846528820|relabel"):
        mercer.two_sample_test(X, other, method="exact")
    y = Y[:, None]
    for method in ("permutation", "gamma", "aggregated", "features"):
        check_result(mercer.independence_test(X, y, kernel_x="auto", kernel_y="auto", method=method, **options))
    check_result(mercer.independence_test(X[:5], y[:5], method="exact"))
    check_result(mercer.independence_test(X, y, wild=True, **options))
    check_result(mercer.joint_independence_test([X[:, :1], X[:, 1:], y], kernels=["gaussian()"] * 3, **options))
    for method in ("permutation", "gamma"):
        check_result(mercer.conditional_independence_test(X[:, :1], y, X[:, 1:], method=method, **options))
    check_result(
        mercer.interaction_test(
            X[:, :1], X[:, 1:], y, kernel_x="gaussian()", kernel_y="gaussian()", kernel_z="gaussian()", **options
        )
    )
    check_result(mercer.goodness_of_fit_test(X, lambda x: -x, **options))
    assert mercer.column_tests is not None
    sequential = mercer.SequentialTwoSampleTest
    assert sequential is not None
    assert issubclass(mercer.NotPositiveDefiniteError, ValueError)
    from sklearn.exceptions import ConvergenceWarning

    assert mercer.ConvergenceWarning is ConvergenceWarning


def check_result(result):
    assert isinstance(result, mercer.TestResult)
    assert 0 <= result.p_value <= 1
    for attribute in ["statistic", "reject", "level", "method", "n_permutations", "null", "seed", "kernel", "details"]:
        assert hasattr(result, attribute), attribute
    assert isinstance(result.details, dict)
    assert "p" in str(result)
    assert "<" in result._repr_html_()


def test_points_of_other_kinds(tmp_path):
    networkx = pytest.importorskip("networkx")
    graphs = mercer.Graphs(GRAPHS)
    bags, diagrams = mercer.Bags(BAGS), mercer.Diagrams(DIAGRAMS)
    for made in (graphs, bags, diagrams):
        assert len(made) == len(made[:]) == len(made[list(range(len(made)))]) == len(made[np.ones(len(made), bool)])
        made[0]
        assert made == made[:]
        assert pickle.loads(pickle.dumps(made)) == made
        assert len(repr(made)) < 200
    cycles = [networkx.cycle_graph(3 + i) for i in range(4)]
    for graph in cycles:
        networkx.set_node_attributes(graph, 1, "label")
        networkx.set_edge_attributes(graph, 2.0, "weight")
    assert len(mercer.Graphs.from_networkx(cycles, vertex_label="label", edge_weight="weight")) == 4
    assert mercer.Kernel("weisfeiler_lehman(depth=2)")(cycles).shape == (4, 4)
    assert mercer.Kernel("shortest_path()")([np.eye(2)[::-1], csr_matrix(np.eye(2)[::-1])]).shape == (2, 2)
    grouped = mercer.Bags.from_table(X, np.arange(40) // 10)
    assert len(grouped) == 4
    assert len(mercer.Diagrams([np.array([[0.0, np.inf]])], infinity=3.0)) == 1
    with pytest.raises(ValueError, match="infin"):
        mercer.Diagrams([np.array([[0.0, np.inf]])])
    (tmp_path / "a.fasta").write_text(">one|x\nACGT\n>two|y\nGGCC\n")
    ids, sequences = mercer.read_fasta(tmp_path / "a.fasta")
    assert list(sequences) == ["ACGT", "GGCC"]
    assert len(ids) == 2
    folder = tmp_path / "TWO"
    folder.mkdir()
    (folder / "TWO_A.txt").write_text("1, 2\n2, 1\n3, 4\n4, 3\n")
    (folder / "TWO_graph_indicator.txt").write_text("1\n1\n2\n2\n")
    (folder / "TWO_graph_labels.txt").write_text("1\n-1\n")
    read, labels = mercer.Graphs.read_tu(folder)
    assert len(read) == len(labels) == 2
    for text, data in (("spectrum(length=3)", STRINGS), ("weisfeiler_lehman(depth=2)", GRAPHS)):
        kernel = mercer.Kernel(text)
        found = kernel.features(data)
        assert issparse(found)
        np.testing.assert_array_equal((found @ found.T).toarray(), kernel(data))
        one, other = kernel.features(data[:4], data[4:])
        np.testing.assert_array_equal((one @ other.T).toarray(), kernel(data[:4], data[4:]))
        assert kernel.check(data).psd is True
    for data in (STRINGS, graphs, bags, diagrams):
        sides = np.arange(len(data)) % 2
        assert mercer.SVC(kernel="auto").fit(data, sides).predict(data).shape == (len(data),)
        half = len(data) // 2
        check_result(mercer.two_sample_test(data[:half], data[half:], permutations=9))
    assert mercer.MeanEmbedding("spectrum(length=3)", STRINGS).norm() > 0
    with pytest.raises((ValueError, TypeError), match="list"):
        mercer.Kernel("weisfeiler_lehman()")(cycles[0])
    ridge = mercer.KernelRidge(kernel=mercer.Kernel("spectrum(length=3)")).fit(STRINGS, np.arange(8.0))
    assert ridge.predict(STRINGS, interval=0.5)[1].shape == (8,)
    machine = mercer.SVR(kernel="spectrum(length=2)").fit(STRINGS, np.arange(8.0))
    assert machine.predict(STRINGS, interval=0.5)[1].shape == (8,)


def test_every_public_name_is_there():
    for name in mercer.__all__:
        assert getattr(mercer, name) is not None, name
    for name in ["LawEmbedding", "EmbeddingSketch", "column_tests", "SequentialTwoSampleTest"]:
        assert hasattr(mercer, name)


#: Attributes that files leave out: they need the data of the fit, or describe the run.
NOT_IN_FILES = {"likelihoods_", "n_iter_", "fit_status_", "plan_", "stream_", "X_train_", "y_train_", "condition_"}


def example(name):
    """A fitted estimator of the class."""
    if name in PICTURES:
        return PICTURES[name]()
    if name in REGRESSORS:
        return fitted(REGRESSORS[name], points(name)[0], Y)
    if name in CLASSIFIERS:
        return fitted(CLASSIFIERS[name], X, LABELS)
    kind = getattr(mercer, name)
    kernel = {"RandomBinningFeatures": "laplacian(norm=l1)", "ExplicitFeatures": "linear()"}.get(name, "gaussian()")
    return fitted(lambda: kind(kernel=kernel), X)


def attributes(model):
    """The public attributes of a fit, with those that are computed at their first use."""
    names = {name for name in dir(model) if name.endswith("_") and not name.startswith("_")} - NOT_IN_FILES
    found = {}
    for name in sorted(names):
        try:
            found[name] = getattr(model, name)
        except (AttributeError, ValueError):
            continue
    return found


def same(one, other):
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if hasattr(one, "toarray"):
        one, other = one.toarray(), other.toarray()
    if isinstance(one, np.ndarray) and one.dtype.kind == "f":
        return np.array_equal(one, other, equal_nan=True)
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, mercer.Function):
        return one.distance(other) <= 1e-12 * (1 + one.norm())
    if hasattr(one, "get_params"):
        return str(one.get_params()) == str(other.get_params())
    if dataclasses.is_dataclass(one):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in dataclasses.fields(one))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return one == other or (one != one and other != other)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_files_hold_settings_and_answers(name, tmp_path):
    model, path = example(name), tmp_path / "model.safetensors"
    mercer.save(model, path)
    again = mercer.load(path)
    assert type(again) is type(model)
    for parameter, value in model.get_params().items():
        assert same(again.get_params()[parameter], value), parameter
    expected, found = attributes(model), attributes(again)
    assert set(found) == set(expected)
    assert [attribute for attribute in expected if not same(expected[attribute], found[attribute])] == []
