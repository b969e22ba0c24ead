//! The recursion of the gap-weighted subsequence kernel.

use pulp::Simd;

use super::pairs::{BLOCK, Recursion, aligned};

/// The recursion of Lodhi et al. with `K'_i`, `K''_i` divided by `λ^(2i)`, for `i = 1 … p − 1`:
///
/// `K''_i(a, b) = λ K''_i(a, b−1) + [s_a = t_b] K'_{i−1}(a−1, b−1)`,
/// `K'_i(a, b) = λ K'_i(a−1, b) + K''_i(a, b)`, `K'_0 = 1`, and
/// `k = λ^(2p) Σ_{a,b} [s_a = t_b] K'_{p−1}(a−1, b−1)`.
///
/// All terms are positive, so no digits cancel.
#[derive(Debug)]
pub(crate) struct GapWeighted {
    length: usize,
    decay: f64,
    /// `λ^(2p)`.
    scale: f64,
}

impl GapWeighted {
    /// For a length `p ≥ 1` and a decay `λ` in `(0, 1]`.
    pub(crate) fn new(length: usize, decay: f64) -> Self {
        Self { length, decay, scale: decay.powf(2.0 * length as f64) }
    }

    /// Whether `λ^(2p)` is below the smallest normal number.
    pub(crate) fn underflows(&self) -> bool {
        self.scale < f64::MIN_POSITIVE
    }
}

impl Recursion for GapWeighted {
    fn name(&self) -> &'static str {
        "the subsequence kernel"
    }

    fn operations(&self) -> usize {
        2 * self.length
    }

    fn kept(&self) -> usize {
        2 * self.length
    }

    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, s: &[S::f64s], t: &[S::f64s], scratch: &mut Vec<f64>) -> S::f64s {
        if s.len() < self.length {
            return simd.splat_f64s(0.0);
        }
        let total = match self.length {
            2 => sweep::<S, 1>(simd, self.decay, s, t, scratch),
            3 => sweep::<S, 2>(simd, self.decay, s, t, scratch),
            4 => sweep::<S, 3>(simd, self.decay, s, t, scratch),
            5 => sweep::<S, 4>(simd, self.decay, s, t, scratch),
            6 => sweep::<S, 5>(simd, self.decay, s, t, scratch),
            7 => sweep::<S, 6>(simd, self.decay, s, t, scratch),
            8 => sweep::<S, 7>(simd, self.decay, s, t, scratch),
            _ => sweep_levels(simd, self.length - 1, self.decay, s, t, scratch),
        };
        simd.mul_f64s(total, simd.splat_f64s(self.scale))
    }
}

/// `Σ [s_a = t_b] K'_L(a−1, b−1)`, a block of columns `b` after the other, all rows `a` for each.
#[inline(always)]
fn sweep<S: Simd, const L: usize>(
    simd: S,
    decay: f64,
    s: &[S::f64s],
    t: &[S::f64s],
    scratch: &mut Vec<f64>,
) -> S::f64s {
    let zero = simd.splat_f64s(0.0);
    let scratch = aligned(scratch, (2 * s.len() + BLOCK) * L * S::F64_LANES, 0.0);
    let vectors = S::as_mut_simd_f64s(scratch).0.as_chunks_mut::<L>().0;
    let (block, edges) = vectors.split_at_mut(BLOCK);
    let edges = edges.as_chunks_mut::<2>().0;
    let (decay, mut total) = (simd.splat_f64s(decay), zero);
    for columns in t.chunks(BLOCK) {
        block.fill([zero; L]);
        for (&symbol, edge) in s.iter().zip(edges.iter_mut()) {
            total = row::<S, L>(simd, decay, symbol, columns, block, edge, total);
        }
    }
    total
}

/// One row of a block. `block[b]` holds `K'(a−1, b)` and receives `K'(a, b)`; `edge` holds
/// `K''(a, b)` and `K'(a−1, b)` for the `b` before the block and receives those of its last `b`.
#[inline(always)]
fn row<S: Simd, const L: usize>(
    simd: S,
    decay: S::f64s,
    symbol: S::f64s,
    columns: &[S::f64s],
    block: &mut [[S::f64s; L]],
    edge: &mut [[S::f64s; L]; 2],
    mut total: S::f64s,
) -> S::f64s {
    let (one, zero) = (simd.splat_f64s(1.0), simd.splat_f64s(0.0));
    let [mut running, mut diagonal] = *edge;
    for (&column, above) in columns.iter().zip(block) {
        let equal = simd.equal_f64s(symbol, column);
        let mut before = one;
        for i in 0..L {
            let old = above[i];
            running[i] = simd.mul_add_e_f64s(decay, running[i], simd.select_f64s(equal, before, zero));
            above[i] = simd.mul_add_e_f64s(decay, old, running[i]);
            before = diagonal[i];
            diagonal[i] = old;
        }
        total = simd.add_f64s(total, simd.select_f64s(equal, before, zero));
    }
    *edge = [running, diagonal];
    total
}

