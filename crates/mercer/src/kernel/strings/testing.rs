//! Strings in tests.

use crate::Seed;
use crate::points::Strings;

/// Equal up to a relative error.
pub(super) fn assert_matrices_close(found: &[Vec<f64>], expected: &[Vec<f64>], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        assert_eq!(f.len(), e.len());
        for (j, (f, e)) in f.iter().zip(e).enumerate() {
            assert!((f - e).abs() <= tolerance * e.abs(), "({i}, {j}): {f:e}, expected {e:e}");
        }
    }
}

/// Strings of 0 to `longest` symbols of an alphabet.
pub(super) fn random_strings(seed: u64, count: usize, longest: usize, alphabet: &str) -> Strings {
    let (symbols, mut random) = (alphabet.chars().collect::<Vec<_>>(), Seed(seed).stream("strings", 0));
    let one = |_| {
        let length = random.below(longest + 1);
        (0..length).map(|_| symbols[random.below(symbols.len())]).collect::<String>()
    };
    (0..count).map(one).collect()
}
