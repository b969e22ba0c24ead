"""The outcome of a diagnosis: facts and findings, as text and as a table."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape

_MARKS = {"ok": "✓", "note": "·", "warning": "!"}
_COLORS = {"ok": "#009E73", "note": "#0072B2", "warning": "#D55E00"}


@dataclass(frozen=True)
class Finding:
    """One finding of a diagnosis.

    Attributes
    ----------
    level : {"ok", "note", "warning"}
        Whether something is wrong.
    topic : str
        What it is about, such as ``"leverage"``.
    text : str
        What was found.
    advice : str
        What to do, empty where nothing is to be done.

    Examples
    --------
    >>> import mercer
    >>> print(mercer.Finding("warning", "coverage", "the 95 % intervals cover 60 %", "check the noise"))
    ! coverage: the 95 % intervals cover 60 % (check the noise)
    """

    level: str
    topic: str
    text: str
    advice: str = ""

    def __str__(self) -> str:
        advice = f" ({self.advice})" if self.advice else ""
        return f"{_MARKS[self.level]} {self.topic}: {self.text}{advice}"


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis:
    """What `diagnose` found: facts about the fit, and findings.

    Attributes
    ----------
    model : str
        The class of the estimator.
    facts : dict of str to str
        Numbers of the fit, by name.
    findings : list of Finding
        Warnings first, then notes, then what is in order.
    warnings : list of Finding
        Those of level ``"warning"``.
    ok : bool
        Whether there is no warning.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> x = np.linspace(0, 6, 60)[:, None]
    >>> y = np.sin(x[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=60)
    >>> found = mercer.KernelRidge(0.1, kernel="gaussian()").fit(x, y).diagnose()
    >>> found.ok, found.facts["rows"]
    (True, '60')
    """

    model: str
    facts: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def warnings(self) -> list[Finding]:
        """The findings that are warnings."""
        return [finding for finding in self.findings if finding.level == "warning"]

    @property
    def ok(self) -> bool:
        """Whether there is no warning."""
        return not self.warnings

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def _headline(self) -> str:
        count = len(self.warnings)
        return f"{self.model}: " + ("nothing wrong was found" if not count else f"{count} warning{'s' * (count > 1)}")

    def __str__(self) -> str:
        wide = max((len(name) for name in self.facts), default=0)
        facts = [f"  {name:<{wide}}  {value}" for name, value in self.facts.items()]
        findings = [
            textwrap.fill(str(finding), 110, initial_indent="  ", subsequent_indent="    ") for finding in self.findings
        ]
        return "\n".join([self._headline(), *facts, *findings])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        left = "style='text-align:left;vertical-align:top'"
        facts = "".join(
            f"<tr><th {left}>{escape(name)}</th><td {left}>{escape(value)}</td></tr>"
            for name, value in self.facts.items()
        )
        findings = "".join(
            f"<tr><td style='color:{_COLORS[f.level]};font-weight:bold'>{_MARKS[f.level]}</td>"
            f"<th {left}>{escape(f.topic)}</th><td {left}>{escape(f.text)}"
            f"{f'<br><i>{escape(f.advice)}</i>' if f.advice else ''}</td></tr>"
            for f in self.findings
        )
        return f"<p><b>{escape(self._headline())}</b></p><table>{facts}</table><table>{findings}</table>"
