//! The leading eigenvectors of the normalized Gram matrix, and their extension to new points.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use ndarray::{Array1, Array2, Axis, s};

use super::affinity::{self, Degrees};
use crate::error::MemoryPurpose;
use crate::features::{FeatureMap, Nystrom};
use crate::gram::Pairs;
use crate::learn::observations::bind_fit;
use crate::operator::ByProduct;
use crate::operator::products::{multiply, multiply_transposed};
use crate::solve::{Factored, LeadingEigen, factor, leading_eigen, symmetric_eigen};
use crate::view::kmeans::{ClusterPlan, ClusterSolver, KernelRows};
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// Points up to which all eigenvectors are computed: some milliseconds.
const SMALL: usize = 200;
/// The shift `σ` of `(L + σI)⁻¹`. It keeps the factor positive definite, and eigenvalues of `L` far
/// below it are told apart slowly. Not tuned.
const SHIFT: f64 = 1e-3;
/// Vectors beyond those requested that an iteration carries, as in [`leading_eigen`].
const SPARE: usize = 8;
/// Rows of a strip of features: some blocks for every thread.
const STRIP: usize = 16 * 1024;
/// Products that an iteration may take at least before the matrix is factored instead.
const FEWEST_PRODUCTS: usize = 24;

/// Eigenvectors of `D^{−½}KD^{−½}` with the largest eigenvalues.
#[derive(Clone, Debug)]
pub(super) struct Spectrum {
    pub(super) kernel: Kernel,
    /// The eigenvalues `μ`, descending; `1 − μ` are the smallest of the Laplacian.
    pub(super) values: Vec<f64>,
    /// `uᵢ/√dᵢ`, a column per eigenvector: the one of largest size is positive. Rows of isolated
    /// points are 0.
    pub(super) embedding: Array2<f64>,
    pub(super) isolated: Vec<usize>,
    /// The points that new points are compared with: those of the fit, or landmarks.
    pub(super) points: Sample,
    /// `A` with `(Σⱼ k(x, zⱼ)Aⱼc) / (Σⱼ k(x, zⱼ)bⱼ)` for the coordinates of `x`.
    pub(super) coefficients: Array2<f64>,
    /// `b`.
    pub(super) degree_weights: Array1<f64>,
    /// The largest `‖Nu − μu‖`; 0 for a direct solver.
    pub(super) residual: f64,
    pub(super) trace_missed: f64,
}

impl Spectrum {
    /// The `count` leading eigenvectors for points, as the plan has it.
    pub(super) fn new(
        kernel: &Kernel,
        x: Points<'_>,
        count: usize,
        plan: &ClusterPlan,
        compute: &Compute,
    ) -> Result<Self> {
        if plan.solver == ClusterSolver::Landmarks {
            return Self::on_landmarks(kernel, x, count, plan.landmarks, compute);
        }
        let bound = bind_fit(kernel, x.reborrow(), compute)?;
        let rows = KernelRows::new(&bound, plan.solver, compute)?;
        let degrees = affinity::degrees(&rows, &bound, compute)?;
        let found = decompose(rows, &degrees, count, compute)?;
        let embedding = signed(degrees.scaled(found.vectors));
        let values = Array1::from(found.values);
        Ok(Self {
            kernel: bound.kernel().clone(),
            coefficients: &embedding / &values.mapv(divisor),
            degree_weights: Array1::ones(x.len()),
            points: Sample::kept(x),
            isolated: degrees.isolated(),
            values: values.to_vec(),
            embedding,
            residual: found.residual,
            trace_missed: 0.0,
        })
    }

