"""Rows in memory as Dask collections with given partitions."""

import numpy as np
import pandas as pd
import pytest

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

#: What Dask and its workers warn of.
IGNORED = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::UserWarning")


class Cuts:
    """Ways to cut rows into partitions, by the number of these: their lengths, some of which may be 0."""

    def __init__(self, cuts, names):
        self.cuts, self.names = cuts, names

    def parts(self, values, cut):
        ends = np.cumsum(self.cuts[cut])
        return [values[end - rows : end] for end, rows in zip(ends, self.cuts[cut], strict=True)]

    def array(self, values, cut):
        return da.from_array(values, chunks=(self.cuts[cut], *values.shape[1:]))

    def unknown(self, values, cut):
        """An array whose chunks have no known size."""
        shape = (np.nan, *values.shape[1:])
        delayed = [dask.delayed(part) for part in self.parts(values, cut)]
        blocks = [da.from_delayed(part, shape=shape, dtype=float) for part in delayed]
        return da.concatenate(blocks, allow_unknown_chunksizes=True)

    def frame(self, values, cut):
        """A data frame, or a series."""
        whole = pd.DataFrame(values, columns=self.names) if values.ndim == 2 else pd.Series(values, name="y")
        delayed = [dask.delayed(part) for part in self.parts(whole, cut)]
        return dd.from_delayed(delayed, meta=whole.iloc[:0], verify_meta=False)
