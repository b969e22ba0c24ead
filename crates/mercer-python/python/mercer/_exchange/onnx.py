"""Fitted estimators as ONNX models of primitive operators, in double precision."""

from __future__ import annotations

import os
import tempfile
from functools import singledispatch
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer._exchange.onnx_graph import Graph, package
from mercer._exchange.onnx_kernels import kernel_values
from mercer._exchange.record import record_of
from mercer._features import Nystroem, RandomFourierFeatures
from mercer._gaussian_process import GaussianProcessRegressor
from mercer._kernels import is_computed_outside
from mercer._logistic import KernelLogisticRegression
from mercer._machine import LOG_LINK, KernelMachine
from mercer._mercer import Kernel
from mercer._multiple import MultipleKernelClassifier, MultipleKernelRegressor
from mercer._pca import KernelPCA
from mercer._ridge import FittedRidge
from mercer._spline import SmoothingSpline
from mercer._svm import SupportVectorClassifier
from mercer._svr import NumberMachine, OneClassSVM
from mercer._translation import translate


def to_onnx(model: Any) -> Any:
    """Return a fitted estimator as an ONNX model of primitive operators, in double precision.

    The input ``X`` is a matrix of doubles with a row per point. Regressions have the output ``prediction``,
    classifiers ``label`` and ``scores`` (the decision function; ``probabilities`` where the model has them), one-class
    machines ``label`` (1 or −1) and ``scores``, transformers ``features``. A Gaussian process is exported with its
    mean. Needs the package ``onnx``; any runtime can evaluate the model.

    Parameters
    ----------
    model : estimator
        A fitted `KernelRidge`, `KernelRidgeCV`, `SVC`, `NuSVC`, `SVCCV`, `SVR`, `NuSVR`, `OneClassSVM`,
        `KernelLogisticRegression`, `KernelMachine`, `MultipleKernelRegressor`, `MultipleKernelClassifier`,
        `GaussianProcessRegressor`, `SmoothingSpline`, `KernelPCA`, `RandomFourierFeatures` or `Nystroem` on vectors.
        Its kernel is made of ``gaussian``, ``laplacian``, ``matern`` (ν = 1/2, 3/2, 5/2), ``rational_quadratic``,
        ``inverse_multiquadric``, ``wendland``, ``cauchy``, ``periodic``, ``linear``, ``polynomial``, ``exponential``,
        ``tanh``, ``chi2``, ``histogram_intersection``, ``wiener``, ``bridge``, ``constant`` by ``+``, ``*``, ``^``,
        ``minus`` and ``on``; or its values are the input.

    Returns
    -------
    An ``onnx.ModelProto``.

    Examples
    --------
    >>> import mercer
    >>> model = mercer.KernelRidge(kernel="gaussian()").fit([[0.0], [1.0]], [0.0, 1.0])
    >>> proto = mercer.to_onnx(model)  # doctest: +SKIP
    >>> [output.name for output in proto.graph.output]  # doctest: +SKIP
    ['prediction']
    """
    package()
    check_is_fitted(model)
    if getattr(model, "_inputs", None) is not None:
        raise ValueError("the model encodes a table with categories or scales: ONNX takes vectors, fit on those")
    graph = Graph(int(getattr(model, "n_features_in_", 0)) or None)
    _write(model, graph)
    names = getattr(model, "feature_names_in_", None)
    notes = {"estimator": type(model).__name__, "kernel": str(getattr(model, "kernel_", ""))}
    return graph.model(notes if names is None else {**notes, "columns": ",".join(map(str, names))})


