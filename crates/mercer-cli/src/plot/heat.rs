//! A matrix by colors, with a color bar.

use ndarray::Array2;
use plotters::prelude::DrawingBackend;

use super::axes::{Axes, LABEL, TICK, TITLE, fitted, text_width};
use super::canvas::{Anchor, Canvas};
use super::{colors, ticks};
use crate::failure::Failure;

/// A matrix to be shown by colors.
#[derive(Clone)]
pub struct HeatMap {
    /// The headline.
    pub title: String,
    /// The values: the matrix itself, or means over its cells.
    pub cells: Array2<f64>,
    /// Rows and columns of the matrix.
    pub shape: (usize, usize),
    /// What the colors mean.
    pub bar: String,
    /// What rows and columns are; without it they are counted.
    pub labels: Option<Box<HeatLabels>>,
    /// Blocks of the rows, and of the columns, one after the other: their names and sizes.
    pub groups: Vec<(String, usize)>,
}

/// What the rows and columns of a map are.
#[derive(Clone)]
pub struct HeatLabels {
    /// What runs to the right.
    pub x: String,
    /// What runs downwards.
    pub y: String,
    /// A name per column.
    pub columns: Vec<String>,
    /// A name per row.
    pub rows: Vec<String>,
    /// A cell to mark, by row and column.
    pub marked: (usize, usize),
}

/// Room for the numbers of the color bar and its name.
const BAR: f64 = 128.0;
/// Letters of the name of a row or block.
const NAME: f64 = 96.0;
/// Blocks that are named.
const NAMED: usize = 12;

/// Room for the matrix itself.
const ROOM: f64 = 440.0;

/// Width and height of the paper.
pub fn size(map: &HeatMap) -> (u32, u32) {
    let (_, _, right, bottom) = matrix_axes(map).paper;
    ((right + BAR).ceil() as u32, (bottom + 52.0).ceil() as u32)
}

/// Draws the map.
pub fn draw<B: DrawingBackend>(map: &HeatMap, canvas: &Canvas<'_, B>) -> Result<(), Failure> {
    let (low, high) = range(map.cells.iter().copied());
    let axes = matrix_axes(map);
    let (left, top, right, bottom) = axes.paper;
    let unit = map.cells.mapv(|v| colors::heat((v - low) / (high - low)));
    canvas.cells((left, top), (right, bottom), unit.view())?;
    axes.draw_frame(canvas)?;
    match &map.labels {
        Some(labels) => draw_names(canvas, &axes, labels)?,
        None if map.groups.is_empty() => draw_counts(canvas, &axes, map.shape)?,
        None => draw_groups(canvas, &axes, &map.groups)?,
    }
    let middle = (left + right) / 2.0;
    // The title may reach over the color bar, whose name runs upwards beside it.
    let width = 2.0 * middle.min(right + BAR - middle) - 16.0;
    canvas.text((middle, 26.0), &fitted(&map.title, TITLE, width), TITLE, Anchor::Middle)?;
    let (x, y) = map.labels.as_ref().map_or(("column j", "row i"), |labels| (&labels.x, &labels.y));
    canvas.text((middle, bottom + 34.0), &fitted(x, LABEL, right - left), LABEL, Anchor::Middle)?;
    canvas.upwards((16.0, (top + bottom) / 2.0), &fitted(y, LABEL, bottom - top), LABEL)?;
    draw_bar(map, canvas, (right + 24.0, top, bottom), (low, high))
}

/// A frame with the proportions of the matrix whose cells are whole pixels where possible.
fn matrix_axes(map: &HeatMap) -> Axes {
    let (rows, columns) = (map.shape.0.max(1) as f64, map.shape.1.max(1) as f64);
    let ratio = (columns / rows).clamp(0.4, 2.5);
    let (w, h) = (ROOM * ratio.min(1.0), ROOM / ratio.max(1.0));
    let (w, h) = (whole_pixels(w, map.cells.ncols()), whole_pixels(h, map.cells.nrows()));
    let left = 40.0 + names_width(map);
    Axes { paper: (left, 50.0, left + w, 50.0 + h), x: (0.0, columns), y: (rows, 0.0) }
}

/// The width of the longest name left of the map.
fn names_width(map: &HeatMap) -> f64 {
    let longest = match &map.labels {
        Some(labels) => labels.rows.iter().map(|name| text_width(name, TICK)).fold(0.0, f64::max),
        None if map.groups.is_empty() => text_width(&map.shape.0.to_string(), TICK),
        None => map.groups.iter().take(NAMED).map(|(name, _)| text_width(name, TICK)).fold(0.0, f64::max),
    };
    longest.clamp(30.0, NAME)
}

/// The length, changed a little so that each of the cells takes an integer of pixels.
fn whole_pixels(length: f64, cells: usize) -> f64 {
    let scale = f64::from(super::PNG_SCALE);
    match (length * scale / cells.max(1) as f64).round() {
        each if each >= 1.0 && cells > 0 => each * cells as f64 / scale,
        _ => length,
    }
}

