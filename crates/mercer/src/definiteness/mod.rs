//! Definiteness in practice: kernels that cannot be proven are attacked, indefinite matrices are repaired.
