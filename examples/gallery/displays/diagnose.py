"""What a statistician would look at first.

``diagnose`` lists the facts of a fit and warns where something is wrong; the displays draw residuals and influence. The
residuals are those of leave-one-out, exact and without a second fit.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "concrete.csv")
X = table.drop(columns="strength")
X = (X - X.mean()) / X.std()
model = mercer.KernelRidge(0.01, kernel="matern(nu=5/2, lengthscale=4)", fit_intercept=True).fit(X, table["strength"])
print(model.diagnose())
figure, axes = plt.subplots(1, 2, figsize=(10, 4.2))
mercer.ResidualsDisplay.from_estimator(model, kinds=("fitted",), ax=axes[0])
mercer.InfluenceDisplay.from_estimator(model, ax=axes[1])
plt.savefig("diagnose.png")
