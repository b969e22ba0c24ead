"""Model files: the same that the command line and Rust write and read."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import mercer
from mercer._conformal import ConformalClassifier, ConformalRegressor
from mercer._conformal_files import calibrated, calibration_of
from mercer._estimator import Estimator
from mercer._features import FeatureTransformer
from mercer._gaussian_process import GaussianProcessRegressor
from mercer._kernel_names import as_parameter, object_kernel
from mercer._learner import LearnerEstimator
from mercer._logistic import KernelLogisticRegression
from mercer._machine import KernelMachine
from mercer._margins import labels_of
from mercer._mercer import (
    AnyFit,
    Calibration,
    GaussianProcessFit,
    Inputs,
    LocalFit,
    PenalizedFit,
    RidgeFit,
    SharedProcessFit,
    SplineFit,
    StreamedRidgeFit,
    SvcFit,
    SvmFit,
    load_model,
    save_model,
)
from mercer._plain import from_plain, to_plain
from mercer._ridge import KernelRidge
from mercer._ridge_cv import KernelRidgeCV
from mercer._settings import RUN, parameters
from mercer._smoothers import LocalLinear, NadarayaWatson
from mercer._spline import SmoothingSpline
from mercer._streamed import StreamedKernelRidge
from mercer._svm import SVC, NuSVC
from mercer._svm_cv import SVCCV
from mercer._svr import SVR, NuSVR, OneClassSVM

#: The notes in which an estimator travels beside what was fitted.
_CLASS, _PARAMETERS, _STATE = "python.estimator", "python.parameters", "python.state"
#: The note of a calibration: the parameters of the class around the estimator, and its state.
_CALIBRATION = "python.calibration"
_CLASSES: dict[type, tuple[type, ...]] = {
    RidgeFit: (KernelRidge, KernelRidgeCV),
    GaussianProcessFit: (GaussianProcessRegressor,),
    SharedProcessFit: (GaussianProcessRegressor,),
    SplineFit: (SmoothingSpline,),
    LocalFit: (NadarayaWatson, LocalLinear),
    SvcFit: (SVC, NuSVC, SVCCV),
    SvmFit: (SVR, NuSVR, OneClassSVM),
    PenalizedFit: (KernelLogisticRegression, KernelMachine),
    StreamedRidgeFit: (StreamedKernelRidge,),
}


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a model file, whole or not at all.

    The command line (``mercer predict``), Rust and `load` read it, and predict with the same bytes. Names of columns
    are stored; a model that was fitted without them takes any table with the right number of columns. A
    `ConformalRegressor` or `ConformalClassifier` around an estimator of this package is stored with its calibration,
    so that ``mercer predict --interval conformal`` gives the same intervals. The file holds
    the parameters beside the answer, and nothing about the run: ``n_jobs``, ``max_memory``, ``max_time``,
    ``cache_size`` and ``verbose`` are not in it, and its bytes do not depend on them.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this package.
    path : str or path
        The file, which is replaced if it exists.

    Returns
    -------
    None

    Examples
    --------
    >>> import os, tempfile
    >>> import mercer
    >>> model = mercer.KernelRidge(2.0).fit([[1.0], [2.0], [1.0]], [1.0, 4.0, 3.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mercer.save(model, os.path.join(folder, "model.safetensors"))
    ...     loaded = mercer.load(os.path.join(folder, "model.safetensors"))
    >>> loaded, loaded.predict([[2.0]]).round(12)
    (KernelRidge(alpha=2.0), array([3.]))
    """
    calibration, extra = None, {}
    if isinstance(model, (ConformalRegressor, ConformalClassifier)):
        check_is_fitted(model)
        _check_storable(model.estimator_)
        calibration, state = calibration_of(model)
        parameters = {name: value for name, value in _parameters(model).items() if name != "estimator"}
        extra = {_CALIBRATION: json.dumps({"parameters": parameters, "state": state})}
        model = model.estimator_
    _check_storable(model)
    check_is_fitted(model)
    fit, state = model._saved()
    notes = {_CLASS: type(model).__name__, _PARAMETERS: json.dumps(_parameters(model)), _STATE: json.dumps(state)}
    names = model._class_names() if hasattr(model, "classes_") else None
    inputs = model._of_views[0] if model._of_views else model._inputs or _inputs(model, fit)
    save_model(os.fspath(path), fit, inputs, {**notes, **extra}, names, calibration)


