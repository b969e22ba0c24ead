"""Golden numbers of measures and tests (c12, c13, c15)."""

import numpy as np
import pytest

import mercer

KERNELS = {
    "gaussian": lambda p: mercer.gaussian(lengthscale=p["l"]),
    "laplacian": lambda p: mercer.laplacian(lengthscale=p["l"]),
    "laplacian_l2": lambda p: mercer.laplacian(lengthscale=p["l"]),
    "imq": lambda p: mercer.inverse_multiquadric(offset=p["c"]),
    "inverse_multiquadric": lambda p: mercer.inverse_multiquadric(offset=p["c"]),
    "polynomial": lambda p: mercer.polynomial(degree=p["m"], offset=p["c"], scale=p.get("s", 1)),
    "rq": lambda p: mercer.rational_quadratic(lengthscale=p["l"], shape=p["a"]),
    "rational_quadratic": lambda p: mercer.rational_quadratic(lengthscale=p["l"], shape=p["a"]),
}


def gaussian(lengthscale):
    return mercer.gaussian(lengthscale=lengthscale)


def test_mmd_estimators_and_witness(golden):
    case = golden("c12_mmd_estimators")
    p = case.inputs
    x, y, t, q = np.array(p["X"]), np.array(p["Y"]), np.array(p["T"]), p["q"]
    for (name, expected), entry in zip(case.expected.items(), p["kernels"], strict=True):
        kernel = KERNELS[entry["name"]](entry["params"])
        case.check(name, mercer.mmd(x, y, kernel), expected["biased"])
        case.check(name, mercer.mmd(x, y, kernel, "unbiased"), expected["unbiased"])
        case.check(name, mercer.mmd(x[:q], y[:q], kernel, estimator="paired"), expected["ustat_paired"])
        case.check(name, mercer.mmd(x[:q], y[:q], kernel, estimator="linear"), expected["linear_time"])
        witness = mercer.mmd_witness(x, y, kernel)
        case.check(name, witness(t), expected["witness"])
        case.check(name, witness.norm() ** 2, expected["biased"])
        mu, nu = mercer.MeanEmbedding(kernel, x), mercer.MeanEmbedding(kernel, y)
        case.check(name, mu.distance(nu), expected["mmd_b"])


@pytest.mark.parametrize(("key", "x", "y"), [("one_dim", "x", "y"), ("multi", "X", "Y")])
def test_energy_distance(golden, key, x, y):
    case = golden("c12_energy_distance")
    x, y, expected = case.inputs[x], case.inputs[y], case.expected[key]
    case.check(key, mercer.energy_distance(x, y), expected["energy"])
    case.check(key, mercer.energy_distance(x, y, estimator="unbiased"), expected["energy_unbiased"])
    case.check(key, mercer.mmd(x, y, mercer.brownian(hurst=0.5)), expected["mmd2_biased_half_kernel"])


def test_median_heuristic_of_the_pooled_sample(golden):
    case = golden("c12_median_heuristic")
    witness = mercer.mmd_witness(case.inputs["X"], case.inputs["Y"])
    (length,) = witness.kernel.parameters.values()
    case.check("median_pairs", length, case.expected["median_pairs"])


@pytest.mark.parametrize("key", ["strong", "weak"])
@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
@pytest.mark.parametrize("method", ["exact", "permutation"])
def test_exact_two_sample_tests(golden, key, estimator, method):
    case = golden("c12_mmd_permutation_exact")
    p, expected = case.inputs, case.expected[key][estimator]
    result = mercer.two_sample_test(
        p[key]["x"], p[key]["y"], gaussian(p["l"]), method, estimator=estimator, permutations=251
    )
    case.check(key, result.statistic, expected["observed"])
    case.check(key, result.p_value, expected["p_value"])
    case.check(key, result.threshold, expected["critical_95"])
    every = np.append(result.null, result.statistic)
    case.check(key, every.mean(), expected["mean_over_splits"])
    case.check(key, every.max(), expected["max"])
    assert result.exact
    assert result.n_permutations == result.permutations == 251
    assert round(result.p_value * 252) == expected["count_ge"]


