# Made by stubs.py from the catalogue; a test keeps it up to date.
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning as ConvergenceWarning

from mercer._auto import auto as auto
from mercer._binned import BinnedClassifier as BinnedClassifier
from mercer._binned import BinnedRegressor as BinnedRegressor
from mercer._borders import BorderWarning as BorderWarning
from mercer._cca import KernelCCA as KernelCCA
from mercer._cca import KernelICA as KernelICA
from mercer._cca import amari_distance as amari_distance
from mercer._cca import hsic_contrast as hsic_contrast
from mercer._cca import kcc_contrast as kcc_contrast
from mercer._cca import kgv_contrast as kgv_contrast
from mercer._cca import negentropy_contrast as negentropy_contrast
from mercer._clusters import KernelKMeans as KernelKMeans
from mercer._clusters import SpectralClustering as SpectralClustering
from mercer._conformal import ConformalClassifier as ConformalClassifier
from mercer._conformal import ConformalRegressor as ConformalRegressor
from mercer._coupled import CoupledKernelEmbedding as CoupledKernelEmbedding
from mercer._diagnosis.report import Diagnosis as Diagnosis
from mercer._diagnosis.report import Finding as Finding
from mercer._displays.boundary import BoundaryDisplay as BoundaryDisplay
from mercer._displays.calibration import CalibrationDisplay as CalibrationDisplay
from mercer._displays.counterexample import CounterexampleDisplay as CounterexampleDisplay
from mercer._displays.effects import EffectsDisplay as EffectsDisplay
from mercer._displays.embedding import EmbeddingDisplay as EmbeddingDisplay
from mercer._displays.function import FunctionDisplay as FunctionDisplay
from mercer._displays.gram import GramDisplay as GramDisplay
from mercer._displays.influence import InfluenceDisplay as InfluenceDisplay
from mercer._displays.null import NullDisplay as NullDisplay
from mercer._displays.residuals import ResidualsDisplay as ResidualsDisplay
from mercer._displays.signals import SignalsDisplay as SignalsDisplay
from mercer._displays.spectrum import SpectrumDisplay as SpectrumDisplay
from mercer._displays.surface import ScoreSurfaceDisplay as ScoreSurfaceDisplay
from mercer._displays.weights import KernelWeightsDisplay as KernelWeightsDisplay
from mercer._displays.witness import WitnessDisplay as WitnessDisplay
from mercer._exchange.adopted import from_sklearn as from_sklearn
from mercer._exchange.libsvm import export_libsvm as export_libsvm
from mercer._exchange.libsvm import from_libsvm as from_libsvm
from mercer._exchange.onnx import export_onnx as export_onnx
from mercer._exchange.onnx import to_onnx as to_onnx
from mercer._features import EmpiricalKernelMap as EmpiricalKernelMap
from mercer._features import ExplicitFeatures as ExplicitFeatures
from mercer._features import Nystroem as Nystroem
from mercer._features import RandomBinningFeatures as RandomBinningFeatures
from mercer._features import RandomFourierFeatures as RandomFourierFeatures
from mercer._gaussian_process import GaussianProcessRegressor as GaussianProcessRegressor
from mercer._hypothesis import column_tests as column_tests
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
from mercer._mercer import EmbeddingSketch as EmbeddingSketch
from mercer._mercer import Function as Function
from mercer._mercer import Graphs as Graphs
from mercer._mercer import Kernel as Kernel
from mercer._mercer import LawEmbedding as LawEmbedding
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
from mercer._mercer import learners as learners
from mercer._mercer import read_fasta as read_fasta
from mercer._mercer import repair as repair
from mercer._models import load as load
from mercer._models import save as save
from mercer._multiple import MultipleKernelClassifier as MultipleKernelClassifier
from mercer._multiple import MultipleKernelOneClass as MultipleKernelOneClass
from mercer._multiple import MultipleKernelRegressor as MultipleKernelRegressor
from mercer._pca import ClassicalScaling as ClassicalScaling
from mercer._pca import KernelPCA as KernelPCA
from mercer._result import TestResult as TestResult
from mercer._ridge import KernelRidge as KernelRidge
from mercer._ridge_cv import KernelRidgeCV as KernelRidgeCV
from mercer._smoothers import LocalLinear as LocalLinear
from mercer._smoothers import NadarayaWatson as NadarayaWatson
from mercer._spline import SmoothingSpline as SmoothingSpline
from mercer._streamed import StreamedKernelRidge as StreamedKernelRidge
from mercer._streamed_logistic import StreamedKernelLogisticRegression as StreamedKernelLogisticRegression
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

