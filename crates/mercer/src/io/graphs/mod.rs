//! Readers of graphs: folders in the TU format, edge lists and GraphML.

mod edge_list;
mod graphml;
mod text_file;
mod tu;
mod xml;

pub use edge_list::read_edge_lists;
pub use graphml::{GraphMlNames, read_graphml};
pub use tu::read_tu;
