"""Support vector machines."""

import sklearn.svm

import mercer

FILE = "sklearn.svm.tests.test_svm"


def stand_in() -> None:
    """Put our machines in the place of theirs; linear machines by coordinate descent stay theirs."""
    for name in ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"):
        setattr(sklearn.svm, name, getattr(mercer, name))
