//! A Gram matrix as a file, written block by block, atomically.

use std::io::{self, Write};
use std::path::Path;

use mercer::gram::Tiles;
use mercer::io::{NpyNumber, NpyWriter, atomic_write, format_number};
use mercer::{Compute, Precision};
use ndarray::ArrayView2;

use super::{Digest, walk};
use crate::failure::Failure;

/// How the matrix is laid out in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A numpy array.
    Npy,
    /// Rows of text with this character between the numbers, without a header.
    Text(char),
}

impl Layout {
    /// By file extension.
    pub fn of(path: &Path) -> Result<Self, Failure> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("npy") => Ok(Self::Npy),
            Some("csv") => Ok(Self::Text(',')),
            Some("tsv") => Ok(Self::Text('\t')),
            _ if is_device(path) => Ok(Self::Text(',')),
            _ => {
                let name = path.display();
                Err(Failure::request(format!("--output {name}: the name must end in .npy, .csv or .tsv")))
            }
        }
    }
}

/// Whether the path is there and is neither a file nor a folder, such as `/dev/stdout`.
fn is_device(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|facts| !facts.is_file() && !facts.is_dir())
}

/// Computes the matrix and writes it; the digest sees it on its way.
pub fn write(path: &Path, tiles: &dyn Tiles, compute: &Compute, digest: &mut Digest) -> Result<(), Failure> {
    match Layout::of(path)? {
        Layout::Npy => atomic_write(path, |out| write_npy(out, tiles, compute, digest))?,
        Layout::Text(between) => atomic_write(path, |out| write_text(out, between, tiles, compute, digest))?,
    }
    Ok(())
}

fn write_npy(out: &mut dyn Write, tiles: &dyn Tiles, compute: &Compute, digest: &mut Digest) -> io::Result<()> {
    let number = match compute.precision() {
        Precision::Double => NpyNumber::Double,
        Precision::SingleTiles => NpyNumber::Single,
    };
    let mut writer = NpyWriter::new(out, tiles.shape(), number)?;
    stream(tiles, compute, digest, &mut |block| writer.write_rows(block))?;
    writer.finish()
}

fn write_text(
    out: &mut dyn Write,
    between: char,
    tiles: &dyn Tiles,
    compute: &Compute,
    digest: &mut Digest,
) -> io::Result<()> {
    let single = compute.precision() == Precision::SingleTiles;
    stream(tiles, compute, digest, &mut |block| {
        let mut text = String::new();
        for row in block.rows() {
            text.clear();
            for (j, &value) in row.iter().enumerate() {
                if j > 0 {
                    text.push(between);
                }
                text.push_str(&if single { (value as f32).to_string() } else { format_number(value) });
            }
            text.push('\n');
            out.write_all(text.as_bytes())?;
        }
        Ok(())
    })
}

/// Walks over the matrix with a writer that speaks of files: its errors and the library's both come
/// out as themselves.
fn stream(
    tiles: &dyn Tiles,
    compute: &Compute,
    digest: &mut Digest,
    write: &mut dyn FnMut(ArrayView2<'_, f64>) -> io::Result<()>,
) -> io::Result<()> {
    let mut failed = None;
    let walked = walk(tiles, compute, &mut |rows, block| {
        digest.see(rows, block);
        write(block).map_err(|error| {
            failed = Some(error);
            mercer::Error::Canceled
        })
    });
    match (failed, walked) {
        (Some(error), _) => Err(error),
        (None, walked) => walked.map_err(io::Error::other),
    }
}
