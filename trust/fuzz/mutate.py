"""Changes of texts and files, as in the crate beside this file."""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path

import numpy as np

CORPUS = Path(__file__).with_name("corpus")
LONGEST = 1 << 16
WORDS = [
    b"nan", b"inf", b"1e999", b"99999999999999999999", b"-1", b"0", b"1e308", b"4294967296", b"1e", b'"', b"'", b"\r",
    b"\n\n", b"\t", b",", b";", b"|", b"(", b")", b"((((((((", b"[", b"]", b"{", b"}", b"=", b"*", b"^", b"<", b">",
    b"&lt;", b"&#x110000;", b":", "é".encode(), b"null", b"\xff", b"\x00", b"--", b"-",
]  # fmt: skip


@cache
def files(target: str) -> list[bytes]:
    """Return the corpus of a target, in the order of names."""
    return [path.read_bytes() for path in sorted((CORPUS / target).iterdir())]


def mutated(rng: np.random.Generator, target: str) -> bytes:
    """Return an input; the header of a file with its length in front is changed inside, half of the time."""
    corpus = files(target)
    data = corpus[int(rng.integers(len(corpus)))]
    if rng.random() < 0.5 and len(data) > 9 and data[8:9] == b"{":
        (length,) = struct.unpack("<Q", data[:8])
        header = changes(rng, data[8 : 8 + length], corpus)
        return struct.pack("<Q", len(header)) + header + data[8 + length :]
    return changes(rng, data, corpus)


def changes(rng: np.random.Generator, data: bytes, corpus: list[bytes]) -> bytes:
    """Apply a few random changes."""
    for _ in range(int(rng.integers(1, 6))):
        data = change(rng, data, corpus)[:LONGEST]
    return data


def change(rng: np.random.Generator, data: bytes, corpus: list[bytes]) -> bytes:
    """Apply one random change."""
    at = int(rng.integers(len(data) + 1))
    end = min(len(data), at + int(rng.integers(1, 32)))
    kind = int(rng.integers(8))
    if kind == 0 and data:
        at = min(at, len(data) - 1)
        return data[:at] + bytes([data[at] ^ (1 << int(rng.integers(8)))]) + data[at + 1 :]
    if kind == 1:
        return data[:at] + data[end:]
    if kind == 2:
        return data[:at] + data[at:end] * int(rng.integers(1, 30)) + data[at:]
    if kind == 3:
        return data[:at] + WORDS[int(rng.integers(len(WORDS)))] + data[at:]
    if kind == 4:
        return data[:at]
    if kind == 5:
        other = corpus[int(rng.integers(len(corpus)))]
        return data[:at] + other[int(rng.integers(len(other) + 1)) :]
    if kind == 6 and len(data) > 8:
        at = min(at, len(data) - 8)
        value = [0, 1, 255, 2**32 - 1, 2**64 - 1, 2**40][int(rng.integers(6))]
        return data[:at] + struct.pack("<Q", value) + data[at + 8 :]
    return data[:at] + WORDS[int(rng.integers(9))] + data[end:]
