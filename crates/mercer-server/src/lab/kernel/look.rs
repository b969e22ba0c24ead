//! Everything that the panel shows of a kernel, in one answer: it must be there before the next move of a slider.

use mercer::kernel::WholeParameter;
use mercer::{Compute, Kernel};
use serde_json::{Value, json};

use super::check::recheck;
use super::curves::Line;
use super::gram::{ORDERS, matrix};
use super::parse;
use super::proofs::properties;
use crate::lab::data::Store;
use crate::lab::fields::Fields;
use crate::lab::numbers::number;
use crate::lab::refusal::{Answer, Refusal};
use crate::lab::training::{Choice, Training};

/// The largest half-width of the axis.
const WIDEST: f64 = 1e6;

/// The end of a slider of whole numbers, unless twice the value is more.
const LONGEST_STEPS: u32 = 10;
/// Whole numbers with a slider: the ends of each are found by building the kernel.
const MOST_STEPPED: usize = 12;

/// The answer for a text, or for the same text with other parameters.
pub fn look(fields: Fields<'_>, store: &Store, compute: &Compute) -> Answer {
    let text = fields.text("kernel")?;
    let mut kernel = parse(text)?;
    if let Some(values) = fields.optional_numbers("parameters")? {
        kernel = kernel.with_parameters(&values)?;
    }
    if let Some(values) = fields.optional_numbers("whole")? {
        kernel = kernel.with_whole_parameters(&whole_numbers(&values)?)?;
    }
    let half_width = fields.optional_number("half_width")?.unwrap_or(4.0);
    if !(half_width > 0.0 && half_width <= WIDEST) {
        return Err(Refusal::request(format!("`half_width` must be above 0 and at most {WIDEST}")));
    }
    let choice = fields.optional_object("data")?.map(Choice::read).transpose()?;
    let mut answer = json!({
        "text": text,
        "normal": kernel.to_string(),
        "short": kernel.short(),
        "kind": kernel.point_kind().map(|kind| kind.to_string()),
        "parameters": kernel.parameters().into_iter().map(parameter).collect::<Vec<_>>(),
        "whole": whole(&kernel),
        "properties": properties(&kernel),
        "bound": kernel.bound().filter(|b| b.is_finite()),
    });
    let training = choice.as_ref().map(|choice| Training::points_of(store, choice, Some(&kernel), compute));
    let line = on_line(&kernel, training.as_ref(), fields, half_width, compute)?;
    curves(&mut answer, line.as_ref(), &kernel, fields, compute)?;
    data(&mut answer, &kernel, training, fields, compute)?;
    if let Some(example) = fields.optional_object("recheck")? {
        answer["recheck"] =
            recheck(&kernel, example, compute).unwrap_or_else(|refusal| json!({ "reason": refusal.message }));
    }
    Ok(answer)
}

fn parameter(parameter: mercer::kernel::Parameter) -> Value {
    // A slider covers two decades to either side, or the same width on both sides of 0.
    let size = parameter.value.abs().max(1e-3);
    let (low, high) =
        if parameter.positive { (size / 100.0, size * 100.0) } else { (-5.0 * size.max(1.0), 5.0 * size.max(1.0)) };
    json!({
        "name": parameter.name, "value": number(parameter.value), "positive": parameter.positive,
        "choice": parameter.choice, "low": number(low), "high": number(high),
    })
}

fn whole_numbers(values: &[f64]) -> Result<Vec<u32>, Refusal> {
    let one = |v: &f64| (v.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(v)).then_some(*v as u32);
    let all: Option<Vec<u32>> = values.iter().map(one).collect();
    all.ok_or_else(|| Refusal::request("`whole` must be a list of whole numbers"))
}

