"""Every parameter, every fitted attribute and every answer is documented."""

import inspect
import re
import warnings

import numpy as np
import pytest
from helpers import ESTIMATORS

import mercer

rng = np.random.default_rng(4)
X = rng.uniform(size=(40, 2))
Y = np.sin(4 * X[:, 0])
LABELS = np.where(Y > 0.3, "up", "down")
#: Attributes that are there for some points, or for some values of the parameters, alone.
NAMED = {"feature_names_in_"}
SOMETIMES = {"KernelMachine": {"classes_"}, "KernelPCA": {"X_transformed_fit_", "dual_coef_"}}
SECTION = re.compile(r"^ *(\w[\w ]*)\n *-{3,} *$", re.MULTILINE)


def sections(doc):
    """The sections of a docstring by name."""
    doc = inspect.cleandoc(doc or "")
    found = list(SECTION.finditer(doc))
    ends = [*(match.start() for match in found[1:]), len(doc)][: len(found)]
    return {match[1]: doc[match.end() : end] for match, end in zip(found, ends, strict=True)}


def entries(section):
    """The names that a section documents: at the beginning of a line, several with commas between them."""
    lines = [line for line in section.splitlines() if line and not line.startswith(" ")]
    return {name.strip().lstrip("*") for line in lines for name in line.partition(" : ")[0].split(",")}


def fitted(name):
    """The estimator after a fit, with its defaults."""
    model = getattr(mercer, name)()
    x = X[:, 0] if name in ("SmoothingSpline", "LocalLinear") else X
    y = LABELS if getattr(model, "_estimator_type", None) == "classifier" or hasattr(model, "class_weight") else Y
    y = (
        LABELS
        if name
        in ("BinnedClassifier", "ConformalClassifier", "MultipleKernelClassifier", "StreamedKernelLogisticRegression")
        else y
    )
    with warnings.catch_warnings(action="ignore"):
        return model.fit(x, x, LABELS, LABELS) if name == "CoupledKernelEmbedding" else model.fit(x, y)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_parameters(name):
    kind = getattr(mercer, name)
    assert set(kind().get_params()) - entries(sections(kind.__doc__).get("Parameters", "")) == set()
    assert entries(sections(kind.__doc__)["Parameters"]) - set(kind().get_params()) == set()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_attributes(name):
    model = fitted(name)
    there = {n for n in vars(model) if n.endswith("_") and not n.startswith("_")}
    there |= {n for n in dir(type(model)) if n.endswith("_") and not n.startswith("_")}
    documented = entries(sections(type(model).__doc__).get("Attributes", ""))
    assert there - documented == set()
    assert {"n_features_in_", "feature_names_in_"} <= documented
    unknown = {n for n in documented if not hasattr(type(model), n)} - set(vars(model))
    assert unknown - NAMED - SOMETIMES.get(name, set()) == set()


def methods(kind):
    """The public methods that this package defines."""
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        if not name.startswith("_") and method.__module__.startswith("mercer."):
            yield name, method


@pytest.mark.parametrize("name", ESTIMATORS)
def test_methods(name):
    for method, function in methods(getattr(mercer, name)):
        found = sections(function.__doc__)
        takes = set(inspect.signature(function).parameters) - {"self"}
        assert takes - entries(found.get("Parameters", "")) == set(), f"{name}.{method}"
        assert "Returns" in found, f"{name}.{method}"


#: Compiled classes that stand in the examples of what returns them, and what is not defined here.
NO_EXAMPLE = {"Check", "Counterexample", "NotPositiveDefiniteError", "Repaired", "RidgeStream", "learners"}
NO_EXAMPLE |= {"ConvergenceWarning", "__version__"}

#: The functions of the package; those of kernels are documented by the catalogue.
FUNCTIONS = [
    name
    for name in mercer.__all__
    if inspect.isroutine(function := getattr(mercer, name)) and function.__module__ != "mercer"
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    function = getattr(mercer, name)
    found = sections(function.__doc__)
    assert entries(found.get("Parameters", "")) == set(inspect.signature(function).parameters)
    assert "Returns" in found
    assert "Examples" in found or name in NO_EXAMPLE


def test_everything_public_has_an_example():
    """`test_catalogue.py` runs them."""
    assert {name for name in mercer.__all__ if ">>>" not in (getattr(mercer, name).__doc__ or "")} == NO_EXAMPLE


@pytest.mark.parametrize("name", [n for n in mercer.__all__ if n.endswith("Display")])
def test_displays(name):
    kind = getattr(mercer, name)
    takes = set(inspect.signature(kind).parameters)
    assert entries(sections(kind.__doc__)["Parameters"]) == takes
    assert {"ax_", "figure_"} <= entries(sections(kind.__doc__)["Attributes"])
    for method, function in inspect.getmembers(kind, callable):
        if method.startswith("_"):
            continue
        found = sections(function.__doc__)
        missing = set(inspect.signature(function).parameters) - {"self", "cls"} - entries(found.get("Parameters", ""))
        assert missing == set(), f"{name}.{method}"
        assert "Returns" in found, f"{name}.{method}"


#: The compiled classes that are public.
COMPILED = [
    name
    for name in mercer.__all__
    if inspect.isclass(kind := getattr(mercer, name)) and kind.__module__ in ("mercer", "mercer._mercer")
]


def signature_of(kind):
    """What the constructor takes; nothing where there is none."""
    return set(inspect.signature(kind).parameters) if kind.__text_signature__ else set()


@pytest.mark.parametrize("name", [name for name in COMPILED if name != "NotPositiveDefiniteError"])
def test_compiled_classes(name):
    kind = getattr(mercer, name)
    assert entries(sections(kind.__doc__).get("Parameters", "")) == signature_of(kind)
    public = {name: member for name, member in vars(kind).items() if not name.startswith("_")}
    assert {name for name, member in public.items() if not getattr(kind, name).__doc__} == set()
    # What writes and reads bytes, and what is of no other class, says what it takes and gives.
    for method in public.keys() & {"to_bytes", "from_bytes"}:
        assert "Returns" in sections(getattr(kind, method).__doc__), f"{name}.{method}"


def test_what_a_stream_takes_and_gives():
    for method in ("update", "merge", "finish", "to_bytes", "from_bytes"):
        found = sections(getattr(mercer.RidgeStream, method).__doc__)
        takes = set(inspect.signature(getattr(mercer.RidgeStream, method)).parameters) - {"self"}
        assert entries(found.get("Parameters", "")) == takes, method
        assert "Returns" in found, method