def linear() -> Kernel: ...
def polynomial(degree: _Number = 3, offset: _Number = 1, scale: _Number = 1) -> Kernel: ...
def exponential(scale: _Number = 1) -> Kernel: ...
def tanh(scale: _Number = 1, offset: _Number = 0) -> Kernel: ...
def gaussian(lengthscale: _Lengths = 1, gamma: _Number | None = None, sigma2: _Number | None = None) -> Kernel: ...
def laplacian(lengthscale: _Lengths = 1, norm: str = "l2") -> Kernel: ...
def matern(nu: _Number = 1.5, lengthscale: _Lengths = 1) -> Kernel: ...
def rational_quadratic(lengthscale: _Lengths = 1, shape: _Number = 1) -> Kernel: ...
def inverse_multiquadric(offset: _Number = 1) -> Kernel: ...
def wendland(smoothness: _Number = 1, dimension: _Number = 3, radius: _Number = 1) -> Kernel: ...
def cauchy(lengthscale: _Lengths = 1) -> Kernel: ...
def periodic(period: _Number = 1, lengthscale: _Lengths = 1) -> Kernel: ...
def sinc(bandlimit: _Number = 1) -> Kernel: ...
def histogram_intersection() -> Kernel: ...
def chi2(gamma: _Number = 1) -> Kernel: ...
def wiener() -> Kernel: ...
def bridge() -> Kernel: ...
def brownian(hurst: _Number = 0.5) -> Kernel: ...
def sobolev(order: _Number = 1, null_space: bool = True) -> Kernel: ...
def weighted_sobolev() -> Kernel: ...
def constant(value: _Number = 1) -> Kernel: ...
def delta() -> Kernel: ...
def ball(radius: _Number = 1) -> Kernel: ...
def finite_rank(weights: _Numbers | str, basis: str = "monomials") -> Kernel: ...
def precomputed() -> Kernel: ...
def sqdist() -> Kernel: ...
def distance(power: _Number = 1) -> Kernel: ...
def log_distance() -> Kernel: ...
def spectrum(length: _Number = 3, blended: bool = False) -> Kernel: ...
def mismatch(
    length: _Number = 3,
    mismatches: _Number = 1,
    alphabet: str | None = None,
    others: str = "refuse",
) -> Kernel: ...
def subsequence(length: _Number = 3, decay: _Number = 0.5) -> Kernel: ...
def all_subsequences() -> Kernel: ...
def words(
    weights: str = "tfidf",
    documents: _Number | None = None,
    words: Sequence[str] | None = None,
    counts: _Numbers | str | None = None,
) -> Kernel: ...
def vertex_histogram() -> Kernel: ...
def weisfeiler_lehman(depth: _Number = 3) -> Kernel: ...
def shortest_path(labels: bool = True, nodes: _Kernel | None = None) -> Kernel: ...
def random_walk(decay: _Number = 0.1, series: str = "geometric") -> Kernel: ...
def mean_embedding(kernel: _Kernel, /) -> Kernel: ...
def squared_mmd(kernel: _Kernel, /) -> Kernel: ...
def gaussian_embedding(kernel: _Kernel, /, lengthscale: _Number = 1) -> Kernel: ...
def persistence(scale: _Number = 1) -> Kernel: ...
def schoenberg(kernel: _Kernel, /, t: _Number = 1) -> Kernel: ...
def based(kernel: _Kernel, /, at: _Numbers | str) -> Kernel: ...
def normalized(kernel: _Kernel, /) -> Kernel: ...
def exp(kernel: _Kernel, /) -> Kernel: ...
def series(coefficients: _Numbers | str, kernel: _Kernel, /) -> Kernel: ...
def on(columns: _Columns, kernel: _Kernel, /) -> Kernel: ...
def minus(kernel1: _Kernel, kernel2: _Kernel, /) -> Kernel: ...
def conformal(kernel: _Kernel, /, by: str) -> Kernel: ...
def transformed(kernel: _Kernel, /, by: str) -> Kernel: ...
def induced(kernel: _Kernel, /, at: _Points) -> Kernel: ...
