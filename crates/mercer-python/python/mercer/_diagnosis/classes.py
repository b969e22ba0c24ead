"""Checks of classifiers: balance of the classes, support vectors, accuracy, probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._displays.calibration import CalibrationDisplay, _left_out

_FEW = 30


def check_classes(model: Any, X: Any, y: Any, notes: Any) -> None:
    """Check a classifier."""
    _balance(model, y, notes)
    _support(model, notes)
    for name, fact in (("C_", "C"), ("best_score_", "accuracy of the folds")):
        if hasattr(model, name):
            notes.fact(fact, float(getattr(model, name)))
    if y is not None:
        _accuracy(model, X, np.asarray(y), notes)
    elif hasattr(model, "best_score_"):
        _above_chance(float(model.best_score_), model, "accuracy of the folds", notes)


def _counts(model: Any, y: Any = None) -> np.ndarray | None:
    if y is not None:
        return np.array([(np.asarray(y) == c).sum() for c in model.classes_])
    found = getattr(model, "_class_counts", None)
    return None if found is None else np.asarray(found)


def _balance(model: Any, y: Any, notes: Any) -> None:
    counts = _counts(model) if _counts(model) is not None else _counts(model, y)
    if counts is None or not counts.sum():
        return
    shown = ", ".join(f"{name}: {n}" for name, n in zip(model.classes_[:6], counts[:6], strict=True))
    notes.fact("classes", shown + (" …" if len(counts) > 6 else ""))
    share = counts.min() / counts.sum()
    if share < 0.2 / len(counts):
        rare = model.classes_[int(counts.argmin())]
        advice = 'class_weight="balanced", and a score that is not the accuracy'
        given = getattr(model, "class_weight", None) is not None
        (notes.note if given else notes.warn)("balance", f"class {rare} is {100 * share:.1f} % of the rows", advice)
    else:
        notes.ok("balance", f"the smallest class is {100 * share:.0f} % of the rows")


def _support(model: Any, notes: Any) -> None:
    if not hasattr(model, "support_"):
        return
    share, rows = notes.support(model)
    if share > 0.9 and rows > _FEW:
        advice = "the lengthscale is too short, or C too small: search with SVCCV"
        notes.warn("support vectors", f"{100 * share:.0f} % of the rows are support vectors", advice)
    else:
        notes.ok("support vectors", f"{100 * share:.0f} % of the rows")


def _accuracy(model: Any, X: Any, y: np.ndarray, notes: Any) -> None:
    if X is None:
        try:
            proba = _left_out(model)
        except (ValueError, AttributeError):
            notes.note("accuracy", "X is needed beside y: the model has no leave-one-out decisions")
            return
        predicted, word = model.classes_[proba.argmax(axis=1)], "leave-one-out accuracy"
    else:
        predicted, word = model.predict(X), "accuracy"
        proba = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    if len(predicted) != len(y):
        raise ValueError(f"y: expected {len(predicted)} labels, found {len(y)}")
    score = float(np.mean(predicted == y))
    notes.fact(word, score)
    _above_chance(score, model, word, notes)
    if len(np.unique(predicted)) == 1 and len(np.unique(y)) > 1:
        notes.warn("predictions", f"every row is predicted to be {predicted[0]}", "class weights, or another kernel")
    if proba is not None and len(y) >= _FEW:
        _calibration(model, y, proba, notes)


def _above_chance(score: float, model: Any, word: str, notes: Any) -> None:
    counts = _counts(model)
    if counts is None or not counts.sum():
        return
    most = counts.max() / counts.sum()
    if score <= most:
        notes.warn("accuracy", f"{word} {score:.3f} is not above the largest class alone ({most:.3f})", "search again")
    else:
        notes.ok("accuracy", f"{word} {score:.3f}, the largest class alone has {most:.3f}")


def _calibration(model: Any, y: np.ndarray, proba: np.ndarray, notes: Any) -> None:
    """Count the bins whose observed frequency contradicts the stated one."""
    display = CalibrationDisplay._probabilities(y, proba, list(model.classes_), 10)
    wrong = total = 0
    gaps = []
    for curve in display.curves:
        low, high = curve["band"]
        wrong += int(((curve["stated"] < low) | (curve["stated"] > high)).sum())
        total += len(low)
        gaps.append(float(np.average(np.abs(curve["stated"] - curve["observed"]), weights=curve["count"])))
    gap = max(gaps)
    text = f"{wrong} of {total} bins differ from the stated probabilities, by {gap:.2f} in the mean"
    # One bin in twenty differs by chance.
    if wrong > max(2, 0.2 * total):
        notes.warn("calibration", text, "CalibrationDisplay shows them; calibrate by folds (probability=True)")
    else:
        notes.ok("calibration", text)
