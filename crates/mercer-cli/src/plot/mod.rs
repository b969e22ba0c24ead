//! Pictures: heat maps and curves, as SVG and PNG from one description.

mod axes;
mod canvas;
mod colors;
mod curves;
mod heat;
mod png;
mod regions;
mod ticks;

use std::path::Path;

use plotters::backend::{BitMapBackend, SVGBackend};
use plotters::drawing::IntoDrawingArea;
use plotters::prelude::DrawingBackend;

use crate::failure::Failure;
use canvas::Canvas;

pub use curves::{Curve, CurvePlot, Mark};
pub use heat::{HeatLabels, HeatMap};
pub use regions::RegionPlot;

/// Steps of an SVG per unit of the drawing: the drawing library takes integers only.
const SVG_SCALE: u32 = 10;
/// Pixels of a PNG per unit of the drawing.
const PNG_SCALE: u32 = 2;
/// Each pixel of a PNG is the mean of this many squared.
const SAMPLES: u32 = 3;

/// A picture, before it is drawn.
pub enum Figure {
    /// A matrix by colors.
    Heat(HeatMap),
    /// Plots of curves, side by side.
    Curves(Vec<CurvePlot>),
    /// A plane divided among classes.
    Regions(RegionPlot),
}

impl Figure {
    /// Width and height in units.
    fn size(&self) -> (u32, u32) {
        match self {
            Self::Heat(map) => heat::size(map),
            Self::Curves(plots) if plots.len() > 1 => (320 * plots.len() as u32, 320),
            Self::Curves(_) => (720, 440),
            Self::Regions(_) => (720, 500),
        }
    }

    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>) -> Result<(), Failure> {
        let (width, height) = self.size();
        canvas.background()?;
        match self {
            Self::Heat(map) => heat::draw(map, canvas),
            Self::Regions(plot) => regions::draw(plot, canvas, (0.0, 0.0, f64::from(width), f64::from(height))),
            Self::Curves(plots) => {
                let each = f64::from(width) / plots.len().max(1) as f64;
                let position = |i: usize| (each * i as f64, 0.0, each, f64::from(height));
                plots.iter().enumerate().try_for_each(|(i, plot)| curves::draw(plot, canvas, position(i)))
            }
        }
    }
}

/// The picture as the bytes of an SVG or PNG file, by the ending of the name.
pub fn encode(figure: &Figure, path: &Path) -> Result<Vec<u8>, Failure> {
    let is_svg = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("svg"));
    if is_svg { svg(figure).map(String::into_bytes) } else { png(figure) }
}

/// The picture as SVG.
pub fn svg(figure: &Figure) -> Result<String, Failure> {
    canvas::register_font()?;
    let (width, height) = figure.size();
    let (wide, high) = (width * SVG_SCALE, height * SVG_SCALE);
    let mut text = String::new();
    let images = {
        let area = SVGBackend::with_string(&mut text, (wide, high)).into_drawing_area();
        let canvas = Canvas::vector(&area, f64::from(SVG_SCALE));
        figure.draw(&canvas)?;
        area.present().map_err(canvas::failed)?;
        canvas.into_images()
    };
    let end = text.rfind("</svg>").unwrap_or(text.len());
    text.insert_str(end, &images);
    let (fine, plain) =
        (format!("width=\"{wide}\" height=\"{high}\""), format!("width=\"{width}\" height=\"{height}\""));
    Ok(text.replacen(&fine, &plain, 1))
}

/// The picture as PNG.
pub fn png(figure: &Figure) -> Result<Vec<u8>, Failure> {
    canvas::register_font()?;
    let (width, height) = figure.size();
    let factor = PNG_SCALE * SAMPLES;
    let (wide, high) = (width * factor, height * factor);
    let mut pixels = vec![0_u8; wide as usize * high as usize * 3];
    {
        let area = BitMapBackend::with_buffer(&mut pixels, (wide, high)).into_drawing_area();
        figure.draw(&Canvas::pixels(&area, f64::from(factor)))?;
        area.present().map_err(canvas::failed)?;
    }
    let (width, height) = (width * PNG_SCALE, height * PNG_SCALE);
    png::encode(&png::average(&pixels, (wide, high), SAMPLES), (width, height))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures() -> [Figure; 2] {
        let cells = ndarray::Array2::from_shape_fn((5, 5), |(i, j)| (i as f64 - j as f64).abs());
        let curve = Curve { label: "f".into(), points: vec![(0.0, 0.0), (1.0, 2.0)], mark: Mark::Line };
        let plot = CurvePlot { title: "t".into(), x: "x".into(), y: "y".into(), curves: vec![curve] };
        let heat = HeatMap { title: "k".into(), cells, shape: (5, 5), bar: "k".into(), labels: None };
        [Figure::Heat(heat), Figure::Curves(vec![plot])]
    }

    #[test]
    fn both_formats_come_out_of_one_description() {
        for figure in figures() {
            let text = svg(&figure).unwrap();
            let (width, height) = figure.size();
            assert!(text.starts_with(&format!("<svg width=\"{width}\" height=\"{height}\"")));
            assert!(text.trim_end().ends_with("</svg>"));
            assert!(png(&figure).unwrap().starts_with(b"\x89PNG"));
        }
    }

    #[test]
    fn constant_and_empty_pictures_do_not_fail() {
        let flat = Curve { label: String::new(), points: vec![(1.0, 3.0), (1.0, 3.0)], mark: Mark::Dots };
        let none = Curve { label: String::new(), points: vec![], mark: Mark::Line };
        for curves in [vec![], vec![flat], vec![none]] {
            let plot = CurvePlot { title: String::new(), x: String::new(), y: String::new(), curves };
            png(&Figure::Curves(vec![plot])).unwrap();
        }
        for n in [0, 1] {
            let cells = ndarray::Array2::zeros((n, n));
            let map = HeatMap { title: String::new(), cells, shape: (n, n), bar: String::new(), labels: None };
            assert!(svg(&Figure::Heat(map)).unwrap().contains("</svg>"));
        }
    }
}
