"""What is accepted as points, without a copy where possible, and what is refused."""

import numpy as np
import pandas as pd
import pytest

import mercer

K = mercer.gaussian(lengthscale=2) + mercer.linear()


@pytest.mark.parametrize(
    "convert",
    [
        np.asfortranarray,
        lambda x: x.tolist(),
        lambda x: [tuple(row) for row in x],
        pd.DataFrame,
        lambda x: x.astype(object),
        lambda x: np.repeat(x, 2, axis=0)[::2],
        lambda x: x[:, ::-1][:, ::-1],
        lambda x: np.frombuffer(b"\0" + x.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(x.shape),
        lambda x: x.astype(x.dtype.newbyteorder()),
    ],
    ids=["fortran", "lists", "tuples", "data frame", "objects", "rows", "reversed", "unaligned", "bytes"],
)
def test_every_form_of_a_matrix_gives_the_same_bytes(sample, convert):
    expected = K(sample)
    assert K(convert(sample)).tobytes() == expected.tobytes()
    assert K(sample, convert(sample)).tobytes() == K(sample, sample).tobytes()


@pytest.mark.parametrize("dtype", ["float16", "int64", "int8", "uint16", "bool"])
def test_number_types_are_converted(sample, dtype):
    x = np.abs(sample).astype(dtype)
    found = K(x)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, K(x.astype(float)))


def test_single_precision_on_request(sample):
    single = K(sample, dtype="float32")
    assert single.dtype == np.float32
    assert K(sample, single=True).tobytes() == single.tobytes()
    assert K(sample, dtype=np.float64).dtype == np.float64
    np.testing.assert_allclose(single, K(sample), rtol=1e-5, atol=1e-5)
    with pytest.raises(ValueError, match="dtype = int32 is not allowed: it must be float64 or float32"):
        K(sample, dtype="int32")


def test_one_dimension_is_one_column():
    x = np.linspace(0, 1, 5)
    np.testing.assert_array_equal(K(x), K(x[:, None]))
    np.testing.assert_array_equal(K(pd.Series(x)), K(x))


def test_empty_samples():
    assert K(np.zeros((0, 3))).shape == (0, 0)
    assert K(np.zeros((4, 3)), np.zeros((0, 3))).shape == (4, 0)
    assert K(np.zeros((3, 0))).shape == (3, 3)


def test_the_sample_is_borrowed_and_left_alone(sample):
    sample.flags.writeable = False
    before = sample.tobytes()
    K(sample)
    assert sample.tobytes() == before


def test_names_of_columns_come_from_the_data_frame(sample):
    frame = pd.DataFrame(sample, columns=["age", "height", "weight"])
    named = mercer.Kernel("on([height], linear())")
    np.testing.assert_array_equal(named(frame), mercer.on([1], mercer.linear())(sample))
    assert str(named.resolve(frame)) == "on([1], linear())"
    with pytest.raises(ValueError, match="columns of X and Y differ: age, height, weight and weight, age, height"):
        named(frame, frame[["weight", "age", "height"]])
    with pytest.raises(ValueError, match="there is no column `heigth`; did you mean `height`"):
        mercer.Kernel("on([heigth], linear())")(frame)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[0.0, np.nan]], "row 0, column 1 holds NaN: it must be a finite number"),
        ([[0.0], [np.inf]], "row 1, column 0 holds inf"),
        ([[1.0, None]], "row 0, column 1 holds NaN"),
        ([["a", "b"]], "X: expected real numbers, found values of type <U1"),
        ([[1j]], "X: expected real numbers, found values of type complex128"),
        (
            np.array([["2020-01-01"]], dtype="datetime64[D]"),
            "X: expected real numbers, found values of type datetime64",
        ),
        (np.array([[object()]]), "X: expected real numbers, found values of type object"),
        (pd.DataFrame({"a": [1.0], "b": ["x"]}), "X: expected real numbers"),
        (3.0, "X: expected a matrix with one row per point, found an array of 0 dimensions"),
        (np.zeros((2, 2, 2)), "X: expected a matrix with one row per point, found an array of 3 dimensions"),
        (np.ma.masked_equal([[1.0, 2.0]], 2.0), "X: masked values are not read"),
        (None, "X: expected real numbers, found values of type object|X: expected a matrix"),
        ([[1.0], [1.0, 2.0]], "inhomogeneous"),
    ],
)
def test_wrong_points_are_refused(points, message):
    with pytest.raises(ValueError, match=message):
        K(points)


