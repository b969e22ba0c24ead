"""Views of real data beside scikit-learn and published figures, as tables for docs/views.md.

    python bench/views_tables.py --data FOLDER [--only TEXT] [--quick] [--output docs/views.md]

The tables are novelty (areas under the ROC curve), clusters (adjusted Rand indices), faces (recognition rates, and the
picture ``images/faces.png`` beside the page), sources (independent components) and kernels (several kernels at once).
They are put between the marks ``<!-- views begins -->`` and ``<!-- views ends -->`` of the page; with ``--only`` the
others stay as they are. Everything is drawn from seeds 0, 1, …. FOLDER holds faces_olivetti, usps, ionosphere, sonar,
diabetes_pima and graphs_MUTAG; tables whose data is not there are left out. ``--quick`` repeats little.
"""

from __future__ import annotations

import argparse
import gzip
import re
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from objects import without_edge_labels
from PIL import Image
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_svmlight_file, load_wine, make_moons
from sklearn.decomposition import FastICA
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, pairwise_distances, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

import mercer

BEGINS, ENDS = "<!-- views begins -->", "<!-- views ends -->"


@dataclass
class Settings:
    """Where the data is, how often to repeat, and where pictures go."""

    data: Path
    quick: bool
    images: Path | None = None

    def times(self, count: int, quick: int = 2) -> int:
        """Return how often to repeat."""
        return quick if self.quick else count


