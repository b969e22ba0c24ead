"""Kernels as values: text, operators, parameters, derivatives, products, pickles."""

import copy
import pickle

import numpy as np
import pytest

import mercer

TEXTS = [text for entry in mercer.catalogue() for text in entry["examples"]]


@pytest.mark.parametrize("text", TEXTS)
def test_text_pickle_and_copy_give_the_same_kernel(text):
    kernel = mercer.Kernel(text)
    copies = [mercer.Kernel(str(kernel)), pickle.loads(pickle.dumps(kernel)), copy.copy(kernel), copy.deepcopy(kernel)]
    for other in [*copies, eval(repr(kernel), {"Kernel": mercer.Kernel}), mercer.Kernel(kernel)]:
        assert other == kernel
        assert hash(other) == hash(kernel)
        assert str(other) == str(kernel)


def test_equality():
    assert mercer.gaussian() == mercer.Kernel("gaussian(lengthscale=1)")
    assert mercer.gaussian() != mercer.gaussian(lengthscale=2)
    assert mercer.gaussian() != "gaussian(lengthscale=1)"
    assert len({mercer.linear(), mercer.Kernel("linear()"), mercer.gaussian()}) == 2


def test_operators(sample):
    g, lin = mercer.gaussian(), mercer.linear()
    cases = [
        (g + lin, g(sample) + lin(sample)),
        (g * lin, g(sample) * lin(sample)),
        (g**3, g(sample) ** 3),
        (2 * g, 2 * g(sample)),
        (g * np.float64(0.5), 0.5 * g(sample)),
        (g + 1, g(sample) + 1),
        (1 + g, g(sample) + 1),
        (sum([g, lin]), g(sample) + lin(sample)),
    ]
    for kernel, expected in cases:
        np.testing.assert_allclose(kernel(sample), expected, rtol=1e-13)
    assert str(2 * (g + lin)) == "2*(gaussian(lengthscale=1) + linear())"


def test_wrong_operands():
    g = mercer.gaussian()
    with pytest.raises(TypeError):
        g + "linear()"
    with pytest.raises(TypeError):
        [] * g
    with pytest.raises(TypeError):
        g - g
    with pytest.raises(ValueError, match="scale = -1 is not allowed: it must be"):
        -1 * g
    with pytest.raises(ValueError, match="exponent = 0.5 is not allowed"):
        g**0.5


def test_kernels_cannot_be_changed():
    with pytest.raises(AttributeError):
        mercer.gaussian().lengthscale = 3


def test_parameters():
    k = mercer.Kernel("2*gaussian(lengthscale=[1, 3]) + gaussian(lengthscale=5)")
    names = ["scale", "gaussian.lengthscale[0]", "gaussian.lengthscale[1]", "gaussian#2.lengthscale"]
    assert list(k.parameters.items()) == list(zip(names, [2.0, 1.0, 3.0, 5.0], strict=True))
    assert str(k.with_parameters([1, 2, 3, 4])) == "1*gaussian(lengthscale=[2, 3]) + gaussian(lengthscale=4)"
    assert k.with_parameters({"gaussian#2.lengthscale": 7}).parameters["gaussian#2.lengthscale"] == 7.0
    with pytest.raises(ValueError, match="has no parameter `width`; it has scale, gaussian"):
        k.with_parameters({"width": 1})
    with pytest.raises(ValueError, match="expected 4, found 1"):
        k.with_parameters([1])


def test_derivatives_are_difference_quotients(sample):
    k = mercer.Kernel("2*gaussian(lengthscale=1.5) + rational_quadratic(lengthscale=2, shape=0.7)")
    for index, (name, value) in enumerate(k.parameters.items()):
        h = 1e-6
        up, down = (k.with_parameters({name: value + s * h})(sample) for s in (1, -1))
        np.testing.assert_allclose(k.derivative(sample, parameter=name), (up - down) / (2 * h), rtol=1e-6, atol=1e-8)
        by_index = k.derivative(sample, sample, parameter=index)
        np.testing.assert_allclose(by_index, k.derivative(sample, parameter=name), rtol=1e-12, atol=1e-12)
    last = k.derivative(sample, parameter=-1)
    np.testing.assert_array_equal(last, k.derivative(sample, parameter="rational_quadratic.shape"))
    with pytest.raises(ValueError, match="parameter = 9 is not allowed"):
        k.derivative(sample, parameter=9)


def test_products_without_the_matrix(sample):
    k = mercer.matern(nu=2.5) + mercer.linear()
    v = np.random.default_rng(2).normal(size=(40, 2))
    np.testing.assert_allclose(k.matvec(sample, v), k(sample) @ v, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(k.matvec(sample[:7], v, sample), k(sample[:7], sample) @ v, rtol=1e-12, atol=1e-12)
    assert k.matvec(sample, v[:, 0]).shape == (40,)
    single = k.matvec(sample, v, single=True)
    assert single.dtype == np.float64
    np.testing.assert_allclose(single, k(sample) @ v, rtol=1e-4, atol=1e-4)


def test_medians_are_resolved(sample):
    k = mercer.gaussian(lengthscale="median")
    distances = np.linalg.norm(sample[:, None] - sample[None], axis=-1)[np.triu_indices(40, 1)]
    found = k.resolve(sample).parameters["gaussian.lengthscale"]
    assert abs(found - np.median(distances)) <= 1e-12 * found
    np.testing.assert_allclose(k(sample), k.resolve(sample)(sample), rtol=1e-13)
