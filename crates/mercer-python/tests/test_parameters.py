"""Constructors: made from fields, with the signature that is documented."""

from __future__ import annotations

import inspect
from dataclasses import KW_ONLY, is_dataclass

import numpy as np
import pytest
from helpers import ESTIMATORS
from sklearn.base import BaseEstimator, clone, is_classifier

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
