"""Callbacks of scikit-learn 1.9 and later: every fit is a task, every chunk of a stream a task of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

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
    context = self._init_callback_context()
    context.call_on_fit_task_begin(estimator=self, X=X, y=y)
    found = fit(self, *args, **params)
    context.call_on_fit_task_end(estimator=self, X=X, y=y, reconstruction_attributes=dict)
    return found


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
