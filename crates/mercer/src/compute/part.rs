//! The progress of a part as the progress of the whole.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Progress;

/// The units of a part.
const UNITS: u64 = 1000;

/// Reports what is done of one of several parts of equal size as what is done of all.
pub(super) struct Part {
    inner: Arc<dyn Progress>,
    work: &'static str,
    before: u64,
    total: u64,
    /// The most that was reported: a part may do several works one after the other.
    most: AtomicU64,
}

impl Part {
    pub(super) fn new(inner: Arc<dyn Progress>, work: &'static str, index: usize, count: usize) -> Self {
        let (before, total) = (UNITS * index as u64, UNITS * count as u64);
        Self { inner, work, before, total, most: AtomicU64::new(0) }
    }
}

impl Progress for Part {
    fn report(&self, _: &str, done: u64, total: u64) {
        let share = (UNITS as f64 * done as f64 / total.max(1) as f64) as u64;
        let share = share.min(UNITS).max(self.most.fetch_max(share, Ordering::Relaxed));
        self.inner.report(self.work, self.before + share, self.total);
    }

    fn remark(&self, text: &str) {
        self.inner.remark(text);
    }
}
