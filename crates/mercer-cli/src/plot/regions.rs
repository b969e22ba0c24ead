//! Decision regions of classes, with the points on it.

use ndarray::Array2;
use plotters::prelude::DrawingBackend;

use super::axes::{Axes, LABEL, TICK, TITLE, fitted};
use super::canvas::{Anchor, Canvas};
use super::colors::{self, Rgb};
use super::ticks;
use crate::failure::Failure;

/// The picture of decisions in a plane.
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
}

/// Draws the plot into the rectangle `(left, top, width, height)`.
pub fn draw<B: DrawingBackend>(
    plot: &RegionPlot,
    canvas: &Canvas<'_, B>,
    (left, top, width, height): (f64, f64, f64, f64),
) -> Result<(), Failure> {
    let paper = (left + 58.0, top + 44.0, left + width - 18.0, top + height - 72.0);
    let axes = Axes { paper, x: plot.ranges.0, y: plot.ranges.1 };
    let (a, b, c, d) = paper;
    draw_cells(plot, canvas, &axes)?;
    plot.points.iter().try_for_each(|point| draw_point(canvas, &axes, point))?;
    axes.draw_frame(canvas)?;
    let x_ticks = ticks::round(axes.x.0, axes.x.1, ((c - a) / 80.0) as usize);
    let y_ticks = ticks::round(axes.y.0, axes.y.1, ((d - b) / 50.0) as usize);
    axes.draw_ticks(canvas, &x_ticks, &y_ticks)?;
    let middle = (a + c) / 2.0;
    canvas.text((middle, top + 24.0), &fitted(&plot.title, TITLE, width - 16.0), TITLE, Anchor::Middle)?;
    canvas.text((middle, d + 32.0), &plot.axes.0, LABEL, Anchor::Middle)?;
    canvas.upwards((a - 44.0, (b + d) / 2.0), &plot.axes.1, LABEL)?;
    draw_legend(plot, canvas, (a, d + 54.0, c - a))
}

/// Neighbors of one color are one rectangle.
fn draw_cells<B: DrawingBackend>(plot: &RegionPlot, canvas: &Canvas<'_, B>, axes: &Axes) -> Result<(), Failure> {
    let (rows, columns) = plot.cells.dim();
    let (left, top, right, bottom) = axes.paper;
    let x = |j: usize| left + (right - left) * j as f64 / columns.max(1) as f64;
    let y = |i: usize| bottom - (bottom - top) * i as f64 / rows.max(1) as f64;
    for (i, row) in plot.cells.rows().into_iter().enumerate() {
        let mut start = 0;
        for piece in row.to_vec().chunk_by(|a, b| a == b) {
            let end = start + piece.len();
            canvas.rectangle((x(start), y(i + 1)), (x(end), y(i)), shade(piece[0]))?;
            start = end;
        }
    }
    Ok(())
}

/// Pale, and paler within the margin.
fn shade((class, margin): (usize, bool)) -> Rgb {
    let pale = colors::pale(colors::curve(class));
    if margin { pale.map(|c| (u16::from(c) / 2 + 127) as u8) } else { pale }
}

fn draw_point<B: DrawingBackend>(
    canvas: &Canvas<'_, B>,
    axes: &Axes,
    &(position, class, support): &((f64, f64), usize, bool),
) -> Result<(), Failure> {
    let at = axes.position(position);
    if support {
        canvas.dot(at, 4.6, colors::INK)?;
        canvas.dot(at, 3.7, [255, 255, 255])?;
    }
    canvas.dot(at, 2.5, colors::curve(class))
}

fn draw_legend<B: DrawingBackend>(
    plot: &RegionPlot,
    canvas: &Canvas<'_, B>,
    (left, y, width): (f64, f64, f64),
) -> Result<(), Failure> {
    let rings = plot.points.iter().any(|p| p.2);
    let entries = plot.names.len() + usize::from(rings);
    let step = (width / entries.max(1) as f64).min(150.0);
    for (i, name) in plot.names.iter().enumerate() {
        let x = left + step * i as f64;
        canvas.dot((x + 6.0, y), 3.2, colors::curve(i))?;
        canvas.text((x + 16.0, y), &fitted(name, TICK, step - 20.0), TICK, Anchor::Start)?;
    }
    if rings {
        let x = left + step * plot.names.len() as f64;
        canvas.dot((x + 6.0, y), 4.6, colors::INK)?;
        canvas.dot((x + 6.0, y), 3.7, [255, 255, 255])?;
        canvas.text((x + 16.0, y), &fitted("support vector", TICK, step - 16.0), TICK, Anchor::Start)?;
    }
    Ok(())
}
