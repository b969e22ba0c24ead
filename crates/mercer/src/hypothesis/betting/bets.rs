//! The bets: a mixture over stakes and kernels.

/// The shares of the wealth that are staked; the mixture over them needs no tuning.
const STAKES: [f64; 8] = [0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9];

/// The logarithm of the wealth of every kernel and stake.
#[derive(Clone, Debug, Default)]
pub(super) struct Bets {
    logs: Vec<[f64; STAKES.len()]>,
}

impl Bets {
    pub(super) fn new(kernels: usize) -> Self {
        Self { logs: vec![[0.0; STAKES.len()]; kernels] }
    }

    /// Multiplies the wealths of a kernel by `1 + λv` for every payoff `v ∈ [−1, 1]`.
    pub(super) fn settle(&mut self, kernel: usize, payoffs: &[f64]) {
        for (log, stake) in self.logs[kernel].iter_mut().zip(STAKES) {
            *log += payoffs.iter().map(|v| (stake * v).ln_1p()).sum::<f64>();
        }
    }

    /// The logarithm of the mean wealth.
    pub(super) fn log_wealth(&self) -> f64 {
        let all = || self.logs.iter().flatten();
        let largest = all().copied().fold(f64::NEG_INFINITY, f64::max);
        let mean = all().map(|l| (l - largest).exp()).sum::<f64>() / all().count() as f64;
        largest + mean.ln()
    }
}

/// An interval that is brought to `[−½, ½]`; what lies outside is cut.
pub(super) struct Scale {
    middle: f64,
    width: f64,
}

impl Scale {
    /// From the 5 % to the 95 % quantile of some values, of which there is at least one.
    pub(super) fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let last = values.len() - 1;
        let at = |level: f64| values[(level * last as f64).round() as usize];
        let (low, high) = (at(0.05), at(0.95));
        Self { middle: 0.5 * (low + high), width: high - low }
    }

    pub(super) fn apply(&self, value: f64) -> f64 {
        if self.width > 0.0 { ((value - self.middle) / self.width).clamp(-0.5, 0.5) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wealth_is_the_mean_of_the_products() {
        let mut bets = Bets::new(2);
        bets.settle(0, &[0.5, -0.2]);
        bets.settle(1, &[1.0]);
        let first: f64 = STAKES.iter().map(|s| (1.0 + 0.5 * s) * (1.0 - 0.2 * s)).sum();
        let second: f64 = STAKES.iter().map(|s| 1.0 + s).sum();
        assert_close!(bets.log_wealth().exp(), (first + second) / 16.0, abs = 1e-14);
    }

    #[test]
    fn values_are_cut_at_one_half() {
        let scale = Scale::of(vec![0.0, 1.0, 2.0]);
        assert_eq!([-9.0, 0.0, 1.0, 1.5, 7.0].map(|v| scale.apply(v)), [-0.5, -0.5, 0.0, 0.25, 0.5]);
        assert_eq!(Scale::of(vec![3.0, 3.0]).apply(4.0), 0.0);
    }
}
