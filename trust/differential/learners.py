"""Learners against scikit-learn, scipy, closed forms in numpy and conditions of optimality."""

from __future__ import annotations

import mpmath
import numpy as np
import scipy.interpolate
import scipy.special
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as gp_kernels
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

import mercer
from trust.compare import all_of, distance, or_refusal, worst
from trust.data import generator, kernel, labels, lengthscale, points, target
from trust.registry import Outcome, check

EPSILON = np.finfo(float).eps


def conditioned(matrix: np.ndarray, least: float = 1e-11) -> float:
    """Return the bound of an error that rounding multiplies by the condition of a matrix."""
    return max(least, 100 * EPSILON * np.linalg.cond(matrix))


@check("differential", slice=60, full=10_000)
def ridge_closed_form(seed: int) -> Outcome:
    """Ridge regression with weights and an intercept against numpy: coefficients, hat matrix, leave-one-out, GCV."""
    rng = generator(seed)
    n, d = int(rng.integers(3, 60)), int(rng.integers(1, 5))
    x = points(rng, n, d)
    y = target(rng, x)
    text = kernel(rng, x)
    alpha = float(10 ** rng.uniform(-6, 2))
    weights = rng.uniform(0.1, 3, size=n) if rng.random() < 0.5 else None
    intercept = bool(rng.random() < 0.5)
    model = mercer.KernelRidge(alpha, kernel=text, fit_intercept=intercept, n_jobs=1).fit(x, y, sample_weight=weights)
    gram = mercer.Kernel(text)(x, n_jobs=1)
    shifted = gram + alpha * np.diag(1 / weights if weights is not None else np.ones(n))
    hat, shift, coefficients = hat_matrix(gram, shifted, y, intercept)
    fitted, leverage = hat @ y, np.diag(hat)
    fresh = points(rng, 5, d)
    cross = mercer.Kernel(text)(fresh, x, n_jobs=1)
    bound = conditioned(shifted)
    scale = np.abs(y).max()
    return all_of(
        worst(bound, (model.predict(fresh), cross @ coefficients + shift), (model.fitted_, fitted), scale=scale),
        Outcome(distance(model.hat_diagonal_, leverage, 1.0), bound),
        Outcome(distance(model.dof_, leverage.sum(), n), bound),
        Outcome(
            distance((1 - leverage) * model.loo_residuals_, y - fitted, scale),
            bound / max(1e-6, float((1 - leverage).min())),
        ),
    )


def hat_matrix(
    gram: np.ndarray, shifted: np.ndarray, y: np.ndarray, intercept: bool
) -> tuple[np.ndarray, float, np.ndarray]:
    """Return the hat matrix, the intercept and the coefficients of a ridge regression."""
    inverse = np.linalg.inv(shifted)
    if not intercept:
        return gram @ inverse, 0.0, inverse @ y
    ones = np.ones(len(y))
    mean = ones @ inverse / (ones @ inverse @ ones)
    project = inverse @ (np.eye(len(y)) - np.outer(ones, mean))
    return gram @ project + np.outer(ones, mean), float(mean @ y), project @ y


@check("differential", slice=40, full=10_000)
def ridge_scikit_learn(seed: int) -> Outcome:
    """Ridge regression with several targets and weights against scikit-learn."""
    rng = generator(seed)
    n, d, outputs = int(rng.integers(3, 80)), int(rng.integers(1, 5)), int(rng.integers(1, 4))
    x = points(rng, n, d)
    y = np.column_stack([target(rng, x) for _ in range(outputs)])
    name, gamma = str(rng.choice(["rbf", "laplacian", "poly", "linear"])), 0.5 / lengthscale(rng, x) ** 2
    settings = {"alpha": float(10 ** rng.uniform(-4, 2)), "kernel": name, "gamma": gamma, "degree": 2}
    weights = rng.uniform(0.2, 2, size=n) if rng.random() < 0.5 else None
    found = mercer.KernelRidge(**settings, n_jobs=1).fit(x, y, sample_weight=weights)
    expected = KernelRidge(**settings).fit(x, y, sample_weight=weights)
    fresh = points(rng, 7, d)
    gram = expected._get_kernel(x) + settings["alpha"] * np.eye(n)
    bound = conditioned(gram, 1e-10)
    reference = expected.predict(fresh)
    return Outcome(distance(found.predict(fresh), reference, max(np.abs(reference).max(), np.abs(y).max())), bound)


