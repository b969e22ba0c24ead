//! `mercer explain test …`: the plan of a test before it runs.

use mercer::Compute;
use mercer::compute::human_bytes;
use mercer::learner::Plan;
use mercer::points::Size;
use serde_json::json;

use super::question::Question;
use super::read::{self, Case};
use super::streamed::Request;
use crate::arguments::TestCommand;
use crate::failure::Failure;
use crate::numbers::{grouped, short};
use crate::report::{Block, Report, Truth};
use crate::session::Session;

/// Reads the data and reports the plan of the tests.
pub fn explain(command: &TestCommand, session: &Session) -> Result<Report, Failure> {
    if let Some(request) = Request::of(command, session)? {
        let mut report = request.explain(session)?;
        report.json["command"] = "explain test".into();
        return Ok(report);
    }
    let cases = read::read(command, session)?;
    let question = Question::new(command, &cases)?;
    let permutations = command.options().permutations;
    let plans = cases.list.iter().map(|case| plan(&question, case, &session.compute)).collect::<Result<Vec<_>, _>>()?;
    let (bytes, flops) = (plans.iter().map(|p| p.bytes).max().unwrap_or(0), plans.iter().map(|p| p.flops).sum::<f64>());
    let how = plans.first().map_or_else(String::new, |plan| format!("{}; {}", plan.solver, plan.reason));
    let limit = session.compute.memory();
    let rows: usize = cases.list.iter().map(|case| size(&question, case)).sum();
    let mut report = Report::new(format!("Plan: {}", question.title()));
    report.heading(format!("Plan: {}", question.title())).fields([
        ("hypothesis", question.hypothesis(&cases)),
        ("tests", cases.list.len().to_string()),
        ("rows", grouped(rows as u64)),
        ("how", how.clone()),
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
        "how": how,
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

fn plan(question: &Question, case: &Case, compute: &Compute) -> Result<Plan, Failure> {
    let sizes: Vec<Size> = case.samples.iter().map(|sample| sample.as_points().size()).collect();
    Ok(match (question, &sizes[..]) {
        (Question::TwoSample(test), &[first, second, ..]) => test.plan(first, second, compute),
        (Question::Independence(test), &[x, y, ..]) => test.plan(x, y, compute),
        (Question::Joint(test), variables) => test.plan(variables, compute),
        (Question::Conditional(test), &[x, y, condition, ..]) => test.plan(x, y, condition, compute),
        (Question::Interaction(test), &[x, y, z, ..]) => test.plan([x, y, z], compute),
        (Question::Fit { test, .. }, &[sample, ..]) => test.plan(sample, compute),
        _ => return Err(Failure::request("a test needs more samples than there are")),
    })
}
