"""A Gaussian process before and after it has seen data.

Draws from the prior, and from the posterior after eight values; the lengthscale and the noise are estimated.
"""

import matplotlib.pyplot as plt
import numpy as np

import mercer

rng = np.random.default_rng(4)
x = rng.uniform(0, 10, size=(8, 1))
y = np.sin(x[:, 0]) + 0.1 * rng.normal(size=8)
grid = np.linspace(0, 10, 200)[:, None]
prior = mercer.GaussianProcessRegressor("1*gaussian(lengthscale=1.5)", noise=0.01, optimize=False)
posterior = mercer.GaussianProcessRegressor("1*gaussian(lengthscale=1.5)", noise=0.01).fit(x, y)
print(f"{posterior.kernel_}: log marginal likelihood {posterior.log_marginal_likelihood_:.3f}")

figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
for axis, model, title in [(axes[0], prior, "prior"), (axes[1], posterior, "posterior")]:
    mean, std = model.predict(grid, return_std=True)
    axis.fill_between(grid[:, 0], mean - 2 * std, mean + 2 * std, color="C0", alpha=0.15)
    axis.plot(grid[:, 0], model.sample_y(grid, 5, random_state=0), linewidth=1, color="C0", alpha=0.7)
    axis.set(title=title, xlabel="x")
axes[1].plot(x[:, 0], y, "o", color="black")
plt.savefig("posterior.png")
