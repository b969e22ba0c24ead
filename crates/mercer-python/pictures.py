"""Draw the pictures of docs/pictures.md from bundled data.

Run it as `python crates/mercer-python/pictures.py docs/images`; names of pictures behind the folder draw only these.
"""

import io
import sys
import warnings
from pathlib import Path

import matplotlib.pyplot
import numpy as np
import pandas as pd
from PIL import Image

import mercer

DATA = Path(__file__).parents[2] / "examples" / "data"
IRIS = pd.read_csv(DATA / "iris.csv")
CONCRETE = pd.read_csv(DATA / "concrete.csv")
MEASURES = IRIS.columns[:4]


def score_surface():
    """Scores of alpha and lengthscale."""
    model = mercer.KernelRidgeCV(kernel="gaussian()", lengthscales=9).fit(IRIS[MEASURES[:3]], IRIS[MEASURES[3]])
    return mercer.ScoreSurfaceDisplay.from_estimator(model)


def function():
    """Draw a Gaussian process with its band and draws."""
    rng = np.random.default_rng(3)
    x = np.sort(np.append(rng.uniform(0, 3, 18), rng.uniform(4.5, 7, 14)))
    y = np.sin(2 * x) + 0.3 * x + rng.normal(scale=0.15, size=len(x))
    model = mercer.GaussianProcessRegressor("1*matern(nu=5/2, lengthscale=1)", noise=0.05).fit(x[:, None], y)
    return mercer.FunctionDisplay.from_estimator(model, n_draws=3)


def effects():
    """Draw the parts of an additive model."""
    names = [name for name in CONCRETE.columns if name not in CONCRETE.columns[-1:]][:8]
    rows = CONCRETE.iloc[::3]
    kernel = " + ".join(f"on([{name}], gaussian(lengthscale=median))" for name in ("cement", "water", "age"))
    model = mercer.KernelRidge(0.1, kernel=kernel, fit_intercept=True).fit(rows[names], rows.iloc[:, -1])
    return mercer.EffectsDisplay.from_estimator(model)


def _ridge():
    rows = CONCRETE.iloc[::4]
    scaled = (rows - rows.mean()) / rows.std()
    model = mercer.KernelRidgeCV(kernel="gaussian()", lengthscales=7, fit_intercept=True)
    return model.fit(scaled.iloc[:, :-1], rows.iloc[:, -1])


def residuals():
    """Leave-one-out residuals."""
    return mercer.ResidualsDisplay.from_estimator(_ridge())


def influence():
    """Leverages."""
    return mercer.InfluenceDisplay.from_estimator(_ridge())


def calibration():
    """Probabilities, and coverage of intervals."""
    from matplotlib import pyplot

    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 2))
    y = (x[:, 0] + x[:, 1] ** 2 + rng.logistic(size=600) > 1).astype(int)
    model = mercer.KernelLogisticRegression(1.0, kernel="gaussian(lengthscale=2)").fit(x[:300], y[:300])
    _, axes = pyplot.subplots(1, 2, figsize=(8.2, 4.3), layout="constrained")
    mercer.CalibrationDisplay.from_estimator(model, x[300:], y[300:], ax=axes[0])
    return mercer.CalibrationDisplay.from_estimator(_ridge(), ax=axes[1])


def boundary():
    """Regions of a support vector machine."""
    two = IRIS[IRIS.species != "setosa"]
    points = two[["petal_length", "petal_width"]]
    model = mercer.SVC(C=10, kernel="gaussian(lengthscale=1)").fit(points, two.species)
    return mercer.BoundaryDisplay.from_estimator(model, points, two.species)


def boundary_classes():
    """Regions of three classes."""
    points = IRIS[["petal_length", "petal_width"]]
    model = mercer.SVC(C=10, kernel="gaussian(lengthscale=1)").fit(points, IRIS.species)
    return mercer.BoundaryDisplay.from_estimator(model, points, IRIS.species)


def region():
    """Draw the region of a one-class machine."""
    points = IRIS[["petal_length", "petal_width"]]
    model = mercer.OneClassSVM(nu=0.1, kernel="gaussian(lengthscale=0.7)").fit(points)
    return mercer.BoundaryDisplay.from_estimator(model, points)


def gram():
    """Draw a Gram matrix by class."""
    return mercer.GramDisplay.from_kernel("gaussian(lengthscale=median)", IRIS[MEASURES], IRIS.species)


def gram_clusters():
    """Draw a Gram matrix by cluster."""
    return mercer.GramDisplay.from_kernel("gaussian(lengthscale=1)", IRIS[MEASURES], order="cluster")


