"""A few points that stand for a sample.

Kernel herding selects 12 of 600 points whose mean embedding is near that of the whole sample: the distance is the MMD.
Twelve random points are further away.
"""

import matplotlib.pyplot as plt
import numpy as np

import mercer

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal([0, 0], 0.5, (300, 2)), rng.normal([3, 1], [0.9, 0.3], (300, 2))])
whole = mercer.MeanEmbedding("gaussian(lengthscale=1)", X)
few, rows, _ = whole.herd(12)
chance = rng.choice(600, 12, replace=False)
random = mercer.MeanEmbedding("gaussian(lengthscale=1)", X[chance])
print(f"distance from the sample: {whole.distance(few):.4f}; of 12 random points: {whole.distance(random):.4f}")
plt.plot(*X.T, ".", color="lightgray", markersize=3)
plt.plot(*X[chance].T, "x", color="C1", label="at random")
plt.plot(*X[rows].T, "o", color="C0", label="herding")
plt.gca().set_aspect("equal")
plt.legend()
plt.savefig("herding.png")
