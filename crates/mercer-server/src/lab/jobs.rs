//! Work that takes longer than an answer: it runs on a thread of its own, tells how far it is, and can be stopped.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use mercer::{Cancel, Compute, Progress};
use serde_json::{Value, json};

use super::refusal::{Answer, Refusal};

/// Jobs that may run at a time.
const MOST_RUNNING: usize = 2;
/// Results that are kept.
const MOST_KEPT: usize = 24;

/// What a job gives: an answer for the page, and what later questions need.
pub struct Finished {
    /// The answer.
    pub answer: Value,
    /// The model, or whatever else is asked about later.
    pub kept: Option<Arc<dyn Any + Send + Sync>>,
}

/// All jobs of a session.
#[derive(Default)]
pub struct Jobs {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    counted: u64,
    jobs: BTreeMap<u64, Arc<Job>>,
}

/// A job.
pub struct Job {
    /// Discards the work.
    whole: Cancel,
    /// Stops the work where it is: a search and an optimization keep the best so far.
    cancel: Cancel,
    started: Instant,
    meter: Arc<Meter>,
    outcome: Mutex<Option<Result<Finished, Refusal>>>,
    seconds: Mutex<Option<f64>>,
}

/// How far the work is.
#[derive(Default)]
struct Meter(Mutex<Reading>);

#[derive(Clone, Default)]
struct Reading {
    work: String,
    done: u64,
    total: u64,
    remark: String,
    since: Option<Instant>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Progress for Meter {
    fn report(&self, work: &str, done: u64, total: u64) {
        let mut reading = locked(&self.0);
        if reading.work != work {
            *reading = Reading { work: work.to_owned(), since: Some(Instant::now()), ..Reading::default() };
        }
        (reading.done, reading.total) = (done, total);
    }

    fn remark(&self, text: &str) {
        locked(&self.0).remark = text.to_owned();
    }
}

impl Jobs {
    /// Starts work, if there is room for it, and gives its number.
    pub fn start(
        &self,
        compute: &Compute,
        work: impl FnOnce(&Compute, &Cancel) -> Result<Finished, Refusal> + Send + 'static,
    ) -> Result<u64, Refusal> {
        let mut state = locked(&self.state);
        let running = state.jobs.values().filter(|job| job.is_running()).count();
        if running >= MOST_RUNNING {
            return Err(Refusal::busy(format!("{running} jobs are running: wait for one, or stop it")));
        }
        state.counted += 1;
        let number = state.counted;
        let (whole, meter) = (Cancel::default(), Arc::new(Meter::default()));
        let cancel = whole.child();
        let compute = compute.clone().with_cancel(cancel.clone()).with_progress(meter.clone());
        let job = Arc::new(Job {
            whole,
            cancel: cancel.clone(),
            started: Instant::now(),
            meter,
            outcome: Mutex::new(None),
            seconds: Mutex::new(None),
        });
        let own = job.clone();
        let run = move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| work(&compute, &cancel)));
            let failed = || Err(Refusal::request("this is an error of Mercer, not of yours: the work failed"));
            let outcome = outcome.unwrap_or_else(|_| failed());
            *locked(&own.seconds) = Some(own.started.elapsed().as_secs_f64());
            *locked(&own.outcome) = Some(outcome);
        };
        let spawned = std::thread::Builder::new().name(format!("job {number}")).spawn(run);
        spawned.map_err(|e| Refusal::busy(format!("no thread for the work: {e}")))?;
        state.jobs.insert(number, job);
        while state.jobs.len() > MOST_KEPT {
            let Some(oldest) = state.jobs.iter().find(|(_, job)| !job.is_running()).map(|(n, _)| *n) else { break };
            state.jobs.remove(&oldest);
        }
        Ok(number)
    }

    /// The job of this number.
    pub fn get(&self, number: u64) -> Result<Arc<Job>, Refusal> {
        let found = locked(&self.state).jobs.get(&number).cloned();
        found.ok_or_else(|| Refusal::missing(format!("there is no job {number} any more: run it again")))
    }

    /// Stops all work, at the end of the program.
    pub fn stop_all(&self) {
        locked(&self.state).jobs.values().for_each(|job| job.whole.abort());
    }
}

