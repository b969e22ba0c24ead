"""Every estimator keeps scikit-learn's contract: its own checks, clones, pipelines, searches, frames, pickles."""

import copy
import pickle
import subprocess
import sys
import tomllib
from pathlib import Path

import helpers
import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from sklearn.utils.validation import validate_data

import mercer
from mercer._estimator import Estimator

RNG = np.random.default_rng(11)
X = RNG.uniform(size=(60, 3))
Y = np.sin(4 * X[:, 0]) + X[:, 1] + 0.1 * RNG.normal(size=60)


class FirstColumn:
    """An estimator on a line, on the first column of a matrix: so that scikit-learn's checks can feed it."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array, tags.input_tags.two_d_array = False, True
        tags.regressor_tags.poor_score = True
        return tags

    def _read_fit(self, X, y, **checks):
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, **checks)
        return np.ascontiguousarray(X[:, :1]), np.asarray(y, dtype=np.float64)

    def _read(self, X):
        return np.ascontiguousarray(Estimator._read(self, X)[:, :1])


class SplineOnFirstColumn(FirstColumn, mercer.SmoothingSpline):
    pass


class LocalLinearOnFirstColumn(FirstColumn, mercer.LocalLinear):
    pass


ESTIMATORS = [
    mercer.KernelRidge(),
    mercer.KernelRidge(kernel="gaussian(lengthscale=2)", fit_intercept=True),
    mercer.KernelRidge(kernel="precomputed", indefinite=True),
    mercer.KernelRidge(kernel="gaussian(lengthscale=2)", solver="centers", n_centers=1000, fit_intercept=True),
    mercer.KernelRidgeCV(),
    mercer.KernelRidgeCV([0.1, 1.0], lengthscales=3, scoring="gcv", fit_intercept=True),
    mercer.GaussianProcessRegressor(),
    mercer.GaussianProcessRegressor("1*gaussian(lengthscale=1)"),
    mercer.GaussianProcessRegressor(RBF() + WhiteKernel(0.1)),
    mercer.GaussianProcessRegressor("gaussian(lengthscale=5)", n_inducing=60, optimize=False, normalize_y=True),
    mercer.NadarayaWatson(),
    mercer.NadarayaWatson(1.0),
    SplineOnFirstColumn(),
    SplineOnFirstColumn(lam=0.1),
    LocalLinearOnFirstColumn(),
    LocalLinearOnFirstColumn(1.0),
    mercer.SVC(),
    mercer.SVC(gamma=0.1, tol=1e-10, multi_class="ovr"),
    mercer.SVC(probability=True),
    mercer.SVCCV(),
    mercer.SVCCV(cv=2),
    mercer.SVCCV([0.5, 5.0], kernel="gaussian()", lengthscales=3, cv=2),
    mercer.NuSVC(),
    mercer.SVR(),
    mercer.SVR(gamma=0.1, tol=1e-10),
    mercer.NuSVR(),
    mercer.OneClassSVM(),
    mercer.KernelLogisticRegression(),
    mercer.KernelLogisticRegression(solver="centers", n_centers=1000),
    mercer.KernelMachine("squared_hinge", solver="centers", n_centers=1000),
    mercer.BinnedRegressor(),
    mercer.BinnedClassifier(),
    mercer.BinnedRegressor(tol=1e-12, n_grids=20, n_buckets=64, random_state=0),
    mercer.BinnedClassifier(loss="squared_hinge", tol=1e-12, n_grids=20, n_buckets=64, random_state=0),
    mercer.KernelMachine(),
    mercer.KernelMachine("absolute"),
    mercer.KernelMachine("poisson"),
    mercer.KernelMachine("squared_hinge"),
    mercer.KernelMachine("logistic"),
    mercer.StreamedKernelLogisticRegression(),
    mercer.StreamedKernelRidge(),
    mercer.StreamedKernelRidge(n_components=50, features="fourier", fit_intercept=True),
]


def expected_failures(estimator):
    """As for scikit-learn's own support vector machines: they stop at a tolerance, and ν may be infeasible."""
    failures = {}
    machine = isinstance(
        estimator, (mercer.SVC, mercer.SVCCV, mercer.NuSVC, mercer.SVR, mercer.NuSVR, mercer.OneClassSVM)
    )
    if (machine and estimator.tol > 1e-6) or getattr(estimator, "loss", None) == "absolute":
        for kind in ("dense", "sparse"):
            check = f"check_sample_weight_equivalence_on_{kind}_data"
            failures[check] = "equal to the tolerance of the solver only"
    if isinstance(estimator, mercer.SmoothingSpline) and estimator.lam == "gcv":
        # Copies of a row predict each other: GCV interpolates them. A row with a weight is one observation.
        failures["check_sample_weight_equivalence_on_dense_data"] = "GCV counts rows, not weights"
    if isinstance(estimator, mercer.NuSVC):
        failures["check_class_weight_classifiers"] = "nu is infeasible for classes of such weights"
    return failures


