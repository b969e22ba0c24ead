//! Sequential minimal optimization within one working set.

use super::kkt::{can_fall, can_rise, groups, room_above, room_below};
use super::lines::Lines;
use super::{Constraint, DualProblem};
use crate::gram::simd::{Element, scan};

/// The curvature of a pair whose points coincide.
const FLAT: f64 = 1e-12;

/// The points of a working set with their variables: at most one of each sign, so that the two of a
/// regression are searched and updated as one.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    /// The point of every slot, in ascending order.
    pub(super) points: Vec<usize>,
    /// Its variables with the sign 1 and with the sign −1, as positions in the working set.
    sides: Vec<[Option<usize>; 2]>,
}

impl Slots {
    /// The slots of some variables. A further variable of a point with the same sign has one of its
    /// own.
    pub(super) fn new(problem: &DualProblem, variables: &[usize]) -> Self {
        let mut order: Vec<usize> = (0..variables.len()).collect();
        order.sort_by_key(|&at| problem.points[variables[at]]);
        let (mut points, mut sides) = (Vec::<usize>::new(), Vec::<[Option<usize>; 2]>::new());
        for at in order {
            let (point, side) = (problem.points[variables[at]], usize::from(problem.signs[variables[at]] < 0.0));
            match sides.last_mut() {
                Some(last) if points.last() == Some(&point) && last[side].is_none() => last[side] = Some(at),
                _ => {
                    points.push(point);
                    let mut new = [None; 2];
                    new[side] = Some(at);
                    sides.push(new);
                }
            }
        }
        Self { points, sides }
    }
}

/// The variables of a working set, and the kernel among their points.
pub(super) struct Inner<'k, T> {
    signs: Vec<f64>,
    upper: Vec<f64>,
    alpha: Vec<f64>,
    /// `−sᵢpᵢ` of every variable: its `vᵢ` without `−F`.
    linear: Vec<f64>,
    sides: Vec<[Option<usize>; 2]>,
    /// `−F` at every point.
    values: Vec<f64>,
    /// For each group: `−sp` of the variable that rises at a point, `−∞` where none can.
    rise: Vec<Vec<f64>>,
    /// For each group: `−sp` of the variable that falls at a point, `∞` where none can.
    fall: Vec<Vec<f64>>,
    /// `k` among the points.
    kernel: Lines<'k, T>,
    diagonal: Vec<f64>,
    /// The diagonal in the precision of the kernel values.
    rounded: Vec<T>,
    /// For each group: slopes of points that fall, for the search of a partner.
    down: Vec<Vec<T>>,
    /// For each group: the extremes of the slopes.
    extremes: Vec<scan::Extremes>,
    /// For each group: the origin and the scale of those slopes.
    frames: Vec<(f64, f64)>,
    constraint: Constraint,
}

/// What the steps within a working set led to.
pub(super) struct Improved {
    pub(super) steps: u64,
    /// `α` of the variables.
    pub(super) alpha: Vec<f64>,
    /// `F` at the points of the slots.
    pub(super) values: Vec<f64>,
}

impl<'k, T: Element> Inner<'k, T> {
    /// `values` and `diagonal` are those of the points of the slots.
    pub(super) fn new(
        problem: &DualProblem,
        variables: &[usize],
        slots: &Slots,
        alpha: &[f64],
        values: &[f64],
        kernel: Lines<'k, T>,
        diagonal: Vec<f64>,
    ) -> Self {
        let q = slots.points.len();
        let of = |list: &[f64]| variables.iter().map(|&i| list[i]).collect::<Vec<f64>>();
        let count = groups(problem.constraint);
        let mut inner = Self {
            signs: of(&problem.signs),
            upper: of(&problem.upper),
            alpha: of(alpha),
            linear: variables.iter().map(|&i| -problem.signs[i] * problem.linear[i]).collect(),
            sides: slots.sides.clone(),
            values: values.iter().map(|f| -f).collect(),
            rise: vec![vec![f64::NEG_INFINITY; q]; count],
            fall: vec![vec![f64::INFINITY; q]; count],
            rounded: diagonal.iter().map(|&d| T::from_f64(d)).collect(),
            diagonal,
            down: vec![vec![T::default(); q]; count],
            extremes: vec![scan::Extremes::NONE; count],
            frames: vec![(0.0, 1.0); count],
            kernel,
            constraint: problem.constraint,
        };
        (0..q).for_each(|slot| inner.bar(slot));
        inner
    }

