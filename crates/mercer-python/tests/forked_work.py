"""Everything that works with threads, run in forked children of a process that has used its threads; see test_fork.py.

``python forked_work.py MODE N_JOBS`` prints a line of JSON: what became of every piece of work.
"""

import json
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings

import numpy as np
from joblib import Parallel, delayed

import mercer

#: Seconds after which a child counts as hanging.
LIMIT = 120
ROWS = 1500

rng = np.random.default_rng(0)
X = rng.normal(size=(ROWS, 3))
Y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=ROWS)
LABELS = np.where(Y > 0, "up", "down")
A, B = X[:300], X[300:600] * [1.0, 1.5, 1.0]
RBF = "gaussian(lengthscale=1)"


def fitted(name, targets=None, rows=ROWS, columns=3, after="predict", **settings):
    """A fit and what follows it."""

    def work(how):
        model = getattr(mercer, name)(**settings).set_params(**how)
        x = X[:rows, :columns]
        model.fit(x, None if targets is None else targets[:rows])
        return getattr(model, after)(x[:200])

    return work


def coupled(how):
    model = mercer.CoupledKernelEmbedding(2, affinity="pairs", **how).fit(X[:200], X[:200])
    return model.match(X[:50], X[:200])


def streamed(how):
    model = mercer.StreamedKernelRidge(0.1, kernel=RBF, n_components=64, **how)
    return model.partial_fit(X, Y).partial_fit(X, Y).predict(X[:100])


def sequential(how):
    test = mercer.SequentialTwoSampleTest(level=0.05)
    return [test.update(A[i : i + 50], B[i : i + 50]) for i in range(0, 300, 50)]


def statistics(kind):
    def work(how):
        z = mercer.RandomFourierFeatures(RBF, 64, **how).fit_transform(X)
        sizes = {"MeanStatistics": (64,), "CovarianceStatistics": (64, 64), "RidgeStatistics": (64,)}[kind]
        parts = [getattr(mercer, kind)(*sizes) for _ in range(2)]
        for part, rows in zip(parts, (slice(0, 500), slice(500, None)), strict=True):
            given = {"MeanStatistics": (), "CovarianceStatistics": (z[rows],), "RidgeStatistics": (Y[rows],)}[kind]
            part.update(z[rows], *given)
        parts[0].merge(parts[1])
        return parts[0].finish(*([0.1] if kind == "RidgeStatistics" else []))

    return work


def file(how):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        mercer.save(mercer.KernelRidge(0.1, kernel=RBF, **how).fit(X, Y), path)
        return mercer.load(path).predict(X[:100])


