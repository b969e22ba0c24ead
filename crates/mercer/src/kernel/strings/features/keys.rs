//! Short sequences of symbols packed into integers.

/// An integer that holds a packed sequence of symbols, the first one in the highest bits.
pub(crate) trait Key: Copy + Ord + Send + Sync {
    /// The number of bits of the integer.
    const BITS: u32;
    /// The empty sequence.
    const EMPTY: Self;
    /// The sequence with one more symbol at the end, the lowest `kept` bits of it.
    fn push(self, symbol: u32, bits: u32, kept: u32) -> Self;
    /// The sequence with the symbol at bits `shift..shift + bits` exchanged.
    fn replace(self, shift: u32, bits: u32, symbol: u32) -> Self;
    /// The symbol at bits `shift..shift + bits`.
    fn symbol(self, shift: u32, bits: u32) -> u32;
    /// The lowest bits, which are all if the key is small.
    fn low(self) -> usize;
    /// The key with the value `low`.
    fn from_low(low: usize) -> Self;
}

macro_rules! key {
    ($integer:ty) => {
        impl Key for $integer {
            const BITS: u32 = <$integer>::BITS;
            const EMPTY: Self = 0;
            #[inline(always)]
            fn push(self, symbol: u32, bits: u32, kept: u32) -> Self {
                (self << bits | Self::from(symbol)) & ones::<Self>(kept) as Self
            }
            #[inline(always)]
            fn replace(self, shift: u32, bits: u32, symbol: u32) -> Self {
                self & !((ones::<Self>(bits) as Self) << shift) | Self::from(symbol) << shift
            }
            #[inline(always)]
            fn symbol(self, shift: u32, bits: u32) -> u32 {
                (self >> shift & ones::<Self>(bits) as Self) as u32
            }
            #[inline(always)]
            fn low(self) -> usize {
                self as usize
            }
            fn from_low(low: usize) -> Self {
                low as Self
            }
        }
    };
}

key!(u64);
key!(u128);

/// The number with ones in the lowest `count` bits.
#[inline(always)]
fn ones<K: Key>(count: u32) -> u128 {
    u128::MAX.checked_shr(u128::BITS - count.min(K::BITS)).unwrap_or(0)
}

/// How sequences of a given length are packed: the same number of bits for each symbol.
///
/// Integers are ordered as the sequences are in lexicographic order.
#[derive(Clone, Copy)]
pub(crate) struct Packing {
    /// Bits per symbol: 2 for four letters, 0 for an alphabet of one.
    pub(crate) bits: u32,
    /// Symbols per sequence.
    pub(crate) length: usize,
}

impl Packing {
    /// For sequences of `length` of `symbols` different symbols.
    pub(crate) fn new(symbols: usize, length: usize) -> Self {
        Self { bits: usize::BITS - symbols.saturating_sub(1).leading_zeros(), length }
    }

    /// Bits per sequence.
    pub(crate) fn key_bits(&self) -> usize {
        (self.bits as usize).saturating_mul(self.length)
    }

    /// Whether a sequence fits into a key.
    pub(crate) fn fits<K: Key>(&self) -> bool {
        self.key_bits() <= K::BITS as usize
    }

    /// The keys of all windows of a string, which must fit.
    pub(crate) fn windows<K: Key>(&self, codes: &[u32], keys: &mut Vec<K>) {
        if codes.len() < self.length || self.length == 0 {
            return;
        }
        let (bits, kept) = (self.bits, self.key_bits() as u32);
        let (head, rest) = codes.split_at(self.length - 1);
        let mut key = head.iter().fold(K::EMPTY, |key, &symbol| key.push(symbol, bits, kept));
        keys.extend(rest.iter().map(|&symbol| {
            key = key.push(symbol, bits, kept);
            key
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_keep_their_order_and_symbols() {
        let codes: Vec<u32> = (0..80).map(|i| (i * i + i / 7) % 4).collect();
        for length in [1, 2, 5, 31, 32] {
            let packing = Packing::new(4, length);
            let (mut narrow, mut wide) = (Vec::<u64>::new(), Vec::<u128>::new());
            packing.windows(&codes, &mut narrow);
            packing.windows(&codes, &mut wide);
            assert_eq!(narrow.len(), codes.len() + 1 - length);
            assert!(narrow.iter().zip(&wide).all(|(&a, &b)| u128::from(a) == b));
            let sequences: Vec<&[u32]> = codes.windows(length).collect();
            for (i, a) in sequences.iter().enumerate() {
                assert!(sequences.iter().enumerate().all(|(j, b)| a.cmp(b) == narrow[i].cmp(&narrow[j])));
                let found = (0..length).rev().map(|at| narrow[i].symbol(2 * at as u32, 2));
                assert!(found.eq(a.iter().copied()));
            }
        }
    }

    #[test]
    fn one_letter_needs_no_bits() {
        let mut keys = Vec::<u64>::new();
        let packing = Packing::new(1, 1000);
        assert!(packing.fits::<u64>());
        packing.windows(&[0; 1002], &mut keys);
        packing.windows(&[0; 999], &mut keys);
        assert_eq!(keys, [0; 3]);
        assert!(!Packing::new(3, 33).fits::<u64>() && Packing::new(4, 32).fits::<u64>());
    }

    #[test]
    fn symbols_are_exchanged() {
        assert_eq!(0b11_01_10u64.replace(2, 2, 0b10), 0b11_10_10);
        assert_eq!((7u128 << 125).replace(125, 3, 0), 0);
    }
}