    /// Notes in which directions a point can move.
    fn bar(&mut self, slot: usize) {
        for g in 0..self.rise.len() {
            self.rise[g][slot] = self.riser(slot, g).map_or(f64::NEG_INFINITY, |i| self.linear[i]);
            self.fall[g][slot] = self.faller(slot, g).map_or(f64::INFINITY, |i| self.linear[i]);
        }
    }

    /// The variables of a slot in a group.
    fn of_group(&self, slot: usize, group: usize) -> impl Iterator<Item = usize> + use<T> {
        let [first, second] = self.sides[slot];
        let sides = match (self.constraint, group) {
            (Constraint::SumPerSign, 0) => [first, None],
            (Constraint::SumPerSign, _) => [None, second],
            _ => [first, second],
        };
        sides.into_iter().flatten()
    }

    /// The variable of a slot that gains most when the point rises.
    fn riser(&self, slot: usize, group: usize) -> Option<usize> {
        let can = |&i: &usize| can_rise(self.signs[i], self.alpha[i], self.upper[i]);
        self.of_group(slot, group).filter(can).reduce(|a, b| if self.linear[b] > self.linear[a] { b } else { a })
    }

    /// The variable of a slot that gains most when the point falls.
    fn faller(&self, slot: usize, group: usize) -> Option<usize> {
        let can = |&i: &usize| can_fall(self.signs[i], self.alpha[i], self.upper[i]);
        self.of_group(slot, group).filter(can).reduce(|a, b| if self.linear[b] < self.linear[a] { b } else { a })
    }

    /// Steps until the violation within the set is at most `tolerance`, or the steps are used up.
    pub(super) fn run(mut self, tolerance: f64, max_steps: u64) -> Improved {
        let mut steps = 0;
        if self.constraint != Constraint::Free {
            // The second time on the scale that the first one found.
            (0..2).for_each(|_| self.survey(None));
        }
        loop {
            let (violation, step) =
                if self.constraint == Constraint::Free { self.best_single() } else { self.best_pair() };
            match step {
                Some(step) if violation > tolerance && steps < max_steps => {
                    self.take(step);
                    steps += 1;
                }
                _ => {
                    let values = self.values.into_iter().map(|v| -v).collect();
                    return Improved { steps, alpha: self.alpha, values };
                }
            }
        }
    }

    /// The violation, and the pair with the largest gain whose first has the largest `vᵢ` (of each
    /// group).
    fn best_pair(&self) -> (f64, Option<Move>) {
        let (mut violation, mut best, mut gain) = (0.0_f64, None, 0.0);
        for (group, extremes) in self.extremes.iter().enumerate() {
            let here = extremes.largest - extremes.smallest;
            if here.is_nan() || here <= 0.0 {
                continue;
            }
            violation = violation.max(here);
            let (origin, scale) = self.frames[group];
            // Gains of groups are compared on one scale.
            if let Some((down, found)) = self.partner(extremes.position, scale * (extremes.largest - origin), group)
                && found / (scale * scale) > gain
            {
                (best, gain) = (Some(Move::Pair { up: extremes.position, down, group }), found / (scale * scale));
            }
        }
        (violation, best)
    }

