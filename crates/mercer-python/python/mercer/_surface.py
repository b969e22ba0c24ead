"""The picture of a search on a grid."""

from __future__ import annotations

from typing import Any

import numpy as np


def draw_surface(
    scores: np.ndarray, rows: list[Any], columns: Any, best: tuple[int, int], words: dict[str, str], target: Any = None
) -> Any:
    """Draw scores, a row per candidate and a column per number, with the winner marked; give the axes.

    ``words`` has the names of ``rows``, ``columns`` and ``scores``; ``target`` is axes, a path, or None for new axes.
    """
    path = None
    if target is None or not hasattr(target, "pcolormesh"):
        from matplotlib.figure import Figure

        path, target = target, Figure(layout="constrained").subplots()
    mesh = target.pcolormesh(scores)
    target.set_yticks(np.arange(len(rows)) + 0.5, [row if isinstance(row, str) else f"{row:.3g}" for row in rows])
    target.set_xticks(np.arange(len(columns)) + 0.5, [f"{number:.1e}" for number in columns], rotation=90)
    target.set(xlabel=words["columns"], ylabel=words["rows"])
    target.plot(best[1] + 0.5, best[0] + 0.5, "w*")
    target.figure.colorbar(mesh, ax=target, label=words["scores"])
    if path is not None:
        target.figure.savefig(path)
    return target
