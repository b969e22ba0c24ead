//! Compute settings, which do not affect the result: threads, memory, precision, seed, progress,
//! cancellation.

mod part;
mod tasks;
mod threads;

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use self::threads::{Threads, pool_size};
pub(crate) use self::threads::{Workers, filled, in_pool};
use crate::error::MemoryPurpose;
use crate::{Error, Result, Seed};

/// No machine has more cores; to start a million threads takes a system minutes to refuse.
const MOST_THREADS: usize = 1024;

/// Bytes that are not worth asking the system for: the answer takes 30 µs, half of a prediction of
/// one row.
const ALWAYS_FREE: u64 = 1 << 20;

/// The precision of the tiles. Results are always `f64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Precision {
    /// Tiles in `f64`.
    #[default]
    Double,
    /// Tiles in `f32`, sums in `f64`: about half the time, with a stated error.
    SingleTiles,
}

/// Receives the progress of long work. Calls may come from any thread.
pub trait Progress: Send + Sync {
    /// `done` units out of `total` of the named work are finished. Called with `done == total` at
    /// the end.
    fn report(&self, work: &str, done: u64, total: u64);

    /// The quality of the current iterate, such as its duality gap. Optional.
    fn remark(&self, text: &str) {
        let _ = text;
    }
}

/// The work continues.
const RUN: u8 = 0;
/// A search stops as soon as it has a result.
const HURRY: u8 = 1;
/// The work stops and returns its current iterate.
const STOP: u8 = 2;
/// The work is discarded.
const ABORT: u8 = 3;

/// A flag that stops long work at the next tile. Clones share the flag.
///
/// Solvers that have a valid iterate at any time, such as those of support vector machines,
/// return it when they are canceled; when they are aborted they discard it.
/// For all other work both are the same.
///
/// # Example
/// ```
/// use mercer::Cancel;
/// let all = Cancel::default();
/// let part = all.child();
/// part.cancel();
/// assert!(part.is_canceled() && !all.is_canceled());
/// ```
#[derive(Clone, Default)]
pub struct Cancel {
    flag: Arc<AtomicU8>,
    parent: Option<Arc<Cancel>>,
    hook: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
    /// Whether a hurry stops the work: there is a result without it.
    optional: bool,
}

impl std::fmt::Debug for Cancel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cancel").field("flag", &self.flag).field("parent", &self.parent).finish_non_exhaustive()
    }
}

impl Cancel {
    /// A flag that is raised as soon as `hook` returns true: it is called whenever the flag is
    /// checked, from any thread, many times a second. The work is then discarded.
    ///
    /// # Example
    /// ```
    /// use mercer::{Cancel, Compute, Error, Kernel, gram::{self, Pairs}};
    /// let compute = Compute::new().with_cancel(Cancel::when(|| true));
    /// let x = ndarray::Array2::<f64>::zeros((10, 1));
    /// let bound = "gaussian()".parse::<Kernel>()?.bind(Pairs::within(x.view()), &compute)?;
    /// assert!(matches!(gram::dense(&bound, &compute), Err(Error::Canceled)));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn when(hook: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { hook: Some(Arc::new(hook)), ..Self::default() }
    }

    /// Requests an early end: a search returns its best result as soon as it has one. All other work
    /// goes on.
    ///
    /// # Example
    /// ```
    /// use mercer::{Cancel, Compute, select::RidgeSearch};
    /// let cancel = Cancel::default();
    /// cancel.hurry();
    /// let x = ndarray::Array2::from_shape_fn((40, 1), |(i, _)| i as f64 / 10.0);
    /// let mut search = RidgeSearch::new(vec!["gaussian()".parse()?]);
    /// search.lengthscales = vec![0.1, 1.0, 10.0];
    /// let found = search.choose(x.view(), x.sin().view(), None, &Compute::new().with_threads(1)?.with_cancel(cancel))?;
    /// assert!(!found.complete && found.winner.score.is_finite());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn hurry(&self) {
        self.flag.fetch_max(HURRY, Ordering::Relaxed);
    }

    /// Requests a stop: the work returns its current iterate.
    pub fn cancel(&self) {
        self.flag.fetch_max(STOP, Ordering::Relaxed);
    }

    /// Requests an immediate stop: the result is discarded.
    pub fn abort(&self) {
        self.flag.store(ABORT, Ordering::Relaxed);
    }

    /// Lowers the flag, so that later work may run.
    pub fn lower(&self) {
        self.flag.store(RUN, Ordering::Relaxed);
    }

    /// Whether a stop was requested.
    pub fn is_canceled(&self) -> bool {
        self.requested() >= if self.optional { HURRY } else { STOP }
    }

    /// Whether an immediate stop was requested.
    pub fn is_aborted(&self) -> bool {
        self.requested() >= ABORT
    }

    fn requested(&self) -> u8 {
        let own = match &self.hook {
            Some(hook) if hook() => ABORT,
            _ => self.flag.load(Ordering::Relaxed),
        };
        self.parent.as_ref().map_or(own, |parent| own.max(parent.requested()))
    }

    /// The parent flag, for a [child](Cancel::child); none otherwise.
    fn whole(&self) -> Option<Self> {
        self.parent.as_deref().cloned()
    }

    /// A flag for a part of the work: raised by itself, or with this one.
    pub fn child(&self) -> Self {
        Self { parent: Some(Arc::new(self.clone())), ..Self::default() }
    }
}

