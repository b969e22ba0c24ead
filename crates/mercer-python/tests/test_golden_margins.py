"""Golden cases of support vector machines (c08) and kernel logistic regression (c09)."""

import numpy as np
import pytest
from helpers import standardized

import mercer

#: Much nearer to the optimum than the golden tolerances require.
TOL = 1e-9


def kernel_of(case):
    params = case["params"]
    if case["kernel"] == "linear":
        return mercer.linear()
    if case["kernel"] == "polynomial":
        return mercer.polynomial(degree=int(params["m"]), scale=params["scale"], offset=params["c"])
    return {"gaussian": mercer.gaussian, "laplacian": mercer.laplacian}[case["kernel"]](lengthscale=params["l"])


def spread(model, rows):
    """α of every row: 0 where there is no support vector."""
    alpha = np.zeros(rows)
    alpha[model.support_] = model.dual_coef_[0]
    return alpha


def check(case, model, expected, x, sign):
    """Everything that a file holds of a classifier of two classes; scikit-learn is positive for the second class."""
    alpha = np.abs(spread(model, len(x)))
    if "alpha" in expected:
        case.check("alpha", alpha, expected["alpha"])
    for row, value in expected.get("alpha_nonzero", {}).items():
        case.check("alpha_nonzero", alpha[int(row)], value)
    case.check("b", sign * model.intercept_[0], expected["b"])
    case.check("dual_objective", model.dual_objective_, expected["dual_objective"])
    assert 0 <= model.duality_gap_ < 1e-6
    assert model.kkt_violation_ <= TOL
    assert model.n_support_.sum() == expected["n_support"]
    case.check("decision_train", sign * model.decision_function(x), expected["decision_train"])


def test_toy_problems(golden):
    case = golden("c08_csvc_toy")
    for expected in case.expected.values():
        model = mercer.SVC(C=expected["C"], kernel=kernel_of(expected), tol=TOL).fit(case.inputs["X"], case.inputs["y"])
        check(case, model, expected, case.inputs["X"], 1)
        case.check("decision_t", model.decision_function(case.inputs["T"]), expected["decision_t"])


def test_class_weights(golden):
    case = golden("c08_csvc_class_weights")
    expected = case.expected["fit"]
    weights = {int(label): w for label, w in case.inputs["class_weight"].items()}
    model = mercer.SVC(C=case.inputs["C"], kernel=kernel_of(expected), class_weight=weights, tol=TOL)
    check(case, model.fit(case.inputs["X"], case.inputs["y"]), expected, case.inputs["X"], 1)
    rows = [weights[label] for label in case.inputs["y"]]
    other = mercer.SVC(C=case.inputs["C"], kernel=kernel_of(expected), tol=TOL)
    check(case, other.fit(case.inputs["X"], case.inputs["y"], sample_weight=rows), expected, case.inputs["X"], 1)


def test_pairs_of_iris(golden):
    case = golden("c08_csvc_iris_pairs")
    x, y = np.array(case.inputs["X"]), np.array(case.inputs["target"])
    for key, expected in case.expected.items():
        rows = np.isin(y, [int(word) for word in key.split("_") if word.isdigit()])
        model = mercer.SVC(C=expected["C"], kernel=kernel_of(expected), tol=TOL).fit(x[rows], y[rows])
        check(case, model, expected, x[rows], -1)


def test_breast_cancer(golden):
    case = golden("c08_csvc_breast_cancer")
    x, y = standardized(case.inputs["X_raw"]), np.array(case.inputs["target"])
    for expected in case.expected.values():
        model = mercer.SVC(C=expected["C"], kernel=kernel_of(expected), tol=TOL).fit(x, y)
        check(case, model, expected, x, 1)
        assert (model.predict(x) != y).sum() == expected["training_errors"]


def test_three_classes(golden):
    case = golden("c08_multiclass_ovo_iris")
    x, y = np.array(case.inputs["X"]), np.array(case.inputs["target"])
    kernel = mercer.gaussian(lengthscale=case.inputs["params"]["l"])
    model = mercer.SVC(C=case.inputs["C"], kernel=kernel, decision_function_shape="ovo", tol=TOL).fit(x, y)
    case.check("decision_ovo", model.decision_function(x), case.expected["decision_ovo"])
    assert model.predict(x).tolist() == case.expected["predicted"]
    assert len(model.support_) == case.expected["n_support_union"]
    pairs = [case.expected[f"pair_{a}_{b}"] for a, b in ((0, 1), (0, 2), (1, 2))]
    case.check("b", model.intercept_, [pair["b"] for pair in pairs])
    case.check("dual_objective", model.dual_objective_, sum(pair["dual_objective"] for pair in pairs))


