//! The header of an NPY file: element type and shape.

use std::io::{self, Read};

use super::MAGIC;

/// No sane header is longer. A safety limit: any value above a few KiB would do.
const LONGEST: usize = 1 << 20;

/// The fields of an NPY header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NpyHeader {
    pub kind: Kind,
    /// Bytes per number.
    pub size: usize,
    pub big_endian: bool,
    pub fortran: bool,
    pub rows: usize,
    pub columns: usize,
    /// Bytes before the numbers.
    pub length: u64,
}

/// The kind of number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
}

/// Why a header could not be read.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The bytes did not come.
    Io(io::Error),
    /// They came, and are wrong.
    Wrong(String),
}

impl From<String> for Trouble {
    fn from(reason: String) -> Self {
        Self::Wrong(reason)
    }
}

impl NpyHeader {
    /// Reads the header and leaves the reader at the first number.
    pub fn read(reader: &mut dyn Read) -> Result<Self, Trouble> {
        let first: [u8; 8] = take(reader)?;
        if !first.starts_with(MAGIC) {
            return Err(Trouble::Wrong("the first bytes are not those of an NPY file".into()));
        }
        let (length, before) = match first[6] {
            1 => (usize::from(u16::from_le_bytes(take(reader)?)), 10),
            2 | 3 => (u32::from_le_bytes(take(reader)?) as usize, 12),
            version => return Err(Trouble::Wrong(format!("NPY version {version} is not known (1, 2 and 3 are)"))),
        };
        if length > LONGEST {
            return Err(Trouble::Wrong(format!("a header of {length} bytes cannot be right")));
        }
        let mut text = vec![0; length];
        reader.read_exact(&mut text).map_err(Trouble::Io)?;
        let text = String::from_utf8_lossy(&text);
        Ok(Self { length: (before + length) as u64, ..Self::parse(&text)? })
    }

    fn parse(text: &str) -> Result<Self, String> {
        let (big_endian, kind, size) = parse_descr(value_of(text, "descr")?)?;
        let fortran = match value_of(text, "fortran_order")? {
            v if v.starts_with("True") => true,
            v if v.starts_with("False") => false,
            _ => return Err("the header does not say the order of the numbers".into()),
        };
        let (rows, columns) = parse_shape(value_of(text, "shape")?)?;
        Ok(Self { kind, size, big_endian, fortran, rows, columns, length: 0 })
    }

    /// How many numbers there are, if the computer can count them.
    pub fn count(&self) -> Option<usize> {
        self.rows.checked_mul(self.columns)
    }
}

fn take<const N: usize>(reader: &mut dyn Read) -> Result<[u8; N], Trouble> {
    let mut bytes = [0; N];
    reader.read_exact(&mut bytes).map_err(Trouble::Io)?;
    Ok(bytes)
}

/// The text after `'key':`.
fn value_of<'t>(text: &'t str, key: &str) -> Result<&'t str, String> {
    let missing = || format!("the header has no `{key}`");
    let at = text.find(&format!("'{key}'")).or_else(|| text.find(&format!("\"{key}\""))).ok_or_else(missing)?;
    let rest = text[at + key.len() + 2..].trim_start();
    rest.strip_prefix(':').map(str::trim_start).ok_or_else(missing)
}

fn parse_descr(value: &str) -> Result<(bool, Kind, usize), String> {
    let refuse = |what: &str| format!("numbers of type {what} cannot be read (real numbers and booleans can)");
    let quote = value.chars().next().filter(|c| *c == '\'' || *c == '"');
    let Some(quote) = quote else { return Err(refuse("with named fields")) };
    let name = value[1..].split(quote).next().unwrap_or_default();
    let (order, code) = name.split_at(usize::from(name.starts_with(['<', '>', '|', '='])));
    let kind = match code.chars().next() {
        Some('b') => Kind::Bool,
        Some('i') => Kind::Signed,
        Some('u') => Kind::Unsigned,
        Some('f') => Kind::Float,
        _ => return Err(refuse(name)),
    };
    match (kind, code[1..].parse::<usize>()) {
        (Kind::Bool, Ok(1)) => Ok((false, kind, 1)),
        (Kind::Signed | Kind::Unsigned, Ok(size @ (1 | 2 | 4 | 8))) => Ok((is_big(order), kind, size)),
        (Kind::Float, Ok(size @ (4 | 8))) => Ok((is_big(order), kind, size)),
        _ => Err(refuse(name)),
    }
}

/// `=` is native byte order; we assume that the writer had the same as this computer.
fn is_big(order: &str) -> bool {
    order == ">" || (order == "=" && cfg!(target_endian = "big"))
}

fn parse_shape(value: &str) -> Result<(usize, usize), String> {
    let inside = value.strip_prefix('(').and_then(|v| v.split_once(')')).map(|(inside, _)| inside);
    let inside = inside.ok_or("the header has no shape")?;
    let sizes = inside.split(',').map(str::trim).filter(|s| !s.is_empty()).map(|s| s.trim_end_matches('L').parse());
    let sizes: Vec<usize> = sizes.collect::<Result<_, _>>().map_err(|_| format!("the shape ({inside}) is wrong"))?;
    match sizes[..] {
        [rows] => Ok((rows, 1)),
        [rows, columns] => Ok((rows, columns)),
        _ => Err(format!("an array with {} dimensions cannot be read as a table (1 or 2 can)", sizes.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(descr: &str, shape: &str) -> Result<NpyHeader, String> {
        NpyHeader::parse(&format!("{{'descr': {descr}, 'fortran_order': True, 'shape': {shape}, }}   \n"))
    }

    #[test]
    fn headers_are_read() {
        let h = header("'>i2'", "(3, 4)").unwrap();
        assert_eq!((h.kind, h.size, h.big_endian, h.fortran), (Kind::Signed, 2, true, true));
        assert_eq!((h.rows, h.columns, h.count()), (3, 4, Some(12)));
        assert_eq!(header("'|b1'", "(5,)").unwrap().kind, Kind::Bool);
        assert_eq!(header("'<f4'", "(0, 7)").unwrap().count(), Some(0));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        assert!(header("'<c16'", "(1,)").unwrap_err().contains("<c16"));
        assert!(header("'<U3'", "(1,)").unwrap_err().contains("<U3"));
        assert!(header("'<f2'", "(1,)").unwrap_err().contains("<f2"));
        assert!(header("'|O'", "(1,)").is_err());
        assert!(header("[('a', '<f8')]", "(1,)").unwrap_err().contains("named fields"));
        assert!(header("'<f8'", "(1, 2, 3)").unwrap_err().contains("3 dimensions"));
        assert!(header("'<f8'", "()").unwrap_err().contains("0 dimensions"));
        assert!(header("'<f8'", "(-1,)").is_err());
        assert!(header("'é8'", "(1,)").is_err());
        assert!(NpyHeader::parse("{}").is_err());
    }
}
