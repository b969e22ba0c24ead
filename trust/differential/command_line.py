"""The command line against Python: the same numbers, from files that Python wrote."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import mercer
from trust.compare import all_of, distance
from trust.data import generator, kernel, points, target
from trust.programs import run
from trust.registry import Outcome, check


@check("differential", slice=10, full=2_000, limit=60.0)
def predictions(seed: int) -> Outcome:
    """A model fitted and used on the command line against the same in Python."""
    rng = generator(seed)
    n, d = int(rng.integers(5, 60)), int(rng.integers(1, 4))
    x = points(rng, n, d)
    y = target(rng, x)
    text, alpha = kernel(rng, x), float(10 ** rng.uniform(-3, 1))
    with tempfile.TemporaryDirectory() as folder:
        data, model, out = (str(Path(folder) / name) for name in ("data.csv", "m.safetensors", "out.csv"))
        pd.DataFrame(np.column_stack([x, y]), columns=[*(f"x{i}" for i in range(d)), "y"]).to_csv(data, index=False)
        fit = ["fit", "ridge", data, "--target", "y", "--kernel", text, "--lambda", repr(alpha), "--scale", "none"]
        done = run(*fit, "--intercept", "-o", model, "--quiet")
        done = done if done.returncode else run("predict", model, data, "-o", out, "--quiet")
        if done.returncode:
            return Outcome(finding=done.stderr.decode()[:300])
        found = pd.read_csv(out)["prediction"].to_numpy()
        loaded = mercer.load(model).predict(pd.read_csv(data).drop(columns="y"))
    expected = mercer.KernelRidge(alpha, kernel=text, fit_intercept=True).fit(x, y).predict(x)
    scale = float(np.abs(y).max())
    return all_of(Outcome(distance(found, expected, scale), 1e-9), Outcome(distance(loaded, found, scale), 1e-12))


@check("differential", slice=15, full=3_000, limit=60.0)
def tables(seed: int) -> Outcome:
    """CSV files with quotes, line ends and missing values against what Python's csv module wrote."""
    rng = generator(seed)
    rows, missing = int(rng.integers(1, 20)), rng.random(20)
    numbers = rng.normal(size=rows) * 10.0 ** rng.integers(-200, 200, size=rows)
    texts = ["".join(rng.choice(list("abc ,;\"\n'é"), size=int(rng.integers(1, 8)))) for _ in range(rows)]
    texts = [text.strip() or "z" for text in texts]
    text = io.StringIO()
    ends = "\r\n" if rng.random() < 0.5 else "\n"
    writer = csv.writer(text, lineterminator=ends)
    writer.writerow(["number", "word"])
    for i in range(rows):
        writer.writerow(["" if missing[i] < 0.2 and rows > 1 else repr(float(numbers[i])), f"w{texts[i]}"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_bytes(text.getvalue().encode())
        done = run("data", "describe", str(path), "--json")
    if done.returncode:
        return Outcome(finding=f"{text.getvalue()[:200]!r}: {done.stderr.decode()[:200]}")
    report = json.loads(done.stdout)
    kept = numbers[[not (missing[i] < 0.2 and rows > 1) for i in range(rows)]]
    return described(report, rows, kept)


def described(report: dict, rows: int, kept: np.ndarray) -> Outcome:
    """Compare the description of a table with its numbers."""
    if report["rows"] != rows:
        return Outcome(finding=f"{report['rows']} rows instead of {rows}")
    column = next(c for c in report["columns"] if c["name"] == "number")
    if len(kept) == 0:
        return Outcome()
    pairs = [(column[name], value) for name, value in (("min", kept.min()), ("max", kept.max())) if name in column]
    return Outcome(finding=None if all(a == b for a, b in pairs) else f"{pairs}: numbers do not read back")
