//! Curves and dots over a line.

use plotters::prelude::DrawingBackend;

use super::axes::{Axes, LABEL, TICK, TITLE, fitted};
use super::canvas::{Anchor, Canvas};
use super::heat::range;
use super::{colors, ticks};
use crate::failure::Failure;

/// Half of the width of a bar.
const BAR: f64 = 0.35;

/// A plot of several curves.
pub struct CurvePlot {
    /// The headline.
    pub title: String,
    /// What runs to the right.
    pub x: String,
    /// What runs upwards.
    pub y: String,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// One curve.
pub struct Curve {
    /// Its name in the legend; no name, no entry.
    pub label: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// How they are drawn.
    pub mark: Mark,
}

/// How points are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Joined by a line.
    Line,
    /// One dot each.
    Dots,
    /// The corners of an area: there along its lower edge and back along the upper one.
    Band,
    /// A bar from 0, of the width of 0.7.
    Bars,
}

impl Curve {
    /// The area between two curves over the same places, places without finite ends left out.
    pub fn band(label: impl Into<String>, ends: impl IntoIterator<Item = (f64, f64, f64)>) -> Self {
        let finite = |e: &(f64, f64, f64)| e.1.is_finite() && e.2.is_finite();
        let ends: Vec<(f64, f64, f64)> = ends.into_iter().filter(finite).collect();
        let (there, back) = (ends.iter().map(|e| (e.0, e.1)), ends.iter().rev().map(|e| (e.0, e.2)));
        Self { label: label.into(), points: there.chain(back).collect(), mark: Mark::Band }
    }
}

/// Draws the plot into the rectangle `(left, top, width, height)`.
pub fn draw<B: DrawingBackend>(
    plot: &CurvePlot,
    canvas: &Canvas<'_, B>,
    (left, top, width, height): (f64, f64, f64, f64),
) -> Result<(), Failure> {
    let labeled = plot.curves.iter().filter(|c| !c.label.is_empty()).count();
    let legend = if labeled > 0 { 22.0 * labeled.div_ceil(legend_columns(plot, width)) as f64 } else { 0.0 };
    let bars = plot.curves.iter().any(|c| c.mark == Mark::Bars);
    let axes = Axes {
        paper: (left + 58.0, top + 44.0, left + width - 18.0, top + height - 50.0 - legend),
        x: horizontal(plot),
        y: padded(range(points(plot).map(|p| p.1).chain(bars.then_some(0.0)))),
    };
    let (a, b, c, d) = axes.paper;
    let x_ticks = ticks::round(axes.x.0, axes.x.1, ((c - a) / 80.0) as usize);
    let y_ticks = ticks::round(axes.y.0, axes.y.1, ((d - b) / 50.0) as usize);
    axes.draw_grid(canvas, &x_ticks, &y_ticks)?;
    if axes.y.0 < 0.0 && axes.y.1 > 0.0 {
        canvas.line(&[axes.position((axes.x.0, 0.0)), axes.position((axes.x.1, 0.0))], 1.0, colors::ZERO)?;
    }
    plot.curves.iter().enumerate().try_for_each(|(i, curve)| draw_curve(canvas, &axes, i, curve))?;
    axes.draw_frame(canvas)?;
    axes.draw_ticks(canvas, &x_ticks, &y_ticks)?;
    let middle = (a + c) / 2.0;
    canvas.text((middle, top + 24.0), &fitted(&plot.title, TITLE, width - 16.0), TITLE, Anchor::Middle)?;
    canvas.text((middle, d + 32.0), &plot.x, LABEL, Anchor::Middle)?;
    canvas.upwards((a - 44.0, (b + d) / 2.0), &plot.y, LABEL)?;
    draw_legend(plot, canvas, (a, d + 54.0, c - a))
}

fn points(plot: &CurvePlot) -> impl Iterator<Item = (f64, f64)> {
    plot.curves.iter().flat_map(|c| c.points.iter().copied())
}

