//! `mercer kernel spectrum`: how fast the eigenvalues of the integral operator fall.

use mercer::Kernel;
use mercer::function::{Measure, Spectrum};
use serde_json::json;

use crate::arguments::SpectrumArguments;
use crate::data::{self, EncodedData};
use crate::failure::Failure;
use crate::numbers::{json as number, json_list, short};
use crate::plot::{Curve, CurvePlot, Figure, Mark};
use crate::report::{Block, Report, Table};
use crate::session::Session;

/// Computes the spectrum under the data or the distribution.
pub fn spectrum(words: &SpectrumArguments, session: &Session) -> Result<Report, Failure> {
    let kernel: Kernel = words.kernel.parse()?;
    let (kernel, measure) = match &words.data {
        Some(path) => {
            let data = EncodedData::read(path, &kernel, &words.options, session)?;
            (data::with_names(&kernel, data.kind, &data.names)?, Measure::Sample(data.sample))
        }
        None => (kernel, law(words.under.as_deref().unwrap_or("uniform"))?),
    };
    let found = Spectrum::new(&kernel, &measure, words.components, &session.compute)?;
    Ok(summary(&found))
}

/// The distribution that `--under` names.
fn law(text: &str) -> Result<Measure, Failure> {
    let mut words = text.split(':');
    let name = words.next().unwrap_or_default();
    let numbers: Result<Vec<f64>, _> = words.map(str::parse::<f64>).collect();
    match (name, numbers.as_deref()) {
        ("uniform", Ok([])) => Ok(Measure::UNIFORM),
        ("interval", Ok([from, to])) => Ok(Measure::Interval { from: *from, to: *to }),
        ("gaussian", Ok([deviation])) => Ok(Measure::Gaussian { deviation: *deviation }),
        _ => Err(Failure::request(format!(
            "--under: \"{text}\" is none of uniform, interval:FROM:TO, gaussian:DEVIATION"
        ))),
    }
}

fn summary(found: &Spectrum) -> Report {
    let mut report = Report::new(format!("Spectrum of {}", found.kernel()));
    report.heading(format!("Eigenvalues of {}", found.kernel()));
    let errors = found.standard_errors();
    let mut head = vec!["number", "eigenvalue"];
    head.extend(errors.map(|_| "standard error"));
    head.push("share of the trace");
    let mut table = Table::new(&head, &(0..head.len()).collect::<Vec<_>>());
    for (j, value) in found.eigenvalues().iter().enumerate() {
        let error = errors.map(|errors| short(errors[j]));
        let share = format!("{:.2} %", 100.0 * value / found.trace());
        table.push([(j + 1).to_string(), short(*value)].into_iter().chain(error).chain([share]));
    }
    report.push(Block::Table(table));
    report.fields([("trace", short(found.trace())), ("captured", format!("{:.2} %", 100.0 * found.captured()))]);
    report.figures.push(draw(found));
    report.json = json!({
        "kernel": found.kernel().to_string(),
        "eigenvalues": json_list(found.eigenvalues()),
        "standard_errors": errors.map(json_list),
        "trace": number(found.trace()),
        "captured": number(found.captured()),
    });
    report
}

/// The decimal logarithms of the eigenvalues, with a band of two standard errors.
fn draw(found: &Spectrum) -> Figure {
    let position = |j: usize| (j + 1) as f64;
    let values = found.eigenvalues();
    let points = values.iter().enumerate().map(|(j, v)| (position(j), v.log10())).collect();
    let mut curves = Vec::new();
    if let Some(errors) = found.standard_errors() {
        let ends = values
            .iter()
            .zip(errors)
            .enumerate()
            .map(|(j, (v, e))| (position(j), (v - 2.0 * e).log10(), (v + 2.0 * e).log10()));
        curves.push(Curve::band("two standard errors", ends));
    }
    curves.push(Curve { label: "eigenvalues".into(), points, mark: Mark::Dots });
    let title = format!("Decay: {}", found.kernel());
    Figure::Curves(vec![CurvePlot { title, x: "number".into(), y: "log₁₀ of the eigenvalue".into(), curves }])
}
