//! Quality of a classifier: accuracy, log-loss, the confusion matrix, ROC curves.

use ndarray::{Array2, ArrayView2};
use serde_json::{Value, json};

use crate::numbers::{digits, json as number, short};
use crate::plot::{Curve, CurvePlot, Figure, Mark};
use crate::report::{Block, Report, Table};

/// Classes of a confusion matrix that is shown; programs get all of it.
const SHOWN: usize = 12;
/// Points of a ROC curve that are drawn.
const DRAWN: usize = 500;

/// The errors of one target of classes.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassQuality {
    /// The names of the classes.
    names: Vec<String>,
    /// Rows by their class (rows) and the predicted one (columns).
    confusion: Array2<usize>,
    /// The mean of `−log P` of the class, where there are probabilities.
    log_loss: Option<f64>,
    /// Every class against the rest; of two classes the second.
    curves: Vec<Roc>,
}

/// The ROC curve of a class.
#[derive(Clone, Debug, PartialEq)]
struct Roc {
    class: usize,
    points: Vec<(f64, f64)>,
    area: f64,
}

impl ClassQuality {
    /// From the class of every row, the predicted one, decision values (one column for two classes)
    /// and probabilities.
    pub fn new(
        names: &[String],
        truth: &[usize],
        predicted: &[usize],
        decisions: ArrayView2<f64>,
        probabilities: Option<ArrayView2<f64>>,
    ) -> Self {
        let k = names.len();
        let mut confusion = Array2::zeros((k, k));
        truth.iter().zip(predicted).for_each(|(&t, &p)| confusion[[t, p]] += 1);
        let log_loss = probabilities.map(|p| {
            let term = |(i, &c): (usize, &usize)| -p[[i, c]].max(f64::MIN_POSITIVE).ln();
            truth.iter().enumerate().map(term).sum::<f64>() / truth.len() as f64
        });
        // Of several classes, decision values of one class are not comparable across rows;
        // probabilities are.
        let scores = probabilities.filter(|_| k > 2).unwrap_or(decisions);
        let column_of = |class: usize| if scores.ncols() == 1 { 0 } else { class };
        let classes = if k == 2 { 1..2 } else { 0..k };
        let of = |class: usize| {
            let side: Vec<bool> = truth.iter().map(|&t| t == class).collect();
            let (points, area) = roc(&scores.column(column_of(class)).to_vec(), &side)?;
            Some(Roc { class, points, area })
        };
        Self { names: names.to_vec(), confusion, log_loss, curves: classes.filter_map(of).collect() }
    }

    fn rows(&self) -> usize {
        self.confusion.sum()
    }

    /// The same without curves, which need all rows at once.
    pub fn without_curves(mut self) -> Self {
        self.curves.clear();
        self
    }

    /// Adds the rows of another part of the data; curves are not joined.
    pub fn add(&mut self, other: &Self) {
        let (before, more) = (self.rows() as f64, other.rows() as f64);
        let mean = |a: f64, b: f64| (before * a + more * b) / (before + more).max(1.0);
        self.log_loss = self.log_loss.zip(other.log_loss).map(|(a, b)| mean(a, b));
        self.confusion += &other.confusion;
        self.curves.clear();
    }

    /// The part of the rows whose class is right.
    pub fn accuracy(&self) -> f64 {
        self.confusion.diag().sum() as f64 / self.rows().max(1) as f64
    }

