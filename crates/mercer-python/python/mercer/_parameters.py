"""Parameters of estimators: constructors from fields, and validation before the compiled part has them."""

from __future__ import annotations

import inspect
import math
from dataclasses import KW_ONLY, field, make_dataclass
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, TypeVar, dataclass_transform

import numpy as np

_Kind = TypeVar("_Kind")


@dataclass_transform(eq_default=False)
def parameters(kind: type[_Kind]) -> type[_Kind]:
    """Make the constructor of an estimator from the fields of its class and of its bases.

    A field is a parameter with its type and its default; those after ``_: KW_ONLY`` are keywords. Positional parameters
    of a base come first, keywords of a base last. The constructor is that of a data class with these fields, but the
    estimator is none: its state is more than its parameters, which is all that Dask hashes of a data class.
    """
    fields, keyword = {}, False
    for name, annotation in inspect.get_annotations(kind).items():
        if annotation == "KW_ONLY":
            keyword = True
        elif not annotation.startswith("ClassVar"):
            fields[name] = (annotation, vars(kind)[name], keyword)
    kind._fields = fields
    owners = [vars(base).get("_fields", {}) for base in kind.__mro__]
    known = {name: given for owned in reversed(owners) for name, given in owned.items()}
    positional = [name for name in known if not known[name][2]]
    keywords = [name for name in dict.fromkeys(name for owned in owners for name in owned) if known[name][2]]
    listed = [_field(name, *known[name]) for name in (*positional, *keywords)]
    made = make_dataclass(kind.__name__, listed, eq=False, repr=False, match_args=False)
    kind.__init__ = made.__init__
    kind.__init__.__qualname__, kind.__init__.__module__ = f"{kind.__qualname__}.__init__", kind.__module__
    return kind


def _field(name: str, annotation: str, default: Any, keyword: bool) -> tuple[str, str, Any]:
    return name, annotation, field(default=default, kw_only=keyword)


@parameters
class Computed:
    """The parameters that all estimators have: how to compute."""

    _: KW_ONLY
    random_state: Any = None
    n_jobs: int | None = None
    max_memory: int | str | None = None
    verbose: bool = False


#: What the parameters of the names mean, but for ``gamma``.
NAMES = """degree : float, default=3
        Degree of ``"poly"``.
    coef0 : float, default=1
        Offset of ``"poly"`` and ``"sigmoid"``.
    kernel_params : dict, optional
        Parameters of a kernel that is a function."""


@parameters
class KernelNames:
    """The parameters of scikit-learn's names of kernels, and of a kernel that is a function."""

    _: KW_ONLY
    gamma: Any = None
    degree: float = 3
    coef0: float = 1
    kernel_params: dict[str, Any] | None = None


#: The longest number that is shown with all its digits.
LONG = 25


def refuse(name: str, value: Any, allowed: str) -> None:
    """Raise the error that every parameter that is not allowed has; its kind is that of the library's error."""
    shown = repr(value)
    if isinstance(value, int) and len(shown) > LONG:
        shown = f"{shown[:8]}… ({len(shown)} digits)"
    error = ValueError(f"{name} = {shown} is not allowed: it must be {allowed}")
    error.kind = "parameter"
    raise error


def is_number(value: Any) -> bool:
    """Whether it is one real number; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def check_above(name: str, value: Any, low: float, *, infinite: bool = False) -> None:
    """Require a number above ``low``."""
    if not is_number(value) or not value > low or (math.isinf(value) and not infinite):
        refuse(name, value, f"a number above {low:g}" + (" (it may be infinite)" if infinite else ""))


def check_from(name: str, value: Any, low: float) -> None:
    """Require a finite number from ``low`` on."""
    if not is_number(value) or not (value >= low and math.isfinite(value)):
        refuse(name, value, f"a finite number from {low:g} on")


def check_number(name: str, value: Any) -> None:
    """Require a finite number."""
    if not is_number(value) or not math.isfinite(value):
        refuse(name, value, "a finite number")


def check_between(name: str, value: Any, low: float, high: float) -> None:
    """Require a number above ``low`` and below ``high``."""
    if not is_number(value) or not low < value < high:
        refuse(name, value, f"a number between {low:g} and {high:g}")


def check_share(name: str, value: Any) -> None:
    """Require a number above 0 and at most 1."""
    if not is_number(value) or not 0 < value <= 1:
        refuse(name, value, "a number above 0 and at most 1")


def check_count(name: str, value: Any, low: int, more: str = "") -> None:
    """Require an integer from ``low`` on, which the compiled part can read."""
    if not isinstance(value, Integral) or isinstance(value, bool) or not low <= value < 2**63:
        refuse(name, value, f"a whole number from {low} on{more}")


def check_flag(name: str, value: Any) -> None:
    """Require True or False."""
    if not isinstance(value, (bool, np.bool_)):
        refuse(name, value, "True or False")


def check_test(permutations: Any, level: Any, **counts: Any) -> None:
    """Require what all hypothesis tests have in common: a number of permutations, and a level."""
    # Limits of the null distribution need no permutations.
    check_count("permutations", permutations, 0)
    for name, value in counts.items():
        check_count(name, value, 1)
    if not is_number(level):
        refuse("level", level, "a number between 0 and 1")


def check_choice(name: str, value: Any, *allowed: str) -> None:
    """Require one of some words."""
    if not isinstance(value, str) or value not in allowed:
        words = [repr(word) for word in allowed]
        refuse(name, value, " or ".join([", ".join(words[:-1]), words[-1]]))


@lru_cache
def _kinds(estimator: type) -> list[tuple[str, str, bool]]:
    """Return the parameters of a class that have one type, with it, and whether they may be None."""
    found = []
    for name, parameter in inspect.signature(estimator.__init__).parameters.items():
        kind, _, more = str(parameter.annotation).partition(" | ")
        if kind in ("float", "int", "bool") and more in ("", "None"):
            found.append((name, kind, more == "None"))
    return found


#: The least values of whole numbers, which the compiled part could not read below 0; an estimator may have others in
#: ``_least``.
_LEAST = {
    "folds": 0,
    "max_iter": 0,
    "n_buckets": 1,
    "n_centers": 1,
    "n_components": 1,
    "n_grids": 1,
    "n_inducing": 1,
    "n_init": 1,
    "n_iter_no_change": 1,
    "n_landmarks": 1,
    "n_neighbors": 1,
    "order": 1,
    "refinements": 0,
}


def check_kinds(estimator: Any) -> None:
    """Check the types of parameters against the signature of an estimator, and that counts are none below 0."""
    least = _LEAST | getattr(estimator, "_least", {})
    for name, kind, may_be_none in _kinds(type(estimator)):
        value = getattr(estimator, name, None)
        if may_be_none and value is None:
            continue
        if kind == "float" and not is_number(value):
            refuse(name, value, "a number")
        if kind == "int" and (not isinstance(value, Integral) or isinstance(value, bool)):
            refuse(name, value, "a whole number")
        if kind == "int" and name in least:
            check_count(name, value, least[name])
        if kind == "bool" and name != "verbose":
            check_flag(name, value)
