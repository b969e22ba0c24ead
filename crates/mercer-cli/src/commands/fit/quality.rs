//! Prediction errors.

use ndarray::{Array1, ArrayView1};
use serde_json::{Value, json};

use crate::numbers::{json as number, short};

/// The errors of one target.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// The target.
    pub target: String,
    /// The root of the mean square of the errors.
    pub rmse: f64,
    /// The mean of their sizes.
    pub mae: f64,
    /// `1 − Σ e²/Σ (y − ȳ)²`; NaN for a constant target.
    pub r2: f64,
    /// The root of the mean square of the leave-one-out errors, where there are some.
    pub loo_rmse: Option<f64>,
    /// `R²` of the leave-one-out predictions.
    pub loo_r2: Option<f64>,
}

impl Quality {
    /// From observations, their residuals, and leave-one-out residuals.
    pub fn new(target: &str, y: ArrayView1<f64>, residuals: ArrayView1<f64>, loo: Option<ArrayView1<f64>>) -> Self {
        let loo = loo.filter(|l| l.iter().all(|v| v.is_finite()));
        Self {
            target: target.to_owned(),
            rmse: mean_square(residuals).sqrt(),
            mae: residuals.iter().map(|r| r.abs()).sum::<f64>() / residuals.len() as f64,
            r2: r2(y, residuals),
            loo_rmse: loo.map(|l| mean_square(l).sqrt()),
            loo_r2: loo.map(|l| r2(y, l)),
        }
    }

    /// For people.
    pub fn fields(&self) -> Vec<(String, String)> {
        let mut fields = vec![
            ("RMSE".to_owned(), short(self.rmse)),
            ("MAE".to_owned(), short(self.mae)),
            ("R²".to_owned(), or_dash(self.r2)),
        ];
        fields.extend(self.loo_rmse.map(|v| ("leave-one-out RMSE".to_owned(), short(v))));
        fields.extend(self.loo_r2.map(|v| ("leave-one-out R²".to_owned(), or_dash(v))));
        fields
    }

    /// For programs.
    pub fn json(&self) -> Value {
        json!({
            "target": self.target,
            "rmse": number(self.rmse),
            "mae": number(self.mae),
            "r2": number(self.r2),
            "loo_rmse": self.loo_rmse.map_or(Value::Null, number),
            "loo_r2": self.loo_r2.map_or(Value::Null, number),
        })
    }
}

fn or_dash(value: f64) -> String {
    if value.is_finite() { short(value) } else { "—".into() }
}

fn mean_square(values: ArrayView1<f64>) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64
}

fn r2(y: ArrayView1<f64>, residuals: ArrayView1<f64>) -> f64 {
    let mean = y.sum() / y.len() as f64;
    let around: Array1<f64> = y.mapv(|v| v - mean);
    let spread = mean_square(around.view());
    if spread > 0.0 { 1.0 - mean_square(residuals) / spread } else { f64::NAN }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn errors_by_hand() {
        let quality = Quality::new("y", array![0.0, 2.0, 4.0].view(), array![1.0, -1.0, 0.0].view(), None);
        mercer::assert_close!(quality.rmse, (2.0_f64 / 3.0).sqrt(), abs = 1e-15);
        mercer::assert_close!(quality.mae, 2.0 / 3.0, abs = 1e-15);
        mercer::assert_close!(quality.r2, 0.75, abs = 1e-15);
        let constant =
            Quality::new("y", array![1.0, 1.0].view(), array![0.0, 0.0].view(), Some(array![f64::NAN, 0.0].view()));
        assert!(constant.r2.is_nan() && constant.loo_rmse.is_none());
    }
}