    /// On features `z` with `zᵢᵀzⱼ ≈ k(xᵢ, xⱼ)`: `N = Z̃Z̃ᵀ` with `Z̃ = D^{−½}Z`, whose
    /// eigenvectors are `Z̃v/√μ` with those of `Z̃ᵀZ̃`.
    fn on_landmarks(kernel: &Kernel, x: Points<'_>, count: usize, landmarks: usize, compute: &Compute) -> Result<Self> {
        let features = Nystrom::new(kernel.clone(), landmarks).fit(x, compute)?;
        affinity::check_landmarks(features.kernel(), x, features.landmarks(), compute)?;
        compute.reserve(
            MemoryPurpose::Features,
            "the features of the points",
            8 * x.len() as u64 * features.components() as u64,
            "use fewer landmarks or a higher memory limit",
        )?;
        let z = features.transform(x, compute)?;
        let diagonal = features.kernel().bind(Pairs::Within(x), compute)?.diagonal()?;
        let missed = z.rows().into_iter().zip(&diagonal).map(|(z, k)| (k - z.dot(&z)).max(0.0)).sum();
        let sum = z.sum_axis(Axis(0));
        let degrees = Degrees::new(z.dot(&sum).to_vec(), features.kernel())?;
        let z = degrees.scaled(z);
        let eigen = symmetric_eigen(inner_products(&z, compute)?.view(), compute)?;
        let size = eigen.values.len();
        let order: Vec<usize> = (size.saturating_sub(count)..size).rev().collect();
        let values: Array1<f64> = order.iter().map(|&j| eigen.values[j]).collect();
        let roots = values.mapv(|v| divisor(v).abs().sqrt());
        let vectors = eigen.vectors.select(Axis(1), &order) / &roots;
        let embedding = degrees.scaled(multiply(z.view(), vectors.view(), compute)?);
        let signs = signs(&embedding);
        Ok(Self {
            kernel: features.kernel().clone(),
            coefficients: multiply(features.map(), vectors.view(), compute)? * &signs,
            degree_weights: features.map().dot(&sum),
            points: Sample::from(features.landmarks()),
            isolated: degrees.isolated(),
            values: values.to_vec(),
            embedding: embedding * &signs,
            residual: 0.0,
            trace_missed: missed,
        })
    }
}

/// `ZᵀZ`, in strips: a product keeps the sum of every block of rows.
fn inner_products(z: &Array2<f64>, compute: &Compute) -> Result<Array2<f64>> {
    let (n, m) = z.dim();
    let mut sum = Array2::zeros((m, m));
    for start in (0..n).step_by(STRIP) {
        let strip = z.slice(s![start..n.min(start + STRIP), ..]);
        sum += &multiply_transposed(strip, strip, compute)?;
    }
    Ok(sum)
}

/// An eigenvalue to divide by: one of rounding has no meaning, and is refused before it is used.
fn divisor(value: f64) -> f64 {
    if value == 0.0 { 1.0 } else { value }
}

/// The leading eigenpairs of `N = D^{−½}KD^{−½}`, the largest eigenvalue first.
fn decompose(rows: KernelRows<'_>, degrees: &Degrees, count: usize, compute: &Compute) -> Result<LeadingEigen> {
    let n = degrees.degrees.len();
    let rows = match rows {
        KernelRows::Double(matrix) if n <= SMALL => return all_eigenpairs(normalized(matrix, degrees), count, compute),
        rows => rows,
    };
    // N + I is positive semi-definite whatever the sign of N.
    let calls = AtomicUsize::new(0);
    let most = match &rows {
        KernelRows::Double(_) => FEWEST_PRODUCTS.max(n / (6 * (count + SPARE))),
        _ => usize::MAX,
    };
    let operator = ByProduct::new(n, |v: ndarray::ArrayView2<f64>| {
        let done = calls.fetch_add(1, Ordering::Relaxed);
        if done >= most {
            return Err(stopped(done));
        }
        let product = rows.multiply(degrees.scaled(v.to_owned()).view(), compute)?;
        Ok(degrees.scaled(product) + v)
    });
    match leading_eigen(&operator, count, compute) {
        Ok(mut found) => {
            found.values.iter_mut().for_each(|v| *v -= 1.0);
            Ok(found)
        }
        Err(error @ Error::NotConverged { .. }) => match rows {
            KernelRows::Double(matrix) => inverted(normalized(matrix, degrees), count, compute),
            _ => Err(error),
        },
        Err(error) => Err(error),
    }
}

