//! The table of open connections: which of them wait for a request, and for how long.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// What a connection is doing.
const WAITS: u8 = 0;
/// Part of a body has not arrived yet.
const STALLS: u8 = 1;
/// A request is being answered.
const WORKS: u8 = 2;

/// One connection.
#[derive(Debug)]
pub(super) struct Entry {
    number: u64,
    started: Instant,
    state: AtomicU8,
    /// Milliseconds after `started` at which the connection began to wait or to stall.
    since: AtomicU64,
    /// Whether a request has been answered.
    served: AtomicBool,
    /// Raised to end the connection.
    pub close: Notify,
}

impl Entry {
    /// A request has arrived, or more of its body.
    pub fn work(&self) {
        self.state.store(WORKS, Ordering::Relaxed);
    }

    /// More of a body is needed.
    pub fn stall(&self) {
        if self.state.load(Ordering::Relaxed) == WORKS {
            self.set(STALLS);
        }
    }

    /// The answer is ready to be sent, and the next request may come.
    pub fn wait(&self) {
        self.served.store(true, Ordering::Relaxed);
        self.set(WAITS);
    }

    fn set(&self, state: u8) {
        self.since.store(self.started.elapsed().as_millis() as u64, Ordering::Relaxed);
        self.state.store(state, Ordering::Relaxed);
    }

    /// How long it has waited for its client; none while it works.
    fn waited(&self) -> Option<Duration> {
        let since = Duration::from_millis(self.since.load(Ordering::Relaxed));
        let works = self.state.load(Ordering::Relaxed) == WORKS;
        (!works).then(|| self.started.elapsed().saturating_sub(since))
    }

    /// Whether it has waited for a request longer than it may; bodies have a limit of their own.
    fn is_overdue(&self, first: Duration, next: Duration) -> bool {
        let limit = if self.served.load(Ordering::Relaxed) { next } else { first };
        self.state.load(Ordering::Relaxed) == WAITS && self.waited().is_some_and(|time| time > limit)
    }
}

/// All open connections.
#[derive(Debug)]
pub(super) struct Connections {
    limit: usize,
    open: Mutex<(u64, BTreeMap<u64, Arc<Entry>>)>,
}

/// A place in the table, given back when it is dropped.
pub(super) struct Place {
    table: Arc<Connections>,
    pub entry: Arc<Entry>,
}

impl Connections {
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit: limit.max(1), open: Mutex::default() })
    }

    /// A place for a new connection. At the limit the connection that has waited longest loses its
    /// place; there is none where all are at work.
    pub fn enter(self: &Arc<Self>) -> Option<Place> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.1.len() >= self.limit {
            let longest = open.1.values().filter_map(|e| Some((e.waited()?, e.number))).max();
            let entry = open.1.remove(&longest?.1)?;
            entry.close.notify_one();
        }
        open.0 += 1;
        let entry = Arc::new(Entry {
            number: open.0,
            started: Instant::now(),
            state: AtomicU8::new(WAITS),
            since: AtomicU64::new(0),
            served: AtomicBool::new(false),
            close: Notify::new(),
        });
        open.1.insert(entry.number, entry.clone());
        Some(Place { table: self.clone(), entry })
    }

    /// Ends the connections that have waited longer than this for their first or next request.
    pub fn end_waiting(&self, first: Duration, next: Duration) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        for entry in open.1.values().filter(|entry| entry.is_overdue(first, next)) {
            entry.close.notify_one();
        }
    }

    /// How many are open.
    pub fn count(&self) -> usize {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).1.len()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.table.open.lock().unwrap_or_else(PoisonError::into_inner).1.remove(&self.entry.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_waiting_connection_loses_its_place() {
        let table = Connections::new(2);
        let (first, second) = (table.enter().unwrap(), table.enter().unwrap());
        first.entry.work();
        let third = table.enter().unwrap();
        assert_eq!(table.count(), 2);
        drop(second);
        assert_eq!(table.count(), 2, "its place had gone to the third");
        third.entry.work();
        assert!(table.enter().is_none());
        first.entry.wait();
        assert!(table.enter().is_some());
    }

    #[test]
    fn a_stalled_body_gives_way_but_is_not_overdue() {
        let table = Connections::new(1);
        let first = table.enter().unwrap();
        first.entry.work();
        assert!(table.enter().is_none());
        first.entry.stall();
        std::thread::sleep(Duration::from_millis(5));
        assert!(!first.entry.is_overdue(Duration::ZERO, Duration::ZERO));
        assert!(table.enter().is_some());
        first.entry.wait();
        std::thread::sleep(Duration::from_millis(5));
        assert!(first.entry.is_overdue(Duration::from_secs(9), Duration::ZERO));
        assert!(!first.entry.is_overdue(Duration::ZERO, Duration::from_secs(9)));
    }
}
