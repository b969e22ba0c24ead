//! Files and folders of graphs as tables.

use std::path::{Path, PathBuf};

use super::{GraphMlNames, read_edge_lists, read_graphml, read_tu};
use crate::io::Format;
use crate::points::{Column, Graphs, Table};
use crate::{Compute, Error, Result};

/// A folder of graphs as a table with the column `graph`: one in the TU format, whose label is
/// `label`, or one of GraphML files or edge lists, one graph per file, with the column `id` that
/// holds the names of the files without their endings.
pub(in crate::io) fn read_folder(folder: &Path, format: Option<Format>, compute: &Compute) -> Result<Table> {
    let files = sorted_files(folder)?;
    let is_tu = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.strip_suffix(".gz").unwrap_or(&name).ends_with("_A.txt")
    };
    if format == Some(Format::Tu) || (format.is_none() && files.iter().any(is_tu)) {
        return tu_table(folder, compute);
    }
    for kind in [Format::GraphMl, Format::Edges] {
        let of_kind = |path: &&PathBuf| Format::from_path(path).is_ok_and(|found| found == kind);
        let own: Vec<PathBuf> = files.iter().filter(of_kind).cloned().collect();
        if format.is_none_or(|wanted| wanted == kind) && !own.is_empty() {
            return read_files(&own, kind, compute);
        }
    }
    let reason = "the folder holds no graphs: neither the files of the TU format (NAME_A.txt, \
                  NAME_graph_indicator.txt) nor files ending in .graphml or .edges";
    Err(Error::Format { path: folder.to_owned(), line: None, reason: reason.into() })
}

/// Graphs of files of one format, with the names of the files where there is one graph per file.
pub(in crate::io) fn read_files(paths: &[PathBuf], format: Format, compute: &Compute) -> Result<Table> {
    let graphs = match format {
        Format::GraphMl => read_graphml(paths, &GraphMlNames::default(), compute)?,
        _ => read_edge_lists(paths, false, compute)?,
    };
    let name = |path: &PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let ids: Vec<String> = if graphs.len() == paths.len() {
        paths.iter().map(name).collect()
    } else {
        (0..graphs.len()).map(|i| i.to_string()).collect()
    };
    let id = Column::categories("id", ids.iter().map(|id| Some(id.as_str())));
    Table::from_columns(vec![id, Column::objects("graph", graphs)])?.with_id("id")
}

fn tu_table(folder: &Path, compute: &Compute) -> Result<Table> {
    let (graphs, labels): (Graphs, Vec<i64>) = read_tu(folder, compute)?;
    let labels = labels.into_iter().map(|label| label as f64).collect();
    Table::from_columns(vec![Column::objects("graph", graphs), Column::numbers("label", labels)])?.with_label("label")
}

fn sorted_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |source| Error::File { path: folder.to_owned(), source };
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let mut files = entries.map(|entry| entry.map(|e| e.path()).map_err(failed)).collect::<Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}
