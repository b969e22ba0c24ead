//! Profile, spectral density, draws and eigenvalues of a kernel on the line.

use mercer::features::SpectralMeasure;
use mercer::function::prior_draws;
use mercer::gram::{self, Pairs};
use mercer::kernel::Property;
use mercer::solve::eigenvalues;
use mercer::{Compute, Kernel, Result, Seed};
use ndarray::Array2;
use serde_json::{Value, json};

use crate::lab::numbers::{drawn_all, drawn_list, steps};

/// Places along the axis.
const PLACES: usize = 161;
/// Places of the draws and of the eigenvalues: the work grows with the third power.
const COARSE: usize = 101;
/// Functions that are drawn.
const DRAWS: usize = 5;
/// Eigenvalues that are shown.
const SHOWN: usize = 60;

/// The line along which a kernel is drawn.
pub struct Line {
    kernel: Kernel,
    /// The columns that the kernel takes.
    pub columns: usize,
    /// The column that varies.
    pub axis: usize,
    /// The ends.
    pub range: (f64, f64),
}

impl Line {
    /// The first line on which the kernel can be evaluated: around 0, on the half line, on the unit interval.
    pub fn find(kernel: &Kernel, columns: Option<usize>, axis: usize, half_width: f64) -> Option<Self> {
        let counts: Vec<usize> = columns.map_or_else(|| (1..=8).collect(), |d| vec![d]);
        for range in [(-half_width, half_width), (0.0, half_width), (0.0, 1.0)] {
            for &columns in &counts {
                let line = Self { kernel: kernel.clone(), columns, axis: axis.min(columns - 1), range };
                let ends = line.points(3);
                if ends.rows().into_iter().all(|x| kernel.evaluate(&x.to_vec(), &x.to_vec()).is_ok()) {
                    return Some(line);
                }
            }
        }
        None
    }

    /// Places on the line, with the other columns at 0.
    fn points(&self, count: usize) -> Array2<f64> {
        let places = steps(self.range.0, self.range.1, count);
        Array2::from_shape_fn((count, self.columns), |(i, j)| if j == self.axis { places[i] } else { 0.0 })
    }

    /// `k(·, y)` for one `y`, or for three where the kernel is not a function of `x − y`.
    pub fn profile(&self, compute: &Compute) -> Result<Value> {
        let invariant = self.kernel.property(Property::ShiftInvariant).is_proven();
        let (from, to) = self.range;
        let at = |share: f64| from + share * (to - from);
        let anchors: Vec<f64> = if invariant && from < 0.0 { vec![0.0] } else { [0.25, 0.5, 0.75].map(at).to_vec() };
        let x = self.points(PLACES);
        let y = Array2::from_shape_fn(
            (anchors.len(), self.columns),
            |(i, j)| {
                if j == self.axis { anchors[i] } else { 0.0 }
            },
        );
        let values = gram::dense(&self.kernel.bind(Pairs::between(x.view(), y.view()), compute)?, compute)?;
        let series = |(i, at): (usize, &f64)| json!({ "at": at, "values": drawn_all(values.column(i)) });
        Ok(json!({
            "x": drawn_list(&steps(from, to, PLACES)),
            "series": anchors.iter().enumerate().map(series).collect::<Vec<_>>(),
            "shift_invariant": invariant,
        }))
    }

    /// The density of the spectral measure, over the frequencies that hold most of it.
    pub fn density(&self) -> Result<Value> {
        if self.columns != 1 {
            return Ok(json!({ "reason": "the spectral density is drawn for kernels of one column" }));
        }
        let measure = match SpectralMeasure::of(&self.kernel, 1) {
            Ok(measure) => measure,
            Err(error) => return Ok(json!({ "reason": error.to_string() })),
        };
        let Some(_) = measure.density(0.1) else {
            return Ok(json!({ "reason": "no closed form of the density is known for this kernel" }));
        };
        // Where the kernel has half its value at distance r, its frequencies are of the size 1/r.
        let moment = (measure.second_moment()).sqrt();
        let top = if moment.is_finite() && moment > 0.0 { 4.0 * moment } else { 24.0 / self.half_distance() };
        let x = steps(0.0, top, PLACES);
        let values: Vec<f64> = x.iter().map(|&w| measure.density(w).unwrap_or(f64::NAN)).collect();
        Ok(json!({ "x": drawn_list(&x), "values": drawn_list(&values), "mass": measure.mass() }))
    }

    /// The distance at which the kernel has half of its value at 0.
    fn half_distance(&self) -> f64 {
        let value = |r: f64| self.kernel.evaluate(&[0.0], &[r]).unwrap_or(0.0);
        let half = 0.5 * value(0.0);
        (-30..60).map(|i| 2_f64.powf(0.5 * f64::from(i))).find(|&r| value(r) < half).unwrap_or(1.0)
    }

    /// Functions of the Gaussian process with this covariance.
    pub fn draws(&self, seed: u64, compute: &Compute) -> Value {
        let x = self.points(COARSE);
        match prior_draws(&self.kernel, x.view(), DRAWS, &compute.clone().with_seed(Seed(seed))) {
            Ok(f) => json!({
                "x": drawn_list(&steps(self.range.0, self.range.1, COARSE)),
                "series": f.columns().into_iter().map(drawn_all).collect::<Vec<_>>(),
                "seed": seed,
            }),
            Err(error) => json!({ "reason": error.to_string() }),
        }
    }

    /// Eigenvalues of `K/n` at equal steps.
    pub fn eigenvalues(&self, compute: &Compute) -> Result<Value> {
        let x = self.points(COARSE);
        let matrix = gram::dense(&self.kernel.bind(Pairs::within(x.view()), compute)?, compute)?;
        let source = format!("of K/n at {COARSE} equal steps");
        Ok(decay(eigenvalues((matrix / COARSE as f64).view(), compute)?, source))
    }
}

/// Eigenvalues in descending order.
pub fn decay(mut values: Vec<f64>, source: String) -> Value {
    values.reverse();
    let lowest = values.last().copied().unwrap_or(f64::NAN);
    values.truncate(SHOWN);
    json!({ "values": drawn_list(&values), "source": source, "lowest": lowest })
}
