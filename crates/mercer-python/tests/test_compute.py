"""How to compute: threads, memory, progress, seeds, Ctrl-C, forks."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import tracemalloc

import numpy as np
import pytest

import mercer

K = mercer.gaussian(lengthscale=2) + mercer.matern(nu=1.5) * mercer.linear()
X = np.random.default_rng(3).normal(size=(500, 4))


def test_every_number_of_threads_gives_the_same_bytes():
    gram, product = K(X).tobytes(), K.matvec(X, X).tobytes()
    for n_jobs in [1, 2, 3, -1, -2, None]:
        assert K(X, n_jobs=n_jobs).tobytes() == gram
        assert K.matvec(X, X, n_jobs=n_jobs).tobytes() == product


def test_several_python_threads_at_once():
    expected, found = K(X), [None] * 4

    def work(i):
        found[i] = K(X)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(f.tobytes() == expected.tobytes() for f in found)


@pytest.mark.parametrize("limit", ["1MB", 1_000_000, "0.5 MiB"])
def test_memory_limit(limit):
    with pytest.raises(
        MemoryError, match=r"500 × 500 values needs 1\.91 MiB but the memory limit is .*: use fewer rows"
    ):
        K(X, max_memory=limit)
    assert K(X[:10], max_memory=limit).shape == (10, 10)


def test_a_request_far_too_large_is_refused_before_allocation():
    big = np.zeros((10_000_000, 1))
    with pytest.raises(MemoryError, match="TiB"):
        K(big)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_jobs": 0}, ValueError, "n_jobs = 0 is not allowed"),
        ({"max_memory": "lots"}, ValueError, "max_memory = lots is not allowed: it must be a positive size"),
        ({"max_memory": -1}, ValueError, "max_memory = -1 is not allowed"),
        ({"random_state": -1}, ValueError, "random_state = -1 is not allowed"),
        ({"threads": 1}, TypeError, "unexpected keyword argument 'threads'; there are n_jobs"),
    ],
)
def test_wrong_options(options, error, message):
    with pytest.raises(error, match=message):
        K(X, **options)


def test_seeds():
    k = mercer.gaussian(lengthscale="median")
    big = np.random.default_rng(4).normal(size=(3000, 2))
    one, again, other = (str(k.resolve(big, random_state=s)) for s in (0, 0, 1))
    assert one == again != other
    assert str(k.resolve(big)) == one
    for generator in [np.random.default_rng, np.random.RandomState]:
        texts = {str(k.resolve(big, random_state=generator(5))) for _ in range(2)}
        assert len(texts) == 1


def test_progress_bar(capsys):
    K(X, verbose=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Gram matrix [" in captured.err
    assert "100%" in captured.err
    assert captured.err.endswith("\n")
    K(X)
    assert capsys.readouterr().err == ""


def run_python(code, **kwargs):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **kwargs,
    )


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_control_c_stops_long_work():
    """Minutes of work, interrupted: the exception arrives and the process is still well."""
    process = run_python(
        """
        import mercer, numpy as np
        x = np.random.default_rng(0).normal(size=(400_000, 50))
        print("ready", flush=True)
        try:
            mercer.matern(nu=0.8).matvec(x, x)
        except KeyboardInterrupt:
            print("stopped", mercer.gaussian()(x[:2]).shape, flush=True)
        """
    )
    assert process.stdout.readline() == "ready\n"
    threading.Event().wait(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert out == "stopped (2, 2)\n", err
    assert process.returncode == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="systems with fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_work_in_a_forked_child():
    expected = K(X)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(K, (X,)).get(timeout=60).tobytes() == expected.tobytes()


def test_the_lock_is_released_during_work():
    """Another thread counts while the kernel works."""
    x = np.random.default_rng(6).normal(size=(3000, 20))
    done, ticks = threading.Event(), []

    def count():
        while not done.wait(0.001):
            ticks.append(1)

    thread = threading.Thread(target=count)
    thread.start()
    mercer.matern(nu=0.8)(x)
    done.set()
    thread.join()
    assert len(ticks) > 5


def test_arrays_are_not_copied():
    """Python's own count of memory sees neither a copy of the sample nor a second Gram matrix."""
    x = np.random.default_rng(7).normal(size=(2000, 100))
    mercer.gaussian()(x[:10])
    tracemalloc.start()
    gram = mercer.gaussian()(x)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert gram.shape == (2000, 2000)
    assert not gram.flags.owndata
    assert peak < x.nbytes / 4