WORK = {
    "BinnedClassifier": fitted("BinnedClassifier", LABELS, kernel="laplacian(norm=l1)", n_grids=20),
    "BinnedRegressor": fitted("BinnedRegressor", Y, kernel="laplacian(norm=l1)", n_grids=20),
    "ClassicalScaling": fitted("ClassicalScaling", rows=400, after="transform"),
    "ConformalClassifier": lambda how: (
        mercer.ConformalClassifier(mercer.KernelLogisticRegression(kernel=RBF, **how))
        .fit(X[:200], LABELS[:200])
        .predict_set(X[:50])
    ),
    "ConformalRegressor": lambda how: (
        mercer.ConformalRegressor(mercer.KernelRidge(0.1, kernel=RBF, **how))
        .fit(X[:300], Y[:300])
        .predict_interval(X[:50])
    ),
    "CoupledKernelEmbedding": coupled,
    "EmpiricalKernelMap": fitted("EmpiricalKernelMap", rows=400, after="transform"),
    "ExplicitFeatures": fitted("ExplicitFeatures", after="transform"),
    "GaussianProcessRegressor": fitted("GaussianProcessRegressor", Y, rows=300),
    "KernelCCA": fitted("KernelCCA", Y, rows=400, after="transform"),
    "KernelICA": fitted("KernelICA", rows=300, after="transform"),
    "KernelKMeans": fitted("KernelKMeans", rows=600),
    "KernelLogisticRegression": fitted("KernelLogisticRegression", LABELS, kernel=RBF),
    "KernelMachine": fitted("KernelMachine", Y, rows=500, kernel=RBF, loss="huber"),
    "KernelPCA": fitted("KernelPCA", kernel=RBF, n_components=2, after="transform"),
    "KernelRidge": fitted("KernelRidge", Y, kernel=RBF),
    "KernelRidge on a line": fitted("KernelRidge", Y, columns=1, kernel="matern(nu=3/2)"),
    "KernelRidge on centers": fitted("KernelRidge", Y, kernel=RBF, n_centers=50),
    "KernelRidgeCV": fitted("KernelRidgeCV", Y, rows=500, kernel=RBF),
    "LocalLinear": fitted("LocalLinear", Y, columns=1),
    "MultipleKernelClassifier": fitted("MultipleKernelClassifier", LABELS, rows=300),
    "MultipleKernelOneClass": fitted("MultipleKernelOneClass", rows=300),
    "MultipleKernelRegressor": fitted("MultipleKernelRegressor", Y, rows=300),
    "NadarayaWatson": fitted("NadarayaWatson", Y),
    "NuSVC": fitted("NuSVC", LABELS, nu=0.2),
    "NuSVR": fitted("NuSVR", Y),
    "Nystroem": fitted("Nystroem", after="transform"),
    "OneClassSVM": fitted("OneClassSVM"),
    "RandomBinningFeatures": fitted("RandomBinningFeatures", after="transform"),
    "RandomFourierFeatures": fitted("RandomFourierFeatures", after="transform"),
    "SVC": fitted("SVC", LABELS),
    "SVC with probabilities": fitted("SVC", LABELS, rows=600, probability=True),
    "SVCCV": fitted("SVCCV", LABELS, rows=400),
    "SVR": fitted("SVR", Y),
    "SpectralClustering": fitted("SpectralClustering", rows=600),
    "SmoothingSpline": fitted("SmoothingSpline", Y, columns=1),
    "StreamedKernelLogisticRegression": fitted("StreamedKernelLogisticRegression", LABELS, kernel=RBF, n_components=40),
    "StreamedKernelRidge": streamed,
    "load": file,
    "save": file,
    "column_tests": lambda how: mercer.column_tests(A, B, permutations=99, **how),
    "conditional_independence_test": lambda how: mercer.conditional_independence_test(
        X[:200, 0], X[:200, 1], X[:200, 2], permutations=99, **how
    ),
    "goodness_of_fit_test": lambda how: mercer.goodness_of_fit_test(A, lambda x: -x, permutations=99, **how),
    "independence_test": lambda how: mercer.independence_test(A[:, 0], A[:, 1], permutations=99, **how),
    "interaction_test": lambda how: mercer.interaction_test(A[:, 0], A[:, 1], A[:, 2], permutations=99, **how),
    "joint_independence_test": lambda how: mercer.joint_independence_test(list(A.T), permutations=99, **how),
    "two_sample_test": lambda how: mercer.two_sample_test(A, B, permutations=99, **how),
    "SequentialTwoSampleTest": sequential,
    "mmd": lambda how: mercer.mmd(A, B, **how),
    "mmd_witness": lambda how: mercer.mmd_witness(A, B)(X),
    "energy_distance": lambda how: mercer.energy_distance(A, B, **how),
    "wasserstein": lambda how: mercer.wasserstein(A[:, 0], B[:, 0]),
    "hsic": lambda how: mercer.hsic(X, X, **how),
    "normalized_hsic": lambda how: mercer.normalized_hsic(X, X, **how),
    "distance_covariance": lambda how: mercer.distance_covariance(X, X, **how),
    "distance_correlation": lambda how: mercer.distance_correlation(X, X, **how),
    "dhsic": lambda how: mercer.dhsic(list(A.T), **how),
    "lancaster": lambda how: mercer.lancaster(A[:, 0], A[:, 1], A[:, 2], **how),
    "stein_discrepancy": lambda how: mercer.stein_discrepancy(A, lambda x: -x, **how),
    "repair": lambda how: mercer.repair(-np.eye(300), **how),
    "Kernel": lambda how: mercer.gaussian(lengthscale="median")(X, **how),
    "Kernel, normalized": lambda how: mercer.Kernel("normalized(polynomial(degree=2))")(X, **how),
    "Check": lambda how: mercer.tanh(scale=1).check(**how),
    "Spectrum": lambda how: mercer.Spectrum("gaussian()", X[:300], n_components=5, **how),
    "Function": lambda how: mercer.Function.interpolate("gaussian()", X[:300], Y[:300])(X),
    "MeanEmbedding": lambda how: mercer.MeanEmbedding(RBF, X).norm(),
    "LawEmbedding": lambda how: mercer.LawEmbedding.normal(RBF, np.zeros(3), np.eye(3))(X),
    "EmbeddingSketch": lambda how: mercer.EmbeddingSketch(RBF, 200, columns=3).add(X),
    "MeanStatistics": statistics("MeanStatistics"),
    "CovarianceStatistics": statistics("CovarianceStatistics"),
    "RidgeStatistics": statistics("RidgeStatistics"),
}
#: A model that was fitted in the parent; what it computes at its first use is computed in the
#: children.
LINE = mercer.KernelRidge(0.1, kernel="matern(nu=3/2)")
WORK["a model of the parent"] = lambda how: LINE.predict(X[:100, :1], return_std=True)