/// Row and column numbers at the middle of their cells; row 0 is at the top.
fn draw_counts<B: DrawingBackend>(
    canvas: &Canvas<'_, B>,
    axes: &Axes,
    (rows, columns): (usize, usize),
) -> Result<(), Failure> {
    let (left, top, right, bottom) = axes.paper;
    for tick in ticks::whole(columns, 5) {
        let x = left + (right - left) * (tick + 0.5) / columns.max(1) as f64;
        canvas.line(&[(x, bottom), (x, bottom + 4.0)], 0.75, colors::FRAME)?;
        canvas.text((x, bottom + 13.0), &ticks::label(tick), TICK, Anchor::Middle)?;
    }
    for tick in ticks::whole(rows, 5) {
        let y = top + (bottom - top) * (tick + 0.5) / rows.max(1) as f64;
        canvas.line(&[(left - 4.0, y), (left, y)], 0.75, colors::FRAME)?;
        canvas.text((left - 8.0, y), &ticks::label(tick), TICK, Anchor::End)?;
    }
    Ok(())
}

/// The names that there is room for, and a dot on the marked cell.
fn draw_names<B: DrawingBackend>(canvas: &Canvas<'_, B>, axes: &Axes, labels: &HeatLabels) -> Result<(), Failure> {
    let (left, top, right, bottom) = axes.paper;
    let (columns, rows) = (labels.columns.len(), labels.rows.len());
    let x = |j: usize| left + (right - left) * (j as f64 + 0.5) / columns.max(1) as f64;
    let y = |i: usize| top + (bottom - top) * (i as f64 + 0.5) / rows.max(1) as f64;
    for (j, name) in labels.columns.iter().enumerate().step_by(columns.div_ceil(7).max(1)) {
        canvas.line(&[(x(j), bottom), (x(j), bottom + 4.0)], 0.75, colors::FRAME)?;
        let room = (right - left) / columns.clamp(1, 7) as f64 - 4.0;
        canvas.text((x(j), bottom + 13.0), &fitted(name, TICK, room), TICK, Anchor::Middle)?;
    }
    for (i, name) in labels.rows.iter().enumerate().step_by(rows.div_ceil(14).max(1)) {
        canvas.line(&[(left - 4.0, y(i)), (left, y(i))], 0.75, colors::FRAME)?;
        canvas.text((left - 8.0, y(i)), &fitted(name, TICK, NAME), TICK, Anchor::End)?;
    }
    canvas.dot((x(labels.marked.1), y(labels.marked.0)), 5.0, [255, 255, 255])?;
    canvas.dot((x(labels.marked.1), y(labels.marked.0)), 3.5, colors::curve(1))
}

/// White lines between blocks, and the names of blocks that have room.
fn draw_groups<B: DrawingBackend>(
    canvas: &Canvas<'_, B>,
    axes: &Axes,
    groups: &[(String, usize)],
) -> Result<(), Failure> {
    let (left, top, right, bottom) = axes.paper;
    let all = groups.iter().map(|g| g.1).sum::<usize>().max(1) as f64;
    let mut start = 0.0;
    for (i, (name, size)) in groups.iter().enumerate() {
        let end = start + *size as f64;
        let x = |row: f64| left + (right - left) * row / all;
        let y = |row: f64| top + (bottom - top) * row / all;
        if i > 0 {
            canvas.line(&[(x(start), top), (x(start), bottom)], 1.0, colors::WHITE)?;
            canvas.line(&[(left, y(start)), (right, y(start))], 1.0, colors::WHITE)?;
        }
        let middle = (start + end) / 2.0;
        if y(end) - y(start) >= TICK && i < NAMED {
            canvas.text((left - 8.0, y(middle)), &fitted(name, TICK, NAME), TICK, Anchor::End)?;
            let room = x(end) - x(start) - 6.0;
            if room >= 3.0 * TICK {
                canvas.text((x(middle), bottom + 13.0), &fitted(name, TICK, room), TICK, Anchor::Middle)?;
            }
        }
        start = end;
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
    let shades = Array2::from_shape_fn((STEPS, 1), |(i, _)| colors::heat(1.0 - (i as f64 + 0.5) / STEPS as f64));
    canvas.cells((left, top), (left + 16.0, bottom), shades.view())?;
    axes.draw_frame(canvas)?;
    for tick in ticks::round(low, high, 5) {
        let (_, y) = axes.position((0.0, tick));
        canvas.line(&[(left + 16.0, y), (left + 20.0, y)], 0.75, colors::FRAME)?;
        canvas.text((left + 24.0, y), &ticks::label(tick), TICK, Anchor::Start)?;
    }
    let room = bottom - top;
    canvas.upwards((left + BAR - 24.0 - 16.0, top + room / 2.0), &fitted(&map.bar, LABEL, room), LABEL)
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
