"""Mercer spectra: golden numbers, samples, and what is refused."""

import numpy as np
import pytest

import mercer


def check(case, found, expected, x):
    case.check("lambda", found.eigenvalues, expected["lambda"])
    case.check("phi_at_x", found.eigenfunctions(x).T, expected["phi_at_x"])
    case.check("sum_lambda", found.trace, expected["sum_lambda"])


def test_golden_interval(golden):
    case = golden("c04_mercer_closed_forms_interval")
    texts = {
        "brownian_motion": "wiener()",
        "brownian_bridge": "bridge()",
        "one_plus_min": "constant(value=1) + wiener()",
    }
    for key, kernel in texts.items():
        found = mercer.Spectrum(kernel, "uniform", n_components=10)
        check(case, found, case.expected[key], case.inputs["x"])
    length, half = case.inputs["laplacian"]["l"], case.inputs["laplacian"]["a"]
    found = mercer.Spectrum(mercer.laplacian(lengthscale=length), ("interval", -half, half), n_components=10)
    check(case, found, case.expected["laplacian"], case.inputs["laplacian_x"])


def test_golden_gaussian(golden):
    case = golden("c04_mercer_gaussian_measure")
    inputs = case.inputs
    found = mercer.Spectrum(mercer.gaussian(lengthscale=inputs["l"]), ("gaussian", inputs["sigma"]), n_components=8)
    check(case, found, case.expected, inputs["x"])


def test_a_sample():
    x = np.random.default_rng(0).normal(size=(60, 2))
    found = mercer.Spectrum("gaussian(lengthscale=1)", x, n_components=60)
    k = mercer.gaussian(lengthscale=1)(x)
    values = np.linalg.eigvalsh(k)[::-1] / 60
    np.testing.assert_allclose(found.eigenvalues, values[: len(found.eigenvalues)], atol=1e-13)
    features = found.features(x)
    np.testing.assert_allclose(features @ features.T, k, atol=1e-9)
    assert found.standard_errors.shape == found.eigenvalues.shape
    a = found.eigenvalues * found.eigenfunctions(x[:1])[0]
    assert found.inner(a, a) == pytest.approx(1.0, abs=1e-9)
    assert "% of the trace" in repr(found)


def test_refusals():
    with pytest.raises(ValueError, match="no closed form"):
        mercer.Spectrum("gaussian()", "uniform")
    with pytest.raises(ValueError, match="measure"):
        mercer.Spectrum("wiener()", "cauchy")
    with pytest.raises(ValueError, match="components"):
        mercer.Spectrum("wiener()", "uniform", n_components=0)
    with pytest.raises(ValueError, match="coefficients"):
        mercer.Spectrum("wiener()", "uniform", n_components=3).inner([1.0], [1.0])
