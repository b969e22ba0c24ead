"""Dependence without correlation.

A ring has no correlation at all. HSIC sees it; the p-value is by permutation.
"""

import matplotlib.pyplot as plt
import numpy as np

import mercer

rng = np.random.default_rng(0)
angle = rng.uniform(0, 2 * np.pi, 200)
ring = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.15 * rng.normal(size=(200, 2))
cloud = rng.normal(size=(200, 2)) * 0.6
figure, axes = plt.subplots(1, 2, figsize=(8, 4), sharex=True, sharey=True)
for axis, name, sample in [(axes[0], "ring", ring), (axes[1], "cloud", cloud)]:
    result = mercer.independence_test(sample[:, 0], sample[:, 1], permutations=999, random_state=0)
    correlation = np.corrcoef(sample.T)[0, 1]
    print(f"{name}: correlation {correlation:+.3f}, p-value of independence {result.p_value:.3f}")
    axis.plot(*sample.T, "o", markersize=3, color="C1" if result.reject else "C0")
    axis.set(title=f"correlation {correlation:+.2f}, p = {result.p_value:.3f}", xlabel="x", aspect="equal")
axes[0].set_ylabel("y")
plt.savefig("dependence.png")
