//! Markov processes along a line: transitions and observation of the state.

use super::matern;
use super::small::{Matrix, Vector, root_of_sum};
pub(super) use crate::kernel::closed_forms::MarkovProcess as Process;
use crate::solve::chain::{UnitRoot, derivative_gap};

/// One process of a sum, with its variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Component {
    pub process: Process,
    pub variance: f64,
    /// The root of the variance.
    pub deviation: f64,
    /// The column of the data that it runs along; none where it is the same everywhere.
    pub column: Option<usize>,
}

/// A sum of independent Markov processes along one column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProcessSum {
    pub(super) parts: Vec<Component>,
    pub(super) column: usize,
}

/// `z(t′) = A z(t) + L ε`.
pub(super) struct Transition<const M: usize> {
    pub transition: Matrix<M>,
    pub root: Matrix<M>,
}

impl Process {
    /// The number of its states.
    pub(super) fn dimension(&self) -> usize {
        match self {
            Self::Matern { dimension, .. } => *dimension,
            Self::Integrated { order, .. } => *order,
            Self::Brownian | Self::Bridge | Self::Constant | Self::Linear => 1,
        }
    }

    /// Whether its kernel has finite rank, so that no chain is needed for it alone.
    pub(super) fn is_finite(&self) -> bool {
        matches!(self, Self::Constant | Self::Linear)
    }

    #[inline(always)]
    fn transition<const M: usize>(&self, from: f64, to: f64, at: usize, out: &mut Matrix<M>) {
        match *self {
            Self::Matern { dimension, rate } => matern::transition(dimension, rate * (to - from), at, out),
            Self::Integrated { order, .. } => integrated_transition(order, to - from, at, out),
            Self::Brownian => out[at][at] = brownian(from, to).0,
            Self::Bridge => out[at][at] = bridge(from, to).0,
            Self::Constant | Self::Linear => out[at][at] = 1.0,
        }
    }

    #[inline(always)]
    fn root<const M: usize>(&self, from: f64, to: f64, deviation: f64, at: usize, out: &mut Matrix<M>) {
        match *self {
            Self::Matern { dimension, rate } => matern::root(dimension, rate * (to - from), deviation, at, out),
            Self::Integrated { order, .. } => integrated_root(order, to - from, deviation, at, out),
            Self::Brownian => out[at][at] = deviation * brownian(from, to).1.max(0.0).sqrt(),
            Self::Bridge => out[at][at] = deviation * bridge(from, to).1.max(0.0).sqrt(),
            Self::Constant | Self::Linear => {}
        }
    }

    /// The root of the covariance of the state at `t`, before anything is seen.
    fn prior<const M: usize>(&self, t: f64, deviation: f64, at: usize, out: &mut Matrix<M>) {
        match *self {
            Self::Matern { dimension, .. } => matern::stationary_root(dimension, deviation, at, out),
            Self::Integrated { order, free } => {
                let (mut start, mut added) = ([[0.0; M]; M], [[0.0; M]; M]);
                if free {
                    integrated_transition(order, t, at, &mut start);
                    start.iter_mut().flatten().for_each(|v| *v *= deviation);
                }
                integrated_root(order, t, deviation, at, &mut added);
                let root = root_of_sum(start, added);
                (at..at + order).for_each(|i| out[i] = root[i]);
            }
            Self::Brownian => out[at][at] = deviation * t.abs().sqrt(),
            Self::Bridge => out[at][at] = deviation * (t * (1.0 - t)).max(0.0).sqrt(),
            Self::Constant | Self::Linear => out[at][at] = deviation,
        }
    }
}

/// `A` and `Q` of two-sided Brownian motion: on the left it runs toward its zero at 0 (a bridge),
/// on the right away from it.
#[inline(always)]
fn brownian(from: f64, to: f64) -> (f64, f64) {
    if from >= 0.0 || from == to {
        (1.0, to - from)
    } else if to >= 0.0 {
        (0.0, to)
    } else {
        let share = to / from;
        (share, share * (to - from))
    }
}

/// `A` and `Q` of the Brownian bridge.
#[inline(always)]
fn bridge(from: f64, to: f64) -> (f64, f64) {
    if from == to {
        return (1.0, 0.0);
    }
    let share = (1.0 - to) / (1.0 - from);
    (share, share * (to - from))
}

#[inline(always)]
fn integrated_transition<const M: usize>(order: usize, h: f64, at: usize, out: &mut Matrix<M>) {
    let taylor = derivative_gap::<3>(h);
    for i in 0..order {
        out[at + i][at + i..at + order].copy_from_slice(&taylor[i][i..order]);
    }
}

#[inline(always)]
fn integrated_root<const M: usize>(order: usize, h: f64, deviation: f64, at: usize, out: &mut Matrix<M>) {
    match order {
        1 => put(&UnitRoot::<1>::new().gap(h).root, deviation, at, out),
        2 => put(&UnitRoot::<2>::new().gap(h).root, deviation, at, out),
        _ => put(&UnitRoot::<3>::new().gap(h).root, deviation, at, out),
    }
}

#[inline(always)]
fn put<const M: usize, const D: usize>(root: &Matrix<D>, factor: f64, at: usize, out: &mut Matrix<M>) {
    for i in 0..D {
        for j in 0..=i {
            out[at + i][at + j] = factor * root[i][j];
        }
    }
}

impl ProcessSum {
    /// The number of states.
    pub(crate) fn dimension(&self) -> usize {
        self.parts.iter().map(|p| p.process.dimension()).sum()
    }

    /// The column of the data that the processes run along.
    pub(crate) fn column(&self) -> usize {
        self.column
    }

    /// The parts with the place of their first state.
    #[inline(always)]
    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, &Component)> {
        self.parts.iter().scan(0, |next, part| {
            let at = *next;
            *next += part.process.dimension();
            Some((at, part))
        })
    }

    /// `A` between two positions, the second not before the first.
    #[inline(always)]
    pub(super) fn transition<const M: usize>(&self, from: f64, to: f64) -> Matrix<M> {
        let mut a = [[0.0; M]; M];
        self.blocks().for_each(|(at, part)| part.process.transition(from, to, at, &mut a));
        a
    }

    /// `A` and the root of what is added between two positions.
    #[inline(always)]
    pub(super) fn step<const M: usize>(&self, from: f64, to: f64) -> Transition<M> {
        let mut root = [[0.0; M]; M];
        self.blocks().for_each(|(at, part)| part.process.root(from, to, part.deviation, at, &mut root));
        Transition { transition: self.transition(from, to), root }
    }

    /// The root of the covariance of the state at one position.
    #[inline(always)]
    pub(super) fn prior<const M: usize>(&self, t: f64) -> Matrix<M> {
        let mut root = [[0.0; M]; M];
        self.blocks().for_each(|(at, part)| part.process.prior(t, part.deviation, at, &mut root));
        root
    }

    /// `h` with `f(t) = hᵀz`.
    #[inline(always)]
    pub(super) fn observe<const M: usize>(&self, t: f64) -> Vector<M> {
        let mut h = [0.0; M];
        self.blocks().for_each(|(at, part)| h[at] = if part.process == Process::Linear { t } else { 1.0 });
        h
    }
}
