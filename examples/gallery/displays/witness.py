"""A test and its witness, in two lines.

The statistic beside its null distribution, and where the two samples differ.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import mercer

table = pd.read_csv(Path(__file__).parents[2] / "data" / "iris.csv")
a, b = (table.loc[table["species"] == s, ["sepal_length", "sepal_width"]] for s in ("versicolor", "virginica"))
result = mercer.two_sample_test(a, b, kernel="gaussian(lengthscale=1)", random_state=0)
print(result)
figure, axes = plt.subplots(1, 2, figsize=(10, 4.2))
mercer.NullDisplay.from_result(result, ax=axes[0])
mercer.WitnessDisplay.from_samples(
    a, b, kernel="gaussian(lengthscale=0.5)", labels=("versicolor", "virginica"), ax=axes[1]
)
plt.savefig("witness.png")
