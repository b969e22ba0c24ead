//! Sums that do not depend on the order of their terms.

use crate::error::RecordProblem;
use crate::{Error, Result};

/// Bits of a word of a sum. With 32 the three words keep 65 to 96 bits below the leading bit of the
/// largest term, more than the 53 of a term, and a word of 64 bits takes 2³¹ terms.
const WIDTH: i32 = 32;
/// `2^WIDTH`.
const STEP: f64 = 4_294_967_296.0;
/// Words of a sum.
const WORDS: usize = 3;
/// `1.5·2⁵²`: added to a number below `2⁵¹`, it leaves the nearest integer in the last bits.
const MAGIC: f64 = 6_755_399_441_055_744.0;
/// Terms of a sum, at most: beyond them a word could overflow.
const MOST_TERMS: u64 = 1 << 30;
/// Exponents of the leading word; the scale of every one is a normal number.
const TOPS: std::ops::RangeInclusive<i64> = -31..=31;
/// The exponent of a group without any term but 0.
const EMPTY: i64 = i64::MIN;

/// Sums of numbers whose bits depend on the terms alone: not on their order, nor on how partial
/// sums are merged.
///
/// # Theory
/// Exponents are cut at multiples of 32. A term is rounded to a multiple of the last place of the
/// third word below the leading word of its group (the one that holds the largest term), and the
/// integers are added without rounding. When a larger term comes, the words move down and the last
/// one is dropped: what is left is the sum of the terms rounded to the new last place, as if the
/// larger term had come first (Demmel and Nguyen, *Parallel reproducible summation*, 2015).
///
/// # Cost
/// 24 bytes for a sum and about 15 operations for a term, without branches.
#[derive(Clone, Debug)]
pub(crate) struct ExactSums {
    /// Where groups end: sums of a group have one exponent.
    ends: Vec<usize>,
    tops: Vec<i64>,
    /// From the leading word to the last one.
    words: [Vec<i64>; WORDS],
    terms: u64,
}

impl ExactSums {
    /// Zeros, in groups of these lengths.
    pub(crate) fn new(lengths: impl IntoIterator<Item = usize>) -> Self {
        let ends: Vec<usize> = lengths
            .into_iter()
            .scan(0, |end, length| {
                *end += length;
                Some(*end)
            })
            .collect();
        let size = ends.last().copied().unwrap_or(0);
        Self { tops: vec![EMPTY; ends.len()], ends, words: std::array::from_fn(|_| vec![0; size]), terms: 0 }
    }

    /// Bytes of so many sums.
    pub(crate) const fn bytes(sums: u64) -> u64 {
        sums.saturating_mul(8 * WORDS as u64)
    }

    fn range(&self, group: usize) -> std::ops::Range<usize> {
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        start..self.ends[group]
    }

    /// Begins the next term, of which every group then takes its numbers.
    ///
    /// # Errors
    /// [`Error::Overflow`] after 2³⁰ terms.
    pub(crate) fn begin(&mut self) -> Result<()> {
        self.count(1)
    }

    fn count(&mut self, terms: u64) -> Result<()> {
        self.terms += terms;
        if self.terms <= MOST_TERMS {
            return Ok(());
        }
        Err(Error::overflow("the number of terms of an exact sum", "fit fewer rows"))
    }

    /// Adds a number to every sum of a group.
    ///
    /// # Errors
    /// [`Error::Overflow`] for numbers that are not finite.
    pub(crate) fn add(&mut self, group: usize, terms: &[f64]) -> Result<()> {
        debug_assert_eq!(terms.len(), self.range(group).len());
        let largest = terms.iter().fold(0.0_f64, |largest, term| largest.max(term.abs()));
        // A NaN is not the largest of anything.
        if !largest.is_finite() || terms.iter().any(|term| term.is_nan()) {
            return Err(Error::overflow("a sum of the statistics", "scale the columns, targets or weights"));
        }
        if largest == 0.0 {
            return Ok(());
        }
        let top = leading_word(largest);
        if top > self.tops[group] {
            self.raise(group, top);
        }
        let (range, scale) = (self.range(group), power(-self.tops[group]));
        let [high, middle, low] = &mut self.words;
        add_terms(&mut high[range.clone()], &mut middle[range.clone()], &mut low[range], terms, scale);
        Ok(())
    }

    /// Moves the words of a group down to a larger exponent.
    fn raise(&mut self, group: usize, top: i64) {
        let by = if self.tops[group] == EMPTY { 0 } else { top - self.tops[group] };
        self.tops[group] = top;
        let range = self.range(group);
        for _ in 0..by.min(WORDS as i64) {
            let [high, middle, low] = &mut self.words;
            low[range.clone()].copy_from_slice(&middle[range.clone()]);
            middle[range.clone()].copy_from_slice(&high[range.clone()]);
            high[range.clone()].fill(0);
        }
    }

