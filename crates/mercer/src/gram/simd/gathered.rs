//! `Σⱼ pⱼ q_{π(j)}` for rows that are read in another order.

use super::element::Element;
use super::unit::{Unit, WithUnit, ported};

/// Products that are added in the precision of the elements before they are added in `f64`.
const CHUNK: usize = 256;
/// Numbers that stand behind the last ones of interleaved rows, so that whole vectors can be read.
pub(crate) const PADDING: usize = 16;

/// An order of points, compared with their number once for all reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places<'a> {
    order: &'a [u32],
    /// Every number of the order is below this one.
    end: usize,
}

impl<'a> Places<'a> {
    pub(crate) fn new(order: &'a [u32]) -> Self {
        Self { order, end: order.iter().max().map_or(0, |&j| j as usize + 1) }
    }

    /// Where the point at `i` comes from.
    pub(crate) fn of(self, i: usize) -> usize {
        self.order[i] as usize
    }

    /// The order from a place on.
    pub(crate) fn from(self, start: usize) -> Self {
        Self { order: &self.order[start..], end: self.end }
    }
}

/// `sums[aC + c] += scale · Σⱼ Pₐ[j] Q[π(j)C + c]`, for every row `Pₐ` and every one of `C`
/// interleaved rows of `Q`.
///
/// # Panics
/// Unless every row of `P` is as long as the order, and `Q` holds `C` numbers at every place of the
/// order and [`PADDING`] behind them.
pub(crate) fn add_gathered<T: Element>(
    fixed: &[&[T]],
    moved: &[T],
    columns: usize,
    places: Places<'_>,
    scale: f64,
    sums: &mut [f64],
) {
    assert!(fixed.iter().all(|row| row.len() == places.order.len()), "a factor for every place of the order");
    assert_eq!(sums.len(), fixed.len() * columns, "a sum for every pair of rows");
    assert!(places.end * columns + PADDING <= moved.len(), "numbers at every place of the order");
    ported(AddGathered { fixed, moved, columns, order: places.order, scale, sums });
}

struct AddGathered<'a, 'r, T> {
    fixed: &'a [&'r [T]],
    moved: &'a [T],
    columns: usize,
    order: &'a [u32],
    scale: f64,
    sums: &'a mut [f64],
}

impl<T: Element> WithUnit<T> for AddGathered<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<U: Unit<T>>(mut self, unit: U) {
        if self.columns == 1 {
            return self.one(unit);
        }
        let mut first = 0;
        while first < self.columns {
            // Two vectors where one is not enough.
            let two = self.columns - first > U::LANES;
            let mut row = 0;
            while row < self.fixed.len() {
                row += match (self.fixed.len() - row, two) {
                    (5.., false) => self.block::<U, 5, 1>(unit, row, first),
                    (5.., true) => self.block::<U, 5, 2>(unit, row, first),
                    (2.., false) => self.block::<U, 2, 1>(unit, row, first),
                    (2.., true) => self.block::<U, 2, 2>(unit, row, first),
                    (_, false) => self.block::<U, 1, 1>(unit, row, first),
                    (_, true) => self.block::<U, 1, 2>(unit, row, first),
                };
            }
            first += if two { 2 * U::LANES } else { U::LANES };
        }
    }
}

impl<T: Element> AddGathered<'_, '_, T> {
    /// One row of `Q`: it is copied in the order, and multiplied with every row of `P`.
    #[inline(always)]
    fn one<U: Unit<T>>(&mut self, unit: U) {
        let mut copied = [T::default(); CHUNK];
        for (chunk, order) in self.order.chunks(CHUNK).enumerate() {
            // SAFETY: the end of the places was compared with the length.
            unsafe { copy(self.moved, order, &mut copied) };
            for (row, sum) in self.fixed.iter().zip(self.sums.iter_mut()) {
                let start = chunk * CHUNK;
                *sum += self.scale * dot(unit, &row[start..start + order.len()], &copied[..order.len()]);
            }
        }
    }