fn stopped(iterations: usize) -> Error {
    let solver = "leading eigenvalues of the normalized Gram matrix";
    Error::NotConverged { solver, iterations, residual: f64::NAN, tolerance: 0.0 }
}

/// `N`, where `K` was.
fn normalized(mut matrix: Array2<f64>, degrees: &Degrees) -> Array2<f64> {
    let roots = Array1::from(degrees.inverse_roots.clone());
    matrix
        .rows_mut()
        .into_iter()
        .zip(&roots)
        .for_each(|(mut row, root)| row.zip_mut_with(&roots, |v, r| *v *= root * r));
    matrix
}

fn all_eigenpairs(matrix: Array2<f64>, count: usize, compute: &Compute) -> Result<LeadingEigen> {
    let n = matrix.nrows();
    let eigen = symmetric_eigen(matrix.view(), compute)?;
    let order: Vec<usize> = (n - count.min(n)..n).rev().collect();
    let values = order.iter().map(|&j| eigen.values[j]).collect();
    Ok(LeadingEigen { values, vectors: eigen.vectors.select(Axis(1), &order), residual: 0.0, products: 0 })
}

/// By products with `(L + σI)⁻¹`, for eigenvalues that lie too close together for products with
/// `N`.
///
/// Many nearly isolated points give eigenvalues that even these products do not tell apart: then all
/// eigenvectors are computed, where the memory limit has room for them.
///
/// # Cost
/// `n³/3` for the Cholesky factor of `L + σI`, in the memory of `N`; a copy of `N` where it may be
/// needed again.
fn inverted(mut matrix: Array2<f64>, count: usize, compute: &Compute) -> Result<LeadingEigen> {
    let n = matrix.nrows();
    let bytes = 4 * 8 * (n as u64).pow(2);
    let room = compute.reserve(MemoryPurpose::KernelMatrix, "all eigenvectors", bytes, "use fewer points");
    let kept = room.is_ok().then(|| matrix.clone());
    matrix.mapv_inplace(|v| -v);
    matrix.diag_mut().mapv_inplace(|v| v + 1.0 + SHIFT);
    let Factored::Definite(factor) = factor(matrix, compute)? else {
        return Err(Error::singular("the shifted Laplacian", "use another kernel or fewer clusters"));
    };
    let inverse = ByProduct::new(n, |v| factor.solve(v, compute));
    let mut found = match (leading_eigen(&inverse, count, compute), kept) {
        (Err(Error::NotConverged { .. }), Some(matrix)) => return all_eigenpairs(matrix, count, compute),
        (found, _) => found?,
    };
    // ‖Lu − λu‖ is about ‖(L + σI)⁻¹u − θu‖ (λ + σ).
    let largest = found.values.last().map_or(1.0, |theta| 1.0 / theta);
    found.residual *= largest;
    found.values.iter_mut().for_each(|theta| *theta = 1.0 + SHIFT - 1.0 / *theta);
    Ok(found)
}

/// The sign of the entry of largest size in every column, the first of equals.
fn signs(vectors: &Array2<f64>) -> Array1<f64> {
    let largest = |column: ndarray::ArrayView1<f64>| {
        let found = Cell::new(0.0_f64);
        column.iter().for_each(|v| {
            if v.abs() > found.get().abs() {
                found.set(*v)
            }
        });
        if found.get() < 0.0 { -1.0 } else { 1.0 }
    };
    vectors.columns().into_iter().map(largest).collect()
}

fn signed(vectors: Array2<f64>) -> Array2<f64> {
    let signs = signs(&vectors);
    vectors * &signs
}

impl Spectrum {
    /// The first eigenvectors alone.
    pub(super) fn truncated(mut self, count: usize) -> Self {
        let count = count.min(self.values.len());
        self.values.truncate(count);
        self.embedding = self.embedding.slice(s![.., ..count]).to_owned();
        self.coefficients = self.coefficients.slice(s![.., ..count]).to_owned();
        self
    }
}