/// [`sweep`] for any number of levels, in the same order of operations; levels are in memory.
#[inline(always)]
fn sweep_levels<S: Simd>(
    simd: S,
    levels: usize,
    decay: f64,
    s: &[S::f64s],
    t: &[S::f64s],
    scratch: &mut Vec<f64>,
) -> S::f64s {
    let (one, zero) = (simd.splat_f64s(1.0), simd.splat_f64s(0.0));
    let scratch = aligned(scratch, (2 * s.len() + BLOCK) * levels * S::F64_LANES, 0.0);
    let (block, edges) = S::as_mut_simd_f64s(scratch).0.split_at_mut(BLOCK * levels);
    let (decay, mut total) = (simd.splat_f64s(decay), zero);
    for columns in t.chunks(BLOCK) {
        block.fill(zero);
        for (a, &symbol) in s.iter().enumerate() {
            let (running, diagonal) = edges[2 * a * levels..][..2 * levels].split_at_mut(levels);
            for (b, &column) in columns.iter().enumerate() {
                let equal = simd.equal_f64s(symbol, column);
                let mut before = one;
                for ((above, running), diagonal) in
                    block[b * levels..].iter_mut().zip(running.iter_mut()).zip(diagonal.iter_mut())
                {
                    let old = *above;
                    *running = simd.mul_add_e_f64s(decay, *running, simd.select_f64s(equal, before, zero));
                    *above = simd.mul_add_e_f64s(decay, old, *running);
                    (before, *diagonal) = (*diagonal, old);
                }
                total = simd.add_f64s(total, simd.select_f64s(equal, before, zero));
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::super::RecursionTiles;
    use super::*;
    use crate::kernel::object::ObjectTiles;
    use crate::kernel::strings::testing::{assert_matrices_close, random_strings};
    use crate::points::Strings;
    use crate::{Compute, Result, Seed};

    fn bound(rows: &Strings, cols: Option<&Strings>, length: usize, decay: f64) -> Result<RecursionTiles<GapWeighted>> {
        RecursionTiles::new((rows, cols), GapWeighted::new(length, decay), "", &Compute::new())
    }

    fn all(count: usize) -> Vec<usize> {
        (0..count).collect()
    }

    fn gram(sample: &Strings, length: usize, decay: f64) -> Vec<Vec<f64>> {
        let kernel = bound(sample, None, length, decay).unwrap();
        let n = sample.len();
        let mut out = vec![f64::NAN; n * n];
        kernel.fill(&all(n), 0..n, &mut out);
        out.chunks(n).map(<[f64]>::to_vec).collect()
    }

    /// All subsequences of a length with their weights, by enumeration.
    fn features(s: &[char], length: usize, decay: f64) -> Vec<(Vec<char>, f64)> {
        let subsets = (0u32..1 << s.len()).filter(|subset| subset.count_ones() as usize == length);
        let feature = |subset: u32| {
            let places: Vec<usize> = (0..s.len()).filter(|i| subset >> i & 1 == 1).collect();
            let span = places[length - 1] - places[0] + 1;
            (places.iter().map(|&i| s[i]).collect(), decay.powi(span as i32))
        };
        subsets.map(feature).collect()
    }

    #[test]
    fn enumeration_of_all_subsequences() {
        let sample = random_strings(3, 11, 11, "aé🙂");
        let symbols: Vec<Vec<char>> = sample.iter().map(|s| s.chars().collect()).collect();
        for (length, decay) in [(1, 0.3), (2, 0.7), (3, 1.0), (5, 0.5), (8, 0.9), (9, 0.9), (10, 0.8)] {
            let features: Vec<_> = symbols.iter().map(|s| features(s, length, decay)).collect();
            let inner = |f: &[(Vec<char>, f64)], g: &[(Vec<char>, f64)]| {
                let products =
                    f.iter().flat_map(|(u, x)| g.iter().filter(move |(v, _)| u == v).map(move |(_, y)| x * y));
                products.sum::<f64>()
            };
            let expected: Vec<Vec<f64>> =
                features.iter().map(|f| features.iter().map(|g| inner(f, g)).collect()).collect();
            assert_matrices_close(&gram(&sample, length, decay), &expected, 1e-12);
        }
    }

    #[test]
    fn values_do_not_depend_on_the_rectangle() {
        let rows = random_strings(5, 23, 150, "abcd");
        let cols = random_strings(6, 19, 80, "bcde").pooled(&rows.select(&[3, 7]));
        for length in [1, 2, 5, 11] {
            let kernel = bound(&rows, Some(&cols), length, 0.6).unwrap();
            let swapped = bound(&cols, Some(&rows), length, 0.6).unwrap();
            let (n, m) = (rows.len(), cols.len());
            let mut whole = vec![f64::NAN; n * m];
            kernel.fill(&all(n), 0..m, &mut whole);
            let mut random = Seed(9).stream("rectangles", 0);
            for _ in 0..30 {
                let (top, left) = (random.below(n), random.below(m));
                let (height, width) = (random.below(n - top + 1), random.below(m - left + 1));
                let (mut part, mut mirrored) = (vec![f64::NAN; height * width], vec![f64::NAN; height * width]);
                kernel.fill(&all(n)[top..top + height], left..left + width, &mut part);
                swapped.fill(&all(m)[left..left + width], top..top + height, &mut mirrored);
                for (at, value) in part.iter().enumerate() {
                    let (i, j) = (at / width, at % width);
                    assert_eq!(value.to_bits(), whole[(top + i) * m + left + j].to_bits());
                    assert_eq!(value.to_bits(), mirrored[j * height + i].to_bits());
                }
            }
        }
    }

    #[test]
    fn registers_and_memory_give_the_same_bits() {
        let sample = random_strings(8, 9, 120, "ab");
        #[derive(Debug)]
        struct InMemory(GapWeighted);
        impl Recursion for InMemory {
            fn name(&self) -> &'static str {
                self.0.name()
            }
            fn operations(&self) -> usize {
                self.0.operations()
            }
            fn kept(&self) -> usize {
                self.0.kept()
            }
            #[inline(always)]
            fn run<S: Simd>(&self, simd: S, s: &[S::f64s], t: &[S::f64s], scratch: &mut Vec<f64>) -> S::f64s {
                let total = sweep_levels(simd, self.0.length - 1, self.0.decay, s, t, scratch);
                simd.mul_f64s(total, simd.splat_f64s(self.0.scale))
            }
        }
        for length in 2..=8 {
            let mut out = vec![f64::NAN; 81];
            let recursion = InMemory(GapWeighted::new(length, 0.7));
            let tiles = RecursionTiles::new((&sample, None), recursion, "", &Compute::new()).unwrap();
            tiles.fill(&all(9), 0..9, &mut out);
            assert_eq!(out, gram(&sample, length, 0.7).concat());
        }
    }

    #[test]
    fn diagonals_are_checked() {
        let (rows, cols) = (random_strings(1, 70, 40, "ab"), random_strings(2, 5, 300, "ab"));
        let kernel = bound(&rows, Some(&cols), 3, 0.5).unwrap();
        let expected: Vec<f64> = gram(&rows, 3, 0.5).iter().enumerate().map(|(i, row)| row[i]).collect();
        assert_eq!(kernel.diagonals().0, expected);
        assert_eq!(kernel.diagonals().1.unwrap().len(), 5);
        let long: Strings = ["a".to_owned(), "a".repeat(3000)].into_iter().collect();
        let error = bound(&long, None, 100, 1.0).unwrap_err();
        assert!(error.to_string().contains("string 1 (3000 symbols) with itself leaves the range"), "{error}");
        let error = bound(&rows, Some(&long), 100, 1.0).unwrap_err();
        assert!(error.to_string().contains("string 1 of the second sample"), "{error}");
    }

    #[test]
    fn edges() {
        let sample: Strings = ["", "a", "ab", ""].into_iter().collect();
        assert_eq!(gram(&sample, 2, 0.5)[2], [0.0, 0.0, 0.0625, 0.0]);
        assert_eq!(gram(&sample, 1, 1.0)[2], [0.0, 1.0, 2.0, 0.0]);
        bound(&Strings::default(), None, 2, 0.5).unwrap().fill(&[], 0..0, &mut []);
    }

    #[test]
    fn memory_that_is_not_there_is_refused() {
        let (sample, compute) = (random_strings(1, 3, 5000, "ab"), Compute::new().with_memory(1 << 20));
        let error = RecursionTiles::new((&sample, None), GapWeighted::new(1000, 1.0), "", &compute).unwrap_err();
        assert!(matches!(error, crate::Error::Memory { .. }), "{error}");
    }
}
