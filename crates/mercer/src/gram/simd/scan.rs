//! Searches over lists of numbers for the solvers: largest values and their positions, in one pass
//! that also updates them.
//!
//! The lists are walked in blocks: the best of a block is found without branches, the position only
//! within the best block.

use pulp::{Arch, Simd, WithSimd};

use super::element::Element;

/// Values of a block.
const BLOCK: usize = 32;

/// `outᵢ −= a·xᵢ + b·yᵢ`.
pub(crate) fn subtract<T: Element>(out: &mut [f64], (a, x): (f64, &[T]), (b, y): (f64, &[T])) {
    Arch::new().dispatch(Subtract { out, a, x, b, y });
}

/// A pass over the slopes of a group: `valuesᵢ −= a·xᵢ + b·yᵢ` where there are rows, then the
/// extremes of `valuesᵢ + riseᵢ` and `valuesᵢ + fallᵢ`, and the latter for a [`Partner`] search.
/// Of three passes this took 25 to 30 % more time (4000 and 6000 points, C = 30 to 1000).
pub(crate) struct Survey<'a, T> {
    pub(crate) values: &'a mut [f64],
    /// What is added to the values that can rise, `−∞` where one cannot.
    pub(crate) rise: &'a [f64],
    /// What is added to the values that can fall, `∞` where one cannot.
    pub(crate) fall: &'a [f64],
    /// `scale · (valuesᵢ + fallᵢ − origin)` in the precision of the elements.
    pub(crate) down: &'a mut [T],
    /// Near the largest slope, so that the digits are those of the difference.
    pub(crate) origin: f64,
    /// About the inverse of the largest difference, so that squares are within the range of the
    /// elements.
    pub(crate) scale: f64,
}

/// What a [`Survey`] found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extremes {
    /// The largest `valuesᵢ + riseᵢ`, `−∞` when there are none, and the first position where it is
    /// found.
    pub(crate) largest: f64,
    pub(crate) position: usize,
    /// The smallest `valuesᵢ + fallᵢ`; `∞` when there are none.
    pub(crate) smallest: f64,
}

impl Extremes {
    pub(crate) const NONE: Self = Self { largest: f64::NEG_INFINITY, position: 0, smallest: f64::INFINITY };

    /// The extremes of this and of a list that begins at `start`.
    pub(crate) fn or(self, other: Self, start: usize) -> Self {
        let smallest = at_most(other.smallest, self.smallest);
        match other.largest > self.largest {
            true => Self { largest: other.largest, position: start + other.position, smallest },
            false => Self { smallest, ..self },
        }
    }
}

impl<T: Element> Survey<'_, T> {
    /// The values as they are.
    pub(crate) fn find(self) -> Extremes {
        Arch::new().dispatch(Pass::<T, false> { survey: self, a: 0.0, x: &[], b: 0.0, y: &[] })
    }

    /// The values less `a·x + b·y`.
    pub(crate) fn subtract(self, (a, x): (f64, &[T]), (b, y): (f64, &[T])) -> Extremes {
        Arch::new().dispatch(Pass::<T, true> { survey: self, a, x, b, y })
    }
}

struct Pass<'a, T, const MOVES: bool> {
    survey: Survey<'a, T>,
    a: f64,
    x: &'a [T],
    b: f64,
    y: &'a [T],
}

/// Values that are updated, scaled and searched together: they stay in the innermost cache.
const PART: usize = 512;

impl<T: Element, const MOVES: bool> WithSimd for Pass<'_, T, MOVES> {
    type Output = Extremes;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Extremes {
        let Self { survey, a, x, b, y } = self;
        let n = survey.values.len();
        let mut found = Extremes::NONE;
        for start in (0..n).step_by(PART) {
            let part = start..n.min(start + PART);
            let values = &mut survey.values[part.clone()];
            let (rise, fall) = (&survey.rise[part.clone()], &survey.fall[part.clone()]);
            if MOVES {
                for ((v, x), y) in values.iter_mut().zip(&x[part.clone()]).zip(&y[part.clone()]) {
                    *v -= a * x.to_f64() + b * y.to_f64();
                }
            }
            for ((d, v), f) in survey.down[part].iter_mut().zip(&*values).zip(fall) {
                *d = T::from_f64(survey.scale * (v + f - survey.origin));
            }
            found = found.or(extremes(values, rise, fall), start);
        }
        found
    }
}

