"""Denoise by projecting on kernel principal components.

Noisy points on a spiral are projected in the feature space; pre-images bring the projections back to the plane.
"""

import matplotlib.pyplot as plt
import numpy as np

import mercer

rng = np.random.default_rng(0)
t = rng.uniform(1, 3.5, 250) * np.pi
clean = np.column_stack([t * np.cos(t), t * np.sin(t)]) / 4
noisy = clean + 0.18 * rng.normal(size=clean.shape)
model = mercer.KernelPCA(12, kernel="gaussian(lengthscale=1)").fit(noisy)
restored = model.preimage(model.transform(noisy), method="fixed_point")
curve = np.linspace(1, 3.5, 500) * np.pi
truth = np.column_stack([curve * np.cos(curve), curve * np.sin(curve)]) / 4


def error(points):
    return np.sqrt(((points[:, None] - truth) ** 2).sum(2).min(1).mean())


print(f"distance from the spiral: {error(noisy):.3f} before, {error(restored):.3f} after")
figure, axes = plt.subplots(1, 2, figsize=(8, 4), sharex=True, sharey=True)
for axis, points, title in [(axes[0], noisy, "noisy"), (axes[1], restored, "pre-images of the projections")]:
    axis.plot(*truth.T, color="black", linewidth=0.8)
    axis.plot(*points.T, "o", markersize=3)
    axis.set(title=title, aspect="equal")
plt.savefig("denoising.png")