/// Settings of a computation, which do not affect its result.
///
/// Threads belong to the process that started them: a value that was made before a `fork` starts
/// new ones in the child.
///
/// # Example
/// ```
/// use mercer::{Compute, error::MemoryPurpose};
/// let compute = Compute::new().with_threads(2)?.with_memory(1 << 30);
/// assert_eq!(compute.threads(), 2);
/// assert!(compute.reserve(MemoryPurpose::KernelMatrix, "a matrix", 2 << 30, "use fewer rows").is_err());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone)]
pub struct Compute {
    pool: Option<Arc<Threads>>,
    /// The limit; where none was set, four fifths of the memory that is free when it is first
    /// needed.
    memory: OnceLock<u64>,
    precision: Precision,
    seed: Seed,
    progress: Option<Arc<dyn Progress>>,
    cancel: Cancel,
    speed: Option<f64>,
    time: Option<f64>,
}

impl std::fmt::Debug for Compute {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compute")
            .field("threads", &self.threads())
            .field("memory", &self.memory.get())
            .field("precision", &self.precision)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl Default for Compute {
    fn default() -> Self {
        Self::new()
    }
}

impl Compute {
    /// All cores, four fifths of the memory that is free when the first large allocation asks for
    /// it, `f64`, seed 0, silent.
    pub fn new() -> Self {
        Self::limited(OnceLock::new())
    }

    /// Without a limit, for parts that allocate no memory of their own: the free memory is not
    /// queried.
    pub(crate) fn unlimited() -> Self {
        Self::limited(OnceLock::from(u64::MAX))
    }

    fn limited(memory: OnceLock<u64>) -> Self {
        Self {
            pool: None,
            memory,
            precision: Precision::Double,
            seed: Seed(0),
            progress: None,
            cancel: Cancel::default(),
            speed: None,
            time: None,
        }
    }

    /// Use this many threads.
    ///
    /// # Errors
    /// [`Error::Parameter`] for 0 or more than 1 024 threads, [`Error::Request`] if the threads cannot
    /// be started.
    pub fn with_threads(mut self, threads: usize) -> Result<Self> {
        if !(1..=MOST_THREADS).contains(&threads) {
            return Err(Error::parameter("threads", threads, 1..=MOST_THREADS));
        }
        let pool =
            Threads::start(threads).map_err(|e| Error::request(format!("cannot start {threads} threads: {e}")))?;
        self.pool = Some(Arc::new(pool));
        Ok(self)
    }

