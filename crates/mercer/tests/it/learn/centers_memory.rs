//! The memory limit of fits on centers and on grids, measured as the peaks of processes of their
//! own.

use mercer::features::RandomBinning;
use mercer::learn::centers::Centers;
use mercer::learn::{BinnedMachine, LogisticRegression, Ridge};
use mercer::{Compute, Seed};
use ndarray::Array2;

const LIMIT: u64 = 64 << 20;
const CHILD: &str = "MERCER_CENTERS_MEMORY_CHILD";

/// The peak of this process in bytes, as the system counts it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(1024 * line.split_whitespace().nth(1)?.parse::<u64>().ok()?)
}

/// A fit of 60 000 rows, whose kernel matrix with 400 centers would take 192 MB, within the limit;
/// how much the peak grew.
fn grow(learner: &str) -> Option<u64> {
    let mut stream = Seed(1).stream("points", 0);
    let x = Array2::from_shape_fn((60_000, 4), |_| stream.normal());
    let y = Array2::from_shape_fn((60_000, 1), |(i, _)| x[[i, 0]] * x[[i, 1]] + 0.3 * x[[i, 2]]);
    let labels: Vec<usize> = y.iter().map(|v| usize::from(*v > 0.0)).collect();
    let (compute, kernel) = (Compute::new().with_memory(LIMIT), "gaussian(lengthscale=2)".parse().ok()?);
    let before = peak()?;
    let centers = Some(Centers { tolerance: 1e-3, max_iterations: 20, ..Centers::new(400) });
    match learner {
        "ridge" => {
            let spec = Ridge { centers, ..Ridge::new(kernel, 1e-3) };
            assert!(spec.plan(60_000, 4, 1, &compute).ok()?.bytes <= LIMIT);
            spec.fit(x.view(), y.view(), None, &compute).ok()?;
        }
        "logistic" => {
            let spec = LogisticRegression { centers, ..LogisticRegression::new(kernel, 1e-2) };
            spec.fit(x.view(), &labels, None, &compute).ok()?;
        }
        _ => {
            let grids = RandomBinning {
                buckets: 1024,
                ..RandomBinning::new("laplacian(norm=l1, lengthscale=2)".parse().ok()?, 100)
            };
            BinnedMachine { max_iterations: 10, ..BinnedMachine::new(grids, 0.1) }
                .fit(x.view(), y.view(), None, &compute)
                .ok()?;
        }
    }
    Some(peak()? - before)
}

#[test]
fn the_memory_limit_is_kept() {
    if let Some(learner) = std::env::var_os(CHILD) {
        println!("grew {:?}", grow(&learner.to_string_lossy()));
        return;
    }
    if peak().is_none() {
        eprintln!("skipped: this system does not say what the peak memory of a process is");
        return;
    }
    for learner in ["ridge", "logistic", "grids"] {
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "learn::centers_memory::the_memory_limit_is_kept", "--nocapture"])
            .env(CHILD, learner)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&child.stdout).into_owned();
        let words = text.lines().find_map(|line| line.split("grew Some(").nth(1)).unwrap_or_else(|| panic!("{text}"));
        let bytes: u64 = words.trim_end_matches(')').parse().unwrap();
        println!("{learner}: the peak grew by {bytes} bytes of {LIMIT}");
        // A fit that took nothing would show that the test measures nothing.
        assert!((4 << 20..=LIMIT).contains(&bytes), "{learner}: the peak grew by {bytes} bytes");
    }
}
