//! Rows of small gray images: a query and its matches.

use ndarray::Array2;
use plotters::prelude::DrawingBackend;

use super::axes::{TICK, TITLE, fitted};
use super::canvas::{Anchor, Canvas};
use super::colors;
use crate::failure::Failure;

/// Side of an image, and the room around it.
const SIDE: f64 = 76.0;
const GAP: f64 = 14.0;
/// Room for the line below an image.
const CAPTION: f64 = 18.0;
/// Room for the title and the heads of the columns, and for the legend.
const TOP: f64 = 62.0;
const BOTTOM: f64 = 34.0;

/// Images in rows.
#[derive(Clone)]
pub struct TilePlot {
    /// The headline.
    pub title: String,
    /// A name per column.
    pub heads: Vec<String>,
    /// The images.
    pub rows: Vec<Vec<Tile>>,
}

/// An image with its caption.
#[derive(Clone)]
pub struct Tile {
    /// The values, the first row at the top.
    pub values: Array2<f64>,
    /// What stands below.
    pub caption: String,
    /// Whether it is a right answer, where that is known: the color of its frame.
    pub right: Option<bool>,
}

/// Width and height of the paper.
pub fn size(plot: &TilePlot) -> (u32, u32) {
    let columns = plot.rows.iter().map(Vec::len).max().unwrap_or(0).max(4);
    let width = columns as f64 * (SIDE + GAP) + 2.0 * GAP;
    let height = TOP + plot.rows.len() as f64 * (SIDE + CAPTION + GAP) + BOTTOM;
    (width.ceil() as u32, height.ceil() as u32)
}

/// Draws the images.
pub fn draw<B: DrawingBackend>(plot: &TilePlot, canvas: &Canvas<'_, B>) -> Result<(), Failure> {
    let width = f64::from(size(plot).0);
    canvas.text((width / 2.0, 22.0), &fitted(&plot.title, TITLE, width - 16.0), TITLE, Anchor::Middle)?;
    let x = |column: usize| 1.5 * GAP + column as f64 * (SIDE + GAP);
    for (column, head) in plot.heads.iter().enumerate() {
        let head = fitted(head, TICK, SIDE + GAP);
        canvas.text((x(column) + SIDE / 2.0, TOP - 12.0), &head, TICK, Anchor::Middle)?;
    }
    for (row, tiles) in plot.rows.iter().enumerate() {
        let y = TOP + row as f64 * (SIDE + CAPTION + GAP);
        tiles.iter().enumerate().try_for_each(|(column, tile)| draw_tile(canvas, (x(column), y), tile))?;
    }
    let known = plot.rows.iter().flatten().any(|tile| tile.right.is_some());
    if known { draw_legend(plot, canvas) } else { Ok(()) }
}

fn draw_tile<B: DrawingBackend>(canvas: &Canvas<'_, B>, (x, y): (f64, f64), tile: &Tile) -> Result<(), Failure> {
    if let Some(right) = tile.right {
        let (frame, color) = frame_of(right);
        canvas.rectangle((x - frame, y - frame), (x + SIDE + frame, y + SIDE + frame), color)?;
        canvas.rectangle((x - 0.6, y - 0.6), (x + SIDE + 0.6, y + SIDE + 0.6), colors::WHITE)?;
    }
    // An image that is not square keeps its proportions.
    let (rows, columns) = (tile.values.nrows().max(1) as f64, tile.values.ncols().max(1) as f64);
    let (w, h) = (SIDE * (columns / rows).min(1.0), SIDE * (rows / columns).min(1.0));
    let from = (x + (SIDE - w) / 2.0, y + (SIDE - h) / 2.0);
    let (low, high) = super::heat::range(tile.values.iter().copied());
    let shades = tile.values.mapv(|v| colors::gray((v - low) / (high - low)));
    canvas.cells(from, (from.0 + w, from.1 + h), shades.view())?;
    let caption = fitted(&tile.caption, TICK, SIDE + GAP);
    canvas.text((x + SIDE / 2.0, y + SIDE + CAPTION - 6.0), &caption, TICK, Anchor::Middle)
}

/// The width and the color of a frame: a wrong answer has the wider one.
fn frame_of(right: bool) -> (f64, colors::Rgb) {
    if right { (2.2, colors::RIGHT) } else { (4.2, colors::WRONG) }
}

fn draw_legend<B: DrawingBackend>(plot: &TilePlot, canvas: &Canvas<'_, B>) -> Result<(), Failure> {
    let y = f64::from(size(plot).1) - BOTTOM / 2.0;
    let entry = |x: f64, right: bool, text: &str| {
        let (frame, color) = frame_of(right);
        canvas.rectangle((x - frame, y - 6.0 - frame), (x + 12.0 + frame, y + 6.0 + frame), color)?;
        canvas.rectangle((x, y - 6.0), (x + 12.0, y + 6.0), colors::WHITE)?;
        canvas.text((x + 24.0, y), text, TICK, Anchor::Start)
    };
    entry(2.0 * GAP, true, "same group")?;
    entry(2.0 * GAP + 130.0, false, "other group")
}
