//! `mercer kernel explain`: the properties of a kernel.

use mercer::Kernel;
use mercer::kernel::{Base, Proof, Property, Verdict};
use serde_json::{Map, Value, json};

use super::sections;
use crate::arguments::ExplainArguments;
use crate::failure::Failure;
use crate::numbers::{json as number, short};
use crate::report::{Block, Report, Table, Truth};
use crate::session::Session;

/// Text, parameters, domain, properties and proofs.
pub fn explain(words: &ExplainArguments, session: &Session) -> Result<Report, Failure> {
    let kernel: Kernel = words.kernel.parse()?;
    let mut report = summary(&kernel);
    match sections::draw(&kernel, &session.compute) {
        Ok(figure) => report.figures.push(figure),
        Err(error) if session.common.plot.is_some() => {
            return Err(Failure::request(format!("--plot: the picture needs a kernel on one column: {error}")));
        }
        Err(_) => {}
    }
    Ok(report)
}

/// The report on a kernel.
pub fn summary(kernel: &Kernel) -> Report {
    let text = kernel.to_string();
    let mut report = Report::new(text.clone());
    let mut fields = vec![("kernel", text), ("domain", domain(kernel))];
    fields.extend(kernel.bound().map(|b| ("k(x, x) at most", short(b))));
    report.heading("Kernel").fields(fields);
    push_parameters(&mut report, kernel);
    push_widths(&mut report, kernel);
    report.heading("Properties");
    for (property, verdict) in kernel.properties() {
        report.push(Block::Verdict(Truth::from_option(verdict.as_option()), phrase(property)));
    }
    report.heading("Proof").push(Block::Verbatim(kernel.proof()));
    report.json = json_of(kernel);
    report
}

fn phrase(property: Property) -> String {
    let meaning = match property {
        Property::PositiveSemidefinite => "positive semi-definite: cᵀKc ≥ 0",
        Property::StrictlyPositiveDefinite => "strictly positive definite: cᵀKc > 0 at distinct points",
        Property::NegativeSemidefinite => "negative semi-definite: cᵀKc ≤ 0 whenever Σc = 0",
        Property::Universal => "its functions approximate every continuous function on compact sets",
        Property::Characteristic => "mean embeddings of different distributions are different",
        Property::ShiftInvariant => "k(x + h, y + h) = k(x, y)",
        Property::Bounded => "sup |k(x, y)| is finite",
    };
    format!("{:<17}{meaning}", property.name())
}

/// The base kernels of an expression, from left to right.
fn leaves(kernel: &Kernel) -> Vec<&Base> {
    match kernel {
        Kernel::Base(base) => vec![base],
        other => other.children().into_iter().flat_map(leaves).collect(),
    }
}

/// The domain of the base kernels: one text if they agree.
fn domain(kernel: &Kernel) -> String {
    let mut parts: Vec<(&str, &str)> = Vec::new();
    for base in leaves(kernel) {
        let part = (base.entry().name, base.domain().text());
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    match parts.as_slice() {
        [] => "any points".into(),
        [(_, first), rest @ ..] if rest.iter().all(|(_, text)| text == first) => (*first).into(),
        _ => parts.iter().map(|(name, text)| format!("{name} on {text}")).collect::<Vec<_>>().join("; "),
    }
}

fn push_parameters(report: &mut Report, kernel: &Kernel) {
    let parameters = kernel.parameters();
    if parameters.is_empty() {
        return;
    }
    let mut table = Table::new(&["name", "value", ""], &[1]);
    for p in parameters {
        table.push([p.name, short(p.value), if p.positive { "positive".into() } else { String::new() }]);
    }
    report.heading("Parameters").push(Block::Table(table));
}

/// The widths of every Gaussian in the expression, `(ℓ, γ, σ²)`.
fn widths(kernel: &Kernel) -> Vec<(f64, f64, f64)> {
    let of = |base: &Base| if let Base::Gaussian(g) = base { g.widths() } else { Vec::new() };
    leaves(kernel).into_iter().flat_map(of).collect()
}

fn push_widths(report: &mut Report, kernel: &Kernel) {
    let widths = widths(kernel);
    if widths.is_empty() {
        return;
    }
    let mut table = Table::new(&["lengthscale ℓ", "gamma γ = 1/(2ℓ²)", "sigma2 σ² = 2ℓ²"], &[0, 1, 2]);
    for (l, gamma, sigma2) in widths {
        table.push([short(l), short(gamma), short(sigma2)]);
    }
    report.heading("Width of the Gaussian: exp(−d²/(2ℓ²)) = exp(−γd²) = exp(−d²/σ²)").push(Block::Table(table));
}

fn json_of(kernel: &Kernel) -> Value {
    let parameters: Value = kernel
        .parameters()
        .into_iter()
        .map(|p| json!({ "name": p.name, "value": number(p.value), "positive": p.positive }))
        .collect();
    let widths: Value = widths(kernel)
        .into_iter()
        .map(|(l, g, s)| json!({ "lengthscale": number(l), "gamma": number(g), "sigma2": number(s) }))
        .collect();
    let (mut properties, mut proofs) = (Map::new(), Map::new());
    for (property, verdict) in kernel.properties() {
        properties.insert(property.name().into(), verdict.as_option().into());
        proofs.insert(property.name().into(), json_of_verdict(&verdict));
    }
    json!({
        "kernel": kernel.to_string(),
        "domain": domain(kernel),
        "bound": kernel.bound().map_or(Value::Null, number),
        "parameters": parameters,
        "gaussian_widths": widths,
        "properties": properties,
        "proofs": proofs,
        "proof": kernel.proof(),
    })
}

fn json_of_verdict(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Proven(proof) => json!({ "verdict": "proven", "proof": json_of_proof(proof) }),
        Verdict::Refuted(proof) => json!({ "verdict": "refuted", "proof": json_of_proof(proof) }),
        Verdict::Unknown(missing) => json!({ "verdict": "unknown", "missing": missing }),
    }
}

/// A proof as a tree.
pub fn json_of_proof(proof: &Proof) -> Value {
    json!({
        "claim": proof.claim,
        "rule": proof.rule,
        "premises": proof.premises.iter().map(json_of_proof).collect::<Value>(),
    })
}