    /// Allow at most this many bytes for what a method allocates.
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = OnceLock::from(bytes);
        self
    }

    /// Choose the precision of the tiles.
    pub fn with_precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }

    /// Choose the seed.
    pub fn with_seed(mut self, seed: Seed) -> Self {
        self.seed = seed;
        self
    }

    /// Report progress to this listener.
    pub fn with_progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = Some(progress);
        self
    }

    /// The same computation without a listener, for parts of a work that reports as a whole.
    pub fn silent(&self) -> Self {
        Self { progress: None, ..self.clone() }
    }

    /// The same computation for the part `index` of `count` of a work, which is reported as one.
    pub(crate) fn part(&self, work: &'static str, index: usize, count: usize) -> Self {
        let Some(inner) = &self.progress else { return self.clone() };
        self.clone().with_progress(Arc::new(part::Part::new(inner.clone(), work, index, count)))
    }

    /// Stop when this flag is raised.
    pub fn with_cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// The speed of this computer in floating-point operations per second: plans then estimate
    /// their time. The library reads no clock: the caller measures it, for example by a Cholesky
    /// factor.
    pub fn with_speed(mut self, flops_per_second: f64) -> Self {
        self.speed = Some(flops_per_second).filter(|s| s.is_finite() && *s > 0.0);
        self
    }

    /// Choose methods, and numbers of centers, whose expected time is at most this many seconds. It
    /// needs [`Compute::with_speed`]; what is requested by name is run in any case.
    pub fn with_time(mut self, seconds: f64) -> Self {
        self.time = Some(seconds).filter(|s| s.is_finite() && *s > 0.0);
        self
    }

    /// The number of threads that work.
    pub fn threads(&self) -> usize {
        self.pool.as_ref().map_or_else(pool_size, |pool| pool.count())
    }

    /// The memory limit in bytes.
    pub fn memory(&self) -> u64 {
        *filled(&self.memory, || available_memory().map_or(u64::MAX, |free| free / 5 * 4))
    }

    /// The seconds that this many floating-point operations take, where the speed is known.
    ///
    /// # Example
    /// ```
    /// use mercer::Compute;
    /// assert_eq!(Compute::new().seconds(1e9), None);
    /// assert_eq!(Compute::new().with_speed(2e9).seconds(1e9), Some(0.5));
    /// ```
    pub fn seconds(&self, flops: f64) -> Option<f64> {
        self.speed.map(|speed| flops / speed)
    }

    /// The time limit in seconds, where there is one and the speed is known.
    pub fn time(&self) -> Option<f64> {
        self.time.filter(|_| self.speed.is_some())
    }

    /// Whether this many floating-point operations are expected to take no longer than the time
    /// limit; always without one.
    pub fn is_in_time(&self, flops: f64) -> bool {
        match (self.seconds(flops), self.time) {
            (Some(seconds), Some(limit)) => seconds <= limit,
            _ => true,
        }
    }

    /// The precision of the tiles.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// The seed.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// Checks the memory limit before an allocation: an error instead of an out-of-memory kill.
    ///
    /// # Errors
    /// [`Error::Memory`] with the purpose, the bytes needed, the limit, and the remedy.
    pub fn reserve(&self, purpose: MemoryPurpose, what: &str, bytes: u64, remedy: &str) -> Result<()> {
        let unasked = bytes <= ALWAYS_FREE && self.memory.get().is_none();
        if unasked || bytes <= self.memory() {
            return Ok(());
        }
        Err(Error::Memory { purpose, what: what.into(), needed: bytes, limit: self.memory(), remedy: remedy.into() })
    }

    /// An error if the work was canceled.
    ///
    /// # Errors
    /// [`Error::Canceled`].
    pub fn check_canceled(&self) -> Result<()> {
        if self.cancel.is_canceled() { Err(Error::Canceled) } else { Ok(()) }
    }

    /// An error if the work is to be discarded: checked where a result is still being finished
    /// after a cancellation.
    ///
    /// # Errors
    /// [`Error::Canceled`].
    pub fn check_aborted(&self) -> Result<()> {
        if self.cancel.is_aborted() { Err(Error::Canceled) } else { Ok(()) }
    }

    /// The same computation for work that only improves a result: a [hurry](Cancel::hurry) stops it.
    pub(crate) fn optional(&self) -> Self {
        self.clone().with_cancel(Cancel { optional: true, ..self.cancel.clone() })
    }

    /// The same computation after a part of it was canceled, such as by a time limit, so that the
    /// best answer so far can be finished.
    ///
    /// # Errors
    /// [`Error::Canceled`] when the whole was canceled too.
    pub(crate) fn after_part(&self) -> Result<Self> {
        let cancel = self.cancel.whole().ok_or(Error::Canceled)?;
        let rest = self.clone().with_cancel(cancel);
        rest.check_canceled()?;
        Ok(rest)
    }

    /// Reports the progress of the work to the listener.
    pub fn report(&self, work: &str, done: u64, total: u64) {
        if let Some(progress) = &self.progress {
            progress.report(work, done, total);
        }
    }

    /// Reports the quality of the current iterate to the listener, if there is one.
    pub fn remark(&self, text: impl FnOnce() -> String) {
        if let Some(progress) = &self.progress {
            progress.remark(&text());
        }
    }

    /// Runs `work` on this computation's threads.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => in_pool(work),
        }
    }

    /// Runs `work` on this computation's threads while the caller runs `meanwhile`; returns when both
    /// have ended.
    ///
    /// For a caller that has to attend to something during long work (signals, a progress bar): it
    /// costs one wake-up of a thread, where a thread of its own for the work would cost its start and
    /// a second wake-up.
    ///
    /// # Example
    /// ```
    /// use mercer::Compute;
    /// let mut polled = false;
    /// let sum = Compute::new().beside(|| (1..=10).sum::<u32>(), || polled = true);
    /// assert_eq!((sum, polled), (55, true));
    /// ```
    pub fn beside<T: Send>(&self, work: impl FnOnce() -> T + Send, meanwhile: impl FnOnce()) -> T {
        match &self.pool {
            Some(pool) => pool.beside(work, meanwhile),
            None => threads::beside(work, meanwhile),
        }
    }
}

