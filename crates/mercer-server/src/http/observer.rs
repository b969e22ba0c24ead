//! Statistics of requests.

use std::sync::Arc;
use std::time::Duration;

/// A request with its answer, for statistics.
#[derive(Debug)]
pub struct Seen<'r> {
    /// The method.
    pub method: &'r str,
    /// The path, without the query.
    pub path: &'r str,
    /// The status of the answer.
    pub status: u16,
    /// From the head of the request to the answer.
    pub time: Duration,
}

/// Is told of every request.
pub trait Observer: Send + Sync + 'static {
    /// The head of a request has arrived.
    fn begin(&self) {}
    /// The answer is ready.
    fn end(&self, seen: &Seen<'_>);
    /// The request was given up before its answer was ready.
    fn abandon(&self) {}
}

/// An observer that ignores everything.
#[derive(Debug)]
pub struct Silent;

impl Observer for Silent {
    fn end(&self, _seen: &Seen<'_>) {}
}

/// Tells the observer of the end of a request, or that it was given up.
pub(super) struct Watched(Option<Arc<dyn Observer>>);

impl Watched {
    pub fn begin(observer: &Arc<dyn Observer>) -> Self {
        observer.begin();
        Self(Some(observer.clone()))
    }

    pub fn end(mut self, seen: &Seen<'_>) {
        if let Some(observer) = self.0.take() {
            observer.end(seen);
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(observer) = &self.0 {
            observer.abandon();
        }
    }
}
