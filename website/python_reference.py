"""The reference of the Python package, from its docstrings."""

from __future__ import annotations

import inspect
import re
import textwrap
import warnings
from pathlib import Path
from typing import Any

import mercer

GROUPS = {
    "kernels": ("Kernels", "Kernel Check Counterexample Repaired repair catalogue NotPositiveDefiniteError"),
    "functions": ("Functions of an RKHS", "Function Spectrum"),
    "regression": (
        "Regression",
        "KernelRidge KernelRidgeCV GaussianProcessRegressor SmoothingSpline NadarayaWatson LocalLinear SVR NuSVR "
        "MultipleKernelRegressor ConformalRegressor auto",
    ),
    "classification": (
        "Classification",
        "SVC SVCCV NuSVC OneClassSVM KernelLogisticRegression KernelMachine MultipleKernelClassifier "
        "MultipleKernelOneClass ConformalClassifier",
    ),
    "displays": (
        "Displays",
        "FunctionDisplay EffectsDisplay ResidualsDisplay InfluenceDisplay CalibrationDisplay ScoreSurfaceDisplay "
        "BoundaryDisplay EmbeddingDisplay SignalsDisplay KernelWeightsDisplay GramDisplay SpectrumDisplay NullDisplay "
        "WitnessDisplay CounterexampleDisplay Diagnosis Finding",
    ),
    "views": (
        "Without labels",
        "KernelPCA KernelKMeans SpectralClustering KernelCCA KernelICA CoupledKernelEmbedding ClassicalScaling "
        "amari_distance hsic_contrast kcc_contrast kgv_contrast negentropy_contrast",
    ),
    "tests": (
        "Hypothesis tests",
        "two_sample_test independence_test joint_independence_test conditional_independence_test interaction_test "
        "goodness_of_fit_test column_tests SequentialTwoSampleTest TestResult",
    ),
    "measures": (
        "Measures",
        "MeanEmbedding LawEmbedding EmbeddingSketch mmd mmd_witness hsic normalized_hsic dhsic lancaster "
        "distance_covariance distance_correlation energy_distance stein_discrepancy wasserstein",
    ),
    "features": (
        "Features and large data",
        "RandomFourierFeatures RandomBinningFeatures Nystroem EmpiricalKernelMap ExplicitFeatures fourier_bound "
        "fourier_components binning_bound BinnedRegressor BinnedClassifier StreamedKernelRidge RidgeStream "
        "RidgeStatistics MeanStatistics CovarianceStatistics",
    ),
    "points": ("Strings, graphs and bags", "Bags Graphs Diagrams read_fasta"),
    "models": (
        "Models and files",
        "save load from_sklearn from_libsvm to_onnx export_onnx export_libsvm learners BorderWarning "
        "ConvergenceWarning",
    ),
}
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
LISTS = {"Parameters", "Attributes", "Returns", "Yields", "Raises", "Other Parameters"}


def write(folder: Path) -> list[object]:
    """Write the pages to ``folder/python`` and return their navigation."""
    (folder / "python").mkdir(exist_ok=True)
    pages = groups()
    for name, (title, names) in pages.items():
        text = f"# {title}\n\n" + "\n".join(entry(n) for n in names)
        (folder / "python" / f"{name}.md").write_text(text, encoding="utf-8")
    rows = [
        f"| [{title}]({name}.md) | {' '.join(link(name, n) for n in names)} |" for name, (title, names) in pages.items()
    ]
    index = (
        "# Python reference\n\nMade from the docstrings of `mercer` "
        f"{mercer.__version__}; [the guide](../python.md) has the conventions that all of them share.\n\n"
        "| page | names |\n|---|---|\n" + "\n".join(rows) + "\n"
    )
    (folder / "python" / "index.md").write_text(index, encoding="utf-8")
    return ["python/index.md", *({title: f"python/{name}.md"} for name, (title, _) in pages.items())]


def groups() -> dict[str, tuple[str, list[str]]]:
    """Title and names of every page; names that no group has are on a page of their own, so that none is left out."""
    public = [name for name in mercer.__all__ if name != "__version__"]
    constructors = sorted(page["name"] for page in mercer.catalogue() if page["name"] in public)
    pages = {name: (title, [n for n in names.split() if n in public]) for name, (title, names) in GROUPS.items()}
    pages["constructors"] = ("Functions that make kernels", constructors)
    named = {name for _, names in pages.values() for name in names}
    rest = sorted(set(public) - named)
    if rest:
        pages["more"] = ("More", rest)
    return pages


