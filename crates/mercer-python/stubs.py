"""Print `__init__.pyi`, with a typed function for every entry of the catalogue, or `_mercer.pyi`.

Run it as `python crates/mercer-python/stubs.py > crates/mercer-python/python/mercer/__init__.pyi`, and as
`python crates/mercer-python/stubs.py module > crates/mercer-python/python/mercer/_mercer.pyi`: the types of the
compiled module come from its declarations in Rust.
"""

import inspect
import sys

from declarations import Writer

import mercer
from mercer import _mercer
from mercer._catalogue import signature_of

MODULE = """\
# Made by stubs.py from the compiled module and its declarations in Rust; a test keeps it up to date.
import os
from collections.abc import Sequence
from typing import Any, TypedDict, Unpack, final

import numpy as np
from numpy.typing import NDArray

__version__: str

class Options(TypedDict, total=False):
    n_jobs: int | None
    max_memory: int | str
    verbose: bool
    random_state: int | np.random.Generator | np.random.RandomState | None
    single: bool
    timed: bool
    max_time: float | None

class ParameterPage(TypedDict):
    name: str
    default: str | None
    range: str
    meaning: str

class Page(TypedDict):
    name: str
    family: str
    formula: str
    domain: str
    parameters: list[ParameterPage]
    theory: str
    cost: str
    examples: list[str]

"""

HEAD = """\
# Made by stubs.py from the catalogue; a test keeps it up to date.
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning as ConvergenceWarning

{imports}
__version__: str
__all__: list[str]

_Kernel: TypeAlias = Kernel | str
_Number: TypeAlias = float | Fraction | str
_Numbers: TypeAlias = Sequence[float] | NDArray[Any]
_Lengths: TypeAlias = _Number | _Numbers
_Columns: TypeAlias = Sequence[int | str] | NDArray[Any]
_Points: TypeAlias = Sequence[Sequence[float]] | NDArray[Any]
"""


def imports():
    """Write an import of every public name that has a module."""
    public = [name for name in mercer.__all__ if not name.startswith("_")]
    made = {entry["name"] for entry in mercer.catalogue()}
    homes = {name: mercer._ESTIMATORS.get(name) or _home(name) for name in public if name not in made}
    lines = [(home, name) for name, home in homes.items() if home.startswith("mercer")]

    # The order of the import sorter: constants, classes, functions.
    def order(line):
        name = line[1]
        return line[0], 0 if name.isupper() else 1 if name[0].isupper() else 2, name

    return "".join(f"from {home} import {name} as {name}\n" for home, name in sorted(lines, key=order))


def _home(name):
    """Give the module in which a name of the package is defined."""
    value = getattr(mercer, name)
    module = getattr(value, "__module__", None) or "mercer._mercer"
    return module if module.startswith("mercer._") else "mercer._mercer"


def annotation(argument):
    """Give the type of a parameter from the range that the catalogue states."""
    allowed, default = argument["range"], argument["default"]
    if allowed == "a kernel":
        return "_Kernel"
    if "columns" in allowed and "list of" in allowed:
        return "_Columns"
    if "points" in allowed:
        return "_Points"
    if argument["name"] in ("by", "alphabet"):
        return "str"
    if argument["name"] == "words":
        return "Sequence[str]"
    if default in ("true", "false"):
        return "bool"
    if default is not None and default.isidentifier():
        return "str"
    if "list" in allowed or "[" in allowed:
        return "_Lengths" if "> 0" in allowed else "_Numbers | str"
    return "_Number"


def literal(value):
    """Write a default with the quotes of the formatter."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def stub(entry):
    """Write the function of an entry."""
    parts = []
    for parameter, argument in zip(signature_of(entry).parameters.values(), entry["parameters"], strict=True):
        kind, default = annotation(argument), parameter.default
        optional = f"{kind} | None = None" if default is None else f"{kind} = {literal(default)}"
        parts.append(f"{parameter.name}: {kind if default is inspect.Parameter.empty else optional}")
    unnamed = sum(not argument["name"] for argument in entry["parameters"])
    if unnamed:
        parts.insert(unnamed, "/")
    line = f"def {entry['name']}({', '.join(parts)}) -> Kernel: ..."
    if len(line) > 120:
        listed = "".join(f"    {part},\n" for part in parts)
        line = f"def {entry['name']}(\n{listed}) -> Kernel: ..."
    return line + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["module"]:
        print(MODULE + Writer(_mercer).module_text(), end="")
        sys.exit()
    print(HEAD.replace("{imports}", imports()) + "\n" + "".join(map(stub, mercer.catalogue())), end="")
