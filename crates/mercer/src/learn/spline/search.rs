//! Choosing λ: the minimum of a criterion, or the root of the degrees of freedom, in `log λ`.

use super::criteria::Criteria;
use super::data::SplineData;
use crate::error::Remedy;
use crate::solve::chain::{Pass, Smoother, smoother};
use crate::{Compute, Error, Result};

/// Above this many nodes the search starts on pooled data: its cost is linear in the nodes. 8192
/// takes 2.2 times as long at 5000 nodes and 43 % longer at 20 000; 2048 is 23 % and 9 % faster,
/// from coarser data.
const THIN: usize = 4096;
/// Above this many nodes the data is pooled twice, the second time to a quarter of this number.
const THIN_AGAIN: usize = 1 << 17;
/// The distance in `log λ` from a start on thinned data to its neighbors.
const NEIGHBOR: f64 = 0.02;
/// Points of the first grid in `log λ`. 80 are 60 % slower and 20 21 % faster at 5000 nodes.
const GRID: usize = 40;
/// Maximum number of passes of a search, far above what it needs.
const LIMIT: u64 = 400;
/// `log λ` is found to this distance for small samples.
const TOLERANCE: f64 = 1e-6;

/// The chosen λ (on the scale of the nodes), with how it was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Chosen {
    pub lambda: f64,
    pub passes: usize,
    /// The minimum lies at an end of the range that was searched.
    pub at_limit: bool,
}

/// The passes over one chain of nodes, counted.
struct Passes<'a> {
    chain: &'a mut dyn Smoother,
    compute: &'a Compute,
    done: u64,
}

impl Passes<'_> {
    fn at(&mut self, log_lambda: f64) -> Result<Pass> {
        self.compute.check_canceled()?;
        self.done += 1;
        self.compute.report("smoothing spline", self.done.min(LIMIT - 1), LIMIT);
        Ok(self.chain.pass(log_lambda.exp()))
    }
}

/// The range of `log λ` between interpolation and the polynomial: a quarter of the gaps may be
/// closer than the finest scale.
fn range(data: &SplineData, order: usize) -> (f64, f64) {
    let (total, count) = (data.nodes.iter().map(|n| n.weight).sum::<f64>(), data.nodes.len() as f64);
    let mut gaps: Vec<f64> = data.nodes.windows(2).map(|w| w[1].t - w[0].t).collect();
    let quarter = gaps.len() / 4;
    let close = if gaps.is_empty() { 1.0 } else { *gaps.select_nth_unstable_by(quarter, f64::total_cmp).1 };
    let pi = std::f64::consts::PI;
    // Detail of size h costs λ(π/h)^{2m}h beside the weight of one node.
    let finest =
        (total / count).ln() + (2 * order - 1) as f64 * close.min(1.0 / count).ln() - (2 * order) as f64 * pi.ln();
    (finest - 10.0, total.ln() + 14.0)
}

/// A criterion of `log λ`.
type Score<'a> = &'a mut dyn FnMut(f64) -> Result<f64>;
/// A position with the value there.
type Point = (f64, f64);

/// What a search for the least criterion needs.
pub(super) struct Search<'a> {
    pub data: &'a SplineData,
    pub order: usize,
    pub period: Option<f64>,
    pub criteria: &'a Criteria,
    pub score: fn(&Criteria, &Pass, f64) -> f64,
    pub compute: &'a Compute,
}

impl Search<'_> {
    /// The λ that minimizes the criterion.
    pub fn minimum(&self, chain: &mut dyn Smoother) -> Result<Chosen> {
        let (low, high) = range(self.data, self.order);
        let count = self.data.nodes.len();
        let mut start = None;
        for (above, groups) in [(THIN, THIN / 2), (THIN_AGAIN, THIN_AGAIN / 4)] {
            if count > above {
                start = Some(self.thinned_minimum(start, groups, (low, high))?.0);
            }
        }
        let mut passes = Passes { chain, compute: self.compute, done: 0 };
        let mut f = |l: f64| Ok((self.score)(self.criteria, &passes.at(l)?, l.exp()));
        let (found, at_limit) = descend(&mut f, start, (low, high), self.tolerance())?;
        Ok(Chosen { lambda: found.exp(), passes: passes.done as usize, at_limit })
    }

    /// The minimum on few nodes: where to start.
    fn thinned_minimum(&self, start: Option<f64>, groups: usize, limits: (f64, f64)) -> Result<(f64, bool)> {
        let (nodes, within) = self.data.thinned(groups);
        let mut chain = smoother(self.order, nodes, self.period);
        let criteria = Criteria { within, ..*self.criteria };
        let mut passes = Passes { chain: &mut *chain, compute: self.compute, done: 0 };
        let mut f = |l: f64| Ok((self.score)(&criteria, &passes.at(l)?, l.exp()));
        descend(&mut f, start, limits, 1e-3)
    }

    /// How well `log λ` is determined: the criterion bends by about `1/n` of itself over one unit.
    fn tolerance(&self) -> f64 {
        TOLERANCE * (self.criteria.count / 100.0).sqrt().max(1.0)
    }
}

