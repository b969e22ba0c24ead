"""How fast do the eigenvalues of a kernel fall?

The smoother the kernel, the faster its eigenvalues fall, and the fewer features or centers approximate it. Eigenvalues
of the integral operator under a uniform sample on [0, 1], with the first eigenfunctions of one kernel in
closed form.
"""

import matplotlib.pyplot as plt
import numpy as np

import mercer

uniform = np.random.default_rng(0).uniform(size=(1000, 1))
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
for text in ["wiener()", "sobolev(order=1)", "matern(nu=3/2, lengthscale=0.3)", "gaussian(lengthscale=0.3)"]:
    spectrum = mercer.Spectrum(text, uniform, n_components=20)
    left.loglog(np.arange(1, len(spectrum.eigenvalues) + 1), spectrum.eigenvalues, "o-", markersize=3, label=text)
    print(f"{text}: the first five hold {spectrum.eigenvalues[:5].sum() / spectrum.trace:.4%} of the trace")
left.set(xlabel="number", ylabel="eigenvalue")
left.legend(fontsize=8)
x = np.linspace(0, 1, 200)[:, None]
right.plot(x[:, 0], mercer.Spectrum("wiener()", "uniform", n_components=4).eigenfunctions(x))
right.set(xlabel="x", title="eigenfunctions of wiener()")
plt.savefig("spectrum.png")
