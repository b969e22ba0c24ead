//! Proof or counterexample, and its re-check.

use mercer::definiteness::{self, CheckOptions, CheckVerdict};
use mercer::gram::{self, Pairs};
use mercer::kernel::Counterexample;
use mercer::solve::symmetric_eigen;
use mercer::{Compute, Kernel, Points};
use ndarray::Array2;
use serde_json::{Value, json};

use super::parse;
use super::proofs::tree;
use crate::lab::data::Store;
use crate::lab::fields::Fields;
use crate::lab::numbers::{drawn_all, number, numbers};
use crate::lab::refusal::{Answer, Refusal};
use crate::lab::training::{Choice, Training};

/// Rows of data that a check looks at.
const ROWS: usize = 300;
/// Points of a re-check.
const MOST_POINTS: usize = 200;

/// The check of a kernel: by rule, on the data where there is some, and by a search for points.
pub fn check(fields: Fields<'_>, store: &Store, compute: &Compute) -> Answer {
    let kernel = parse(fields.text("kernel")?)?;
    let options = CheckOptions { max_rows: ROWS };
    let choice = fields.optional_object("data")?.map(Choice::read).transpose()?;
    let training = match (choice, needs_data(&kernel)) {
        (Some(choice), true) => Some(Training::points_of(store, &choice, Some(&kernel), compute)?),
        _ => None,
    };
    let found = match &training {
        Some(training) => {
            let kernel = training.kernel(&kernel)?.resolve(training.points(), compute)?;
            definiteness::check(&kernel, Some(training.points()), &options, compute)?
        }
        None => definiteness::check(&kernel, None, &options, compute)?,
    };
    let (verdict, proof) = match &found.verdict {
        CheckVerdict::Proven(proof) => ("proven", Some(tree(proof))),
        CheckVerdict::Refuted(_) => ("refuted", None),
        CheckVerdict::NotRefuted => ("open", None),
    };
    Ok(json!({
        "verdict": verdict,
        "proof": proof,
        "counterexample": found.counterexample().map(|example| shown(example, &kernel, training.as_ref(), compute)),
        "min_eigenvalue": number(found.min_eigenvalue),
        "sets_tried": found.sets_tried,
        "points_tried": found.points_tried,
        "rows_used": found.rows_used,
    }))
}

/// Kernels on objects, on named columns, and with a median cannot be checked without data.
fn needs_data(kernel: &Kernel) -> bool {
    let vector = kernel.point_kind().is_none_or(|kind| !kind.is_object());
    let fails = (1..=4).all(|d| kernel.evaluate(&vec![0.5; d], &vec![0.5; d]).is_err());
    !vector || fails
}

fn shown(example: &Counterexample, kernel: &Kernel, training: Option<&Training>, compute: &Compute) -> Value {
    let points: Vec<Value> = example.points.rows().into_iter().map(|row| numbers(&row.to_vec())).collect();
    json!({
        "points": points,
        "weights": numbers(&example.weights),
        "indices": example.indices,
        "objects": example.objects,
        "value": number(example.value),
        "digits": example.digits,
        "text": example.to_string(),
        "matrix": of_example(example, kernel, training, compute).unwrap_or(Value::Null),
    })
}

/// The matrix of the points of a counterexample, or of its rows of the data.
fn of_example(
    example: &Counterexample,
    kernel: &Kernel,
    training: Option<&Training>,
    compute: &Compute,
) -> mercer::Result<Value> {
    match training {
        Some(training) if example.points.is_empty() && !example.indices.is_empty() => {
            let kernel = training.kernel(kernel)?.resolve(training.points(), compute)?;
            matrix(&kernel, training.sample.taken(&example.indices).as_points(), compute)
        }
        Some(training) => matrix(
            &training.kernel(kernel)?.resolve(training.points(), compute)?,
            Points::from(&example.points),
            compute,
        ),
        None => matrix(kernel, Points::from(&example.points), compute),
    }
}

/// The matrix of a kernel, with its smallest eigenvalue and the eigenvector.
fn matrix(kernel: &Kernel, points: Points<'_>, compute: &Compute) -> mercer::Result<Value> {
    let values = gram::dense(&kernel.bind(Pairs::Within(points), compute)?, compute)?;
    let eigen = symmetric_eigen(values.view(), compute)?;
    let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    Ok(json!({
        "size": values.nrows(), "cells": drawn_all(values.view()), "low": number(low), "high": number(high),
        // Eigenvalues ascend.
        "eigenvalue": eigen.values.first().map(|&v| number(v)),
        "eigenvector": eigen.vectors.columns().into_iter().next().map(drawn_all),
    }))
}

/// `cᵀKc` at points and weights of the page, computed anew with 31 digits.
pub fn recheck(kernel: &Kernel, fields: Fields<'_>, compute: &Compute) -> Answer {
    let wrong = || Refusal::request("`points` must be a list of rows of numbers of one length");
    let rows = fields.optional("points").and_then(Value::as_array).ok_or_else(wrong)?;
    let weights = fields.optional_numbers("weights")?.unwrap_or_default();
    if rows.len() > MOST_POINTS {
        return Err(Refusal::too_large(format!("at most {MOST_POINTS} points are re-checked here")));
    }
    let columns = rows.first().and_then(Value::as_array).map_or(0, Vec::len);
    let mut values = Vec::with_capacity(rows.len() * columns);
    for row in rows {
        let row = row.as_array().filter(|row| row.len() == columns).ok_or_else(wrong)?;
        for value in row {
            values.push(value.as_f64().ok_or_else(wrong)?);
        }
    }
    let points = Array2::from_shape_vec((rows.len(), columns), values).map_err(|_| wrong())?;
    let form = definiteness::quadratic_form(kernel, points.view(), &weights)?;
    let mut answer = json!({ "value": number(form.value), "digits": form.digits, "negative": form.negative });
    // One or two columns are drawn as points.
    if columns > 2 {
        answer["matrix"] = matrix(kernel, Points::from(&points), compute)?;
    }
    Ok(answer)
}
