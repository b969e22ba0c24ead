"""Gaussian process regression, with scikit-learn's own kernel objects."""

import sklearn.gaussian_process

import mercer

FILE = "sklearn.gaussian_process.tests.test_gpr"


def stand_in() -> None:
    """Put our class in the place of theirs."""
    sklearn.gaussian_process.GaussianProcessRegressor = mercer.GaussianProcessRegressor
