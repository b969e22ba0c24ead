//! An outcome as text, tables and JSON.

use mercer::hypothesis::{Correction, TestOutcome};
use serde_json::{Map, Value, json};

use super::groups::Key;
use super::pictures;
use super::question::Question;
use super::read::{Case, Cases};
use crate::arguments::{CorrectionWord, TestOptions};
use crate::failure::Failure;
use crate::numbers::{digits, grouped, json as number, short};
use crate::report::{Block, Report, Table, Truth};

/// The report of a single test.
pub fn one(question: &Question, cases: &Cases, outcome: &TestOutcome) -> Report {
    let mut report = Report::new(format!("{}: {}", question.title(), question.hypothesis(cases)));
    report.heading(question.title()).push(verdict(outcome));
    let mut fields = vec![("hypothesis", question.hypothesis(cases)), ("rows", sizes(question, &cases.list[0]))];
    fields.extend(facts(outcome));
    report.fields(fields);
    let mut remarks = cases.all_remarks();
    remarks.extend(outcome.remark().map(str::to_owned));
    for remark in &remarks {
        report.text(remark.clone());
    }
    let mut json = Map::new();
    json.insert("command".into(), question.command().into());
    json.insert("hypothesis".into(), question.hypothesis(cases).into());
    json.extend(json_of(outcome));
    json.insert("rows".into(), cases.list[0].samples.iter().map(|s| Value::from(s.len())).collect());
    json.insert("columns".into(), cases.names.iter().map(|names| Value::from(names.clone())).collect());
    json.insert("remarks".into(), remarks.into());
    report.json = Value::Object(json);
    report
}

/// The decision.
pub fn verdict(outcome: &TestOutcome) -> Block {
    let level = short(outcome.level);
    if outcome.reject {
        Block::Verdict(Truth::No, format!("rejected at level {level}: p = {}", digits(outcome.p_value, 4)))
    } else {
        Block::Verdict(Truth::Open, format!("not rejected at level {level}: p = {}", digits(outcome.p_value, 4)))
    }
}

fn sizes(question: &Question, case: &Case) -> String {
    let rows = |i: usize| grouped(case.samples[i].len() as u64);
    match question {
        Question::TwoSample(_) => match case.samples[0].as_points().columns() {
            1 => format!("{} and {} in 1 column", rows(0), rows(1)),
            d => format!("{} and {} in {d} columns", rows(0), rows(1)),
        },
        _ => rows(0),
    }
}

/// What the decision rests on, for people.
pub fn facts(outcome: &TestOutcome) -> Vec<(&'static str, String)> {
    let mut fields = vec![("statistic", short(outcome.statistic))];
    fields.extend(outcome.threshold.map(|t| ("rejected above", short(t))));
    fields.extend(
        outcome.detail("effect").map(|e| {
            ("effect", format!("{} standard deviations above the mean of the null distribution", digits(e, 3)))
        }),
    );
    let share = |v: f64| format!("{} %", digits(100.0 * v, 3));
    fields.extend(outcome.detail("share_of_variance").map(|v| ("share of variance", share(v))));
    fields.extend(outcome.detail("normalized_hsic").map(|v| ("normalized HSIC", short(v))));
    fields.push(("p-value", p_value(outcome)));
    fields.push(("method", method(outcome)));
    fields.push(("kernel", kernels(&outcome.kernel)));
    fields
}

fn p_value(outcome: &TestOutcome) -> String {
    let p = digits(outcome.p_value, 4);
    outcome.p_interval.map_or(p.clone(), |(low, high)| {
        format!("{p}; the exact p-value is in [{}, {}] with 99 % confidence", digits(low, 3), digits(high, 3))
    })
}

fn method(outcome: &TestOutcome) -> String {
    if outcome.permutations == 0 {
        return outcome.method.clone();
    }
    let kind = if outcome.exact { "all".into() } else { format!("random (seed {})", outcome.seed.0) };
    let early = if outcome.stopped_early { ", stopped early because rejection had become impossible" } else { "" };
    let count = grouped(outcome.permutations as u64);
    format!("{}: {count} permutations besides the observed labeling, {kind}{early}", outcome.method)
}

/// Many kernels are shown by the first and the last.
fn kernels(text: &str) -> String {
    match split(text).as_slice() {
        [first, .., last] if text.len() > 160 => format!("{first}, …, {last} ({} kernels)", split(text).len()),
        _ => text.to_owned(),
    }
}

