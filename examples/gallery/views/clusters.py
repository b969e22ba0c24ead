"""Clusters that are not round.

Kernel k-means finds compact clusters, spectral clustering connected ones.
"""

import matplotlib.pyplot as plt
import numpy as np

import mercer

rng = np.random.default_rng(0)
angle = rng.uniform(0, 2 * np.pi, 400)
radius = np.repeat([1.0, 3.0], 200) + 0.15 * rng.normal(size=400)
X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
figure, axes = plt.subplots(1, 2, figsize=(8, 4), sharey=True)
for axis, name, model in [
    (axes[0], "kernel k-means", mercer.KernelKMeans(2, kernel="gaussian(lengthscale=2)", random_state=0)),
    (axes[1], "spectral clustering", mercer.SpectralClustering(2, kernel="gaussian(lengthscale=0.4)", random_state=0)),
]:
    labels = model.fit(X).labels_
    right = max(np.mean(labels == (radius > 2)), np.mean(labels != (radius > 2)))
    print(f"{name}: {right:.1%} of the points are with their ring")
    for label in [0, 1]:
        axis.plot(*X[labels == label].T, "o", markersize=3)
    axis.set(title=name, aspect="equal")
plt.savefig("clusters.png")
