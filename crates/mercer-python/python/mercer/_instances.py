"""Scores of the instances of bags."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer._mercer import Objects


class InstanceScores:
    """An estimator with scores for the instances of a bag."""

    def instance_scores(self, X: Any) -> list[np.ndarray]:
        """Return the score of every instance: the decision value (or the prediction) for a bag of it alone.

        With the kernel ``mean_embedding(k)`` the value of a bag is the mean of the scores of its instances, by their
        weights where it has some. With any other kernel on bags it is no sum over the instances, and a score is the
        value of the model for the instance by itself.

        Parameters
        ----------
        X : list of arrays, or Bags
            Bags of instances.

        Returns
        -------
        A list with an array per bag: a number per instance, or a row for several classes or targets.
        """
        check_is_fitted(self)
        kernel = self._object_kernel(X)
        if kernel is None or kernel.point_kind != "bags":
            raise ValueError(f"instance_scores needs a kernel on bags, such as mean_embedding(…), not {self.kernel!r}")
        alone, ends = Objects(kernel, X).instances()
        values = getattr(self, "decision_function", self.predict)(alone)
        return np.split(values, ends[:-1]) if ends else []
