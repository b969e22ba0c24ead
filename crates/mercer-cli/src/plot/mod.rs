//! Pictures: heat maps and curves, as SVG and PNG from one description.

mod axes;
mod budget;
mod canvas;
mod colors;
mod curves;
mod heat;
mod png;
mod regions;
mod ticks;
mod tiles;

use std::path::Path;

use plotters::backend::{BitMapBackend, SVGBackend};
use plotters::drawing::IntoDrawingArea;
use plotters::prelude::DrawingBackend;

use crate::failure::Failure;
use budget::Sheet;
use canvas::Canvas;

pub use curves::{Curve, CurvePlot, Mark};
pub use heat::{HeatLabels, HeatMap};
pub use regions::RegionPlot;
pub use tiles::{Tile, TilePlot};

/// Steps of an SVG per unit of the drawing: the drawing library takes integers only.
const SVG_SCALE: u32 = 10;
/// Pixels of a PNG per unit of the drawing.
const PNG_SCALE: u32 = 2;
/// Each pixel of a PNG is the mean of this many squared.
const SAMPLES: u32 = 3;

/// Points that are drawn one by one in a picture of its own, and on all pictures of a page: some 100
/// bytes of SVG each.
const POINTS: usize = 12_000;
const PAGE_POINTS: usize = 7_000;
/// Room for the line below a picture that does not show everything.
const NOTE: u32 = 20;

/// A picture, before it is drawn.
#[derive(Clone)]
pub enum Figure {
    /// A matrix by colors.
    Heat(HeatMap),
    /// Plots of curves, side by side.
    Curves(Vec<CurvePlot>),
    /// A plane divided among classes.
    Regions(RegionPlot),
    /// Images in rows.
    Tiles(TilePlot),
}

impl Figure {
    /// Width and height in units.
    fn size(&self) -> (u32, u32) {
        match self {
            Self::Heat(map) => heat::size(map),
            Self::Curves(plots) if plots.len() == 2 => (800, 370),
            Self::Curves(plots) if plots.len() > 2 => (320 * plots.len() as u32, 330),
            Self::Curves(_) => (720, 440),
            Self::Regions(_) => (720, 500),
            Self::Tiles(plot) => tiles::size(plot),
        }
    }

    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>) -> Result<(), Failure> {
        let (width, height) = self.size();
        match self {
            Self::Heat(map) => heat::draw(map, canvas),
            Self::Tiles(plot) => tiles::draw(plot, canvas),
            Self::Regions(plot) => regions::draw(plot, canvas, (0.0, 0.0, f64::from(width), f64::from(height))),
            Self::Curves(plots) => {
                let each = f64::from(width) / plots.len().max(1) as f64;
                let position = |i: usize| (each * i as f64, 0.0, each, f64::from(height));
                plots.iter().enumerate().try_for_each(|(i, plot)| curves::draw(plot, canvas, position(i)))
            }
        }
    }
}

impl Sheet {
    fn size(&self) -> (u32, u32) {
        let (width, height) = self.figure.size();
        (width, height + if self.note.is_empty() { 0 } else { NOTE })
    }

    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>) -> Result<(), Failure> {
        canvas.background()?;
        self.figure.draw(canvas)?;
        let (width, height) = self.size();
        let position = (f64::from(width) - 18.0, f64::from(height) - 12.0);
        canvas.text(position, &self.note, axes::TICK, canvas::Anchor::End)
    }
}

/// The picture as the bytes of an SVG or PNG file, by the ending of the name.
pub fn encode(figure: &Figure, path: &Path) -> Result<Vec<u8>, Failure> {
    let is_svg = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("svg"));
    let sheets = budget::sheets(std::slice::from_ref(figure), POINTS);
    let Some(sheet) = sheets.first() else { return Ok(Vec::new()) };
    if is_svg { svg(sheet).map(String::into_bytes) } else { png(sheet) }
}

/// The pictures of a page as SVG, in as many bytes: those that do not fit are left out.
pub fn page(figures: &[Figure], mut bytes: usize) -> Result<Vec<String>, Failure> {
    let mut pictures = Vec::new();
    for sheet in budget::sheets(figures, PAGE_POINTS) {
        let picture = svg(&sheet)?;
        if picture.len() > bytes {
            break;
        }
        bytes -= picture.len();
        pictures.push(picture);
    }
    Ok(pictures)
}

/// The picture as SVG.
fn svg(sheet: &Sheet) -> Result<String, Failure> {
    canvas::register_font()?;
    let (width, height) = sheet.size();
    let (wide, high) = (width * SVG_SCALE, height * SVG_SCALE);
    let mut text = String::new();
    let images = {
        let area = SVGBackend::with_string(&mut text, (wide, high)).into_drawing_area();
        let canvas = Canvas::vector(&area, f64::from(SVG_SCALE));
        sheet.draw(&canvas)?;
        area.present().map_err(canvas::failed)?;
        canvas.into_images()
    };
    // On the paper, which is the first rectangle, and below everything else.
    let paper = text.find("<rect").and_then(|start| Some(start + text[start..].find("/>")? + 2));
    text.insert_str(paper.unwrap_or(text.len()), &images);
    let (fine, plain) =
        (format!("width=\"{wide}\" height=\"{high}\""), format!("width=\"{width}\" height=\"{height}\""));
    Ok(text.replacen(&fine, &plain, 1))
}

