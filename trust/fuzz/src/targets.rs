//! The readers that are fuzzed. Each returns whether the input was accepted.

use std::fs;
use std::path::PathBuf;

use mercer::features::{CovarianceStatistics, MeanStatistics, RidgeStatistics};
use mercer::io::{self, Format, GraphMlNames, ReadOptions};
use mercer::learn::RidgeStream;
use mercer::{Compute, Kernel};

/// A reader of bytes under a memory limit.
pub type Run = fn(&[u8], u64) -> bool;

/// The names of the targets.
pub const NAMES: [&str; 13] = [
    "kernel",
    "csv",
    "tsv",
    "libsvm",
    "npy",
    "parquet",
    "fasta",
    "graphml",
    "edges",
    "tu",
    "model",
    "stream",
    "statistics",
];

/// The target with a name.
pub fn by_name(name: &str) -> Option<Run> {
    Some(match name {
        "kernel" => kernel,
        "csv" => |bytes, memory| table(bytes, memory, Format::Csv),
        "tsv" => |bytes, memory| table(bytes, memory, Format::Tsv),
        "libsvm" => |bytes, memory| table(bytes, memory, Format::Libsvm),
        "npy" => |bytes, memory| table(bytes, memory, Format::Npy),
        "parquet" => |bytes, memory| table(bytes, memory, Format::Parquet),
        "fasta" => |bytes, memory| table(bytes, memory, Format::Fasta),
        "graphml" => graphml,
        "edges" => edges,
        "tu" => tu,
        "model" => model,
        "stream" => |bytes, _| RidgeStream::from_bytes(bytes).is_ok(),
        "statistics" => statistics,
        _ => return None,
    })
}

fn compute(memory: u64) -> Compute {
    Compute::new().with_memory(memory).with_threads(1).unwrap_or_else(|_| Compute::new())
}

/// A text that is accepted must print as one that is accepted, and as the same kernel.
fn kernel(bytes: &[u8], _: u64) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let Ok(kernel) = text.parse::<Kernel>() else { return false };
    let printed = kernel.to_string();
    assert!(printed.parse::<Kernel>().is_ok_and(|again| again == kernel), "{printed} does not read back");
    true
}

fn table(bytes: &[u8], memory: u64, format: Format) -> bool {
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    match io::read_table_from(bytes, "input", &options, &compute(memory)) {
        Ok(table) => {
            assert!(table.summary().len() <= bytes.len() + 1 || format != Format::Csv);
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

/// A file in memory where the system has one.
fn written(bytes: &[u8], name: &str) -> PathBuf {
    let top = if PathBuf::from("/dev/shm").is_dir() { PathBuf::from("/dev/shm") } else { std::env::temp_dir() };
    let folder = top.join(format!("mercer-fuzz-{}", std::process::id()));
    let path = folder.join(name);
    if let Some(parent) = path.parent() {
        let _ = fs::create_dir_all(parent);
    }
    let _ = fs::write(&path, bytes);
    path
}

fn graphml(bytes: &[u8], memory: u64) -> bool {
    io::read_graphml(&[written(bytes, "g.graphml")], &GraphMlNames::default(), &compute(memory)).is_ok()
}

fn edges(bytes: &[u8], memory: u64) -> bool {
    io::read_edge_lists(&[written(bytes, "g.edges")], bytes.len() % 2 == 0, &compute(memory)).is_ok()
}

/// The files of a folder, in one input with lines `@name` in front of each.
fn tu(bytes: &[u8], memory: u64) -> bool {
    let folder = written(b"", "G/ignored");
    let Some(folder) = folder.parent() else { return false };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let _ = fs::remove_file(entry.path());
    }
    for part in bytes.split(|&b| b == b'@').skip(1) {
        let end = part.iter().position(|&b| b == b'\n').unwrap_or(part.len());
        let name: String =
            part[..end].iter().map(|&b| b as char).filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        written(&part[(end + 1).min(part.len())..], &format!("G/G_{name}.txt"));
    }
    io::read_tu(folder, &compute(memory)).is_ok()
}

fn model(bytes: &[u8], memory: u64) -> bool {
    io::read_model(bytes, "input", &compute(memory)).is_ok() | io::read_sketch(bytes, "input", &compute(memory)).is_ok()
}

fn statistics(bytes: &[u8], _: u64) -> bool {
    RidgeStatistics::from_bytes(bytes).is_ok()
        | MeanStatistics::from_bytes(bytes).is_ok()
        | CovarianceStatistics::from_bytes(bytes).is_ok()
}
