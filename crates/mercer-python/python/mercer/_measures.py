"""Measures through kernels: discrepancies of samples, dependence of variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from mercer import _mercer
from mercer._kernel_names import is_known_by_values
from mercer._mercer import Function
from mercer._samples import Options, chosen, how, named, scores, two_samples, variable


def mmd(
    X: Any,
    Y: Any,
    kernel: Any = "auto",
    estimator: str = "biased",
    **options: Unpack[Options],
) -> float:
    """Return the squared maximum mean discrepancy ``‖μ_P − μ_Q‖²`` of two samples.

    Parameters
    ----------
    X, Y : arrays, lists or data frames
        Samples with a row per point. With ``kernel="precomputed"`` X is the matrix of the kernel values of the pooled
        sample, and Y the number of points of the first sample, which come first.
    kernel : text, Kernel, function of two points, "precomputed" or "auto"
        ``"auto"`` is a Gaussian kernel with the median distance of the pooled sample.
    estimator : {"biased", "unbiased", "paired", "linear"}
        All pairs (≥ 0); without ``i = j``; for pairs ``(xᵢ, yᵢ)``; in linear time.
    **options
        How to compute, as in `Options`.

    Returns
    -------
    A number; the biased estimate is at least 0, the others may be negative.

    Examples
    --------
    >>> import mercer
    >>> mercer.mmd([0.0, 2.0], [3.0, 3.0], "linear()")  # (1 − 3)²
    4.0
    """
    return _mercer.mmd(*two_samples(kernel, X, Y), named(kernel, X), estimator, **how(options))


def mmd_witness(
    X: Any,
    Y: Any,
    kernel: Any = "auto",
    **options: Unpack[Options],
) -> Function:
    """Return the witness ``μ_P − μ_Q``, a `Function`: large where the first sample has too many points.

    Parameters
    ----------
    X, Y, **options
        As in `mmd`.
    kernel : text, Kernel or "auto"
        A kernel of the language, so that the function can be evaluated anywhere.

    Returns
    -------
    A `Function`.

    Examples
    --------
    >>> import mercer
    >>> f = mercer.mmd_witness([2.0], [0.5], "linear()")
    >>> f([3.0])
    array([4.5])
    """
    if is_known_by_values(kernel):
        raise ValueError("the witness is a function on points: it needs a kernel, not values or a function of Python")
    return _mercer.mmd_witness(X, Y, named(kernel, X), **how(options))


def energy_distance(
    X: Any,
    Y: Any,
    estimator: str = "biased",
    **options: Unpack[Options],
) -> float:
    """Return the energy distance ``2E‖X−Y‖ − E‖X−X′‖ − E‖Y−Y′‖`` (not its root).

    Twice the squared MMD of ``brownian(hurst=0.5)``.

    Parameters
    ----------
    X, Y : arrays, lists or data frames
        Samples with a row per point.
    estimator : {"biased", "unbiased"}
        All pairs, or without the pairs of a point with itself.
    **options
        How to compute, as in `Options`.

    Returns
    -------
    A number; the biased estimate is at least 0.

    Examples
    --------
    >>> import mercer
    >>> mercer.energy_distance([0.0], [2.0, 4.0])
    5.0
    """
    return _mercer.energy_distance(X, Y, estimator, **how(options))


def wasserstein(x: Any, y: Any) -> float:
    """Return Wasserstein's distance of order 1 of two samples on the line, ``∫|F − G|``.

    Parameters
    ----------
    x, y : arrays or lists
        Samples of numbers.

    Returns
    -------
    A number.

    Examples
    --------
    >>> import mercer
    >>> mercer.wasserstein([0.0, 1.0], [3.0])
    2.5
    """
    return _mercer.wasserstein(x, y)


def hsic(
    X: Any,
    Y: Any,
    kernel_x: Any = "auto",
    kernel_y: Any = "auto",
    estimator: str = "biased",
    **options: Unpack[Options],
) -> float:
    """Return the Hilbert–Schmidt independence criterion of pairs ``(xᵢ, yᵢ)``.

    Parameters
    ----------
    X, Y : arrays, lists or data frames
        Samples with a row per pair.
    kernel_x, kernel_y : text, Kernel, function of two points, "precomputed" or "auto"
        ``"auto"`` is a Gaussian kernel with the median distance of that sample. With ``"precomputed"`` the sample is
        the matrix of its kernel values.
    estimator : {"biased", "unbiased"}
        ``(1/n²) tr(KHLH)``, or the U-statistic of Song et al. (2012).
    **options
        How to compute, as in `Options`.

    Returns
    -------
    A number; the biased estimate is at least 0.

    Examples
    --------
    >>> import mercer
    >>> mercer.hsic([-1.0, 1.0], [-2.0, 2.0], "linear()", "linear()")  # the squared covariance
    4.0
    """
    samples, kernels = variables([X, Y], [kernel_x, kernel_y])
    return _mercer.hsic(*samples, *kernels, estimator, False, **how(options))


def normalized_hsic(
    X: Any,
    Y: Any,
    kernel_x: Any = "auto",
    kernel_y: Any = "auto",
    **options: Unpack[Options],
) -> float:
    """Return ``HSIC(X, Y) / √(HSIC(X, X) HSIC(Y, Y))`` with biased estimates, between 0 and 1.

    It is also known as centered kernel alignment.

    Parameters
    ----------
    X, Y, kernel_x, kernel_y, **options
        As in `hsic`.

    Returns
    -------
    A number between 0 and 1.

    Examples
    --------
    >>> import mercer
    >>> round(mercer.normalized_hsic([0.0, 1.0, 5.0], [0.0, -2.0, -10.0]), 12)
    1.0
    """
    samples, kernels = variables([X, Y], [kernel_x, kernel_y])
    return _mercer.hsic(*samples, *kernels, "biased", True, **how(options))


def distance_covariance(
    X: Any,
    Y: Any,
    estimator: str = "biased",
    **options: Unpack[Options],
) -> float:
    """Return the distance covariance of pairs ``(xᵢ, yᵢ)``: the root of the V-statistic, as `dcor` gives it.

    ``O(n log n)`` for one column each.

    Parameters
    ----------
    X, Y : arrays, lists or data frames
        Samples with a row per pair.
    estimator : {"biased", "unbiased"}
        The root of the V-statistic, or the bias-corrected *square*, which may be negative.
    **options
        How to compute, as in `Options`.

    Returns
    -------
    A number.

    Examples
    --------
    >>> import mercer
    >>> mercer.distance_covariance([0.0, 1.0], [0.0, 1.0])
    0.5
    """
    covariance, _ = _distances(X, Y, estimator, options)
    return covariance


def distance_correlation(
    X: Any,
    Y: Any,
    estimator: str = "biased",
    **options: Unpack[Options],
) -> float:
    """Return the distance correlation of pairs ``(xᵢ, yᵢ)``, between 0 and 1.

    Parameters
    ----------
    X, Y, **options
        As in `distance_covariance`.
    estimator : {"biased", "unbiased"}
        The root, or the bias-corrected *square*, which may be negative.

    Returns
    -------
    A number.

    Examples
    --------
    >>> import mercer
    >>> round(mercer.distance_correlation([0.0, 1.0, 4.0], [3.0, 1.0, -5.0]), 12)
    1.0
    """
    _, correlation = _distances(X, Y, estimator, options)
    return correlation


def _distances(X: Any, Y: Any, estimator: str, options: Options) -> list[float]:
    """Return distance covariance and correlation: roots of the biased estimates, the unbiased squares as they are."""
    squares = _mercer.distance_statistics(X, Y, estimator, **how(options))
    return [max(square, 0.0) ** 0.5 if estimator == "biased" else square for square in squares]


def dhsic(
    samples: Sequence[Any],
    kernels: Sequence[Any] | None = None,
    **options: Unpack[Options],
) -> float:
    """Return the joint independence criterion of two or more variables (V-statistic); for two it is `hsic`.

    Parameters
    ----------
    samples : list of arrays, lists or data frames
        The variables, with a row per observation.
    kernels : list of kernels as in `hsic`, optional
        One for each variable; Gaussian kernels with median distances by default.
    **options
        How to compute, as in `Options`.

    Returns
    -------
    A number of at least 0.

    Examples
    --------
    >>> import mercer
    >>> mercer.dhsic([[-1.0, 1.0], [-1.0, 1.0]], ["linear()", "linear()"])
    1.0
    """
    return _mercer.joint_statistic(*variables(samples, kernels), False, **how(options))


def lancaster(
    X: Any,
    Y: Any,
    Z: Any,
    kernel_x: Any = "auto",
    kernel_y: Any = "auto",
    kernel_z: Any = "auto",
    **options: Unpack[Options],
) -> float:
    """Return Lancaster's interaction of three variables, ``(1/n²) Σ (HKH)∘(HLH)∘(HMH)``.

    Parameters
    ----------
    X, Y, Z : arrays, lists or data frames
        Samples with a row per observation.
    kernel_x, kernel_y, kernel_z, **options
        As in `hsic`.

    Returns
    -------
    A number.

    Examples
    --------
    >>> import mercer
    >>> x, y = [1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0]
    >>> mercer.lancaster(x, y, [a * b for a, b in zip(x, y)], "linear()", "linear()", "linear()")
    1.0
    """
    return _mercer.joint_statistic(*variables([X, Y, Z], [kernel_x, kernel_y, kernel_z]), True, **how(options))


def stein_discrepancy(
    X: Any,
    score: Any,
    kernel: Any = "auto",
    estimator: str = "biased",
    **options: Unpack[Options],
) -> float:
    """Return the squared kernel Stein discrepancy of a sample from a density known up to its constant.

    Parameters
    ----------
    X : array, list or data frame
        A sample with a row per point.
    score : function, matrix or text
        A function that maps an n×d array to ``∇log p`` row by row, its values at X, or a density by name:
        ``"normal(mean=0, std=1)"``, ``"student(freedom=3)"``, ``"logistic()"``.
    kernel : text or Kernel
        ``inverse_multiquadric(offset=…)`` or ``gaussian(lengthscale=…)``; ``"auto"`` is the first with offset 1.
    estimator : {"biased", "unbiased"}
        All pairs, or without ``i = j``.
    **options
        How to compute, as in `Options`.

    Returns
    -------
    A number; the biased estimate is at least 0.

    Examples
    --------
    >>> import mercer
    >>> round(mercer.stein_discrepancy([0.0, 1.0], "normal()", "gaussian(lengthscale=1)"), 6)
    0.446735
    """
    return _mercer.stein_discrepancy(X, scores(score, X), chosen(kernel, X), estimator, **how(options))


def variables(samples: Sequence[Any], kernels: Sequence[Any] | None) -> tuple[list[Any], list[Any]]:
    """Return several variables and a kernel for each."""
    samples = list(samples)
    given = ["auto"] * len(samples) if kernels is None else list(kernels)
    if len(given) != len(samples):
        raise ValueError(f"kernels: expected one per variable ({len(samples)}), found {len(given)}")
    pairs = list(zip(given, samples, strict=True))
    return [variable(kernel, X) for kernel, X in pairs], [named(kernel, X) for kernel, X in pairs]
