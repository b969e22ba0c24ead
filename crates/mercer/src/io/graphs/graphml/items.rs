//! The nodes and edges of one GraphML graph, with their data.

use std::collections::HashMap;

use super::GraphMlNames;
use crate::Result;
use crate::io::text_file::TextFile;
use crate::points::{Graph, Label};

/// The data of one node or edge by the names of the keys.
pub(super) type Data = HashMap<String, String>;

/// What was read of a graph.
#[derive(Default)]
pub(super) struct Items {
    /// The numbers of the nodes by their names.
    pub vertices: HashMap<String, u32>,
    pub vertex_data: Vec<Data>,
    /// The names of the ends, and the line.
    pub edges: Vec<(String, String, usize)>,
    pub edge_data: Vec<Data>,
}

impl Items {
    /// The graph of these items, which ends at `line` of the file.
    pub(super) fn graph(&self, names: &GraphMlNames, file: &TextFile, line: usize) -> Result<Graph> {
        let place = Place { file, line };
        let mut graph = Graph::new(self.vertex_data.len(), self.numbered_edges(file)?);
        graph.vertex_labels = place.labels(&self.vertex_data, &names.vertex_label)?;
        graph.vertex_vectors = place.vectors(&self.vertex_data, &names.vertex_vector)?;
        graph.edge_labels = place.labels(&self.edge_data, &names.edge_label)?;
        graph.edge_weights = place.numbers(&self.edge_data, &names.edge_weight)?;
        Ok(graph)
    }

    fn numbered_edges(&self, file: &TextFile) -> Result<Vec<(u32, u32)>> {
        let edge = |(source, target, line): &(String, String, usize)| {
            let ends = self.vertices.get(source).copied().zip(self.vertices.get(target).copied());
            let text = || format!("the edge from `{source}` to `{target}` has an end that is no node");
            ends.ok_or_else(|| file.error(*line, text()))
        };
        self.edges.iter().map(edge).collect()
    }
}

/// Where errors are reported.
struct Place<'a> {
    file: &'a TextFile,
    line: usize,
}

impl Place<'_> {
    /// One value for every item, or `None` if no item has one.
    fn column<'d>(&self, data: &'d [Data], name: &str) -> Result<Option<Vec<&'d String>>> {
        let found: Vec<&String> = data.iter().filter_map(|data| data.get(name)).collect();
        match found.len() {
            0 => Ok(None),
            count if count == data.len() => Ok(Some(found)),
            count => {
                let text =
                    format!("{count} of {} items have the data `{name}`: all or none must have them", data.len());
                Err(self.file.error(self.line, text))
            }
        }
    }

    fn labels(&self, data: &[Data], name: &str) -> Result<Option<Vec<Label>>> {
        Ok(self.column(data, name)?.map(|texts| texts.into_iter().map(|text| Label::from(text.as_str())).collect()))
    }

    fn numbers(&self, data: &[Data], name: &str) -> Result<Option<Vec<f64>>> {
        let invalid = |text: &str| self.file.error(self.line, format!("`{text}` in the data `{name}` is not a number"));
        let parse = |text: &String| text.parse().map_err(|_| invalid(text));
        self.column(data, name)?.map(|texts| texts.into_iter().map(parse).collect()).transpose()
    }

    fn vectors(&self, data: &[Data], names: &[String]) -> Result<Option<Vec<Vec<f64>>>> {
        let mut vectors = vec![Vec::new(); data.len()];
        for name in names {
            let numbers = self.numbers(data, name)?.unwrap_or_default();
            if numbers.len() != data.len() {
                return Err(self.file.error(self.line, format!("the nodes have no data `{name}`")));
            }
            vectors.iter_mut().zip(numbers).for_each(|(vector, number)| vector.push(number));
        }
        Ok((!names.is_empty()).then_some(vectors))
    }
}
