"""Ridge regression over the partitions of a Spark data frame: ``pip install pyspark``, ``python spark_ridge.py``.

The data frame has a column ``row`` with the number of every row in the whole data. Each partition gives its statistics
as one row of bytes, which the driver adds up; the model has the bytes of a fit on one machine.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
import parts
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

import mercer


def fit(data: DataFrame, model: mercer.StreamedKernelRidge, inputs: list[str], target: str) -> Any:
    """Fit a model that has its features to all rows of a data frame."""

    def partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        merged = b""
        for batch in batches:
            column = {name: batch.column(name).to_numpy(zero_copy_only=False) for name in batch.schema.names}
            x = np.column_stack([column[name] for name in inputs]).astype(float)
            merged = parts.added(merged, parts.statistics(model, column["row"], x, column[target].astype(float)))
        yield pa.RecordBatch.from_pydict({"statistics": pa.array([merged], pa.binary())})

    rows = data.mapInArrow(partition, "statistics binary").toLocalIterator()
    return parts.finished(model, reduce(parts.added, (bytes(row.statistics) for row in rows)))


def main() -> None:
    """Fit rows in memory and the same rows in partitions, and compare the bytes."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20_000, 3))
    y = np.sin(x[:, 0]) + x[:, 1] * x[:, 2]
    settings = {"alpha": [1e-3, 1e-1], "kernel": "gaussian(lengthscale=1)", "n_components": 100, "random_state": 0}
    model = parts.start(x[:5_000], y[:5_000], **settings)
    here = model.without_rows().partial_fit(x, y)

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = SparkSession.builder.master("local[2]").getOrCreate()
    session.sparkContext.addPyFile(parts.__file__)
    table = pd.DataFrame({"row": np.arange(len(x)), "a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": y})
    data = session.createDataFrame(table).repartitionByRange(5, "row")
    there = fit(data, model, ["a", "b", "c"], "y")
    print(here.stream_ == there.stream_, there.alpha_)
    session.stop()


if __name__ == "__main__":
    main()
