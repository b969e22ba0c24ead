"""Calibrated models in model files: what `mercer.save` writes beside the fit, and `mercer.load` reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, clone

from mercer._conformal import ConformalClassifier, ConformalRegressor
from mercer._mercer import Calibration, FoldScores

#: Makes the estimator of a part of a file: its fit, its settings, its state, and the numbers of its classes.
PartMaker = Callable[[Any, dict[str, Any], Any, list[int]], Any]


def calibration_of(model: ConformalRegressor | ConformalClassifier) -> tuple[Calibration, dict[str, Any]]:
    """Return the calibration of a fitted model as a file holds it, and what Python needs beside it."""
    if any(not _same_units(part, model.estimator_) for part in model.estimators_):
        raise ValueError(
            "a file holds one scale of the targets, and every fold has its own: fit with normalize_y=False"
        )
    saved = [part._saved() for part in model.estimators_]
    pairwise = model.__sklearn_tags__().input_tags.pairwise
    trains = model._train if pairwise and saved else [None] * len(saved)
    parts = [
        (fit, _present(model, part), None if train is None else list(train))
        for (fit, _), part, train in zip(saved, model.estimators_, trains, strict=True)
    ]
    count = len(model.scores_)
    rows, folds = list(range(count)), list(range(count))
    if saved:
        folds = model._fold_of if isinstance(model, ConformalClassifier) else model._ranks.fold_of
    else:
        closed = model._closed()
        rows = (closed[0] if isinstance(closed, list) else closed).rows
    scores = FoldScores(folds, model.scores_ / _scale(model.estimator_))
    scoring = ("lac", False, 0)
    if isinstance(model, ConformalClassifier):
        scoring = (model.set_score, bool(model.randomized), model._noise)
    state = {"states": [state for _, state in saved], "flat": getattr(model, "_flat", True)}
    return Calibration(model.method_, scoring, rows, scores, parts), state


def calibrated(found: Calibration, base: Any, given: dict[str, Any] | None, part_of: PartMaker) -> Any:
    """Make the calibrated model of a file around its estimator.

    ``given`` holds the parameters and the state that Python wrote; None for a file of the command line or of Rust.
    """
    classifier = isinstance(base, ClassifierMixin)
    set_score, randomized, seed = found.scoring
    choices = {"set_score": set_score, "randomized": randomized} if classifier else {}
    choices = {"method": found.method, "random_state": seed, **choices} if given is None else given["parameters"]
    model = (ConformalClassifier if classifier else ConformalRegressor)(clone(base), **choices)
    state = {} if given is None else given["state"]
    states = state.get("states", [None] * len(found.parts))
    model.method_ = found.method
    model.estimator_ = base
    model.estimators_ = [
        part_of(fit, settings, state, present)
        for ((fit, settings), present, _), state in zip(found.parts, states, strict=True)
    ]
    # Only precomputed kernel values need the rows that a part was fitted on.
    model._train = [np.array([] if train is None else train, dtype=int) for _, _, train in found.parts]
    if given is not None and found.method == "split":
        # Python predicts with the fit of the split, the command line with one on all rows.
        model.estimator_ = model.estimators_[0]
    scores = found.scores.scores * _scale(base)
    model.scores_ = scores
    if classifier:
        model.classes_, model._noise, model._fold_of = base.classes_, seed, found.scores.fold_of
        return model
    model._flat = state.get("flat", scores.shape[1] == 1)
    if found.method != "jackknife+":
        model._ranks = FoldScores(found.scores.fold_of, scores)
    return model


def _present(model: Any, part: Any) -> list[int]:
    """Return the numbers of the classes in the fit of a fold."""
    return np.searchsorted(model.classes_, part.classes_).tolist() if hasattr(part, "classes_") else []


def _scale(estimator: Any) -> Any:
    """Return the size of the unit of every target of a fit."""
    return 1.0 if estimator._units is None else np.abs(estimator._units[1])


def _same_units(part: Any, whole: Any) -> bool:
    if part._units is None or whole._units is None:
        return part._units is whole._units
    return all(np.array_equal(a, b) for a, b in zip(part._units, whole._units, strict=True))
