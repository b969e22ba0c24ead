"""The types of the compiled module, from its declarations in Rust.

The compiled module gives the names, the parameters and their defaults; the functions of ``src/`` their types.
"""

import inspect
import re
from pathlib import Path

SOURCES = Path(__file__).parent / "src"

_NUMBERS = {"usize": "int", "u64": "int", "i64": "int", "u32": "int", "i32": "int", "u8": "int", "f64": "float"}
_NAMES = {
    "bool": "bool",
    "str": "str",
    "String": "str",
    "OsString": "str",
    "PathBuf": "str | os.PathLike[str]",
    "PyAny": "Any",
    "PyDict": "dict[str, Any]",
    "PyList": "list[Any]",
    "PyTuple": "tuple[Any, ...]",
    "PyBytes": "bytes",
    "PyType": "type",
    "Whole": "int",
    "Real": "float",
    **_NUMBERS,
}
_ELEMENTS = {"f64": "np.float64", "f32": "np.float32", "bool": "np.bool_", "i64": "np.int64", "i32": "np.int32"}
_ELEMENTS |= {"usize": "np.uintp", "u32": "np.uint32"}
#: Results whose dicts have a type of their own.
_RESULTS = {"catalogue": "list[Page]"}
_WRAPPERS = ("PyResult", "Bound", "Py", "PyRef", "Box", "Arc")


def split(text: str) -> list[str]:
    """Return the parts of a list of parameters or types."""
    depth, parts = 0, [""]
    for before, character in zip(" " + text, text, strict=False):
        depth += (character in "<([") - (character in "])" or (character == ">" and before != "-"))
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


class Declarations:
    """The classes and functions of the sources, by their names in Python."""

    def __init__(self) -> None:
        """Read the sources."""
        self.classes: dict[str, str] = {}
        self.aliases: dict[str, str] = {}
        self.functions: dict[tuple[str, str], tuple[dict[str, str], str]] = {}
        texts = [re.sub(r"//[^\n]*", "", path.read_text()) for path in sorted(SOURCES.glob("*.rs"))]
        for text in texts:
            for found in re.finditer(r"#\[pyclass\((.*?)\)\]\s*(?:#\[.*?\]\s*)*pub struct (\w+)", text, re.DOTALL):
                name = re.search(r'name = "(\w+)"', found[1])
                self.classes[found[2]] = name[1] if name else found[2]
            for found in re.finditer(r"type (\w+)(?:<[^=]*>)? =\s*([^;]+);", text):
                self.aliases[found[1]] = found[2]
        for text in texts:
            self._read(text)

    def _read(self, text: str) -> None:
        owners = [(m.start(), m[1]) for m in re.finditer(r"\nimpl (\w+)(?:<[^>]*>)? \{", text)]
        pattern = r"\n( *)(?:pub(?:\(crate\))? )?fn (\w+)(?:<[^>]*>)?\("
        for found in re.finditer(pattern, text):
            end = self._closing(text, found.end())
            after = re.match(r"\s*(?:->\s*(.*?))?\s*\{", text[end + 1 :], re.DOTALL)
            owner = next((name for at, name in reversed(owners) if at < found.start()), "") if found[1] else ""
            pairs = (part.split(":", 1) for part in split(text[found.end() : end]) if ":" in part)
            types = {name.replace("mut ", "").strip(): kind.strip() for name, kind in pairs}
            result = after[1].strip() if after and after[1] else "()"
            self.functions[(self.classes.get(owner, owner), found[2])] = (types, result)

    @staticmethod
    def _closing(text: str, start: int) -> int:
        depth = 1
        for at in range(start, len(text)):
            depth += (text[at] == "(") - (text[at] == ")")
            if depth == 0:
                return at
        raise ValueError("a declaration has no end")

    def python(self, rust: str, owner: str, *, given: bool) -> str:
        """Return the type of Python for one of Rust; ``given`` for a parameter, which may be any sequence."""
        rust = re.sub(r"&(?:'\w+ )?(?:mut )?|\b(?:\w+::)+", "", rust.strip()).strip()
        if rust in ("Self", "()", "") or rust.startswith("impl "):
            return {"Self": owner, "()": "None"}.get(rust, "Any")
        if rust.startswith("("):
            return f"tuple[{', '.join(self.python(part, owner, given=given) for part in split(rust[1:-1]))}]"
        if rust.startswith("["):
            return "bytes" if rust == "[u8]" else self._list(rust[1:-1], owner, given)
        name, _, rest = rust.partition("<")
        inner = [part for part in split(rest[:-1]) if not part.startswith("'")] if rest else []
        if name in _WRAPPERS and inner:
            return self.python(inner[-1], owner, given=given)
        if name == "Option":
            kind = self.python(inner[0], owner, given=given)
            return kind if kind == "Any" else f"{kind} | None"
        if name == "Vec":
            return self._list(inner[0], owner, given)
        if name.startswith("PyArray"):
            return f"NDArray[{_ELEMENTS.get(inner[0], 'Any')}]"
        if name in self.aliases:
            return self.python(self.aliases[name], owner, given=given)
        return _NAMES.get(name) or self.classes.get(name, "Any")

    def _list(self, item: str, owner: str, given: bool) -> str:
        return f"{'Sequence' if given else 'list'}[{self.python(item, owner, given=given)}]"


