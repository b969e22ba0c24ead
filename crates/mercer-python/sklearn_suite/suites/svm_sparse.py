"""Support vector machines."""

import sklearn.svm

import mercer

FILE = "sklearn.svm.tests.test_sparse"


def stand_in() -> None:
    """Replace their support vector machines by ours, except the linear ones by coordinate descent."""
    for name in ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"):
        setattr(sklearn.svm, name, getattr(mercer, name))
