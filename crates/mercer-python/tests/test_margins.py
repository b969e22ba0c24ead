"""SVMs, logistic regression and losses: scikit-learn's numbers, every kind of kernel and label, bad input."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import svm
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, ShuffleSplit

import mercer

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])
RNG = np.random.default_rng(2)
LINE = np.sort(RNG.uniform(0, 6, size=80))[:, None]
WAVE = np.sin(LINE[:, 0]) + 0.2 * RNG.normal(size=80)
#: Both solvers near the optimum.
TIGHT = {"tol": 1e-8}


@pytest.mark.parametrize(
    "params",
    [
        {"kernel": "rbf"},
        {"kernel": "rbf", "gamma": "auto", "C": 20.0},
        {"kernel": "linear", "C": 0.3},
        {"kernel": "poly", "degree": 2, "gamma": 0.2, "coef0": 1.0},
        {"kernel": "rbf", "class_weight": {0: 2.0, 1: 0.5, 2: 3.0}},
        {"kernel": "rbf", "class_weight": "balanced", "decision_function_shape": "ovo"},
    ],
    ids=str,
)
def test_the_attributes_of_scikit_learn(params):
    ours = mercer.SVC(**params, **TIGHT).fit(X[::2], Y[::2])
    theirs = svm.SVC(**params, **TIGHT).fit(X[::2], Y[::2])
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_allclose(ours.class_weight_, theirs.class_weight_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_allclose(ours.support_vectors_, theirs.support_vectors_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.fit_status_ == theirs.fit_status_ == 0
    assert ours.shape_fit_ == theirs.shape_fit_
    assert ours.n_iter_.shape == theirs.n_iter_.shape
    if params["kernel"] == "linear":
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    else:
        with pytest.raises(AttributeError, match="linear kernel"):
            ours.coef_  # noqa: B018


def test_two_classes_are_positive_for_the_second():
    two = Y != 0
    ours, theirs = (kind(kernel="linear", **TIGHT).fit(X[two], NAMES[Y[two]]) for kind in (mercer.SVC, svm.SVC))
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.decision_function(X[two]), theirs.decision_function(X[two]), atol=1e-4)
    assert ours.predict(X[two])[0] in NAMES


def test_the_other_svms_are_those_of_scikit_learn():
    pairs = [
        (mercer.NuSVC(nu=0.3, **TIGHT), svm.NuSVC(nu=0.3, **TIGHT), (X, Y), "decision_function"),
        (mercer.SVR(C=3, epsilon=0.1, **TIGHT), svm.SVR(C=3, epsilon=0.1, **TIGHT), (LINE, WAVE), "predict"),
        (mercer.NuSVR(C=3, nu=0.4, **TIGHT), svm.NuSVR(C=3, nu=0.4, **TIGHT), (LINE, WAVE), "predict"),
        (mercer.OneClassSVM(nu=0.2, **TIGHT), svm.OneClassSVM(nu=0.2, **TIGHT), (X, None), "decision_function"),
    ]
    for ours, theirs, (x, y), method in pairs:
        ours.fit(x, y), theirs.fit(x, y)
        np.testing.assert_allclose(getattr(ours, method)(x), getattr(theirs, method)(x), atol=2e-4)
        np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-4)
        assert ours.dual_coef_.shape == theirs.dual_coef_.shape
        assert ours.duality_gap_ >= 0
        assert ours.kkt_violation_ <= 1e-7
    region = pairs[-1][0]
    np.testing.assert_allclose(region.score_samples(X), region.decision_function(X) + region.offset_)
    np.testing.assert_allclose(region.offset_, pairs[-1][1].offset_, atol=2e-4)
    assert set(region.fit_predict(X)) == {-1, 1}


def test_every_form_of_a_kernel_is_the_same_kernel():
    gamma = 0.4
    forms = {
        "text": {"kernel": f"gaussian(gamma={gamma})"},
        "kernel": {"kernel": mercer.gaussian(gamma=gamma)},
        "name": {"kernel": "rbf", "gamma": gamma},
        "function": {"kernel": lambda a, b: np.exp(-gamma * np.sum((a - b) ** 2))},
    }
    for make in (
        lambda **k: mercer.SVC(**k, **TIGHT),
        lambda **k: mercer.KernelLogisticRegression(0.1, **k),
        lambda **k: mercer.KernelMachine("squared", 0.1, **k),
    ):
        x, y = X[::3], Y[::3]
        expected = make(**forms["text"]).fit(x, y).predict(X)
        for name, form in forms.items():
            if name == "function" and isinstance(make(), mercer.SVC):
                form = {"kernel": lambda a, b: rbf_kernel(a, b, gamma=gamma)}  # of whole samples, as in scikit-learn
            np.testing.assert_allclose(make(**form).fit(x, y).predict(X), expected, rtol=1e-6)
        given = make(kernel="precomputed").fit(rbf_kernel(x, gamma=gamma), y)
        np.testing.assert_allclose(given.predict(rbf_kernel(X, x, gamma=gamma)), expected, rtol=1e-6)


@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_probabilities_agree_with_predictions(calibration, multi_class):
    x = X + RNG.normal(size=X.shape)
    model = mercer.SVC(probability=True, calibration=calibration, multi_class=multi_class, random_state=0)
    p = model.fit(x, NAMES[Y]).predict_proba(x)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(x))
    np.testing.assert_array_equal(np.log(p), model.predict_log_proba(x)) if (p > 0).all() else None
    assert len(model.probA_) == (3 if calibration == "sigmoid" else 0)
    assert model.score(x, NAMES[Y]) > 0.7
    plain = mercer.SVC()
    assert not hasattr(plain, "predict_proba")


def test_ties_and_shapes():
    model = mercer.SVC(break_ties=True, decision_function_shape="ovo").fit(X, Y)
    with pytest.raises(ValueError, match="break_ties must be False"):
        model.predict(X)
    broken = mercer.SVC(break_ties=True, kernel="linear", C=1e-3).fit(X, Y)
    np.testing.assert_array_equal(broken.predict(X), broken.classes_[broken.decision_function(X).argmax(axis=1)])
    assert mercer.SVC(decision_function_shape="ovo").fit(X, Y).decision_function(X).shape == (150, 3)
    with pytest.raises(ValueError, match="decision_function_shape"):
        mercer.SVC(decision_function_shape="none").fit(X, Y)


@pytest.mark.parametrize("labels", [NAMES[Y], Y * 2.0, Y.astype(bool), pd.Series(NAMES[Y], name="kind"), Y - 1])
def test_labels_of_every_kind(labels):
    for kind in (mercer.SVC(), mercer.KernelLogisticRegression(0.1)):
        model = kind.fit(X, labels)
        assert model.score(X, labels) > 0.9
        assert model.predict(X).dtype == model.classes_.dtype
        np.testing.assert_array_equal(model.classes_, np.unique(labels))


def test_names_of_columns():
    frame = pd.DataFrame(X, columns=["sl", "sw", "pl", "pw"])
    model = mercer.SVC(kernel="on([pl], gaussian()) + on([pw], linear())").fit(frame, NAMES[Y])
    assert str(model.kernel_) == "on([2], gaussian(lengthscale=1)) + on([3], linear())"
    assert model.score(frame, NAMES[Y]) > 0.9
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["sw", "sl", "pl", "pw"]])


def test_logistic_regression_is_calibrated_in_the_large():
    model = mercer.KernelLogisticRegression(0.5).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X).mean(axis=0), [1 / 3, 1 / 3, 1 / 3], atol=1e-8)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)))
    heavy = mercer.KernelLogisticRegression(0.5, class_weight={0: 1.0, 1: 1.0, 2: 3.0}).fit(X, Y)
    assert (heavy.predict_proba(X)[:, 2] - model.predict_proba(X)[:, 2]).mean() > 0
    two = mercer.KernelLogisticRegression(0.5).fit(X[:100], Y[:100])
    assert two.loo_decisions_.shape == (100,)


def test_the_losses():
    counts = RNG.poisson(np.exp(np.sin(LINE[:, 0])))
    poisson = mercer.KernelMachine("poisson", 0.1, kernel="gaussian()").fit(LINE, counts)
    assert poisson.predict(LINE).min() > 0
    assert abs(poisson.predict(LINE).sum() - counts.sum()) < 1e-4 * counts.sum()
    squared = mercer.KernelMachine("squared", 0.1, kernel="gaussian()").fit(LINE, WAVE)
    ridge = mercer.KernelRidge(0.1, kernel="gaussian()", fit_intercept=True).fit(LINE, WAVE)
    np.testing.assert_allclose(squared.predict(LINE), ridge.predict(LINE), rtol=1e-7)
    far = mercer.KernelMachine("huber", 0.1, kernel="gaussian()", delta=1e6).fit(LINE, WAVE)
    half = mercer.KernelRidge(0.2, kernel="gaussian()", fit_intercept=True).fit(LINE, WAVE)
    np.testing.assert_allclose(far.predict(LINE), half.predict(LINE), rtol=1e-6)
    hinge = mercer.KernelMachine("hinge", 0.05, kernel="gaussian()", tol=1e-9).fit(X[:100], NAMES[Y[:100]])
    machine = mercer.SVC(C=10.0, kernel="gaussian()", tol=1e-8).fit(X[:100], NAMES[Y[:100]])
    np.testing.assert_allclose(hinge.decision_function(X), machine.decision_function(X), atol=1e-3)
    assert hinge.score(X[:100], NAMES[Y[:100]]) == 1.0
    assert not hasattr(hinge, "predict_proba")
    tube = mercer.KernelMachine("epsilon_insensitive", 0.05, kernel="gaussian()", epsilon=0.2, tol=1e-9)
    other = mercer.SVR(C=10.0, epsilon=0.2, kernel="gaussian()", tol=1e-8)
    np.testing.assert_allclose(tube.fit(LINE, WAVE).predict(LINE), other.fit(LINE, WAVE).predict(LINE), atol=1e-3)
    for loss in ("log_cosh", "absolute", "squared_hinge"):
        y = np.sign(WAVE) if loss == "squared_hinge" else WAVE
        model = mercer.KernelMachine(loss, 0.1, kernel="gaussian()").fit(LINE, y)
        assert model.score(LINE, y) > 0.6
        assert 0 <= model.duality_gap_ < 1e-4


def test_quantiles_do_not_cross():
    levels = [0.05, 0.25, 0.5, 0.75, 0.95]
    model = mercer.KernelMachine("quantile", 0.01, kernel="gaussian()", quantile=levels).fit(LINE, WAVE)
    grid = np.linspace(-2, 8, 300)[:, None]
    assert (np.diff(model.predict(grid), axis=1) >= 0).all()
    below = (WAVE[:, None] <= model.predict(LINE) + 1e-9).mean(axis=0)
    np.testing.assert_allclose(below, levels, atol=0.08)
    assert model.crossings_ >= 0
    assert model.dual_coef_.shape == (80, 5)
    assert model.score(LINE, WAVE) < 0
    with pytest.raises(ValueError, match="ascending"):
        mercer.KernelMachine("quantile", quantile=[0.9, 0.1]).fit(LINE, WAVE)


# --- bad input


@pytest.mark.parametrize("kind", [mercer.SVC, mercer.NuSVC, mercer.KernelLogisticRegression])
def test_one_class_only(kind):
    with pytest.raises(ValueError, match="at least 2 classes; found 1 class: 7"):
        kind().fit(X[:4], [7, 7, 7, 7])


@pytest.mark.parametrize(
    ("kind", "message"), [(mercer.SVC, "Invalid input - all"), (mercer.NuSVC, "specified nu is infeasible: all")]
)
def test_weights_that_leave_one_class(kind, message):
    with pytest.raises(ValueError, match=message):
        kind().fit(X, Y, sample_weight=np.where(Y[0] == Y, 1.0, -1.0))


def test_weights_zero_and_negative():
    weights = np.ones(150)
    weights[:50] = 0
    for kind in (mercer.SVC(), mercer.KernelLogisticRegression()):
        with pytest.raises(ValueError, match="class 0|0 has no"):
            kind.fit(X, Y, sample_weight=weights)
        # Support vector machines drop rows of negative weight, as LIBSVM does, and with them here a class.
        with pytest.raises(ValueError, match="at least 0|0 has no"):
            kind.fit(X, Y, sample_weight=weights - 0.5)
        with pytest.raises(ValueError, match="non-zero|every weight is 0|all samples have zero or negative weights"):
            kind.fit(X, Y, sample_weight=np.zeros(150))
    for kind in (mercer.SVR(), mercer.KernelMachine("absolute")):
        with pytest.raises(ValueError, match="at least 0|all samples have zero or negative weights"):
            kind.fit(X, Y, sample_weight=-np.ones(150))
    weights[:50] = 1
    weights[::2] = 0
    some = mercer.SVC(**TIGHT).fit(X, Y, sample_weight=weights)
    without = mercer.SVC(gamma=1 / (4 * X.var()), **TIGHT).fit(X[1::2], Y[1::2])
    np.testing.assert_allclose(some.decision_function(X), without.decision_function(X), atol=1e-5)
    with pytest.raises(ValueError, match="class_weight = -1 is not allowed"):
        mercer.SVC(class_weight={0: -1.0}).fit(X, Y)


def test_parameters_out_of_range():
    for C in (0.0, -1.0, np.nan, -np.inf):
        for kind in (mercer.SVC, mercer.SVR):
            with pytest.raises(ValueError, match="C = .* a number above 0"):
                kind(C=C).fit(X, Y)
    with pytest.raises(ValueError, match=r"nu = 0.9 .* above 0 and at most 0\.38709"):
        mercer.NuSVC(nu=0.9).fit(X[:62], Y[:62] * (np.arange(62) > 49))
    for nu in (0.0, 1.5, np.nan):
        for kind in (mercer.NuSVC, mercer.OneClassSVM, mercer.NuSVR):
            with pytest.raises(ValueError, match="nu = .* above 0 and at most 1"):
                kind(nu=nu).fit(X, Y)
    for alpha in (0.0, -1.0, np.nan):
        for kind in (mercer.KernelLogisticRegression, mercer.KernelMachine):
            with pytest.raises(ValueError, match="alpha = "):
                kind(alpha=alpha).fit(X, Y)
    wrong = [
        (mercer.SVC(gamma="large"), "gamma"),
        (mercer.SVC(tol=0.0), "tol"),
        (mercer.SVC(max_iter=-2), "max_iter"),
        (mercer.SVC(kernel="gausian()"), "did you mean"),
        (mercer.SVR(epsilon=-1.0), "epsilon"),
        (mercer.SVC(probability=True, calibration="linear"), "calibration"),
        (mercer.SVC(multi_class="all"), "multi_class"),
        (mercer.KernelMachine("hubber"), "one of squared, huber"),
        (mercer.KernelMachine("huber", delta=-1.0), "delta"),
        (mercer.KernelMachine("hinge"), "two classes"),
        (mercer.KernelMachine("huber", solver="dual"), "Newton"),
    ]
    for model, words in wrong:
        with pytest.raises(ValueError, match=words):
            model.fit(X, Y)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_numbers(bad):
    x = X.copy()
    x[3, 1] = bad
    for kind in (mercer.SVC, mercer.NuSVR, mercer.OneClassSVM, mercer.KernelLogisticRegression, mercer.KernelMachine):
        with pytest.raises(ValueError, match="NaN|infinity"):
            kind().fit(x, Y)
        with pytest.raises(ValueError, match="NaN|infinity"):
            kind().fit(X, Y).predict(x)
    with pytest.raises(ValueError, match="NaN|infinity"):
        mercer.SVR().fit(X, np.where(Y == 1, bad, 0.0))


def test_indefinite_kernels():
    text = "tanh(scale=1, offset=-1)"
    for kind in (mercer.SVC, mercer.SVR, mercer.OneClassSVM):
        with pytest.raises(mercer.NotPositiveDefiniteError, match="allow_indefinite=True") as caught:
            kind(kernel=text).fit(X, Y)
        assert caught.value.counterexample is not None
        with pytest.warns(UserWarning, match="not known to be positive semi-definite.*stationary point"):
            kind(kernel=text, allow_indefinite=True).fit(X, Y)
    with pytest.raises(mercer.NotPositiveDefiniteError):
        mercer.KernelLogisticRegression(kernel=text).fit(X, Y)
    matrix = np.diag(np.where(np.arange(150) % 2, 1.0, -1.0))
    with pytest.raises(mercer.NotPositiveDefiniteError) as caught:
        mercer.SVC(kernel="precomputed").fit(matrix, Y)
    assert caught.value.counterexample is not None
    # scikit-learn's name implies that it is meant, and the answer is LIBSVM's.
    ours, theirs = (kind(kernel="sigmoid", gamma=0.01, coef0=-0.1, **TIGHT).fit(X, Y) for kind in (mercer.SVC, svm.SVC))
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.99


def test_no_convergence_is_reported():
    for model in (mercer.SVC(max_iter=2), mercer.SVR(max_iter=2), mercer.KernelLogisticRegression(1e-6, max_iter=1)):
        with pytest.warns(
            ConvergenceWarning, match=r"(step limit, after|Solver terminated early).*within .* of the optimum"
        ):
            model.fit(X, Y)
        assert model.duality_gap_ > 0
        assert np.isfinite(model.duality_gap_)
    assert mercer.SVC(C=10).fit(X, Y).fit_status_ == 0


def test_a_time_limit_gives_the_model_so_far():
    rng = np.random.default_rng(3)
    points, labels = rng.normal(size=(3000, 2)), rng.integers(0, 2, size=3000)
    # Enough for the kernel matrix, on a busy machine perhaps at the second or third try, too little
    # for the answer.
    for seconds in (0.5, 2, 8):
        model = mercer.SVC(C=1e6, tol=1e-10, max_time=seconds)
        try:
            with pytest.warns(ConvergenceWarning, match=r"canceled.*Raise max_iter, max_time"):
                model.fit(points, labels)
            break
        except TimeoutError:
            assert seconds < 8
    assert model.fit_status_ == 1
    assert model.duality_gap_ > 0
    assert np.isfinite(model.decision_function(points)).all()
    with pytest.raises(ValueError, match="max_time"):
        mercer.SVC(max_time=-1).fit(X, Y)


def test_memory_and_threads():
    with pytest.raises(MemoryError):
        mercer.SVC(max_memory=1000).fit(X, Y)
    one, two = (mercer.SVC(n_jobs=n, probability=True).fit(X, Y).predict_proba(X) for n in (1, 2))
    assert one.tobytes() == two.tobytes()
    with warnings.catch_warnings(action="error"):
        assert "machines" in mercer.SVC(max_memory="1GB").explain(X, Y)


def test_a_search_has_the_scores_of_scikit_learn():
    costs, gammas, labels = [0.1, 3.0, 100.0], [2.0, 0.02, 0.3], NAMES[Y]
    ours = mercer.SVCCV(costs[::-1], gammas=gammas, cv=4, **TIGHT).fit(X, labels)
    grid = {"C": costs, "gamma": sorted(gammas, reverse=True)}
    theirs = GridSearchCV(svm.SVC(**TIGHT), grid, cv=4).fit(X, labels)
    scores = theirs.cv_results_["mean_test_score"].reshape(3, 3).T
    np.testing.assert_allclose(ours.scores_, scores, rtol=0, atol=1e-12)
    assert ours.best_score_ == scores.max() == ours.scores_[ours.best_index_]
    assert (ours.C_, ours.gamma_) == (ours.Cs_[ours.best_index_[1]], ours.gammas_[ours.best_index_[0]])
    alone = svm.SVC(C=ours.C_, gamma=ours.gamma_, **TIGHT).fit(X, labels)
    np.testing.assert_allclose(ours.decision_function(X), alone.decision_function(X), atol=1e-5)
    winner = ours.best_estimator_
    assert winner.C == ours.C_
    np.testing.assert_array_equal(winner.predict(X), ours.predict(X))
    assert "3 kernel matrices, 3 C" in ours.explain(X)


def test_the_picture_of_a_search(tmp_path):
    pytest.importorskip("matplotlib")
    for params in ({"gammas": [0.1, 1.0]}, {"kernels": ["gaussian()", "matern(nu=3/2)"], "lengthscales": [2.0, 0.5]}):
        mercer.SVCCV([1.0, 10.0], **params).fit(X, Y).plot_surface(tmp_path / "surface.png")
        assert (tmp_path / "surface.png").stat().st_size > 1000


def test_a_search_over_kernels_lengthscales_and_precomputed_values():
    found = mercer.SVCCV([1.0, 10.0], kernels=["gaussian()", "matern(nu=3/2)"], lengthscales=[2.0, 0.5]).fit(X, Y)
    assert found.lengthscales_ == [0.5, 2.0, 0.5, 2.0]
    assert str(found.candidates_[3]) == "matern(nu=1.5, lengthscale=2)"
    assert mercer.SVCCV(kernel="gaussian()", lengthscales=3).fit(X, Y).scores_.shape == (3, 5)
    given = mercer.SVCCV([1.0, 10.0], kernel="precomputed").fit(rbf_kernel(X, gamma=0.3), Y)
    points = mercer.SVCCV([1.0, 10.0], gammas=[0.3]).fit(X, Y)
    np.testing.assert_allclose(given.scores_, points.scores_)
    function = mercer.SVCCV([1.0, 10.0], kernel=lambda a, b: rbf_kernel(a, b, gamma=0.3)).fit(X, Y)
    np.testing.assert_array_equal(function.predict(X), points.predict(X))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"gammas": [1.0], "lengthscales": [1.0]}, "give one of them"),
        ({"gammas": []}, "no kernel to choose from"),
        ({"Cs": []}, "at least one"),
        ({"Cs": [0.0, 1.0]}, "C = 0"),
        ({"kernels": "rbf"}, "must be a list"),
        ({"kernels": ["rbf", "precomputed"]}, "given as kernel="),
        ({"kernel": "linear()", "lengthscales": [1.0]}, "lengthscale"),
        ({"cv": [([0, 1], [2, 3])]}, "row 0 is in no fold"),
        ({"cv": ShuffleSplit(3, random_state=0)}, "fold"),
    ],
    ids=str,
)
def test_searches_that_cannot_be(params, message):
    with pytest.raises(ValueError, match=message):
        mercer.SVCCV(**params).fit(X, Y)


def test_weights_count_in_probabilities():
    # Of its own: the common generator is at another place where tests are distributed.
    rng = np.random.default_rng(7)
    overlap = np.concatenate([rng.normal(-0.3, 1, 60), rng.normal(0.3, 1, 60)])[:, None]
    labels = np.repeat([0, 1], 60)
    plain, heavy = (mercer.SVC(probability=True, class_weight=w).fit(overlap, labels) for w in (None, {0: 1.0, 1: 9.0}))
    odds = [np.median(m.predict_proba(overlap)[:, 1]) for m in (plain, heavy)]
    assert 0.4 < odds[0] < 0.6
    assert odds[1] > 0.8
    assert heavy.predict(overlap).mean() > 0.9


@pytest.mark.parametrize(("loss", "power"), [("gamma", 2), ("tweedie", 1.5), ("tweedie", 1.2), ("poisson", 1)])
def test_deviance_losses_are_the_regressions_of_scikit_learn(loss, power):
    """With a linear kernel: scikit-learn divides half of the deviance by n, and the squared norm by 2."""
    from sklearn.linear_model import TweedieRegressor

    rng = np.random.default_rng(8)
    X = rng.standard_normal((80, 3))
    mean = np.exp(X @ [0.5, -0.3, 0.2] + 0.4)
    y = rng.gamma(2.0, mean / 2.0) if loss == "gamma" else rng.poisson(mean) * rng.gamma(2.0, 0.5, size=80)
    y = np.round(y) if loss == "poisson" else y
    theirs = TweedieRegressor(power=power, alpha=0.1, link="log", tol=1e-10, max_iter=10_000).fit(X, y)
    extra = {"power": power} if loss == "tweedie" else {}
    ours = mercer.KernelMachine(loss, 0.1 * 80 / 2, kernel="linear()", **extra).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-4)
    few = mercer.KernelMachine(loss, 4.0, kernel="linear()", n_centers=20, random_state=0, **extra).fit(X, y)
    np.testing.assert_allclose(few.predict(X), ours.predict(X), rtol=1e-3)
