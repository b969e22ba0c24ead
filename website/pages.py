"""Pages of Markdown: their links, and what the site needs changed in them."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

FENCE = re.compile(r"^\s*(```+|~~~+)")
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\(([^()\s]+)((?:\s+\"[^\"]*\")?)\)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")


def outside_of_code(text: str) -> Iterator[tuple[bool, str]]:
    """Every line with whether it is prose (not inside of a fence)."""
    fence = None
    for line in text.splitlines():
        mark = FENCE.match(line)
        if fence is None and mark:
            fence = mark[1]
            yield False, line
        elif fence is not None:
            if mark and line.strip() == fence:
                fence = None
            yield False, line
        else:
            yield True, line


def parts(text: str) -> list[tuple[bool, str]]:
    """Prose and code in turn: the words of a link may go over the end of a line."""
    groups = itertools.groupby(outside_of_code(text), key=lambda pair: pair[0])
    return [(prose, "\n".join(line for _, line in lines)) for prose, lines in groups]


def links(text: str) -> list[str]:
    """The targets of all links and pictures."""
    # Code may be part of the words of a link.
    bare = (re.sub(r"``.+?``|`[^`]*`", "", part) for prose, part in parts(text) if prose)
    return [match[2] for part in bare for match in LINK.finditer(part)]


def anchors(text: str) -> set[str]:
    """The anchors of the headings, by the rule of common renderers."""
    found: dict[str, int] = {}
    names = set()
    for prose, line in outside_of_code(text):
        match = HEADING.match(line) if prose else None
        if match:
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match[1]).replace("`", "").lower()
            slug = re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")
            count = found.get(slug, 0)
            found[slug] = count + 1
            names.add(slug if count == 0 else f"{slug}-{count}")
    return names


def with_links(text: str, change: Callable[[str], str | None]) -> str:
    """The text with every link target changed; None for a target leaves the words without the link."""

    def replaced(match: re.Match[str]) -> str:
        target = change(match[2])
        if target is None:
            return match[1].removeprefix("!")[1:-1]
        return f"{match[1]}({target}{match[3]})"

    return "\n".join(LINK.sub(replaced, part) if prose else part for prose, part in parts(text)) + "\n"


def for_the_site(text: str) -> str:
    """Code blocks without the lines that only tests need: hidden lines of Rust, blank lines at the end of sessions."""

    def block(match: re.Match[str]) -> str:
        indent, language, body = match[1], match[2], match[3]
        lines = body.splitlines()
        if language.startswith("rust"):
            lines = [line for line in lines if not re.match(r"\s*#( |$)", line)]
            language = "rust"
        if language == "python" and any(line.lstrip().startswith(">>>") for line in lines):
            language = "pycon"
        while lines and not lines[-1].strip():
            lines.pop()
        return "\n".join([f"{indent}```{language}", *lines, f"{indent}```"])

    return re.sub(r"^([ ]*)```([\w,+]*)\n(.*?)^\1```$", block, text, flags=re.MULTILINE | re.DOTALL)


def relative(target: Path, page: Path) -> str:
    """The link from one page to another file, both relative to the same folder."""
    return Path(os.path.relpath(target, page.parent)).as_posix()