    /// The best partner for a point that rises.
    fn partner(&self, i: usize, top: f64, group: usize) -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        for run in 0..self.kernel.runs.len() {
            let columns = self.kernel.columns(run);
            let search = scan::Partner {
                top: T::from_f64(top),
                diagonal: self.rounded[i],
                down: &self.down[group][columns.clone()],
                diagonals: &self.rounded[columns.clone()],
                row: self.kernel.piece(i, run),
                flat: T::from_f64(FLAT),
            };
            if let Some((at, gain)) = search.find()
                && best.is_none_or(|(_, most)| gain > most)
            {
                best = Some((columns.start + at, gain));
            }
        }
        best
    }

    /// The extremes of all groups, after two changes if there are some.
    fn survey(&mut self, changes: Option<[(usize, f64); 2]>) {
        for group in 0..self.rise.len() {
            let last = self.extremes[group];
            let violation = last.largest - last.smallest;
            if violation > 0.0 && violation.is_finite() {
                self.frames[group] = (last.largest, 1.0 / violation);
            }
            let (origin, scale) = self.frames[group];
            let mut found = scan::Extremes::NONE;
            for run in 0..self.kernel.runs.len() {
                let columns = self.kernel.columns(run);
                let survey = scan::Survey {
                    values: &mut self.values[columns.clone()],
                    rise: &self.rise[group][columns.clone()],
                    fall: &self.fall[group][columns.clone()],
                    down: &mut self.down[group][columns.clone()],
                    origin,
                    scale,
                };
                let here = match changes {
                    // The values are those of all groups.
                    Some([(i, a), (j, b)]) if group == 0 => {
                        survey.subtract((a, self.kernel.piece(i, run)), (b, self.kernel.piece(j, run)))
                    }
                    _ => survey.find(),
                };
                found = found.or(here, columns.start);
            }
            self.extremes[group] = found;
        }
    }

    /// Without a constraint: the violation, and the point with the largest gain.
    fn best_single(&self) -> (f64, Option<Move>) {
        let (mut violation, mut best, mut gain) = (0.0_f64, None, 0.0);
        for (slot, value) in self.values.iter().enumerate() {
            for slope in [(value + self.rise[0][slot]).max(0.0), (value + self.fall[0][slot]).min(0.0)] {
                violation = violation.max(slope.abs());
                let found = slope * slope / curvature(self.diagonal[slot]);
                if found > gain {
                    (best, gain) = (Some(Move::Single { slot, slope }), found);
                }
            }
        }
        (violation, best)
    }

    fn take(&mut self, step: Move) {
        match step {
            Move::Pair { up, down, group } => {
                let (Some(i), Some(j)) = (self.riser(up, group), self.faller(down, group)) else { return };
                let slope = self.values[up] + self.linear[i] - self.values[down] - self.linear[j];
                let bend = curvature(self.diagonal[up] + self.diagonal[down] - 2.0 * self.kernel.at(up, down));
                let above = room_above(self.signs[i], self.alpha[i], self.upper[i]);
                let below = room_below(self.signs[j], self.alpha[j], self.upper[j]);
                let length = (slope / bend).min(above).min(below);
                self.shift(i, length, length >= above);
                self.shift(j, -length, length >= below);
                self.bar(up);
                self.bar(down);
                self.survey(Some([(up, length), (down, -length)]));
            }
            Move::Single { slot, slope } => {
                let rises = slope > 0.0;
                let Some(i) = (if rises { self.riser(slot, 0) } else { self.faller(slot, 0) }) else { return };
                let room = if rises { room_above } else { room_below }(self.signs[i], self.alpha[i], self.upper[i]);
                let length = (slope / curvature(self.diagonal[slot])).clamp(-room, room);
                self.shift(i, length, length.abs() >= room);
                self.bar(slot);
                self.follow(slot, length);
            }
        }
    }

    /// `sᵢαᵢ += change`; exactly to the bound where it ends there.
    fn shift(&mut self, i: usize, change: f64, to_bound: bool) {
        let upwards = (change > 0.0) == (self.signs[i] > 0.0);
        self.alpha[i] = match (to_bound, upwards) {
            (true, true) => self.upper[i],
            (true, false) => 0.0,
            (false, _) => (self.alpha[i] + self.signs[i] * change).clamp(0.0, self.upper[i]),
        };
    }

    /// `−F` after a change.
    fn follow(&mut self, i: usize, change: f64) {
        for run in 0..self.kernel.runs.len() {
            let (values, row) = (&mut self.values[self.kernel.columns(run)], self.kernel.piece(i, run));
            scan::subtract(values, (change, row), (0.0, row));
        }
    }
}

#[derive(Clone, Copy)]
enum Move {
    /// A point rises and another falls, by variables of one group.
    Pair { up: usize, down: usize, group: usize },
    /// One point moves along its slope.
    Single { slot: usize, slope: f64 },
}

fn curvature(a: f64) -> f64 {
    if a > FLAT { a } else { FLAT }
}
