//! Vector arithmetic chosen at run time, and all the `unsafe` code of the library.

mod add_rows;
mod buffer;
pub(crate) mod columns;
mod element;
mod fast32;
mod fast64;
mod gathered;
mod map;
mod margins;
pub mod matmul;
mod near;
pub(crate) mod pairs;
pub(crate) mod poles;
mod powers;
pub(crate) mod product;
pub(crate) mod scan;
mod sine_cosine;
mod sine_cosine_single;
mod slopes;
pub(crate) mod sparse;
mod steps;
pub(crate) mod subsets;
mod summary;
#[cfg(test)]
mod tests;
mod transpose;
pub(crate) mod triangle;
mod unit;

pub use crate::kernel::closed_forms::Formula;
pub(crate) use add_rows::add_rows;
pub(crate) use buffer::{assemble, reserved, zeroed};
pub use element::{Element, Lane};
pub use fast32::Fast32;
pub use fast64::Fast64;
pub(crate) use gathered::{PADDING, Places, add_gathered, gathered_product};
pub use map::{Mode, map, map_in_place};
pub(crate) use margins::add_margins;
pub(crate) use near::count_near;
pub(crate) use sine_cosine::{cosines, sines_cosines};
pub(crate) use slopes::{
    CircleSide, DualSteps, ShapeSlopes, SlopeTiles, StepSlopes, absolute_sum, differentiate, differentiate_with_shapes,
    dot, dual_steps, sinc_column, sinc_values, step_back, weighted_differences, weighted_phases,
};
pub use steps::{Steps, steps};
pub use summary::{Summary, summarize};
