//! Platt's sigmoid.

/// `P(first class | f) = 1/(1 + exp(Af + B))`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sigmoid {
    /// `A`: negative where larger decision values mean the first class.
    pub a: f64,
    /// `B`.
    pub b: f64,
}

impl Sigmoid {
    /// The sigmoid of the greatest likelihood for targets drawn in from 0 and 1 by Platt's prior: Newton's method with backtracking
    /// (Lin, Lin and Weng 2007).
    pub(super) fn fit(decisions: &[f64], signs: &[f64]) -> Self {
        let first = signs.iter().filter(|s| **s > 0.0).count() as f64;
        let second = signs.len() as f64 - first;
        let (high, low) = ((first + 1.0) / (first + 2.0), 1.0 / (second + 2.0));
        let data: Vec<(f64, f64)> =
            decisions.iter().zip(signs).map(|(&f, &s)| (f, if s > 0.0 { high } else { low })).collect();
        let mut found = Self { a: 0.0, b: ((second + 1.0) / (first + 1.0)).ln() };
        let mut loss = found.loss(&data);
        for _ in 0..100 {
            let (gradient, [da, db]) = found.newton(&data);
            if gradient[0].abs() < 1e-5 && gradient[1].abs() < 1e-5 {
                break;
            }
            let slope = gradient[0] * da + gradient[1] * db;
            let Some(better) = (0..34).map(|k| 0.5_f64.powi(k)).find_map(|step| {
                let tried = Self { a: found.a + step * da, b: found.b + step * db };
                let value = tried.loss(&data);
                (value < loss + 1e-4 * step * slope).then_some((tried, value))
            }) else {
                break;
            };
            (found, loss) = better;
        }
        found
    }

    /// The probability of the first class.
    pub fn probability(&self, f: f64) -> f64 {
        let z = self.a * f + self.b;
        if z >= 0.0 { (-z).exp() / (1.0 + (-z).exp()) } else { 1.0 / (1.0 + z.exp()) }
    }

    /// The negative log likelihood.
    fn loss(&self, data: &[(f64, f64)]) -> f64 {
        let term = |&(f, t): &(f64, f64)| {
            let z = self.a * f + self.b;
            if z >= 0.0 { t * z + (-z).exp().ln_1p() } else { (t - 1.0) * z + z.exp().ln_1p() }
        };
        data.iter().map(term).sum()
    }

    /// The gradient, and the step `−H⁻¹g`.
    fn newton(&self, data: &[(f64, f64)]) -> ([f64; 2], [f64; 2]) {
        let (mut haa, mut hbb, mut hab, mut ga, mut gb) = (1e-12, 1e-12, 0.0, 0.0, 0.0);
        for &(f, t) in data {
            let p = self.probability(f);
            let weight = p * (1.0 - p);
            haa += f * f * weight;
            hbb += weight;
            hab += f * weight;
            ga += f * (t - p);
            gb += t - p;
        }
        let det = haa * hbb - hab * hab;
        ([ga, gb], [-(hbb * ga - hab * gb) / det, -(haa * gb - hab * ga) / det])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn the_likelihood_is_at_its_maximum() {
        let mut stream = Seed(3).stream("sigmoid", 0);
        let f: Vec<f64> = (0..200).map(|_| 2.0 * stream.normal()).collect();
        let s: Vec<f64> = f
            .iter()
            .map(|f| if stream.uniform() < 1.0 / (1.0 + (-1.5 * f - 0.4).exp()) { 1.0 } else { -1.0 })
            .collect();
        let found = Sigmoid::fit(&f, &s);
        assert!(found.a < -1.0 && found.a > -2.2, "{found:?}");
        let count = s.iter().filter(|s| **s > 0.0).count() as f64;
        let target = |s: f64| if s > 0.0 { (count + 1.0) / (count + 2.0) } else { 1.0 / (202.0 - count) };
        let data: Vec<(f64, f64)> = f.iter().zip(&s).map(|(&f, &s)| (f, target(s))).collect();
        let best = found.loss(&data);
        for (da, db) in [(1e-2, 0.0), (-1e-2, 0.0), (0.0, 1e-2), (0.0, -1e-2)] {
            assert!(Sigmoid { a: found.a + da, b: found.b + db }.loss(&data) > best);
        }
    }

    #[test]
    fn far_values_give_probabilities_and_not_nan() {
        let steep = Sigmoid { a: -1e3, b: 0.0 };
        assert_eq!((steep.probability(1e300), steep.probability(-1e300)), (1.0, 0.0));
        let equal = Sigmoid::fit(&[0.0, 0.0, 0.0], &[1.0, 1.0, -1.0]);
        assert!((equal.probability(0.0) - 0.6).abs() < 0.1, "{equal:?}");
    }
}
