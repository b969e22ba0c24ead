//! Multiclass decisions from the decision values of binary SVMs.

use ndarray::{Array2, ArrayView1, ArrayView2};

/// The shape of decision values for more than two classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum DecisionShape {
    /// One column per class: the votes, and within equal votes the decision values, squeezed below
    /// one vote. Larger is better.
    #[default]
    OneVersusRest,
    /// One column per pair of classes `(0, 1), (0, 2), …, (1, 2), …`; positive for the first of the
    /// pair.
    OneVersusOne,
}

/// The pairs of classes in the order of the columns.
pub(super) fn pairs(classes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..classes).flat_map(move |a| (a + 1..classes).map(move |b| (a, b)))
}

/// Votes of one row: a positive value is a vote for the first of the pair, any other for the
/// second.
pub(super) fn votes(values: ArrayView1<f64>, classes: usize) -> Vec<usize> {
    let mut votes = vec![0; classes];
    for ((a, b), &value) in pairs(classes).zip(values) {
        votes[if value > 0.0 { a } else { b }] += 1;
    }
    votes
}

/// The votes and, squeezed into `(−⅓, ⅓)`, the sums of the decision values for each class.
pub(super) fn confidences(values: ArrayView2<f64>, classes: usize) -> Array2<f64> {
    let mut found = Array2::<f64>::zeros((values.nrows(), classes));
    for (values, mut out) in values.rows().into_iter().zip(found.rows_mut()) {
        for ((a, b), &value) in pairs(classes).zip(values) {
            out[a] += value;
            out[b] -= value;
        }
        let votes = votes(values, classes);
        out.iter_mut().zip(votes).for_each(|(sum, votes)| *sum = votes as f64 + *sum / (3.0 * (sum.abs() + 1.0)));
    }
    found
}

/// The first of the largest.
pub(super) fn argmax<T: PartialOrd + Copy>(values: impl IntoIterator<Item = T>) -> usize {
    let mut best: Option<(usize, T)> = None;
    for (i, value) in values.into_iter().enumerate() {
        if best.is_none_or(|(_, largest)| value > largest) {
            best = Some((i, value));
        }
    }
    best.map_or(0, |(i, _)| i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn ties_go_to_the_first_class_and_confidences_break_them() {
        // 0 beats 1, 1 beats 2, 2 beats 0: a vote each.
        let circle = array![[0.1, -2.0, 0.3]];
        assert_eq!(votes(circle.row(0), 3), [1, 1, 1]);
        assert_eq!(argmax(votes(circle.row(0), 3)), 0);
        let found = confidences(circle.view(), 3);
        assert_eq!(argmax(found.row(0).iter().copied()), 2);
        // The sum for class 2 is 2.0 − 0.3.
        assert_close!(found[[0, 2]], (1.0 + 1.7 / (3.0 * 2.7)), abs = 1e-15);
        // Nothing is a vote for the second.
        assert_eq!(votes(array![0.0].view(), 2), [0, 1]);
    }
}