#[inline(always)]
fn extremes(values: &[f64], rise: &[f64], fall: &[f64]) -> Extremes {
    let n = values.len();
    let (mut best, mut largest, mut smallest) = (0, f64::NEG_INFINITY, f64::INFINITY);
    let whole = n / BLOCK * BLOCK;
    for start in (0..whole).step_by(BLOCK) {
        let (values, rise): (&[f64; BLOCK], &[f64; BLOCK]) = (chunk(values, start), chunk(rise, start));
        let fall: &[f64; BLOCK] = chunk(fall, start);
        let (mut rising, mut falling) = ([0.0; BLOCK], [0.0; BLOCK]);
        (0..BLOCK).for_each(|lane| rising[lane] = values[lane] + rise[lane]);
        (0..BLOCK).for_each(|lane| falling[lane] = values[lane] + fall[lane]);
        let found = best_of(rising, |a, b| at_least(b, a));
        if found > largest {
            (best, largest) = (start, found);
        }
        smallest = at_most(best_of(falling, |a, b| at_most(b, a)), smallest);
    }
    let mut position = best + (best..whole).position(|i| values[i] + rise[i] == largest).unwrap_or(0);
    for i in whole..n {
        if values[i] + rise[i] > largest {
            (position, largest) = (i, values[i] + rise[i]);
        }
        smallest = at_most(values[i] + fall[i], smallest);
    }
    Extremes { largest, position, smallest }
}

/// A search for the pair with the largest gain.
pub(crate) struct Partner<'a, T> {
    /// The slope of the first of the pair, on the scale of the others.
    pub(crate) top: T,
    /// `k(x, x)` of the first.
    pub(crate) diagonal: T,
    /// The slopes of the others, as a [`Survey`] left them.
    pub(crate) down: &'a [T],
    /// `k(y, y)` of the others.
    pub(crate) diagonals: &'a [T],
    /// `k(x, y)`.
    pub(crate) row: &'a [T],
    /// The least curvature.
    pub(crate) flat: T,
}

impl<T: Element> Partner<'_, T> {
    /// The partner with the largest gain `slope²/curvature` and that gain; `None` where none is
    /// above 0.
    pub(crate) fn find(self) -> Option<(usize, f64)> {
        Arch::new().dispatch(self)
    }

    #[inline(always)]
    fn gain(&self, down: T, diagonal: T, product: T) -> T {
        let slope = self.top - down;
        let slope = if slope > T::default() { slope } else { T::default() };
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
fn best_of<T: Copy, const N: usize>(mut block: [T; N], better: impl Fn(T, T) -> T) -> T {
    if N > 16 {
        (0..16).for_each(|lane| block[lane] = better(block[lane], block[lane + 16]));
    }
    (0..8).for_each(|lane| block[lane] = better(block[lane], block[lane + 8]));
    (0..4).for_each(|lane| block[lane] = better(block[lane], block[lane + 4]));
    better(better(block[0], block[2]), better(block[1], block[3]))
}

impl<T: Element> WithSimd for Partner<'_, T> {
    type Output = Option<(usize, f64)>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let n = self.down.len();
        let (mut best, mut gain) = (None, T::default());
        let whole = n / BLOCK * BLOCK;
        for start in (0..whole).step_by(BLOCK) {
            let (down, diagonals): (&[T; BLOCK], &[T; BLOCK]) = (chunk(self.down, start), chunk(self.diagonals, start));
            let row: &[T; BLOCK] = chunk(self.row, start);
            let mut gains = [T::default(); BLOCK];
            for lane in 0..BLOCK {
                gains[lane] = self.gain(down[lane], diagonals[lane], row[lane]);
            }
            let found = best_of(gains, |a, b| if b > a { b } else { a });
            if found > gain {
                gain = found;
                best = gains.iter().position(|&g| g == found).map(|lane| (start + lane, found.to_f64()));
            }
        }
        for i in whole..n {
            let found = self.gain(self.down[i], self.diagonals[i], self.row[i]);
            if found > gain {
                (gain, best) = (found, Some((i, found.to_f64())));
            }
        }
        best
    }
}

