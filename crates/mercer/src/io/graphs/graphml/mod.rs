//! Reader of GraphML files.

mod items;

use std::collections::HashMap;
use std::path::Path;

use super::xml::{Event, Reader};
use crate::io::text_file::{TextFile, unfit};
use crate::points::{Graph, Graphs};
use crate::{Compute, Error, Result};
use items::{Data, Items};

/// The names of the data (`attr.name` of the keys) that are read. Data that no item has are
/// absent; data that some items have and others have not are an error.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphMlNames {
    /// The label of a vertex.
    pub vertex_label: String,
    /// The components of the vector of a vertex, in this order.
    pub vertex_vector: Vec<String>,
    /// The label of an edge.
    pub edge_label: String,
    /// The weight of an edge.
    pub edge_weight: String,
}

impl Default for GraphMlNames {
    fn default() -> Self {
        let [label, weight] = ["label", "weight"].map(String::from);
        Self { vertex_label: label.clone(), vertex_vector: Vec::new(), edge_label: label, edge_weight: weight }
    }
}

/// Reads the graphs of GraphML files, in the order of the files; a file may hold several graphs.
/// `edgedefault` must be the same for all of them. Default values of keys are used; nested
/// graphs and hyperedges are refused. Files may be compressed (gzip).
///
/// # Errors
/// [`Error::File`] if a file cannot be read, [`Error::Format`] with the file and the line if it is
/// not what it should be.
///
/// # Example
/// ```
/// use mercer::{Compute, io};
/// let path = std::env::temp_dir().join("mercer-doctest.graphml");
/// let text = "<graphml><graph edgedefault='directed'>\
///             <node id='a'/><node id='b'/><edge source='a' target='b'/></graph></graphml>";
/// std::fs::write(&path, text).unwrap();
/// let graphs = io::read_graphml(&[&path], &io::GraphMlNames::default(), &Compute::new())?;
/// assert_eq!((graphs.neighbors(0, 0), graphs.is_directed()), (&[1][..], true));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn read_graphml(paths: &[impl AsRef<Path>], names: &GraphMlNames, compute: &Compute) -> Result<Graphs> {
    let (mut graphs, mut directed) = (Vec::new(), None);
    for path in paths.iter().map(AsRef::as_ref) {
        let file = TextFile::read(path, compute)?;
        let mut document = Document::new(&file, names, directed);
        document.read()?;
        directed = document.directed;
        let own = Graphs::from_graphs(document.graphs.clone(), directed.unwrap_or(false));
        own.map_err(|e| unfit(path, e))?;
        graphs.append(&mut document.graphs);
    }
    Graphs::from_graphs(graphs, directed.unwrap_or(false))
}

/// A `<key>`: what it is for, its name, and its default value.
struct Key {
    domain: String,
    name: String,
    default: Option<String>,
}

/// A file while it is read.
struct Document<'a> {
    file: &'a TextFile,
    names: &'a GraphMlNames,
    reader: Reader<'a>,
    keys: HashMap<String, Key>,
    directed: Option<bool>,
    open: Option<Items>,
    /// The innermost of graph, node and edge; the last key; the last text.
    item: &'a str,
    key: String,
    text: String,
    graphs: Vec<Graph>,
}

impl<'a> Document<'a> {
    fn new(file: &'a TextFile, names: &'a GraphMlNames, directed: Option<bool>) -> Self {
        let reader = Reader::new(file);
        let (keys, key, text) = (HashMap::new(), String::new(), String::new());
        Self { file, names, reader, keys, directed, open: None, item: "", key, text, graphs: Vec::new() }
    }

    fn read(&mut self) -> Result<()> {
        while let Some(event) = self.reader.next()? {
            match event {
                Event::Start { name, attributes } => self.start(name, &attributes)?,
                Event::Text(found) => self.text = found,
                Event::End { name } => self.end(name)?,
            }
        }
        if self.open.is_some() { Err(self.error("the file ends within a graph")) } else { Ok(()) }
    }

    fn start(&mut self, name: &'a str, attributes: &[(&str, String)]) -> Result<()> {
        self.text.clear();
        match name {
            "graph" => self.start_graph(attributes)?,
            "node" => self.add_vertex(attributes)?,
            "edge" => self.add_edge(attributes)?,
            "key" => self.key = self.add_key(attributes)?,
            "data" => self.key = self.required(attributes, "key")?,
            "hyperedge" => return Err(self.error("hyperedges cannot be read")),
            _ => {}
        }
        self.item = if matches!(name, "graph" | "node" | "edge") { name } else { self.item };
        Ok(())
    }

    fn end(&mut self, name: &str) -> Result<()> {
        match name {
            "data" => self.add_data(),
            "default" => self.set_default(),
            "node" | "edge" => self.item = "graph",
            "graph" => self.finish_graph()?,
            _ => {}
        }
        Ok(())
    }

    fn error(&self, text: impl std::fmt::Display) -> Error {
        self.file.error(self.reader.line(), text)
    }

    fn required(&self, attributes: &[(&str, String)], name: &str) -> Result<String> {
        let missing = || self.error(format!("the attribute `{name}` is missing"));
        attribute(attributes, name).ok_or_else(missing)
    }

    fn add_key(&mut self, attributes: &[(&str, String)]) -> Result<String> {
        let id = self.required(attributes, "id")?;
        let domain = attribute(attributes, "for").unwrap_or_else(|| "all".to_string());
        let name = attribute(attributes, "attr.name").unwrap_or_else(|| id.clone());
        self.keys.insert(id.clone(), Key { domain, name, default: None });
        Ok(id)
    }

