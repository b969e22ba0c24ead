//! Kernels on bags and persistence diagrams: sums over rectangles of a kernel on their instances, of
//! which only strips are held.

use std::ops::Range;

use ndarray::ArrayView2;

use super::Bound;
use super::bind::bind_vectors;
use crate::gram::Tiles;
use crate::kernel::object::{ObjectPairs, ObjectTiles};
use crate::kernel::radial::gaussian::Gaussian;
use crate::kernel::{EmbeddingForm, Kernel, Lengthscale};
use crate::points::{Bags, Diagrams, PointKind};
use crate::{Compute, Error, Points, Result};

/// Values of the kernel on instances that are held at a time: 256 kB, to stay in a second-level cache
/// of 512 KiB. Not tuned: no other size was timed.
const HELD: usize = 1 << 15;
/// Instances of a bag that are summed before the next are computed. Not tuned.
const ROWS: usize = 128;

/// Writes a rectangle of values of the kernel on instances.
type Fill<'f> = &'f dyn Fn(Range<usize>, Range<usize>, &mut [f64]);

/// Where every bag ends among the instances, and the weights of the instances.
#[derive(Debug)]
struct Side {
    ends: Vec<usize>,
    weights: Vec<f64>,
}

impl Side {
    fn range(&self, bag: usize) -> Range<usize> {
        bag.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[bag]
    }

    fn of_bags(bags: &Bags) -> Self {
        Self { ends: bags.parts().1.to_vec(), weights: bags.shares() }
    }
}

/// Embeddings of row bags and column bags, and what they are compared by.
#[derive(Debug)]
pub(super) struct EmbeddingTiles {
    form: EmbeddingForm,
    bound: Bound<'static>,
    rows: Side,
    /// The columns where they are not the rows: other bags, or intervals with their mirror images.
    cols: Option<Side>,
    /// `‖μ‖²` of the rows, and of the columns where these are other bags.
    norms: (Vec<f64>, Option<Vec<f64>>),
    /// `k(x, x)`.
    diagonals: (Vec<f64>, Option<Vec<f64>>),
}

/// The kernel on bags, with medians resolved.
pub(super) fn bind_bags(
    form: &EmbeddingForm,
    kernel: &Kernel,
    pairs: ObjectPairs<'_>,
    compute: &Compute,
) -> Result<EmbeddingTiles> {
    let of = |points: Points<'_>| match points {
        Points::Bags(bags) => Ok(bags.clone()),
        other => Err(Error::wrong_points(form.name(), PointKind::Bags, other.kind())),
    };
    let (rows, cols) = (of(pairs.rows)?, pairs.cols.map(of).transpose()?);
    let bound = bind_vectors(kernel, rows.instances(), cols.as_ref().map(Bags::instances), compute)?;
    let norms = |bags: &Bags| -> Result<Vec<f64>> {
        let bound = bind_vectors(kernel, bags.instances(), None, compute)?;
        let side = Side::of_bags(bags);
        own_products(&bound, &side, &side, compute)
    };
    let norms = (norms(&rows)?, cols.as_ref().map(norms).transpose()?);
    let of_norms = |norms: &Vec<f64>| match form {
        EmbeddingForm::Mean => norms.clone(),
        EmbeddingForm::SquaredDistance => vec![0.0; norms.len()],
        EmbeddingForm::Gaussian(_) => vec![1.0; norms.len()],
    };
    let diagonals = (of_norms(&norms.0), norms.1.as_ref().map(of_norms));
    let (rows, cols) = (Side::of_bags(&rows), cols.as_ref().map(Side::of_bags));
    Ok(EmbeddingTiles { form: form.clone(), bound, rows, cols, norms, diagonals })
}

/// The scale-space kernel: a Gaussian kernel between the intervals of the rows and those of the
/// columns, from which the mirror images of the latter are taken away.
pub(super) fn bind_diagrams(scale: f64, pairs: ObjectPairs<'_>, compute: &Compute) -> Result<EmbeddingTiles> {
    let of = |points: Points<'_>| match points {
        Points::Diagrams(diagrams) => Ok(diagrams.clone()),
        other => Err(Error::wrong_points("persistence(…)", PointKind::Diagrams, other.kind())),
    };
    let (rows, cols) = (of(pairs.rows)?, pairs.cols.map(of).transpose()?);
    // exp(−d²/(8σ)) = exp(−d²/(2ℓ²)) with ℓ² = 4σ.
    let kernel: Kernel = Gaussian::new(Lengthscale::shared(2.0 * scale.sqrt())?).into();
    let factor = (8.0 * std::f64::consts::PI * scale).recip();
    let sides = |row: &Diagrams, col: &Diagrams| -> Result<(Bound<'static>, Side, Side)> {
        let (mirrored, side) = with_mirror_images(col);
        let bound = bind_vectors(&kernel, row.intervals(), Some(mirrored.view()), compute)?;
        let weights = vec![factor; row.intervals().nrows()];
        Ok((bound, Side { ends: row.parts().1.to_vec(), weights }, side))
    };
    let own = |diagrams: &Diagrams| -> Result<Vec<f64>> {
        let (bound, rows, cols) = sides(diagrams, diagrams)?;
        own_products(&bound, &rows, &cols, compute)
    };
    let diagonals = (own(&rows)?, cols.as_ref().map(own).transpose()?);
    let (bound, row_side, col_side) = sides(&rows, cols.as_ref().unwrap_or(&rows))?;
    let (form, norms) = (EmbeddingForm::Mean, diagonals.clone());
    Ok(EmbeddingTiles { form, bound, rows: row_side, cols: Some(col_side), norms, diagonals })
}

