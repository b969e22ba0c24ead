//! `mercer predict` for models of classes: labels, probabilities, the confusion matrix where the
//! truth is known.

use mercer::model::Model;
use mercer::points::{Column, ColumnData, Table};
use ndarray::{Array2, Axis};
use serde_json::{Value, json};

use super::diagnosis;
use super::fit::ClassQuality;
use super::predict::NewPoints;
use crate::arguments::PredictArguments;
use crate::failure::Failure;
use crate::numbers::{grouped, json as number, short};
use crate::plot::Figure;
use crate::session::Session;

/// The classes of the rows that were kept, and the properties of them.
pub struct ClassPrediction {
    names: Vec<String>,
    rows: usize,
    kept: Vec<usize>,
    classes: Vec<usize>,
    probabilities: Option<Array2<f64>>,
    /// Which classes belong to the set of every row.
    sets: Option<Array2<bool>>,
    /// The rows whose truth is known, and how many of their sets hold it.
    pub covered: Option<(usize, usize)>,
    /// How good they are, where the table has the target, and on how many rows.
    pub quality: Option<(String, usize, ClassQuality)>,
    /// The calibration of the probabilities on these rows.
    pub calibration: Option<Figure>,
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
    if words.interval.is_some() && !words.is_conformal() {
        return Err(Failure::request(
            "--interval: classes have no intervals; use --proba, or --interval conformal for sets of classes",
        ));
    }
    if words.proba && !model.has_probabilities() {
        return Err(Failure::request(format!(
            "--proba: {} was fitted without probabilities; fit it again with --proba, or use fit logistic",
            words.model.display()
        )));
    }
    let classes = model.predict_classes(x, compute)?;
    let probabilities = model.has_probabilities().then(|| model.probabilities(x, compute)).transpose()?;
    let sets = match words.interval_level() {
        Some(level) => Some(model.conformal_sets(x, level, compute)?),
        None => None,
    };
    let target = model.inputs().targets.first().and_then(|t| t.name.clone());
    let truth = target.as_deref().and_then(|name| truth(table, name, names));
    let mut found = ClassPrediction {
        names: names.to_vec(),
        rows: table.rows(),
        kept: encoded.kept_rows.clone(),
        classes,
        probabilities: probabilities.clone().filter(|_| words.proba),
        sets,
        covered: None,
        quality: None,
        calibration: None,
    };
    if let (Some(name), Some(truth)) = (target, truth) {
        let known: Vec<usize> = (0..found.kept.len()).filter(|&i| truth[found.kept[i]].is_some()).collect();
        if !known.is_empty() {
            let of: Vec<usize> = known.iter().filter_map(|&i| truth[found.kept[i]]).collect();
            found.covered = found.sets.as_ref().map(|sets| {
                let held = known.iter().zip(&of).filter(|&(&i, &class)| sets[[i, class]]);
                (known.len(), held.count())
            });
            let predicted: Vec<usize> = known.iter().map(|&i| found.classes[i]).collect();
            let decisions = model.decision_values(x, compute)?.select(Axis(0), &known);
            let p = probabilities.map(|p| p.select(Axis(0), &known));
            let quality = ClassQuality::new(names, &of, &predicted, decisions.view(), p.as_ref().map(|p| p.view()));
            if let Some(p) = &p {
                let title = format!("{} rows", grouped(known.len() as u64));
                found.calibration = diagnosis::calibration(&title, names, &of, p.view())?;
            }
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
        if let Some(sets) = self.set_labels() {
            let texts: Vec<Option<String>> = sets.iter().map(|labels| labels.as_ref().map(|l| l.join("|"))).collect();
            columns.push(Column::categories("set", texts.iter().map(Option::as_deref)));
        }
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
            if let Some(sets) = self.set_labels() {
                one["set"] = sets.into_iter().map(|labels| json!(labels)).collect();
            }
            if let Some(p) = &self.probabilities {
                let column = |c: usize| p.column(c).iter().map(|&v| number(v)).collect::<Value>();
                let columns: serde_json::Map<String, Value> =
                    self.names.iter().enumerate().map(|(c, name)| (name.clone(), column(c))).collect();
                one["probabilities"] = Value::Object(columns);
            }
        }
        if let Some(sets) = &self.sets {
            one["mean_set_size"] =
                number(sets.iter().filter(|held| **held).count() as f64 / sets.nrows().max(1) as f64);
            one["coverage"] = self.covered.map_or(Value::Null, |(rows, held)| number(held as f64 / rows as f64));
        }
        one
    }

    /// The labels of every set; none for a row that was left out.
    fn set_labels(&self) -> Option<Vec<Option<Vec<&str>>>> {
        let sets = self.sets.as_ref()?;
        let mut all = vec![None; self.rows];
        for (&row, set) in self.kept.iter().zip(sets.rows()) {
            all[row] =
                Some(self.names.iter().zip(set).filter(|(_, held)| **held).map(|(name, _)| name.as_str()).collect());
        }
        Some(all)
    }

    /// For people: how many sets hold the class, and how large they are.
    pub fn set_text(&self) -> Option<String> {
        let sets = self.sets.as_ref()?;
        let size = sets.iter().filter(|held| **held).count() as f64 / sets.nrows().max(1) as f64;
        let held = self.covered.map_or_else(String::new, |(rows, held)| {
            format!("; {} % hold the class", short(100.0 * held as f64 / rows as f64))
        });
        Some(format!("{} classes on average{held}", short(size)))
    }
}
