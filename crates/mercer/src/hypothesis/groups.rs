//! Groups of relabelings under which the data is exchangeable.

use super::engine::Group;
use crate::{Error, Result, Stream};

/// Which points may exchange their labels: those of one stratum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strata {
    codes: Vec<usize>,
    /// The points of each stratum.
    members: Vec<Vec<usize>>,
}

impl Strata {
    /// All points in one stratum.
    pub fn one(points: usize) -> Self {
        Self { codes: vec![0; points], members: vec![(0..points).collect()] }
    }

    /// The stratum of each point, as any numbers.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is one number per point.
    ///
    /// # Example
    /// ```
    /// use mercer::hypothesis::Strata;
    /// assert_eq!(Strata::of(&[7, 3, 7], 3)?.count(), 2);
    /// assert!(Strata::of(&[7], 3).is_err());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn of(strata: &[usize], points: usize) -> Result<Self> {
        if strata.len() != points {
            return Err(Error::shape("strata", format!("one per point ({points})"), strata.len()));
        }
        let mut names: Vec<usize> = strata.to_vec();
        names.sort_unstable();
        names.dedup();
        let codes: Vec<usize> = strata.iter().map(|s| names.partition_point(|n| n < s)).collect();
        let mut members = vec![Vec::new(); names.len()];
        codes.iter().enumerate().for_each(|(point, &code)| members[code].push(point));
        Ok(Self { codes, members })
    }

    /// The number of strata.
    pub fn count(&self) -> usize {
        self.members.len()
    }

    /// The number of points.
    pub fn points(&self) -> usize {
        self.codes.len()
    }
}

/// Which of the pooled points belong to the first sample: labels 1 and 0, exchanged within strata.
#[derive(Clone, Debug)]
pub(super) struct Splits {
    labels: Vec<i8>,
    strata: Strata,
    /// The labels 1 of each stratum.
    ones: Vec<usize>,
}

impl Splits {
    /// The first `first` points are the first sample.
    pub(super) fn new(first: usize, strata: Strata) -> Self {
        let labels = (0..strata.points()).map(|i| i8::from(i < first)).collect();
        let ones = strata.members.iter().map(|members| members.iter().filter(|&&i| i < first).count()).collect();
        Self { labels, strata, ones }
    }

    /// Every way to go on with a beginning, given how many labels of each kind are left in each
    /// stratum.
    fn extend(&self, begun: &mut Vec<i8>, mut left: [Vec<usize>; 2], found: &mut Vec<Vec<i8>>) {
        let at = begun.len();
        if at == self.labels.len() {
            return found.push(begun.clone());
        }
        let stratum = self.strata.codes[at];
        for label in 0..2 {
            if left[label][stratum] > 0 {
                left[label][stratum] -= 1;
                begun.push(label as i8);
                self.extend(begun, left.clone(), found);
                begun.pop();
                left[label][stratum] += 1;
            }
        }
    }
}

/// Labels so many members 1, every choice of them as likely: one after the other is drawn out of
/// those that are left.
fn choose(members: &[usize], ones: usize, random: &mut Stream, labels: &mut [i8]) {
    let (mut members, mut random) = (members.to_vec(), Halves::new(random));
    for i in 0..ones {
        let other = i + random.below(members.len() - i);
        members.swap(i, other);
        labels[members[i]] = 1;
    }
}

/// The same for about half of the members: a coin for each, then members drawn at random change
/// their side until the number is right. Coins give every set of a size with the same probability,
/// and so does each change.
fn toss(members: &[usize], ones: usize, random: &mut Stream, labels: &mut [i8]) {
    let mut found = 0;
    for members in members.chunks(64) {
        let bits = random.bits();
        for (eight, members) in members.chunks(8).enumerate() {
            let coins = eight_labels((bits >> (8 * eight)) as u8);
            members.iter().zip(coins).for_each(|(&member, coin)| labels[member] = coin);
        }
        found += (bits & (u64::MAX >> (64 - members.len()))).count_ones() as usize;
    }
    let mut random = Halves::new(random);
    while found != ones {
        let (member, new) = (members[random.below(members.len())], i8::from(found < ones));
        if labels[member] != new {
            labels[member] = new;
            found = if new == 1 { found + 1 } else { found - 1 };
        }
    }
}

