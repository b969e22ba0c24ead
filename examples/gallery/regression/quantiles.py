"""Quantile curves that do not cross.

The strength of concrete by its age: the median, and the range that holds 80 % of the mixes.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "concrete.csv").query("age <= 100")
x = np.log(table[["age"]].to_numpy(dtype=float))
levels = [0.1, 0.5, 0.9]
model = mercer.KernelMachine("quantile", 1.0, kernel="gaussian(lengthscale=1.5)", quantile=levels).fit(
    x, table["strength"]
)
ages = np.geomspace(1, 100, 200)[:, None]
curves = model.predict(np.log(ages))
inside = model.predict(x)
covered = np.mean((inside[:, 0] <= table["strength"]) & (table["strength"] <= inside[:, 2]))
print(f"between the outer curves: {covered:.1%} of {len(table)} mixes")

plt.plot(
    table["age"] * np.exp(np.random.default_rng(0).normal(0, 0.03, len(table))),
    table["strength"],
    ".",
    color="gray",
    markersize=3,
)
for column, level in enumerate(levels):
    plt.plot(ages[:, 0], curves[:, column], label=f"{level:.0%} quantile")
plt.xscale("log")
plt.xlabel("age (days)")
plt.ylabel("strength (MPa)")
plt.legend()
plt.savefig("quantiles.png")
