"""How many components hold the variance?

Eigenvalues of the Gram matrix of 1030 mixes of concrete, and the share that the first ones hold.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "concrete.csv").drop(columns="strength")
X = (table - table.mean()) / table.std()
mercer.SpectrumDisplay.from_kernel("gaussian(lengthscale=3)", X)
print(f"{len(X)} rows, {X.shape[1]} columns")
plt.savefig("spectrum.png")