    /// `A` rows of `P` from `row` on, and `V` vectors of `Q` from the column `first` on; the number
    /// of rows.
    #[inline(always)]
    fn block<U: Unit<T>, const A: usize, const V: usize>(&mut self, unit: U, row: usize, first: usize) -> usize {
        let zero = unit.splat(T::default());
        let mut start = 0;
        for order in self.order.chunks(CHUNK) {
            let fixed: [&[T]; A] = std::array::from_fn(|a| &self.fixed[row + a][start..start + order.len()]);
            let mut totals = [[zero; V]; A];
            for (k, &j) in order.iter().enumerate() {
                let place = j as usize * self.columns + first;
                // SAFETY: the end of the places was compared with the length, which has
                // room for a vector behind the last column; every row is as long as the order.
                let read = |v: usize| unsafe { unit.load(self.moved.as_ptr().add(place + v * U::LANES)) };
                let values: [U::Vector; V] = std::array::from_fn(read);
                for a in 0..A {
                    // SAFETY: every row is as long as the order.
                    let factor = unit.splat(unsafe { *fixed[a].get_unchecked(k) });
                    for v in 0..V {
                        totals[a][v] = unit.multiply_add(factor, values[v], totals[a][v]);
                    }
                }
            }
            for (a, totals) in totals.iter().enumerate() {
                for (v, total) in totals.iter().enumerate() {
                    let from = first + v * U::LANES;
                    let line = &mut self.sums[(row + a) * self.columns..(row + a + 1) * self.columns];
                    let used = &mut line[from.min(self.columns)..];
                    lanes(unit, *total, |lane, value| {
                        if let Some(sum) = used.get_mut(lane) {
                            *sum += self.scale * value;
                        }
                    });
                }
            }
            start += order.len();
        }
        A
    }
}

/// Every number of a vector.
#[inline(always)]
fn lanes<T: Element, U: Unit<T>>(unit: U, vector: U::Vector, mut see: impl FnMut(usize, f64)) {
    let mut values = [T::default(); 16];
    // SAFETY: no vector has more than 16 numbers.
    unsafe { unit.store(values.as_mut_ptr(), vector) };
    for (lane, value) in values[..U::LANES].iter().enumerate() {
        see(lane, value.to_f64());
    }
}

/// `Σ aᵢbᵢ` in four chains of vectors.
#[inline(always)]
fn dot<T: Element, U: Unit<T>>(unit: U, a: &[T], b: &[T]) -> f64 {
    let step = 4 * U::LANES;
    let whole = a.len() / step * step;
    let mut chains = [unit.splat(T::default()); 4];
    for start in (0..whole).step_by(step) {
        for (v, chain) in chains.iter_mut().enumerate() {
            let at = start + v * U::LANES;
            // SAFETY: four vectors from every start on are within both, which are equally long.
            let (x, y) = unsafe { (unit.load(a.as_ptr().add(at)), unit.load(b.as_ptr().add(at))) };
            *chain = unit.multiply_add(x, y, *chain);
        }
    }
    let sum = unit.plus(unit.plus(chains[0], chains[1]), unit.plus(chains[2], chains[3]));
    let mut total = 0.0;
    lanes(unit, sum, |_, value| total += value);
    total + a[whole..].iter().zip(&b[whole..]).map(|(a, b)| a.to_f64() * b.to_f64()).sum::<f64>()
}

/// The values at the places of an order.
///
/// # Safety
/// Every number of the order is below the number of values.
#[inline(always)]
unsafe fn copy<T: Element>(values: &[T], order: &[u32], out: &mut [T; CHUNK]) {
    for (out, &j) in out.iter_mut().zip(order) {
        // SAFETY: as above.
        *out = unsafe { *values.get_unchecked(j as usize) };
    }
}

