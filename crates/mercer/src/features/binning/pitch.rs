//! The distribution of the pitch of a grid along one column.

use crate::features::sampling::Source;
use crate::kernel::Property;
use crate::real::Dual;
use crate::{Error, Kernel, Result};

/// Points per decade, and decades on either side of 1, at which the convexity of a profile is
/// checked.
const PER_DECADE: i32 = 64;
const DECADES: i32 = 9;

/// A profile `κ(δ) = E max(0, 1 − δ/t)`: a mixture of hats over the pitch `t`.
///
/// # Theory
/// The density of the pitch is `t κ″(t)`, so its distribution function is
/// `F(t) = 1 − κ(t) + t κ′(t)`. It exists if and only if `κ` is convex; what `κ` keeps at infinity
/// is the probability of a grid with one cell.
#[derive(Clone, Debug)]
pub(crate) struct Pitch {
    kernel: Kernel,
    /// `k(x, x)`.
    diagonal: f64,
    /// `ln t` and `F(t)`, both ascending.
    table: Vec<(f64, f64)>,
}

impl Pitch {
    /// The pitch of a kernel on one column.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the kernel is not shift-invariant or its profile is not convex.
    pub(crate) fn new(kernel: Kernel) -> Result<Self> {
        if kernel.property(Property::ShiftInvariant).as_option() != Some(true) {
            return Err(refusal(&kernel, "it is not known to be shift-invariant"));
        }
        let diagonal = kernel.evaluate(&[0.0], &[0.0])?;
        let mut pitch = Self { kernel, diagonal, table: Vec::new() };
        if diagonal <= 0.0 {
            return Ok(pitch);
        }
        let steps = -DECADES * PER_DECADE..=DECADES * PER_DECADE;
        let position = |i: i32| f64::from(i) / f64::from(PER_DECADE) * std::f64::consts::LN_10;
        pitch.table = steps.map(|i| (position(i), pitch.distribution(position(i).exp()))).collect();
        let rises = pitch.table.windows(2).all(|w| w[1].1 >= w[0].1 - 1e-12);
        let within = pitch.table.iter().all(|(_, f)| (-1e-12..=1.0 + 1e-12).contains(f));
        if !(rises && within) {
            return Err(refusal(&pitch.kernel, "t k″(t) is not a density, because the profile is not convex"));
        }
        Ok(pitch)
    }

    /// `k(x, x)`.
    pub(crate) fn diagonal(&self) -> f64 {
        self.diagonal
    }

    /// `F(t) = 1 − κ(t) + t κ′(t)`.
    pub(crate) fn distribution(&self, t: f64) -> f64 {
        let parameters = self.kernel.parameter_values::<Dual<f64>>();
        let value = self.kernel.value(&parameters, &[Dual::variable(t)], &[Dual::constant(0.0)]);
        1.0 - value.value / self.diagonal + t * value.derivative / self.diagonal
    }

    /// A random pitch, infinite for a grid with one cell.
    pub(crate) fn draw(&self, source: &mut Source) -> f64 {
        let u = source.uniform();
        let above = self.table.partition_point(|(_, f)| *f < u);
        if above == self.table.len() {
            return f64::INFINITY;
        }
        if above == 0 {
            return self.table[0].0.exp();
        }
        let (mut low, mut high) = (self.table[above - 1].0, self.table[above].0);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if self.distribution(middle.exp()) < u { low = middle } else { high = middle }
        }
        (0.5 * (low + high)).exp()
    }
}

pub(super) fn refusal(kernel: &Kernel, reason: &str) -> Error {
    Error::unsupported("random binning features", kernel, reason, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::features::Sampling;

    #[test]
    fn the_laplacian_has_a_gamma_pitch() {
        let pitch = Pitch::new("laplacian(lengthscale=0.7)".parse().unwrap()).unwrap();
        for t in [0.05_f64, 0.3, 1.0, 4.0] {
            let c = t / 0.7;
            assert_close!(pitch.distribution(t), (1.0 - (1.0 + c) * (-c).exp()), abs = 1e-14, "{t}");
        }
        let mut source = Source::new(Seed(1).stream("pitch", 0), Sampling::Iid);
        let drawn: Vec<f64> = (0..4000).map(|_| pitch.draw(&mut source)).collect();
        // Mean 2ℓ and standard deviation √2ℓ: four and a half of the mean's own.
        let mean = drawn.iter().sum::<f64>() / 4000.0;
        assert_close!(mean, 1.4, abs = 4.5 * 0.7 * (2.0 / 4000.0_f64).sqrt(), "{mean}");
    }

    #[test]
    fn only_convex_profiles_have_grids() {
        for text in [
            "laplacian() + 0.5",
            "matern(nu=0.3)",
            "schoenberg(distance(power=0.7))",
            "laplacian()^3",
            "exp(laplacian())",
        ] {
            assert!(Pitch::new(text.parse().unwrap()).is_ok(), "{text}");
        }
        for text in ["gaussian()", "matern(nu=3/2)", "cauchy()", "periodic()", "sinc()", "linear()"] {
            assert!(Pitch::new(text.parse().unwrap()).is_err(), "{text}");
        }
    }
}
