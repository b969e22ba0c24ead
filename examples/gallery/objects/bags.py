"""Regression on distributions: each row is a sample.

A bag of measurements of each year predicts the yearly mean CO₂ of the year after, without a word about time: a kernel
on the embeddings of bags compares their distributions.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "co2.csv").dropna()
table["whole"] = table["year"].astype(int)
table = table[table["whole"] > 1958]
bags = [group[["co2"]].to_numpy() for _, group in table.groupby("whole")]
years, means = np.unique(table["whole"]), table.groupby("whole")["co2"].mean().to_numpy()
X, y = bags[:-1], means[1:]
model = mercer.KernelRidge(
    1e-3, kernel="gaussian_embedding(gaussian(lengthscale=20), lengthscale=1)", fit_intercept=True
).fit(X, y)
error = np.sqrt(np.mean(model.loo_residuals_**2))
print(f"{len(X)} bags of {min(map(len, X))} to {max(map(len, X))} values; leave-one-out error {error:.2f} ppm")

plt.boxplot([bag[:, 0] for bag in X[::4]], positions=years[:-1:4], widths=1.5, manage_ticks=False, showfliers=False)
plt.plot(years[:-1], y, "o", markersize=3, label="mean of the next year")
plt.plot(years[:-1], y - model.loo_residuals_, "x", markersize=5, label="predicted from the bag, left out of the fit")
plt.xlabel("year")
plt.ylabel("CO₂ (ppm)")
plt.legend()
plt.savefig("bags.png")
