//! Spectral clustering: clusters from the leading eigenvectors of the normalized Gram matrix.
