//! Tiles of a bound expression: every node is one pass over the tile, metrics are computed once per
//! tile.

use std::ops::Range;

use super::columnwise;
use super::formula::{self, Exponential, FormulaVisitor};
use super::node::{Kind, Node, Pointwise};
use super::slots::Slots;
use crate::gram::Rows;
use crate::gram::simd::{self, Element, Formula, Mode};
use crate::kernel::closed_forms::Growth;
use crate::kernel::process::brownian::Brownian;
use crate::kernel::sparse_rows::RunningSums;
use crate::kernel::{Base, Series};
use crate::real::Real;

/// One tile: its position, and the metric tiles that several nodes share.
pub(super) struct Tile<'s, T> {
    slots: &'s Slots,
    pub rows: Rows<'s>,
    pub cols: Range<usize>,
    symmetric: bool,
    shared: Vec<Option<Vec<T>>>,
    /// The values of kernels on objects that share features.
    sums: RunningSums,
}

impl<'s, T: Element> Tile<'s, T> {
    pub(super) fn new(slots: &'s Slots, rows: impl Into<Rows<'s>>, cols: Range<usize>, symmetric: bool) -> Self {
        let rows = rows.into();
        let shared = std::iter::repeat_with(|| None).take(slots.metrics.len()).collect();
        Self { slots, rows, cols, symmetric, shared, sums: RunningSums::default() }
    }

    /// `out = k`.
    pub(super) fn fill(mut self, node: &Node<'_>, out: &mut [T]) {
        self.put(node, 1.0, Mode::Set, out);
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len() * self.cols.len()
    }

    /// Puts `factor · k` into the tile by `mode`.
    pub(super) fn put(&mut self, node: &Node<'_>, factor: f64, mode: Mode, out: &mut [T]) {
        match &node.kind {
            Kind::Scale(a, inner) => self.put(inner, a * factor, mode, out),
            Kind::Sum(terms) if mode != Mode::Multiply => self.sum(terms, factor, mode, out),
            Kind::Product(factors) if mode != Mode::Add => self.product(factors, factor, mode, out),
            Kind::Minus(a, b) if mode != Mode::Multiply => {
                self.put(a, factor, mode, out);
                self.put(b, -factor, Mode::Add, out);
            }
            Kind::Profile { base, metric, scale } => self.profile(base, *metric, *scale, factor, mode, out),
            Kind::Circles { inner, .. } => self.put(inner, factor, mode, out),
            Kind::Features { metric } => self.metric_map(*metric, &Identity, factor, mode, out),
            Kind::Columnwise { base, lengths, slot, band } => {
                let cols = self.cols.clone();
                let points = &self.slots.points[*slot];
                let waves =
                    band.as_ref().filter(|band| band.short).map(|band| (band.limit, &self.slots.points[band.waves]));
                columnwise::put(base, lengths, (points, waves), &self.rows, cols, (factor, mode), out);
            }
            Kind::Constant(value) => combine_each(out, mode, factor, |_| *value),
            Kind::Matrix(matrix) => {
                let (rows, cols, width) = (&self.rows, self.cols.start, self.cols.len());
                combine_each(out, mode, factor, |at| matrix[[rows.get(at / width), cols + at % width]]);
            }
            Kind::Object(tiles) => {
                let rows: Vec<usize> = self.rows.iter().collect();
                let mut values = vec![0.0; self.len()];
                tiles.fill_running(&rows, self.cols.clone(), &mut self.sums, &mut values);
                combine_each(out, mode, factor, |at| values[at]);
            }
            _ if mode == Mode::Set => self.set(node, factor, out),
            _ => {
                let mut scratch = vec![T::default(); self.len()];
                self.put(node, 1.0, Mode::Set, &mut scratch);
                simd::map(&Identity, factor, mode, &scratch, out);
            }
        }
    }

