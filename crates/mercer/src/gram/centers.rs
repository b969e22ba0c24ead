//! The centers of a fit, to which new points are bound again and again.

use std::sync::{Arc, RwLock};

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
        if matches!((x, centers), (Points::Vectors(_), _) | (Points::Sparse(_), Sample::Sparse(_)))
            && let Some(numbers) = KeptColumns::numbers(centers).filter(|numbers| *numbers <= MOST_KEPT)
        {
            x.check_finite("first sample")?;
            if let Some(kept) = self.kept(kernel, centers, numbers, compute)?
                && let Some(bound) = kept.bind(kernel, x, centers, compute)?
            {
                return Ok(bound);
            }
        }
        kernel.bind(Pairs::Between(x, centers.as_points()), compute)
    }

    /// What is kept and within the limit; made where nothing is known yet.
    fn kept(
        &self,
        kernel: &Kernel,
        columns: &Sample,
        numbers: usize,
        compute: &Compute,
    ) -> Result<Option<Arc<KeptColumns>>> {
        match self.state() {
            State::Unsuitable => return Ok(None),
            State::Refused(bytes) if !allowed(bytes, compute) => return Ok(None),
            State::Kept(kept) if allowed(kept.bytes(compute), compute) => return Ok(Some(kept)),
            State::Kept(kept) => {
                self.set(State::Refused(kept.bytes(compute)));
                return Ok(None);
            }
            State::Unknown | State::Refused(_) => {}
        }
        // Points and their packed copy, at least; what a kernel adds to them is known once it is made.
        let least = 16 * numbers as u64;
        if !allowed(least, compute) {
            self.set(State::Refused(least));
            return Ok(None);
        }
        let Some(kept) = KeptColumns::new(kernel, columns, compute)?.map(Arc::new) else {
            self.set(State::Unsuitable);
            return Ok(None);
        };
        let bytes = kept.bytes(compute);
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
    fn sparse_centers_are_kept_with_the_same_bits() {
        use crate::points::Csr;
        let entry = |(i, j): (usize, usize)| if (i * 7 + j * 13) % 31 == 0 { (i % 5) as f64 - 1.7 } else { 0.0 };
        let dense = Array2::from_shape_fn((300, 400), entry);
        let (all, compute) = (Csr::from_dense(dense.view()).unwrap(), Compute::new());
        let sample = Sample::Sparse(all.clone());
        let few = all.select(&[3, 200, 7]);
        let weights: Vec<String> = (0..400).map(|j| format!("{}", 1.0 + (j % 3) as f64)).collect();
        let per_column = format!("gaussian(lengthscale=[{}])", weights.join(", "));
        let texts = [
            "gaussian(lengthscale=3)",
            "linear() + laplacian(lengthscale=2)",
            "on([1, 5], linear()) + polynomial(degree=2)",
        ];
        for text in texts.into_iter().chain([per_column.as_str()]) {
            let kernel: Kernel = text.parse().unwrap();
            let kept = KeptCenters::default();
            for _ in 0..2 {
                for x in [Points::Sparse(&few), Points::Vectors(dense.slice(ndarray::s![..4, ..]))] {
                    let bound = kept.bind(&kernel, x, &sample, &compute).unwrap();
                    let anew = kernel.bind(Pairs::Between(x, sample.as_points()), &compute).unwrap();
                    let [found, expected] = [&bound, &anew].map(|b| crate::gram::dense(b, &compute).unwrap());
                    assert_eq!(found, expected, "{text}");
                }
                assert!(kept.holds(), "{text}");
            }
            let small = Compute::new().with_memory(20_000);
            let _ = kept.bind(&kernel, Points::Sparse(&few), &sample, &small);
            assert!(!kept.holds(), "{text}: a smaller limit drops them");
        }
        let kept = KeptCenters::default();
        let median: Kernel = "gaussian(lengthscale=median)".parse().unwrap();
        kept.bind(&median, Points::Sparse(&few), &sample, &compute).unwrap();
        assert!(matches!(kept.state(), State::Unsuitable));
        let narrow = all.select_columns(&[0, 1]);
        let gaussian: Kernel = "gaussian(lengthscale=3)".parse().unwrap();
        let kept = KeptCenters::default();
        assert!(kept.bind(&gaussian, Points::Sparse(&narrow), &sample, &compute).is_err());
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
