//! Rectangles, lines and text in units of the drawing, on pixels or as SVG.

use std::cell::RefCell;
use std::sync::OnceLock;

use ndarray::ArrayView2;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::prelude::{DrawingBackend, FontTransform, IntoFont, RGBColor, ShapeStyle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, register_font as register};

use super::colors::{self, Rgb};
use super::png;
use crate::failure::Failure;
use crate::report::clean_line;

/// The typeface of pixels: DejaVu Sans, so that a PNG looks the same everywhere.
const FONT: &[u8] = include_bytes!("../../assets/DejaVuSans-subset.ttf");
const FAMILY: &str = "sans-serif";
/// What the drawing library calls the size of a font is this many times the size of an em.
const SIZE_PER_EM: f64 = 1.24;

/// On pixels, letters stand this part of their size above the place where they should be.
const PIXEL_DROP: f64 = 0.19;

/// Makes the typeface known, once.
pub fn register_font() -> Result<(), Failure> {
    static DONE: OnceLock<bool> = OnceLock::new();
    let done = DONE.get_or_init(|| register(FAMILY, FontStyle::Normal, FONT).is_ok());
    if *done { Ok(()) } else { Err(Failure::Drawing("the typeface is damaged".into())) }
}

/// An error of the drawing library.
pub fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::Drawing(error.to_string())
}

/// Where a text is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// At its first letter.
    Start,
    /// In the middle.
    Middle,
    /// At its last letter.
    End,
}

/// A sheet to draw on.
pub struct Canvas<'a, B: DrawingBackend> {
    area: &'a DrawingArea<B, Shift>,
    scale: f64,
    vector: bool,
    images: RefCell<String>,
}

impl<'a, B: DrawingBackend> Canvas<'a, B> {
    /// For SVG: so many steps to a unit.
    pub fn vector(area: &'a DrawingArea<B, Shift>, scale: f64) -> Self {
        Self { area, scale, vector: true, images: RefCell::default() }
    }

    /// For pixels: so many to a unit.
    pub fn pixels(area: &'a DrawingArea<B, Shift>, scale: f64) -> Self {
        Self { area, scale, vector: false, images: RefCell::default() }
    }

    /// The elements of SVG that the drawing library cannot write.
    pub fn into_images(self) -> String {
        self.images.into_inner()
    }

    /// White paper.
    pub fn background(&self) -> Result<(), Failure> {
        self.area.fill(&RGBColor(255, 255, 255)).map_err(failed)
    }

    fn at(&self, (x, y): (f64, f64)) -> (i32, i32) {
        ((x * self.scale).round() as i32, (y * self.scale).round() as i32)
    }

    fn stroke(&self, color: Rgb, width: f64) -> ShapeStyle {
        paint(color).stroke_width((width * self.scale).round().max(1.0) as u32)
    }

    /// A filled rectangle.
    pub fn rectangle(&self, from: (f64, f64), to: (f64, f64), color: Rgb) -> Result<(), Failure> {
        self.area.draw(&Rectangle::new([self.at(from), self.at(to)], paint(color).filled())).map_err(failed)
    }

    /// A line through points.
    pub fn line(&self, points: &[(f64, f64)], width: f64, color: Rgb) -> Result<(), Failure> {
        let points: Vec<(i32, i32)> = points.iter().map(|&p| self.at(p)).collect();
        self.area.draw(&PathElement::new(points, self.stroke(color, width))).map_err(failed)
    }

    /// A filled area.
    pub fn area(&self, corners: &[(f64, f64)], color: Rgb) -> Result<(), Failure> {
        let corners: Vec<(i32, i32)> = corners.iter().map(|&p| self.at(p)).collect();
        if corners.len() < 3 {
            return Ok(());
        }
        self.area.draw(&Polygon::new(corners, paint(color).filled())).map_err(failed)
    }

    /// A filled disc.
    pub fn dot(&self, center: (f64, f64), radius: f64, color: Rgb) -> Result<(), Failure> {
        let radius = (radius * self.scale).round().max(1.0) as i32;
        self.area.draw(&Circle::new(self.at(center), radius, paint(color).filled())).map_err(failed)
    }

    /// A mark of a class, of about the area of a disc of this radius.
    pub fn marker(&self, center: (f64, f64), radius: f64, color: Rgb, shape: Shape) -> Result<(), Failure> {
        let corners = shape.corners();
        if corners.is_empty() {
            return self.dot(center, radius, color);
        }
        let at = |&(x, y): &(f64, f64)| (center.0 + radius * x, center.1 + radius * y);
        self.area(&corners.iter().map(at).collect::<Vec<_>>(), color)
    }

