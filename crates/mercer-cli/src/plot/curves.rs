//! Curves and dots over a line.

use plotters::prelude::DrawingBackend;

use super::axes::{Axes, LABEL, TICK, TITLE, fitted, text_width};
use super::canvas::{Anchor, Canvas, Shape};
use super::colors::{self, Rgb};
use super::heat::range;
use super::ticks;
use crate::failure::Failure;

/// Half of the width of a bar.
const BAR: f64 = 0.35;

/// Entries of a legend; of more curves the rest is not named.
const NAMED: usize = 12;

/// A plot of several curves.
#[derive(Clone)]
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
#[derive(Clone)]
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
    /// The same for some of this many points.
    DotsOf(usize),
    /// One dot each, in the color of the curve before.
    OwnDots,
    /// The corners of an area: there along its lower edge and back along the upper one.
    Band,
    /// A bar from 0, of the width of 0.7.
    Bars,
    /// Pairs of ends of segments, in the color of the curve before.
    Segments,
    /// A thin gray line to compare with.
    Reference,
    /// The label beside each point.
    Text,
}

impl Mark {
    /// Whether points are drawn one by one.
    pub fn is_dots(self) -> bool {
        matches!(self, Self::Dots | Self::DotsOf(_) | Self::OwnDots)
    }

    /// Whether the curve has a color of its own.
    fn is_colored(self) -> bool {
        !matches!(self, Self::Segments | Self::OwnDots | Self::Reference | Self::Text)
    }

    fn is_named(self) -> bool {
        self != Self::Text
    }
}

/// The color and the shape of every curve.
fn styles(plot: &CurvePlot) -> Vec<(Rgb, Shape)> {
    let (mut colored, mut clouds) = (0, 0);
    let style = |curve: &Curve| {
        colored += usize::from(curve.mark.is_colored());
        clouds += usize::from(curve.mark.is_dots());
        let color = match curve.mark {
            Mark::Reference | Mark::Text => colors::FRAME,
            _ => colors::curve(colored.max(1) - 1),
        };
        (color, Shape::of(clouds.max(1) - 1))
    };
    plot.curves.iter().map(style).collect()
}

/// The curves that the legend names.
fn named(plot: &CurvePlot) -> impl Iterator<Item = (usize, &Curve)> {
    plot.curves.iter().enumerate().filter(|(_, c)| !c.label.is_empty() && c.mark.is_named()).take(NAMED)
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
    let labeled = named(plot).count();
    let legend = if labeled > 0 { 22.0 * labeled.div_ceil(legend_columns(plot, width)) as f64 } else { 0.0 };
    let bars = plot.curves.iter().any(|c| c.mark == Mark::Bars);
    let y = padded(range(points(plot).map(|p| p.1).chain(bars.then_some(0.0))));
    let (above, below) = (top + 44.0, top + height - 50.0 - legend);
    let y_ticks = ticks::round(y.0, y.1, ((below - above) / 50.0).max(3.0) as usize);
    let numbers = y_ticks.iter().map(|&tick| text_width(&ticks::label(tick), TICK)).fold(24.0, f64::max);
    let axes = Axes { paper: (left + 34.0 + numbers, above, left + width - 18.0, below), x: horizontal(plot), y };
    let (a, b, c, d) = axes.paper;
    let mut x_ticks = ticks::round(axes.x.0, axes.x.1, ((c - a) / 75.0).max(4.0) as usize);
    if points(plot).all(|p| p.0.fract() == 0.0) {
        // Numbers of rows, bars or groups: there is nothing between them.
        x_ticks.retain(|tick| (tick - tick.round()).abs() < 1e-9);
    }
    axes.draw_grid(canvas, &x_ticks, &y_ticks)?;
    if axes.y.0 < 0.0 && axes.y.1 > 0.0 {
        canvas.line(&[axes.position((axes.x.0, 0.0)), axes.position((axes.x.1, 0.0))], 1.0, colors::ZERO)?;
    }
    let styles = styles(plot);
    plot.curves.iter().zip(&styles).try_for_each(|(curve, style)| draw_curve(canvas, &axes, *style, curve))?;
    axes.draw_frame(canvas)?;
    axes.draw_ticks(canvas, &x_ticks, &y_ticks)?;
    let middle = (a + c) / 2.0;
    let title = fitted(&plot.title, TITLE, width - 16.0);
    canvas.text((left + width / 2.0, top + 24.0), &title, TITLE, Anchor::Middle)?;
    canvas.text((middle, d + 32.0), &fitted(&plot.x, LABEL, c - a), LABEL, Anchor::Middle)?;
    canvas.upwards((left + 14.0, (b + d) / 2.0), &fitted(&plot.y, LABEL, d - b), LABEL)?;
    draw_legend(plot, canvas, &styles, (a, d + 54.0, c - a))
}

