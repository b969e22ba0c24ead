//! A folder of graphs that comes as one file: zip, tar, or tar compressed by gzip.

use std::io::Read;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::{DeflateDecoder, MultiGzDecoder};
use mercer::io::{ReadOptions, read_table};
use mercer::points::Table;
use mercer::{Compute, Error};

use crate::lab::refusal::Refusal;

/// Files of an archive, and the bytes of all of them.
const MOST_FILES: usize = 200;
const MOST_BYTES: u64 = 256 << 20;

/// A file of an archive: its name without folders, and its contents.
type File = (String, Vec<u8>);

/// Whether the bytes are an archive, by their beginning.
pub fn is_archive(name: &str, bytes: &[u8]) -> bool {
    let lower = name.to_ascii_lowercase();
    bytes.starts_with(b"PK\x03\x04") || is_tar(bytes) || lower.ends_with(".tar.gz") || lower.ends_with(".tgz")
}

fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

/// The table of graphs in an archive of a folder of the TU collection, or of GraphML files or edge lists.
pub fn read(bytes: &[u8], compute: &Compute) -> Result<Table, Refusal> {
    let files = match bytes {
        _ if bytes.starts_with(b"PK\x03\x04") => unzip(bytes)?,
        _ if is_tar(bytes) => untar(bytes)?,
        _ => {
            let mut inner = Vec::new();
            let read = MultiGzDecoder::new(bytes).take(MOST_BYTES + 1).read_to_end(&mut inner);
            read.map_err(|_| damaged("it cannot be decompressed"))?;
            check_size(inner.len() as u64)?;
            untar(&inner)?
        }
    };
    if files.is_empty() {
        return Err(damaged("there is no file in it"));
    }
    read_folder(&files, compute)
}

/// Reads files as a folder of graphs. They are written to a folder of their own and removed afterwards.
pub fn read_folder(files: &[File], compute: &Compute) -> Result<Table, Refusal> {
    let folder = Temporary::new()?;
    for (name, bytes) in files {
        std::fs::write(folder.0.join(name), bytes).map_err(|e| Refusal::request(format!("{name}: {e}")))?;
    }
    read_table(&folder.0, &ReadOptions::default(), compute).map_err(|error| without_folder(error, &folder))
}

/// Errors name the file without the folder, which is nobody's business.
fn without_folder(error: Error, folder: &Temporary) -> Refusal {
    let mut refusal = Refusal::from(error);
    let path = format!("{}/", folder.0.display());
    refusal.message = refusal.message.replace(&path, "").replace(&*folder.0.to_string_lossy(), "the archive");
    refusal
}

/// A folder that is removed with its contents.
struct Temporary(PathBuf);

static NEXT: AtomicU64 = AtomicU64::new(0);

