"""Pieces of docstrings that several classes share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: What the parameters of the computation mean.
HOW = """n_jobs : int, optional
        Threads; all of them by default.
    max_memory : int or str, optional
        Bytes or text such as ``"2GB"`` that may be used.
    verbose : bool, default=False
        Whether a progress bar is shown."""


def filled(**parts: str) -> Callable[[Any], Any]:
    """Put pieces that several classes share into a docstring, instead of their names in braces."""

    def fill(kind: Any) -> Any:
        for name, text in parts.items():
            kind.__doc__ = (kind.__doc__ or "").replace("{" + name + "}", text)
        return kind

    return fill
