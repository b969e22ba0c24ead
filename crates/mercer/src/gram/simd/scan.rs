//! Searches over lists of numbers for the solvers: a largest value and its position, in one pass.
//!
//! The lists are walked in blocks: the best of a block is found without branches, the position only
//! within the best block.

use pulp::{Arch, Simd, WithSimd};

use super::element::Element;

/// Values of a block.
const BLOCK: usize = 32;

/// The largest `valuesᵢ + barsᵢ` and the first position where it is found; `None` when all are `−∞`
/// or there are none.
pub(crate) fn largest(values: &[f64], bars: &[f64]) -> Option<(usize, f64)> {
    Arch::new().dispatch(Largest { values, bars })
}

/// `outᵢ −= a·xᵢ + b·yᵢ`.
pub(crate) fn subtract<T: Element>(out: &mut [f64], (a, x): (f64, &[T]), (b, y): (f64, &[T])) {
    Arch::new().dispatch(Subtract { out, a, x, b, y });
}

/// A search for the pair with the largest gain.
pub(crate) struct Partner<'a, T> {
    /// The slope of the first of the pair.
    pub(crate) top: f64,
    /// What slopes are multiplied by, so that their squares are within the range of the elements.
    pub(crate) scale: f64,
    /// `k(x, x)` of the first.
    pub(crate) diagonal: T,
    /// The slopes of the others.
    pub(crate) values: &'a [f64],
    /// 0, or `∞` where another cannot be taken.
    pub(crate) bars: &'a [f64],
    /// `k(y, y)` of the others.
    pub(crate) diagonals: &'a [T],
    /// `k(x, y)`.
    pub(crate) row: &'a [T],
    /// The least curvature.
    pub(crate) flat: T,
}

/// What a [`Partner`] search found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Found {
    /// The partner with the largest gain `(scale · slope)²/curvature` in the precision of the
    /// elements, and that gain: in single precision the search takes half of the time.
    pub(crate) best: Option<(usize, f64)>,
    /// The smallest value of those that can be taken; `∞` when there are none.
    pub(crate) smallest: f64,
}

impl Found {
    /// The better of this and what was found in a list that begins at `start`.
    pub(crate) fn or(self, other: Found, start: usize) -> Self {
        let gain = |best: Option<(usize, f64)>| best.map_or(0.0, |(_, gain)| gain);
        let other_best = other.best.map(|(at, gain)| (start + at, gain));
        let best = if gain(other_best) > gain(self.best) { other_best } else { self.best };
        Self { best, smallest: at_most(other.smallest, self.smallest) }
    }
}

impl<T: Element> Partner<'_, T> {
    pub(crate) fn find(self) -> Found {
        Arch::new().dispatch(self)
    }

    #[inline(always)]
    fn gain(&self, value: f64, diagonal: T, product: T) -> T {
        let slope = T::from_f64(self.scale * at_least(self.top - value, 0.0));
        let curvature = self.diagonal + diagonal - (product + product);
        (slope * slope).divided_by(if curvature > self.flat { curvature } else { self.flat })
    }
}

#[inline(always)]
fn at_least(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[inline(always)]
fn at_most(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The best of a block, in halves: one after the other, each comparison would wait for the one before
/// (a search took twice the time).
#[inline(always)]
fn best_of<T: Copy>(mut block: [T; BLOCK], better: impl Fn(T, T) -> T) -> T {
    (0..16).for_each(|lane| block[lane] = better(block[lane], block[lane + 16]));
    (0..8).for_each(|lane| block[lane] = better(block[lane], block[lane + 8]));
    (0..4).for_each(|lane| block[lane] = better(block[lane], block[lane + 4]));
    better(better(block[0], block[2]), better(block[1], block[3]))
}

impl<T: Element> WithSimd for Partner<'_, T> {
    type Output = Found;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Found {
        let n = self.values.len();
        let (mut best, mut gain, mut lowest) = (None, T::default(), [f64::INFINITY; BLOCK]);
        for start in (0..n).step_by(BLOCK) {
            let mut gains = [T::default(); BLOCK];
            if n - start >= BLOCK {
                let (values, bars) = (block(self.values, start), block(self.bars, start));
                let (diagonals, row) = (block(self.diagonals, start), block(self.row, start));
                for lane in 0..BLOCK {
                    let value = values[lane] + bars[lane];
                    lowest[lane] = at_most(value, lowest[lane]);
                    gains[lane] = self.gain(value, diagonals[lane], row[lane]);
                }
            } else {
                for lane in 0..n - start {
                    let at = start + lane;
                    let value = self.values[at] + self.bars[at];
                    lowest[lane] = at_most(value, lowest[lane]);
                    gains[lane] = self.gain(value, self.diagonals[at], self.row[at]);
                }
            }
            let found = best_of(gains, |a, b| if b > a { b } else { a });
            if found > gain {
                gain = found;
                best = gains.iter().position(|&g| g == found).map(|lane| (start + lane, found.to_f64()));
            }
        }
        Found { best, smallest: best_of(lowest, |a, b| at_most(b, a)) }
    }
}

/// The block that begins at `start`.
#[inline(always)]
fn block<T>(values: &[T], start: usize) -> &[T; BLOCK] {
    values[start..].first_chunk().expect("the block lies inside")
}

struct Largest<'a> {
    values: &'a [f64],
    bars: &'a [f64],
}

