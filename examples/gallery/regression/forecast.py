"""A forecast by a Gaussian process: CO₂ above Mauna Loa.

The kernel is a sum of what to expect: a smooth rise, a yearly season whose shape changes slowly, and irregularities of
a year or two. The training data ends in 1992.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "co2.csv").dropna()
table = table.groupby((table["year"] * 12).round() / 12)["co2"].mean().reset_index()
train, test = table[table["year"] < 1992], table[table["year"] >= 1992]
rise = "2500*gaussian(lengthscale=60)"
season = "5*gaussian(lengthscale=100)*periodic(period=1, lengthscale=1)"
kernel = f"{rise} + {season} + 0.5*gaussian(lengthscale=1)"
mean = train["co2"].mean()
model = mercer.GaussianProcessRegressor(kernel, noise=0.05, optimize=False).fit(train[["year"]], train["co2"] - mean)
value, std = model.predict(test[["year"]], return_std=True)
low, high = mean + value - 2 * std, mean + value + 2 * std
covered = np.mean((low <= test["co2"]) & (test["co2"] <= high))
print(f"largest error {np.abs(mean + value - test['co2']).max():.2f} ppm; in the band: {covered:.0%}")

plt.plot(train["year"], train["co2"], color="black", linewidth=0.8, label="training data")
plt.plot(test["year"], test["co2"], ".", color="C1", markersize=3, label="what came")
plt.fill_between(test["year"], low, high, color="C0", alpha=0.3, label="forecast, ±2 standard deviations")
plt.xlim(1980, 2002)
plt.xticks(range(1980, 2003, 4))
plt.ylim(335, 378)
plt.xlabel("year")
plt.ylabel("CO₂ (ppm)")
plt.legend(loc="upper left")
plt.savefig("forecast.png")