def how(n_jobs, name):
    model = getattr(mercer, name.partition(" ")[0], None)
    takes = not isinstance(model, type) or hasattr(model, "get_params") or name in ("Kernel", "Spectrum", "Check")
    return {"n_jobs": n_jobs} if n_jobs is not None and takes else {}


def attempt(name, n_jobs):
    """Do one piece of work; return what went wrong, as a text."""
    try:
        with warnings.catch_warnings(action="ignore"):
            WORK[name](how(n_jobs, name))
    except BaseException:
        return traceback.format_exc()
    return "done"


def in_child(name, n_jobs):
    """Do one piece of work after os.fork, and wait for it no longer than the limit."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.write(write, attempt(name, n_jobs).encode()[-2000:])
        os._exit(0)
    os.close(write)
    end = time.monotonic() + LIMIT
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(read)
            return "hangs"
        time.sleep(0.005)
    with os.fdopen(read) as answer:
        return answer.read() or "died"


def beside_threads(n_jobs):
    """Fork while other threads of the parent are at work in Mercer."""
    stop = threading.Event()

    def busy(kernel):
        while not stop.is_set():
            mercer.Kernel(kernel)(X[:700])
            mercer.SVC(kernel=kernel).fit(X[:200], LABELS[:200])

    threads = [threading.Thread(target=busy, args=(k,)) for k in ("gaussian()", "normalized(polynomial(degree=3))")]
    for thread in threads:
        thread.start()
    try:
        return {name: in_child(name, n_jobs) for name in WORK}
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def in_pool(n_jobs):
    with multiprocessing.get_context("fork").Pool(2) as pool:
        tasks = {name: pool.apply_async(attempt, (name, n_jobs)) for name in WORK}
        return {name: answer.get(timeout=LIMIT) for name, answer in tasks.items()}


def in_joblib(n_jobs):
    done = Parallel(n_jobs=2, backend="multiprocessing", timeout=LIMIT)(delayed(attempt)(name, n_jobs) for name in WORK)
    return dict(zip(WORK, done, strict=True))


MODES = {
    "fork": lambda n_jobs: {name: in_child(name, n_jobs) for name in WORK},
    "threads": beside_threads,
    "pool": in_pool,
    "joblib": in_joblib,
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    # The parent has used its threads: all of them, and a number of them.
    mercer.gaussian()(X)
    mercer.gaussian()(X, n_jobs=2)
    mercer.SVC().fit(X[:300], LABELS[:300])
    LINE.fit(X[:, :1], Y)
    found = MODES[sys.argv[1]](None if sys.argv[2] == "None" else int(sys.argv[2]))
    print(json.dumps(found))
