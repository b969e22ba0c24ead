//! Random number streams: task `b` of a purpose draws from its own stream.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The seed of a computation. The same seed gives the same bytes, whatever the number of threads.
///
/// # Example
/// ```
/// use mercer::Seed;
/// let a = Seed(7).stream("bootstrap", 3).uniform();
/// let b = Seed(7).stream("bootstrap", 3).uniform();
/// assert_eq!(a, b);
/// assert_ne!(a, Seed(7).stream("bootstrap", 4).uniform());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Seed(pub u64);

impl Seed {
    /// The stream of random numbers for task `index` of a named purpose.
    pub fn stream(self, purpose: &str, index: u64) -> Stream {
        let mut key = [0_u8; 32];
        key[..8].copy_from_slice(&self.0.to_le_bytes());
        key[8..16].copy_from_slice(&fnv1a(purpose.as_bytes()).to_le_bytes());
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream(index);
        Stream { rng, spare: None }
    }
}

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Stream {
    rng: ChaCha8Rng,
    spare: Option<f64>,
}

impl Stream {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.rng.next_u64()
    }

    /// Uniform on `[0, 1)`, with 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Standard normal, by the polar method.
    pub fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (u, v) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                let factor = (-2.0 * s.ln() / s).sqrt();
                self.spare = Some(v * factor);
                return u * factor;
            }
        }
    }

    /// Uniform on `0..n` without modulo bias. `n` must be positive.
    pub fn below(&mut self, n: usize) -> usize {
        let n = n as u64;
        let zone = u64::MAX - u64::MAX % n;
        loop {
            let bits = self.bits();
            if bits < zone {
                return (bits % n) as usize;
            }
        }
    }

    /// A uniformly random order of `0..n` (Fisher–Yates).
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }

    /// `count` different numbers of `0..n` in increasing order, every set equally likely; all of
    /// them where there are no more. Its cost does not depend on `n` (Floyd's algorithm).
    ///
    /// # Example
    /// ```
    /// use mercer::Seed;
    /// let rows = Seed(1).stream("rows", 0).subset(1_000_000_000_000, 3);
    /// assert!(rows.len() == 3 && rows.is_sorted());
    /// assert_eq!(Seed(1).stream("rows", 0).subset(3, 5), [0, 1, 2]);
    /// ```
    pub fn subset(&mut self, n: usize, count: usize) -> Vec<usize> {
        if count >= n {
            return (0..n).collect();
        }
        let mut chosen = std::collections::BTreeSet::new();
        for last in n - count..n {
            let drawn = self.below(last + 1);
            if !chosen.insert(drawn) {
                chosen.insert(last);
            }
        }
        chosen.into_iter().collect()
    }
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &b| (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}
