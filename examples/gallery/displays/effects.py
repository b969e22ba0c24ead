"""Effects with partial residuals.

The parts of an additive model, each with its band and the data around it.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "concrete.csv")
kernel = "on([cement], gaussian(lengthscale=150)) + on([water], gaussian(lengthscale=25))"
X = table[["cement", "water"]].astype(float)
model = mercer.KernelRidge(5.0, kernel=kernel, fit_intercept=True).fit(X, table["strength"])
print(f"{model.dof_:.1f} degrees of freedom")
mercer.EffectsDisplay.from_estimator(model, X)
plt.savefig("effects.png")
