"""Fuzzing of the readers by the crate, of loaded models in this process, and of the command line."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

import mercer
from trust.fuzz.mutate import CORPUS, WORDS, mutated
from trust.programs import ROOT, command
from trust.registry import Check, Outcome, add, check
from trust.runner import processor_seconds

BATCH = 2000
HANG = 10.0
"""Seconds after which an input that is not answered is a finding."""
WAIT = 300.0
"""Limit of a case that watches a program of its own."""
TARGETS = (
    "kernel", "csv", "tsv", "libsvm", "npy", "parquet", "fasta", "graphml", "edges", "tu", "model", "stream",
    "statistics",
)  # fmt: skip
PROGRAM = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug" / "mercer-fuzz"


def batch(target: str) -> Callable[[int], Outcome]:
    """Return the check of a reader: a case is the next BATCH inputs."""

    def run(seed: int) -> Outcome:
        if not PROGRAM.exists():
            raise FileNotFoundError("cargo build --manifest-path trust/fuzz/Cargo.toml --target-dir target")
        first, last = seed * BATCH, (seed + 1) * BATCH
        findings = []
        while first < last:
            words = [str(PROGRAM), target, str(first), str(last), str(CORPUS / target)]
            done = subprocess.run(words, capture_output=True, check=False)
            lines = done.stdout.decode(errors="replace").splitlines()
            findings += [line.removeprefix("FINDING ") for line in lines if line.startswith("FINDING")]
            if lines and lines[-1].startswith("DONE"):
                break
            if done.returncode not in (3, 4) or not findings:
                return Outcome(
                    finding=f"inputs from {first}: ended with {done.returncode}: {done.stderr.decode()[:200]}"
                )
            # An input that ended the process is skipped.
            first = int(findings[-1].split()[0]) + 1
        return Outcome(finding="; ".join(findings[:5]) if findings else None)

    return run


for _target in TARGETS:
    add(
        Check(
            "fuzz",
            f"reader_{_target}",
            f"{BATCH} inputs of the {_target} reader for each case",
            batch(_target),
            0,
            500,
            900.0,
        )
    )


@check("fuzz", slice=40, full=10_000, limit=HANG)
def kernel_text(seed: int) -> Outcome:
    """Kernel texts, 100 for each case: an error with its place, or a kernel that prints as a text for itself."""
    rng = np.random.default_rng([seed, 31])
    for _ in range(100):
        text = mutated(rng, "kernel").decode(errors="replace")
        try:
            kernel = mercer.Kernel(text)
        except ValueError:
            continue
        if mercer.Kernel(str(kernel)) != kernel:
            return Outcome(finding=f"{text!r} prints as {str(kernel)!r}, which is another kernel")
        try:
            values = kernel(np.array([[0.5, 0.25, 1.0], [0.125, 0.5, 0.75]]), max_memory="50MB")
        except (ValueError, MemoryError):
            continue
        if not np.isfinite(values).all():
            return Outcome(finding=f"{text!r}: values {values.tolist()}")
    return Outcome()


@check("fuzz", slice=40, full=10_000, limit=HANG)
def models(seed: int) -> Outcome:
    """Model files, 30 for each case: refused, or loaded and used for predictions."""
    rng = np.random.default_rng([seed, 32])
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        path = Path(folder) / "model.safetensors"
        for number in range(30):
            data = mutated(rng, "model")
            path.write_bytes(data)
            try:
                model = mercer.load(path, max_memory="100MB")
                answer(model)
            except (ValueError, MemoryError, OSError, TypeError, RuntimeError, AttributeError) as error:
                if len(str(error)) < 5:
                    return Outcome(finding=f"input {number}: {type(error).__name__}({error})")
    return Outcome()


def answer(model: object) -> None:
    """Ask a model for what it predicts at a few points, in one, two or three columns."""
    for columns in (1, 2, 3):
        x = np.linspace(0, 1, 4 * columns).reshape(4, columns)
        for method in ("predict", "transform", "predict_proba", "decision_function"):
            if hasattr(model, method):
                try:
                    getattr(model, method)(x)
                except (ValueError, TypeError, MemoryError, RuntimeError, AttributeError):
                    continue


@check("fuzz", slice=40, full=10_000, limit=HANG)
def streams(seed: int) -> Outcome:
    """Checkpoint statistics and sketches, 50 for each case: refused, or usable."""
    rng = np.random.default_rng([seed, 33])
    for _ in range(50):
        try:
            stream = mercer.RidgeStream.from_bytes(mutated(rng, "stream"))
            stream.update(np.zeros((3, 1)), np.zeros((3, 1)))
        except (ValueError, MemoryError, RuntimeError):
            continue
    for _ in range(50):
        data = mutated(rng, "statistics")
        for kind in (mercer.MeanStatistics, mercer.CovarianceStatistics, mercer.RidgeStatistics):
            try:
                kind.from_bytes(data)
            except (ValueError, MemoryError):
                continue
    return Outcome()


FORMATS = ("csv", "tsv", "libsvm", "npy", "parquet", "fasta", "graphml", "edges")


@check("fuzz", slice=160, full=100_000, limit=WAIT)
def files(seed: int) -> Outcome:
    """Data files on the command line: described, or refused with a message that names the file."""
    rng = np.random.default_rng([seed, 34])
    kind = FORMATS[seed % len(FORMATS)]
    data = mutated(rng, kind)
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        path = Path(folder) / f"input.{kind}"
        path.write_bytes(data)
        return ended(["data", "describe", str(path), "--memory", "200MB", "--json"], data[:80])


GOOD = (
    ["kernel", "check", "tanh(scale=1, offset=0)"],
    ["kernel", "explain", "gaussian(lengthscale=0.5) + linear()", "--json"],
    ["kernel", "gram", "gaussian(lengthscale=median)", "{data}", "--columns", "0-1"],
    ["fit", "ridge", "{data}", "--target", "y", "--lambda", "0.1", "--kernel", "linear()", "--scale", "none"],
    ["fit", "svm", "{data}", "--target", "kind", "--columns", "a,b", "-C", "10", "--folds", "3"],
    ["fit", "spline", "{data}", "--target", "y", "--columns", "a", "--missing", "drop"],
    ["test", "independence", "{data}", "--x", "a", "--y", "b,y", "--permutations", "19", "--level", "0.1"],
    ["test", "two-sample", "{data}", "{data}", "--columns", "a,b", "--method", "permutation", "--seed", "3"],
    ["embed", "pca", "{data}", "--components", "2", "--drop", "kind"],
    ["cluster", "{data}", "-k", "2", "--drop", "kind"],
    ["explain", "fit", "ridge", "{data}", "--target", "y", "--memory", "1MB", "--threads", "1"],
    ["predict", "{data}", "{data}", "--interval"],
)
ODD = [
    "-1",
    "0",
    "1e999",
    "nan",
    "",
    "--",
    "-",
    "y,y",
    "0-",
    "99999999999999999999",
    "linear(",
    "é",
    "/dev/null",
    "kind",
]


@check("fuzz", slice=120, full=100_000, limit=WAIT)
def command_lines(seed: int) -> Outcome:
    """Command lines with words changed, dropped, repeated and moved."""
    rng = np.random.default_rng([seed, 35])
    words = [word.replace("{data}", str(small_table())) for word in GOOD[int(rng.integers(len(GOOD)))]]
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(len(words)))
        kind = int(rng.integers(5))
        if kind == 0:
            words[at] = ODD[int(rng.integers(len(ODD)))]
        elif kind == 1 and len(words) > 1:
            words.pop(at)
        elif kind == 2:
            words.insert(at, words[int(rng.integers(len(words)))])
        elif kind == 3:
            other = GOOD[int(rng.integers(len(GOOD)))]
            words.insert(at, other[int(rng.integers(len(other)))].replace("{data}", str(small_table())))
        else:
            odd = WORDS[int(rng.integers(len(WORDS)))].decode(errors="replace").replace("\0", "")
            words[at] = words[at][: int(rng.integers(len(words[at]) + 1))] + odd
    return ended([*words, "--quiet"], words)


def ended(words: list[str], about: object) -> Outcome:
    """Run the program: it must end with 0, 1 or 2 and without a panic, within the limit."""
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        out, errors = Path(folder) / ".out", Path(folder) / ".errors"
        with out.open("wb") as standard, errors.open("wb") as other:
            program = subprocess.Popen(
                [str(command()), *words], stdout=standard, stderr=other, cwd=folder, stdin=subprocess.DEVNULL
            )
            hang = watch(program)
        text = errors.read_bytes().decode(errors="replace")
    if hang:
        return Outcome(finding=f"{about!r}: {hang}")
    if "panicked" in text or program.returncode not in (0, 1, 2):
        return Outcome(finding=f"{about!r}: code {program.returncode}: {text[:400]}")
    if program.returncode and not text.strip():
        return Outcome(finding=f"{about!r}: code {program.returncode} without a message")
    return Outcome()


def watch(program: subprocess.Popen) -> str | None:
    """Wait for a program, and end it after HANG seconds of processor time, or without any for as long.

    The clock alone does not count: others may use the processor.
    """
    last, since = -1.0, time.monotonic()
    while True:
        try:
            program.wait(timeout=0.2)
            return None
        except subprocess.TimeoutExpired:
            used, now = processor_seconds(program.pid), time.monotonic()
        if used > last + 0.01:
            last, since = used, now
        if used > HANG or now - since > HANG:
            program.kill()
            program.wait()
            return f"hang: no end after {used:.0f} s of processor time, {now - since:.0f} s without any"


@cache
def small_table() -> Path:
    """Write a table of numbers and a category once for each process."""
    path = Path(tempfile.mkdtemp(prefix="trust-")) / "table.csv"
    rows = [f"{i * 0.1},{(i * 7) % 5},{i % 3},{'xy'[i % 2]}" for i in range(30)]
    path.write_text("a,b,y,kind\n" + "\n".join(rows) + "\n")
    return path


@cache
def memory_folder() -> str | None:
    """Return a folder in memory where the system has one."""
    return "/dev/shm" if Path("/dev/shm").is_dir() and shutil.disk_usage("/dev/shm").free > 1 << 26 else None