@check("differential", slice=40, full=10_000)
def gaussian_process_scikit_learn(seed: int) -> Outcome:
    """Gaussian processes with a fixed kernel against scikit-learn: mean, standard deviation, likelihood."""
    rng = generator(seed)
    n, d = int(rng.integers(2, 50)), int(rng.integers(1, 4))
    x = points(rng, n, d)
    y = target(rng, x)
    ell, noise = lengthscale(rng, x), float(10 ** rng.uniform(-4, 0))
    ours, theirs = [
        (f"gaussian(lengthscale={ell!r})", gp_kernels.RBF(ell)),
        (f"matern(nu=3/2, lengthscale={ell!r})", gp_kernels.Matern(ell, nu=1.5)),
        (f"rational_quadratic(lengthscale={ell!r}, shape=0.7)", gp_kernels.RationalQuadratic(ell, 0.7)),
    ][int(rng.integers(3))]
    found = mercer.GaussianProcessRegressor(ours, noise, optimize=False, n_jobs=1).fit(x, y)
    expected = GaussianProcessRegressor(theirs, alpha=noise, optimizer=None).fit(x, y)
    fresh = points(rng, 6, d)
    (mean, std), (their_mean, their_std) = (m.predict(fresh, return_std=True) for m in (found, expected))
    bound = conditioned(theirs(x) + noise * np.eye(n), 1e-10)
    likelihood = expected.log_marginal_likelihood_value_
    return all_of(
        Outcome(distance(mean, their_mean, np.abs(y).max()), bound),
        Outcome(distance(std**2, their_std**2, 1.0), bound),
        Outcome(distance(found.log_marginal_likelihood_, likelihood, abs(likelihood) + n), bound),
    )


@check("differential", slice=30, full=10_000)
def svc_scikit_learn(seed: int) -> Outcome:
    """C- and ν-classification of two or three classes against scikit-learn: decision values up to the offset."""
    rng = generator(seed)
    n, d = int(rng.integers(12, 70)), int(rng.integers(1, 4))
    x = points(rng, n, d, str(rng.choice(["normal", "uniform", "heavy"])))
    y = labels(rng, x, int(rng.integers(2, 4)))
    settings: dict = {"kernel": "rbf", "gamma": 0.5 / lengthscale(rng, x) ** 2, "tol": 1e-9}
    if rng.random() < 0.6:
        settings["C"] = float(10 ** rng.uniform(-2, 1.5))
        ours, theirs = mercer.SVC, SVC
    else:
        settings["nu"] = float(rng.uniform(0.6, 0.95) * largest_nu(y))
        ours, theirs = mercer.NuSVC, NuSVC
    weights = rng.uniform(0.2, 2, size=n) if rng.random() < 0.3 and "C" in settings else None
    fresh = points(rng, 7, d, "normal")

    def compared() -> Outcome:
        found = ours(**settings, n_jobs=1, decision_function_shape="ovo").fit(x, y, sample_weight=weights)
        expected = theirs(**settings, decision_function_shape="ovo").fit(x, y, sample_weight=weights)
        return Outcome(apart(found, expected, "decision_function", fresh), proven(found))

    # A ν beyond the margin that the kernel allows is refused.
    return or_refusal(compared) if "nu" in settings else compared()


def largest_nu(y: np.ndarray) -> float:
    """Return the largest ν for which every pair of classes has a solution."""
    counts = np.bincount(y)
    return min(2 * min(a, b) / (a + b) for i, a in enumerate(counts) for b in counts[:i])


def apart(found: object, expected: object, method: str, fresh: np.ndarray) -> float:
    """Return the distance of two machines up to their offsets, any of an interval without free support vectors."""
    answer, reference = (getattr(m, method)(fresh) for m in (found, expected))
    return distance(answer - answer.mean(axis=0), reference - reference.mean(axis=0), 1.0)


def proven(model: object) -> float:
    """Return the bound of the error of a decision value: |f − f*| ≤ √(2 gap) where k(x, x) = 1, for both machines."""
    return 4 * float(np.sqrt(2 * max(np.max(model.duality_gap_), 1e-11)))  # type: ignore[attr-defined]


