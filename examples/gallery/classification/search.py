"""Choose C and the lengthscale of a support vector classifier.

``SVCCV`` replaces ``GridSearchCV(SVC())``: all folds share kernel matrices.
"""

import matplotlib.pyplot as plt
import numpy as np

import mercer

rng = np.random.default_rng(3)
X = rng.uniform(-2, 2, size=(300, 2))
y = np.where(np.sin(3 * X[:, 0]) + X[:, 1] + 0.4 * rng.normal(size=300) > 0, "above", "below")
cs, scales = np.geomspace(0.01, 1e4, 13), np.geomspace(0.1, 10, 9)
model = mercer.SVCCV(cs, kernel="gaussian()", lengthscales=scales, cv=5).fit(X, y)
print(f"C = {model.C_:.3g}, {model.kernel_}: {model.best_score_:.1%} right in cross-validation")

plt.pcolormesh(cs, scales, model.scores_, shading="nearest")
plt.colorbar(label="accuracy in cross-validation")
row, column = np.unravel_index(model.scores_.argmax(), model.scores_.shape)
plt.plot(cs[column], scales[row], "o", markersize=12, fillstyle="none", color="black", markeredgewidth=2)
plt.loglog()
plt.xlabel("C")
plt.ylabel("lengthscale")
plt.savefig("search.png")