def link(page: str, name: str) -> str:
    """A link to the entry of a name."""
    return f"[`{name}`]({page}.md#{name.lower()})"


def entry(name: str) -> str:
    """The section of a class or function."""
    with warnings.catch_warnings(action="ignore"):
        thing = getattr(mercer, name)
    parts = [f"## {name}\n", block(f"mercer.{name}{signature(thing)}"), body(thing)]
    if inspect.isclass(thing):
        parts += [method(name, member, value) for member, value in members(thing)]
    return "\n".join(parts)


def members(cls: type) -> list[tuple[str, Any]]:
    """Public methods and properties of the class and of its bases in this package, in alphabetical order."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("mercer"):
            found.update({n: v for n, v in vars(base).items() if not n.startswith("_") and documented(v)})
    return sorted(found.items())


def documented(value: Any) -> bool:
    """Whether something is a method or property with a docstring."""
    kinds = (staticmethod, classmethod, property)
    return bool(inspect.getdoc(value)) and (
        callable(value) or isinstance(value, kinds) or inspect.isdatadescriptor(value)
    )


def method(owner: str, name: str, value: Any) -> str:
    """The part of a method or property."""
    inner = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
    words = (
        signature(inner)
        .replace("(self, /, ", "(")
        .replace("(self, ", "(")
        .replace("(self)", "()")
        .replace("(self, /)", "()")
    )
    return (
        f"### {owner}.{name}\n\n" + (block(f"{name}{words}") + "\n" if callable(inner) else "") + body(value, level=5)
    )


def signature(thing: Any) -> str:
    """The signature, without annotations: types are in the docstring."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values()]
    return str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def folded(text: str) -> str:
    """A call in lines of at most 90 columns."""
    head, opening, rest = text.partition("(")
    lines = textwrap.wrap(rest, 84, break_long_words=False, break_on_hyphens=False) if opening else []
    if len(text) <= 90 or not lines:
        return text
    return "\n".join([f"{head}(", *(f"    {line}" for line in lines)])


def block(text: str) -> str:
    """A line of code."""
    return f"```python\n{folded(text)}\n```\n"


def body(thing: Any, level: int = 3) -> str:
    """The docstring in Markdown."""
    text = inspect.getdoc(thing) or ""
    pieces = SECTION.split(text)
    out = [prose(pieces[0])]
    for title, content in zip(pieces[1::2], pieces[2::2], strict=True):
        out.append(f"**{title}**\n")
        if title in LISTS:
            out.append(definitions(content))
        elif title == "Examples":
            out.append(f"```pycon\n{content.strip()}\n```\n")
        else:
            out.append(prose(content))
    return "\n".join(out)


def prose(text: str) -> str:
    """Paragraphs: sessions become code, signs that Markdown would read are escaped."""
    out = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if paragraph.lstrip().startswith(">>>"):
            out.append(f"```pycon\n{inspect.cleandoc(paragraph)}\n```")
        else:
            out.append(escaped(paragraph))
    return "\n\n".join(out) + "\n"


def escaped(text: str) -> str:
    """Text whose signs stand for themselves, but for those in code and around a stressed word."""
    pieces = re.split(r"(``.+?``|`[^`]+`|(?<!\S)\*\w+\*)", text, flags=re.DOTALL)
    return "".join(
        p if p.startswith(("`", "*")) and p.endswith(("`", "*")) else re.sub(r"([*_<|])", r"\\\1", p) for p in pieces
    )


def definitions(content: str) -> str:
    """A list of names with their types and meanings."""
    out = []
    for item in re.split(r"\n(?=\S)", content.strip("\n")):
        head, _, meaning = item.partition("\n")
        name, colon, kind = head.partition(" : ")
        name, typed = name.removesuffix(" :"), f" : {escaped(kind)}" if kind.strip() else ""
        meaning = escaped(inspect.cleandoc(meaning)).replace("\n\n", "\n\n    ") or "—"
        term = f"`{name}`" if colon or re.fullmatch(r"[\w*, ]+", name) else escaped(name)
        out.append(f"{term}{typed}\n:   " + " ".join(meaning.split("\n")) + "\n")
    return "\n".join(out)
