"""What a kernel assumes: the profile, and functions it considers likely.

Left: the kernel as a function of the distance. Right: a draw of the Gaussian process with each kernel. The Gaussian
kernel has smooth functions, the Laplacian kernel rough ones, the periodic kernel ones that repeat.
"""

import matplotlib.pyplot as plt
import numpy as np

import mercer

x = np.linspace(0, 4, 300)[:, None]
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
for row, text in enumerate(
    ["gaussian(lengthscale=0.6)", "laplacian(lengthscale=0.6)", "periodic(period=1.5, lengthscale=1)"]
):
    k = mercer.Kernel(text)
    left.plot(x[:, 0], k([[0.0]], x)[0], label=text)
    process = mercer.GaussianProcessRegressor(k, optimize=False)
    right.plot(x[:, 0], process.sample_y(x, random_state=row)[:, 0] - 4 * row)
    print(f"{text}: k(0, 1) = {k([[0.0]], [[1.0]])[0, 0]:.4f}")
left.set(xlabel="distance", ylabel="kernel")
left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), fontsize=8)
right.set(xlabel="x", title="one draw each, shifted apart", yticks=[])
plt.savefig("shapes.png")
