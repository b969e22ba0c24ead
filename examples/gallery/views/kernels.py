"""Learn which kernels matter.

Multiple-kernel regression on concrete: a kernel per column, with weights that are learned together with the function.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "concrete.csv").sample(400, random_state=0)
X, y = table.drop(columns="strength"), table["strength"]
X = (X - X.mean()) / X.std()
kernels = [f"on([{name}], gaussian(lengthscale=1))" for name in X.columns]
model = mercer.MultipleKernelRegressor(kernels=kernels).fit(X, y - y.mean())
order = np.argsort(model.weights_)
for i in order[::-1]:
    print(f"{X.columns[i]}: {model.weights_[i]:.3f}")
plt.barh(X.columns[order], model.weights_[order])
plt.xlabel("weight of the kernel on the column")
plt.savefig("kernels.png")
