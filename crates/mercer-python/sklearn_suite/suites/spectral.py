"""Spectral clustering; the function ``spectral_clustering`` and the ways to discretize stay theirs."""

import sklearn.cluster

import mercer

FILE = "sklearn.cluster.tests.test_spectral"


def stand_in() -> None:
    """Replace their class by ours."""
    sklearn.cluster.SpectralClustering = mercer.SpectralClustering
