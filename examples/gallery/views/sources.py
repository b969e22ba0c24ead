"""Unmix signals.

Three signals, mixed by an unknown matrix. Kernel independent component analysis finds them again, up to order, sign
and scale.
"""

import matplotlib.pyplot as plt
import numpy as np

import mercer

t = np.linspace(0, 8, 600)
rng = np.random.default_rng(0)
sources = np.column_stack([np.sin(3 * t), np.sign(np.sin(5 * t)), rng.laplace(size=600)])
sources = (sources - sources.mean(0)) / sources.std(0)
mixing = np.array([[1.0, 0.6, 0.4], [0.5, 1.0, -0.7], [-0.6, 0.4, 1.0]])
mixed = sources @ mixing.T
model = mercer.KernelICA(random_state=0).fit(mixed)
found = model.transform(mixed)
print(f"Amari distance from the truth: {mercer.amari_distance(model.components_, mixing):.4f}")
figure, axes = plt.subplots(3, 3, figsize=(9, 4.2), sharex=True)
for column, (title, signals) in enumerate([("sources", sources), ("mixed", mixed), ("found", found)]):
    axes[0, column].set_title(title)
    for row in range(3):
        axes[row, column].plot(t, signals[:, row], linewidth=0.8, color=f"C{column}")
        axes[row, column].set_yticks([])
plt.savefig("sources.png")
