//! Choosing λ and the kernel.
