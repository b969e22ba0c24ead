//! Pictures of classes: decision regions in the plane of two columns or two principal components,
//! and ROC curves.

use std::collections::HashSet;

use mercer::learn::svm::{OneClassFit, SvcFit};
use mercer::model::Model;
use mercer::view::PrincipalAxes;
use mercer::{Compute, Result};
use ndarray::{Array1, Array2, ArrayView2};

use super::summary::headline;
use super::{Outcome, Training};
use crate::plot::{Curve, CurvePlot, Figure, Mark, RegionPlot};

/// Cells of the plane: across and upwards.
const CELLS: (usize, usize) = (220, 140);
/// Points along a line.
const GRID_POINTS: usize = 400;

/// The pictures of a model that decides: its regions, and its ROC curves.
pub fn draw(outcome: &Outcome, compute: &Compute) -> Result<Vec<Figure>> {
    let mut figures = vec![match outcome.training.vectors() {
        None => sorted(outcome, compute)?,
        Some(x) if x.ncols() == 1 => along(outcome, x, compute)?,
        Some(x) => Figure::Regions(plane(outcome, x, compute)?),
    }];
    let title = format!("ROC on the data of the fit: {}", headline(outcome).to_lowercase());
    figures.extend(outcome.class_quality.as_ref().and_then(|quality| quality.figure(title)));
    Ok(figures)
}

/// The class of every row and their names; inside and outside where there are no classes.
fn classes(outcome: &Outcome, compute: &Compute) -> Result<(Vec<usize>, Vec<String>)> {
    if let Some(classes) = &outcome.training.classes {
        return Ok((classes.of().to_vec(), classes.names().to_vec()));
    }
    let decisions = outcome.model.decision_values(outcome.training.points(), compute)?;
    let of = decisions.column(0).iter().map(|d| usize::from(*d < 0.0)).collect();
    Ok((of, vec!["inside".into(), "outside".into()]))
}

/// A plane in the space of the points.
struct Plane {
    axes: PrincipalAxes,
    names: (String, String),
    /// From a coordinate of the plane to the units that are shown.
    units: [(f64, f64); 2],
}

impl Plane {
    fn new(training: &Training, x: ArrayView2<f64>, compute: &Compute) -> Result<Self> {
        let d = x.ncols();
        if d == 2 {
            let unit = |j: usize| training.map_of(j).map_or((0.0, 1.0), |map| (map.shift, map.scale));
            let names = (training.coordinates[0].clone(), training.coordinates[1].clone());
            let axes = PrincipalAxes { mean: Array1::zeros(2), directions: Array2::eye(2), shares: vec![f64::NAN; 2] };
            return Ok(Self { axes, names, units: [unit(0), unit(1)] });
        }
        let axes = PrincipalAxes::new(x, 2, compute)?;
        let name = |word: &str, k: usize| {
            format!("{word} principal component ({:.0} % of the variance)", 100.0 * axes.shares[k])
        };
        let names = (name("first", 0), name("second", 1));
        Ok(Self { axes, names, units: [(0.0, 1.0); 2] })
    }

    fn shown(&self, j: usize, value: f64) -> f64 {
        self.units[j].0 + self.units[j].1 * value
    }
}

fn plane(outcome: &Outcome, x: ArrayView2<f64>, compute: &Compute) -> Result<RegionPlot> {
    let training = &outcome.training;
    let plane = Plane::new(training, x, compute)?;
    let at = plane.axes.project(x);
    let range = |j: usize| {
        let ends = at.column(j).iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
        let air = 0.06 * (ends.1 - ends.0).max(1e-9);
        (ends.0 - air, ends.1 + air)
    };
    let ranges = [range(0), range(1)];
    let (columns, rows) = CELLS;
    let middle =
        |j: usize, i: usize, of: usize| ranges[j].0 + (ranges[j].1 - ranges[j].0) * (i as f64 + 0.5) / of as f64;
    let grid = Array2::from_shape_fn((rows * columns, 2), |(cell, j)| match j {
        0 => middle(0, cell % columns, columns),
        _ => middle(1, cell / columns, rows),
    });
    let points = plane.axes.points(grid.view());
    let decided = decisions(&outcome.model, &points, compute)?;
    let cells = Array2::from_shape_fn((rows, columns), |(i, j)| decided[i * columns + j]);
    let (of, names) = classes(outcome, compute)?;
    let support = support(&outcome.model);
    let dot = |i: usize| ((plane.shown(0, at[[i, 0]]), plane.shown(1, at[[i, 1]])), of[i], support.contains(&i));
    let shown = |j: usize| (plane.shown(j, ranges[j].0), plane.shown(j, ranges[j].1));
    let kernel = outcome.model.kernel().map_or_else(String::new, |k| format!(", {}", k.short()));
    Ok(RegionPlot {
        title: format!("{}{kernel}", headline(outcome)),
        ranges: (shown(0), shown(1)),
        axes: plane.names.clone(),
        cells,
        names,
        points: (0..training.rows()).map(dot).collect(),
        rows: training.rows(),
    })
}

