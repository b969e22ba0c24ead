"""Which points are unusual?

A one-class support vector machine learns the region that holds most of a sample. ``nu`` bounds the fraction outside.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "iris.csv").query("species != 'setosa'")
X = table[["sepal_length", "petal_length"]].to_numpy()
model = mercer.OneClassSVM(kernel="gaussian(lengthscale=0.8)", nu=0.1).fit(X)
inside = model.predict(X) == 1
print(f"{(~inside).sum()} of {len(X)} flowers are outside of the region (nu = 0.1)")

a, b = np.meshgrid(np.linspace(4.3, 8.4, 150), np.linspace(2.4, 7.5, 150))
score = model.decision_function(np.column_stack([a.ravel(), b.ravel()])).reshape(a.shape)
plt.contourf(a, b, score, levels=12, cmap="Blues", alpha=0.6)
plt.contour(a, b, score, levels=[0], colors="C0")
plt.plot(*X[inside].T, "o", color="black", markersize=3, label="inside")
plt.plot(*X[~inside].T, "o", color="C1", label="outside")
plt.xlabel("sepal length (cm)")
plt.ylabel("petal length (cm)")
plt.legend(loc="lower right")
plt.savefig("novelty.png")
