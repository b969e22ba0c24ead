"""Tests and sketches of Dask collections: rows in partitions, the bytes of one machine."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._dask import SAMPLE, Partitions, merged_by_tree
from mercer._features import seed_of
from mercer._mercer import TestStream, sample_rows
from mercer._samples import Options, chosen, how

#: Methods of tests that partitions can have.
_METHODS = ("auto", "features", "spectral")


def two_sample(X: Any, Y: Any, kernel: Any, method: str, choices: dict[str, Any], options: Options) -> dict[str, Any]:
    """Test two Dask collections through features."""
    _check(method, choices)
    first, second = Partitions(X=_table(X, "X")), Partitions(called="Y", X=_table(Y, "Y"))
    if first.columns() != second.columns():
        raise ValueError(f"X has the columns {_listed(first.columns())}, and Y has {_listed(second.columns())}")
    second.move(first.rows)
    given = _seeded(options)
    rows = sample_rows(first.rows + second.rows, SAMPLE, random_state=given["random_state"])
    parts = [first.taken(rows[rows < first.rows]), second.taken(rows[rows >= first.rows])]
    sample = np.concatenate([np.asarray(part, dtype=np.float64) for part in parts if len(part)])
    stream = TestStream.two_sample(
        first.rows, _kernel(kernel, first), choices["n_components"], choices["permutations"], choices["level"], sample,
        **given,
    )  # fmt: skip
    both = first.statistics(stream, given)
    both.merge(second.statistics(stream, given), **given)
    return both.finish(**given)


def independence(
    X: Any, Y: Any, kernels: tuple[Any, Any], method: str, choices: dict[str, Any], options: Options
) -> dict[str, Any]:
    """Test two variables in Dask collections through features."""
    _check("auto" if method == "permutation" else method, choices)
    both = Partitions(X=_table(X, "X"), y=_table(Y, "Y"))
    second = Partitions(called="Y", X=_table(Y, "Y"))
    given = _seeded(options)
    rows = sample_rows(both.rows, SAMPLE, random_state=given["random_state"])
    samples = [np.asarray(part.taken(rows), dtype=np.float64) for part in (both, second)]
    numbers = (choices["n_components"], choices["permutations"], choices["level"])
    stream = TestStream.independence(
        _kernel(kernels[0], both), _kernel(kernels[1], second), *numbers, *samples, **given
    )
    return both.statistics(stream, given).finish(**given)


def sketched(sketch: Any, X: Any) -> Any:
    """Return a sketch with the rows of all partitions added."""
    import dask

    rows = Partitions(X=_table(X, "X"))
    add = dask.delayed(_add)
    empty = dask.delayed(sketch.empty())
    blocks = zip(rows.blocks["X"], rows.starts, strict=True)
    parts = [add(empty, block, number, start) for number, (block, start) in enumerate(blocks)]
    return sketch.merge(merged_by_tree(parts, _merge_sketches))


def _add(sketch: Any, block: Any, number: int, start: int) -> Any:
    from mercer._dask import _numbers, _worker

    if len(block) == 0:
        return sketch
    return sketch.add(_numbers("X", block, number, start), **_worker({}))


def _merge_sketches(parts: list[Any]) -> Any:
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merge(part)
    return merged


def _check(method: str, choices: dict[str, Any]) -> None:
    if method not in _METHODS:
        raise ValueError(f"method = {method!r} is not allowed: Dask collections are tested by 'features'")
    if choices.get("strata") is not None:
        raise ValueError("strata: Dask collections are tested without relabeling, and have none")


def _table(value: Any, name: str) -> Any:
    """Return a collection with a row per point."""
    if not hasattr(value, "to_delayed"):
        raise TypeError(f"{name} must be a Dask collection where the other sample is one")
    if value.ndim == 1:
        return value.to_frame() if hasattr(value, "to_frame") else value[:, None]
    return value


def _seeded(options: Options) -> dict[str, Any]:
    """Return the compute options with a number as the seed, the same for all tasks."""
    given = how(options)
    return {**given, "random_state": seed_of(given["random_state"])}


def _kernel(kernel: Any, rows: Partitions) -> Any:
    names = rows.columns()
    width = names if isinstance(names, int) else len(names)
    found = chosen(kernel, np.zeros((1, width)))
    return found if found is None or isinstance(names, int) else found.with_column_names(names)


def _listed(columns: Any) -> str:
    return str(columns) if isinstance(columns, int) else ", ".join(columns)
