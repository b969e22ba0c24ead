"""Extreme inputs: a right answer, a warning, or a refusal with words; no NaN, no panic, no hang."""

from __future__ import annotations

from typing import Any

import numpy as np

import mercer
from trust import catalogue
from trust.compare import or_refusal
from trust.data import generator
from trust.registry import Check, Outcome, add, check

LIMIT = 10.0


def scaled(power: float) -> Any:
    return lambda rng, n: rng.normal(size=(n, 2)) * 10.0**power


def shifted(offset: float) -> Any:
    return lambda rng, n: rng.normal(size=(n, 2)) + offset


INPUTS: dict[str, Any] = {
    "scale 1e-300": scaled(-300),
    "scale 1e-160": scaled(-160),
    "scale 1e-20": scaled(-20),
    "scale 1e20": scaled(20),
    "scale 1e160": scaled(160),
    "scale 1e300": scaled(300),
    "subnormal": lambda rng, n: rng.integers(0, 5, size=(n, 2)) * 5e-324,
    "offset 1e12": shifted(1e12),
    "offset 1e16": shifted(1e16),
    "all equal": lambda rng, n: np.full((n, 2), 0.1),
    "all zero": lambda rng, n: np.zeros((n, 2)),
    "two values": lambda rng, n: rng.integers(0, 2, size=(n, 1)) * np.ones((1, 2)),
    "duplicates": lambda rng, n: rng.normal(size=(max(1, n // 3), 2))[rng.integers(0, max(1, n // 3), size=n)],
    "collinear": lambda rng, n: rng.normal(size=(n, 1)) * np.array([[1.0, 1 + 1e-14]]),
    "one far": lambda rng, n: np.vstack([rng.normal(size=(n - 1, 2)), [[1e150, -1e150]]]) if n > 1 else np.ones((1, 2)),
    "mixed scales": lambda rng, n: rng.normal(size=(n, 2)) * [1e-150, 1e150],
    "constant column": lambda rng, n: np.column_stack([rng.normal(size=n), np.full(n, 3.0)]),
    "largest": lambda rng, n: np.where(rng.random((n, 2)) < 0.5, 1, -1) * np.finfo(float).max,
    "normal": lambda rng, n: rng.normal(size=(n, 2)),
    "signed zeros": lambda rng, n: np.where(rng.random((n, 2)) < 0.5, 0.0, -0.0),
}

TARGETS: dict[str, Any] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "constant": lambda rng, n: np.full(n, 7.5),
    "zero": lambda rng, n: np.zeros(n),
    "1e300": lambda rng, n: rng.normal(size=n) * 1e300,
    "1e-300": lambda rng, n: rng.normal(size=n) * 1e-300,
    "offset 1e12": lambda rng, n: rng.normal(size=n) + 1e12,
    "one far": lambda rng, n: np.append(rng.normal(size=n - 1), 1e200),
}

WEIGHTS: dict[str, Any] = {
    "none": lambda rng, n: None,
    "zeros": lambda rng, n: (np.arange(n) % 2).astype(float),
    "all zero": lambda rng, n: np.zeros(n),
    "1e-12": lambda rng, n: np.full(n, 1e-12),
    "1e12": lambda rng, n: np.full(n, 1e12),
    "mixed": lambda rng, n: 10.0 ** rng.uniform(-12, 12, size=n),
    "1e300": lambda rng, n: np.full(n, 1e300),
    "1e-300": lambda rng, n: np.full(n, 1e-300),
}

SIZES = (1, 2, 3, 5, 17, 40)


def extreme(rng: np.random.Generator, ordinary: float = 0.35) -> tuple[str, np.ndarray, np.ndarray, np.ndarray, Any]:
    """Draw a problem with one or more extreme parts, and its description."""
    n = int(rng.choice(SIZES))
    kinds = [
        "normal" if rng.random() < ordinary else str(rng.choice(list(INPUTS))),
        "normal" if rng.random() < 0.6 else str(rng.choice(list(TARGETS))),
        "none" if rng.random() < 0.6 else str(rng.choice(list(WEIGHTS))),
    ]
    x, y, w = INPUTS[kinds[0]](rng, n), TARGETS[kinds[1]](rng, n), WEIGHTS[kinds[2]](rng, n)
    classes = np.zeros(n, dtype=int) if rng.random() < 0.15 else np.arange(n) % int(rng.integers(2, 4))
    return f"n = {n}, x {kinds[0]}, y {kinds[1]}, weights {kinds[2]}", x, y, classes, w


def not_finite(named: dict[str, Any]) -> str | None:
    """Return the name of an array with a number that is not finite."""
    for name, value in named.items():
        for array in catalogue.as_list(value):
            if array.dtype.kind == "f" and not np.isfinite(array).all():
                return f"{name} holds {array[~np.isfinite(array)].ravel()[0]}"
    return None


def attributes(model: Any) -> dict[str, Any]:
    """Return the fitted attributes that are numbers."""
    found = {}
    for key in dir(model):
        if key.endswith("_") and not key.startswith("_"):
            try:
                value = getattr(model, key)
            except (AttributeError, ValueError):
                continue
            if isinstance(value, (float, np.ndarray)) and np.asarray(value).dtype.kind == "f":
                found[key] = value
    return found


# Where infinity is the answer: leave-one-out of a row with leverage 1 is unknown, and so is the likelihood of a spline
# without residuals.
INFINITE = {"loo_residuals_", "gcv_", "reml_", "best_score_", "scores_", "condition_", "log_marginal_likelihood_value_"}


def estimator_case(name: str) -> Any:
    """Return the function that fits an estimator to the problem of a seed."""

    def run(seed: int) -> Outcome:
        rng = generator(seed)
        about, x, y, classes, weights = extreme(rng)
        if weights is not None and not catalogue.takes_weights(name):
            weights = None

        def fitted() -> Outcome:
            model = catalogue.fit(name, x, y, classes, weights)
            known = {key: value for key, value in attributes(model).items() if key not in INFINITE}
            wrong = not_finite(known) or not_finite(catalogue.answers(name, model, x))
            if wrong is None and np.isfinite(x).all():
                fresh = INPUTS["normal"](rng, 4)
                wrong = none_or_refusal(lambda: not_finite(catalogue.answers(name, model, fresh)))
            return Outcome(finding=f"{about}: {wrong}" if wrong else None)

        return described(about, or_refusal(fitted))

    return run


def none_or_refusal(run: Any) -> str | None:
    """Run what may be refused."""
    try:
        return run()
    except (ValueError, MemoryError, OverflowError):
        return None


def described(about: str, outcome: Outcome) -> Outcome:
    """Put the problem in front of a finding."""
    if outcome.finding is not None and not outcome.finding.startswith(about):
        outcome.finding = f"{about}: {outcome.finding}"
    return outcome


def test_case(name: str) -> Any:
    """Return the function that tests the samples of a seed."""
    tested = catalogue.tests()[name]

    def run(seed: int) -> Outcome:
        rng = generator(seed)
        n = int(rng.choice([1, 2, 4, 9, 24]))
        kinds = [str(rng.choice(list(INPUTS))) for _ in range(3)]
        samples = [INPUTS[kind](rng, n) for kind in kinds]
        about = f"n = {n}, {', '.join(kinds)}"

        def outcome() -> Outcome:
            result = tested(*samples, {"permutations": 39, "random_state": 0, "n_jobs": 1})
            numbers = {"p": result.p_value, "statistic": result.statistic, **floats(result.details)}
            wrong = not_finite(numbers)
            if wrong is None and not 0 <= result.p_value <= 1:
                wrong = f"p = {result.p_value}"
            return Outcome(finding=f"{about}: {wrong}" if wrong else None)

        return described(about, or_refusal(outcome))

    return run


def floats(details: dict[str, Any]) -> dict[str, float]:
    """Return the numbers among the details of a test."""
    return {key: value for key, value in details.items() if isinstance(value, float)}


for _name in catalogue.estimators():
    add(
        Check(
            "numbers", f"{_name}", f"`{_name}` on extreme points, targets and weights", estimator_case(_name), 20, 3000
        )
    )
for _name in catalogue.tests():
    add(Check("numbers", f"{_name}", f"the test `{_name}` on extreme samples", test_case(_name), 12, 3000))


@check("numbers", slice=120, full=20_000)
def kernels(seed: int) -> Outcome:
    """Every kernel of the catalogue on extreme points: finite values or a refusal; exactly symmetric."""
    rng = generator(seed)
    pages = [page for page in mercer.catalogue() if page["family"] not in ("Strings", "Graphs") and usable(page)]
    text = str(rng.choice(pages[int(rng.integers(len(pages)))]["examples"]))
    kind = str(rng.choice(list(INPUTS)))
    x = np.column_stack([INPUTS[kind](rng, 6), rng.normal(size=6)])

    def values() -> Outcome:
        kernel = mercer.Kernel(text)
        for width in (3, 1):
            try:
                gram = kernel(x[:, :width])
            except ValueError:
                if width == 1:
                    raise
                continue
            if not np.isfinite(gram).all():
                return Outcome(finding=f"{text} on {kind}: {gram[~np.isfinite(gram)][0]}")
            if not np.array_equal(gram, gram.T):
                return Outcome(finding=f"{text} on {kind}: not symmetric")
            return Outcome()
        return Outcome()

    return described(f"{text} on {kind}", or_refusal(values))


def usable(page: dict[str, Any]) -> bool:
    """Whether a kernel takes vectors."""
    return "bags" not in page["domain"] and "diagrams" not in page["domain"] and page["name"] != "precomputed"
