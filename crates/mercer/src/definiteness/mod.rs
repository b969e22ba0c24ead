//! Proofs, counterexamples and repair of positive semi-definiteness.
//!
//! The rules of [`crate::kernel`] prove what they can. Where they are silent, [`check`] searches
//! for points and weights with `cᵀKc < 0` and shows them only after a re-check with 31 digits and a
//! bound on the rounding error.

mod candidates;
mod certify;
mod check;
mod gram;
mod matrix;
mod objects;
mod region;
mod repair;
mod running_error;
mod search;
mod side;
mod simplify;
mod standing;

pub use certify::{QuadraticForm, quadratic_form};
pub use check::{Check, CheckOptions, CheckVerdict, check, check_negative};
pub use matrix::check_matrix;
pub use repair::{Repair, Repaired, repair};
pub(crate) use standing::require_psd_for;
pub use standing::{Standing, require_psd, require_psd_on};
