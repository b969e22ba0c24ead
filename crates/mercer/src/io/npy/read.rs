//! The NPY reader.

use std::io::Read;
use std::path::Path;

use ndarray::{Array2, ShapeBuilder};

use super::super::source::Source;
use super::super::{numbered_name, reserve_columns, room_for};
use super::header::{Kind, NpyHeader, Trouble};
use crate::points::{Column, Table};
use crate::{Compute, Result};

/// Numbers decoded at a time.
const BLOCK: usize = 8192;

/// Reads a matrix of real numbers from an NPY file; a one-dimensional array is a matrix of one
/// column.
///
/// Reads versions 1 to 3, little- and big-endian, C and Fortran order, `f4`, `f8`, `i1` to `i8`,
/// `u1` to `u8` and booleans. Integers above 2⁵³ are rounded to the nearest `f64`.
///
/// # Errors
/// [`Error::File`](crate::Error::File), [`Error::Format`](crate::Error::Format),
/// [`Error::Memory`](crate::Error::Memory), [`Error::Canceled`](crate::Error::Canceled).
///
/// # Example
/// ```
/// use mercer::{Compute, io};
/// let path = std::env::temp_dir().join("mercer-doctest-read.npy");
/// io::write_npy(&path, ndarray::array![[1.0, 2.0], [3.0, 4.0]].view(), io::NpyNumber::Double)?;
/// assert_eq!(io::read_npy(&path, &Compute::new())?[[1, 0]], 3.0);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn read_npy(path: &Path, compute: &Compute) -> Result<Array2<f64>> {
    read_matrix(&Source::file(path, compute)?, 1)
}

/// Reads a table with columns `x0`, `x1`, ….
pub(in super::super) fn read_table(source: &Source) -> Result<Table> {
    let matrix = read_matrix(source, 2)?;
    reserve_columns(source, matrix.ncols())?;
    let column = |(i, c): (usize, ndarray::ArrayView1<f64>)| Column::numbers(numbered_name(i), c.to_vec());
    Table::from_columns(matrix.columns().into_iter().enumerate().map(column).collect())
}

/// Reads the matrix; `copies` is how many of it will be in memory at once.
fn read_matrix(source: &Source, copies: u64) -> Result<Array2<f64>> {
    let mut reader = source.open()?;
    let header = read_header(source, &mut *reader)?;
    let count = check_size(source, &header)?;
    source.reserve((count as u64).saturating_mul(8 * copies))?;
    let values = read_values(source, &mut *reader, &header, count)?;
    let shape = (header.rows, header.columns).set_f(header.fortran);
    let size = format!("{} × {}", header.rows, header.columns);
    Array2::from_shape_vec(shape, values).map_err(|_| source.wrong(None, format!("no matrix has the shape {size}")))
}

pub(super) fn read_header(source: &Source, reader: &mut dyn Read) -> Result<NpyHeader> {
    NpyHeader::read(reader).map_err(|trouble| match trouble {
        Trouble::Io(error) => source.failed(error),
        Trouble::Wrong(reason) => source.wrong(None, reason),
    })
}

/// The number of numbers, checked against the size of the file where it is known.
pub(super) fn check_size(source: &Source, header: &NpyHeader) -> Result<usize> {
    let shape = format!("{} × {} numbers of {} bytes", header.rows, header.columns, header.size);
    let count = header.count().ok_or_else(|| source.wrong(None, format!("{shape} cannot be right")))?;
    let expected = (count as u64).saturating_mul(header.size as u64).saturating_add(header.length);
    if !source.is_compressed() && source.size() != expected {
        let size = source.size();
        return Err(source.wrong(None, format!("{shape} make a file of {expected} bytes, but this one has {size}")));
    }
    Ok(count)
}

pub(super) fn read_values(
    source: &Source,
    reader: &mut dyn Read,
    header: &NpyHeader,
    count: usize,
) -> Result<Vec<f64>> {
    let mut values = room_for("the matrix", count)?;
    let decode = decoder(header);
    let mut buffer = vec![0; BLOCK * header.size];
    while values.len() < count {
        let bytes = &mut buffer[..BLOCK.min(count - values.len()) * header.size];
        reader.read_exact(bytes).map_err(|e| source.failed(e))?;
        if header.big_endian {
            bytes.chunks_exact_mut(header.size).for_each(<[u8]>::reverse);
        }
        decode(bytes, &mut values);
    }
    Ok(values)
}

