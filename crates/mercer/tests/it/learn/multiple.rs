//! Multiple kernels: the weights of a sum of kernels learned from data.
