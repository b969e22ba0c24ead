"""Fit data that arrives in chunks.

``partial_fit`` keeps sums of a fixed size, never the rows. λ is selected by cross-validation in the same pass.
"""

import matplotlib.pyplot as plt
import numpy as np

import mercer

rng = np.random.default_rng(0)


def chunk(rows):
    X = rng.uniform(-3, 3, size=(rows, 2))
    return X, np.sin(2 * X[:, 0]) * np.cos(X[:, 1]) + 0.3 * rng.normal(size=rows)


grid = rng.uniform(-3, 3, size=(2000, 2))
truth = np.sin(2 * grid[:, 0]) * np.cos(grid[:, 1])
model = mercer.StreamedKernelRidge(
    [1e-2, 0.1, 1.0, 10.0, 100.0], kernel="gaussian(lengthscale=1)", n_components=300, random_state=0
)
rows, errors = [], []
for number in range(20):
    model.partial_fit(*chunk(1000))
    rows.append(1000 * (number + 1))
    errors.append(np.sqrt(np.mean((model.predict(grid) - truth) ** 2)))
print(f"error {errors[0]:.4f} after {rows[0]} rows, {errors[-1]:.4f} after {rows[-1]}")
plt.loglog(rows, errors, "o-")
plt.xlabel("rows seen")
plt.ylabel("error of the fitted function")
plt.savefig("chunks.png")
