//! Computations of requests: limited in number and time, stopped when nobody waits for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use mercer::{Cancel, Compute};
use tokio::sync::Semaphore;

use super::{Limits, Refusal};

/// The computations of a server. Copies share the limits.
#[derive(Clone)]
pub struct Jobs {
    running: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    most: usize,
    time: Duration,
}

impl Jobs {
    /// At most `at_once` computations at a time, others wait; limits of their number and time.
    pub fn new(at_once: usize, limits: &Limits) -> Self {
        let running = Arc::new(Semaphore::new(at_once.max(1)));
        Self { running, waiting: Arc::default(), most: limits.jobs, time: limits.work_time }
    }

    /// Computations that run or wait.
    pub fn count(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Runs work on a thread of its own. Its `Compute` is canceled when the time is over, and when
    /// the request is given up.
    ///
    /// # Errors
    /// 429 if too many computations wait, 408 after the time limit, 500 if the work panics.
    pub async fn run<T: Send + 'static>(
        &self,
        compute: &Compute,
        work: impl FnOnce(&Compute) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let place = Place::enter(self)?;
        let cancel = Cancel::default();
        let compute = compute.clone().with_cancel(cancel.clone());
        let stop = AbortOnDrop(cancel);
        let running = self.running.clone();
        let all = async move {
            let permit = running.acquire_owned().await.map_err(|_| Refusal::defect())?;
            // The place is kept until the thread has ended, even if nobody waits for it.
            let thread = tokio::task::spawn_blocking(move || {
                let _kept = (permit, place);
                work(&compute)
            });
            thread.await.map_err(|_| Refusal::defect())
        };
        let found = tokio::time::timeout(self.time, all).await;
        drop(stop);
        found.unwrap_or_else(|_| Err(out_of_time(self.time)))
    }
}

/// The refusal of work that takes too long.
pub(crate) fn out_of_time(limit: Duration) -> Refusal {
    let message = format!("the computation took longer than {} s: send fewer rows", limit.as_secs_f64());
    Refusal::new(StatusCode::REQUEST_TIMEOUT, "time_limit", message)
}

/// The refusal where too much work waits.
pub(crate) fn too_many(most: usize) -> Refusal {
    let message = format!("{most} computations run or wait already: try again later");
    Refusal::new(StatusCode::TOO_MANY_REQUESTS, "too_many_jobs", message)
}

struct Place(Arc<AtomicUsize>);

impl Place {
    fn enter(jobs: &Jobs) -> Result<Self, Refusal> {
        let free = |count: usize| (count < jobs.most).then_some(count + 1);
        match jobs.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, free) {
            Ok(_) => Ok(Self(jobs.waiting.clone())),
            Err(_) => Err(too_many(jobs.most)),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

struct AbortOnDrop(Cancel);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap()
    }

    #[test]
    fn work_over_the_limits_is_refused_and_canceled() {
        let limits = Limits { jobs: 2, work_time: Duration::from_millis(50), ..Limits::default() };
        let jobs = Jobs::new(1, &limits);
        let compute = Compute::new();
        runtime().block_on(async {
            assert_eq!(jobs.run(&compute, |_| 3).await, Ok(3));
            let until_canceled = |compute: &Compute| {
                while compute.check_canceled().is_ok() {
                    std::thread::sleep(Duration::from_millis(1));
                }
            };
            let (first, second) = (jobs.clone(), jobs.clone());
            let (one, two) = (compute.clone(), compute.clone());
            let first = tokio::spawn(async move { first.run(&one, until_canceled).await });
            let second = tokio::spawn(async move { second.run(&two, |_| ()).await });
            while jobs.count() < 2 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            assert_eq!(jobs.run(&compute, |_| ()).await.unwrap_err().status, StatusCode::TOO_MANY_REQUESTS);
            assert_eq!(first.await.unwrap().unwrap_err().status, StatusCode::REQUEST_TIMEOUT);
            let _ = second.await.unwrap();
            while jobs.count() > 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            assert_eq!(jobs.run(&compute, |_| 4).await, Ok(4));
        });
    }

    #[test]
    fn a_panic_is_an_answer() {
        let jobs = Jobs::new(1, &Limits::default());
        let found = runtime().block_on(jobs.run(&Compute::new(), |_| -> () { panic!("on purpose") }));
        assert_eq!(found.unwrap_err().status, StatusCode::INTERNAL_SERVER_ERROR);
    }
}
