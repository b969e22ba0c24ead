//! Threads that survive a fork: every process has its own, made when they are first needed.
//!
//! A forked child has one thread, whatever its parent had: it must neither wait for the workers of
//! the parent nor touch a lock that one of them may have held. So rayon's global pool is never used
//! (it cannot be made again), and a pool is found by the number of the process that made it.
//! Nothing is locked on the way but what threads of the same process lock; pools of another process
//! are left alone, also when they are dropped.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use super::Compute;

/// Processes that made threads one inside the other, each the child of the one before. Beyond them
/// every call has threads of its own. Any value above what programs nest would do.
const GENERATIONS: usize = 16;

/// The default: all cores.
static SHARED: Threads = Threads::new(0);

/// The pool of one process.
struct Slot {
    /// The number of the process, 0 if the slot is free.
    process: AtomicU32,
    /// Asked for by threads of that process alone.
    pool: OnceLock<Option<ThreadPool>>,
}

/// A number of threads.
pub(super) struct Threads {
    /// How many; 0 is one per core, or the value set for rayon in the environment.
    count: usize,
    slots: [Slot; GENERATIONS],
}

impl Threads {
    pub(super) const fn new(count: usize) -> Self {
        Self { count, slots: [const { Slot { process: AtomicU32::new(0), pool: OnceLock::new() } }; GENERATIONS] }
    }

    /// As [`Threads::new`], with the threads of this process started.
    pub(super) fn start(count: usize) -> Result<Self, ThreadPoolBuildError> {
        let (threads, pool) = (Self::new(count), build(count)?);
        let own = &threads.slots[0];
        own.process.store(std::process::id(), Ordering::Release);
        own.pool.get_or_init(|| Some(pool));
        Ok(threads)
    }

    /// The number of threads.
    pub(super) fn count(&self) -> usize {
        match self.count {
            0 => self.of_process(std::process::id()).map_or(1, ThreadPool::current_num_threads),
            count => count,
        }
    }

    /// Runs `work` on the threads of this process.
    pub(super) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let (mut work, mut value) = (Some(work), None);
        self.run(&mut || value = work.take().map(|work| work()));
        value.expect("the work has run")
    }

    /// As [`Threads::install`], compiled once and not for every closure.
    fn run(&self, work: &mut (dyn FnMut() + Send)) {
        if let Some(pool) = self.of_process(std::process::id()) {
            return pool.install(work);
        }
        match build(self.count) {
            Ok(pool) => pool.install(work),
            Err(_) => alone(work),
        }
    }

    /// Runs `work` on the threads of this process while the caller runs `meanwhile`.
    pub(super) fn beside<T: Send>(&self, work: impl FnOnce() -> T + Send, meanwhile: impl FnOnce()) -> T {
        let mut value = None;
        let fill = || value = Some(work());
        match self.of_process(std::process::id()) {
            Some(pool) => side_by_side(pool, fill, meanwhile),
            // As in `run`, a pool for this call alone; without any thread both run in turn.
            None => match build(self.count) {
                Ok(pool) => side_by_side(&pool, fill, meanwhile),
                Err(_) => {
                    fill();
                    meanwhile();
                }
            },
        }
        value.expect("the work has run")
    }

    /// The pool of a process, made if it is the first time. None where no thread can be started, or
    /// after too many forks.
    fn of_process(&self, process: u32) -> Option<&ThreadPool> {
        let mine = |slot: &&Slot| {
            // Slots fill up in order, so that the first free one is behind all that a parent has
            // filled.
            let claimed = slot.process.compare_exchange(0, process, Ordering::AcqRel, Ordering::Acquire);
            claimed.map_or_else(|owner| owner == process, |_| true)
        };
        self.slots.iter().find(mine)?.pool.get_or_init(|| build(self.count).ok()).as_ref()
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        for slot in &mut self.slots {
            // The threads of another process do not exist here, and what they had locked stays
            // locked.
            if *slot.process.get_mut() != std::process::id() {
                std::mem::forget(slot.pool.take());
            }
        }
    }
}

/// Runs `work` where the caller runs if that is a pool, and on all cores otherwise.
///
/// Whoever works in parallel without a [`super::Compute`] at hand begins here: never in rayon's
/// global pool.
pub(crate) fn in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if rayon::current_thread_index().is_some() { work() } else { SHARED.install(work) }
}

