"""The reference of the command line, from the help of every command."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

HEADING = re.compile(r"^([A-Z][\w ,]*):$")
COMMON = "Common flags"


def write(folder: Path, binary: Path) -> list[object]:
    """Write the pages to ``folder/commands`` and return their navigation."""
    (folder / "commands").mkdir(exist_ok=True)
    top = sections(help_of(binary, []))
    rows, navigation = [], ["commands/index.md"]
    for name, meaning in commands(top):
        page = "\n".join(command(binary, [name]))
        (folder / "commands" / f"{name}.md").write_text(page, encoding="utf-8")
        rows.append(f"| [`mercer {name}`]({name}.md) | {meaning} |")
        navigation.append({f"mercer {name}": f"commands/{name}.md"})
    index = (
        "# Command-line reference\n\nMade from `mercer --help`; [the guide](../cli.md) has examples.\n\n"
        "| command | |\n|---|---|\n"
        + "\n".join(rows)
        + "\n\n## Common flags\n\nAll commands take them.\n\n"
        + flags(top.pop(COMMON))
        + "".join(f"\n## {title}\n\n{verbatim(top[title])}" for title in ("Data", "Exit codes") if title in top)
    )
    (folder / "commands" / "index.md").write_text(index, encoding="utf-8")
    return navigation


def help_of(binary: Path, words: list[str]) -> str:
    """The long help of a command."""
    done = subprocess.run(
        [binary, *words, "--help"],
        capture_output=True,
        check=True,
        encoding="utf-8",
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100"},
    )
    return done.stdout


def sections(text: str) -> dict[str, str]:
    """The parts of a help by their headings; the description has the empty one."""
    parts, title = {"": []}, ""
    for line in text.splitlines():
        match = HEADING.match(line)
        if match:
            title = match[1]
            parts[title] = []
        elif line.startswith("Usage: "):
            parts["Usage"] = [line.removeprefix("Usage: ")]
            title = "Usage"
        else:
            parts[title].append(line)
    return {title: "\n".join(lines).rstrip() for title, lines in parts.items()}


def commands(parts: dict[str, str]) -> list[tuple[str, str]]:
    """Names and meanings of the inner commands."""
    found: list[list[str]] = []
    for line in parts.get("Commands", "").splitlines():
        match = re.match(r"^  (\S+)\s{2,}(.*)$", line)
        if match:
            found.append([match[1], match[2]])
        elif line.strip():
            found[-1][1] += " " + line.strip()
    return [(name, meaning) for name, meaning in found if name != "help"]


def command(binary: Path, words: list[str]) -> list[str]:
    """The sections of a command and of those inside of it."""
    parts = sections(help_of(binary, words))
    out = [f"{'#' * min(len(words), 3)} mercer {' '.join(words)}\n", prose(parts[""])]
    out.append(f"```text\n{parts['Usage'].strip()}\n```\n")
    for title, content in parts.items():
        if title in ("", "Usage", "Commands", COMMON):
            continue
        if re.search(r"^\s+(-|<|\[)", content, re.MULTILINE) and title not in ("Examples", "Data formats"):
            listed = flags(content)
            if listed:
                out.append(f"**{title}**\n\n{listed}")
        else:
            out.append(f"**{title}**\n\n{verbatim(content)}")
    if len(words) == 1:
        out.append("The [common flags](index.md#common-flags) apply too.\n")
    for name, _ in commands(parts):
        out += command(binary, [*words, name])
    return out


def flags(content: str) -> str:
    """Flags and arguments with their meanings; help and version are everywhere the same."""
    out = []
    for item in re.split(r"\n(?=\s{2,6}[-<\[])", "\n" + content):
        head, _, meaning = item.strip("\n").partition("\n")
        if not head.strip() or re.search(r"--(help|version)\b", head):
            continue
        out.append(f"`{head.strip()}`\n:   {indented(meaning)}\n")
    return "\n".join(out)


def indented(meaning: str) -> str:
    """The paragraphs of a meaning; possible values become a list."""
    out = []
    for paragraph in re.split(r"\n\s*\n", meaning):
        lines = [line.strip() for line in paragraph.splitlines() if line.strip()]
        if lines and lines[0] == "Possible values:":
            values = re.split(r" - (?=[\w-]+(?::|$| -))", " " + " ".join(lines[1:]))
            out.append("Possible values:\n" + "".join(f"\n    - {value(v)}" for v in values if v.strip()))
        elif lines:
            out.append(escaped(" ".join(lines)))
    return "\n\n    ".join(out) or "—"


def value(text: str) -> str:
    """A possible value with its meaning."""
    name, colon, meaning = text.strip().partition(":")
    return f"`{name}`{colon} {escaped(meaning.strip())}"


def prose(text: str) -> str:
    """Paragraphs; indented ones are code."""
    out = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        lines = paragraph.splitlines()
        if any(line.startswith("  ") for line in lines):
            out.append(verbatim(paragraph).rstrip())
        else:
            out.append(escaped(" ".join(lines)))
    return "\n\n".join(out) + "\n"


def verbatim(text: str) -> str:
    """Text as it is."""
    return f"```text\n{text.strip(chr(10))}\n```\n"


def escaped(text: str) -> str:
    """Text whose stars, underscores and angle brackets stand for themselves."""
    return re.sub(r"([*_<\[\]])", r"\\\1", text)