def _check_storable(model: Any) -> None:
    if not isinstance(model, Estimator) or not hasattr(model, "_saved"):
        raise TypeError(f"only estimators of this package can be saved as model files, not {type(model).__name__}")


def load(path: str | os.PathLike[str], **options: Any) -> Any:
    """Read a model file: the estimator that `save` wrote, or the one that suits what the command line or Rust wrote.

    Its parameters are those of the fit: C, alpha, the kernel, class weights, tolerances. A file of version 1 that Rust
    or the command line wrote stores only what is needed to predict; the other parameters have their defaults. A
    calibrated model (``mercer fit … --conformal auto``) becomes a `ConformalRegressor` or a `ConformalClassifier`.

    Parameters
    ----------
    path : str or path
        The file.
    **options
        ``max_memory``, and other options of reading.

    Returns
    -------
    A fitted estimator.

    Examples
    --------
    >>> import os, tempfile
    >>> import mercer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.safetensors")
    ...     mercer.save(mercer.SVC(C=3.0, kernel="linear()").fit([[-1.0], [2.0]], ["low", "high"]), path)
    ...     mercer.load(path).predict([[0.0], [1.0]])
    array(['low', 'high'], dtype='<U4')
    """
    loaded, calibration = load_model(os.fspath(path), **options)
    if calibration is None:
        return assembled(*loaded)
    text = loaded[2].get(_CALIBRATION)
    given = None if text is None else json.loads(text)
    if given is not None:
        given["parameters"] = {name: from_plain(value) for name, value in given["parameters"].items()}
    return _with_calibration(loaded, calibration, given)


def assembled(
    fit: Any,
    inputs: Inputs,
    notes: dict[str, str],
    classes: list[str] | None,
    settings: dict[str, Any],
) -> Any:
    """Make the fitted estimator of what was fitted elsewhere, with what it expects of new data."""
    model, state = _estimator(fit, notes, settings, classes)
    if classes is not None:
        model._restore_classes(classes, state)
    if object_kernel(getattr(fit, "kernel", None)) is None:
        model.n_features_in_ = inputs.columns
    if inputs.names is not None and (inputs.encoded or object_kernel(getattr(fit, "kernel", None)) is None):
        model.feature_names_in_ = np.array(inputs.names, dtype=object)
    targets = inputs.targets
    names = [name for name, _, _ in targets]
    model._target_names = None if None in names else names
    shift, scale = np.array([t[1] for t in targets]), np.array([t[2] for t in targets])
    model._units = None if (shift == 0.0).all() and (scale == 1.0).all() else (shift, scale)
    if _CLASS not in notes and "normalize_y" in model.get_params():
        model.normalize_y = model._units is not None
    model._inputs = inputs if inputs.encoded else None
    model._of_views = (inputs, *inputs.others) if inputs.others else ()
    model._restore(fit, state)
    return model


def _with_calibration(loaded: tuple[Any, ...], calibration: Calibration, given: dict[str, Any] | None) -> Any:
    """Make the calibrated model of a file."""
    _, inputs, notes, classes, _ = loaded
    base = assembled(*loaded)

    def part_of(fit: Any, settings: dict[str, Any], state: Any, present: list[int]) -> Any:
        own = notes if state is None else {**notes, _STATE: json.dumps(state)}
        names = None if classes is None else [classes[i] for i in present]
        part = assembled(fit, inputs, own, names, settings)
        if classes is not None:
            part.classes_ = base.classes_[present]
        return part

    return calibrated(calibration, base, given, part_of)


def _inputs(model: Estimator, fit: Any) -> Inputs:
    outputs = fit.dual_coefficients.shape[1] if isinstance(fit, (RidgeFit, SharedProcessFit)) else 1
    outputs = fit.weights.shape[1] if isinstance(fit, StreamedRidgeFit) else outputs
    outputs = fit.targets if isinstance(fit, AnyFit) else outputs
    names = model._target_names or [None] * outputs
    shift, scale = (np.zeros(outputs), np.ones(outputs)) if model._units is None else model._units
    targets = [(name, float(a), float(b)) for name, a, b in zip(names, shift, scale, strict=True)]
    # An object counts as one column.
    return Inputs(getattr(model, "n_features_in_", 1), model._column_names(), targets)


