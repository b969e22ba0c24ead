"""Graphs as Python has them, taken apart for the compiled part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Any

import numpy as np

#: Vertices, edges, labels and vectors of the vertices, labels and weights of the edges.
Parts = tuple[int, list[tuple[int, int]], Any, Any, Any, Any]


def parts(graphs: Any, directed: bool) -> list[Parts]:
    """Take graphs of networkx, or pairs of edges (or an adjacency matrix) and labels of the vertices, apart."""
    if is_graph(graphs) or hasattr(graphs, "tocoo") or (hasattr(graphs, "ndim") and graphs.ndim == 2):
        raise ValueError("graphs: one graph was given; a list of graphs is needed: [graph]")
    return [one(at, graph, directed) for at, graph in enumerate(graphs)]


def is_networkx(graph: Any) -> bool:
    """Whether it is a graph of networkx, or looks like one."""
    return hasattr(graph, "nodes") and hasattr(graph, "edges") and hasattr(graph, "is_directed")


def is_graph(points: Any) -> bool:
    """Whether it is one graph: of networkx, or a pair of a structure and labels. It is no sample of another kind."""
    return is_networkx(points) or is_pair(points)


def begins_graphs(first: Any) -> bool:
    """Whether a sample that begins with it holds graphs; a bare array begins a sample of bags."""
    return is_graph(first) or (hasattr(first, "tocoo") and is_square(first))


def is_square(structure: Any) -> bool:
    """Whether it is an array or a sparse matrix that may be an adjacency matrix."""
    if not (isinstance(structure, np.ndarray) or hasattr(structure, "tocoo")):
        return False
    return len(structure.shape) == 2 and structure.shape[0] == structure.shape[1]


def is_pair(item: Any) -> bool:
    """Whether it is a pair of edges, or an adjacency matrix, and labels of the vertices."""
    if not (isinstance(item, tuple) and len(item) == 2):
        return False
    structure, labels = item
    if labels is not None and not is_labels(labels):
        return False
    if hasattr(structure, "shape"):
        return is_square(structure) or np.shape(structure)[1:] == (2,)
    if isinstance(structure, (str, bytes)) or not isinstance(structure, (Sequence, Set)):
        return False
    # Two empty lists are two graphs without vertices as well.
    empty = len(structure) == 0 and (labels is None or len(labels) == 0)
    return not empty and all(is_edge(edge) for edge in structure)


def is_labels(labels: Any) -> bool:
    """Whether it is a list of labels, one for each vertex."""
    if hasattr(labels, "shape"):
        return len(labels.shape) == 1
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Sequence):
        return False
    return all(np.ndim(label) == 0 for label in labels)


def one(at: int, graph: Any, directed: bool) -> Parts:
    """Take one graph apart."""
    if is_networkx(graph):
        return networkx_parts(graph)
    structure, labels = graph, None
    if isinstance(graph, tuple) and len(graph) == 2 and not is_edge(graph[0]):
        structure, labels = graph
    labels = None if labels is None else [plain(label) for label in labels]
    if is_square(structure):
        return adjacency_parts(at, structure, labels, directed)
    edges = edges_of(structure)
    if edges is None:
        shape = getattr(structure, "shape", None)
        raise ValueError(
            f"graph {at}: expected a networkx graph, or a pair of edges (or an adjacency matrix) and vertex labels, "
            f"found {type(structure).__name__}" + ("" if shape is None else f" of shape {shape}")
        )
    wrong = next((edge for edge in edges if min(edge) < 0 or max(edge) >= 2**32), None)
    if wrong is not None:
        raise ValueError(f"graph {at}: the edge {wrong} has a vertex that is not a number from 0 to 2**32 - 1")
    count = len(labels) if labels is not None else max((max(edge) + 1 for edge in edges), default=0)
    return count, edges, labels, None, None, None


def is_edge(item: Any) -> bool:
    """Whether it is a pair of numbers of vertices."""
    return isinstance(item, (tuple, list)) and len(item) == 2 and all(isinstance(v, (int, np.integer)) for v in item)


def edges_of(structure: Any) -> list[tuple[int, int]] | None:
    """Return the edges of a list of pairs of whole numbers; None for everything else."""
    if hasattr(structure, "tocoo"):
        return None
    try:
        pairs = [(a, b) for a, b in structure]
        edges = [(int(a), int(b)) for a, b in pairs]
    except (TypeError, ValueError, OverflowError):
        return None
    return edges if all(edge == pair for edge, pair in zip(edges, pairs, strict=True)) else None


def adjacency_parts(at: int, matrix: Any, labels: list[int | str] | None, directed: bool) -> Parts:
    """Take a graph apart that is given by its adjacency matrix; values other than 1 are weights."""
    vertices = matrix.shape[0]
    if labels is not None and len(labels) != vertices:
        raise ValueError(
            f"graph {at}: there are {len(labels)} vertex labels, and the square array has {vertices} rows; a square "
            "array is an adjacency matrix: give edges as a list of pairs, or as an array that is not square"
        )
    rows, columns, values = entries(matrix)
    edges, weights = list(zip(rows.tolist(), columns.tolist(), strict=True)), values.tolist()
    if not directed:
        check_symmetric(at, dict(zip(edges, weights, strict=True)))
    return vertices, edges, labels, None, None, None if (values == 1).all() else weights


def entries(matrix: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, columns and values of the entries that are not 0; sparse entries of one place are added."""
    if hasattr(matrix, "tocoo"):
        coordinates = matrix.tocoo(copy=True)
        coordinates.sum_duplicates()
        rows, columns, values = coordinates.row, coordinates.col, coordinates.data
    else:
        matrix = np.asarray(matrix)
        rows, columns = np.nonzero(matrix)
        values = matrix[rows, columns]
    values = np.asarray(values, dtype=float)
    kept = values != 0
    return rows[kept], columns[kept], values[kept]


