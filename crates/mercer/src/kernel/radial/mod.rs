//! Radial kernels: profiles of `‖x − y‖`.

pub mod gaussian;
pub mod inverse_multiquadric;
pub mod laplacian;
pub mod matern;
pub mod rational_quadratic;
