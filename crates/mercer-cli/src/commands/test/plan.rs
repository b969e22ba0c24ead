//! `mercer explain test …`: the plan of a test before it runs.

use mercer::compute::human_bytes;
use mercer::hypothesis::{IndependenceMethod, TwoSample, TwoSampleMethod};
use serde_json::json;

use super::question::Question;
use super::read::{self, Case};
use crate::arguments::TestCommand;
use crate::failure::Failure;
use crate::numbers::{grouped, short};
use crate::report::{Block, Report, Truth};
use crate::session::Session;

/// Kernels of the aggregated tests.
const FAMILY: f64 = 20.0;

/// What one test takes.
struct Cost {
    /// What is done.
    what: String,
    /// Bytes of stored matrices.
    bytes: u64,
    /// Floating-point operations, about.
    flops: f64,
}

/// Reads the data and reports the plan of the tests.
pub fn explain(command: &TestCommand, session: &Session) -> Result<Report, Failure> {
    let cases = read::read(command, session)?;
    let question = Question::new(command, &cases)?;
    let permutations = command.options().permutations;
    let costs: Vec<Cost> = cases.list.iter().map(|case| cost(&question, case, permutations)).collect();
    let (bytes, flops) = (costs.iter().map(|c| c.bytes).max().unwrap_or(0), costs.iter().map(|c| c.flops).sum::<f64>());
    let limit = session.compute.memory();
    let rows: usize = cases.list.iter().map(|case| size(&question, case)).sum();
    let mut report = Report::new(format!("Plan: {}", question.title()));
    report.heading(format!("Plan: {}", question.title())).fields([
        ("hypothesis", question.hypothesis(&cases)),
        ("tests", cases.list.len().to_string()),
        ("rows", grouped(rows as u64)),
        ("how", costs[0].what.clone()),
        ("relabelings", grouped(permutations as u64)),
        ("stored matrices", human_bytes(bytes)),
        ("work", format!("about {} floating-point operations", short(flops))),
        ("threads", session.compute.threads().to_string()),
        ("memory limit", human_bytes(limit)),
    ]);
    let verdict = if bytes <= limit { "it fits into the memory limit" } else { "it is over the memory limit" };
    report.push(Block::Verdict(Truth::from_option(Some(bytes <= limit)), verdict.into()));
    cases.all_remarks().into_iter().for_each(|remark| {
        report.text(remark);
    });
    report.json = json!({
        "command": question.command(),
        "hypothesis": question.hypothesis(&cases),
        "tests": cases.list.len(),
        "rows": rows,
        "how": costs[0].what,
        "permutations": permutations,
        "bytes": bytes,
        "flops": flops,
        "threads": session.compute.threads(),
        "memory_limit": limit,
        "fits": bytes <= limit,
    });
    Ok(report)
}

/// The points of one test.
fn size(question: &Question, case: &Case) -> usize {
    match question {
        Question::TwoSample(_) => case.samples.iter().map(mercer::Sample::len).sum(),
        _ => case.samples[0].len(),
    }
}

fn cost(question: &Question, case: &Case, permutations: usize) -> Cost {
    let n = size(question, case);
    let square = n as f64 * n as f64;
    let columns: usize = case.samples.iter().map(|s| s.as_points().columns()).sum();
    let (kernel, relabel) = (0.5 * square * (2 * columns + 20) as f64, square * permutations as f64);
    let matrices = |count: u64| count.saturating_mul(8).saturating_mul((n as u64).saturating_mul(n as u64));
    let of = |what: &str, bytes: u64, flops: f64| Cost { what: what.into(), bytes, flops };
    match question {
        Question::TwoSample(test) => two_sample(test, n, columns, (kernel, relabel), &matrices),
        Question::Independence(test) => match test.method {
            IndependenceMethod::Gamma => of("two passes over the pairs, nothing stored", 0, 2.0 * kernel),
            IndependenceMethod::Aggregated { wild: true } => {
                let text = "products of the paired cores of five lengthscales for each variable, nothing stored";
                of(text, 0, 25.0 * 0.25 * (kernel + relabel))
            }
            IndependenceMethod::Aggregated { wild: false } => {
                of("stored centered matrices of five lengthscales for each variable", matrices(10), 25.0 * relabel)
            }
            IndependenceMethod::Features(count) => {
                let each = count as f64 * (count * permutations + columns) as f64;
                of("random features of both variables, their products permuted", matrices(0), n as f64 * each)
            }
            _ => of("low-rank factors of smooth kernels, otherwise two stored matrices", matrices(2), kernel + relabel),
        },
        Question::Joint(_) => {
            let count = case.samples.len() as u64;
            of("one stored matrix per variable", matrices(count), kernel + count as f64 * relabel)
        }
        Question::Conditional(_) => {
            let flops = 60.0 * n as f64 * square + relabel;
            of("regressions on the condition for a grid of lengthscales and ridges", matrices(10), flops)
        }
        Question::Interaction(_) => of("six stored matrices", matrices(6), kernel + 3.0 * relabel),
        Question::Fit { .. } => of("tiles of the Stein kernel times signs, nothing stored", 0, kernel + relabel),
    }
}

fn two_sample(
    test: &TwoSample,
    n: usize,
    columns: usize,
    (kernel, relabel): (f64, f64),
    matrices: &dyn Fn(u64) -> u64,
) -> Cost {
    use TwoSampleMethod as Method;
    let tiles = "tiles of the kernel matrix times all label vectors, nothing stored";
    let (what, bytes, flops) = match test.method {
        Method::Aggregated { .. } | Method::Fused if test.kernel.is_none() => {
            ("the same tiles for each of 20 kernels, nothing stored", 0, FAMILY * (kernel + relabel))
        }
        Method::Gamma | Method::BiasedBound | Method::UnbiasedBound => {
            ("one pass over the pairs, nothing stored", 0, kernel)
        }
        Method::Spectral => ("the eigenvalues of the centered matrix", matrices(2), 9.0 * (n as f64).powi(3)),
        Method::Features(count) => (
            "random features block by block, nothing stored",
            0,
            (n * count) as f64 * (2 * columns + 20 + 2 * test.permutations) as f64,
        ),
        Method::Linear => ("one pass over the points", 0, (n * columns) as f64 * 10.0),
        Method::Block(size) => ("blocks of pairs", 0, n as f64 * size as f64 * (2 * columns + 20) as f64),
        _ => (tiles, 0, kernel + relabel),
    };
    Cost { what: what.into(), bytes, flops }
}