def _estimator(
    fit: Any, notes: dict[str, str], settings: dict[str, Any], classes: list[str] | None
) -> tuple[Any, dict[str, Any]]:
    """Make the estimator of a file, with its parameters, and give the state that was written beside it."""
    if isinstance(fit, AnyFit):
        kinds = tuple(kind for kind in _learner_estimators() if fit.kind in kind._learners())
    else:
        kinds = _CLASSES[type(fit)]
    known = {kind.__name__: kind for kind in kinds}
    if notes.get(_CLASS) in known:
        kind, stored = known[notes[_CLASS]], json.loads(notes.get(_PARAMETERS, "{}"))
        allowed = kind().get_params()
        given = {name: from_plain(value) for name, value in stored.items() if name in allowed}
        return kind(**given), json.loads(notes.get(_STATE, "{}"))
    if isinstance(fit, AnyFit):
        if not kinds:
            raise ValueError(f"no estimator of this package is a model of the kind {fit.kind}")
        return kinds[0]._of_settings(settings), {}
    if not settings:
        return _from_fit(fit), {}
    kind = type(_from_fit(fit))
    kind = {SVC: NuSVC, SVR: NuSVR}.get(kind, kind) if "nu" in settings else kind
    found = parameters(kind, settings, None if classes is None else labels_of(classes))
    if found.get("inducing") == "points":
        found["inducing"] = fit.inducing
        found.pop("n_inducing", None)
    state = {"class_weight": settings["class_weights"]} if "class_weights" in settings else {}
    return kind(**found), state


def _learner_estimators() -> list[type[LearnerEstimator]]:
    """Return the public estimators of learners of the catalogue."""
    public = [getattr(mercer, name) for name in mercer._ESTIMATORS]
    declared = (LearnerEstimator, FeatureTransformer)
    return [kind for kind in public if isinstance(kind, type) and issubclass(kind, declared)]


def _from_fit(fit: Any) -> Any:
    """Make an estimator with the parameters that would fit the same again."""
    if isinstance(fit, RidgeFit):
        return KernelRidge(fit.alpha, kernel=as_parameter(fit.kernel), fit_intercept=fit.intercept is not None)
    if isinstance(fit, GaussianProcessFit):
        sparse = {} if fit.inducing is None else {"inducing": fit.inducing, "approximation": fit.approximation}
        return GaussianProcessRegressor(str(fit.kernel), fit.noise, optimize=False, **sparse)
    if isinstance(fit, SharedProcessFit):
        return GaussianProcessRegressor(str(fit.kernel), noise=0.0, alpha=fit.noise, optimize=False)
    if isinstance(fit, StreamedRidgeFit):
        choices = {"features": fit.features, "n_components": fit.components}
        return StreamedKernelRidge(
            fit.alpha, kernel=str(fit.kernel), fit_intercept=fit.intercept is not None, **choices
        )
    if isinstance(fit, SplineFit):
        return SmoothingSpline(fit.lam, order=fit.order, period=fit.period)
    if isinstance(fit, (SvcFit, SvmFit, PenalizedFit)):
        return _from_margins(fit)
    return (LocalLinear if fit.linear else NadarayaWatson)(fit.bandwidth, weights=fit.weights)


def _from_margins(fit: Any) -> Any:
    """Make an estimator for what was fitted; what a file of version 1 does not store (C, ν) has its default."""
    kernel = as_parameter(fit.kernel)
    if isinstance(fit, SvcFit):
        return SVC(kernel=kernel, probability=fit.calibrated, multi_class="ovo" if fit.paired else "ovr")
    if isinstance(fit, SvmFit):
        return OneClassSVM(kernel=kernel) if fit.region else SVR(kernel=kernel, epsilon=fit.epsilon)
    if fit.classes is not None:
        return KernelLogisticRegression(fit.alpha, kernel=kernel)
    name, _, rest = fit.loss.partition("(")
    given = {} if not rest else {rest.partition("=")[0]: float(rest.partition("=")[2][:-1])}
    if "level" in given or fit.levels is not None:
        given = {"quantile": fit.levels or given["level"]}
    return KernelMachine(name, fit.alpha, kernel=kernel, **given)


def _parameters(model: Estimator) -> dict[str, Any]:
    """Return the parameters that can be written, but for those of the run; a random state must be a number."""
    given = model.get_params(deep=False).items()
    plain = {name: to_plain(value) for name, value in given if name not in RUN}
    return {name: value for name, value in plain.items() if value is not NotImplemented}
