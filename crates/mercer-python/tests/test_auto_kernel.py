"""``kernel="auto"``: the kernel of the kind of the points."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import mercer

RANDOM = np.random.default_rng(0)
VECTORS = RANDOM.normal(size=(40, 3))
STRINGS = ["".join(RANDOM.choice(list("abcd"), 9)) for _ in range(40)]
BAGS = mercer.Bags([RANDOM.normal(size=(3, 2)) for _ in range(40)])
TARGETS = RANDOM.normal(size=40)
CLASSES = np.arange(40) % 2

EXPECTED = [
    (VECTORS, "gaussian(lengthscale=median)"),
    (STRINGS, "normalized(spectrum(length=3))"),
    (BAGS, "gaussian_embedding(gaussian(lengthscale=median), lengthscale=median)"),
]
LEARNERS = [
    mercer.KernelRidge,
    mercer.KernelRidgeCV,
    mercer.SVC,
    mercer.SVR,
    mercer.OneClassSVM,
    mercer.KernelLogisticRegression,
    mercer.KernelPCA,
    mercer.KernelKMeans,
    mercer.SpectralClustering,
    mercer.Nystroem,
]


def targets_of(learner: type) -> np.ndarray:
    """Return classes for a classifier, numbers for all others."""
    return CLASSES if learner in (mercer.SVC, mercer.KernelLogisticRegression) else TARGETS


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(("points", "text"), EXPECTED, ids=["vectors", "strings", "bags"])
def test_auto_is_the_kernel_of_the_kind_of_the_points(learner: type, points: object, text: str) -> None:
    """The same kernel and the same answers as when it is written out, also after a fit of another kind."""
    auto = learner(kernel="auto").fit(STRINGS if points is not STRINGS else VECTORS, targets_of(learner))
    auto = auto.fit(points, targets_of(learner))
    written = learner(kernel=text).fit(points, targets_of(learner))
    assert str(auto.kernel_) == str(written.kernel_)
    answer = "predict" if hasattr(learner, "predict") else "transform"
    np.testing.assert_array_equal(getattr(auto, answer)(points), getattr(written, answer)(points))
    again = pickle.loads(pickle.dumps(auto))
    np.testing.assert_array_equal(getattr(again, answer)(points), getattr(written, answer)(points))


def test_auto_of_a_table_has_a_term_for_every_kind_of_column() -> None:
    """New rows are compared as those of the fit, whatever they would choose themselves."""
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"price": TARGETS, "color": ["red", "blue"] * 20})
    model = mercer.SVC(kernel="auto").fit(table, CLASSES)
    assert "delta()" in str(model.kernel_)
    assert model.predict(table.head(1))[0] == 0


def test_auto_of_two_views() -> None:
    """Every view has the kernel of its kind; one view alone is transformed too."""
    model = mercer.KernelCCA(1, kernels="auto").fit(VECTORS, STRINGS)
    assert [str(kernel).partition("(")[0] for kernel in model.kernels_] == ["gaussian", "normalized"]
    first, second = model.transform(VECTORS, STRINGS)
    alone = model.transform([None, STRINGS])
    assert alone[0] is None
    np.testing.assert_array_equal(alone[1], second)
    np.testing.assert_array_equal(model.transform(VECTORS), first)
    with pytest.raises(ValueError, match="at least one view"):
        model.transform([None, None])
