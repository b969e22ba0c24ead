//! How the job runs: threads, memory, seed, progress and Ctrl-C, made once from the common flags.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mercer::solve::factor;
use mercer::{Cancel, Compute, Error, Seed};
use ndarray::Array2;

use crate::arguments::Common;
use crate::failure::Failure;
use crate::progress::Bar;

/// Rows of the Cholesky factor that measures the speed of this computer: large enough for the
/// blocked code, about 7·10⁷ operations.
const PROBE: usize = 600;

/// The common state of all commands.
pub struct Session {
    /// How to compute.
    pub compute: Compute,
    /// The common flags.
    pub common: Common,
    cancel: Cancel,
    started: Instant,
}

/// Fraction of `--budget-time` for a search that has a result: the final fit needs the rest.
const SEARCH: f64 = 0.5;
/// Fraction of it reserved for the final fit in any case.
const LEAST: f64 = 0.2;

impl Session {
    /// From the flags. From now on Ctrl-C stops the work at the next tile, and a second one stops
    /// the program.
    pub fn start(common: &Common) -> Result<Self, Failure> {
        let (cancel, started) = (Cancel::default(), Instant::now());
        listen_to_ctrl_c(cancel.clone());
        let mut compute = Compute::new().with_seed(Seed(common.seed)).with_cancel(cancel.clone());
        if let Some(memory) = common.memory {
            compute = compute.with_memory(memory);
        }
        if let Some(threads) = common.threads {
            compute = compute.with_threads(threads)?;
        }
        if let Some(bar) = Bar::on_terminal(common.quiet) {
            compute = compute.with_progress(Arc::new(bar));
        }
        if let Some(seconds) = common.budget_time {
            let speed = speed(&compute);
            compute = compute.with_speed(speed).with_time(seconds);
        }
        Ok(Self { compute, common: common.clone(), cancel, started })
    }

    /// Runs a solver that has an answer at any moment: it stops when `--budget-time` is over and at
    /// Ctrl-C, and what is left to do with the answer may run.
    pub fn anytime<T>(&self, work: impl FnOnce(&Compute) -> mercer::Result<T>) -> Result<T, Failure> {
        self.until([None, self.rest()], |compute| work(&self.planned(compute)))
    }

    /// Runs a search that can return its best candidate at any time: it stops when half of
    /// `--budget-time` is over, or as soon as it has a candidate after that, and at Ctrl-C.
    pub fn search<T>(&self, work: impl FnOnce(&Compute) -> mercer::Result<T>) -> Result<T, Failure> {
        let left = |share: f64| self.common.budget_time.map(|all| share * all - self.started.elapsed().as_secs_f64());
        self.until([left(SEARCH), left(1.0 - LEAST)], work)
    }

    /// How to compute in the time that is left: for solvers that are chosen by it.
    pub fn compute_rest(&self) -> Compute {
        self.planned(&self.compute)
    }

    fn planned(&self, compute: &Compute) -> Compute {
        self.rest().map_or_else(|| compute.clone(), |seconds| compute.clone().with_time(seconds))
    }

    /// Runs work that is told to hurry, and to stop, after so many seconds.
    fn until<T>(
        &self,
        limits: [Option<f64>; 2],
        work: impl FnOnce(&Compute) -> mercer::Result<T>,
    ) -> Result<T, Failure> {
        let found = work(&self.within(limits));
        if matches!(found, Err(Error::Canceled)) && !self.cancel.is_canceled() {
            return Err(Failure::OutOfTime);
        }
        let found = found?;
        self.cancel.lower();
        Ok(found)
    }

    /// The seconds of `--budget-time` that are left.
    fn rest(&self) -> Option<f64> {
        let all = self.common.budget_time?;
        Some((all - self.started.elapsed().as_secs_f64()).max(LEAST * all))
    }

    fn within(&self, limits: [Option<f64>; 2]) -> Compute {
        let cancel = self.cancel.child();
        for (limit, raise) in limits.into_iter().zip([Cancel::hurry, Cancel::cancel]) {
            let limit = limit.and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).ok());
            let Some(limit) = limit else { continue };
            let flag = cancel.clone();
            std::thread::spawn(move || {
                std::thread::sleep(limit);
                raise(&flag);
            });
        }
        self.compute.clone().with_cancel(cancel)
    }

    /// Operations per second on this machine, now.
    pub fn speed(&self) -> f64 {
        self.compute.seconds(1.0).map_or_else(|| speed(&self.compute), |second| 1.0 / second)
    }
}

/// Operations per second of a Cholesky factor.
fn speed(compute: &Compute) -> f64 {
    let entry = |(i, j): (usize, usize)| if i == j { PROBE as f64 } else { 1.0 / (1.0 + i.abs_diff(j) as f64) };
    let matrix = Array2::from_shape_fn((PROBE, PROBE), entry);
    let start = Instant::now();
    let _ = std::hint::black_box(factor(matrix, compute));
    (PROBE as f64).powi(3) / 3.0 / start.elapsed().as_secs_f64().max(1e-9)
}

fn listen_to_ctrl_c(cancel: Cancel) {
    let handler = move || {
        if cancel.is_canceled() {
            std::process::exit(2);
        }
        cancel.cancel();
    };
    // Where the system has no such signal, Ctrl-C simply ends the program.
    let _ = ctrlc::set_handler(handler);
}
