//! `∂k(x, x)/∂θ` of expressions with kernels on objects: what a normalized kernel needs for its own
//! derivative.

use super::diagonal::{Both, combine, each, of_node};
use super::node::{Kind, Node, Pointwise};
use super::slots::{Slot, Slots};
use crate::real::{Dual, Real};

/// `∂k(xᵢ, xᵢ)/∂θ` and `∂k(yⱼ, yⱼ)/∂θ` for the parameter with this number in the whole expression.
pub(super) fn of(node: &Node<'_>, parameter: usize, slots: &Slots) -> Both {
    if !node.parameters.contains(&parameter) {
        return each(of_node(node, slots), |_| 0.0);
    }
    let own = parameter - node.parameters.start;
    if !node.has_objects() {
        return of_vectors(node, own, &slots.points[node.slot]);
    }
    match &node.kind {
        Kind::Object(tiles) => tiles.diagonal_derivatives(own),
        Kind::Scale(_, inner) if own == 0 => of_node(inner, slots),
        Kind::Scale(a, inner) => each(of(inner, parameter, slots), |v| a * v),
        Kind::Sum(nodes) => of_part(nodes, parameter, slots).0,
        Kind::Product(nodes) => {
            let (slope, moved) = of_part(nodes, parameter, slots);
            let others = nodes.iter().enumerate().filter(|(at, _)| *at != moved);
            others.fold(slope, |slope, (_, node)| combine(slope, &of_node(node, slots), |a, b| a * b))
        }
        Kind::Minus(a, _) if a.parameters.contains(&parameter) => of(a, parameter, slots),
        Kind::Minus(_, b) => each(of(b, parameter, slots), |v| -v),
        Kind::Pointwise(function, inner) => {
            let values = of_node(inner, slots);
            let slopes = of(inner, parameter, slots);
            combine(values, &slopes, |value, slope| function.slope(own, value, slope))
        }
        // The diagonal of a normalized kernel is 1, whatever its parameters are.
        _ => each(of_node(node, slots), |_| 0.0),
    }
}

/// The slope of the node that has the parameter, and which it is.
fn of_part(nodes: &[Node<'_>], parameter: usize, slots: &Slots) -> (Both, usize) {
    let moved = nodes.iter().position(|node| node.parameters.contains(&parameter)).unwrap_or(0);
    (of(&nodes[moved], parameter, slots), moved)
}

fn of_vectors(node: &Node<'_>, own: usize, slot: &Slot) -> Both {
    let mut p = node.kernel.parameter_values::<Dual<f64>>();
    p[own].derivative = 1.0;
    let slope = |row: ndarray::ArrayView1<f64>| {
        let x: Vec<_> = row.iter().map(|&v| Dual::<f64>::from_f64(v)).collect();
        node.kernel.value(&p, &x, &x).derivative
    };
    (slot.rows.rows().into_iter().map(slope).collect(), slot.columns().rows().into_iter().map(slope).collect())
}

impl Pointwise {
    /// `∂f(k)/∂θ` where `k` has this value and this slope, and `θ` may be a parameter of `f` itself.
    pub(super) fn slope(&self, own: usize, value: f64, slope: f64) -> f64 {
        let k = Dual { value, derivative: slope };
        match self {
            Self::Schoenberg(t) if own == 0 => -value * (-t * value).exp(),
            Self::Series(series) if own < series.coefficients().len() => value.powi(own as i32),
            Self::Power(m) => k.powi(*m as i32).derivative,
            Self::Exp => k.exp().derivative,
            Self::Schoenberg(t) => (Dual::<f64>::from_f64(-t) * k).exp().derivative,
            Self::Series(series) => series.evaluate(k).derivative,
        }
    }
}
