"""Kernel values against the formulas evaluated with 60 digits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mpmath
import numpy as np

import mercer
from trust.compare import all_of, elementwise
from trust.data import generator, points
from trust.registry import Outcome, check

DIGITS = 60
BOUND = 1e-12

Pair = Callable[[list, list], "tuple[mpmath.mpf, mpmath.mpf]"]


@dataclass
class Formula:
    """The text of a kernel, and its value with the size to which rounding is relative."""

    text: str
    pair: Pair


def dot(x: list, y: list) -> tuple[mpmath.mpf, mpmath.mpf]:
    terms = [a * b for a, b in zip(x, y, strict=True)]
    return mpmath.fsum(terms), mpmath.fsum(map(abs, terms))


def squared(x: list, y: list) -> mpmath.mpf:
    return mpmath.fsum((a - b) ** 2 for a, b in zip(x, y, strict=True))


def of_distance(value: Callable, steep: Callable = lambda s: 1 + s) -> Pair:
    """Return a radial formula; a relative error of the distance is multiplied by `steep`."""

    def pair(x: list, y: list) -> tuple:
        s = squared(x, y)
        found = value(s)
        return found, abs(found) * steep(s)

    return pair


def matern(nu: float, ell: float) -> Pair:
    nu = mpmath.mpf(nu)

    def value(s: mpmath.mpf) -> mpmath.mpf:
        z = mpmath.sqrt(2 * nu * s) / ell
        return mpmath.mpf(1) if z == 0 else 2 ** (1 - nu) / mpmath.gamma(nu) * z**nu * mpmath.besselk(nu, z)

    return of_distance(value, lambda s: 1 + mpmath.sqrt(2 * nu * s) / ell)


def leaf(rng: np.random.Generator, d: int) -> Formula:
    """Return a random base kernel on d columns."""
    ell, c = round(float(rng.uniform(0.3, 3)), 3), round(float(rng.uniform(0.2, 2)), 3)
    degree = int(rng.integers(1, 6))
    nu = round(float(rng.choice([0.5, 1.5, 2.5, 0.8, 3.3, 7.5])), 3)
    hurst = round(float(rng.uniform(0.1, 1)), 3)
    # The texts have these numbers in decimals, and so must the formulas.
    e, o, h = mpmath.mpf(str(ell)), mpmath.mpf(str(c)), mpmath.mpf(str(hurst))
    e, o, h = mpmath.mpf(float(e)), mpmath.mpf(float(o)), mpmath.mpf(float(h))

    def polynomial(x: list, y: list) -> tuple:
        inner, size = dot(x, y)
        return (o * inner + o) ** degree, degree * (o * size + o) ** degree

    def exponential(x: list, y: list) -> tuple:
        inner, size = dot(x, y)
        found = mpmath.exp(inner / e)
        return found, found * (1 + size / e)

    def tanh(x: list, y: list) -> tuple:
        inner, size = dot(x, y)
        return mpmath.tanh(o * inner + o), o * size + o

    def laplacian_l1(x: list, y: list) -> tuple:
        s = mpmath.fsum(abs(a - b) for a, b in zip(x, y, strict=True)) / e
        return mpmath.exp(-s), mpmath.exp(-s) * (1 + s)

    def cauchy(x: list, y: list) -> tuple:
        found = mpmath.fprod(1 / (1 + (a - b) ** 2 / e**2) for a, b in zip(x, y, strict=True))
        return found, found * len(x)

    def periodic(x: list, y: list) -> tuple:
        turns = [mpmath.pi * (a - b) / o for a, b in zip(x, y, strict=True)]
        found = mpmath.exp(-2 * mpmath.fsum(mpmath.sin(t) ** 2 for t in turns) / e**2)
        return found, found * (1 + mpmath.fsum(4 * abs(t) for t in turns) / e**2)

    def sinc(x: list, y: list) -> tuple:
        turns = [o * (a - b) for a, b in zip(x, y, strict=True)]
        found = mpmath.fprod(mpmath.sinc(t) for t in turns)
        return found, 1 + abs(found)

    def brownian(x: list, y: list) -> tuple:
        parts = [squared(p, [0] * d) ** h if any(p) else mpmath.mpf(0) for p in (x, y)]
        apart = squared(x, y)
        parts.append(apart**h if apart else mpmath.mpf(0))
        return (parts[0] + parts[1] - parts[2]) / 2, mpmath.fsum(parts)

    def conformal(x: list, y: list) -> tuple:
        factor = (1 + squared(x, [0] * d)) * (1 + squared(y, [0] * d))
        s = squared(x, y) / (2 * e**2)
        return factor * mpmath.exp(-s), factor * mpmath.exp(-s) * (1 + s)

    def rational(s: mpmath.mpf) -> mpmath.mpf:
        return (1 + s / (2 * o * e**2)) ** -o

    def plain(pair: Callable) -> Pair:
        return pair

    choices: list[tuple[str, Pair]] = [
        ("linear()", plain(dot)),
        (f"polynomial(degree={degree}, offset={c}, scale={c})", polynomial),
        (f"exponential(scale={ell})", exponential),
        (f"tanh(scale={c}, offset={c})", tanh),
        (f"gaussian(lengthscale={ell})", of_distance(lambda s: mpmath.exp(-s / (2 * e**2)), lambda s: 1 + s / e**2)),
        (f"gaussian(gamma={c})", of_distance(lambda s: mpmath.exp(-o * s), lambda s: 1 + o * s)),
        (f"laplacian(lengthscale={ell})", of_distance(lambda s: mpmath.exp(-mpmath.sqrt(s) / e))),
        (f"laplacian(lengthscale={ell}, norm=l1)", laplacian_l1),
        (f"matern(nu={nu}, lengthscale={ell})", matern(nu, float(e))),
        (f"rational_quadratic(lengthscale={ell}, shape={c})", of_distance(rational, lambda s: mpmath.mpf(1))),
        (
            f"inverse_multiquadric(offset={c})",
            of_distance(lambda s: 1 / mpmath.sqrt(o**2 + s), lambda s: mpmath.mpf(1)),
        ),
        (f"cauchy(lengthscale={ell})", cauchy),
        (f"periodic(period={c}, lengthscale={ell})", periodic),
        (f"sinc(bandlimit={c})", sinc),
        (f"brownian(hurst={hurst})", brownian),
        ("sqdist()", of_distance(lambda s: s, lambda s: mpmath.mpf(1))),
        (f"distance(power={c})", of_distance(lambda s: s ** (o / 2) if s else mpmath.mpf(0), lambda s: mpmath.mpf(1))),
        ("log_distance()", of_distance(lambda s: mpmath.log1p(s), lambda s: mpmath.mpf(1))),
        (f"conformal(gaussian(lengthscale={ell}), by=quadratic())", conformal),
        (f"constant(value={c})", lambda x, y: (o, o)),
        ("delta()", lambda x, y: (mpmath.mpf(x == y), mpmath.mpf(1))),
    ]
    text, pair = choices[int(rng.integers(len(choices)))]
    return Formula(text, pair)


def combined(rng: np.random.Generator, d: int, depth: int) -> Formula:
    """Return a random expression of the algebra."""
    if depth == 0 or rng.random() < 0.3:
        return leaf(rng, d)
    first = combined(rng, d, depth - 1)
    kind = int(rng.integers(7))
    if kind == 0:
        second = combined(rng, d, depth - 1)
        return Formula(f"({first.text} + {second.text})", add(first.pair, second.pair, 1))
    if kind == 1:
        second = combined(rng, d, depth - 1)
        return Formula(f"{factor(first.text)} * {factor(second.text)}", times(first.pair, second.pair))
    if kind == 2:
        second = combined(rng, d, depth - 1)
        return Formula(f"minus({first.text}, {second.text})", add(first.pair, second.pair, -1))
    if kind == 3:
        column = int(rng.integers(d))
        inner = combined(rng, 1, depth - 1)
        return Formula(f"on([{column}], {inner.text})", lambda x, y: inner.pair([x[column]], [y[column]]))
    if kind == 4:
        scale = round(float(rng.uniform(0, 3)), 2)
        a = mpmath.mpf(scale)
        return Formula(f"{scale} * {factor(first.text)}", lambda x, y: tuple(a * v for v in first.pair(x, y)))
    if kind == 5:
        return Formula(f"series([1, 0.5, 0.25], {first.text})", series(first.pair))
    return Formula(f"{factor(first.text)}^2", times(first.pair, first.pair))


def factor(text: str) -> str:
    return f"({text})"


def add(first: Pair, second: Pair, sign: int) -> Pair:
    def pair(x: list, y: list) -> tuple:
        (a, s), (b, t) = first(x, y), second(x, y)
        return a + sign * b, s + t

    return pair


def times(first: Pair, second: Pair) -> Pair:
    def pair(x: list, y: list) -> tuple:
        (a, s), (b, t) = first(x, y), second(x, y)
        return a * b, s * abs(b) + abs(a) * t + s * t * mpmath.mpf("1e-12")

    return pair


def series(inner: Pair) -> Pair:
    def pair(x: list, y: list) -> tuple:
        a, s = inner(x, y)
        return 1 + a / 2 + a**2 / 4, 1 + abs(a) + a**2 + s * (1 + abs(a))

    return pair


def table(formula: Formula, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Evaluate a formula at all pairs."""
    exact = [[[mpmath.mpf(float(v)) for v in row] for row in a] for a in (x, y)]
    found = [[formula.pair(p, q) for q in exact[1]] for p in exact[0]]
    values = np.array([[float(value) for value, _ in row] for row in found])
    return values, np.array([[float(size) for _, size in row] for row in found])


