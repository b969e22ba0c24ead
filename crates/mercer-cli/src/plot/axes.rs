//! A frame with ticks and labels, and the map from data to paper.

use plotters::prelude::DrawingBackend;

use super::canvas::{Anchor, Canvas};
use super::{colors, ticks};
use crate::failure::Failure;

/// Sizes of letters.
pub const TITLE: f64 = 13.5;
pub const LABEL: f64 = 12.0;
pub const TICK: f64 = 10.5;

/// A rectangle on the paper that shows a rectangle of the plane.
#[derive(Clone, Copy, Debug)]
pub struct Axes {
    /// Left, top, right, bottom on the paper.
    pub paper: (f64, f64, f64, f64),
    /// The range of x.
    pub x: (f64, f64),
    /// The range of y, upwards.
    pub y: (f64, f64),
}

impl Axes {
    /// Where a point lies on the paper.
    pub fn position(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let (left, top, right, bottom) = self.paper;
        let across = (x - self.x.0) / (self.x.1 - self.x.0);
        let up = (y - self.y.0) / (self.y.1 - self.y.0);
        (left + (right - left) * across, bottom - (bottom - top) * up)
    }

    /// Grid lines, ticks and their numbers.
    pub fn draw_grid<B: DrawingBackend>(
        &self,
        canvas: &Canvas<'_, B>,
        x_ticks: &[f64],
        y_ticks: &[f64],
    ) -> Result<(), Failure> {
        let (left, top, right, bottom) = self.paper;
        for &tick in x_ticks {
            let (x, _) = self.position((tick, self.y.0));
            canvas.line(&[(x, top), (x, bottom)], 0.75, colors::GRID)?;
        }
        for &tick in y_ticks {
            let (_, y) = self.position((self.x.0, tick));
            canvas.line(&[(left, y), (right, y)], 0.75, colors::GRID)?;
        }
        Ok(())
    }

    /// Ticks outside the frame with their numbers.
    pub fn draw_ticks<B: DrawingBackend>(
        &self,
        canvas: &Canvas<'_, B>,
        x_ticks: &[f64],
        y_ticks: &[f64],
    ) -> Result<(), Failure> {
        let (left, _, _, bottom) = self.paper;
        for &tick in x_ticks {
            let (x, _) = self.position((tick, self.y.0));
            canvas.line(&[(x, bottom), (x, bottom + 4.0)], 0.75, colors::FRAME)?;
            canvas.text((x, bottom + 13.0), &ticks::label(tick), TICK, Anchor::Middle)?;
        }
        for &tick in y_ticks {
            let (_, y) = self.position((self.x.0, tick));
            canvas.line(&[(left - 4.0, y), (left, y)], 0.75, colors::FRAME)?;
            canvas.text((left - 8.0, y), &ticks::label(tick), TICK, Anchor::End)?;
        }
        Ok(())
    }

    /// The frame.
    pub fn draw_frame<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>) -> Result<(), Failure> {
        let (left, top, right, bottom) = self.paper;
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
        canvas.line(&corners, 0.75, colors::FRAME)
    }
}

/// About the width of a text.
pub fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.56
}

/// The text cut to about this many units, with an ellipsis.
pub fn fitted(text: &str, size: f64, room: f64) -> String {
    let letters = (room / (size * 0.56)).max(1.0) as usize;
    if text.chars().count() <= letters {
        return text.to_owned();
    }
    text.chars().take(letters.saturating_sub(1)).chain(['…']).collect()
}
