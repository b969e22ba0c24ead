"""What has been run: one small file per check, so that an interrupted run continues."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from trust.registry import Outcome

BINS = 1000
MOST_FINDINGS = 20
KEPT_BUILDS = 4


@dataclass
class Progress:
    """The counts of one check. Cases are run in the order of their seeds, so that `next_seed` says what is left."""

    next_seed: int = 0
    refused: int = 0
    failed: int = 0
    seconds: float = 0.0
    worst_ratio: float = 0.0
    worst_error: float = 0.0
    worst_bound: float = 0.0
    worst_seed: int | None = None
    values: list[int] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)
    refusals: dict[str, int] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    def record(self, seed: int, outcome: Outcome, seconds: float) -> None:
        """Add one case."""
        self.next_seed = seed + 1
        self.seconds += seconds
        if outcome.refusal is not None:
            self.refused += 1
            kind = outcome.refusal[:160]
            if kind in self.refusals or len(self.refusals) < 8:
                self.refusals[kind] = self.refusals.get(kind, 0) + 1
        if not outcome.ratio <= self.worst_ratio or self.worst_seed is None:
            self.worst_ratio, self.worst_error = outcome.ratio, outcome.error
            self.worst_bound, self.worst_seed = outcome.bound, seed
        if outcome.value is not None:
            self.values = self.values or [0] * (BINS + 1)
            self.values[round(BINS * outcome.value)] += 1
        if outcome.note is not None:
            self.notes[str(seed)] = outcome.note
        if outcome.failed:
            self.failed += 1
            if len(self.findings) < MOST_FINDINGS:
                said = outcome.finding or f"error {outcome.error:.3g} above its bound {outcome.bound:.3g}"
                self.findings.append({"seed": seed, "finding": said[:2000]})


class Store:
    """A folder of progress files for each build of the library.

    The state of another build stays: a build in between, such as that of ``make test``, does not lose a run of hours.
    Only the builds that were used last are kept.
    """

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self.folder = folder / fingerprint[:16]
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "build").write_text(fingerprint)
        builds = sorted(folder.glob("*/build"), key=lambda path: path.stat().st_mtime)
        for old in builds[:-KEPT_BUILDS]:
            shutil.rmtree(old.parent)

    def load(self, key: str) -> Progress:
        """Return the progress of a check; a fresh one if it has not been run."""
        path = self.folder / f"{key}.json"
        return Progress(**json.loads(path.read_text())) if path.exists() else Progress()

    def save(self, key: str, progress: Progress) -> None:
        """Replace the file of a check as a whole."""
        path = self.folder / f"{key}.json"
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(asdict(progress)))
        os.replace(fresh, path)


def fingerprint(files: list[Path]) -> str:
    """Return a digest of the compiled parts under test: results of another build do not count."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode())
        digest.update(path.read_bytes() if path.exists() else b"absent")
    return digest.hexdigest()
