use super::{Element, Fast32, Fast64, Formula, Lane, Mode, map, map_in_place};
use crate::real::Real;

type F = Fast64<true>;
type P = Fast64<false>;

/// Numbers in `[low, high)`, the same in every run.
fn sweep(low: f64, high: f64, count: usize) -> impl Iterator<Item = f64> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    (0..count).map(move |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        low + (high - low) * ((state >> 11) as f64 / (1_u64 << 53) as f64)
    })
}

/// Two-sided: relative, with one denormal step allowed.
fn close(found: f64, expected: f64, tolerance: f64) -> bool {
    found == expected || (found - expected).abs() <= tolerance * expected.abs() + f64::from_bits(1)
}

fn compare(
    name: &str,
    inputs: impl Iterator<Item = f64>,
    tolerance: f64,
    fast: fn(F) -> F,
    plain: fn(P) -> P,
    std: fn(f64) -> f64,
) {
    for x in inputs {
        let expected = std(x);
        for found in [fast(Fast64(x)).0, plain(Fast64(x)).0] {
            assert!(close(found, expected, tolerance), "{name}({x:e}) = {found:e}, expected {expected:e}");
        }
    }
}

const N: usize = 200_000;
const EPS: f64 = f64::EPSILON;

#[test]
fn exp_over_its_whole_range() {
    for (low, high) in [(-746.0, 710.0), (-1.0, 1.0), (-1e-6, 1e-6), (-746.0, -707.0), (709.0, 710.5)] {
        compare("exp", sweep(low, high, N), 2.0 * EPS, |x| x.exp(), |x| x.exp(), f64::exp);
        compare("exp_m1", sweep(low, high, N), 4.0 * EPS, |x| x.exp_m1(), |x| x.exp_m1(), f64::exp_m1);
    }
    compare("exp_m1", sweep(-1e-300, 1e-300, 1000), 2.0 * EPS, |x| x.exp_m1(), |x| x.exp_m1(), f64::exp_m1);
}

#[test]
fn exp_at_the_edges() {
    let exp = |x: f64| F::load(x).exp().0;
    assert_eq!((exp(f64::NEG_INFINITY), exp(-1e300), exp(0.0)), (0.0, 0.0, 1.0));
    assert_eq!((exp(710.0), exp(f64::INFINITY)), (f64::INFINITY, f64::INFINITY));
    assert!(exp(f64::NAN).is_nan());
    assert_eq!(F::load(-1e300).exp_m1().0, -1.0);
    assert_eq!(F::load(1e300).exp_m1().0, f64::INFINITY);
}

#[test]
fn logarithms() {
    for (low, high) in [(0.0, 2.0), (0.9, 1.1), (0.0, 1e300), (0.0, 1e-307), (0.0, 1e-320)] {
        compare("ln", sweep(low, high, N), 2.0 * EPS, |x| x.ln(), |x| x.ln(), f64::ln);
    }
    for (low, high) in [(-1.0, 3.0), (-1e-3, 1e-3), (-1e-12, 1e-12), (0.0, 1e-300), (0.0, 1e300), (0.3, 0.5)] {
        compare("ln_1p", sweep(low, high, N), 2.0 * EPS, |x| x.ln_1p(), |x| x.ln_1p(), f64::ln_1p);
    }
    for edge in [0.0, f64::INFINITY] {
        assert_eq!(F::load(edge).ln().0, edge.ln());
        assert_eq!(F::load(edge).ln_1p().0, edge.ln_1p());
    }
    assert!(F::load(-1.0).ln().0.is_nan() && F::load(f64::NAN).ln().0.is_nan() && F::load(-2.0).ln_1p().0.is_nan());
    assert_eq!(F::load(-1.0).ln_1p().0, f64::NEG_INFINITY);
}

#[test]
fn hyperbolic_tangent() {
    for (low, high) in [(-30.0, 30.0), (-1.0, 1.0), (-1e-8, 1e-8)] {
        compare("tanh", sweep(low, high, N), 5.0 * EPS, |x| x.tanh(), |x| x.tanh(), f64::tanh);
    }
}

/// Absolute errors: relative to the value near a zero of the sine, where the phase itself is
/// rounded, no digit may be left.
#[test]
fn sines_and_cosines() {
    for scale in [1e-300, 1e-8, 1.0, 4.0, 100.0, 1e5, 1e9, 1e12, 8.7e12] {
        for x in sweep(-scale, scale, 20_000) {
            for (found, expected) in [
                (F::load(x).sin().0, x.sin()),
                (P::load(x).sin().0, x.sin()),
                (F::load(x).cos().0, x.cos()),
                (P::load(x).cos().0, x.cos()),
            ] {
                assert_close!(
                    found,
                    expected,
                    abs = 3e-16 * expected.abs().max(x.abs().min(1.0)),
                    "{x:e}: {found} {expected}"
                );
            }
        }
    }
    for x in [1e16, -3e200, f64::MAX] {
        assert!(F::load(x).sin().0.abs() <= 1.0 && P::load(x).cos().0.abs() <= 1.0);
    }
    assert!(F::load(f64::NAN).sin().0.is_nan());
    assert_eq!(F::load(0.0).sin().0, 0.0);
}

