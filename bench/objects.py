"""Kernels on strings, graphs, bags and persistence diagrams beside grakel, scikit-learn, numpy, gudhi and persim.

``--only many`` fits a classifier and a ridge regression to 20 000 graphs and strings.

Both sides run in turn in one process, the best of several counts. ``--data`` names a folder with ``graphs_MUTAG`` and
the other sets in the TU format, and ``splice_junction_uci``. Packages that are not installed are left out.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import importlib.util
import resource
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from timing import Row, best_seconds, interleaved, print_row

import mercer

GRAPHS = ["MUTAG", "PTC_MR", "ENZYMES", "PROTEINS", "NCI1"]


def row(
    name: str,
    peer: str,
    ours: Callable[[], object],
    theirs: Callable[[], object],
    repeat: int,
    target: float,
    times: float = 1.0,
) -> None:
    """Measure one line of the table and print it; their part is run on a share of the work, ``times`` smaller."""
    (mine, _), (other, _) = interleaved([ours, theirs], repeat)
    print_row(
        Row(name, peer, mine, times * other, target, "" if times == 1 else f"(a part of theirs, times {times:g})")
    )


def has(package: str) -> bool:
    """Whether a package is installed."""
    return importlib.util.find_spec(package) is not None


def grakel_graphs(graphs: mercer.Graphs, folder: Path) -> list:
    """Return the graphs of a folder as grakel has them: edges and vertex labels."""
    from grakel import Graph

    name = folder.name.removeprefix("graphs_")

    def read(part: str) -> list[str]:
        with gzip.open(folder / f"{name}_{part}.txt.gz", "rt") as opened:
            return opened.read().split("\n")

    owner = [int(line) for line in read("graph_indicator") if line.strip()]
    labels = [int(line.split(",")[0]) for line in read("node_labels") if line.strip()]
    edges: dict[int, dict] = {at: {} for at in range(1, len(graphs) + 1)}
    for line in read("A"):
        if line.strip():
            a, b = (int(v) for v in line.split(","))
            edges[owner[a - 1]].setdefault(a, {})[b] = 1.0
    names: dict[int, dict] = {at: {} for at in edges}
    for vertex, (graph, label) in enumerate(zip(owner, labels, strict=True), start=1):
        names[graph][vertex] = label
        edges[graph].setdefault(vertex, {})
    return [Graph(edges[at], node_labels=names[at]) for at in edges]


def without_edge_labels(graphs: mercer.Graphs, folder: Path) -> mercer.Graphs:
    """Return the graphs without the labels of their edges, which grakel does not compare."""
    name = folder.name.removeprefix("graphs_")
    if not (folder / f"{name}_edge_labels.txt.gz").exists():
        return graphs
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory() as made:
        copy = Path(made) / name
        copy.mkdir()
        for part in ("A", "graph_indicator", "graph_labels", "node_labels"):
            shutil.copy(folder / f"{name}_{part}.txt.gz", copy)
        return mercer.Graphs.read_tu(copy)[0]


def graphs(data: Path, repeat: int) -> None:
    """Weisfeiler-Lehman and shortest-path kernels on the sets of the TU collection."""
    if not has("grakel"):
        return
    for name in GRAPHS:
        folder = data / f"graphs_{name}"
        if not folder.exists():
            continue
        read, _ = mercer.Graphs.read_tu(folder)
        read = without_edge_labels(read, folder)
        theirs = grakel_graphs(read, folder)
        for text, peer in [("weisfeiler_lehman(depth=5)", "wl"), ("shortest_path()", "sp")]:
            kernel = mercer.Kernel(text)
            row(
                f"{name} {text}",
                "grakel",
                lambda kernel=kernel, read=read: kernel(read),
                lambda peer=peer, theirs=theirs: grakel_gram(peer, theirs),
                repeat if len(read) < 1000 else 1,
                20,
            )


def grakel_gram(peer: str, held: list) -> np.ndarray:
    """Return grakel's matrix."""
    from grakel.kernels import ShortestPath, VertexHistogram, WeisfeilerLehman

    if peer == "wl":
        return WeisfeilerLehman(n_iter=5, base_graph_kernel=VertexHistogram, normalize=False).fit_transform(held)
    return ShortestPath(normalize=False, with_labels=True).fit_transform(held)


