"""Estimators of learners that the compiled part declares: parameters, attributes and files follow from tables."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from mercer._estimator import as_given
from mercer._kernel_names import as_parameter
from mercer._kernels import KernelEstimator, compiled, is_computed_outside
from mercer._margins import gamma_number
from mercer._mercer import AnyFit, Kernel, Learner, Objects
from mercer._parameters import check_kinds


class LearnerEstimator(KernelEstimator):
    """An estimator of a learner of the catalogue.

    A class names the learner, its parameters and its attributes; reading of data, fitting, attributes, pickles and
    model files are the same for all.
    """

    #: The name of the learner.
    _learner: ClassVar[str]
    #: The settings of the learner that parameters stand for.
    _setting_names: ClassVar[dict[str, str]] = {}
    #: The facts of a fit that attributes stand for.
    _fact_names: ClassVar[dict[str, str]] = {}
    #: A kernel, and parameters of scikit-learn's names of kernels, for classes without them.
    kernel: Any = None
    gamma: Any = None
    degree: float = 3
    coef0: float = 1
    kernel_params: dict[str, Any] | None = None

    @classmethod
    def _learners(cls) -> tuple[str, ...]:
        """Return the names of the learners whose fits the class takes over."""
        return (cls._learner,)

    def _settings(self) -> dict[str, Any]:
        """Return the settings of the learner, but for the kernel."""
        return {setting: getattr(self, name) for name, setting in self._setting_names.items()}

    def _read_points(self, X: Any, y: Any = None, least: int = 1) -> Any:
        """Check the points of a fit and note their columns."""
        check_kinds(self)
        self._note_targets()
        return self._read_alone(X, y, ensure_min_samples=least)

    def _learned_kernel(self, X: Any) -> Kernel:
        """Return the kernel that the learner works with."""
        if isinstance(X, Objects):
            return self._object_kernel(X) or Kernel(self._given_kernel)
        gamma = gamma_number(self.gamma, X, self.kernel)
        return self._with_columns(compiled(self.kernel, X.shape[1], gamma, self.degree, self.coef0))

    def _learn(self, X: Any, **data: Any) -> AnyFit:
        """Fit one sample of points."""
        kernel = self._learned_kernel(X)
        values = X if isinstance(X, Objects) else self._values(X)
        learner = Learner(self._learner, {"kernel": kernel, **self._settings()})
        self._outside = as_given(X) if is_computed_outside(self.kernel) else None
        return learner.fit([values], [kernel], **data, **self._options())

    def _adopt(self, fit: AnyFit) -> None:
        """Take over the facts of a fit."""
        self._fit = fit
        for attribute, fact in self._fact_names.items():
            setattr(self, attribute, fit.fact(fact))
        if fit.kernel is not None and hasattr(self, "kernel"):
            self.kernel_ = self.kernel if is_computed_outside(self.kernel) else fit.kernel

    def _new_points(self, X: Any) -> Any:
        """Check new points; where Python computes the kernel, return its values with the points of the fit."""
        points = self._read(X)
        if getattr(self, "_outside", None) is None:
            return points
        return self._values(points, self._outside)

    def _fit_points(self, X: Any) -> Any:
        return self._new_points(X)

    def _plan(self, X: Any, y: Any = None) -> str:
        learner = Learner(self._learner, {"kernel": "gaussian()", **self._settings()})
        return learner.plan([self._shape(X)], **self._options(timed=True))

    def _restore(self, fit: AnyFit, state: dict[str, Any]) -> None:
        """Become the fit of a model file."""
        self._outside = None
        self._adopt(fit)

    def _saved(self) -> tuple[AnyFit, dict[str, Any]]:
        """Return what a model file holds, and what beside it makes the estimator."""
        check_is_fitted(self)
        if getattr(self, "_outside", None) is not None:
            raise ValueError("a kernel that is a function cannot be stored in a model file: it has no text")
        return self._fit, {}

    @classmethod
    def _of_settings(cls, settings: dict[str, Any]) -> LearnerEstimator:
        """Make the estimator of the settings of a file."""
        allowed = cls().get_params()
        given = {name: settings[setting] for name, setting in cls._setting_names.items() if setting in settings}
        if "kernel" in settings and "kernel" in allowed:
            given["kernel"] = as_parameter(settings["kernel"])
        if "seed" in settings and "random_state" in allowed:
            given["random_state"] = int(settings["seed"])
        return cls(**{name: _whole(value) for name, value in given.items() if name in allowed})


def _whole(value: Any) -> Any:
    """Return whole numbers as integers: settings hold doubles."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