@check("differential", slice=150, full=10_000)
def kernel_values(seed: int) -> Outcome:
    """Random kernel expressions against mpmath with 60 digits."""
    rng = generator(seed)
    mpmath.mp.dps = DIGITS
    d = int(rng.integers(1, 4))
    x, y = points(rng, 5, d), points(rng, 4, d)
    formula = combined(rng, d, int(rng.integers(0, 3)))
    kernel = mercer.Kernel(formula.text)
    limit = 1e250
    values, sizes = table(formula, x, y)
    within, own_sizes = table(formula, x, x)
    if max(np.abs(values).max(), np.abs(within).max(), sizes.max()) > limit:
        return Outcome(note=None)
    return all_of(
        elementwise(kernel(x, y, n_jobs=1), values, sizes, BOUND),
        elementwise(kernel(x, n_jobs=1), within, own_sizes, BOUND),
        elementwise(kernel.diag(x, n_jobs=1), np.diag(within), np.diag(own_sizes), BOUND),
    )


@check("differential", slice=60, full=10_000)
def kernel_line_values(seed: int) -> Outcome:
    """Kernels on one column (processes, Sobolev, histograms) against mpmath with 60 digits."""
    rng = generator(seed)
    mpmath.mp.dps = DIGITS
    formula = line_formula(rng)
    x = rng.uniform(0.001, 0.999, size=(5, 1)) ** rng.integers(1, 6)
    x[0] = x[1]
    values, sizes = table(formula, x, x)
    return elementwise(mercer.Kernel(formula.text)(x, n_jobs=1), values, sizes, BOUND)


