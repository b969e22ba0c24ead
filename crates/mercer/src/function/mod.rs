//! x
pub struct Expansion;
