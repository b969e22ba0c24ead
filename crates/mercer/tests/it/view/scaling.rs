//! Classical scaling: a negative-definite kernel as squared distances between vectors.
