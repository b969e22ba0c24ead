"""Golden cases of ridge (c05), Gaussian processes (c06), splines (c07, c18) and local smoothers (c11)."""

import numpy as np
import pytest
from helpers import standardized

import mercer

SPLINES = [
    "c07_smoothing_spline_cars",
    "c07_smoothing_spline_mcycle",
    "c07_smoothing_spline_synthetic",
    "c07_smoothing_spline_synthetic_weighted",
]
PROCESSES = ["matern12_1d", "matern32_2d", "matern52_2d", "rbf_1d", "rbf_ard_3d", "rq_1d"]


def check_ridge(case, model, y, expected):
    """Every quantity of a fit with one output that the file holds."""
    residual = y - model.fitted_
    found = {
        "alpha": model.dual_coef_,
        "fitted": model.fitted_,
        "hat_diagonal": model.hat_diagonal_,
        "loo_residuals": model.loo_residuals_,
        "df": model.dof_,
        "gcv": model.gcv_,
        "loo_mse": np.mean(model.loo_residuals_**2),
        "norm2": model.norm_**2,
        "rss": residual @ residual,
    }
    for key in found.keys() & expected.keys():
        case.check(key, found[key], expected[key])


def test_ridge_small_example(golden):
    case = golden("c05_krr_small_example")
    length = case.inputs["extra_kernel"]["params"]["l"]
    kernels = [
        ("poly2", "polynomial(degree=2, offset=1)", "x", "t"),
        ("one_plus_min_shifted", "1 + wiener()", "x_shifted", "t_shifted"),
        ("one_plus_min_unshifted", "0.5 + wiener()", "x_shifted", "t_shifted"),
        ("gaussian", mercer.gaussian(lengthscale=length), "x", "t"),
    ]
    for key, kernel, x, t in kernels:
        x, t = np.reshape(case.inputs[x], (-1, 1)), np.reshape(case.inputs[t], (-1, 1))
        for name in ("noise_free", "noisy"):
            y, expected = np.array(case.inputs[f"y_{name}"]), case.expected[key][name]
            model = mercer.KernelRidge(case.inputs["lambda"], kernel=kernel).fit(x, y)
            check_ridge(case, model, y, expected)
            case.check("predictions", model.predict(t), expected["predictions"])


def test_ridge_diabetes(golden):
    case = golden("c05_krr_diabetes")
    x, y = standardized(case.inputs["X_raw"]), np.array(case.inputs["y_raw"])
    y = y - y.mean()
    kernel = mercer.gaussian(lengthscale=case.inputs["kernel"]["params"]["l"])
    model = mercer.KernelRidge(case.inputs["lambda"], kernel=kernel).fit(x, y)
    check_ridge(case, model, y, case.expected["fit"])


def test_ridge_several_outputs(golden):
    case = golden("c05_krr_multi_output")
    x, y = standardized(case.inputs["X_raw"]), np.array(case.inputs["Y_raw"])
    kernel = mercer.gaussian(lengthscale=case.inputs["kernel"]["params"]["l"])
    model = mercer.KernelRidge(case.inputs["lambda"], kernel=kernel).fit(x, y - y.mean(axis=0))
    found = {
        "alpha": model.dual_coef_,
        "fitted": model.fitted_,
        "loo_residuals": model.loo_residuals_,
        "gcv_per_output": model.gcv_,
        "df": model.dof_,
    }
    case.check_all(found)


def test_ridge_path_weights_and_intercept(golden):
    case = golden("c05_krr_lambda_path_and_variants")
    x, t = np.reshape(case.inputs["x"], (-1, 1)), np.reshape(case.inputs["t"], (-1, 1))
    y, alpha = np.array(case.inputs["y"]), case.inputs["lambda"]
    kernel = mercer.gaussian(lengthscale=case.inputs["kernel"]["params"]["l"])
    for solver in ("cholesky", "eigen", "auto"):
        plain = mercer.KernelRidge(alpha, kernel=kernel, solver=solver)
        weighted = plain.fit(x, y, sample_weight=case.inputs["weights"])
        expected = case.expected["weighted"]
        case.check("alpha", weighted.dual_coef_, expected["alpha"])
        case.check("predictions", weighted.predict(t), expected["predictions"])
        free = mercer.KernelRidge(alpha, kernel=kernel, solver=solver, fit_intercept=True).fit(x, y)
        check_ridge(case, free, y, case.expected["intercept"])
        case.check("b", free.intercept_, case.expected["intercept"]["b"])
        case.check("predictions", free.predict(t), case.expected["intercept"]["predictions"])
    path = case.expected["path"]
    for i, value in enumerate(case.inputs["lambdas"]):
        model = mercer.KernelRidge(value, kernel=kernel).fit(x, y)
        check_ridge(case, model, y, {key: path[key][i] for key in ("df", "gcv", "loo_mse", "rss", "norm2")})
    for scoring, key in (("loo", "loo_mse"), ("gcv", "gcv")):
        search = mercer.KernelRidgeCV(case.inputs["lambdas"], kernel=kernel, scoring=scoring).fit(x, y)
        case.check(key, search.scores_[0], path[key])
        assert search.alpha_ == case.inputs["lambdas"][np.argmin(path[key])]