/// A label for each bit: every byte takes a copy of the bits and keeps its own.
fn eight_labels(bits: u8) -> [i8; 8] {
    let own = (u64::from(bits) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    // 0x7F more carries every bit of a byte but the lowest into its highest.
    let ones = ((own & 0x7F7F_7F7F_7F7F_7F7F) + 0x7F7F_7F7F_7F7F_7F7F) | own;
    ((ones >> 7) & 0x0101_0101_0101_0101).to_le_bytes().map(|byte| byte as i8)
}

impl Group for Splits {
    type Label = Vec<i8>;

    fn identity(&self) -> Vec<i8> {
        self.labels.clone()
    }

    fn draw(&self, random: &mut Stream) -> Vec<i8> {
        let mut labels = vec![0; self.labels.len()];
        for (members, &ones) in self.strata.members.iter().zip(&self.ones) {
            if 4 * ones >= members.len() && 4 * ones <= 3 * members.len() {
                toss(members, ones, random, &mut labels);
            } else {
                choose(members, ones, random, &mut labels);
            }
        }
        labels
    }

    /// `Π C(size, ones)` over the strata.
    fn count(&self) -> f64 {
        self.strata.members.iter().zip(&self.ones).map(|(members, &ones)| binomial(members.len(), ones)).product()
    }

    fn all(&self) -> Vec<Vec<i8>> {
        let zeros = self.strata.members.iter().zip(&self.ones).map(|(m, ones)| m.len() - ones).collect();
        let mut found = Vec::new();
        self.extend(&mut Vec::new(), [zeros, self.ones.clone()], &mut found);
        found
    }

    fn bytes(&self) -> usize {
        self.labels.len()
    }
}

/// Signs ±1: the members of each pair exchange their places, or do not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signs(pub(super) usize);

impl Group for Signs {
    type Label = Vec<i8>;

    fn identity(&self) -> Vec<i8> {
        vec![1; self.0]
    }

    fn draw(&self, random: &mut Stream) -> Vec<i8> {
        let mut bits = 0;
        let sign = |i: usize| {
            if i.is_multiple_of(64) {
                bits = random.bits();
            }
            let sign = if bits & 1 == 1 { -1 } else { 1 };
            bits >>= 1;
            sign
        };
        (0..self.0).map(sign).collect()
    }

    fn count(&self) -> f64 {
        2.0_f64.powi(self.0 as i32)
    }

    fn all(&self) -> Vec<Vec<i8>> {
        let signs = |code: u64| (0..self.0).map(|i| if code >> i & 1 == 1 { -1 } else { 1 }).collect();
        (0..1_u64 << self.0.min(63)).map(signs).collect()
    }

    fn bytes(&self) -> usize {
        self.0
    }
}

/// Orders of the points, within strata.
#[derive(Clone, Debug)]
pub(super) struct Orders(pub(super) Strata);

impl Group for Orders {
    type Label = Vec<u32>;

    fn identity(&self) -> Vec<u32> {
        (0..self.0.points() as u32).collect()
    }

    fn draw(&self, random: &mut Stream) -> Vec<u32> {
        let (mut order, mut random) = (self.identity(), Halves::new(random));
        for members in &self.0.members {
            for i in (1..members.len()).rev() {
                order.swap(members[i], members[random.below(i + 1)]);
            }
        }
        order
    }

    /// `Π size!` over the strata.
    fn count(&self) -> f64 {
        self.0.members.iter().map(|m| (1..=m.len()).map(|k| k as f64).product::<f64>()).product()
    }

    fn all(&self) -> Vec<Vec<u32>> {
        let mut found = Vec::new();
        self.extend(&mut Vec::new(), &mut vec![false; self.0.points()], &mut found);
        found
    }

    fn bytes(&self) -> usize {
        4 * self.0.points()
    }
}

impl Orders {
    fn extend(&self, begun: &mut Vec<u32>, used: &mut [bool], found: &mut Vec<Vec<u32>>) {
        let at = begun.len();
        if at == used.len() {
            return found.push(begun.clone());
        }
        for next in &self.0.members[self.0.codes[at]] {
            if !used[*next] {
                used[*next] = true;
                begun.push(*next as u32);
                self.extend(begun, used, found);
                begun.pop();
                used[*next] = false;
            }
        }
    }
}

/// An order for each of several variables, drawn independently of one another.
#[derive(Clone, Debug)]
pub(super) struct SeveralOrders {
    pub(super) each: Orders,
    pub(super) count: usize,
}

impl Group for SeveralOrders {
    type Label = Vec<Vec<u32>>;

    fn identity(&self) -> Self::Label {
        vec![self.each.identity(); self.count]
    }

    fn draw(&self, random: &mut Stream) -> Self::Label {
        (0..self.count).map(|_| self.each.draw(random)).collect()
    }

    fn count(&self) -> f64 {
        self.each.count().powi(self.count as i32)
    }

    fn all(&self) -> Vec<Self::Label> {
        let each = self.each.all();
        let start = vec![Vec::new()];
        (0..self.count).fold(start, |begun: Vec<Self::Label>, _| {
            let extend = |label: &Self::Label| {
                each.iter().map(|order| label.iter().cloned().chain([order.clone()]).collect()).collect::<Vec<_>>()
            };
            begun.iter().flat_map(extend).collect()
        })
    }

    fn bytes(&self) -> usize {
        self.count * self.each.bytes()
    }
}

/// A stream that is used 32 bits at a time.
struct Halves<'r> {
    random: &'r mut Stream,
    spare: Option<u32>,
}

