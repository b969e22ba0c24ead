//! Kernel independent component analysis: a linear mixture of independent sources undone.
