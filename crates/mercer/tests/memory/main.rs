//! Plans say how much memory a fit takes: measured by an allocator that counts.
//!
//! A binary of its own with one test, because the allocator counts what all threads allocate.

mod allocator;
mod data;

use allocator::peak_of;
use data::Data;
use mercer::Compute;
use mercer::model::{AnyFit, LEARNERS};

/// The plan of every learner is within 20 % of the most bytes that were allocated at a time.
///
/// The memory of three depends on the data as well, and their plans hold for data like this: support
/// vector regression and quantile curves copy the kernel values of variables that are not at a bound,
/// and canonical correlations have ranks (whole matrices here).
#[test]
fn plans_tell_the_peak_memory_of_every_learner() {
    // One pool for all: threads that end free what they kept at any later time. With several threads
    // it depends on the moment how many strips there are at a time.
    let compute = Compute::new().with_threads(1).unwrap();
    let mut wrong = Vec::new();
    for entry in LEARNERS {
        let data = Data::new(entry);
        let learner = entry.build(&data.settings).unwrap();
        let plan = learner.plan(&data.input().size(), &compute).unwrap();
        let (peak, fit) = peak_of(|| learner.fit(&data.input(), &compute).map(AnyFit::from));
        fit.unwrap_or_else(|e| panic!("{}: {e}", entry.name));
        let ratio = plan.bytes as f64 / peak as f64;
        println!("{} of {} rows: {} bytes planned, {peak} allocated, {ratio:.3}", entry.name, data.rows, plan.bytes);
        if (plan.bytes as f64 - peak as f64).abs() > 0.2 * peak as f64 {
            wrong.push(format!("{} ({plan}): {peak} bytes were allocated, {ratio:.2}", entry.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
