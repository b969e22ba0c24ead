"""Dask arrays and data frames: rows in partitions, on one machine or many.

Nothing here needs a client: plain delayed tasks make statistics of every partition, which are merged by a tree over the
partitions. The rows have their numbers in the whole data, so that the answer does not depend on the partitions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._mercer import sample_rows

#: Rows in which medians and landmarks are found, where there are more.
SAMPLE = 10_000
#: Statistics that a task merges.
_MERGED = 4


def is_dask(*values: Any) -> bool:
    """Whether one of the values is a Dask collection; Dask is not imported for it."""
    return any(type(value).__module__.partition(".")[0] in ("dask", "dask_expr") for value in values)


class Partitions:
    """The rows of Dask collections that belong together: points, and targets or weights where there are any."""

    def __init__(self, called: str = "X", **collections: Any) -> None:
        """Bring the collections, whose names are those of the parameters, to the same partitions.

        Messages call the points ``called``.
        """
        self.called = called
        given = {name: value for name, value in collections.items() if value is not None}
        if not is_dask(given["X"]):
            raise TypeError("X must be a Dask collection where y or sample_weight is one")
        chunks = _chunks(given["X"])
        self.blocks = {name: _blocks(_aligned(value, chunks)) for name, value in given.items() if is_dask(value)}
        counts = {name: len(blocks) for name, blocks in self.blocks.items()}
        for name, count in counts.items():
            if count != counts["X"]:
                raise ValueError(
                    f"X has {counts['X']} partitions and {name} has {count}: give them the same partitions"
                )
        self.lengths = self._survey(given["X"], chunks)
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)]).astype(int).tolist()
        self.rows = self.starts.pop()
        if self.rows == 0:
            raise ValueError(f"{called} has no rows in any of its partitions")
        for name, value in given.items():
            if name not in self.blocks:
                self.blocks[name] = self._split(name, np.asarray(value))

    def columns(self) -> Any:
        """Return the names of the columns of X, or their number."""
        return self._column_names

    def move(self, first_row: int) -> None:
        """Let the rows be numbered from this one on."""
        self.starts = [start + first_row for start in self.starts]

    def _survey(self, X: Any, chunks: tuple[int, ...] | None) -> list[int]:
        """Return the rows of every partition, in one cheap pass where they or the columns are not known."""
        if chunks is not None:
            self._column_names: Any = int(X.shape[1])
            return list(chunks)
        import dask

        facts = dask.compute([dask.delayed(_facts)(block) for block in self.blocks["X"]])[0]
        for number, (_, columns) in enumerate(facts):
            if columns != facts[0][1]:
                own, first = _shown(columns), _shown(facts[0][1])
                called = self.called
                raise ValueError(f"partition {number} of {called} has the columns {own}, and partition 0 has {first}")
        self._column_names = facts[0][1] if facts else 0
        return [rows for rows, _ in facts]

    def _split(self, name: str, values: np.ndarray) -> list[np.ndarray]:
        """Cut values in memory as X is cut."""
        if len(values) != self.rows:
            raise ValueError(f"X has {self.rows} rows and {name} has {len(values)}")
        return [values[start : start + length] for start, length in zip(self.starts, self.lengths, strict=True)]

    def sample(self, size: int, seed: int) -> tuple[Any, np.ndarray]:
        """Return at most so many rows of X, drawn by their numbers in the whole data, and these numbers."""
        rows = sample_rows(self.rows, size, random_state=seed)
        return self.taken(rows), rows

    def taken(self, rows: np.ndarray) -> Any:
        """Return the rows of X with these numbers, which are in increasing order."""
        import dask

        tasks = []
        for number, (start, length) in enumerate(zip(self.starts, self.lengths, strict=True)):
            own = rows[np.searchsorted(rows, start) : np.searchsorted(rows, start + length)] - start
            if len(own):
                block = self.blocks["X"][number]
                tasks.append(dask.delayed(_taken)(self.called, block, own, number, start, self.lengths[number]))
        return _stacked(dask.compute(tasks)[0]) if tasks else np.empty((0, 0))

    def values(self, name: str, rows: np.ndarray) -> np.ndarray:
        """Return the numbers of a collection at some rows, which are in increasing order."""
        import dask

        tasks = []
        for number, (start, length) in enumerate(zip(self.starts, self.lengths, strict=True)):
            own = rows[np.searchsorted(rows, start) : np.searchsorted(rows, start + length)] - start
            if len(own):
                tasks.append(dask.delayed(_picked)(name, self.blocks[name][number], own, number, start))
        return np.concatenate(dask.compute(tasks)[0])

    def distinct(self, name: str) -> np.ndarray:
        """Return the different values of a collection, in order."""
        import dask

        look = dask.delayed(_distinct)
        found = dask.compute([look(name, block, number) for number, block in enumerate(self.blocks[name])])[0]
        return np.unique(np.concatenate([values for values in found if len(values)]))

    def encode(self, name: str, values: np.ndarray) -> None:
        """Replace the values of a collection by their numbers among some."""
        import dask

        code, values = dask.delayed(_codes), dask.delayed(values)
        self.blocks[name] = [code(block, values) for block in self.blocks[name]]

    def statistics(self, template: Any, options: dict[str, Any]) -> Any:
        """Return the merged statistics of all partitions; each begins with a copy of the template without rows."""
        import dask

        template, update = dask.delayed(template), dask.delayed(_statistics)
        others = [self.blocks.get(name, [None] * len(self.lengths)) for name in ("y", "sample_weight")]
        parts = [
            update(template, block, y, weights, (self.called, number, start, length), options)
            for number, (block, y, weights, start, length) in enumerate(
                zip(self.blocks["X"], *others, self.starts, self.lengths, strict=True)
            )
        ]
        return merged_by_tree(parts, _merged, options)


def merged_by_tree(parts: list[Any], merge: Any, *given: Any) -> Any:
    """Return what delayed parts come to, merged a few at a time in a tree that their order fixes."""
    import dask

    merge = dask.delayed(merge)
    while len(parts) > 1:
        parts = [merge(parts[at : at + _MERGED], *given) for at in range(0, len(parts), _MERGED)]
    return dask.compute(parts[0])[0]


def lazy(model: Any, method: str, X: Any, columns: int | None, dtype: Any = np.float64) -> Any:
    """Return what a method of a fitted model gives for every row of a Dask collection; nothing is computed yet.

    Of an array it is an array; of a data frame a series, or a data frame, with the same index.
    """
    import dask
    import dask.array

    if not hasattr(X, "chunks"):
        return _lazy_frame(model, method, X, columns, dtype)
    chunks = _chunks(X)
    blocks = _blocks(_aligned(X, chunks))
    lengths = [np.nan] * len(blocks) if chunks is None else chunks
    tail = () if columns is None else (columns,)
    model, call = dask.delayed(model), dask.delayed(_called, pure=True)
    parts = [
        dask.array.from_delayed(call(model, method, block, number, tail, dtype), shape=(length, *tail), dtype=dtype)
        for number, (block, length) in enumerate(zip(blocks, lengths, strict=True))
    ]
    return dask.array.concatenate(parts, axis=0, allow_unknown_chunksizes=True)


def _lazy_frame(model: Any, method: str, X: Any, columns: int | None, dtype: Any) -> Any:
    import dask
    import pandas

    empty = np.empty(0 if columns is None else (0, columns), dtype=dtype)
    meta = pandas.Series(empty) if columns is None else pandas.DataFrame(empty)
    given = (dask.delayed(model), method, columns, dtype)
    return X.map_partitions(_called_frame, *given, meta=meta, enforce_metadata=False)


def _called_frame(block: Any, model: Any, method: str, columns: int | None, dtype: Any) -> Any:
    """Return what a method gives for the rows of a partition of a frame, with their index."""
    import pandas

    kind, tail = (pandas.Series, ()) if columns is None else (pandas.DataFrame, (columns,))
    if len(block) == 0:
        return kind(np.empty((0, *tail), dtype=dtype), index=block.index)
    return kind(np.asarray(getattr(model, method)(block), dtype=dtype), index=block.index)


def partition_names(y: Any) -> list[str] | None:
    """Return the names of the targets of a frame or series; those of Dask arrays are names of tasks."""
    # What stands on scikit-learn is not imported by `import mercer`.
    from mercer._estimator import target_names

    return None if hasattr(y, "chunks") else target_names(y)


def _chunks(X: Any) -> tuple[int, ...] | None:
    """Return the rows of every partition of an array, if they are known."""
    chunks = getattr(X, "chunks", None)
    if chunks is None or any(np.isnan(length) for length in chunks[0]):
        return None
    return tuple(int(length) for length in chunks[0])


def _aligned(value: Any, chunks: tuple[int, ...] | None) -> Any:
    """Return a collection with the rows of these chunks, and all columns in one."""
    if not hasattr(value, "chunks"):
        return value
    known = _chunks(value)
    if value.ndim > 1 and value.numblocks[1] > 1:
        value = value.rechunk({1: -1})
    if known is not None and chunks is not None and known != chunks and sum(known) == sum(chunks):
        value = value.rechunk({0: chunks})
    return value


def _blocks(value: Any) -> list[Any]:
    """Return the partitions of an array or a frame as delayed values."""
    blocks = value.to_delayed()
    return blocks.ravel().tolist() if isinstance(blocks, np.ndarray) else list(blocks)


def _columns(block: Any) -> Any:
    """Return the names of the columns, or their number."""
    names = getattr(block, "columns", None)
    return np.shape(block)[1] if names is None else [str(name) for name in names]


def _facts(block: Any) -> tuple[int, Any]:
    return len(block), _columns(block)


def _shown(columns: Any) -> str:
    return str(columns) if isinstance(columns, int) else ", ".join(columns)


def _stacked(parts: list[Any]) -> Any:
    """Return rows below each other: a frame of frames, an array of arrays."""
    if hasattr(parts[0], "columns"):
        import pandas

        return pandas.concat(parts, ignore_index=True)
    return np.concatenate(parts)


def _taken(called: str, block: Any, rows: np.ndarray, number: int, start: int, length: int) -> Any:
    """Return some rows of a partition."""
    _check_length(called, block, number, length)
    taken = block.iloc[rows] if hasattr(block, "iloc") else np.asarray(block)[rows]
    _numbers(called, taken, number, start, rows)
    return taken


def _picked(name: str, block: Any, rows: np.ndarray, number: int, start: int) -> np.ndarray:
    """Return the numbers of some rows of a partition."""
    return _numbers(name, np.asarray(block)[rows], number, start, rows)


def _check_length(name: str, block: Any, number: int, length: int) -> None:
    if len(block) != length:
        raise ValueError(f"partition {number} of {name} has {len(block)} rows, where {length} were expected")


def _numbers(name: str, block: Any, number: int, start: int, rows: np.ndarray | None = None) -> np.ndarray:
    """Return finite doubles, or raise an error that names the partition and the row."""
    try:
        values = np.ascontiguousarray(block, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"partition {number} of {name} holds values that are not numbers: {error}") from None
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row = int(bad[0][0])
        value = values[tuple(bad[0])]
        row = row if rows is None else int(rows[row])
        column = f", column {_name(block, int(bad[0][1]))}" if values.ndim > 1 else ""
        word = "NaN" if np.isnan(value) else str(value)
        raise ValueError(
            f"{name} has {word} in partition {number}, row {row}{column} (row {start + row} of all): "
            "only finite numbers are allowed"
        )
    return values


def _name(block: Any, column: int) -> str:
    names = getattr(block, "columns", None)
    return str(column) if names is None else str(names[column])


def _distinct(name: str, block: Any, number: int) -> np.ndarray:
    """Return the different values of a partition, none of which may be missing."""
    values = np.asarray(block)
    missing = np.flatnonzero(values != values)  # NaN alone differs from itself
    if len(missing):
        raise ValueError(f"{name} has NaN in partition {number}, row {missing[0]}: every row needs a class")
    return np.unique(values)


def _codes(block: Any, values: np.ndarray) -> np.ndarray:
    """Return the numbers of values among those that are known, in order."""
    return np.searchsorted(values, np.asarray(block)).astype(np.float64)


def _statistics(template: Any, x: Any, y: Any, weights: Any, place: tuple[str, int, int, int], options: Any) -> Any:
    """Return the statistics of a partition, whose rows have their numbers in the whole data."""
    called, number, start, length = place
    stream = template.without_rows(start)
    given = []
    for name, block in ((called, x), ("y", y), ("sample_weight", weights)):
        if block is not None:
            _check_length(name, block, number, length)
            given.append(_numbers(name, block, number, start))
        else:
            given.append(None)
    if length == 0:
        return stream
    if given[1] is not None:
        given[1] = given[1].reshape(length, -1)
    try:
        stream.update(*given, **_worker(options))
    except ValueError as error:
        raise ValueError(f"partition {number}: {error}") from None
    return stream


def _merged(parts: list[Any], options: Any) -> Any:
    """Return the statistics of several parts; the parts stay as they are, as tasks may run again."""
    merged = parts[0].without_rows()
    for part in parts:
        merged.merge(part, **_worker(options))
    return merged


def _worker(options: dict[str, Any]) -> dict[str, Any]:
    """Return how to compute in a task: one thread, and the share of the memory of the worker."""
    options = {**options, "n_jobs": 1, "verbose": False}
    try:
        from distributed import get_worker

        worker = get_worker()
        limit = worker.memory_manager.memory_limit
        if limit and "max_memory" not in options:
            options["max_memory"] = int(limit) // worker.state.nthreads
    except (ImportError, ValueError, AttributeError):
        pass
    return options


def _called(model: Any, method: str, block: Any, number: int, tail: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Return what a method gives for the rows of a partition; nothing for none."""
    if len(block) == 0:
        return np.empty((0, *tail), dtype=dtype)
    try:
        return np.asarray(getattr(model, method)(block), dtype=dtype)
    except ValueError as error:
        raise ValueError(f"partition {number}: {error}") from None
