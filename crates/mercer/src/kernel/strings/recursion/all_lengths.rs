//! The recursion of the all-subsequences kernel.

use pulp::Simd;

use super::pairs::{BLOCK, Recursion, aligned};

/// `P(a, b) = P(a, b−1) + [s_a = t_b] K(a−1, b−1)`, `K(a, b) = K(a−1, b) + P(a, b)`, with `K(0, b)
/// = K(a, 0) = 1` and `P(a, 0) = 0`. Padding adds only zeros, so the last cell has the value.
#[derive(Debug)]
pub(crate) struct AllLengths;

impl Recursion for AllLengths {
    fn name(&self) -> &'static str {
        "the all-subsequences kernel"
    }

    fn operations(&self) -> usize {
        2
    }

    fn kept(&self) -> usize {
        2
    }

    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, s: &[S::f64s], t: &[S::f64s], scratch: &mut Vec<f64>) -> S::f64s {
        let (one, zero) = (simd.splat_f64s(1.0), simd.splat_f64s(0.0));
        let scratch = aligned(scratch, (2 * s.len() + BLOCK) * S::F64_LANES, 1.0);
        let (block, edges) = S::as_mut_simd_f64s(scratch).0.split_at_mut(BLOCK);
        let edges = edges.as_chunks_mut::<2>().0;
        edges.iter_mut().for_each(|edge| edge[0] = zero);
        let mut last = one;
        for columns in t.chunks(BLOCK) {
            block.fill(one);
            for (&symbol, edge) in s.iter().zip(edges.iter_mut()) {
                row::<S>(simd, symbol, columns, block, edge);
            }
            last = block[columns.len() - 1];
        }
        last
    }
}

/// One row of a block. `block[b]` holds `K(a−1, b)` and receives `K(a, b)`; `edge` holds `P(a, b)`
/// and `K(a−1, b)` for the `b` before the block and receives those of its last `b`.
#[inline(always)]
fn row<S: Simd>(
    simd: S,
    symbol: S::f64s,
    columns: &[S::f64s],
    block: &mut [S::f64s],
    [running, diagonal]: &mut [S::f64s; 2],
) {
    let zero = simd.splat_f64s(0.0);
    let (mut sum, mut before) = (*running, *diagonal);
    for (&column, above) in columns.iter().zip(block) {
        let equal = simd.equal_f64s(symbol, column);
        sum = simd.add_f64s(sum, simd.select_f64s(equal, before, zero));
        before = *above;
        *above = simd.add_f64s(before, sum);
    }
    (*running, *diagonal) = (sum, before);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::RecursionTiles;
    use super::*;
    use crate::kernel::object::ObjectTiles;
    use crate::kernel::strings::testing::random_strings;
    use crate::points::Strings;
    use crate::{Compute, Result};

    fn bound(rows: &Strings, cols: Option<&Strings>) -> Result<RecursionTiles<AllLengths>> {
        RecursionTiles::new((rows, cols), AllLengths, "use shorter strings", &Compute::new())
    }

    fn gram(sample: &Strings) -> Vec<Vec<f64>> {
        let n = sample.len();
        let mut out = vec![f64::NAN; n * n];
        bound(sample, None).unwrap().fill(&(0..n).collect::<Vec<_>>(), 0..n, &mut out);
        out.chunks(n).map(<[f64]>::to_vec).collect()
    }

    #[test]
    fn enumeration_of_all_subsequences() {
        let sample = random_strings(4, 12, 10, "ab🙂");
        let counts = |s: &str| {
            let (s, mut counts) = (s.chars().collect::<Vec<_>>(), BTreeMap::<Vec<char>, f64>::new());
            for subset in 0u32..1 << s.len() {
                let u = (0..s.len()).filter(|i| subset >> i & 1 == 1).map(|i| s[i]).collect();
                *counts.entry(u).or_default() += 1.0;
            }
            counts
        };
        let counts: Vec<_> = sample.iter().map(counts).collect();
        for (row, f) in gram(&sample).iter().zip(&counts) {
            for (value, g) in row.iter().zip(&counts) {
                let expected: f64 = f.iter().map(|(u, x)| x * g.get(u).unwrap_or(&0.0)).sum();
                assert_eq!(*value, expected);
            }
        }
    }

    #[test]
    fn values_do_not_depend_on_the_rectangle() {
        let (rows, cols) = (random_strings(5, 13, 100, "abcd"), random_strings(6, 11, 60, "bcde"));
        let kernel = bound(&rows, Some(&cols)).unwrap();
        let mut whole = vec![f64::NAN; 13 * 11];
        kernel.fill(&(0..13).collect::<Vec<_>>(), 0..11, &mut whole);
        let both = gram(&rows.pooled(&cols));
        for i in 0..13 {
            for j in 0..11 {
                let mut one = [f64::NAN];
                kernel.fill(&[i], j..j + 1, &mut one);
                assert_eq!([one[0], both[i][13 + j], both[13 + j][i]], [whole[i * 11 + j]; 3]);
            }
        }
    }

    #[test]
    fn edges() {
        let sample: Strings = ["", "a", ""].into_iter().collect();
        assert_eq!(gram(&sample), [[1.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 1.0]]);
        let long: Strings = ["ab".to_owned(), "abcdefgh".repeat(128)].into_iter().collect();
        let short = long.select(&[0]);
        assert_eq!(bound(&sample, Some(&short)).unwrap().diagonals(), (&[1.0, 2.0, 1.0][..], Some(&[4.0][..])));
        let error = bound(&sample, Some(&long)).unwrap_err();
        assert!(error.to_string().contains("string 1 of the second sample (1024 symbols)"), "{error}");
    }
}
