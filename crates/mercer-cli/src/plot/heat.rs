//! A matrix by colours, with a colour bar.

use ndarray::Array2;
use plotters::prelude::DrawingBackend;

use super::axes::{Axes, LABEL, TICK, TITLE, fitted};
use super::canvas::{Anchor, Canvas};
use super::{colours, ticks};
use crate::failure::Failure;

/// A matrix to be shown by colours.
pub struct HeatMap {
    /// The headline.
    pub title: String,
    /// The values: the matrix itself, or means over its cells.
    pub cells: Array2<f64>,
    /// Rows and columns of the matrix.
    pub shape: (usize, usize),
    /// What the colours mean.
    pub bar: String,
}

/// Draws the map on paper of this size.
pub fn draw<B: DrawingBackend>(
    map: &HeatMap,
    canvas: &Canvas<'_, B>,
    (width, height): (f64, f64),
) -> Result<(), Failure> {
    let (low, high) = range(map.cells.iter().copied());
    let axes = matrix_axes(map.shape, (width, height));
    let (left, top, right, bottom) = axes.paper;
    let unit = map.cells.mapv(|v| (v - low) / (high - low));
    canvas.cells((left, top), (right, bottom), unit.view())?;
    axes.draw_frame(canvas)?;
    let (columns, rows) = (ticks::whole(map.shape.1, 5), ticks::whole(map.shape.0, 5));
    draw_counts(canvas, &axes, map.shape, &columns, &rows)?;
    canvas.text(((left + right) / 2.0, 26.0), &fitted(&map.title, TITLE, width - 40.0), TITLE, Anchor::Middle)?;
    canvas.text(((left + right) / 2.0, bottom + 34.0), "column j", LABEL, Anchor::Middle)?;
    canvas.upwards((left - 46.0, (top + bottom) / 2.0), "row i", LABEL)?;
    draw_bar(map, canvas, (right + 24.0, top, bottom), (low, high))
}

/// A frame with the proportions of the matrix, as large as the paper allows.
fn matrix_axes((rows, columns): (usize, usize), (width, height): (f64, f64)) -> Axes {
    let (left, top, room_x, room_y) = (70.0, 50.0, width - 70.0 - 105.0, height - 50.0 - 55.0);
    let ratio = (columns.max(1) as f64 / rows.max(1) as f64).clamp(0.4, 2.5);
    let (w, h) = if room_x / room_y > ratio { (room_y * ratio, room_y) } else { (room_x, room_x / ratio) };
    Axes { paper: (left, top, left + w, top + h), x: (0.0, columns.max(1) as f64), y: (rows.max(1) as f64, 0.0) }
}

/// Row and column numbers at the middle of their cells; row 0 is at the top.
fn draw_counts<B: DrawingBackend>(
    canvas: &Canvas<'_, B>,
    axes: &Axes,
    (rows, columns): (usize, usize),
    column_ticks: &[f64],
    row_ticks: &[f64],
) -> Result<(), Failure> {
    let (left, top, right, bottom) = axes.paper;
    for &tick in column_ticks {
        let x = left + (right - left) * (tick + 0.5) / columns.max(1) as f64;
        canvas.line(&[(x, bottom), (x, bottom + 4.0)], 0.75, colours::FRAME)?;
        canvas.text((x, bottom + 13.0), &ticks::label(tick), TICK, Anchor::Middle)?;
    }
    for &tick in row_ticks {
        let y = top + (bottom - top) * (tick + 0.5) / rows.max(1) as f64;
        canvas.line(&[(left - 4.0, y), (left, y)], 0.75, colours::FRAME)?;
        canvas.text((left - 8.0, y), &ticks::label(tick), TICK, Anchor::End)?;
    }
    Ok(())
}

fn draw_bar<B: DrawingBackend>(
    map: &HeatMap,
    canvas: &Canvas<'_, B>,
    (left, top, bottom): (f64, f64, f64),
    (low, high): (f64, f64),
) -> Result<(), Failure> {
    const STEPS: usize = 128;
    let axes = Axes { paper: (left, top, left + 16.0, bottom), x: (0.0, 1.0), y: (low, high) };
    let shades = Array2::from_shape_fn((STEPS, 1), |(i, _)| 1.0 - (i as f64 + 0.5) / STEPS as f64);
    canvas.cells((left, top), (left + 16.0, bottom), shades.view())?;
    axes.draw_frame(canvas)?;
    for tick in ticks::round(low, high, 5) {
        let (_, y) = axes.place((0.0, tick));
        canvas.line(&[(left + 16.0, y), (left + 20.0, y)], 0.75, colours::FRAME)?;
        canvas.text((left + 24.0, y), &ticks::label(tick), TICK, Anchor::Start)?;
    }
    canvas.text((left + 8.0, top - 14.0), &map.bar, LABEL, Anchor::Middle)
}

/// The range of the finite values, widened if it is a single point.
pub fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|v| v.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    match (low, high) {
        (low, high) if low < high => (low, high),
        (low, _) if low.is_finite() => (low - 0.5_f64.max(low.abs() * 0.1), low + 0.5_f64.max(low.abs() * 0.1)),
        _ => (0.0, 1.0),
    }
}