/// The whole-number parameters with the ends of their sliders: the values that the kernel accepts.
fn whole(kernel: &Kernel) -> Value {
    let found = kernel.whole_parameters();
    let values: Vec<u32> = found.iter().map(|p| p.value).collect();
    let takes = |at: usize, value: u32| {
        let mut values = values.clone();
        values[at] = value;
        kernel.with_whole_parameters(&values).is_ok()
    };
    let one = |(at, parameter): (usize, &WholeParameter)| {
        let most = parameter.value.saturating_mul(2).max(LONGEST_STEPS);
        let high = (parameter.value + 1..=most).take_while(|&value| takes(at, value)).last();
        let low = (parameter.value.saturating_sub(most)..parameter.value).rev().take_while(|&value| takes(at, value));
        json!({
            "name": parameter.name, "value": parameter.value,
            "low": low.last().unwrap_or(parameter.value), "high": high.unwrap_or(parameter.value),
        })
    };
    found.iter().enumerate().take(MOST_STEPPED).map(one).collect()
}

/// The line of the pictures; none for kernels on objects.
fn on_line(
    kernel: &Kernel,
    training: Option<&Result<Training, Refusal>>,
    fields: Fields<'_>,
    half_width: f64,
    compute: &Compute,
) -> Result<Option<Line>, Refusal> {
    if kernel.point_kind().is_some_and(|kind| kind.is_object()) {
        return Ok(None);
    }
    let axis = fields.optional_count("axis", 10_000)?.unwrap_or(0);
    let training = training.and_then(|training| training.as_ref().ok()).filter(|t| !t.points().kind().is_object());
    // A kernel that does not fit the data is still drawn where it can be; the matrix says why it does not.
    let fitted = training.map(|training| training.kernel(kernel)?.resolve(training.points(), compute));
    let named = match fitted {
        Some(Ok(named)) => named,
        _ => kernel.clone(),
    };
    // With a lengthscale per column, or columns by name, the data says how many columns there are.
    let columns = training.map(Training::columns).filter(|_| needs_columns(kernel) || axis > 0);
    let found = Line::find(&named, columns, axis, half_width);
    Ok(found.or_else(|| Line::find(&named, training.map(Training::columns), axis, half_width)))
}

fn needs_columns(kernel: &Kernel) -> bool {
    let listed = kernel.parameters().iter().any(|parameter| parameter.name.contains("lengthscale["));
    listed || matches!(kernel, Kernel::On(..)) || kernel.children().into_iter().any(needs_columns)
}

fn curves(
    answer: &mut Value,
    line: Option<&Line>,
    kernel: &Kernel,
    fields: Fields<'_>,
    compute: &Compute,
) -> Result<(), Refusal> {
    let Some(line) = line else {
        let reason = match kernel.point_kind() {
            Some(kind) if kind.is_object() => format!("a kernel on {kind} has no profile over a line"),
            _ => "the kernel cannot be evaluated without data: choose a data set (a median, or a column by name, \
                  comes from there)"
                .to_owned(),
        };
        for name in ["profile", "density", "draws", "eigenvalues"] {
            answer[name] = json!({ "reason": reason });
        }
        return Ok(());
    };
    let seed = fields.optional_count("seed", u64::MAX >> 12)?.unwrap_or(0) as u64;
    answer["axis"] = json!({ "columns": line.columns, "axis": line.axis, "from": line.range.0, "to": line.range.1 });
    answer["profile"] = or_reason(line.profile(compute));
    answer["density"] = or_reason(line.density());
    answer["draws"] = line.draws(seed, compute);
    answer["eigenvalues"] = or_reason(line.eigenvalues(compute));
    Ok(())
}

/// A picture, or why there is none.
fn or_reason(found: mercer::Result<Value>) -> Value {
    found.unwrap_or_else(|error| json!({ "reason": error.to_string() }))
}

fn data(
    answer: &mut Value,
    kernel: &Kernel,
    training: Option<Result<Training, Refusal>>,
    fields: Fields<'_>,
    compute: &Compute,
) -> Result<(), Refusal> {
    let order = fields.word("order", &ORDERS)?;
    answer["gram"] = match training {
        None => json!({ "reason": "choose a data set to see its Gram matrix" }),
        Some(Err(refusal)) => json!({ "reason": refusal.message }),
        Some(Ok(training)) => {
            answer["columns"] = json!(training.coordinates);
            let drawn = training.kernel(kernel).and_then(|kernel| matrix(&kernel, &training, order, compute));
            match drawn {
                Ok((gram, decay)) => {
                    answer["eigenvalues"] = decay;
                    gram
                }
                Err(error) => json!({ "reason": error.to_string() }),
            }
        }
    };
    Ok(())
}
