"""The same numbers as scikit-learn's kernels."""

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as gp
from sklearn.metrics import pairwise

import mercer

RNG = np.random.default_rng(1)
X, Y = RNG.normal(size=(30, 4)), RNG.normal(size=(20, 4))

PAIRS = [
    (mercer.gaussian(gamma=0.3), lambda x, y: pairwise.rbf_kernel(x, y, gamma=0.3)),
    (mercer.laplacian(lengthscale=1 / 0.3, norm="l1"), lambda x, y: pairwise.laplacian_kernel(x, y, gamma=0.3)),
    (
        mercer.polynomial(degree=3, scale=0.5, offset=2),
        lambda x, y: pairwise.polynomial_kernel(x, y, degree=3, gamma=0.5, coef0=2),
    ),
    (mercer.linear(), pairwise.linear_kernel),
    (mercer.normalized(mercer.linear()), pairwise.cosine_similarity),
    (mercer.tanh(scale=0.2, offset=0.1), lambda x, y: pairwise.sigmoid_kernel(x, y, gamma=0.2, coef0=0.1)),
    (mercer.matern(nu=1.5, lengthscale=2), gp.Matern(length_scale=2, nu=1.5)),
    (mercer.matern(nu=0.8, lengthscale=2), gp.Matern(length_scale=2, nu=0.8)),
    (mercer.gaussian(lengthscale=[1, 2, 3, 4]), gp.RBF(length_scale=[1, 2, 3, 4])),
    (mercer.rational_quadratic(lengthscale=2, shape=0.7), gp.RationalQuadratic(length_scale=2, alpha=0.7)),
]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=lambda k: str(k) if isinstance(k, mercer.Kernel) else "")
def test_agreement(ours, theirs):
    np.testing.assert_allclose(ours(X, Y), theirs(X, Y), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ours(X), theirs(X, X), rtol=1e-12, atol=1e-12)


def test_chi2():
    x, y = np.abs(X), np.abs(Y)
    np.testing.assert_allclose(mercer.chi2(gamma=0.4)(x, y), pairwise.chi2_kernel(x, y, gamma=0.4), rtol=1e-12)
