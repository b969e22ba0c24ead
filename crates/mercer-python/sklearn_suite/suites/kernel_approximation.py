"""Nyström and random Fourier features; the samplers of chi-squared kernels and count sketches stay theirs."""

from typing import Any

import sklearn.kernel_approximation

import mercer

FILE = "sklearn.tests.test_kernel_approximation"


class RBFSampler(mercer.RandomFourierFeatures):
    """Our random features under the name, the signature and the defaults of scikit-learn's class."""

    def __init__(self, *, gamma: Any = 1.0, n_components: int = 100, random_state: Any = None) -> None:
        super().__init__("rbf", n_components, gamma=gamma, random_state=random_state)


def stand_in() -> None:
    """Replace their classes by ours."""
    sklearn.kernel_approximation.Nystroem = mercer.Nystroem
    sklearn.kernel_approximation.RBFSampler = RBFSampler