/// The class at each point, and whether it lies within the margin of a machine for two classes.
fn decisions(model: &Model, points: &Array2<f64>, compute: &Compute) -> Result<Vec<(usize, bool)>> {
    let values = model.decision_values(points.view(), compute)?;
    if model.classes().is_none() {
        return Ok(values.column(0).iter().map(|v| (usize::from(*v < 0.0), false)).collect());
    }
    let classes = model.predict_classes(points.view(), compute)?;
    let machine = model.fit::<SvcFit>().is_some() && values.ncols() == 1;
    let within = |i: usize| machine && values[[i, 0]].abs() < 1.0;
    Ok(classes.into_iter().enumerate().map(|(i, c)| (c, within(i))).collect())
}

fn support(model: &Model) -> HashSet<usize> {
    let classes = model.fit::<SvcFit>().map(SvcFit::support);
    let support = classes.or_else(|| model.fit::<OneClassFit>().map(OneClassFit::support));
    support.unwrap_or_default().iter().copied().collect()
}

/// The decision values of the rows of every class, sorted: for objects, which have no plane.
fn sorted(outcome: &Outcome, compute: &Compute) -> Result<Figure> {
    let values = outcome.model.decision_values(outcome.training.points(), compute)?;
    let (of, names) = classes(outcome, compute)?;
    // Of two classes, and of a region, there is one value; of more the value of the own class.
    let value = |i: usize| values[[i, if values.ncols() == 1 { 0 } else { of[i] }]];
    let curve = |(class, name): (usize, &String)| {
        let mut own: Vec<f64> = (0..of.len()).filter(|&i| of[i] == class).map(value).collect();
        own.sort_by(f64::total_cmp);
        let share = |i: usize| 100.0 * (i as f64 + 0.5) / own.len() as f64;
        let points = own.iter().enumerate().map(|(i, v)| (share(i), *v)).collect();
        Curve { label: name.clone(), points, mark: Mark::Dots }
    };
    let curves = names.iter().enumerate().map(curve).collect();
    let title = outcome.model.kernel().map_or_else(String::new, |k| k.short());
    let (x, y) = ("% of the rows of the class".into(), "decision value".into());
    Ok(Figure::Curves(vec![CurvePlot { title, x, y, curves }]))
}

/// Decision values (or probabilities, where there are some) along the only column.
fn along(outcome: &Outcome, x: ArrayView2<f64>, compute: &Compute) -> Result<Figure> {
    let (training, model) = (&outcome.training, &outcome.model);
    let x = x.column(0);
    let (low, high) = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    let map = training.map_of(0).map_or((0.0, 1.0), |m| (m.shift, m.scale));
    let raw = |v: f64| map.0 + map.1 * v;
    let at = |i: usize| low + (high - low) * i as f64 / (GRID_POINTS - 1) as f64;
    let positions = Array2::from_shape_fn((GRID_POINTS, 1), |(i, _)| at(i));
    let (values, y) = match model.has_probabilities() {
        true => (model.probabilities(positions.view(), compute)?, "probability"),
        false => (model.decision_values(positions.view(), compute)?, "decision value"),
    };
    let (of, names) = classes(outcome, compute)?;
    let label = |j: usize| if values.ncols() == names.len() { names[j].clone() } else { "f".into() };
    let line = |j: usize| {
        let points = (0..GRID_POINTS).map(|i| (raw(at(i)), values[[i, j]])).collect();
        Curve { label: label(j), points, mark: Mark::Line }
    };
    let base = values.iter().copied().fold(f64::INFINITY, f64::min).min(0.0);
    let rows = |class: usize, mark: Mark| {
        let points = (0..x.len()).filter(|&i| of[i] == class).map(|i| (raw(x[i]), base)).collect();
        Curve { label: format!("rows of {}", names[class]), points, mark }
    };
    // The rows of a class have the color of its curve.
    let curves: Vec<Curve> = match values.ncols() == names.len() {
        true => (0..names.len()).flat_map(|class| [line(class), rows(class, Mark::OwnDots)]).collect(),
        false => {
            let lines = (0..values.ncols()).map(line);
            lines.chain((0..names.len()).map(|class| rows(class, Mark::Dots))).collect()
        }
    };
    let title = model.kernel().map_or_else(String::new, |k| k.short());
    Ok(Figure::Curves(vec![CurvePlot { title, x: training.coordinates[0].clone(), y: y.into(), curves }]))
}
