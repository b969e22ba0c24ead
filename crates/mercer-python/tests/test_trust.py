"""The harness itself: which build is under test, what a resumed run keeps, and that the checks can fail."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from trust import levels, programs, state  # noqa: E402
from trust.fuzz import drivers  # noqa: E402
from trust.registry import Outcome  # noqa: E402


@pytest.fixture
def builds(tmp_path, monkeypatch):
    """A folder with two builds, release first, and a module installed from one of them."""
    for number, profile in enumerate(("release", "debug")):
        folder = tmp_path / profile
        folder.mkdir()
        for name in ("mercer", "lib_mercer.so"):
            (folder / name).write_text(f"{profile} {name}")
            os.utime(folder / name, (number, number))
    monkeypatch.setenv("CARGO_TARGET_DIR", str(tmp_path))
    monkeypatch.delenv("MERCER_COMMAND", raising=False)
    module = tmp_path / "_mercer.abi3.so"
    monkeypatch.setattr("mercer._mercer.__file__", str(module))

    def install(profile):
        shutil.copyfile(tmp_path / profile / "lib_mercer.so", module)

    install("release")
    return tmp_path, install


def test_the_program_is_of_the_profile_of_the_module_and_not_the_newest(builds):
    folder, install = builds
    assert programs.command() == folder / "release" / "mercer"
    # `make test` in between: its program is newer.
    (folder / "debug" / "mercer").write_text("newer")
    assert programs.command() == folder / "release" / "mercer"
    install("debug")
    assert programs.command() == folder / "debug" / "mercer"
    (folder / "debug" / "mercer").unlink()
    with pytest.raises(FileNotFoundError, match="debug"):
        programs.command()


def test_a_build_in_between_loses_no_state(tmp_path):
    long_run = state.Store(tmp_path, "a" * 64)
    progress = state.Progress()
    progress.record(0, Outcome(), 0.1)
    long_run.save("levels.x", progress)
    assert state.Store(tmp_path, "b" * 64).load("levels.x").next_seed == 0
    assert state.Store(tmp_path, "a" * 64).load("levels.x").next_seed == 1
    # Only the builds that were used last stay.
    for number, name in enumerate("cdef"):
        marker = state.Store(tmp_path, name * 64).folder / "build"
        os.utime(marker, (2e9 + number, 2e9 + number))
    assert state.Store(tmp_path, "f" * 64).load("levels.x").next_seed == 0
    assert len(list(tmp_path.glob("*/build"))) == state.KEPT_BUILDS


def test_a_program_that_waits_or_computes_too_long_is_a_finding(monkeypatch):
    monkeypatch.setattr(drivers, "HANG", 1.0)
    for code in ("import time; time.sleep(60)", "while True: pass"):
        program = subprocess.Popen([sys.executable, "-c", code])
        assert drivers.watch(program).startswith("hang")
        assert program.poll() is not None
    program = subprocess.Popen([sys.executable, "-c", "print(1)"], stdout=subprocess.DEVNULL)
    assert drivers.watch(program) is None


def p_values(share, count=2000):
    """Bins of p-values: a share of them uniform up to 0.05, the others uniform above."""
    values = [0] * (levels.BINS + 1)
    for number in range(count):
        low = number < share * count
        first, last = (0, 0.05) if low else (0.05, 1)
        place = number / (share * count) if low else (number - share * count) / ((1 - share) * count)
        values[round(levels.BINS * (first + (last - first) * place))] += 1
    return values


def test_levels_are_judged_by_their_kind():
    exact, valid, below = (levels.judge(levels.Kind(word)) for word in ("exact", "valid", "conservative"))
    assert exact(p_values(0.05))[1] is None
    assert "at most" in valid(p_values(0.08))[1]
    # Both sides for an exact test, one for others.
    assert "at least" in exact(p_values(0.02))[1]
    assert valid(p_values(0.02))[1] is None
    # No more than the level itself, without a band.
    assert valid(p_values(0.055))[1] is None
    assert "at most" in below(p_values(0.055))[1]
    allowed = levels.judge(levels.Kind("approximate"), levels.Allowance({0.05: 0.07}, "reason"))
    text, wrong = allowed(p_values(0.07))
    assert wrong is None
    assert "0.07 is allowed at 0.05: reason" in text
    assert allowed(p_values(0.1))[1] is not None


def test_no_allowance_lets_twice_the_level_pass_unless_the_documentation_states_it():
    docs = (ROOT / "docs" / "hypothesis.md").read_text(encoding="utf-8")
    assert levels.ALLOWED
    for name, allowance in levels.ALLOWED.items():
        for at, share in allowance.shares.items():
            stated = f"| {name} | {share:g} at {at:g} |"
            assert stated in docs, f"{name}: {share} at {at} is not in docs/hypothesis.md"
            assert at == 0.01 or share < 2 * at, f"{name}: {share} at {at}"