/// The intervals of every diagram, followed by their mirror images with weight −1.
fn with_mirror_images(diagrams: &Diagrams) -> (ndarray::Array2<f64>, Side) {
    let count = diagrams.intervals().nrows();
    let (mut points, mut weights, mut ends) =
        (Vec::with_capacity(4 * count), Vec::with_capacity(2 * count), Vec::new());
    for at in 0..diagrams.len() {
        let diagram = diagrams.diagram(at);
        diagram.rows().into_iter().for_each(|interval| points.extend([interval[0], interval[1]]));
        diagram.rows().into_iter().for_each(|interval| points.extend([interval[1], interval[0]]));
        weights.extend((0..diagram.nrows()).map(|_| 1.0));
        weights.extend((0..diagram.nrows()).map(|_| -1.0));
        ends.push(weights.len());
    }
    let points = ndarray::Array2::from_shape_vec((2 * count, 2), points).expect("two numbers per interval");
    (points, Side { ends, weights })
}

/// `⟨μ, μ⟩` of every bag.
fn own_products(bound: &Bound<'_>, rows: &Side, cols: &Side, compute: &Compute) -> Result<Vec<f64>> {
    compute.try_map_tasks(rows.ends.len(), |bag| {
        compute.check_canceled()?;
        let mut out = [0.0];
        products(rows, cols, &[bag], bag..bag + 1, &|r, c, out| bound.fill(r, c, out), &mut out);
        Ok(out[0])
    })
}

/// `Σ wᵣ v_c K[r, c]` over the instances of row bags and column bags. The sums do not depend on the
/// rectangle: over the rows of a bag first, in strips from its beginning, then over the columns.
fn products(rows: &Side, cols: &Side, bags: &[usize], columns: Range<usize>, fill: Fill<'_>, out: &mut [f64]) {
    if columns.is_empty() {
        return;
    }
    let all = cols.range(columns.start).start..cols.range(columns.end - 1).end;
    let mut sums = vec![0.0; all.len()];
    let mut values = vec![0.0; HELD];
    for (&bag, line) in bags.iter().zip(out.chunks_exact_mut(columns.len())) {
        sums.fill(0.0);
        let own = rows.range(bag);
        for first in own.clone().step_by(ROWS) {
            let strip = first..own.end.min(first + ROWS);
            let width = HELD / strip.len();
            for start in all.clone().step_by(width) {
                let part = start..all.end.min(start + width);
                let values = &mut values[..strip.len() * part.len()];
                fill(strip.clone(), part.clone(), values);
                let sums = &mut sums[part.start - all.start..part.end - all.start];
                for (values, w) in values.chunks_exact(part.len()).zip(&rows.weights[strip.clone()]) {
                    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += w * value);
                }
            }
        }
        for (column, value) in columns.clone().zip(line) {
            let range = cols.range(column);
            let sums = &sums[range.start - all.start..range.end - all.start];
            // An empty sum is −0, which people would see printed.
            *value = sums.iter().zip(&cols.weights[range]).map(|(sum, w)| sum * w).sum::<f64>() + 0.0;
        }
    }
}

impl EmbeddingTiles {
    fn columns(&self) -> &Side {
        self.cols.as_ref().unwrap_or(&self.rows)
    }

    fn column_norms(&self) -> &[f64] {
        self.norms.1.as_ref().unwrap_or(&self.norms.0)
    }

    /// `‖μ − ν‖²` from `⟨μ, ν⟩`, in place; not below 0.
    fn to_distances(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        let norms = &self.column_norms()[cols.clone()];
        for (line, &row) in out.chunks_exact_mut(cols.len().max(1)).zip(rows) {
            for (value, norm) in line.iter_mut().zip(norms) {
                *value = (self.norms.0[row] + norm - 2.0 * *value).max(0.0);
            }
        }
    }

    /// `∂⟨μ, ν⟩/∂θ` for a parameter of the kernel on instances.
    fn inner_derivative(&self, parameter: usize, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        let fill = |r: Range<usize>, c: Range<usize>, out: &mut [f64]| {
            // The parameter is one of the kernel.
            self.bound.fill_derivative(parameter, r, c, out).unwrap_or_else(|_| out.fill(0.0));
        };
        products(&self.rows, self.columns(), rows, cols, &fill, out);
    }

