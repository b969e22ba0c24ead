//! How fast a support vector classifier is on a LIBSVM file (plain or gzip), best of some runs:
//! `cargo run --release -p mercer --example svm_speed -- TRAIN C GAMMA [TEST|-] [RUNS] [TOLERANCE] [WORKING_SET]`.

use std::path::Path;
use std::time::Instant;

use mercer::learn::svm::{Classes, Svc};
use mercer::points::ColumnData;
use mercer::solve::DualOptions;
use mercer::{Compute, Error, Result, io};
use ndarray::{Array1, Array2, Axis, concatenate, s};

/// Labels and points of a file.
fn read(path: &str, compute: &Compute) -> Result<(Array1<f64>, Array2<f64>)> {
    let options = io::ReadOptions { format: Some(io::Format::Libsvm), ..Default::default() };
    let table = io::read_table(Path::new(path), &options, compute)?;
    let mut x = Array2::zeros((table.rows(), table.columns().len()));
    for (column, mut target) in table.columns().iter().zip(x.columns_mut()) {
        if let ColumnData::Numbers(values) = &column.data {
            target.iter_mut().zip(values).for_each(|(t, v)| *t = *v);
        }
    }
    Ok((x.column(0).to_owned(), x.slice(s![.., 1..]).to_owned()))
}

/// The same number of columns as another file: what a file leaves out is 0.
fn widen(x: Array2<f64>, columns: usize) -> Result<Array2<f64>> {
    let missing = Array2::zeros((x.nrows(), columns.saturating_sub(x.ncols())));
    concatenate(Axis(1), &[x.slice(s![.., ..columns.min(x.ncols())]), missing.view()])
        .map_err(|e| Error::shape("columns", columns, e))
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, otherwise: f64| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(otherwise);
    let compute = Compute::new();
    let (labels, x) = read(words.first().map_or("", String::as_str), &compute)?;
    let classes = Classes::from_numbers(labels.view())?;
    let kernel = format!("gaussian(lengthscale={:?})", (0.5 / number(2, 1.0)).sqrt()).parse()?;
    let defaults = DualOptions::default();
    let working_set = number(6, defaults.working_set as f64) as usize;
    let solver = DualOptions { tolerance: number(5, 1e-3), working_set, ..defaults };
    let svc = Svc { solver, ..Svc::new(kernel, number(1, 1.0)) };
    let (mut best, mut fit) = (f64::INFINITY, None);
    for _ in 0..number(4, 1.0) as usize {
        let start = Instant::now();
        fit = Some(svc.fit(x.view(), &classes, None, &compute)?);
        best = best.min(start.elapsed().as_secs_f64());
    }
    let Some(fit) = fit else { return Ok(()) };
    let evidence = fit.evidence();
    println!("fit {best:.3} s, {} support vectors, {evidence:?}", fit.support().len());
    if let Some(path) = words.get(3).filter(|word| *word != "-") {
        let (labels, x) = read(path, &compute)?;
        let x = widen(x, fit.support_vectors().columns())?;
        let start = Instant::now();
        let predicted = fit.predict(x.view(), &compute)?;
        let time = start.elapsed().as_secs_f64();
        let right = predicted.iter().zip(&labels).filter(|(c, label)| fit.names()[**c] == label.to_string()).count();
        println!("predict {time:.3} s, {:.3} % right", 100.0 * right as f64 / x.nrows() as f64);
    }
    Ok(())
}
