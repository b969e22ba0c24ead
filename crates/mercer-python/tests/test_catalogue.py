"""A function, a page and a stub for every entry of the catalogue."""

import doctest
import inspect
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import mercer

ENTRIES = {entry["name"]: entry for entry in mercer.catalogue()}
PACKAGE = Path(mercer.__file__).parent


def test_pages_are_complete():
    assert len(ENTRIES) >= 37
    for entry in ENTRIES.values():
        keys = {"name", "family", "formula", "domain", "parameters", "theory", "cost", "examples"}
        assert set(entry) == keys
        assert len(entry["examples"]) >= 2


@pytest.mark.parametrize("name", ENTRIES)
def test_every_entry_has_a_documented_function(name):
    function = getattr(mercer, name)
    assert name in mercer.__all__
    assert function.__name__ == name
    assert ENTRIES[name]["formula"] in function.__doc__
    assert len(inspect.signature(function).parameters) == len(ENTRIES[name]["parameters"])


@pytest.mark.parametrize("name", ENTRIES)
def test_functions_build_what_the_text_builds(name):
    """Each example is built again through the functions of the module, by evaluating its text as Python."""
    names = {entry: getattr(mercer, entry) for entry in ENTRIES}
    words = {word: word for word in ["l1", "l2", "monomials", "cosines", "hermite", "median", "geometric", "logarithm"]}
    words |= {word: word for word in ["counts", "tfidf"]}
    calls = {word: word for word in ["column", "norm", "quadratic", "log1p", "sqrt", "square", "abs", "unit", "matrix"]}
    for text in ENTRIES[name]["examples"]:
        if any(f"by={call}(" in text for call in [*calls, "gaussian"]):
            continue
        source = text.replace("^", "**").replace("series=exponential", "series='exponential'")
        built = eval(source, {}, names | words | {"true": True, "false": False, "cosh": "cosh", "sinh": "sinh"})
        assert built == mercer.Kernel(text)


def test_arguments_as_python_values():
    same = {
        "gaussian(lengthscale=2)": mercer.gaussian(2),
        "gaussian(gamma=0.5)": mercer.gaussian(gamma=0.5),
        "gaussian(lengthscale=[1, 2])": mercer.gaussian(lengthscale=np.array([1.0, 2.0])),
        "matern(nu=3/2)": mercer.matern(nu=Fraction(3, 2)),
        "sobolev(order=2, null_space=false)": mercer.sobolev(order=2, null_space=False),
        "on([0, 1], linear())": mercer.on(range(2), "linear()"),
        "series([1, 0.5], linear())": mercer.series([1, 0.5], mercer.linear()),
        "conformal(gaussian(), by=column(0))": mercer.conformal(mercer.gaussian(), by="column(0)"),
        "schoenberg(sqdist(), t=1)": mercer.schoenberg(mercer.sqdist()),
        "based(sqdist(), at=[0, 0])": mercer.based(mercer.sqdist(), at=[0, 0]),
        "minus(linear(), 0.5*linear())": mercer.minus(mercer.linear(), 0.5 * mercer.linear()),
        "periodic(period=1e-05)": mercer.periodic(period=1e-5),
    }
    for text, kernel in same.items():
        assert kernel == mercer.Kernel(text), text


def test_wrong_arguments():
    with pytest.raises(TypeError, match="unexpected keyword argument 'width'"):
        mercer.gaussian(width=1)
    with pytest.raises(TypeError, match="missing a required"):
        mercer.on([0])
    with pytest.raises(TypeError, match="expected a number, a list, a text or a mercer.Kernel, found dict"):
        mercer.gaussian(lengthscale={})
    with pytest.raises(ValueError, match="lengthscale = 0 is not allowed: it must be finite and positive"):
        mercer.gaussian(lengthscale=0)
    with pytest.raises(ValueError, match="gaussian"):
        mercer.gaussian(lengthscale=float("nan"))


def test_signatures_show_defaults():
    assert str(inspect.signature(mercer.polynomial)).startswith("(degree=3, offset=1, scale=1)")
    assert str(inspect.signature(mercer.matern)).startswith("(nu=1.5, lengthscale=1)")
    assert str(inspect.signature(mercer.on)).startswith("(columns, kernel, /)")


def test_examples_in_the_documentation():
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    tests = [t for t in finder.find(mercer, "mercer") if t.examples]
    for name in ENTRIES:
        tests += [t for t in finder.find(getattr(mercer, name), name, globs={"mercer": mercer}) if t.examples]
    assert len(tests) >= len(ENTRIES) + 10
    for test in tests:
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_examples_of_the_estimators():
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    for name in mercer._ESTIMATORS:
        if getattr(mercer, name).__module__.startswith("mercer"):
            tests = [t for t in finder.find(getattr(mercer, name), name) if t.examples]
            assert tests, f"{name} has no example"
            for test in tests:
                runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("page", ["crates/mercer-python/README.md", "docs/python.md", "docs/pictures.md"])
def test_examples_on_the_pages(page):
    found = doctest.testfile(str(Path(__file__).parents[3] / page), module_relative=False)
    assert found.attempted >= 12
    assert found.failed == 0


@pytest.mark.parametrize(("words", "name"), [([], "__init__.pyi"), (["module"], "_mercer.pyi")])
def test_stubs_are_up_to_date(words, name):
    script = Path(__file__).parents[1] / "stubs.py"
    made = subprocess.run([sys.executable, script, *words], capture_output=True, text=True, check=True).stdout
    assert (script.parent / "python" / "mercer" / name).read_text() == made


def test_stubs_name_everything_public():
    stub = (PACKAGE / "_mercer.pyi").read_text()
    for name in ["Kernel", "Function", "MeanEmbedding", "Check", "Counterexample", "Repaired"]:
        assert f"class {name}" in stub
        for member in vars(getattr(mercer, name)):
            if not member.startswith("_"):
                assert f"def {member}(" in stub, f"{name}.{member}"
    assert (PACKAGE / "py.typed").exists()


def test_version():
    assert mercer.__version__.count(".") == 2
