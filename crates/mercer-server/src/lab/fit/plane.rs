//! The model over the plane of two inputs: decision regions, or values.

use mercer::{Compute, Result};
use ndarray::{Array2, Axis};
use serde_json::{Value, json};

use super::FittedModel;
use super::quality::shown_rows;
use crate::lab::fields::Fields;
use crate::lab::numbers::{drawn, drawn_list, steps};
use crate::lab::refusal::{Answer, Refusal};

/// Cells across and upward.
const CELLS: (usize, usize) = (72, 54);

/// The plane of two inputs that the page names.
pub fn plane(fields: Fields<'_>, fitted: &FittedModel, compute: &Compute) -> Answer {
    let columns = fitted.training.coordinates.len();
    let (x, y) = (fields.optional_count("x", 10_000)?.unwrap_or(0), fields.optional_count("y", 10_000)?.unwrap_or(1));
    if fitted.training.points().kind().is_object() || x >= columns || y >= columns || x == y {
        return Err(Refusal::request("the plane needs two different inputs that are numbers"));
    }
    Ok(over_plane(fitted, (x, y), compute)?)
}

/// The model at the cells of a plane; the other inputs have their means.
pub fn over_plane(fitted: &FittedModel, (x, y): (usize, usize), compute: &Compute) -> Result<Value> {
    let training = &fitted.training;
    let points = training.points().vectors()?;
    let means = points.mean_axis(Axis(0)).unwrap_or_default();
    let range = |column: usize| {
        let values = points.column(column);
        let ends = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
        let air = 0.05 * (ends.1 - ends.0).max(1e-9);
        (ends.0 - air, ends.1 + air)
    };
    let (across, upward) = CELLS;
    let (xs, ys) = (middles(range(x), across), middles(range(y), upward));
    let mut grid = Array2::from_shape_fn((across * upward, points.ncols()), |(_, j)| means[j]);
    for (cell, mut row) in grid.rows_mut().into_iter().enumerate() {
        (row[x], row[y]) = (xs[cell % across], ys[cell / across]);
    }
    let (values, kind): (Vec<Value>, &str) = match fitted.model.classes() {
        Some(_) => {
            let classes = fitted.model.predict_classes(grid.view(), compute)?;
            (classes.into_iter().map(Value::from).collect(), "classes")
        }
        None if training.target.is_some() && fitted.model.fitted().entry().goal.has_targets() => {
            let values = fitted.model.predict(grid.view(), compute)?;
            (values.column(0).iter().map(|&v| drawn(v)).collect(), "values")
        }
        None => {
            let values = fitted.model.decision_values(grid.view(), compute)?;
            (values.column(0).iter().map(|&v| drawn(v)).collect(), "decisions")
        }
    };
    let rows = shown_rows(training.rows());
    let at = |column: usize| rows.iter().map(|&i| training.in_units(column, points[[i, column]])).collect::<Vec<_>>();
    let unit = |column: usize, list: &[f64]| list.iter().map(|&v| training.in_units(column, v)).collect::<Vec<_>>();
    let ends = |column: usize| {
        let (low, high) = range(column);
        drawn_list(&[training.in_units(column, low), training.in_units(column, high)])
    };
    Ok(json!({
        "kind": kind, "x": x, "y": y, "across": across, "upward": upward, "cells": values,
        "xs": drawn_list(&unit(x, &xs)), "ys": drawn_list(&unit(y, &ys)),
        "x_range": ends(x), "y_range": ends(y),
        "names": [training.coordinates[x], training.coordinates[y]],
        "others_at_means": points.ncols() > 2,
        "points": {
            "x": drawn_list(&at(x)), "y": drawn_list(&at(y)),
            "labels": rows.iter().map(|&i| training.label_of(i)).collect::<Vec<_>>(),
            "rows": rows.iter().map(|&i| training.kept[i]).collect::<Vec<_>>(),
        },
    }))
}

/// The middles of equal parts of an interval.
fn middles((from, to): (f64, f64), count: usize) -> Vec<f64> {
    let half = 0.5 * (to - from) / count as f64;
    steps(from + half, to - half, count)
}
