//! The check of kernels on objects: by rule, and on the data. Nothing is searched for, because
//! strings and graphs have no directions to search in.

use ndarray::{Array2, Axis};

use super::check::{Check, CheckOptions, CheckVerdict, chosen_rows};
use super::matrix::check_matrix;
use super::side::Claim;
use crate::gram::{self, Pairs};
use crate::kernel::Verdict;
use crate::{Compute, Kernel, Points, Result, Sample};

/// What the rules say, and the smallest eigenvalue on the data where there is some.
pub(super) fn check(
    kernel: &Kernel,
    side: Claim,
    rules: Verdict,
    data: Option<Points<'_>>,
    options: &CheckOptions,
    compute: &Compute,
) -> Result<Check> {
    let mut check = Check::start(rules);
    if let Some(points) = data {
        check.look_at_objects(kernel, side, points, options, compute)?;
    }
    if let Verdict::Proven(proof) = &check.rules {
        check.verdict = CheckVerdict::Proven(proof.clone());
    }
    Ok(check)
}

impl Check {
    fn look_at_objects(
        &mut self,
        kernel: &Kernel,
        side: Claim,
        points: Points<'_>,
        options: &CheckOptions,
        compute: &Compute,
    ) -> Result<()> {
        let rows = chosen_rows(points.len(), options, compute)?;
        (self.rows_total, self.rows_used, self.points_tried) = (points.len(), rows.len(), rows.len());
        if rows.is_empty() {
            return Ok(());
        }
        let sample = Sample::select(points, &rows);
        let matrix = gram::dense(&kernel.bind(Pairs::Within(sample.as_points()), compute)?, compute)?;
        let found = match side {
            Claim::Positive => check_matrix(matrix.view(), compute)?,
            Claim::Negative => check_matrix(negative_part(matrix).view(), compute)?,
        };
        (self.min_eigenvalue, self.tolerance) = (found.min_eigenvalue, found.tolerance);
        // Weights of the centered matrix are none of the kernel: the eigenvalue alone is reported.
        if let (CheckVerdict::Refuted(mut counterexample), Claim::Positive) = (found.verdict, side) {
            counterexample.indices.iter_mut().for_each(|at| *at = rows[*at]);
            let described = counterexample.indices.iter().filter_map(|&at| points.describe(at));
            counterexample.objects = described.collect();
            if let Points::Vectors(x) = points {
                counterexample.points = x.select(Axis(0), &counterexample.indices);
                self.points.clone_from(&counterexample.points);
            }
            self.weights.clone_from(&counterexample.weights);
            self.verdict = CheckVerdict::Refuted(counterexample);
        }
        Ok(())
    }
}

/// `−JKJ` with `J = I − 11ᵀ/n`: positive semi-definite where `K` is negative semi-definite.
fn negative_part(matrix: Array2<f64>) -> Array2<f64> {
    let n = matrix.nrows().max(1) as f64;
    let means = matrix.sum_axis(Axis(0)) / n;
    let mean = means.sum() / n;
    Array2::from_shape_fn(matrix.dim(), |(i, j)| means[i] + means[j] - mean - matrix[[i, j]])
}
