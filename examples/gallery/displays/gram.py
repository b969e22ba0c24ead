"""A Gram matrix ordered by class.

Blocks on the diagonal: the classes are apart, two of them less than the third.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "iris.csv").sample(frac=1, random_state=0)
X, y = table.drop(columns="species"), table["species"]
mercer.GramDisplay.from_kernel("gaussian(lengthscale=1)", X, y)
print(f"{len(X)} rows of {y.nunique()} classes")
plt.savefig("gram.png")