def process_of(case):
    lengths = case.inputs["l"] if len(case.inputs["l"]) > 1 else case.inputs["l"][0]
    name = case.inputs["kernel"]
    if name == "gaussian":
        base = mercer.gaussian(lengthscale=lengths)
    elif name == "rq":
        base = mercer.rational_quadratic(lengthscale=lengths, shape=case.inputs["a"])
    else:
        base = mercer.matern(nu=f"{name[-2]}/{name[-1]}", lengthscale=lengths)
    return mercer.GaussianProcessRegressor(case.inputs["sf2"] * base, noise=case.inputs["sn2"], optimize=False)


@pytest.mark.parametrize("name", PROCESSES)
def test_gaussian_processes(golden, name):
    case = golden(f"c06_gp_{name}")
    model = process_of(case).fit(case.inputs["X"], case.inputs["y"])
    mean, std = model.predict(case.inputs["T"], return_std=True)
    _, noisy = model.predict(case.inputs["T"], return_std=True, include_noise=True)
    again, covariance = model.predict(case.inputs["T"], return_cov=True)
    others = model.leave_one_out()
    found = {
        "alpha": model.alpha_,
        "mean": mean,
        "var_latent": std**2,
        "var_noisy": noisy**2,
        "cov_latent": covariance,
        "lml": model.log_marginal_likelihood_,
        "loo_mean": others.mean,
        "loo_var": others.variance,
        "loo_log_prob": others.log_density,
    }
    case.check_all(found)
    case.check("mean", again, case.expected["mean"])
    ours = {
        "log_l": "lengthscale",
        "log_a": "shape",
        "log_sf2": "scale",
        "log_sn2": "noise",
        **{f"log_l{i}": f"lengthscale[{i}]" for i in range(3)},
    }
    for key, slope in zip(case.expected["gradient_names"], case.expected["gradient"], strict=True):
        places = [i for i, n in enumerate(model.parameter_names_) if n.rpartition(".")[2] == ours[key]]
        assert len(places) == 1, (key, model.parameter_names_)
        case.check("gradient", model.log_marginal_likelihood_gradient_[places[0]], slope)


def fit_spline(case, **choice):
    weights = case.inputs.get("w_normalised_used")
    weights = weights if isinstance(weights, list) else None
    return mercer.SmoothingSpline(**choice).fit(case.inputs["x"], case.inputs["y"], sample_weight=weights)


@pytest.mark.parametrize("name", SPLINES)
def test_splines(golden, name):
    case = golden(name)
    x, t = np.array(case.inputs["x"]), np.array(case.inputs["t"])
    for expected in case.expected["fits"]:
        model = fit_spline(case, lam=expected["lambda_raw"])
        knots = np.array(expected["unique_x"])
        found = {
            "fitted_at_unique_x": model.predict(knots),
            "second_derivative_at_unique_x": model.predict(knots, derivative=2),
            "leverage_at_unique_x": [model.leverages_[x == knot].sum() for knot in knots],
            "predictions": model.predict(t[:, None]),
            "derivative": model.predict(t, derivative=1),
            "df": model.dof_,
            "gcv": model.gcv_,
            "loo_cv": model.loo_score_,
            "lambda_raw": model.lam_,
            "weighted_rss": model.residual_sum_,
            "penalty_int_f2_squared": model.roughness_,
            "objective": model.residual_sum_ + model.lam_ * model.roughness_,
        }
        for key, value in found.items():
            case.check("fits" if "fits" in case.root.get("tolerance_by_key", {}) else key, value, expected[key])
    best = case.expected["gcv_optimum"]
    model = fit_spline(case, lam="gcv")
    for key, value in {"lambda_raw": model.lam_, "df": model.dof_, "criterion": model.gcv_}.items():
        case.check("gcv_optimum", value, best[key])
    case.check("gcv_optimum", model.predict(model.knots_), best["fitted_at_unique_x"])
    case.check("gcv_optimum", fit_spline(case, df=best["df"]).lam_, best["lambda_raw"])


def test_the_printed_spline_of_cars(golden):
    case = golden("c18_published_cars_smooth_spline")
    model = fit_spline(case, lam=case.inputs["lambda_raw"])
    for key, value in {"exact_df": model.dof_, "exact_gcv": model.gcv_}.items():
        case.check(key, value, case.expected[key])
    case.check("exact_fitted_at_unique_x", model.predict(model.knots_), case.expected["exact_fitted_at_unique_x"])


def test_local_smoothers(golden):
    case = golden("c11_local_regression_mcycle")
    x, t, y = np.reshape(case.inputs["x"], (-1, 1)), np.reshape(case.inputs["t"], (-1, 1)), case.inputs["y"]
    for h in case.inputs["h"]:
        expected = case.expected[f"h{h:g}"]
        line = mercer.LocalLinear(h).fit(x, y)
        for name, model in {"nw": mercer.NadarayaWatson(h).fit(x, y), "local_linear": line}.items():
            found = {
                name: model.predict(t),
                f"{name}_at_first_5_data_points": model.fitted_[:5],
                f"{name}_trace": model.dof_,
                f"{name}_loo_mse": np.mean(model.loo_residuals_**2),
            }
            case.check_all(found, expected)
        case.check("local_linear_slope", line.slope(t), expected["local_linear_slope"])
