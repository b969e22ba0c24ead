//! Sobolev (spline) kernels on the unit interval.

use crate::kernel::prelude::*;

/// Sobolev kernel of order α on the unit interval, with or without its null space.
///
/// # Formula
/// `k(x, y) = ∫₀¹ (x−z)₊^{α−1}(y−z)₊^{α−1}/((α−1)!)² dz`, plus `Σ_{k<α} xᵏyᵏ/(k!)²` with the null
/// space. In closed form, with `m = min`, `δ = max − min`:
/// `Σⱼ C(α−1, j) δ^{α−1−j} m^{α+j}/(α+j) / ((α−1)!)²`, a sum of positive terms.
///
/// # Theory
/// Reproducing kernel of the Sobolev space of order α with `‖f‖² = Σ_{k<α} f⁽ᵏ⁾(0)² + ∫₀¹ (f⁽ᵅ⁾)²`.
/// Order 1 is `1 + min(x, y)`; order 2 is the cubic spline kernel, whose norm has `∫ (f″)²`.
///
/// # Cost
/// `O(α)` per pair.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "sobolev(order=2)".parse()?;
/// // 1 + xy + Mm²/2 − m³/6 at (0.5, 1)
/// mercer::assert_close!(k.evaluate(&[0.5], &[1.0])?, (1.0 + 0.5 + 0.125 - 0.125 / 6.0), abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sobolev {
    order: Whole,
    null_space: bool,
}

/// Beyond this order the squared factorial in the formula leaves the range of `f64`.
const MAX_ORDER: u32 = 80;

impl Sobolev {
    /// The Sobolev kernel of this order.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the order is an integer from 1 to 80.
    pub fn new(order: f64, null_space: bool) -> Result<Self> {
        Ok(Self { order: Whole::new("order", order, MAX_ORDER)?, null_space })
    }

    /// The order α.
    pub fn order(&self) -> u32 {
        self.order.get()
    }

    /// Whether the polynomials of degree below α are part of the space.
    pub fn has_null_space(&self) -> bool {
        self.null_space
    }
}

/// `Σ_{k<α} (xy)ᵏ/(k!)²`.
#[inline(always)]
fn polynomials<N: Real>(order: u32, x: N, y: N) -> N {
    let (mut term, mut sum) = (N::one(), N::one());
    for k in 1..order {
        term = term * x * y / N::from_f64(f64::from(k * k));
        sum = sum + term;
    }
    sum
}

/// `∫ (x−z)₊^{α−1}(y−z)₊^{α−1} dz / ((α−1)!)²`.
#[inline(always)]
fn integral<N: Real>(order: u32, x: N, y: N) -> N {
    let (low, gap) = (x.min(y), x.max(y) - x.min(y));
    let top = order - 1;
    // C(α−1, j)/((α−1)!)² starts at 1/((α−1)!)² and is updated from one j to the next.
    let mut weight = (1..=top).fold(N::one(), |w, k| w / N::from_f64(f64::from(k * k)));
    let mut sum = N::zero();
    for j in 0..order {
        let power = gap.powi((top - j) as i32) * low.powi((order + j) as i32);
        sum = sum + weight * power / N::from_f64(f64::from(order + j));
        weight = weight * N::from_f64(f64::from(top - j)) / N::from_f64(f64::from(j + 1));
    }
    sum
}

impl Leaf for Sobolev {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("order", self.order.get().to_string()), ("null_space", self.null_space.to_string())]
    }

    fn facts(&self) -> Facts {
        let (rich, no) = (
            Fact::Yes("its RKHS contains every polynomial on [0, 1]"),
            Fact::No("every function of its RKHS vanishes at 0"),
        );
        let full = if self.null_space { rich } else { no };
        Facts {
            strictly_pd: full,
            universal: full,
            characteristic: Fact::Yes("with the constants its RKHS is dense in the continuous functions on [0, 1]"),
            bound: Some(self.step([0.0; 2], 1.0, 0.0, 1.0, 1.0)),
            differentiable: self.order.get() > 1,
            ..Facts::psd("an integral of products g_z(x) g_z(y), and a finite sum of them")
        }
    }

    fn is_non_negative(&self) -> bool {
        true
    }

    /// Up to order 3, which the filters along a line are compiled for.
    fn markov_process(&self) -> Option<MarkovProcess> {
        let order = self.order.get() as usize;
        (order <= 3).then_some(MarkovProcess::Integrated { order, free: self.null_space })
    }

    fn line_form(&self) -> Option<LineForm<'_>> {
        let constant = if self.null_space { 1.0 } else { 0.0 };
        (self.order.get() == 1).then_some(LineForm::Minimum { constant })
    }
}

impl Columnwise for Sobolev {
    fn start(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn step<N: Real>(&self, _: Shape<N>, _: N, sum: N, x: N, y: N) -> N {
        let penalized = integral(self.order.get(), x, y);
        let null_space = if self.null_space { polynomials(self.order.get(), x, y) } else { N::zero() };
        sum + null_space + penalized
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "sobolev",
    family: Family::Process,
    formula: "Σ_{k<α} xᵏyᵏ/(k!)² + ∫₀¹ (x−z)₊^(α−1) (y−z)₊^(α−1) / ((α−1)!)² dz",
    domain: Domain::UnitInterval,
    parameters: &[
        ParameterEntry { name: "order", default: Some("1"), range: "whole, 1 to 80", meaning: "α" },
        ParameterEntry {
            name: "null_space",
            default: Some("true"),
            range: "true or false",
            meaning: "whether polynomials of degree < α are part of the space",
        },
    ],
    theory: "Reproducing kernel of the Sobolev space of order α; order 1 is 1 + min(x, y), order 2 the cubic spline.",
    cost: "O(α)",
    examples: &["sobolev(order=1)", "sobolev(order=2)", "sobolev(order=3, null_space=false)"],
    build,
};

fn build(arguments: &mut Arguments<'_>) -> Result<Kernel> {
    let order = arguments.number("order", 1.0)?;
    Ok(Sobolev::new(order, arguments.flag("null_space", true)?)?.into())
}
