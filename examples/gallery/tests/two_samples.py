"""Do two samples have the same distribution, and where do they differ?

Sepals of two species of iris. Left: the statistic beside its distribution under the hypothesis. Right: the witness,
positive where the first species is more frequent.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "iris.csv")
a, b = (
    table.loc[table["species"] == s, ["sepal_length", "sepal_width"]].to_numpy() for s in ("versicolor", "virginica")
)
result = mercer.two_sample_test(a, b, kernel="gaussian(lengthscale=median)", method="permutation", random_state=0)
print(result)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
left.hist(result.null, bins=40, color="lightgray", label="relabeled samples")
left.axvline(result.threshold, color="black", linewidth=0.8, linestyle="--", label="threshold")
left.axvline(result.statistic, color="C1", label="statistic")
left.set(xlabel="squared MMD", yticks=[])
left.legend()
x, y = np.meshgrid(np.linspace(4.7, 8.1, 120), np.linspace(1.9, 4, 120))
witness = mercer.mmd_witness(a, b, kernel="gaussian(lengthscale=0.5)")(np.column_stack([x.ravel(), y.ravel()]))
limit = np.abs(witness).max()
right.contourf(x, y, witness.reshape(x.shape), levels=np.linspace(-limit, limit, 15), cmap="PuOr_r")
right.plot(*a.T, "o", color="C4", markeredgecolor="black", markersize=4, label="versicolor")
right.plot(*b.T, "s", color="C3", markeredgecolor="black", markersize=4, label="virginica")
right.set(xlabel="sepal length (cm)", ylabel="sepal width (cm)")
right.legend(loc="upper left")
plt.savefig("two_samples.png")
