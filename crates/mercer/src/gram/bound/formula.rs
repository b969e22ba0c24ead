//! The formula of a base kernel on a metric: the shortest that the kernel has for its parameters.

use crate::kernel::Base;
pub(super) use crate::kernel::closed_forms::FormulaVisitor;
pub(super) use crate::kernel::leaf::ExponentialOf as Exponential;

/// Calls the visitor with the shortest formula of `profile(scale · metric)`.
pub(super) fn visit<V: FormulaVisitor>(base: &Base, scale: f64, visitor: V) -> V::Output {
    base.visit_formula(scale, visitor).expect("a node of this kind is made from a profile")
}
