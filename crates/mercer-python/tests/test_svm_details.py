"""What users of scikit-learn's support vector machines rely on: functions as kernels, odd parameters, attributes."""

import numpy as np
import pytest
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

import mercer

rng = np.random.default_rng(5)
X = rng.normal(size=(120, 3))
LABELS = np.where(X[:, 0] + 0.3 * rng.normal(size=120) > 0, "b", "a")
Y = X[:, 0] ** 2 + 0.1 * rng.normal(size=120)
MACHINES = [mercer.SVC, mercer.NuSVC, mercer.SVR, mercer.NuSVR, mercer.OneClassSVM]
SCORES = {"SVR": "predict", "NuSVR": "predict"}


def targets(kind):
    return Y if kind.__name__ in SCORES else LABELS


def values(model, x):
    return getattr(model, SCORES.get(type(model).__name__, "decision_function"))(x)


class Counting:
    """A kernel on whole samples that counts its calls."""

    def __init__(self):
        self.shapes = []

    def __call__(self, x, y, gamma=0.4):
        self.shapes.append((len(x), len(y)))
        return rbf_kernel(x, y, gamma=gamma)


@pytest.mark.parametrize("kind", MACHINES)
def test_a_function_is_called_once_with_whole_samples(kind):
    kernel = Counting()
    model = kind(kernel=kernel).fit(X, targets(kind))
    assert kernel.shapes == [(120, 120)]
    found = values(model, X[:7])
    assert kernel.shapes[1:] == [(7, 120)]
    expected = kind(kernel="rbf", gamma=0.4).fit(X, targets(kind))
    np.testing.assert_allclose(found, values(expected, X[:7]), atol=5e-3)
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    params = kind(kernel=kernel, kernel_params={"gamma": 0.1}).fit(X, targets(kind))
    assert np.abs(values(params, X[:7]) - found).max() > 0.01


@pytest.mark.parametrize("kind", MACHINES)
def test_a_function_of_texts(kind):
    texts = ["A A", "A", "B", "B B", "A B", "A A A", "B B A"] * 3
    labels = ["a" if t.count("A") >= t.count("B") else "b" for t in texts]
    numbers = [float(t.count("A")) for t in texts]

    def kernel(x, y):
        return np.array([[a.count("A") * b.count("A") + a.count("B") * b.count("B") for b in y] for a in x], float)

    # Both kernels are solved by different methods: as exact as the comparison is.
    settings = {"tol": 1e-9} | ({"nu": 0.3} if "nu" in kind().get_params() else {})
    y = numbers if kind.__name__ in SCORES else labels
    model = kind(kernel=kernel, **settings).fit(texts, y)
    counts = [[t.count("A"), t.count("B")] for t in texts]
    plain = kind(kernel="linear", **settings).fit(counts, y)
    np.testing.assert_allclose(values(model, texts), values(plain, counts), atol=1e-6)
    assert model.support_vectors_ == [texts[i] for i in model.support_]
    assert model.shape_fit_ == (len(texts),)
    assert "support" in kind(kernel=kernel, **settings).explain(texts, y) or kind(kernel=kernel).explain(texts, y)


def test_a_function_of_texts_in_a_search():
    texts = [str(i % 5) * (1 + i % 3) for i in range(40)]

    def kernel(x, y):
        return np.array([[float(a == b) + float(a[0] == b[0]) for b in y] for a in x])

    model = mercer.SVCCV([1, 10], kernel=kernel, cv=3).fit(texts, [t[0] > "2" for t in texts])
    assert model.best_score_ > 0.9
    assert model.predict(texts[:2]).shape == (2,)


def test_functions_that_give_no_kernel_matrix():
    with pytest.raises(ValueError, match="shape"):
        mercer.SVC(kernel=lambda x, y: x).fit(X, LABELS)
    with pytest.raises(ValueError, match="shape"):
        mercer.SVR(kernel=lambda x, y: np.array([[1.0]])).fit(X, Y)
    model = mercer.SVC(kernel=lambda x, y: rbf_kernel(x, y)[:, : len(x)]).fit(X, LABELS)
    with pytest.raises(ValueError, match=r"\(5, 5\), expected \(5, 120\)"):
        model.predict(X[:5])


def test_the_parameters_of_scikit_learn_are_taken_as_they_are():
    model = mercer.SVC(**svm.SVC().get_params())
    assert not hasattr(model.fit(X, LABELS), "predict_proba")
    for kind in MACHINES:
        kind(**getattr(svm, kind.__name__)().get_params()).fit(X, targets(kind))


@pytest.mark.parametrize(("kind", "y"), [(mercer.SVC, LABELS), (mercer.SVR, Y), (mercer.NuSVR, Y)])
@pytest.mark.parametrize("scale", [1.0, 1e-4])
def test_an_infinite_cost_is_a_large_one(kind, y, scale):
    kernel = lambda x, z: scale * rbf_kernel(x, z, gamma=2.0)  # noqa: E731
    found = kind(C=np.inf, kernel=kernel).fit(X, y)
    np.testing.assert_array_equal(
        np.round(values(found, X), 1), np.round(values(kind(C=1e10 / scale, kernel=kernel).fit(X, y), X), 1)
    )
    # No training row lies on the wrong side.
    assert found.score(X, y) > 0.99


