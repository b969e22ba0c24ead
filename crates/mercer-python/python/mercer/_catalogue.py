"""A function for every entry of the catalogue, with signature and documentation, made when the module is imported."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from mercer._mercer import Kernel, catalogue

if TYPE_CHECKING:
    from mercer._mercer import Page, ParameterPage

_WORDS = {"true": True, "false": False}


@cache
def constructors() -> dict[str, Callable[..., Kernel]]:
    """Return the functions by name."""
    return {entry["name"]: _constructor(entry) for entry in catalogue()}


def _constructor(entry: Page) -> Callable[..., Kernel]:
    name, signature = entry["name"], signature_of(entry)
    unnamed = [p for p, e in zip(signature.parameters, entry["parameters"], strict=True) if not e["name"]]

    def construct(*args: Any, **kwargs: Any) -> Kernel:
        given = signature.bind(*args, **kwargs).arguments
        texts = [f"{key}={_text(value)}" for key, value in given.items() if key not in unnamed and value is not None]
        return Kernel(f"{name}({', '.join([_text(given[key]) for key in unnamed] + texts)})")

    construct.__name__ = construct.__qualname__ = name
    construct.__module__ = "mercer"
    construct.__doc__ = _document(entry, signature)
    construct.__signature__ = signature  # type: ignore[attr-defined]
    return construct


def signature_of(entry: Page) -> inspect.Signature:
    """Return the signature of an entry: unnamed arguments first, then the parameters with their defaults."""
    parameters = []
    for argument, name in zip(entry["parameters"], _names(entry), strict=True):
        default = _default(argument)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD if argument["name"] else inspect.Parameter.POSITIONAL_ONLY
        parameters.append(inspect.Parameter(name, kind, default=default))
    return inspect.Signature(parameters, return_annotation=Kernel)


def _names(entry: Page) -> list[str]:
    """Name the unnamed arguments after what they are, numbered if there are several of a kind."""
    kinds = [p["name"] or _noun(p["range"]) for p in entry["parameters"]]
    return [f"{kind}{kinds[: i + 1].count(kind)}" if kinds.count(kind) > 1 else kind for i, kind in enumerate(kinds)]


def _noun(range_: str) -> str:
    if range_ == "a kernel":
        return "kernel"
    return "columns" if "columns" in range_ else "coefficients"


def _default(argument: ParameterPage) -> Any:
    """Return the default as a Python value; an alternative to another parameter has the default None."""
    text = argument["default"]
    if text is None:
        return None if _is_optional(argument) else inspect.Parameter.empty
    if text in _WORDS:
        return _WORDS[text]
    try:
        number = float(Fraction(text))
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def _is_optional(argument: ParameterPage) -> bool:
    """Whether a parameter without a default may be left out."""
    return "instead of" in argument["meaning"] or argument["name"] in (
        "alphabet",
        "documents",
        "words",
        "counts",
        "nodes",
    )


def _text(value: Any) -> str:
    """Write a value as the kernel language writes it."""
    if isinstance(value, Kernel):
        return str(value)
    if isinstance(value, str):
        return value if is_text_of_language(value) else f'"{_escaped(value)}"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if hasattr(value, "tolist"):
        return _text(value.tolist())
    if isinstance(value, (list, tuple, range)):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, (int, float, Fraction)):
        return str(value)
    raise TypeError(f"expected a number, a list, a text or a mercer.Kernel, found {type(value).__name__}")


def is_text_of_language(value: str) -> bool:
    """Whether a text is a word, a number or a kernel of the language, and not to be quoted."""
    return bool(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*|[-+0-9./e ]+|.*\(.*\).*", value, flags=re.DOTALL))


def _escaped(value: str) -> str:
    """Write the characters that end a quoted text, or a line, as escapes."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return "".join(escapes.get(character, character) for character in value)


def _document(entry: Page, signature: inspect.Signature) -> str:
    head = f"``{entry['formula']}`` on {entry['domain']}."
    parts = [head, _fill(entry["theory"]), f"Cost: {entry['cost']}."]
    if entry["parameters"]:
        parts.append(_section("Parameters", _parameter_lines(entry, signature)))
    examples = [line for text in entry["examples"] for line in _example(text)]
    parts.append(_section("Examples", [">>> import mercer", *examples]))
    return "\n\n".join(parts) + "\n"


def _section(title: str, lines: list[str]) -> str:
    return "\n".join([title, "-" * len(title), *lines])


def _parameter_lines(entry: Page, signature: inspect.Signature) -> list[str]:
    lines = []
    for parameter, argument in zip(signature.parameters.values(), entry["parameters"], strict=True):
        given = parameter.default
        default = "" if given is inspect.Parameter.empty or given is None else f", default {given!r}"
        lines += [f"{parameter.name} : {argument['range']}{default}", f"    {argument['meaning']}"]
    return lines


def _example(text: str) -> list[str]:
    return [f">>> mercer.Kernel({text!r})", repr(Kernel(text))]


def _fill(text: str) -> str:
    return textwrap.fill(text, 100)