def test_gamma_and_spectral_null_distribution_of_mmd(golden):
    case = golden("c12_mmd_thresholds_and_null")
    p, expected = case.inputs, case.expected["gamma"]
    gamma = mercer.two_sample_test(p["X"], p["Y"], gaussian(p["l"]), method="gamma")
    for name, detail in [
        ("m_mmd2_biased", "scaled_statistic"),
        ("null_mean_of_mmd2", "null_mean"),
        ("null_var_of_mmd2", "null_variance"),
        ("shape", "shape"),
        ("scale", "scale"),
    ]:
        case.check("gamma", gamma.details[detail], expected[name])
    case.check("gamma", gamma.p_value, expected["p_value"])
    spectral = mercer.two_sample_test(p["X"], p["Y"], gaussian(p["l"]), method="spectral")
    found = [spectral.details[f"eigenvalue_{j}"] for j in range(1, 6)]
    case.check("spectrum_top5", found, case.expected["spectrum_top5"])


def test_distribution_free_thresholds(golden):
    case = golden("c12_mmd_thresholds_and_null")
    p = case.inputs
    for i, m in enumerate(p["m"]):
        x = np.sin(np.arange(m))
        for j, level in enumerate(p["alpha"]):
            for estimator, root in [("biased", True), ("unbiased", False)]:
                result = mercer.two_sample_test(x, x, gaussian(1), method="bound", estimator=estimator, level=level)
                threshold = result.threshold**0.5 if root else result.threshold
                case.check(f"thr_{estimator}", threshold, case.expected[f"thr_{estimator}"][i][j])


@pytest.mark.parametrize("key", ["small", "large"])
def test_hsic_estimators(golden, key):
    case = golden("c13_hsic_estimators")
    x, y, expected = case.inputs[key]["x"], case.inputs[key]["y"], case.expected[key]
    k, m = gaussian(case.inputs["lx"]), gaussian(case.inputs["ly"])
    case.check(key, mercer.hsic(x, y, k, m), expected["biased"])
    case.check(key, mercer.hsic(x, y, k, m, estimator="unbiased"), expected["unbiased"])
    case.check(key, mercer.normalized_hsic(x, y, k, m), expected["normalised"])
    case.check(key, mercer.hsic(x, x, k, k), expected["biased_xx"])


def test_distance_covariance(golden):
    case = golden("c13_distance_covariance")
    x, y, expected = case.inputs["x"], case.inputs["y"], case.expected
    case.check("dcov_v", mercer.distance_covariance(x, y), expected["dcov_v"])
    case.check("dcor_v", mercer.distance_correlation(x, y), expected["dcor_v"])
    case.check("dcov2_u", mercer.distance_covariance(x, y, estimator="unbiased"), expected["dcov2_u"])
    case.check("dcor2_u", mercer.distance_correlation(x, y, estimator="unbiased"), expected["dcor2_u"])
    k = "brownian(hurst=0.5)"
    case.check("hsic_b_brownian", mercer.hsic(x, y, k, k), expected["hsic_b_brownian"])


@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
def test_exact_independence_tests(golden, estimator):
    case = golden("c13_hsic_permutation_exact")
    p, expected = case.inputs, case.expected[estimator]
    result = mercer.independence_test(
        p["x"], p["y"], gaussian(p["lx"]), gaussian(p["ly"]), method="exact", estimator=estimator
    )
    case.check(estimator, result.statistic, expected["observed"])
    case.check(estimator, result.p_value, expected["p_value"])
    if estimator == "biased":
        every = np.append(result.null, result.statistic)
        case.check(estimator, every.mean(), expected["mean"])
        case.check(estimator, every.var(), expected["variance"])
        case.check(estimator, result.threshold, expected["critical_95"])


def test_gamma_null_distribution_of_hsic(golden):
    case = golden("c13_hsic_gamma_null")
    p, expected = case.inputs, case.expected["gretton2007"]
    result = mercer.independence_test(p["x"], p["y"], gaussian(p["lx"]), gaussian(p["ly"]), method="gamma")
    for name, detail in [
        ("test_stat", "scaled_statistic"),
        ("mu_x", "mu_x"),
        ("mu_y", "mu_y"),
        ("null_mean_of_hsic_b", "null_mean"),
        ("null_var_of_hsic_b", "null_variance"),
        ("shape", "shape"),
        ("scale", "scale"),
    ]:
        case.check("gretton2007", result.details[detail], expected[name])
    case.check("gretton2007", result.p_value, expected["p_value"])


