"""Dependent, or only through a third variable?

All measurements of an iris depend on each other. Given the other two, does the dependence of a pair remain? Each cell
is a p-value.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "iris.csv").drop(columns="species")
names = list(table.columns)
plain, given = np.full((4, 4), np.nan), np.full((4, 4), np.nan)
for i in range(4):
    for j in range(i):
        x, y = table.iloc[:, [i]].to_numpy(), table.iloc[:, [j]].to_numpy()
        rest = table.drop(columns=[names[i], names[j]]).to_numpy()
        plain[i, j] = mercer.independence_test(x, y, method="gamma").p_value
        given[i, j] = mercer.conditional_independence_test(x, y, rest, method="gamma").p_value
        print(f"{names[i]} and {names[j]}: p = {plain[i, j]:.2g}, given the others p = {given[i, j]:.2g}")
figure, axes = plt.subplots(1, 2, figsize=(9.5, 5), sharey=True)
for axis, values, title in [(axes[0], plain, "independent?"), (axes[1], given, "independent given the other two?")]:
    image = axis.imshow(np.log10(values), vmin=-6, vmax=0)
    for i in range(4):
        for j in range(i):
            axis.text(
                j, i, f"{values[i, j]:.1g}", ha="center", va="center", color="black" if values[i, j] > 1e-3 else "white"
            )
    axis.set(title=title, xticks=range(4), yticks=range(4))
    axis.set_xticklabels(names, rotation=30, ha="right")
    axis.set_yticklabels(names)
figure.colorbar(image, ax=axes, label="log₁₀ p-value")
plt.savefig("conditional.png")
