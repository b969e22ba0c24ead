"""What a search tried: the attribute ``search_`` of `auto` and of the estimators that choose their numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mercer._kernel_names import is_known_by_values, object_kernel
from mercer._mercer import Kernel

#: Candidates of a picture of a list.
_SHOWN = 20


@dataclass(frozen=True)
class SearchTable:
    """What a search tried; the attribute ``search_`` of the estimator that `auto` gives, and of ``…CV`` classes.

    Attributes
    ----------
    learner : str
        The learner that was chosen, as the catalogue names it.
    score : float
        Its score; NaN if nothing had to be compared.
    results_ : list of dict
        What was tried, best first: ``learner``, ``candidate``, ``family``, ``parameter`` (alpha or C) and ``score``.
        ``pandas.DataFrame(results_)`` is the same as a table.
    screened_ : list of dict
        What was tried on fewer rows first (``screened_rows``), as ``results_``: scores that cannot be compared with
        those. Empty where there was no such step.
    screened_rows : int or None
        The rows of that first step.
    criterion : str or None
        How candidates were scored: ``"loo"``, ``"gcv"``, ``"5 folds"``, ``"held-out rows"``.
    measure : str or None
        What the scores are: ``"squared_error"`` (a mean square), ``"wrong_classes"`` (a share), ``"log_loss"``, or
        ``"accuracy"``, of which more is better.
    rows, n_samples : int or None
        Rows that the scores were computed on, and all rows.
    fits : int or None
        Models that were fitted for the scores, where they were.
    complete : bool
        Whether the search ended by itself, and not because ``max_time`` was over.
    remarks : list of str
        Remarks on the selection.
    surface : dict or None
        The scores on a grid, as arguments of `ScoreSurfaceDisplay`: of `auto` those over lengthscales and alphas of
        the kernel that won, where they were compared.
    """

    learner: str
    score: float
    results_: list[dict[str, Any]] = field(default_factory=list)
    screened_: list[dict[str, Any]] = field(default_factory=list)
    screened_rows: int | None = None
    criterion: str | None = None
    measure: str | None = None
    rows: int | None = None
    n_samples: int | None = None
    fits: int | None = None
    complete: bool = True
    remarks: list[str] = field(default_factory=list)
    surface: dict[str, Any] | None = None

    def plot(self, target: Any = None) -> Any:
        """Draw the scores: on the grid, or where there is none as a list of the best candidates.

        Parameters
        ----------
        target : axes or path, optional
            Where to draw; new axes without it.

        Returns
        -------
        The axes.
        """
        on_axes = target is not None and hasattr(target, "pcolormesh")
        ax = target if on_axes else _new_axes()
        if self.surface is not None:
            from mercer._displays.surface import ScoreSurfaceDisplay

            ScoreSurfaceDisplay(**self.surface, logarithmic=self.measure == "squared_error").plot(ax)
        else:
            self._draw_list(ax)
        if target is not None and not on_axes:
            ax.figure.savefig(target)
        return ax

    def _draw_list(self, ax: Any) -> None:
        """Draw the best candidates, the first on top."""
        if not self.results_:
            raise ValueError("the search has nothing to draw: no candidates were compared")
        from mercer._displays.style import BLUE, shorter, tidy

        shown = self.results_[:_SHOWN]
        names = [shorter(f"{line['learner']}: {line['candidate']}", 50) for line in shown]
        places = np.arange(len(shown))[::-1]
        ax.plot([line["score"] for line in shown], places, "o", color=BLUE)
        ax.set_yticks(places, names)
        words = (self.measure or "score").replace("_", " ")
        tidy(
            ax,
            f"best {len(shown)} of {len(self.results_)}",
            words if not self.criterion else f"{words} ({self.criterion})",
            "",
        )


def _new_axes() -> Any:
    from matplotlib.figure import Figure

    return Figure(layout="constrained").subplots()


class GridSearched:
    """An estimator that was chosen on a grid of candidates (rows of ``scores_``) and numbers (columns)."""

    #: The learner of the catalogue, what the scores are, and whether more is better.
    _searched: tuple[str, str, bool]
    #: The kernels that the candidates were made from, as texts.
    _families: list[str] | None = None

    def _given(self) -> list[Any]:
        """Return the kernels to choose from, as they were given."""
        if self.kernels is None:
            return [self._given_kernel]
        if isinstance(self.kernels, (str, Kernel)):
            raise ValueError("kernels must be a list; one kernel is given as kernel=")
        if any(is_known_by_values(kernel) for kernel in self.kernels):
            raise ValueError("kernels must be kernels of the language; values and functions are given as kernel=")
        return list(self.kernels)

    def _object_kernel(self, X: Any = None) -> Kernel | None:
        found = (object_kernel(given, X) for given in self._given())
        return next((kernel for kernel in found if kernel is not None), None)

    def _grid_numbers(self) -> tuple[str, np.ndarray]:
        """Return the name and the numbers of the columns."""
        raise NotImplementedError

    def _grid_criterion(self) -> str:
        """Return how candidates were scored."""
        raise NotImplementedError

    def _grid_rows(self) -> tuple[str, list[Any]]:
        """Return the name and the values of the rows: lengthscales, gammas, or the texts of the kernels."""
        lists = {"lengthscale": self.lengthscales_, "gamma": getattr(self, "gammas_", [None])}
        for name, values in lists.items():
            if None not in values and len(set(values)) == len(values):
                return name, values
        return "kernel", [str(kernel) for kernel in self.candidates_]

    @property
    def search_(self) -> SearchTable:
        """What was tried: ``results_`` is a list of dicts, best first, ``plot()`` draws the scores."""
        learner, measure, more = self._searched
        (row, rows), (column, columns) = self._grid_rows(), self._grid_numbers()
        names = [str(kernel) for kernel in self.candidates_]
        families = self._families or names
        tried = [
            {
                "learner": learner,
                "candidate": names[i],
                "family": families[i],
                "parameter": float(columns[j]),
                "score": float(self.scores_[i, j]),
            }
            for i, j in np.argwhere(np.isfinite(self.scores_))
        ]
        # The winner first, also of equals.
        first = (names[self.best_index_[0]], float(columns[self.best_index_[1]]))
        tried.sort(
            key=lambda line: (
                -line["score"] if more else line["score"],
                (line["candidate"], line["parameter"]) != first,
            )
        )
        words = {
            "rows": row,
            "columns": column,
            "scores": f"{measure.replace('_', ' ')} ({self._grid_criterion()})",
            "title": "",
        }
        surface = {"scores": self.scores_, "rows": rows, "columns": list(columns), "best": self.best_index_}
        return SearchTable(
            learner=learner,
            score=float(self.best_score_),
            results_=tried,
            criterion=self._grid_criterion(),
            measure=measure,
            surface={**surface, "names": words},
        )

    def plot_surface(self, target: Any = None) -> Any:
        """Draw the scores, a row per candidate and a column per number, with the winner marked.

        Parameters
        ----------
        target : matplotlib axes or path, optional
            Where to draw; None makes new axes. Needs matplotlib unless axes are given.

        Returns
        -------
        The axes.
        """
        return self.search_.plot(target)
