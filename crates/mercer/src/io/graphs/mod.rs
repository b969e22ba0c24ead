//! Readers of graphs: folders in the TU format, edge lists and GraphML.

mod edge_list;
mod folder;
mod graphml;
mod tu;
mod xml;

pub use edge_list::read_edge_lists;
pub(super) use folder::{read_files, read_folder};
pub use graphml::{GraphMlNames, read_graphml};
pub use tu::read_tu;
