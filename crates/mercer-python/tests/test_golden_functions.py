"""Golden geometry of functions: expansions, interpolants, closed-form norms (c03)."""

import numpy as np
import pytest

import mercer

KERNELS = {
    "gaussian": lambda p: mercer.gaussian(lengthscale=p["l"]),
    "laplacian": lambda p: mercer.laplacian(lengthscale=p["l"]),
    "polynomial": lambda p: mercer.polynomial(degree=p["m"], offset=p["c"], scale=p["scale"]),
    "matern32": lambda p: mercer.matern(nu=1.5, lengthscale=p["l"]),
    "exponential": lambda p: mercer.exponential(scale=p["s"]),
}


def test_expansions(golden):
    case = golden("c03_expansions")
    p = case.inputs
    for given, expected in zip(p["kernels"], case.expected["kernels"], strict=True):
        kernel = KERNELS[given["name"]](given["params"])
        f, g = mercer.Function(kernel, p["x"], p["a"]), mercer.Function(kernel, p["z"], p["b"])
        case.check("kernels", f.inner(g), expected["inner_fg"])
        case.check("kernels", f.norm() ** 2, expected["norm2_f"])
        case.check("kernels", g.norm() ** 2, expected["norm2_g"])
        case.check("kernels", f.distance(g) ** 2, expected["dist2_fg"])
        case.check("kernels", f.inner(g) / (f.norm() * g.norm()), expected["cos_fg"])
        case.check("kernels", f(p["t"]), expected["f_at_t"])
        case.check("kernels", f.bound(p["t"]), expected["cauchy_schwarz_bound_at_t"])
        sections = [mercer.Function(kernel, [p[side][0]], [1.0]) for side in "xz"]
        case.check("kernels", sections[0].distance(sections[1]), expected["feature_distance_x0_z0"])


def test_interpolants(golden):
    case = golden("c03_minimum_norm_interpolants")
    p = case.inputs
    kernels = {
        "sobolev1": mercer.sobolev(order=1),
        "spline2": mercer.sobolev(order=2),
        "gaussian": mercer.gaussian(lengthscale=p["gaussian_l"]),
        "laplacian": mercer.laplacian(lengthscale=p["laplacian_l"]),
    }
    for key, kernel in kernels.items():
        f, expected = mercer.Function.interpolate(kernel, p["x"], p["y"]), case.expected[key]
        case.check(key, f(p["t"]), expected["f_at_t"])
        case.check(key, f.norm() ** 2, expected["norm2"])
        accuracy = 1e-14 * expected["condition_number_of_K"]
        np.testing.assert_allclose(f.coefficients, expected["alpha"], rtol=accuracy, atol=accuracy)
    f = mercer.Function.interpolate(kernels["spline2"], p["x"], p["y"])
    case.check("spline2", f.gradient(p["t"])[:, 0], case.expected["spline2"]["df_at_t"])


def test_closed_form_norms_of_finite_expansions(golden):
    case = golden("c03_closed_form_norms")
    p, expected = case.inputs, case.expected
    line = mercer.Function(mercer.sobolev(order=1), [0.0, 1.0], [-1.0, 1.0])
    case.check("sobolev1_norm2", line.norm() ** 2, expected["sobolev1_norm2"]["x"])
    a, b, c = p["quad_poly_a_b_c"]
    x = np.array([-1.0, 0.0, 1.0])
    square = mercer.polynomial(degree=2, offset=1)
    quadratic = mercer.Function.interpolate(square, x, a + b * x + c * x**2)
    identity = mercer.Function.interpolate(square, x, x)
    case.check("poly2_norm2_of_quad_poly", quadratic.norm() ** 2, expected["poly2_norm2_of_quad_poly"])
    inner = expected["poly2_inner_of_quad_poly_with_x"]
    case.check("poly2_inner_of_quad_poly_with_x", quadratic.inner(identity), inner)
    section = mercer.Function(mercer.sinc(bandlimit=p["sinc_a"]), [0.0], [1.0])
    case.check("sinc_norm2_of_k0", section.norm() ** 2, expected["sinc_norm2_of_k0"])


FUNCTIONS = {
    "x^2": lambda x: x**2,
    "x^3": lambda x: x**3,
    "exp(x)": np.exp,
    "sin(pi x)": lambda x: np.sin(np.pi * x),
    "1": np.ones_like,
    "x": lambda x: x,
    "1+2x-3x^2": lambda x: 1 + 2 * x - 3 * x**2,
    "cos(2x)": lambda x: np.cos(2 * x),
    "x(1-x)": lambda x: x * (1 - x),
    "x^2(1-x)": lambda x: x**2 * (1 - x),
}


@pytest.mark.parametrize(
    ("key", "kernel", "nodes", "tolerance"),
    [("sobolev1_norm2", "sobolev(order=1)", 257, 1e-4), ("spline2_norm2", "sobolev(order=2)", 257, 5e-3)],
)
def test_interpolants_approach_closed_form_norms(golden, key, kernel, nodes, tolerance):
    """The norms of interpolants on finer grids rise to the norm of the function, for cubics as 1/nodes."""
    case = golden("c03_closed_form_norms")
    x = np.linspace(0, 1, nodes)
    for name, expected in case.expected[key].items():
        found = mercer.Function.interpolate(kernel, x, FUNCTIONS[name](x)).norm() ** 2
        assert abs(found - expected) <= tolerance * expected, (name, found, expected)
        assert found <= expected * (1 + 1e-7)


def test_bridge_norms(golden):
    case = golden("c03_closed_form_norms")
    x = np.linspace(0, 1, 257)[1:-1]
    for name, expected in case.expected["brownian_bridge_norm2"].items():
        found = mercer.Function.interpolate("bridge()", x, FUNCTIONS[name](x)).norm() ** 2
        assert abs(found - expected) <= 1e-3 * expected, (name, found, expected)
