"""Every kind of error that the library has, through Python: the class of the exception, its `kind`, and its words."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer._mercer import error_kinds

X = np.linspace(0.0, 1.0, 12)[:, None]
Y = np.sin(3 * X[:, 0])
K = mercer.gaussian(lengthscale=1)(X)

#: Kinds that no call gives with these classes, and where they are tested.
ELSEWHERE = {
    "canceled": "test_compute.py: Ctrl-C raises KeyboardInterrupt, a time limit TimeoutError",
    "exists": "checkpoints are files of the command line",
    "not_converged": "solvers fall back to others, or warn",
    "undefined": "searches show the error of the first candidate where it has one",
}


def own_gram(x, y):
    return np.exp(-0.5 * (x - y.T) ** 2)


ROWS = [
    (
        "request",
        lambda: mercer.SVCCV(kernel="linear()", cv=[([0, 1], [2, 3])]).fit(X, np.arange(12) % 2),
        ValueError,
        "row 0 is in no fold",
    ),
    ("parameter", lambda: mercer.KernelRidge(-1.0).fit(X, Y), ValueError, r"^alpha = -1 is not allowed: .*at least 0"),
    ("parameter", lambda: mercer.SmoothingSpline(-1.0).fit(X[:, 0], Y), ValueError, "^lam = -1 is not allowed"),
    ("parameter", lambda: mercer.KernelRidge(n_centers=0).fit(X, Y), ValueError, "^n_centers = 0 is not allowed"),
    (
        "parameter",
        lambda: mercer.fourier_bound(10, 0),
        ValueError,
        "^eps = 0 is not allowed: it must be a number above 0",
    ),
    ("syntax", lambda: mercer.Kernel("gausian()"), ValueError, "did you mean `gaussian`"),
    ("shape", lambda: mercer.wiener()(np.zeros((2, 3))), ValueError, "one column.*expected 1, found 3"),
    (
        "too_few",
        lambda: mercer.two_sample_test(X[:1], X),
        ValueError,
        "points of the first sample .*at least 2, found 1",
    ),
    (
        "all_equal",
        lambda: mercer.Kernel("gaussian(lengthscale=median)")(np.ones((3, 1))),
        ValueError,
        "all points are equal, and lengthscale=median needs at least two distinct points",
    ),
    (
        "all_zero",
        lambda: mercer.Nystroem("0*gaussian()", n_components=2, landmarks="uniform").fit(X),
        ValueError,
        "every value of .* is 0",
    ),
    (
        "one_class",
        lambda: mercer.KernelLogisticRegression().fit(X, np.arange(12) % 2, sample_weight=np.arange(12) % 2),
        ValueError,
        "needs at least two classes, and all rows with a positive weight are of one class",
    ),
    (
        "empty_class",
        lambda: mercer.SVC(kernel="linear()").fit(X, np.arange(12) % 3, sample_weight=np.arange(12) % 3 != 1),
        ValueError,
        "class 1 has no rows with a positive weight",
    ),
    ("value", lambda: mercer.wiener()([0.5, -1.0]), ValueError, r"row 1, column 0 holds -1: outside the domain \[0, ∞"),
    ("value", lambda: mercer.gaussian()(np.where(X > 0.9, np.nan, X)), ValueError, "row 10, column 0 holds NaN"),
    (
        "value",
        lambda: mercer.Kernel("normalized(exponential(scale=1e-3))")([[1.0]]),
        ValueError,
        "row 0, column 0 holds 1e0.*rescale the data",
    ),
    (
        "column",
        lambda: mercer.Kernel("on([heigth], linear())").with_column_names(["height"]),
        ValueError,
        "no column `heigth`; did you mean `height`",
    ),
    ("unresolved", lambda: mercer.Kernel("on([age], linear())")(X), ValueError, "`age` is unknown; use the number"),
    (
        "precomputed",
        lambda: mercer.Kernel("precomputed() + linear()")(K),
        ValueError,
        r"linear\(\) needs points, but the matrix holds kernel values",
    ),
    (
        "wrong_points",
        lambda: mercer.Kernel("spectrum(length=3)")(X),
        ValueError,
        r"spectrum\(length=3\) takes strings; the points are vectors",
    ),
    (
        "unsupported",
        lambda: mercer.RandomFourierFeatures("linear()").fit(X),
        ValueError,
        r"no random Fourier features for linear\(\): it is not shift-invariant",
    ),
    (
        "mismatch",
        lambda: mercer.MeanEmbedding("linear()", X).inner(mercer.MeanEmbedding("gaussian()", X)),
        ValueError,
        r"different spaces: one has the kernel linear\(\)",
    ),
    (
        "undetermined",
        lambda: mercer.SmoothingSpline().fit([0.0, 1.0], [1.0, 3.0]),
        ValueError,
        "2 distinct x .*give a value of lam",
    ),
    (
        "overflow",
        lambda: mercer.Kernel("gaussian(lengthscale=median)")([[-1.7e308], [1.7e308]]),
        ValueError,
        "the median distance of the points leaves the range of the numbers: rescale the data",
    ),
    (
        "not_positive_definite",
        lambda: mercer.KernelRidge(kernel="tanh()").fit(X, Y),
        mercer.NotPositiveDefiniteError,
        "(?s)tanh.*indefinite=True",
    ),
    (
        "memory",
        lambda: mercer.gaussian()(X, max_memory=100),
        MemoryError,
        r"12 × 12 values needs 1.1. KiB but the memory limit is 100 bytes: use fewer rows.*\(max_memory\)",
    ),
    ("file", lambda: mercer.load("no/such/model.safetensors"), FileNotFoundError, "model.safetensors"),
    ("record", lambda: mercer.RidgeStatistics.from_bytes(b"nothing"), ValueError, "ridge regression was not written"),
    (
        "singular",
        lambda: mercer.GaussianProcessRegressor("linear()", alpha=0.0, optimizer=None).fit(X, Y),
        np.linalg.LinAlgError,
        "singular to working precision.*use a larger noise",
    ),
]


@pytest.mark.parametrize(("kind", "call", "exception", "words"), ROWS)
def test_every_kind_of_error(kind, call, exception, words):
    with pytest.raises(exception, match=words) as caught:
        call()
    assert caught.value.kind == kind


def test_broken_files_are_named(tmp_path):
    (tmp_path / "broken").write_bytes(b"no model")
    with pytest.raises(ValueError, match="broken: no model can be read") as caught:
        mercer.load(tmp_path / "broken")
    assert caught.value.kind == "format"


def test_no_kind_is_left_out():
    tested = {row[0] for row in ROWS} | {"format"}
    assert tested | set(ELSEWHERE) == set(error_kinds())
    assert not tested & set(ELSEWHERE)


def test_python_kernels_ask_for_memory_before_they_are_called():
    calls = []

    def kernel(x, y):
        calls.append(len(x))
        return own_gram(x, y)

    with pytest.raises(MemoryError, match="288 kernel values that Python computes"):
        mercer.GaussianProcessRegressor(kernel, noise=0.1, max_memory=2 * 8 * 12 * 12 - 1).fit(X, Y)
    assert not calls
    model = mercer.GaussianProcessRegressor(kernel, noise=0.1, optimize=False).fit(X, Y)
    seen = len(calls)
    with pytest.raises(MemoryError, match="kernel values that Python computes"):
        model.set_params(max_memory=1000).predict(np.linspace(0.0, 1.0, 100)[:, None])
    assert len(calls) == seen
