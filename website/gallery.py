"""Run every example of ``examples/gallery`` and check its picture.

    python website/gallery.py [NAME …] [--mercer target/debug/mercer] [--output target/gallery] [--limit SECONDS]

The limit is of processor time: a busy machine does not make the examples longer.

An example is a Python or shell script that writes ``NAME.png`` to the current folder and a few lines to standard
output. Both are kept in the output folder, where ``build.py`` finds them. Examples run in forked children of a process
that has imported the packages, two at a time.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import multiprocessing
import os
import resource
import runpy
import shutil
import subprocess
import sys
import time
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples" / "gallery"
SECTIONS = {
    "kernels": "Kernels",
    "regression": "Regression",
    "classification": "Classification",
    "objects": "Text, graphs and distributions",
    "views": "Without labels",
    "tests": "Hypothesis tests",
    "scale": "Large data",
    "displays": "Displays",
}
PRELOADED = ["matplotlib.pyplot", "pandas", "scipy.optimize", "sklearn.model_selection", "mercer"]


@dataclass(frozen=True)
class Example:
    """A script of the gallery."""

    path: Path

    @property
    def section(self) -> str:
        """The name of its folder."""
        return self.path.parent.name

    @property
    def name(self) -> str:
        """Section and stem, which name its output folder and its page."""
        return f"{self.section}/{self.path.stem}"

    @property
    def language(self) -> str:
        """The language of the script for highlighting."""
        return {".py": "python", ".sh": "sh"}[self.path.suffix]

    def parts(self) -> tuple[str, str, str]:
        """Title, description and code."""
        text = self.path.read_text(encoding="utf-8")
        if self.language == "python":
            _, header, code = text.split('"""', 2)
        else:
            lines = text.splitlines()
            count = next(i for i, line in enumerate(lines) if not line.startswith("#"))
            header = "\n".join(line.removeprefix("#").strip() for line in lines[:count])
            code = "\n".join(lines[count:])
        title, _, description = header.strip().partition("\n")
        return title.strip().rstrip("."), " ".join(description.split()), code.strip() + "\n"


def examples(names: list[str] | None = None) -> list[Example]:
    """All examples in the order of the sections, or those whose name contains one of the words."""
    found = [
        Example(path)
        for section in SECTIONS
        for path in sorted((EXAMPLES / section).iterdir())
        if path.suffix in (".py", ".sh")
    ]
    return [e for e in found if not names or any(word in e.name for word in names)]


def picture(example: Example, output: Path) -> Path:
    """Where the picture of an example is after a run."""
    return output / example.name / f"{example.path.stem}.png"


def work(job: tuple[Example, Path, Path]) -> tuple[Example, float, str | None]:
    """Run one example in this process: its seconds, and the error if it failed."""
    example, output, binary = job
    folder = output / example.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.chdir(folder)
    start = time.perf_counter()
    try:
        run_shell(example, binary) if example.language == "sh" else run_python(example)
        check_picture(picture(example, output))
        if not (folder / "output.txt").read_text(encoding="utf-8").strip():
            raise ValueError("it prints nothing")
        error = None
    except (Exception, SystemExit):
        error = traceback.format_exc()
    return example, time.perf_counter() - start, error


def run_python(example: Example) -> None:
    """Run a Python script; a warning is an error."""
    warnings.simplefilter("error")
    with open("output.txt", "w", encoding="utf-8") as out, contextlib.redirect_stdout(out):
        runpy.run_path(str(example.path), run_name="__main__")


def run_shell(example: Example, binary: Path) -> None:
    """Run a shell script with the command on the path."""
    environment = {
        **os.environ,
        "DATA": str(ROOT / "examples" / "data"),
        "PATH": f"{binary.parent}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        ["sh", "-eu", example.path], capture_output=True, text=True, encoding="utf-8", env=environment, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    data = str(ROOT / "examples" / "data")
    Path("output.txt").write_text(done.stdout.replace(data, "examples/data"), encoding="utf-8")


def check_picture(path: Path) -> None:
    """Raise if there is no picture, or one of a single color."""
    image = importlib.import_module("matplotlib.image").imread(path)
    if min(image.shape[:2]) < 200 or image[..., :3].std() < 0.01:
        raise ValueError(f"{path.name} is empty")


def main() -> None:
    """Run the examples, print their times, and fail if one failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--mercer", type=Path, default=ROOT / "target" / "debug" / "mercer")
    parser.add_argument("--output", type=Path, default=ROOT / "target" / "gallery")
    parser.add_argument("--limit", type=float, help="fail beyond this many seconds of processor time")
    words = parser.parse_args()
    os.environ.setdefault("MPLBACKEND", "Agg")
    os.environ["MATPLOTLIBRC"] = str(EXAMPLES)
    for name in PRELOADED:
        importlib.import_module(name)
    jobs = [(example, words.output.resolve(), words.mercer.resolve()) for example in examples(words.names)]
    start, failed = time.perf_counter(), 0
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        for example, seconds, error in pool.imap_unordered(work, jobs, chunksize=1):
            print(f"{seconds:6.1f} s  {example.name}{'  FAILED' if error else ''}", flush=True)
            if error:
                failed += 1
                print(error, file=sys.stderr)
        pool.close()
        pool.join()
    total, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = used.ru_utime + used.ru_stime
    print(f"{total:6.1f} s  {len(jobs)} examples, {failed} failed; {processor:.1f} s of processor time")
    if words.limit and processor > words.limit:
        print(f"the gallery took more than {words.limit:g} s of processor time", file=sys.stderr)
        failed += 1
    sys.exit(1 if failed or not jobs else 0)


if __name__ == "__main__":
    main()