def strings(data: Path, repeat: int) -> None:
    """Count substrings as CountVectorizer does, and multiply."""
    path = data / "splice_junction_uci"
    if not path.exists():
        return
    from sklearn.feature_extraction.text import CountVectorizer

    file = next(path.glob("*.csv.gz"))
    with gzip.open(file, "rt") as opened:
        rows = list(csv.reader(opened))
    sequences = [max(line, key=len).strip() for line in rows[1:]][:3000]
    for length in (3, 6):
        kernel = mercer.Kernel(f"spectrum(length={length})")

        def theirs(length: int = length) -> np.ndarray:
            counts = CountVectorizer(analyzer="char", ngram_range=(length, length), lowercase=False)
            found = counts.fit_transform(sequences)
            return (found @ found.T).toarray()

        assert np.array_equal(kernel(sequences[:50]), theirs_of(sequences[:50], length))
        row(
            f"{len(sequences)} sequences, spectrum {length}",
            "CountVectorizer",
            lambda k=kernel: k(sequences),
            theirs,
            repeat,
            3,
        )

    kernel = mercer.Kernel("mismatch(length=5, mismatches=1)")
    row(
        f"{len(sequences)} sequences, mismatch (5, 1)",
        "a plain program",
        lambda: kernel(sequences),
        lambda: mismatch_pairs(sequences[:20], 5),
        1,
        100,
        (len(sequences) / 20) ** 2,
    )
    documents(data)


def mismatch_pairs(sequences: list[str], length: int) -> np.ndarray:
    """Return the matrix of counts of substrings with at most one letter exchanged, by dictionaries."""
    counts = []
    for sequence in sequences:
        found: dict[str, int] = {}
        for at in range(len(sequence) - length + 1):
            part = sequence[at : at + length]
            near = {part[:i] + letter + part[i + 1 :] for i in range(length) for letter in "ACGT"}
            for word in near:
                found[word] = found.get(word, 0) + 1
        counts.append(found)
    return np.array([[sum(v * b.get(w, 0) for w, v in a.items()) for b in counts] for a in counts], float)


def documents(data: Path, count: int = 500, size: int = 2000, length: int = 5) -> None:
    """Gap-weighted subsequences of documents of 2 kB, beside a plain dynamic program on one pair of them."""
    path = data / "string_sms_spam" / "SMSSpamCollection.tsv.gz"
    if not path.exists():
        return
    with gzip.open(path, "rt", encoding="utf-8", errors="ignore") as opened:
        text = " ".join(line.partition("\t")[2].strip() for line in opened).encode("ascii", "ignore").decode()
    step = (len(text) - size) // count
    parts = [text[i * step : i * step + size] for i in range(count)]
    kernel = mercer.Kernel(f"subsequence(length={length}, decay=0.5)")
    few = [part[:30] for part in parts[:3]]
    expected = [[subsequence_of(s, t, length, 0.5) for t in few] for s in few]
    np.testing.assert_allclose(kernel(few), expected, rtol=1e-12)
    pairs = count * (count + 1) // 2
    cells = pairs * length * size**2
    print(f"{count} documents of {size} letters: {cells:.2e} cells of the recursion, three multiplications each")
    row(
        f"{count} documents of {size} letters, subsequence {length}",
        "a plain program",
        lambda: kernel(parts),
        lambda: subsequence_of(parts[0], parts[1], length, 0.5),
        1,
        100,
        pairs,
    )
    square = np.random.default_rng(0).normal(size=(3000, 3000))
    some = parts[:80]
    ours, theirs = best_seconds([lambda: kernel(some), lambda: square @ square], 3)
    rate = 3 * len(some) * (len(some) + 1) / 2 * length * size**2 / ours
    print(f"multiplications a second: {rate:.2e}; in a product of matrices of numpy: {3000**3 / theirs:.2e}")


