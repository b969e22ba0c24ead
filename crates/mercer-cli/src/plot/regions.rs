//! Decision regions of classes, with the points on it.

use ndarray::{Array2, s};
use plotters::prelude::DrawingBackend;

use super::axes::{Axes, LABEL, TICK, TITLE, fitted, text_width};
use super::canvas::{Anchor, Canvas, Shape};
use super::colors::{self, Rgb};
use super::ticks;
use crate::failure::Failure;

/// The picture of decisions in a plane.
#[derive(Clone)]
pub struct RegionPlot {
    /// The headline.
    pub title: String,
    /// What runs to the right, and what upwards.
    pub axes: (String, String),
    /// The ranges of both.
    pub ranges: ((f64, f64), (f64, f64)),
    /// The class of each cell, the lowest row first, and whether it lies within the margin.
    pub cells: Array2<(usize, bool)>,
    /// The names of the classes.
    pub names: Vec<String>,
    /// Points with their classes, and whether they are support vectors.
    pub points: Vec<((f64, f64), usize, bool)>,
    /// The rows of the data, of which the points may be some.
    pub rows: usize,
}

/// Classes that the legend names.
const NAMED: usize = 12;

/// Draws the plot into the rectangle `(left, top, width, height)`.
pub fn draw<B: DrawingBackend>(
    plot: &RegionPlot,
    canvas: &Canvas<'_, B>,
    (left, top, width, height): (f64, f64, f64, f64),
) -> Result<(), Failure> {
    let lines = 22.0 * (legend(plot, width - 76.0).len() as f64 - 1.0).max(0.0);
    let (above, below) = (top + 44.0, top + height - 72.0 - lines);
    let (x, y) = plot.ranges;
    let y_ticks = ticks::round(y.0, y.1, ((below - above) / 50.0).max(3.0) as usize);
    let numbers = y_ticks.iter().map(|&tick| text_width(&ticks::label(tick), TICK)).fold(24.0, f64::max);
    let paper = (left + 34.0 + numbers, above, left + width - 18.0, below);
    let axes = Axes { paper, x, y };
    let (a, b, c, d) = paper;
    let cells = plot.cells.slice(s![..;-1, ..]).mapv(shade);
    canvas.cells((a, b), (c, d), cells.view())?;
    plot.points.iter().try_for_each(|point| draw_point(canvas, &axes, point))?;
    axes.draw_frame(canvas)?;
    let x_ticks = ticks::round(axes.x.0, axes.x.1, ((c - a) / 75.0).max(4.0) as usize);
    axes.draw_ticks(canvas, &x_ticks, &y_ticks)?;
    let middle = (a + c) / 2.0;
    canvas.text((left + width / 2.0, top + 24.0), &fitted(&plot.title, TITLE, width - 16.0), TITLE, Anchor::Middle)?;
    canvas.text((middle, d + 32.0), &fitted(&plot.axes.0, LABEL, c - a), LABEL, Anchor::Middle)?;
    canvas.upwards((left + 14.0, (b + d) / 2.0), &fitted(&plot.axes.1, LABEL, d - b), LABEL)?;
    draw_legend(plot, canvas, (a, d + 54.0, width - 76.0))
}

/// Pale, and paler within the margin.
fn shade((class, margin): (usize, bool)) -> Rgb {
    let pale = colors::region(colors::curve(class));
    if margin { pale.map(|c| (u16::from(c) / 2 + 127) as u8) } else { pale }
}

fn draw_point<B: DrawingBackend>(
    canvas: &Canvas<'_, B>,
    axes: &Axes,
    &(position, class, support): &((f64, f64), usize, bool),
) -> Result<(), Failure> {
    let at = axes.position(position);
    if support {
        draw_ring(canvas, at)?;
    }
    canvas.marker(at, 2.5, colors::curve(class), Shape::of(class))
}

fn draw_ring<B: DrawingBackend>(canvas: &Canvas<'_, B>, at: (f64, f64)) -> Result<(), Failure> {
    canvas.dot(at, 5.2, colors::INK)?;
    canvas.dot(at, 4.3, colors::WHITE)
}

/// The entries of the legend, line by line: a class, or none for the ring of support vectors.
fn legend(plot: &RegionPlot, width: f64) -> Vec<Vec<(Option<usize>, &str, f64)>> {
    let classes = plot.names.iter().take(NAMED).enumerate().map(|(i, name)| (Some(i), name.as_str()));
    let ring = plot.points.iter().any(|p| p.2).then_some((None, "support vector"));
    let (mut lines, mut used) = (vec![Vec::new()], 0.0);
    for (class, name) in classes.chain(ring) {
        let room = (text_width(name, TICK) + 34.0).min(width);
        if used + room > width && used > 0.0 {
            lines.push(Vec::new());
            used = 0.0;
        }
        if let Some(line) = lines.last_mut() {
            line.push((class, name, used));
        }
        used += room;
    }
    lines
}

fn draw_legend<B: DrawingBackend>(
    plot: &RegionPlot,
    canvas: &Canvas<'_, B>,
    (left, top, width): (f64, f64, f64),
) -> Result<(), Failure> {
    for (line, entries) in legend(plot, width).into_iter().enumerate() {
        let y = top + 22.0 * line as f64;
        for (class, name, start) in entries {
            let x = left + start;
            match class {
                Some(i) => canvas.marker((x + 6.0, y), 3.4, colors::curve(i), Shape::of(i))?,
                None => draw_ring(canvas, (x + 6.0, y))?,
            }
            canvas.text((x + 16.0, y), &fitted(name, TICK, width - 20.0), TICK, Anchor::Start)?;
        }
    }
    Ok(())
}