def test_the_oldest_scikit_learn_that_is_requested_has_what_is_imported():
    """``validate_data`` and tags as classes came with 1.6."""
    text = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    required = tomllib.loads(text)["project"]["optional-dependencies"]["sklearn"]
    oldest = [tuple(map(int, line.partition(">=")[2].split("."))) for line in required if "scikit-learn" in line]
    sources = "".join(file.read_text() for file in Path(mercer.__file__).parent.glob("*.py"))
    assert "import validate_data" in sources or "validate_data\n" in sources
    assert oldest
    assert min(oldest) >= (1, 6)


def test_every_estimator_is_checked_with_its_defaults():
    """Transformers are checked in test_features.py, views and several kernels in test_views.py."""
    names = {name for name, kind in helpers.ESTIMATORS.items() if not hasattr(kind, "transform")} - {
        # They take what the estimator inside takes: test_conformal.py.
        "ConformalClassifier",
        "ConformalRegressor",
        "CoupledKernelEmbedding",
        "MultipleKernelClassifier",
        "MultipleKernelOneClass",
        "MultipleKernelRegressor",
        "SpectralClustering",
    }
    plain = [model for model in ESTIMATORS if model.get_params() == type(model)().get_params()]
    assert {name for name in names if not any(isinstance(model, helpers.ESTIMATORS[name]) for model in plain)} == set()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
# The checks fit processes to noise, which has no lengthscale.
@pytest.mark.filterwarnings("ignore:The optimal value found for:sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("estimator", [mercer.SmoothingSpline(), mercer.LocalLinear()], ids=str)
def test_checks_on_a_line(estimator):
    """scikit-learn has few checks for points of one dimension; those for matrices are made of a first column above."""
    assert all(found["status"] == "passed" for found in check_estimator(estimator, on_skip=None))


ALL = [
    mercer.KernelRidge(0.1, kernel="gaussian(lengthscale=median)", fit_intercept=True),
    mercer.KernelRidgeCV([0.01, 0.1], kernel="matern(nu=5/2)", lengthscales=[0.5, 1.0]),
    mercer.GaussianProcessRegressor("1*gaussian(lengthscale=[1, 1, 1])"),
    mercer.NadarayaWatson(0.6, weights="epanechnikov"),
    mercer.SmoothingSpline("reml"),
    mercer.LocalLinear(),
    mercer.SVR(C=10.0, kernel="gaussian(lengthscale=median)"),
    mercer.NuSVR(kernel="matern(lengthscale=0.5)"),
    mercer.KernelMachine("huber", 0.1, kernel="gaussian(lengthscale=0.5)"),
    mercer.KernelMachine("quantile", 0.1, kernel="gaussian(lengthscale=0.5)", quantile=0.3),
]
NAMES = [type(estimator).__name__ for estimator in ALL]


def data_of(estimator):
    return (X[:, 0] if isinstance(estimator, (mercer.SmoothingSpline, mercer.LocalLinear)) else X), Y


@pytest.mark.parametrize("estimator", ALL, ids=NAMES)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["copy", "pickle"])
def test_copies_predict_the_same_bytes(estimator, copied):
    x, y = data_of(estimator)
    model = clone(estimator).fit(x, y)
    other = copied(model)
    assert other.predict(x).tobytes() == model.predict(x).tobytes()
    assert other.get_params() == model.get_params()
    # The data of the fit, which conformal prediction is calibrated with, is not copied.
    assert vars(other).keys() == vars(model).keys() - {"_data"}


@pytest.mark.parametrize("estimator", ALL, ids=NAMES)
def test_joblib(estimator, tmp_path):
    x, y = data_of(estimator)
    model = clone(estimator).fit(x, y)
    joblib.dump(model, tmp_path / "model.joblib")
    assert joblib.load(tmp_path / "model.joblib").predict(x).tobytes() == model.predict(x).tobytes()


@pytest.mark.parametrize("estimator", ALL, ids=NAMES)
def test_clones_and_unfitted_estimators(estimator):
    x, _ = data_of(estimator)
    again = clone(estimator)
    assert again.get_params() == estimator.get_params()
    assert repr(again) == repr(estimator)
    if isinstance(estimator, mercer.GaussianProcessRegressor):
        # As in scikit-learn, a process that saw no data is its prior.
        assert (again.predict(x) == 0).all()
        return
    with pytest.raises(NotFittedError):
        again.predict(x)


