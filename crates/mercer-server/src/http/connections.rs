//! The table of open connections: which of them wait for a request, and for how long.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// One connection.
#[derive(Debug)]
pub(super) struct Entry {
    number: u64,
    started: Instant,
    /// Whether a request is being answered.
    working: AtomicBool,
    /// Milliseconds after `started` at which the connection began to wait.
    waiting_since: AtomicU64,
    /// Raised to end the connection.
    pub close: Notify,
}

impl Entry {
    /// A request has arrived.
    pub fn work(&self) {
        self.working.store(true, Ordering::Relaxed);
    }

    /// The answer is ready to be sent, and the next request may come.
    pub fn wait(&self) {
        self.waiting_since.store(self.started.elapsed().as_millis() as u64, Ordering::Relaxed);
        self.working.store(false, Ordering::Relaxed);
    }

    /// How long it has waited; none while it works.
    fn waited(&self) -> Option<Duration> {
        let since = Duration::from_millis(self.waiting_since.load(Ordering::Relaxed));
        (!self.working.load(Ordering::Relaxed)).then(|| self.started.elapsed().saturating_sub(since))
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
            working: AtomicBool::new(false),
            waiting_since: AtomicU64::new(0),
            close: Notify::new(),
        });
        open.1.insert(entry.number, entry.clone());
        Some(Place { table: self.clone(), entry })
    }

    /// Ends the connections that have waited longer than this.
    pub fn end_waiting(&self, limit: Duration) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        for entry in open.1.values().filter(|e| e.waited().is_some_and(|t| t > limit)) {
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
}
