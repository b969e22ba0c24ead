"""Compiled objects as bytes, so that pickles and formats that take plain data alone (skops) can hold estimators."""

from __future__ import annotations

from typing import Any

from mercer._mercer import RidgeStream, _restore_fit


class Stored:
    """A compiled object as the bytes of its file."""

    def __init__(self, kind: str, data: bytes) -> None:
        """Hold the bytes of a kind of object."""
        self.kind = kind
        self.data = data

    def __reduce__(self) -> tuple[type[Stored], tuple[str, bytes]]:
        """Return how it is made again: by its class, from plain data."""
        return Stored, (self.kind, self.data)

    def restored(self) -> Any:
        """Return the object."""
        return _MAKERS[self.kind](self.data)


_MAKERS = {"fit": _restore_fit, "stream": RidgeStream.from_bytes}


def stored(value: Any) -> Any:
    """Replace compiled objects by bytes, also in lists, tuples and dicts."""
    if isinstance(value, RidgeStream):
        return Stored("stream", value.to_bytes())
    if type(value).__module__ == "mercer._mercer" and type(value).__name__.endswith("Fit"):
        return Stored("fit", value.__reduce__()[1][0])
    return _inside(value, stored)


def restored(value: Any) -> Any:
    """Put the compiled objects back."""
    return value.restored() if isinstance(value, Stored) else _inside(value, restored)


def _inside(value: Any, change: Any) -> Any:
    if type(value) in (list, tuple):
        return type(value)(change(part) for part in value)
    if type(value) is dict:
        return {name: change(part) for name, part in value.items()}
    return value