def export_onnx(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to an ONNX file, whole or not at all.

    Parameters
    ----------
    model : estimator
        As in `to_onnx`.
    path : str or path
        The file.

    Returns
    -------
    None.

    Examples
    --------
    >>> import mercer
    >>> model = mercer.KernelRidge(kernel="gaussian()").fit([[0.0], [1.0]], [0.0, 1.0])
    >>> mercer.export_onnx(model, "model.onnx")  # doctest: +SKIP
    """
    data, target = to_onnx(model).SerializeToString(), Path(path)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(name, 0o644)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@singledispatch
def _write(model: Any, graph: Graph) -> None:
    raise TypeError(f"{type(model).__name__} cannot be exported to ONNX: see mercer.to_onnx for what can")


def _vectors(model: Any) -> None:
    """Refuse kernels that Python computes, and points that are not vectors."""
    if is_computed_outside(getattr(model, "kernel", None)):
        raise ValueError("a kernel that Python computes cannot be exported to ONNX")
    kernel = getattr(model, "kernel_", None)
    if isinstance(kernel, Kernel) and kernel.point_kind not in (None, "vectors", "precomputed kernel values"):
        raise ValueError(f"{kernel} takes {kernel.point_kind}: ONNX takes vectors")


def _cross(graph: Graph, model: Any, points: Any, rows: Any = None) -> str:
    """Return the kernel values of the input with the points; of precomputed ones some columns."""
    _vectors(model)
    if model.kernel == "precomputed":
        return "X" if rows is None else graph.node("Gather", "X", graph.constant(rows, "int64"), axis=1)
    return kernel_values(graph, model.kernel_, points)


def _predicted(graph: Graph, values: str, coefficients: np.ndarray, intercept: Any, units: Any) -> None:
    """Add ``K·α + b`` in the units of the target; one target is a vector."""
    flat = coefficients.ndim == 1
    columns = coefficients.reshape(len(coefficients), -1)
    shift, scale = (0.0, 1.0) if units is None else units
    columns = columns * np.reshape(scale, (1, -1))
    constant = np.reshape(np.asarray(intercept, dtype=float) * scale + shift, (1, -1))
    found = graph.plus(graph.node("MatMul", values, graph.constant(columns)), constant)
    if flat:
        found = graph.node("Squeeze", found, graph.constant([1], "int64"))
    graph.output(found, "prediction", columns=None if flat else columns.shape[1])


@_write.register
def _ridge(model: FittedRidge, graph: Graph) -> None:
    if np.size(model.null_coef_):
        raise ValueError("a model with unpenalized functions cannot be exported to ONNX: they are not part of it")
    values = _cross(graph, model, model.X_fit_)
    _predicted(graph, values, np.asarray(model.dual_coef_, dtype=float), model.intercept_, model._units)


@_write.register
def _process(model: GaussianProcessRegressor, graph: Graph) -> None:
    check_is_fitted(model, "kernel_")
    if hasattr(model.kernel_, "theta"):
        found = translate(model.kernel_, np.shape(model.X_train_)[1])
        kernel = None if found is None else found.at(model.kernel_.theta)[0]
        if kernel is None:
            raise ValueError(f"{model.kernel_} cannot be exported to ONNX: Mercer has no kernel with its values")
        _predicted(graph, kernel_values(graph, kernel, model.X_train_), np.asarray(model.alpha_), 0.0, model._units)
        return
    if not isinstance(model.kernel_, Kernel):
        raise ValueError("a kernel that Python computes cannot be exported to ONNX")
    if model.inducing_ is None:
        _predicted(graph, _cross(graph, model, model.X_train_), np.asarray(model.alpha_), 0.0, model._units)
        return
    function = model.function_
    _predicted(graph, _cross(graph, model, function.points), np.asarray(function.coefficients), 0.0, model._units)


@_write.register
def _machine(model: NumberMachine, graph: Graph) -> None:
    values = _cross(graph, model, model.support_vectors_, model.support_)
    if not isinstance(model, OneClassSVM):
        _predicted(graph, values, model.dual_coef_[0], model.intercept_[0], model._units)
        return
    found = graph.plus(graph.node("MatMul", values, graph.constant(model.dual_coef_.T)), model.intercept_[0])
    scores = graph.node("Squeeze", found, graph.constant([1], "int64"))
    inside = graph.node("GreaterOrEqual", scores, graph.constant(0.0))
    label = graph.node("Where", inside, graph.constant(1, "int64"), graph.constant(-1, "int64"))
    graph.output(label, "label", "INT64")
    graph.output(scores, "scores")


def _label(graph: Graph, codes: str, classes: np.ndarray) -> None:
    """Name the label of every row by the number of its class."""
    if classes.dtype.kind in "iub":
        graph.output(graph.node("Gather", graph.constant(classes, "int64"), codes), "label", "INT64")
    elif classes.dtype.kind == "f":
        graph.output(graph.node("Gather", graph.constant(classes), codes), "label")
    else:
        graph.output(graph.node("Gather", graph.constant(classes, "string"), codes), "label", "STRING")


def _second(graph: Graph, scores: str) -> str:
    """Return 1 for positive scores and 0 for others."""
    return graph.node("Cast", graph.node("Greater", scores, graph.constant(0.0)), to=7)


@_write.register
def _classifier(model: SupportVectorClassifier, graph: Graph) -> None:
    count = len(model.classes_)
    calibrated = model._fit.calibrated and model._voting is None
    if calibrated and (count > 2 or model._fit.sigmoids is None):
        raise ValueError(
            "probabilities of several classes, or by isotonic functions, have no form in primitive operators: fit with "
            "probability=False"
        )
    values = _cross(graph, model, model.support_vectors_, model.support_)
    weights, offsets = _binary(model)
    scores = graph.plus(graph.node("MatMul", values, graph.constant(weights)), offsets[None, :])
    if count == 2:
        score = graph.node("Squeeze", scores, graph.constant([1], "int64"))
        graph.output(score, "scores")
        codes = _second(graph, score)
        if calibrated:
            (a, b) = model._fit.sigmoids[0]
            # The sigmoid is that of the first class, whose decision values are −scores.
            first = graph.node("Sigmoid", graph.plus(graph.scaled(scores, a), -b))
            both = graph.node("Concat", first, graph.node("Sub", graph.constant(1.0), first), axis=1)
            codes = graph.node("ArgMax", both, axis=1, keepdims=0)
            graph.output(both, "probabilities", columns=2)
        _label(graph, codes, model.classes_)
        return
    if not model._fit.paired:
        graph.output(scores, "scores", columns=count)
        _label(graph, graph.node("ArgMax", scores, axis=1, keepdims=0), model.classes_)
        return
    _elected(graph, scores, model.classes_, model.break_ties)


def _elected(graph: Graph, scores: str, classes: np.ndarray, break_ties: bool) -> None:
    """Add the outputs of the votes of all pairs of classes."""
    votes, total = _votes(graph, scores, len(classes))
    graph.output(total, "scores", columns=len(classes))
    _label(graph, graph.node("ArgMax", total if break_ties else votes, axis=1, keepdims=0), classes)


def _binary(model: SupportVectorClassifier) -> tuple[np.ndarray, np.ndarray]:
    """Return a column of coefficients for every binary machine, and their offsets."""
    dual, offsets = np.asarray(model.dual_coef_, dtype=float), np.asarray(model.intercept_, dtype=float)
    paired = len(model.classes_) > 2 and model._fit.paired
    return (_of_pairs(dual, model.n_support_) if paired else dual.T), offsets


def _of_pairs(dual: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return a column of coefficients for every pair of classes, from LIBSVM's rows of coefficients."""
    count, ends = len(sizes), np.concatenate([[0], np.cumsum(sizes)])
    columns = []
    for a in range(count):
        for b in range(a + 1, count):
            column = np.zeros(dual.shape[1])
            column[ends[a] : ends[a + 1]] = dual[b - 1, ends[a] : ends[a + 1]]
            column[ends[b] : ends[b + 1]] = dual[a, ends[b] : ends[b + 1]]
            columns.append(column)
    return np.array(columns).T


def _votes(graph: Graph, scores: str, count: int) -> tuple[str, str]:
    """Return the votes of the pairs, and votes with confidences below a third that break ties."""
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    first, second = np.zeros((len(pairs), count)), np.zeros((len(pairs), count))
    for row, (a, b) in enumerate(pairs):
        first[row, a] = second[row, b] = 1.0
    won = graph.node("Cast", graph.node("Greater", scores, graph.constant(0.0)), to=11)
    lost = graph.node("Sub", graph.constant(1.0), won)
    votes = graph.node(
        "Add",
        graph.node("MatMul", won, graph.constant(first)),
        graph.node("MatMul", lost, graph.constant(second)),
    )
    confidence = graph.node("MatMul", scores, graph.constant(first - second))
    size = graph.plus(graph.node("Abs", confidence), 1.0)
    share = graph.node("Div", confidence, graph.scaled(size, 3.0))
    return votes, graph.node("Add", votes, share)


@_write.register
def _logistic(model: KernelLogisticRegression, graph: Graph) -> None:
    values = _cross(graph, model, model.X_fit_)
    dual = np.asarray(model.dual_coef_, dtype=float).reshape(len(model.dual_coef_), -1)
    constant = np.reshape(np.asarray(model.intercept_, dtype=float), (1, -1))
    scores = graph.plus(graph.node("MatMul", values, graph.constant(dual)), constant)
    if len(model.classes_) == 2:
        second = graph.node("Sigmoid", scores)
        both = graph.node("Concat", graph.node("Sub", graph.constant(1.0), second), second, axis=1)
        score = graph.node("Squeeze", scores, graph.constant([1], "int64"))
        graph.output(score, "scores")
        codes = _second(graph, score)
    else:
        both = graph.node("Softmax", scores, axis=1)
        graph.output(scores, "scores", columns=len(model.classes_))
        codes = graph.node("ArgMax", scores, axis=1, keepdims=0)
    _label(graph, codes, model.classes_)
    graph.output(both, "probabilities", columns=len(model.classes_))


@_write.register
def _losses(model: KernelMachine, graph: Graph) -> None:
    values = _cross(graph, model, model.X_fit_)
    dual = np.asarray(model.dual_coef_, dtype=float).reshape(len(model.dual_coef_), -1)
    constant = np.reshape(np.asarray(model.intercept_, dtype=float), (1, -1))
    found = graph.plus(graph.node("MatMul", values, graph.constant(dual)), constant)
    if hasattr(model, "classes_"):
        score = graph.node("Squeeze", found, graph.constant([1], "int64"))
        graph.output(score, "scores")
        _label(graph, _second(graph, score), model.classes_)
        if model.loss == "logistic":
            second = graph.node("Sigmoid", found)
            first = graph.node("Sub", graph.constant(1.0), second)
            graph.output(graph.node("Concat", first, second, axis=1), "probabilities", columns=2)
        return
    if model.loss in LOG_LINK:
        found = graph.node("Exp", found)
    if dual.shape[1] > 1:
        # Curves of several levels are sorted where they would cross.
        found = graph.ascending(found, dual.shape[1])
    _in_units(graph, found, model._units, None if model._flat else dual.shape[1])


def _in_units(graph: Graph, values: str, units: Any, columns: int | None) -> None:
    """Add the output ``prediction`` in the units of the target: a matrix, or a vector of its only column."""
    if units is not None:
        shift, scale = units
        row = graph.constant(np.reshape(np.asarray(scale, dtype=float), (1, -1)))
        values = graph.plus(graph.node("Mul", values, row), np.reshape(np.asarray(shift, dtype=float), (1, -1)))
    if columns is None:
        values = graph.node("Squeeze", values, graph.constant([1], "int64"))
    graph.output(values, "prediction", columns=columns)


def _of_several(graph: Graph, model: Any) -> tuple[str, dict[str, np.ndarray]]:
    """Return the values of the weighted sum of the kernels, and the arrays of the model's file."""
    if model._is_precomputed():
        raise ValueError("a sum with a precomputed kernel cannot be exported to ONNX: its values alone are known")
    _vectors(model)
    return kernel_values(graph, model.kernel_, model._fit.points()), record_of(model._fit)[1]


@_write.register
def _several(model: MultipleKernelRegressor, graph: Graph) -> None:
    values, arrays = _of_several(graph, model)
    dual, free = arrays["dual_coefficients"], arrays["null_coefficients"]
    intercept = free[0] if model.fit_intercept else np.zeros(dual.shape[1])
    _predicted(graph, values, dual[:, 0] if model._flat else dual, intercept, model._units)


@_write.register
def _several_classes(model: MultipleKernelClassifier, graph: Graph) -> None:
    values, arrays = _of_several(graph, model)
    count, dual = len(model.classes_), arrays["dual_coefficients"]
    columns = dual if count == 2 else _of_pairs(dual.T, arrays["support_sizes"].astype(int))
    scores = graph.plus(graph.node("MatMul", values, graph.constant(columns)), arrays["offsets"][None, :])
    if count > 2:
        _elected(graph, scores, model.classes_, False)
        return
    # The coefficients are those of the first class.
    score = graph.node("Squeeze", graph.node("Neg", scores), graph.constant([1], "int64"))
    graph.output(score, "scores")
    _label(graph, _second(graph, score), model.classes_)


@_write.register
def _components(model: KernelPCA, graph: Graph) -> None:
    _vectors(model)
    if model.solver_ == "streamed" or model.trace_missed_ is not None:
        raise ValueError("components through landmarks or features cannot be exported to ONNX: fit on all points")
    if model.kernel == "precomputed":
        values, own = "X", np.asarray(model.X_fit_, dtype=float)
    else:
        values = kernel_values(graph, model.kernel_, model.X_fit_)
        own = model.kernel_(np.ascontiguousarray(model.X_fit_, dtype=np.float64))
    # (k − 1ᵀk/n − K1/n + 1ᵀK1/n²)ᵀ V Λ^(−1/2): what does not depend on the point is a constant row.
    with np.errstate(divide="ignore", invalid="ignore"):
        directions = np.where(model.eigenvalues_ > 0, model.eigenvectors_ / np.sqrt(model.eigenvalues_), 0.0)
    centered = directions - directions.mean(axis=0)
    constant = -(own.mean(axis=0) - own.mean()) @ directions
    found = graph.plus(graph.node("MatMul", values, graph.constant(centered)), constant[None, :])
    graph.output(found, "features", columns=directions.shape[1])


@_write.register
def _spline(model: SmoothingSpline, graph: Graph) -> None:
    if model.period is not None:
        raise ValueError("a periodic spline cannot be exported to ONNX")
    knots, order = np.asarray(model.knots_, dtype=float), int(model.order)
    # Taylor's polynomial in the middle of every piece; beyond the data the degree is order − 1.
    ends = knots[[0, -1]]
    middles = np.concatenate([ends[:1], (knots[1:] + knots[:-1]) / 2, ends[1:]])
    terms = np.array([model.predict(middles, derivative=d) / factorial(d) for d in range(2 * order)])
    terms[order:, [0, -1]] = 0.0
    pieces = graph.node("Cast", graph.node("Greater", "X", graph.constant(knots[None, :])), to=7)
    piece = graph.summed(pieces, 1, keep=False)
    place = graph.node("Squeeze", "X", graph.constant([1], "int64"))
    step = graph.node("Sub", place, graph.node("Gather", graph.constant(middles), piece))
    found = graph.node("Gather", graph.constant(terms[-1]), piece)
    for row in terms[-2::-1]:
        term = graph.node("Gather", graph.constant(row), piece)
        found = graph.node("Add", graph.node("Mul", found, step), term)
    graph.output(found, "prediction")


@_write.register
def _fourier(model: RandomFourierFeatures, graph: Graph) -> None:
    weights = np.asarray(model.random_weights_, dtype=float)
    # Cosines as sines: every runtime has these for doubles.
    offsets = np.asarray(model.random_offset_, dtype=float) + np.pi / 2
    # A frequency with a cosine and a sine has one amplitude for both.
    amplitudes = np.asarray(model._map.amplitudes, dtype=float)
    amplitudes = np.concatenate([amplitudes, amplitudes[: weights.shape[1] - len(amplitudes)]])
    phases = graph.plus(graph.node("MatMul", "X", graph.constant(weights)), offsets[None, :])
    found = graph.node("Mul", graph.node("Sin", phases), graph.constant(amplitudes.reshape(1, -1)))
    graph.output(found, "features", columns=weights.shape[1])


@_write.register
def _landmarks(model: Nystroem, graph: Graph) -> None:
    values = _cross(graph, model, model.components_, model.component_indices_)
    normalization = np.asarray(model.normalization_, dtype=float)
    found = graph.node("MatMul", values, graph.constant(normalization.T))
    graph.output(found, "features", columns=len(normalization))