    /// Adds all that another one has taken in.
    ///
    /// # Errors
    /// [`Error::Overflow`] after 2³⁰ terms, [`Error::Shape`] for other groups.
    pub(crate) fn merge(&mut self, other: &Self) -> Result<()> {
        if self.ends != other.ends {
            return Err(Error::shape("groups of the other sums", self.ends.len(), other.ends.len()));
        }
        self.count(other.terms)?;
        for group in 0..self.ends.len() {
            if other.tops[group] == EMPTY {
                continue;
            }
            if other.tops[group] > self.tops[group] {
                self.raise(group, other.tops[group]);
            }
            let down = (self.tops[group] - other.tops[group]).min(WORDS as i64) as usize;
            for word in down..WORDS {
                let range = self.range(group);
                let (own, from) = (&mut self.words[word][range.clone()], &other.words[word - down][range]);
                own.iter_mut().zip(from).for_each(|(own, from)| *own += from);
            }
        }
        Ok(())
    }

    /// The sums of a group, each rounded once.
    pub(crate) fn values(&self, group: usize) -> impl Iterator<Item = f64> + '_ {
        let exponent = if self.tops[group] == EMPTY { 0 } else { self.tops[group] };
        // Two steps, so that no factor is below the normal numbers.
        let factors = (power(exponent), 1.0 / (STEP * STEP));
        self.range(group).map(move |at| self.whole(at) as f64 * factors.1 * factors.0)
    }

    /// A sum in units of its last place.
    fn whole(&self, at: usize) -> i128 {
        let [high, middle, low] = &self.words;
        (i128::from(high[at]) << (2 * WIDTH)) + (i128::from(middle[at]) << WIDTH) + i128::from(low[at])
    }

    /// Words of which equal sums have equal ones.
    fn canonical(&self, at: usize) -> [i64; WORDS] {
        let whole = self.whole(at);
        let mask = (1_i128 << WIDTH) - 1;
        [(whole >> (2 * WIDTH)) as i64, ((whole >> WIDTH) & mask) as i64, (whole & mask) as i64]
    }

    /// All as integers: the terms, the exponents, the words.
    pub(crate) fn to_integers(&self) -> Vec<i64> {
        let size = self.words[0].len();
        let mut integers = Vec::with_capacity(1 + self.tops.len() + WORDS * size);
        integers.push(self.terms as i64);
        integers.extend(&self.tops);
        for at in 0..size {
            integers.extend(self.canonical(at));
        }
        integers
    }

    /// The sums again, in the groups of `self`, which is new.
    ///
    /// # Errors
    /// [`Error::Record`] for integers that are not possible.
    pub(crate) fn restored(mut self, integers: &[i64]) -> Result<Self> {
        let damaged =
            || Error::record("record of exact sums", RecordProblem::Damaged("its integers are not possible".into()));
        let size = self.words[0].len();
        if integers.len() != 1 + self.tops.len() + WORDS * size {
            return Err(damaged());
        }
        let (head, words) = integers.split_at(1 + self.tops.len());
        self.terms = u64::try_from(head[0]).ok().filter(|terms| *terms <= MOST_TERMS).ok_or_else(damaged)?;
        self.tops.copy_from_slice(&head[1..]);
        if self.tops.iter().any(|top| *top != EMPTY && !TOPS.contains(top)) {
            return Err(damaged());
        }
        for (at, [high, middle, low]) in words.as_chunks().0.iter().enumerate() {
            // What 2³⁰ terms can come to, and no more.
            if high.unsigned_abs() > 1 << 62 || (middle | low) >> WIDTH != 0 {
                return Err(damaged());
            }
            (self.words[0][at], self.words[1][at], self.words[2][at]) = (*high, *middle, *low);
        }
        Ok(self)
    }
}

impl PartialEq for ExactSums {
    fn eq(&self, other: &Self) -> bool {
        self.ends == other.ends
            && self.tops == other.tops
            && self.terms == other.terms
            && (0..self.words[0].len()).all(|at| self.whole(at) == other.whole(at))
    }
}

fn add_terms(high: &mut [i64], middle: &mut [i64], low: &mut [i64], terms: &[f64], scale: f64) {
    let offset = MAGIC.to_bits() as i64;
    let words = high.iter_mut().zip(middle).zip(low);
    for (((high, middle), low), term) in words.zip(terms) {
        let first = term * scale;
        let rounded = first + MAGIC;
        *high += rounded.to_bits() as i64 - offset;
        let second = (first - (rounded - MAGIC)) * STEP;
        let rounded = second + MAGIC;
        *middle += rounded.to_bits() as i64 - offset;
        let third = (second - (rounded - MAGIC)) * STEP;
        *low += (third + MAGIC).to_bits() as i64 - offset;
    }
}

