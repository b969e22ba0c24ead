"""Graphs as Python has them, taken apart for the compiled part."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Vertices, edges, labels and vectors of the vertices, labels and weights of the edges.
Parts = tuple[int, list[tuple[int, int]], Any, Any, Any, Any]


def parts(graphs: Any, directed: bool) -> list[Parts]:
    """Take graphs of networkx, or pairs of edges (or an adjacency matrix) and labels of the vertices, apart."""
    if is_networkx(graphs) or hasattr(graphs, "tocoo") or (hasattr(graphs, "ndim") and graphs.ndim == 2):
        raise ValueError("graphs: expected a list of graphs, found one graph")
    return [one(at, graph, directed) for at, graph in enumerate(graphs)]


def is_networkx(graph: Any) -> bool:
    """Whether it is a graph of networkx, or looks like one."""
    return hasattr(graph, "nodes") and hasattr(graph, "edges") and hasattr(graph, "is_directed")


def one(at: int, graph: Any, directed: bool) -> Parts:
    """Take one graph apart."""
    if is_networkx(graph):
        return networkx_parts(graph)
    structure, labels = graph, None
    if isinstance(graph, tuple) and len(graph) == 2 and not is_edge(graph[0]):
        structure, labels = graph
    labels = None if labels is None else [plain(label) for label in labels]
    found = edges_of(structure, directed)
    if found is None:
        raise ValueError(
            f"graph {at}: expected a networkx graph, or a pair of edges (or an adjacency matrix) and vertex labels, "
            f"found {type(structure).__name__}"
        )
    vertices, edges, weights = found
    wrong = next((edge for edge in edges if min(edge) < 0 or max(edge) >= 2**32), None)
    if wrong is not None:
        raise ValueError(f"graph {at}: the edge {wrong} has a vertex that is not a number from 0 to 2**32 - 1")
    count = len(labels) if labels is not None else vertices
    return count, edges, labels, None, None, weights


def is_edge(item: Any) -> bool:
    """Whether it is a pair of numbers of vertices."""
    return isinstance(item, (tuple, list)) and len(item) == 2 and all(isinstance(v, (int, np.integer)) for v in item)


def edges_of(structure: Any, directed: bool) -> tuple[int, list[tuple[int, int]], list[float] | None] | None:
    """Return the vertices, the edges and their weights; a square matrix is an adjacency matrix."""
    if hasattr(structure, "tocoo"):
        matrix = structure.tocoo()
        return of_entries(matrix.shape, matrix.row, matrix.col, matrix.data, directed)
    if isinstance(structure, np.ndarray) and structure.ndim == 2 and structure.shape[0] == structure.shape[1]:
        rows, columns = np.nonzero(structure)
        return of_entries(structure.shape, rows, columns, structure[rows, columns], directed)
    try:
        edges = [(int(a), int(b)) for a, b in structure]
    except (TypeError, ValueError):
        return None
    return max((max(edge) + 1 for edge in edges), default=0), edges, None


def of_entries(
    shape: tuple[int, int], rows: Any, columns: Any, values: Any, directed: bool
) -> tuple[int, list[tuple[int, int]], list[float] | None]:
    """Return the edges of the entries of an adjacency matrix; values other than 1 are weights."""
    if shape[0] != shape[1]:
        raise ValueError(f"an adjacency matrix is square, found {shape}")
    kept = np.asarray(values) != 0
    rows, columns, values = np.asarray(rows)[kept], np.asarray(columns)[kept], np.asarray(values, dtype=float)[kept]
    weights = None if (values == 1).all() else values.tolist()
    return shape[0], list(zip(rows.tolist(), columns.tolist(), strict=True)), weights


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
    return (
        len(nodes),
        pairs,
        None if label is None else [plain(data[label]) for _, data in nodes],
        None if vertex_vector is None else [np.asarray(data[vertex_vector], float).tolist() for _, data in nodes],
        None if edge_label is None else [plain(data[edge_label]) for _, _, data in edges],
        None if edge_weight is None else [float(data[edge_weight]) for _, _, data in edges],
    )


def plain(label: Any) -> int | str:
    """Return a label as a number or a text."""
    if isinstance(label, (int, np.integer)) and not isinstance(label, bool):
        return int(label)
    return str(label)
