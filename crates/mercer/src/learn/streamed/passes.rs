//! Ridge regression on features by conjugate gradients: one pass over the rows for every step.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, concatenate, s};

use super::rows::{RowSource, in_blocks};
use super::spec::StreamedRidge;
use super::{Passes, StreamedRidgeFit};
use crate::error::MemoryPurpose;
use crate::features::{DrawnFeatures, FeatureFunction, FeatureMap};
use crate::gram::{self, Pairs};
use crate::operator::products::{add_symmetric, mirror, multiply, multiply_transposed};
use crate::settings::Settings;
use crate::solve::{CholeskyFactor, Factored, factor};
use crate::{Compute, Error, Result};

/// A streamed ridge regression that goes over the rows again and again: for so many features that
/// the squares `ZᵀVZ` of all rows would cost too much.
///
/// # Formula
/// `(ZᵀVZ + λI)w = ZᵀVy` by conjugate gradients, preconditioned by the same matrix on a sample of
/// the rows. With Nyström features the product is `MᵀK_mn(V(K_nm(Mw)))`: `K_nm` is made block by
/// block and never stored.
///
/// # Cost
/// `m` kernel values and `4m` operations per row and pass for `m` landmarks, where one pass of a
/// [`RidgeStream`](super::RidgeStream) takes `m²`; `16m²` bytes.
///
/// # Example
/// ```
/// use mercer::features::{FeatureSpec, Nystrom};
/// use mercer::learn::streamed::{ArrayRows, StreamedRidge};
/// use mercer::Compute;
/// use ndarray::Array2;
/// let compute = Compute::new();
/// let x = Array2::from_shape_fn((3000, 1), |(i, _)| 0.001 * i as f64);
/// let y = x.mapv(f64::sin);
/// let spec = StreamedRidge::new(FeatureSpec::Nystrom(Nystrom::new("gaussian()".parse()?, 30)), 1e-6);
/// let mut passes = spec.start_passes(x.view(), None, 1, &compute)?;
/// let rows = ArrayRows { x: x.view(), y: y.view(), weights: None };
/// while !passes.advance(&rows, 1e-8, &compute)? {}
/// let fit = passes.finish()?;
/// mercer::assert_close!(fit.predict(ndarray::array![[1.0]].view(), &compute)?[[0, 0]], 1.0_f64.sin(), abs = 1e-3);
/// # Ok::<(), mercer::Error>(())
/// ```
pub struct RidgePasses {
    pub(super) features: DrawnFeatures,
    pub(super) lambda: f64,
    pub(super) intercept: bool,
    pub(super) outputs: usize,
    /// The features of the sample, and their weights.
    sample: (Array2<f64>, Array1<f64>),
    pub(super) state: Option<PassState>,
    preconditioner: Option<CholeskyFactor>,
    pub(super) settings: Settings,
}

/// Where the iteration stands after the first pass.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PassState {
    pub(super) rows: u64,
    pub(super) total_weight: f64,
    /// `ZᵀV1`.
    pub(super) feature_sum: Array1<f64>,
    pub(super) target_sum: Array1<f64>,
    /// `Σ v(y − ȳ)²`, or about 0 without an intercept.
    pub(super) target_squares: Array1<f64>,
    pub(super) total_squares: Array1<f64>,
    pub(super) right: Array2<f64>,
    pub(super) solution: Array2<f64>,
    pub(super) residual: Array2<f64>,
    pub(super) direction: Array2<f64>,
    /// `rᵀP⁻¹r` of every output, now and at the beginning.
    pub(super) size: Array1<f64>,
    pub(super) first_size: Array1<f64>,
    pub(super) steps: usize,
    pub(super) converged: bool,
}

