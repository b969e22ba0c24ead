//! A list of numbers to choose from, that may be extended beyond its ends.

/// Numbers to choose from, the smoothest model first: `C` ascending, λ descending, lengthscales
/// descending.
#[derive(Clone, Debug, PartialEq)]
pub struct Choices {
    /// The numbers of the first grid.
    pub values: Vec<f64>,
    /// How many more may be tried beyond each end, by the ratio of the last two, where the best
    /// lies at that end. 0 for a list that was given.
    pub reach: usize,
}

impl Choices {
    /// These and no others.
    pub fn fixed(values: Vec<f64>) -> Self {
        Self { values, reach: 0 }
    }

    /// These at first, and up to `reach` more beyond each end.
    pub fn open(values: Vec<f64>, reach: usize) -> Self {
        Self { values, reach }
    }

    /// The number at a position: those of the first grid from 0 on, others before and behind.
    pub(super) fn at(&self, position: i64) -> Option<f64> {
        let (count, reach) = (self.values.len() as i64, self.reach as i64);
        if (0..count).contains(&position) {
            return Some(self.values[position as usize]);
        }
        if count < 2 || position < -reach || position >= count + reach {
            return None;
        }
        let (end, beside, steps) =
            if position < 0 { (0, 1, -position) } else { (count - 1, count - 2, position - count + 1) };
        let (end, beside) = (self.values[end as usize], self.values[beside as usize]);
        let value = end * (end / beside).powi(steps as i32);
        (value.is_finite() && value > 0.0).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_go_on_as_far_as_they_reach() {
        let open = Choices::open(vec![10.0, 1.0, 0.1], 2);
        let at: Vec<Option<f64>> = (-3..6).map(|position| open.at(position)).collect();
        let expected =
            [None, Some(1000.0), Some(100.0), Some(10.0), Some(1.0), Some(0.1), Some(0.01), Some(0.001), None];
        for (found, expected) in at.iter().zip(expected) {
            assert_eq!(found.is_some(), expected.is_some());
            assert!(found.zip(expected).is_none_or(|(f, e)| (f / e - 1.0).abs() < 1e-12));
        }
        assert_eq!(Choices::fixed(vec![1.0, 2.0]).at(2), None);
        assert_eq!(Choices::open(vec![1.0], 3).at(1), None);
    }
}
