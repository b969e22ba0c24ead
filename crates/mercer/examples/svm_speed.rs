use mercer::gram::Pairs;
use mercer::solve::{Constraint, DualOptions, DualProblem};
use mercer::{Compute, Kernel, io};
use ndarray::Array2;
use std::path::Path;
use std::time::Instant;

fn main() -> mercer::Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let compute = Compute::new();
    let table = io::read_table(
        Path::new(&args[1]),
        &io::ReadOptions { format: Some(io::Format::Libsvm), ..Default::default() },
        &compute,
    )?;
    let c: f64 = args[2].parse().unwrap();
    let gamma: f64 = args[3].parse().unwrap();
    let cols: Vec<Vec<f64>> = table
        .columns()
        .iter()
        .map(|c| match &c.data {
            mercer::points::ColumnData::Numbers(v) => v.clone(),
            _ => panic!(),
        })
        .collect();
    let n = table.rows();
    let x = Array2::from_shape_fn((n, cols.len() - 1), |(i, j)| cols[j + 1][i]);
    let y: Vec<f64> = cols[0].iter().map(|v| if *v > 0.0 { 1.0 } else { -1.0 }).collect();
    let kernel: Kernel = format!("gaussian(lengthscale={:?})", (0.5 / gamma).sqrt()).parse()?;
    let ws: usize = args.get(4).map_or(512, |a| a.parse().unwrap());
    let tol: f64 = args.get(5).map_or(1e-3, |a| a.parse().unwrap());
    let start = Instant::now();
    let problem = DualProblem {
        points: (0..n).collect(),
        signs: y.clone(),
        linear: vec![-1.0; n],
        upper: vec![c; n],
        start: vec![0.0; n],
        constraint: Constraint::Sum,
    };
    let bound = kernel.bind(Pairs::within(x.view()), &compute)?;
    let options = DualOptions { tolerance: tol, working_set: ws, ..Default::default() };
    let s = problem.solve_on(&bound, &options, &compute)?;
    println!(
        "{:.2}s obj {:.10} viol {:.2e} steps {} sv {} {:?}",
        start.elapsed().as_secs_f64(),
        -s.objective,
        s.violation,
        s.steps,
        s.alpha.iter().filter(|a| **a > 0.0).count(),
        s.stopped
    );
    Ok(())
}
