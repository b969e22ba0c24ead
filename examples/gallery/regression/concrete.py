"""Ridge regression with everything selected: the strength of concrete.

``KernelRidgeCV`` scores every lengthscale and every λ by exact leave-one-out, from one factorization per lengthscale.
Left: the surface of scores. Right: predictions of rows that were left out.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "concrete.csv")
X = table.drop(columns="strength")
X = (X - X.mean()) / X.std()
y = table["strength"]
model = mercer.KernelRidgeCV(kernel="matern(nu=5/2)", lengthscales=8, screening=False, fit_intercept=True).fit(X, y)
error = np.sqrt(np.mean(model.loo_residuals_**2))
print(f"{model.kernel_}, λ = {model.alpha_:.3g}: leave-one-out error {error:.2f} MPa of a spread of {y.std():.2f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
image = left.imshow(np.sqrt(model.scores_), aspect="auto", vmax=3 * error)
row, column = np.unravel_index(np.nanargmin(model.scores_), model.scores_.shape)
left.plot(column, row, "o", markersize=12, fillstyle="none", color="white", markeredgewidth=2)
left.set(xlabel="λ, from small to large", ylabel="lengthscale, from small to large", xticks=[], yticks=[])
figure.colorbar(image, label="leave-one-out error (MPa)")
right.plot(y, y - model.loo_residuals_, "o", markersize=2.5, alpha=0.6)
right.axline((40, 40), slope=1, color="black", linewidth=0.8)
right.set(xlabel="measured strength (MPa)", ylabel="predicted without the row (MPa)")
plt.savefig("concrete.png")