#[test]
fn powers() {
    for p in [0.25, 0.5, 1.3, 2.7, 17.0, 123.4] {
        for x in sweep(0.0, 4.0, 20_000).chain(sweep(0.99, 1.01, 20_000)).chain(sweep(0.0, 1e-305, 1000)) {
            let expected = x.powf(p);
            for found in [F::load(x).powf(F::load(p)).0, P::load(x).powf(P::load(p)).0] {
                assert!(close(found, expected, 1e-14), "{x:e}^{p} = {found:e}, expected {expected:e}");
            }
        }
    }
    let pow = |x: f64, p: f64| F::load(x).powf(F::load(p)).0;
    assert_eq!((pow(0.0, 0.5), pow(0.0, 0.0), pow(3.0, 0.0), pow(f64::INFINITY, 2.0)), (0.0, 1.0, 1.0, f64::INFINITY));
    assert_eq!((pow(0.0, -1.0), pow(f64::INFINITY, -1.0)), (f64::INFINITY, 0.0));
    for n in [-70, -3, -1, 0, 1, 2, 3, 7, 31, 63, 64, 100] {
        for x in sweep(-1.5, 1.5, 1000) {
            assert!(close(F::load(x).powi(n).0, x.powi(n), 64.0 * EPS), "{x}^{n}");
            if let Ok(n) = u32::try_from(n) {
                assert_eq!(F::load(x).powu(n).0, F::load(x).powi(n as i32).0, "{x}^{n}");
            }
        }
    }
}

/// The rational quadratic with a huge exponent is the Gaussian.
#[test]
fn rational_quadratic_reaches_its_limit() {
    let a = 1e12;
    for u in sweep(0.0, 20.0, 1000) {
        let found = (F::load(-a) * F::load(u / (2.0 * a)).ln_1p()).exp().0;
        assert!(close(found, (-u / 2.0).exp(), 2e-10), "{u}: {found}");
    }
}

#[test]
fn single_precision() {
    type S = Fast32<true>;
    type B = Fast32<false>;
    let eps = f64::from(f32::EPSILON);
    let check = |name: &str, x: f32, found: f32, expected: f64| {
        let error = (f64::from(found) - expected).abs();
        let same = f64::from(found) == expected || found == expected as f32;
        assert!(
            same || error <= 2.0 * eps * expected.abs() + 1.5e-45,
            "{name}({x:e}) = {found:e}, expected {expected:e}"
        );
    };
    for x in sweep(-105.0, 90.0, N).chain(sweep(-1.0, 1.0, N)).map(|x| x as f32) {
        check("exp", x, S::load(x).exp().0, f64::from(x).exp());
        check("exp", x, B::load(x).exp().0, f64::from(x).exp());
    }
    for x in sweep(0.0, 2.0, N).chain(sweep(0.9, 1.1, N)).chain(sweep(0.0, 1e-40, 1000)).map(|x| x as f32) {
        check("ln", x, S::load(x).ln().0, f64::from(x).ln());
        check("ln_1p", x, S::load(x - 0.9).ln_1p().0, f64::from(x - 0.9).ln_1p());
        check("ln_1p", x, B::load(x * 1e-6).ln_1p().0, f64::from(x * 1e-6).ln_1p());
        check("powf", x, S::load(x).powf(S::load(1.5)).0, f64::from(x).powf(1.5));
    }
    for x in sweep(-10.0, 10.0, N).chain(sweep(-1.0, 1.0, N)).chain(sweep(0.0, 1e-38, 1000)).map(|x| x as f32) {
        check("tanh", x, S::load(x).tanh().0, f64::from(x).tanh());
        check("tanh", x, B::load(x).tanh().0, f64::from(x).tanh());
    }
    assert_eq!((S::load(f32::NEG_INFINITY).tanh().0, S::load(f32::INFINITY).tanh().0), (-1.0, 1.0));
    assert!(S::load(f32::NAN).tanh().0.is_nan());
    assert_eq!((S::load(f32::NEG_INFINITY).exp().0, S::load(f32::INFINITY).exp().0), (0.0, f32::INFINITY));
    assert!(S::load(f32::NAN).exp().0.is_nan());
}

struct Cauchy;
impl Formula for Cauchy {
    #[inline(always)]
    fn apply<N: Real>(&self, s: N) -> N {
        N::one() / (N::one() + s)
    }
}

fn modes<T: Element>() {
    for n in [0, 1, 7, 8, 33, 1000] {
        let source: Vec<T> = (0..n).map(|i| T::from_f64(i as f64)).collect();
        let before: Vec<T> = (0..n).map(|i| T::from_f64(0.5 + i as f64)).collect();
        for (mode, combine) in
            [(Mode::Set, (|_, v| v) as fn(f64, f64) -> f64), (Mode::Add, |o, v| o + v), (Mode::Multiply, |o, v| o * v)]
        {
            let mut out = before.clone();
            map(&Cauchy, 3.0, mode, &source, &mut out);
            for (i, found) in out.iter().enumerate() {
                let expected = combine(0.5 + i as f64, 3.0 / (1.0 + i as f64));
                assert_close!(found.to_f64(), expected, abs = 4.0 * T::UNIT_ROUNDOFF * expected);
            }
        }
        let mut out = source.clone();
        map_in_place(&Cauchy, 1.0, &mut out);
        assert!((0..n).all(|i| (out[i].to_f64() - 1.0 / (1.0 + i as f64)).abs() <= 2.0 * T::UNIT_ROUNDOFF));
    }
}

#[test]
fn every_mode_in_both_precisions() {
    modes::<f64>();
    modes::<f32>();
}
