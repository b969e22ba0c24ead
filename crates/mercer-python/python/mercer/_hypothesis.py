"""Hypothesis tests with kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Unpack

import numpy as np

from mercer import _mercer
from mercer._dask import is_dask
from mercer._kernel_names import is_known_by_values
from mercer._measures import variables
from mercer._mercer import Kernel
from mercer._parameters import check_above, check_flag, check_test
from mercer._result import TestResult
from mercer._samples import Options, chosen, how, scores, two_samples, variable

COMMON_CHOICES = {
    "estimator": "biased",
    "weights": "uniform",
    "wild": False,
    "block_size": 32,
    "n_components": 512,
    "strata": None,
}


def _dask_tests() -> Any:
    from mercer import _dask_tests

    return _dask_tests


def two_sample_test(
    X: Any,
    Y: Any,
    kernel: Any = "auto",
    method: str = "auto",
    *,
    permutations: int = 1999,
    level: float = 0.05,
    estimator: str = "biased",
    strata: Any = None,
    weights: str = "uniform",
    wild: bool = False,
    block_size: int = 32,
    n_components: int = 512,
    **options: Unpack[Options],
) -> TestResult:
    """Test whether two samples have the same distribution, by the maximum mean discrepancy.

    Parameters
    ----------
    X, Y : arrays, lists or data frames, or Dask arrays or data frames
        Samples with a row per point. With ``kernel="precomputed"`` X is the matrix of the kernel values of the pooled
        sample, and Y the number of points of the first sample, which come first. Dask collections are tested in one
        pass through ``n_components`` random Fourier features, with the limit of the null distribution for many rows, of
        which ``permutations`` values are drawn: the same bytes however the rows are partitioned.
    kernel : text, Kernel, function of two points, "precomputed" or "auto"
        ``"auto"`` takes Gaussian and Laplacian kernels of many lengthscales for the methods ``"aggregated"`` and
        ``"fused"``, and a Gaussian kernel with the median distance for the others.
    method : str, default="auto"
        ``"auto"`` is ``"aggregated"`` with ``kernel="auto"`` and ``"permutation"`` with an explicit kernel.
        ``"permutation"``, ``"exact"`` (all relabelings), ``"paired"`` (exchanges within pairs), ``"sequential"``
        (stops when rejection has become impossible), ``"aggregated"`` (MMDAgg), ``"fused"`` (MMD-FUSE), ``"split"``
        and ``"features"`` (random Fourier features, in linear time, for millions of points) have their level exactly;
        ``"gamma"``, ``"spectral"``, ``"linear"`` and ``"block"`` in the limit; ``"bound"`` always, with little power.
    permutations : int, default=1999
        How many relabelings are drawn; the observed one is counted besides.
    level : float, default=0.05
        The level of the decision.
    estimator : {"biased", "unbiased"}
        The estimator that is relabeled or bounded.
    strata : array of int or str, optional
        A stratum for each point, those of X first: labels are exchanged only within strata.
    weights : {"uniform", "decreasing", "increasing", "centered"}
        The importance of the lengthscales of the aggregated test, from small to large.
    wild : bool, default=False
        For the aggregated test of samples of the same size: signs of pairs instead of permutations, a quarter of the
        work.
    block_size : int, default=32
        The pairs of a block for ``method="block"``.
    n_components : int, default=512
        The random Fourier features of ``method="features"``, an even number.
    **options
        How to compute, as in `Options`.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> import mercer
    >>> x, y = [0.1, 0.2, 0.3, 0.4, 0.5], [5.1, 5.2, 5.3, 5.4, 5.5]
    >>> result = mercer.two_sample_test(x, y, "gaussian(lengthscale=1)", method="exact")
    >>> result.p_value == 2 / 252, result.reject
    (True, True)
    """
    check_test(permutations, level, n_components=n_components, block_size=block_size)
    check_flag("wild", wild)
    if is_dask(X, Y):
        numbers = {"permutations": permutations, "level": level, "n_components": n_components}
        outcome = _dask_tests().two_sample(X, Y, kernel, method, {**numbers, "strata": strata}, options)
    else:
        found = chosen(kernel, X)
        choices = {
            "estimator": estimator,
            "weights": weights,
            "wild": wild,
            "block_size": block_size,
            "n_components": n_components,
            "strata": strata_codes(strata),
        }
        numbers = (_two_sample_method(method, found), permutations, level)
        outcome = _mercer.two_sample_test(*two_samples(kernel, X, Y), found, *numbers, choices, **how(options))
    return TestResult(test="Two-sample test", hypothesis="both samples have the same distribution", **outcome)


def column_tests(
    X: Any,
    Y: Any,
    kernel: Any = "auto",
    method: str = "auto",
    *,
    correction: str = "holm",
    permutations: int = 1999,
    level: float = 0.05,
    estimator: str = "biased",
    **options: Unpack[Options],
) -> list[TestResult]:
    """Test every column of two samples by itself: which columns differ.

    The decision of each result is that of its p-value adjusted for the number of columns (``details["p_adjusted"]``);
    ``p_value`` is that of the column alone, ``details["mmd"]`` its unbiased squared MMD. A constant column has
    ``p = 1``. Differences of the joint distribution that no column shows by itself are not seen.

    Parameters
    ----------
    X, Y : arrays, lists or data frames
        Samples with a row per point.
    kernel : text, Kernel or "auto"
        A kernel on one column, otherwise as in `two_sample_test`.
    method, permutations, level, estimator, **options
        As in `two_sample_test`.
    correction : {"holm", "bonferroni", "bh", "by", "none"}
        How the p-values are adjusted: the chance of one false rejection (Holm, Bonferroni) or the share of false ones
        among the rejections (Benjamini and Hochberg, Benjamini and Yekutieli).

    Returns
    -------
    list of TestResult
        One for each column.

    Examples
    --------
    >>> import mercer, numpy as np
    >>> x, y = np.random.default_rng(3).normal(size=(2, 40, 3))
    >>> [result.reject for result in mercer.column_tests(x, y + [0.0, 2.0, 0.0])]
    [False, True, False]
    """
    check_test(permutations, level)
    if is_known_by_values(kernel):
        raise ValueError("kernel: columns are tested from points: it needs a text or a Kernel")
    found = chosen(kernel, np.zeros((1, 1)))
    method = _two_sample_method(method, found)
    choices = {**COMMON_CHOICES, "estimator": estimator}
    columns = _mercer.column_tests(X, Y, found, method, permutations, level, correction, choices, **how(options))
    names = [str(name) for name in getattr(X, "columns", range(len(columns)))]
    return [
        TestResult(
            test=f"Two-sample test of column {name}",
            hypothesis="the column has the same distribution in both samples",
            **{
                **outcome,
                "reject": adjusted <= level,
                "details": {**outcome["details"], "mmd": mmd, "p_adjusted": adjusted},
            },
        )
        for name, (mmd, adjusted, outcome) in zip(names, columns, strict=True)
    ]


def independence_test(
    X: Any,
    Y: Any,
    kernel_x: Any = "auto",
    kernel_y: Any = "auto",
    method: str = "permutation",
    *,
    permutations: int = 1999,
    level: float = 0.05,
    estimator: str = "biased",
    strata: Any = None,
    wild: bool = False,
    n_components: int = 64,
    **options: Unpack[Options],
) -> TestResult:
    """Test whether two variables are independent, by HSIC.

    Parameters
    ----------
    X, Y : arrays, lists or data frames, or Dask arrays or data frames
        Samples with a row per pair. Dask collections are tested in one pass, as in `two_sample_test`.
    kernel_x, kernel_y : text, Kernel, function of two points, "precomputed" or "auto"
        ``"auto"`` is a Gaussian kernel with the median distance, or many lengthscales for the aggregated test. With
        ``"precomputed"`` the sample is the matrix of its kernel values.
    method : {"permutation", "exact", "sequential", "gamma", "aggregated", "features"}
        All but ``"gamma"`` have their level exactly. ``"exact"`` refuses more than a million permutations.
    permutations, level, estimator, strata
        As in `two_sample_test`; a stratum for each pair.
    wild : bool, default=False
        For ``method="aggregated"``: rows are paired, the first half with the second, and Y is exchanged within pairs
        instead of permuted. That is how HSICAgg was published; permutations have more power.
    n_components : int, default=64
        The random Fourier features of each variable for ``method="features"``, an even number; the work grows with
        its square.
    **options
        How to compute, as in `Options`.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> import mercer, numpy as np
    >>> x = np.sin(0.7 * np.arange(40.0))
    >>> mercer.independence_test(x, x**2).reject
    True
    """
    check_test(permutations, level, n_components=n_components)
    check_flag("wild", wild)
    if is_dask(X, Y):
        numbers = {"permutations": permutations, "level": level, "n_components": n_components, "strata": strata}
        outcome = _dask_tests().independence(X, Y, (kernel_x, kernel_y), method, numbers, options)
    else:
        samples = variable(kernel_x, X), variable(kernel_y, Y)
        kernels = chosen(kernel_x, X), chosen(kernel_y, Y)
        choices = {
            "method": method,
            "estimator": estimator,
            "n_components": n_components,
            "wild": wild,
            "strata": strata_codes(strata),
        }
        outcome = _mercer.independence_test(*samples, *kernels, permutations, level, choices, **how(options))
    return TestResult(test="Independence test", hypothesis="X and Y are independent", **outcome)


def joint_independence_test(
    samples: Sequence[Any],
    kernels: Sequence[Any] | None = None,
    *,
    permutations: int = 1999,
    level: float = 0.05,
    **options: Unpack[Options],
) -> TestResult:
    """Test whether two or more variables are jointly independent, by dHSIC.

    Parameters
    ----------
    samples : list of arrays, lists or data frames
        The variables, with a row per observation.
    kernels : list of kernels as in `independence_test`, optional
        One for each variable; Gaussian kernels with median distances by default.
    permutations, level, **options
        As in `independence_test`.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> import mercer, numpy as np
    >>> x, y = np.tile([1.0, -1.0], 16), np.tile([1.0, 1.0, -1.0, -1.0], 8)
    >>> mercer.joint_independence_test([x, y, x * y], ["gaussian(lengthscale=0.5)"] * 3).reject
    True
    """
    check_test(permutations, level)
    outcome = _mercer.joint_test(*variables(samples, kernels), False, permutations, level, **how(options))
    return TestResult(test="Joint independence test", hypothesis="the variables are jointly independent", **outcome)


def interaction_test(
    X: Any,
    Y: Any,
    Z: Any,
    kernel_x: Any = "auto",
    kernel_y: Any = "auto",
    kernel_z: Any = "auto",
    *,
    permutations: int = 1999,
    level: float = 0.05,
    **options: Unpack[Options],
) -> TestResult:
    """Test whether three variables interact, by Lancaster's statistic.

    The hypothesis is that the joint distribution factorizes in some way. Each of the three ways is tested by permuting
    the variable that stands alone (``details["p_x"]``, ``["p_y"]``, ``["p_z"]``); the p-value is the largest of the
    three, which needs no further correction.

    Parameters
    ----------
    X, Y, Z : arrays, lists or data frames
        Samples with a row per observation.
    kernel_x, kernel_y, kernel_z, permutations, level, **options
        As in `independence_test`.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> import mercer, numpy as np
    >>> x, y = np.tile([1.0, -1.0], 16), np.tile([1.0, 1.0, -1.0, -1.0], 8)
    >>> mercer.interaction_test(x, y, x * y).reject
    True
    """
    check_test(permutations, level)
    parts = variables([X, Y, Z], [kernel_x, kernel_y, kernel_z])
    outcome = _mercer.joint_test(*parts, True, permutations, level, **how(options))
    return TestResult(
        test="Interaction test",
        hypothesis="(X, Y) and Z are independent, or (X, Z) and Y, or (Y, Z) and X",
        **outcome,
    )


def conditional_independence_test(
    X: Any,
    Y: Any,
    Z: Any,
    kernel_x: Any = "auto",
    kernel_y: Any = "auto",
    kernel_z: Any = "auto",
    method: str = "permutation",
    *,
    ridge: float = 1e-3,
    permutations: int = 1999,
    level: float = 0.05,
    **options: Unpack[Options],
) -> TestResult:
    """Test whether X and Y are independent given Z (KCI, Zhang et al. 2011).

    Parameters
    ----------
    X, Y, Z : arrays, lists or data frames
        Samples with a row per observation. A constant Z gives exactly `independence_test` with the same method.
    kernel_x, kernel_y : text, Kernel or "auto"
        The kernels of ``(x, z/2)``, with the columns of x first, and of y, on columns of mean 0 and variance 1;
        ``"auto"`` is Gaussian with the median distance.
    kernel_z : text, Kernel or "auto"
        With ``"auto"`` the lengthscale and the ridge of the regressions on z are those of least leave-one-out error;
        an explicit kernel goes with ``ridge``.
    method : {"permutation", "gamma"}
        The null distribution by random signs, or by the moments of a gamma distribution.
    ridge : float, default=1e-3
        The ridge of the regressions on z where ``kernel_z`` is given.
    permutations, level, **options
        As in `independence_test`.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> import mercer, numpy as np
    >>> z, x = np.random.default_rng(0).normal(size=(2, 80))
    >>> mercer.conditional_independence_test(x + z, z - x, z).reject
    True
    """
    check_test(permutations, level)
    check_above("ridge", ridge, 0)
    for name, kernel in (("kernel_x", kernel_x), ("kernel_y", kernel_y), ("kernel_z", kernel_z)):
        if is_known_by_values(kernel):
            raise ValueError(f"{name}: the conditional test works on points: it needs a text or a Kernel")
    given = chosen(kernel_z, Z)
    outcome = _mercer.conditional_independence_test(
        X,
        Y,
        Z,
        chosen(kernel_x, X),
        chosen(kernel_y, Y),
        None if given is None else (given, ridge),
        method,
        permutations,
        level,
        **how(options),
    )
    return TestResult(test="Conditional independence test", hypothesis="X and Y are independent given Z", **outcome)


def goodness_of_fit_test(
    X: Any,
    score: Callable[[np.ndarray], Any] | Any,
    kernel: Any = "auto",
    *,
    permutations: int = 1999,
    level: float = 0.05,
    estimator: str = "biased",
    **options: Unpack[Options],
) -> TestResult:
    """Test whether a sample is from a density known up to its constant, by the kernel Stein discrepancy.

    Parameters
    ----------
    X : array, list or data frame
        A sample with a row per point.
    score : function, matrix or text
        A function that maps an n×d array to ``∇log p`` row by row, its values at X, or a density by name:
        ``"normal(mean=0, std=1)"``, ``"student(freedom=3)"``, ``"logistic()"``.
    kernel : text or Kernel
        ``inverse_multiquadric(offset=…)`` or ``gaussian(lengthscale=…)``; ``"auto"`` is the first with offset 1.
    permutations : int, default=1999
        How many vectors of signs are drawn for the wild bootstrap.
    level, estimator, **options
        As in `two_sample_test`.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> import mercer, numpy as np
    >>> mercer.goodness_of_fit_test(np.linspace(-5, 5, 100), lambda x: -x).reject
    True
    """
    check_test(permutations, level)
    outcome = _mercer.goodness_of_fit_test(
        X, scores(score, X), chosen(kernel, X), estimator, permutations, level, **how(options)
    )
    return TestResult(test="Goodness-of-fit test", hypothesis="the sample is from the density", **outcome)


def _two_sample_method(method: str, kernel: Kernel | None) -> str:
    """Return the method of a two-sample test: ``"auto"`` depends on whether there is an explicit kernel."""
    if method != "auto":
        return method
    return "aggregated" if kernel is None else "permutation"


def strata_codes(strata: Any) -> list[int] | None:
    """Return the number of the stratum of every point."""
    return None if strata is None else np.unique(np.asarray(strata), return_inverse=True)[1].ravel().tolist()