    /// `∂‖μ‖²/∂θ` of the rows and of the columns, each with itself.
    fn norm_derivatives(&self, parameter: usize, sides: (&[usize], Range<usize>)) -> (Vec<f64>, Vec<f64>) {
        let own = |side: &Side, columns: bool, bag: usize| {
            let mut out = [0.0];
            let fill = |r: Range<usize>, c: Range<usize>, out: &mut [f64]| {
                let kernel = self.bound.kernel();
                let points = self.bound.instances(columns);
                derivative_within(kernel, points, parameter, r, c, out);
            };
            products(side, side, &[bag], bag..bag + 1, &fill, &mut out);
            out[0]
        };
        let rows = sides.0.iter().map(|&bag| own(&self.rows, false, bag)).collect();
        (rows, sides.1.map(|bag| own(self.columns(), self.cols.is_some(), bag)).collect())
    }
}

/// The derivative on pairs within one list of instances.
fn derivative_within(
    kernel: &Kernel,
    points: ArrayView2<'_, f64>,
    parameter: usize,
    rows: Range<usize>,
    cols: Range<usize>,
    out: &mut [f64],
) {
    let part = |range: Range<usize>| points.slice(ndarray::s![range, ..]);
    let (height, width) = (rows.len(), cols.len());
    let bound = bind_vectors(kernel, part(rows), Some(part(cols)), &Compute::unlimited());
    // These instances were bound before, so that nothing can fail.
    let filled = bound.and_then(|bound| bound.fill_derivative(parameter, 0..height, 0..width, out));
    filled.unwrap_or_else(|_| out.fill(0.0));
}

impl ObjectTiles for EmbeddingTiles {
    fn fill(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        products(&self.rows, self.columns(), rows, cols.clone(), &|r, c, out| self.bound.fill(r, c, out), out);
        match &self.form {
            EmbeddingForm::Mean => {}
            EmbeddingForm::SquaredDistance => self.to_distances(rows, cols, out),
            EmbeddingForm::Gaussian(lengthscale) => {
                self.to_distances(rows, cols, out);
                let t = half_inverse_square(lengthscale);
                out.iter_mut().for_each(|value| *value = (-t * *value).exp());
            }
        }
    }

    fn diagonals(&self) -> (&[f64], Option<&[f64]>) {
        (&self.diagonals.0, self.diagonals.1.as_deref())
    }

    fn largest(&self) -> f64 {
        let largest = |values: &[f64]| values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        match self.form {
            EmbeddingForm::Mean => largest(&self.diagonals.0).max(self.diagonals.1.as_deref().map_or(0.0, largest)),
            EmbeddingForm::SquaredDistance => 4.0 * largest(&self.norms.0).max(largest(self.column_norms())),
            EmbeddingForm::Gaussian(_) => 1.0,
        }
    }

    fn operations(&self) -> usize {
        let mean = |side: &Side| side.weights.len() / side.ends.len().max(1) + 1;
        (self.bound.operations() + 2) * mean(&self.rows) * mean(self.columns())
    }

    fn fill_derivative(&self, own: usize, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        let EmbeddingForm::Gaussian(lengthscale) = &self.form else {
            return self.plain_derivative(own, rows, cols, out);
        };
        let mut distances = vec![0.0; out.len()];
        products(
            &self.rows,
            self.columns(),
            rows,
            cols.clone(),
            &|r, c, out| self.bound.fill(r, c, out),
            &mut distances,
        );
        self.to_distances(rows, cols.clone(), &mut distances);
        let (t, length) = (half_inverse_square(lengthscale), lengthscale.single_or_unit().unwrap_or(1.0));
        match own.checked_sub(lengthscale.count()) {
            None => out.iter_mut().zip(distances).for_each(|(out, d)| *out = 2.0 * t / length * d * (-t * d).exp()),
            Some(inner) => {
                self.distance_derivative(inner, rows, cols, out);
                out.iter_mut().zip(distances).for_each(|(out, d)| *out *= -t * (-t * d).exp());
            }
        }
    }

    fn diagonal_derivatives(&self, own: usize) -> (Vec<f64>, Vec<f64>) {
        let (rows, cols) = (self.rows.ends.len(), self.columns().ends.len());
        match self.form {
            EmbeddingForm::Mean => self.norm_derivatives(own, (&(0..rows).collect::<Vec<_>>(), 0..cols)),
            _ => (vec![0.0; rows], vec![0.0; cols]),
        }
    }
}

impl EmbeddingTiles {
    fn plain_derivative(&self, own: usize, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        match self.form {
            EmbeddingForm::SquaredDistance => self.distance_derivative(own, rows, cols, out),
            _ => self.inner_derivative(own, rows, cols, out),
        }
    }

    /// `∂‖μ − ν‖²/∂θ` for a parameter of the kernel on instances.
    fn distance_derivative(&self, parameter: usize, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        self.inner_derivative(parameter, rows, cols.clone(), out);
        let (row_norms, column_norms) = self.norm_derivatives(parameter, (rows, cols.clone()));
        for (line, row) in out.chunks_exact_mut(cols.len().max(1)).zip(&row_norms) {
            line.iter_mut().zip(&column_norms).for_each(|(out, col)| *out = row + col - 2.0 * *out);
        }
    }
}

/// `1/(2ℓ²)`.
fn half_inverse_square(lengthscale: &Lengthscale) -> f64 {
    0.5 / lengthscale.single_or_unit().unwrap_or(1.0).powi(2)
}
