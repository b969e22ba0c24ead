"""Sequences: a classifier of short DNA.

Half of the sequences contain a hidden motif with a random letter in it. A kernel that counts the parts of a string,
and one that allows a mismatch.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score

import mercer

rng = np.random.default_rng(0)


def sequence(motif):
    letters = rng.choice(list("ACGT"), size=50)
    if motif:
        place = rng.integers(0, 42)
        letters[place : place + 8] = list("TATAATGC")
        letters[place + rng.integers(0, 8)] = rng.choice(list("ACGT"))
    return "".join(letters)


labels = np.array([True, False] * 80)
sequences = [sequence(motif) for motif in labels]
kernels = [
    "spectrum(length=2)",
    "spectrum(length=4)",
    "mismatch(length=4, mismatches=1)",
    "mismatch(length=6, mismatches=1)",
]
scores = [cross_val_score(mercer.SVC(kernel=f"normalized({k})"), np.array(sequences), labels, cv=5) for k in kernels]
for kernel, score in zip(kernels, scores, strict=True):
    print(f"{kernel}: {score.mean():.1%}")
plt.boxplot(scores, orientation="horizontal", tick_labels=kernels)
plt.axvline(0.5, color="black", linewidth=0.8, linestyle="--")
plt.xlabel("accuracy in five folds (dashed: guessing)")
plt.savefig("strings.png")
