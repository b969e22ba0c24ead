//! A model chosen and fitted on real data: the strength of concrete from its mixture and age.

use mercer::Compute;
use mercer::io::{ReadOptions, read_table_from};
use mercer::points::{Encoding, Scaling, Table};
use mercer::select::{RidgeSearch, RidgeSearchFit, median_lengthscales};
use ndarray::{Array1, Array2, Axis};
use serde_json::{Value, json};

use crate::commands::fit::{Quality, agreement};
use crate::failure::Failure;
use crate::numbers::{grouped, json as number, short};
use crate::plot::CurvePlot;

const CONCRETE: &str = include_str!("../../../../../examples/data/concrete.csv");
const TARGET: &str = "strength";
const KERNELS: [&str; 3] = ["gaussian()", "matern(nu=3/2)", "laplacian(norm=l1)"];
const LENGTHSCALES: usize = 5;
/// Every fifth row is held out for the test error.
const HELD_OUT: usize = 5;

/// The chosen model and its error on held-out rows.
pub struct Regression {
    candidates: usize,
    kernel: String,
    lambda: f64,
    trained: usize,
    quality: Quality,
    /// Predicted against measured strength on held-out rows.
    pub plot: CurvePlot,
}

/// Chooses kernel, lengthscale and λ by leave-one-out on the training rows and predicts the others.
pub fn regression(compute: &Compute) -> Result<Regression, Failure> {
    let table = read_table_from(CONCRETE.as_bytes(), "concrete.csv", &ReadOptions::default(), compute)?;
    let (held_out, training): (Vec<usize>, Vec<usize>) = (0..table.rows()).partition(|row| row % HELD_OUT == 0);
    let (training, held_out) = (table.select_rows(&training)?, table.select_rows(&held_out)?);
    let inputs = training.drop_columns([TARGET])?;
    let encoding = Encoding { scaling: Scaling::Standardize, ..Encoding::default() }.fit(&inputs)?;
    let x = encoding.apply(&inputs)?.matrix;
    let y = strength(&training)?;
    let found = search(&x, &y, compute)?;
    let new = encoding.apply(&held_out.drop_columns([TARGET])?)?.matrix;
    let predicted = found.fit.predict(new.view(), compute)?.column(0).to_owned();
    let measured = strength(&held_out)?;
    let residuals = &measured - &predicted;
    Ok(Regression {
        candidates: found.candidates.len() * found.lambdas.len(),
        kernel: found.winner.kernel.to_string(),
        lambda: found.winner.lambda,
        trained: training.rows(),
        quality: Quality::new(TARGET, measured.view(), residuals.view(), None),
        plot: agreement(
            "Concrete strength (MPa) on held-out rows".into(),
            "predicted",
            [("one mixture".into(), measured.into_iter().zip(predicted).collect())],
        ),
    })
}

fn search(x: &Array2<f64>, y: &Array1<f64>, compute: &Compute) -> Result<RidgeSearchFit, Failure> {
    let kernels = KERNELS.iter().map(|text| text.parse()).collect::<mercer::Result<_>>()?;
    let lengthscales = median_lengthscales(x.view(), LENGTHSCALES, compute)?;
    let search = RidgeSearch { lengthscales, intercept: true, ..RidgeSearch::new(kernels) };
    Ok(search.fit(x.view(), y.view().insert_axis(Axis(1)), None, compute)?)
}

/// The target column.
fn strength(table: &Table) -> Result<Array1<f64>, Failure> {
    let target = table.select([TARGET])?;
    Ok(Encoding::default().fit(&target)?.apply(&target)?.matrix.column(0).to_owned())
}

impl Regression {
    /// For people.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        vec![
            ("candidates", format!("{} (kernel, lengthscale, λ)", grouped(self.candidates as u64))),
            ("chosen kernel", self.kernel.clone()),
            ("λ", short(self.lambda)),
            ("training rows", grouped(self.trained as u64)),
            ("RMSE on held-out rows", format!("{} MPa", short(self.quality.rmse))),
            ("R² on held-out rows", short(self.quality.r2)),
        ]
    }

    /// For programs.
    pub fn json(&self) -> Value {
        json!({
            "candidates": self.candidates,
            "kernel": self.kernel,
            "lambda": number(self.lambda),
            "rows": self.trained,
            "rmse": number(self.quality.rmse),
            "r2": number(self.quality.r2),
        })
    }
}
