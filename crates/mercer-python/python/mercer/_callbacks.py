"""Callbacks of scikit-learn 1.9 and later: a fit is a task, and so are its stages or passes, and chunks of a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import wraps
from inspect import signature
from typing import Any

from mercer._dask import is_dask
from mercer._tables import refuse_dask

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9 has no callbacks.

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands where scikit-learn has no callbacks."""

    with_callbacks = None


def _is_watched(estimator: Any) -> bool:
    """Whether callbacks were set on an estimator, or on the one that fits it; a fit within a fit is no task."""
    known = estimator.__dict__
    return ("_skl_callbacks" in known or "_parent_callback_ctx" in known) and "_callback_fit_ctx" not in known


def reported(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method ``fit`` so that it is a task for callbacks, and notes its data."""

    @wraps(fit)
    def as_task(self: Any, *args: Any, **params: Any) -> Any:
        self._forget_data()
        if not self._partitioned and is_dask(*args, *params.values()):
            names = list(signature(fit).parameters)[1:]
            refuse_dask(f"{type(self).__name__}.fit", **dict(zip(names, args, strict=False)), **params)
        if with_callbacks is None or not _is_watched(self):
            found = fit(self, *args, **params)
        else:
            found = with_callbacks(_run)(self, fit, args, params)
        self._note_data(args, params)
        return found

    return as_task


def _run(self: Any, fit: Callable[..., Any], args: Any, params: dict[str, Any]) -> Any:
    given = dict(zip(("X", "y"), args, strict=False)) | params
    X, y = given.get("X"), given.get("y")
    context = self._init_callback_context(max_subtasks=None)
    context.call_on_fit_task_begin(estimator=self, X=X, y=y)
    # The data of the passes: partitions would be loaded by a callback that evaluates the model.
    self._pass_data = {} if is_dask(X, y) else {"X": X, "y": y}
    # Passes are tasks themselves, and what partitions compute may run on other machines.
    self._stages = None if self._fits_in_passes(X) or is_dask(X, y) else Stages(self, context)
    try:
        found = fit(self, *args, **params)
        if self._stages is not None:
            self._stages.close()
    finally:
        del self._pass_data, self._stages
    context.call_on_fit_task_end(estimator=self, X=X, y=y, reconstruction_attributes=dict)
    return found


class Stages:
    """The stages of the work of a fit as tasks, each with a subtask for every twentieth that is done.

    The compiled part calls it while it works, some times in a second: short fits have no stages.
    """

    STEPS = 20

    def __init__(self, estimator: Any, root: Any) -> None:
        """Report the stages of the fit of an estimator, whose task is ``root``."""
        self.estimator, self.root = estimator, root
        self.stage: Any = None
        self.work, self.done, self.steps = "", 0, 0

    def __call__(self, work: str, done: int, total: int) -> None:
        """Note how much of some work is done."""
        if self.stage is None or work != self.work or done < self.done:
            self.close()
            self.stage = self.root.subcontext(task_name=work, max_subtasks=self.STEPS)
            self.stage.call_on_fit_task_begin(estimator=self.estimator)
            self.steps = 0
        self.work, self.done = work, done
        while self.steps < self.STEPS * min(done, total) // max(total, 1):
            step = self.stage.subcontext(task_name="step")
            step.call_on_fit_task_begin(estimator=self.estimator)
            step.call_on_fit_task_end(estimator=self.estimator)
            self.steps += 1

    def close(self) -> None:
        """End the stage that runs."""
        if self.stage is not None:
            self.stage.call_on_fit_task_end(estimator=self.estimator)
            self.stage = None


class Pass:
    """A pass over the rows: how to make the fit at its end, and whether a callback requested a stop there."""

    def __init__(self) -> None:
        self.fit: Callable[[], Any] = dict
        self.is_stopped = False


@contextmanager
def a_pass(estimator: Any) -> Iterator[Pass]:
    """Report what is inside as a task of the fit of an estimator, where callbacks were set on it."""
    root, task = estimator.__dict__.get("_callback_fit_ctx"), Pass()
    if root is None:
        yield task
        return
    context = root.subcontext(task_name="pass")
    data = {"estimator": estimator, **estimator._pass_data}
    context.call_on_fit_task_begin(**data)
    yield task

    def attributes() -> dict[str, Any]:
        fitted = copy(estimator)
        fitted._adopt(task.fit())
        return vars(fitted)

    task.is_stopped = context.call_on_fit_task_end(**data, reconstruction_attributes=attributes)


def each_chunk(estimator: Any, chunks: Iterable[tuple[Any, ...]], process: Callable[..., Any]) -> None:
    """Process the chunks of a stream, each as a task, until the last one or until a callback requests a stop."""
    if with_callbacks is None or not _is_watched(estimator):
        for chunk in chunks:
            process(*chunk)
        return
    with_callbacks(_stream)(estimator, chunks, process)


def _stream(estimator: Any, chunks: Iterable[tuple[Any, ...]], process: Callable[..., Any]) -> None:
    root = estimator._init_callback_context(max_subtasks=None)
    root.call_on_fit_task_begin(estimator=estimator)
    for chunk in chunks:
        data = {"estimator": estimator, "X": chunk[0], "y": chunk[1]}
        context = root.subcontext(task_name="chunk")
        context.call_on_fit_task_begin(**data)
        process(*chunk)
        if context.call_on_fit_task_end(**data, reconstruction_attributes=dict):
            break
    root.call_on_fit_task_end(estimator=estimator, reconstruction_attributes=dict)
