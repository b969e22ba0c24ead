//! Structured logs: one JSON object per line, written by a thread of its own.

use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};

use super::time::utc;

/// Lines are collected for this long before they are written together: a write per request would
/// be a tenth of the time of a small request.
const PAUSE: Duration = Duration::from_millis(20);
/// Bytes that may wait; lines beyond are dropped and counted, so that a stopped reader of the log
/// does not stop the server.
const WAITING: usize = 4 << 20;

/// What a handler adds to the log line of its request, as an extension of the answer.
#[derive(Clone, Debug, Default)]
pub struct LogFields(pub Vec<(&'static str, Value)>);

/// The log. Copies write to the same place.
#[derive(Clone)]
pub struct Log {
    shared: Arc<Shared>,
    /// Requests are not logged, only events.
    quiet: bool,
}

struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    writer: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct State {
    lines: Vec<u8>,
    dropped: u64,
    closed: bool,
}

impl Log {
    /// To standard error; only events, not requests, where `quiet` is set.
    pub fn to_standard_error(quiet: bool) -> Self {
        Self::to(std::io::stderr(), quiet)
    }

    /// To a writer.
    pub fn to(out: impl Write + Send + 'static, quiet: bool) -> Self {
        let shared = Arc::new(Shared { state: Mutex::default(), wake: Condvar::new(), writer: Mutex::new(None) });
        let own = shared.clone();
        let writer = std::thread::spawn(move || own.write(out));
        *lock(&shared.writer) = Some(writer);
        Self { shared, quiet }
    }

    /// Whether requests are logged.
    pub fn has_requests(&self) -> bool {
        !self.quiet
    }

    /// Writes an event with its fields.
    pub fn event(&self, level: &str, event: &str, fields: impl IntoIterator<Item = (&'static str, Value)>) {
        let mut line = Map::new();
        line.insert("time".into(), utc(SystemTime::now()).into());
        line.insert("level".into(), level.into());
        line.insert("event".into(), event.into());
        line.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
        self.push(&Value::Object(line).to_string());
    }

    fn push(&self, line: &str) {
        let mut state = lock(&self.shared.state);
        if state.lines.len() + line.len() > WAITING {
            state.dropped += 1;
            return;
        }
        let was_empty = state.lines.is_empty();
        state.lines.extend_from_slice(line.as_bytes());
        state.lines.push(b'\n');
        drop(state);
        if was_empty {
            self.shared.wake.notify_one();
        }
    }

    /// Writes what waits, and ends.
    pub fn close(&self) {
        lock(&self.shared.state).closed = true;
        self.shared.wake.notify_one();
        if let Some(writer) = lock(&self.shared.writer).take() {
            let _ = writer.join();
        }
    }
}

impl Shared {
    fn write(&self, mut out: impl Write) {
        loop {
            let closed = {
                let waiting = |state: &mut State| state.lines.is_empty() && !state.closed;
                let state = self.wake.wait_while(lock(&self.state), waiting);
                state.unwrap_or_else(PoisonError::into_inner).closed
            };
            if !closed {
                std::thread::sleep(PAUSE);
            }
            let State { mut lines, dropped, .. } = {
                let mut state = lock(&self.state);
                let (lines, dropped) = (std::mem::take(&mut state.lines), std::mem::take(&mut state.dropped));
                State { lines, dropped, closed }
            };
            if dropped > 0 {
                let time = utc(SystemTime::now());
                let line =
                    serde_json::json!({ "time": time, "level": "warn", "event": "log_dropped", "lines": dropped });
                lines.extend_from_slice(format!("{line}\n").as_bytes());
            }
            // Where nobody can read the log there is nobody to tell.
            let _ = out.write_all(&lines).and_then(|()| out.flush());
            if closed {
                return;
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            lock(&self.0).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_are_objects_in_order() {
        let kept = Kept::default();
        let log = Log::to(kept.clone(), false);
        for i in 0..50 {
            log.event("info", "test", [("i", Value::from(i)), ("text", "a\nb".into())]);
        }
        log.close();
        let text = String::from_utf8(lock(&kept.0).clone()).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 50);
        assert!((0..50).all(|i| lines[i]["i"] == i && lines[i]["event"] == "test" && lines[i]["text"] == "a\nb"));
    }
}
