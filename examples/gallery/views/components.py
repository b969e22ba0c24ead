"""Kernel principal components, and which flowers are unusual.

Irises on two components of a Gaussian kernel. The size of a point is its squared distance from the span of the
components: large is unusual.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "iris.csv")
X = table.drop(columns="species")
model = mercer.KernelPCA(2, kernel="gaussian(lengthscale=median)").fit(X)
view, distance = model.transform(X), model.score_samples(X)
print(f"two components explain {model.explained_variance_ratio_.sum():.1%}; most unusual: row {distance.argmax()}")
for species in table["species"].unique():
    rows = (table["species"] == species).to_numpy()
    plt.scatter(*view[rows].T, s=10 + 300 * distance[rows], alpha=0.6, label=species)
plt.xlabel("first component")
plt.ylabel("second component")
plt.legend()
plt.savefig("components.png")
