"""Golden verdicts: positive and negative definite kernels, and those that are neither (c02)."""

import numpy as np
import pytest

import mercer


def descending(matrix):
    return np.linalg.eigvalsh(matrix)[::-1]


def doubly_centered(matrix):
    """`−½JKJ`, positive semi-definite if and only if K is negative semi-definite."""
    j = np.eye(len(matrix)) - 1 / len(matrix)
    return -0.5 * j @ matrix @ j


@pytest.mark.parametrize("key", ["indefinite", "psd"])
def test_difference_of_gaussians(golden, key):
    case = golden("c02_difference_of_gaussians")
    p, expected = case.inputs[key], case.expected[key]
    kernel = mercer.minus(mercer.gaussian(lengthscale=p["l1"]), p["b"] * mercer.gaussian(lengthscale=p["l2"]))
    case.check(key, kernel(p["X"]), expected["gram"])
    case.check(key, descending(kernel(p["X"])), expected["eigenvalues_descending"])
    found = kernel.check(p["X"])
    case.check(key, found.min_eigenvalue, expected["eigenvalues_descending"][-1])
    assert kernel.properties["psd"] is not True
    grid = expected["grid"]
    on_grid = descending(kernel(grid["h"] * np.arange(grid["N"])))
    case.check(key, on_grid[0], grid["max_eigenvalue"])
    if key == "indefinite":
        assert found.psd is False
        assert found.value < 0
    else:
        assert found.psd is not False


def test_indicator(golden):
    case = golden("c02_indicator_not_psd")
    kernel = mercer.ball(radius=case.inputs["eps"])
    for n in ["3", "5"]:
        x = case.inputs["x" + n]
        case.check("", kernel(x), case.expected["gram" + n])
        case.check("", descending(kernel(x)), case.expected[f"eigenvalues{n}_descending"])
        assert kernel.check(x).psd is False
    c = np.array(case.expected["witness3"])
    case.check("", c @ kernel(case.inputs["x3"]) @ c, case.expected["witness3_quadratic_form"])


def test_tanh(golden):
    case = golden("c02_tanh_not_psd")
    for p, expected in zip(case.inputs["examples"], case.expected["examples"], strict=True):
        kernel = mercer.tanh(scale=p["c"], offset=p["d"])
        case.check("", kernel(p["X"]), expected["gram"])
        found = kernel.check(p["X"])
        case.check("", found.min_eigenvalue, expected["min_eigenvalue"])
        assert found.psd is False


def test_powers_of_distances(golden):
    case = golden("c02_nds_distance_powers")
    for entry in case.expected["powers"]:
        kernel = mercer.distance(power=entry["p"])
        found = descending(doubly_centered(kernel(case.inputs["x"])))
        case.check("powers", found, entry["S_eigenvalues_descending"])
        assert (kernel.properties["nsd"] is True) == entry["is_nds"]
    c = np.array(case.inputs["cube_c"])
    cube = c @ mercer.distance(power=3)(case.inputs["cube_x"]) @ c
    case.check("cube_quadratic_form", cube, case.expected["cube_quadratic_form"])


def test_logarithm_and_other_verdicts(golden):
    case = golden("c02_nds_log_and_products")
    x, s, log = case.inputs["X"], case.inputs["s"], mercer.log_distance()
    case.check("", descending(doubly_centered(log(x))), case.expected["log_S_eigenvalues_descending"])
    assert log.properties["nsd"] is True
    for t, expected in zip(case.inputs["t"], case.expected["exp_minus_t_psi_min_eigenvalue"], strict=True):
        kernel = mercer.schoenberg(log, t=t)
        case.check("", kernel.check(x).min_eigenvalue, expected)
        assert kernel.properties["psd"] is True
    sinc = mercer.sinc(bandlimit=case.inputs["sinc_a"])
    kernels = {
        "min": (mercer.wiener(), "psd"),
        "sinc": (sinc, "psd"),
        "absdiff_nds": (mercer.distance(), "nsd"),
        "one_minus_sinc_nds": (mercer.minus(mercer.constant(value=1), sinc), "nsd"),
        "min_nds": (mercer.wiener(), "nsd"),
    }
    for key, (kernel, side) in kernels.items():
        matrix = kernel(s) if side == "psd" else doubly_centered(kernel(s))
        case.check(key, descending(matrix), case.expected[key]["eigenvalues_descending"])
        if not case.expected[key]["verdict"]:
            assert kernel.properties[side] is not True


def test_squared_distance(golden):
    case = golden("c02_nds_squared_distance_schoenberg")
    x, kernel = case.inputs["X"], mercer.sqdist()
    case.check("D", kernel(x), case.expected["D"])
    case.check("S", doubly_centered(kernel(x)), case.expected["S"])
    assert kernel.properties["nsd"] is True
    for t, expected in zip(case.inputs["t"], case.expected["exp_minus_tD_min_eigenvalue"], strict=True):
        gaussian = mercer.schoenberg(kernel, t=t)
        case.check("exp_minus_tD_min_eigenvalue", gaussian.check(x).min_eigenvalue, expected)
        assert gaussian.properties["psd"] is True
