//! The formula of a base kernel on a metric, with the shorter one for its parameters where there is
//! one.

use crate::gram::simd::Formula;
use crate::kernel::leaf::{Profile, Shape};
use crate::kernel::radial::matern::HalfInteger;
use crate::kernel::radial::rational_quadratic::WholeShape;
use crate::kernel::{Base, ProfileVisitor};
use crate::real::Real;

/// Receives a formula with its own type, so that loops over tiles are compiled for each.
pub(super) trait FormulaVisitor {
    type Output;
    fn visit<F: Formula>(self, formula: &F) -> Self::Output;
}

/// Calls the visitor with the shortest formula of `profile(scale · metric)`.
pub(super) fn visit<V: FormulaVisitor>(base: &Base, scale: f64, visitor: V) -> V::Output {
    match base {
        Base::Gaussian(_) => visitor.visit(&Exponential(-0.5 * scale)),
        Base::Matern(m) if m.nu() == 0.5 => visitor.visit(&HalfMatern::<1>(scale)),
        Base::Matern(m) if m.nu() == 1.5 => visitor.visit(&HalfMatern::<3>(scale)),
        Base::Matern(m) if m.nu() == 2.5 => visitor.visit(&HalfMatern::<5>(scale)),
        Base::RationalQuadratic(k) if k.whole_shape().is_some() => {
            let shape = k.whole_shape().expect("it was looked at in the line above");
            visitor.visit(&Rational { shape, scale })
        }
        _ => base.visit_profile(General { base, scale, visitor }).expect("a node of this kind is made from a profile"),
    }
}

struct General<'b, V> {
    base: &'b Base,
    scale: f64,
    visitor: V,
}

impl<V: FormulaVisitor> ProfileVisitor for General<'_, V> {
    type Output = V::Output;

    fn visit<P: Profile>(self, profile: &P) -> V::Output {
        self.visitor.visit(&Scaled { profile, shape: self.base.shape_array::<f64>(), scale: self.scale })
    }
}

/// A profile of a scaled metric.
struct Scaled<'p, P> {
    profile: &'p P,
    shape: Shape<f64>,
    scale: f64,
}

impl<P: Profile> Formula for Scaled<'_, P> {
    #[inline(always)]
    fn apply<N: Real>(&self, s: N) -> N {
        self.profile.profile(self.shape.map(N::from_f64), s * N::from_f64(self.scale))
    }
}

/// The closed forms of the Matérn kernels.
struct HalfMatern<const TWICE_NU: u32>(f64);

impl<const TWICE_NU: u32> Formula for HalfMatern<TWICE_NU> {
    #[inline(always)]
    fn apply<N: Real>(&self, s: N) -> N {
        HalfInteger::<TWICE_NU>::profile(s * N::from_f64(self.0))
    }
}

/// The rational quadratic kernel with a whole shape.
struct Rational {
    shape: WholeShape,
    scale: f64,
}

impl Formula for Rational {
    #[inline(always)]
    fn apply<N: Real>(&self, s: N) -> N {
        self.shape.profile(s * N::from_f64(self.scale))
    }
}

/// `exp(as)`.
pub(super) struct Exponential(pub(super) f64);

impl Formula for Exponential {
    #[inline(always)]
    fn apply<N: Real>(&self, s: N) -> N {
        (N::from_f64(self.0) * s).exp()
    }
}
