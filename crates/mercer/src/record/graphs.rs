//! Graphs in a record: a few lists of integers, the texts of the labels as bytes, weights and vectors as arrays.

use super::{Record, missing};
use crate::error::RecordProblem;
use crate::points::{Graphs, GraphsParts, LabelParts};
use crate::{Error, Result};

impl Record {
    /// Graphs under a name.
    pub(super) fn put_graphs(&mut self, name: &str, graphs: &Graphs) {
        let parts = graphs.clone().into_parts();
        self.put_part(name, "directed", vec![i64::from(parts.directed)]);
        self.put_part(name, "graph_starts", parts.graph_starts);
        self.put_part(name, "neighbor_starts", parts.neighbor_starts);
        self.put_part(name, "neighbors", parts.neighbors);
        self.put_labels(name, "vertex_labels", parts.vertex_labels);
        self.put_labels(name, "edge_labels", parts.edge_labels);
        if let Some((width, values)) = parts.vertex_vectors {
            self.put_part(name, "vector_width", vec![width]);
            self.put_slice(&format!("{name}.vertex_vectors"), &values);
        }
        if let Some(weights) = parts.edge_weights {
            self.put_slice(&format!("{name}.edge_weights"), &weights);
        }
    }

    /// Takes the graphs that [`Record::put_graphs`] wrote.
    pub(super) fn take_graphs(&mut self, name: &str) -> Result<Graphs> {
        let directed = match self.take_part(name, "directed")?[..] {
            [0] => false,
            [1] => true,
            _ => return Err(damaged(name, "directed", "it must be 0 or 1")),
        };
        let width = self.integers.contains_key(&format!("{name}.vector_width"));
        let vertex_vectors = width.then(|| self.take_vectors(name)).transpose()?;
        Graphs::from_parts(GraphsParts {
            directed,
            graph_starts: self.take_part(name, "graph_starts")?,
            neighbor_starts: self.take_part(name, "neighbor_starts")?,
            neighbors: self.take_part(name, "neighbors")?,
            vertex_labels: self.take_labels(name, "vertex_labels")?,
            vertex_vectors,
            edge_labels: self.take_labels(name, "edge_labels")?,
            edge_weights: self.take_numbers(name, "edge_weights")?,
        })
    }

    fn put_part(&mut self, name: &str, part: &str, values: Vec<i64>) {
        self.integers.insert(format!("{name}.{part}"), values);
    }

    fn take_part(&mut self, name: &str, part: &str) -> Result<Vec<i64>> {
        let name = format!("{name}.{part}");
        self.integers.remove(&name).ok_or_else(|| missing(&name))
    }

    fn put_labels(&mut self, name: &str, part: &str, labels: Option<LabelParts>) {
        if let Some(labels) = labels {
            self.put_part(name, &format!("{part}.codes"), labels.codes);
            self.put_part(name, &format!("{part}.starts"), labels.starts);
            self.bytes.insert(format!("{name}.{part}.text"), labels.bytes);
        }
    }

    fn take_labels(&mut self, name: &str, part: &str) -> Result<Option<LabelParts>> {
        if !self.integers.contains_key(&format!("{name}.{part}.codes")) {
            return Ok(None);
        }
        let codes = self.take_part(name, &format!("{part}.codes"))?;
        let starts = self.take_part(name, &format!("{part}.starts"))?;
        Ok(Some(LabelParts { codes, bytes: self.take_bytes(&format!("{name}.{part}.text"))?, starts }))
    }

    fn take_vectors(&mut self, name: &str) -> Result<(i64, Vec<f64>)> {
        let width = match self.take_part(name, "vector_width")?[..] {
            [width] => width,
            _ => return Err(damaged(name, "vector_width", "it must be one number")),
        };
        let vectors = format!("{name}.vertex_vectors");
        Ok((width, self.take_any_vector(&vectors)?.to_vec()))
    }

    fn take_numbers(&mut self, name: &str, part: &str) -> Result<Option<Vec<f64>>> {
        let name = format!("{name}.{part}");
        Ok(if self.has(&name) { Some(self.take_any_vector(&name)?.to_vec()) } else { None })
    }
}

fn damaged(name: &str, part: &str, reason: &str) -> Error {
    Error::record(format!("list `{name}.{part}`"), RecordProblem::Damaged(reason.into()))
}

#[cfg(test)]
mod tests {
    use ndarray::ArrayView2;

    use super::*;
    use crate::points::Graph;
    use crate::{Points, Sample};

    fn graphs(directed: bool) -> Graphs {
        let full = Graph::new(3, vec![(0, 1), (2, 1), (2, 2)])
            .with_vertex_labels(["é", "", "C"])
            .with_vertex_vectors(vec![vec![1.0, 2.0], vec![2.0, 0.0], vec![3.0, -1.0]])
            .with_edge_labels([1, 2, 1])
            .with_edge_weights(vec![1.0, 0.5, 3.0]);
        Graphs::from_graphs(vec![Graph::default(), full], directed).unwrap()
    }

    fn record(graphs: &Graphs) -> Record {
        let mut record = Record::default();
        record.put_points("points", Points::from(graphs));
        record
    }

    #[test]
    fn graphs_come_back() {
        let plain = Graph::new(2, vec![(0, 1)]);
        let samples = [vec![], vec![Graph::default()], vec![plain, Graph::new(1, vec![])]];
        let plain = samples.map(|graphs| Graphs::from_graphs(graphs, false).unwrap());
        for graphs in [graphs(false), graphs(true)].iter().chain(&plain) {
            let mut record = record(graphs);
            assert_eq!(record.take_points("points").unwrap(), Sample::Graphs(graphs.clone()));
        }
    }

    #[test]
    fn damaged_lists_are_refused() {
        let names: Vec<String> = record(&graphs(false)).integers.keys().cloned().collect();
        assert_eq!(names.len(), 9);
        for name in &names {
            // A list that is gone, cut short, empty, with a number too large or below 0.
            let damages: [fn(&mut Vec<i64>); 5] =
                [Vec::clear, |v| v.truncate(v.len() - 1), |v| v[0] = i64::MAX, |v| v[0] = -1, |v| v.push(0)];
            for (at, damage) in damages.iter().enumerate() {
                let mut record = record(&graphs(false));
                damage(record.integers.get_mut(name).unwrap());
                assert!(record.take_points("points").is_err(), "{name}, damage {at}");
            }
        }
        for name in names.iter().filter(|name| !name.ends_with("codes") && !name.ends_with("width")) {
            let mut record = record(&graphs(false));
            record.integers.remove(name);
            assert!(record.take_points("points").is_err(), "without {name}");
        }
    }

    #[test]
    fn damaged_numbers_and_texts_are_refused() {
        let damages: [fn(&mut Record); 7] = [
            |r| drop(r.bytes.remove("points.vertex_labels.text")),
            |r| r.bytes.get_mut("points.vertex_labels.text").unwrap()[1] = 0xff,
            |r| r.bytes.get_mut("points.edge_labels.text").unwrap().clear(),
            |r| r.put_slice("points.edge_weights", &[-1.0; 5]),
            |r| r.put_slice("points.edge_weights", &[1.0]),
            |r| r.put_slice("points.vertex_vectors", &[f64::NAN; 6]),
            |r| r.put_matrix("points.vertex_vectors", ArrayView2::from_shape((3, 2), &[0.0; 6]).unwrap()),
        ];
        for (at, damage) in damages.iter().enumerate() {
            let mut record = record(&graphs(false));
            damage(&mut record);
            assert!(record.take_points("points").is_err(), "damage {at}");
        }
    }
}
