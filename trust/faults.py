"""Faults of the operating system: the old file or the new one, never a torn one; the same bytes after a resumed run.

A small library in front of the C library (`faults.c`, compiled at run time) fails the k-th call that writes to the
folder of a case, or ends the process there. What an allocation that fails does is recorded: Rust ends the process by
default, so that only the files are required to be whole then.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from trust.programs import command
from trust.registry import Outcome, check

ACTIONS = ("EIO", "ENOSPC", "EROFS", "short", "kill")


@cache
def shim() -> Path:
    """Compile the library once for each process."""
    source = Path(__file__).with_name("faults.c")
    target = Path(tempfile.mkdtemp(prefix="trust-")) / "faults.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", target, source, "-ldl"], check=True, capture_output=True)
    return target


@contextmanager
def working_folder() -> Iterator[Path]:
    """Make an empty folder for a case; files beside it are removed with it."""
    with tempfile.TemporaryDirectory(prefix="trust-", ignore_cleanup_errors=True) as top:
        folder = Path(top) / "out"
        folder.mkdir()
        yield folder


@cache
def table() -> Path:
    """Write a table once for each process."""
    path = Path(tempfile.mkdtemp(prefix="trust-")) / "table.csv"
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 2))
    rows = "\n".join(f"{a!r},{b!r},{float(np.sin(a)) + b!r}" for a, b in x.tolist())
    path.write_text(f"a,b,y\n{rows}\n")
    return path


def job(kind: int, folder: Path, version: int) -> tuple[list[str], Path]:
    """Return a command of a kind that writes a file, with different contents for each version."""
    data, model = str(table()), folder.parent / f"{folder.name}-kept.safetensors"
    fit = ["fit", "ridge", data, "--target", "y", "--kernel", "gaussian(lengthscale=1)", "--threads", "1", "--quiet"]
    chosen = [*fit, "--lambda", f"0.{version + 1}"]
    if kind == 0:
        return [*chosen, "-o", str(folder / "model.safetensors")], folder / "model.safetensors"
    if kind == 1:
        return [*chosen, "--report", str(folder / "report.html")], folder / "report.html"
    if kind == 2:
        return [*chosen, "--plot", str(folder / "plot.svg")], folder / "plot.svg"
    if kind == 3:
        run([*chosen, "-o", str(model)])
        return ["predict", str(model), data, "-o", str(folder / "out.csv"), "--quiet"], folder / "out.csv"
    gram = ["kernel", "gram", f"gaussian(lengthscale={version + 1})", data, "--columns", "0-1", "--quiet"]
    return [*gram, "-o", str(folder / "gram.npy")], folder / "gram.npy"


KINDS = 5


def run(words: list[str], timeout: float = 120.0, **environment: str) -> subprocess.CompletedProcess:
    """Run the program, with faults if an action is given."""
    env = {**os.environ, **environment}
    if environment:
        env["LD_PRELOAD"] = str(shim())
    return subprocess.run([str(command()), *words], capture_output=True, timeout=timeout, check=False, env=env)


def broken(done: subprocess.CompletedProcess, action: str) -> str | None:
    """Return what is wrong with the way in which a program ended."""
    text = done.stderr.decode(errors="replace")
    if "panicked" in text:
        return f"a panic: {text[:300]}"
    if action == "kill":
        return None if done.returncode == -signal.SIGKILL else f"ended with {done.returncode} instead of the kill"
    if done.returncode not in (0, 1, 2):
        return f"ended with code {done.returncode}: {text[:300]}"
    if done.returncode and "error" not in text:
        return f"failed without a message: {text[:200]!r}"
    return None


@check("faults", slice=90, full=5 * KINDS * 60, limit=60.0)
def saves(seed: int) -> Outcome:
    """Models, reports, pictures, predictions and matrices: the k-th call fails, is cut short or kills."""
    kind, rest = seed % KINDS, seed // KINDS
    action, at = ACTIONS[rest % len(ACTIONS)], rest // len(ACTIONS)
    with working_folder() as folder:
        words, path = job(kind, folder, 0)
        first = run(words)
        if first.returncode:
            return Outcome(finding=f"kind {kind}: the plain run failed: {first.stderr.decode()[:200]}")
        old = path.read_bytes()
        words, path = job(kind, folder, 1)
        done = run(words, TRUST_FOLDER=str(folder), TRUST_ACTION=action, TRUST_AT=str(at))
        if b"TRUST FIRED" not in done.stderr:
            return Outcome()
        after = path.read_bytes() if path.exists() else b""
        left = [p.name for p in folder.iterdir() if p != path]
        again = run(words)
        new = path.read_bytes()
        about = f"kind {kind}, {action} at call {at}"
        wrong = broken(done, action)
        if wrong:
            return Outcome(finding=f"{about}: {wrong}")
        if again.returncode:
            return Outcome(finding=f"{about}: the next run failed: {again.stderr.decode()[:200]}")
        if after not in (old, new):
            return Outcome(finding=f"{about}: a torn file of {len(after)} bytes (old {len(old)}, new {len(new)})")
        if done.returncode == 0 and after != new:
            return Outcome(finding=f"{about}: success was reported, but the file is the old one")
        if left and action != "kill":
            return Outcome(finding=f"{about}: left {left} behind")
        return Outcome()


@check("faults", slice=12, full=600, limit=120.0)
def resumed(seed: int) -> Outcome:
    """A streamed fit that is killed at the k-th write and resumed writes the same bytes."""
    action, at = ("kill", "ENOSPC", "EIO")[seed % 3], seed // 3
    with working_folder() as folder:
        words = [
            "fit",
            "ridge",
            str(table()),
            "--target",
            "y",
            "--kernel",
            "gaussian(lengthscale=1)",
            "--stream",
            "--quiet",
        ]
        words += ["--components", "20", "--lambda", "0.1", "--threads", "1"]
        plain = folder.parent / "plain.safetensors"
        done = run([*words, "-o", str(plain)])
        if done.returncode:
            return Outcome(finding=f"the plain run failed: {done.stderr.decode()[:300]}")
        model = folder / "model.safetensors"
        resumable = [*words, "--checkpoint", str(folder / "fit.checkpoint"), "--resume", "-o", str(model)]
        faulty = run(resumable, TRUST_FOLDER=str(folder), TRUST_ACTION=action, TRUST_AT=str(at))
        wrong = broken(faulty, action) if b"TRUST FIRED" in faulty.stderr else None
        again = run(resumable)
        if wrong or again.returncode:
            return Outcome(finding=f"{action} at {at}: {wrong or again.stderr.decode()[:300]}")
        if model.read_bytes() != plain.read_bytes():
            return Outcome(finding=f"{action} at {at}: the resumed model differs")
        return Outcome()


SAVE = """
import sys, mercer, numpy as np
x = np.linspace(0, 1, 50)[:, None]
model = mercer.KernelRidge(float(sys.argv[2]), kernel="gaussian(lengthscale=1)").fit(x, x[:, 0])
try:
    mercer.save(model, sys.argv[1])