def _default(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


class Writer:
    """Writes the stub of a module."""

    def __init__(self, module: object) -> None:
        """Write the stub of this module."""
        self.module, self.known = module, Declarations()

    def function(self, name: str, value: object, owner: str = "", indent: str = "") -> str:
        """Write a function or a method."""
        types, result = self.known.functions.get((owner, "new" if name == "__new__" else name), ({}, "PyAny"))
        try:
            signature = inspect.signature(value)
        except ValueError:
            signature = inspect.Signature([])
        parts, kinds = [], inspect.Parameter
        state = None
        for at, parameter in enumerate(signature.parameters.values()):
            if state is kinds.POSITIONAL_ONLY and parameter.kind is not state:
                parts.append("/")
            if parameter.kind is kinds.KEYWORD_ONLY and state not in (kinds.KEYWORD_ONLY, kinds.VAR_POSITIONAL):
                parts.append("*")
            state = parameter.kind
            if owner and at == 0 and parameter.name in ("self", "cls"):
                parts.append(parameter.name)
                continue
            parts.append(self._parameter(parameter, types, owner))
        if state is kinds.POSITIONAL_ONLY and parts:
            parts.append("/")
        # A slash behind nothing but ``self`` is not needed.
        if owner and parts[1:2] == ["/"]:
            parts.pop(1)
        kind = _RESULTS.get(name) if not owner else None
        return _line(indent, name, parts, kind or self.known.python(result, owner, given=False))

    def _parameter(self, parameter: inspect.Parameter, types: dict[str, str], owner: str) -> str:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            return f"**{parameter.name}: Unpack[Options]"
        kind = self.known.python(types.get(parameter.name, "PyAny"), owner, given=True)
        star = "*" if parameter.kind is inspect.Parameter.VAR_POSITIONAL else ""
        if parameter.default is inspect.Parameter.empty:
            return f"{star}{parameter.name}: {kind}"
        if parameter.default is None and kind != "Any" and "None" not in kind:
            kind += " | None"
        return f"{parameter.name}: {kind} = {_default(parameter.default)}"

    def kind(self, name: str, value: type) -> str:
        """Write a class: its constructor, its methods and its properties."""
        lines = []
        if value.__new__ is not object.__new__ and value.__text_signature__:
            lines.append(self._constructor(name, value))
        # Methods before properties, each by name: their order in the module is not fixed.
        members = sorted(vars(value).items(), key=lambda item: (inspect.isgetsetdescriptor(item[1]), item[0]))
        for attribute, member in members:
            lines += self._member(name, attribute, member)
        base = value.__base__.__name__
        head = f"class {name}:" if base == "object" else f"class {name}({base}):"
        return f"@final\n{head}\n" + ("".join(lines) or "    ...\n")

    def _constructor(self, name: str, value: type) -> str:
        types, _ = self.known.functions.get((name, "new"), ({}, ""))
        given = inspect.signature(value).parameters.values()
        parts, keyword = ["cls"], False
        for parameter in given:
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not keyword:
                parts.append("*")
                keyword = True
            parts.append(self._parameter(parameter, types, name))
        return _line("    ", "__new__", parts, name)

    def _member(self, owner: str, name: str, member: object) -> list[str]:
        if name in ("__new__", "__doc__", "__module__", "__reduce__", "__repr__", "__str__", "__richcmp__"):
            return []
        known = (owner, name) in self.known.functions
        if inspect.isgetsetdescriptor(member):
            _, result = self.known.functions.get((owner, name), ({}, "PyAny"))
            kind = self.known.python(result, owner, given=False)
            return [f"    @property\n    def {name}(self) -> {kind}: ...\n"]
        if isinstance(member, staticmethod):
            return ["    @staticmethod\n" + self.function(name, member.__func__, owner, "    ")]
        if type(member).__name__ == "classmethod_descriptor" or isinstance(member, classmethod):
            bound = getattr(getattr(self.module, owner), name)
            return ["    @classmethod\n" + self.function(name, bound, owner, "    ")]
        if name in ("__eq__", "__hash__", "__len__"):
            result = {"__eq__": "bool", "__hash__": "int", "__len__": "int"}[name]
            parts = ["self", "other: object", "/"] if name == "__eq__" else ["self"]
            return [_line("    ", name, parts, result)] if member is not None else []
        if not callable(member) or (name.startswith("__") and not known):
            return []
        return [self.function(name, member, owner, "    ")]

    def module_text(self) -> str:
        """Write all classes and functions, each in the order of their names."""
        names = sorted(vars(self.module))
        classes = [name for name in names if inspect.isclass(getattr(self.module, name))]
        functions = [name for name in names if callable(getattr(self.module, name)) and name not in classes]
        parts = []
        for name in classes:
            value = getattr(self.module, name)
            if issubclass(value, Exception):
                parts.append(f"class {name}({value.__base__.__name__}):\n    counterexample: Counterexample | None\n")
            else:
                parts.append(self.kind(name, value))
        return "\n".join(parts) + "\n" + "".join(self.function(name, getattr(self.module, name)) for name in functions)


def _line(indent: str, name: str, parts: list[str], result: str) -> str:
    line = f"{indent}def {name}({', '.join(parts)}) -> {result}: ...\n"
    if len(line) <= 121:
        return line
    one = f"{indent}def {name}(\n{indent}    {', '.join(parts)}\n{indent}) -> {result}: ...\n"
    if len(one.split("\n")[1]) <= 120:
        return one
    listed = "".join(f"{indent}    {part},\n" for part in parts)
    return f"{indent}def {name}(\n{listed}{indent}) -> {result}: ...\n"