    fn set_default(&mut self) {
        if let Some(key) = self.keys.get_mut(&self.key) {
            key.default = Some(std::mem::take(&mut self.text));
        }
    }

    fn start_graph(&mut self, attributes: &[(&str, String)]) -> Result<()> {
        if self.open.is_some() {
            return Err(self.error("nested graphs cannot be read"));
        }
        let directed = attribute(attributes, "edgedefault").is_some_and(|default| default == "directed");
        if self.directed.is_some_and(|before| before != directed) {
            return Err(self.error("directed and undirected graphs cannot be in one sample"));
        }
        (self.directed, self.open) = (Some(directed), Some(Items::default()));
        Ok(())
    }

    fn add_vertex(&mut self, attributes: &[(&str, String)]) -> Result<()> {
        let (id, data) = (self.required(attributes, "id")?, self.defaults("node"));
        let Some(open) = &mut self.open else { return Err(self.error("a node outside of a graph")) };
        let number = open.vertex_data.len() as u32;
        open.vertex_data.push(data);
        match open.vertices.insert(id.clone(), number) {
            None => Ok(()),
            Some(_) => Err(self.error(format!("the node `{id}` occurs twice"))),
        }
    }

    fn add_edge(&mut self, attributes: &[(&str, String)]) -> Result<()> {
        let (source, target) = (self.required(attributes, "source")?, self.required(attributes, "target")?);
        let own = attribute(attributes, "directed").map(|text| text == "true");
        if own.is_some_and(|own| Some(own) != self.directed) {
            return Err(self.error("an edge differs from the `edgedefault` of its graph"));
        }
        let (line, data) = (self.reader.line(), self.defaults("edge"));
        let Some(open) = &mut self.open else { return Err(self.error("an edge outside of a graph")) };
        open.edges.push((source, target, line));
        open.edge_data.push(data);
        Ok(())
    }

    /// The default values of all keys of one kind of items.
    fn defaults(&self, item: &str) -> Data {
        let keys = self.keys.values().filter(|key| key.domain == item || key.domain == "all");
        keys.filter_map(|key| Some((key.name.clone(), key.default.clone()?))).collect()
    }

    /// Stores the data of the last vertex or edge.
    fn add_data(&mut self) {
        let name = self.keys.get(&self.key).map_or(&self.key, |key| &key.name).clone();
        let Some(open) = &mut self.open else { return };
        let last = match self.item {
            "node" => open.vertex_data.last_mut(),
            "edge" => open.edge_data.last_mut(),
            _ => None,
        };
        if let Some(data) = last {
            data.insert(name, std::mem::take(&mut self.text));
        }
    }

    fn finish_graph(&mut self) -> Result<()> {
        let items = self.open.take().unwrap_or_default();
        let graph = items.graph(self.names, self.file, self.reader.line())?;
        self.graphs.push(graph);
        Ok(())
    }
}

/// The value of an attribute.
fn attribute(attributes: &[(&str, String)], name: &str) -> Option<String> {
    attributes.iter().find(|(found, _)| *found == name).map(|(_, value)| value.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str, names: &GraphMlNames) -> Result<Graphs> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read_graphml(&[&path], names, &Compute::new())
    }

    const GOOD: &str = r#"<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="label" attr.type="string"><default>C</default></key>
  <key id="d1" for="edge" attr.name="weight" attr.type="double"/> <key id="d2" for="node" attr.name="x"/>
  <!-- two graphs -->
  <graph id="G" edgedefault="undirected">
    <node id="n0"><data key="d0">N &amp; O</data><data key="d2">1.5</data></node>
    <node id="n>1"><data key="d2">-2</data></node>
    <edge source="n0" target="n>1"><data key="d1">2</data></edge>
  </graph>
  <graph edgedefault="undirected"><node id='a'><data key="d2">0</data></node></graph>
</graphml>"#;

    #[test]
    fn graphs_with_data() {
        let names = GraphMlNames { vertex_vector: vec!["x".into()], ..GraphMlNames::default() };
        let graphs = read("good", GOOD, &names).unwrap();
        assert_eq!((graphs.describe(0).as_str(), graphs.vertices(1)), ("graph(2 vertices, 1 edge)", 1));
        assert_eq!(graphs.vertex_labels().unwrap().table(), ["C", "N & O"]);
        assert_eq!(graphs.edge_weights().unwrap(), [2.0, 2.0]);
        assert_eq!(graphs.vertex_vectors(0).unwrap(), [1.5, -2.0]);
        assert!(!graphs.is_directed());
    }

    #[test]
    fn errors_name_the_line() {
        let names = GraphMlNames::default();
        let error = |name: &str, text: &str| read(name, text, &names).unwrap_err().to_string();
        let graph = |inside: &str| format!("<graphml>\n<graph>\n{inside}\n</graph>\n</graphml>");
        assert!(
            error("end", &graph("<node id='a'/><edge source='a' target='b'/>"))
                .contains("line 3: the edge from `a` to `b`")
        );
        assert!(error("twice", &graph("<node id='a'/><node id='a'/>")).contains("occurs twice"));
        assert!(error("nested", &graph("<graph/>")).contains("nested"));
        assert!(error("tag", &graph("<node id=a/>")).contains("line 3: `<node id=a/>` is not a valid tag"));
        assert!(error("open", "<graphml><graph>").contains("ends within a graph"));
        assert!(error("half", "<graphml><gra").contains("`>` is missing"));
        assert!(
            error("mixed", "<graphml><graph edgedefault='directed'/><graph/></graphml>")
                .contains("directed and undirected")
        );
        assert!(error("node", "<node id='a'/>").contains("outside of a graph"));
    }
}
