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

from importlib.util import find_spec as _find_spec
from typing import Any as _Any

from mercer._catalogue import constructors as _constructors
from mercer._html import install as _install_html
from mercer._hypothesis import (
    column_tests,
    conditional_independence_test,
    goodness_of_fit_test,
    independence_test,
    interaction_test,
    joint_independence_test,
    two_sample_test,
)
from mercer._measures import (
    dhsic,
    distance_correlation,
    distance_covariance,
    energy_distance,
    hsic,
    lancaster,
    mmd,
    mmd_witness,
    normalized_hsic,
    stein_discrepancy,
    wasserstein,
)
from mercer._mercer import (
    Bags,
    Check,
    Counterexample,
    CovarianceStatistics,
    Diagrams,
    EmbeddingSketch,
    Function,
    Graphs,
    Kernel,
    LawEmbedding,
    MeanEmbedding,
    MeanStatistics,
    NotPositiveDefiniteError,
    Repaired,
    RidgeStatistics,
    RidgeStream,
    SequentialTwoSampleTest,
    Spectrum,
    __version__,
    binning_bound,
    catalogue,
    fourier_bound,
    fourier_components,
    learners,
    read_fasta,
    repair,
)
from mercer._result import TestResult

_install_html()
globals().update(_constructors())

# What stands on scikit-learn, which takes a second to import, is loaded at its first use.
_ESTIMATORS = {
    "BinnedClassifier": "mercer._binned",
    "BinnedRegressor": "mercer._binned",
    "BorderWarning": "mercer._borders",
    "BoundaryDisplay": "mercer._displays.boundary",
    "CalibrationDisplay": "mercer._displays.calibration",
    "ClassicalScaling": "mercer._pca",
    "ConformalClassifier": "mercer._conformal",
    "ConformalRegressor": "mercer._conformal",
    "ConvergenceWarning": "sklearn.exceptions",
    "CounterexampleDisplay": "mercer._displays.counterexample",
    "CoupledKernelEmbedding": "mercer._coupled",
    "Diagnosis": "mercer._diagnosis.report",
    "EffectsDisplay": "mercer._displays.effects",
    "EmbeddingDisplay": "mercer._displays.embedding",
    "EmpiricalKernelMap": "mercer._features",
    "ExplicitFeatures": "mercer._features",
    "Finding": "mercer._diagnosis.report",
    "FunctionDisplay": "mercer._displays.function",
    "GaussianProcessRegressor": "mercer._gaussian_process",
    "GramDisplay": "mercer._displays.gram",
    "InfluenceDisplay": "mercer._displays.influence",
    "KernelCCA": "mercer._cca",
    "KernelICA": "mercer._cca",
    "KernelKMeans": "mercer._clusters",
    "KernelLogisticRegression": "mercer._logistic",
    "KernelMachine": "mercer._machine",
    "KernelPCA": "mercer._pca",
    "KernelRidge": "mercer._ridge",
    "KernelRidgeCV": "mercer._ridge_cv",
    "KernelWeightsDisplay": "mercer._displays.weights",
    "LocalLinear": "mercer._smoothers",
    "MultipleKernelClassifier": "mercer._multiple",
    "MultipleKernelOneClass": "mercer._multiple",
    "MultipleKernelRegressor": "mercer._multiple",
    "NadarayaWatson": "mercer._smoothers",
    "NuSVC": "mercer._svm",
    "NuSVR": "mercer._svr",
    "NullDisplay": "mercer._displays.null",
    "Nystroem": "mercer._features",
    "OneClassSVM": "mercer._svr",
    "RandomBinningFeatures": "mercer._features",
    "RandomFourierFeatures": "mercer._features",
    "ResidualsDisplay": "mercer._displays.residuals",
    "SVC": "mercer._svm",
    "SVCCV": "mercer._svm_cv",
    "SVR": "mercer._svr",
    "ScoreSurfaceDisplay": "mercer._displays.surface",
    "SignalsDisplay": "mercer._displays.signals",
    "SmoothingSpline": "mercer._spline",
    "SpectralClustering": "mercer._clusters",
    "SpectrumDisplay": "mercer._displays.spectrum",
    "StreamedKernelLogisticRegression": "mercer._streamed_logistic",
    "StreamedKernelRidge": "mercer._streamed",
    "WitnessDisplay": "mercer._displays.witness",
    "amari_distance": "mercer._cca",
    "auto": "mercer._auto",
    "hsic_contrast": "mercer._cca",
    "kcc_contrast": "mercer._cca",
    "kgv_contrast": "mercer._cca",
    "negentropy_contrast": "mercer._cca",
    "export_libsvm": "mercer._exchange.libsvm",
    "export_onnx": "mercer._exchange.onnx",
    "from_libsvm": "mercer._exchange.libsvm",
    "from_sklearn": "mercer._exchange.adopted",
    "load": "mercer._models",
    "save": "mercer._models",
    "to_onnx": "mercer._exchange.onnx",
}

__all__ = [
    "Bags",
    "Check",
    "Counterexample",
    "CovarianceStatistics",
    "Diagrams",
    "EmbeddingSketch",
    "Function",
    "Graphs",
    "Kernel",
    "LawEmbedding",
    "MeanEmbedding",
    "MeanStatistics",
    "NotPositiveDefiniteError",
    "Repaired",
    "RidgeStatistics",
    "RidgeStream",
    "SequentialTwoSampleTest",
    "Spectrum",
    "TestResult",
    "__version__",
    "binning_bound",
    "catalogue",
    "column_tests",
    "conditional_independence_test",
    "dhsic",
    "distance_correlation",
    "distance_covariance",
    "energy_distance",
    "fourier_bound",
    "fourier_components",
    "goodness_of_fit_test",
    "hsic",
    "independence_test",
    "interaction_test",
    "joint_independence_test",
    "lancaster",
    "learners",
    "mmd",
    "mmd_witness",
    "normalized_hsic",
    "read_fasta",
    "repair",
    "stein_discrepancy",
    "two_sample_test",
    "wasserstein",
    *_constructors(),
    *(_ESTIMATORS if _find_spec("sklearn") else ()),
]


def __getattr__(name: str) -> _Any:
    if name not in _ESTIMATORS:
        raise AttributeError(f"module 'mercer' has no attribute '{name}'")
    from importlib import import_module

    try:
        module = import_module(_ESTIMATORS[name])
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "sklearn":
            raise
        raise ImportError(f"mercer.{name} needs scikit-learn: pip install mercer[sklearn]") from error
    globals()[name] = getattr(module, name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *_ESTIMATORS})
