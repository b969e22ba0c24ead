"""Repair a similarity matrix that is indefinite.

Similarities that somebody else computed are often not positive semi-definite. Three repairs of one matrix, by their
eigenvalues: negative ones set to zero, reflected, or everything shifted.
"""

import matplotlib.pyplot as plt
import numpy as np

import mercer

rng = np.random.default_rng(0)
points = rng.normal(size=(40, 2))
similarity = mercer.gaussian()(points) + 0.1 * rng.normal(size=(40, 40))
similarity = (similarity + similarity.T) / 2

before = np.linalg.eigvalsh(similarity)[::-1]
plt.plot(before, "o-", color="black", markersize=3, label="as it came")
for method in ["clip", "flip", "shift"]:
    repaired = mercer.repair(similarity, method=method)
    plt.plot(np.linalg.eigvalsh(repaired.matrix)[::-1], "o-", markersize=3, label=method)
    print(f"{method}: changed by {repaired.change:.3f}, {repaired.negative_count} negative eigenvalues")
plt.axhline(0, color="gray", linewidth=0.8)
plt.yscale("symlog", linthresh=1)
plt.xlabel("number")
plt.ylabel("eigenvalue")
plt.legend()
plt.savefig("repair.png")
