//! The centers of a fit, to which new points are bound again and again.

use std::sync::{Arc, RwLock};

use ndarray::ArrayView2;

use super::bound::KeptColumns;
use super::{Bound, Pairs};
use crate::error::MemoryPurpose;
use crate::{Compute, Kernel, Points, Result, Sample};

/// Numbers of centers whose packed copies are kept: 64 MiB. To bind more takes longer than the
/// product with them only for a few new points, and a model should not hold three times its size
/// where that is gigabytes. Not tuned.
const MOST_KEPT: usize = 1 << 23;

/// What binding makes of the centers of a fitted model, kept after the first time: to bind a few
/// new points then takes no time in proportion to the centers.
///
/// It belongs to one kernel and one sample of centers, and is no part of the value of a model:
/// files know nothing of it, and the answers are the same. It counts against the memory limit of
/// every call, and is dropped by one whose limit it exceeds.
#[derive(Debug, Default)]
pub(crate) struct KeptCenters(RwLock<State>);

#[derive(Clone, Debug, Default)]
enum State {
    #[default]
    Unknown,
    /// The kernel has nothing that could be kept.
    Unsuitable,
    /// A limit below these bytes refused it.
    Refused(u64),
    Kept(Arc<KeptColumns>),
}

impl KeptCenters {
    /// Whether the centers are kept: to bind a few new points costs nothing for them.
    pub(crate) fn holds(&self) -> bool {
        matches!(self.state(), State::Kept(_))
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
            if let Some(kept) = self.kept(kernel, columns.view(), compute)? {
                return kept.bind(kernel, rows, compute);
            }
        }
        kernel.bind(Pairs::Between(x, centers.as_points()), compute)
    }

    /// What is kept and within the limit; made where nothing is known yet.
    fn kept(
        &self,
        kernel: &Kernel,
        columns: ArrayView2<'_, f64>,
        compute: &Compute,
    ) -> Result<Option<Arc<KeptColumns>>> {
        match self.state() {
            State::Unsuitable => return Ok(None),
            State::Refused(bytes) if !allowed(bytes, compute) => return Ok(None),
            State::Kept(kept) if allowed(kept.bytes(), compute) => return Ok(Some(kept)),
            State::Kept(kept) => {
                self.set(State::Refused(kept.bytes()));
                return Ok(None);
            }
            State::Unknown | State::Refused(_) => {}
        }
        // Points and their packed copy, at least; what a kernel adds to them is known once it is made.
        let least = 16 * columns.len() as u64;
        if !allowed(least, compute) {
            self.set(State::Refused(least));
            return Ok(None);
        }
        let Some(kept) = KeptColumns::new(kernel, columns, compute)?.map(Arc::new) else {
            self.set(State::Unsuitable);
            return Ok(None);
        };
        let bytes = kept.bytes();
        let fits = allowed(bytes, compute);
        self.set(if fits { State::Kept(kept.clone()) } else { State::Refused(bytes) });
        Ok(fits.then_some(kept))
    }

    /// Nothing is waited for: a child of a fork may find the lock taken by a thread that it does not
    /// have. Whoever cannot read binds anew.
    fn state(&self) -> State {
        self.0.try_read().map_or(State::Unsuitable, |state| state.clone())
    }

    fn set(&self, state: State) {
        if let Ok(mut own) = self.0.try_write() {
            *own = state;
        }
    }
}

/// Whether a limit leaves room for these bytes.
fn allowed(bytes: u64, compute: &Compute) -> bool {
    compute.reserve(MemoryPurpose::KernelMatrix, "packed centers", bytes, "").is_ok()
}

impl Clone for KeptCenters {
    fn clone(&self) -> Self {
        Self(RwLock::new(self.0.try_read().map_or(State::Unknown, |state| state.clone())))
    }
}

impl PartialEq for KeptCenters {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    #[test]
    fn packed_centers_count_against_the_memory_limit() {
        let points = Array2::from_shape_fn((500, 40), |(i, j)| ((i * 7 + j * 3) % 11) as f64);
        let sample = Sample::Vectors(points.clone());
        for text in ["gaussian(lengthscale=3)", "gaussian(lengthscale=3) + on([1, 2], sinc(bandlimit=0.5))"] {
            let kernel: Kernel = text.parse().unwrap();
            let x = points.slice(ndarray::s![..3, ..]);
            let (small, large) = (Compute::new().with_memory(300_000), Compute::new().with_memory(100_000_000));
            let values = |compute: &Compute, centers: &KeptCenters| {
                let bound = centers.bind(&kernel, Points::Vectors(x.view()), &sample, compute).unwrap();
                crate::gram::dense(&bound, compute).unwrap()
            };
            let kept = KeptCenters::default();
            let refused = values(&small, &kept);
            assert!(!kept.holds(), "{text}: 160 kB of points and their copies are more than 300 kB");
            let found = values(&large, &kept);
            assert!(kept.holds() && kept.clone().holds());
            assert_eq!(found, refused);
            assert_eq!(values(&small, &kept), found);
            assert!(!kept.holds(), "{text}: a smaller limit drops them");
            assert_eq!(values(&large, &kept), found);
            assert!(kept.holds(), "{text}: a larger one makes them again");
        }
    }

    #[test]
    fn kernels_that_depend_on_the_points_keep_nothing() {
        let points = Array2::from_shape_fn((50, 2), |(i, j)| ((i * 7 + j * 3) % 11) as f64);
        let (sample, kept) = (Sample::Vectors(points.clone()), KeptCenters::default());
        let kernel: Kernel = "gaussian(lengthscale=median)".parse().unwrap();
        kept.bind(&kernel, Points::Vectors(points.view()), &sample, &Compute::new()).unwrap();
        assert!(matches!(kept.state(), State::Unsuitable));
    }
}
