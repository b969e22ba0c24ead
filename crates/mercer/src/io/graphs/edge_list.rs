//! Reader of edge lists: one file per graph.

use std::collections::HashMap;
use std::path::Path;

use crate::io::text_file::{TextFile, unfit};
use crate::points::{Graph, Graphs};
use crate::{Compute, Result};

/// Reads one graph per file.
///
/// Every line is an edge: two vertex names and, in all lines or in none, a weight of at least 0,
/// separated by commas, spaces or tabs. A line with one name is a vertex, for vertices without
/// edges. Lines that start with `#` or `%` are comments; a last field `{}`, as networkx writes
/// for edges without data, is skipped. Vertices are numbered by first appearance; their names are
/// not labels. Files may be compressed (gzip).
///
/// # Errors
/// [`Error::File`](crate::Error::File) if a file cannot be read, [`Error::Format`](crate::Error::Format)
/// with the file and the line if it is not what it should be.
///
/// # Example
/// ```
/// use mercer::{Compute, io};
/// let path = std::env::temp_dir().join("mercer-doctest-triangle.edges");
/// std::fs::write(&path, "# a triangle\na b 1.5\nb c 2\nc a 1\n").unwrap();
/// let graphs = io::read_edge_lists(&[&path], false, &Compute::new())?;
/// assert_eq!(graphs.describe(0), "graph(3 vertices, 3 edges)");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn read_edge_lists(paths: &[impl AsRef<Path>], directed: bool, compute: &Compute) -> Result<Graphs> {
    let mut graphs = Vec::new();
    for path in paths.iter().map(AsRef::as_ref) {
        let graph = read_graph(&TextFile::read(path, compute)?)?;
        Graphs::from_graphs(vec![graph.clone()], directed).map_err(|e| unfit(path, e))?;
        graphs.push(graph);
    }
    Graphs::from_graphs(graphs, directed)
}

fn read_graph(file: &TextFile) -> Result<Graph> {
    let (mut graph, mut names, mut weights) = (Graph::default(), HashMap::new(), Vec::new());
    for (line, text) in file.lines().filter(|(_, text)| !text.starts_with(['#', '%'])) {
        let separators = |c: char| c == ',' || c.is_whitespace();
        let text = text.strip_suffix("{}").unwrap_or(text);
        let fields: Vec<&str> = text.split(separators).filter(|field| !field.is_empty()).collect();
        let mut vertex = |name| number(&mut names, name);
        match fields[..] {
            [one] => {
                vertex(one);
            }
            [start, end] => graph.edges.push((vertex(start), vertex(end))),
            [start, end, weight] => {
                graph.edges.push((vertex(start), vertex(end)));
                weights.push(parse_weight(file, line, weight)?);
            }
            _ => return Err(file.error(line, format!("`{text}` is not two vertices and at most one weight"))),
        }
        if !weights.is_empty() && weights.len() != graph.edges.len() {
            return Err(file.error(line, "some edges have a weight and others have none"));
        }
    }
    graph.vertices = names.len();
    graph.edge_weights = (!weights.is_empty()).then_some(weights);
    Ok(graph)
}

/// The number of a vertex by its name; new names have the next number.
fn number<'a>(names: &mut HashMap<&'a str, u32>, name: &'a str) -> u32 {
    let next = names.len() as u32;
    *names.entry(name).or_insert(next)
}

fn parse_weight(file: &TextFile, line: usize, text: &str) -> Result<f64> {
    let weight = text.parse::<f64>().ok().filter(|w| w.is_finite() && *w >= 0.0);
    weight.ok_or_else(|| file.error(line, format!("`{text}` is not a weight (a number of at least 0)")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<Graphs> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read_edge_lists(&[&path], false, &Compute::new())
    }

    #[test]
    fn edges_and_weights() {
        let graphs = read("good", "# comment\na b 1.5\nb,c,2\n\nlonely\na\tc 1\n").unwrap();
        assert_eq!(graphs.describe(0), "graph(4 vertices, 3 edges)");
        assert_eq!(graphs.edge_weights().unwrap(), [1.5, 1.0, 1.5, 2.0, 1.0, 2.0]);
        assert_eq!(read("plain", "0 1 {}\n1 2 {}\n").unwrap().edges(0), 2);
        assert_eq!(read("empty", "").unwrap().vertices(0), 0);
    }

    #[test]
    fn errors_name_the_line() {
        let error = |name: &str, text: &str| read(name, text).unwrap_err().to_string();
        assert!(error("mixed", "a b 1\nb c\n").ends_with("line 2: some edges have a weight and others have none"));
        assert!(error("later", "a b\nb c 1\n").ends_with("line 2: some edges have a weight and others have none"));
        assert!(error("weight", "a b x\n").contains("line 1: `x` is not a weight"));
        assert!(error("fields", "a b 1 2\n").contains("line 1: `a b 1 2` is not two vertices"));
    }
}
