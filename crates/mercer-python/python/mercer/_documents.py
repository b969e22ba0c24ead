"""Pieces of docstrings that several classes share."""

from __future__ import annotations

import re
import sys
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
    """Put pieces that several classes share into a docstring, instead of their names in braces.

    The pieces are indented as in the source: Python 3.13 and later removes that indentation from docstrings.
    """

    def fill(kind: Any) -> Any:
        margin = re.compile("^ {4}" if isinstance(kind, type) else "^ {8}", re.MULTILINE)
        for name, text in parts.items():
            text = margin.sub("", text) if sys.version_info >= (3, 13) else text
            kind.__doc__ = (kind.__doc__ or "").replace("{" + name + "}", text)
        return kind

    return fill


#: What scikit-learn notes of the columns of every fit.
_COLUMNS = (
    ("n_features_in_ : int", "The number of columns of the points of the fit."),
    ("feature_names_in_ : array of shape (n_features_in_,)", "Their names, where all of them are texts."),
)
#: The section of the attributes: its indentation, and its text up to the next section.
_ATTRIBUTES = re.compile(
    r"^( *)Attributes\n *-{3,}\n(.*?)(?=\s*\Z|\n\n *\w[\w ]*\n *-{3,}\n)", re.MULTILINE | re.DOTALL
)


def with_columns(doc: str) -> str:
    """Return the docstring of an estimator with the attributes of the columns, where it does not have them."""
    found = _ATTRIBUTES.search(doc)
    if found is None:
        return doc
    missing = [entry for entry in _COLUMNS if entry[0].partition(" ")[0] not in found[2]]
    lines = [f"\n{found[1]}{name}\n{found[1]}    {text}" for name, text in missing]
    return doc[: found.end()] + "".join(lines) + doc[found.end() :]