/// The picture as PNG.
fn png(sheet: &Sheet) -> Result<Vec<u8>, Failure> {
    canvas::register_font()?;
    let (width, height) = sheet.size();
    let factor = PNG_SCALE * SAMPLES;
    let (wide, high) = (width * factor, height * factor);
    let mut pixels = vec![0_u8; wide as usize * high as usize * 3];
    {
        let area = BitMapBackend::with_buffer(&mut pixels, (wide, high)).into_drawing_area();
        sheet.draw(&Canvas::pixels(&area, f64::from(factor)))?;
        area.present().map_err(canvas::failed)?;
    }
    let (width, height) = (width * PNG_SCALE, height * PNG_SCALE);
    png::encode(&png::average(&pixels, (wide, high), SAMPLES), (width, height))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heat(n: usize) -> Figure {
        let cells = ndarray::Array2::from_shape_fn((n, n), |(i, j)| (i as f64 - j as f64).abs());
        let labels = HeatLabels {
            x: "x".into(),
            y: "y".into(),
            columns: vec!["c".into(); n],
            rows: vec!["r".into(); n],
            marked: (0, 0),
        };
        let labels = (n > 1).then(|| Box::new(labels));
        Figure::Heat(HeatMap { title: "k".into(), cells, shape: (n, n), bar: "k".into(), labels, groups: Vec::new() })
    }

    fn curves(curves: Vec<Curve>) -> Figure {
        Figure::Curves(vec![CurvePlot { title: "t".into(), x: "x".into(), y: "y".into(), curves }])
    }

    fn regions(n: usize) -> Figure {
        let cells = ndarray::Array2::from_shape_fn((140, 220), |(i, j)| ((i + j) % 3, false));
        let points = (0..n).map(|i| ((i as f64 / n as f64, 0.5), i % 3, i % 5 == 0)).collect();
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let (title, axes, ranges) = ("t".into(), ("x".into(), "y".into()), ((0.0, 1.0), (0.0, 1.0)));
        Figure::Regions(RegionPlot { title, axes, ranges, cells, names, points, rows: n })
    }

    fn tiles() -> Figure {
        let values = ndarray::Array2::from_shape_fn((8, 8), |(i, j)| (i * j) as f64);
        let tile = |right| Tile { values: values.clone(), caption: "one".into(), right };
        let rows = vec![vec![tile(None), tile(Some(true)), tile(Some(false))]];
        Figure::Tiles(TilePlot { title: "t".into(), heads: vec!["query".into()], rows })
    }

    fn line(n: usize, mark: Mark) -> Curve {
        Curve { label: "f".into(), points: (0..n).map(|i| (i as f64, (i % 7) as f64)).collect(), mark }
    }

    #[test]
    fn both_formats_come_out_of_one_description() {
        for figure in [heat(5), curves(vec![line(2, Mark::Line)]), regions(9), tiles()] {
            let text = String::from_utf8(encode(&figure, "p.svg".as_ref()).unwrap()).unwrap();
            let (width, height) = figure.size();
            assert!(text.starts_with(&format!("<svg width=\"{width}\" height=\"{height}\"")));
            assert!(text.trim_end().ends_with("</svg>"));
            assert!(encode(&figure, "p.png".as_ref()).unwrap().starts_with(b"\x89PNG"));
        }
    }

    #[test]
    fn images_lie_below_the_marks() {
        for figure in [heat(5), regions(9)] {
            let text = String::from_utf8(encode(&figure, "p.svg".as_ref()).unwrap()).unwrap();
            let (image, mark) = (text.find("<image").unwrap(), text.find("<circle").unwrap());
            assert!(text.find("<rect").unwrap() < image && image < mark);
        }
    }

    #[test]
    fn every_class_has_a_shape_of_its_own() {
        let clouds = curves((0..3).map(|_| line(5, Mark::Dots)).collect());
        let text = String::from_utf8(encode(&clouds, "p.svg".as_ref()).unwrap()).unwrap();
        let polygons: Vec<&str> = text.split("<polygon").skip(1).collect();
        let corners =
            |text: &str| text.split("points=\"").nth(1).unwrap().split('"').next().unwrap().split(',').count();
        assert_eq!(text.matches("<circle").count(), 6, "five discs and the legend");
        assert_eq!(polygons.iter().filter(|p| corners(p) == 5).count(), 6, "squares: {text}");
        assert_eq!(polygons.iter().filter(|p| corners(p) == 4).count(), 6, "triangles");
    }

    /// The worst of every kind: a checkered plane, clouds, many curves, all on one page.
    #[test]
    fn pages_are_small_whatever_is_drawn() {
        let clouds = || curves((0..40).map(|_| line(20_000, Mark::Dots)).collect());
        let figures = [clouds(), regions(100_000), heat(240), curves(vec![line(100_000, Mark::Line)]), clouds()];
        let pictures = page(&figures, 1_500_000).unwrap();
        assert_eq!(pictures.len(), 5);
        assert!(pictures.iter().map(String::len).sum::<usize>() < 1_500_000);
        assert!(pictures[0].contains("of 480 000 points") && pictures[0].contains("the first 24 of 40 curves"));
        assert!(pictures[1].contains("of 100 000 points"));
        assert_eq!(page(&figures, 100_000).unwrap().len(), 0);
    }

    #[test]
    fn constant_and_empty_pictures_do_not_fail() {
        let flat = Curve { label: String::new(), points: vec![(1.0, 3.0), (1.0, 3.0)], mark: Mark::Dots };
        let none = Curve { label: String::new(), points: vec![], mark: Mark::Line };
        for all in [vec![], vec![flat], vec![none]] {
            encode(&curves(all), "p.png".as_ref()).unwrap();
        }
        for n in [0, 1] {
            assert!(svg(&Sheet { figure: heat(n), note: String::new() }).unwrap().contains("</svg>"));
        }
    }
}
