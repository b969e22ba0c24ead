//! Requests of few rows that wait at the same time are computed together.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mercer::points::Column;
use mercer::{Compute, Sample};
use ndarray::{Array2, ArrayView2, Axis};
use tokio::sync::oneshot;

use super::ask::Ask;
use super::body::refusal;
use super::metrics::ModelMetrics;
use super::predict::{Encoded, part, predict};
use super::registry::Loaded;
use crate::http::{Limits, Refusal, out_of_time, too_many};

/// Requests with at most this many rows are collected: larger ones use all cores by themselves.
pub(crate) const FEW: usize = 32;
/// Rows that are computed together at most: enough to use the caches, and no request waits long.
const TOGETHER: usize = 512;

type Answer = Result<Vec<Column>, Refusal>;

struct Job {
    loaded: Arc<Loaded>,
    views: Vec<Encoded>,
    ask: Ask,
    answer: oneshot::Sender<Answer>,
}

#[derive(Default)]
struct State {
    jobs: Vec<Job>,
    closed: bool,
}

struct Queue {
    state: Mutex<State>,
    wake: Condvar,
}

/// The queue of one model, with a thread that works it off.
pub(crate) struct Batcher {
    queue: Arc<Queue>,
    most: usize,
    time: Duration,
}

impl Batcher {
    /// A queue that is worked off by this computation.
    pub fn start(compute: Compute, limits: &Limits, metrics: Arc<ModelMetrics>) -> std::io::Result<Self> {
        let queue = Arc::new(Queue { state: Mutex::default(), wake: Condvar::new() });
        let own = queue.clone();
        let thread = std::thread::Builder::new().name("mercer-batch".into());
        thread.spawn(move || own.work(&compute, &metrics))?;
        Ok(Self { queue, most: limits.jobs, time: limits.work_time })
    }

    /// Whether a request is one to collect. Intervals may need a factorization, and must not keep
    /// others waiting.
    pub fn takes(views: &[Encoded], ask: Ask) -> bool {
        let few = matches!(views, [Encoded { sample: Sample::Vectors(_), rows, .. }] if *rows <= FEW);
        few && ask.interval.is_none()
    }

    /// The answer to a request, together with others.
    pub async fn run(&self, loaded: Arc<Loaded>, views: Vec<Encoded>, ask: Ask) -> Answer {
        let (answer, found) = oneshot::channel();
        self.push(Job { loaded, views, ask, answer })?;
        match tokio::time::timeout(self.time, found).await {
            Ok(found) => found.unwrap_or_else(|_| Err(Refusal::defect())),
            Err(_) => Err(out_of_time(self.time)),
        }
    }

    fn push(&self, job: Job) -> Result<(), Refusal> {
        let mut state = self.queue.lock();
        if state.jobs.len() >= self.most {
            return Err(too_many(self.most));
        }
        state.jobs.push(job);
        let is_first = state.jobs.len() == 1;
        drop(state);
        if is_first {
            self.queue.wake.notify_one();
        }
        Ok(())
    }
}

impl Drop for Batcher {
    fn drop(&mut self) {
        self.queue.lock().closed = true;
        self.queue.wake.notify_one();
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, compute: &Compute, metrics: &ModelMetrics) {
        while let Some(mut jobs) = self.next() {
            // Nobody waits for those any more.
            jobs.retain(|job| !job.answer.is_closed());
            while let Some(first) = jobs.first() {
                let (loaded, ask) = (first.loaded.clone(), first.ask);
                let alike = |job: &mut Job| Arc::ptr_eq(&job.loaded, &loaded) && job.ask == ask;
                let together: Vec<Job> = take_up_to(&mut jobs, TOGETHER, alike);
                metrics.count_batch(together.len());
                // A panic is a defect, but not one of the other requests.
                let found = catch_unwind(AssertUnwindSafe(|| answers(&loaded, &together, ask, compute)));
                match found {
                    Ok(found) => together.into_iter().zip(found).for_each(|(job, found)| drop(job.answer.send(found))),
                    Err(_) => together.into_iter().for_each(|job| drop(job.answer.send(Err(Refusal::defect())))),
                }
            }
        }
    }

    /// All jobs that wait, as soon as there are some; none at the end.
    fn next(&self) -> Option<Vec<Job>> {
        let waiting = |state: &mut State| state.jobs.is_empty() && !state.closed;
        let mut state = self.wake.wait_while(self.lock(), waiting).unwrap_or_else(PoisonError::into_inner);
        if state.jobs.is_empty() { None } else { Some(std::mem::take(&mut state.jobs)) }
    }
}

/// The jobs that are alike, in order, up to a number of rows (one job at least).
fn take_up_to(jobs: &mut Vec<Job>, most: usize, mut alike: impl FnMut(&mut Job) -> bool) -> Vec<Job> {
    let mut rows = 0;
    let fits = |job: &mut Job| {
        let own = job.views.iter().map(|view| view.rows).max().unwrap_or(0);
        let taken = (rows == 0 || rows + own <= most) && alike(job);
        rows += if taken { own } else { 0 };
        taken
    };
    jobs.extract_if(.., fits).collect()
}

/// The answers to requests that are alike.
fn answers(loaded: &Loaded, jobs: &[Job], ask: Ask, compute: &Compute) -> Vec<Answer> {
    let alone = |job: &Job| predict(&loaded.model, &job.views, ask, compute).map_err(refusal);
    if let [only] = jobs {
        return vec![alone(only)];
    }
    match pooled(jobs).map(|all| predict(&loaded.model, &[all], ask, compute)) {
        Some(Ok(columns)) => {
            let mut end = 0;
            let own = |job: &Job| {
                let rows = end..end + job.views[0].rows;
                end = rows.end;
                Ok(part(&columns, rows))
            };
            jobs.iter().map(own).collect()
        }
        // One of them may be at fault: each gets its own answer.
        _ => jobs.iter().map(alone).collect(),
    }
}

/// The rows of several requests, one after the other.
fn pooled(jobs: &[Job]) -> Option<Encoded> {
    let vectors = |job: &Job| match job.views.as_slice() {
        [Encoded { sample: Sample::Vectors(x), .. }] => Some(x.len()),
        _ => None,
    };
    jobs.iter().map(vectors).collect::<Option<Vec<usize>>>()?;
    let views: Vec<ArrayView2<'_, f64>> =
        jobs.iter().filter_map(|job| job.views[0].sample.as_points().vectors().ok()).collect();
    let x: Array2<f64> = ndarray::concatenate(Axis(0), &views).ok()?;
    let mut all = Encoded { sample: Sample::Vectors(x), kept: Vec::new(), rows: 0, filled: 0 };
    for view in jobs.iter().map(|job| &job.views[0]) {
        all.kept.extend(view.kept.iter().map(|row| row + all.rows));
        all.rows += view.rows;
        all.filled += view.filled;
    }
    Some(all)
}
