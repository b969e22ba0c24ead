"""Changes of a problem whose effect on the answer is known."""

from __future__ import annotations

from typing import Any

import numpy as np

import mercer
from trust import catalogue
from trust.compare import all_of, distance, elementwise, or_refusal, same_bytes, worst
from trust.data import generator, kernel, labels, lengthscale, points, target
from trust.programs import stated_single_error
from trust.registry import Check, Outcome, add, check

PLAIN = ("normal", "uniform", "heavy", "scaled")

# Random features, k-means, spectral clusters and independent components draw by the order of the rows; folds do too.
BY_ORDER = {
    "BinnedClassifier", "BinnedRegressor", "KernelICA", "KernelKMeans", "Nystroem", "RandomBinningFeatures",
    "RandomFourierFeatures", "SVCCV", "SpectralClustering", "StreamedKernelRidge", "EmpiricalKernelMap",
}  # fmt: skip

# Errors of solvers that stop at a tolerance, and of directions that rounding turns.
SLOW = ("GaussianProcessRegressor", "LocalLinear", "NadarayaWatson", "CoupledKernelEmbedding")
MACHINES = ("NuSVC", "NuSVR", "OneClassSVM", "SVC", "SVR")
LOOSE = {
    "NuSVC": 2e-2, "NuSVR": 1e-4, "OneClassSVM": 1e-4, "SVC": 1e-4, "SVR": 1e-4, "MultipleKernelClassifier": 5e-2,
    "MultipleKernelOneClass": 2e-2, "MultipleKernelRegressor": 1e-3, "CoupledKernelEmbedding": 1e-3,
    "GaussianProcessRegressor": 1e-3, "KernelCCA": 1e-4, "KernelPCA": 1e-5, "ClassicalScaling": 1e-5,
    "KernelMachine": 1e-3, "KernelRidgeCV": 1e-5,
}  # fmt: skip


