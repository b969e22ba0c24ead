"""Why is this kernel not positive semi-definite?

``tanh`` looks like a kernel and is not one: ``check`` returns points and weights with a negative quadratic form. The
picture has the form ``cᵀKc`` over all weights of unit length at the two points that were found.
"""

import matplotlib.pyplot as plt
import numpy as np

import mercer

k = mercer.tanh(scale=1, offset=0)
found = k.check()
print(f"{k}: positive semi-definite? {found.psd}")
print(f"points {found.points.ravel()}, weights {found.weights}, cᵀKc = {found.value:.6f}")

angle = np.linspace(0, 2 * np.pi, 400)
weights = np.stack([np.cos(angle), np.sin(angle)])
for kernel, label in [(k, str(k)), (mercer.gaussian(), "gaussian(lengthscale=1)")]:
    form = np.einsum("ia,ij,ja->a", weights, kernel(found.points), weights)
    plt.plot(np.degrees(angle), form, label=label)
plt.axhline(0, color="black", linewidth=0.8)
plt.axhspan(-0.5, 0, color="C1", alpha=0.1)
plt.ylim(-0.5, None)
plt.xlabel("direction of the weights c (degrees)")
plt.ylabel("cᵀKc")
plt.title(f"the points {found.points[0, 0]:g} and {found.points[1, 0]:g}")
plt.legend(loc="upper right")
plt.savefig("counterexample.png")
