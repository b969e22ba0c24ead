"""Constructors: made from fields, with the signature that is documented."""

from __future__ import annotations

import inspect
from dataclasses import KW_ONLY, is_dataclass

import numpy as np
import pytest
from helpers import ESTIMATORS
from sklearn.base import BaseEstimator, clone, is_classifier

import mercer
from mercer._estimator import Estimator
from mercer._parameters import _kinds, check_between, parameters

X = np.random.default_rng(3).normal(size=(20, 1))


@parameters
class Base:
    rate: float = 0.5
    _: KW_ONLY
    depth: int = 3
    seed: int | None = None


@parameters
class Derived(Base, BaseEstimator):
    count: int = 7
    _: KW_ONLY
    depth: int = 5
    name: str = "a"


def test_keywords_of_a_class_come_before_those_of_its_bases():
    taken = inspect.signature(Derived).parameters
    assert [str(parameter).replace("'", "") for parameter in taken.values()] == [
        "rate: float = 0.5",
        "count: int = 7",
        "depth: int = 5",
        "name: str = a",
        "seed: int | None = None",
    ]
    assert [name for name in taken if taken[name].kind is inspect.Parameter.KEYWORD_ONLY] == ["depth", "name", "seed"]
    made = Derived(1.0, 2, seed=4)
    assert vars(made) == {"rate": 1.0, "count": 2, "depth": 5, "name": "a", "seed": 4}
    with pytest.raises(TypeError, match="positional"):
        Derived(1.0, 2, 3)
    with pytest.raises(TypeError, match="width"):
        Derived(width=1)
    assert Derived() != Derived()
    assert repr(Derived(2.0)) == "Derived(rate=2.0)"


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_parameter_is_stored_as_it_is(name):
    kind = ESTIMATORS[name]
    taken = list(inspect.signature(kind).parameters)
    assert sorted(taken) == kind._get_param_names()
    given = {parameter: object() for parameter in taken}
    made = kind(**given)
    assert vars(made) == given
    assert clone(made, safe=False).get_params(deep=False).keys() == given.keys()
    if issubclass(kind, Estimator):
        assert taken[-4:] == ["random_state", "n_jobs", "max_memory", "verbose"]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_values_of_a_wrong_type_are_refused_by_name(name):
    y = X[:, 0] > 0 if is_classifier(ESTIMATORS[name]()) else X[:, 0]
    data = (X, X) if name == "CoupledKernelEmbedding" else (X, y)
    checked = [parameter for parameter, _, _ in _kinds(ESTIMATORS[name]) if parameter != "verbose"]
    assert checked
    for parameter in checked:
        model = ESTIMATORS[name](**{parameter: "wrong"})
        with pytest.raises(ValueError, match=f"^{parameter} = 'wrong' is not allowed: it must be "):
            model.fit(*data)


def test_dask_hashes_the_fit_and_not_the_parameters_alone():
    """Of data classes it hashes the fields: two fits with equal parameters would be one task."""
    tokenize = pytest.importorskip("dask.base").tokenize
    x = np.arange(4.0)[:, None]
    one, other = (ESTIMATORS["KernelRidge"](0.1).fit(x, y) for y in (x[:, 0], -x[:, 0]))
    assert tokenize(one) != tokenize(other)
    assert not any(is_dataclass(kind) for kind in ESTIMATORS.values())


def test_a_number_between_two_others():
    check_between("level", 0.5, 0, 1)
    for wrong in (0, 1, 2.0, True, "0.5", None, float("nan")):
        with pytest.raises(ValueError, match=r"level = .* is not allowed: it must be a number between 0 and 1"):
            check_between("level", wrong, 0, 1)


TESTS = {
    "two_sample_test": (X, X + 1),
    "column_tests": (X, X + 1),
    "independence_test": (X, X + 1),
    "joint_independence_test": ([X, X + 1],),
    "interaction_test": (X, X + 1, X**2),
    "conditional_independence_test": (X, X + 1, X**2),
    "goodness_of_fit_test": (X, lambda x: -x),
}