def gram_spectrum():
    """Draw a Gram matrix along its first component."""
    return mercer.GramDisplay.from_kernel("linear()", IRIS[MEASURES] - IRIS[MEASURES].mean())


def spectrum():
    """Eigenvalues of a Gram matrix."""
    return mercer.SpectrumDisplay.from_kernel("gaussian(lengthscale=1)", IRIS[MEASURES])


def spectrum_negative():
    """Eigenvalues of an indefinite matrix."""
    return mercer.SpectrumDisplay.from_kernel("tanh(scale=0.1, offset=-1)", IRIS[MEASURES])


def witness():
    """Where two samples differ."""
    first, second = (IRIS.loc[IRIS.species == name, MEASURES[:2]] for name in ("versicolor", "virginica"))
    return mercer.WitnessDisplay.from_samples(first, second, labels=("versicolor", "virginica"))


def witness_line():
    """Where two samples of one column differ."""
    rng = np.random.default_rng(0)
    return mercer.WitnessDisplay.from_samples(rng.normal(size=300), rng.laplace(scale=0.7, size=300))


def null():
    """Draw the null distribution of a test."""
    first, second = (IRIS.loc[IRIS.species == name, MEASURES[:1]] for name in ("versicolor", "virginica"))
    result = mercer.two_sample_test(first[:25], second[:25], "gaussian(lengthscale=median)", permutations=999)
    return mercer.NullDisplay.from_result(result)


def embedding():
    """Principal components."""
    model = mercer.KernelPCA(2, kernel="gaussian(lengthscale=median)").fit(IRIS[MEASURES])
    return mercer.EmbeddingDisplay.from_estimator(model, IRIS[MEASURES], IRIS.species)


def embedding_clusters():
    """Clusters."""
    model = mercer.KernelKMeans(3, kernel="gaussian(lengthscale=median)", random_state=0).fit(IRIS[MEASURES])
    return mercer.EmbeddingDisplay.from_estimator(model, IRIS[MEASURES])


def embedding_cca():
    """Canonical variates."""
    views = [IRIS[MEASURES[:2]].to_numpy(), IRIS[MEASURES[2:]].to_numpy()]
    model = mercer.KernelCCA(2, kernels="gaussian(lengthscale=median)").fit(views)
    return mercer.EmbeddingDisplay.from_estimator(model, views, IRIS.species)


def embedding_scaling():
    """Classical scaling, colored by a number."""
    model = mercer.ClassicalScaling(2, kernel="distance(power=1)").fit(IRIS[MEASURES[:3]])
    return mercer.EmbeddingDisplay.from_estimator(model, y=IRIS[MEASURES[3]])


def signals():
    """Unmixed signals."""
    t = np.linspace(0, 8, 600)
    noise = np.random.default_rng(0).laplace(size=600)
    sources = np.column_stack([np.sin(3 * t), np.sign(np.sin(5 * t)), noise])
    mixed = sources @ np.array([[1.0, 0.6, 0.4], [0.5, 1.0, -0.7], [-0.6, 0.4, 1.0]]).T
    return mercer.KernelICA(random_state=0).fit(mixed).plot(mixed)


def weights():
    """Weights of several kernels."""
    kernels = [f"on([{name}], gaussian(lengthscale=1))" for name in MEASURES[:3]] + ["linear()"]
    return mercer.MultipleKernelRegressor(kernels, alpha=0.1).fit(IRIS[MEASURES[:3]], IRIS[MEASURES[3]]).plot()


def counterexample():
    """Why a kernel is not PSD."""
    return mercer.CounterexampleDisplay.from_kernel("tanh(scale=1, offset=0)")


PICTURES = (
    score_surface, function, effects, residuals, influence, calibration, boundary, boundary_classes, region, gram,
    gram_clusters, gram_spectrum, spectrum, spectrum_negative, witness, witness_line, null, embedding,
    embedding_clusters, embedding_cca, embedding_scaling, signals, weights, counterexample,
)  # fmt: skip


def _save(figure, path):
    """Write a small file: a palette of 128 colors."""
    with io.BytesIO() as file:
        figure.savefig(file, dpi=80)
        Image.open(file).convert("RGB").quantize(128).save(path, optimize=True)


def main():
    """Draw all pictures, or those that are named."""
    matplotlib.use("agg")
    folder, only = Path(sys.argv[1]), sys.argv[2:]
    for picture in PICTURES:
        if only and picture.__name__ not in only:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", mercer.BorderWarning)
            display = picture()
        _save(display.figure_, folder / f"display_{picture.__name__}.png")
        matplotlib.pyplot.close(display.figure_)


if __name__ == "__main__":
    main()
