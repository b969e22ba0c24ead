"""Watch a stream for a change, with a guarantee at every moment.

A sequential test bets against "no change": the wealth exceeds 1/level with a probability of at most the level, however
long one watches. The stream changes after batch 30.
"""

import matplotlib.pyplot as plt
import numpy as np

import mercer

rng = np.random.default_rng(0)
for name, change in [("no change", 0.0), ("a shift by 0.7", 0.7), ("a shift by 1.5", 1.5)]:
    test = mercer.SequentialTwoSampleTest("gaussian(lengthscale=1)", level=0.01)
    wealth = []
    for batch in range(80):
        reference = rng.normal(size=(20, 2))
        new = rng.normal(size=(20, 2)) + (change if batch >= 30 else 0)
        test.update(reference, new)
        wealth.append(test.wealth)
    alarm = next((i for i, w in enumerate(wealth) if w >= 100), None)
    print(f"{name}: " + ("no alarm in 80 batches" if alarm is None else f"alarm at batch {alarm}"))
    plt.semilogy(np.minimum(wealth, 1e5), label=name)
plt.axhline(100, color="black", linewidth=0.8, linestyle="--")
plt.text(0, 130, "alarm: 1/level", fontsize=9)
plt.axvline(30, color="gray", linewidth=0.8)
plt.xlabel("batch")
plt.ylabel("wealth")
plt.legend(loc="upper left", bbox_to_anchor=(0, 0.75))
plt.savefig("drift.png")
