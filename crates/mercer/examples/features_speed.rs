//! The time of a classifier and of a ridge regression on many graphs or strings, by explicit features.
//!
//! `cargo run --release --example features_speed -- TU_FOLDER ROWS KERNEL C`: the graphs of the folder, repeated with a
//! twentieth of their vertex labels drawn anew.

use std::path::Path;
use std::time::Instant;

use mercer::learn::Ridge;
use mercer::learn::svm::{Classes, Svc};
use mercer::points::{Graph, Graphs};
use mercer::{Compute, Seed};
use ndarray::{Array1, Axis};

fn main() -> mercer::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let compute = Compute::new();
    let (graphs, labels) = mercer::io::read_tu(Path::new(&words[0]), &compute)?;
    let (graphs, y) = repeated(&graphs, &labels, words[1].parse().unwrap())?;
    let (kernel, c): (mercer::Kernel, f64) = (words[2].parse()?, words[3].parse().unwrap());
    let classes = Classes::from_numbers(y.view())?;
    let start = Instant::now();
    let mut svc = Svc::new(kernel.clone(), c);
    if let Some(set) = words.get(4) {
        svc.solver.working_set = set.parse().unwrap();
    }
    let fit = svc.fit(&graphs, &classes, None, &compute)?;
    println!("svc {:?}: {} support vectors, {:?}", start.elapsed(), fit.support().len(), fit.evidence());
    let start = Instant::now();
    let found = fit.predict(&graphs, &compute)?;
    let right = found.iter().zip(classes.of()).filter(|(a, b)| a == b).count();
    println!("predict {:?}: {}", start.elapsed(), right as f64 / y.len() as f64);
    let start = Instant::now();
    if words.len() > 4 {
        return Ok(());
    }
    let ridge = Ridge { intercept: true, diagnostics: false, ..Ridge::new(kernel, 1.0 / c) };
    let fit = ridge.fit(&graphs, y.view().insert_axis(Axis(1)), None, &compute)?;
    println!("ridge {:?}: {} {:?}", start.elapsed(), fit.plan(), fit.method());
    Ok(())
}

/// The graphs again and again, each time with some labels drawn anew.
fn repeated(graphs: &Graphs, labels: &[i64], rows: usize) -> mercer::Result<(Graphs, Array1<f64>)> {
    let mut random = Seed(1).stream("graphs", 0);
    let one = |i: usize, random: &mut mercer::Stream| {
        let (view, texts) = (graphs.graph(i), graphs.vertex_labels().unwrap());
        let edges = (0..view.vertices())
            .flat_map(|v| view.neighbors(v).iter().filter(move |&&u| u as usize > v).map(move |&u| (v as u32, u)));
        let drawn = view.vertex_codes().unwrap().iter().map(|&code| {
            let code = if random.below(20) == 0 { random.below(texts.table().len()) } else { code as usize };
            texts.table()[code].as_str()
        });
        let labels: Vec<&str> = drawn.collect();
        Graph::new(view.vertices(), edges.collect()).with_vertex_labels(labels)
    };
    let all = (0..rows).map(|i| one(i % graphs.len(), &mut random)).collect();
    Ok((Graphs::from_graphs(all, false)?, (0..rows).map(|i| labels[i % graphs.len()] as f64).collect()))
}
