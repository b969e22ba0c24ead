//! Parallel loops over numbered tasks.
//!
//! rayon compiles its iterators anew for every closure, about 10 kB each. Here the closure is
//! called through a reference, so that one loop serves all; a task of a microsecond or more does
//! not notice.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::Compute;
use crate::Result;

impl Compute {
    /// The values of `task` at 0, 1, …, `count − 1`, in this order.
    pub(crate) fn map_tasks<T: Send>(&self, count: usize, task: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let slots: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
        self.each_task(count, &|at| {
            let value = task(at);
            slots[at].lock().unwrap_or_else(PoisonError::into_inner).replace(value);
        });
        slots.into_iter().filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    /// As [`Compute::map_tasks`]; the first error of the order. Tasks behind an error are not begun.
    pub(crate) fn try_map_tasks<T: Send>(
        &self,
        count: usize,
        task: impl Fn(usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let failed = AtomicUsize::new(count);
        let values = self.map_tasks(count, |at| {
            let value = (at < failed.load(Ordering::Relaxed)).then(|| task(at));
            if let Some(Err(_)) = &value {
                failed.fetch_min(at, Ordering::Relaxed);
            }
            value
        });
        // Whatever was not begun stands behind an error.
        values.into_iter().flatten().collect()
    }

    /// Runs `task` on chunks of `size` values (the last may be shorter), each with its number.
    pub(crate) fn try_each_chunk<T: Send>(
        &self,
        values: &mut [T],
        size: usize,
        task: impl Fn(usize, &mut [T]) -> Result<()> + Sync,
    ) -> Result<()> {
        // No chunk is in two tasks, so that no lock is ever waited for.
        let chunks: Vec<Mutex<&mut [T]>> = values.chunks_mut(size.max(1)).map(Mutex::new).collect();
        let run = |at: usize| task(at, &mut chunks[at].lock().unwrap_or_else(PoisonError::into_inner));
        self.try_map_tasks(chunks.len(), run).map(drop)
    }

    /// As [`Compute::try_each_chunk`], for tasks that cannot fail.
    pub(crate) fn each_chunk<T: Send>(&self, values: &mut [T], size: usize, task: impl Fn(usize, &mut [T]) + Sync) {
        let chunks: Vec<Mutex<&mut [T]>> = values.chunks_mut(size.max(1)).map(Mutex::new).collect();
        self.each_task(chunks.len(), &|at| task(at, &mut chunks[at].lock().unwrap_or_else(PoisonError::into_inner)));
    }

    fn each_task(&self, count: usize, task: &(dyn Fn(usize) + Sync)) {
        self.install(|| (0..count).into_par_iter().for_each(task));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn values_come_in_order() {
        for threads in 1..=3 {
            let compute = Compute::new().with_threads(threads).unwrap();
            assert_eq!(compute.map_tasks(1000, |i| i * i), (0..1000).map(|i| i * i).collect::<Vec<_>>());
            assert!(compute.map_tasks(0, |i| i).is_empty());
        }
    }

    #[test]
    fn the_first_error_of_the_order_is_returned() {
        let task = |i: usize| if i % 10 == 7 { Err(Error::request(format!("task {i}"))) } else { Ok(i) };
        let error = Compute::new().try_map_tasks(100, task).unwrap_err();
        assert!(error.to_string().contains("task 7"), "{error}");
    }

    #[test]
    fn chunks_cover_the_values_once() {
        let mut values = vec![0; 103];
        let compute = Compute::new().with_threads(3).unwrap();
        compute.each_chunk(&mut values, 10, |at, chunk| chunk.iter_mut().for_each(|v| *v += at));
        assert!(values.iter().enumerate().all(|(i, &v)| v == i / 10));
        let failing = |at: usize, _: &mut [usize]| if at == 10 { Err(Error::Canceled) } else { Ok(()) };
        assert!(compute.try_each_chunk(&mut values, 10, failing).is_err());
        assert!(compute.try_each_chunk(&mut values[..100], 10, failing).is_ok());
    }

    #[test]
    fn numbers_of_threads_that_no_machine_has_are_refused_at_once() {
        for threads in [0, 1025, 1_000_000, usize::MAX] {
            let error = Compute::new().with_threads(threads).err().unwrap();
            assert!(matches!(&error, Error::Parameter { name, .. } if name == "threads"), "{error}");
        }
        assert_eq!(Compute::new().with_threads(3).unwrap().threads(), 3);
    }
}
