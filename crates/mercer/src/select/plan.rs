//! What a search will run, and what it will take.

use super::{FoldSearch, ProcessSearch, RidgeSearch};
use crate::learn::ridge::path_in_features;
use crate::learner::Plan;
use crate::points::Size;
use crate::{Compute, Error, Points, Result, Sample};

/// Operations of an eigendecomposition with vectors, per cubed row.
const EIGEN: f64 = 5.0;
/// Bytes of a decomposition with its copies, per squared row.
const EIGEN_BYTES: u64 = 40;
/// Operations of a kernel value beside those on the coordinates.
const PER_VALUE: f64 = 20.0;
/// Passes over the kernel values of a fold that a fit takes, about.
const PASSES: f64 = 50.0;

impl RidgeSearch {
    /// What the search on some rows of these points will run, and what it will take, without the
    /// candidates that screening drops or an extension adds.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, select::RidgeSearch};
    /// use ndarray::Array2;
    /// let (x, rows): (_, Vec<usize>) = (Array2::zeros((100, 2)), (0..100).collect());
    /// let mut search = RidgeSearch::new(vec!["gaussian()".parse()?]);
    /// search.lengthscales = vec![0.1, 1.0, 10.0];
    /// let plan = search.plan(x.view().into(), &rows, &Compute::new())?;
    /// assert_eq!((plan.bytes, plan.flops), (400_000, 3.0 * 5e6));
    /// // 2 features: 9·2³ + 4·100·2² operations.
    /// let plan = RidgeSearch::new(vec!["linear()".parse()?]).plan(x.view().into(), &rows, &Compute::new())?;
    /// assert_eq!(plan.flops, 1672.0);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Kernel::bind`](crate::Kernel::bind) of kernels on objects.
    pub fn plan(&self, x: Points<'_>, rows: &[usize], compute: &Compute) -> Result<Plan> {
        x.check_square()?;
        let some = Sample::select(x, rows);
        let lengths = self.lengthscales.len().max(1);
        // A refinement adds a lengthscale on both sides of the best one.
        let refined = if self.lengthscales.is_empty() { 0 } else { 2 * self.refinements };
        let n = rows.len();
        let (mut bytes, mut flops, mut in_features) = (0, 0.0, 0);
        for (index, kernel) in self.kernels.iter().enumerate() {
            let times = lengths + if index == 0 { refined } else { 0 };
            let path = path_in_features(&kernel.resolve(some.as_points(), compute)?, some.as_points(), compute)?;
            in_features += if path.is_some() { times } else { 0 };
            let (room, work) = path.unwrap_or((EIGEN_BYTES * (n as u64).pow(2), EIGEN * (n as f64).powi(3)));
            bytes = room.max(bytes);
            flops += times as f64 * work;
        }
        let candidates = self.kernels.len() * lengths + refined;
        let solver = match in_features {
            0 => format!("one eigendecomposition of {n} rows for each of {candidates} candidates"),
            _ => format!(
                "one decomposition for each of {candidates} candidates, {in_features} of them in features: O(n)"
            ),
        };
        Ok(Plan::new(solver, bytes, flops, "a decomposition scores every λ", compute))
    }
}

impl FoldSearch {
    /// How many combinations of kernel, lengthscale and parameter the first grid has.
    pub fn combinations(&self) -> usize {
        let kernels = self.fixed.len() + self.kernels.len() * self.lengthscales.values.len().max(1);
        kernels * self.parameters.values.len()
    }

    /// What the search will run on a sample of this size, and what it will take.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, points::Size, select::{Choices, FoldSearch}};
    /// let search = FoldSearch::new(vec!["gaussian()".parse()?], Choices::fixed(vec![1.0, 10.0]));
    /// let plan = search.plan(Size::of_vectors(100, 3), &Compute::new());
    /// assert_eq!((search.combinations(), plan.bytes), (2, 80_000));
    /// // Five folds of 100² pairs: 2·3 + 20 operations for the value, 50 for each of two fits.
    /// assert_eq!(plan.flops, 5.0 * 1e4 * (26.0 + 100.0));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn plan(&self, size: Size, compute: &Compute) -> Plan {
        let (rows, parameters) = (size.rows, self.parameters.values.len().max(1));
        let kernels = self.combinations() / parameters;
        let solver = format!(
            "{} folds of {rows} rows for {kernels} kernels, each along {parameters} values of {}",
            self.folds, self.parameter
        );
        let each = 2.0 * size.work + PER_VALUE + PASSES * parameters as f64;
        let flops = self.folds as f64 * kernels as f64 * (rows as f64).powi(2) * each;
        Plan::new(solver, 8 * (rows as u64).pow(2), flops, "kernel values are shared by the parameters", compute)
    }
}

impl ProcessSearch {
    /// What the choice on some rows of these points will run, and what it will take.
    ///
    /// # Errors
    /// As [`GaussianProcess::plan_on`](crate::learn::GaussianProcess::plan_on).
    pub fn plan(&self, x: Points<'_>, rows: &[usize], compute: &Compute) -> Result<Plan> {
        x.check_square()?;
        let some = Sample::select(x, rows);
        let x = some.as_points();
        let plans = self.processes.iter().map(|process| process.plan_on(x, compute)).collect::<Result<Vec<_>>>()?;
        let most =
            plans.iter().max_by_key(|plan| plan.bytes).ok_or_else(|| Error::too_few("a search", "kernels", 1, 0))?;
        let flops = plans.iter().map(|plan| plan.flops).sum();
        let solver = format!("{} optimizations of the likelihood on {} rows", plans.len(), x.len());
        Ok(Plan::new(solver, most.bytes, flops, format!("every evaluation by {}", most.solver), compute))
    }
}
