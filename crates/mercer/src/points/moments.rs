//! Mean and standard deviation without avoidable rounding or overflow.

/// Count, mean and standard deviation of some numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moments {
    pub count: usize,
    pub mean: f64,
    /// The standard deviation with divisor `n`.
    pub population_sd: f64,
}

impl Moments {
    /// On values divided by a power of two, so that squares cannot overflow.
    /// The mean of no numbers is 0.
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let count = values.clone().count();
        let unit = unit_of(values.clone());
        let n = count.max(1) as f64;
        let mean = compensated_sum(values.clone().map(|x| x / unit)) / n;
        let squares: f64 = values.map(|x| (x / unit - mean).powi(2)).sum();
        Self { count, mean: mean * unit, population_sd: (squares / n).sqrt() * unit }
    }

    /// The standard deviation with divisor `n − 1`; not a number for fewer than two numbers.
    pub fn sample_sd(&self) -> f64 {
        let n = self.count as f64;
        if self.count < 2 { f64::NAN } else { self.population_sd * (n / (n - 1.0)).sqrt() }
    }
}

/// Neumaier's sum: the rounding error of each addition is kept and added at the end.
fn compensated_sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut error) = (0.0_f64, 0.0);
    for x in values {
        let next = sum + x;
        error += if sum.abs() >= x.abs() { (sum - next) + x } else { (x - next) + sum };
        sum = next;
    }
    sum + error
}

/// A power of two near the largest magnitude, or 1 where squares and sums are safe anyway.
fn unit_of(values: impl Iterator<Item = f64>) -> f64 {
    let largest = values.fold(0.0_f64, |m, x| m.max(x.abs()));
    if largest > 1e140 && largest.is_finite() {
        2.0_f64.powi(largest.log2() as i32)
    } else if largest < 1e-140 && largest > 0.0 {
        2.0_f64.powi((largest.log2() as i32).max(-1022))
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_small_numbers_are_exact() {
        let m = Moments::of([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].into_iter());
        assert_close!(m.mean, 5.0, 1e-15);
        assert_close!(m.population_sd, 2.0, 1e-15);
        assert_close!(m.sample_sd(), (32.0_f64 / 7.0).sqrt(), 1e-15);
    }

    #[test]
    fn an_offset_does_not_spoil_the_deviation() {
        let m = Moments::of([1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0].into_iter());
        assert_close!(m.mean, 1e9 + 2.0, 1e-15);
        assert_close!(m.sample_sd(), 1.0, 1e-12);
    }

    #[test]
    fn huge_and_tiny_numbers_do_not_overflow() {
        let huge = Moments::of([1e308, -1e308, 1e308, -1e308].into_iter());
        assert_close!(huge.population_sd / 1e308, 1.0, 1e-12);
        let tiny = Moments::of([1e-300, -1e-300].into_iter());
        assert_close!(tiny.population_sd / 1e-300, 1.0, 1e-12);
    }

    #[test]
    fn the_mean_is_rounded_once() {
        let values = (0..1000).map(|i| f64::from(i % 7) + 0.1);
        let exact = (0..1000).map(|i| i % 7).sum::<i32>();
        assert_eq!(Moments::of(values).mean, (f64::from(exact) + 100.0) / 1000.0);
        assert_eq!(Moments::of([1e16, 1.0, -1e16].into_iter()).mean, 1.0 / 3.0);
    }

    #[test]
    fn nothing_and_one_number() {
        let none = Moments::of(std::iter::empty());
        assert_eq!((none.count, none.mean, none.population_sd), (0, 0.0, 0.0));
        let one = Moments::of(std::iter::once(3.0));
        assert_eq!((one.mean, one.population_sd), (3.0, 0.0));
        assert!(one.sample_sd().is_nan());
    }
}
