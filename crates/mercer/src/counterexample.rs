//! Counterexamples: points and weights for which a quadratic form has the wrong sign.

use std::fmt;

use ndarray::Array2;

use crate::wording::{list_text, number_text};

/// Points, weights and the quadratic form `cᵀKc`, which has the wrong sign: anyone can re-check it.
///
/// Against positive semi-definiteness the value is negative. Against negative semi-definiteness the
/// weights sum to 0 exactly and the value is positive.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {
    /// The points, one per row; no rows if the counterexample is to a precomputed matrix.
    pub points: Array2<f64>,
    /// The rows of the data, or of a precomputed matrix, that take part; empty if the points were
    /// searched for.
    pub indices: Vec<usize>,
    /// Strings, graphs, bags and diagrams in a few words, one per row in `indices`; empty for points
    /// that are vectors.
    pub objects: Vec<String>,
    /// The weights `c`.
    pub weights: Vec<f64>,
    /// `cᵀKc`, re-checked with about 31 digits and a bound on the error.
    pub value: f64,
    /// `cᵀKc` with 25 digits.
    pub digits: String,
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.value < 0.0 { "<" } else { ">" };
        writeln!(f, "cᵀKc = {} {sign} 0 with", self.digits)?;
        for (i, &weight) in self.weights.iter().enumerate() {
            let vector = (i < self.points.nrows()).then(|| list_text(&self.points.row(i).to_vec()));
            let point = vector.or_else(|| self.objects.get(i).cloned()).map(|point| format!("x = {point}"));
            let position = match (self.indices.get(i), point) {
                (Some(row), Some(point)) => format!("row {row}, {point}"),
                (Some(row), None) => format!("row {row}"),
                (None, point) => point.unwrap_or_default(),
            };
            let end = if i + 1 < self.weights.len() { "\n" } else { "" };
            write!(f, "  c = {:<22} at {position}{end}", number_text(weight))?;
        }
        Ok(())
    }
}
