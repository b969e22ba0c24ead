//! Reader of the TU format of graph data sets.

use std::path::{Path, PathBuf};

use crate::io::text_file::{TextFile, unfit};
use crate::points::{Graph, Graphs, Label};
use crate::{Compute, Error, Result};

/// Reads a folder in the TU format: the graphs and one class label per graph.
///
/// The folder holds `NAME_A.txt`, `NAME_graph_indicator.txt`, `NAME_graph_labels.txt` and, where
/// there are such data, `NAME_node_labels.txt`, `NAME_node_attributes.txt`, `NAME_edge_labels.txt`
/// and `NAME_edge_attributes.txt`, each plain or compressed (`.gz`). The graphs are undirected:
/// `NAME_A.txt` lists both directions of every edge, and an edge listed once is completed. A
/// label line with several columns is one label. Edge attributes of one column are edge weights;
/// edge attributes of several columns are not read (Morris et al., TUDataset, 2020).
///
/// # Errors
/// [`Error::File`] if a file cannot be read, [`Error::Format`] with the file and the line if it is
/// not what it should be.
///
/// # Example
/// ```
/// use mercer::{Compute, io};
/// let folder = std::env::temp_dir().join("mercer-doctest-tu");
/// std::fs::create_dir_all(&folder).unwrap();
/// let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
/// write("X_A.txt", "1, 2\n2, 1\n");
/// write("X_graph_indicator.txt", "1\n1\n2\n");
/// write("X_graph_labels.txt", "1\n-1\n");
/// let (graphs, labels) = io::read_tu(&folder, &Compute::new())?;
/// assert_eq!((graphs.describe(0), labels), ("graph(2 vertices, 1 edge)".into(), vec![1, -1]));
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn read_tu(folder: &Path, compute: &Compute) -> Result<(Graphs, Vec<i64>)> {
    let folder = TuFolder::open(folder, compute)?;
    let label_file = folder.required("graph_labels")?;
    let mut graphs = Members::read(&folder, label_file.lines().count())?;
    let listed = graphs.read_edges(&folder.required("A")?)?;
    if let Some(file) = folder.optional("node_labels")? {
        graphs.read_vertex_labels(&file)?;
    }
    if let Some(file) = folder.optional("node_attributes")? {
        graphs.read_vertex_vectors(&file)?;
    }
    if let Some(file) = folder.optional("edge_labels")? {
        graphs.read_edge_labels(&file, &listed)?;
    }
    if let Some(file) = folder.optional("edge_attributes")? {
        graphs.read_edge_weights(&file, &listed)?;
    }
    let labels = read_graph_labels(&label_file, graphs.graphs.len())?;
    Ok((Graphs::from_graphs(graphs.graphs, false).map_err(|e| unfit(&folder.folder, e))?, labels))
}

/// A folder and the name that its files start with.
struct TuFolder {
    folder: PathBuf,
    name: String,
    compute: Compute,
}

impl TuFolder {
    /// Finds the name by the one file `NAME_graph_indicator.txt` or `.txt.gz`.
    fn open(folder: &Path, compute: &Compute) -> Result<Self> {
        let failed = |source: std::io::Error| Error::File { path: folder.to_owned(), source };
        let mut names = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let file = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
            let stem = file.strip_suffix(".gz").unwrap_or(&file).strip_suffix("_graph_indicator.txt");
            names.extend(stem.map(str::to_string));
        }
        names.sort();
        names.dedup();
        match names.as_slice() {
            [name] => Ok(Self { folder: folder.to_path_buf(), name: name.clone(), compute: compute.clone() }),
            _ => Err(Error::Format {
                path: folder.to_owned(),
                line: None,
                reason: format!("a TU folder has one file NAME_graph_indicator.txt, and this has {}", names.len()),
            }),
        }
    }

    /// The file of one kind, if there is one.
    fn optional(&self, kind: &str) -> Result<Option<TextFile>> {
        let plain = self.folder.join(format!("{}_{kind}.txt", self.name));
        let packed = self.folder.join(format!("{}_{kind}.txt.gz", self.name));
        [plain, packed].iter().find(|path| path.is_file()).map(|path| TextFile::read(path, &self.compute)).transpose()
    }

    fn required(&self, kind: &str) -> Result<TextFile> {
        let reason = || format!("there is no file {}_{kind}.txt", self.name);
        self.optional(kind)?.ok_or_else(|| Error::Format { path: self.folder.clone(), line: None, reason: reason() })
    }
}

