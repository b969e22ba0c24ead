//! From moments to a decision.

use ndarray::{Array1, Array2, s};

use super::terms::TestTerms;
use crate::features::FeatureMap;
use crate::hypothesis::TestOutcome;
use crate::hypothesis::outcome::{binomial_interval, effect};
use crate::hypothesis::two_sample::gamma;
use crate::operator::products::mirror;
use crate::solve::eigenvalues;
use crate::solve::exact_sums::ExactSums;
use crate::{Compute, Error, Result, Stream};

/// Weights of χ² variables that are drawn one by one; a gamma variable stands for the sum of the
/// others. 2000 of them and 1999 draws are 4 million normal variables, a tenth of a second.
const DRAWN: usize = 2000;

/// `Σ wⱼχ²ⱼ`, of which the smaller weights are a gamma variable with their mean and variance.
struct Limit {
    weights: Vec<f64>,
    /// Shape and scale.
    rest: Option<(f64, f64)>,
}

impl Limit {
    fn new(mut weights: Vec<f64>) -> Self {
        weights.retain(|w| *w > 0.0);
        weights.sort_by(|a, b| b.total_cmp(a));
        let others = weights.split_off(weights.len().min(DRAWN));
        let (mean, squares) = (others.iter().sum::<f64>(), others.iter().map(|w| w * w).sum::<f64>());
        let rest = (squares > 0.0).then(|| (mean * mean / (2.0 * squares), 2.0 * squares / mean));
        Self { weights, rest }
    }

    fn draw(&self, random: &mut Stream) -> f64 {
        let own: f64 = self.weights.iter().map(|w| w * random.normal().powi(2)).sum();
        own + self.rest.map_or(0.0, |(shape, scale)| scale * gamma(shape, random))
    }
}

impl TestTerms {
    /// The outcome of all rows.
    pub(super) fn finish(&self, sums: &ExactSums, compute: &Compute) -> Result<TestOutcome> {
        let one = |group: usize| sums.values(group).next().unwrap_or(0.0);
        let (d, groups) = (self.dimension(), self.groups_of_rows());
        let counts: Vec<f64> = (0..groups).map(|g| one(2 * g)).collect();
        if let Some(few) = counts.iter().find(|count| **count < 2.0) {
            return Err(Error::too_few("a test", "rows of every sample", 2, *few as usize));
        }
        let totals: Vec<Array1<f64>> = (0..groups).map(|g| sums.values(2 * g + 1).collect()).collect();
        let mut scatter = Array2::zeros((d, d));
        for (row, mut to) in scatter.rows_mut().into_iter().enumerate() {
            for (column, square) in sums.values(2 * groups + row).enumerate() {
                let means: f64 = totals.iter().zip(&counts).map(|(t, n)| t[row] * t[column] / n).sum();
                to[column] = square - means;
            }
        }
        mirror(&mut scatter);
        match counts[..] {
            [m, n] => self.two_sample(&totals, (m, n), scatter, compute),
            _ => self.independence(counts[0], scatter, compute),
        }
    }

    fn two_sample(
        &self,
        totals: &[Array1<f64>],
        (m, n): (f64, f64),
        scatter: Array2<f64>,
        compute: &Compute,
    ) -> Result<TestOutcome> {
        let difference = &totals[0] / m - &totals[1] / n;
        let statistic = difference.dot(&difference);
        let weights = eigenvalues((scatter / (m + n - 2.0)).view(), compute)?;
        let limit = Limit::new(weights);
        self.decide(statistic, m * n / (m + n), &limit, compute)
    }

    fn independence(&self, n: f64, scatter: Array2<f64>, compute: &Compute) -> Result<TestOutcome> {
        let p = self.maps[0].components();
        let cross = scatter.slice(s![..p, p..]).mapv(|v| v / n);
        let statistic: f64 = cross.iter().map(|v| v * v).sum();
        let own = scatter / (n - 1.0);
        let first = eigenvalues(own.slice(s![..p, ..p]), compute)?;
        let second = eigenvalues(own.slice(s![p.., p..]), compute)?;
        let positive = |values: &[f64]| values.iter().copied().filter(|v| *v > 0.0).collect::<Vec<f64>>();
        let (first, second) = (positive(&first), positive(&second));
        let weights = first.iter().flat_map(|a| second.iter().map(move |b| a * b)).collect();
        self.decide(statistic, n, &Limit::new(weights), compute)
    }

    /// `statistic·factor` among draws of the limit.
    fn decide(&self, statistic: f64, factor: f64, limit: &Limit, compute: &Compute) -> Result<TestOutcome> {
        let controls = self.controls;
        if limit.weights.is_empty() {
            return Err(Error::all_equal("the null distribution", "features", "leave constant columns out"));
        }
        let draw = |b: usize| {
            compute.check_canceled()?;
            Ok(limit.draw(&mut controls.seed.stream("null of a streamed test", b as u64)) / factor)
        };
        let null: Vec<f64> = compute.try_map_tasks(controls.draws, draw)?;
        let above = null.iter().filter(|value| **value >= statistic).count();
        let p = (1.0 + above as f64) / (1.0 + controls.draws as f64);
        let kernels: Vec<String> = self.maps.iter().map(|map| map.kernel().to_string()).collect();
        let text = kernels.join(", ");
        let mut outcome = TestOutcome::new("streamed features", statistic, p, controls.level, text, controls.seed)
            .with_detail("scaled_statistic", factor * statistic)
            .with_detail("components", self.maps[0].components() as f64);
        if let Some(effect) = effect(statistic, &null) {
            outcome = outcome.with_detail("effect", effect);
        }
        outcome.p_interval = Some(binomial_interval(above, controls.draws, 0.99));
        outcome.null = Some(null);
        Ok(outcome)
    }
}
