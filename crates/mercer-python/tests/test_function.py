"""Functions of an RKHS."""

import pickle

import numpy as np
import pytest

import mercer

K = mercer.gaussian(lengthscale=1.5) + 0.5 * mercer.linear()
RNG = np.random.default_rng(8)
X, A = RNG.normal(size=(12, 2)), RNG.normal(size=12)
Z = RNG.normal(size=(7, 2))


@pytest.fixture
def f():
    return mercer.Function(K, X, A)


@pytest.fixture
def g():
    return mercer.Function(K, Z, A[:7])


def test_values_and_parts(f):
    np.testing.assert_allclose(f(Z), K(Z, X) @ A, rtol=1e-13)
    assert f.kernel == K
    np.testing.assert_array_equal(f.points, X)
    np.testing.assert_array_equal(f.coefficients, A)
    assert f.residual_norm is None
    assert repr(f) == f'Function("{K}", 12 points with 2 columns)'


def test_geometry(f, g):
    np.testing.assert_allclose(f.inner(g), A @ K(X, Z) @ A[:7], rtol=1e-12)
    np.testing.assert_allclose(f.norm() ** 2, A @ K(X) @ A, rtol=1e-12)
    np.testing.assert_allclose(f.distance(g), (f - g).norm(), rtol=1e-12)
    section = mercer.Function(K, Z[:1], [1.0])
    np.testing.assert_allclose(f.inner(section), f(Z[:1])[0], rtol=1e-12)
    assert (np.abs(f(Z)) <= f.bound(Z)).all()
    assert f.distance(f) == 0


def test_algebra(f, g):
    np.testing.assert_allclose((2 * f - g / 4 + (-f) * 3)(Z), -f(Z) - g(Z) / 4, rtol=1e-12, atol=1e-13)
    assert f + g == g + f or np.allclose((f + g)(X), (g + f)(X))
    assert len((f + f).points) == len(f.points)
    with pytest.raises(TypeError):
        f + 1
    with pytest.raises(TypeError):
        f * f
    with pytest.raises(ValueError, match="gaussian"):
        f + mercer.Function(mercer.gaussian(), X, A)


def test_projection(f):
    p = f.project(Z)
    np.testing.assert_allclose(p(Z), f(Z), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(f.norm() ** 2, p.norm() ** 2 + p.residual_norm**2, rtol=1e-9)
    np.testing.assert_allclose(p.residual_norm, f.distance(p), rtol=1e-9)


def test_gradient(f):
    h, step = 1e-6, np.eye(2)
    quotients = np.stack([(f(Z + h * e) - f(Z - h * e)) / (2 * h) for e in step], axis=1)
    np.testing.assert_allclose(f.gradient(Z), quotients, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("kernel", ["laplacian()", "laplacian(norm=l1)", "matern(nu=1/2)", "distance(power=1)"])
def test_gradient_of_kernels_with_kinks(kernel):
    f = mercer.Function(mercer.Kernel(kernel), X, A)
    h, step = 1e-6, np.eye(2)
    quotients = np.stack([(f(Z + h * e) - f(Z - h * e)) / (2 * h) for e in step], axis=1)
    np.testing.assert_allclose(f.gradient(Z), quotients, rtol=1e-6, atol=1e-7)
    with pytest.raises(ValueError, match=r"no gradient at row 1.*center 2"):
        f.gradient(np.vstack([Z[:1], X[2:3]]))


def test_components(f):
    parts = f.components()
    assert list(parts) == ["gaussian(lengthscale=1.5)", "0.5*linear()"]
    np.testing.assert_allclose(sum(p(Z) for p in parts.values()), f(Z), rtol=1e-12)
    np.testing.assert_allclose(sum(p.norm() ** 2 for p in parts.values()), f.norm() ** 2, rtol=1e-12)
    twice = mercer.Function(mercer.linear() + mercer.linear(), X, A).components()
    assert list(twice) == ["linear()", "linear() #2"]


def test_tensor_product(f, g):
    h = f.tensor_product(g)
    np.testing.assert_allclose(h(np.hstack([Z, X[:7]])), f(Z) * g(X[:7]), rtol=1e-12)
    np.testing.assert_allclose(h.norm(), f.norm() * g.norm(), rtol=1e-10)


def test_interpolation():
    f = mercer.Function.interpolate("matern(nu=5/2)", Z, A[:7])
    np.testing.assert_allclose(f(Z), A[:7], rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match=r"values: expected one per point \(7\), found 6"):
        mercer.Function.interpolate("linear()", Z, A[:6])


def test_pickles(f):
    for function in [f, f.project(Z)]:
        again = pickle.loads(pickle.dumps(function))
        assert again == function
        assert again(Z).tobytes() == function(Z).tobytes()
        assert again.residual_norm == function.residual_norm
    with pytest.raises(TypeError, match="unhashable"):
        hash(f)


def test_wrong_functions():
    with pytest.raises(ValueError, match=r"coefficients: expected one per point \(12\), found 3"):
        mercer.Function(K, X, A[:3])
    with pytest.raises(ValueError, match="coefficients: row 0, column 0 holds NaN"):
        mercer.Function(K, X[:1], [np.nan])
    with pytest.raises(ValueError, match="coefficients: expected a list of numbers, found 2 dimensions"):
        mercer.Function(K, X, A[:, None])