@pytest.mark.parametrize("kind", MACHINES)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("C", "a"),
        ("C", 0),
        ("C", np.nan),
        ("nu", "half"),
        ("nu", 1.5),
        ("epsilon", None),
        ("gamma", -1.0),
        ("gamma", None),
        ("degree", "3"),
        ("coef0", "x"),
        ("tol", 0),
        ("tol", "small"),
        ("cache_size", -1),
        ("max_iter", 2.5),
        ("max_iter", -2),
        ("shrinking", "x"),
        ("shrinking", None),
        ("probability", "yes"),
        ("break_ties", 3),
        ("decision_function_shape", "both"),
        ("calibration", "linear"),
        ("calibration_cv", 1),
        ("fit_intercept", "no"),
        ("kernel", 3),
        ("verbose", "loud"),
    ],
)
def test_wrong_parameters_are_named(kind, name, value):
    if name not in kind().get_params():
        pytest.skip(f"{kind.__name__} has no {name}")
    with pytest.raises(ValueError, match=f"{name} = "):
        kind(**{name: value}).fit(X, targets(kind))


@pytest.mark.parametrize("kind", MACHINES)
def test_no_steps_at_all(kind):
    with pytest.warns(ConvergenceWarning, match=r"Solver terminated early \(max_iter=0\)"):
        model = kind(max_iter=0).fit(X, targets(kind))
    assert model.fit_status_ == 1
    assert np.max(model.n_iter_) == 0
    assert np.isfinite(values(model, X)).all()


def test_attributes_have_the_shapes_of_scikit_learn():
    region = mercer.OneClassSVM(nu=0.2).fit(X)
    theirs = svm.OneClassSVM(nu=0.2).fit(X)
    assert region.offset_.shape == theirs.offset_.shape == (1,)
    np.testing.assert_allclose(region.offset_, theirs.offset_, atol=1e-2)
    np.testing.assert_array_equal(region.score_samples(X), region.decision_function(X) + region.offset_)


@pytest.mark.parametrize("kind", MACHINES)
def test_coefficients_cannot_be_written_to(kind):
    model = kind(kernel="linear").fit(X, targets(kind))
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0, 0] = 1.0
    with pytest.raises(AttributeError):
        model.coef_ = np.zeros(3)


def test_probabilities_switched_on_after_the_fit():
    model = mercer.SVC().fit(X, LABELS)
    model.probability = True
    for method in ("predict_proba", "predict_log_proba"):
        with pytest.raises(NotFittedError, match="not available when fitted with probability=False"):
            getattr(model, method)(X)


@pytest.mark.parametrize("kind", [mercer.SVC, mercer.SVR, mercer.NuSVR, mercer.OneClassSVM])
def test_rows_of_negative_weight_are_left_out(kind):
    weights = np.ones(120)
    weights[::7] = -1.0
    part = weights > 0
    y = targets(kind)
    found = kind().set_params(gamma=0.5).fit(X, y, sample_weight=weights)
    alone = kind().set_params(gamma=0.5).fit(X[part], y[part])
    np.testing.assert_allclose(values(found, X), values(alone, X), atol=5e-3)
    with pytest.raises(ValueError, match="all samples have zero or negative weights"):
        kind().fit(X, y, sample_weight=-weights * 0 - 1)


def end_of_margin(values, alpha):
    """LIBSVM's rule for one class: the mean over the free variables, or the middle of what the others leave."""
    free = values[(alpha > 0) & (alpha < 1)]
    return free.mean() if len(free) else (values[alpha == 0].min() + values[alpha == 1].max()) / 2


def by_the_rule(model, kernel, y):
    """Margin and offset of a ν-classifier from its coefficients, and whether a class has no free support vector."""
    alpha = np.zeros(len(y))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    alpha *= model.nu * len(y) / alpha.sum()
    alpha[alpha > 1 - 1e-9], alpha[alpha < 1e-9] = 1, 0
    sides = np.where(y == 1, 1.0, -1.0)
    values = sides * (kernel @ (sides * alpha))
    ends = [end_of_margin(values[sides == side], alpha[sides == side]) for side in (1, -1)]
    bound = any(not ((alpha[y == c] > 0) & (alpha[y == c] < 1)).any() for c in (0, 1))
    margin = (ends[0] + ends[1]) / 2
    return margin, -(ends[0] - ends[1]) / 2 / margin, bound


def found_margin(model, n):
    return model.nu * n / np.abs(model.dual_coef_).sum()


def test_nu_svms_without_free_support_vectors():
    """Offset and scale by LIBSVM's rule, also where every variable of a class is at a bound."""
    bound, same = 0, 0
    for seed in range(400):
        draws = np.random.default_rng(seed)
        n = 2 * int(draws.integers(3, 10))
        x, y = draws.normal(size=(n, 2)), np.arange(n) % 2
        gamma = float(draws.choice([0.5, 5.0, 50.0]))
        settings = {"nu": 2 * int(draws.integers(1, n // 2)) / n, "gamma": gamma, "tol": 1e-9}
        ours, theirs = mercer.NuSVC(**settings).fit(x, y), svm.NuSVC(**settings).fit(x, y)
        kernel = rbf_kernel(x, gamma=gamma)
        margin, offset, without = by_the_rule(ours, kernel, y)
        if not without:
            continue
        bound += 1
        assert found_margin(ours, n) == pytest.approx(margin, rel=1e-6)
        assert ours.intercept_[0] == pytest.approx(offset, rel=1e-6, abs=1e-6)
        # Where LIBSVM takes a variable that is off its bound by rounding for a free one, its answer
        # is another.
        if found_margin(theirs, n) == pytest.approx(by_the_rule(theirs, kernel, y)[0], rel=1e-6):
            same += 1
            np.testing.assert_allclose(ours.decision_function(x), theirs.decision_function(x), rtol=1e-4, atol=1e-5)
    assert bound > 10
    assert same > 5
