//! Whether the values of a bound kernel stay within the range of the floating-point format: checked
//! once, from the size of the points. Pairs are looked at only where that leaves a doubt.

use std::cell::Cell;

use ndarray::ArrayView2;

use super::diagonal;
use super::fill::Tile;
use super::node::{Kind, Node, Pointwise};
use super::slots::{Shared, Slot, Slots};
use crate::error::Requirement;
use crate::gram::MetricKind;
use crate::kernel::facts::Fact;
use crate::kernel::leaf::{Profile, Shape};
use crate::kernel::{Base, Lengthscale, ProfileVisitor, Property};
use crate::{Error, Result};

/// Entries below this leave room for squares and sums of them.
const TAME: f64 = 1e150;
/// Values and metrics above this are not for single precision, whose largest number is `3e38`.
const SINGLE: f64 = 1e36;
/// Points of entries below this vanish in single precision when they are squared.
const TINY: f64 = 1e-18;

/// Whether a bound expression may be evaluated in single precision.
///
/// # Errors
/// [`Error::Value`] with the largest entry where a value would overflow, or be wrong because a
/// distance does; [`Error::Parameter`] for a lengthscale whose square overflows.
pub(super) fn check(root: &Node<'_>, slots: &Slots) -> Result<bool> {
    let reach: Vec<f64> = slots.points.iter().map(Slot::reach).collect();
    let check = Check { slots, reach, fits_single: Cell::new(true) };
    if check.reach.iter().any(|reach| !reach.is_finite()) {
        return Err(check.refusal(root, Requirement::Representable));
    }
    let size = check.size(root)?;
    let seen = check.reach.iter().all(|reach| *reach == 0.0 || *reach >= TINY);
    Ok(seen
        && check.fits_single.get()
        && size <= SINGLE
        && slots.metrics.iter().all(|shared| check.fits_single(shared)))
}

/// The error for slopes that are not numbers though the values are: it names the largest entry.
pub(super) fn unrepresentable(root: &Node<'_>, slots: &Slots) -> Error {
    let reach: Vec<f64> = slots.points.iter().map(Slot::reach).collect();
    Check { slots, reach, fits_single: Cell::new(true) }.overflow(root)
}

struct Check<'s> {
    slots: &'s Slots,
    /// The largest `|x|` of every slot.
    reach: Vec<f64>,
    /// Whether single precision holds the factors of all metrics, such as `1/ℓ²`.
    fits_single: Cell<bool>,
}

