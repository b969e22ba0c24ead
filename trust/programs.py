"""The command-line program under test."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def command() -> Path:
    """Return the program: MERCER_COMMAND, or the last build of cargo."""
    if given := os.environ.get("MERCER_COMMAND"):
        return Path(given)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = [target / profile / "mercer" for profile in ("debug", "release")]
    existing = sorted((path for path in built if path.exists()), key=lambda path: path.stat().st_mtime)
    if existing:
        return existing[-1]
    installed = shutil.which("mercer")
    if installed:
        return Path(installed)
    raise FileNotFoundError("the program mercer is not built: cargo build --workspace --bin mercer")


def run(*words: str, timeout: float = 60.0, **more: object) -> subprocess.CompletedProcess:
    """Run the program with one thread."""
    return subprocess.run([str(command()), *words], capture_output=True, timeout=timeout, check=False, **more)  # type: ignore[call-overload]
