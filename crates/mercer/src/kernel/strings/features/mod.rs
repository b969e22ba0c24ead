//! Explicit features of strings: counts of substrings and words, as sparse rows.

mod dictionary;
mod keys;
pub(super) mod mismatch;
pub(super) mod mismatch_products;
mod neighborhoods;
mod ranked_set;
pub(super) mod spectrum;
pub(super) mod symbols;
pub(super) mod vocabulary;
mod windows;
pub(super) mod words;