impl Check<'_> {
    /// A bound on `|k|` over all pairs.
    fn size(&self, node: &Node<'_>) -> Result<f64> {
        let rough = match &node.kind {
            Kind::Profile { base, metric, scale } => {
                return self.profile(node, base, &self.slots.metrics[*metric], *scale);
            }
            Kind::Columnwise { base, lengths, slot, .. } => return self.columnwise(node, base, lengths, *slot),
            Kind::Circles { base, slot, inner, .. } => {
                self.check_phase(node, base, *slot)?;
                return self.size(inner);
            }
            Kind::Constant(value) => value.abs(),
            Kind::Matrix(values) => reach(values.view()),
            Kind::Object(tiles) => tiles.largest(),
            Kind::Brownian { rows, cols, .. } => 4.0 * self.finite(node, rows, cols)?,
            Kind::Features { metric } => self.rough(&self.slots.metrics[*metric]).0,
            Kind::Scale(a, inner) => a.abs() * self.size(inner)?,
            Kind::Sum(terms) => terms.iter().try_fold(0.0, |sum, k| Ok(sum + self.size(k)?))?,
            Kind::Product(factors) => factors.iter().try_fold(1.0, |product, k| Ok(product * self.size(k)?))?,
            Kind::Minus(a, b) => self.size(a)? + self.size(b)?,
            Kind::Pointwise(function, inner) => pointwise(function, inner, self.size(inner)?),
            Kind::Outer { rows, cols, unit, inner } => {
                let (factor, inner) = (self.finite(node, rows, cols)?, self.size(inner)?);
                if *unit { 1.0 } else { factor * factor * inner }
            }
            Kind::Based { rows, cols, origin, inner } => {
                2.0 * self.finite(node, rows, cols)? + origin.abs() + self.size(inner)?
            }
        };
        if rough.is_finite() { Ok(rough) } else { self.exact(node) }
    }

    /// The largest size of numbers that were made for the points; none may be infinite.
    fn finite(&self, node: &Node<'_>, rows: &[f64], cols: &[f64]) -> Result<f64> {
        let largest =
            rows.iter().chain(cols).fold(0.0_f64, |m, v| if v.is_nan() { f64::INFINITY } else { m.max(v.abs()) });
        if largest.is_finite() { Ok(largest) } else { Err(self.overflow(node)) }
    }

    /// A bound on a metric from the largest entries, and its coordinates.
    fn rough(&self, shared: &Shared) -> (f64, usize) {
        let (columns, reach) = (self.slots.points[shared.slot()].rows.ncols(), self.reach[shared.slot()]);
        let weight = (0..columns).map(|j| shared.weight(j)).fold(0.0, f64::max);
        let (count, across) = (columns as f64, 2.0 * reach * weight);
        let bound = match shared.metric.kind() {
            MetricKind::SquaredEuclidean => count * across * across,
            MetricKind::Manhattan => count * across,
            MetricKind::Dot => count * reach * reach,
        };
        (if bound.is_nan() { f64::INFINITY } else { bound }, columns)
    }

    /// Whether single precision holds the metric. Distances are taken of centered points, so that
    /// an offset does no harm.
    fn fits_single(&self, shared: &Shared) -> bool {
        let near = |shared: &Shared| span(&self.slots.points[shared.slot()], shared, 1.0).0 <= SINGLE;
        self.rough(shared).0 <= SINGLE || (shared.metric.kind() != MetricKind::Dot && near(shared))
    }

    fn profile(&self, node: &Node<'_>, base: &Base, shared: &Shared, scale: f64) -> Result<f64> {
        let (metric, columns) = self.rough(shared);
        self.fits_single.set(self.fits_single.get() && (SINGLE.recip()..=SINGLE).contains(&scale));
        let good = |factor: f64| factor.is_normal();
        if columns > 0 && !(good(scale) && (0..columns).all(|j| good(shared.weight(j)))) {
            let text = base.lengthscale().map_or_else(String::new, Lengthscale::text);
            let requirement = "such that its square stays within the range of the numbers: rescale the data";
            return Err(Error::parameter("lengthscale", text, requirement));
        }
        let value = |u: f64| base.visit_profile(At(base.shape_array(), u)).map_or(f64::INFINITY, size);
        let is_dot = shared.metric.kind() == MetricKind::Dot;
        let over = |u: f64| value(0.0).max(value(u)).max(if is_dot { value(-u) } else { 0.0 });
        if metric.is_finite() && over(metric * scale).is_finite() {
            return Ok(over(metric * scale));
        }
        let slot = &self.slots.points[shared.slot()];
        if is_dot {
            let largest = longest(slot.rows.view()) * longest(slot.columns().view());
            return if largest.is_finite() && over(largest).is_finite() { Ok(over(largest)) } else { self.exact(node) };
        }
        let (metric, scaled) = span(slot, shared, scale);
        match metric.is_finite() {
            true if over(metric * scale).is_finite() => Ok(over(metric * scale)),
            // Values may end at 0, as they should; but where its multiple of the lengthscale does
            // not overflow they would be wrong.
            false if !scaled.is_finite() => self.all_pairs(node),
            _ => Err(self.overflow(node)),
        }
    }

    fn columnwise(&self, node: &Node<'_>, base: &Base, lengths: &[f64], slot: usize) -> Result<f64> {
        self.check_phase(node, base, slot)?;
        let reach = self.reach[slot];
        let facts = base.facts();
        let bounded = facts.bound.filter(|bound| bound.is_finite() && matches!(facts.psd, Fact::Yes(_)));
        match bounded {
            Some(bound) if reach < TAME && lengths.iter().all(|l| l.recip().is_finite()) => Ok(bound),
            Some(_) => self.all_pairs(node),
            None => self.exact(node),
        }
    }

    /// Differences of the points have digits of their phase, where the kernel has one.
    fn check_phase(&self, node: &Node<'_>, base: &Base, slot: usize) -> Result<()> {
        if let Some(longest) = base.longest_difference()
            && 2.0 * self.reach[slot] > longest
            && spans(&self.slots.points[slot]).any(|span| span > longest)
        {
            return Err(
                self.refusal(node, "no digit is left of the phase of such differences: rescale the data".into())
            );
        }
        Ok(())
    }

    /// `max |k|` from the diagonal of a positive semi-definite node (Cauchy–Schwarz), else over all
    /// pairs.
    fn exact(&self, node: &Node<'_>) -> Result<f64> {
        let (rows, cols) = diagonal::of_node(node, self.slots);
        let largest = self.finite(node, &rows, &cols)?;
        let columns = self.slots.points[node.slot].rows.ncols();
        let psd = node.kernel.property_on(Property::PositiveSemidefinite, columns).is_proven();
        if psd { Ok(largest) } else { self.all_pairs(node) }
    }

    fn all_pairs(&self, node: &Node<'_>) -> Result<f64> {
        let points = &self.slots.points[0];
        let mut line = vec![0.0_f64; points.columns().nrows()];
        let mut largest = 0.0_f64;
        for i in 0..points.rows.nrows() {
            Tile::new(self.slots, i..i + 1, 0..line.len(), false).fill(node, &mut line);
            largest = largest.max(self.finite(node, &line, &[])?);
        }
        Ok(largest)
    }

    fn overflow(&self, node: &Node<'_>) -> Error {
        self.refusal(node, Requirement::Representable)
    }

    /// An error that names the largest entry of the points.
    fn refusal(&self, node: &Node<'_>, requirement: Requirement) -> Error {
        let slot = &self.slots.points[node.slot];
        let side = if slot.rows.reach() >= self.reach[node.slot] { slot.rows.view() } else { slot.columns().view() };
        let largest = side.indexed_iter().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        let ((row, column), value) = largest.map_or(((0, 0), 0.0), |(position, value)| (position, *value));
        Error::value(node.kernel.to_string(), (row, column), format!("{value:e}"), requirement)
    }
}