def problem(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw points, a target and classes."""
    x = points(rng, int(rng.integers(14, 50)), 2, str(rng.choice(PLAIN)))
    return x, target(rng, x), labels(rng, x, 2)


def unsigned(name: str, found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return answers that do not depend on the signs of components; labels are left out where ties are possible."""
    kept = {key: value for key, value in found.items() if value.dtype.kind == "f"}
    return {key: np.abs(value) for key, value in kept.items()} if "transform" in kept else kept


def far(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> float:
    """Return the largest error of answers with the same names."""
    pairs = [(found[key], expected[key]) for key in expected]
    return max((distance(a, b, max(1.0, float(np.abs(b).max(initial=0)))) for a, b in pairs), default=0.0)


def permuted(name: str) -> Any:
    """Return the check that the order of rows does not matter."""

    def run(seed: int) -> Outcome:
        rng = generator(seed)
        x, y, classes = problem(rng)
        order = rng.permutation(len(x))
        tight = {"tol": 1e-9} if name in MACHINES else {}

        def compared() -> Outcome:
            first = catalogue.fit(name, x, y, classes, **tight)
            second = catalogue.fit(name, x[order], y[order], classes[order], **tight)
            one, two = (unsigned(name, catalogue.answers(name, model, x[:7] + 0.01)) for model in (first, second))
            return Outcome(far(two, one), LOOSE.get(name, 1e-7))

        # A ν beyond the margin of the data is refused.
        return or_refusal(compared) if name == "NuSVC" else compared()

    return run


def threaded(name: str) -> Any:
    """Return the check that the number of threads does not matter to a bit."""

    def run(seed: int) -> Outcome:
        rng = generator(seed)
        n = int(rng.choice([20, 150] if name in SLOW else [20, 300, 700]))
        x = points(rng, n, 2, str(rng.choice(PLAIN)))
        y, classes = target(rng, x), labels(rng, x, 2)
        accepted = "n_jobs" in catalogue.settings(name)

        def compared() -> Outcome:
            each = [{"n_jobs": jobs} if accepted else {} for jobs in (1, 2, 8)]
            models = [catalogue.fit(name, x, y, classes, **how) for how in each]
            found = [catalogue.answers(name, model, x[:9]) for model in models]
            return all_of(*(same_bytes(*(answers[key] for answers in found)) for key in found[0]), Outcome())

        return or_refusal(compared) if name == "NuSVC" else compared()

    return run


for _name in catalogue.estimators():
    if _name not in BY_ORDER:
        add(
            Check(
                "metamorphic", f"rows_{_name}", f"`{_name}`: permuted rows, the same function", permuted(_name), 4, 2000
            )
        )
    if _name not in ("SVCCV",):
        add(
            Check(
                "metamorphic",
                f"threads_{_name}",
                f"`{_name}`: 1, 2 and 8 threads, the same bits",
                threaded(_name),
                2,
                300,
            )
        )


@check("metamorphic", slice=60, full=10_000)
def units(seed: int) -> Outcome:
    """Points and lengthscales in other units: the same kernel values."""
    rng = generator(seed)
    x = points(rng, 12, 3)
    ell = lengthscale(rng, x)
    text = str(rng.choice(["gaussian", "laplacian", "matern", "rational_quadratic", "cauchy"]))
    unit = 2.0 ** int(rng.integers(-400, 400))
    one = mercer.Kernel(f"{text}(lengthscale={ell!r})")(x)
    two = mercer.Kernel(f"{text}(lengthscale={ell * unit!r})")(x * unit)
    # A power of two changes no digit; what underflows may differ.
    return elementwise(two, one, np.maximum(np.abs(one), 1e-290), 1e-13)


@check("metamorphic", slice=60, full=10_000)
def algebra(seed: int) -> Outcome:
    """K + k = 2k, k·k = k², normalization twice, sums in another order, text there and back."""
    rng = generator(seed)
    x = points(rng, 11, 2)
    first, second = kernel(rng, x), kernel(rng, x)
    k, other = mercer.Kernel(first), mercer.Kernel(second)
    gram = k(x)
    size = np.abs(gram) + np.abs(other(x)) + 1e-300
    twice = mercer.Kernel(f"normalized(normalized({first}))")(x)
    return all_of(
        elementwise((k + k)(x), 2 * gram, size, 1e-15),
        elementwise((2 * k)(x), 2 * gram, size, 1e-15),
        elementwise((k * k)(x), (k**2)(x), size**2, 1e-14),
        elementwise((k + other)(x), (other + k)(x), size, 1e-15),
        elementwise(twice, mercer.Kernel(f"normalized({first})")(x), np.ones_like(gram), 1e-14),
        same_bytes(mercer.Kernel(str(k))(x), gram),
    )


@check("metamorphic", slice=40, full=5_000)
def constant_and_intercept(seed: int) -> Outcome:
    """A constant added to a kernel does not change centered problems: principal components, MMD, ridge."""
    rng = generator(seed)
    x, y, _ = problem(rng)
    text, value = kernel(rng, x), round(float(rng.uniform(0.5, 3)), 2)
    more = f"{text} + constant(value={value})"
    models = [mercer.KernelRidge(0.1, kernel=t, fit_intercept=True).fit(x, y) for t in (text, more)]
    values = [mercer.KernelPCA(2, kernel=t).fit(x).eigenvalues_ for t in (text, more)]
    half = len(x) // 2
    size = float(np.abs(mercer.Kernel(more).diag(x)).max())
    discrepancies = [mercer.mmd(x[:half], x[half:], t) for t in (text, more)]
    return all_of(
        worst(1e-8, (models[1].predict(x), models[0].predict(x)), scale=float(np.abs(y).max())),
        worst(1e-11, (values[1], values[0]), scale=size * len(x)),
        worst(1e-12, (discrepancies[1], discrepancies[0]), scale=size),
    )


@check("metamorphic", slice=30, full=5_000)
def weights_and_repetition(seed: int) -> Outcome:
    """Whole weights are repeated rows: ridge, logistic regression, splines, support vector machines."""
    rng = generator(seed)
    x, y, classes = problem(rng)
    counts = rng.integers(1, 4, size=len(x))
    again = np.repeat(np.arange(len(x)), counts)
    # White noise is one number for equal rows of a table, and is not the same for weights.
    text = kernel(rng, x).replace(" + 0.1*delta()", "")
    fresh = points(rng, 6, 2, "normal")
    ridge = mercer.KernelRidge(0.5, kernel=text, fit_intercept=True)
    logistic = mercer.KernelLogisticRegression(0.5, kernel=text)
    svc = mercer.SVC(kernel=text, C=0.7, tol=1e-9)
    pairs = []
    for model, t, method in (
        (ridge, y, "predict"),
        (logistic, classes, "predict_proba"),
    ):
        one = getattr(model.fit(x, t, sample_weight=counts.astype(float)), method)(fresh)
        pairs.append((one, getattr(model.fit(x[again], t[again]), method)(fresh)))
    one = svc.fit(x, classes, sample_weight=counts.astype(float)).decision_function(fresh)
    two = svc.fit(x[again], classes[again]).decision_function(fresh)
    line = np.sort(x[:, 0])
    spline = mercer.SmoothingSpline(0.1)
    bent = spline.fit(line, y, sample_weight=counts.astype(float)).predict(line)
    return all_of(
        worst(1e-6, *pairs, scale=1.0),
        Outcome(distance(one - one.mean(), two - two.mean(), 1.0), 1e-3),
        Outcome(distance(spline.fit(line[again], y[again]).predict(line), bent, 1.0), 1e-7),
    )


@check("metamorphic", slice=30, full=5_000)
def targets_scaled(seed: int) -> Outcome:
    """Ridge regression and processes are linear in the targets, and shift with them where there is an intercept."""
    rng = generator(seed)
    x, y, _ = problem(rng)
    text, factor, shift = kernel(rng, x), float(2.0 ** rng.integers(-40, 40)), float(rng.normal() * 10)
    ridge = mercer.KernelRidge(0.3, kernel=text, fit_intercept=True)
    base = ridge.fit(x, y).predict(x)
    scaled = ridge.fit(x, factor * y).predict(x) / factor
    shifted = ridge.fit(x, y + shift).predict(x) - shift
    process = mercer.GaussianProcessRegressor(text, 0.1, optimize=False)
    mean = process.fit(x, y).predict(x)
    return all_of(
        worst(1e-9, (scaled, base), (process.fit(x, factor * y).predict(x) / factor, mean), scale=1.0),
        worst(1e-9, (shifted, base), scale=10.0 + abs(shift)),
    )


@check("metamorphic", slice=20, full=3_000)
def tests_symmetric(seed: int) -> Outcome:
    """Two-sample and independence statistics do not depend on which sample is first, nor on units or shifts."""
    rng = generator(seed)
    n = int(rng.integers(6, 30))
    x, y = points(rng, n, 2, "normal"), points(rng, n, 2, "heavy")
    unit, shift = float(2.0 ** rng.integers(-20, 20)), float(np.round(rng.normal() * 4))
    options = {"permutations": 49, "random_state": 0, "n_jobs": 1}
    one = mercer.two_sample_test(x, y, **options)
    moved = mercer.two_sample_test(x * unit, y * unit, **options)
    statistic = mercer.hsic(x, y, "gaussian(lengthscale=1)", "gaussian(lengthscale=2)")
    turned = mercer.hsic(y + shift, x, "gaussian(lengthscale=2)", "gaussian(lengthscale=1)")
    apart = mercer.mmd(x, y, "gaussian(lengthscale=1)"), mercer.mmd(y, x, "gaussian(lengthscale=1)")
    return all_of(
        worst(1e-9, (moved.p_value, one.p_value), scale=1.0),
        worst(1e-12, (turned, statistic), (apart[0], apart[1]), scale=1.0),
    )


@check("metamorphic", slice=20, full=3_000)
def tests_threads(seed: int) -> Outcome:
    """Tests with 1, 2 and 8 threads: the same bits of the p-value, the statistic and the null sample."""
    rng = generator(seed)
    names = list(catalogue.tests())
    name = names[int(rng.integers(len(names)))]
    n = int(rng.choice([20, 150, 600]))
    samples = [points(rng, n, int(rng.integers(1, 4)), "normal") for _ in range(3)]
    if name.startswith("two_sample"):
        samples[1] = rng.normal(size=samples[0].shape)
    results = [
        catalogue.tests()[name](*samples, {"permutations": 59, "random_state": 0, "n_jobs": jobs}) for jobs in (1, 2, 8)
    ]
    kept = [np.array([r.p_value, r.statistic]) for r in results]
    nulls = [np.asarray(r.null if r.null is not None else [], dtype=float) for r in results]
    outcome = all_of(same_bytes(*kept), same_bytes(*nulls))
    if outcome.finding:
        outcome.finding = f"{name}, n = {n}: {outcome.finding}"
    return outcome


@check("metamorphic", slice=20, full=3_000)
def classes_renamed(seed: int) -> Outcome:
    """Renamed classes: support vector machines use the order of the names only."""
    rng = generator(seed)
    x = points(rng, 40, 2, "normal")
    y = labels(rng, x, 3)
    names = np.array(["zebra", "ant", "mule"])
    text = kernel(rng, x)
    model = mercer.KernelLogisticRegression(0.5, kernel=text)
    plain = model.fit(x, y).predict_proba(x)
    named = model.fit(x, names[y])
    order = [list(named.classes_).index(name) for name in names]
    turned = named.predict_proba(x)[:, order]
    svc = mercer.SVC(kernel=text, tol=1e-8)
    first, second = svc.fit(x, y).predict(x), svc.fit(x, names[y]).predict(x)
    differ = np.mean(names[first] != second)
    return all_of(worst(1e-7, (turned, plain), scale=1.0), Outcome(float(differ), 0.1))


@check("metamorphic", slice=20, full=3_000)
def classes_merged(seed: int) -> Outcome:
    """Merged classes: indicators are fitted to their sum, a class against the rest and pairs of other classes stay."""
    rng = generator(seed)
    x = points(rng, 48, 2, "normal")
    y = labels(rng, x, 4)
    fresh = points(rng, 9, 2, "normal")
    text = kernel(rng, x)
    # Ridge regression is linear in its targets: the indicator of a union is the sum of two.
    ridge = mercer.KernelRidge(0.3, kernel=text, fit_intercept=True)
    indicators = np.eye(4)[y]
    apart = ridge.fit(x, indicators).predict(fresh)
    union = ridge.fit(x, indicators[:, 2] + indicators[:, 3]).predict(fresh)
    merged = np.minimum(y, 2)
    # The machine of class 0 against the rest sees the rest as one.
    rest = mercer.SVC(kernel=text, tol=1e-9, multi_class="ovr")
    first = rest.fit(x, y).decision_function(fresh)[:, 0]
    alone = -mercer.SVC(kernel=text, tol=1e-9).fit(x, np.minimum(y, 1)).decision_function(fresh)
    # The machine of the pair (0, 1) sees no row of another class.
    pairs = mercer.SVC(kernel=text, tol=1e-9, decision_function_shape="ovo")
    before = pairs.fit(x, y).decision_function(fresh)[:, 0]
    after = pairs.fit(x, merged).decision_function(fresh)[:, 0]
    return all_of(
        worst(1e-9, (union, apart[:, 2] + apart[:, 3]), scale=1.0),
        Outcome(distance(first, alone, 1.0), 1e-6),
        Outcome(distance(after, before, 1.0), 1e-6),
    )


@check("metamorphic", slice=20, full=2_000)
def chunks(seed: int) -> Outcome:
    """Chunks of any size give the same streamed model, sketch and statistics."""
    rng = generator(seed)
    n = int(rng.integers(20, 300))
    x = points(rng, n, 2, "normal")
    sketches = []
    for size in (n, int(rng.integers(1, n)), 7):
        sketch = mercer.EmbeddingSketch("gaussian(lengthscale=1)", 64, columns=2, random_state=0)
        for start in range(0, n, size):
            sketch = sketch.add(x[start : start + size])
        sketches.append(sketch.mean)
    return worst(1e-13, *((s, sketches[0]) for s in sketches[1:]), scale=1.0)


@check("metamorphic", slice=20, full=2_000)
def float32_points(seed: int) -> Outcome:
    """Points in float32 give the values of the same points in float64, within the error that the library states."""
    rng = generator(seed)
    x = points(rng, 30, 3, str(rng.choice(PLAIN))).astype(np.float32)
    text = kernel(rng, x.astype(float))
    k = mercer.Kernel(text)
    wide = k(x.astype(float))
    narrow = k(x)
    if narrow.dtype != np.float32:
        return Outcome(finding=f"float32 points gave {narrow.dtype}")
    # What is stated may be loose, as for normalized kernels.
    return Outcome(distance(narrow, wide, 1.0), min(1e-5, stated_single_error(text, x)))
