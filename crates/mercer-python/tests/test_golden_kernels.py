"""Golden values of every kernel (c01)."""

import numpy as np
import pytest

import mercer

TEXTS = {
    "gaussian": lambda p: mercer.gaussian(lengthscale=p["l"]),
    "laplacian": lambda p: mercer.laplacian(lengthscale=p["l"]),
    "laplacian_l1": lambda p: mercer.laplacian(lengthscale=p["l"], norm="l1"),
    "exponential": lambda p: mercer.exponential(scale=p["s"]),
    "polynomial": lambda p: mercer.polynomial(degree=p["m"], offset=p["c"], scale=p["scale"]),
    "linear": lambda p: mercer.linear(),
    "rq": lambda p: mercer.rational_quadratic(lengthscale=p["l"], shape=p["a"]),
    "matern12": lambda p: mercer.matern(nu=0.5, lengthscale=p["l"]),
    "matern32": lambda p: mercer.matern(nu="3/2", lengthscale=p["l"]),
    "matern52": lambda p: mercer.matern(nu=2.5, lengthscale=p["l"]),
    "imq": lambda p: mercer.inverse_multiquadric(offset=p["c"]),
    "cauchy_product": lambda p: mercer.cauchy(),
    "tanh": lambda p: mercer.tanh(scale=p["c"], offset=p["d"]),
    "bm": lambda p: mercer.wiener(),
    "bb": lambda p: mercer.bridge(),
    "sinc": lambda p: mercer.sinc(bandlimit=p["a"]),
    "sobolev1": lambda p: mercer.sobolev(order=1),
    "spline2": lambda p: mercer.sobolev(order=2),
    "spline": lambda p: mercer.sobolev(order=int(p["alpha"])),
    "fbm": lambda p: mercer.brownian(hurst=p["H"]),
}


@pytest.mark.parametrize("case", ["c01_kernel_values_euclidean", "c01_kernel_values_1d"])
def test_base_kernels(golden, case):
    case = golden(case)
    assert len(case.expected) >= 9
    for key, entry in case.expected.items():
        kernel = TEXTS[entry["kernel"]](entry.get("params", {}))
        case.check(key, kernel(case.inputs["X"]), entry["gram"])
        case.check(key, kernel(case.inputs["X"], case.inputs["X"]), entry["gram"])
        case.check(key, kernel.diag(case.inputs["X"]), np.diagonal(entry["gram"]))


def test_fractional_brownian_covariance(golden):
    case = golden("c01_kernel_values_fractional_brownian")
    for key, entry in case.expected.items():
        x = case.inputs["t" if key == "one_dimensional_H_half" else "X"]
        case.check(key, TEXTS["fbm"](entry["params"])(x), entry["gram"])


def test_weighted_sobolev(golden):
    case = golden("c01_kernel_values_weighted")
    case.check("psd", mercer.weighted_sobolev()(case.inputs["X"]), case.expected["psd"]["gram"])


def test_algebra(golden):
    case = golden("c01_kernel_composition")
    p, x = case.inputs, np.array(case.inputs["X"])
    g1, g2 = mercer.gaussian(lengthscale=p["l"]), mercer.gaussian(lengthscale=p["l2"])
    e, lap = mercer.exponential(scale=p["s"]), mercer.laplacian(lengthscale=p["l"])
    poly = mercer.polynomial(degree=p["m"], offset=p["c"])
    kernels = {
        "normalised_exponential": mercer.normalized(e),
        "gaussian_with_l_sqrt_s": mercer.gaussian(lengthscale=p["s"] ** 0.5),
        "normalised_polynomial": mercer.normalized(poly),
        "sum_g1_p": g1 + poly,
        "weighted_sum_w1_g1_w2_g2": p["w1"] * g1 + p["w2"] * g2,
        "product_g1_lap": g1 * lap,
        "product_g1_g2": g1 * g2,
        "power_g1_to_m": g1 ** p["m"],
        "exp_of_t_times_g1": mercer.exp(p["t"] * g1),
        "conformal_f_f_g1": mercer.conformal(g1, by="quadratic()"),
        "tensor_g1_on_0_times_lap_on_rest": mercer.on([0], g1) * mercer.on([1, 2], lap),
        "direct_sum_g1_on_0_plus_lap_on_rest": mercer.on([0], g1) + mercer.on([1, 2], lap),
    }
    for key, kernel in kernels.items():
        case.check(key, kernel(x), case.expected[key])
    k = poly(x)
    distances = np.diag(k)[:, None] + np.diag(k)[None, :] - 2 * k
    case.check("squared_kernel_distance_p", distances, case.expected["squared_kernel_distance_p"])


def test_numerically_awkward_points(golden):
    case = golden("c01_kernel_numerical_edges")
    length, tiny = case.inputs["l"], case.inputs["tiny"]
    gaussian = mercer.gaussian(lengthscale=length)

    def check(key, kernel, x, ys):
        case.check(key, [kernel([x], [y])[0, 0] for y in ys], case.expected[key])

    check("gaussian_large_offset", gaussian, case.inputs["base"], case.expected["gaussian_large_offset_y_used"])
    check("gaussian_far", gaussian, 0.0, case.expected["far_distance_used"])
    check("laplacian_far", mercer.laplacian(lengthscale=length), 0.0, case.expected["far_distance_used"])
    check("sinc_a3", mercer.sinc(bandlimit=3), 0.0, tiny)
    check("matern32", mercer.matern(nu=1.5, lengthscale=length), 0.0, tiny)
    check("matern52", mercer.matern(nu=2.5, lengthscale=length), 0.0, tiny)
    check("imq_c1e-3", mercer.inverse_multiquadric(offset=1e-3), 0.0, tiny)
    rational = [
        mercer.rational_quadratic(lengthscale=length, shape=a)([0.0], [1.0])[0, 0] for a in case.inputs["a_big"]
    ]
    case.check("rq_large_a_at_distance_1", rational, case.expected["rq_large_a_at_distance_1"])
    fractional = [mercer.brownian(hurst=0.3)([t], [2 * t])[0, 0] for t in tiny]
    case.check("fbm_H03_x_t_y_2t", fractional, case.expected["fbm_H03_x_t_y_2t"])
