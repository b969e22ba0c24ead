"""Kernels, functions, checks, estimators and results in notebooks: well-formed and escaped."""

import re
from html import unescape
from html.parser import HTMLParser

import helpers
import numpy as np
import pytest
import sklearn
from sklearn.base import is_classifier

import mercer
from mercer._estimator import Estimator

X = np.linspace(0, 1, 20)[:, None]
MODEL = mercer.KernelRidge(0.1, kernel="gaussian()").fit(X, np.sin(5 * X[:, 0]))


class Tags(HTMLParser):
    """Checks that every tag is closed, and collects the text."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.names = [], [], []

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        if tag not in ("br", "rect", "line", "input", "img", "meta", "link", "polyline"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in ("rect", "line", "polyline"):
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def parsed(value):
    reader = Tags()
    reader.feed(value._repr_html_())
    reader.close()
    assert reader.open == []
    return " ".join(reader.text), reader.names


def test_kernels_show_their_proof_folded():
    text, tags = parsed(mercer.Kernel("2*gaussian(lengthscale=0.5) + linear()"))
    assert "a sum of PSD kernels" in text
    assert "details" in tags
    assert "positive semi-definite yes" in text
    unknown, _ = parsed(mercer.Kernel("minus(gaussian(), linear())"))
    assert "positive semi-definite no" in unknown


def test_texts_in_kernels_are_escaped():
    kernel = mercer.Kernel('mismatch(length=2, mismatches=1, alphabet="<b>&")')
    assert "<b>" not in kernel._repr_html_()
    assert "&lt;b&gt;&amp;" in kernel._repr_html_()
    parsed(kernel)


def test_functions():
    text, tags = parsed(MODEL.function_)
    assert "norm" in text
    assert "polyline" in tags
    bridge = mercer.Function("bridge()", [[0.2], [0.9]], [1.0, -1.0])
    assert "polyline" in parsed(bridge)[1]
    wide = mercer.Function("linear()", [[0.0, 1.0]], [1.0])
    assert "polyline" not in parsed(wide)[1]
    words = mercer.Function("spectrum(length=2)", ["<i>ab", "ba"], [1.0, 2.0])
    assert "<i>ab" not in words._repr_html_()


@pytest.mark.parametrize(
    "value",
    [
        mercer.tanh(scale=1).check(),
        mercer.gaussian().check(),
        mercer.two_sample_test(X[:10], X[10:], "gaussian()", permutations=99),
        MODEL.diagnose(),
    ],
    ids=["counterexample", "check", "test", "diagnosis"],
)
def test_results(value):
    text, _ = parsed(value)
    assert len(text) > 40


def facts(model):
    """The table below the diagram of scikit-learn, and what is folded below it."""
    shown = model._facts_html()
    reader = Tags()
    reader.feed(shown)
    reader.close()
    assert reader.open == []
    found = dict(re.findall(r"<tr><th [^>]*>(.*?)</th><td [^>]*>(.*?)</td></tr>", shown))
    return {name: unescape(value) for name, value in found.items()}, shown


def test_estimators_keep_the_diagram_of_scikit_learn():
    for html in (MODEL._repr_html_(), MODEL._repr_mimebundle_()["text/html"]):
        assert "sk-container" in html
        assert "KernelRidge" in html
        assert html.count("<summary>proof of gaussian(lengthscale=1)</summary>") == 1
    with sklearn.config_context(display="text"):
        assert "text/html" not in MODEL._repr_mimebundle_()
        assert not hasattr(MODEL, "_repr_html_")
    # Nothing has been found before a fit.
    assert mercer.KernelRidge()._facts_html() == ""


def test_the_facts_of_regressions():
    found, shown = facts(MODEL)
    assert found["kernel"] == "gaussian(lengthscale=1)"
    assert found["kernel is PSD"] == "proven"
    assert (found["alpha"], found["rows"], "iterations" in found) == ("0.1", "20", False)
    each, _ = facts(mercer.KernelRidge([0.1, 0.2], kernel="rbf").fit(X, np.hstack([X, X])))
    assert each["alpha"] == "0.1, 0.2"
    assert found["degrees of freedom"] == f"{MODEL.dof_:.6g}"
    assert found["GCV"] == f"{MODEL.gcv_:.6g}"
    assert MODEL.kernel_.proof().splitlines()[-1] in unescape(shown)
    search = mercer.KernelRidgeCV([0.1, 1.0, 10.0], kernel="gaussian()", lengthscales=[0.1, 1.0]).fit(X, X[:, 0])
    found, _ = facts(search)
    assert (found["alpha"], found["lengthscale"]) == (f"{search.alpha_:.6g}", f"{search.lengthscale_:.6g}")
    assert found["best score of the search"] == f"{search.best_score_:.6g}"
    process = mercer.GaussianProcessRegressor("1*gaussian()", noise=0.2, optimize=False).fit(X, X[:, 0])
    found, _ = facts(process)
    assert (found["noise variance"], "alpha" in found) == ("0.2", False)
    assert found["log marginal likelihood"] == f"{process.log_marginal_likelihood_:.6g}"
    few, _ = facts(mercer.KernelRidge(0.1, kernel="gaussian()", n_centers=7).fit(X, X[:, 0]))
    assert few["centers"] == "7"


def test_the_facts_of_classifiers():
    labels = np.where(X[:, 0] > 0.5, "<up>", "down")
    machine = mercer.SVC(C=3.0, kernel="gaussian()").fit(X, labels)
    found, shown = facts(machine)
    assert (found["C"], found["classes"]) == ("3", "2: <up>, down")
    assert found["support vectors"] == f"{len(machine.support_)} of 20"
    assert found["duality gap"] == f"{machine.duality_gap_:.6g}"
    assert "<up>" not in shown
    outside, shown = facts(mercer.SVC(kernel=lambda a, b: a @ b.T).fit(X, labels))
    assert (outside["kernel"], "proof" in shown) == ("<lambda>", False)


def test_what_would_have_to_be_computed_is_left_out():
    x = np.linspace(0, 1, 1500)[:, None]
    model = mercer.KernelRidge(0.1, kernel="gaussian()", solver="cholesky").fit(x, x[:, 0])
    found, _ = facts(model)
    assert ("GCV" in found, "_diagnosed" in vars(model)) == (False, False)
    assert model.gcv_ > 0
    assert "GCV" in facts(model)[0]
    stream = mercer.StreamedKernelRidge([0.1, 1.0], kernel="gaussian()", n_components=5).fit(X, X[:, 0])
    assert "alpha" not in facts(stream)[0]
    stream.predict(X)
    assert facts(stream)[0]["alpha"] == f"{stream.alpha_:.6g}"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", sorted(helpers.ESTIMATORS))
def test_every_estimator_shows_its_facts(name):
    kind = helpers.ESTIMATORS[name]
    if not issubclass(kind, Estimator):
        pytest.skip("the estimator inside shows its own")
    model = kind(affinity="pairs") if name == "CoupledKernelEmbedding" else kind()
    y = np.where(X[:, 0] > 0.5, 1, 0) if is_classifier(model) else X if hasattr(model, "match") else X[:, 0] ** 2
    found, _ = facts(model.fit(X, y))
    assert len(found) >= 1
    assert all(len(value) < 200 for value in found.values()), found
