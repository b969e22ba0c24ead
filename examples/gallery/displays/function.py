"""A fitted function with its band and draws.

A Gaussian process of the yearly rise of CO₂: the mean, an interval, and functions that the data allow.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "co2.csv").dropna()
yearly = table.groupby(table["year"].astype(int))["co2"].mean().diff().dropna()
X, y = pd.DataFrame({"year": yearly.index.astype(float)}), yearly.to_numpy()
model = mercer.GaussianProcessRegressor("1*gaussian(lengthscale=5) + 1", noise=0.2).fit(X, y - 1.3)
print(f"{model.kernel_}, noise variance {model.noise_:.3f}")
display = mercer.FunctionDisplay.from_estimator(model, X, y - 1.3, n_draws=4)
display.ax_.set(ylabel="rise beyond 1.3 ppm per year")
plt.savefig("function.png")