    fn sum(&mut self, terms: &[Node<'_>], factor: f64, mode: Mode, out: &mut [T]) {
        for (i, term) in terms.iter().enumerate() {
            self.put(term, factor, if i == 0 { mode } else { Mode::Add }, out);
        }
    }

    fn product(&mut self, factors: &[Node<'_>], factor: f64, mode: Mode, out: &mut [T]) {
        for (i, inner) in factors.iter().enumerate() {
            let (factor, mode) = if i == 0 { (factor, mode) } else { (1.0, Mode::Multiply) };
            self.put(inner, factor, mode, out);
        }
    }

    /// Nodes that are computed in place, after the node inside them.
    fn set(&mut self, node: &Node<'_>, factor: f64, out: &mut [T]) {
        match &node.kind {
            Kind::Pointwise(function, inner) => {
                self.put(inner, 1.0, Mode::Set, out);
                pointwise(function, factor, out);
            }
            Kind::Outer { rows, cols, unit, inner } => {
                self.put(inner, factor, Mode::Set, out);
                self.outer(rows, cols, out);
                if *unit {
                    self.set_diagonal(factor, rows, out);
                }
            }
            Kind::Based { rows, cols, origin, inner } => {
                self.put(inner, -factor, Mode::Set, out);
                self.add_outer(factor, rows, cols, *origin, out);
            }
            Kind::Brownian { metric, hurst, rows, cols } => {
                self.metric_map(*metric, &HurstPower(*hurst), -0.5 * factor, Mode::Set, out);
                self.add_outer(0.5 * factor, rows, cols, 0.0, out);
            }
            _ => unreachable!("every other node is put directly, for every mode that sets"),
        }
    }

    /// `out ← aᵢ bⱼ out`.
    fn outer(&self, rows: &[f64], cols: &[f64], out: &mut [T]) {
        for (line, a) in out.chunks_exact_mut(self.cols.len().max(1)).zip(self.rows.iter().map(|i| rows[i])) {
            for (value, &b) in line.iter_mut().zip(&cols[self.cols.clone()]) {
                *value = T::from_f64(value.to_f64() * a * b);
            }
        }
    }

    /// `out ← out + factor (aᵢ + bⱼ − c)`.
    fn add_outer(&self, factor: f64, rows: &[f64], cols: &[f64], origin: f64, out: &mut [T]) {
        for (line, a) in out.chunks_exact_mut(self.cols.len().max(1)).zip(self.rows.iter().map(|i| rows[i])) {
            for (value, &b) in line.iter_mut().zip(&cols[self.cols.clone()]) {
                *value = T::from_f64(value.to_f64() + factor * (a + b - origin));
            }
        }
    }

    /// Exactly `factor` (or 0 for a feature of norm zero) where row and column are the same point.
    fn set_diagonal(&self, factor: f64, roots: &[f64], out: &mut [T]) {
        if !self.symmetric {
            return;
        }
        for (at, i) in self.rows.iter().enumerate().filter(|(_, i)| self.cols.contains(i)) {
            let value = if roots[i] > 0.0 { factor } else { 0.0 };
            out[at * self.cols.len() + i - self.cols.start] = T::from_f64(value);
        }
    }

    fn profile(&mut self, base: &Base, metric: usize, scale: f64, factor: f64, mode: Mode, out: &mut [T]) {
        if base.growth() == Growth::Step && T::UNIT_ROUNDOFF > 1e-12 {
            return self.in_double(base, metric, scale, factor, mode, out);
        }
        formula::visit(base, scale, PutFormula { tile: self, metric, factor, mode, out });
    }

    /// A step function has to be decided in double precision.
    fn in_double(&self, base: &Base, metric: usize, scale: f64, factor: f64, mode: Mode, out: &mut [T]) {
        let mut values = vec![0.0_f64; self.len()];
        let mut double = Tile::<f64>::new(self.slots, self.rows.clone(), self.cols.clone(), self.symmetric);
        double.profile(base, metric, scale, 1.0, Mode::Set, &mut values);
        combine_each(out, mode, factor, |at| values[at]);
    }

    /// Puts `factor · f(metric)` into the tile. A metric with one user is computed in place.
    fn metric_map<F: Formula>(&mut self, metric: usize, formula: &F, factor: f64, mode: Mode, out: &mut [T]) {
        let shared = &self.slots.metrics[metric];
        if shared.uses == 1 && mode == Mode::Set && self.shared[metric].is_none() {
            shared.metric.fill_rows(&self.rows, self.cols.clone(), out);
            return simd::map_in_place(formula, factor, out);
        }
        simd::map(formula, factor, mode, self.metric(metric), out);
    }

    /// The tile of a metric, computed once.
    pub(super) fn metric(&mut self, metric: usize) -> &[T] {
        let (rows, cols, len) = (&self.rows, self.cols.clone(), self.rows.len() * self.cols.len());
        self.shared[metric].get_or_insert_with(|| {
            let mut values = vec![T::default(); len];
            self.slots.metrics[metric].metric.fill_rows(rows, cols, &mut values);
            values
        })
    }
}

/// `out[at] = factor · value(at)`, added or multiplied by `mode`.
pub(super) fn combine_each<T: Element>(out: &mut [T], mode: Mode, factor: f64, value: impl Fn(usize) -> f64) {
    for (at, o) in out.iter_mut().enumerate() {
        let v = factor * value(at);
        *o = match mode {
            Mode::Set => T::from_f64(v),
            Mode::Add => T::from_f64(o.to_f64() + v),
            Mode::Multiply => T::from_f64(o.to_f64() * v),
        };
    }
}

fn pointwise<T: Element>(function: &Pointwise, factor: f64, out: &mut [T]) {
    match function {
        Pointwise::Power(m) => simd::map_in_place(&WholePower(*m as i32), factor, out),
        Pointwise::Exp => simd::map_in_place(&Exponential(1.0), factor, out),
        Pointwise::Schoenberg(t) => simd::map_in_place(&Exponential(-t), factor, out),
        Pointwise::Series(series) => simd::map_in_place(&Sum(series), factor, out),
    }
}

struct PutFormula<'t, 's, T> {
    tile: &'t mut Tile<'s, T>,
    metric: usize,
    factor: f64,
    mode: Mode,
    out: &'t mut [T],
}

impl<T: Element> FormulaVisitor for PutFormula<'_, '_, T> {
    type Output = ();

    fn visit<F: Formula>(self, formula: &F) {
        self.tile.metric_map(self.metric, formula, self.factor, self.mode, self.out);
    }
}

struct Identity;

impl Formula for Identity {
    #[inline(always)]
    fn apply<N: Real>(&self, s: N) -> N {
        s
    }
}

struct HurstPower(f64);

impl Formula for HurstPower {
    #[inline(always)]
    fn apply<N: Real>(&self, s: N) -> N {
        Brownian::power(N::from_f64(self.0), s)
    }
}

struct WholePower(i32);

impl Formula for WholePower {
    #[inline(always)]
    fn apply<N: Real>(&self, s: N) -> N {
        s.powi(self.0)
    }
}

struct Sum<'s>(&'s Series);

impl Formula for Sum<'_> {
    #[inline(always)]
    fn apply<N: Real>(&self, s: N) -> N {
        self.0.evaluate(s)
    }
}
