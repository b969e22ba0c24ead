"""The smoothest function through given values, with bounds of its error.

A function of a reproducing kernel Hilbert space is a value: it has a norm, a gradient and projections. The band holds
every function through the points whose norm is at most 1.2 times that of the smoothest one.
"""

import matplotlib.pyplot as plt
import numpy as np

import mercer

x = np.array([[0.05], [0.25], [0.4], [0.7], [0.95]])
y = np.array([0.1, 0.9, 0.2, 0.6, 0.3])
f = mercer.Function.interpolate("matern(nu=5/2, lengthscale=0.3)", x, y)
print(f"norm {f.norm():.4f}; slope at 0.5: {f.gradient([[0.5]])[0, 0]:.4f}")

grid = np.linspace(0, 1, 300)[:, None]
k = f.kernel
power = np.sqrt(np.maximum(k.diag(grid) - np.einsum("ij,ij->j", k(x, grid), np.linalg.solve(k(x), k(x, grid))), 0))
slack = f.norm() * np.sqrt(1.2**2 - 1)
plt.fill_between(grid[:, 0], f(grid) - slack * power, f(grid) + slack * power, alpha=0.2, label="norm at most 1.2‖f‖")
plt.plot(grid[:, 0], f(grid), label="smallest norm")
plt.plot(x[:, 0], y, "o", color="black", label="given values")
plt.xlabel("x")
plt.legend()
plt.savefig("interpolation.png")