def subsequence_of(s: str, t: str, length: int, decay: float) -> float:
    """Return the kernel of two strings by the recursion over lengths and prefixes."""
    square = decay * decay
    ends = [[square if a == b else 0.0 for b in t] for a in s]
    for _ in range(length - 1):
        above, following = [0.0] * (len(t) + 1), []
        for a, line in zip(s, ends, strict=True):
            # `above` holds the sums over all prefixes before this letter.
            following.append([square * above[j] if a == b else 0.0 for j, b in enumerate(t)])
            sums = [0.0]
            for j, value in enumerate(line):
                sums.append(value + decay * above[j + 1] + decay * sums[j] - square * above[j])
            above = sums
        ends = following
    return float(sum(map(sum, ends)))


def theirs_of(sequences: list[str], length: int) -> np.ndarray:
    """Return the matrix of a few sequences by scikit-learn."""
    from sklearn.feature_extraction.text import CountVectorizer

    found = CountVectorizer(analyzer="char", ngram_range=(length, length), lowercase=False).fit_transform(sequences)
    return (found @ found.T).toarray().astype(float)


def many(data: Path, repeat: int, rows: int = 20_000) -> None:
    """Fit 20 000 graphs and strings, whose kernel matrix would have 4·10⁸ values."""
    draw = np.random.default_rng(1)
    kinds = np.arange(rows) % 2
    often = [[0.3, 0.25, 0.25, 0.2], [0.2, 0.25, 0.25, 0.3]]
    texts = ["".join(draw.choice(list("ACGT"), p=often[kind], size=60)) for kind in kinds]
    fit_many("strings", texts, kinds, ["normalized(spectrum(length=4))", "spectrum(length=4)"], repeat)
    folder = data / "graphs_NCI1"
    if folder.exists():
        held, kinds = perturbed(folder, rows, draw)
        fit_many(
            "graphs", held, kinds, ["normalized(weisfeiler_lehman(depth=3))", "weisfeiler_lehman(depth=3)"], repeat
        )


def perturbed(folder: Path, rows: int, draw: np.random.Generator) -> tuple[mercer.Graphs, np.ndarray]:
    """Return the graphs of a folder again and again, a twentieth of their vertex labels drawn anew."""
    name = folder.name.removeprefix("graphs_")

    def read(part: str) -> np.ndarray:
        with gzip.open(folder / f"{name}_{part}.txt.gz", "rt") as opened:
            return np.loadtxt(opened, delimiter=",", dtype=int)

    owner, labels, arcs, kinds = read("graph_indicator"), read("node_labels"), read("A"), read("graph_labels")
    starts = np.searchsorted(owner, np.arange(1, len(kinds) + 2))
    edges: list[list[tuple[int, int]]] = [[] for _ in kinds]
    for a, b in arcs:
        graph = owner[a - 1] - 1
        if a < b:
            edges[graph].append((a - 1 - starts[graph], b - 1 - starts[graph]))
    table = np.unique(labels)

    def one(at: int) -> tuple[list[tuple[int, int]], list[int]]:
        own = labels[starts[at] : starts[at + 1]]
        drawn = np.where(draw.random(len(own)) < 0.05, draw.choice(table, size=len(own)), own)
        return edges[at], drawn.tolist()

    chosen = np.arange(rows) % len(kinds)
    return mercer.Graphs([one(at) for at in chosen]), kinds[chosen]


def fit_many(what: str, points: object, kinds: np.ndarray, kernels: list[str], repeat: int) -> None:
    """Fit a classifier and a ridge regression, beside scikit-learn's linear ones on the same features."""
    from sklearn.linear_model import Ridge
    from sklearn.svm import LinearSVC

    count, targets = len(kinds), np.asarray(kinds, dtype=float)
    for text in kernels:
        kernel = mercer.Kernel(text)
        svc, ridge = mercer.SVC(kernel=text), mercer.KernelRidge(kernel=text, alpha=1.0, fit_intercept=True)
        linear = LinearSVC(loss="hinge", max_iter=100_000, tol=1e-3)
        primal = Ridge(alpha=1.0, solver="sparse_cg", tol=1e-12)
        before = peak()
        svc.fit(points, kinds)
        ridge.fit(points, targets)
        print(f"{count} {what}, {text}: the peak grew by {peak() - before >> 20} MiB; {ridge.plan_}", flush=True)
        features = kernel.features(points)
        linear.fit(features, kinds)
        primal.fit(features, targets)
        weights = features[svc.support_].T @ svc.dual_coef_.ravel()
        ours = objective(features, kinds, weights, svc.intercept_[0])
        theirs = objective(features, kinds, linear.coef_.ravel(), linear.intercept_[0])
        apart = differs(ridge, primal, points, features)
        print(f"  objective {ours:.6g}, theirs {theirs:.6g}; the ridge regressions differ by {apart:.1e}")
        row(
            f"{count} {what}, SVC {text}",
            "LinearSVC on features",
            lambda svc=svc: svc.fit(points, kinds),
            lambda kernel=kernel, linear=linear: linear.fit(kernel.features(points), kinds),
            repeat,
            1,
        )
        row(
            f"{count} {what}, ridge {text}",
            "Ridge on features",
            lambda ridge=ridge: ridge.fit(points, targets),
            lambda kernel=kernel, primal=primal: primal.fit(kernel.features(points), targets),
            repeat,
            1,
        )