@check("differential", slice=30, full=10_000)
def svr_scikit_learn(seed: int) -> Outcome:
    """ε- and ν-regression and one-class machines against scikit-learn: values up to the offset."""
    rng = generator(seed)
    n, d = int(rng.integers(6, 70)), int(rng.integers(1, 4))
    x = points(rng, n, d, str(rng.choice(["normal", "uniform", "heavy"])))
    y = target(rng, x)
    settings: dict = {"kernel": "rbf", "gamma": 0.5 / lengthscale(rng, x) ** 2, "tol": 1e-9}
    kind = int(rng.integers(3))
    if kind == 2:
        settings["nu"] = float(rng.uniform(0.1, 0.9))
        found, expected = mercer.OneClassSVM(**settings, n_jobs=1).fit(x), OneClassSVM(**settings).fit(x)
    else:
        settings["C"] = float(10 ** rng.uniform(-1, 2))
        settings["epsilon" if kind == 0 else "nu"] = float(rng.uniform(0.05, 0.5))
        ours, theirs = ((mercer.SVR, SVR), (mercer.NuSVR, NuSVR))[kind]
        found, expected = ours(**settings, n_jobs=1).fit(x, y), theirs(**settings).fit(x, y)
    method = "decision_function" if kind == 2 else "predict"
    return Outcome(apart(found, expected, method, points(rng, 7, d, "normal")), proven(found))


