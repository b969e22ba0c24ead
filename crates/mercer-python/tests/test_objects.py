"""Strings, bags and persistence diagrams: in kernels, estimators, tests, functions and files."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import mercer

SPECTRUM = "normalized(spectrum(length=2))"


def strings(count: int = 60) -> tuple[list[str], np.ndarray]:
    """Return strings of two kinds, by the frequencies of their letters."""
    draw = np.random.default_rng(0)
    often = [[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]]
    kinds = np.arange(count) % 2
    return ["".join(draw.choice(list("ACGT"), p=often[kind], size=30)) for kind in kinds], kinds


def bags(count: int = 40) -> tuple[list[np.ndarray], np.ndarray]:
    """Return bags in the plane, every second one moved."""
    draw = np.random.default_rng(1)
    kinds = np.arange(count) % 2
    return [draw.normal(size=(draw.integers(3, 9), 2)) + kind for kind in kinds], kinds


def diagrams(count: int = 30) -> tuple[list[np.ndarray], np.ndarray]:
    """Return persistence diagrams, every second one with longer intervals."""
    draw = np.random.default_rng(2)
    kinds = np.arange(count) % 2
    births = [np.sort(draw.random(5)) for _ in kinds]
    return [np.c_[b, b + 0.2 + draw.random(5) + kind] for b, kind in zip(births, kinds, strict=True)], kinds


CASES = {
    "strings": (strings, SPECTRUM),
    "bags": (bags, "gaussian_embedding(gaussian(lengthscale=median), lengthscale=median)"),
    "diagrams": (diagrams, "normalized(persistence(scale=median))"),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[list, np.ndarray, str]:
    """Return points of one kind, two classes of them, and a kernel."""
    make, kernel = CASES[request.param]
    points, kinds = make()
    return points, kinds, kernel


def test_values_of_strings_by_hand():
    k = mercer.Kernel("spectrum(length=3)")
    assert k.point_kind == "strings"
    assert k(["statistics", "computation"]).tolist() == [[8.0, 2.0], [2.0, 9.0]]
    assert k(["statistics"], ["computation", "", "ta"]).tolist() == [[2.0, 0.0, 0.0]]
    assert k.diag(["aaaa", ""]).tolist() == [4.0, 0.0]
    assert mercer.Kernel("spectrum(length=2)")(np.array(["ab", "abab"])).tolist() == [[1.0, 2.0], [2.0, 5.0]]


def test_classifiers(case):
    points, kinds, kernel = case
    labels = np.array(["first", "second"])[kinds]
    for estimator in [
        mercer.SVC(kernel=kernel, C=10),
        mercer.NuSVC(kernel=kernel, nu=0.2),
        mercer.SVC(kernel=kernel, C=10, probability=True, random_state=0),
        mercer.KernelLogisticRegression(kernel=kernel, alpha=0.01),
        mercer.SVCCV(kernels=[kernel], Cs=[1, 10], cv=3),
    ]:
        estimator.fit(points, labels)
        assert estimator.score(points, labels) >= 0.9, estimator
        again = pickle.loads(pickle.dumps(estimator))
        assert (again.predict(points) == estimator.predict(points)).all()
        assert not hasattr(estimator, "n_features_in_")


def test_regressors(case):
    points, kinds, kernel = case
    y = 2.0 * kinds - 1.0
    for estimator in [
        mercer.KernelRidge(kernel=kernel, alpha=0.01),
        mercer.KernelRidgeCV(kernels=[kernel], alphas=[1e-3, 1e-2, 1e-1]),
        mercer.GaussianProcessRegressor(kernel=f"1*{kernel}", noise=0.1, optimize=False),
        mercer.SVR(kernel=kernel, C=10),
        mercer.NuSVR(kernel=kernel, C=10),
        mercer.KernelMachine(loss="huber", kernel=kernel, alpha=0.01),
    ]:
        fitted = estimator.fit(points, y).predict(points)
        assert np.mean(np.sign(fitted) == y) >= 0.9, estimator
        assert np.array_equal(pickle.loads(pickle.dumps(estimator)).predict(points), fitted)
        assert np.array_equal(clone(estimator).fit(points, y).predict(points), fitted)


def test_processes_choose_their_parameters():
    points, kinds = bags()
    start = mercer.GaussianProcessRegressor(kernel="1*mean_embedding(gaussian(lengthscale=1))", noise=0.1)
    fixed = mercer.GaussianProcessRegressor(kernel=start.kernel, noise=0.1, optimize=False).fit(points, 2.0 * kinds - 1)
    start.fit(points, 2.0 * kinds - 1)
    assert start.log_marginal_likelihood_ > fixed.log_marginal_likelihood_
    assert np.abs(start.log_marginal_likelihood_gradient_).max() < 1e-2


def test_transformers_and_regions(case):
    points, _, kernel = case
    features = mercer.Nystroem(kernel=kernel, n_components=10, random_state=0).fit(points)
    assert features.transform(points).shape == (len(points), 10)
    whole = mercer.EmpiricalKernelMap(kernel=kernel).fit(points).transform(points)
    assert np.allclose(whole @ whole.T, mercer.Kernel(kernel)(points), atol=1e-6)
    inside = mercer.OneClassSVM(kernel=kernel, nu=0.2).fit(points).predict(points)
    assert 0.6 <= np.mean(inside == 1) <= 0.95


def test_selection_of_scikit_learn(case):
    points, kinds, kernel = case
    assert cross_val_score(mercer.SVC(kernel=kernel, C=10), points, kinds, cv=3).mean() > 0.75
    search = GridSearchCV(mercer.SVC(kernel=kernel), {"C": [1, 10]}, cv=3).fit(points, kinds)
    assert search.best_score_ > 0.75


def test_hypothesis_tests_find_what_differs(case):
    points, kinds, kernel = case
    first = [p for p, kind in zip(points, kinds, strict=True) if kind == 0]
    second = [p for p, kind in zip(points, kinds, strict=True) if kind == 1]
    for method in ["permutation", "aggregated", "fused", "gamma", "split"]:
        assert mercer.two_sample_test(first, second, method=method, permutations=199).p_value < 0.05, method
    assert mercer.two_sample_test(first, second, kernel=kernel, method="permutation", permutations=199).p_value < 0.05
    assert mercer.independence_test(points, kinds.astype(float), permutations=199).p_value < 0.05
    assert mercer.independence_test(points, kinds.astype(float), method="aggregated", permutations=199).p_value < 0.05
    noise = np.random.default_rng(3).normal(size=len(points))
    joint = mercer.joint_independence_test([points, kinds.astype(float), noise], permutations=99)
    assert joint.p_value < 0.05
    given = mercer.conditional_independence_test(points, kinds.astype(float), noise, permutations=99)
    assert given.p_value < 0.05
    assert 0 < mercer.interaction_test(points, kinds.astype(float), noise, permutations=99).p_value <= 1


def test_functions_and_embeddings(case):
    points, _, kernel = case
    f = mercer.Function(kernel, points[:4], [1.0, -2.0, 0.5, 1.0])
    values = f.kernel(points[:4])
    assert f.norm() == pytest.approx(np.sqrt(f.coefficients @ values @ f.coefficients))
    assert np.allclose(f(points[:4]), values @ f.coefficients)
    assert (f + f)(points[:3]) == pytest.approx(2 * f(points[:3]))
    again = pickle.loads(pickle.dumps(f))
    assert np.array_equal(again(points), f(points))
    mu = mercer.MeanEmbedding(kernel, points)
    assert mu.norm() == pytest.approx(np.sqrt(mercer.Kernel(str(mu.kernel))(points).mean()))
    assert mercer.mmd(points[:10], points[10:20], str(mu.kernel)) >= 0


def test_plans_and_empty_samples(case):
    points, kinds, kernel = case
    for estimator in [
        mercer.SVC(kernel=kernel),
        mercer.KernelRidge(kernel=kernel),
        mercer.KernelRidgeCV(kernels=[kernel]),
        mercer.GaussianProcessRegressor(kernel=kernel),
        mercer.KernelLogisticRegression(kernel=kernel),
    ]:
        assert isinstance(estimator.explain(points, kinds), str)
    assert mercer.Kernel(kernel.replace("median", "1"))([]).shape == (0, 0)
    with pytest.raises(ValueError, match="minimum of 1"):
        mercer.KernelRidge(kernel=kernel.replace("median", "1")).fit([], [])


def test_repeated_points_are_merged():
    f = mercer.Function("spectrum(length=1)", ["ab", "cd", "ab"], [1.0, 1.0, 2.0])
    assert f.points == ["ab", "cd"]
    assert f.coefficients.tolist() == [3.0, 1.0]


def test_files(case, tmp_path):
    points, kinds, kernel = case
    y = 2.0 * kinds - 1.0
    models = [
        mercer.SVC(kernel=kernel, C=10).fit(points, kinds),
        mercer.KernelRidge(kernel=kernel, alpha=0.1).fit(points, y),
        mercer.GaussianProcessRegressor(kernel=f"1*{kernel}", noise=0.1, optimize=False).fit(points, y),
        mercer.KernelLogisticRegression(kernel=kernel, alpha=0.1).fit(points, kinds),
        mercer.SVR(kernel=kernel).fit(points, y),
    ]
    for model in models:
        path = tmp_path / "model.safetensors"
        mercer.save(model, path)
        loaded = mercer.load(path)
        assert np.array_equal(loaded.predict(points), model.predict(points)), model


def test_check_of_kernels(case):
    points, _, kernel = case
    found = mercer.Kernel(kernel).check(points)
    assert found.psd is True
    assert found.min_eigenvalue > -1e-9
    refuted = mercer.Kernel(f"minus({kernel}, 2)").check(points)
    assert refuted.psd is False
    assert refuted.value < 0


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ("ACGT", "found one string"),
        ([1, 2], "takes strings; the points are vectors"),
        (np.zeros((3, 2)), "takes strings; the points are vectors"),
        (["a", 1], "point 1 is not a string"),
    ],
)
def test_what_is_no_string_is_refused(points, message):
    with pytest.raises(ValueError, match=message):
        mercer.SVC(kernel="spectrum(length=3)").fit(points, [0, 1])


def test_what_is_no_bag_or_diagram_is_refused():
    with pytest.raises(ValueError, match="bag 1"):
        mercer.Bags([np.zeros((2, 2)), np.zeros((0, 2))])
    with pytest.raises(ValueError, match="found one array"):
        mercer.SVC(kernel="mean_embedding(linear())").fit(np.zeros((4, 2)), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="infinity=value"):
        mercer.Kernel("persistence(scale=1)")([np.array([[0.0, np.inf]])])
    with pytest.raises(ValueError, match="takes vectors; the points are strings"):
        mercer.Kernel("gaussian()")(["a", "b"])
    with pytest.raises(ValueError, match="takes persistence diagrams"):
        mercer.Kernel("persistence(scale=1)")(mercer.Bags([np.zeros((2, 2))]))


def test_containers():
    points, _ = bags(6)
    made = mercer.Bags(points)
    assert len(made) == 6
    assert np.array_equal(made[-1], points[-1])
    assert made[1:3] == mercer.Bags(points[1:3])
    assert made[[4, 0]] == mercer.Bags([points[4], points[0]])
    assert made[np.arange(6) % 2 == 0] == mercer.Bags(points[::2])
    assert pickle.loads(pickle.dumps(made)) == made
    assert made != mercer.Bags(points[:5])
    with pytest.raises(IndexError, match="out of range"):
        made[6]
    weighted = mercer.Bags(points, weights=[np.arange(1.0, len(p) + 1) for p in points])
    assert pickle.loads(pickle.dumps(weighted)) == weighted
    assert weighted != made
    held, _ = diagrams(4)
    made = mercer.Diagrams(held)
    assert np.array_equal(made[2], held[2])
    assert pickle.loads(pickle.dumps(made[:2])) == mercer.Diagrams(held[:2])


def test_weights_of_instances_are_repetitions():
    points = np.array([[0.0], [1.0], [3.0]])
    weighted = mercer.Bags([points, points[:2]], weights=[[1, 2, 1], [1, 1]])
    repeated = mercer.Bags([points[[0, 1, 1, 2]], points[:2]])
    k = mercer.Kernel("mean_embedding(gaussian(lengthscale=1))")
    assert np.allclose(k(weighted), k(repeated), atol=1e-15)


def graphs(count: int = 40) -> tuple[mercer.Graphs, np.ndarray]:
    """Return rings and paths with labels in turn."""
    draw = np.random.default_rng(4)
    kinds = np.arange(count) % 2
    made = []
    for kind in kinds:
        n = int(draw.integers(5, 9))
        edges = [(i, i + 1) for i in range(n - 1)] + ([(n - 1, 0)] if kind else [])
        made.append((edges, draw.choice(["C", "N"], p=[0.8, 0.2], size=n).tolist()))
    return mercer.Graphs(made), kinds


def test_graphs_in_estimators_and_tests(tmp_path):
    points, kinds = graphs()
    for kernel in [
        "normalized(weisfeiler_lehman(depth=2))",
        "normalized(shortest_path())",
        "random_walk(decay=0.1)",
    ]:
        model = mercer.SVC(kernel=kernel, C=100).fit(points, kinds)
        assert model.score(points, kinds) >= 0.9, kernel
        assert cross_val_score(mercer.SVC(kernel=kernel, C=100), points, kinds, cv=3).mean() > 0.8
        mercer.save(model, tmp_path / "graphs")
        assert np.array_equal(mercer.load(tmp_path / "graphs").predict(points), model.predict(points))
        assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(points), model.predict(points))
    assert mercer.two_sample_test(points[kinds == 0], points[kinds == 1], permutations=199).p_value < 0.05
    assert mercer.independence_test(points, kinds.astype(float), permutations=199).p_value < 0.05
    ridge = mercer.KernelRidge(kernel="weisfeiler_lehman(depth=1)", alpha=0.1).fit(points, kinds)
    assert np.mean((ridge.predict(points) > 0.5) == kinds) >= 0.9


def test_graphs_of_every_form_are_the_same():
    edges, labels = [(0, 1), (1, 2)], ["a", "b", "a"]
    adjacency = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    sparse = pytest.importorskip("scipy.sparse")
    first = mercer.Graphs([(edges, labels)])
    assert first == mercer.Graphs([(adjacency, labels)]) == mercer.Graphs([(sparse.csr_matrix(adjacency), labels)])
    assert repr(first) == "Graphs(1 graphs, 3 vertices, 2 edges)"
    assert pickle.loads(pickle.dumps(first)) == first
    assert len(first[[0, 0]]) == 2
    k = mercer.Kernel("weisfeiler_lehman(depth=1)")
    assert k([(edges, labels)]).tolist() == k(first).tolist()


def test_graphs_of_networkx():
    networkx = pytest.importorskip("networkx")
    ring = networkx.cycle_graph(5)
    path = networkx.path_graph(5)
    k = mercer.Kernel("shortest_path(labels=false)")
    by_edges = mercer.Graphs([(list(ring.edges), [0] * 5), (list(path.edges), [0] * 5)])
    assert np.array_equal(k([ring, path]), k(by_edges))
    networkx.set_node_attributes(ring, {v: str(v % 2) for v in ring}, "kind")
    networkx.set_node_attributes(path, {v: str(v % 2) for v in path}, "kind")
    labeled = mercer.Graphs.from_networkx([ring, path], vertex_label="kind")
    assert mercer.Kernel("vertex_histogram()")(labeled)[0, 0] == 13.0
    with pytest.raises(ValueError, match=r"edge \(0, 1\) of a networkx graph has no attribute 'length'"):
        mercer.Graphs.from_networkx([ring], edge_weight="length")
    with pytest.raises(ValueError, match="one graph was given"):
        k(ring)
    assert str(mercer.KernelPCA(1, kernel="auto").fit([ring, path] * 3).kernel_).startswith("normalized(weis")


PAIRS = [([(0, 1), (1, 2)], ["a", "b", "a"]), ([(0, 1)], ["a", "b"])] * 6
EDGE = np.array([[0, 1], [1, 0]])


@pytest.mark.parametrize("form", ["edges", "adjacency", "sparse", "tuple"])
def test_pairs_of_edges_and_labels_are_graphs_without_a_kernel(form):
    sparse = pytest.importorskip("scipy.sparse")
    points, kinds, held = PAIRS, [0, 1] * 6, mercer.Graphs(PAIRS)
    if form in ("adjacency", "sparse"):
        path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
        points = [(path, ["a", "b", "a"]), (EDGE, np.array(["a", "b"]))] * 6
    if form == "sparse":
        points = [(sparse.csr_array(matrix), labels) for matrix, labels in points]
    if form == "tuple":
        points = tuple(points)
    model = mercer.SVC(kernel="auto").fit(points, kinds)
    assert str(model.kernel_) == "normalized(weisfeiler_lehman(depth=3))"
    assert model.predict(points[:2]).tolist() == [0, 1]
    views = [mercer.KernelPCA(1, kernel="auto").fit_transform(sample) for sample in (points, held)]
    assert np.array_equal(*views)
    assert mercer.mmd(points, points[:5]) == mercer.mmd(held, held[:5])
    both = [mercer.two_sample_test(sample, sample[:5], permutations=99).p_value for sample in (points, held)]
    assert both[0] == both[1]
    assert mercer.independence_test(points, np.array(kinds, float), permutations=99).reject
    assert mercer.auto(points, np.array(["x", "y"] * 6)).predict(points[:2]).tolist() == ["x", "y"]


def test_errors_of_graphs_are_shown_where_no_kernel_is_named():
    with pytest.raises(ValueError, match="edges of graph 1: row 0, column 1 holds 5"):
        mercer.SVC(kernel="auto").fit([PAIRS[0], ([(0, 5)], ["a", "b"])], [0, 1])


@pytest.mark.parametrize("labels", [["a"], ["a", "b", "c"], list("abcde")])
@pytest.mark.parametrize("square", [EDGE, np.array([[0, 1], [1, 2]])])
def test_a_square_array_has_as_many_rows_as_there_are_labels(square, labels):
    message = rf"graph 1: there are {len(labels)} vertex labels, and the square array has 2 rows; .* is an adjacency"
    with pytest.raises(ValueError, match=message):
        mercer.Graphs([(EDGE, ["a", "b"]), (square, labels)])
    tall = np.array([[0, 1], [1, 2], [2, 0]])
    assert mercer.Graphs([(tall, ["a", "b", "c"])]) == mercer.Graphs([(tall.tolist(), ["a", "b", "c"])])


def test_an_adjacency_matrix_of_an_undirected_graph_is_symmetric():
    sparse = pytest.importorskip("scipy.sparse")
    arc, weights = np.array([[0, 1], [0, 0]]), np.array([[0, 0.5], [0.25, 0]])
    for matrix in (arc, arc.T, weights, sparse.csr_array(arc)):
        with pytest.raises(ValueError, match=r"graph 0: .* is symmetric, and entry \(., .\) .*directed=True"):
            mercer.Graphs([(matrix, ["a", "b"])])
        assert "1 edges" in repr(mercer.Graphs([(matrix, ["a", "b"])], directed=True)) or matrix is weights
    twice = sparse.coo_array(([0.5, 0.5, 1.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert mercer.Graphs([(twice, ["a", "b"])]) == mercer.Graphs([(EDGE, ["a", "b"])])
    with pytest.raises(ValueError, match="weight holds NaN"):
        mercer.Graphs([EDGE * np.nan])


def test_graphs_without_weights_have_weight_one_beside_others():
    half, edges = (0.5 * EDGE, ["a", "b"]), ([(0, 1)], ["a", "b"])
    mixed = mercer.Graphs([half, (EDGE, ["a", "b"]), edges])
    for text in ("shortest_path()", "random_walk(decay=0.1)"):
        k = mercer.Kernel(text)
        values = k(mixed)
        assert values[1, 1] == values[2, 2] == values[1, 2] != values[0, 1]
        assert np.array_equal(k([half], [edges, half]), values[:1, [2, 0]])
        assert np.array_equal(k([edges], [edges, half]), values[2:, [2, 0]])


def test_one_graph_in_the_place_of_a_list_is_refused():
    k, message = mercer.Kernel("shortest_path()"), r"one graph was given; a list of graphs is needed: \[graph\]"
    for graph in [(EDGE, ["a", "b"]), ([(0, 1)], ["a", "b"]), ([(0, 1)], None)]:
        for call in [
            lambda graph=graph: k(graph),
            lambda graph=graph: mercer.Graphs(graph),
            lambda graph=graph: mercer.SVC(kernel="auto").fit(graph, [0, 1]),
            lambda graph=graph: mercer.KernelPCA(kernel="auto").fit(graph),
            lambda graph=graph: mercer.mmd(graph, graph),
        ]:
            with pytest.raises(ValueError, match=message):
                call()
    for wrong in (lambda: k(EDGE), lambda: mercer.SVC(kernel="weisfeiler_lehman()").fit(EDGE, [0, 1])):
        with pytest.raises(
            ValueError, match="takes graphs; the points are vectors: .* adjacency matrix, put it in a list"
        ):
            wrong()
    assert k(([(0, 1)], [(0, 1), (1, 2)])).shape == (2, 2)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (np.zeros((3, 3)), "takes graphs"),
        ([([(0.5, 1)], ["a", "b"])], "graph 0: expected"),
        ([np.zeros((3, 4))], r"graph 0: expected .* found ndarray of shape \(3, 4\)"),
        ([([(0, 5)], ["a"])], "graph 0"),
        ([1, 2], "graph 0"),
        (["a", "b"], "graph 0|takes graphs"),
    ],
)
def test_what_is_no_graph_is_refused(points, message):
    with pytest.raises(ValueError, match=message):
        mercer.Kernel("vertex_histogram()")(points)


def test_features_multiply_to_values():
    words, _ = strings(12)
    for text in [
        "spectrum(length=2)",
        "mismatch(length=3, mismatches=1)",
        "words(weights=counts)",
        "words(weights=tfidf)",
        "3*normalized(spectrum(length=3)) + 0.5*words() + 2",
    ]:
        k = mercer.Kernel(text)
        found = k.features(words)
        assert np.allclose((found @ found.T).toarray(), k(words)), text
        rows, columns = k.features(words[:3], words[3:])
        assert np.allclose((rows @ columns.T).toarray(), k(words[:3], words[3:])), text
    held, _ = graphs(8)
    for text in ["vertex_histogram()", "weisfeiler_lehman(depth=2)", "shortest_path()"]:
        found = mercer.Kernel(text).features(held)
        assert np.array_equal((found @ found.T).toarray(), mercer.Kernel(text)(held)), text
    with pytest.raises(ValueError, match="explicit sparse features"):
        mercer.Kernel("gaussian()").features([[1.0], [2.0]])


def test_learners_use_features():
    words, kinds = strings(400)
    kernel = "normalized(spectrum(length=3))"
    targets = np.arange(len(words)) % 7 / 7.0
    exact = mercer.KernelRidge(kernel=kernel, alpha=0.1, solver="cholesky").fit(words, targets)
    features = mercer.KernelRidge(kernel=kernel, alpha=0.1, solver="features").fit(words, targets)
    assert features.plan_.startswith("conjugate gradients on explicit features")
    assert "explicit features" in features.explain(words, targets)
    assert np.allclose(features.predict(words), exact.predict(words), atol=1e-9)
    with pytest.raises(ValueError, match="explicit features"):
        mercer.KernelRidge(kernel="gaussian()", solver="features").fit([[1.0], [2.0]], [1.0, 2.0])
    # The matrix of 400 rows takes 1.3 MB.
    svc = mercer.SVC(kernel=kernel, tol=1e-6).fit(words, kinds)
    small = mercer.SVC(kernel=kernel, tol=1e-6, max_memory="1MB").fit(words, kinds)
    assert "explicit features" in small.explain(words, kinds)
    assert np.allclose(small.decision_function(words), svc.decision_function(words), atol=1e-4)


def test_every_string_kernel_in_a_classifier():
    words, kinds = strings(40)
    for kernel in [
        "normalized(mismatch(length=3, mismatches=1))",
        "normalized(subsequence(length=2, decay=0.5))",
        "normalized(spectrum(length=3, blended=true))",
        mercer.mismatch(length=2, mismatches=1, alphabet="ACGT"),
    ]:
        assert mercer.SVC(kernel=kernel, C=10).fit(words, kinds).score(words, kinds) >= 0.9, kernel
    texts = ["good book", "a good read", "bad book", "a bad read", "good", "bad"] * 3
    labels = [1, 1, 0, 0, 1, 0] * 3
    model = mercer.SVC(kernel="words(weights=tfidf)", C=10).fit(texts, labels)
    assert model.predict(["a good unknown word"]) == [1]


def test_tables_with_texts_and_numbers():
    pandas = pytest.importorskip("pandas")
    words, kinds = strings(40)
    draw = np.random.default_rng(5)
    table = pandas.DataFrame(
        {"review": words, "price": draw.normal(size=40) + kinds, "color": np.array(["red", "blue"])[kinds]}
    )
    y = 2.0 * kinds - 1
    kernel = (
        "on([review], normalized(spectrum(length=2))) * on([price], gaussian(lengthscale=median)) "
        "+ on([color], delta())"
    )
    for model in [
        mercer.KernelRidge(kernel=kernel, alpha=0.1),
        mercer.SVR(kernel=kernel),
        mercer.GaussianProcessRegressor(
            kernel="1*on([review], normalized(spectrum(length=2))) + on([price], linear())"
        ),
    ]:
        fitted = model.fit(table, y).predict(table)
        assert np.mean(np.sign(fitted) == y) >= 0.9, model
        assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(table), fitted)
    svc = mercer.SVC(kernel=kernel, C=10).fit(table, kinds)
    assert cross_val_score(svc, table, kinds, cv=3).mean() > 0.9
    columns = {name: list(table[name]) for name in table}
    columns["price"] = np.asarray(table["price"])
    assert np.array_equal(svc.predict(columns), svc.predict(table))
    colors = mercer.Kernel("on([color], delta())")(table)
    assert np.array_equal(
        colors, np.equal.outer(np.asarray(table["color"], object), np.asarray(table["color"], object)).astype(float)
    )
    with pytest.raises(ValueError, match="takes strings; column `price` holds numbers"):
        mercer.Kernel("on([price], spectrum(length=2)) + on([review], delta())")(table)


def test_scores_of_the_instances_of_bags():
    draw = np.random.default_rng(3)
    kinds = np.arange(24) % 2
    arrays = [draw.normal(size=(2 + i % 3, 2)) + kind for i, kind in enumerate(kinds)]
    weights = [1.0 + draw.random(len(array)) for array in arrays]
    bags, y = mercer.Bags(arrays, weights), 2.0 * kinds - 1
    kernel = "mean_embedding(gaussian())"
    models = [
        mercer.SVC(kernel=kernel),
        mercer.SVR(kernel=kernel),
        mercer.KernelRidge(kernel=kernel),
        mercer.KernelLogisticRegression(kernel=kernel),
        mercer.GaussianProcessRegressor(kernel=kernel),
        mercer.OneClassSVM(kernel=kernel, nu=0.3),
        mercer.KernelMachine(kernel=kernel, loss="huber"),
        mercer.KernelMachine(kernel=kernel, loss="squared_hinge"),
    ]
    for model in models:
        model.fit(bags, kinds if hasattr(model, "classes_") or isinstance(model, mercer.SVC) else y)
        values = getattr(model, "decision_function", model.predict)(bags)
        scores = model.instance_scores(bags)
        assert [len(of_bag) for of_bag in scores] == [len(array) for array in arrays], model
        means = [np.average(of_bag, weights=w) for of_bag, w in zip(scores, weights, strict=True)]
        assert np.allclose(means, values, atol=1e-8), model
    several = mercer.SVC(kernel=kernel).fit(arrays, np.arange(24) % 3).instance_scores(arrays)
    assert several[1].shape == (3, 3)
    with pytest.raises(ValueError, match="instance_scores needs a kernel on bags"):
        mercer.SVR(kernel="gaussian()").fit([[0.0], [1.0]], [0.0, 1.0]).instance_scores([[0.0]])
    with pytest.raises(ValueError, match="instance_scores needs a kernel on bags"):
        mercer.SVR(kernel="spectrum(length=1)").fit(["a", "b"], [0.0, 1.0]).instance_scores(["a"])


def test_the_kernel_of_a_table_without_one_is_a_rule():
    pandas = pytest.importorskip("pandas")
    words, kinds = strings(40)
    table = pandas.DataFrame({"text": words, "x": np.arange(40.0), "color": np.array(["red", "blue"])[kinds]})
    result = mercer.two_sample_test(table[kinds == 0], table[kinds == 1], permutations=199)
    assert result.reject
    parts = ["on([0], gaussian(lengthscale=", "on([text], normalized(spectrum(length=3)))", "on([color], delta())"]
    assert all(part in result.kernel for part in parts)
    result = mercer.independence_test(table[["text"]], table[["color"]], permutations=199)
    assert result.reject
    objects = pandas.DataFrame({"x": np.arange(6.0).astype(object)})
    assert mercer.two_sample_test(objects, objects + 3, permutations=19).p_value <= 1


def test_cells_of_mixed_tables_without_a_value_are_named():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    words, kinds = strings(40)
    whole = {"text": words, "x": np.arange(40.0)}
    for name, row, value in [("x", 7, np.nan), ("x", 0, np.nan), ("text", 3, None), ("text", 0, None)]:
        table = pandas.DataFrame({key: list(values) for key, values in whole.items()})
        table.loc[row, name] = value
        for points in (table, polars.from_pandas(table), polars.from_pandas(table).to_arrow()):
            for kernel in ("auto", "on([text], words()) + on([x], gaussian())"):
                with pytest.raises(ValueError, match=f"column `{name}`: row {row} has no value: fill it in"):
                    mercer.SVC(kernel=kernel).fit(points, kinds)
                with pytest.raises(ValueError, match=f"column `{name}`: row {row} has no value: fill it in"):
                    mercer.two_sample_test(points, points, kernel=kernel)
    table = pandas.DataFrame(whole)
    for points in (polars.from_pandas(table), polars.from_pandas(table).to_arrow()):
        for kernel in ("auto", "on([text], words()) + on([x], gaussian())"):
            options = {"kernel": kernel, "permutations": 99}
            expected = mercer.two_sample_test(table[:20], table[20:], **options)
            assert mercer.two_sample_test(points[:20], points[20:], **options).p_value == expected.p_value
    table.loc[5, "x"] = np.inf
    with pytest.raises(ValueError, match="column `x`: row 5 is infinite"):
        mercer.KernelRidge(kernel="auto").fit(table, kinds)


def test_graphs_of_files(tmp_path):
    (tmp_path / "path.edges").write_text("a b\nb c\n")
    (tmp_path / "triangle.edges").write_text("a b\nb c\nc a\n")
    graphs = mercer.Graphs.read_edge_lists([tmp_path / "path.edges", tmp_path / "triangle.edges"])
    assert graphs == mercer.Graphs([([(0, 1), (1, 2)], None), ([(0, 1), (1, 2), (2, 0)], None)])
    nodes = "".join(f"<node id='{name}'/>" for name in "abc")
    text = f"<graphml><graph edgedefault='undirected'>{nodes}<edge source='a' target='b'/></graph></graphml>"
    (tmp_path / "one.graphml").write_text(text)
    one = mercer.Graphs.read_graphml([tmp_path / "one.graphml"])
    # Two vertices are joined: an ordered pair each way.
    assert mercer.Kernel("shortest_path()")(one).tolist() == [[4.0]]
    (tmp_path / "bad.edges").write_text("a b c d e\n")
    with pytest.raises(ValueError, match="line 1"):
        mercer.Graphs.read_edge_lists([tmp_path / "bad.edges"])
