//! The experiment of SimpleMKL (Rakotomamonjy et al. 2008, table 1):
//! `cargo run --release --example mkl_published -- FILE.csv.gz [splits]`, where the last column of the
//! table is the class.
//!
//! Ten Gaussians and three polynomials on all columns and on each, of trace 1, `C = 100`, random
//! splits of 70 % to train and 30 % to test, columns standardized on the training rows. Published are
//! an accuracy of 76.5 ± 2.6 with 14.7 kernels in 79 s on Pima, 91.5 ± 2.5 with 23.6 in 123 s on
//! Ionosphere (33 columns), 80.6 ± 5.1 with 36.7 in 163 s on Sonar.

use std::io::Read;
use std::time::Instant;

use mercer::learn::multiple::{MultipleKernelSvc, MultipleKernels};
use mercer::learn::svm::Classes;
use mercer::{Compute, Kernel, Result, Seed};
use ndarray::{Array2, Axis};

fn main() -> Result<()> {
    let path = std::env::args().nth(1).expect("a table");
    let splits: u64 = std::env::args().nth(2).map_or(20, |text| text.parse().expect("a number of splits"));
    let (x, labels) = read(&path);
    let kernels = kernels(x.ncols())?;
    println!("{} rows, {} columns, {} kernels", x.nrows(), x.ncols(), kernels.len());
    let (mut right, mut kept, mut seconds, mut problems) = (Vec::new(), 0.0, 0.0, 0.0);
    for split in 0..splits {
        let mut stream = Seed(split).stream("split", 0);
        let mut order: Vec<(f64, usize)> = (0..x.nrows()).map(|i| (stream.uniform(), i)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let order: Vec<usize> = order.into_iter().map(|o| o.1).collect();
        let (train, test) = order.split_at(x.nrows() * 7 / 10);
        let (mean, spread) = moments(&x.select(Axis(0), train));
        let scaled = |rows: &[usize]| (x.select(Axis(0), rows) - &mean) / &spread;
        let of = |rows: &[usize]| rows.iter().map(|&i| labels[i].as_str()).collect::<Vec<&str>>();
        let classes = Classes::from_texts(of(train));
        // C refers to kernels of trace n here.
        let c = 100.0 / train.len() as f64;
        let spec = MultipleKernelSvc::new(MultipleKernels::new(kernels.clone()), c);
        let start = Instant::now();
        let fit = spec.fit(&scaled(train), &classes, None, &Compute::new())?;
        seconds += start.elapsed().as_secs_f64() / splits as f64;
        let found = fit.predict(&scaled(test), &Compute::new())?;
        let hits = found.iter().zip(of(test)).filter(|(found, label)| classes.names()[**found] == **label).count();
        right.push(100.0 * hits as f64 / test.len() as f64);
        kept += fit.weights().active().len() as f64 / splits as f64;
        let evidence = fit.weights().evidence().expect("the method is simple");
        problems += evidence.iterations as f64 / splits as f64;
        if evidence.relative_gap() > 1e-3 {
            println!("split {split}: {evidence:?}");
        }
    }
    let mean = right.iter().sum::<f64>() / right.len() as f64;
    let deviation = (right.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / right.len() as f64).sqrt();
    println!("accuracy {mean:.1} ± {deviation:.1}, {kept:.1} kernels kept, {problems:.1} problems, {seconds:.2} s");
    Ok(())
}

fn kernels(columns: usize) -> Result<Vec<Kernel>> {
    let widths = [0.5, 1.0, 2.0, 5.0, 7.0, 10.0, 12.0, 15.0, 17.0, 20.0];
    let one = |on: &dyn Fn(String) -> String| {
        let gaussians = widths.iter().map(|l| on(format!("gaussian(lengthscale={l})")));
        let polynomials = (1..=3).map(|degree| on(format!("polynomial(degree={degree})")));
        gaussians.chain(polynomials).collect::<Vec<String>>()
    };
    let mut texts = one(&|kernel| kernel);
    (0..columns).for_each(|column| texts.extend(one(&|kernel| format!("on([{column}], {kernel})"))));
    texts.iter().map(|text| text.parse()).collect()
}

fn moments(x: &Array2<f64>) -> (ndarray::Array1<f64>, ndarray::Array1<f64>) {
    let mean = x.mean_axis(Axis(0)).expect("rows");
    (mean, x.std_axis(Axis(0), 0.0).mapv(|s| if s > 0.0 { s } else { 1.0 }))
}

/// The columns that are not constant, and the classes.
fn read(path: &str) -> (Array2<f64>, Vec<String>) {
    let mut text = String::new();
    let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("a gzip file");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').map(str::trim).collect()).collect();
    // A first row of names has no number in its first place.
    let rows: Vec<Vec<&str>> = rows.into_iter().filter(|row| row[0].parse::<f64>().is_ok()).collect();
    let columns = rows[0].len() - 1;
    let number = |i: usize, j: usize| rows[i][j].parse::<f64>().expect("a number");
    let varies = |j: &usize| (0..rows.len()).any(|i| number(i, *j) != number(0, *j));
    let kept: Vec<usize> = (0..columns).filter(varies).collect();
    let x = Array2::from_shape_fn((rows.len(), kept.len()), |(i, j)| number(i, kept[j]));
    (x, rows.iter().map(|row| row[columns].to_owned()).collect())
}
