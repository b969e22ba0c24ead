"""A plugin of pytest: our classes stand in, and every test is sorted by what became of it and why."""

from __future__ import annotations

import importlib
import json
import os
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

#: Kinds of reasons: tests that are not run, and tests that fail because our difference is better.
LEFT_OUT, BETTER = ("sparse", "private", "absent"), "better"


def load(name: str) -> Any:
    """Give the module of a suite."""
    return importlib.import_module(f"sklearn_suite.suites.{name}")


def reasons(name: str) -> dict[str, tuple[str, str]]:
    """Give a kind and a reason for every pattern of test names."""
    table = tomllib.loads((Path(__file__).parent / "reasons.toml").read_text())
    return {pattern: (line[0], line[1]) for pattern, line in table.get(name, {}).items()}


class Suite:
    """The run of one file."""

    def __init__(self, name: str) -> None:
        self.reasons = reasons(name)
        self.left_out: dict[str, tuple[str, str]] = {}
        self.touched: set[str] = set()
        self.outcomes: dict[str, tuple[str, str]] = {}
        self.current = ""
        self.used: set[str] = set()

    def note_uses(self) -> None:
        """Note which tests make an object of ours: only those count."""
        from mercer._estimator import Estimator

        def new(kind: type, *_: Any, **__: Any) -> Any:
            self.touched.add(self.current)
            return object.__new__(kind)

        Estimator.__new__ = staticmethod(new)

    def reason(self, test: str) -> tuple[str, str] | None:
        """Give the line of a test, if it has one."""
        for pattern, line in self.reasons.items():
            if fnmatchcase(test, pattern.replace("[", "[[]")):
                self.used.add(pattern)
                return line
        return None

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out the tests whose line marks them so."""
        kept = []
        for item in items:
            line = self.reason(item.name)
            if line is not None and line[0] in LEFT_OUT:
                self.left_out[item.name] = line
            else:
                kept.append(item)
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Know which test runs."""
        self.current = item.name
        result = yield
        self.current = ""
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what became of a test, and in which words it failed."""
        name = report.nodeid.partition("::")[2]
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            self.outcomes[name] = ("failed", " ".join(str(crash.message if crash else report.longrepr).split())[:200])
        elif report.when == "call" or report.skipped:
            self.outcomes.setdefault(name, (report.outcome, ""))

    def summary(self) -> dict[str, Any]:
        """Give the counts, and every test that matters by name."""
        ours = {name: found for name, found in self.outcomes.items() if name in self.touched}
        failed = {name: words for name, (outcome, words) in ours.items() if outcome == "failed"}
        explained = {name: self.reason(name)[1] for name in failed if self.reason(name) is not None}
        passed = [name for name, (outcome, _) in ours.items() if outcome == "passed"]
        return {
            "ours": len(passed) + len(failed),
            "passed": len(passed),
            "explained": explained,
            "unexplained": {name: words for name, words in failed.items() if name not in explained},
            # A line for a test that passes, or for none, is a lie.
            "stale": [name for name in passed if self.reason(name) is not None] + sorted(set(self.reasons) - self.used),
            "left_out": self.left_out,
        }


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options: which suite runs, and where its summary goes."""
    parser.addoption("--suite", required=True)
    parser.addoption("--summary", required=True)


def pytest_configure(config: pytest.Config) -> None:
    """Replace their classes by ours, before any test file is read."""
    name = config.getoption("suite")
    suite = Suite(name)
    suite.note_uses()
    load(name).stand_in()
    config.pluginmanager.register(suite, "sklearn-suite")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Write the summary."""
    suite = config.pluginmanager.get_plugin("sklearn-suite")
    if suite is not None:
        Path(os.fspath(config.getoption("summary"))).write_text(json.dumps(suite.summary()))
