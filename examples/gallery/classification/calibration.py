"""Do the probabilities mean what they say?

Probabilities of rows that were not in the fit, in ten bins: on the diagonal a probability of 30 % happens in 30 % of
the cases.
"""

import matplotlib.pyplot as plt
import numpy as np

import mercer

rng = np.random.default_rng(0)
X = rng.normal(size=(1600, 2))
chance = 1 / (1 + np.exp(-2 * (X[:, 0] + X[:, 1] ** 2 - 1)))
y = np.where(rng.uniform(size=1600) < chance, "yes", "no")
print(f"the true probabilities: Brier score {np.mean((chance[600:] - (y[600:] == 'yes')) ** 2):.4f}")
plt.axline((0, 0), slope=1, color="black", linewidth=0.8)
for name, model in [
    ("logistic regression", mercer.KernelLogisticRegression(1.0, kernel="gaussian(lengthscale=1.5)")),
    ("SVC with sigmoid calibration", mercer.SVC(kernel="gaussian(lengthscale=1.5)", probability=True)),
]:
    predicted = model.fit(X[:600], y[:600]).predict_proba(X[600:])[:, 1]
    happened = y[600:] == "yes"
    bins = np.digitize(predicted, np.linspace(0, 1, 11)[1:-1])
    used = [b for b in range(10) if (bins == b).sum() >= 10]
    plt.plot([predicted[bins == b].mean() for b in used], [happened[bins == b].mean() for b in used], "o-", label=name)
    print(f"{name}: Brier score {np.mean((predicted - happened) ** 2):.4f}")
plt.xlabel("predicted probability")
plt.ylabel("how often it happened")
plt.legend(loc="upper left")
plt.savefig("calibration.png")
