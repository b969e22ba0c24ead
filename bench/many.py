"""One machine and many: what a fit on Dask costs beside one process, and what bounds a fit of a billion rows.

    python bench/many.py --rows 1000000 --json many.json

Rows are generated in partitions, 20 columns each, and fitted by `StreamedKernelRidge` on random Fourier features:
by one process with two threads, and by a LocalCluster of two workers with one thread each. The bytes of the two models
are compared. Then the statistics of partitions are merged by trees, of which the time for 1 000 workers follows.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
from timing import machine, warn_if_busy

import mercer

COLUMNS = 20


def rows_of(start: int, stop: int) -> np.ndarray:
    """Return rows and targets, the targets last: the same for every cut, as blocks have their own seeds."""
    block = 10_000
    parts = []
    for at in range(start // block, (stop - 1) // block + 1):
        rng = np.random.default_rng([7, at])
        x = rng.normal(size=(block, COLUMNS))
        y = np.sin(x[:, 0]) + x[:, 1] * x[:, 2] + 0.3 * rng.normal(size=block)
        parts.append(np.column_stack([x, y])[max(start - at * block, 0) : stop - at * block])
    return np.concatenate(parts)


def model(features: int, alphas: int) -> mercer.StreamedKernelRidge:
    values = np.geomspace(1e-3, 1e3, alphas) if alphas > 1 else [1.0]
    kernel = "gaussian(lengthscale=5)"
    return mercer.StreamedKernelRidge(
        values, kernel=kernel, n_components=features, features="fourier", fit_intercept=True, random_state=0
    )


def saved(fitted: mercer.StreamedKernelRidge) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        mercer.save(fitted, path)
        return path.read_bytes()


def one_process(rows: int, partition: int, given: tuple[int, int], sample: np.ndarray) -> tuple[float, bytes]:
    """Fit chunk by chunk with two threads; the features are drawn from the sample of the fit on Dask."""
    began = time.perf_counter()
    fitted = model(*given).set_params(n_jobs=2)
    fitted = fitted.partial_fit(sample, np.zeros(len(sample))).without_rows()
    for start in range(0, rows, partition):
        part = rows_of(start, min(start + partition, rows))
        fitted.partial_fit(part[:, :-1], part[:, -1])
    data = saved(fitted)
    return time.perf_counter() - began, data


def cluster(rows: int, partition: int, given: tuple[int, int]) -> tuple[float, bytes]:
    """Fit on two workers with one thread each."""
    import dask
    import dask.array as da
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local,
        Client(local),
    ):
        starts = range(0, rows, partition)
        parts = [dask.delayed(rows_of)(start, min(start + partition, rows)) for start in starts]
        lengths = [min(partition, rows - start) for start in starts]
        whole = da.concatenate(
            [da.from_delayed(p, shape=(n, COLUMNS + 1), dtype=float) for p, n in zip(parts, lengths, strict=True)]
        )
        began = time.perf_counter()
        data = saved(model(*given).fit(whole[:, :-1], whole[:, -1]))
        return time.perf_counter() - began, data


def sample_of(rows: int, features: int) -> np.ndarray:
    """Return the rows from which the fit on Dask draws its features."""
    from mercer._dask import SAMPLE
    from mercer._mercer import sample_rows

    chosen = sample_rows(rows, max(SAMPLE, 10 * features), random_state=0)
    blocks = {}
    for row in chosen:
        blocks.setdefault(row // 10_000, []).append(row % 10_000)
    return np.concatenate([rows_of(block * 10_000, (block + 1) * 10_000)[own, :-1] for block, own in blocks.items()])


def exact_share(features: int, alphas: int) -> dict[str, float]:
    """Return processor seconds of 100 000 rows on one thread: with exact sums, and plain sums of the same features."""
    part = rows_of(0, 100_000)
    fitted = model(features, alphas).set_params(n_jobs=1).partial_fit(part[:10_000, :-1], part[:10_000, -1])
    transformer = mercer.RandomFourierFeatures("gaussian(lengthscale=5)", features, random_state=0, n_jobs=1).fit(
        part[:10, :-1]
    )
    times = {"exact": [], "plain": []}
    for _ in range(3):
        empty = fitted.without_rows()
        began = time.process_time()
        empty.partial_fit(part[:, :-1], part[:, -1])
        times["exact"].append(time.process_time() - began)
        began = time.process_time()
        plain = [mercer.RidgeStatistics(features) for _ in range(5 if alphas > 1 else 1)]
        for start in range(0, len(part), 1024 * len(plain)):
            block = part[start : start + 1024 * len(plain)]
            for fold, statistics in enumerate(plain):
                own = block[fold :: len(plain)]
                statistics.update(transformer.transform(own[:, :-1]), own[:, -1], n_jobs=1)
        times["plain"].append(time.process_time() - began)
    return {name: min(found) for name, found in times.items()}


def tree(features: int, alphas: int, workers: int) -> dict[str, float]:
    """Measure a merge of four statistics, with their bytes, and add up the levels of a tree over workers."""
    part = rows_of(0, 50_000)
    fitted = model(features, alphas).set_params(n_jobs=1).partial_fit(part[:, :-1], part[:, -1])
    parts = [fitted.without_rows(50_000 * i).partial_fit(part[:, :-1], part[:, -1]) for i in range(4)]
    data = [p.stream_.to_bytes() for p in parts]
    began = time.process_time()
    merged = mercer.RidgeStream.from_bytes(data[0])
    for other in data[1:]:
        merged.merge(mercer.RidgeStream.from_bytes(other), n_jobs=1)
    merged.to_bytes()
    seconds = time.process_time() - began
    levels, count = 0, workers
    while count > 1:
        count = -(-count // 4)
        levels += 1
    network = 3 * max(len(d) for d in data) / 125e6
    return {
        "bytes": max(len(d) for d in data),
        "seconds per merge of 4": seconds,
        "levels": levels,
        "seconds of the tree, without the network": levels * seconds,
        "seconds of the tree, at 1 Gbit/s": levels * (seconds + network),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--partition", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=300)
    parser.add_argument("--alphas", type=int, default=5)
    parser.add_argument("--json", type=Path)
    words = parser.parse_args()
    warn_if_busy()
    given = (words.features, words.alphas)
    found = {"machine": machine(), "rows": words.rows, "features": words.features, "alphas": words.alphas}
    single, first = one_process(words.rows, words.partition, given, sample_of(words.rows, words.features))
    both, second = cluster(words.rows, words.partition, given)
    found["one process, 2 threads"], found["2 workers, 1 thread each"] = single, both
    found["overhead"] = both / single - 1
    found["same bytes"] = first == second
    share = exact_share(*given)
    found["exact sums"] = share | {"share": share["exact"] / share["plain"] - 1}
    found["seconds per 1e6 rows and core"] = 10 * share["exact"]
    found["tree of 1000 workers"] = tree(*given, 1000)
    print(json.dumps(found, indent=2))
    if words.json:
        words.json.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
