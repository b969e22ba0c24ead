"""The error of random Fourier features.

The error of ``z(x)ᵀz(y)`` falls like 1/√D. Orthogonal and quasi-random frequencies have a smaller constant.
"""

import matplotlib.pyplot as plt
import numpy as np

import mercer

X = np.random.default_rng(0).normal(size=(200, 4))
for sampling in ["iid", "orthogonal", "qmc"]:
    features = mercer.RandomFourierFeatures("gaussian(lengthscale=2)", sampling=sampling, random_state=0)
    d, errors, line = features.error_decay(X, draws=5)
    (drawn,) = plt.loglog(d, errors, "o", label=sampling)
    plt.loglog(d, line, color=drawn.get_color(), linewidth=0.8)
    print(f"{sampling}: error {errors[-1]:.4f} with {d[-1]:.0f} frequencies")
plt.xlabel("frequencies D")
plt.ylabel("root mean square error")
plt.legend()
plt.savefig("fourier.png")
