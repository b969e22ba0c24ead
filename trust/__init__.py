"""The trust harness: Mercer against oracles, itself, extreme inputs, faults and chance.

``python -m trust`` runs every check for hours and writes a report; an interrupted run continues where it stopped.
``python -m trust --slice`` runs the few minutes that are part of ``make test``.
"""
