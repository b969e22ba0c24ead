//! Kernels that are computed in one pass over the columns.

pub mod cauchy;
pub mod chi2;
pub mod histogram_intersection;
pub mod periodic;
pub mod sinc;
