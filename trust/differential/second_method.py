"""One answer by two ways of our own."""

from __future__ import annotations

import numpy as np

import mercer
from trust.compare import all_of, distance, same_bytes, worst
from trust.data import generator, kernel, labels, points, target
from trust.programs import stated_single_error
from trust.registry import Outcome, check


@check("differential", slice=20, full=3_000)
def dense_and_tiled(seed: int) -> Outcome:
    """Products by tiles, in one piece and under a small memory limit, against the stored matrix."""
    rng = generator(seed)
    n, m, d = int(rng.integers(1, 400)), int(rng.integers(1, 400)), int(rng.integers(1, 6))
    x, y = points(rng, n, d), points(rng, m, d)
    k = mercer.Kernel(kernel(rng, x))
    v = rng.normal(size=(m, int(rng.integers(1, 5))))
    matrix, first = k(x, y), min(n, m)
    product, within = matrix @ v, k(x, x[:first]) @ v[:first]
    scale, own = (float(np.abs(a).sum(axis=1).max() * np.abs(v).max()) for a in (matrix, k(x, x[:first])))
    return all_of(
        worst(1e-13, (k.matvec(x, v, y), product), (k.matvec(x, v, y, max_memory="4MB"), product), scale=scale),
        worst(1e-13, (k.matvec(x, v[:first], x[:first]), within), scale=own),
    )


@check("differential", slice=20, full=3_000)
def single_precision(seed: int) -> Outcome:
    """Values in single precision against double precision, within the error that the library states."""
    rng = generator(seed)
    n, d = int(rng.integers(2, 200)), int(rng.integers(1, 6))
    x = points(rng, n, d)
    text = kernel(rng, x)
    k = mercer.Kernel(text)
    # What is stated may be loose, as for normalized kernels.
    return Outcome(distance(k(x, single=True), k(x), 1.0), min(1e-5, stated_single_error(text, x)))


@check("differential", slice=25, full=3_000)
def ridge_solvers(seed: int) -> Outcome:
    """Ridge regression by every solver, with all points as centers and under a small limit."""
    rng = generator(seed)
    n, d = int(rng.integers(5, 250)), int(rng.integers(1, 4))
    x = points(rng, n, d, str(rng.choice(["normal", "uniform", "scaled", "shifted"])))
    y = target(rng, x)
    text, alpha = kernel(rng, x), float(10 ** rng.uniform(-3, 1))
    fresh = points(rng, 20, d)
    intercept = bool(rng.random() < 0.5)
    common = {"kernel": text, "fit_intercept": intercept, "random_state": 0}
    expected = mercer.KernelRidge(alpha, solver="cholesky", **common).fit(x, y).predict(fresh)
    scale = np.abs(y).max()
    close = [
        Outcome(
            distance(mercer.KernelRidge(alpha, solver=solver, **common).fit(x, y).predict(fresh), expected, scale), b
        )
        for solver, b in (("mixed", 1e-8), ("eigen", 1e-9), ("auto", 1e-8))
    ]
    cg = mercer.KernelRidge(alpha, solver="cg", tol=1e-12, max_iter=20 * n, **common).fit(x, y)
    centers = mercer.KernelRidge(alpha, n_centers=n, tol=1e-12, max_iter=2000, **common).fit(x, y)
    return all_of(
        *close,
        Outcome(distance(cg.predict(fresh), expected, scale), 1e-6),
        Outcome(distance(centers.predict(fresh), expected, scale), 1e-4),
    )


@check("differential", slice=20, full=3_000)
def streamed_and_in_memory(seed: int) -> Outcome:
    """Streamed ridge regression in chunks against fits in memory: all points as landmarks, and on the same features."""
    rng = generator(seed)
    n, d = int(rng.integers(30, 250)), int(rng.integers(1, 4))
    x = points(rng, n, d, "normal")
    y, alpha = target(rng, x), float(10 ** rng.uniform(-2, 0))
    fresh, scale = points(rng, 20, d, "normal"), float(np.abs(y).max())
    common = {"kernel": "gaussian(lengthscale=1)", "random_state": 0}
    cuts = np.split(np.arange(n), np.sort(rng.choice(np.arange(1, n), size=3, replace=False)))

    def streamed(**more: object) -> np.ndarray:
        model = mercer.StreamedKernelRidge(alpha, **common, **more).fit(x, y).without_rows()
        for rows in cuts:
            model.partial_fit(x[rows], y[rows])
        return model.predict(fresh)

    exact = mercer.KernelRidge(alpha, kernel=common["kernel"], solver="cholesky").fit(x, y).predict(fresh)
    maps = mercer.RandomFourierFeatures(n_components=40, **common).fit(x)
    z, at = maps.transform(x), maps.transform(fresh)
    weights = np.linalg.solve(z.T @ z + alpha * np.eye(z.shape[1]), z.T @ y)
    return all_of(
        # The matrix of all points as landmarks has eigenvalues near rounding: 6e-7 in 200 problems.
        worst(1e-5, (streamed(n_components=n), exact), scale=scale),
        worst(1e-8, (streamed(features="fourier", n_components=40), at @ weights), scale=scale),
    )