impl Job {
    fn is_running(&self) -> bool {
        locked(&self.outcome).is_none()
    }

    /// Requests a stop: learners that have a model at any time return it, other work is discarded.
    pub fn stop(&self, discard: bool) {
        if discard { self.whole.abort() } else { self.cancel.cancel() }
    }

    /// How far it is, or its result.
    pub fn status(&self) -> Answer {
        let outcome = locked(&self.outcome);
        let seconds = locked(&self.seconds).unwrap_or_else(|| self.started.elapsed().as_secs_f64());
        let reading = locked(&self.meter.0).clone();
        match &*outcome {
            None => Ok(json!({
                "state": "running", "seconds": seconds, "work": reading.work, "done": reading.done,
                "total": reading.total, "remark": reading.remark, "remaining": remaining(&reading),
                "stopping": self.cancel.is_canceled(),
            })),
            Some(Ok(finished)) => Ok(json!({ "state": "done", "seconds": seconds, "result": finished.answer })),
            Some(Err(refusal)) => {
                Ok(json!({ "state": "failed", "seconds": seconds, "error": refusal.json()["error"] }))
            }
        }
    }

    /// What the job keeps for later questions.
    pub fn kept<T: Any + Send + Sync>(&self) -> Result<Arc<T>, Refusal> {
        let outcome = locked(&self.outcome);
        let kept = match &*outcome {
            Some(Ok(finished)) => finished.kept.clone(),
            _ => None,
        };
        kept.and_then(|kept| kept.downcast::<T>().ok())
            .ok_or_else(|| Refusal::request("this job has no result that can be asked about"))
    }
}

/// Seconds that are left, if the rest goes as the part that is done.
fn remaining(reading: &Reading) -> Option<f64> {
    let elapsed = reading.since?.elapsed().as_secs_f64();
    let known = reading.done > 0 && reading.total > reading.done && elapsed > 0.2;
    known.then(|| elapsed * (reading.total - reading.done) as f64 / reading.done as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn wait(job: &Job) -> Value {
        for _ in 0..2000 {
            let status = job.status().unwrap();
            if status["state"] != "running" {
                return status;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the job does not end");
    }

    fn until_stopped(compute: &Compute, _: &Cancel) -> Result<Finished, Refusal> {
        while compute.check_canceled().is_ok() {
            compute.report("waiting", 1, 4);
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(Finished { answer: json!("stopped"), kept: Some(Arc::new(7_u8)) })
    }

    #[test]
    fn jobs_report_stop_and_keep() {
        let jobs = Jobs::default();
        let number = jobs.start(&Compute::new(), until_stopped).unwrap();
        let job = jobs.get(number).unwrap();
        std::thread::sleep(Duration::from_millis(300));
        let status = job.status().unwrap();
        assert_eq!((status["state"].as_str(), status["total"].as_u64()), (Some("running"), Some(4)));
        assert!(status["remaining"].as_f64().unwrap() > 0.0);
        assert!(job.kept::<u8>().is_err());
        job.stop(false);
        assert_eq!(wait(&job)["result"], "stopped");
        assert_eq!(*job.kept::<u8>().unwrap(), 7);
        assert!(job.kept::<u16>().is_err());
    }

    #[test]
    fn no_more_than_two_run_and_a_panic_is_an_answer() {
        let jobs = Jobs::default();
        let first = jobs.start(&Compute::new(), until_stopped).unwrap();
        let second = jobs.start(&Compute::new(), until_stopped).unwrap();
        assert_eq!(jobs.start(&Compute::new(), until_stopped).unwrap_err().status, 429);
        for number in [first, second] {
            jobs.get(number).unwrap().stop(true);
            wait(&jobs.get(number).unwrap());
        }
        let number = jobs.start(&Compute::new(), |_, _| panic!("on purpose")).unwrap();
        assert_eq!(wait(&jobs.get(number).unwrap())["state"], "failed");
        assert_eq!(jobs.get(99).map(|_| ()).unwrap_err().status, 404);
    }
}
