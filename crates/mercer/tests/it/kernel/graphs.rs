//! Kernels on graphs: what holds for all of them, and what each does with unusual graphs.

use std::sync::{Arc, Mutex};

use crate::common::graphs::{between, chosen, mutag, permuted, random, undirected, within};
use mercer::gram::{self, Pairs};
use mercer::kernel::Property;
use mercer::points::{Graph, Graphs, Strings};
use mercer::{Compute, Error, Kernel, Points, Progress};
use ndarray::{Array2, array, s};

const KERNELS: [&str; 12] = [
    "vertex_histogram()",
    "weisfeiler_lehman(depth=0)",
    "weisfeiler_lehman(depth=4)",
    "shortest_path()",
    "shortest_path(labels=false)",
    "shortest_path(nodes=gaussian(lengthscale=0.5))",
    "shortest_path(labels=false, nodes=linear() + constant(value=1))",
    "random_walk(decay=0.02)",
    "random_walk(decay=0.05, series=exponential)",
    "normalized(weisfeiler_lehman(depth=2))",
    "0.5*shortest_path() + vertex_histogram()*weisfeiler_lehman(depth=1)",
    "exp(0.001*vertex_histogram())",
];

fn parse(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn refusal(kernel: &str, graphs: &Graphs) -> String {
    parse(kernel).bind(Pairs::Within(graphs.into()), &Compute::new()).unwrap_err().to_string()
}

#[test]
fn texts_come_back_and_kernels_are_positive_semidefinite() {
    for text in KERNELS {
        assert_eq!(parse(text).to_string().parse::<Kernel>().unwrap(), parse(text), "{text}");
        assert!(parse(text).property(Property::PositiveSemidefinite).is_proven(), "{text}");
    }
    assert_eq!(parse("shortest_path(labels=true)").to_string(), "shortest_path()");
    assert_eq!(parse("random_walk()").to_string(), "random_walk(decay=0.1)");
    assert_eq!(parse("weisfeiler_lehman()").to_string(), "weisfeiler_lehman(depth=3)");
    assert!(!parse("shortest_path(nodes=tanh())").property(Property::PositiveSemidefinite).is_proven());
    for wrong in ["weisfeiler_lehman(depth=-1)", "weisfeiler_lehman(depth=1.5)", "weisfeiler_lehman(depth=1001)"] {
        let error = wrong.parse::<Kernel>().unwrap_err().to_string();
        assert!(error.contains("whole number") && error.contains("depth"), "{error}");
    }
    assert!("random_walk(decay=0)".parse::<Kernel>().is_err());
    assert!("random_walk(series=linear)".parse::<Kernel>().unwrap_err().to_string().contains("geometric, exponential"));
    assert!("shortest_path(nodes=[1])".parse::<Kernel>().is_err());
}

/// Symmetry, Cauchy–Schwarz, the diagonal, and no direction with a negative form.
#[test]
fn values_are_those_of_inner_products() {
    let compute = Compute::new();
    for (text, directed) in KERNELS.iter().flat_map(|k| [(k, false), (k, true)]) {
        let graphs = random(3, 12, directed);
        let bound = parse(text).bind(Pairs::Within((&graphs).into()), &compute).unwrap();
        let values = gram::dense(&bound, &compute).unwrap();
        assert_eq!(values, values.t(), "{text}");
        let scale = values.diag().fold(1.0_f64, |m, v| m.max(*v));
        for (d, v) in bound.diagonal().unwrap().iter().zip(values.diag()) {
            assert_close!(*d, *v, abs = 1e-13 * scale, "{text}");
        }
        let mut stream = mercer::Seed(5).stream("directions", 0);
        for _ in 0..200 {
            let c = ndarray::Array1::from_shape_fn(12, |_| stream.normal());
            assert!(c.dot(&values.dot(&c)) >= -1e-11 * scale * c.dot(&c), "{text}");
        }
    }
}

#[test]
fn two_samples_have_the_values_of_one() {
    let compute = Compute::new();
    for (text, directed) in KERNELS.iter().flat_map(|k| [(k, false), (k, true)]) {
        let graphs = random(7, 11, directed);
        let whole = within(text, &graphs, &compute);
        let (rows, cols) = (chosen(&graphs, 0..4), chosen(&graphs, 4..11));
        let found = between(text, &rows, &cols, &compute);
        crate::common::assert_arrays_close(&found, &whole.slice(s![..4, 4..]).to_owned(), 1e-12, text);
        let other = permuted(&graphs, 9);
        crate::common::assert_arrays_close(&within(text, &other, &compute), &whole, 1e-12, text);
        crate::common::assert_arrays_close(&between(text, &graphs, &other, &compute), &whole, 1e-12, text);
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let (graphs, _) = mutag();
    let graphs = chosen(&graphs, 0..70);
    for text in ["weisfeiler_lehman(depth=3)", "shortest_path()", "random_walk(decay=0.02)", "vertex_histogram()"] {
        let values = |threads: usize| within(text, &graphs, &Compute::new().with_threads(threads).unwrap());
        let one = values(1);
        assert_eq!(one, values(2), "{text}");
        assert_eq!(one, values(5), "{text}");
    }
    let graphs = random(4, 40, false);
    for text in KERNELS {
        let values = |threads: usize| within(text, &graphs, &Compute::new().with_threads(threads).unwrap());
        assert_eq!(values(1), values(5), "{text}");
    }
}

/// `nodes=k` by its definition, with paths of known lengths.
#[test]
fn a_kernel_on_vertices_multiplies_both_ends() {
    let compute = Compute::new();
    let path = |x: [f64; 3]| {
        let vectors = x.iter().map(|v| vec![*v]).collect();
        Graph::new(3, vec![(0, 1), (1, 2)]).with_vertex_vectors(vectors).with_vertex_labels(["a", "b", "a"])
    };
    let (x, y) = ([1.0, 2.0, 3.0], [5.0, 7.0, 11.0]);
    let graphs = undirected(vec![path(x), path(y)]);
    let pairs = || (0..3).flat_map(|i| (0..3).map(move |j| (i, j))).filter(|(i, j)| i != j);
    let (label, length) = (|i: usize| i % 2, |i: usize, j: usize| i.abs_diff(j));
    for labels in [false, true] {
        let mut expected = 0.0;
        for ((i, j), (k, l)) in pairs().flat_map(|p| pairs().map(move |q| (p, q))) {
            let equal = !labels || (label(i) == label(k) && label(j) == label(l));
            expected += if equal && length(i, j) == length(k, l) { x[i] * y[k] * x[j] * y[l] } else { 0.0 };
        }
        let kernel = format!("shortest_path(labels={labels}, nodes=linear())");
        assert_eq!(within(&kernel, &graphs, &compute)[[0, 1]], expected);
    }
    // A kernel on the vertices that is 1 everywhere leaves the counts.
    let graphs = random(5, 9, false);
    let counts = within("shortest_path()", &graphs, &compute);
    assert_eq!(within("shortest_path(nodes=constant(value=1))", &graphs, &compute), counts);
}

#[test]
fn medians_of_vertex_vectors_are_resolved() {
    let vectors = |x: &[f64]| Graph::new(x.len(), vec![]).with_vertex_vectors(x.iter().map(|v| vec![*v]).collect());
    let graphs = undirected(vec![vectors(&[0.0, 1.0]), vectors(&[3.0])]);
    let kernel = parse("shortest_path(nodes=gaussian(lengthscale=median))");
    let bound = kernel.bind(Pairs::Within((&graphs).into()), &Compute::new()).unwrap();
    assert_eq!(bound.kernel().to_string(), "shortest_path(nodes=gaussian(lengthscale=2))");
}

#[test]
fn derivatives_agree_with_differences() {
    let (graphs, compute) = (random(8, 7, true), Compute::new());
    for text in ["shortest_path(nodes=gaussian(lengthscale=0.6))", "normalized(shortest_path(nodes=gaussian()))"] {
        let kernel = parse(text);
        assert_eq!(kernel.parameter_count(), 1);
        let length = kernel.parameters()[0].value;
        let at = |l: f64| {
            let moved = kernel.with_parameters(&[l]).unwrap();
            gram::dense(&moved.bind(Pairs::Within((&graphs).into()), &compute).unwrap(), &compute).unwrap()
        };
        let found = kernel.bind(Pairs::Within((&graphs).into()), &compute).unwrap().derivative(0, &compute).unwrap();
        let difference = (at(length + 1e-5) - at(length - 1e-5)) / 2e-5;
        let scale = difference.fold(1.0_f64, |m, v| m.max(v.abs()));
        for (f, d) in found.iter().zip(&difference) {
            assert_close!(*f, *d, abs = 1e-8 * scale, "{text}");
        }
    }
}

#[test]
fn unusual_graphs_have_the_values_of_the_formulas() {
    let compute = Compute::new();
    // None, one vertex, a self-loop, two vertices apart, an edge with a vertex apart.
    let graphs = undirected(vec![
        Graph::default(),
        Graph::new(1, vec![]),
        Graph::new(1, vec![(0, 0)]),
        Graph::new(2, vec![]),
        Graph::new(3, vec![(0, 1)]),
    ]);
    let counts = |n: [f64; 5]| Array2::from_shape_fn((5, 5), |(i, j)| n[i] * n[j]);
    assert_eq!(within("vertex_histogram()", &graphs, &compute), counts([0.0, 1.0, 1.0, 2.0, 3.0]));
    assert_eq!(within("shortest_path()", &graphs, &compute), counts([0.0, 0.0, 0.0, 0.0, 2.0]));
    // After one step the vertex with a loop and the ends of the edge have one neighbor.
    let one_step =
        counts([0.0, 1.0, 1.0, 2.0, 3.0]) + counts([0.0, 1.0, 0.0, 2.0, 1.0]) + counts([0.0, 0.0, 1.0, 0.0, 2.0]);
    assert_eq!(within("weisfeiler_lehman(depth=1)", &graphs, &compute), one_step);
    // The loop and the edge have walks of every length: Σ 0.5^m = 2, less those of length 0.
    let walks = counts([0.0, 1.0, 1.0, 2.0, 3.0]) + counts([0.0, 0.0, 1.0, 0.0, 2.0]);
    crate::common::assert_arrays_close(&within("random_walk(decay=0.5)", &graphs, &compute), &walks, 1e-14, "walks");
    // A normalized kernel is 0 for graphs with nothing to count.
    assert_eq!(within("normalized(shortest_path())", &graphs, &compute).diag(), array![0.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn labels_of_new_graphs_are_counted_exactly() {
    let compute = Compute::new();
    let edge = |labels: [&str; 2]| undirected(vec![Graph::new(2, vec![(0, 1)]).with_vertex_labels(labels)]);
    let (known, new) = (edge(["a", "b"]), edge(["b", "z"]));
    assert_eq!(between("vertex_histogram()", &known, &new, &compute), array![[1.0]]);
    // Of the refined labels none is in common, as the neighbors differ.
    assert_eq!(between("weisfeiler_lehman(depth=3)", &known, &new, &compute), array![[1.0]]);
    assert_eq!(between("shortest_path()", &known, &new, &compute), array![[0.0]]);
    let pooled = undirected(vec![
        Graph::new(2, vec![(0, 1)]).with_vertex_labels(["b", "z"]),
        Graph::new(2, vec![(0, 1)]).with_vertex_labels(["a", "b"]),
    ]);
    assert_eq!(within("weisfeiler_lehman(depth=3)", &pooled, &compute), array![[8.0, 1.0], [1.0, 8.0]]);
}

#[test]
fn a_decay_that_diverges_is_refused_with_the_largest_that_does_not() {
    let star = |n: u32| Graph::new(n as usize, (1..n).map(|v| (0, v)).collect());
    let (small, large) = (undirected(vec![star(5)]), undirected(vec![star(10)]));
    assert!(refusal("random_walk(decay=0.2)", &large).contains("must be at most 0.111111 on these graphs"));
    assert!(refusal("random_walk(decay=0.25)", &small).contains("at most 0.249999"));
    // Both samples count: the kernel must exist for each graph with itself.
    let pairs = Pairs::Between((&small).into(), (&large).into());
    let error = parse("random_walk(decay=0.15)").bind(pairs, &Compute::new()).unwrap_err();
    assert!(matches!(&error, Error::Parameter { name, .. } if name == "decay"), "{error}");
    for decay in ["0.111111", "0.1111111", "0.11"] {
        let kernel = format!("random_walk(decay={decay})");
        assert!(within(&kernel, &large, &Compute::new())[[0, 0]] > 100.0);
    }
    assert!(refusal("random_walk(decay=100, series=exponential)", &large).contains("at most 66.6666"));
}

struct Remarks(Mutex<Vec<String>>);

impl Progress for Remarks {
    fn report(&self, _work: &str, _done: u64, _total: u64) {}

    fn remark(&self, text: &str) {
        self.0.lock().unwrap().push(text.into());
    }
}

#[test]
fn a_walk_that_counts_edges_is_remarked_on() {
    let (graphs, _) = mutag();
    let remarks = |decay: &str| {
        let listener = Arc::new(Remarks(Mutex::default()));
        let compute = Compute::new().with_progress(listener.clone());
        parse(&format!("random_walk(decay={decay})")).bind(Pairs::Within((&graphs).into()), &compute).unwrap();
        listener.0.lock().unwrap().clone()
    };
    assert_eq!(remarks("0.05"), Vec::<String>::new());
    let found = remarks("0.0001");
    assert!(found[0].starts_with("the random walk kernel counts vertices"), "{found:?}");
}

#[test]
fn other_points_are_refused_by_name() {
    let compute = Compute::new();
    let (strings, vectors): (Strings, _) = (["a"].into_iter().collect(), array![[1.0]]);
    for text in ["weisfeiler_lehman(depth=3)", "shortest_path(nodes=linear())", "normalized(vertex_histogram())"] {
        let name = text.strip_prefix("normalized(").map_or(text, |inner| &inner[..inner.len() - 1]);
        let error = parse(text).bind(Pairs::Within((&strings).into()), &compute).unwrap_err();
        assert_eq!(error.to_string(), format!("{name} takes graphs; the points are strings"));
        let error = parse(text).bind(Pairs::within(vectors.view()), &compute).unwrap_err();
        assert_eq!(error.to_string(), format!("{name} takes graphs; the points are vectors"));
    }
    let graphs = undirected(vec![Graph::new(2, vec![(0, 1)])]);
    assert_eq!(refusal("spectrum(length=3)", &graphs), "spectrum(length=3) takes strings; the points are graphs");
    assert_eq!(refusal("gaussian()", &graphs), "gaussian(lengthscale=1) takes vectors; the points are graphs");
    assert_eq!(
        refusal("shortest_path(nodes=linear())", &graphs),
        "shortest_path(nodes=…) takes graphs with vertex vectors; the points are graphs without vertex vectors"
    );
    let pairs = Pairs::Between((&graphs).into(), Points::from(&strings));
    let error = parse("vertex_histogram()").bind(pairs, &compute).unwrap_err().to_string();
    assert_eq!(error, "vertex_histogram() takes graphs; the points are strings");
    let pairs = Pairs::Between((&graphs).into(), Points::from(&strings));
    assert!(parse("1").bind(pairs, &compute).unwrap_err().to_string().contains("different kinds"));
}

#[test]
fn samples_that_do_not_fit_are_refused() {
    let edge = || Graph::new(2, vec![(0, 1)]);
    let directed = Graphs::from_graphs(vec![edge()], true).unwrap();
    let (plain, labeled) = (undirected(vec![edge()]), undirected(vec![edge().with_vertex_labels([1, 2])]));
    let error = |x: &Graphs, y: &Graphs| {
        let pairs = Pairs::Between(x.into(), y.into());
        parse("weisfeiler_lehman(depth=1)").bind(pairs, &Compute::new()).unwrap_err()
    };
    assert!(matches!(error(&plain, &directed), Error::Mismatch { .. }));
    assert!(error(&plain, &labeled).to_string().contains("no vertex labels"));
}