/// The minimum, and whether it lies at a limit: from a grid, or from a start that is known to be
/// close.
fn descend(f: Score<'_>, start: Option<f64>, (low, high): (f64, f64), tolerance: f64) -> Result<(f64, bool)> {
    let (best, step) = match start {
        Some(start) => (start, NEIGHBOR),
        None => grid(f, low, high)?,
    };
    let bracket = bracket(f, best, step, low, high)?;
    if bracket[0].0 == bracket[1].0 || bracket[1].0 == bracket[2].0 {
        return Ok((bracket[1].0, true));
    }
    let found = if start.is_some() { polish(f, bracket, tolerance)? } else { None };
    Ok((found.map_or_else(|| brent(f, bracket, tolerance), Ok)?, false))
}

/// The lowest points of a few parabolas inside a narrow bracket, until one does not move by more
/// than the tolerance; `None` where they do not converge.
fn polish(f: Score<'_>, mut points: [Point; 3], tolerance: f64) -> Result<Option<f64>> {
    let (low, high) = (points[0].0, points[2].0);
    for _ in 0..4 {
        points.sort_by(|a, b| a.1.total_cmp(&b.1));
        let Some(step) = parabola(points, (low, high), high - low, 0.0) else { return Ok(None) };
        let position = points[0].0 + step;
        if step.abs() <= tolerance {
            return Ok(Some(position));
        }
        points[2] = (position, f(position)?);
    }
    Ok(None)
}

/// The best point of the grid, and the step.
fn grid(f: Score<'_>, low: f64, high: f64) -> Result<(f64, f64)> {
    let step = (high - low) / (GRID - 1) as f64;
    let mut best = (low, f64::INFINITY);
    for i in 0..GRID {
        let at = low + step * i as f64;
        let value = f(at)?;
        // Of equals the smoothest.
        if value <= best.1 {
            best = (at, value);
        }
    }
    Ok((best.0, step))
}

/// Three positions with the middle one lowest: walks downhill with growing steps, inside the
/// limits. The middle place is an end only where that end is a limit and lower still.
fn bracket(f: Score<'_>, start: f64, step: f64, low: f64, high: f64) -> Result<[Point; 3]> {
    let mut at = |x: f64| Ok::<Point, Error>((x, f(x)?));
    let mut b = at(start)?;
    let (mut a, mut c) = (at((start - step).max(low))?, at((start + step).min(high))?);
    let mut reach = step;
    while (a.0 > low && a.1 < b.1) || (c.0 < high && c.1 < b.1) {
        reach *= 2.0;
        if a.1 < b.1 && (a.1 <= c.1 || c.0 >= high) {
            (c, b) = (b, a);
            a = at((b.0 - reach).max(low))?;
        } else {
            (a, b) = (b, c);
            c = at((b.0 + reach).min(high))?;
        }
    }
    Ok(match (a.1 < b.1, c.1 < b.1) {
        (true, _) => [a, a, b],
        (_, true) => [b, c, c],
        _ => [a, b, c],
    })
}

