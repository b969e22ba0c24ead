"""One module per test file of scikit-learn: which file, and what replaces its classes.

A module has ``FILE``, the test module, and ``stand_in()``, which is called before the file is imported. Tests that are
not run, and tests that fail on purpose, have a line with the reason in ``reasons.toml``, in a section with the name of
the module.
"""
