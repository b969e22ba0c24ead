//! `mercer predict` for models of classes: labels, probabilities, the confusion matrix where the
//! truth is known.

use mercer::model::Model;
use mercer::points::{Column, ColumnData, Table};
use ndarray::{Array2, Axis};
use serde_json::{Value, json};

use super::fit::ClassQuality;
use super::predict::NewPoints;
use crate::arguments::PredictArguments;
use crate::failure::Failure;
use crate::numbers::json as number;
use crate::session::Session;

/// The classes of the rows that were kept, and the properties of them.
pub struct ClassPrediction {
    names: Vec<String>,
    rows: usize,
    kept: Vec<usize>,
    classes: Vec<usize>,
    probabilities: Option<Array2<f64>>,
    /// How good they are, where the table has the target, and on how many rows.
    pub quality: Option<(String, usize, ClassQuality)>,
}

/// Predicts the classes of a table.
pub fn run(
    words: &PredictArguments,
    model: &Model,
    names: &[String],
    table: &Table,
    encoded: &NewPoints,
    session: &Session,
) -> Result<ClassPrediction, Failure> {
    let (x, compute) = (&encoded.sample, &session.compute);
    if words.interval.is_some() {
        return Err(Failure::request("--interval: classes have no intervals; use --proba"));
    }
    if words.proba && !model.has_probabilities() {
        return Err(Failure::request(format!(
            "--proba: {} was fitted without probabilities; fit it again with --proba, or use fit logistic",
            words.model.display()
        )));
    }
    let classes = model.predict_classes(x, compute)?;
    let probabilities = model.has_probabilities().then(|| model.probabilities(x, compute)).transpose()?;
    let target = model.inputs().targets.first().and_then(|t| t.name.clone());
    let truth = target.as_deref().and_then(|name| truth(table, name, names));
    let mut found = ClassPrediction {
        names: names.to_vec(),
        rows: table.rows(),
        kept: encoded.kept_rows.clone(),
        classes,
        probabilities: probabilities.clone().filter(|_| words.proba),
        quality: None,
    };
    if let (Some(name), Some(truth)) = (target, truth) {
        let known: Vec<usize> = (0..found.kept.len()).filter(|&i| truth[found.kept[i]].is_some()).collect();
        if !known.is_empty() {
            let of: Vec<usize> = known.iter().filter_map(|&i| truth[found.kept[i]]).collect();
            let predicted: Vec<usize> = known.iter().map(|&i| found.classes[i]).collect();
            let decisions = model.decision_values(x, compute)?.select(Axis(0), &known);
            let p = probabilities.map(|p| p.select(Axis(0), &known));
            let quality = ClassQuality::new(names, &of, &predicted, decisions.view(), p.as_ref().map(|p| p.view()));
            found.quality = Some((name, known.len(), quality));
        }
    }
    Ok(found)
}

/// The class of every row, where the table has the target; a label that is not a class of the model
/// counts as missing.
fn truth(table: &Table, name: &str, names: &[String]) -> Option<Vec<Option<usize>>> {
    let column = table.columns().iter().find(|c| c.name == name)?;
    let position = |label: &str| names.iter().position(|known| known == label);
    match &column.data {
        ColumnData::Numbers(values) => {
            let known: Vec<Option<f64>> = names.iter().map(|n| n.parse().ok()).collect();
            Some(values.iter().map(|v| known.iter().position(|k| *k == Some(*v))).collect())
        }
        ColumnData::Categories { codes, levels } => {
            Some(codes.iter().map(|code| code.and_then(|c| position(&levels[c as usize]))).collect())
        }
        _ => None,
    }
}

impl ClassPrediction {
    /// The class of every row of the table; none for a row that was left out.
    fn spread(&self) -> Vec<Option<usize>> {
        let mut all = vec![None; self.rows];
        self.kept.iter().zip(&self.classes).for_each(|(&row, &class)| all[row] = Some(class));
        all
    }

    /// A column `prediction`, of numbers where all labels are numbers, and a column of
    /// probabilities per class.
    pub fn table(&self) -> Result<Table, Failure> {
        let numbers: Option<Vec<f64>> =
            self.names.iter().map(|n| n.parse().ok().filter(|v: &f64| v.is_finite())).collect();
        let all = self.spread();
        let mut columns = vec![match numbers {
            Some(labels) => {
                Column::numbers("prediction", all.iter().map(|c| c.map_or(f64::NAN, |c| labels[c])).collect())
            }
            None => Column::categories("prediction", all.iter().map(|c| c.map(|c| self.names[c].as_str()))),
        }];
        if let Some(p) = &self.probabilities {
            for (class, name) in self.names.iter().enumerate() {
                let mut values = vec![f64::NAN; self.rows];
                self.kept.iter().enumerate().for_each(|(i, &row)| values[row] = p[[i, class]]);
                columns.push(Column::numbers(format!("proba_{name}"), values));
            }
        }
        Ok(Table::from_columns(columns)?)
    }

    /// For programs: labels and probabilities where they are not written to a file, and the errors.
    pub fn json(&self, target: Option<&str>, written: bool) -> Value {
        let mut one = json!({ "target": target });
        if !written {
            one["prediction"] = self.spread().into_iter().map(|c| c.map(|c| self.names[c].clone())).collect();
            if let Some(p) = &self.probabilities {
                let column = |c: usize| p.column(c).iter().map(|&v| number(v)).collect::<Value>();
                let columns: serde_json::Map<String, Value> =
                    self.names.iter().enumerate().map(|(c, name)| (name.clone(), column(c))).collect();
                one["probabilities"] = Value::Object(columns);
            }
        }
        one
    }
}
