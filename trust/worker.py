"""A process that runs cases; a crash or a hang ends it and not the run."""

from __future__ import annotations

import os
import sys
import time
import warnings
from multiprocessing.connection import Connection
from typing import Any

from trust.registry import Outcome, load_all


def serve(connection: Connection) -> None:
    """Run the cases that are requested, and report each before the next begins."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    checks = load_all()
    warnings.simplefilter("ignore")
    connection.send("ready")
    while (request := connection.recv()) is not None:
        key, first, last, seconds = request
        started = time.monotonic()
        for seed in range(first, last):
            began = time.monotonic()
            outcome = run_case(checks[key].run, seed)
            connection.send((seed, outcome, time.monotonic() - began))
            if time.monotonic() - started > seconds:
                break
        connection.send("done")


def run_case(run: Any, seed: int) -> Outcome:
    """Run one case; what it raises is a finding, a panic of the compiled part included."""
    try:
        return run(seed)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        frame = sys.exc_info()[2]
        while frame is not None and frame.tb_next is not None:
            frame = frame.tb_next
        place = f"{os.path.basename(frame.tb_frame.f_code.co_filename)}:{frame.tb_lineno}" if frame else "?"
        return Outcome(finding=f"{type(error).__name__} at {place}: {error}")
