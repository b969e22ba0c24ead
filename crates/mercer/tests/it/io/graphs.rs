//! Files of graphs.

use std::io::Write;

use crate::common::graphs::mutag;
use mercer::{Compute, Error, io};

#[test]
fn a_published_data_set_is_read() {
    let (graphs, labels) = mutag();
    assert_eq!((graphs.len(), graphs.total_vertices(), graphs.total_arcs()), (188, 3371, 7442));
    assert_eq!(labels.iter().filter(|&&y| y == 1).count(), 125);
    assert_eq!(graphs.describe(0), "graph(17 vertices, 19 edges)");
    assert_eq!(graphs.vertex_labels().unwrap().table().len(), 7);
    assert_eq!(graphs.edge_labels().unwrap().table().len(), 4);
    assert_eq!(format!("{graphs:?}"), "Graphs(188 graphs, 3371 vertices, vertex labels, edge labels)");
}

#[test]
fn limits_hold_and_damaged_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.edges.gz");
    let text = "a b\n".repeat(1000);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    std::fs::write(&path, &packed).unwrap();
    let graphs = io::read_edge_lists(&[&path], false, &Compute::new()).unwrap();
    assert_eq!(graphs.describe(0), "graph(2 vertices, 1 edge)");
    let limited = io::read_edge_lists(&[&path], false, &Compute::new().with_memory(1000));
    assert!(matches!(limited.unwrap_err(), Error::Memory { .. }));
    std::fs::write(&path, &packed[..packed.len() - 12]).unwrap();
    let error = io::read_edge_lists(&[&path], false, &Compute::new()).unwrap_err();
    assert!(matches!(&error, Error::Format { path: named, .. } if *named == path), "{error}");
    std::fs::write(&path, [0xff, 0xfe]).unwrap();
    let error = io::read_edge_lists(&[&path], false, &Compute::new()).unwrap_err();
    assert!(error.to_string().ends_with("the text is not UTF-8"), "{error}");
    let missing = io::read_graphml(&[folder.path().join("none")], &io::GraphMlNames::default(), &Compute::new());
    assert!(matches!(missing.unwrap_err(), Error::File { .. }));
}

#[test]
fn graphs_of_files_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [folder.path().join("first"), folder.path().join("second")];
    std::fs::write(&paths[0], "a b 1\n").unwrap();
    std::fs::write(&paths[1], "a b\n").unwrap();
    // Edges without a weight beside others have the weight 1.
    let found = io::read_edge_lists(&paths, false, &Compute::new()).unwrap();
    assert_eq!(found.edge_weights(), Some(&[1.0; 4][..]));
    std::fs::write(&paths[1], "a b 1\nb a 2\n").unwrap();
    let error = io::read_edge_lists(&paths, false, &Compute::new()).unwrap_err();
    assert!(matches!(&error, Error::Format { path, .. } if *path == paths[1]), "{error}");
    assert_eq!(io::read_edge_lists(&paths, true, &Compute::new()).unwrap().edges(1), 2);
}