/// `Σⱼ pⱼ Πᵥ qᵥ[πᵥ(j)]`: the products of one row with rows that are read in orders of their own.
///
/// # Panics
/// Unless every order is as long as the row, and within its own row.
pub(crate) fn gathered_product<T: Element>(fixed: &[T], moved: &[(&[T], Places<'_>)]) -> f64 {
    for (values, places) in moved {
        assert!(places.order.len() == fixed.len() && places.end <= values.len(), "an order of the row");
    }
    ported(Product { fixed, moved })
}

struct Product<'a, 'r, T> {
    fixed: &'a [T],
    moved: &'a [(&'r [T], Places<'r>)],
}

impl<T: Element> WithUnit<T> for Product<'_, '_, T> {
    type Output = f64;

    #[inline(always)]
    fn run<U: Unit<T>>(self, unit: U) -> f64 {
        let (mut products, mut copied, mut total) = ([T::default(); CHUNK], [T::default(); CHUNK], 0.0);
        let Some(((last, last_places), others)) = self.moved.split_last() else { return 0.0 };
        for start in (0..self.fixed.len()).step_by(CHUNK) {
            let end = self.fixed.len().min(start + CHUNK);
            let products = &mut products[..end - start];
            products.copy_from_slice(&self.fixed[start..end]);
            for (values, places) in others {
                // SAFETY: the end of the places was compared with the length.
                unsafe { copy(values, &places.order[start..end], &mut copied) };
                products.iter_mut().zip(&copied).for_each(|(product, value)| *product = *product * *value);
            }
            // SAFETY: as above.
            unsafe { copy(last, &last_places.order[start..end], &mut copied) };
            total += dot(unit, products, &copied[..end - start]);
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    fn numbers(count: usize, which: u64) -> Vec<f64> {
        let mut random = Seed(4).stream("numbers", which);
        (0..count).map(|_| random.normal()).collect()
    }

    /// Every number of rows and columns, beside the plain sum.
    fn check<T: Element>(tolerance: f64) {
        let element = |values: Vec<f64>| values.into_iter().map(T::from_f64).collect::<Vec<T>>();
        for (n, rows, columns) in [(1, 1, 1), (37, 1, 3), (300, 5, 5), (300, 8, 1), (530, 3, 11), (260, 7, 40)] {
            let order: Vec<u32> = Seed(2).stream("order", n as u64).permutation(n).iter().map(|&j| j as u32).collect();
            let fixed: Vec<Vec<T>> = (0..rows).map(|a| element(numbers(n, a as u64))).collect();
            let moved = element(numbers(n * columns + PADDING, 99));
            let lines: Vec<&[T]> = fixed.iter().map(|row| &row[..]).collect();
            let mut sums = vec![1.0; rows * columns];
            add_gathered(&lines, &moved, columns, Places::new(&order), 2.0, &mut sums);
            for (at, found) in sums.iter().enumerate() {
                let (a, c) = (at / columns, at % columns);
                let term = |j: usize| fixed[a][j].to_f64() * moved[order[j] as usize * columns + c].to_f64();
                let expected = 1.0 + 2.0 * (0..n).map(term).sum::<f64>();
                assert_close!(*found, expected, abs = tolerance * n as f64, "{n} {rows} {columns}");
            }
            let other: Vec<u32> = order.iter().rev().copied().collect();
            let (q, r) = (element(numbers(n, 7)), element(numbers(n, 8)));
            let [one, two] = [&order, &other].map(|order| Places::new(order));
            let found = gathered_product(&fixed[0], &[(&q, one), (&r, two), (&q, two)]);
            let term = |j: usize| {
                let (q, r) = (|at: u32| q[at as usize].to_f64(), |at: u32| r[at as usize].to_f64());
                fixed[0][j].to_f64() * q(order[j]) * r(other[j]) * q(other[j])
            };
            assert_close!(found, (0..n).map(term).sum::<f64>(), abs = tolerance * n as f64, "{n}");
            let found = gathered_product(&fixed[0], &[(&q, one)]);
            let expected: f64 = (0..n).map(|j| fixed[0][j].to_f64() * q[order[j] as usize].to_f64()).sum();
            assert_close!(found, expected, abs = tolerance * n as f64, "{n}");
        }
    }

    #[test]
    fn sums_are_those_of_the_plain_formula() {
        check::<f64>(1e-14);
        check::<f32>(1e-6);
    }
}