except OSError as error:
    print("error", error, file=sys.stderr)
    sys.exit(2)
"""


def python_save(path: Path, alpha: str, **environment: str) -> subprocess.CompletedProcess:
    """Save a model from Python in a fresh process, with faults if an action is given."""
    env = {**os.environ, **environment, **({"LD_PRELOAD": str(shim())} if environment else {})}
    return subprocess.run([sys.executable, "-c", SAVE, str(path), alpha], capture_output=True, check=False, env=env)


@cache
def saved(alpha: str) -> bytes:
    """Return the bytes of a model that was saved without faults."""
    with tempfile.TemporaryDirectory() as folder:
        python_save(Path(folder) / "model.safetensors", alpha)
        return (Path(folder) / "model.safetensors").read_bytes()


@check("faults", slice=3, full=300, limit=60.0)
def python_saves(seed: int) -> Outcome:
    """mercer.save: the k-th call fails, is cut short or kills."""
    action, at = ACTIONS[(seed + 3) % len(ACTIONS)], seed // len(ACTIONS)
    old, new = saved("0.1"), saved("0.2")
    with working_folder() as folder:
        path = folder / "model.safetensors"
        path.write_bytes(old)
        done = python_save(path, "0.2", TRUST_FOLDER=str(folder), TRUST_ACTION=action, TRUST_AT=str(at))
        after = path.read_bytes()
        if after not in (old, new):
            return Outcome(finding=f"{action} at call {at}: a torn file of {len(after)} bytes")
        wrong = broken(done, action) if b"TRUST FIRED" in done.stderr else None
        return Outcome(finding=f"{action} at call {at}: {wrong}" if wrong else None)


@check("faults", slice=4, full=200, limit=60.0)
def two_writers(seed: int) -> Outcome:
    """Two programs write one file at the same time: it is that of one of them."""
    with working_folder() as folder:
        whole = []
        for version in (0, 1):
            words, path = job(0, folder, version)
            run(words)
            whole.append(path.read_bytes())
        running = [
            subprocess.Popen([str(command()), *job(0, folder, v)[0]], stdout=-3, stderr=-3) for v in (0, 1, 0, 1)
        ]
        codes = [process.wait(60) for process in running]
        left = [p.name for p in folder.iterdir()]
        if path.read_bytes() not in whole:
            return Outcome(finding="a torn file after two writers")
        if any(codes) or len(left) > 1:
            return Outcome(finding=f"two writers ended with {codes} and left {left}")
        return Outcome()


@check("faults", slice=26, full=400, limit=60.0)
def allocations(seed: int) -> Outcome:
    """The k-th allocation above 64 KB fails: the saved file stays whole; how the program ends is recorded."""
    with working_folder() as folder:
        words, path = job(0, folder, 0)
        run(words)
        old = path.read_bytes()
        words, path = job(0, folder, 1)
        done = run(words, TRUST_FOLDER=str(folder), TRUST_ACTION="memory", TRUST_AT=str(seed))
        after = path.read_bytes()
        run(words)
        new = path.read_bytes()
        if after not in (old, new):
            return Outcome(finding=f"allocation {seed}: a torn file of {len(after)} bytes")
        fired = b"TRUST FIRED" in done.stderr
        if fired and done.returncode == -signal.SIGABRT:
            return Outcome(refusal="the process ended: memory allocation failed (Rust's default)")
        return Outcome(
            finding=f"allocation {seed}: code {done.returncode}" if done.returncode not in (0, 1, 2) else None
        )


def closed(words: list[str], **streams: Any) -> tuple[int, str]:
    """Run the program with other standard streams; return its code and its messages."""
    done = subprocess.run([str(command()), *words], stderr=subprocess.PIPE, timeout=60, check=False, **streams)
    return done.returncode, done.stderr.decode(errors="replace")


@check("faults", slice=9, full=9, limit=60.0)
def streams(seed: int) -> Outcome:
    """Closed pipes, full devices, absent and closed standard streams, wrong folders, clocks that jump."""
    data = str(table())
    gram = ["kernel", "gram", "linear()", data]
    if seed == 0:
        shell = f"'{command()}' kernel gram 'linear()' '{data}' | head -c 1"
        done = subprocess.run(["bash", "-c", f"{shell}; echo ${{PIPESTATUS[0]}} >&2"], capture_output=True, check=False)
        text = done.stderr.decode()
        return Outcome(finding=f"a closed pipe: {text[:300]}" if "panicked" in text or "error" in text else None)
    if seed == 1:
        with open("/dev/full", "w") as full:
            code, text = closed(gram, stdout=full)
        return Outcome(
            finding=None if code == 2 and "panicked" not in text else f"full standard output: {code} {text[:200]}"
        )
    if seed == 2:
        code, text = closed(
            ["data", "describe", "-", "--format", "csv"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        return Outcome(finding=None if code in (1, 2) and "error" in text else f"empty input: {code} {text[:200]}")
    shells = {
        3: ("data describe - --format csv <&-", "closed input"),
        4: (f"kernel gram 'linear()' '{data}' >&-", "closed output"),
        5: (f"kernel gram 'linear()' '{data}' >/dev/null 2>&-", "closed errors"),
    }
    if seed in shells:
        words, what = shells[seed]
        done = subprocess.run(["bash", "-c", f"'{command()}' {words}"], capture_output=True, timeout=60, check=False)
        text = done.stderr.decode(errors="replace")
        wrong = "panicked" in text or done.returncode not in (0, 1, 2)
        return Outcome(finding=f"{what}: {done.returncode} {text[:200]}" if wrong else None)
    if seed == 6:
        code, text = closed(
            ["fit", "ridge", data, "--target", "y", "-o", "/proc/model.safetensors"], stdout=subprocess.DEVNULL
        )
        return Outcome(
            finding=None if code in (1, 2) and "/proc" in text else f"a folder without files: {code} {text[:200]}"
        )
    if seed == 7:
        code, text = closed(["fit", "ridge", data, "--target", "y", "-o", "/dev/full"], stdout=subprocess.DEVNULL)
        wrong = "panicked" in text or code not in (0, 1, 2)
        return Outcome(
            finding=f"/dev/full as a model: {code} {text[:200]}"
            if wrong or not Path("/dev/full").is_char_device()
            else None
        )
    with tempfile.TemporaryDirectory() as folder:
        words = ["fit", "ridge", data, "--target", "y", "-o", f"{folder}/m.safetensors", "--budget-time", "60s"]
        done = run(words[:-2], TRUST_FOLDER=folder, TRUST_ACTION="clock", TRUST_AT="0")
        wrong = broken(done, "clock")
        return Outcome(finding=f"clocks that jump: {wrong}" if wrong or done.returncode else None)
