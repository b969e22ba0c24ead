//! A Gaussian-process forecast of CO₂ at Mauna Loa: trend, season and irregularities.

use mercer::io::{ReadOptions, read_table_from};
use mercer::learn::GaussianProcess;
use mercer::model::{Inputs, Model};
use mercer::points::{Affine, ColumnData, Table};
use mercer::{Compute, Kernel};
use ndarray::{Array1, Array2, Axis};
use serde_json::{Value, json};

use crate::commands::fit::Quality;
use crate::failure::Failure;
use crate::numbers::{grouped, json as number, short};
use crate::plot::{Curve, CurvePlot, Mark};

const CO2: &str = include_str!("../../../../../examples/data/co2.csv");
/// A smooth trend over decades, a season whose shape changes slowly, and irregularities over months
/// and years; the numbers are those that Rasmussen and Williams (2006, section 5.4.3) found.
const KERNEL: &str = "4356*gaussian(lengthscale=67) + 5.76*gaussian(lengthscale=90)*periodic(period=1, lengthscale=1.3) + \
                      0.44*rational_quadratic(lengthscale=1.2, shape=0.78)";
/// The variance of the noise of one week.
const NOISE: f64 = 0.1;
/// Training data end before this year.
const NOW: f64 = 1992.0;
/// Every second week resolves the season.
const STEP: usize = 2;
const LEVEL: f64 = 0.95;

/// The forecast and its quality.
pub struct Forecast {
    kernel: String,
    seen: usize,
    quality: Quality,
    coverage: f64,
    /// Data, forecast and band.
    pub plot: CurvePlot,
}

/// Fits the years before and predicts the years after.
pub fn forecast(compute: &Compute) -> Result<Forecast, Failure> {
    let table = read_table_from(CO2.as_bytes(), "co2.csv", &ReadOptions::default(), compute)?;
    let weeks = weeks(&table);
    let before: Vec<(f64, f64)> = weeks.iter().copied().filter(|w| w.0 < NOW).step_by(STEP).collect();
    let after: Vec<(f64, f64)> = weeks.iter().copied().filter(|w| w.0 >= NOW).collect();
    let model = fit(&before, compute)?;
    let found = model.predict_interval(column(&after).view(), LEVEL, compute)?;
    let y: Array1<f64> = after.iter().map(|w| w.1).collect();
    let errors = &y - &found.mean.column(0);
    let held = (0..y.len()).filter(|&i| found.lower[[i, 0]] <= y[i] && y[i] <= found.upper[[i, 0]]).count();
    Ok(Forecast {
        kernel: KERNEL.parse::<Kernel>()?.to_string(),
        seen: before.len(),
        quality: Quality::new("co2", y.view(), errors.view(), None),
        coverage: held as f64 / y.len() as f64,
        plot: draw(&model, &before, &after, compute)?,
    })
}

/// The weeks that were measured: year and parts per million.
fn weeks(table: &Table) -> Vec<(f64, f64)> {
    let values = |j: usize| match &table.columns()[j].data {
        ColumnData::Numbers(values) => values.as_slice(),
        _ => &[],
    };
    values(0).iter().copied().zip(values(1).iter().copied()).filter(|(_, y)| y.is_finite()).collect()
}

fn column(weeks: &[(f64, f64)]) -> Array2<f64> {
    weeks.iter().map(|w| w.0).collect::<Array1<f64>>().insert_axis(Axis(1))
}

fn fit(weeks: &[(f64, f64)], compute: &Compute) -> Result<Model, Failure> {
    let mean = weeks.iter().map(|w| w.1).sum::<f64>() / weeks.len() as f64;
    let y: Array1<f64> = weeks.iter().map(|w| w.1 - mean).collect();
    let process = GaussianProcess { optimize: false, ..GaussianProcess::new(KERNEL.parse()?, NOISE) };
    let fit = process.fit(column(weeks).view(), y.view(), compute)?;
    let mut inputs = Inputs::vectors(1, 1);
    inputs.targets[0].map = Affine { shift: mean, scale: 1.0 };
    Ok(Model::new(fit, inputs)?)
}

fn draw(model: &Model, before: &[(f64, f64)], after: &[(f64, f64)], compute: &Compute) -> Result<CurvePlot, Failure> {
    const POINTS: usize = 800;
    let (first, last) = (1986.0, 2004.0);
    let year = |i: usize| first + (last - first) * i as f64 / (POINTS - 1) as f64;
    let grid = Array2::from_shape_fn((POINTS, 1), |(i, _)| year(i));
    let found = model.predict_interval(grid.view(), LEVEL, compute)?;
    let band = (0..POINTS).map(|i| (year(i), found.lower[[i, 0]], found.upper[[i, 0]]));
    let line = (0..POINTS).map(|i| (year(i), found.mean[[i, 0]])).collect();
    let seen: Vec<(f64, f64)> = before.iter().copied().filter(|w| w.0 >= first).collect();
    let curve = |label: &str, points: Vec<(f64, f64)>, mark: Mark| Curve { label: label.into(), points, mark };
    Ok(CurvePlot {
        title: "Mauna Loa CO₂: Gaussian-process forecast from 1992".into(),
        x: "year".into(),
        y: "parts per million".into(),
        curves: vec![
            Curve::band("95 % of new observations", band),
            curve("measured from 1992 on (not used)", after.to_vec(), Mark::Dots),
            curve("training data", seen, Mark::Dots),
            curve("mean", line, Mark::Line),
        ],
    })
}

impl Forecast {
    /// For people.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        vec![
            ("kernel", self.kernel.clone()),
            ("training weeks", grouped(self.seen as u64)),
            ("RMSE of the forecast", format!("{} parts per million", short(self.quality.rmse))),
            ("R²", short(self.quality.r2)),
            ("in the 95 % interval", format!("{} %", short(100.0 * self.coverage))),
        ]
    }

    /// For programs.
    pub fn json(&self) -> Value {
        json!({
            "kernel": self.kernel,
            "rows": self.seen,
            "rmse": number(self.quality.rmse),
            "r2": number(self.quality.r2),
            "coverage": number(self.coverage),
        })
    }
}
