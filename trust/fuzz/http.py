"""Fuzzing of the servers: mutated requests over the loopback to `mercer serve` and `mercer lab`."""

from __future__ import annotations

import atexit
import ctypes
import json
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import numpy as np

import mercer
from trust.fuzz.drivers import HANG
from trust.fuzz.mutate import changes, files
from trust.programs import command
from trust.registry import Outcome, check

REQUESTS = 40
PAUSE = 0.3
STATUS = re.compile(rb"^HTTP/1\.1 ([2-5][0-9][0-9]) ")


def end_with_parent() -> None:
    """Have a program end with its parent, which the runner may kill: Linux only, others end it at their exit."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Served:
    """A server that ends with this process."""

    def __init__(self, words: list[str]) -> None:
        self.log = tempfile.NamedTemporaryFile(prefix="trust-http-", suffix=".log")  # noqa: SIM115
        self.program = subprocess.Popen(
            [str(command()), *words],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            preexec_fn=end_with_parent,
        )
        atexit.register(self.program.kill)
        self.token, self.host = "", ""
        until = time.monotonic() + 60
        while not self.host:
            if self.program.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"the server did not start: {self.said()[:400]}")
            time.sleep(0.05)
            for line in self.said().splitlines():
                self.read_address(line)

    def read_address(self, line: str) -> None:
        """Take the address from a line of the log, or of the lab."""
        try:
            address = json.loads(line).get("address", "")
        except ValueError:
            return
        if "?token=" in address:
            address, _, self.token = address.removeprefix("http://").partition("/?token=")
        self.host = address

    def said(self) -> str:
        """Return what the program has written."""
        return Path(self.log.name).read_text(errors="replace")

    def filled(self, request: bytes) -> bytes:
        """Put the address and the token into a request of the corpus."""
        return request.replace(b"HOST", self.host.encode()).replace(b"TOKEN", self.token.encode())

    def answer(self, request: bytes) -> bytes:
        """Send bytes, and return the answer; empty where the connection is closed without one.

        A request that the server takes for unfinished is ended after PAUSE seconds: an answer or a close is due then.
        """
        name, _, port = self.host.rpartition(":")
        with socket.create_connection((name, int(port)), timeout=PAUSE) as stream:
            parts: list[bytes] = []
            try:
                stream.sendall(request)
                while not complete(b"".join(parts)):
                    try:
                        part = stream.recv(1 << 16)
                    except TimeoutError:
                        if stream.gettimeout() != PAUSE:
                            raise
                        stream.settimeout(HANG)
                        stream.shutdown(socket.SHUT_WR)
                        continue
                    if not part:
                        break
                    parts.append(part)
            except (BrokenPipeError, ConnectionResetError):
                pass
            return b"".join(parts)


def complete(answer: bytes) -> bool:
    """Whether the head and the body of an answer are there."""
    head, end, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: ([0-9]+)", head)
    return bool(end) and len(body) >= (int(length[1]) if length else 0)


def corrected(request: bytes) -> bytes:
    """State the length of the body that a changed request has, so that the body is read."""
    head, end, body = request.partition(b"\r\n\r\n")
    length = f"Content-Length: {len(body)}".encode()
    return re.sub(rb"(?i)content-length: [0-9]+", length, head, count=1) + end + body


def mutated(rng: np.random.Generator, requests: list[bytes]) -> bytes:
    """Change a request: more often its body alone, which a changed head would keep from the handlers."""
    request = requests[int(rng.integers(len(requests)))]
    head, end, body = request.partition(b"\r\n\r\n")
    if body and rng.random() < 0.7:
        bodies = [other.partition(b"\r\n\r\n")[2] for other in requests]
        return corrected(head + end + changes(rng, body, bodies))
    return changes(rng, request, requests)


@cache
def prediction_server() -> Served:
    """Serve a ridge regression and a classifier."""
    folder = Path(tempfile.mkdtemp(prefix="trust-models-"))
    x = np.linspace(0, 1, 40).reshape(20, 2)
    mercer.save(mercer.KernelRidge(0.1, kernel="gaussian()").fit(x, x[:, 0]), folder / "values.safetensors")
    classes = np.arange(20) % 2
    mercer.save(mercer.KernelLogisticRegression(kernel="gaussian()").fit(x, classes), folder / "classes.safetensors")
    words = [str(folder / "values.safetensors"), str(folder / "classes.safetensors")]
    return Served(["serve", *words, "--port", "0", "--threads", "1", "--head-timeout", "2", "--body-timeout", "2"])


@cache
def lab_server() -> Served:
    """Serve the lab."""
    return Served(["lab", "--no-browser", "--json", "--threads", "1", "--memory", "200MB"])


def attacked(server: Served, corpus: str, healthy: bytes, seed: int) -> Outcome:
    """Send mutated requests: each gets an answer of HTTP or an end, and then a right one is answered as before."""
    rng = np.random.default_rng([seed, 36])
    requests = files(corpus)
    for number in range(REQUESTS):
        request = server.filled(mutated(rng, requests))
        try:
            found = server.answer(request)
        except TimeoutError:
            return Outcome(finding=f"request {number}: no answer after {HANG:.0f} s: {request[:200]!r}")
        if found and not STATUS.match(found):
            return Outcome(finding=f"request {number}: {found[:100]!r} answers {request[:200]!r}")
        if STATUS.match(found) and STATUS.match(found)[1] == b"500":  # type: ignore[index]
            return Outcome(finding=f"request {number}: status 500 for {request[:400]!r}")
    found = server.answer(server.filled(healthy))
    log = server.said()
    if server.program.poll() is not None or not found.startswith(b"HTTP/1.1 200"):
        return Outcome(finding=f"a right request is answered {found[:200]!r}; the log ends {log[-400:]!r}")
    if "panicked" in log:
        return Outcome(finding=f"a panic in the log: {log[-400:]!r}")
    return Outcome()


def post(path: str, body: str, *headers: str) -> bytes:
    """Return a request of the corpus."""
    lines = [f"POST {path} HTTP/1.1", "Host: HOST", "Content-Type: application/json", *headers]
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", body]).encode()


@check("fuzz", slice=8, full=25_000, limit=120.0)
def http_predictions(seed: int) -> Outcome:
    """Requests to the prediction server, 40 for each case: answered within 10 s, and a right one as before."""
    return attacked(prediction_server(), "http_serve", post("/models/values/predict", "[[0.5, 0.25]]"), seed)


@check("fuzz", slice=8, full=25_000, limit=120.0)
def http_lab(seed: int) -> Outcome:
    """Requests to the lab, 40 for each case: answered within 10 s, and a right one as before."""
    healthy = post("/api/kernel/look", '{"kernel": "linear()"}', "Authorization: Bearer TOKEN")
    return attacked(lab_server(), "http_lab", healthy, seed)
