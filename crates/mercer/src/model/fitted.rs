//! A fit of any learner as one value.

use std::ops::Deref;
use std::sync::Arc;

use crate::learner::Fitted;

/// A fit, whatever the learner; copies share it.
///
/// # Example
/// ```
/// use mercer::{Compute, learn::{Ridge, RidgeFit}, model::AnyFit};
/// use ndarray::array;
/// let fit = Ridge::new("linear()".parse()?, 2.0).fit(array![[1.0]].view(), array![[3.0]].view(), None, &Compute::new())?;
/// let any = AnyFit::from(fit);
/// assert_eq!((any.kind(), any.targets()), ("ridge", 1));
/// assert_eq!(any.take::<RidgeFit>().map(|fit| fit.lambda()), Some(2.0));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct AnyFit(Arc<dyn Fitted>);

impl AnyFit {
    /// The typed fit, if it is of this type.
    pub fn take<T: Fitted + Clone>(self) -> Option<T> {
        self.0.downcast_ref::<T>().cloned()
    }
}

impl Deref for AnyFit {
    type Target = dyn Fitted;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl<T: Fitted> From<T> for AnyFit {
    fn from(fit: T) -> Self {
        Self(Arc::new(fit))
    }
}

impl From<Box<dyn Fitted>> for AnyFit {
    fn from(fit: Box<dyn Fitted>) -> Self {
        Self(fit.into())
    }
}

impl From<Arc<dyn Fitted>> for AnyFit {
    fn from(fit: Arc<dyn Fitted>) -> Self {
        Self(fit)
    }
}

impl From<AnyFit> for Arc<dyn Fitted> {
    fn from(fit: AnyFit) -> Self {
        fit.0
    }
}