impl WithSimd for Largest<'_> {
    type Output = Option<(usize, f64)>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let (mut best, mut largest) = (None, f64::NEG_INFINITY);
        let (values, rest) = self.values.as_chunks::<BLOCK>();
        let (bars, rest_bars) = self.bars.as_chunks::<BLOCK>();
        for (b, (values, bars)) in values.iter().zip(bars).enumerate() {
            let mut sums = [0.0; BLOCK];
            (0..BLOCK).for_each(|lane| sums[lane] = values[lane] + bars[lane]);
            let found = best_of(sums, |a, b| at_least(b, a));
            if found > largest {
                (best, largest) = (Some(b), found);
            }
        }
        let mut position = best.map_or(0, |b| b * BLOCK);
        position += (position..self.values.len()).position(|i| self.values[i] + self.bars[i] == largest).unwrap_or(0);
        for (i, (value, bar)) in rest.iter().zip(rest_bars).enumerate() {
            if value + bar > largest {
                (position, largest) = (values.len() * BLOCK + i, value + bar);
            }
        }
        (largest > f64::NEG_INFINITY).then_some((position, largest))
    }
}

struct Subtract<'a, T> {
    out: &'a mut [f64],
    a: f64,
    x: &'a [T],
    b: f64,
    y: &'a [T],
}

impl<T: Element> WithSimd for Subtract<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for ((o, x), y) in self.out.iter_mut().zip(self.x).zip(self.y) {
            *o -= self.a * x.to_f64() + self.b * y.to_f64();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn searches_find_what_a_plain_loop_finds() {
        for n in [0, 1, 5, 31, 32, 33, 64, 100, 257] {
            let mut stream = Seed(n as u64).stream("scan", 0);
            let mut draw = || (0..n).map(|_| stream.normal()).collect::<Vec<f64>>();
            let (values, row, mut low, mut high) = (draw(), draw(), draw(), draw());
            low.iter_mut().for_each(|v| *v = if *v > 0.0 { 0.0 } else { f64::NEG_INFINITY });
            high.iter_mut().for_each(|v| *v = if *v > 0.0 { 0.0 } else { f64::INFINITY });
            let open = |bars: &[f64]| (0..n).filter(|&i| bars[i] == 0.0).collect::<Vec<usize>>();
            let expected = open(&low).into_iter().max_by(|&a, &b| values[a].total_cmp(&values[b]));
            assert_eq!(largest(&values, &low), expected.map(|i| (i, values[i])), "{n}");
            let diagonals = vec![2.0; n];
            let search = Partner {
                top: 0.5,
                scale: 1.0,
                diagonal: 3.0,
                values: &values,
                bars: &high,
                diagonals: &diagonals,
                row: &row,
                flat: 1e-12,
            };
            let gain = |i: usize| (0.5 - values[i]).max(0.0).powi(2) / (5.0 - 2.0 * row[i]).max(1e-12);
            let best = open(&high).into_iter().filter(|&i| gain(i) > 0.0).max_by(|&a, &b| gain(a).total_cmp(&gain(b)));
            let found = search.find();
            assert_eq!(found.best.map(|b| b.0), best, "{n}");
            assert_eq!(found.smallest, open(&high).into_iter().map(|i| values[i]).fold(f64::INFINITY, f64::min), "{n}");
        }
    }
}
