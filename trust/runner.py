"""Runs checks in worker processes, with limits on the time of a case."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections import deque
from multiprocessing.connection import Connection, wait
from pathlib import Path

from trust.registry import Check, Outcome
from trust.state import Progress, Store
from trust.worker import serve

TURN_SECONDS = 3.0
"""How long a worker stays with a check before another one has its turn: all suites progress in a short run."""

WALL_FACTOR = 12.0
"""A case ends after this many times its limit of processor time, as others may use the processor."""


class Worker:
    """A process with the check that it is running."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other,), daemon=True)
        self.process.start()
        other.close()
        self.check: Check | None = None
        self.seed = 0
        self.began = time.monotonic()
        self.began_processor = 0.0

    def start(self, check: Check, first: int, last: int) -> None:
        """Hand out seeds from `first` to before `last`; the worker stops earlier at the end of its turn."""
        self.check = check
        self.begin(first)
        self.connection.send((check.key, first, last, TURN_SECONDS))

    def begin(self, seed: int) -> None:
        """Note that a case begins."""
        self.seed, self.began, self.began_processor = seed, time.monotonic(), processor_seconds(self.process.pid)

    def overdue(self) -> bool:
        """Whether the running case is over its limit."""
        if self.check is None:
            return False
        elapsed = time.monotonic() - self.began
        if elapsed < self.check.limit:
            return False
        used = processor_seconds(self.process.pid) - self.began_processor
        return used > self.check.limit or elapsed > WALL_FACTOR * self.check.limit

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def processor_seconds(pid: int | None) -> float:
    """Return the processor time of a process; the clock where the system does not report it."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return time.monotonic()


class Runner:
    """The run of many checks to their targets, or to a deadline."""

    def __init__(self, store: Store, targets: dict[str, int], checks: dict[str, Check], jobs: int) -> None:
        self.store = store
        self.checks = checks
        self.targets = targets
        self.progress = {key: store.load(key) for key in targets}
        self.waiting = deque(key for key in targets if self.progress[key].next_seed < targets[key])
        self.jobs = jobs
        self.workers: list[Worker] = []

    def run(self, deadline: float) -> bool:
        """Run until all targets are reached or the deadline has passed; return whether all were reached."""
        try:
            while time.monotonic() < deadline and (self.waiting or self.busy()):
                self.fill()
                self.listen()
            return not self.waiting and not self.busy()
        finally:
            for worker in self.workers:
                if worker.check is not None:
                    self.store.save(worker.check.key, self.progress[worker.check.key])
                worker.stop()

    def busy(self) -> bool:
        """Whether a worker has a check."""
        return any(worker.check is not None for worker in self.workers)

    def fill(self) -> None:
        """Give every idle worker a check."""
        while len(self.workers) < min(self.jobs, len(self.waiting)):
            worker = Worker()
            worker.connection.recv()
            self.workers.append(worker)
        for worker in self.workers:
            if worker.check is None and self.waiting:
                key = self.waiting.popleft()
                worker.start(self.checks[key], self.progress[key].next_seed, self.targets[key])

    def listen(self) -> None:
        """Take in results; end workers that are over their time."""
        by_connection: dict[Connection, Worker] = {worker.connection: worker for worker in self.workers}
        for ready in wait(list(by_connection), timeout=0.5):
            worker = by_connection[ready]  # type: ignore[index]
            try:
                self.take(worker, ready.recv())  # type: ignore[union-attr]
            except EOFError:
                code = worker.process.exitcode if worker.process.join(5) is None else None
                self.replace(worker, f"the process ended with code {code}")
        for worker in list(self.workers):
            if worker.overdue():
                limit = worker.check.limit if worker.check else 0
                self.replace(worker, f"hang: no answer after {limit:.0f} s of processor time")

    def take(self, worker: Worker, message: object) -> None:
        """Record a case, or the end of a turn."""
        check = worker.check
        if check is None:
            return
        if message == "done":
            self.finish(worker)
            return
        seed, outcome, seconds = message  # type: ignore[misc]
        self.progress[check.key].record(seed, outcome, seconds)
        worker.begin(seed + 1)

    def finish(self, worker: Worker) -> None:
        """Save a check after its turn, and put it at the end of the queue if cases are left."""
        assert worker.check is not None
        key = worker.check.key
        worker.check = None
        self.store.save(key, self.progress[key])
        if self.progress[key].next_seed < self.targets[key]:
            self.waiting.append(key)

    def replace(self, worker: Worker, finding: str) -> None:
        """Record what happened to a worker, and start another one at the next seed."""
        if worker.check is not None:
            elapsed = time.monotonic() - worker.began
            self.progress[worker.check.key].record(worker.seed, Outcome(finding=finding), elapsed)
            self.finish(worker)
        worker.stop()
        self.workers.remove(worker)


def totals(progress: dict[str, Progress]) -> tuple[int, int]:
    """Return the numbers of cases and of failures."""
    return sum(p.next_seed for p in progress.values()), sum(p.failed for p in progress.values())