def line_formula(rng: np.random.Generator) -> Formula:
    """Return a random kernel on the line."""
    order = int(rng.integers(1, 7))
    gamma = round(float(rng.uniform(0.1, 4)), 2)
    g = mpmath.mpf(gamma)

    def sobolev(x: list, y: list) -> tuple:
        small, large = min(x[0], y[0]), max(x[0], y[0])
        # ∫₀^small (x−z)^(α−1) (y−z)^(α−1) dz by the binomial theorem in z → small − z.
        a, gap = order - 1, large - small
        terms = [mpmath.binomial(a, j) * gap ** (a - j) * small ** (a + j + 1) / (a + j + 1) for j in range(a + 1)]
        smooth = mpmath.fsum(terms) / mpmath.factorial(a) ** 2
        null = mpmath.fsum((x[0] * y[0]) ** k / mpmath.factorial(k) ** 2 for k in range(order))
        return smooth + null, smooth + null

    def weighted(x: list, y: list) -> tuple:
        small, large = min(x[0], y[0]), max(x[0], y[0])
        found = mpmath.exp(-large) * mpmath.sinh(small) / (small * large)
        return found, found

    def chi2(x: list, y: list) -> tuple:
        s = g * (x[0] - y[0]) ** 2 / (x[0] + y[0])
        return mpmath.exp(-s), mpmath.exp(-s) * (1 + s)

    choices: list[tuple[str, Pair]] = [
        ("wiener()", lambda x, y: (min(x[0], y[0]), min(x[0], y[0]))),
        ("bridge()", lambda x, y: (min(x[0], y[0]) - x[0] * y[0], min(x[0], y[0]))),
        (f"sobolev(order={order})", sobolev),
        ("weighted_sobolev()", weighted),
        (f"chi2(gamma={gamma})", chi2),
        ("histogram_intersection()", lambda x, y: (min(x[0], y[0]), min(x[0], y[0]))),
    ]
    text, pair = choices[int(rng.integers(len(choices)))]
    return Formula(text, pair)