/// The range of x; dots get air at both ends, lines run from edge to edge.
fn horizontal(plot: &CurvePlot) -> (f64, f64) {
    let (low, high) = range(points(plot).map(|p| p.0));
    let has = |mark: Mark| plot.curves.iter().any(|c| c.mark == mark);
    let air = if has(Mark::Dots) { 0.02 * (high - low) } else { 0.0 };
    let air = if has(Mark::Bars) { 1.5 * BAR } else { air };
    (low - air, high + air)
}

/// A little air above and below.
fn padded((low, high): (f64, f64)) -> (f64, f64) {
    let air = 0.06 * (high - low);
    (low - air, high + air)
}

fn draw_curve<B: DrawingBackend>(
    canvas: &Canvas<'_, B>,
    axes: &Axes,
    index: usize,
    curve: &Curve,
) -> Result<(), Failure> {
    let color = colors::curve(index);
    match curve.mark {
        // A value that is not finite breaks the line.
        Mark::Line => curve.points.split(|p| !p.1.is_finite()).filter(|piece| piece.len() > 1).try_for_each(|piece| {
            let piece: Vec<(f64, f64)> = piece.iter().map(|&p| axes.position(p)).collect();
            canvas.line(&piece, 1.7, color)
        }),
        Mark::Dots => {
            let finite = curve.points.iter().filter(|p| p.1.is_finite());
            finite.into_iter().try_for_each(|&p| canvas.dot(axes.position(p), radius(curve.points.len()), color))
        }
        Mark::Bars => curve.points.iter().filter(|p| p.1.is_finite()).try_for_each(|&(x, y)| {
            let (low, high) = (y.min(0.0), y.max(0.0));
            canvas.rectangle(axes.position((x - BAR, high)), axes.position((x + BAR, low)), color)
        }),
        Mark::Band => {
            let corners: Vec<(f64, f64)> = curve.points.iter().map(|&p| axes.position(p)).collect();
            canvas.area(&corners, colors::pale(color))
        }
    }
}

/// Many dots are small dots.
fn radius(count: usize) -> f64 {
    if count > 1000 { 1.1 } else { 2.4 }
}

/// The width of the longest entry of the legend.
fn legend_width(plot: &CurvePlot) -> f64 {
    let longest = plot.curves.iter().map(|c| c.label.chars().count()).max().unwrap_or(0);
    longest as f64 * TICK * 0.58 + 44.0
}

/// How many entries of the legend stand in one line.
fn legend_columns(plot: &CurvePlot, width: f64) -> usize {
    ((width - 76.0) / legend_width(plot)).floor().max(1.0) as usize
}

fn draw_legend<B: DrawingBackend>(
    plot: &CurvePlot,
    canvas: &Canvas<'_, B>,
    (left, top, width): (f64, f64, f64),
) -> Result<(), Failure> {
    let columns = legend_columns(plot, width + 76.0);
    let labeled = plot.curves.iter().enumerate().filter(|(_, c)| !c.label.is_empty());
    let step = (legend_width(plot) + 16.0).min(width / columns as f64);
    for (position, (i, curve)) in labeled.enumerate() {
        let x = left + step * (position % columns) as f64;
        let y = top + 22.0 * (position / columns) as f64;
        match curve.mark {
            Mark::Line => canvas.line(&[(x, y), (x + 20.0, y)], 2.0, colors::curve(i))?,
            Mark::Dots => canvas.dot((x + 10.0, y), 2.8, colors::curve(i))?,
            Mark::Bars => canvas.rectangle((x, y - 5.0), (x + 20.0, y + 5.0), colors::curve(i))?,
            Mark::Band => canvas.rectangle((x, y - 5.0), (x + 20.0, y + 5.0), colors::pale(colors::curve(i)))?,
        }
        canvas.text((x + 26.0, y), &fitted(&curve.label, TICK, width - 26.0), TICK, Anchor::Start)?;
    }
    Ok(())
}