def peak() -> int:
    """Return the largest memory of this process so far, in bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def objective(features: object, kinds: np.ndarray, weights: np.ndarray, offset: float) -> float:
    """Return the objective of a classifier with C = 1: the regularization and the hinge losses."""
    signs = np.where(kinds == np.max(kinds), 1.0, -1.0)
    return 0.5 * weights @ weights + np.maximum(0.0, 1.0 - signs * (features @ weights + offset)).sum()


def differs(ridge: mercer.KernelRidge, primal: object, points: object, features: object) -> float:
    """Return the largest difference of the predictions of both ridge regressions."""
    return np.abs(ridge.predict(points) - primal.predict(features)).max()


def bags(repeat: int) -> None:
    """Compare bags as a double loop over bags does, with one product of distances per pair."""
    draw = np.random.default_rng(0)
    held = [draw.normal(size=(500, 5)) for _ in range(200)]
    made = mercer.Bags(held)
    kernel = mercer.Kernel("mean_embedding(gaussian(lengthscale=1))")

    def double_loop(count: int = 20) -> np.ndarray:
        values = np.empty((count, count))
        for i in range(count):
            for j in range(count):
                squares = ((held[i][:, None, :] - held[j][None, :, :]) ** 2).sum(axis=2)
                values[i, j] = np.exp(-squares / 2).mean()
        return values

    assert np.allclose(kernel(made[:20]), double_loop())
    row("200 bags of 500 instances", "numpy, double loop", lambda: kernel(made), double_loop, repeat, 50, times=100)


def diagrams(repeat: int) -> None:
    """Compare persistence diagrams beside gudhi and persim."""
    draw = np.random.default_rng(1)
    held = []
    for _ in range(60):
        births = draw.random(60)
        held.append(np.c_[births, births + draw.random(60)])
    kernel, made = mercer.Kernel("persistence(scale=0.5)"), mercer.Diagrams(held)
    if has("gudhi"):
        from gudhi.representations import PersistenceScaleSpaceKernel

        # exp(-d^2/(8 sigma)) is their exp(-d^2/(2 bandwidth^2)); their factor in front differs.
        peer = PersistenceScaleSpaceKernel(bandwidth=2 * np.sqrt(0.5))
        factors = peer.fit_transform(held[:10]) / kernel(made[:10])
        assert np.allclose(factors, factors[0, 0])
        row("60 diagrams of 60 intervals", "gudhi", lambda: kernel(made), lambda: peer.fit_transform(held), repeat, 50)
    if has("persim"):
        from persim import heat

        def by_persim() -> list[float]:
            return [heat(a, b, sigma=0.5) for a in held[:15] for b in held[:15]]

        row("60 diagrams of 60 intervals", "persim", lambda: kernel(made), by_persim, repeat, 50, times=16)


def main() -> None:
    """Run the comparisons."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", choices=["graphs", "strings", "many", "bags", "diagrams"])
    words = parser.parse_args()
    chosen = [words.only] if words.only else ["graphs", "strings", "many", "bags", "diagrams"]
    for part in chosen:
        if part in ("graphs", "strings", "many"):
            if words.data is None:
                print(f"{part}: needs --data", file=sys.stderr)
                continue
            {"graphs": graphs, "strings": strings, "many": many}[part](words.data, words.repeat)
        else:
            {"bags": bags, "diagrams": diagrams}[part](words.repeat)


if __name__ == "__main__":
    main()
