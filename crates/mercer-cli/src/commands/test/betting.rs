//! `--method betting`: sequential two-sample test in batches.

use mercer::Sample;
use mercer::hypothesis::{BettingEvidence, BettingTest, SequentialTwoSample};
use serde_json::{Value, json};

use super::groups::Key;
use super::read::{Case, Cases};
use crate::arguments::TwoSampleArguments;
use crate::failure::Failure;
use crate::numbers::{digits, grouped, json as number, short};
use crate::plot::{Curve, CurvePlot, Figure, Mark};
use crate::report::{Block, Report, Table, Truth};
use crate::session::Session;

const HYPOTHESIS: &str = "both files have the same distribution, in every batch";

/// New points of both samples.
struct Batch {
    name: String,
    samples: [Sample; 2],
}

/// Bets on one batch after the other and reports the wealth after each.
pub fn run(words: &TwoSampleArguments, cases: &Cases, session: &Session) -> Result<Report, Failure> {
    let kernel = cases.kernel("--kernel", &words.kernel, 0)?;
    let mut test = SequentialTwoSample { kernel, level: words.options.level }.start()?;
    let batches = batches(&cases.list, words.batch);
    for Batch { samples: [x, y], .. } in &batches {
        test.update(x, y, &session.compute)?;
    }
    Ok(summary(&test, &batches, words.options.by.as_deref().unwrap_or("batch"), cases))
}

/// The groups in their order, or rows of the second file in theirs; points of a first file without
/// groups are dealt out, because every point is bet on once.
fn batches(cases: &[Case], rows: usize) -> Vec<Batch> {
    let [first, second] = [0, 1].map(|i| &cases[0].samples[i]);
    if cases[0].group.is_none() {
        let count = second.len().div_ceil(rows).max(1);
        let ends: Vec<usize> = (0..=count).map(|i| i * second.len() / count).collect();
        let parts = ends.windows(2).zip(dealt(first, &ends)).enumerate();
        return parts
            .map(|(i, (ends, x))| Batch { name: (i + 1).to_string(), samples: [x, part(second, ends[0], ends[1])] })
            .collect();
    }
    let mut ends = vec![0];
    cases.iter().for_each(|case| ends.push(ends[ends.len() - 1] + case.samples[1].len()));
    let common = cases.len() > 1 && cases.iter().all(|case| case.rows[0] == cases[0].rows[0]);
    let references = if common { dealt(first, &ends) } else { cases.iter().map(|c| c.samples[0].clone()).collect() };
    let name = |case: &Case| case.group.as_ref().map_or(String::new(), Key::name);
    let pairs = cases.iter().zip(references);
    pairs.map(|(case, x)| Batch { name: name(case), samples: [x, case.samples[1].clone()] }).collect()
}

/// The rows of a sample in parts whose sizes are in proportion.
fn dealt(sample: &Sample, ends: &[usize]) -> Vec<Sample> {
    let total = ends[ends.len() - 1].max(1);
    let at = |end: usize| end * sample.len() / total;
    ends.windows(2).map(|ends| part(sample, at(ends[0]), at(ends[1]))).collect()
}

fn part(sample: &Sample, start: usize, end: usize) -> Sample {
    sample.taken(&(start..end).collect::<Vec<_>>())
}

fn summary(test: &BettingTest, batches: &[Batch], by: &str, cases: &Cases) -> Report {
    let (evidence, level) = (test.evidence(), short(test.level()));
    let mut report = Report::new("Sequential two-sample test");
    let verdict = if evidence.reject { (Truth::No, "rejected") } else { (Truth::Open, "not rejected") };
    let summary = format!("{} at level {level}: p = {}", verdict.1, digits(evidence.p_value, 4));
    report.heading("Sequential two-sample test").push(Block::Verdict(verdict.0, summary));
    let kernels: Vec<String> = test.kernels().iter().map(ToString::to_string).collect();
    let rejected = test.history().iter().position(|e| e.reject).map(|at| batches[at].name.clone());
    report.fields([
        ("hypothesis", HYPOTHESIS.to_owned()),
        ("wealth", format!("{} from a stake of 1; rejected at {}", wealth(&evidence), short(1.0 / test.level()))),
        ("pairs", grouped(evidence.pairs as u64)),
        ("first rejected", rejected.as_ref().map_or("never".into(), |name| format!("after {by} {name}"))),
        ("kernels", kernels.join(", ")),
    ]);
    report.push(Block::Table(table(test, batches, by)));
    report.text("The level holds at any stopping time; every point is used once.");
    // Batches follow each other: with which part of the first file each is compared goes without saying.
    cases.remarks.iter().for_each(|remark| {
        report.text(remark.clone());
    });
    report.figures.push(picture(test, by));
    report.json = json!({
        "command": "test two-sample",
        "method": "betting",
        "hypothesis": HYPOTHESIS,
        "reject": evidence.reject,
        "level": test.level(),
        "p_value": number(evidence.p_value),
        "wealth": number(evidence.wealth),
        "log_wealth": number(evidence.log_wealth),
        "pairs": evidence.pairs,
        "first_rejected": rejected,
        "kernels": kernels,
        "batches": json_of(test, batches),
        "columns": cases.names,
        "remarks": cases.all_remarks(),
    });
    report
}

/// The wealth, or its logarithm beyond what is readable.
fn wealth(evidence: &BettingEvidence) -> String {
    if evidence.log_wealth.abs() < 30.0 {
        short(evidence.wealth)
    } else {
        format!("e^{}", digits(evidence.log_wealth, 4))
    }
}

fn table(test: &BettingTest, batches: &[Batch], by: &str) -> Table {
    let mut table = Table::new(&[by, "rows", "pairs so far", "wealth", "p", ""], &[1, 2, 3, 4]);
    for (batch, evidence) in batches.iter().zip(test.history()) {
        table.push([
            batch.name.clone(),
            batch.samples.each_ref().map(|s| grouped(s.len() as u64)).join(" and "),
            grouped(evidence.pairs as u64),
            wealth(evidence),
            digits(evidence.p_value, 4),
            if evidence.reject { "rejected".into() } else { String::new() },
        ]);
    }
    table
}

fn json_of(test: &BettingTest, batches: &[Batch]) -> Vec<Value> {
    let line = |(batch, evidence): (&Batch, &BettingEvidence)| {
        json!({
            "batch": batch.name,
            "rows": batch.samples.each_ref().map(Sample::len),
            "pairs": evidence.pairs,
            "log_wealth": number(evidence.log_wealth),
            "p_value": number(evidence.p_value),
            "reject": evidence.reject,
        })
    };
    batches.iter().zip(test.history()).map(line).collect()
}

/// The logarithm of the wealth after every batch, with the bar of the level.
fn picture(test: &BettingTest, by: &str) -> Figure {
    let line: Vec<(f64, f64)> =
        test.history().iter().enumerate().map(|(i, e)| ((i + 1) as f64, e.log_wealth / 10.0_f64.ln())).collect();
    let bar = -test.level().log10();
    let ends = vec![(1.0, bar), (line.len() as f64, bar)];
    let curves = vec![
        Curve { label: "wealth".into(), points: line, mark: Mark::Line },
        Curve { label: format!("1/level = {}", short(1.0 / test.level())), points: ends, mark: Mark::Line },
    ];
    let title = "Wealth of the bet against equal distributions: above the line the hypothesis is rejected".into();
    let x = if by == "batch" { "batch".into() } else { format!("{by}, in the order of the table") };
    Figure::Curves(vec![CurvePlot { title, x, y: "log₁₀ wealth".into(), curves }])
}
