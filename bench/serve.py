"""Requests per second of single rows: `mercer serve` beside FastAPI, uvicorn and scikit-learn, in turn on one machine.

    cargo build --release --workspace --bin mercer
    pip install -r bench/requirements-serve.txt
    python bench/serve.py [--program target/release/mercer] [--seconds 8] [--connections 64]

Beside the rate stands the processor time of the server per request, which depends less on what else the machine does.
The load comes from `wrk` (Debian's package) over loopback, on the same cores as the servers; without `wrk` from a
generator in this file, whose own time then counts too. Both servers have two threads or processes, and write no
access log. All models are made here from random numbers: ridge regression with a linear kernel on 10 columns, and a
support vector classifier of 2 000 rows and 50 columns with random classes, so that nearly all rows are support vectors.
"""

import argparse
import asyncio
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.svm import SVC

#: Requests of one run at most, whatever the time.
MOST = 2_000_000

PEER = """
import pickle, sys
import numpy as np
from fastapi import FastAPI

app = FastAPI()
with open({model!r}, "rb") as file:
    model = pickle.load(file)


@app.post("/predict")
async def predict(rows: list[list[float]]):
    return {{"prediction": model.predict(np.asarray(rows)).tolist()}}
"""

SCRIPT = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = [==[{body}]==]
"""


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_ready(url: str, body: bytes, server: subprocess.Popen) -> None:
    """Return when the server answers."""
    request = urllib.request.Request(url, data=body, headers={"Content-Type": "application/json"})
    for _ in range(300):
        if server.poll() is not None:
            sys.exit(f"the server ended with code {server.returncode}")
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                answer.read()
                return
        except OSError:
            time.sleep(0.1)
    sys.exit("the server does not answer")


def load_by_wrk(url: str, body: bytes, seconds: int, connections: int, folder: Path) -> tuple[float, float, int]:
    """Return requests per second, the 99th percentile in milliseconds, and the number of errors."""
    script = folder / "post.lua"
    script.write_text(SCRIPT.format(body=body.decode()))
    size = ["-t", "2", "-c", str(connections), "-d", f"{seconds}s"]
    words = ["wrk", *size, "--timeout", "10s", "--latency", "-s", str(script), url]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])
    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", text).groups()
    p99 = float(number) * {"us": 1e-3, "ms": 1.0, "s": 1e3}[unit]
    wrong = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    lost = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    return rate, p99, (int(wrong[1]) if wrong else 0) + (sum(map(int, lost.groups())) if lost else 0)


async def ask(host: str, port: int, bytes_: bytes, until: float, times: list[float]) -> int:
    """Send requests on one connection until the time is over; return the number of errors."""
    reader, writer = await asyncio.open_connection(host, port)
    errors = 0
    while time.perf_counter() < until and len(times) < MOST:
        start = time.perf_counter()
        writer.write(bytes_)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(re.search(rb"content-length: (\d+)", head.lower())[1])
        await reader.readexactly(length)
        errors += b" 200 " not in head[:16]
        times.append(time.perf_counter() - start)
    writer.close()
    return errors


def load_by_python(url: str, body: bytes, seconds: int, connections: int) -> tuple[float, float, int]:
    """Return the same, from a generator in Python."""
    port = int(re.search(r":(\d+)/", url)[1])
    lines = ["POST /predict HTTP/1.1", f"Host: 127.0.0.1:{port}", "Content-Type: application/json"]
    head = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""])
    times: list[float] = []

    async def run() -> int:
        until = time.perf_counter() + seconds
        asks = [ask("127.0.0.1", port, head.encode() + body, until, times) for _ in range(connections)]
        return sum(await asyncio.gather(*asks))

    start = time.perf_counter()
    errors = asyncio.run(run())
    return len(times) / (time.perf_counter() - start), 1e3 * float(np.percentile(times, 99)), errors


def processor_time(process: int) -> float:
    """Return the seconds of processor time of a process and its children so far, as Linux counts them."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return own + sum(processor_time(int(child)) for child in children)


