"""Local means, local lines and a spline at the end of the data.

Nadaraya–Watson takes means and bends at the boundaries; a local line and a spline do not.
"""

import matplotlib.pyplot as plt
import numpy as np

import mercer

rng = np.random.default_rng(1)
x = np.sort(rng.uniform(0, 1, 120))
y = np.exp(2 * x) + 0.25 * rng.normal(size=120)
grid = np.linspace(0, 1, 200)
plt.plot(x, y, ".", color="gray", markersize=4)
for name, model in [
    ("Nadaraya–Watson", mercer.NadarayaWatson(0.12)),
    ("local lines", mercer.LocalLinear(0.12)),
    ("smoothing spline", mercer.SmoothingSpline()),
]:
    fitted = model.fit(x[:, None], y).predict(grid[:, None])
    plt.plot(grid, fitted, label=name)
    print(f"{name}: error at 1 is {fitted[-1] - np.exp(2):+.3f}")
plt.plot(grid, np.exp(2 * grid), color="black", linewidth=0.8, linestyle="--", label="truth")
plt.xlabel("x")
plt.legend()
plt.savefig("boundaries.png")
