//! The memory limit of a support vector machine, measured as the peak of a process of its own.

use mercer::learn::svm::{Classes, Svc};
use mercer::{Compute, Seed};
use ndarray::Array2;

const LIMIT: u64 = 48 << 20;
const CHILD: &str = "MERCER_SVM_MEMORY_CHILD";

/// The peak of this process in bytes, as the system counts it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(1024 * line.split_whitespace().nth(1)?.parse::<u64>().ok()?)
}

/// A fit of 7000 rows, whose kernel matrix would take 196 MB, within the limit; how much the peak
/// grew, and how the fit ended.
fn grow() -> Option<(u64, bool)> {
    let mut stream = Seed(1).stream("points", 0);
    let x = Array2::from_shape_fn((7000, 4), |_| stream.normal());
    let labels: Vec<usize> = x.rows().into_iter().map(|r| usize::from(r[0] * r[1] + 0.3 * r[2] > 0.0)).collect();
    let classes = Classes::from_indices(labels, vec!["a".into(), "b".into()]).ok()?;
    let compute = Compute::new().with_memory(LIMIT);
    let before = peak()?;
    let fit = Svc::new("gaussian(lengthscale=1)".parse().ok()?, 10.0).fit(x.view(), &classes, None, &compute).ok()?;
    Some((peak()? - before, fit.evidence().converged()))
}

#[test]
fn the_memory_limit_is_kept() {
    if std::env::var_os(CHILD).is_some() {
        println!("grew {:?}", grow());
        return;
    }
    if peak().is_none() {
        eprintln!("skipped: this system does not say what the peak memory of a process is");
        return;
    }
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "learn::svm_memory::the_memory_limit_is_kept", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&child.stdout).into_owned();
    let words = text.lines().find_map(|line| line.split("grew Some((").nth(1)).unwrap_or_else(|| panic!("{text}"));
    let (bytes, converged) = words.trim_end_matches(')').split_once(", ").unwrap();
    let bytes: u64 = bytes.parse().unwrap();
    assert_eq!(converged, "true");
    // The rows that are kept take half of the limit; a fit that kept none would show that the test
    // measures nothing.
    assert!((LIMIT / 4..=LIMIT).contains(&bytes), "the peak grew by {bytes} bytes");
}
