//! A reader that reports progress and stops when the work is canceled.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Compute, Error};

/// Bytes between two reports. Any value that makes several reports a second would do.
const STEP: u64 = 4 << 20;

/// Counts the bytes that pass, reports them, and fails with [`Error::Canceled`] inside when a stop
/// is requested.
pub(super) struct Meter<R> {
    inner: R,
    done: u64,
    total: u64,
    next: u64,
    compute: Compute,
    counter: Option<Arc<AtomicU64>>,
}

impl<R: Read> Meter<R> {
    pub fn new(inner: R, total: u64, compute: &Compute) -> Self {
        Self { inner, done: 0, total, next: STEP, compute: compute.clone(), counter: None }
    }

    /// The same, which also updates a counter, from 0.
    pub fn counting(mut self, counter: &Arc<AtomicU64>) -> Self {
        counter.store(0, Ordering::Relaxed);
        self.counter = Some(counter.clone());
        self
    }

    /// The same, for a reader that begins at this byte.
    pub fn beginning_at(mut self, byte: u64) -> Self {
        (self.done, self.next) = (byte, byte.saturating_add(STEP));
        self
    }

    fn step(&mut self, read: usize) -> io::Result<()> {
        let at_end = read == 0 && self.total > STEP;
        self.done += read as u64;
        if let Some(counter) = &self.counter {
            counter.store(self.done, Ordering::Relaxed);
        }
        if self.done >= self.next || at_end {
            self.next = self.done + STEP;
            self.compute.report("reading", self.done.min(self.total), self.total);
            self.compute.check_canceled().map_err(carry)?;
        }
        Ok(())
    }
}

impl<R: Read> Read for Meter<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.step(read)?;
        Ok(read)
    }
}

/// Our error inside the system's, so that it passes through `Read` and `Write`; [`uncarry`] takes
/// it out.
pub(super) fn carry(error: Error) -> io::Error {
    io::Error::other(error)
}

/// Our error again, if there is one inside.
pub(super) fn uncarry(error: io::Error) -> Result<Error, io::Error> {
    error.downcast::<Error>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cancel, Progress};
    use std::sync::{Arc, Mutex};

    #[derive(Default)]
    struct Recorded(Mutex<Vec<(u64, u64)>>);

    impl Progress for Recorded {
        fn report(&self, work: &str, done: u64, total: u64) {
            assert_eq!(work, "reading");
            self.0.lock().unwrap().push((done, total));
        }
    }

    #[test]
    fn progress_reaches_the_total() {
        let recorded = Arc::new(Recorded::default());
        let compute = Compute::new().with_progress(recorded.clone());
        let total = 3 * STEP + 5;
        let copied = io::copy(&mut Meter::new(io::repeat(7).take(total), total, &compute), &mut io::sink());
        assert_eq!(copied.unwrap(), total);
        let calls = recorded.0.lock().unwrap();
        assert_eq!(calls.last(), Some(&(total, total)));
        assert!(calls.len() >= 4 && calls.is_sorted());
    }

    #[test]
    fn canceling_stops_the_reading() {
        let cancel = Cancel::default();
        cancel.cancel();
        let compute = Compute::new().with_cancel(cancel);
        let mut meter = Meter::new(io::repeat(7).take(10 * STEP), 10 * STEP, &compute);
        let error = io::copy(&mut meter, &mut io::sink()).unwrap_err();
        assert!(matches!(uncarry(error), Ok(Error::Canceled)));
    }
}