@pytest.mark.parametrize("key", ["small", "large"])
def test_interaction_and_joint_independence(golden, key):
    case = golden("c13_lancaster_and_dhsic")
    p, expected = case.inputs, case.expected[key]
    x, y, z = (p[key][name] for name in "xyz")
    kernels = [gaussian(p[f"l{name}"]) for name in "xyz"]
    case.check(key, mercer.lancaster(x, y, z, *kernels), expected["lancaster"])
    case.check(key, mercer.interaction_test(x, y, z, *kernels, permutations=9).statistic, expected["lancaster"])
    case.check(key, mercer.dhsic([x, y, z], kernels), expected["dhsic"])
    case.check(
        key, mercer.joint_independence_test([x, y, z], kernels=kernels, permutations=9).statistic, expected["dhsic"]
    )
    case.check(key, mercer.dhsic([x, y], kernels[:2]), expected["dhsic_d2_xy"])


def test_bags_through_their_embeddings(golden):
    case = golden("c15_bag_kernels")
    kernel, theta = gaussian(case.inputs["l"]), case.inputs["theta"]
    embedded = [mercer.MeanEmbedding(kernel, bag) for bag in case.inputs["bags"]]
    for p, mu in enumerate(embedded):
        for q, nu in enumerate(embedded):
            distance = mu.distance(nu)
            for key, found in [
                ("linear", mu.inner(nu)),
                ("distance2", distance**2),
                ("gaussian", np.exp(-(distance**2) / (2 * theta**2))),
                ("normalised_linear", mu.inner(nu) / (mu.norm() * nu.norm())),
                ("laplacian", np.exp(-distance / theta)),
                ("inverse_quadratic", 1 / (1 + distance**2 / theta**2)),
            ]:
                case.check(key, found, case.expected[key][p][q])


def test_embeddings_of_large_samples_approach_closed_forms(golden):
    """The embedding of the quantiles of a uniform distribution is its closed form up to the rule of quadrature."""
    case = golden("c15_mean_embeddings_closed_forms")
    p, expected = case.inputs, case.expected["gauss_uniform"]
    low, high = p["uniform_ab"]
    n = 2000
    x = low + (high - low) * (np.arange(n) + 0.5) / n
    mu = mercer.MeanEmbedding(gaussian(p["l"]), x)
    np.testing.assert_allclose(mu(p["t1"]), expected["mu"], rtol=1e-6)
    np.testing.assert_allclose(mu.norm() ** 2, expected["norm2"], rtol=1e-6)


def test_kernel_conditional_independence(golden):
    case = golden("c13_kci_conditional")
    p = case.inputs
    kernels = gaussian(p["sx"]), gaussian(p["sy"]), gaussian(p["sz"])
    x, y, z = (np.array(p[name]) for name in "xyz")
    result = mercer.conditional_independence_test(x, y, z, *kernels, method="gamma", ridge=p["eps"])
    case.check("statistic", result.statistic, case.expected["statistic"])
    case.check("p_value", result.p_value, case.expected["p_value"])
    for name, detail in [("null_mean", "null_mean"), ("null_var", "null_variance"), ("shape", "shape")]:
        case.check(name, result.details[detail], case.expected[name])
    resampled = mercer.conditional_independence_test(x, y, z, *kernels, ridge=p["eps"])
    case.check("statistic", resampled.statistic, case.expected["statistic"])
    assert resampled.p_value < 0.005


@pytest.mark.parametrize("method", ["permutation", "gamma"])
def test_a_constant_condition_is_none(golden, method):
    p = golden("c13_kci_conditional").inputs
    given = mercer.conditional_independence_test(p["x"], p["y"], np.full((60, 2), 3.0), method=method)
    assert given.p_value == mercer.independence_test(p["x"], p["y"], method=method).p_value
