"""Kernel methods as one system: one kernel language, and every method on top of it.

A kernel is made from its text or by the functions of this module, and is called on points:

>>> import mercer
>>> k = 2 * mercer.gaussian(lengthscale=0.5) + mercer.on([0], mercer.linear())
>>> k
Kernel("2*gaussian(lengthscale=0.5) + on([0], linear())")
>>> k([[0.0, 0.0], [1.0, 2.0]]).diagonal()
array([2., 3.])

There is a function for every entry of the catalogue (`mercer.catalogue()`); each is made from its page there.
"""

import os as _os

from mercer import _mercer
from mercer._catalogue import constructors as _constructors
from mercer._mercer import (
    Check,
    Counterexample,
    Function,
    Kernel,
    NotPositiveDefiniteError,
    Repaired,
    __version__,
    catalogue,
    repair,
)

globals().update(_constructors())

__all__ = [
    "Check",
    "Counterexample",
    "Function",
    "Kernel",
    "NotPositiveDefiniteError",
    "Repaired",
    "__version__",
    "catalogue",
    "repair",
    *_constructors(),
]

if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_mercer._after_fork)
