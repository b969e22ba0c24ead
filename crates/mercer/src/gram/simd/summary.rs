//! The smallest and the largest of many numbers, and their sum, in one pass.

use pulp::{Arch, Simd, WithSimd};

/// Partial results: enough independent chains for every vector unit.
const LANES: usize = 16;

/// What [`summarize`] finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The smallest number; infinity if there is none.
    pub min: f64,
    /// The largest number; minus infinity if there is none.
    pub max: f64,
    /// The sum.
    pub sum: f64,
}

/// The smallest and the largest number, NaN aside, and the sum.
///
/// # Example
/// ```
/// let found = mercer::gram::simd::summarize(&[3.0, -1.0, 2.0]);
/// assert_eq!((found.min, found.max, found.sum), (-1.0, 3.0, 4.0));
/// ```
pub fn summarize(values: &[f64]) -> Summary {
    Arch::new().dispatch(Summarize(values))
}

struct Summarize<'a>(&'a [f64]);

impl WithSimd for Summarize<'_> {
    type Output = Summary;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Summary {
        let (mut min, mut max, mut sum) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES], [0.0; LANES]);
        let (chunks, rest) = self.0.as_chunks::<LANES>();
        for chunk in chunks {
            for lane in 0..LANES {
                min[lane] = if chunk[lane] < min[lane] { chunk[lane] } else { min[lane] };
                max[lane] = if chunk[lane] > max[lane] { chunk[lane] } else { max[lane] };
                sum[lane] += chunk[lane];
            }
        }
        let mut found = Summary { min: f64::INFINITY, max: f64::NEG_INFINITY, sum: 0.0 };
        for lane in 0..LANES {
            found.min = found.min.min(min[lane]);
            found.max = found.max.max(max[lane]);
            found.sum += sum[lane];
        }
        for value in rest {
            found = Summary { min: found.min.min(*value), max: found.max.max(*value), sum: found.sum + value };
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_counts() {
        for n in 0..50_usize {
            let values: Vec<f64> = (0..n).map(|i| ((i * 29) % 50) as f64 - 20.0).collect();
            let found = summarize(&values);
            assert_eq!(found.min, values.iter().copied().fold(f64::INFINITY, f64::min), "{n}");
            assert_eq!(found.max, values.iter().copied().fold(f64::NEG_INFINITY, f64::max), "{n}");
            // Whole numbers: their sums are exact in any order.
            assert_eq!(found.sum, values.iter().sum::<f64>(), "{n}");
        }
    }
}
