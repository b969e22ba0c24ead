"""Partial effects of additive models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer._mercer import Kernel


@dataclass(frozen=True, eq=False)
class PartialEffect:
    """A part of a fitted function, centered over the data.

    Attributes
    ----------
    kernel : Kernel
        The summand of the kernel.
    columns : list of int
        The columns that the part depends on.
    norm_share, variance_share : float
        Its share of ``Σ‖fⱼ‖²``, and of the variance of f over the data; both add up to 1.
    mean : float
        The mean over the data, which was subtracted.
    at_data : array of shape (n_samples,)
        The centered part at the data.
    axes : list of array, or None
        The grid points along every column; None for a part of more than two columns.
    values, standard_errors : array, or None
        The centered part on the grid, a row per grid point of the first column and a column per grid point of the
        second, and its standard errors.
    """

    kernel: Kernel
    columns: list[int]
    norm_share: float
    variance_share: float
    mean: float
    at_data: np.ndarray
    axes: list[np.ndarray] | None
    values: np.ndarray | None
    standard_errors: np.ndarray | None
