//! Isotonic regression.

use super::Outcome;

/// An increasing function: the values at its knots, joined by lines, constant beyond the ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Isotonic {
    /// Decision values, increasing.
    pub knots: Vec<f64>,
    /// Probabilities of the first class, not decreasing.
    pub values: Vec<f64>,
}

/// Neighboring decision values with one probability.
struct Block {
    from: f64,
    to: f64,
    sum: f64,
    count: f64,
}

impl Isotonic {
    /// The increasing function of the least (weighted) squared error, by pooling neighbors that are
    /// out of order.
    pub(super) fn fit(outcomes: &[Outcome]) -> Self {
        let mut order: Vec<&Outcome> = outcomes.iter().collect();
        order.sort_by(|a, b| a.decision.total_cmp(&b.decision));
        let mut blocks: Vec<Block> = Vec::new();
        for &Outcome { decision: f, first, weight } in order {
            let mut block = Block { from: f, to: f, sum: if first { weight } else { 0.0 }, count: weight };
            while let Some(last) = blocks.pop_if(|last| last.to == block.from || last.mean() >= block.mean()) {
                let (sum, count) = (last.sum + block.sum, last.count + block.count);
                block = Block { from: last.from, to: block.to, sum, count };
            }
            blocks.push(block);
        }
        let ends = |b: &Block| if b.from == b.to { vec![b.from] } else { vec![b.from, b.to] };
        let knots = blocks.iter().flat_map(ends).collect();
        let values = blocks.iter().flat_map(|b| ends(b).into_iter().map(|_| b.mean())).collect();
        Self { knots, values }
    }

    /// The probability of the first class.
    pub fn probability(&self, f: f64) -> f64 {
        let above = self.knots.partition_point(|k| *k < f);
        match (above.checked_sub(1), self.knots.get(above)) {
            (Some(below), Some(&right)) => {
                let left = self.knots[below];
                let (low, high) = (self.values[below], self.values[above]);
                low + (high - low) * ((f - left) / (right - left))
            }
            (None, _) => self.values.first().copied().unwrap_or(0.5),
            (_, None) => self.values.last().copied().unwrap_or(0.5),
        }
    }
}

impl Block {
    fn mean(&self) -> f64 {
        self.sum / self.count
    }
}

#[cfg(test)]
mod tests {
    use super::{Isotonic, Outcome};

    #[test]
    fn neighbors_out_of_order_are_pooled() {
        let found = Isotonic::fit(&Outcome::list(&[3.0, 1.0, 2.0, 4.0, 5.0], &[-1.0, -1.0, 1.0, 1.0, 1.0], &[1.0; 5]));
        assert_eq!(found.knots, [1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(found.values, [0.0, 0.5, 0.5, 1.0, 1.0]);
        assert_eq!([0.0, 1.5, 2.5, 3.5, 9.0].map(|f| found.probability(f)), [0.0, 0.25, 0.5, 0.75, 1.0]);
    }

    #[test]
    fn equal_values_have_one_probability() {
        let found = Isotonic::fit(&Outcome::list(&[1.0, 1.0, 2.0], &[1.0, -1.0, 1.0], &[1.0, 2.0, 1.0]));
        assert_eq!(found.knots, [1.0, 2.0]);
        assert_close!(found.values[0], 1.0 / 3.0, abs = 1e-15);
    }
}
