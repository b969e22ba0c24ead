"""scikit-learn's own test files with Mercer's classes in the place of theirs."""
