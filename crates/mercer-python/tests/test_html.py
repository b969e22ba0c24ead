"""Kernels, functions, checks, estimators and results in notebooks: well-formed and escaped."""

from html.parser import HTMLParser

import numpy as np
import pytest

import mercer

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


def test_estimators_keep_the_diagram_of_scikit_learn():
    html = MODEL._repr_html_()
    assert "sk-container" in html or "sk-" in html
    assert "KernelRidge" in html