/// The kernels of a list; commas inside of brackets do not part them.
pub fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_i32, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' | ';' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// What the decision rests on, for programs.
pub fn json_of(outcome: &TestOutcome) -> Map<String, Value> {
    let details: Map<String, Value> =
        outcome.details.iter().map(|(name, value)| (name.clone(), number(*value))).collect();
    let fields = json!({
        "statistic": number(outcome.statistic),
        "p_value": number(outcome.p_value),
        "p_interval": outcome.p_interval.map(|(low, high)| [number(low), number(high)]),
        "reject": outcome.reject,
        "level": outcome.level,
        "effect": outcome.detail("effect").map_or(Value::Null, number),
        "method": outcome.method,
        "permutations": outcome.permutations,
        "exact": outcome.exact,
        "stopped_early": outcome.stopped_early,
        "threshold": outcome.threshold.map_or(Value::Null, number),
        "seed": outcome.seed.0,
        "kernel": outcome.kernel,
        "details": details,
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// The report of a test for every group.
pub fn groups(
    question: &Question,
    options: &TestOptions,
    cases: &Cases,
    outcomes: &[TestOutcome],
) -> Result<Report, Failure> {
    let p: Vec<f64> = outcomes.iter().map(|o| o.p_value).collect();
    let adjusted = Correction::from(options.correction).adjust(&p)?;
    let by = options.by.as_deref().unwrap_or_default();
    let rejected = adjusted.iter().filter(|p| **p <= options.level).count();
    let mut report = Report::new(format!("{} by {by}: {}", question.title(), question.hypothesis(cases)));
    report.heading(format!("{} for every value of {by}", question.title()));
    let (level, correction) = (short(options.level), spoken(options.correction));
    let summary = format!("{rejected} of {} rejected at level {level} ({correction})", outcomes.len());
    report.push(Block::Verdict(if rejected > 0 { Truth::No } else { Truth::Open }, summary));
    report.fields([("hypothesis", question.hypothesis(cases)), ("method", method(&outcomes[0]))]);
    report.push(Block::Table(table(by, cases, outcomes, &adjusted, options.level)));
    let mut remarks = cases.all_remarks();
    remarks.extend(outcomes.iter().find_map(TestOutcome::remark).map(str::to_owned));
    for remark in &remarks {
        report.text(remark.clone());
    }
    report.figures.push(pictures::by_group(by, &cases.list, &adjusted, options.level));
    report.json = json!({
        "command": question.command(),
        "hypothesis": question.hypothesis(cases),
        "by": by,
        "correction": correction,
        "level": options.level,
        "rejected": rejected,
        "reject": rejected > 0,
        "groups": json_of_groups(cases, outcomes, &adjusted, options.level),
        "columns": cases.names,
        "remarks": remarks,
    });
    Ok(report)
}

/// The name of the group of a case.
fn name(case: &Case) -> String {
    case.group.as_ref().map_or(String::new(), Key::name)
}

fn json_of_groups(cases: &Cases, outcomes: &[TestOutcome], adjusted: &[f64], level: f64) -> Vec<Value> {
    let all = cases.list.iter().zip(outcomes).zip(adjusted);
    all.map(|((case, outcome), adjusted)| {
        let mut fields = json_of(outcome);
        fields.insert("group".into(), name(case).into());
        fields.insert("rows".into(), case.samples.iter().map(|s| Value::from(s.len())).collect());
        fields.insert("p_adjusted".into(), number(*adjusted));
        fields.insert("reject".into(), (*adjusted <= level).into());
        Value::Object(fields)
    })
    .collect()
}

fn spoken(word: CorrectionWord) -> &'static str {
    match word {
        CorrectionWord::Holm => "Holm's correction",
        CorrectionWord::Bonferroni => "Bonferroni's correction",
        CorrectionWord::Bh => "Benjamini and Hochberg's correction",
        CorrectionWord::By => "Benjamini and Yekutieli's correction",
        CorrectionWord::None => "no correction",
    }
}

fn table(by: &str, cases: &Cases, outcomes: &[TestOutcome], adjusted: &[f64], level: f64) -> Table {
    let mut table = Table::new(&[by, "rows", "statistic", "effect", "p", "corrected p", ""], &[1, 2, 3, 4, 5]);
    for ((case, outcome), &adjusted) in cases.list.iter().zip(outcomes).zip(adjusted) {
        let mut sizes: Vec<String> = case.samples.iter().map(|s| grouped(s.len() as u64)).collect();
        sizes.dedup();
        table.push([
            name(case),
            sizes.join(" and "),
            short(outcome.statistic),
            outcome.detail("effect").map_or("—".into(), |e| digits(e, 3)),
            digits(outcome.p_value, 4),
            digits(adjusted, 4),
            if adjusted <= level { "rejected".into() } else { String::new() },
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_kernels_are_parted_outside_of_brackets() {
        assert_eq!(split("gaussian(lengthscale=[1, 2]), laplacian(lengthscale=1, norm=l1)").len(), 2);
        assert_eq!(split("linear()"), ["linear()"]);
    }
}
