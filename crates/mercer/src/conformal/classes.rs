//! Scores of classes: how little a class conforms to a point.

use ndarray::{Array2, ArrayView1, ArrayView2};

use crate::Seed;

/// The score of a class at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SetScore {
    /// `1 − p(c|x)`, which gives the smallest sets on average (least ambiguous sets); for a fit
    /// without probabilities the largest decision value of another class minus that of `c`. Sets
    /// can be empty.
    #[default]
    Lac,
    /// The sum of the probabilities of all classes that are more probable, and of `c` itself: sets
    /// adapt to how hard a point is (adaptive prediction sets).
    Aps,
}

/// `1 − p` or the sums of [`SetScore::Aps`] for every point and class, from probabilities with one
/// column per class.
///
/// With a seed the class itself counts with a random share in [`SetScore::Aps`], drawn for point
/// `i` from its own stream: the coverage is then exact up to `1/(n + 1)` instead of too large.
///
/// # Example
/// ```
/// use mercer::conformal::{SetScore, class_scores};
/// use ndarray::array;
/// let p = array![[0.2, 0.5, 0.3]];
/// mercer::assert_close!(&class_scores(p.view(), SetScore::Lac, None), &array![[0.8, 0.5, 0.7]], each = 1e-15);
/// mercer::assert_close!(&class_scores(p.view(), SetScore::Aps, None), &array![[1.0, 0.5, 0.8]], each = 1e-15);
/// ```
pub fn class_scores(probabilities: ArrayView2<f64>, score: SetScore, random: Option<(Seed, &str)>) -> Array2<f64> {
    let rows: Vec<usize> = (0..probabilities.nrows()).collect();
    scores_of_rows(probabilities, score, random, &rows)
}

/// The same with the number of every row, which chooses its stream.
pub(super) fn scores_of_rows(
    probabilities: ArrayView2<f64>,
    score: SetScore,
    random: Option<(Seed, &str)>,
    rows: &[usize],
) -> Array2<f64> {
    let mut scores = Array2::zeros(probabilities.dim());
    for ((p, mut out), &row) in probabilities.rows().into_iter().zip(scores.rows_mut()).zip(rows) {
        match score {
            SetScore::Lac => out.assign(&p.mapv(|p| 1.0 - p)),
            SetScore::Aps => {
                let share = random.map_or(1.0, |(seed, purpose)| seed.stream(purpose, row as u64).uniform());
                adaptive(p, share).into_iter().for_each(|(class, score)| out[class] = score);
            }
        }
    }
    scores
}

/// The classes, the most probable first (of equals the first), with their sums.
fn adaptive(p: ArrayView1<f64>, share: f64) -> Vec<(usize, f64)> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[b].total_cmp(&p[a]));
    let mut before = 0.0;
    let mut score = |class: usize| {
        let found = before + share * p[class];
        before += p[class];
        (class, found)
    };
    order.into_iter().map(&mut score).collect()
}

/// The largest decision value of another class minus that of the class, for every point and class;
/// from one column that is positive for the second of two classes, or one column per class.
///
/// # Example
/// ```
/// use mercer::conformal::margin_scores;
/// use ndarray::array;
/// assert_eq!(margin_scores(array![[0.5]].view()), array![[0.5, -0.5]]);
/// assert_eq!(margin_scores(array![[1.0, 3.0, 2.0]].view()), array![[2.0, -1.0, 1.0]]);
/// ```
pub fn margin_scores(decision: ArrayView2<f64>) -> Array2<f64> {
    if decision.ncols() == 1 {
        let side = |c: usize| if c == 0 { 1.0 } else { -1.0 };
        return Array2::from_shape_fn((decision.nrows(), 2), |(i, c)| side(c) * decision[[i, 0]]);
    }
    let best_other = |row: ArrayView1<f64>, class: usize| {
        let others = row.iter().enumerate().filter(|(c, _)| *c != class);
        others.fold(f64::NEG_INFINITY, |best, (_, &value)| best.max(value))
    };
    Array2::from_shape_fn(decision.dim(), |(i, c)| best_other(decision.row(i), c) - decision[[i, c]])
}
