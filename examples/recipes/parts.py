"""What the recipes share: the statistics of rows that came in any order, as bytes, and their sum.

Rows carry their numbers in the whole data, from 0 on without gaps: folds and blocks are found by them, so that the
answer does not depend on how a cluster cut the rows. Partitions should hold ranges of numbers: shuffled rows give the
same answer, but every gap starts statistics of its own.
"""

from __future__ import annotations

import numpy as np

import mercer


def start(sample: np.ndarray, targets: np.ndarray, **settings: object) -> mercer.StreamedKernelRidge:
    """Return a model that has its features from a sample, and has seen no rows."""
    return mercer.StreamedKernelRidge(**settings).partial_fit(sample, targets).without_rows()


def statistics(model: mercer.StreamedKernelRidge, rows: np.ndarray, x: np.ndarray, y: np.ndarray) -> bytes:
    """Return the statistics of some rows: those of every run of consecutive numbers, merged."""
    order = np.argsort(rows)
    merged = None
    for run in np.split(order, np.flatnonzero(np.diff(rows[order]) != 1) + 1):
        if len(run):
            part = model.without_rows(int(rows[run[0]])).partial_fit(x[run], y[run])
            merged = part if merged is None else merged.merge(part)
    return b"" if merged is None else merged.stream_.to_bytes()


def added(first: bytes, second: bytes) -> bytes:
    """Return the sum of two statistics; empty bytes are the statistics of no rows."""
    if not first or not second:
        return first or second
    merged = mercer.RidgeStream.from_bytes(first)
    merged.merge(mercer.RidgeStream.from_bytes(second))
    return merged.to_bytes()


def finished(model: mercer.StreamedKernelRidge, merged: bytes) -> mercer.StreamedKernelRidge:
    """Return the fitted model."""
    fitted = model.without_rows()
    fitted.stream_ = mercer.RidgeStream.from_bytes(merged)
    fitted.n_samples_seen_ = fitted.stream_.rows
    return fitted