@pytest.mark.parametrize("estimator", ALL, ids=NAMES)
def test_every_number_of_threads_gives_the_same_bytes(estimator):
    x, y = data_of(estimator)
    one, two = (clone(estimator).set_params(n_jobs=n).fit(x, y).predict(x) for n in (1, 2))
    assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize("estimator", ALL, ids=NAMES)
def test_plans(estimator):
    x, y = data_of(estimator)
    plan = clone(estimator).explain(x, y)
    assert isinstance(plan, str)
    assert len(plan) > 20


@pytest.mark.parametrize("estimator", ALL, ids=NAMES)
def test_cross_validation(estimator):
    x, y = data_of(estimator)
    x = x[:, None] if x.ndim == 1 else x
    assert np.isfinite(cross_val_score(estimator, x, y, cv=3)).all()


def test_pipelines_and_searches():
    pipeline = make_pipeline(StandardScaler(), mercer.KernelRidge(kernel="rbf"))
    grid = {"kernelridge__alpha": [0.01, 0.1, 1.0], "kernelridge__gamma": [0.1, 1.0]}
    search = GridSearchCV(pipeline, grid, cv=3, n_jobs=2).fit(X, Y)
    assert search.best_score_ > 0.8
    kernels = {"kernel": ["linear", "gaussian(lengthscale=0.5)", mercer.matern(lengthscale=0.5)]}
    found = GridSearchCV(mercer.KernelRidge(0.01), kernels, cv=3).fit(X, Y)
    assert str(found.best_params_["kernel"]) != "linear"


def test_precomputed_kernels_in_a_search():
    k = mercer.gaussian(lengthscale=0.5)
    grid = {"alpha": [0.01, 0.1, 1.0]}
    on_points = GridSearchCV(mercer.KernelRidge(kernel=k), grid, cv=3).fit(X, Y)
    on_values = GridSearchCV(mercer.KernelRidge(kernel="precomputed"), grid, cv=3).fit(k(X), Y)
    np.testing.assert_allclose(
        on_values.cv_results_["mean_test_score"], on_points.cv_results_["mean_test_score"], rtol=1e-9
    )


def test_several_outputs_by_scikit_learn():
    both = np.column_stack([Y, -2 * Y])
    model = MultiOutputRegressor(mercer.GaussianProcessRegressor(optimize=False)).fit(X, both)
    single = mercer.GaussianProcessRegressor(optimize=False).fit(X, Y).predict(X)
    np.testing.assert_allclose(model.predict(X)[:, 0], single, rtol=1e-12)


def test_data_frames():
    frame = pd.DataFrame(X, columns=["age", "height", "weight"])
    kernel = "on([age], gaussian(lengthscale=0.5)) + on([height], linear())"
    model = mercer.KernelRidge(0.1, kernel=kernel).fit(frame, pd.Series(Y))
    assert list(model.feature_names_in_) == ["age", "height", "weight"]
    assert str(model.kernel_) == "on([0], gaussian(lengthscale=0.5)) + on([1], linear())"
    plain = mercer.KernelRidge(0.1, kernel=model.kernel_).fit(X, Y)
    assert model.predict(frame).tobytes() == plain.predict(X).tobytes()
    assert list(model.components()) == ["on([0], gaussian(lengthscale=0.5))", "on([1], linear())"]
    total = sum(f(X) for f in model.components().values())
    np.testing.assert_allclose(total, model.predict(frame), rtol=1e-10)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["height", "age", "weight"]])
    with pytest.raises(ValueError, match="there is no column `heigth`; did you mean `height`"):
        mercer.KernelRidge(kernel="on([heigth], linear())").fit(frame, Y)


def test_a_series_as_points():
    x = pd.Series(X[:, 0], name="x")
    model = mercer.SmoothingSpline(0.1).fit(x, Y)
    assert list(model.feature_names_in_) == ["x"]
    assert (
        model.predict(x.to_frame()).tobytes() == mercer.SmoothingSpline(0.1).fit(X[:, 0], Y).predict(X[:, 0]).tobytes()
    )


def test_without_scikit_learn_kernels_still_work():
    code = """
import sys
sys.modules["sklearn"] = None
import mercer
assert mercer.gaussian()([0.0, 1.0]).shape == (2, 2)
assert "KernelRidge" in dir(mercer)
try:
    mercer.KernelRidge
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "mercer.KernelRidge needs scikit-learn: pip install mercer[sklearn]\n", done.stderr


def test_names_of_the_module():
    assert mercer.ConvergenceWarning.__module__ == "sklearn.exceptions"
    assert {"KernelRidge", "KernelRidgeCV", "GaussianProcessRegressor", "SmoothingSpline"} <= set(mercer.__all__)
    with pytest.raises(AttributeError, match="module 'mercer' has no attribute 'KernelRigde'"):
        mercer.KernelRigde  # noqa: B018