def test_nu_svc(golden):
    case = golden("c08_nu_svc")
    x, expected = np.array(case.inputs["X"]), case.expected["libsvm_scaling"]
    model = mercer.NuSVC(nu=case.inputs["nu"], kernel=mercer.gaussian(lengthscale=case.inputs["l"]), tol=TOL)
    model.fit(x, case.inputs["y"])
    case.check("alpha", np.abs(spread(model, len(x))), expected["alpha"])
    case.check("b", model.intercept_[0], expected["b"])
    case.check("decision_t", model.decision_function(case.inputs["T"]), expected["decision_t"])
    assert model.n_support_.sum() == case.expected["n_support"]


def test_regression(golden):
    case = golden("c08_svr")
    for key in ("toy", "data"):
        given, expected = case.inputs[key], case.expected[key]
        x = np.reshape(given["x"], (-1, 1)) if "x" in given else standardized(given["X_raw"])
        length = given["l"] if "l" in given else given["params"]["l"]
        model = mercer.SVR(C=given["C"], epsilon=given["eps"], kernel=mercer.gaussian(lengthscale=length), tol=TOL)
        model.fit(x, given["y"])
        case.check("beta", spread(model, len(x)), expected["beta"])
        case.check("b", model.intercept_[0], expected["b"])
        case.check("dual_objective", model.dual_objective_, expected["dual_objective"])
        case.check("fitted", model.predict(x), expected["fitted"])
        assert model.n_support_[0] == expected["n_support"]


def test_nu_regression(golden):
    case = golden("c08_nu_svr")
    x, t = np.reshape(case.inputs["x"], (-1, 1)), np.reshape(case.inputs["t"], (-1, 1))
    kernel = mercer.gaussian(lengthscale=case.inputs["l"])
    model = mercer.NuSVR(nu=case.inputs["nu"], C=case.inputs["C"], kernel=kernel, tol=TOL).fit(x, case.inputs["y"])
    case.check("beta", spread(model, len(x)), case.expected["beta"])
    case.check("b", model.intercept_[0], case.expected["b"])
    case.check("eps", model.epsilon_, case.expected["eps"])
    case.check("predictions_t", model.predict(t), case.expected["predictions_t"])


def test_one_class(golden):
    case = golden("c08_one_class")
    x, expected = np.array(case.inputs["X"]), case.expected["libsvm_scaling"]
    model = mercer.OneClassSVM(nu=case.inputs["nu"], kernel=mercer.gaussian(lengthscale=case.inputs["l"]), tol=TOL)
    model.fit(x)
    case.check("alpha", spread(model, len(x)), expected["alpha"])
    case.check("rho", model.offset_[0], expected["rho"])
    case.check("decision_t", model.decision_function(case.inputs["T"]), expected["decision_t"])
    assert len(model.support_) == case.expected["n_support"]


@pytest.mark.parametrize("intercept", [False, True])
def test_binary_logistic_regression(golden, intercept):
    case = golden("c09_klr_binary")
    for i, fit in enumerate(case.inputs["fits"]):
        expected = case.expected[f"fit{i}_{fit['kernel']}_{'intercept' if intercept else 'no_intercept'}"]
        model = mercer.KernelLogisticRegression(fit["lambda"], kernel=kernel_of(fit), fit_intercept=intercept)
        model.fit(case.inputs["X"], case.inputs["y"])
        found = {
            "alpha": model.dual_coef_,
            "b": model.intercept_[0],
            "decision_train": model.decision_function(case.inputs["X"]),
            "prob_train": model.predict_proba(case.inputs["X"])[:, 1],
            "decision_t": model.decision_function(case.inputs["T"]),
            "objective": model.objective_,
            "loss": model.loss_,
            "norm2": model.norm_**2,
        }
        case.check_all(found, expected)
        assert 0 <= model.duality_gap_ < 1e-12
        # λ/2 here, λ there: the same function.
        twin = mercer.KernelMachine("logistic", fit["lambda"] / 2, kernel=kernel_of(fit), fit_intercept=intercept)
        twin.fit(case.inputs["X"], case.inputs["y"])
        case.check("decision_t", twin.decision_function(case.inputs["T"]), expected["decision_t"])


@pytest.mark.parametrize("intercept", [False, True])
def test_multinomial_logistic_regression(golden, intercept):
    case = golden("c09_klr_multinomial")
    expected = case.expected["intercept" if intercept else "no_intercept"]
    x = case.inputs["X_raw"]
    model = mercer.KernelLogisticRegression(
        case.inputs["lambda"], kernel=kernel_of(case.inputs), fit_intercept=intercept
    )
    model.fit(x, case.inputs["target"])
    found = {
        "A": model.dual_coef_,
        "b": model.intercept_,
        "decision_train": model.decision_function(x),
        "prob_train": model.predict_proba(x),
        "loss": model.loss_,
        "objective": model.objective_,
    }
    case.check_all(found, expected)
