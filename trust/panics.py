"""What can panic, what is unsafe, and what is depended on: counted, so that new ones are seen.

`panics.json` lists how often each file of the library and its two interfaces uses a construct that panics; the reason
stands in the message of every `expect`. Indexing is not counted: there are thousands of places, and the fuzzers and the
number checks look for those that fail. Miri needs a nightly toolchain and is not run.
"""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections import Counter
from pathlib import Path

from trust.programs import ROOT
from trust.registry import Outcome, check

ALLOWED = Path(__file__).with_name("panics.json")
CONSTRUCTS = {
    "unwrap": re.compile(r"\.unwrap\(\)"),
    "expect": re.compile(r"\.expect\((?!')"),
    "panic": re.compile(r"\bpanic!\("),
    "unreachable": re.compile(r"\bunreachable!\("),
    "todo": re.compile(r"\b(todo|unimplemented)!\("),
    "assert": re.compile(r"\bassert(_eq|_ne)?!\("),
}
TEST_MODULE = re.compile(r"#\[cfg\(test\)\]\n(?:pub\(crate\) )?mod (\w+);")
UNSAFE = "crates/mercer/src/gram/simd/"


def sources() -> list[Path]:
    """Return the files of the crates without those of tests."""
    found = sorted((ROOT / "crates").glob("*/src/**/*.rs"))
    return [path for path in found if "tests" not in path.parts and not is_test(path)]


def is_test(path: Path) -> bool:
    """Whether a file is a module that is compiled for tests alone."""
    above = [path.parent / name for name in ("mod.rs", "lib.rs", "main.rs")]
    modules = [name for file in above if file.exists() for name in TEST_MODULE.findall(file.read_text("utf-8"))]
    return path.name == "tests.rs" or path.stem in modules


def code(path: Path) -> list[str]:
    """Return the lines of a file without comments and without its tests."""
    text = path.read_text(encoding="utf-8").split("#[cfg(test)]\nmod tests {")[0]
    return [line for line in text.splitlines() if not line.lstrip().startswith("//")]


def counted() -> dict[str, dict[str, int]]:
    """Return how often each file uses each construct."""
    found = {}
    for path in sources():
        counts: Counter[str] = Counter()
        for line in code(path):
            counts.update({name: len(pattern.findall(line)) for name, pattern in CONSTRUCTS.items()})
        kept = {name: count for name, count in counts.items() if count}
        if kept:
            found[path.relative_to(ROOT).as_posix()] = kept
    return found


@check("panics", slice=1, full=1)
def constructs(seed: int) -> Outcome:
    """No new `unwrap`, `expect`, `panic!`, `unreachable!`, `assert!` in library code."""
    allowed = json.loads(ALLOWED.read_text())
    wrong = []
    for path, counts in counted().items():
        for name, count in counts.items():
            most = allowed.get(path, {}).get(name, 0)
            if count > most:
                wrong.append(f"{path}: {count} of `{name}`, {most} allowed")
    total = sum(sum(counts.values()) for counts in counted().values())
    advice = "; return an error; where it cannot fail, state why and count it (python -m trust.panics)"
    return Outcome(
        finding="; ".join(wrong) + advice if wrong else None, note=f"{total} places in {len(counted())} files"
    )


@check("panics", slice=1, full=1)
def reasons(seed: int) -> Outcome:
    """Every `expect` has a message that states why it cannot fail."""
    wrong = []
    for path in sources():
        text = "\n".join(code(path))
        for match in re.finditer(r"\.expect\(\s*([^)'\s][^\n]*)", text):
            if not re.match(r'"[^"]{8,}|[A-Z_]{3,}\)', match.group(1)):
                wrong.append(f"{path.relative_to(ROOT)}: {match.group(0)[:80]}")
    return Outcome(finding="; ".join(wrong[:10]) if wrong else None)


@check("panics", slice=1, full=1)
def unsafe_code(seed: int) -> Outcome:
    """`unsafe` only where documented: the folder of vector instructions, and Python's and the system's interfaces."""
    allowed = json.loads(ALLOWED.read_text()).get("unsafe", {})
    wrong, places = [], 0
    for path in sources():
        name = path.relative_to(ROOT).as_posix()
        count = sum(len(re.findall(r"\bunsafe\b", line)) for line in code(path))
        places += count
        if count and not name.startswith(UNSAFE) and count > allowed.get(name, 0):
            wrong.append(f"{name}: {count} times")
    return Outcome(finding="; ".join(wrong) if wrong else None, note=f"{places} places")


@check("panics", slice=1, full=1, limit=120.0)
def licenses(seed: int) -> Outcome:
    """Every dependency has a license of the list in deny.toml, and no registry but the default one."""
    known = set(tomllib.loads((ROOT / "deny.toml").read_text())["licenses"]["allow"])
    words = ["cargo", "metadata", "--format-version", "1", "--offline", "--locked"]
    done = subprocess.run(words, capture_output=True, check=False, cwd=ROOT)
    if done.returncode:
        return Outcome(finding=f"cargo metadata: {done.stderr.decode()[:300]}")
    wrong = []
    for package in json.loads(done.stdout)["packages"]:
        license = package["license"] or ""
        choices = [set(re.split(r" AND |\(|\)", part)) - {"", " "} for part in re.split(r" OR |/", license)]
        if not any({p.strip(" ()") for p in parts} <= known for parts in choices):
            wrong.append(f"{package['name']}: {license}")
    return Outcome(finding="; ".join(wrong) if wrong else None)


def update() -> None:
    """Write the present counts as the allowed ones."""
    unsafe = {}
    for path in sources():
        name = path.relative_to(ROOT).as_posix()
        count = sum(len(re.findall(r"\bunsafe\b", line)) for line in code(path))
        if count and not name.startswith(UNSAFE):
            unsafe[name] = count
    ALLOWED.write_text(json.dumps({**counted(), "unsafe": unsafe}, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    update()
