//! A formula over all values of a tile, in the vector arithmetic of the machine.

use pulp::{Arch, Simd, WithSimd};

use super::element::{Element, Lane, Width};
use crate::kernel::closed_forms::Formula;

/// What becomes of the value that is already in the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `out = a·f(s)`.
    Set,
    /// `out += a·f(s)`.
    Add,
    /// `out *= a·f(s)`.
    Multiply,
}

/// `out = a·f(s)`, `out += a·f(s)` or `out *= a·f(s)` for every value `s` of `source`.
///
/// The slices are walked together; the longer one's rest is left alone.
pub fn map<F: Formula, T: Element>(formula: &F, factor: f64, mode: Mode, source: &[T], out: &mut [T]) {
    Arch::new().dispatch(Map { formula, factor, mode, source, out });
}

/// `s ← a·f(s)` for every value of the tile.
pub fn map_in_place<F: Formula, T: Element>(formula: &F, factor: f64, values: &mut [T]) {
    Arch::new().dispatch(MapInPlace { formula, factor, values });
}

struct Map<'a, F, T> {
    formula: &'a F,
    factor: f64,
    mode: Mode,
    source: &'a [T],
    out: &'a mut [T],
}

impl<F: Formula, T: Element> WithSimd for Map<'_, F, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        if Width::of::<S>() == Width::Baseline { self.run::<T::Plain>() } else { self.run::<T::Fused>() }
    }
}

impl<F: Formula, T: Element> Map<'_, F, T> {
    #[inline(always)]
    fn run<N: Lane<T>>(self) {
        let (formula, factor) = (self.formula, N::from_f64(self.factor));
        let pairs = self.out.iter_mut().zip(self.source);
        match self.mode {
            Mode::Set => pairs.for_each(|(o, &s)| *o = (factor * formula.apply(N::load(s))).store()),
            Mode::Add => pairs.for_each(|(o, &s)| *o = (N::load(*o) + factor * formula.apply(N::load(s))).store()),
            Mode::Multiply => {
                pairs.for_each(|(o, &s)| *o = (N::load(*o) * (factor * formula.apply(N::load(s)))).store());
            }
        }
    }
}

struct MapInPlace<'a, F, T> {
    formula: &'a F,
    factor: f64,
    values: &'a mut [T],
}

impl<F: Formula, T: Element> WithSimd for MapInPlace<'_, F, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        if Width::of::<S>() == Width::Baseline { self.run::<T::Plain>() } else { self.run::<T::Fused>() }
    }
}

impl<F: Formula, T: Element> MapInPlace<'_, F, T> {
    #[inline(always)]
    fn run<N: Lane<T>>(self) {
        let (formula, factor) = (self.formula, N::from_f64(self.factor));
        if self.factor == 1.0 {
            self.values.iter_mut().for_each(|v| *v = formula.apply(N::load(*v)).store());
        } else {
            self.values.iter_mut().for_each(|v| *v = (factor * formula.apply(N::load(*v))).store());
        }
    }
}
