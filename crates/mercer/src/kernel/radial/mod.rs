//! Radial kernels: profiles of `‖x − y‖`.

pub mod gaussian;
pub mod inverse_multiquadric;
pub mod laplacian;
pub mod matern;
pub mod rational_quadratic;
pub mod wendland;

use super::catalogue::Entry;

/// Their pages in the catalogue.
pub(super) const ENTRIES: &[&Entry] = &[
    &gaussian::ENTRY,
    &laplacian::ENTRY,
    &matern::ENTRY,
    &rational_quadratic::ENTRY,
    &inverse_multiquadric::ENTRY,
    &wendland::ENTRY,
];