/// As [`Threads::beside`] on all cores. A caller that is one of the threads itself runs both in turn:
/// it would wait for a thread that may be its own.
pub(super) fn beside<T: Send>(work: impl FnOnce() -> T + Send, meanwhile: impl FnOnce()) -> T {
    if rayon::current_thread_index().is_none() {
        return SHARED.beside(work, meanwhile);
    }
    let value = work();
    meanwhile();
    value
}

/// Who does some work: the calling thread alone, as it must inside a lock, since a thread that waits
/// for others may take up a task that needs the same lock; or all threads.
#[derive(Clone, Copy)]
pub(crate) enum Workers<'c> {
    One,
    All(&'c Compute),
}

/// Numbers below which all work is for one thread.
const FEW: usize = 1 << 16;

impl Workers<'_> {
    /// Calls `work` with the place of every chunk and the chunk.
    pub(crate) fn each_chunk<T: Send>(self, values: &mut [T], size: usize, work: impl Fn(usize, &mut [T]) + Sync) {
        match self {
            Self::All(compute) if values.len() >= FEW => {
                let chunks = values.par_chunks_mut(size.max(1)).enumerate();
                compute.install(|| chunks.for_each(|(at, chunk)| work(at, chunk)));
            }
            _ => values.chunks_mut(size.max(1)).enumerate().for_each(|(at, chunk)| work(at, chunk)),
        }
    }
}

/// The threads that [`in_pool`] works on.
pub(super) fn pool_size() -> usize {
    if rayon::current_thread_index().is_some() { rayon::current_num_threads() } else { SHARED.count() }
}

/// The value of a cell, made if there is none. It is made before the cell is locked: a fork may
/// come while it is made, and the child would wait for ever.
pub(crate) fn filled<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    if let Some(value) = cell.get() {
        return value;
    }
    let made = make();
    cell.get_or_init(|| made)
}

fn side_by_side(pool: &ThreadPool, work: impl FnOnce() + Send, meanwhile: impl FnOnce()) {
    pool.in_place_scope(|scope| {
        scope.spawn(|_| work());
        meanwhile();
    });
}

fn build(count: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(count).thread_name(|i| format!("mercer-{i}")).build()
}

/// The last resort where the system refuses every thread: the caller becomes a pool of one, and
/// stays it.
fn alone(work: &mut dyn FnMut()) {
    let _stays = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().map(std::mem::forget);
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_has_a_pool_of_its_own() {
        let threads = Threads::start(2).unwrap();
        let own = std::process::id();
        let first: *const ThreadPool = threads.of_process(own).unwrap();
        // A child sees the slots of its parent filled, under another number.
        let child: *const ThreadPool = threads.of_process(own + 1).unwrap();
        assert_ne!(first, child);
        assert_eq!(child, std::ptr::from_ref(threads.of_process(own + 1).unwrap()));
        assert_eq!(first, std::ptr::from_ref(threads.of_process(own).unwrap()));
        assert_eq!(threads.count(), 2);
    }

    #[test]
    fn more_generations_than_slots_still_work() {
        let threads = Threads::new(1);
        let others = (1..).filter(|p| *p != std::process::id()).take(GENERATIONS);
        others.for_each(|p| assert!(threads.of_process(p).is_some()));
        assert!(threads.of_process(std::process::id()).is_none());
        assert_eq!(threads.install(rayon::current_num_threads), 1);
    }

    #[test]
    fn work_runs_on_the_threads_while_the_caller_waits_for_it() {
        for threads in [Threads::new(0), Threads::start(1).unwrap()] {
            let caller = std::thread::current().id();
            let (done, wait) = std::sync::mpsc::sync_channel(1);
            let work = move || {
                done.send(()).unwrap();
                std::thread::current().id()
            };
            let mut met = false;
            let worker = threads.beside(work, || met = wait.recv().is_ok());
            assert!(met && worker != caller);
        }
        // A thread of the pool does not wait for itself.
        assert_eq!(in_pool(|| beside(|| 2, || ())), 2);
    }

    #[test]
    fn a_panic_of_the_work_reaches_the_caller() {
        let panicked = std::panic::catch_unwind(|| Threads::new(1).beside(|| panic!("the work"), || ()));
        assert!(panicked.is_err());
    }

    #[test]
    fn work_without_a_number_of_threads_runs_on_ours() {
        let name = in_pool(|| std::thread::current().name().map(str::to_owned));
        assert!(name.is_some_and(|n| n.starts_with("mercer-")));
        let pool = Threads::start(3).unwrap();
        assert_eq!(pool.install(|| in_pool(rayon::current_num_threads)), 3);
        assert_eq!(pool.install(pool_size), 3);
    }
}
