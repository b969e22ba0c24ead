//! The source of bytes: a file, or a stream held in memory. Either can be read more than once.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;
use flate2::read::MultiGzDecoder;

use super::Format;
use super::meter::{Meter, uncarry};
use crate::error::MemoryPurpose;
use crate::{Compute, Error, Result};

const GZIP: [u8; 2] = [0x1f, 0x8b];
/// Bytes that are read at a time. Any value between 16 KiB and 1 MiB would do.
const BUFFER: usize = 1 << 17;

/// The bytes of one table.
pub(super) struct Source {
    pub name: PathBuf,
    pub compute: Compute,
    data: Content,
    total: u64,
    compressed: bool,
    passed: Arc<AtomicU64>,
    quiet: AtomicBool,
}

enum Content {
    File,
    Memory(Bytes),
}

impl Source {
    /// A file by its name. Something that can be read only once (a pipe) is read into memory.
    pub fn file(path: &Path, compute: &Compute) -> Result<Self> {
        let failed = |source| Error::File { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let facts = file.metadata().map_err(failed)?;
        if facts.is_dir() {
            return Err(failed(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        if !facts.is_file() {
            return Self::from_reader(file, path.to_owned(), compute);
        }
        let mut source = Self {
            name: path.to_owned(),
            compute: compute.clone(),
            data: Content::File,
            total: facts.len(),
            compressed: false,
            passed: Arc::default(),
            quiet: AtomicBool::new(false),
        };
        source.compressed = source.first_bytes(&GZIP)?;
        Ok(source)
    }

    /// A stream, read into memory.
    pub fn stream(reader: impl Read, name: &str, compute: &Compute) -> Result<Self> {
        Self::from_reader(reader, PathBuf::from(name), compute)
    }

    fn from_reader(reader: impl Read, name: PathBuf, compute: &Compute) -> Result<Self> {
        let failed = |source| Error::File { path: name.clone(), source };
        let limit = compute.memory();
        let mut buffer = Vec::new();
        reader.take(limit.saturating_add(1)).read_to_end(&mut buffer).map_err(failed)?;
        let total = buffer.len() as u64;
        compute.reserve(
            MemoryPurpose::File,
            &format!("the bytes of {}", name.display()),
            total,
            "raise the limit or give a file",
        )?;
        let compressed = buffer.starts_with(&GZIP);
        Ok(Self {
            name,
            compute: compute.clone(),
            data: Content::Memory(buffer.into()),
            total,
            compressed,
            passed: Arc::default(),
            quiet: AtomicBool::new(false),
        })
    }

    /// The bytes from the beginning, unpacked if they are compressed. Reports progress and can be
    /// canceled.
    pub fn open(&self) -> Result<Box<dyn Read + Send>> {
        let meter = Meter::new(self.raw()?, self.total, &self.listener()).counting(&self.passed);
        if self.compressed {
            Ok(Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(BufReader::with_capacity(BUFFER, meter)))))
        } else {
            Ok(Box::new(BufReader::with_capacity(BUFFER, meter)))
        }
    }

    /// The bytes from this one on. Compressed bytes are unpacked up to there.
    pub fn open_at(&self, byte: u64) -> Result<Box<dyn Read + Send>> {
        if self.compressed {
            let mut reader = self.open()?;
            io::copy(&mut reader.by_ref().take(byte), &mut io::sink()).map_err(|e| self.failed(e))?;
            return Ok(reader);
        }
        let raw: Box<dyn Read + Send> = match &self.data {
            Content::File => {
                let mut file = File::open(&self.name).map_err(|e| self.failed(e))?;
                file.seek(io::SeekFrom::Start(byte)).map_err(|e| self.failed(e))?;
                Box::new(file)
            }
            Content::Memory(bytes) => Box::new(io::Cursor::new(bytes.slice(bytes.len().min(byte as usize)..))),
        };
        let meter = Meter::new(raw, self.total, &self.listener()).counting(&self.passed).beginning_at(byte);
        Ok(Box::new(BufReader::with_capacity(BUFFER, meter)))
    }

    fn raw(&self) -> Result<Box<dyn Read + Send>> {
        match &self.data {
            Content::File => File::open(&self.name)
                .map(|file| Box::new(file) as Box<dyn Read + Send>)
                .map_err(|source| Error::File { path: self.name.clone(), source }),
            Content::Memory(bytes) => Ok(Box::new(io::Cursor::new(bytes.clone()))),
        }
    }

    /// NPY, Parquet and FASTA by their first bytes, else CSV.
    pub fn guess_format(&self) -> Result<Format> {
        if self.first_bytes(super::npy::MAGIC)? {
            Ok(Format::Npy)
        } else if self.first_bytes(super::parquet::MAGIC)? {
            Ok(Format::Parquet)
        } else if self.first_bytes(b">")? {
            Ok(Format::Fasta)
        } else {
            Ok(Format::Csv)
        }
    }

    fn first_bytes(&self, magic: &[u8]) -> Result<bool> {
        let mut first = Vec::new();
        self.raw()?.take(magic.len() as u64).read_to_end(&mut first).map_err(|e| self.failed(e))?;
        Ok(first == magic)
    }

    pub fn is_compressed(&self) -> bool {
        self.compressed
    }

    /// The size in bytes, as stored.
    pub fn size(&self) -> u64 {
        self.total
    }

    /// From now on the caller reports progress instead of the reader.
    pub fn hush(&self) {
        self.quiet.store(true, Ordering::Relaxed);
    }

    fn listener(&self) -> Compute {
        if self.quiet.load(Ordering::Relaxed) { self.compute.silent() } else { self.compute.clone() }
    }

    /// How many of the stored bytes the reader that was opened last has taken in.
    pub fn passed(&self) -> u64 {
        self.passed.load(Ordering::Relaxed).min(self.total)
    }

    /// The bytes themselves, if they are in memory.
    pub fn memory(&self) -> Option<Bytes> {
        match &self.data {
            Content::File => None,
            Content::Memory(bytes) => Some(bytes.clone()),
        }
    }

    /// The error for bytes that could not be read: canceled, damaged, or the error of the operating
    /// system.
    pub fn failed(&self, error: io::Error) -> Error {
        let error = match uncarry(error) {
            Ok(ours) => return ours,
            Err(error) => error,
        };
        let damaged = matches!(
            error.kind(),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof
        );
        if !damaged {
            return Error::File { path: self.name.clone(), source: error };
        }
        let what =
            if self.compressed { "the compressed data is damaged or cut short" } else { "the file is cut short" };
        self.wrong(None, format!("{what} ({error})"))
    }

    /// The error for a file that is not what it should be.
    pub fn wrong(&self, line: Option<u64>, reason: impl Into<String>) -> Error {
        Error::Format { path: self.name.clone(), line, reason: reason.into() }
    }

    /// Asks the memory budget for a row of this many bytes of text and cells, as far as they are
    /// known, that has not ended yet.
    pub fn reserve_row(&self, bytes: u64, cells: u64) -> Result<()> {
        let what = format!("a row of {bytes} bytes ({cells} cells) and more in {}", self.name.display());
        let advice = "raise the limit, or look at the file: is a line break missing, or a quote left open?";
        self.compute.reserve(
            MemoryPurpose::File,
            &what,
            bytes.saturating_mul(16).max(cells.saturating_mul(super::COLUMN)),
            advice,
        )
    }

    /// Asks the memory budget for the table that is being read.
    pub fn reserve(&self, bytes: u64) -> Result<()> {
        let what = format!("the table in {}", self.name.display());
        self.compute.reserve(
            MemoryPurpose::Table,
            &what,
            bytes,
            "raise the limit, or make a file with fewer rows or columns",
        )
    }
}
