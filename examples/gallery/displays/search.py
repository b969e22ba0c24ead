"""The surface of a search, in one line.

Leave-one-out errors of all pairs of λ and lengthscale, with the winner.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "concrete.csv").sample(400, random_state=0)
X = table.drop(columns="strength")
X = (X - X.mean()) / X.std()
search = mercer.KernelRidgeCV(
    np.geomspace(1e-5, 10, 13), kernel="gaussian()", lengthscales=np.geomspace(0.5, 30, 11), fit_intercept=True
).fit(X, table["strength"])
print(f"{search.kernel_}, alpha = {search.alpha_:.3g}")
mercer.ScoreSurfaceDisplay.from_estimator(search)
plt.savefig("search.png")