def test_samples_that_do_not_fit():
    with pytest.raises(ValueError, match="columns of the second sample: expected 3, found 2"):
        K(np.zeros((2, 3)), np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"one column"):
        mercer.wiener()(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="row 1, column 0 holds -1"):
        mercer.wiener()([0.5, -1.0])
    with pytest.raises(ValueError, match="rows of the factor: expected 3, found 2"):
        K.matvec(np.zeros((3, 1)), [1.0, 2.0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gausian()", "there is no kernel named `gausian`; did you mean `gaussian`"),
        ("gaussian(lengthscale=-1)", "lengthscale = -1 is not allowed: it must be"),
        ("gaussian(width=1)", "gaussian has no parameter `width`"),
        ("gaussian() +", r"expected .*\n  gaussian\(\) \+\n"),
        ("", "expected"),
        ("-1*linear()", "scale"),
    ],
)
def test_wrong_texts_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        mercer.Kernel(text)


@pytest.mark.parametrize("value", [1, None, 2.5, ["linear()"], b"linear()"])
def test_a_kernel_is_a_text(value):
    with pytest.raises(TypeError, match="a kernel is a text or a mercer.Kernel"):
        mercer.Kernel(value)


def test_precomputed_matrices(sample):
    gram = mercer.gaussian()(sample)
    kernel = mercer.Kernel("2*precomputed() + 1")
    np.testing.assert_allclose(kernel(gram), 2 * gram + 1, rtol=1e-15)
    np.testing.assert_allclose(kernel(gram[:5]), 2 * gram[:5] + 1, rtol=1e-15)
    np.testing.assert_allclose(kernel.diag(gram), np.full(len(sample), 3.0), rtol=1e-15)
    assert mercer.precomputed().check([[1.0, 2.0], [2.0, 1.0]]).psd is False
    with pytest.raises(ValueError, match=r"precomputed\(\) takes one matrix of kernel values, not X and Y"):
        kernel(gram, gram)
    with pytest.raises(ValueError, match="needs points"):
        mercer.Kernel("precomputed() + linear()")(gram)


@pytest.mark.parametrize("estimator", [mercer.SVR, mercer.KernelRidge, mercer.SVC])
def test_small_plain_arrays_are_checked_like_any_others(estimator):
    draw = np.random.default_rng(4)
    X, y = draw.normal(size=(30, 3)), np.arange(30) % 2
    model = estimator(kernel="gaussian()").fit(X, y)
    as_lists = estimator(kernel="gaussian()").fit(X.tolist(), y.tolist())
    assert model.n_features_in_ == 3
    np.testing.assert_array_equal(model.predict(X), as_lists.predict(X))
    for wrong in (np.nan, np.inf):
        broken = X.copy()
        broken[7, 1] = wrong
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            estimator(kernel="gaussian()").fit(broken, y)
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            model.predict(broken)
        targets = y.astype(float)
        targets[3] = wrong
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            estimator(kernel="gaussian()").fit(X, targets)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        estimator(kernel="gaussian()").fit(X, y[:-1])
    with pytest.raises(ValueError, match="3 features"):
        model.predict(X[:, :2].copy())


def test_names_of_columns_are_forgotten_by_a_fit_without_them():
    X, y = np.random.default_rng(4).normal(size=(20, 2)), np.arange(20.0)
    model = mercer.KernelPCA(2, kernel="gaussian()").fit(pd.DataFrame(X, columns=["a", "b"]))
    assert list(model.feature_names_in_) == ["a", "b"]
    assert not hasattr(model.fit(X), "feature_names_in_")
    regression = mercer.KernelRidge(kernel="gaussian()").fit(pd.DataFrame(X, columns=["a", "b"]), y)
    assert not hasattr(regression.fit(X, y), "feature_names_in_")


def test_a_process_predicts_the_same_mean_with_and_without_its_deviation():
    X = np.random.default_rng(5).normal(size=(25, 2))
    model = mercer.GaussianProcessRegressor("gaussian()", noise=0.1, optimize=False).fit(X, X[:, 0])
    mean, deviation = model.predict(X[:4], return_std=True)
    np.testing.assert_allclose(model.predict(X[:4]), mean, rtol=1e-12)
    covariance = model.predict(X[:4], return_cov=True)[1]
    np.testing.assert_allclose(deviation**2, np.diag(covariance), rtol=1e-8, atol=1e-12)
