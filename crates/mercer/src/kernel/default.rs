//! The kernels that are taken where none is named, by the kind of the points.

use super::Kernel;
use crate::Result;
use crate::points::PointKind;

/// Lengths and depths of the kernels of aggregated tests.
const LENGTHS: std::ops::RangeInclusive<usize> = 1..=6;
const DEPTHS: std::ops::RangeInclusive<usize> = 0..=5;
/// Multiples of the median of the kernels of aggregated tests: factors of 2 around it.
const MULTIPLES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];

impl Kernel {
    /// The kernel that is taken where none is named: Gaussian with the median lengthscale on
    /// vectors and on the embeddings of bags, normalized counts of substrings of length 3 on
    /// strings, of Weisfeiler–Lehman labels of depth 3 on graphs, the normalized scale-space kernel
    /// on persistence diagrams.
    ///
    /// # Errors
    /// None: every text is one of the catalogue.
    ///
    /// # Example
    /// ```
    /// use mercer::{Kernel, points::PointKind};
    /// assert_eq!(Kernel::default_for(PointKind::Strings)?.to_string(), "normalized(spectrum(length=3))");
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn default_for(kind: PointKind) -> Result<Self> {
        match kind {
            PointKind::Vectors => "gaussian(lengthscale=median)",
            PointKind::Strings => "normalized(spectrum(length=3))",
            PointKind::Graphs => "normalized(weisfeiler_lehman(depth=3))",
            PointKind::Bags => "gaussian_embedding(gaussian(lengthscale=median), lengthscale=median)",
            PointKind::Diagrams => "normalized(persistence(scale=median))",
            // Only a kernel can say which column is compared how.
            PointKind::Mixed => "delta()",
            PointKind::Precomputed => "precomputed()",
        }
        .parse()
    }

    /// The kernels of a test that is aggregated over many, on points that are not vectors: lengths
    /// of substrings, depths of labels, or multiples of medians, which are left to the data.
    pub(crate) fn family_for(kind: PointKind) -> Result<Vec<Self>> {
        match kind {
            PointKind::Strings => {
                LENGTHS.map(|length| format!("normalized(spectrum(length={length}))").parse()).collect()
            }
            PointKind::Graphs => {
                DEPTHS.map(|depth| format!("normalized(weisfeiler_lehman(depth={depth}))").parse()).collect()
            }
            other => Ok(vec![Self::default_for(other)?]),
        }
    }

    /// The same kernel at several multiples of its outermost lengthscale or scale, which is a number
    /// by now; the kernel alone where it has none.
    pub(crate) fn multiples(&self) -> Result<Vec<Self>> {
        let scaled = |factor: f64| self.with_outer_scale(factor);
        let found: Vec<Self> =
            MULTIPLES.iter().filter_map(|&factor| scaled(factor).transpose()).collect::<Result<_>>()?;
        Ok(if found.is_empty() { vec![self.clone()] } else { found })
    }

    fn with_outer_scale(&self, factor: f64) -> Result<Option<Self>> {
        use super::bags::{embedding::EmbeddingForm, persistence::Persistence};
        use super::{Base, Lengthscale};
        Ok(match self {
            Self::Embedded(EmbeddingForm::Gaussian(Lengthscale::Shared(l)), k) => {
                let form = EmbeddingForm::Gaussian(Lengthscale::shared(factor * l.get())?);
                Some(Self::Embedded(form, k.clone()))
            }
            Self::Base(Base::Persistence(kernel)) => match kernel.scale() {
                Some(scale) => Some(Persistence::new(Some(factor * scale))?.into()),
                None => None,
            },
            Self::Normalized(k) => k.with_outer_scale(factor)?.map(|k| Self::Normalized(Box::new(k))),
            _ => None,
        })
    }
}
