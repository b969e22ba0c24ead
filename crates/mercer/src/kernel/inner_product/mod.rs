//! Inner-product kernels: profiles of `⟨x, y⟩`.

pub mod exponential;
pub mod linear;
pub mod polynomial;
pub mod tanh;

use super::catalogue::Entry;

/// Their pages in the catalogue.
pub(super) const ENTRIES: &[&Entry] = &[&linear::ENTRY, &polynomial::ENTRY, &exponential::ENTRY, &tanh::ENTRY];
