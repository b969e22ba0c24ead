//! The safetensors container: eight bytes with the length of a header in JSON, the header, the
//! numbers.
//!
//! Written here and not by a library, so that the texts have an order and the same model the same
//! bytes.

use std::collections::BTreeMap;
use std::io::{self, Write};

use ndarray::{ArrayD, IxDyn};
use serde_json::{Map, Value, json};

use super::Record;
use crate::error::RecordProblem;
use crate::{Error, Result};

/// The limit of the safetensors format.
const LONGEST_HEADER: u64 = 100_000_000;
/// Where the texts are in the header.
const TEXTS: &str = "__metadata__";
/// The bytes of a number.
const NUMBER: usize = 8;

/// Writes the container. Texts and arrays are in the order of their names.
pub(crate) fn write(out: &mut dyn Write, record: &Record) -> io::Result<()> {
    // What could not be read again is not written.
    record.check_kernels().map_err(io::Error::other)?;
    let mut header = Map::new();
    header.insert(TEXTS.into(), record.texts.iter().map(|(k, v)| (k.clone(), json!(v))).collect());
    let mut at = 0;
    let mut entry = |name: &str, kind: &str, shape: &[usize], bytes: usize| {
        header.insert(name.into(), json!({ "data_offsets": [at, at + bytes], "dtype": kind, "shape": shape }));
        at += bytes;
    };
    // Bytes come last, so that all numbers begin at a multiple of eight.
    record.arrays.iter().for_each(|(name, a)| entry(name, "F64", a.shape(), NUMBER * a.len()));
    record.integers.iter().for_each(|(name, list)| entry(name, "I64", &[list.len()], NUMBER * list.len()));
    record.bytes.iter().for_each(|(name, bytes)| entry(name, "U8", &[bytes.len()], bytes.len()));
    let mut text = Value::Object(header).to_string();
    // The numbers begin at a multiple of eight.
    text.push_str(&" ".repeat(text.len().next_multiple_of(NUMBER) - text.len()));
    out.write_all(&(text.len() as u64).to_le_bytes())?;
    out.write_all(text.as_bytes())?;
    record.arrays.values().try_for_each(|array| write_numbers(out, array.iter().map(|v| v.to_le_bytes())))?;
    record.integers.values().try_for_each(|list| write_numbers(out, list.iter().map(|v| v.to_le_bytes())))?;
    record.bytes.values().try_for_each(|bytes| out.write_all(bytes))
}

fn write_numbers(out: &mut dyn Write, mut numbers: impl ExactSizeIterator<Item = [u8; NUMBER]>) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(NUMBER * 1024);
    while numbers.len() > 0 {
        buffer.clear();
        numbers.by_ref().take(1024).for_each(|bytes| buffer.extend_from_slice(&bytes));
        out.write_all(&buffer)?;
    }
    Ok(())
}

/// Reads the container. Every size is compared with the bytes that are there before anything is
/// allocated.
pub(crate) fn read(bytes: &[u8]) -> Result<Record> {
    let (first, rest) = bytes.split_first_chunk::<8>().ok_or_else(|| wrong("the file is cut short"))?;
    let length = u64::from_le_bytes(*first);
    if length > LONGEST_HEADER {
        return Err(wrong(format!("a header of {length} bytes cannot be right: this is no safetensors file")));
    }
    if length > rest.len() as u64 {
        return Err(wrong(format!(
            "the file is cut short: the header has {length} bytes, of which {} are there",
            rest.len()
        )));
    }
    let (header, data) = rest.split_at(length as usize);
    let header: Map<String, Value> =
        serde_json::from_slice(header).map_err(|e| wrong(format!("the header is not JSON: {e}")))?;
    let texts = read_texts(header.get(TEXTS))?;
    let mut positions = Vec::new();
    for (name, facts) in header.iter().filter(|(name, _)| *name != TEXTS) {
        positions.push(ArraySpan::read(name, facts)?);
    }
    check_cover(&mut positions, data.len())?;
    let mut record = Record { texts, ..Record::default() };
    for position in positions {
        let name = position.name.to_owned();
        let data = &data[position.begin..position.end];
        match position.kind {
            Kind::Numbers => drop(record.arrays.insert(name, position.array(data)?)),
            Kind::Integers => drop(record.integers.insert(name, integers(data))),
            Kind::Bytes => drop(record.bytes.insert(name, data.to_vec())),
        }
    }
    Ok(record)
}

fn integers(data: &[u8]) -> Vec<i64> {
    data.as_chunks::<NUMBER>().0.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect()
}

/// What an array holds.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Numbers,
    Integers,
    Bytes,
}

fn read_texts(texts: Option<&Value>) -> Result<BTreeMap<String, String>> {
    let Some(texts) = texts else { return Ok(BTreeMap::new()) };
    let texts = texts.as_object().ok_or_else(|| wrong("the header's texts are damaged"))?;
    let text = |(name, value): (&String, &Value)| {
        let value = value.as_str().ok_or_else(|| wrong(format!("the text `{name}` is damaged")))?;
        Ok((name.clone(), value.to_owned()))
    };
    texts.iter().map(text).collect()
}

/// Where an array lies, and its shape.
struct ArraySpan<'h> {
    name: &'h str,
    kind: Kind,
    shape: Vec<usize>,
    begin: usize,
    end: usize,
}

