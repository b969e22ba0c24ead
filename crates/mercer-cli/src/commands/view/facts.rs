//! The facts of a fit: for people, and for programs.

use mercer::learner::{Fact, FactValue, Fitted};
use serde_json::{Map, Value, json};

use crate::numbers::{grouped, json as number, json_list, short};

/// Numbers of a list that are shown.
const SHOWN: usize = 8;
/// Lists that are longer belong to the rows of the data and are not shown.
const LIST: usize = 60;
/// Numbers of a fact that are part of the JSON object. Some 2 MB of text.
const IN_JSON: usize = 100_000;

/// Names with values, of what fits into a line.
pub fn fields(fitted: &dyn Fitted) -> Vec<(String, String)> {
    named(fitted).into_iter().map(|(name, value)| (name.replace('_', " "), value)).collect()
}

/// The same with the names of programs.
pub fn named(fitted: &dyn Fitted) -> Vec<(&'static str, String)> {
    fitted.facts().iter().filter_map(|fact| Some((fact.name, shown(fact)?))).collect()
}

fn shown(fact: &Fact<'_>) -> Option<String> {
    match &fact.value {
        FactValue::Flag(value) => Some(if *value { "yes".into() } else { "no".into() }),
        FactValue::Count(value) => Some(grouped(*value as u64)),
        FactValue::Number(value) => Some(short(*value)),
        FactValue::Text(text) => Some(shortened(text)),
        FactValue::Texts(texts) if (1..=LIST).contains(&texts.len()) => {
            Some(first(texts.iter().map(|text| shortened(text)), texts.len()))
        }
        FactValue::Counts(values) if (1..=LIST).contains(&values.len()) => {
            Some(first(values.iter().map(|v| grouped(*v as u64)), values.len()))
        }
        FactValue::Array(values) if values.ndim() == 1 && (1..=LIST).contains(&values.len()) => {
            Some(first(values.iter().map(|v| short(*v)), values.len()))
        }
        _ => None,
    }
}

/// Kernels with long lists are cut where people read.
fn shortened(text: &str) -> String {
    text.parse::<mercer::Kernel>().map_or_else(|_| text.to_owned(), |kernel| kernel.short())
}

fn first(items: impl Iterator<Item = String>, count: usize) -> String {
    let more = if count > SHOWN { format!(", … {} in all", grouped(count as u64)) } else { String::new() };
    format!("{}{more}", items.take(SHOWN).collect::<Vec<_>>().join(", "))
}

/// All facts; arrays that are too long for a text by their shape alone.
pub fn json_of(fitted: &dyn Fitted) -> Map<String, Value> {
    fitted.facts().iter().map(|fact| (fact.name.to_owned(), value(&fact.value))).collect()
}

fn value(value: &FactValue<'_>) -> Value {
    match value {
        FactValue::Flag(value) => json!(value),
        FactValue::Count(value) => json!(value),
        FactValue::Number(value) => number(*value),
        FactValue::Text(text) => json!(text),
        FactValue::Texts(texts) => json!(texts),
        FactValue::Counts(values) if values.len() <= IN_JSON => json!(values),
        FactValue::Counts(values) => json!({ "shape": [values.len()] }),
        FactValue::Array(values) if values.len() > IN_JSON => json!({ "shape": values.shape() }),
        FactValue::Array(values) if values.ndim() == 1 => json_list(values.iter()),
        FactValue::Array(values) => Value::Array(values.outer_iter().map(|row| json_list(row.iter())).collect()),
    }
}