fn points(plot: &CurvePlot) -> impl Iterator<Item = (f64, f64)> {
    plot.curves.iter().flat_map(|c| c.points.iter().copied())
}

/// The range of x; dots get air at both ends, lines run from edge to edge.
fn horizontal(plot: &CurvePlot) -> (f64, f64) {
    let (low, high) = range(points(plot).map(|p| p.0));
    let has = |what: fn(Mark) -> bool| plot.curves.iter().any(|c| what(c.mark));
    let air = if has(Mark::is_dots) { 0.02 * (high - low) } else { 0.0 };
    let air = if has(|mark| mark == Mark::Bars) { 1.5 * BAR } else { air };
    let air = if has(|mark| mark == Mark::Text) { air.max(0.06 * (high - low)) } else { air };
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
    (color, shape): (Rgb, Shape),
    curve: &Curve,
) -> Result<(), Failure> {
    let finite = || curve.points.iter().filter(|p| p.0.is_finite() && p.1.is_finite());
    match curve.mark {
        // A value that is not finite breaks the line.
        Mark::Line | Mark::Reference => {
            let width = if curve.mark == Mark::Line { 1.7 } else { 1.0 };
            curve.points.split(|p| !p.1.is_finite()).filter(|piece| piece.len() > 1).try_for_each(|piece| {
                let piece: Vec<(f64, f64)> = piece.iter().map(|&p| axes.position(p)).collect();
                canvas.line(&piece, width, color)
            })
        }
        Mark::Dots | Mark::DotsOf(_) | Mark::OwnDots => {
            let radius = radius(curve.points.len());
            finite().try_for_each(|&p| canvas.marker(axes.position(p), radius, color, shape))
        }
        Mark::Bars => finite().try_for_each(|&(x, y)| {
            let (low, high) = (y.min(0.0), y.max(0.0));
            canvas.rectangle(axes.position((x - BAR, high)), axes.position((x + BAR, low)), color)
        }),
        Mark::Band => {
            let corners: Vec<(f64, f64)> = curve.points.iter().map(|&p| axes.position(p)).collect();
            canvas.area(&corners, colors::pale(color))
        }
        Mark::Segments => curve
            .points
            .chunks_exact(2)
            .try_for_each(|ends| canvas.line(&[axes.position(ends[0]), axes.position(ends[1])], 1.3, color)),
        Mark::Text => finite().try_for_each(|&p| {
            let (x, y) = axes.position(p);
            canvas.text((x + 7.0, y - 7.0), &curve.label, TICK, Anchor::Start)
        }),
    }
}

/// Many dots are small dots.
fn radius(count: usize) -> f64 {
    match count {
        0..=400 => 2.6,
        401..=1000 => 2.1,
        _ => 1.2,
    }
}

/// The width of the longest entry of the legend.
fn legend_width(plot: &CurvePlot) -> f64 {
    named(plot).map(|(_, c)| text_width(&c.label, TICK)).fold(0.0, f64::max) + 44.0
}

/// How many entries of the legend stand in one line.
fn legend_columns(plot: &CurvePlot, width: f64) -> usize {
    ((width - 76.0) / legend_width(plot)).floor().max(1.0) as usize
}

fn draw_legend<B: DrawingBackend>(
    plot: &CurvePlot,
    canvas: &Canvas<'_, B>,
    styles: &[(Rgb, Shape)],
    (left, top, width): (f64, f64, f64),
) -> Result<(), Failure> {
    let columns = legend_columns(plot, width + 76.0);
    let step = (legend_width(plot) + 16.0).min(width / columns as f64);
    for (position, (i, curve)) in named(plot).enumerate() {
        let x = left + step * (position % columns) as f64;
        let y = top + 22.0 * (position / columns) as f64;
        let (color, shape) = styles[i];
        match curve.mark {
            Mark::Line => canvas.line(&[(x, y), (x + 20.0, y)], 2.0, color)?,
            Mark::Reference | Mark::Segments => canvas.line(&[(x, y), (x + 20.0, y)], 1.0, color)?,
            Mark::Dots | Mark::DotsOf(_) | Mark::OwnDots => canvas.marker((x + 10.0, y), 3.4, color, shape)?,
            Mark::Bars => canvas.rectangle((x, y - 5.0), (x + 20.0, y + 5.0), color)?,
            Mark::Band => canvas.rectangle((x, y - 5.0), (x + 20.0, y + 5.0), colors::pale(color))?,
            Mark::Text => {}
        }
        canvas.text((x + 26.0, y), &fitted(&curve.label, TICK, width - 26.0), TICK, Anchor::Start)?;
    }
    Ok(())
}