/// The word whose upper end is above the number.
fn leading_word(largest: f64) -> i64 {
    let exponent = (largest.to_bits() >> 52) as i64 - 1022;
    // `largest < 2^exponent`.
    (exponent + i64::from(WIDTH) - 1).div_euclid(i64::from(WIDTH)).max(*TOPS.start() + 1) - 1
}

/// `2^(32·exponent)`.
fn power(exponent: i64) -> f64 {
    f64::from_bits(((1023 + i64::from(WIDTH) * exponent) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    fn sum_of(terms: &[f64]) -> ExactSums {
        let mut sums = ExactSums::new([1]);
        for term in terms {
            sums.begin().unwrap();
            sums.add(0, &[*term]).unwrap();
        }
        sums
    }

    fn value(sums: &ExactSums) -> f64 {
        sums.values(0).next().unwrap()
    }

    /// Terms of all sizes and signs.
    fn terms(count: usize) -> Vec<f64> {
        let mut stream = Seed(3).stream("terms", 0);
        (0..count).map(|_| stream.normal() * 10_f64.powf(60.0 * stream.uniform() - 30.0)).collect()
    }

    #[test]
    fn bits_depend_neither_on_order_nor_on_cuts() {
        let terms = terms(999);
        let whole = sum_of(&terms);
        for shift in [1, 17, 500, 998] {
            let turned: Vec<f64> = terms[shift..].iter().chain(&terms[..shift]).copied().collect();
            assert_eq!(sum_of(&turned), whole);
            let (mut first, second) = (sum_of(&terms[..shift]), sum_of(&terms[shift..]));
            first.merge(&second).unwrap();
            assert_eq!(first, whole);
            assert_eq!(first.to_integers(), whole.to_integers());
            let mut other = sum_of(&terms[shift..]);
            other.merge(&sum_of(&terms[..shift])).unwrap();
            assert_eq!(value(&other).to_bits(), value(&whole).to_bits());
        }
        assert_eq!(ExactSums::new([1]).restored(&whole.to_integers()).unwrap(), whole);
    }

    #[test]
    fn small_terms_survive_large_ones_that_cancel() {
        // In doubles the sum is 0.
        assert_eq!(value(&sum_of(&[1.0, 1e18, -1e18])), 1.0);
        assert_eq!(value(&sum_of(&[0.1; 10])), 1.0);
        assert_eq!(value(&sum_of(&[3.5])), 3.5);
        assert_eq!(value(&sum_of(&[-0.75, 0.5])), -0.25);
        assert_eq!(value(&sum_of(&[])), 0.0);
    }

    #[test]
    fn extremes_are_sums_too() {
        for term in [f64::MIN_POSITIVE, 1e-300, 1e300, -f64::MAX, 2_f64.powi(32), 2_f64.powi(-32), -1.0] {
            assert_eq!(value(&sum_of(&[term])).to_bits(), term.to_bits(), "{term:e}");
        }
        assert_eq!(value(&sum_of(&[f64::MAX, 1.0, -f64::MAX])), 0.0);
        assert!(matches!(ExactSums::new([1]).add(0, &[f64::NAN]), Err(Error::Overflow { .. })));
        assert!(matches!(ExactSums::new([2]).add(0, &[1.0, f64::INFINITY]), Err(Error::Overflow { .. })));
    }

    #[test]
    fn groups_have_exponents_of_their_own() {
        let mut sums = ExactSums::new([1, 2]);
        for _ in 0..3 {
            sums.begin().unwrap();
            sums.add(0, &[1e30]).unwrap();
            sums.add(1, &[1e-30, -2e-30]).unwrap();
        }
        let small: Vec<f64> = sums.values(1).collect();
        crate::assert_close!(small[0], 3e-30, abs = 1e-44);
        crate::assert_close!(small[1], -6e-30, abs = 1e-44);
        assert!(ExactSums::new([2, 1]).merge(&sums).is_err());
    }

    #[test]
    fn integers_that_lie_are_refused() {
        let whole = sum_of(&terms(9)).to_integers();
        let refused = |change: &dyn Fn(&mut Vec<i64>)| {
            let mut integers = whole.clone();
            change(&mut integers);
            ExactSums::new([1]).restored(&integers).is_err()
        };
        assert!(refused(&|i| i.truncate(4)));
        assert!(refused(&|i| i[0] = -1));
        assert!(refused(&|i| i[1] = 40));
        assert!(refused(&|i| i[2] = i64::MAX));
        assert!(refused(&|i| i[3] = -1));
    }
}
