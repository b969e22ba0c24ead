//! The data sets of a session.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mercer::Compute;
use mercer::io::{ReadOptions, read_table_from};
use mercer::points::Table;

use super::archive;
use super::bundled::{ALL, Bundled};
use crate::lab::refusal::Refusal;

/// Uploads that are kept.
const MOST_UPLOADS: usize = 12;
/// Bytes of an upload.
pub const MOST_BYTES: usize = 32 << 20;
/// Rows of an upload, and columns.
const MOST_ROWS: usize = 200_000;
const MOST_COLUMNS: usize = 2_000;

/// A data set.
#[derive(Debug)]
pub struct Dataset {
    /// The name in addresses.
    pub id: String,
    /// What commands call it: a path of this computer for the file of the command line, otherwise a name.
    pub file: String,
    /// What it is.
    pub title: String,
    /// Its kind in a few words.
    pub kind: String,
    /// Where it is from: `bundled`, `given`, `uploaded`.
    pub origin: &'static str,
    /// What is predicted by default.
    pub target: Option<String>,
    /// The rows.
    pub table: Table,
}

/// The data sets of a session. Bundled ones are read when they are first asked for.
#[derive(Debug)]
pub struct Store {
    compute: Compute,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    sets: BTreeMap<String, Arc<Dataset>>,
    uploads: Vec<String>,
    counted: usize,
}

impl Store {
    /// An empty store.
    pub fn new(compute: Compute) -> Self {
        Self { compute, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the file of the command line.
    pub fn give(&self, id: &str, file: String, table: Table) {
        let target = table.label().map(|column| table.columns()[column].name.clone());
        let title = file.rsplit(['/', '\\']).next().unwrap_or(&file).to_owned();
        let set = Dataset { id: id.into(), file, title, kind: "file".into(), origin: "given", target, table };
        self.state().sets.insert(id.to_owned(), Arc::new(set));
    }

    /// Sets that were given or uploaded.
    pub fn own(&self) -> Vec<Arc<Dataset>> {
        self.state().sets.values().filter(|set| set.origin != "bundled").cloned().collect()
    }

    /// The set of this name.
    pub fn get(&self, id: &str) -> Result<Arc<Dataset>, Refusal> {
        if let Some(set) = self.state().sets.get(id) {
            return Ok(set.clone());
        }
        let bundled = ALL.iter().find(|set| set.id == id);
        let bundled = bundled.ok_or_else(|| {
            Refusal::missing(format!("there is no data set `{id}`; an upload is gone when the server ends"))
        })?;
        let set = Arc::new(self.read_bundled(bundled)?);
        self.state().sets.insert(id.to_owned(), set.clone());
        Ok(set)
    }

    fn read_bundled(&self, bundled: &Bundled) -> Result<Dataset, Refusal> {
        Ok(Dataset {
            id: bundled.id.into(),
            file: bundled.file.into(),
            title: bundled.title.into(),
            kind: bundled.kind.into(),
            origin: "bundled",
            target: bundled.target.map(str::to_owned),
            table: bundled.table(&self.compute)?,
        })
    }

    /// Reads the bytes of an upload. Its name tells the format, and nothing else.
    pub fn upload(&self, name: &str, bytes: &[u8]) -> Result<Arc<Dataset>, Refusal> {
        if bytes.len() > MOST_BYTES {
            return Err(Refusal::too_large(format!("a file may have {} MiB here", MOST_BYTES >> 20)));
        }
        let file = plain(name);
        let table = if archive::is_archive(&file, bytes) {
            archive::read(bytes, &self.compute)?
        } else {
            read_table_from(bytes, &file, &ReadOptions::default(), &self.compute)?
        };
        let (rows, columns) = (table.rows(), table.columns().len());
        if rows > MOST_ROWS || columns > MOST_COLUMNS {
            let message = format!("{rows} rows and {columns} columns: here {MOST_ROWS} and {MOST_COLUMNS} are allowed");
            return Err(Refusal::too_large(message));
        }
        if rows == 0 {
            return Err(Refusal::request(format!("{file}: there is no row of data")));
        }
        let target = table.label().map(|column| table.columns()[column].name.clone());
        let mut state = self.state();
        state.counted += 1;
        let id = format!("upload{}", state.counted);
        let title = file.clone();
        let set = Dataset { id: id.clone(), file, title, kind: "upload".into(), origin: "uploaded", target, table };
        let set = Arc::new(set);
        state.sets.insert(id.clone(), set.clone());
        state.uploads.push(id);
        if state.uploads.len() > MOST_UPLOADS {
            let oldest = state.uploads.remove(0);
            state.sets.remove(&oldest);
        }
        Ok(set)
    }
}

/// The name of an upload in commands and messages: no folders, no signs that a shell or a page would read.
fn plain(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = last.chars().filter(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-')).take(80).collect();
    let kept = kept.trim_start_matches(['.', '-']).to_owned();
    if kept.is_empty() { "data.csv".into() } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        assert_eq!(plain("../../etc/pass wd.csv"), "passwd.csv");
        assert_eq!(plain("--rm;$(x).csv"), "rmx.csv");
        assert_eq!(plain("///"), "data.csv");
    }

    #[test]
    fn the_oldest_upload_makes_room() {
        let store = Store::new(Compute::new());
        for i in 0..=MOST_UPLOADS {
            store.upload("a.csv", format!("x\n{i}\n").as_bytes()).unwrap();
        }
        assert!(store.get("upload1").is_err() && store.get("upload2").is_ok());
        assert_eq!(store.upload("a.csv", b"x,y\n").unwrap_err().status, 400);
        assert_eq!(store.upload("a.csv", &vec![b'1'; MOST_BYTES + 1]).unwrap_err().status, 413);
        assert_eq!(store.get("nothing").unwrap_err().status, 404);
    }
}
