"""The commands and Python sessions of README.md and of the guides run, and print what the pages have."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
BINARY = Path(os.environ.get("MERCER_BINARY", ROOT / "target" / "debug" / "mercer"))
PAGES = [
    ROOT / "README.md",
    ROOT / "docs" / "index.md",
    ROOT / "docs" / "start.md",
    *sorted((ROOT / "docs" / "howto").glob("*.md")),
]
BLOCK = re.compile(r"^( *)```(console|python)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


def blocks(page):
    """Language and text of every block of code, without its indentation."""
    for indent, language, body in BLOCK.findall(page.read_text(encoding="utf-8")):
        yield language, "\n".join(line.removeprefix(indent) for line in body.splitlines()) + "\n"


def run_console(text):
    """Run every command after ``$``; its output contains the lines that follow it, in their order."""
    environment = {**os.environ, "PATH": f"{BINARY.parent}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        last = next(i for i, line in enumerate(lines) if not line.endswith("\\"))
        command, expected = "\n".join(lines[: last + 1]), lines[last + 1 :]
        done = subprocess.run(
            ["sh", "-c", command], capture_output=True, encoding="utf-8", env=environment, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        printed = iter([line.rstrip() for line in done.stdout.splitlines()])
        for line in expected:
            if line.strip() not in ("", "…"):
                assert line.rstrip() in printed, f"{command} does not print {line!r}:\n{done.stdout}"


def run_python(text, names, page):
    """Run a session and compare what it prints, or run plain code."""
    if ">>>" not in text:
        exec(compile(text, str(page), "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
    report = []
    # Names go from block to block.
    doctest.DocTestRunner().run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    assert not report, "".join(report)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page, tmp_path, monkeypatch):
    if not BINARY.exists():
        pytest.skip("the command line is not built: cargo build --workspace --bin mercer")
    if sys.platform == "win32":
        pytest.skip("the commands are for a POSIX shell")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    names, count = {}, 0
    for language, text in blocks(page):
        if language == "console":
            run_console(text)
        else:
            run_python(text, names, page)
        count += 1
    assert count or page.stem == "index"
