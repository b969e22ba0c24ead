//! The terms of a sum or the factors of a product.

use super::Kernel;
use crate::Result;

/// At least two kernels, kept flat: a sum holds no sum, a product no product and no scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms(Vec<Kernel>);

impl Terms {
    /// Only the operators `+` and `*` make terms, and they keep them flat.
    pub(crate) fn flat(kernels: Vec<Kernel>) -> Self {
        Self(kernels)
    }

    /// The kernels in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Kernel> {
        self.0.iter()
    }

    pub(crate) fn into_vec(self) -> Vec<Kernel> {
        self.0
    }

    pub(crate) fn map(&self, rebuild: &mut dyn FnMut(&Kernel) -> Result<Kernel>) -> Result<Self> {
        self.0.iter().map(rebuild).collect::<Result<_>>().map(Self)
    }
}