def check_symmetric(at: int, found: dict[tuple[int, int], float]) -> None:
    """Refuse the adjacency matrix of an undirected graph that gives an edge two values."""
    for (a, b), value in found.items():
        other = found.get((b, a), 0.0)
        # NaN, which is unequal to itself, is refused with its place later.
        if value != other and value == value and other == other:
            raise ValueError(
                f"graph {at}: the adjacency matrix of an undirected graph is symmetric, and entry ({a}, {b}) is "
                f"{value!r} where ({b}, {a}) is {other!r}: mercer.Graphs(graphs, directed=True) takes edges with a "
                "direction, and edges without one may be given as a list of pairs"
            )


def networkx_parts(
    graph: Any,
    vertex_label: str | None = None,
    vertex_vector: str | None = None,
    edge_label: str | None = None,
    edge_weight: str | None = None,
) -> Parts:
    """Take a graph of networkx apart; without a name, ``label`` labels the vertices if all of them have it."""
    nodes = list(graph.nodes(data=True))
    number = {node: at for at, (node, _) in enumerate(nodes)}
    label = vertex_label or ("label" if nodes and all("label" in data for _, data in nodes) else None)
    edges = list(graph.edges(data=True))
    pairs = [(number[a], number[b]) for a, b, _ in edges]
    for name in (vertex_label, vertex_vector):
        check_attribute(name, (("vertex", node, data) for node, data in nodes))
    for name in (edge_label, edge_weight):
        check_attribute(name, (("edge", (a, b), data) for a, b, data in edges))
    return (
        len(nodes),
        pairs,
        None if label is None else [plain(data[label]) for _, data in nodes],
        None if vertex_vector is None else [np.asarray(data[vertex_vector], float).tolist() for _, data in nodes],
        None if edge_label is None else [plain(data[edge_label]) for _, _, data in edges],
        None if edge_weight is None else [float(data[edge_weight]) for _, _, data in edges],
    )


def check_attribute(name: str | None, items: Iterable[tuple[str, Any, dict[str, Any]]]) -> None:
    """Refuse vertices or edges without the attribute that is asked for."""
    missing = next(((what, item) for what, item, data in items if name is not None and name not in data), None)
    if missing is not None:
        raise ValueError(f"{missing[0]} {missing[1]!r} of a networkx graph has no attribute {name!r}")


def plain(label: Any) -> int | str:
    """Return a label as a number or a text."""
    if isinstance(label, (int, np.integer)) and not isinstance(label, bool):
        return int(label)
    return str(label)