def line(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(head: list[str], rows: list[list[object]]) -> list[str]:
    """Return the lines of a table."""
    return [line(*head), "|" + "---|" * len(head), *(line(*row) for row in rows)]


def spread(values: list[float], scale: float = 100.0, digits: int = 1) -> str:
    """Return a mean with the standard deviation, in percent by default."""
    values = [scale * value for value in values]
    deviation = f" ± {np.std(values, ddof=1):.{digits}f}" if len(values) > 1 else ""
    return f"{np.mean(values):.{digits}f}{deviation}"


def read_csv(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read a table of numbers with a header, the class in the last column."""
    with gzip.open(path, "rt") as file:
        head = file.readline()
        rows = np.loadtxt(file, delimiter=",", ndmin=2)
    assert not head.split(",")[0].strip().lstrip("-").replace(".", "").isdigit(), f"{path} has no header"
    return rows[:, :-1], rows[:, -1]


def read_idx(path: Path) -> np.ndarray:
    """Read images or labels in the format of MNIST."""
    with gzip.open(path) as file:
        held = file.read()
    shape = [int.from_bytes(held[4 + 4 * at : 8 + 4 * at], "big") for at in range(held[3])]
    return np.frombuffer(held, np.uint8, offset=4 + 4 * len(shape)).reshape(shape)


def median_distance(x: np.ndarray) -> float:
    """Return the median distance of two rows."""
    return float(np.median(pairwise_distances(x)[np.triu_indices(len(x), 1)]))


# ---- novelty --------------------------------------------------------------------------------------------------------

NU = 0.1
#: Components explain this part of the variance.
EXPLAINED = 0.9


def components_for(x: np.ndarray, kernel: str) -> int:
    """Return how many components explain enough."""
    shares = np.cumsum(mercer.KernelPCA(kernel=kernel).fit(x).explained_variance_ratio_)
    return min(int(np.searchsorted(shares, EXPLAINED)) + 1, len(shares))


def by_components(fit: np.ndarray, test: np.ndarray, kernel: str, _: float, __: int) -> np.ndarray:
    return mercer.KernelPCA(components_for(fit, kernel), kernel=kernel).fit(fit).score_samples(test)


def by_support(fit: np.ndarray, test: np.ndarray, kernel: str, _: float, __: int) -> np.ndarray:
    return -mercer.OneClassSVM(nu=NU, kernel=kernel).fit(fit).score_samples(test)


def by_their_support(fit: np.ndarray, test: np.ndarray, _: str, gamma: float, __: int) -> np.ndarray:
    return -OneClassSVM(nu=NU, gamma=gamma).fit(fit).score_samples(test)


def by_forest(fit: np.ndarray, test: np.ndarray, _: str, __: float, seed: int) -> np.ndarray:
    return -IsolationForest(random_state=seed).fit(fit).score_samples(test)


NOVELTY = {
    "`KernelPCA`": by_components,
    "`OneClassSVM`": by_support,
    "`OneClassSVM` of scikit-learn": by_their_support,
    "`IsolationForest`": by_forest,
}


def novelty_areas(x: np.ndarray, normal: np.ndarray, scaled: bool, seed: int) -> list[float]:
    """Return the areas of all methods: half of the normal rows to fit, the other half and all others to score."""
    fit, rest = train_test_split(np.flatnonzero(normal), test_size=0.5, random_state=seed)
    others = np.flatnonzero(~normal)
    scaler = StandardScaler(with_mean=scaled, with_std=scaled).fit(x[fit])
    own, test = scaler.transform(x[fit]), scaler.transform(x[np.r_[rest, others]])
    truth = np.r_[np.zeros(len(rest)), np.ones(len(others))]
    width = median_distance(own)
    kernel, gamma = f"gaussian(lengthscale={width!r})", 1 / (2 * width**2)
    return [roc_auc_score(truth, method(own, test, kernel, gamma, seed)) for method in NOVELTY.values()]


def novelty_sets(settings: Settings) -> Iterator[tuple[str, np.ndarray, list[np.ndarray], bool, int]]:
    """Yield the sets: a name, rows, masks of normal rows that are taken in turn, whether to scale, the splits."""
    x, y = load_digits(return_X_y=True)
    yield "digits, each digit normal in turn", x, [y == digit for digit in range(10)], False, settings.times(5, 1)
    x, y = load_breast_cancer(return_X_y=True)
    yield "breast cancer, benign normal", x, [y == 1], True, settings.times(10)
    path = settings.data / "ionosphere" / "ionosphere.csv.gz"
    if path.exists():
        x, y = read_csv(path)
        yield "ionosphere, good normal", x, [y == 1], True, settings.times(10)
    path = settings.data / "usps" / "usps.t.libsvm.gz"
    if path.exists():
        x, y = load_svmlight_file(str(path))
        yield (
            "USPS, each digit normal in turn",
            x.toarray(),
            [y == digit for digit in np.unique(y)],
            False,
            settings.times(5, 1),
        )


def novelty(settings: Settings) -> list[str]:
    """Find rows of other classes without having seen one."""
    rows = []
    for name, x, masks, scaled, splits in novelty_sets(settings):
        areas = [
            np.mean([novelty_areas(x, mask, scaled, seed) for mask in masks], axis=0)  # the mean over the classes
            for seed in range(splits)
        ]
        rows.append([name, splits, *(spread(list(values)) for values in np.transpose(areas))])
    text = (
        "The models see half of the rows of one class; the area under the ROC curve (in percent) tells the other "
        "half of it from the rows of all other classes, which no model has seen. Mean and standard deviation "
        "over random splits. Columns other than pixels are standardized by the rows of the fit, the kernel is "
        f"Gaussian with their median distance as lengthscale, ν = {NU:g}, and as many components are kept as "
        f"explain {100 * EXPLAINED:g} % of the variance. No parameter is searched. `KernelPCA` scores by the squared "
        "distance from the span of the components."
    )
    return [text, "", *table(["normal rows", "splits", *NOVELTY], rows)]


# ---- clusters -------------------------------------------------------------------------------------------------------

MUTAG = "normalized(weisfeiler_lehman(depth=3))"


def vector_clusters(x: np.ndarray, clusters: int, width: float) -> list[np.ndarray]:
    """Return the labels of all four methods."""
    kernel, gamma = f"gaussian(lengthscale={width!r})", 1 / (2 * width**2)
    return [
        mercer.KernelKMeans(clusters, kernel=kernel, random_state=0).fit(x).labels_,
        mercer.SpectralClustering(clusters, kernel=kernel, random_state=0).fit(x).labels_,
        KMeans(clusters, n_init=10, random_state=0).fit(x).labels_,
        SpectralClustering(clusters, gamma=gamma, random_state=0).fit(x).labels_,
    ]


def graph_clusters(folder: Path) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the labels of all four methods on graphs, and the classes."""
    graphs, classes = mercer.Graphs.read_tu(folder)
    graphs = without_edge_labels(graphs, folder)
    kernel = mercer.Kernel(MUTAG)
    features, affinity = kernel.features(graphs), kernel(graphs)
    found = [
        mercer.KernelKMeans(2, kernel=kernel, random_state=0).fit(graphs).labels_,
        mercer.SpectralClustering(2, kernel=kernel, random_state=0).fit(graphs).labels_,
        KMeans(2, n_init=10, random_state=0).fit(features).labels_,
        SpectralClustering(2, affinity="precomputed", random_state=0).fit(affinity).labels_,
    ]
    return found, np.asarray(classes)


def clusters(settings: Settings) -> list[str]:
    """Compare clusterings with classes."""
    rows = []
    moons = make_moons(1000, noise=0.05, random_state=0)
    for name, (x, y), scaled, width in [
        ("iris", load_iris(return_X_y=True), True, None),
        ("wine", load_wine(return_X_y=True), True, None),
        ("digits", load_digits(return_X_y=True), False, None),
        ("two moons, 1000 points", moons, False, 0.1),
    ]:
        x = StandardScaler().fit_transform(x) if scaled else x
        chosen = median_distance(x) if width is None else width
        found = vector_clusters(x, len(np.unique(y)), chosen)
        kernel = "median distance" if width is None else f"lengthscale {width:g}"
        rows.append([name, kernel, *(f"{adjusted_rand_score(y, labels):.3f}" for labels in found)])
    folder = settings.data / "graphs_MUTAG"
    if folder.is_dir():
        found, y = graph_clusters(folder)
        rows.append(["MUTAG, graphs", f"`{MUTAG}`", *(f"{adjusted_rand_score(y, labels):.3f}" for labels in found)])
    text = (
        "The adjusted Rand index between clusters and classes (1 is perfect, 0 is chance), with as many clusters "
        "as classes, ten starts, seed 0. Iris and wine are standardized. The kernel is Gaussian with the median "
        "distance of the rows as lengthscale, where nothing else is said, the same on both sides; on graphs "
        "scikit-learn's `KMeans` works on the explicit features of the kernel, its `SpectralClustering` on the "
        "matrix."
    )
    head = ["data", "kernel", "`KernelKMeans`", "`SpectralClustering`", "`KMeans` of scikit-learn"]
    return [text, "", *table([*head, "`SpectralClustering` of scikit-learn"], rows)]


# ---- faces ----------------------------------------------------------------------------------------------------------

#: The dimension of the common space: a number for every person.
DIMENSION = 40
REGS = [1e-6, 1e-4, 1e-2, 1.0]
KAPPAS = [0.002, 0.02, 0.2]
#: Fits low images, high images and persons, and returns maps of both kinds to a common space.
Maps = tuple[Callable[[np.ndarray], np.ndarray], Callable[[np.ndarray], np.ndarray]]


def resized(images: np.ndarray, size: int, how: Image.Resampling) -> np.ndarray:
    """Return images of another size, as rows."""
    made = [np.asarray(Image.fromarray(image.astype(np.float32)).resize((size, size), how)) for image in images]
    return np.array(made, dtype=float).reshape(len(images), -1)


def coupled(kernel: str) -> Callable[[np.ndarray, np.ndarray, np.ndarray, float], Maps]:
    """Return a fit of the coupled embedding."""

    def fit(low: np.ndarray, high: np.ndarray, person: np.ndarray, reg: float) -> Maps:
        model = mercer.CoupledKernelEmbedding(DIMENSION, kernel_low=kernel, kernel_high=kernel, reg=reg)
        model.fit(low, high, person, person)
        return model.transform_low, model.transform_high

    return fit


def correlated(low: np.ndarray, high: np.ndarray, _: np.ndarray, kappa: float) -> Maps:
    """Fit canonical correlations of pairs of images."""
    model = mercer.KernelCCA(DIMENSION, kappa=kappa).fit(low, high)

    def to_high(x: np.ndarray) -> np.ndarray:
        return model.transform(np.zeros((len(x), low.shape[1])), x)[1]

    return model.transform, to_high


def enlarged(low: np.ndarray, _: np.ndarray, __: np.ndarray, ___: float) -> Maps:
    """Enlarge low images, and compare pixels."""
    side = int(np.sqrt(low.shape[1]))

    def enlarge(x: np.ndarray) -> np.ndarray:
        return resized(x.reshape(-1, side, side), 64, Image.Resampling.BICUBIC)

    return enlarge, lambda x: x


FACES = {
    "`CoupledKernelEmbedding`, Gaussian": (coupled("gaussian(lengthscale=median)"), REGS),
    "`CoupledKernelEmbedding`, linear": (coupled("linear()"), REGS),
    "`KernelCCA`, Gaussian": (correlated, KAPPAS),
    "pixels of enlarged images": (enlarged, [0.0]),
}


def nearest(maps: Maps, low: np.ndarray, gallery: np.ndarray) -> np.ndarray:
    """Return the number of the nearest image of the gallery, for every low image."""
    return pairwise_distances(maps[0](low), maps[1](gallery)).argmin(axis=1)


def face_split(person: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return five images of every person, and the other five."""
    draw = np.random.default_rng(seed)
    orders = [draw.permutation(np.flatnonzero(person == one)) for one in np.unique(person)]
    return np.concatenate([order[:5] for order in orders]), np.concatenate([order[5:] for order in orders])


def fitted_faces(
    method: Callable[..., Maps], values: list[float], low: np.ndarray, high: np.ndarray, person: np.ndarray
) -> Maps:
    """Fit with the value that recognizes most of a fifth of the training images, which comes last for every person."""
    held = np.arange(len(person)) % 5 == 4
    if len(values) == 1:
        return method(low, high, person, values[0])
    rates = []
    for value in values:
        maps = method(low[~held], high[~held], person[~held], value)
        rates.append(np.mean(person[~held][nearest(maps, low[held], high[~held])] == person[held]))
    return method(low, high, person, values[int(np.argmax(rates))])


def faces(settings: Settings) -> list[str] | None:
    """Recognize images of low resolution among images of high resolution."""
    folder = settings.data / "faces_olivetti"
    if not folder.is_dir():
        return None
    images = read_idx(folder / "olivetti-images-idx3-ubyte.gz") / 255.0
    person = read_idx(folder / "olivetti-labels-idx1-ubyte.gz").astype(int)
    high, splits = images.reshape(len(images), -1), settings.times(10)
    rates: dict[str, list[str]] = {name: [] for name in FACES}
    for size in (8, 12):
        low = resized(images, size, Image.Resampling.BOX)
        for name, (method, values) in FACES.items():
            found = []
            for seed in range(splits):
                train, test = face_split(person, seed)
                maps = fitted_faces(method, values, low[train], high[train], person[train])
                match = nearest(maps, low[test], high[train])
                found.append(float(np.mean(person[train][match] == person[test])))
                if settings.images and (size, seed) == (8, 0) and name == next(iter(FACES)):
                    draw_faces(
                        settings.images / "faces.png",
                        low[test],
                        images[train][match],
                        images[test],
                        person,
                        train[match],
                        test,
                    )
            rates[name].append(spread(found))
    text = (
        "Olivetti faces: 40 persons, ten images each. Five pairs of a low (8×8 or 12×12) and a high image "
        "(64×64) of every person are the training set, and its high images the gallery; the low images of the "
        "other five are assigned to the person of the nearest image of the gallery. The rate of right answers in "
        f"percent, mean and standard deviation over {splits} random splits. The common space has {DIMENSION} "
        "dimensions; its regularization is chosen on a fifth of the training images, lengthscales are medians. "
        "Enlarging is bicubic."
    )
    return [text, "", *table(["method", "8×8", "12×12"], [[name, *cells] for name, cells in rates.items()])]


def draw_faces(
    path: Path,
    low: np.ndarray,
    matches: np.ndarray,
    truth: np.ndarray,
    person: np.ndarray,
    matched: np.ndarray,
    test: np.ndarray,
    shown: int = 8,
) -> None:
    """Draw queries, the images found and the queries at full resolution; two of them are wrong if there are two."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    right = person[matched] == person[test]
    wrong = np.flatnonzero(~right)[:2]
    good = np.flatnonzero(right)
    good = good[np.linspace(0, len(good) - 1, shown - len(wrong)).astype(int)]
    figure, axes = plt.subplots(3, shown, figsize=(1.5 * shown, 5.2), layout="constrained")
    for column, at in enumerate([*good, *wrong]):
        color, word = ("#0072B2", "right") if right[at] else ("#D55E00", "wrong")
        for row, image in enumerate((low[at].reshape(8, 8), matches[at], truth[at])):
            axis = axes[row, column]
            axis.imshow(image, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
            axis.set(xticks=[], yticks=[])
            for side in axis.spines.values():
                side.set(visible=row == 1, color=color, linewidth=5, linestyle="-" if right[at] else "--")
        axes[1, column].set_xlabel(word, color=color, fontsize=16, fontweight="bold")
    for axis, name in zip(axes[:, 0], ("query", "found", "truth"), strict=True):
        axis.set_ylabel(name, fontsize=18)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    plt.close(figure)


# ---- sources --------------------------------------------------------------------------------------------------------

#: Weights, means and standard deviations of the mixtures of Bach and Jordan (2002), densities g to r.
MIXTURES = {
    "g": ([1, 1], [-0.5, 0.5], [0.15, 0.15]),
    "h": ([1, 1], [-0.5, 0.5], [0.4, 0.4]),
    "i": ([1, 1], [-0.5, 0.5], [0.5, 0.5]),
    "j": ([1, 3], [-0.5, 0.5], [0.15, 0.15]),
    "k": ([1, 2], [-0.7, 0.5], [0.4, 0.4]),
    "l": ([1, 2], [-0.7, 0.5], [0.5, 0.5]),
    "m": ([1, 2, 2, 1], [-1, -0.33, 0.33, 1], [0.16] * 4),
    "n": ([1, 2, 2, 1], [-1, -0.2, 0.2, 1], [0.2, 0.3, 0.3, 0.2]),
    "o": ([1, 2, 2, 1], [-0.7, -0.2, 0.2, 0.7], [0.2, 0.3, 0.3, 0.2]),
    "p": ([1, 1, 2, 1], [-1, 0.3, -0.3, 1.1], [0.2] * 4),
    "q": ([1, 3, 2, 0.5], [-1, -0.2, 0.3, 1], [0.2, 0.3, 0.2, 0.2]),
    "r": ([1, 2, 2, 1], [-0.8, -0.2, 0.2, 0.5], [0.22, 0.3, 0.3, 0.2]),
}
#: Names of the others.
NAMED = {"a": "t₃", "b": "Laplace", "c": "uniform", "d": "t₅", "e": "exponential", "f": "two Laplace"}
#: Their densities.
FORMULAS = {
    "a": "`2/(π√3 (1 + s²/3)²)`",
    "b": "`exp(−√2 abs(s))/√2`, variance 1",
    "c": "`1/2` on `[−1, 1]`",
    "d": "`8/(3π√5 (1 + s²/5)³)`",
    "e": "`exp(−(s + 1))` for `s ≥ −1`",
    "f": "`(exp(−2√2 abs(s + 1)) + exp(−2√2 abs(s − 1)))/√2`",
}
SIZES = [250, 1000]


def source(density: str, n: int, draw: np.random.Generator) -> np.ndarray:
    """Return values of one of the 18 densities."""
    if density in MIXTURES:
        weights, means, deviations = (np.array(values, dtype=float) for values in MIXTURES[density])
        part = draw.choice(len(weights), p=weights / weights.sum(), size=n)
        return means[part] + deviations[part] * draw.normal(size=n)
    if density == "f":
        return draw.laplace(scale=0.5 / np.sqrt(2), size=n) + draw.choice([-1.0, 1.0], size=n)
    return {
        "a": lambda: draw.standard_t(3, size=n),
        "b": lambda: draw.laplace(scale=1 / np.sqrt(2), size=n),
        "c": lambda: draw.uniform(-1, 1, size=n),
        "d": lambda: draw.standard_t(5, size=n),
        "e": lambda: draw.exponential(size=n) - 1,
    }[density]()


def mixing(draw: np.random.Generator) -> np.ndarray:
    """Return a matrix of two rotations, with a condition number from 1 to 2."""

    def turn(angle: float) -> np.ndarray:
        return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])

    first, second = draw.uniform(0, 2 * np.pi, size=2)
    return turn(first) @ np.diag([1.0, draw.uniform(1, 2)]) @ turn(second)


#: The contrasts of `KernelICA`; the first is its default.
CONTRASTS = ["negentropy", "kgv", "kcc"]


def unmixings(x: np.ndarray, seed: int) -> list[np.ndarray]:
    """Return the unmixing matrices of all methods."""
    fast = FastICA(whiten="unit-variance", max_iter=500, tol=1e-6, random_state=seed).fit(x)
    kernel = [mercer.KernelICA(contrast=contrast, random_state=seed).fit(x) for contrast in CONTRASTS]
    return [fit.components_ for fit in (*kernel, fast)]


def sources(settings: Settings) -> list[str]:
    """Separate two sources of each of 18 densities."""
    counts = {250: settings.times(100), 1000: settings.times(50)}
    with warnings.catch_warnings():
        # FastICA says where it has not converged.
        warnings.simplefilter("ignore", ConvergenceWarning)
        errors = {n: [amari(n, density, counts[n]) for density in densities()] for n in SIZES}
    rows: list[list[object]] = []
    for at, density in enumerate(densities()):
        cells = [cell for n in SIZES for cell in separated(errors[n][at])]
        rows.append([f"{density} {NAMED.get(density, 'mixture')}", *cells])
    together = [separated(np.concatenate(errors[n])) for n in SIZES]
    rows.append(["**mean**", *(f"**{cell}**" for cells in together for cell in cells)])
    worst = max(in_errors(draws) for n in SIZES for draws in errors[n])
    text = (
        "Two sources of the same density, mixed by a random matrix with a condition number from 1 to 2; the 18 "
        "densities of Bach and Jordan (2002), of which g to r are mixtures of two or four Gaussians. The Amari "
        f"error times 100 (0 is perfect), mean over {counts[250]} draws of 250 rows and {counts[1000]} draws of "
        "1000. `KernelICA` with its defaults (`negentropy`) and with two other contrasts, scikit-learn's `FastICA` "
        "with its default (log cosh), on the same draws. The column *less* is the mean of the differences "
        "`negentropy` − `FastICA` over the draws, with its standard error: below 0 `KernelICA` is better, and where "
        f"it is above 0 it is at most {worst:.1f} standard errors. The weights of the contrast were chosen on the same "
        "densities with other draws."
    )
    names = [*(f"`{contrast}`" for contrast in CONTRASTS), "`FastICA`", "*less*"]
    head = ["density", *(f"{name}, {n} rows" for n in SIZES for name in names)]
    return [text, "", *table(head, rows), "", *formulas()]


def formulas() -> list[str]:
    """Return the densities as a table."""
    rows: list[list[object]] = [[density, NAMED[density], FORMULAS[density]] for density in NAMED]
    for density, (weights, means, deviations) in MIXTURES.items():
        whole = sum(weights)
        parts = [
            f"{weight / whole:.4g} N({mean:g}, {deviation:g}²)"
            for weight, mean, deviation in zip(weights, means, deviations, strict=True)
        ]
        rows.append([density, "mixture", f"`{' + '.join(parts)}`".replace("-", "−")])
    text = (
        "The densities, with `N(μ, σ²)` for the normal density with mean μ and standard deviation σ; the sources are "
        "drawn from them as they are, without scaling:"
    )
    return [text, "", *table(["", "name", "density"], rows)]


def in_errors(errors: np.ndarray) -> float:
    """Return the mean difference of the first method and the last in its standard errors."""
    less = errors[:, 0] - errors[:, -1]
    return float(np.mean(less) / (np.std(less, ddof=1) / np.sqrt(len(less))))


def separated(errors: np.ndarray) -> list[str]:
    """Return the mean errors of all methods, and the difference of the first and the last with its standard error."""
    less = errors[:, 0] - errors[:, -1]
    difference = f"{np.mean(less):+.1f} ± {np.std(less, ddof=1) / np.sqrt(len(less)):.1f}"
    return [*(f"{value:.1f}" for value in errors.mean(axis=0)), difference.replace("-", "−")]


def densities() -> list[str]:
    return [*NAMED, *MIXTURES]


def amari(n: int, density: str, count: int) -> np.ndarray:
    """Return the Amari errors times 100, a row for every draw and a column for every method."""
    errors = []
    for seed in range(count):
        draw = np.random.default_rng([seed, n, ord(density)])
        matrix = mixing(draw)
        x = np.c_[source(density, n, draw), source(density, n, draw)] @ matrix.T
        errors.append([100 * mercer.amari_distance(found, matrix) for found in unmixings(x, seed)])
    return np.array(errors)


# ---- kernels --------------------------------------------------------------------------------------------------------

WIDTHS = [0.5, 1, 2, 5, 7, 10, 12, 15, 17, 20]
DEGREES = [1, 2, 3]
#: Accuracy, its standard deviation and the number of kernels in Rakotomamonjy et al. (2008), table 1.
PUBLISHED = {"diabetes_pima": (76.5, 2.6, 14.7), "ionosphere": (91.5, 2.5, 23.6), "sonar": (80.6, 5.1, 36.7)}
TITLES = {"diabetes_pima": "Pima", "ionosphere": "Ionosphere", "sonar": "Sonar"}
PENALTY = 100.0


def candidates(columns: int, single: bool) -> list[str]:
    """Return the kernels on all columns, and on every column alone."""
    whole = [f"gaussian(lengthscale={width})" for width in WIDTHS]
    whole += [f"polynomial(degree={degree}, offset=1)" for degree in DEGREES]
    return whole + [f"on([{at}], {kernel})" for at in range(columns) for kernel in whole] if single else whole


def split_of(name: str, data: Path, seed: int) -> list[np.ndarray]:
    """Return 70 % and 30 % of the rows, and their classes; columns standardized, constant ones left out."""
    x, y = read_csv(data / name / f"{name}.csv.gz")
    x = StandardScaler().fit_transform(x[:, x.std(axis=0) > 0])
    return train_test_split(x, y, test_size=0.3, stratify=y, random_state=seed)


def several(settings: Settings) -> list[str] | None:
    """Weight many kernels by the protocol of SimpleMKL."""
    rows = []
    splits = settings.times(20)
    for name, (accuracy, deviation, kept) in PUBLISHED.items():
        if not (settings.data / name).is_dir():
            continue
        for single in (False, True):
            right, counts, seconds, total = [], [], [], 0
            for seed in range(splits):
                x, held, y, truth = split_of(name, settings.data, seed)
                kernels = candidates(x.shape[1], single)
                total, start = len(kernels), time.perf_counter()
                model = mercer.MultipleKernelClassifier(kernels, C=PENALTY).fit(x, y)
                seconds.append(time.perf_counter() - start)
                right.append(float(np.mean(model.predict(held) == truth)))
                counts.append(int(np.sum(model.weights_ > 0)))
            published = [f"{accuracy} ± {deviation}", kept] if single else ["–", "–"]
            columns = "all columns, and each alone" if single else "all columns"
            mean = f"{np.mean(counts):.1f}"
            rows.append([TITLES[name], columns, total, spread(right), mean, *published, f"{np.mean(seconds):.2f}"])
    if not rows:
        return None
    text = (
        f"The protocol of SimpleMKL (Rakotomamonjy et al. 2008): {splits} random splits of 70 and 30 % of the "
        "rows, columns standardized, Gaussian kernels of ten widths (0.5, 1, 2, 5, 7, 10, 12, 15, 17, 20) and "
        f"polynomials of degree 1 to 3, scaled to trace n, C = {PENALTY:g}. Accuracy in percent with its "
        "standard deviation, kernels with weight, and seconds of a fit; the published figures are for kernels on "
        "all columns and on each alone."
    )
    head = ["data", "kernels on", "kernels", "accuracy", "kept", "published", "published, kept", "seconds"]
    return [text, "", *table(head, rows)]


# ---- the page -------------------------------------------------------------------------------------------------------

TABLES: dict[str, tuple[str, Callable[[Settings], list[str] | None]]] = {
    "novelty": ("Novelty", novelty),
    "clusters": ("Clusters", clusters),
    "faces": ("Faces of two resolutions", faces),
    "sources": ("Independent components", sources),
    "kernels": ("Several kernels", several),
}


def main() -> None:
    """Make the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder with the data sets")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help=f"only tables whose name contains this: {', '.join(TABLES)}"
    )
    parser.add_argument("--quick", action="store_true", help="repeat little")
    parser.add_argument("--output", type=Path, help="write the tables between the marks of this page")
    options = parser.parse_args()
    images = options.output.parent / "images" if options.output else None
    settings = Settings(options.data, options.quick, images)
    for name, (title, make) in TABLES.items():
        if options.only not in name:
            continue
        start = time.perf_counter()
        lines = make(settings)
        if lines is None:
            print(f"{name}: its data is not in --data")
            continue
        made = "\n".join([f"### {title}", "", *lines])
        print(f"{made}\n\n({name}: {time.perf_counter() - start:.0f} s)\n", flush=True)
        if options.output:
            rewrite(options.output, name, made)


def rewrite(page: Path, name: str, made: str) -> None:
    """Put a table between the marks of the page, and leave the others there."""
    before, found, rest = page.read_text(encoding="utf-8").partition(BEGINS)
    inside, ended, after = rest.partition(ENDS)
    if not (found and ended):
        raise SystemExit(f"{page} has no marks {BEGINS} and {ENDS}")
    parts = dict(re.findall(r"<!-- table (\w+) -->\n(.*?)(?=\n*<!-- table |\s*\Z)", inside, flags=re.DOTALL))
    parts[name] = made
    text = "\n\n".join(f"<!-- table {key} -->\n{parts[key]}" for key in TABLES if key in parts)
    page.write_text(f"{before}{BEGINS}\n{text}\n{ENDS}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
