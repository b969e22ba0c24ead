//! Limits of sizes, counts and times.

use std::time::Duration;

/// Limits of one server. A request over a limit gets an answer that names it.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of a body (413).
    pub body: usize,
    /// Rows of one request (413).
    pub rows: usize,
    /// Bytes of a request line and its headers (431).
    pub head: usize,
    /// Time in which the head of the first request of a connection must arrive (408).
    pub head_time: Duration,
    /// Time in which an answer must be read and the head of the next request arrive, before the
    /// connection is closed.
    pub idle_time: Duration,
    /// Time in which the body must arrive (408).
    pub body_time: Duration,
    /// Time of the computation of one request (408).
    pub work_time: Duration,
    /// Jobs that compute or wait to compute (429).
    pub jobs: usize,
    /// Open connections. At the limit the connection that has waited longest for its client is
    /// closed; if all are at work, the new one gets 503.
    pub connections: usize,
    /// Time that requests have to finish after a signal to stop.
    pub stop_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 16 << 20,
            rows: 100_000,
            head: 16 << 10,
            head_time: Duration::from_secs(10),
            idle_time: Duration::from_secs(60),
            body_time: Duration::from_secs(30),
            work_time: Duration::from_secs(30),
            jobs: 256,
            // Half of 1 024, the number of open files that many systems allow a program.
            connections: 512,
            stop_time: Duration::from_secs(10),
        }
    }
}
