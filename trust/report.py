"""One page of a run: counts, worst errors with their seeds, levels, findings."""

from __future__ import annotations

import html
import platform
from pathlib import Path

from trust.registry import SUITES, Check
from trust.state import Progress


def write(folder: Path, checks: dict[str, Check], progress: dict[str, Progress], about: dict[str, str]) -> int:
    """Write report.md and report.html, and return the number of checks that failed."""
    sections, failures = [], 0
    from trust.levels import approach

    for suite, title in SUITES.items():
        rows, findings = [], []
        for key, check in checks.items():
            if check.suite != suite or key not in progress or progress[key].next_seed == 0:
                continue
            row, found = line(check, progress[key])
            rows.append(row)
            findings += [(check.key, text) for text in found]
            failures += bool(found)
        if rows:
            sections.append((title, rows, findings, approach(progress) if suite == "levels" else []))
    cases = sum(p.next_seed for p in progress.values())
    head = {
        "cases": f"{cases:,}",
        "checks": str(sum(p.next_seed > 0 for p in progress.values())),
        "checks with findings": str(failures),
        "processor": f"{platform.machine()}, Python {platform.python_version()}",
        **about,
    }
    (folder / "report.md").write_text(markdown(head, sections), encoding="utf-8")
    (folder / "report.html").write_text(page(head, sections), encoding="utf-8")
    return failures


def line(check: Check, progress: Progress) -> tuple[list[str], list[str]]:
    """Return the row of a check, and its findings in words."""
    findings = [f"seed {f['seed']}: {f['finding']}" for f in progress.findings]
    extra = ""
    if check.judge is not None and progress.values:
        extra, wrong = check.judge(progress.values)
        findings += [wrong] if wrong else []
    elif progress.worst_bound > 0:
        extra = f"{progress.worst_error:.1e} of {progress.worst_bound:.0e} (seed {progress.worst_seed})"
    extra = "; ".join([extra, *progress.notes.values()]).strip("; ")
    count = f"{progress.next_seed:,}"
    return [
        check.name,
        check.about,
        count,
        str(progress.refused or ""),
        extra,
        "failed" if findings else "ok",
    ], findings


HEADER = ["check", "what", "cases", "refused", "worst error of its bound, or share of rejections", "result"]


def markdown(head: dict[str, str], sections: list) -> str:
    """Return the page in Markdown."""
    lines = ["# Trust report", "", *(f"- {name}: {value}" for name, value in head.items()), ""]
    lines += ["A case is repeated by `python -m trust --only CHECK --seed SEED`.", ""]
    for title, rows, findings, notes in sections:
        lines += [f"## {title}", "", f"| {' | '.join(HEADER)} |", "|---" * len(HEADER) + "|"]
        lines += ["| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |" for row in rows]
        lines += ["", *(f"- **{key}** {text}" for key, text in findings), *(f"- {note}" for note in notes), ""]
    return "\n".join(lines)


STYLE = (
    "body{font:15px/1.4 system-ui;margin:2em;max-width:80em}table{border-collapse:collapse}"
    "td,th{border:1px solid #ccc;padding:.2em .5em;text-align:left}tr.failed{background:#fdd}"
)


def page(head: dict[str, str], sections: list) -> str:
    """Return the page in HTML."""
    parts = [
        f"<!doctype html><meta charset=utf-8><title>Trust report</title><style>{STYLE}</style><h1>Trust report</h1><ul>"
    ]
    parts += [f"<li>{html.escape(name)}: {html.escape(value)}" for name, value in head.items()]
    parts.append("</ul>")
    for title, rows, findings, notes in sections:
        parts.append(f"<h2>{html.escape(title)}</h2><table><tr>" + "".join(f"<th>{html.escape(h)}" for h in HEADER))
        for row in rows:
            parts.append(f'<tr class="{row[-1]}">' + "".join(f"<td>{html.escape(cell)}" for cell in row))
        parts.append("</table><ul>")
        parts += [f"<li><b>{html.escape(key)}</b> {html.escape(text)}" for key, text in findings]
        parts += [f"<li>{html.escape(note)}" for note in notes]
        parts.append("</ul>")
    return "\n".join(parts)
