"""Probabilities of three classes.

Kernel logistic regression predicts probabilities; the darker a color, the more certain the class.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "iris.csv")
X, y = table[["petal_length", "petal_width"]], table["species"]
model = mercer.KernelLogisticRegression(0.05, kernel="gaussian(lengthscale=1)").fit(X, y)
print(f"accuracy {model.score(X, y):.3f}; duality gap {model.duality_gap_:.1e}")

a, b = np.meshgrid(np.linspace(0.5, 7.2, 160), np.linspace(-0.1, 2.7, 120))
probability = model.predict_proba(pd.DataFrame({"petal_length": a.ravel(), "petal_width": b.ravel()}))
colors = np.array([to_rgb(f"C{i}") for i in range(3)])
image = (probability @ colors).reshape(*a.shape, 3)
plt.imshow(image, origin="lower", extent=(0.5, 7.2, -0.1, 2.7), aspect="auto", alpha=0.6)
for i, species in enumerate(model.classes_):
    plt.plot(*X[y == species].to_numpy().T, "o", color=f"C{i}", markeredgecolor="white", label=species)
plt.xlabel("petal length (cm)")
plt.ylabel("petal width (cm)")
plt.legend(loc="upper left")
plt.savefig("probabilities.png")