impl Temporary {
    fn new() -> Result<Self, Refusal> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("mercer-lab-{}-{number}", std::process::id()));
        // An existing folder is somebody else's.
        std::fs::create_dir(&path).map_err(|e| Refusal::request(format!("a folder for the archive: {e}")))?;
        Ok(Self(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The last part of a path, if it can be a plain file name; folders and hidden files are passed over.
fn plain_name(path: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next()?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
    let plain = !name.is_empty() && !name.starts_with('.') && name.len() <= 100 && name.chars().all(allowed);
    plain.then(|| name.to_owned())
}

fn add(files: &mut Vec<File>, total: &mut u64, path: &str, bytes: Vec<u8>) -> Result<(), Refusal> {
    let Some(name) = plain_name(path) else { return Ok(()) };
    *total += bytes.len() as u64;
    check_size(*total)?;
    if files.len() >= MOST_FILES {
        return Err(Refusal::too_large(format!("an archive may hold {MOST_FILES} files")));
    }
    if !files.iter().any(|(known, _)| *known == name) {
        files.push((name, bytes));
    }
    Ok(())
}

fn check_size(bytes: u64) -> Result<(), Refusal> {
    if bytes > MOST_BYTES {
        return Err(Refusal::too_large(format!("the files of an archive may have {} MiB", MOST_BYTES >> 20)));
    }
    Ok(())
}

fn damaged(why: &str) -> Refusal {
    Refusal::request(format!("the archive cannot be read: {why}"))
}

fn number(bytes: &[u8], at: usize, length: usize) -> Result<usize, Refusal> {
    let field = bytes.get(at..at + length).ok_or_else(|| damaged("it is cut short"))?;
    Ok(field.iter().rev().fold(0, |value, &byte| value << 8 | usize::from(byte)))
}

/// The files that the directory at the end of a zip archive lists.
fn unzip(bytes: &[u8]) -> Result<Vec<File>, Refusal> {
    let start = bytes.len().saturating_sub(65_557);
    let end =
        bytes[start..].windows(4).rposition(|w| w == b"PK\x05\x06").ok_or_else(|| damaged("it has no directory"))?;
    let (count, mut at) = (number(bytes, start + end + 10, 2)?, number(bytes, start + end + 16, 4)?);
    let (mut files, mut total) = (Vec::new(), 0);
    for _ in 0..count {
        if bytes.get(at..at + 4) != Some(b"PK\x01\x02") {
            return Err(damaged("its directory is damaged"));
        }
        let (method, packed) = (number(bytes, at + 10, 2)?, number(bytes, at + 20, 4)?);
        let lengths = [number(bytes, at + 28, 2)?, number(bytes, at + 30, 2)?, number(bytes, at + 32, 2)?];
        let local = number(bytes, at + 42, 4)?;
        let name = bytes.get(at + 46..at + 46 + lengths[0]).ok_or_else(|| damaged("it is cut short"))?;
        let name = String::from_utf8_lossy(name).into_owned();
        let data = local + 30 + number(bytes, local + 26, 2)? + number(bytes, local + 28, 2)?;
        let packed = bytes.get(data..data + packed).ok_or_else(|| damaged("it is cut short"))?;
        if !name.ends_with('/') {
            let bytes = unpacked(packed, method, total)?;
            add(&mut files, &mut total, &name, bytes)?;
        }
        at += 46 + lengths.iter().sum::<usize>();
    }
    Ok(files)
}

fn unpacked(packed: &[u8], method: usize, total: u64) -> Result<Vec<u8>, Refusal> {
    match method {
        0 => Ok(packed.to_vec()),
        8 => {
            let mut bytes = Vec::new();
            let limit = (MOST_BYTES + 1).saturating_sub(total);
            let read = DeflateDecoder::new(packed).take(limit).read_to_end(&mut bytes);
            read.map_err(|_| damaged("a file in it cannot be decompressed"))?;
            Ok(bytes)
        }
        other => Err(damaged(&format!("it uses the compression method {other}; stored and deflated files are read"))),
    }
}

/// The regular files of a tar archive.
fn untar(bytes: &[u8]) -> Result<Vec<File>, Refusal> {
    let (mut files, mut total, mut at) = (Vec::new(), 0, 0);
    while let Some(header) = bytes.get(at..at + 512) {
        if header.iter().all(|&byte| byte == 0) {
            break;
        }
        let text = |range: std::ops::Range<usize>| {
            let field = &header[range];
            String::from_utf8_lossy(field.split(|&b| b == 0).next().unwrap_or_default()).trim().to_owned()
        };
        let size = usize::from_str_radix(&text(124..136), 8).map_err(|_| damaged("a size in it is no number"))?;
        let data = bytes.get(at + 512..).and_then(|rest| rest.get(..size)).ok_or_else(|| damaged("it is cut short"))?;
        if matches!(header[156], b'0' | 0) {
            add(&mut files, &mut total, &text(0..100), data.to_vec())?;
        }
        at += 512 + size.div_ceil(512) * 512;
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(plain_name("MUTAG/MUTAG_A.txt").unwrap(), "MUTAG_A.txt");
        assert_eq!(plain_name("../../etc/passwd").unwrap(), "passwd");
        for wrong in ["", "a/", "..", ".hidden", "a/..", "x\0y", "a:b"] {
            assert!(plain_name(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn damaged_archives_are_refused() {
        for bytes in [&b"PK\x03\x04"[..], b"PK\x03\x04PK\x05\x06\0\0\0\0\x01\0\x01\0\xff\xff\xff\xff\xff\xff\xff\xff"] {
            assert!(unzip(bytes).is_err());
        }
        assert!(untar(&[b'x'; 600]).is_err());
        assert!(read(b"\x1f\x8bnothing", &Compute::new()).is_err());
    }
}
