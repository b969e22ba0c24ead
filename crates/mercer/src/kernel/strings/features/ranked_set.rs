//! A set of small integers that gives the rank of each member.

/// A set of integers below a bound: one bit each, and the number of members before each word.
pub(crate) struct RankedSet {
    bits: Vec<u64>,
    before: Vec<u32>,
    len: usize,
}

impl RankedSet {
    /// The set whose member `i` has bit `i % 64` of `bits[i / 64]`. At most `u32::MAX` members.
    pub(crate) fn new(bits: Vec<u64>) -> Self {
        let mut len = 0;
        let before = bits.iter().map(|word| {
            let before = len as u32;
            len += word.count_ones() as usize;
            before
        });
        Self { before: before.collect(), len, bits }
    }

    /// The number of members.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether `value` is a member.
    pub(crate) fn contains(&self, value: usize) -> bool {
        self.bits.get(value / 64).is_some_and(|word| word >> (value % 64) & 1 == 1)
    }

    /// The number of members below `value`, which lies below the bound.
    #[inline]
    pub(crate) fn rank(&self, value: usize) -> u32 {
        let below = self.bits[value / 64] & ((1 << (value % 64)) - 1);
        self.before[value / 64] + below.count_ones()
    }

    /// The members, ascending.
    pub(crate) fn members(&self) -> impl Iterator<Item = usize> + '_ {
        self.bits.iter().enumerate().flat_map(|(i, &word)| ones(word).map(move |bit| 64 * i + bit))
    }
}

/// The places of the ones of a word, ascending.
pub(crate) fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_a_sorted_list() {
        let members = [0, 3, 63, 64, 127, 200, 255];
        let mut bits = vec![0; 4];
        members.iter().for_each(|m| bits[m / 64] |= 1 << (m % 64));
        let set = RankedSet::new(bits);
        assert_eq!(set.members().collect::<Vec<_>>(), members);
        assert_eq!(set.len(), members.len());
        for value in 0..256 {
            assert_eq!(set.rank(value) as usize, members.iter().filter(|&&m| m < value).count());
            assert_eq!(set.contains(value), members.contains(&value));
        }
    }
}