/// Turns little-endian bytes into numbers.
fn decoder(header: &NpyHeader) -> fn(&[u8], &mut Vec<f64>) {
    macro_rules! decode {
        ($number:ty) => {
            |bytes, values| {
                let (numbers, _) = bytes.as_chunks::<{ size_of::<$number>() }>();
                values.extend(numbers.iter().map(|b| <$number>::from_le_bytes(*b) as f64));
            }
        };
    }
    match (header.kind, header.size) {
        (Kind::Bool, _) => |bytes, values| values.extend(bytes.iter().map(|&b| f64::from(u8::from(b != 0)))),
        (Kind::Signed, 1) => decode!(i8),
        (Kind::Signed, 2) => decode!(i16),
        (Kind::Signed, 4) => decode!(i32),
        (Kind::Signed, _) => decode!(i64),
        (Kind::Unsigned, 1) => decode!(u8),
        (Kind::Unsigned, 2) => decode!(u16),
        (Kind::Unsigned, 4) => decode!(u32),
        (Kind::Unsigned, _) => decode!(u64),
        (Kind::Float, 4) => decode!(f32),
        (Kind::Float, _) => decode!(f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    fn file(version: u8, descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let text = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
        let mut bytes = [b"\x93NUMPY", &[version, 0][..]].concat();
        let length = (text.len() as u32).to_le_bytes();
        bytes.extend_from_slice(&length[..if version == 1 { 2 } else { 4 }]);
        [&bytes, text.as_bytes(), data].concat()
    }

    fn read(bytes: &[u8]) -> Result<Array2<f64>> {
        read_matrix(&Source::stream(bytes, "x.npy", &Compute::new())?, 1)
    }

    #[test]
    fn every_type_order_and_version_is_read() {
        let expected = ndarray::array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let c_order = [1, 2, 3, 4, 5, 6];
        macro_rules! check {
            ($number:ty, $code:literal) => {
                for version in [1, 2, 3] {
                    let little: Vec<u8> = c_order.iter().flat_map(|&v| (v as $number).to_le_bytes()).collect();
                    let big: Vec<u8> = c_order.iter().flat_map(|&v| (v as $number).to_be_bytes()).collect();
                    let name = |order: &str| format!("{order}{}", $code);
                    let found = read(&file(version, &name("<"), "False", "(2, 3)", &little)).unwrap();
                    assert_eq!(found, expected, $code);
                    let found = read(&file(version, &name(">"), "True", "(3, 2)", &big)).unwrap();
                    assert_eq!(found, expected.t(), $code);
                }
            };
        }
        check!(i8, "i1");
        check!(i16, "i2");
        check!(i32, "i4");
        check!(i64, "i8");
        check!(u8, "u1");
        check!(u16, "u2");
        check!(u32, "u4");
        check!(u64, "u8");
        check!(f32, "f4");
        check!(f64, "f8");
        assert_eq!(read(&file(1, "|b1", "False", "(2,)", &[0, 1])).unwrap(), ndarray::array![[0.0], [1.0]]);
        assert_eq!(read(&file(1, "<i2", "False", "(1,)", &[0xfe, 0xff])).unwrap()[[0, 0]], -2.0);
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        let reason = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
        assert!(reason(&file(1, "<f8", "False", "(2,)", &[0; 8])).contains("but this one has"));
        assert!(reason(&file(1, "<f8", "False", "(1,)", &[0; 9])).contains("but this one has"));
        let huge = reason(&file(1, "<f8", "False", "(9999999999999, 9999999999999)", &[]));
        assert!(huge.contains("cannot be right"), "{huge}");
        assert!(reason(b"\x93NUMPY\x07\x00\x00\x00").contains("version 7"));
        assert!(reason(b"\x93NUM").contains("cut short"));
        assert!(reason(b"not an npy file").contains("first bytes"));
        assert_eq!(read(&file(1, "<f8", "False", "(0, 3)", &[])).unwrap().dim(), (0, 3));
    }

    #[test]
    fn a_matrix_over_the_memory_limit_is_refused() {
        let compute = Compute::new().with_memory(1000);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.npy");
        std::fs::write(&path, file(1, "|u1", "False", "(200,)", &[0; 200])).unwrap();
        assert!(matches!(read_npy(&path, &compute), Err(Error::Memory { needed: 1600, .. })));
    }
}
