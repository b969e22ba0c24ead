"""Kernel objects of scikit-learn as kernels of Mercer."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._mercer import Kernel


def is_theirs(kernel: Any) -> bool:
    """Whether it is a kernel object of scikit-learn's Gaussian processes."""
    return hasattr(kernel, "theta") and hasattr(kernel, "bounds") and callable(kernel) and not isinstance(kernel, type)


def own_kernel(kernel: Any, n_features: int | None = None) -> Kernel | None:
    """Return the kernel of Mercer with the values of a kernel object, or None where there is none.

    White noise is no kernel of points, and ``ExpSineSquared`` is Mercer's ``periodic`` on one column only.
    """
    from mercer._translation import translate

    found = translate(kernel, _columns(kernel) if n_features is None else n_features)
    if found is None or found.white:
        return None
    # The values themselves: those of theta are exponentials of logarithms.
    return found.template.with_parameters([slot.fixed for slot in found.slots])


def _columns(kernel: Any) -> int:
    """Return how many columns the lengthscales of a kernel object are for; 0 where that does not matter."""
    sizes = [np.size(value) for name, value in kernel.get_params().items() if name.endswith("length_scale")]
    return max([size for size in sizes if size > 1], default=0)


def translated(kernel: Any, n_features: int | None = None) -> Kernel:
    """Return the kernel of Mercer, or raise an error with the reason."""
    found = own_kernel(kernel, n_features)
    if found is not None:
        return found
    names = _names(kernel)
    if "WhiteKernel" in names:
        reason = "WhiteKernel is noise and no kernel of points: give it as noise= or alpha= instead"
    elif "ExpSineSquared" in names and n_features != 1:
        reason = "ExpSineSquared is periodic(…) on one column only: give n_features=1"
    else:
        reason = "Mercer has no kernel with these values: as kernel= it is evaluated by scikit-learn"
    raise ValueError(f"{kernel} cannot be translated: {reason}")


def _names(kernel: Any) -> set[str]:
    """Return the names of the classes in a kernel object."""
    parts = [value for value in kernel.get_params(deep=False).values() if is_theirs(value)]
    return {type(kernel).__name__}.union(*(_names(part) for part in parts))
