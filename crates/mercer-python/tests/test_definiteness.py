"""Properties, proofs, checks and repairs."""

import numpy as np
import pytest

import mercer

NAMES = ["psd", "strictly_pd", "nsd", "universal", "characteristic", "shift_invariant", "bounded"]


def test_properties():
    gaussian = mercer.gaussian().properties
    assert list(gaussian) == NAMES
    assert all(gaussian[name] is True for name in NAMES if name != "nsd")
    assert mercer.linear().properties["universal"] is False
    assert mercer.tanh().properties["psd"] is not True
    assert mercer.minus(mercer.linear(), mercer.gaussian()).properties["psd"] is not True
    assert mercer.sqdist().properties["nsd"] is True


def test_proofs_are_text():
    proof = mercer.Kernel("gaussian(lengthscale=2) * linear() + 1").proof()
    assert "gaussian(lengthscale=2)" in proof
    assert "Schoenberg" in proof
    assert "PSD" in proof


@pytest.mark.parametrize("kernel", [mercer.ball(radius=1), mercer.tanh(), mercer.distance(power=3)])
def test_counterexamples_are_found_and_hold(kernel):
    found = kernel.check()
    assert found.psd is False
    c = found.weights
    form = c @ kernel(found.points) @ c
    assert found.value < 0
    assert abs(form - found.value) <= 1e-9 * max(1, np.abs(kernel(found.points)).sum() * np.abs(c).max() ** 2)
    assert found.counterexample.value == found.value
    assert "cᵀKc" in repr(found)
    assert str(kernel) in repr(found)


def test_checks_on_data(sample):
    proven = mercer.gaussian().check(sample)
    assert proven.psd is True
    assert proven.points is None
    assert proven.value is None
    expected = np.linalg.eigvalsh(mercer.gaussian()(sample))[0]
    assert abs(proven.min_eigenvalue - expected) <= 1e-12
    assert proven.rows_used == len(sample)
    assert "PSD" in repr(proven)


@pytest.mark.parametrize("text", ["tanh()", "ball(radius=1)", "distance(power=3)", "gaussian() * ball()"])
@pytest.mark.parametrize("given", [False, True])
def test_the_eigenvalue_is_that_of_the_points(text, given, sample):
    kernel = mercer.Kernel(text)
    found = kernel.check(sample) if given else kernel.check()
    matrix = kernel(found.points)
    lowest = np.linalg.eigvalsh(matrix)[0]
    assert abs(found.min_eigenvalue - lowest) <= 1e-12 * np.linalg.norm(matrix)
    assert found.weights @ matrix @ found.weights == pytest.approx(found.value, rel=1e-9)
    kept = found.weights != 0
    np.testing.assert_array_equal(found.points[kept], found.counterexample.points)


def test_the_seed_decides_the_search():
    one, again = (mercer.tanh(scale=0.3).check(random_state=7) for _ in range(2))
    assert one.value == again.value
    np.testing.assert_array_equal(one.points, again.points)


INDEFINITE = np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 3.0]])  # eigenvalues −1, 3, 3


@pytest.mark.parametrize(
    ("method", "eigenvalues", "shift"), [("clip", [0, 3, 3], 0), ("flip", [1, 3, 3], 0), ("shift", [0, 4, 4], 1)]
)
def test_repairs(method, eigenvalues, shift):
    repaired = mercer.repair(INDEFINITE, method=method)
    np.testing.assert_allclose(np.linalg.eigvalsh(repaired.matrix), eigenvalues, atol=1e-13)
    assert abs(repaired.shift - shift) <= 1e-13
    assert abs(repaired.negative_mass - 1) <= 1e-13
    assert repaired.negative_count == 1
    np.testing.assert_allclose(repaired.eigenvalues, [-1, 3, 3], atol=1e-13)
    assert np.asarray(repaired) is repaired.matrix
    assert np.asarray(repaired, dtype="float32").dtype == np.float32
    assert np.array(repaired) is not repaired.matrix
    assert "1 negative" in repr(repaired)


def test_a_definite_matrix_is_left_alone(sample):
    gram = mercer.gaussian()(sample)
    repaired = mercer.repair(gram)
    assert repaired.matrix.tobytes() == gram.tobytes()
    assert repaired.negative_mass == 0


def test_wrong_repairs():
    with pytest.raises(ValueError, match='method = "fix" is not allowed: it must be "clip", "flip" or "shift"'):
        mercer.repair(INDEFINITE, method="fix")
    with pytest.raises(ValueError, match="expected 2, found 3"):
        mercer.repair(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="across the diagonal"):
        mercer.repair([[1.0, 2.0], [3.0, 1.0]])


def test_kernels_that_must_be_psd():
    assert mercer.gaussian().require_psd() is True
    with pytest.raises(mercer.NotPositiveDefiniteError, match="ball.* is not known to be positive") as caught:
        mercer.ball(radius=1).require_psd()
    assert issubclass(mercer.NotPositiveDefiniteError, ValueError)
    assert mercer.NotPositiveDefiniteError.__module__ == "mercer"
    found = caught.value.counterexample
    assert found.value < 0
    assert abs(found.weights @ mercer.ball(radius=1)(found.points) @ found.weights - found.value) <= 1e-12
    assert "cᵀKc" in repr(found)
