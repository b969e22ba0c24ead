"""The bytes of a model file, made from texts and arrays: so that fits can be made of numbers from elsewhere."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from mercer._mercer import _restore_fit

_TYPES = {"F64": "<f8", "I64": "<i8", "U8": "|u1"}
_KINDS = {"f8": "F64", "i8": "I64", "u1": "U8"}


def fit_of(kind: str, kernel: Any, dimension: int, targets: int, texts: dict[str, str], arrays: dict[str, Any]) -> Any:
    """Return the compiled fit of a kind of learner with these texts and arrays."""
    inputs = {"features": {"dimension": dimension, "names": None}, "targets": [None] * targets, "unused": []}
    named = {
        "format": "mercer",
        "version": "3",
        "kind": kind,
        "kernel": str(kernel),
        "inputs": json.dumps(inputs),
        "setting.kernel": json.dumps(str(kernel)),
        **texts,
    }
    units = {"target_shift": np.zeros(targets), "target_scale": np.ones(targets)}
    return _restore_fit(packed(named, {**units, **arrays}))


def record_of(fit: Any) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    """Return the texts and the arrays of a compiled fit."""
    return unpacked(fit.__reduce__()[1][0])


def packed(texts: dict[str, str], arrays: dict[str, Any]) -> bytes:
    """Return a safetensors container with texts and arrays: integers and bytes as they are, all else as doubles."""
    header: dict[str, Any] = {"__metadata__": texts}
    parts, at = [], 0
    for name in sorted(arrays):
        values = np.asarray(arrays[name])
        kind = _KINDS.get(values.dtype.str.lstrip("<=|"), "F64")
        values = np.asarray(values, dtype=_TYPES[kind])
        header[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": [at, at + values.nbytes]}
        parts.append(values.tobytes())
        at += values.nbytes
    text = json.dumps(header, ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])


def unpacked(data: bytes) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    """Return the texts and the arrays of a container."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    texts = header.pop("__metadata__", {})
    arrays = {}
    for name, entry in header.items():
        first, last = (8 + size + offset for offset in entry["data_offsets"])
        arrays[name] = np.frombuffer(data[first:last], dtype=_TYPES[entry["dtype"]]).reshape(entry["shape"])
    return texts, arrays
