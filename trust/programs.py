"""The command-line program under test."""

from __future__ import annotations

import filecmp
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PROFILES = ("release", "debug")
LIBRARIES = ("lib_mercer.so", "lib_mercer.dylib", "_mercer.dll")


def target() -> Path:
    """Return the folder of builds."""
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def profile_of(module: Path) -> str | None:
    """Return the profile whose library is installed as the module: release by `make trust`, debug by `make test`."""
    for profile in PROFILES:
        for name in LIBRARIES:
            built = target() / profile / name
            if built.exists() and filecmp.cmp(built, module, shallow=False):
                return profile
    return None


def command() -> Path:
    """Return the program: MERCER_COMMAND, or that of the profile of the installed module.

    The time of a build does not count: another profile that is compiled during a run of hours is not under test.
    """
    if given := os.environ.get("MERCER_COMMAND"):
        return Path(given)
    from mercer import _mercer

    profile = profile_of(Path(_mercer.__file__))
    for name in (profile,) if profile else PROFILES:
        built = target() / name / "mercer"
        if built.exists():
            return built
    installed = shutil.which("mercer")
    if installed and not profile:
        return Path(installed)
    raise FileNotFoundError(f"the program mercer is not built ({profile or 'any profile'}): cargo build --workspace")


def run(*words: str, timeout: float = 60.0, **more: object) -> subprocess.CompletedProcess:
    """Run the program with one thread."""
    return subprocess.run([str(command()), *words], capture_output=True, timeout=timeout, check=False, **more)  # type: ignore[call-overload]


def stated_single_error(text: str, x: np.ndarray) -> float:
    """Return the bound on the error of single precision that the library states for a kernel on these points."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "points.npy"
        np.save(path, np.asarray(x, dtype=float))
        done = run("kernel", "gram", text, str(path), "--single", "--json", "--quiet")
    if done.returncode:
        raise ValueError(done.stderr.decode(errors="replace"))
    return float(json.loads(done.stdout)["single_error"])
