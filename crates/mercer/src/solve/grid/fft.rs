//! Fast Fourier transforms of lengths `2ᵃ3ᵇ5ᶜ`, of several lines at a time.

use pulp::{Arch, Simd, WithSimd};

/// Lines that are transformed side by side, one per vector lane. Not tuned.
pub(super) const LANES: usize = 4;

/// The same entry of several lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lanes {
    pub(super) re: [f64; LANES],
    pub(super) im: [f64; LANES],
}

impl Lanes {
    pub(super) const ZERO: Self = Self { re: [0.0; LANES], im: [0.0; LANES] };

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let mut out = self;
        for l in 0..LANES {
            out.re[l] += other.re[l];
            out.im[l] += other.im[l];
        }
        out
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let mut out = self;
        for l in 0..LANES {
            out.re[l] -= other.re[l];
            out.im[l] -= other.im[l];
        }
        out
    }

    #[inline(always)]
    pub(super) fn scale(self, factor: f64) -> Self {
        let mut out = self;
        for l in 0..LANES {
            out.re[l] *= factor;
            out.im[l] *= factor;
        }
        out
    }

    /// Times `c + is`.
    #[inline(always)]
    pub(super) fn turn(self, [c, s]: [f64; 2]) -> Self {
        let mut out = self;
        for l in 0..LANES {
            out.re[l] = self.re[l] * c - self.im[l] * s;
            out.im[l] = self.re[l] * s + self.im[l] * c;
        }
        out
    }

    /// Times `±i`.
    #[inline(always)]
    fn quarter(self, sign: f64) -> Self {
        let mut out = self;
        for l in 0..LANES {
            out.re[l] = -sign * self.im[l];
            out.im[l] = sign * self.re[l];
        }
        out
    }
}

/// `x̂ₖ = Σⱼ xⱼ exp(−2πijk/n)`, in place: entry `k` ends at [`Fft::position`] of `k`.
///
/// # Formula
/// Decimation in frequency (Gentleman and Sande 1966); the inverse runs the same steps backward, so
/// that products of spectra need no permutation.
#[derive(Clone, Debug)]
pub(super) struct Fft {
    len: usize,
    stages: Vec<Stage>,
    position: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Stage {
    radix: usize,
    /// The length of the blocks that are split into `radix` parts.
    span: usize,
    /// `exp(−2πijs/span)` for `j` and `s ≥ 1`.
    factors: Vec<[f64; 2]>,
}

/// `exp(−2πit/n)`.
pub(super) fn root(t: usize, n: usize) -> [f64; 2] {
    let angle = -2.0 * std::f64::consts::PI * (t % n) as f64 / n as f64;
    [angle.cos(), angle.sin()]
}

/// The smallest `2ᵃ3ᵇ5ᶜ` that is not below `n`.
pub(super) fn smooth_length(n: usize) -> usize {
    (n.max(1)..).find(|&m| radices(m).is_some()).unwrap_or(n)
}

/// The radices whose product is `n`, the larger first; none where another prime divides it.
fn radices(n: usize) -> Option<Vec<usize>> {
    let (mut left, mut found) = (n, Vec::new());
    for radix in [5, 3, 4, 2] {
        while left.is_multiple_of(radix) {
            left /= radix;
            found.push(radix);
        }
    }
    (left == 1).then_some(found)
}

impl Fft {
    /// The transform of a length `2ᵃ3ᵇ5ᶜ`.
    pub(super) fn new(len: usize) -> Self {
        let radices = radices(len).unwrap_or_default();
        let mut span = len;
        let mut stages = Vec::with_capacity(radices.len());
        for radix in radices {
            let part = span / radix;
            let factors = (0..part).flat_map(|j| (1..radix).map(move |s| root(j * s, span))).collect();
            stages.push(Stage { radix, span, factors });
            span = part;
        }
        let position = (0..len).map(|k| place(k, len, &stages)).collect();
        Self { len, stages, position }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Where the forward transform leaves the frequencies 0, 1, ….
    pub(super) fn position(&self) -> &[usize] {
        &self.position
    }

    pub(super) fn forward(&self, data: &mut [Lanes]) {
        Arch::new().dispatch(Run { fft: self, data, inverse: false });
    }

    /// `n` times the inverse of [`Fft::forward`].
    pub(super) fn inverse(&self, data: &mut [Lanes]) {
        Arch::new().dispatch(Run { fft: self, data, inverse: true });
    }
}

/// The digits of `k` in the order of the stages.
fn place(k: usize, len: usize, stages: &[Stage]) -> usize {
    let (mut rest, mut at, mut part) = (k, 0, len);
    for stage in stages {
        part /= stage.radix;
        at += (rest % stage.radix) * part;
        rest /= stage.radix;
    }
    at
}

struct Run<'a> {
    fft: &'a Fft,
    data: &'a mut [Lanes],
    inverse: bool,
}

impl WithSimd for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        if self.inverse {
            self.fft.stages.iter().rev().for_each(|stage| run_stage(stage, self.data, true));
        } else {
            self.fft.stages.iter().for_each(|stage| run_stage(stage, self.data, false));
        }
    }
}