impl<'r> Halves<'r> {
    fn new(random: &'r mut Stream) -> Self {
        Self { random, spare: None }
    }

    fn bits(&mut self) -> u32 {
        self.spare.take().unwrap_or_else(|| {
            let bits = self.random.bits();
            self.spare = Some((bits >> 32) as u32);
            bits as u32
        })
    }

    /// Uniform on `0..n` for `0 < n < 2³²`, without bias and nearly without division [Lemire 2019].
    fn below(&mut self, n: usize) -> usize {
        let size = n as u32;
        let mut product = u64::from(self.bits()) * u64::from(size);
        if (product as u32) < size {
            let bias = size.wrapping_neg() % size;
            while (product as u32) < bias {
                product = u64::from(self.bits()) * u64::from(size);
            }
        }
        (product >> 32) as usize
    }
}

/// `C(n, k)`.
fn binomial(n: usize, k: usize) -> f64 {
    (0..k.min(n - k)).fold(1.0, |b, i| b * (n - i) as f64 / (i + 1) as f64).round()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    /// Every relabeling is drawn as often as any other: χ² of 9 and 36 cells, at most its 99.99 %
    /// quantile.
    #[test]
    fn draws_are_uniform() {
        let strata = Strata::of(&[0, 0, 1, 1, 1, 0], 6).unwrap();
        let (splits, orders) = (Splits::new(3, strata.clone()), Orders(strata));
        let (all, every) = (splits.all(), orders.all());
        let draws = 7200;
        let (mut counts, mut order_counts) = (vec![0.0; all.len()], vec![0.0; every.len()]);
        for b in 0..draws {
            let mut random = Seed(2).stream("draws", b);
            let label = splits.draw(&mut random);
            let order = orders.draw(&mut random);
            counts[all.iter().position(|l| *l == label).unwrap()] += 1.0;
            order_counts[every.iter().position(|o| *o == order).unwrap()] += 1.0;
        }
        let chi2 = |counts: &[f64]| {
            let expected = draws as f64 / counts.len() as f64;
            counts.iter().map(|c| (c - expected).powi(2) / expected).sum::<f64>()
        };
        assert!(chi2(&counts) < 31.9 && chi2(&order_counts) < 76.4, "{} {}", chi2(&counts), chi2(&order_counts));
        // One of six, and three of six: 6 and 20 cells.
        for (first, bar) in [(1, 25.7), (3, 51.0)] {
            let splits = Splits::new(first, Strata::one(6));
            let all = splits.all();
            let mut counts = vec![0.0; all.len()];
            for b in 0..draws {
                let label = splits.draw(&mut Seed(3).stream("draws", b));
                counts[all.iter().position(|l| *l == label).unwrap()] += 1.0;
            }
            assert!(chi2(&counts) < bar, "{first}: {}", chi2(&counts));
        }
    }

    #[test]
    fn enumerations_are_complete_and_draws_are_members() {
        let strata = Strata::of(&[0, 0, 1, 1, 1, 0], 6).unwrap();
        let splits = Splits::new(3, strata.clone());
        let mut all = splits.all();
        assert_eq!(all.len() as f64, splits.count());
        assert_eq!(splits.count(), 9.0);
        let orders = Orders(strata);
        let mut every = orders.all();
        assert_eq!(every.len() as f64, orders.count());
        assert_eq!(orders.count(), 36.0);
        for b in 0..50 {
            let mut random = Seed(1).stream("draws", b);
            assert!(all.contains(&splits.draw(&mut random)) && every.contains(&orders.draw(&mut random)));
        }
        assert!(all.contains(&splits.identity()) && every.contains(&orders.identity()));
        all.sort();
        all.dedup();
        every.sort();
        every.dedup();
        assert_eq!((all.len(), every.len()), (9, 36));
        assert_eq!(Splits::new(5, Strata::one(10)).count(), 252.0);
        assert_eq!(Signs(3).all().len(), 8);
        assert!(Signs(3).all().contains(&Signs(3).identity()));
    }
}