@check("differential", slice=20, full=3_000)
def one_partition_and_many(seed: int) -> Outcome:
    """Statistics of one partition against those of many, merged in another order: the same model to the bit."""
    rng = generator(seed)
    n, d = int(rng.integers(30, 400)), int(rng.integers(1, 4))
    x = points(rng, n, d, "normal")
    y = target(rng, x)
    model = mercer.StreamedKernelRidge([1e-3, 1e-1], kernel="gaussian(lengthscale=1)", n_components=20, random_state=0)
    whole = model.fit(x, y).stream_
    cuts = np.sort(rng.choice(np.arange(1, n), size=int(rng.integers(1, 6)), replace=False))
    parts = []
    for rows in np.split(np.arange(n), cuts):
        part = whole.without_rows(int(rows[0]))
        part.update(x[rows], y[rows].reshape(-1, 1))
        # As it travels between computers.
        parts.append(mercer.RidgeStream.from_bytes(part.to_bytes()))
    order = rng.permutation(len(parts))
    merged = parts[order[0]]
    for at in order[1:]:
        merged.merge(parts[at])
    fresh = points(rng, 20, d, "normal")
    one, many = (stream.finish().predict(fresh) for stream in (whole, merged))
    return all_of(
        same_bytes(np.asarray(one), np.asarray(many)), worst(1e-12, (many, one), scale=float(np.abs(y).max()))
    )


@check("differential", slice=15, full=2_000)
def logistic_solvers(seed: int) -> Outcome:
    """Logistic regression by Newton steps, conjugate gradients and all points as centers."""
    rng = generator(seed)
    n, d = int(rng.integers(10, 150)), int(rng.integers(1, 4))
    x = points(rng, n, d, str(rng.choice(["normal", "uniform", "scaled"])))
    y = labels(rng, x, int(rng.integers(2, 4)))
    common = {"kernel": kernel(rng, x), "random_state": 0, "n_jobs": 1}
    alpha = float(10 ** rng.uniform(-1, 1))
    fresh = points(rng, 10, d)
    expected = mercer.KernelLogisticRegression(alpha, solver="newton", **common).fit(x, y).predict_proba(fresh)
    other = mercer.KernelLogisticRegression(alpha, solver="newton-cg", tol=1e-14, **common)
    centers = mercer.KernelLogisticRegression(alpha, n_centers=n, tol=1e-14, max_iter=500, **common)
    return all_of(
        Outcome(distance(other.fit(x, y).predict_proba(fresh), expected, 1.0), 1e-5),
        Outcome(distance(centers.fit(x, y).predict_proba(fresh), expected, 1.0), 1e-3),
    )


@check("differential", slice=15, full=2_000)
def saved_and_loaded(seed: int) -> Outcome:
    """A model that was saved and loaded predicts the same bits."""
    import tempfile

    rng = generator(seed)
    n, d = int(rng.integers(10, 80)), int(rng.integers(1, 4))
    x = points(rng, n, d)
    y, classes = target(rng, x), labels(rng, x, 2)
    text = kernel(rng, x)
    models = [
        mercer.KernelRidge(0.1, kernel=text).fit(x, y),
        mercer.SVC(kernel=text).fit(x, classes),
        mercer.KernelLogisticRegression(kernel=text).fit(x, classes),
        mercer.KernelPCA(2, kernel=text).fit(x),
        mercer.KernelKMeans(2, kernel=text, random_state=0).fit(x),
    ]
    model = models[int(rng.integers(len(models)))]
    method = "transform" if isinstance(model, mercer.KernelPCA) else "predict"
    with tempfile.TemporaryDirectory() as folder:
        mercer.save(model, f"{folder}/model.safetensors")
        again = mercer.load(f"{folder}/model.safetensors")
    fresh = points(rng, 9, d)
    first, second = getattr(model, method)(fresh), getattr(again, method)(fresh)
    return Outcome(finding=None if np.array_equal(first, second) else f"{type(model).__name__} differs after loading")