#[inline(always)]
fn run_stage(stage: &Stage, data: &mut [Lanes], inverse: bool) {
    match stage.radix {
        2 => split::<2>(stage, data, inverse, two),
        3 => split::<3>(stage, data, inverse, three),
        4 => split::<4>(stage, data, inverse, four),
        _ => split::<5>(stage, data, inverse, five),
    }
}

#[inline(always)]
fn split<const R: usize>(
    stage: &Stage,
    data: &mut [Lanes],
    inverse: bool,
    transform: impl Fn([Lanes; R], f64) -> [Lanes; R],
) {
    let part = stage.span / R;
    for block in data.chunks_exact_mut(stage.span) {
        for (j, factors) in stage.factors.chunks_exact(R - 1).enumerate() {
            let mut x = [Lanes::ZERO; R];
            for (t, x) in x.iter_mut().enumerate() {
                *x = block[j + t * part];
            }
            if inverse {
                for (x, [c, s]) in x[1..].iter_mut().zip(factors) {
                    *x = x.turn([*c, -s]);
                }
                x = transform(x, 1.0);
            } else {
                x = transform(x, -1.0);
                for (x, factor) in x[1..].iter_mut().zip(factors) {
                    *x = x.turn(*factor);
                }
            }
            for (t, x) in x.iter().enumerate() {
                block[j + t * part] = *x;
            }
        }
    }
}

#[inline(always)]
fn two([a, b]: [Lanes; 2], _sign: f64) -> [Lanes; 2] {
    [a.add(b), a.sub(b)]
}

#[inline(always)]
fn three([a, b, c]: [Lanes; 3], sign: f64) -> [Lanes; 3] {
    let sum = b.add(c);
    let (middle, turned) = (a.sub(sum.scale(0.5)), b.sub(c).scale(3f64.sqrt() / 2.0).quarter(sign));
    [a.add(sum), middle.add(turned), middle.sub(turned)]
}

#[inline(always)]
fn four([a, b, c, d]: [Lanes; 4], sign: f64) -> [Lanes; 4] {
    let (even, odd) = (a.add(c), b.add(d));
    let (difference, turned) = (a.sub(c), b.sub(d).quarter(sign));
    [even.add(odd), difference.add(turned), even.sub(odd), difference.sub(turned)]
}

/// `cos` and `sin` of 72° and 144°.
const COS72: f64 = 0.309_016_994_374_947_45;
const COS144: f64 = -0.809_016_994_374_947_5;
const SIN72: f64 = 0.951_056_516_295_153_5;
const SIN144: f64 = 0.587_785_252_292_473_1;

#[inline(always)]
fn five([a, b, c, d, e]: [Lanes; 5], sign: f64) -> [Lanes; 5] {
    let (outer, inner) = (b.add(e), c.add(d));
    let (outer_difference, inner_difference) = (b.sub(e), c.sub(d));
    let first = a.add(outer.scale(COS72)).add(inner.scale(COS144));
    let second = a.add(outer.scale(COS144)).add(inner.scale(COS72));
    let first_turned = outer_difference.scale(SIN72).add(inner_difference.scale(SIN144)).quarter(sign);
    let second_turned = outer_difference.scale(SIN144).sub(inner_difference.scale(SIN72)).quarter(sign);
    [
        a.add(outer).add(inner),
        first.add(first_turned),
        second.add(second_turned),
        second.sub(second_turned),
        first.sub(first_turned),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_are_those_of_the_definition_and_back() {
        for len in [1, 2, 3, 4, 5, 6, 8, 9, 15, 20, 30, 64, 120] {
            let fft = Fft::new(len);
            let entry = |j: usize, l: usize| (((j * 7 + l * 3) as f64).sin(), ((j + l) as f64).cos());
            let make = |j: usize| Lanes {
                re: std::array::from_fn(|l| entry(j, l).0),
                im: std::array::from_fn(|l| entry(j, l).1),
            };
            let start: Vec<Lanes> = (0..len).map(make).collect();
            let mut data = start.clone();
            fft.forward(&mut data);
            for k in 0..len {
                for l in 0..LANES {
                    let (mut re, mut im) = (0.0, 0.0);
                    for j in 0..len {
                        let ([c, s], (a, b)) = (root(j * k, len), entry(j, l));
                        re += a * c - b * s;
                        im += a * s + b * c;
                    }
                    let found = data[fft.position()[k]];
                    assert_close!(found.re[l], re, abs = 1e-12);
                    assert_close!(found.im[l], im, abs = 1e-12);
                }
            }
            fft.inverse(&mut data);
            for (found, start) in data.iter().zip(&start) {
                assert_close!(found.re, start.re.map(|v| v * len as f64), each = 1e-12);
                assert_close!(found.im, start.im.map(|v| v * len as f64), each = 1e-12);
            }
        }
        assert_eq!(smooth_length(1999), 2000);
        assert_eq!(smooth_length(7), 8);
    }
}
