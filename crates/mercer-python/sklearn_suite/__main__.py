"""Run scikit-learn's test files on Mercer's classes, print counts and reasons, and fail where a failure has none.

``python -m sklearn_suite [suite …] [--page docs/python.md] [-k expression]``
"""

from __future__ import annotations

import argparse
import json
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from sklearn_suite import suites
from sklearn_suite.plugin import load

#: Tests that scikit-learn leaves out unless they are requested.
_ALL = {"SKLEARN_RUN_FLOAT32_TESTS": "1", "SCIPY_ARRAY_API": "1"}
_MARKS = ("<!-- sklearn-suite begins -->", "<!-- sklearn-suite ends -->")


def run(name: str, expression: str | None) -> dict[str, Any]:
    """Run one file in a process of its own: the classes that stand in must not meet another file."""
    with tempfile.TemporaryDirectory() as folder:
        summary = Path(folder) / "summary.json"
        command = [sys.executable, "-m", "pytest", "-p", "sklearn_suite.plugin", "--suite", name]
        command += ["--summary", str(summary), "-c", os.devnull, "-p", "no:cacheprovider", "-q", "--tb=no", "-rN"]
        command += ["--pyargs", load(name).FILE, *(["-k", expression] if expression else [])]
        path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(command, env={**os.environ, **_ALL, "PYTHONPATH": path}, capture_output=True, text=True)
        if not summary.exists():
            raise SystemExit(f"{name}: pytest did not run\n{done.stdout}\n{done.stderr}")
        return json.loads(summary.read_text())


def tables(results: dict[str, dict[str, Any]]) -> str:
    """Give the counts and the reasons as two tables."""
    lines = ["| test file | tests of our classes | pass | differ on purpose | not run |", "|---|---|---|---|---|"]
    for name, found in results.items():
        kinds = [kind for kind, _ in found["left_out"].values()]
        counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds))) or "none"
        file = load(name).FILE.rpartition(".")[2]
        lines.append(f"| `{file}.py` | {found['ours']} | {found['passed']} | {len(found['explained'])} | {counts} |")
    lines += ["", "| test that differs on purpose | why |", "|---|---|"]
    for found in results.values():
        groups: dict[tuple[str, str], int] = {}
        for test, reason in found["explained"].items():
            key = (test.partition("[")[0], reason)
            groups[key] = groups.get(key, 0) + 1
        lines += [f"| `{test}`{f' ({n})' if n > 1 else ''} | {reason} |" for (test, reason), n in groups.items()]
    return "\n".join(lines)


def write(page: Path, text: str) -> None:
    """Put the tables between their marks on a page."""
    begin, end = (re.escape(mark) for mark in _MARKS)
    old = page.read_text()
    new = re.sub(f"{begin}.*{end}", lambda _: f"{_MARKS[0]}\n{text}\n{_MARKS[1]}", old, flags=re.DOTALL)
    if new == old and text not in old:
        raise SystemExit(f"{page} has no place for the tables: {_MARKS[0]} … {_MARKS[1]}")
    page.write_text(new)


def main() -> int:
    """Run what is requested; the exit code is 1 where a test fails without a reason, or a reason is out of date."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = sorted(module.name for module in pkgutil.iter_modules(suites.__path__))
    parser.add_argument("suite", nargs="*", choices=[[], *names], default=[])
    parser.add_argument("--page", type=Path)
    parser.add_argument("-k", dest="expression")
    given = parser.parse_args()
    results = {name: run(name, given.expression) for name in given.suite or names}
    print(tables(results))
    wrong = 0
    for name, found in results.items():
        for test, words in found["unexplained"].items():
            print(f"FAILED {name}::{test}: {words}")
        stale = [] if given.expression else found["stale"]
        for test in stale:
            print(f"OUT OF DATE {name}::{test}: it has a line in reasons.toml, but passes or does not exist")
        wrong += len(found["unexplained"]) + len(stale)
    if given.page is not None and not wrong:
        write(given.page, tables(results))
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
