//! Choosing λ: the minimum of a criterion, or the root of the degrees of freedom, in `log λ`.

use super::criteria::Criteria;
use super::data::Data;
use crate::solve::chain::{Pass, Smoother, smoother};
use crate::{Compute, Error, Result};

/// More nodes than this are thinned to find where to start.
const THIN: usize = 4096;
/// Points of the first grid in `log λ`.
const GRID: usize = 40;
/// Passes that a search may take before it gives up; far more than it needs.
const LIMIT: u64 = 400;
/// `log λ` is found to this distance.
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
        self.compute.check_cancelled()?;
        self.done += 1;
        self.compute.report("smoothing spline", self.done.min(LIMIT - 1), LIMIT);
        Ok(self.chain.pass(log_lambda.exp()))
    }
}

/// The range of `log λ` between interpolation and the polynomial, for evenly spaced nodes.
fn range(data: &Data, order: usize) -> (f64, f64) {
    let total: f64 = data.nodes.iter().map(|n| n.weight).sum();
    let finest = (std::f64::consts::PI * data.nodes.len() as f64).ln() * (2 * order) as f64;
    (total.ln() - finest - 10.0, total.ln() + 14.0)
}

/// The λ that minimises the criterion.
pub(super) fn minimum(
    data: &Data,
    order: usize,
    period: Option<f64>,
    chain: &mut dyn Smoother,
    criteria: &Criteria,
    score: fn(&Criteria, &Pass, f64) -> f64,
    compute: &Compute,
) -> Result<Chosen> {
    let (low, high) = range(data, order);
    let start = if data.nodes.len() > THIN {
        let (nodes, within) = data.thinned(THIN / 2);
        let mut thin = smoother(order, nodes, period);
        let criteria = Criteria { within, ..*criteria };
        let mut passes = Passes { chain: &mut *thin, compute, done: 0 };
        let mut f = |l: f64| Ok(score(&criteria, &passes.at(l)?, l.exp()));
        let (best, step) = grid(&mut f, low, high)?;
        brent(&mut f, (best - step).max(low), best, (best + step).min(high))?
    } else {
        f64::NAN
    };
    let mut passes = Passes { chain, compute, done: 0 };
    let mut f = |l: f64| Ok(score(criteria, &passes.at(l)?, l.exp()));
    let (best, step) = if start.is_nan() { grid(&mut f, low, high)? } else { (start, 0.25) };
    let (a, b, c) = bracket(&mut f, best, step, low, high)?;
    let at_limit = a == b || b == c;
    let found = if at_limit { b } else { brent(&mut f, a, b, c)? };
    Ok(Chosen { lambda: found.exp(), passes: passes.done as usize, at_limit })
}

/// The best point of the grid, and the step.
fn grid(f: &mut dyn FnMut(f64) -> Result<f64>, low: f64, high: f64) -> Result<(f64, f64)> {
    let step = (high - low) / (GRID - 1) as f64;
    let mut best = (low, f64::INFINITY);
    for i in 0..GRID {
        let at = low + step * i as f64;
        let value = f(at)?;
        if value < best.1 {
            best = (at, value);
        }
    }
    Ok((best.0, step))
}

/// `a ≤ b ≤ c` with `f(b)` no larger than its neighbours: walks downhill with growing steps, inside the limits.
fn bracket(
    f: &mut dyn FnMut(f64) -> Result<f64>,
    start: f64,
    step: f64,
    low: f64,
    high: f64,
) -> Result<(f64, f64, f64)> {
    let (mut b, mut fb) = (start, f(start)?);
    let (mut left, mut right) = (step, step);
    let (mut a, mut c) = ((b - left).max(low), (b + right).min(high));
    let (mut fa, mut fc) = (f(a)?, f(c)?);
    while (a > low && fa < fb) || (c < high && fc < fb) {
        if fa < fb && (fa <= fc || c >= high) {
            left *= 2.0;
            (c, fc, b, fb) = (b, fb, a, fa);
            a = (b - left).max(low);
            fa = f(a)?;
        } else {
            right *= 2.0;
            (a, fa, b, fb) = (b, fb, c, fc);
            c = (b + right).min(high);
            fc = f(c)?;
        }
    }
    // At a limit the end itself may be the lowest point.
    if fa < fb {
        return Ok((a, a, b));
    }
    Ok(if fc < fb { (b, c, c) } else { (a, b, c) })
}

/// Brent's minimisation of `f` between `a` and `c`, from `b`: parabolas where they help, golden sections elsewhere.
fn brent(f: &mut dyn FnMut(f64) -> Result<f64>, a: f64, b: f64, c: f64) -> Result<f64> {
    const GOLDEN: f64 = 0.381_966_011_250_105_1;
    let (mut low, mut high) = (a, c);
    let (mut x, mut w, mut v) = (b, b, b);
    let mut fx = f(x)?;
    let (mut fw, mut fv) = (fx, fx);
    let (mut step, mut before) = (0.0_f64, 0.0_f64);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if (x - middle).abs() + 0.5 * (high - low) <= 2.0 * TOLERANCE {
            break;
        }
        step = match parabola([(x, fx), (w, fw), (v, fv)], before, low, high) {
            Some(parabolic) => {
                before = step;
                parabolic
            }
            None => {
                before = if x >= middle { low - x } else { high - x };
                GOLDEN * before
            }
        };
        let u = x + if step.abs() >= TOLERANCE { step } else { TOLERANCE.copysign(step) };
        let fu = f(u)?;
        if fu <= fx {
            if u >= x {
                low = x
            } else {
                high = x
            }
            (v, fv, w, fw, x, fx) = (w, fw, x, fx, u, fu);
        } else {
            if u < x {
                low = u
            } else {
                high = u
            }
            if fu <= fw || w == x {
                (v, fv, w, fw) = (w, fw, u, fu);
            } else if fu <= fv || v == x || v == w {
                (v, fv) = (u, fu);
            }
        }
    }
    Ok(x)
}

/// The step to the lowest point of the parabola through three points, if it can be trusted.
fn parabola([(x, fx), (w, fw), (v, fv)]: [(f64, f64); 3], before: f64, low: f64, high: f64) -> Option<f64> {
    if before.abs() <= TOLERANCE {
        return None;
    }
    let r = (x - w) * (fx - fv);
    let q = (x - v) * (fx - fw);
    let denominator = 2.0 * (q - r);
    let step = -((x - v) * q - (x - w) * r) / denominator;
    let inside = x + step > low + TOLERANCE && x + step < high - TOLERANCE;
    (step.is_finite() && inside && step.abs() < 0.5 * before.abs()).then_some(step)
}

/// The λ whose fit has these degrees of freedom.
pub(super) fn degrees_of_freedom(
    data: &Data,
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
        return Err(Error::parameter("degrees of freedom", target, &requirement));
    }
    let mut passes = Passes { chain, compute, done: 0 };
    // Nearly linear in log λ, and falling.
    let odds = |df: f64| ((df - null).max(1e-300) / (most - df).max(1e-300)).ln();
    let wanted = odds(target);
    let mut f = |l: f64| -> Result<f64> { Ok(odds(passes.at(l)?.trace) - wanted) };
    let root = falling_root(&mut f, range(data, order))?;
    Ok(Chosen { lambda: root.exp(), passes: passes.done as usize, at_limit: false })
}

/// The root of a falling function: the range is widened until it holds the root, then the Illinois method.
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
        return Err(Error::Numerical("no λ has these degrees of freedom to working precision".into()));
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