    /// Text in one line, centered vertically at its place.
    pub fn text(&self, position: (f64, f64), text: &str, size: f64, anchor: Anchor) -> Result<(), Failure> {
        self.write(position, text, size, anchor, FontTransform::None)
    }

    /// Text that runs upwards, centered at its place.
    pub fn upwards(&self, position: (f64, f64), text: &str, size: f64) -> Result<(), Failure> {
        self.write(position, text, size, Anchor::Middle, FontTransform::Rotate270)
    }

    fn write(
        &self,
        position: (f64, f64),
        text: &str,
        size: f64,
        anchor: Anchor,
        turn: FontTransform,
    ) -> Result<(), Failure> {
        let horizontal = match anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        let upright = matches!(turn, FontTransform::None);
        let font = (FAMILY, size * SIZE_PER_EM * self.scale).into_font().transform(turn).color(&ink());
        let style = font.pos(Pos::new(horizontal, VPos::Center));
        let drop = if self.vector { 0.0 } else { size * PIXEL_DROP };
        let position = if upright { (position.0, position.1 + drop) } else { (position.0 + drop, position.1) };
        // Control characters have no shape, and no SVG may hold them.
        self.area.draw(&Text::new(clean_line(text).into_owned(), self.at(position), style)).map_err(failed)
    }

    /// A matrix of colors as cells, the first row at the top.
    pub fn cells(&self, from: (f64, f64), to: (f64, f64), cells: ArrayView2<'_, Rgb>) -> Result<(), Failure> {
        let (rows, columns) = cells.dim();
        if cells.is_empty() {
            return Ok(());
        }
        if self.vector {
            return self.image(from, to, cells);
        }
        let x = |j: usize| from.0 + (to.0 - from.0) * j as f64 / columns as f64;
        let y = |i: usize| from.1 + (to.1 - from.1) * i as f64 / rows as f64;
        for ((i, j), &color) in cells.indexed_iter() {
            self.rectangle((x(j), y(i)), (x(j + 1), y(i + 1)), color)?;
        }
        Ok(())
    }

    /// The cells as a small picture inside the SVG, one pixel per cell.
    fn image(&self, from: (f64, f64), to: (f64, f64), cells: ArrayView2<'_, Rgb>) -> Result<(), Failure> {
        let pixels: Vec<u8> = cells.iter().flatten().copied().collect();
        let bytes = png::encode(&pixels, (cells.ncols() as u32, cells.nrows() as u32))?;
        let ((left, top), (right, bottom)) = (self.at(from), self.at(to));
        self.images.borrow_mut().push_str(&format!(
            "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" \
             style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>\n",
            left,
            top,
            right - left,
            bottom - top,
            png::base64(&bytes)
        ));
        Ok(())
    }
}

/// How points of a class are marked: classes differ by their shapes where colors are not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Disc,
    Square,
    Triangle,
    Diamond,
    Cross,
    Plus,
}

impl Shape {
    /// The shape of class `i`.
    pub fn of(i: usize) -> Self {
        const ALL: [Shape; 6] =
            [Shape::Disc, Shape::Square, Shape::Triangle, Shape::Diamond, Shape::Cross, Shape::Plus];
        ALL[i % ALL.len()]
    }

    /// The corners for radius 1; a disc has none.
    fn corners(self) -> &'static [(f64, f64)] {
        /// Half the width of an arm, and its length.
        const ARM: f64 = 0.34;
        const END: f64 = 1.25;
        match self {
            Self::Disc => &[],
            Self::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            Self::Triangle => &[(0.0, -1.3), (1.25, 0.9), (-1.25, 0.9)],
            Self::Diamond => &[(0.0, -1.35), (1.15, 0.0), (0.0, 1.35), (-1.15, 0.0)],
            Self::Cross => &[
                (0.0, -0.5),
                (0.75, -1.25),
                (1.25, -0.75),
                (0.5, 0.0),
                (1.25, 0.75),
                (0.75, 1.25),
                (0.0, 0.5),
                (-0.75, 1.25),
                (-1.25, 0.75),
                (-0.5, 0.0),
                (-1.25, -0.75),
                (-0.75, -1.25),
            ],
            Self::Plus => &[
                (-ARM, -END),
                (ARM, -END),
                (ARM, -ARM),
                (END, -ARM),
                (END, ARM),
                (ARM, ARM),
                (ARM, END),
                (-ARM, END),
                (-ARM, ARM),
                (-END, ARM),
                (-END, -ARM),
                (-ARM, -ARM),
            ],
        }
    }
}

fn paint([r, g, b]: Rgb) -> ShapeStyle {
    RGBColor(r, g, b).into()
}

fn ink() -> RGBColor {
    let [r, g, b] = colors::INK;
    RGBColor(r, g, b)
}