@pytest.mark.parametrize("name", TESTS)
def test_numbers_of_tests_are_refused_by_name(name):
    test = getattr(mercer, name)
    numbers = [
        p for p in ("permutations", "level", "n_components", "block_size") if p in inspect.signature(test).parameters
    ]
    assert numbers[:2] == ["permutations", "level"]
    for parameter in numbers:
        for wrong in (-1, "a", None, float("nan"), *(() if parameter == "level" else (1.5, True, 2**70))):
            with pytest.raises(ValueError, match=f"{parameter} = .* is not allowed"):
                test(*TESTS[name], **{parameter: wrong})


COUNTS = [
    (lambda n: mercer.fourier_bound(n, 0.1), "n_frequencies"),
    (lambda n: mercer.fourier_bound(10, 0.1, dimension=n, diameter=1.0, second_moment=1.0), "dimension"),
    (lambda n: mercer.binning_bound(n, 0.1), "n_grids"),
    (lambda n: mercer.Spectrum("gaussian()", X, n_components=n), "n_components"),
    (lambda n: mercer.EmbeddingSketch("gaussian()", n, columns=1), "n_components"),
    (lambda n: mercer.EmbeddingSketch("gaussian()", columns=n), "columns"),
    (lambda n: mercer.MeanEmbedding("gaussian()", X).herd(n), "count"),
    (lambda n: mercer.KernelRidgeCV(kernel="gaussian()", lengthscales=n).fit(X, X[:, 0]), "lengthscales"),
    (lambda n: mercer.SVCCV(kernel="gaussian()", lengthscales=n).fit(X, X[:, 0] > 0), "lengthscales"),
    (lambda n: mercer.auto(X, X[:, 0], max_rows=n), "max_rows"),
    (lambda n: mercer.KernelKMeans(n).fit(X), "n_clusters"),
    (lambda n: mercer.RandomFourierFeatures(random_state=0).error_decay(X, [16], draws=n), "draws"),
    (lambda n: mercer.GaussianProcessRegressor(optimizer=None).fit(X, X[:, 0]).sample_y(X, n), "n_samples"),
    (lambda n: mercer.mmd(X, X + 1, n_jobs=n), "n_jobs"),
]


@pytest.mark.parametrize(("call", "name"), COUNTS)
def test_counts_are_refused_by_name(call, name):
    for wrong in (0, "a", float("nan"), 2**70, *(() if name == "n_jobs" else (-1,))):
        if (name == "lengthscales" and not isinstance(wrong, int)) or (name == "n_clusters" and wrong == 2**70):
            continue
        with pytest.raises((ValueError, MemoryError), match=name if wrong != 2**70 else None):
            call(wrong)


@pytest.mark.parametrize("wrong", [0, -1, "a", float("nan"), float("inf"), True])
def test_bounds_need_a_positive_error(wrong):
    for bound in (mercer.fourier_bound, mercer.binning_bound):
        with pytest.raises(ValueError, match="^eps = .* is not allowed: it must be a number"):
            bound(10, wrong)
    with pytest.raises(ValueError, match="^eps = .* is not allowed"):
        mercer.fourier_components(wrong, 0.1)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_counts_of_estimators_are_not_negative(name):
    """The compiled part would raise an OverflowError without the name."""
    y = X[:, 0] > 0 if is_classifier(ESTIMATORS[name]()) else X[:, 0]
    data = (X, X) if name == "CoupledKernelEmbedding" else (X, y)
    for parameter, kind, _ in _kinds(ESTIMATORS[name]):
        if kind == "int" and parameter != "n_jobs":
            with pytest.raises(ValueError, match=f"^{parameter} = -2 is not allowed: it must be a whole number"):
                ESTIMATORS[name](**{parameter: -2}).fit(*data)
    if "n_components" in inspect.signature(ESTIMATORS[name]).parameters:
        with pytest.raises(ValueError, match="^n_components = 0 is not allowed"):
            ESTIMATORS[name](n_components=0).fit(*data)
