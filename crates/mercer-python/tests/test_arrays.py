"""Arrays and tables of every kind, for kernels and all estimators, and what of scikit-learn's interface is on them."""

import datetime
import decimal
import warnings
from inspect import signature

import helpers
import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import MetaEstimatorMixin, clone, is_classifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import mercer

polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

RNG = np.random.default_rng(8)
X = RNG.uniform(size=(36, 3))
Y = np.sin(4 * X[:, 0]) + X[:, 1]
LABELS = np.where(Y > 1, "up", "down")
NAMES = ["age", "height", "weight"]
#: On a line, or on several samples: tested by themselves.
OTHERS = {"SmoothingSpline", "LocalLinear", "CoupledKernelEmbedding", "KernelCCA"}
KINDS = {name: kind for name, kind in helpers.ESTIMATORS.items() if not issubclass(kind, MetaEstimatorMixin)}
ESTIMATORS = sorted(set(KINDS) - OTHERS)
TRANSFORMERS = [name for name in ESTIMATORS if hasattr(KINDS[name], "transform")]


class Capsule:
    """Exports a table through Arrow's PyCapsule interface, and is nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def columns():
    return {name: X[:, i] for i, name in enumerate(NAMES)}


def mapped(tmp_path):
    array = np.memmap(tmp_path / "points", dtype=np.float64, mode="w+", shape=X.shape)
    array[:] = X
    return array


def read_only(_):
    array = X.copy()
    array.flags.writeable = False
    return array


def strided(_):
    array = np.zeros((72, 6))
    array[::2, ::2] = X
    return array[::2, ::2]


ARRAYS = {
    "lists": lambda _: X.tolist(),
    "objects": lambda _: X.astype(object),
    "memory map": mapped,
    "read-only": read_only,
    "strided": strided,
    "fortran": lambda _: np.asfortranarray(X),
    "other byte order": lambda _: X.astype(">f8"),
}
TABLES = {
    "pandas": lambda _: pd.DataFrame(X, columns=NAMES),
    "pandas on arrow": lambda _: pd.DataFrame(X, columns=NAMES).convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda _: polars.DataFrame(X, schema=NAMES),
    "pyarrow": lambda _: pyarrow.table(columns()),
    "record batch": lambda _: pyarrow.record_batch(columns()),
    "capsule": lambda _: Capsule(pyarrow.table(columns())),
}


def plain(values):
    return values.toarray() if hasattr(values, "toarray") else np.asarray(values)


def answer(name, points, fitted=None):
    """What an estimator returns for points, fitted on them, with its defaults."""
    model = KINDS[name]()
    classes = is_classifier(model)
    with warnings.catch_warnings(action="ignore"):
        model.fit(points if fitted is None else fitted, LABELS if classes else Y)
        return model, plain((model.predict if hasattr(model, "predict") else model.transform)(points))


@pytest.fixture(scope="module")
def expected():
    return {name: answer(name, X)[1] for name in ESTIMATORS}


@pytest.mark.parametrize("form", ARRAYS)
def test_every_array_gives_the_same_numbers(form, expected, tmp_path):
    points = ARRAYS[form](tmp_path)
    np.testing.assert_array_equal(mercer.gaussian()(points), mercer.gaussian()(X))
    for name in ESTIMATORS:
        np.testing.assert_array_equal(answer(name, points)[1], expected[name], err_msg=name)


@pytest.mark.parametrize("form", TABLES)
def test_every_table_gives_the_same_numbers_and_names(form, expected, tmp_path):
    points = TABLES[form](tmp_path)
    np.testing.assert_array_equal(mercer.gaussian()(points), mercer.gaussian()(X))
    named = mercer.Kernel("on([height], linear())")(points)
    np.testing.assert_array_equal(named, np.multiply.outer(X[:, 1], X[:, 1]))
    for name in ESTIMATORS:
        model, found = answer(name, points)
        np.testing.assert_array_equal(found, expected[name], err_msg=name)
        assert list(model.feature_names_in_) == NAMES, name


def test_single_precision(expected):
    for name in ESTIMATORS:
        _, found = answer(name, X.astype(np.float32))
        if found.dtype.kind == "f" and expected[name].shape == found.shape and name != "KernelICA":
            np.testing.assert_allclose(found, expected[name], rtol=1e-2, atol=5e-3, err_msg=name)


def test_points_on_a_line_and_pairs_of_samples():
    table = polars.DataFrame({"x": X[:, 0]})
    plain_fit = mercer.SmoothingSpline(0.1).fit(X[:, 0], Y)
    np.testing.assert_array_equal(mercer.SmoothingSpline(0.1).fit(table, Y).predict(table), plain_fit.predict(X[:, 0]))
    series = mercer.SmoothingSpline(0.1).fit(table["x"], Y)
    np.testing.assert_array_equal(series.predict(table["x"]), plain_fit.predict(X[:, 0]))
    test = mercer.two_sample_test(X[:18], X[18:], "gaussian()", permutations=99).p_value
    arrow = pyarrow.table(columns())
    assert mercer.two_sample_test(arrow[:18], arrow[18:], "gaussian()", permutations=99).p_value == test


DATES = [datetime.datetime(2020, 1, 1 + i % 28) for i in range(36)]
DECIMALS = [decimal.Decimal(i) / 4 for i in range(36)]
WORDS = ["one", "two", "three"] * 12


@pytest.mark.parametrize("make", [pd.DataFrame, polars.DataFrame, pyarrow.table], ids=["pandas", "polars", "pyarrow"])
def test_columns_that_hold_no_numbers(make):
    for model, y in ((mercer.KernelRidge(), Y), (mercer.SVC(), LABELS), (mercer.KernelPCA(2), None)):
        with pytest.raises(ValueError, match="column 'when' of X holds dates or times .*days since a date"):
            model.fit(make({"x": X[:, 0], "when": DATES}), y)
        with pytest.raises(
            ValueError, match=r"column 'kind' of X holds texts or categories .*on\(\[kind\], delta\(\)\)"
        ):
            model.fit(make({"x": X[:, 0], "kind": WORDS}), y)
    with pytest.raises(ValueError, match="dates or times"):
        mercer.gaussian()(make({"x": X[:, 0], "when": DATES}))


@pytest.mark.parametrize("make", [pd.DataFrame, polars.DataFrame, pyarrow.table], ids=["pandas", "polars", "pyarrow"])
def test_texts_beside_the_columns_that_a_kernel_names(make):
    table = {"price": X[:, 0], "word": ["a", "b", "c"] * 12, "size": X[:, 1]}
    kernel = "on([price], gaussian(lengthscale=0.5)) + 0.5*on([size], linear())"
    frame = make(table)
    plain = pd.DataFrame({"price": X[:, 0], "size": X[:, 1]})
    np.testing.assert_array_equal(mercer.Kernel(kernel)(frame), mercer.Kernel(kernel)(plain))
    for model, y in (
        (mercer.KernelRidge(0.1, kernel=kernel), Y),
        (mercer.GaussianProcessRegressor(kernel, noise=0.1, optimize=False), Y),
        (mercer.SVC(kernel=kernel), LABELS),
        (mercer.Nystroem(kernel=kernel, n_components=5), None),
    ):
        found, expected = clone(model).fit(frame, y), clone(model).fit(plain, y)
        assert list(found.feature_names_in_) == ["price", "size"]
        act = "predict" if hasattr(model, "predict") else "transform"
        np.testing.assert_array_equal(getattr(found, act)(frame), getattr(expected, act)(plain))
        # A table that has no text there any more, and one without the column.
        np.testing.assert_array_equal(getattr(found, act)(make({**table, "word": Y})), getattr(expected, act)(plain))
        np.testing.assert_array_equal(
            getattr(found, act)(make({k: table[k] for k in plain})), getattr(expected, act)(plain)
        )
        if y is not None:
            scores = cross_validate(model, pd.DataFrame(table), y, cv=3, error_score="raise")["test_score"]
            assert np.isfinite(scores).all()
    # A kernel that sees all columns refuses the text, and names it.
    with pytest.raises(ValueError, match="word"):
        mercer.KernelRidge(kernel="on([price], gaussian()) + linear()").fit(frame, Y)


@pytest.mark.parametrize("make", [pd.DataFrame, polars.DataFrame, pyarrow.table], ids=["pandas", "polars", "pyarrow"])
def test_decimals_and_truth_values_are_numbers(make):
    table = make({"d": DECIMALS, "b": X[:, 0] > 0.5})
    numbers = np.column_stack([np.array(DECIMALS, dtype=float), X[:, 0] > 0.5])
    np.testing.assert_array_equal(mercer.gaussian()(table), mercer.gaussian()(numbers))
    found = mercer.KernelRidge(kernel="gaussian()").fit(table, Y).predict(table)
    np.testing.assert_array_equal(found, mercer.KernelRidge(kernel="gaussian()").fit(numbers, Y).predict(numbers))


def test_dates_in_arrays_and_missing_values():
    dates = np.array(DATES, dtype="datetime64[D]")[:, None]
    with pytest.raises(ValueError, match=r"X holds dates or times \(datetime64\[D\]\)"):
        mercer.KernelRidge().fit(dates, Y)
    holes = polars.DataFrame({"x": [None, *X[1:, 0].tolist()]})
    with pytest.raises(ValueError, match="NaN"):
        mercer.KernelRidge().fit(holes, Y)


@pytest.mark.parametrize("name", TRANSFORMERS)
@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_set_output(name, output):
    model = KINDS[name]()
    if name == "RandomBinningFeatures":
        model.set_output(transform=output)
        with pytest.raises(ValueError, match="outputs a scipy sparse matrix"):
            model.fit(X).transform(X)
        return
    found = (
        model.set_output(transform=output).fit(pd.DataFrame(X, columns=NAMES)).transform(pd.DataFrame(X, columns=NAMES))
    )
    assert isinstance(found, pd.DataFrame if output == "pandas" else polars.DataFrame)
    assert list(found.columns) == list(model.get_feature_names_out())
    assert str(found.columns[0]) == f"{name.lower()}0"


def test_metadata_routing():
    weights = np.linspace(0.5, 2, len(X))
    with sklearn.config_context(enable_metadata_routing=True):
        model = (
            mercer.KernelRidge(kernel="gaussian()")
            .set_fit_request(sample_weight=True)
            .set_score_request(sample_weight=True)
        )
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model)
        pipeline.fit(X, Y, sample_weight=weights)
        own = clone(model).fit(StandardScaler().fit_transform(X), Y, sample_weight=weights)
        np.testing.assert_array_equal(pipeline.predict(X), own.predict(StandardScaler().fit_transform(X)))
        search = GridSearchCV(model, {"alpha": [0.1, 1.0]}, cv=3).fit(X, Y, sample_weight=weights)
        assert search.best_params_["alpha"] in (0.1, 1.0)
        machine = mercer.SVC().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        assert "test_score" in cross_validate(machine, X, LABELS, params={"sample_weight": weights}, cv=3)


def _weighted(kind):
    """The name of the weights that a fit takes."""
    names = [name for name in signature(kind.fit).parameters if name in ("sample_weight", "weights")]
    return names[0] if names else None


WEIGHTED = sorted(name for name, kind in helpers.ESTIMATORS.items() if _weighted(kind))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_are_routed(name):
    """Weights reach the fit of every estimator that takes them, only where they were requested."""
    kind = helpers.ESTIMATORS[name]
    parameter, weights = _weighted(kind), np.where(np.arange(len(X)) % 3 == 0, 5.0, 0.2)
    given = {"estimator": mercer.SVC() if name == "ConformalClassifier" else mercer.KernelRidge()}
    model = kind(**given) if "estimator" in signature(kind).parameters else kind()
    if name == "NuSVC":
        # Larger ones are infeasible for classes of these weights.
        model.set_params(nu=0.1)
    x = X[:, :1] if name in OTHERS else X
    y = None if name in ("KernelKMeans", "OneClassSVM") else LABELS if is_classifier(model) else Y
    with sklearn.config_context(enable_metadata_routing=True):
        for inner in [model.estimator] if hasattr(model, "estimator") else []:
            inner.set_fit_request(sample_weight=True)
        pipeline = make_pipeline(FunctionTransformer(), clone(model).set_fit_request(**{parameter: True}))
        pipeline.fit(x, y, **{parameter: weights})
        own, without = clone(model).fit(x, y, **{parameter: weights}), clone(model).fit(x, y)
        with pytest.raises(UnsetMetadataPassedError, match=parameter):
            make_pipeline(FunctionTransformer(), clone(model)).fit(x, y, **{parameter: weights})
    found, expected, other = (_answer(fitted, x) for fitted in (pipeline[-1], own, without))
    np.testing.assert_array_equal(found, expected)
    assert not np.array_equal(expected, other)


def _answer(model, x):
    """Numbers that depend on the weights."""
    methods = ("decision_function", "predict_proba", "transform", "predict")
    return next(getattr(model, method)(x) for method in methods if hasattr(model, method))


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_joblib(backend):
    """The same bytes from every kind of worker; children of a fork start their own threads."""
    single = mercer.KernelRidge(0.1, kernel="gaussian()").fit(X, Y).predict(X)

    with joblib.parallel_config(backend=backend, n_jobs=2):
        found = joblib.Parallel()(joblib.delayed(_fitted)(X, Y) for _ in range(3))
    assert all(values.tobytes() == single.tobytes() for values in found)


def _fitted(points, targets):
    return mercer.KernelRidge(0.1, kernel="gaussian()").fit(points, targets).predict(points)


def test_tags():
    for name in ESTIMATORS:
        tags = KINDS[name]().__sklearn_tags__()
        assert tags.estimator_type == getattr(KINDS[name](), "_estimator_type", tags.estimator_type)
        assert tags.input_tags.two_d_array
    assert mercer.KernelRidge(kernel="precomputed").__sklearn_tags__().input_tags.pairwise
    assert not mercer.KernelRidge().__sklearn_tags__().input_tags.pairwise


@pytest.mark.skipif(not hasattr(mercer.KernelRidge, "set_callbacks"), reason="scikit-learn before 1.9")
class TestCallbacks:
    """Callbacks of scikit-learn 1.9: a fit is a task, and so is every chunk of a stream."""

    class Recorder:
        def __init__(self, stop_after=None):
            self.seen, self.stop_after = [], stop_after

        def setup(self, estimator, context):
            self.seen.append(("setup", context.task_name))

        def on_fit_task_begin(self, estimator, context, *, X=None):
            self.seen.append(("begin", context.task_name))

        def on_fit_task_end(self, estimator, context, *, X=None, y=None, fitted_estimator=None):
            self.seen.append(("end", context.task_name))
            if X is not None and hasattr(fitted_estimator, "predict"):
                self.predicted = fitted_estimator.predict(X)
            self.fitted = fitted_estimator
            done = self.seen.count(("end", "chunk")) + self.seen.count(("end", "pass"))
            return self.stop_after is not None and done >= self.stop_after

        def teardown(self, estimator, context):
            self.seen.append(("teardown", context.task_name))

    def test_a_fit_is_a_task(self):
        for model, y in (
            (mercer.KernelRidge(kernel="gaussian()"), Y),
            (mercer.SVC(), LABELS),
            (mercer.KernelKMeans(2), None),
        ):
            recorder = self.Recorder()
            model.set_callbacks(recorder).fit(X, y)
            # A fit of more than 50 ms has stages.
            seen = [(event, task) for event, task in recorder.seen if task == "fit"]
            assert seen == [("setup", "fit"), ("begin", "fit"), ("end", "fit"), ("teardown", "fit")]
            assert recorder.seen[:2] + recorder.seen[-2:] == seen
            np.testing.assert_array_equal(recorder.predicted, model.predict(X))

    def test_a_stream_stops_when_a_callback_says_so(self):
        recorder = self.Recorder(stop_after=2)
        model = mercer.StreamedKernelRidge(kernel="gaussian()", n_components=10).set_callbacks(recorder)
        model.fit_stream((X[i::4], Y[i::4]) for i in range(4))
        assert recorder.seen.count(("end", "chunk")) == 2
        assert model.n_samples_seen_ == 18
        assert recorder.seen[-1] == ("teardown", "fit")

    @pytest.mark.parametrize(
        ("model", "y"),
        [
            (mercer.StreamedKernelLogisticRegression(1e-3, kernel="gaussian()", n_components=10), LABELS),
            (mercer.KernelKMeans(6, kernel="gaussian()", n_landmarks=30, solver="streamed", random_state=0), None),
            (mercer.KernelPCA(2, kernel="gaussian()", n_landmarks=10, eigen_solver="streamed"), None),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_passes_are_tasks_after_which_a_callback_may_stop(self, model, y):
        recorder = self.Recorder()
        whole = clone(model).set_callbacks(recorder).fit(X, y)
        passes = recorder.seen.count(("end", "pass"))
        names = [("begin", "pass"), ("end", "pass")]
        first, last = [("setup", "fit"), ("begin", "fit")], [("end", "fit"), ("teardown", "fit")]
        assert recorder.seen == first + passes * names + last
        plain = clone(model).fit(X, y)
        method = "transform" if hasattr(model, "transform") else "decision_function"
        np.testing.assert_array_equal(getattr(whole, method)(X), getattr(plain, method)(X))
        if isinstance(model, mercer.KernelPCA):
            assert passes == 1
            return
        assert passes == plain.n_iter_ > 1
        recorder = self.Recorder(stop_after=1)
        stopped = clone(model).set_callbacks(recorder).fit(X, y)
        assert recorder.seen.count(("end", "pass")) == stopped.n_iter_ == 1
        assert not stopped.converged_
        # The same as with one pass at most, and as the model that the callback sees.
        limited = clone(model).set_params(max_iter=1).fit(X, y)
        expected = getattr(limited, method)(X)
        np.testing.assert_array_equal(getattr(stopped, method)(X), expected)
        np.testing.assert_array_equal(getattr(recorder.fitted, method)(X), expected)
        assert stopped.get_params() == clone(model).get_params()

    def test_stages_of_a_long_fit_are_tasks(self):
        rng = np.random.default_rng(0)
        x = rng.normal(size=(800, 2))
        y = np.sin(x[:, 0]) + 0.1 * rng.normal(size=800)
        recorder, model = self.Recorder(), mercer.GaussianProcessRegressor("1*gaussian(lengthscale=1)", noise=0.1)
        watched = clone(model).set_callbacks(recorder).fit(x, y)
        stages = [task for event, task in recorder.seen if event == "begin" and task not in ("fit", "step")]
        assert any("parameters of 1*gaussian" in stage for stage in stages)
        inside = recorder.seen[2:-2]
        depth = np.cumsum([1 if event == "begin" else -1 for event, _ in inside])
        assert (depth.min(), depth.max(), depth[-1]) == (0, 2, 0)
        assert inside.count(("begin", "step")) <= 20 * len(stages)
        plain = model.fit(x, y)
        np.testing.assert_array_equal(watched.predict(x[:9]), plain.predict(x[:9]))
        assert vars(watched).keys() - vars(plain).keys() == {"_skl_callbacks"}

    def test_an_error_in_a_stage_ends_the_fit(self):
        class Failing(self.Recorder):
            def on_fit_task_begin(self, estimator, context, *, X=None):
                super().on_fit_task_begin(estimator, context, X=X)
                if context.task_name != "fit":
                    raise RuntimeError("enough")

        recorder, x = Failing(), np.random.default_rng(0).normal(size=(800, 2))
        model = mercer.GaussianProcessRegressor("1*gaussian(lengthscale=1)", noise=0.1).set_callbacks(recorder)
        with pytest.raises(RuntimeError, match="enough"):
            model.fit(x, np.sin(x[:, 0]))
        assert recorder.seen[-1] == ("teardown", "fit")
        assert "_stages" not in vars(model)

    def test_stages_begin_again_with_other_work(self):
        from mercer._callbacks import Stages

        seen = []

        class Task:
            def __init__(self, name):
                self.name = name

            def subcontext(self, task_name, max_subtasks=0):
                return Task(f"{self.name}/{task_name}")

            def call_on_fit_task_begin(self, estimator):
                seen.append(("begin", self.name))

            def call_on_fit_task_end(self, estimator):
                seen.append(("end", self.name))

        stages = Stages(None, Task("fit"))
        for work, done, total in (("a", 0, 10), ("a", 1, 10), ("a", 1, 10), ("b", 0, 0), ("b", 10, 10), ("b", 0, 10)):
            stages(work, done, total)
        stages.close()
        stages.close()
        assert seen.count(("begin", "fit/a/step")) == 2
        # Nothing of nothing is no step; the work of the same name begins again.
        assert seen.count(("begin", "fit/b/step")) == 20
        names = [entry for entry in seen if "step" not in entry[1]]
        assert names == [(event, f"fit/{work}") for work in "abb" for event in ("begin", "end")]

    def test_every_pass_can_be_scored(self):
        from sklearn.callback import ScoringMonitor

        monitor = ScoringMonitor(scoring="neg_log_loss")
        model = mercer.StreamedKernelLogisticRegression(1e-3, kernel="gaussian()", n_components=10)
        model.set_callbacks(monitor).fit(X, LABELS)
        scores = [row["neg_log_loss"] for row in monitor.get_logs().data if row["task_name"] == "pass"]
        assert len(scores) == model.n_iter_
        assert scores[-1] > scores[0]
        assert "_pass_data" not in vars(model)

    def test_progress_reaches_the_estimators_of_a_pipeline(self, capsys):
        from sklearn.callback import ProgressBar

        pipeline = make_pipeline(StandardScaler(), mercer.KernelRidge())
        pipeline.set_callbacks(ProgressBar()).fit(X, Y)
        assert "KernelRidge" in capsys.readouterr().out

    def test_errors_tear_down(self):
        recorder = self.Recorder()
        with pytest.raises(ValueError, match="NaN"):
            mercer.KernelRidge().set_callbacks(recorder).fit(np.full((3, 1), np.nan), [1, 2, 3])
        assert recorder.seen[-1] == ("teardown", "fit")
