//! The polynomial kernel.

use crate::kernel::prelude::*;

/// Polynomial kernel on vectors.
///
/// # Formula
/// `k(x, y) = (s⟨x, y⟩ + c)^m`; `c = 0` is the homogeneous one.
///
/// # Theory
/// Positive semi-definite for `s, c ≥ 0` and whole `m ≥ 1`: a power of a sum of positive
/// semi-definite kernels. Its RKHS is the polynomials of degree at most `m` (of degree `m` exactly
/// for `c = 0`).
///
/// # Cost
/// `O(d)` per pair and `O(log m)` products.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "polynomial(degree=2, offset=1)".parse()?;
/// assert_eq!(k.evaluate(&[1.0, 2.0], &[3.0, 4.0])?, 144.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Polynomial {
    degree: Whole,
    offset: NonNegative,
    scale: Positive,
}

const MAX_DEGREE: u32 = 1000;

impl Polynomial {
    /// The polynomial kernel of this degree, offset and scale.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the degree is an integer from 1 to 1000, the offset ≥ 0 and the
    /// scale > 0.
    pub fn new(degree: f64, offset: f64, scale: f64) -> Result<Self> {
        Ok(Self {
            degree: Whole::new("degree", degree, MAX_DEGREE)?,
            offset: NonNegative::new("offset", offset)?,
            scale: Positive::new("scale", scale)?,
        })
    }

    /// The degree.
    pub fn degree(&self) -> u32 {
        self.degree.get()
    }
}

impl Leaf for Polynomial {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![
            ("degree", self.degree.get().to_string()),
            ("offset", number_text(self.offset.get())),
            ("scale", number_text(self.scale.get())),
        ]
    }

    fn facts(&self) -> Facts {
        let has_offset = self.offset.get() > 0.0;
        Facts {
            bound: Some(f64::INFINITY),
            positive: has_offset,
            // x ↦ x^{⊗m} is one-to-one for odd m, and an offset adds the features of every lower degree.
            separates: has_offset || self.degree.get() % 2 == 1,
            ..Facts::finite_features(
                "a power of a sum: s⟨x,y⟩ + c is PSD for s, c ≥ 0, and whole powers keep it (Schur)",
            )
        }
    }

    fn shape(&self) -> Vec<(&'static str, f64)> {
        vec![("offset", self.offset.get()), ("scale", self.scale.get())]
    }

    fn with_shape(&self, values: &[f64]) -> Result<Self> {
        Self::new(f64::from(self.degree.get()), values[0], values[1])
    }

    fn power_series(&self) -> Option<PowerSeries> {
        let (offset, scale) = (self.offset.get(), self.scale.get());
        Some(PowerSeries::Power { degree: self.degree.get(), offset, scale })
    }
}

impl Profile for Polynomial {
    fn metric(&self) -> MetricKind {
        MetricKind::Dot
    }

    #[inline(always)]
    fn profile<N: Real>(&self, p: Shape<N>, s: N) -> N {
        (p[1] * s + p[0]).powu(self.degree.get())
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "polynomial",
    family: Family::InnerProduct,
    formula: "(s⟨x, y⟩ + c)^m",
    domain: Domain::Vectors,
    parameters: &[
        ParameterEntry { name: "degree", default: Some("3"), range: "whole, 1 to 1000", meaning: "m" },
        ParameterEntry { name: "offset", default: Some("1"), range: "≥ 0", meaning: "c; 0 is homogeneous" },
        ParameterEntry { name: "scale", default: Some("1"), range: "> 0", meaning: "s" },
    ],
    theory: "Positive semi-definite; the RKHS is the polynomials of degree at most m.",
    cost: "O(d), O(log m) products",
    examples: &["polynomial(degree=2, offset=1)", "polynomial(degree=3, offset=0.25, scale=0.5)"],
    build,
};

fn build(arguments: &mut Arguments<'_>) -> Result<Kernel> {
    let degree = arguments.number("degree", 3.0)?;
    let offset = arguments.number("offset", 1.0)?;
    Ok(Polynomial::new(degree, offset, arguments.number("scale", 1.0)?)?.into())
}
