"""scikit-learn's own test files with their classes replaced by Mercer's."""