impl StreamedRidge {
    /// Draws the features from a sample of the rows, for a fit that makes several passes. There is
    /// one λ.
    ///
    /// # Errors
    /// As [`StreamedRidge::start`]; [`Error::Unsupported`] for several λ.
    pub fn start_passes(
        &self,
        sample: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        outputs: usize,
        compute: &Compute,
    ) -> Result<RidgePasses> {
        self.check(outputs)?;
        let [lambda] = self.lambdas[..] else {
            return Err(Error::unsupported(
                "choice of lambda",
                "a fit by conjugate gradients in several passes",
                "it takes one λ",
                "choose it on a sample",
            ));
        };
        let p = self.features.components() as u64;
        let needed = 8 * p * (3 * p + sample.nrows() as u64 + 1024);
        compute.reserve(
            MemoryPurpose::Fit,
            "the preconditioner of a streamed fit",
            needed,
            "use fewer features, or a smaller sample",
        )?;
        let features = self.features.draw(sample, compute)?;
        let passes = RidgePasses::new(features, (lambda, self.intercept, outputs), sample, weights, compute)?;
        Ok(RidgePasses { settings: self.settings().with("seed", compute.seed()), ..passes })
    }
}

impl RidgePasses {
    pub(super) fn new(
        features: DrawnFeatures,
        (lambda, intercept, outputs): (f64, bool, usize),
        sample: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<Self> {
        let weights = crate::learn::observations::weights(weights, sample.nrows())?;
        let sample = (features.transform(sample, compute)?, weights);
        let settings = Settings::new();
        Ok(Self { features, lambda, intercept, outputs, sample, state: None, preconditioner: None, settings })
    }

    /// One more pass over the rows: the first one looks at the targets, every other one is a step.
    /// Whether the residual is below the tolerance.
    ///
    /// # Errors
    /// [`Error::Shape`] and [`Error::Value`] for wrong rows, [`Error::TooFew`] or
    /// [`Error::Mismatch`] for none, or another number than before; errors of the source.
    pub fn advance(&mut self, rows: &dyn RowSource, tolerance: f64, compute: &Compute) -> Result<bool> {
        match self.state.take() {
            None => self.state = Some(self.first(rows, compute)?),
            Some(state) => self.state = Some(self.step(state, rows, compute)?),
        }
        let state = self.state.as_mut().expect("it was put there just now");
        let worst = ratio(&state.size, &state.first_size).into_iter().fold(0.0_f64, |m, r| m.max(r.max(0.0).sqrt()));
        state.converged = worst <= tolerance;
        Ok(state.converged)
    }

    /// Passes that were made.
    pub fn passes(&self) -> usize {
        self.state.as_ref().map_or(0, |state| state.steps + 1)
    }

    fn first(&mut self, rows: &dyn RowSource, compute: &Compute) -> Result<PassState> {
        let (p, outputs) = (self.kernel_columns(), self.outputs);
        let mut sums = Array2::zeros((p, outputs + 1));
        let (mut count, mut total_weight) = (0, 0.0);
        let (mut target_sum, mut squares) = (Array1::zeros(outputs), Array1::zeros(outputs));
        in_blocks(rows, (self.features.columns(), outputs), &mut |x, y, v| {
            let weighted = &y * &v.insert_axis(Axis(1));
            let right = concatenate![Axis(1), weighted, v.insert_axis(Axis(1))];
            sums += &multiply_transposed(self.block(x, compute)?.view(), right.view(), compute)?;
            count += x.nrows() as u64;
            total_weight += v.sum();
            target_sum += &weighted.sum_axis(Axis(0));
            squares += &(&weighted * &y).sum_axis(Axis(0));
            Ok(())
        })?;
        if total_weight <= 0.0 {
            return Err(Error::too_few("a fit", "rows", 1, 0));
        }
        let sums = self.to_features(sums.view());
        let feature_sum = sums.column(outputs).to_owned();
        let mut right = sums.slice(s![.., ..outputs]).to_owned();
        let total_squares = (&squares - &(&target_sum * &target_sum / total_weight)).mapv(|v| v.max(0.0));
        if self.intercept {
            for (i, &sum) in feature_sum.iter().enumerate() {
                right.row_mut(i).scaled_add(-sum / total_weight, &target_sum);
            }
            squares = total_squares.clone();
        }
        self.preconditioner = Some(self.precondition(total_weight, compute)?);
        let direction = self.preconditioned(right.view(), total_weight, compute)?;
        let size = inner(&right, &direction);
        Ok(PassState {
            rows: count,
            total_weight,
            feature_sum,
            target_sum,
            target_squares: squares,
            total_squares,
            solution: Array2::zeros(right.dim()),
            residual: right.clone(),
            right,
            direction,
            first_size: size.clone(),
            size,
            steps: 0,
            converged: false,
        })
    }

    fn step(&mut self, mut state: PassState, rows: &dyn RowSource, compute: &Compute) -> Result<PassState> {
        let image = self.product(&state, rows, compute)?;
        let step = ratio(&state.size, &inner(&state.direction, &image));
        state.solution += &(&state.direction * &step);
        state.residual -= &(&image * &step);
        let better = self.preconditioned(state.residual.view(), state.total_weight, compute)?;
        let size = inner(&state.residual, &better);
        state.direction = &better + &(&state.direction * &ratio(&size, &state.size));
        state.size = size;
        state.steps += 1;
        Ok(state)
    }

    /// `(ZᵀVZ − ssᵀ/c + λI)` times the direction, in one pass.
    fn product(&self, state: &PassState, rows: &dyn RowSource, compute: &Compute) -> Result<Array2<f64>> {
        let direction = &state.direction;
        let coefficients = self.coefficients_of(direction.view());
        let mut sums = Array2::zeros((self.kernel_columns(), self.outputs));
        let mut count = 0;
        in_blocks(rows, (self.features.columns(), self.outputs), &mut |x, _, v| {
            let block = self.block(x, compute)?;
            let values = multiply(block.view(), coefficients.view(), compute)? * v.insert_axis(Axis(1));
            sums += &multiply_transposed(block.view(), values.view(), compute)?;
            count += x.nrows() as u64;
            Ok(())
        })?;
        if count != state.rows {
            return Err(Error::mismatch(
                "the passes over the data differ",
                format!("{} rows in the first", state.rows),
                format!("{count} in this one"),
                "give the same rows in every pass",
            ));
        }
        let mut image = self.to_features(sums.view());
        image.scaled_add(self.lambda, direction);
        if self.intercept {
            let along = state.feature_sum.dot(direction);
            for (i, &sum) in state.feature_sum.iter().enumerate() {
                image.row_mut(i).scaled_add(-sum / state.total_weight, &along);
            }
        }
        Ok(image)
    }

    /// What a block of rows is multiplied by: kernel values with the landmarks, or features.
    fn block(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        match &self.features {
            DrawnFeatures::Fourier(map) => map.transform(x, compute),
            DrawnFeatures::Nystrom(map) => {
                let bound = map.kernel().bind(Pairs::Between(x.into(), map.landmarks()), compute)?;
                gram::dense(&bound, &compute.silent())
            }
        }
    }

    fn kernel_columns(&self) -> usize {
        match &self.features {
            DrawnFeatures::Fourier(map) => map.components(),
            DrawnFeatures::Nystrom(map) => map.landmarks().len(),
        }
    }

    /// `Mw`: coefficients of kernel values.
    fn coefficients_of(&self, w: ArrayView2<f64>) -> Array2<f64> {
        match &self.features {
            DrawnFeatures::Fourier(_) => w.to_owned(),
            DrawnFeatures::Nystrom(map) => map.map().dot(&w),
        }
    }

    /// `Mᵀs`: sums of kernel values as sums of features.
    fn to_features(&self, sums: ArrayView2<f64>) -> Array2<f64> {
        match &self.features {
            DrawnFeatures::Fourier(_) => sums.to_owned(),
            DrawnFeatures::Nystrom(map) => map.map().t().dot(&sums),
        }
    }

    /// The factor of the system of the sample, as if it were all rows.
    fn precondition(&self, total_weight: f64, compute: &Compute) -> Result<CholeskyFactor> {
        let (z, weights) = &self.sample;
        let share = total_weight / weights.sum().max(f64::MIN_POSITIVE);
        let weighted = z * &(weights * share).insert_axis(Axis(1));
        let mut matrix = Array2::zeros((z.ncols(), z.ncols()));
        if self.intercept {
            let sums = weighted.sum_axis(Axis(0));
            for (i, &sum) in sums.iter().enumerate() {
                matrix.row_mut(i).scaled_add(-sum / total_weight, &sums);
            }
        }
        add_symmetric(&mut matrix, &weighted.reversed_axes(), &z.t().to_owned(), compute)?;
        mirror(&mut matrix);
        // Directions that the sample does not see are damped by λ alone; where that is 0, by
        // rounding.
        let scale = matrix.diag().iter().fold(0.0_f64, |m, v| m.max(*v));
        let mut added = self.lambda.max(f64::EPSILON * z.ncols() as f64 * scale);
        loop {
            let mut raised = matrix.clone();
            raised.diag_mut().mapv_inplace(|d| d + added);
            match factor(raised, compute)? {
                Factored::Definite(factor) => return Ok(factor),
                Factored::Singular(_) if added < scale.max(f64::MIN_POSITIVE) => {
                    added = (10.0 * added).max(f64::MIN_POSITIVE);
                }
                Factored::Singular(_) => {
                    return Err(Error::undefined(
                        "the preconditioner of features that are 0 on the sample",
                        "use another kernel or a larger sample",
                    ));
                }
            }
        }
    }

    fn preconditioned(&mut self, r: ArrayView2<f64>, total_weight: f64, compute: &Compute) -> Result<Array2<f64>> {
        if self.preconditioner.is_none() {
            self.preconditioner = Some(self.precondition(total_weight, compute)?);
        }
        self.preconditioner.as_ref().expect("it was put there just now").solve(r, compute)
    }

    /// The function that was reached.
    ///
    /// # Errors
    /// [`Error::TooFew`] before the first pass.
    pub fn finish(self) -> Result<StreamedRidgeFit> {
        let state = self.state.ok_or_else(|| Error::too_few("a fit", "passes", 1, 0))?;
        let w = state.solution;
        // (ZᵀVZ)w = b − r − λw.
        let product = &state.right - &state.residual - &(&w * self.lambda);
        let fitted = inner(&w, &product) - inner(&w, &state.right) * 2.0;
        let residual_squares = (&state.target_squares + &fitted).mapv(|v| v.max(0.0));
        let constant = if self.intercept {
            (&state.target_sum - &w.t().dot(&state.feature_sum)) / state.total_weight
        } else {
            Array1::zeros(self.outputs)
        };
        let worst = ratio(&state.size, &state.first_size).into_iter().fold(0.0_f64, |m, r| m.max(r.max(0.0).sqrt()));
        let passes = Passes { passes: state.steps + 1, residual: worst, converged: state.converged };
        Ok(StreamedRidgeFit {
            features: self.features,
            function: FeatureFunction::from_parts(w, constant, residual_squares),
            intercept: self.intercept,
            lambda: self.lambda,
            scores: Vec::new(),
            rows: state.rows,
            total_weight: state.total_weight,
            total_squares: state.total_squares,
            passes: Some(passes),
            settings: self.settings,
        })
    }
}

/// The inner products of corresponding columns.
fn inner(a: &Array2<f64>, b: &Array2<f64>) -> Array1<f64> {
    (a * b).sum_axis(Axis(0))
}

/// `a/b`, and 0 for columns that are finished.
fn ratio(a: &Array1<f64>, b: &Array1<f64>) -> Array1<f64> {
    a.iter().zip(b).map(|(a, b)| if *b > 0.0 { a / b } else { 0.0 }).collect()
}
