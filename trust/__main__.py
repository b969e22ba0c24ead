"""The command ``python -m trust``."""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from fnmatch import fnmatch
from pathlib import Path

from trust import report
from trust.registry import CHECKS, SUITES, Check, load_all
from trust.runner import Runner, totals
from trust.state import Store, fingerprint
from trust.worker import run_case

ROOT = Path(__file__).resolve().parent.parent


def arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m trust", description=__doc__)
    parser.add_argument("--slice", action="store_true", help="the few cases of each check that are part of make test")
    parser.add_argument("--only", default="*", help="checks by pattern, such as 'levels.*' or 'numbers.SVC'")
    parser.add_argument("--cases", type=int, help="at most this many cases of every check")
    parser.add_argument("--hours", type=float, help="stop after this time; the next run continues")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="worker processes")
    parser.add_argument("--state", type=Path, help="folder of the state and the report")
    parser.add_argument("--seed", type=int, help="run one case of every selected check here, and print it")
    parser.add_argument("--list", action="store_true", help="print the checks")
    return parser.parse_args()


def selected(pattern: str) -> dict[str, Check]:
    """Return the checks that match a pattern."""
    return {key: check for key, check in load_all().items() if fnmatch(key, pattern)}


def compiled() -> list[Path]:
    """Return the files whose contents decide which build is under test."""
    from mercer import _mercer
    from trust.programs import command

    return [Path(_mercer.__file__), command()]


def one_case(checks: dict[str, Check], seed: int) -> int:
    """Run one seed in this process, and print what happens."""
    warnings.simplefilter("ignore")
    failed = 0
    for key, check in checks.items():
        outcome = run_case(check.run, seed)
        failed += outcome.failed
        print(key, outcome)
    return min(failed, 1)


def main() -> int:
    """Run the selected checks, write the report, and return 1 for findings."""
    options = arguments()
    checks = selected(options.only)
    if options.list:
        for check in checks.values():
            print(f"{check.key:60} {check.slice:7} {check.full:9} {check.about}")
        return 0
    if not checks:
        print(f"no check matches {options.only!r}; the suites are {', '.join(SUITES)}", file=sys.stderr)
        return 1
    if options.seed is not None:
        return one_case(checks, options.seed)
    folder = options.state or ROOT / "target" / ("trust-slice" if options.slice else "trust")
    store = Store(folder, fingerprint(compiled()))
    targets = {key: check.slice if options.slice else check.full for key, check in checks.items()}
    if options.cases is not None:
        targets = {key: min(count, options.cases) for key, count in targets.items()}
    started = time.monotonic()
    runner = Runner(store, {key: count for key, count in targets.items() if count}, CHECKS, options.jobs)
    deadline = started + 3600 * options.hours if options.hours else float("inf")
    complete = False
    try:
        complete = runner.run(deadline)
    except KeyboardInterrupt:
        print("interrupted: the same command continues", file=sys.stderr)
    seconds = time.monotonic() - started
    progress = {key: store.load(key) for key in CHECKS}
    kept = sum(p.seconds for p in progress.values())
    about = {
        "run": f"{'complete' if complete else 'unfinished'}, the last part {seconds:.0f} s, all cases {kept:.0f} s",
        "build": fingerprint(compiled())[:16],
    }
    failures = report.write(folder, CHECKS, progress, about)
    cases, failed = totals(progress)
    print(f"{cases:,} cases of {len(targets)} checks, {failed} failed cases, {failures} checks with findings")
    print(f"{folder / 'report.md'} ({seconds:.0f} s)")
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
