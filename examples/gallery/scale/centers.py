"""How many centers are enough?

Ridge regression on Nyström centers instead of all rows, on concrete: the test error reaches that of the full fit.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "concrete.csv").sample(frac=1, random_state=0)
X = table.drop(columns="strength")
X, y = ((X - X.mean()) / X.std()).to_numpy(), table["strength"].to_numpy()
kernel = "matern(nu=5/2, lengthscale=3)"


def error(model):
    model.fit(X[:800], y[:800])
    return np.sqrt(np.mean((model.predict(X[800:]) - y[800:]) ** 2))


full = error(mercer.KernelRidge(0.01, kernel=kernel, fit_intercept=True))
counts = [10, 20, 40, 80, 160, 320]
for landmarks in ["uniform", "rpcholesky"]:
    errors = [
        error(
            mercer.KernelRidge(
                0.01, kernel=kernel, fit_intercept=True, n_centers=m, landmarks=landmarks, random_state=0
            )
        )
        for m in counts
    ]
    plt.plot(counts, errors, "o-", label=landmarks)
    print(f"{landmarks}: " + ", ".join(f"{m} centers {e:.2f}" for m, e in zip(counts, errors, strict=True)))
print(f"all 800 rows: {full:.2f}")
plt.axhline(full, color="black", linewidth=0.8, linestyle="--", label="all 800 rows")
plt.xscale("log")
plt.xticks(counts, counts)
plt.xlabel("centers")
plt.ylabel("test error (MPa)")
plt.legend()
plt.savefig("centers.png")