@check("differential", slice=30, full=10_000)
def logistic_optimality(seed: int) -> Outcome:
    """Logistic regression: the gradient of the objective vanishes, α = (indicator − probability)/λ."""
    rng = generator(seed)
    n, d, classes = int(rng.integers(6, 60)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    n = max(n, 2 * classes)
    x = points(rng, n, d)
    y = labels(rng, x, classes)
    alpha = float(10 ** rng.uniform(-3, 2))
    text = kernel(rng, x)
    intercept = bool(rng.random() < 0.7)
    model = mercer.KernelLogisticRegression(alpha, kernel=text, fit_intercept=intercept, n_jobs=1).fit(x, y)
    probability = model.predict_proba(x)
    slopes = np.eye(classes)[y] - probability
    coefficients = slopes / alpha
    fresh = points(rng, 5, d)
    cross = mercer.Kernel(text)(fresh, x, n_jobs=1)
    # With many classes the decisions are known up to a constant, which probabilities do not see.
    offset = np.atleast_1d(model.intercept_) if intercept else 0.0
    if classes == 2:
        scores = np.column_stack([np.zeros(5), cross @ coefficients[:, 1] + np.ravel(offset)])
    else:
        scores = cross @ coefficients + offset
    expected = scipy.special.softmax(scores, axis=1)
    size = np.abs(cross).sum(axis=1).max() / alpha
    balanced = np.abs(slopes.sum(axis=0)).max() / n if intercept else 0.0
    return all_of(
        Outcome(distance(model.predict_proba(fresh), expected, 1.0), 1e-7 * max(1.0, size / n)),
        Outcome(float(balanced), 1e-8),
        Outcome(distance(probability.sum(axis=1), np.ones(n)), 1e-12),
    )


@check("differential", slice=25, full=5_000)
def spline_sixty_digits(seed: int) -> Outcome:
    """Smoothing splines with weights against Reinsch's equations with 60 digits, and scipy's spline."""
    rng = generator(seed)
    n = int(rng.integers(5, 25))
    x = np.sort(rng.uniform(0, 1, size=n)) * 10.0 ** rng.uniform(-3, 3)
    x += np.arange(n) * (x[-1] - x[0]) * 1e-3 / n
    y = target(rng, x[:, None], 0.2)
    lam = float(10 ** rng.uniform(-9, 3)) * (x[-1] - x[0]) ** 3
    weights = rng.uniform(0.2, 3, size=n)
    found = mercer.SmoothingSpline(lam).fit(x, y, sample_weight=weights)
    # scipy's own error is up to 1e-5 where knots are close.
    expected = scipy.interpolate.make_smoothing_spline(x, y, w=weights, lam=lam)
    fresh = rng.uniform(x[0], x[-1], size=20)
    scale = np.abs(y).max()
    return all_of(
        Outcome(distance(found.predict(x), reinsch(x, y, weights, lam), scale), 1e-12),
        Outcome(distance(found.predict(fresh), expected(fresh), scale), 1e-3),
    )


def reinsch(x: np.ndarray, y: np.ndarray, weights: np.ndarray, lam: float) -> np.ndarray:
    """Return the fitted values of a cubic smoothing spline from its band system, solved with 60 digits."""
    mpmath.mp.dps = 60
    n, exact = len(x), [mpmath.mpf(float(v)) for v in x]
    h = [exact[i + 1] - exact[i] for i in range(n - 1)]
    second, between = mpmath.zeros(n, n - 2), mpmath.zeros(n - 2, n - 2)
    for j in range(n - 2):
        second[j, j], second[j + 1, j], second[j + 2, j] = 1 / h[j], -1 / h[j] - 1 / h[j + 1], 1 / h[j + 1]
        between[j, j] = (h[j] + h[j + 1]) / 3
        if j < n - 3:
            between[j, j + 1] = between[j + 1, j] = h[j + 1] / 6
    inverse = mpmath.diag([1 / mpmath.mpf(float(w)) for w in weights])
    values = mpmath.matrix([mpmath.mpf(float(v)) for v in y])
    lam = mpmath.mpf(lam)
    bends = mpmath.lu_solve(between + lam * second.T * inverse * second, second.T * values)
    return np.array([float(v) for v in values - lam * (inverse * (second * bends))])


@check("differential", slice=40, full=10_000)
def smoothers_numpy(seed: int) -> Outcome:
    """Nadaraya–Watson means and local lines against weighted least squares in numpy."""
    rng = generator(seed)
    n = int(rng.integers(3, 80))
    x = rng.normal(size=n) * 10.0 ** rng.uniform(-2, 2)
    y = target(rng, x[:, None])
    h = float(np.ptp(x)) * float(rng.uniform(0.1, 1))
    fresh = rng.uniform(x.min(), x.max(), size=6)
    mean = mercer.NadarayaWatson(h, n_jobs=1).fit(x[:, None], y).predict(fresh[:, None])
    line = mercer.LocalLinear(h, n_jobs=1).fit(x, y).predict(fresh)
    weights = np.exp(-((fresh[:, None] - x) ** 2) / (2 * h * h))
    expected = weights @ y / weights.sum(axis=1)
    lines = [local_line(w, x - at, y, h) for w, at in zip(weights, fresh, strict=True)]
    scale = np.abs(y).max()
    return all_of(Outcome(distance(mean, expected, scale), 1e-12), Outcome(distance(line, lines, scale), 1e-9))


def local_line(weights: np.ndarray, shifted: np.ndarray, y: np.ndarray, h: float) -> float:
    """Return the value at 0 of the weighted least-squares line."""
    root = np.sqrt(weights)
    design = np.column_stack([np.ones_like(shifted), shifted / h]) * root[:, None]
    return float(np.linalg.lstsq(design, y * root, rcond=None)[0][0])


@check("differential", slice=20, full=5_000)
def losses_optimality(seed: int) -> Outcome:
    """General losses: −2λα is a subgradient of the loss at the fitted values."""
    rng = generator(seed)
    n, d = int(rng.integers(5, 60)), int(rng.integers(1, 4))
    x = points(rng, n, d, str(rng.choice(["normal", "uniform", "scaled"])))
    y = target(rng, x)
    alpha, text = float(10 ** rng.uniform(-3, 1)), kernel(rng, x)
    loss = str(rng.choice(["squared", "huber", "log_cosh", "absolute", "quantile", "epsilon_insensitive"]))
    level = float(rng.uniform(0.1, 0.9))
    model = mercer.KernelMachine(loss, alpha, kernel=text, quantile=level, tol=1e-12, n_jobs=1).fit(x, y)
    fitted = model.predict(x)
    residual = y - fitted
    slope = 2 * alpha * np.ravel(model.dual_coef_)
    low, high = slopes(loss, residual, level)
    outside = np.maximum(0, np.maximum(low - slope, slope - high)).max()
    return all_of(Outcome(float(outside), 1e-4), Outcome(abs(float(slope.sum())) / n, 1e-6))


def slopes(loss: str, residual: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval of derivatives of a loss of the residual; at kinks it is wide."""
    near = np.abs(residual) < 1e-5
    if loss == "squared":
        return 2 * residual, 2 * residual
    if loss == "huber":
        clipped = np.clip(residual, -1, 1)
        return clipped, clipped
    if loss == "log_cosh":
        return np.tanh(residual), np.tanh(residual)
    if loss == "epsilon_insensitive":
        size, edge = np.sign(residual), np.abs(np.abs(residual) - 0.1) < 1e-5
        inner = np.where(np.abs(residual) < 0.1, 0.0, size)
        return np.where(edge, np.minimum(0, size), inner), np.where(edge, np.maximum(0, size), inner)
    down, up = (-1.0, 1.0) if loss == "absolute" else (level - 1, level)
    side = np.where(residual > 0, up, down)
    return np.where(near, down, side), np.where(near, up, side)
