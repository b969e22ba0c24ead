"""Pictures: displays by scikit-learn's contract (``from_estimator``, ``plot(ax=…)``, ``ax_``, ``figure_``)."""