def measure(words: list[str], url: str, body: bytes, options: argparse.Namespace, folder: Path) -> list[float]:
    """Start a server, load it, and stop it; return requests/s, the 99th percentile, microseconds of processor time."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(words, cwd=folder, env=environment, **quiet) as server:
        try:
            wait_until_ready(url, body, server)
            load = load_by_wrk if shutil.which("wrk") else lambda *words: load_by_python(*words[:4])
            load(url, body, 1, options.connections, folder)
            before = processor_time(server.pid)
            rate, p99, errors = load(url, body, options.seconds, options.connections, folder)
            spent = processor_time(server.pid) - before
        finally:
            server.terminate()
            server.wait()
    if errors:
        sys.exit(f"{errors} requests to {words[0]} were not answered")
    return [rate, p99, 1e6 * spent / (rate * options.seconds)]


def save_peer(model: object, folder: Path) -> None:
    """Write the application of the peer with its model."""
    import pickle

    (folder / "peer.pickle").write_bytes(pickle.dumps(model))
    (folder / "peer.py").write_text(PEER.format(model=str(folder / "peer.pickle")))


def fit_ours(program: str, words: list[str], x: np.ndarray, y: np.ndarray, folder: Path) -> str:
    """Fit with the command line; return the model file."""
    names = [f"x{i}" for i in range(x.shape[1])] + ["y"]
    np.savetxt(folder / "data.csv", np.column_stack([x, y]), delimiter=",", header=",".join(names), comments="")
    model = str(folder / "model.safetensors")
    subprocess.run([program, "fit", *words, str(folder / "data.csv"), "--target", "y", "-o", model, "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    return model


def compare(name: str, model: str, row: np.ndarray, options: argparse.Namespace, folder: Path) -> None:
    """Load both servers in turn and print a line of the table."""
    body = json.dumps([row.tolist()]).encode()
    port = free_port()
    url = f"http://127.0.0.1:{port}/predict"
    program = [options.program, "serve", model, "--port", str(port), "--threads", "2", "--quiet"]
    ours = measure(program, url, body, options, folder)
    logged = measure(program[:-1], url, body, options, folder)
    words = [sys.executable, "-m", "uvicorn", "peer:app", "--port", str(port), "--workers", "2", "--no-access-log"]
    theirs = measure(words, url, body, options, folder)
    print(
        f"{name:<34}{ours[0]:>9.0f}{ours[1]:>9.2f}{ours[2]:>8.0f}{logged[0]:>10.0f}"
        f"{theirs[0]:>10.0f}{theirs[1]:>9.2f}{theirs[2]:>8.0f}{ours[0] / theirs[0]:>7.1f}×{theirs[2] / ours[2]:>7.1f}×",
        flush=True,
    )


def main() -> None:
    """Make the models and run both servers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/mercer", help="the program (default: a release build)")
    parser.add_argument("--seconds", type=int, default=8, help="seconds of each run, at most 60 (default 8)")
    parser.add_argument("--connections", type=int, default=64, help="connections, at most 256 (default 64)")
    options = parser.parse_args()
    options.program = str(Path(options.program).resolve())
    options.seconds, options.connections = min(options.seconds, 60), min(options.connections, 256)
    source = "wrk" if shutil.which("wrk") else "Python"
    print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f} before the run; requests from {source}")
    ours, theirs = f"{'ours':>9}{'p99 ms':>9}{'cpu µs':>8}{'log':>10}", f"{'FastAPI':>10}{'p99 ms':>9}{'cpu µs':>8}"
    print(f"{'requests/s of single rows':<34}{ours}{theirs}{'ratio':>8}{'cpu':>8}", flush=True)
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        x = rng.normal(size=(1000, 10))
        y = x @ rng.normal(size=10) + rng.normal(size=1000)
        model = fit_ours(options.program, ["ridge", "--kernel", "linear()", "--lambda", "1"], x, y, folder)
        save_peer(Ridge(alpha=1.0).fit(x, y), folder)
        compare("linear ridge, 10 columns", model, x[0], options, folder)
        x = rng.normal(size=(2000, 50))
        y = rng.integers(0, 2, size=2000)
        model = fit_ours(options.program, ["svm", "--kernel", "gaussian(gamma=0.02)", "-C", "1"], x, y, folder)
        save_peer(SVC(gamma=0.02).fit(x, y), folder)
        compare("SVC, 2 000 support vectors × 50", model, x[0], options, folder)


if __name__ == "__main__":
    main()
