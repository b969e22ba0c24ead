//! Sources of uniform random numbers for frequencies.

use crate::Stream;
use crate::real::special::normal_quantile;

/// How the frequencies of random Fourier features are drawn. Every choice is unbiased.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Sampling {
    /// Independently: variance `1/D` times that of one frequency.
    #[default]
    Iid,
    /// Directions in orthogonal frames of `d`, lengths independent (Yu et al. 2016): never more
    /// variance for the Gaussian kernel in the limit of large `d`, much less at short distances.
    /// For radial kernels.
    Orthogonal,
    /// The points of a randomized Halton sequence: evenly spread, each of them uniform by itself.
    QuasiMonteCarlo,
}

impl Sampling {
    /// The word for it in settings.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Iid => "iid",
            Self::Orthogonal => "orthogonal",
            Self::QuasiMonteCarlo => "qmc",
        }
    }
}

/// Coordinates that the Halton sequence gives; what a distribution needs beyond them is drawn
/// independently.
/// The base of the last one is the 128th prime, 719: beyond it, thousands of points are needed to
/// fill an axis.
const MOST_DIMENSIONS: usize = 128;

/// Uniform numbers for one frequency after the other.
#[derive(Debug)]
pub(crate) struct Source {
    stream: Stream,
    halton: Option<Halton>,
    index: u64,
    dimension: usize,
}

impl Source {
    pub(crate) fn new(stream: Stream, sampling: Sampling) -> Self {
        let halton = (sampling == Sampling::QuasiMonteCarlo).then(Halton::default);
        Self { stream, halton, index: 0, dimension: 0 }
    }

    /// Goes on to the next frequency.
    pub(crate) fn advance(&mut self) {
        self.index += 1;
        self.dimension = 0;
    }

    /// Uniform on the open interval (0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        let dimension = self.dimension;
        self.dimension += 1;
        match &mut self.halton {
            Some(halton) if dimension < MOST_DIMENSIONS => halton.coordinate(self.index, dimension, &mut self.stream),
            _ => open_uniform(&mut self.stream),
        }
    }

    /// Standard normal.
    pub(crate) fn normal(&mut self) -> f64 {
        normal_quantile(self.uniform())
    }

    /// Standard normal and independent of everything, whatever the sampling.
    pub(crate) fn independent_normal(&mut self) -> f64 {
        self.stream.normal()
    }
}

fn open_uniform(stream: &mut Stream) -> f64 {
    ((stream.bits() >> 12) as f64 + 0.5) * (1.0 / (1_u64 << 52) as f64)
}

/// The Halton sequence with every digit permuted at random (Owen 2017).
#[derive(Debug, Default)]
struct Halton {
    dimensions: Vec<Digits>,
}

/// The permutations of the digits of one coordinate.
#[derive(Debug)]
struct Digits {
    base: u64,
    permutations: Vec<Vec<usize>>,
}

impl Halton {
    fn coordinate(&mut self, index: u64, dimension: usize, stream: &mut Stream) -> f64 {
        while self.dimensions.len() <= dimension {
            let base = next_prime(self.dimensions.last().map_or(1, |d| d.base));
            let digits = (52.0 / (base as f64).log2()).ceil() as usize;
            let permutations = (0..digits).map(|_| stream.permutation(base as usize)).collect();
            self.dimensions.push(Digits { base, permutations });
        }
        self.dimensions[dimension].value(index)
    }
}

impl Digits {
    /// The digits of the index behind the point, each through its permutation; never 0 nor 1.
    fn value(&self, index: u64) -> f64 {
        let (mut rest, mut weight, mut sum) = (index, 1.0 / self.base as f64, 0.0);
        for permutation in &self.permutations {
            sum += permutation[(rest % self.base) as usize] as f64 * weight;
            rest /= self.base;
            weight /= self.base as f64;
        }
        sum.clamp(0.5 * f64::EPSILON, 1.0 - 0.5 * f64::EPSILON)
    }
}

fn next_prime(after: u64) -> u64 {
    let is_prime = |n: &u64| (2..=n.isqrt()).all(|d| !n.is_multiple_of(d));
    (after + 1..).find(is_prime).expect("there is no largest prime")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn halton_points_fill_every_elementary_interval_once() {
        let mut source = Source::new(Seed(1).stream("test", 0), Sampling::QuasiMonteCarlo);
        let (mut halves, mut thirds) = ([0; 16], [0; 9]);
        for _ in 0..144 {
            halves[(source.uniform() * 16.0) as usize] += 1;
            thirds[(source.uniform() * 9.0) as usize] += 1;
            source.advance();
        }
        assert!(halves.iter().all(|c| *c == 9) && thirds.iter().all(|c| *c == 16), "{halves:?} {thirds:?}");
    }

    #[test]
    fn numbers_are_open_and_go_on_beyond_the_last_dimension() {
        let mut source = Source::new(Seed(2).stream("test", 0), Sampling::QuasiMonteCarlo);
        assert!((0..300).map(|_| source.uniform()).all(|u| u > 0.0 && u < 1.0));
    }
}
