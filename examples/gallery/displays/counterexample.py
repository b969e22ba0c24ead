"""A counterexample, drawn.

The points and weights that refute a kernel, and the matrix with the negative form.
"""

import matplotlib.pyplot as plt

import mercer

mercer.CounterexampleDisplay.from_kernel("tanh(scale=1, offset=0)")
print(f"cᵀKc = {mercer.tanh(scale=1, offset=0).check().value:.6f}")
plt.savefig("counterexample.png")
