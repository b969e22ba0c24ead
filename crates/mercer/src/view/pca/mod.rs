//! Kernel principal components.
