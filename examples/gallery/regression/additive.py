"""An additive model: what each column contributes.

A sum of kernels on single columns is a sum of functions of single columns. ``partial_effects`` returns them with their
standard errors and their shares.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "concrete.csv")
names = ["cement", "water", "age"]
kernel = " + ".join(
    f"on([{name}], gaussian(lengthscale={scale}))" for name, scale in zip(names, (150, 25, 60), strict=True)
)
model = mercer.KernelRidge(1.0, kernel=kernel, fit_intercept=True).fit(table[names], table["strength"])
figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), sharey=True)
for axis, name, effect in zip(axes, names, model.partial_effects(), strict=True):
    x, value, error = effect.axes[0], effect.values.ravel(), effect.standard_errors.ravel()
    axis.fill_between(x, value - 2 * error, value + 2 * error, alpha=0.25)
    axis.plot(x, value)
    axis.plot(table[name], [-38] * len(table), "|", color="black", alpha=0.2)
    axis.set(xlabel=name, title=f"{effect.variance_share:.0%} of the variance")
    print(f"{name}: {effect.variance_share:.1%} of the variance")
axes[0].set_ylabel("effect on the strength (MPa)")
plt.savefig("additive.png")