/// The graphs while they are read, and where each vertex of the files belongs.
struct Members {
    graphs: Vec<Graph>,
    /// For every vertex of the files its graph and its number there.
    places: Vec<(u32, u32)>,
}

impl Members {
    /// Reads the graph of every vertex; there are as many graphs as labels of graphs.
    fn read(folder: &TuFolder, labels: usize) -> Result<Self> {
        let file = folder.required("graph_indicator")?;
        let (mut graphs, mut places) = (Vec::<Graph>::new(), Vec::new());
        for (line, text) in file.lines() {
            let number = text.parse::<u32>().ok().filter(|&n| n > 0);
            let number = number.ok_or_else(|| file.error(line, format!("`{text}` is not a graph number from 1")))?;
            if number as usize > labels {
                return Err(file.error(line, format!("graph number {number}, and there are {labels} labels of graphs")));
            }
            graphs.resize_with(graphs.len().max(number as usize), Graph::default);
            let graph = &mut graphs[number as usize - 1];
            places.push((number - 1, graph.vertices as u32));
            graph.vertices += 1;
        }
        Ok(Self { graphs, places })
    }

    /// Reads the edges and returns the graph of every listed edge.
    fn read_edges(&mut self, file: &TextFile) -> Result<Vec<u32>> {
        let mut listed = Vec::new();
        for (line, text) in file.lines() {
            let ends = text.split_once(',').and_then(|(u, v)| Some((self.place(u)?, self.place(v)?)));
            let (u, v) = ends.ok_or_else(|| {
                file.error(line, format!("`{text}` is not a pair of vertex numbers from 1 to {}", self.places.len()))
            })?;
            if u.0 != v.0 {
                return Err(
                    file.error(line, format!("the edge `{text}` joins graph {} and graph {}", u.0 + 1, v.0 + 1))
                );
            }
            self.graphs[u.0 as usize].edges.push((u.1, v.1));
            listed.push(u.0);
        }
        Ok(listed)
    }

    fn place(&self, text: &str) -> Option<(u32, u32)> {
        let number: usize = text.trim().parse().ok()?;
        self.places.get(number.checked_sub(1)?).copied()
    }

    fn read_vertex_labels(&mut self, file: &TextFile) -> Result<()> {
        check_lines(file, self.places.len(), "vertices")?;
        self.graphs.iter_mut().for_each(|g| g.vertex_labels = Some(Vec::with_capacity(g.vertices)));
        for (&(graph, _), (_, text)) in self.places.iter().zip(file.lines()) {
            self.graphs[graph as usize].vertex_labels.get_or_insert_default().push(label(text));
        }
        Ok(())
    }

    fn read_vertex_vectors(&mut self, file: &TextFile) -> Result<()> {
        check_lines(file, self.places.len(), "vertices")?;
        self.graphs.iter_mut().for_each(|g| g.vertex_vectors = Some(Vec::with_capacity(g.vertices)));
        for (&(graph, _), (line, text)) in self.places.iter().zip(file.lines()) {
            self.graphs[graph as usize].vertex_vectors.get_or_insert_default().push(numbers(file, line, text)?);
        }
        Ok(())
    }

    fn read_edge_labels(&mut self, file: &TextFile, listed: &[u32]) -> Result<()> {
        check_lines(file, listed.len(), "edges")?;
        self.graphs.iter_mut().for_each(|g| g.edge_labels = Some(Vec::with_capacity(g.edges.len())));
        for (&graph, (_, text)) in listed.iter().zip(file.lines()) {
            self.graphs[graph as usize].edge_labels.get_or_insert_default().push(label(text));
        }
        Ok(())
    }

    fn read_edge_weights(&mut self, file: &TextFile, listed: &[u32]) -> Result<()> {
        check_lines(file, listed.len(), "edges")?;
        if file.lines().next().is_none_or(|(_, text)| text.contains(',')) {
            return Ok(());
        }
        self.graphs.iter_mut().for_each(|g| g.edge_weights = Some(Vec::with_capacity(g.edges.len())));
        for (&graph, (line, text)) in listed.iter().zip(file.lines()) {
            let weight = text.parse::<f64>().ok().filter(|w| w.is_finite() && *w >= 0.0);
            let weight =
                weight.ok_or_else(|| file.error(line, format!("`{text}` is not a weight (a number of at least 0)")))?;
            self.graphs[graph as usize].edge_weights.get_or_insert_default().push(weight);
        }
        Ok(())
    }
}