/// The size of `f(k)` for `|k| ≤ size`; infinite where it is not known.
fn pointwise(function: &Pointwise, inner: &Node<'_>, bound: f64) -> f64 {
    size(match function {
        Pointwise::Power(m) => bound.powi(*m as i32),
        Pointwise::Exp => bound.exp(),
        Pointwise::Schoenberg(_) if is_positive(inner) => 1.0,
        Pointwise::Schoenberg(t) => (t * bound).exp(),
        Pointwise::Series(series) if bound < series.radius() => series.evaluate(bound),
        Pointwise::Series(_) => f64::INFINITY,
    })
}

/// Whether no value is below 0.
pub(super) fn is_positive(node: &Node<'_>) -> bool {
    match &node.kind {
        Kind::Profile { base, .. } => base.is_non_negative(),
        Kind::Constant(value) => *value >= 0.0,
        Kind::Circles { .. } => true,
        Kind::Object(tiles) => tiles.is_non_negative(),
        Kind::Scale(_, inner) => is_positive(inner),
        Kind::Sum(terms) | Kind::Product(terms) => terms.iter().all(is_positive),
        _ => false,
    }
}

fn size(value: f64) -> f64 {
    if value.is_nan() { f64::INFINITY } else { value.abs() }
}

fn reach(x: ArrayView2<f64>) -> f64 {
    let largest = |values: &mut dyn Iterator<Item = &f64>| values.fold(0.0_f64, |m, v| m.max(v.abs()));
    x.as_slice().map_or_else(|| largest(&mut x.iter()), |values| values.iter().fold(0.0_f64, |m, v| m.max(v.abs())))
}

/// The largest norm of a row, without overflow before its time.
fn longest(x: ArrayView2<f64>) -> f64 {
    let unit = reach(x);
    let norm = |row: ndarray::ArrayView1<f64>| row.iter().map(|v| (v / unit).powi(2)).sum::<f64>().sqrt();
    if unit > 0.0 { unit * x.rows().into_iter().map(norm).fold(0.0, f64::max) } else { 0.0 }
}

/// The width of every column over both sides.
fn spans(slot: &Slot) -> impl Iterator<Item = f64> + '_ {
    (0..slot.rows.ncols()).map(|j| {
        let (rows, cols) = (slot.rows.column(j), slot.columns().column(j));
        let ends = |(low, high): (f64, f64), v: &f64| (low.min(*v), high.max(*v));
        let (low, high) = rows.iter().chain(&cols).fold((f64::INFINITY, f64::NEG_INFINITY), ends);
        (high - low).max(0.0)
    })
}

/// The metric across the box around the points, and the same in lengthscales.
fn span(slot: &Slot, shared: &Shared, scale: f64) -> (f64, f64) {
    let squared = shared.metric.kind() == MetricKind::SquaredEuclidean;
    let factor = if squared { scale.sqrt() } else { scale };
    let of = |width: f64| if squared { width * width } else { width };
    spans(slot).enumerate().fold((0.0, 0.0), |(metric, scaled), (j, span)| {
        let width = span * shared.weight(j);
        (metric + of(width), scaled + of(width * factor))
    })
}

struct At(Shape<f64>, f64);

impl ProfileVisitor for At {
    type Output = f64;
    fn visit<P: Profile>(self, profile: &P) -> f64 {
        profile.profile(self.0, self.1)
    }
}
