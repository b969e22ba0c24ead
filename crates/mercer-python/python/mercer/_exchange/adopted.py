"""Estimators that scikit-learn fitted, taken over with their numbers: nothing is fitted again."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.decomposition import KernelPCA as TheirPCA
from sklearn.gaussian_process import GaussianProcessRegressor as TheirProcess
from sklearn.kernel_approximation import Nystroem as TheirNystroem
from sklearn.kernel_ridge import KernelRidge as TheirRidge
from sklearn.svm import SVC as TheirSVC
from sklearn.svm import SVR as TheirSVR
from sklearn.svm import NuSVC as TheirNuSVC
from sklearn.svm import NuSVR as TheirNuSVR
from sklearn.svm import OneClassSVM as TheirOneClass
from sklearn.utils.validation import check_is_fitted

from mercer._exchange.kernels import is_theirs, translated
from mercer._exchange.record import fit_of, packed, unpacked
from mercer._features import Nystroem
from mercer._gaussian_process import GaussianProcessRegressor
from mercer._kernels import compiled, is_computed_outside, is_known_by_values
from mercer._mercer import _restore_fit
from mercer._pca import KernelPCA
from mercer._ridge import KernelRidge
from mercer._svm import SVC, NuSVC
from mercer._svr import SVR, NuSVR, OneClassSVM
from mercer._translation import translate


def from_sklearn(model: Any, n_features: int | None = None) -> Any:
    """Translate a kernel object of scikit-learn, or take over an estimator that scikit-learn fitted.

    Nothing is fitted again: predictions are those of scikit-learn up to rounding, and everything that Mercer's class
    has can be used with them (model files, `to_onnx`, LIBSVM files, pictures).

    Parameters
    ----------
    model : kernel object or fitted estimator
        A kernel of ``sklearn.gaussian_process.kernels``; or a fitted ``SVC``, ``NuSVC``, ``SVR``, ``NuSVR``,
        ``OneClassSVM``, ``KernelRidge``, ``GaussianProcessRegressor``, ``KernelPCA`` or ``Nystroem``.
    n_features : int, optional
        The number of columns, for kernels whose translation depends on it: ``ExpSineSquared`` needs 1.

    Returns
    -------
    A `mercer.Kernel`, or the fitted estimator of the same name.

    Examples
    --------
    >>> from sklearn.gaussian_process.kernels import RBF, ConstantKernel
    >>> import mercer
    >>> mercer.from_sklearn(ConstantKernel(2.0) * RBF(0.5))
    Kernel("2*gaussian(lengthscale=0.5)")
    >>> from sklearn.svm import SVC
    >>> theirs = SVC(C=10).fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    >>> mercer.from_sklearn(theirs).predict([[0.2], [2.9]])
    array(['a', 'b'], dtype='<U1')
    """
    if is_theirs(model):
        return translated(model, n_features)
    return _adopted(model)


@singledispatch
def _adopted(model: Any) -> Any:
    kinds = "SVC, NuSVC, SVR, NuSVR, OneClassSVM, KernelRidge, GaussianProcessRegressor, KernelPCA, Nystroem"
    raise TypeError(
        f"{type(model).__name__} cannot be taken over: expected a kernel of sklearn.gaussian_process or one of {kinds}"
    )


def _parameters(model: Any, kind: type) -> dict[str, Any]:
    """Return the parameters that both classes have."""
    allowed = kind().get_params(deep=False)
    return {name: value for name, value in model.get_params(deep=False).items() if name in allowed}


def _columns_of(model: Any, ours: Any) -> None:
    """Take over what is known of the columns."""
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(model, name):
            setattr(ours, name, getattr(model, name))


def _dense(values: Any, what: str) -> np.ndarray:
    if hasattr(values, "toarray"):
        values = values.toarray()
    values = np.asarray(values)
    if values.dtype == object:
        raise ValueError(f"{what}: expected numbers")
    return np.ascontiguousarray(values, dtype=np.float64)


@_adopted.register
def _ridge(model: TheirRidge) -> KernelRidge:
    check_is_fitted(model)
    ours = KernelRidge(**_parameters(model, KernelRidge))
    _columns_of(model, ours)
    points, dual = _dense(model.X_fit_, "X_fit_"), _dense(model.dual_coef_, "dual_coef_")
    flat = dual.ndim == 1
    dual = dual.reshape(len(dual), -1)
    kernel = ours._compiled_kernel(points.shape[1])
    outside = is_known_by_values(ours.kernel)
    # The points of a fit on a matrix of values are this matrix.
    values = ours._values(points) if outside else None
    fitted = values @ dual if outside else kernel.matvec(points, dual)
    norms = np.sqrt(np.maximum((dual * fitted).sum(axis=0), 0.0))
    dimension = len(dual) if outside else points.shape[1]
    fits = []
    for alpha, outputs in ours._alphas(dual.shape[1]):
        part = dual[:, outputs]
        arrays = {
            "dual_coefficients": part,
            "null_coefficients": np.zeros((0, len(outputs))),
            "lambda": np.float64(alpha),
            "setting.lambda": np.float64(alpha),
            "fitted": fitted[:, outputs],
            "residuals": alpha * part,
            "norms": norms[outputs],
            "plan_rank": np.float64(0),
            "plan_centers": np.float64(0),
        }
        if not outside:
            arrays["points"] = points
        texts = {"intercept": "false", "method": "cholesky", "plan_solver": "cholesky", "setting.indefinite": "true"}
        fits.append((outputs, fit_of("ridge", kernel, dimension, len(outputs), texts, arrays)))
    ours._solver, ours._indefinite, ours.X_fit_ = "auto", True, points
    ours._weights = ours._functions = None
    ours._adopt(fits, flat)
    return ours


def _support_arrays(model: Any, dimension: int) -> dict[str, Any]:
    """Return what all support vector machines have."""
    precomputed = model.kernel == "precomputed" or callable(model.kernel)
    arrays = {
        "columns": np.float64(dimension),
        "support": model.support_.astype(float),
        "setting.tolerance": np.float64(model.tol),
    }
    if not precomputed:
        arrays["support_vectors"] = _dense(model.support_vectors_, "support_vectors_")
    return arrays


def _machine(model: Any, kind: type) -> tuple[Any, Any, int]:
    """Return our machine without a fit, its kernel, and how many columns new values have."""
    check_is_fitted(model)
    if callable(model.kernel):
        raise ValueError("a machine whose kernel is a function does not hold its points: fit it again with Mercer")
    ours = kind(**_parameters(model, kind))
    _columns_of(model, ours)
    dimension = model.shape_fit_[1] if len(model.shape_fit_) > 1 else model.shape_fit_[0]
    kernel = compiled(model.kernel, dimension, float(model._gamma), model.degree, model.coef0)
    if model.kernel in ("poly", "sigmoid"):
        # Offsets may be negative there: such kernels are not positive semi-definite.
        ours.allow_indefinite = True
    ours._X, ours._gamma = None, float(model._gamma)
    ours._target_names = ours._units = ours._inputs = None
    return ours, kernel, dimension


def _evidence(count: int) -> dict[str, Any]:
    """Return the evidence of models whose solver reported none."""
    return {name: np.full(count, np.nan) for name in ("objective", "gap", "violation")} | {"steps": np.zeros(count)}


@_adopted.register(TheirSVC)
@_adopted.register(TheirNuSVC)
def _classifier(model: Any) -> Any:
    ours, kernel, dimension = _machine(model, SVC if isinstance(model, TheirSVC) else NuSVC)
    ours.classes_ = model.classes_
    count = len(model.classes_)
    pairs = count * (count - 1) // 2
    sign = -1.0 if count == 2 else 1.0
    steps = np.resize(np.asarray(model.n_iter_, dtype=float), pairs)
    arrays = {
        **_support_arrays(model, dimension),
        **_evidence(pairs),
        "steps": steps,
        "support_sizes": model.n_support_.astype(float),
        "dual_coefficients": sign * _dense(model.dual_coef_, "dual_coef_").T,
        "offsets": sign * np.asarray(model.intercept_, dtype=float),
        "binary_support": np.zeros(pairs),
        "binary_bounded": np.zeros(pairs),
    }
    state = "converged" if model.fit_status_ == 0 else "step limit"
    names = [f'"{_escaped(name)}"' for name in ours._class_names()]
    texts = {
        "scheme": "one_versus_one",
        "break_ties": "true" if model.break_ties else "false",
        "classes": f"[{', '.join(names)}]",
        "stopped": ",".join([state] * pairs),
        "setting.indefinite": "true",
    }
    fit = fit_of("svc", kernel, dimension, 1, texts, arrays)
    ours.class_weight_ = np.asarray(model.class_weight_, dtype=float)
    if getattr(model, "_probA", np.zeros(0)).size:
        arrays["sigmoids"] = np.column_stack([model._probA, model._probB]).ravel()
        ours._adopt(fit_of("svc", kernel, dimension, 1, texts, arrays), tuple(model.shape_fit_))
        ours._voting = fit
    else:
        ours._adopt(fit, tuple(model.shape_fit_))
    return ours


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')


@_adopted.register(TheirSVR)
@_adopted.register(TheirNuSVR)
@_adopted.register(TheirOneClass)
def _number(model: Any) -> Any:
    kinds = {TheirSVR: SVR, TheirNuSVR: NuSVR, TheirOneClass: OneClassSVM}
    kind = next(ours for theirs, ours in kinds.items() if isinstance(model, theirs))
    ours, kernel, dimension = _machine(model, kind)
    arrays = {
        **_support_arrays(model, dimension),
        **_evidence(1),
        "steps": np.array([float(np.max(model.n_iter_))]),
        "dual_coefficients": _dense(model.dual_coef_, "dual_coef_").ravel(),
        "offset": np.float64(np.ravel(model.intercept_)[0]),
        "fitted": np.zeros(0),
    }
    name = "one_class" if kind is OneClassSVM else "svr"
    if name == "svr":
        arrays["epsilon"] = np.float64(getattr(model, "epsilon", 0.0))
    texts = {"stopped": "converged" if model.fit_status_ == 0 else "step limit", "setting.indefinite": "true"}
    ours._adopt(fit_of(name, kernel, dimension, 1, texts, arrays), tuple(model.shape_fit_))
    return ours


@_adopted.register
def _process(model: TheirProcess) -> GaussianProcessRegressor:
    check_is_fitted(model, "X_train_")
    ours = GaussianProcessRegressor(**_parameters(model, GaussianProcessRegressor))
    points, scaled = np.asarray(model.X_train_), np.asarray(model.y_train_, dtype=float)
    shift, scale = np.atleast_1d(model._y_train_mean), np.atleast_1d(model._y_train_std)
    translation = translate(model.kernel_, points.shape[1]) if points.ndim == 2 and points.dtype.kind in "fiu" else None
    kernel, white = (None, 0.0) if translation is None else translation.at(model.kernel_.theta)
    if kernel is None:
        # Python computes the kernel: the posterior is that of its matrix at these parameters.
        y = scaled * scale + shift if model.normalize_y else scaled
        again = ours.set_params(kernel=clone(model.kernel_), optimizer=None).fit(points, y)
        again._posterior.dual_coefficients = np.asarray(model.alpha_).reshape(len(scaled), -1)
        again.alpha_ = np.asarray(model.alpha_)
        return again.set_params(kernel=model.kernel, optimizer=model.optimizer)
    _columns_of(model, ours)
    targets = scaled.reshape(len(scaled), -1)
    dual = np.asarray(model.alpha_, dtype=float).reshape(targets.shape)
    noise = np.full(len(points), np.asarray(model.alpha, dtype=float)) + white
    arrays = {
        "points": np.ascontiguousarray(points, dtype=float),
        "targets": targets,
        "dual_coefficients": dual,
        "noise": noise,
        "log_marginal_likelihood": np.float64(model.log_marginal_likelihood_value_),
    }
    fit = fit_of("shared_gaussian_process", kernel, points.shape[1], targets.shape[1], {}, arrays)
    ours._forget()
    ours._fit, ours._white, ours._row_noise = fit, white, noise - white
    ours._units = (shift, scale) if model.normalize_y else None
    ours._target_names = ours._inputs = None
    ours.X_train_, ours.y_train_ = points, scaled
    ours.kernel_, ours.noise_ = clone(model.kernel_), model.alpha
    ours._adopt_shared()
    return ours


@_adopted.register
def _components(model: TheirPCA) -> KernelPCA:
    check_is_fitted(model)
    ours = KernelPCA(**_parameters(model, KernelPCA))
    points = _dense(model.X_fit_, "X_fit_")
    if is_computed_outside(ours.kernel) and model.fit_inverse_transform:
        raise ValueError(f"kernel = {model.kernel!r}: an inverse transform needs a kernel that Mercer has")
    ours.fit(points)
    values, vectors = np.asarray(model.eigenvalues_, dtype=float), np.asarray(model.eigenvectors_, dtype=float)
    texts, arrays = unpacked(ours._fit.__reduce__()[1][0])
    weights = np.zeros_like(vectors)
    kept = np.flatnonzero(values)
    weights[:, kept] = vectors[:, kept] / np.sqrt(values[kept])
    weights -= weights.mean(axis=0)
    arrays = {
        **arrays,
        "coefficients": weights,
        "eigenvalues": values,
        "eigenvectors": vectors,
        "offset": -arrays["mean_at_points"] @ weights,
        "setting.components": np.float64(len(values)),
    }
    ours._adopt(_restore_fit(packed(texts, arrays)))
    _columns_of(model, ours)
    ours.gamma_ = getattr(model, "gamma_", None)
    if model.fit_inverse_transform:
        ours.X_transformed_fit_, ours.dual_coef_ = model.X_transformed_fit_, model.dual_coef_
    return ours


@_adopted.register
def _landmarks(model: TheirNystroem) -> Nystroem:
    check_is_fitted(model)
    ours = Nystroem(**_parameters(model, Nystroem))
    _columns_of(model, ours)
    components = model.components_
    ours.components_ = components.toarray() if hasattr(components, "toarray") else np.asarray(components)
    ours.normalization_ = np.asarray(model.normalization_)
    ours.component_indices_ = np.asarray(model.component_indices_)
    ours.n_components_ = ours._n_features_out = len(ours.normalization_)
    ours.trace_ = ours.trace_error_ = None
    ours._params, ours._dtype = ours._kernel_params(), str(ours.normalization_.dtype)
    ours.kernel_ = ours.kernel
    if not (is_known_by_values(ours.kernel) or ours._is_fractional()):
        ours._gamma = ours._given("gamma", None)
        ours.kernel_ = ours._compiled_kernel(ours.components_.shape[1])
        ours._taken = str(ours.kernel_)
    return ours