fn check_lines(file: &TextFile, expected: usize, what: &str) -> Result<()> {
    let found = file.lines().count();
    if found == expected { Ok(()) } else { Err(file.problem(format!("{found} lines for {expected} {what}"))) }
}

/// An integer where the text is one, otherwise the text.
fn label(text: &str) -> Label {
    text.parse().map_or_else(|_| Label::from(text), Label::Integer)
}

fn numbers(file: &TextFile, line: usize, text: &str) -> Result<Vec<f64>> {
    let number = |part: &str| part.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    let numbers = text
        .split(',')
        .map(|part| number(part).ok_or_else(|| file.error(line, format!("`{}` is not a finite number", part.trim()))));
    numbers.collect()
}

fn read_graph_labels(file: &TextFile, graphs: usize) -> Result<Vec<i64>> {
    check_lines(file, graphs, "graphs")?;
    let parse = |text: &str| text.parse::<i64>().ok().or_else(|| whole(text.parse().ok()?));
    file.lines()
        .map(|(line, text)| parse(text).ok_or_else(|| file.error(line, format!("`{text}` is not an integer label"))))
        .collect()
}

/// The integer that a number such as `1.0` or `1e0` denotes.
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let path = |kind: &str| folder.path().join(format!("X_{kind}.txt"));
        files.iter().for_each(|(kind, text)| std::fs::write(path(kind), text).unwrap());
        folder
    }

    const GOOD: [(&str, &str); 5] = [
        ("A", "1, 2\n2, 1\n4,3\n"),
        ("graph_indicator", "1\n1\n3\n3\n"),
        ("graph_labels", "-1\n1.0\n1\n"),
        ("node_labels", "7\nC\n7\n0, 1\n"),
        ("edge_attributes", "0.5\n0.5\n2\n"),
    ];

    #[test]
    fn small_folder() {
        let (graphs, labels) = read_tu(folder(&GOOD).path(), &Compute::new()).unwrap();
        assert_eq!(labels, [-1, 1, 1]);
        assert_eq!([0, 1, 2].map(|i| (graphs.vertices(i), graphs.edges(i))), [(2, 1), (0, 0), (2, 1)]);
        assert_eq!(graphs.vertex_labels().unwrap().table(), ["0, 1", "7", "C"]);
        assert_eq!(graphs.edge_weights().unwrap(), [0.5, 0.5, 2.0, 2.0]);
    }

    #[test]
    fn errors_name_file_and_line() {
        let bad = [
            ("A", "1, 2\n2, 9\n", "X_A.txt, line 2: `2, 9` is not a pair of vertex numbers from 1 to 4"),
            ("A", "1, 3\n", "line 1: the edge `1, 3` joins graph 1 and graph 3"),
            ("graph_indicator", "1\n0\n", "X_graph_indicator.txt, line 2: `0` is not a graph number"),
            (
                "graph_labels",
                "1\n1\n",
                "X_graph_indicator.txt, line 3: graph number 3, and there are 2 labels of graphs",
            ),
            ("graph_labels", "1\n1\n1\n1\n", "X_graph_labels.txt: 4 lines for 3 graphs"),
            ("edge_attributes", "1\n2\n3\n", "edge (0, 1) of graph 0 is listed twice: once with weight 1"),
            ("node_labels", "7\n", "X_node_labels.txt: 1 lines for 4 vertices"),
            ("edge_attributes", "1\n1\n-2\n", "X_edge_attributes.txt, line 3: `-2` is not a weight"),
        ];
        for (kind, text, message) in bad {
            let folder = folder(&GOOD);
            std::fs::write(folder.path().join(format!("X_{kind}.txt")), text).unwrap();
            let error = read_tu(folder.path(), &Compute::new()).unwrap_err();
            assert!(matches!(error, Error::Format { .. }) && error.to_string().contains(message), "{error}");
        }
        let missing = read_tu(&folder(&[]).path().join("no such folder"), &Compute::new());
        assert!(matches!(missing.unwrap_err(), Error::File { .. }));
        let empty = read_tu(folder(&[]).path(), &Compute::new()).unwrap_err().to_string();
        assert!(empty.ends_with("a TU folder has one file NAME_graph_indicator.txt, and this has 0"), "{empty}");
    }
}