/// Bytes in readable form: `human_bytes(3 << 30) == "3.00 GiB"`.
pub fn human_bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{value:.2} {}", UNITS[unit]) }
}

/// Seconds in readable form: `human_seconds(90.0) == "about 90 s"`.
pub fn human_seconds(seconds: f64) -> String {
    match seconds {
        s if !s.is_finite() => "—".into(),
        s if s < 0.1 => "less than 0.1 s".into(),
        s if s < 10.0 => format!("about {s:.1} s"),
        s if s < 120.0 => format!("about {s:.0} s"),
        s if s < 7200.0 => format!("about {:.0} min", s / 60.0),
        s => format!("about {:.1} h", s / 3600.0),
    }
}

/// Reads a size in text form: `"2GB"`, `"512 MiB"`, `"1e9"`.
///
/// # Errors
/// [`Error::Parameter`] when it is not a positive number with a known unit.
pub fn parse_bytes(text: &str) -> Result<u64> {
    let requirement = "a positive size such as 2GB, 512MiB or 1000000";
    let trimmed = text.trim();
    let split = trimmed.find(|c: char| c.is_ascii_alphabetic() && c != 'e' && c != 'E').unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(split);
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" | "bytes" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        "tib" => 1024.0_f64.powi(4),
        _ => return Err(Error::parameter("memory", text, requirement)),
    };
    match number.trim().parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok((value * factor) as u64),
        _ => Err(Error::parameter("memory", text, requirement)),
    }
}

/// Memory that is free now, from the system's own count, where there is one.
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("MemAvailable:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}
