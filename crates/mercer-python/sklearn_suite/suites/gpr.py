"""Gaussian process regression, with scikit-learn's own kernel objects."""

import sklearn.gaussian_process

import mercer

FILE = "sklearn.gaussian_process.tests.test_gpr"


def stand_in() -> None:
    """Replace their class by ours."""
    sklearn.gaussian_process.GaussianProcessRegressor = mercer.GaussianProcessRegressor
