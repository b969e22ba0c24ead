"""Parameters of estimators as texts, numbers and lists for a model file, and back with the types that they had."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._covariance import is_kernel_object
from mercer._mercer import Kernel
from mercer._translation import is_plain_kernel, kernel_from_plain, kernel_to_plain

#: Kinds of arrays whose numbers or texts a file holds.
_KINDS = "biufU"


def to_plain(value: Any) -> Any:
    """Return a parameter as a file can hold it; ``NotImplemented`` for what no file can hold, such as a function."""
    if isinstance(value, Kernel):
        return str(value)
    if is_kernel_object(value):
        return kernel_to_plain(value)
    if isinstance(value, np.generic):
        return to_plain(value.item())
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, list):
        return _items(value)
    if isinstance(value, tuple):
        return _tagged("tuple", _items(value))
    if isinstance(value, dict):
        # Keys of JSON are texts: those of a dict, such as numbers of classes, would become texts too.
        return _tagged("pairs", _items([list(pair) for pair in value.items()]))
    return value if value is None or isinstance(value, (str, int, float, bool)) else NotImplemented


def _array(value: np.ndarray) -> Any:
    if value.dtype.kind == "O":
        return _items(value.tolist())
    if value.dtype.kind not in _KINDS:
        return NotImplemented
    return {"array": value.tolist(), "dtype": value.dtype.str}


def _items(values: Any) -> Any:
    found = [to_plain(item) for item in values]
    return NotImplemented if any(item is NotImplemented for item in found) else found


def _tagged(name: str, items: Any) -> Any:
    return items if items is NotImplemented else {name: items}


def from_plain(value: Any) -> Any:
    """Return the parameter that `to_plain` wrote."""
    if isinstance(value, list):
        return [from_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    if is_plain_kernel(value):
        return kernel_from_plain(value)
    if "array" in value:
        return np.array(value["array"], dtype=value["dtype"])
    if "tuple" in value:
        return tuple(from_plain(item) for item in value["tuple"])
    # Files that were written before 0.1.0 hold a dict as it is.
    return dict(from_plain(value["pairs"])) if "pairs" in value else value