    /// Accuracy, log-loss, areas, and the confusion matrix.
    pub fn push_into(&self, report: &mut Report) {
        let wrong = self.rows() - self.confusion.diag().sum();
        let mut fields = vec![
            ("accuracy", format!("{} %", digits(100.0 * self.accuracy(), 5))),
            ("wrong", format!("{wrong} of {} rows", self.rows())),
        ];
        fields.extend(self.log_loss.map(|v| ("log-loss", short(v))));
        if !self.curves.is_empty() {
            let mean = self.curves.iter().map(|c| c.area).sum::<f64>() / self.curves.len() as f64;
            fields.push((if self.curves.len() == 1 { "area under ROC" } else { "mean area under ROC" }, short(mean)));
        }
        report.fields(fields);
        if self.names.len() > SHOWN {
            return;
        }
        let head: Vec<&str> =
            ["class ↓ predicted →"].into_iter().chain(self.names.iter().map(String::as_str)).collect();
        let mut table = Table::new(&head, &(1..head.len()).collect::<Vec<_>>());
        for (name, row) in self.names.iter().zip(self.confusion.rows()) {
            table.push([name.clone()].into_iter().chain(row.iter().map(ToString::to_string)));
        }
        report.push(Block::Table(table));
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let areas: serde_json::Map<String, Value> =
            self.curves.iter().map(|c| (self.names[c.class].clone(), number(c.area))).collect();
        json!({
            "classes": self.names,
            "accuracy": number(self.accuracy()),
            "error": number(1.0 - self.accuracy()),
            "log_loss": self.log_loss.map_or(Value::Null, number),
            "auc": areas,
            "confusion": self.confusion.rows().into_iter().map(|r| r.to_vec()).collect::<Vec<_>>(),
        })
    }

    /// The ROC curves.
    pub fn figure(&self, title: String) -> Option<Figure> {
        if self.curves.is_empty() {
            return None;
        }
        let curve = |Roc { class, points, .. }: &Roc| {
            let step = points.len().div_ceil(DRAWN).max(1);
            let some = points.iter().copied().step_by(step).chain(points.last().copied());
            Curve { label: self.names[*class].clone(), points: some.collect(), mark: Mark::Line }
        };
        let curves = self.curves.iter().map(curve).collect();
        let (x, y) = ("false positive rate".into(), "true positive rate".into());
        Some(Figure::Curves(vec![CurvePlot { title, x, y, curves }]))
    }
}

/// The ROC curve of scores and the area under it; equal scores are one step. None where one side
/// has no rows.
fn roc(scores: &[f64], side: &[bool]) -> Option<(Vec<(f64, f64)>, f64)> {
    let positive = side.iter().filter(|s| **s).count() as f64;
    let negative = side.len() as f64 - positive;
    if positive == 0.0 || negative == 0.0 {
        return None;
    }
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let (mut curve, mut found, mut taken, mut area) = (vec![(0.0, 0.0)], 0.0, 0.0, 0.0);
    for group in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let hits = group.iter().filter(|&&i| side[i]).count() as f64;
        let others = group.len() as f64 - hits;
        area += others * (found + 0.5 * hits);
        found += hits;
        taken += others;
        curve.push((taken / negative, found / positive));
    }
    Some((curve, area / (positive * negative)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn areas_by_hand() {
        // Of the six pairs, five are in order and one is a tie.
        let (curve, area) = roc(&[3.0, 2.0, 2.0, 1.0, 0.0], &[true, true, false, false, false]).unwrap();
        mercer::assert_close!(area, 5.5 / 6.0, abs = 1e-15, "{area}");
        assert_eq!(curve.last(), Some(&(1.0, 1.0)));
        assert!(roc(&[1.0], &[true]).is_none());
    }

    #[test]
    fn confusion_by_hand() {
        let names = ["a".to_owned(), "b".to_owned()];
        let p = array![[0.9, 0.1], [0.4, 0.6], [0.5, 0.5]];
        let quality =
            ClassQuality::new(&names, &[0, 0, 1], &[0, 1, 1], array![[-1.0], [0.5], [0.7]].view(), Some(p.view()));
        assert_eq!(quality.confusion, array![[1, 1], [0, 1]]);
        mercer::assert_close!(quality.accuracy(), 2.0 / 3.0, abs = 1e-15);
        let expected = -(0.9_f64.ln() + 0.4_f64.ln() + 0.5_f64.ln()) / 3.0;
        mercer::assert_close!(quality.log_loss.unwrap(), expected, abs = 1e-15);
        assert_eq!(quality.curves.iter().map(|c| (c.class, c.area)).collect::<Vec<_>>(), [(1, 1.0)]);
    }
}