/// The block that begins at `start`.
#[inline(always)]
fn chunk<T, const N: usize>(values: &[T], start: usize) -> &[T; N] {
    values[start..].first_chunk().expect("the block lies inside")
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
        for n in [0, 1, 5, 31, 32, 33, 64, 100, 257, 511, 512, 513, 1100] {
            let mut stream = Seed(n as u64).stream("scan", 0);
            let mut draw = || (0..n).map(|_| stream.normal()).collect::<Vec<f64>>();
            let (values, row, other, mut rise, mut fall) = (draw(), draw(), draw(), draw(), draw());
            rise.iter_mut().for_each(|v| *v = if *v > 0.0 { 0.25 * *v } else { f64::NEG_INFINITY });
            fall.iter_mut().for_each(|v| *v = if *v > 0.0 { 0.25 * *v } else { f64::INFINITY });
            let moved: Vec<f64> = (0..n).map(|i| values[i] - (0.5 * row[i] - 0.75 * other[i])).collect();
            for (expected, moves) in [(&values, false), (&moved, true)] {
                let (mut now, mut down) = (values.clone(), vec![0.0; n]);
                let survey =
                    Survey { values: &mut now, rise: &rise, fall: &fall, down: &mut down, origin: 0.5, scale: 2.0 };
                let found = if moves { survey.subtract((0.5, &row), (-0.75, &other)) } else { survey.find() };
                assert_close!(now.iter(), expected, each = 1e-15, "{n}");
                let largest = (0..n).map(|i| now[i] + rise[i]).fold(f64::NEG_INFINITY, f64::max);
                let position = (0..n).position(|i| now[i] + rise[i] == largest).filter(|_| largest.is_finite());
                assert_eq!((found.largest, found.position), (largest, position.unwrap_or(0)), "{n}");
                assert_eq!(found.smallest, (0..n).map(|i| now[i] + fall[i]).fold(f64::INFINITY, f64::min), "{n}");
                assert!((0..n).all(|i| down[i] == 2.0 * (now[i] + fall[i] - 0.5)), "{n}");
                let diagonals = vec![4.0; n];
                let search =
                    Partner { top: 1.0, diagonal: 5.0, down: &down, diagonals: &diagonals, row: &row, flat: 1e-12 };
                let gain = |i: usize| (1.0 - down[i]).max(0.0).powi(2) / (9.0 - 2.0 * row[i]).max(1e-12);
                let best = (0..n).filter(|&i| gain(i) > 0.0).max_by(|&a, &b| gain(a).total_cmp(&gain(b)));
                assert_eq!(search.find(), best.map(|i| (i, gain(i))), "{n}");
            }
        }
    }

    #[test]
    fn extremes_of_parts_are_those_of_the_whole() {
        let of = |largest, position, smallest| Extremes { largest, position, smallest };
        let first = Extremes::NONE.or(of(2.0, 3, -1.0), 0);
        assert_eq!(first, of(2.0, 3, -1.0));
        // Of equal values the first counts.
        assert_eq!(first.or(of(2.0, 0, -4.0), 10), of(2.0, 3, -4.0));
        assert_eq!(first.or(of(2.5, 1, 0.0), 10), of(2.5, 11, -1.0));
    }
}
