"""Kernels as ONNX operators: the matrix ``k(x, zⱼ)`` of the rows of the input with fixed points."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer._exchange.onnx_graph import Graph
from mercer._mercer import Kernel


def kernel_values(graph: Graph, kernel: Kernel, points: Any, source: str = "X") -> str:
    """Return the matrix of kernel values between the input and fixed points."""
    tree = ast.parse(str(kernel).replace("^", "**"), mode="eval").body
    return _Writer(graph, kernel).write(tree, source, np.ascontiguousarray(points, dtype=np.float64))


class _Writer:
    """Writes the nodes of one kernel."""

    def __init__(self, graph: Graph, kernel: Kernel) -> None:
        self.graph, self.kernel = graph, kernel

    def refuse(self, what: str) -> None:
        raise ValueError(f"{self.kernel} cannot be exported to ONNX: {what} has no form in primitive operators")

    def write(self, tree: ast.expr, x: str, points: np.ndarray) -> str:
        """Return the values of a part of the kernel."""
        if isinstance(tree, ast.BinOp):
            return self._operation(tree, x, points)
        number = _number(tree)
        if number is not None:
            return self._constant(number, x, points)
        if not isinstance(tree, ast.Call):
            self.refuse(ast.unparse(tree))
        name = tree.func.id
        if name == "on":
            columns = [_number(item) for item in tree.args[0].elts]
            if any(column is None for column in columns):
                self.refuse("a column that is named instead of numbered")
            chosen = np.array(columns, dtype=np.int64)
            part = self.graph.node("Gather", x, self.graph.constant(chosen, "int64"), axis=1)
            return self.write(tree.args[1], part, points[:, chosen])
        if name == "normalized":
            return self._normalized(tree.args[0], x, points)
        if name == "exp":
            return self.graph.node("Exp", self.write(tree.args[0], x, points))
        if name == "minus":
            return self.graph.node("Sub", *(self.write(part, x, points) for part in tree.args))
        if name not in _FORMULAS:
            self.refuse(name)
        return _FORMULAS[name](self, _arguments(tree), x, points)

    def _operation(self, tree: ast.BinOp, x: str, points: np.ndarray) -> str:
        if isinstance(tree.op, ast.Pow):
            return self.power(self.write(tree.left, x, points), _number(tree.right))
        factor = _number(tree.left)
        if isinstance(tree.op, ast.Mult) and factor is not None:
            # A row of equal factors: a scalar beside a product of matrices is merged into it in single precision.
            row = self.graph.constant(np.full((1, len(points)), float(factor)))
            return self.graph.node("Mul", self.write(tree.right, x, points), row)
        left, right = self.write(tree.left, x, points), self.write(tree.right, x, points)
        return self.graph.node("Add" if isinstance(tree.op, ast.Add) else "Mul", left, right)

    def _constant(self, value: float, x: str, points: np.ndarray) -> str:
        zeros = self.graph.node("MatMul", x, self.graph.constant(np.zeros(points.T.shape)))
        return self.graph.plus(zeros, value)

    def _normalized(self, inner: ast.expr, x: str, points: np.ndarray) -> str:
        """Return k(x, z)/√(k(x, x)k(z, z)): the diagonal of the input is k of radial or inner-product kernels."""
        own = Kernel(ast.unparse(inner).replace("**", "^")).diag(points)
        if not (isinstance(inner, ast.Call) and inner.func.id in ("linear", "polynomial")):
            self.refuse("normalized(…) of this kernel")
        values = self.write(inner, x, points)
        squares = self.graph.summed(self.graph.node("Mul", x, x), 1)
        if inner.func.id == "polynomial":
            given = _arguments(inner)
            squares = _polynomial_of(self, given, self.graph.scaled(squares, given.get("scale", 1)))
        roots = self.graph.node("Mul", self.graph.node("Sqrt", squares), self.graph.constant(np.sqrt(own)[None, :]))
        return self.graph.node("Div", values, roots)

    def power(self, tensor: str, exponent: float) -> str:
        return self.graph.node("Pow", tensor, self.graph.constant(exponent))

    def inner(self, x: str, points: np.ndarray) -> str:
        """Return x·z."""
        return self.graph.node("MatMul", x, self.graph.constant(points.T))

    def scaled_columns(self, x: str, points: np.ndarray, lengths: Any) -> tuple[str, np.ndarray]:
        """Return both sides around the mean of the points and in units of the lengthscales.

        Squared distances from squares and products lose the digits that the mean has: it is subtracted first.
        """
        center = points.mean(axis=0, keepdims=True)
        lengths = np.broadcast_to(np.asarray(lengths, dtype=float), center.shape)
        moved = self.graph.node("Sub", x, self.graph.constant(center))
        return self.graph.node("Div", moved, self.graph.constant(lengths)), (points - center) / lengths

    def squared(self, x: str, points: np.ndarray, lengths: Any = 1.0) -> str:
        """Return ‖x − z‖² in units of the lengthscales."""
        moved, fixed = self.scaled_columns(x, points, lengths)
        squares = self.graph.summed(self.graph.node("Mul", moved, moved), 1)
        both = self.graph.node("Add", squares, self.graph.constant((fixed**2).sum(axis=1)[None, :]))
        products = self.graph.node("MatMul", moved, self.graph.constant(2.0 * fixed.T))
        return self.graph.node("Max", self.graph.node("Sub", both, products), self.graph.constant(0.0))

    def distance(self, x: str, points: np.ndarray, lengths: Any = 1.0) -> str:
        """Return ‖x − z‖ in units of the lengthscales."""
        return self.graph.node("Sqrt", self.squared(x, points, lengths))

    def differences(self, x: str, points: np.ndarray) -> str:
        """Return x − z, a matrix per row of the input."""
        rows = self.graph.node("Unsqueeze", x, self.graph.constant([1], "int64"))
        return self.graph.node("Sub", rows, self.graph.constant(points[None, :, :]))

    def minima(self, x: str, points: np.ndarray) -> str:
        """Return the sums of the smaller coordinates."""
        rows = self.graph.node("Unsqueeze", x, self.graph.constant([1], "int64"))
        return self.graph.summed(self.graph.node("Min", rows, self.graph.constant(points[None, :, :])), 2, keep=False)

    def decayed(self, tensor: str, rate: float) -> str:
        """Return exp(−rate·tensor)."""
        return self.graph.node("Exp", self.graph.scaled(tensor, -rate))


def _number(tree: ast.expr) -> float | None:
    try:
        value = ast.literal_eval(tree)
    except (ValueError, SyntaxError):
        return None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _arguments(tree: ast.Call) -> dict[str, Any]:
    """Return the parameters of a kernel: numbers, lists, and words."""
    found = {}
    for keyword in tree.keywords:
        value = keyword.value
        found[keyword.arg] = value.id if isinstance(value, ast.Name) else ast.literal_eval(value)
    return found


def _linear(w: _Writer, given: dict[str, Any], x: str, points: np.ndarray) -> str:
    return w.inner(x, points)


def _polynomial_of(w: _Writer, given: dict[str, Any], products: str) -> str:
    """Return the power of inner products that have their scale already."""
    return w.power(w.graph.plus(products, given.get("offset", 1)), given.get("degree", 3))


def _polynomial(w: _Writer, given: dict[str, Any], x: str, points: np.ndarray) -> str:
    return _polynomial_of(w, given, w.inner(x, given.get("scale", 1) * points))


def _tanh(w: _Writer, given: dict[str, Any], x: str, points: np.ndarray) -> str:
    inside = w.inner(x, given.get("scale", 1) * points)
    return w.graph.node("Tanh", w.graph.plus(inside, given.get("offset", 0)))


def _exponential(w: _Writer, given: dict[str, Any], x: str, points: np.ndarray) -> str:
    return w.graph.node("Exp", w.inner(x, points / given.get("scale", 1)))


def _value(w: _Writer, given: dict[str, Any], x: str, points: np.ndarray) -> str:
    return w._constant(given.get("value", 1), x, points)


def _gaussian(w: _Writer, given: dict[str, Any], x: str, points: np.ndarray) -> str:
    return w.decayed(w.squared(x, points, given.get("lengthscale", 1)), 0.5)


def _laplacian(w: _Writer, given: dict[str, Any], x: str, points: np.ndarray) -> str:
    lengths = given.get("lengthscale", 1)
    if given.get("norm", "l2") == "l2":
        return w.decayed(w.distance(x, points, lengths), 1.0)
    scaled = w.graph.node("Div", w.differences(x, points), w.graph.constant(lengths))
    return w.decayed(w.graph.summed(w.graph.node("Abs", scaled), 2, keep=False), 1.0)


def _matern(w: _Writer, given: dict[str, Any], x: str, points: np.ndarray) -> str:
    nu, lengths = float(given.get("nu", 1.5)), given.get("lengthscale", 1)
    if nu not in (0.5, 1.5, 2.5):
        w.refuse(f"matern(nu={nu:g})")
    scaled = w.graph.scaled(w.distance(x, points, lengths), float(np.sqrt(2 * nu)))
    decay = w.decayed(scaled, 1.0)
    if nu == 0.5:
        return decay
    factor = w.graph.plus(scaled, 1.0)
    if nu == 2.5:
        factor = w.graph.node("Add", factor, w.graph.scaled(w.graph.node("Mul", scaled, scaled), 1 / 3))
    return w.graph.node("Mul", factor, decay)


def _rational_quadratic(w: _Writer, given: dict[str, Any], x: str, points: np.ndarray) -> str:
    shape = float(given.get("shape", 1))
    inside = w.graph.plus(w.graph.scaled(w.squared(x, points, given.get("lengthscale", 1)), 0.5 / shape), 1.0)
    return w.power(inside, -shape)


def _cauchy(w: _Writer, given: dict[str, Any], x: str, points: np.ndarray) -> str:
    scaled = w.graph.node("Div", w.differences(x, points), w.graph.constant(given.get("lengthscale", 1)))
    logarithms = w.graph.node("Log", w.graph.plus(w.graph.node("Mul", scaled, scaled), 1.0))
    return w.decayed(w.graph.summed(logarithms, 2, keep=False), 1.0)


def _periodic(w: _Writer, given: dict[str, Any], x: str, points: np.ndarray) -> str:
    period, length = float(given.get("period", 1)), given.get("lengthscale", 1)
    sines = w.graph.node("Sin", w.graph.scaled(w.differences(x, points), np.pi / period))
    scaled = w.graph.node("Div", sines, w.graph.constant(length))
    return w.decayed(w.graph.summed(w.graph.node("Mul", scaled, scaled), 2, keep=False), 2.0)


def _inverse_multiquadric(w: _Writer, given: dict[str, Any], x: str, points: np.ndarray) -> str:
    return w.power(w.graph.plus(w.squared(x, points), float(given.get("offset", 1)) ** 2), -0.5)


def _wendland(w: _Writer, given: dict[str, Any], x: str, points: np.ndarray) -> str:
    smoothness, dimension = int(given.get("smoothness", 1)), int(given.get("dimension", 3))
    m = dimension // 2 + smoothness + 1
    scaled = w.distance(x, points, given.get("radius", 1))
    inside = w.graph.node("Max", w.graph.node("Sub", w.graph.constant(1.0), scaled), w.graph.constant(0.0))
    falling = w.power(inside, float(m + smoothness))
    # Of the polynomial: the coefficients of r and r².
    factors = {1: (m + 1.0, 0.0), 2: (m + 2.0, (m * m + 4.0 * m + 3.0) / 3.0)}
    if smoothness == 0:
        return falling
    if smoothness not in factors:
        w.refuse(f"wendland(smoothness={smoothness})")
    first, second = factors[smoothness]
    growing = w.graph.plus(w.graph.scaled(scaled, first), 1.0)
    if second:
        growing = w.graph.node("Add", growing, w.graph.scaled(w.graph.node("Mul", scaled, scaled), second))
    return w.graph.node("Mul", falling, growing)


def _minimum(w: _Writer, given: dict[str, Any], x: str, points: np.ndarray) -> str:
    return w.minima(x, points)


def _bridge(w: _Writer, given: dict[str, Any], x: str, points: np.ndarray) -> str:
    return w.graph.node("Sub", w.minima(x, points), w.inner(x, points))


def _chi2(w: _Writer, given: dict[str, Any], x: str, points: np.ndarray) -> str:
    differences = w.differences(x, points)
    rows = w.graph.node("Unsqueeze", x, w.graph.constant([1], "int64"))
    sums = w.graph.node("Add", rows, w.graph.constant(points[None, :, :]))
    # Coordinates that are both 0 add nothing.
    sums = w.graph.node("Max", sums, w.graph.constant(np.finfo(np.float64).tiny))
    parts = w.graph.node("Div", w.graph.node("Mul", differences, differences), sums)
    return w.decayed(w.graph.summed(parts, 2, keep=False), float(given.get("gamma", 1)))


_FORMULAS: dict[str, Callable[..., str]] = {
    "linear": _linear,
    "polynomial": _polynomial,
    "tanh": _tanh,
    "exponential": _exponential,
    "constant": _value,
    "gaussian": _gaussian,
    "laplacian": _laplacian,
    "matern": _matern,
    "rational_quadratic": _rational_quadratic,
    "cauchy": _cauchy,
    "periodic": _periodic,
    "inverse_multiquadric": _inverse_multiquadric,
    "wendland": _wendland,
    "histogram_intersection": _minimum,
    "wiener": _minimum,
    "bridge": _bridge,
    "chi2": _chi2,
}