impl<'h> ArraySpan<'h> {
    fn read(name: &'h str, facts: &Value) -> Result<Self> {
        let damaged = || wrong(format!("the header's entry of the array `{name}` is damaged"));
        let whole = |v: &Value| v.as_u64().and_then(|v| usize::try_from(v).ok());
        let list = |key: &str| facts[key].as_array()?.iter().map(whole).collect::<Option<Vec<usize>>>();
        let (kind, size) = match facts["dtype"].as_str().ok_or_else(damaged)? {
            "F64" => (Kind::Numbers, NUMBER),
            "I64" => (Kind::Integers, NUMBER),
            "U8" => (Kind::Bytes, 1),
            other => return Err(wrong(format!("the array `{name}` holds {other}, where models hold F64, I64 and U8"))),
        };
        let shape = list("shape").ok_or_else(damaged)?;
        let [begin, end] = list("data_offsets").ok_or_else(damaged)?[..] else { return Err(damaged()) };
        let bytes = shape.iter().try_fold(size, |product, &size| product.checked_mul(size)).ok_or_else(damaged)?;
        if shape.len() > if kind == Kind::Numbers { 2 } else { 1 } || end.checked_sub(begin) != Some(bytes) {
            return Err(damaged());
        }
        Ok(Self { name, kind, shape, begin, end })
    }

    fn array(&self, data: &[u8]) -> Result<ArrayD<f64>> {
        let numbers = data.as_chunks::<NUMBER>().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
        ArrayD::from_shape_vec(IxDyn(&self.shape), numbers)
            .map_err(|_| wrong(format!("the shape of the array `{}` does not fit its numbers", self.name)))
    }
}

/// Sorts the arrays by place: together they must cover the data, without holes or overlaps.
fn check_cover(positions: &mut [ArraySpan<'_>], length: usize) -> Result<()> {
    positions.sort_by_key(|position| (position.begin, position.end));
    let mut at = 0;
    for position in positions {
        if position.begin != at {
            return Err(wrong(format!("the array `{}` does not begin where the one before it ends", position.name)));
        }
        at = position.end;
    }
    if at == length {
        return Ok(());
    }
    Err(wrong(format!("the header speaks of {at} bytes of numbers, and {length} are there")))
}

fn wrong(reason: impl Into<String>) -> Error {
    Error::record("file", RecordProblem::Damaged(reason.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn record() -> Record {
        let mut record = Record::default();
        record.put_text("name", "Zoë \"quoted\"\n");
        record.put_number("one", -0.0);
        record.put_vector("many", array![f64::NAN, f64::INFINITY, 1e-310].view());
        record.put_matrix("none", ndarray::Array2::zeros((0, 3)).view());
        record.integers.insert("whole".into(), vec![i64::MIN, -1, i64::MAX]);
        record.bytes.insert("text".into(), b"odd".to_vec());
        record.bytes.insert("a letter".into(), b"x".to_vec());
        record
    }

    fn bytes(record: &Record) -> Vec<u8> {
        let mut out = Vec::new();
        write(&mut out, record).unwrap();
        out
    }

    /// A file with this header in front of `data` bytes of zeros.
    fn with_header(header: &str, data: usize) -> Vec<u8> {
        [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &vec![0; data]].concat()
    }

    #[test]
    fn every_bit_comes_back_and_bytes_repeat() {
        let back = read(&bytes(&record())).unwrap();
        assert_eq!(back.texts, record().texts);
        assert_eq!((&back.integers, &back.bytes), (&record().integers, &record().bytes));
        for (name, array) in &record().arrays {
            assert_eq!(array.shape(), back.arrays[name].shape());
            assert!(array.iter().zip(&back.arrays[name]).all(|(a, b)| a.to_bits() == b.to_bits()), "{name}");
        }
        assert_eq!(bytes(&back), bytes(&record()));
    }

    #[test]
    fn a_file_that_is_cut_anywhere_is_refused() {
        let whole = bytes(&record());
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).is_err(), "cut to {length} bytes");
        }
        assert!(read(&[&whole[..], &[0; 8]].concat()).is_err());
    }

    #[test]
    fn headers_that_lie_are_refused() {
        let reason = |header: &str, data: usize| read(&with_header(header, data)).unwrap_err().to_string();
        let huge = r#"{"a":{"dtype":"F64","shape":[4611686018427387904,4],"data_offsets":[0,8]}}"#;
        assert!(reason(huge, 8).contains("`a` is damaged"));
        let far = r#"{"a":{"dtype":"F64","shape":[1000000000000],"data_offsets":[0,8000000000000]}}"#;
        assert!(reason(far, 8).contains("8000000000000 bytes"));
        let overlap = r#"{"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},"b":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}"#;
        assert!(reason(overlap, 8).contains("does not begin"));
        let backwards = r#"{"a":{"dtype":"F64","shape":[0],"data_offsets":[8,0]}}"#;
        assert!(reason(backwards, 8).contains("damaged"));
        assert!(reason(r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#, 4).contains("F32"));
        assert!(reason(r#"{"a":7}"#, 0).contains("damaged"));
        assert!(reason(r#"{"__metadata__":{"a":7}}"#, 0).contains("`a`"));
        assert!(reason("[]", 0).contains("not JSON"));
        assert!(reason(&"[".repeat(100_000), 0).contains("not JSON"));
        assert!(read(b"\xff\xff\xff\xff\xff\xff\xff\x7f").unwrap_err().to_string().contains("cannot be right"));
    }
}
