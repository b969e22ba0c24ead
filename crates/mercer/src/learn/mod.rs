//! Choosing an element of ℋ from data: a specification is fitted, and the fit predicts.

mod observations;
pub mod smoother;
pub mod spline;