/// Brent's minimization inside a bracket: parabolas where they help, golden sections elsewhere.
fn brent(f: Score<'_>, [a, b, c]: [Point; 3], tolerance: f64) -> Result<f64> {
    const GOLDEN: f64 = 0.381_966_011_250_105_1;
    let (mut low, mut high) = (a.0, c.0);
    let mut x = b;
    let (mut w, mut v) = if a.1 <= c.1 { (a, c) } else { (c, a) };
    let (mut step, mut before) = (high - low, high - low);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if (x.0 - middle).abs() + 0.5 * (high - low) <= 2.0 * tolerance {
            break;
        }
        (step, before) = match parabola([x, w, v], (low, high), 0.5 * before.abs(), tolerance) {
            Some(parabolic) => (parabolic, step),
            None => {
                let side = if x.0 >= middle { low - x.0 } else { high - x.0 };
                (GOLDEN * side, side)
            }
        };
        let position = x.0 + if step.abs() >= tolerance { step } else { tolerance.copysign(step) };
        let u = (position, f(position)?);
        // The bracket shrinks to the side of the lower point.
        let (inner, outer) = if u.1 <= x.1 { (u.0, x.0) } else { (x.0, u.0) };
        if outer < inner {
            low = outer
        } else {
            high = outer
        }
        if u.1 <= x.1 {
            (v, w, x) = (w, x, u);
        } else if u.1 <= w.1 || w.0 == x.0 {
            (v, w) = (w, u);
        } else if u.1 <= v.1 || v.0 == x.0 || v.0 == w.0 {
            v = u;
        }
    }
    Ok(x.0)
}

/// The step to the lowest point of the parabola through three points, if it is short and stays
/// inside.
fn parabola([x, w, v]: [Point; 3], (low, high): (f64, f64), most: f64, tolerance: f64) -> Option<f64> {
    let r = (x.0 - w.0) * (x.1 - v.1);
    let q = (x.0 - v.0) * (x.1 - w.1);
    let step = -((x.0 - v.0) * q - (x.0 - w.0) * r) / (2.0 * (q - r));
    let inside = x.0 + step > low + tolerance && x.0 + step < high - tolerance;
    (step.is_finite() && inside && step.abs() < most).then_some(step)
}

/// The λ whose fit has these degrees of freedom.
pub(super) fn degrees_of_freedom(
    data: &SplineData,
    order: usize,
    chain: &mut dyn Smoother,
    null: f64,
    target: f64,
    compute: &Compute,
) -> Result<Chosen> {
    let most = data.nodes.len() as f64;
    if !(target > null && target < most) {
        let requirement =
            format!("between {null} (the polynomials without penalty) and {most} (the distinct x), both excluded");
        return Err(Error::parameter("degrees_of_freedom", target, &requirement));
    }
    let mut passes = Passes { chain, compute, done: 0 };
    // Nearly linear in log λ, and falling.
    let odds = |df: f64| ((df - null).max(1e-300) / (most - df).max(1e-300)).ln();
    let requested = odds(target);
    let mut f = |l: f64| -> Result<f64> { Ok(odds(passes.at(l)?.trace) - requested) };
    let root = falling_root(&mut f, range(data, order))?;
    Ok(Chosen { lambda: root.exp(), passes: passes.done as usize, at_limit: false })
}

/// The root of a falling function: the range is widened until it holds the root, then the Illinois
/// method.
fn falling_root(f: &mut dyn FnMut(f64) -> Result<f64>, (mut low, mut high): (f64, f64)) -> Result<f64> {
    let (mut f_low, mut f_high) = (f(low)?, f(high)?);
    for _ in 0..60 {
        if f_low < 0.0 {
            low -= 10.0;
            f_low = f(low)?;
        } else if f_high > 0.0 {
            high += 10.0;
            f_high = f(high)?;
        } else {
            break;
        }
    }
    if !(f_low >= 0.0 && f_high <= 0.0) {
        return Err(Error::undefined("λ of these degrees of freedom", Remedy::give("lambda")));
    }
    let mut side = 0;
    for _ in 0..200 {
        let secant = (low * f_high - high * f_low) / (f_high - f_low);
        let middle = if secant > low && secant < high { secant } else { 0.5 * (low + high) };
        let value = f(middle)?;
        if value.abs() <= 1e-12 || high - low <= 1e-13 * middle.abs().max(1.0) {
            return Ok(middle);
        }
        if value > 0.0 {
            (low, f_low) = (middle, value);
            f_high *= if side == 1 { 0.5 } else { 1.0 };
            side = 1;
        } else {
            (high, f_high) = (middle, value);
            f_low *= if side == -1 { 0.5 } else { 1.0 };
            side = -1;
        }
    }
    Ok(0.5 * (low + high))
}
