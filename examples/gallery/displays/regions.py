"""Regions of a classifier, and a view of the same data.

The decision regions in the plane of two columns, and the flowers on two principal components.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "iris.csv")
X, y = table[["petal_length", "petal_width"]], table["species"]
model = mercer.SVC(kernel="gaussian(lengthscale=1)", C=10).fit(X, y)
components = mercer.KernelPCA(2, kernel="gaussian(lengthscale=median)").fit(table.drop(columns="species"))
print(f"{len(model.support_)} support vectors, {model.score(X, y):.1%} right")
figure, axes = plt.subplots(1, 2, figsize=(10, 4.2))
mercer.BoundaryDisplay.from_estimator(model, X, y, ax=axes[0])
mercer.EmbeddingDisplay.from_estimator(components, table.drop(columns="species"), y, ax=axes[1])
plt.savefig("regions.png")
