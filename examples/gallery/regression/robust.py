"""Outliers: the Huber loss beside least squares.

A tenth of the values is wrong by a lot. The loss is a parameter; the kernel stays the same.
"""

import matplotlib.pyplot as plt
import numpy as np

import mercer

rng = np.random.default_rng(2)
x = np.sort(rng.uniform(0, 6, 90))[:, None]
truth = np.sin(x[:, 0])
y = truth + 0.1 * rng.normal(size=90)
y[rng.choice(90, 9, replace=False)] += 3
grid = np.linspace(0, 6, 200)[:, None]
plt.plot(x[:, 0], y, ".", color="gray")
for loss in ["squared", "huber"]:
    model = mercer.KernelMachine(loss, 0.1, kernel="gaussian(lengthscale=1)", delta=0.2).fit(x, y)
    plt.plot(grid[:, 0], model.predict(grid), label=loss)
    print(f"{loss}: error {np.sqrt(np.mean((model.predict(x) - truth) ** 2)):.3f}")
plt.plot(grid[:, 0], np.sin(grid[:, 0]), color="black", linewidth=0.8, linestyle="--", label="truth")
plt.xlabel("x")
plt.legend()
plt.savefig("robust.png")
