"""What the tests of several files use."""

import numpy as np

import mercer

#: The classes of all estimators, by name.
ESTIMATORS = {name: kind for name in mercer.__all__ if hasattr(kind := getattr(mercer, name), "get_params")}


def standardized(x):
    """Columns of mean 0 and variance 1."""
    x = np.array(x)
    return (x - x.mean(axis=0)) / x.std(axis=0)
