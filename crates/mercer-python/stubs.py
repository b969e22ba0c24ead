"""Print `__init__.pyi`, with a typed function for every entry of the catalogue.

Run it as `python crates/mercer-python/stubs.py > crates/mercer-python/python/mercer/__init__.pyi`.
"""

import inspect

import mercer
from mercer._catalogue import signature_of

HEAD = """\
# Made by stubs.py from the catalogue; a test keeps it up to date.
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning as ConvergenceWarning

from mercer._binned import BinnedClassifier as BinnedClassifier
from mercer._binned import BinnedRegressor as BinnedRegressor
from mercer._borders import BorderWarning as BorderWarning
from mercer._features import EmpiricalKernelMap as EmpiricalKernelMap
from mercer._features import ExplicitFeatures as ExplicitFeatures
from mercer._features import Nystroem as Nystroem
from mercer._features import RandomBinningFeatures as RandomBinningFeatures
from mercer._features import RandomFourierFeatures as RandomFourierFeatures
from mercer._gaussian_process import GaussianProcessRegressor as GaussianProcessRegressor
from mercer._hypothesis import conditional_independence_test as conditional_independence_test
from mercer._hypothesis import goodness_of_fit_test as goodness_of_fit_test
from mercer._hypothesis import independence_test as independence_test
from mercer._hypothesis import interaction_test as interaction_test
from mercer._hypothesis import joint_independence_test as joint_independence_test
from mercer._hypothesis import two_sample_test as two_sample_test
from mercer._logistic import KernelLogisticRegression as KernelLogisticRegression
from mercer._machine import KernelMachine as KernelMachine
from mercer._measures import dhsic as dhsic
from mercer._measures import distance_correlation as distance_correlation
from mercer._measures import distance_covariance as distance_covariance
from mercer._measures import energy_distance as energy_distance
from mercer._measures import hsic as hsic
from mercer._measures import lancaster as lancaster
from mercer._measures import mmd as mmd
from mercer._measures import mmd_witness as mmd_witness
from mercer._measures import normalized_hsic as normalized_hsic
from mercer._measures import stein_discrepancy as stein_discrepancy
from mercer._measures import wasserstein as wasserstein
from mercer._mercer import Bags as Bags
from mercer._mercer import Check as Check
from mercer._mercer import Counterexample as Counterexample
from mercer._mercer import CovarianceStatistics as CovarianceStatistics
from mercer._mercer import Diagrams as Diagrams
from mercer._mercer import Function as Function
from mercer._mercer import Graphs as Graphs
from mercer._mercer import Kernel as Kernel
from mercer._mercer import MeanEmbedding as MeanEmbedding
from mercer._mercer import MeanStatistics as MeanStatistics
from mercer._mercer import NotPositiveDefiniteError as NotPositiveDefiniteError
from mercer._mercer import Repaired as Repaired
from mercer._mercer import RidgeStatistics as RidgeStatistics
from mercer._mercer import RidgeStream as RidgeStream
from mercer._mercer import SequentialTwoSampleTest as SequentialTwoSampleTest
from mercer._mercer import Spectrum as Spectrum
from mercer._mercer import binning_bound as binning_bound
from mercer._mercer import catalogue as catalogue
from mercer._mercer import fourier_bound as fourier_bound
from mercer._mercer import fourier_components as fourier_components
from mercer._mercer import read_fasta as read_fasta
from mercer._mercer import repair as repair
from mercer._models import load as load
from mercer._models import save as save
from mercer._result import TestResult as TestResult
from mercer._ridge import KernelRidge as KernelRidge
from mercer._ridge_cv import KernelRidgeCV as KernelRidgeCV
from mercer._smoothers import LocalLinear as LocalLinear
from mercer._smoothers import NadarayaWatson as NadarayaWatson
from mercer._spline import SmoothingSpline as SmoothingSpline
from mercer._streamed import StreamedKernelRidge as StreamedKernelRidge
from mercer._svm import SVC as SVC
from mercer._svm import NuSVC as NuSVC
from mercer._svm_cv import SVCCV as SVCCV
from mercer._svr import SVR as SVR
from mercer._svr import NuSVR as NuSVR
from mercer._svr import OneClassSVM as OneClassSVM

__version__: str
__all__: list[str]

_Kernel: TypeAlias = Kernel | str
_Number: TypeAlias = float | Fraction | str
_Numbers: TypeAlias = Sequence[float] | NDArray[Any]
_Lengths: TypeAlias = _Number | _Numbers
_Columns: TypeAlias = Sequence[int | str] | NDArray[Any]
_Points: TypeAlias = Sequence[Sequence[float]] | NDArray[Any]
"""


def annotation(argument):
    """Give the type of a parameter from the range that the catalogue states."""
    allowed, default = argument["range"], argument["default"]
    if allowed == "a kernel":
        return "_Kernel"
    if "columns" in allowed and "list of" in allowed:
        return "_Columns"
    if "points" in allowed:
        return "_Points"
    if argument["name"] in ("by", "alphabet"):
        return "str"
    if argument["name"] == "words":
        return "Sequence[str]"
    if default in ("true", "false"):
        return "bool"
    if default is not None and default.isidentifier():
        return "str"
    if "list" in allowed or "[" in allowed:
        return "_Lengths" if "> 0" in allowed else "_Numbers | str"
    return "_Number"


def literal(value):
    """Write a default with the quotes of the formatter."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def stub(entry):
    """Write the function of an entry."""
    parts = []
    for parameter, argument in zip(signature_of(entry).parameters.values(), entry["parameters"], strict=True):
        kind, default = annotation(argument), parameter.default
        optional = f"{kind} | None = None" if default is None else f"{kind} = {literal(default)}"
        parts.append(f"{parameter.name}: {kind if default is inspect.Parameter.empty else optional}")
    unnamed = sum(not argument["name"] for argument in entry["parameters"])
    if unnamed:
        parts.insert(unnamed, "/")
    line = f"def {entry['name']}({', '.join(parts)}) -> Kernel: ..."
    if len(line) > 120:
        listed = "".join(f"    {part},\n" for part in parts)
        line = f"def {entry['name']}(\n{listed}) -> Kernel: ..."
    return line + "\n"


if __name__ == "__main__":
    print(HEAD + "\n" + "".join(map(stub, mercer.catalogue())), end="")
