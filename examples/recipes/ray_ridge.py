"""Ridge regression over the blocks of a Ray dataset: ``pip install ray``, ``python ray_ridge.py``.

The dataset has a column ``row`` with the number of every row in the whole data. Each block gives its statistics, which
Ray adds up; the model has the bytes of a fit on one machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import parts
import ray
from ray.data.aggregate import AggregateFn

import mercer


def fit(data: ray.data.Dataset, model: mercer.StreamedKernelRidge, inputs: list[str], target: str) -> Any:
    """Fit a model that has its features to all rows of a dataset."""

    def block(merged: bytes, table: Any) -> bytes:
        columns = {name: np.asarray(table[name]) for name in ("row", target, *inputs)}
        x = np.column_stack([columns[name] for name in inputs]).astype(float)
        return parts.added(merged, parts.statistics(model, columns["row"], x, columns[target].astype(float)))

    total = AggregateFn(
        init=lambda _: b"", accumulate_block=block, merge=parts.added, finalize=lambda merged: merged, name="statistics"
    )
    return parts.finished(model, data.aggregate(total)["statistics"])


def main() -> None:
    """Fit rows in memory and the same rows in blocks, and compare the bytes."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20_000, 3))
    y = np.sin(x[:, 0]) + x[:, 1] * x[:, 2]
    settings = {"alpha": [1e-3, 1e-1], "kernel": "gaussian(lengthscale=1)", "n_components": 100, "random_state": 0}
    model = parts.start(x[:5_000], y[:5_000], **settings)
    here = model.without_rows().partial_fit(x, y)

    table = {"row": np.arange(len(x)), "a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": y}
    data = ray.data.from_pandas(pd.DataFrame(table)).repartition(7)
    there = fit(data, model, ["a", "b", "c"], "y")
    print(here.stream_ == there.stream_, there.alpha_)


if __name__ == "__main__":
    main()
