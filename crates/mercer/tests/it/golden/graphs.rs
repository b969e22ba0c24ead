//! Golden numbers of kernels on graphs (c17).

use crate::common::golden::{Golden, matrix, number};
use crate::common::graphs::{undirected, within};
use mercer::Compute;
use mercer::points::Graph;
use serde_json::Value;

fn graph(value: &Value) -> Graph {
    let end = |edge: &Value, i: usize| edge[i].as_u64().unwrap() as u32;
    let edges = value["edges"].as_array().unwrap().iter().map(|e| (end(e, 0), end(e, 1))).collect();
    let labels = value["labels"].as_array().unwrap().iter().map(|l| l.as_str().unwrap());
    Graph::new(value["n"].as_u64().unwrap() as usize, edges).with_vertex_labels(labels)
}

#[test]
fn kernels_on_graphs() {
    let golden = Golden::load("c17_graph_kernels");
    let graphs = undirected(golden.input("graphs").as_array().unwrap().iter().map(graph).collect());
    let decay = number(golden.input("lambda"));
    let mut checked = 0;
    for (key, expected) in golden.expected() {
        let kernel = match key.as_str() {
            "vertex_histogram" => "vertex_histogram()".into(),
            "shortest_path_ordered" => "shortest_path()".into(),
            "shortest_path_ordered_unlabelled" => "shortest_path(labels=false)".into(),
            "random_walk_geometric" => format!("random_walk(decay={decay:?})"),
            "random_walk_exponential" => format!("random_walk(decay={decay:?}, series=exponential)"),
            // Unordered pairs and kernels on the vertices of one graph are not part of the library.
            key if key.contains("unordered") || key.starts_with("diffusion") => continue,
            key => format!("weisfeiler_lehman(depth={})", key.strip_prefix("wl_").unwrap()),
        };
        let found = within(&kernel, &graphs, &Compute::new());
        let expected = matrix(expected);
        golden.check_all(key, &kernel, found.as_slice().unwrap(), expected.as_slice().unwrap());
        checked += 1;
    }
    assert_eq!(checked, 10);
}
