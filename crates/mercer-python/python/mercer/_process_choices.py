"""What a Gaussian process is fitted with: the kernel in use, the noise, the points and targets."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.utils.validation import column_or_1d

from mercer._covariance import MercerCovariance, ObjectCovariance, OutsideCovariance, is_kernel_object
from mercer._estimator import Estimator, target_names
from mercer._kernel_names import compiled, is_computed_outside, object_kernel
from mercer._mercer import Kernel, Objects
from mercer._parameters import check_count, check_kinds, refuse
from mercer._tables import validate_data

#: The covariance where noise or inducing points are set without a kernel, and the noise beside such
#: a kernel.
_KERNEL, _NOISE = "1*gaussian(lengthscale=1)", 0.1
#: scikit-learn's default: a nugget for the condition of the matrix, not a noise.
ALPHA = 1e-10


class ProcessChoices(Estimator):
    """The parameters of a Gaussian process, and the data in the form that they require."""

    def _check_choices(self) -> None:
        """Refuse wrong parameters before any work."""
        try:
            alpha = np.asarray(self.alpha, dtype=np.float64)
        except (TypeError, ValueError):
            alpha = np.array(np.nan)
        if alpha.ndim > 1 or not (np.isfinite(alpha).all() and (alpha >= 0).all()):
            refuse("alpha", self.alpha, "a number, or one per row, finite and at least 0")
        if not (self.optimizer is None or callable(self.optimizer) or self.optimizer == "fmin_l_bfgs_b"):
            refuse("optimizer", self.optimizer, "'fmin_l_bfgs_b', a function or None")
        check_kinds(self)
        check_count("n_restarts_optimizer", self.n_restarts_optimizer, 0)
        if self.n_targets is not None:
            check_count("n_targets", self.n_targets, 1)

    def _chosen(self) -> tuple[Any, float]:
        """Return the kernel that is used and the noise variance beside it."""
        kernel, sparse = self._given_kernel, self._is_sparse()
        if isinstance(kernel, type):
            raise TypeError(f"kernel = {kernel.__name__} is a class: give an object of it, {kernel.__name__}()")
        if kernel is None:
            if self.noise is None and self.fixed is None and self.free is None and not sparse:
                return ConstantKernel() * RBF(), 0.0
            kernel = _KERNEL
        if is_kernel_object(kernel):
            self._refuse_beside_objects()
            return kernel, 0.0
        if self.noise is not None:
            return kernel, self.noise
        return kernel, (0.0 if self._has_alpha() else _NOISE)

    def _refuse_beside_objects(self) -> None:
        """Refuse what kernel objects have in their own way."""
        if self.noise is not None:
            raise ValueError(
                "noise is not for kernel objects: add WhiteKernel(noise_level=noise) to the kernel, or give alpha"
            )
        if self.fixed is not None or self.free is not None:
            raise ValueError('fixed and free are not for kernel objects: give bounds="fixed" to their parameters')
        if self._is_sparse():
            raise ValueError(
                "inducing points need a kernel of Mercer, such as '1*gaussian(lengthscale=1)', not an object"
            )

    def _used_kernel(self) -> Any:
        """Return the kernel of the fit, or the one that a fit would start from."""
        return self.kernel_ if hasattr(self, "kernel_") else self._chosen()[0]

    def _has_alpha(self) -> bool:
        """Whether ``alpha`` is more than scikit-learn's default."""
        return np.ndim(self.alpha) > 0 or self.alpha != ALPHA

    def _is_sparse(self) -> bool:
        return self.n_inducing is not None or not isinstance(self.inducing, str)

    def _optimizes(self) -> bool:
        return bool(self.optimize) and self.optimizer is not None

    @staticmethod
    def _is_compiled(kernel: Any) -> bool:
        """Whether a kernel is Mercer's, so that the compiled part has its parameters."""
        outside = isinstance(kernel, str) and kernel == "precomputed"
        return not (is_kernel_object(kernel) or outside or is_computed_outside(kernel))

    def _is_one_process(self, kernel: Any, targets: np.ndarray) -> bool:
        """Whether the compiled part does all of it, also the optimization: one target and one noise variance."""
        if not self._is_compiled(kernel) or callable(self.optimizer) or np.ndim(self.alpha) > 0:
            return False
        return targets.size == len(targets) and not (self._has_alpha() and self.noise is not None)

    def _mercer_kernel(self, kernel: Any, n_features: int) -> Kernel:
        return self._with_columns(compiled(kernel, n_features, None, 3, 1.0))

    def _covariance_of(self, kernel: Any, noise: float, X: Any) -> Any:
        """Return a kernel with its free parameters, where they start."""
        fixed = list(self.fixed or [])
        if is_kernel_object(kernel):
            return ObjectCovariance(clone(kernel))
        if self._is_compiled(kernel):
            resolved = self._mercer_kernel(kernel, X.shape[1]).resolve(X, **self._options())
            return MercerCovariance(resolved, noise, fixed, list(self.free or []))
        return OutsideCovariance(kernel, noise, fixed)

    def _sparse_format(self) -> Any:
        kernel = self._given_kernel
        taken = kernel is not None and self._is_compiled(kernel) and not self._is_sparse()
        return "csr" if taken else False

    def _refuse_sparse(self, X: Any) -> None:
        """Refuse sparse matrices where the kernel or the inducing points look at every column."""
        if issparse(X) and not self._sparse_format():
            why = "inducing points are dense" if self._is_sparse() else "a kernel of Mercer takes them"
            raise TypeError(
                f"sparse matrices need a process on all points with a kernel such as '1*gaussian(lengthscale=1)' "
                f"({why}): use .toarray()"
            )

    def _read_data(self, kernel: Any, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """Check the data; numbers keep their type for kernel objects, as in scikit-learn."""
        self._refuse_sparse(X)
        if self._is_compiled(kernel):
            X, y = self._read_fit(X, y, multi_output=True)
        else:
            self._note_targets(target_names(y))
            X, y = validate_data(self, X, y, multi_output=True, y_numeric=True, **self._form(kernel, X))
            y = np.asarray(y, dtype=np.float64)
        if self._is_sparse() and y.ndim == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        seen = y.shape[1] if y.ndim > 1 else 1
        if self.n_targets is not None and seen != self.n_targets:
            raise ValueError(
                "The number of targets seen in `y` is different from the parameter `n_targets`. "
                f"Got {seen} != {self.n_targets}."
            )
        return X, y

    @staticmethod
    def _form(kernel: Any, X: Any) -> dict[str, Any]:
        """Return what is required of points: a matrix of numbers, or for kernels on other objects anything."""
        vectors = getattr(kernel, "requires_vector_input", True)
        if not is_kernel_object(kernel) and callable(kernel) and not hasattr(X, "columns"):
            vectors = np.asarray(X).dtype.kind not in "OUS"
        return {"dtype": "numeric", "ensure_2d": True} if vectors else {"dtype": None, "ensure_2d": False}

    def _read_points(self, X: Any) -> Any:
        """Check new points against those of the fit, or as the first ones where there was none."""
        kernel = self._used_kernel()
        if self._inputs is not None:
            return self._encoded(X)
        if object_kernel(kernel, X) is not None:
            return Objects(object_kernel(kernel, X), X)
        self._refuse_sparse(X)
        if self._is_compiled(kernel):
            accepted = self._sparse_format()
            return validate_data(self, X, dtype=np.float64, order="C", reset=False, accept_sparse=accepted)
        return validate_data(self, X, reset=False, **self._form(kernel, X))

    def _scaled(self, y: np.ndarray) -> np.ndarray:
        """Return the targets in the units of the fit."""
        if not self.normalize_y:
            return y
        mean, scale = y.mean(axis=0), np.atleast_1d(y.std(axis=0))
        # A constant has rounding errors for a standard deviation.
        scale[scale <= 10 * np.finfo(np.float64).eps * np.abs(y).max(axis=0)] = 1.0
        self._units = np.atleast_1d(mean), scale
        return (y - self._units[0]) / self._units[1]

    def _row_variances(self, kernel: Any, rows: int) -> np.ndarray:
        """Return what is added to the diagonal beside the noise."""
        alpha = np.asarray(self.alpha, dtype=np.float64)
        if alpha.ndim == 1 and len(alpha) not in (1, rows):
            raise ValueError(
                f"alpha must be a scalar or an array with same number of entries as y. ({len(alpha)} != {rows})"
            )
        own = is_kernel_object(kernel) or self._has_alpha()
        return np.full(rows, alpha.reshape(-1) if own else 0.0)
