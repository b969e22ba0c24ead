"""Choices at the border of what was tried."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any


class BorderWarning(UserWarning):
    """A search chose a number at an end of its range: the optimum may lie beyond.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import mercer
    >>> x = np.linspace(0, 6, 40)[:, None]
    >>> model = mercer.KernelRidgeCV([1e-3, 1e-2, 1e-1], kernel="gaussian()", lengthscales=[8.0, 16.0, 32.0])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = model.fit(x, np.sin(5 * x[:, 0]))
    >>> any(issubclass(found.category, mercer.BorderWarning) for found in caught)
    True
    """


def searched(parameter: str, first: tuple[float, float], last: tuple[float, float], chosen: float, at: bool) -> dict:
    """Return what a search tried of one number, as plain data."""
    return {"parameter": parameter, "first": list(first), "range": list(last), "chosen": chosen, "at_border": at}


def searched_list(parameter: str, values: Sequence[Any], chosen: Any, perfect: bool = False) -> list[dict]:
    """Return the same of a list that is not extended; nothing where there is nothing to choose from."""
    numbers = sorted({float(value) for value in values if value is not None})
    if chosen is None or len(numbers) < 2:
        return []
    ends = (numbers[0], numbers[-1])
    return [searched(parameter, ends, ends, float(chosen), not perfect and float(chosen) in ends)]


def warn_at_borders(ranges: list[dict], counts: dict[str, int], stacklevel: int = 3) -> None:
    """Warn of every number at an end of its range; a range of two values is not checked."""
    for found in ranges:
        if found["at_border"] and counts.get(found["parameter"], 3) >= 3:
            low, high = found["range"]
            message = (
                f"the best {found['parameter']}, {found['chosen']:.4g}, is at the border of the search range "
                f"({low:.4g} to {high:.4g}): the optimum may lie beyond"
            )
            warnings.warn(message, BorderWarning, stacklevel=stacklevel + 1)


def warn_at_limit(parameter: str, chosen: float, limits: str, stacklevel: int = 3) -> None:
    """Warn of a number at an end of a range without a list of values."""
    message = f"the best {parameter}, {chosen:.4g}, is at the border of the search range ({limits})"
    warnings.warn(message, BorderWarning, stacklevel=stacklevel)
