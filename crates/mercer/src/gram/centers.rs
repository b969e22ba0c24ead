//! The centers of a fit, to which new points are bound again and again.

use std::sync::{Arc, OnceLock};

use super::bound::KeptColumns;
use super::{Bound, Pairs};
use crate::{Compute, Kernel, Points, Result, Sample};

/// Numbers of centers whose packed copies are kept: 64 MiB. To bind more takes longer than the
/// product with them only for a few new points, and a model should not hold three times its size
/// where that is gigabytes. Not tuned.
const MOST_KEPT: usize = 1 << 23;

/// What binding makes of the centers of a fitted model, kept after the first time: to bind a few
/// new points then takes no time in proportion to the centers.
///
/// It belongs to one kernel and one sample of centers, and is no part of the value of a model:
/// files know nothing of it, and the answers are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptCenters(OnceLock<Option<Arc<KeptColumns>>>);

impl KeptCenters {
    /// Whether the centers are kept: to bind a few new points costs nothing for them.
    pub(crate) fn holds(&self) -> bool {
        matches!(self.0.get(), Some(Some(_)))
    }

    /// The kernel between new points, the rows, and the centers, the columns.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub(crate) fn bind<'a>(
        &self,
        kernel: &Kernel,
        x: Points<'a>,
        centers: &'a Sample,
        compute: &Compute,
    ) -> Result<Bound<'a>> {
        if let (Points::Vectors(rows), Sample::Vectors(columns)) = (x, centers)
            && columns.len() <= MOST_KEPT
        {
            x.check_finite("first sample")?;
            let made = match self.0.get() {
                Some(_) => None,
                None => KeptColumns::new(kernel, columns.view(), compute)?.map(Arc::new),
            };
            if let Some(kept) = self.0.get_or_init(|| made) {
                return kept.bind(kernel, rows, compute);
            }
        }
        kernel.bind(Pairs::Between(x, centers.as_points()), compute)
    }
}

impl PartialEq for KeptCenters {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
