//! Common parts of both fast number types: whole powers, and the four operations.

use crate::real::Real;

/// Bits of an exponent that are handled without a branch.
const BITS: u32 = 6;

/// `xⁿ` by repeated squaring. The exponent is the same for a whole tile, so its bits are invariants
/// of the loop and each becomes a blend; exponents of 64 and more take the ordinary loop.
#[inline(always)]
pub(super) fn powi<N: Real>(x: N, exponent: i32) -> N {
    let power = powu(x, exponent.unsigned_abs());
    N::select(exponent < 0, N::one() / power, power)
}

/// The same for exponents that are not negative: without the division, which takes longer than all
/// else.
#[inline(always)]
pub(super) fn powu<N: Real>(x: N, exponent: u32) -> N {
    if exponent < 1 << BITS { small_power(x, exponent) } else { large_power(x, exponent) }
}

#[inline(always)]
fn small_power<N: Real>(x: N, count: u32) -> N {
    let mut square = x;
    let mut power = N::select(count & 1 == 1, x, N::one());
    for bit in 1..BITS {
        square = square * square;
        power = N::select(count >> bit & 1 == 1, power * square, power);
    }
    power
}

#[inline(never)]
fn large_power<N: Real>(x: N, count: u32) -> N {
    let (mut square, mut power, mut left) = (x, N::one(), count);
    while left > 0 {
        power = N::select(left & 1 == 1, power * square, power);
        square = square * square;
        left >>= 1;
    }
    power
}

/// The four operations and the sign, lane by lane.
macro_rules! operators {
    ($fast:ident) => {
        super::powers::operators!($fast, Add, add, +);
        super::powers::operators!($fast, Sub, sub, -);
        super::powers::operators!($fast, Mul, mul, *);
        super::powers::operators!($fast, Div, div, /);

        impl<const FMA: bool> Neg for $fast<FMA> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self(-self.0)
            }
        }
    };
    ($fast:ident, $operation:ident, $method:ident, $symbol:tt) => {
        impl<const FMA: bool> $operation for $fast<FMA> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $symbol other.0)
            }
        }
    };
}

pub(super) use operators;
