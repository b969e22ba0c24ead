//! Platt's sigmoid.

use super::Outcome;

/// `P(first class | f) = 1/(1 + exp(Af + B))`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sigmoid {
    /// `A`: negative where larger decision values mean the first class.
    pub a: f64,
    /// `B`.
    pub b: f64,
}

/// What the sigmoid should be near `f`.
struct Target {
    f: f64,
    t: f64,
    weight: f64,
}

impl Sigmoid {
    /// The sigmoid of the greatest likelihood for targets drawn in from 0 and 1 by Platt's prior,
    /// where a row of weight `w` counts as `w` rows: Newton's method with backtracking (Lin, Lin
    /// and Weng 2007).
    pub(super) fn fit(outcomes: &[Outcome]) -> Self {
        let of = |first: bool| outcomes.iter().filter(|o| o.first == first).map(|o| o.weight).sum::<f64>();
        let (first, second) = (of(true), of(false));
        let (high, low) = ((first + 1.0) / (first + 2.0), 1.0 / (second + 2.0));
        let target = |o: &Outcome| Target { f: o.decision, t: if o.first { high } else { low }, weight: o.weight };
        let data: Vec<Target> = outcomes.iter().map(target).collect();
        // Steps are the same for all weights multiplied by one number: so is the end.
        let size = (first + second) / data.len().max(1) as f64;
        let mut found = Self { a: 0.0, b: ((second + 1.0) / (first + 1.0)).ln() };
        let mut loss = found.loss(&data);
        for _ in 0..100 {
            let (gradient, [da, db]) = found.newton(&data);
            if gradient[0].abs() < 1e-5 * size && gradient[1].abs() < 1e-5 * size {
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
    fn loss(&self, data: &[Target]) -> f64 {
        let term = |&Target { f, t, weight }: &Target| {
            let z = self.a * f + self.b;
            weight * if z >= 0.0 { t * z + (-z).exp().ln_1p() } else { (t - 1.0) * z + z.exp().ln_1p() }
        };
        data.iter().map(term).sum()
    }

    /// The gradient, and the step `−H⁻¹g`.
    fn newton(&self, data: &[Target]) -> ([f64; 2], [f64; 2]) {
        let (mut hessian_aa, mut hessian_bb, mut hessian_ab, mut ga, mut gb) = (1e-12, 1e-12, 0.0, 0.0, 0.0);
        for &Target { f, t, weight } in data {
            let p = self.probability(f);
            let curvature = weight * p * (1.0 - p);
            hessian_aa += f * f * curvature;
            hessian_bb += curvature;
            hessian_ab += f * curvature;
            ga += weight * f * (t - p);
            gb += weight * (t - p);
        }
        let det = hessian_aa * hessian_bb - hessian_ab * hessian_ab;
        ([ga, gb], [-(hessian_bb * ga - hessian_ab * gb) / det, -(hessian_aa * gb - hessian_ab * ga) / det])
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
        let outcomes = Outcome::list(&f, &s, &[1.0; 200]);
        let found = Sigmoid::fit(&outcomes);
        assert!(found.a < -1.0 && found.a > -2.2, "{found:?}");
        let count = s.iter().filter(|s| **s > 0.0).count() as f64;
        let target = |s: f64| if s > 0.0 { (count + 1.0) / (count + 2.0) } else { 1.0 / (202.0 - count) };
        let data: Vec<Target> = f.iter().zip(&s).map(|(&f, &s)| Target { f, t: target(s), weight: 1.0 }).collect();
        let best = found.loss(&data);
        for (da, db) in [(1e-2, 0.0), (-1e-2, 0.0), (0.0, 1e-2), (0.0, -1e-2)] {
            assert!(Sigmoid { a: found.a + da, b: found.b + db }.loss(&data) > best);
        }
    }

    #[test]
    fn far_values_give_probabilities_and_not_nan() {
        let steep = Sigmoid { a: -1e3, b: 0.0 };
        assert_eq!((steep.probability(1e300), steep.probability(-1e300)), (1.0, 0.0));
        let equal = Sigmoid::fit(&Outcome::list(&[0.0; 3], &[1.0, 1.0, -1.0], &[1.0; 3]));
        assert_close!(equal.probability(0.0), 0.6, abs = 0.1, "{equal:?}");
    }

    #[test]
    fn a_weight_is_so_many_rows() {
        let (f, s) = ([-1.0, 0.5, 0.2, 2.0], [-1.0, -1.0, 1.0, 1.0]);
        let weighted = Sigmoid::fit(&Outcome::list(&f, &s, &[1.0, 2.0, 1.0, 3.0]));
        let repeated = |list: [f64; 4]| [list[0], list[1], list[1], list[2], list[3], list[3], list[3]];
        let listed = Sigmoid::fit(&Outcome::list(&repeated(f), &repeated(s), &[1.0; 7]));
        assert_close!(weighted.a, listed.a, abs = 1e-4, "{weighted:?} {listed:?}");
        assert_close!(weighted.b, listed.b, abs = 1e-4, "{weighted:?} {listed:?}");
    }
}
