"""Clocks and meters that the benchmarks share: best times of functions run in turn, the peak memory of a process."""

import math
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import mercer

# Seconds between two runs. The threads of OpenBLAS go on turning for some 30 ms after a product, in the time of what is
# run next: without a pause ours took 0.12 instead of 0.07 s beside scikit-learn's (a Gaussian process of 400 rows).
PAUSE = 0.1
# Runs after a pause, which slows down the first of a few milliseconds; longer ones are run once.
WARM = 3

PEAK = """
def peak():
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM"))
"""


@dataclass
class Row:
    """One comparison: seconds of both sides, the ratio to reach, and what else was found."""

    name: str
    peer: str
    ours: float
    theirs: float
    target: float
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.theirs / self.ours


def print_row(row: Row) -> Row:
    """Print a line of the table."""
    verdict = "" if math.isnan(row.target) else "ok" if row.ratio >= row.target else "MISSED"
    times = f"{row.ours:>9.4f}{row.theirs:>10.3f}{row.ratio:>8.1f}×{row.target:>6.1f}×  {verdict:<7}"
    print(f"{row.name:<38}{row.peer:<26}{times} {row.note}", flush=True)
    return row


def interleaved(functions: list[Callable[[], object]], repeat: int) -> list[tuple[float, float]]:
    """Return the best time and the least processor time of each function, run in turn to meet the same machine."""
    best = [(float("inf"), float("inf"))] * len(functions)
    for _ in range(repeat):
        for i, function in enumerate(functions):
            time.sleep(PAUSE)
            for _ in range(WARM):
                start, cpu = time.perf_counter(), time.process_time()
                result = function()
                clock, cpu = time.perf_counter() - start, time.process_time() - cpu
                best[i] = (min(best[i][0], clock), min(best[i][1], cpu))
                del result
                if clock > PAUSE:
                    break
    return best


def best_seconds(functions: list[Callable[[], object]], repeat: int) -> list[float]:
    """Return the best time on the clock of each function."""
    return [clock for clock, _ in interleaved(functions, repeat)]


def peak_growth(prepare: str, work: str) -> float:
    """Return the bytes by which `work` raises the peak memory of a fresh process that has run `prepare`.

    It is the system's count since the start of the program: getrusage would count the parent's memory too.
    """
    code = f"{PEAK}\n{prepare}\nbefore = peak()\n{work}\nprint(peak() - before)\n"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def warn_if_busy() -> None:
    """Warn if other processes use the computer: the ratios are then not those of a quiet one."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load > 0.5:
        print(f"The machine is busy (load {load:.1f} on {cores} cores): repeat this on a quiet one.\n")


def machine() -> dict[str, object]:
    """Describe what the figures were measured with."""
    return {
        "load": os.getloadavg()[0],
        "cores": os.cpu_count(),
        "processor": platform.machine(),
        "python": platform.python_version(),
        "mercer": mercer.__version__,
        "numpy": np.__version__,
    }
