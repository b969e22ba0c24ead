//! Wrong files: the error names the file, the line and the reason. Unusual but right files are
//! read.

use std::io::Write;

use mercer::io::{self, Delimiter, Format, Header, ReadOptions};
use mercer::points::{ColumnData, Table};
use mercer::{Compute, Error, Result, Seed};

fn read_as(format: Format, bytes: &[u8]) -> Result<Table> {
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    io::read_table_from(bytes, "data.x", &options, &Compute::new())
}

fn csv(text: &str) -> Result<Table> {
    read_as(Format::Csv, text.as_bytes())
}

fn names(table: &Table) -> Vec<&str> {
    table.names().collect()
}

fn numbers(table: &Table, column: usize) -> &[f64] {
    match &table.columns()[column].data {
        ColumnData::Numbers(values) => values,
        other => panic!("numbers expected, found {other:?}"),
    }
}

/// The line and the reason of a format error; the file must be named.
fn wrong(result: Result<Table>) -> (Option<u64>, String) {
    match result {
        Err(Error::Format { path, line, reason }) => {
            assert_eq!(path.to_str(), Some("data.x"));
            (line, reason)
        }
        Err(other) => panic!("another error: {other}"),
        Ok(table) => panic!("read as {table:?}"),
    }
}

fn assert_wrong(format: Format, bytes: &[u8], line: Option<u64>, reason: &str) {
    let (found_line, found) = wrong(read_as(format, bytes));
    assert!(found.contains(reason), "{found}");
    assert_eq!(found_line, line, "{found}");
}

#[test]
fn wrong_csv_files_give_line_and_reason() {
    let cases: [(&[u8], Option<u64>, &str); 12] = [
        (b"", None, "empty"),
        (b"\n\r\n\n", None, "empty"),
        (b"a,b\n1,2\n3\n", Some(3), "1 cells where the first row has 2"),
        (b"a,b\r\n1,2\r\n\r\n3,4,5\r\n", Some(4), "3 cells where the first row has 2"),
        (b"a,b\n\"x\ny\",2\n3\n", Some(4), "1 cells"),
        (b"a,b\n\"x,2\n3,4\n", Some(2), "quote left open"),
        (b"a,b,a\n1,2,3\n", Some(1), "columns 0 and 2 both bear the name `a`"),
        (b"a;b\n1,5;2\n", Some(2), "`1,5` has a decimal comma"),
        (b"a,b\n1,x\n1,\xff\xfe\n", Some(3), "not valid UTF-8"),
        (b"a,\xff\n1,2\n", Some(1), "not valid UTF-8"),
        (b"\xff\xfea\x00", Some(1), "UTF-16"),
        (b"a,b\n1,\x00\n", Some(2), "zero byte"),
    ];
    for (bytes, line, reason) in cases {
        assert_wrong(Format::Csv, bytes, line, reason);
    }
}

#[test]
fn the_message_has_file_line_and_reason() {
    let message = csv("a,b\n1,2\n3\n").unwrap_err().to_string();
    assert_eq!(message, "data.x, line 3: 1 cells where the first row has 2");
}

#[test]
fn lines_are_counted_through_byte_order_marks_and_space_columns() {
    assert_wrong(Format::Csv, b"\xef\xbb\xbfa,b\n1,2\n\n\n3\n", Some(5), "1 cells");
    let options = ReadOptions { delimiter: Delimiter::Spaces, ..ReadOptions::default() };
    let result = io::read_table_from(
        &b"  a  b\n 1   2\n\n  3\n"[..],
        "data.x",
        &ReadOptions { format: Some(Format::Csv), ..options },
        &Compute::new(),
    );
    assert_eq!(wrong(result).0, Some(4));
    assert_wrong(Format::Csv, b"a,b\r1,2\r3\r", Some(3), "1 cells");
}

#[test]
fn wrong_libsvm_files_give_line_and_reason() {
    let cases: [(&[u8], Option<u64>, &str); 5] = [
        (b"", None, "empty"),
        (b"1 1:2\n\n# note\n1 2:1 1:1\n", Some(4), "ascend"),
        (b"1 1:2\n1,2 1:1\n", Some(2), "several labels"),
        (b"1 0:2\n", Some(1), "counted from 1"),
        (b"1 1:2\n1 \xff:1\n", Some(2), "whole number"),
    ];
    for (bytes, line, reason) in cases {
        assert_wrong(Format::Libsvm, bytes, line, reason);
    }
}

#[test]
fn wrong_binary_files_give_the_reason() {
    assert_wrong(Format::Npy, b"a,b\n1,2\n", None, "first bytes");
    assert_wrong(Format::Npy, b"", None, "cut short");
    assert_wrong(Format::Parquet, b"a,b\n1,2\n", None, "not a readable Parquet file");
    assert_wrong(Format::Parquet, b"", None, "not a readable Parquet file");
}

#[test]
fn unusual_but_right_csv_files_are_read() {
    let table = csv("\u{feff}a,b\r\n1,\"2\"\r\n\r\n3,4\r\n\r\n   \r\n").unwrap();
    assert_eq!(
        (names(&table), numbers(&table, 0), numbers(&table, 1)),
        (vec!["a", "b"], &[1.0, 3.0][..], &[2.0, 4.0][..])
    );
    let table = csv(",a\n0,1").unwrap();
    assert_eq!(names(&table), ["x0", "a"]);
    let table = csv("1|2\n3|4\n").unwrap();
    assert_eq!((names(&table), table.rows()), (vec!["x0", "x1"], 2));
    let table = csv("  x   y\n 1.5   2\n 3  NA\n").unwrap();
    assert_eq!((names(&table), numbers(&table, 0)), (vec!["x", "y"], &[1.5, 3.0][..]));
    let header_only = csv("a,b\n").unwrap();
    assert_eq!((header_only.rows(), header_only.columns().len()), (0, 2));
    assert_eq!(csv("7").unwrap().rows(), 1);
    assert_eq!(csv("x\n1\n\"\"\n\n   \n2\n \n").unwrap().rows(), 3, "only the quoted nothing is a value");
    assert_eq!(read_as(Format::Libsvm, b"\xef\xbb\xbf1 2:1\n").unwrap().columns().len(), 3);
    assert_eq!(read_as(Format::Tsv, b"a b\tc\n1\t2\n").unwrap().names().collect::<Vec<_>>(), ["a b", "c"]);
}

#[test]
fn the_header_can_be_set() {
    let read = |header, text: &str| {
        let options = ReadOptions { header, ..ReadOptions::default() };
        io::read_table_from(text.as_bytes(), "-", &options, &Compute::new()).unwrap()
    };
    assert_eq!(names(&read(Header::Yes, "1,2\n3,4\n")), ["1", "2"]);
    assert_eq!(read(Header::No, "a,b\n1,2\n").rows(), 2);
    assert_eq!(read(Header::Auto, "1,NA\n3,4\n").rows(), 2);
    assert_eq!(read(Header::Auto, "NA,NaN\n3,4\n").rows(), 1);
}

#[test]
fn text_after_numbers_makes_a_column_of_categories() {
    let rows: String = (0..10_000).map(|i| format!("{i}.0,{i}\n")).collect();
    let table = csv(&format!("a,b\n{rows}x,7\n")).unwrap();
    let ColumnData::Categories { codes, levels } = &table.columns()[0].data else { panic!("categories expected") };
    assert_eq!((codes.len(), levels.len()), (10_001, 10_001));
    assert_eq!(levels[codes[5].unwrap() as usize], "5.0");
    assert_eq!(numbers(&table, 1)[10_000], 7.0);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn compressed_text_is_read_and_damage_is_seen() {
    let packed = gzip(b"a,b\n1,2\nx,3\n");
    assert_eq!(read_as(Format::Csv, &packed).unwrap(), csv("a,b\n1,2\nx,3\n").unwrap());
    let two_members = [gzip(b"a,b\n1,2\n"), gzip(b"3,4\n")].concat();
    assert_eq!(read_as(Format::Csv, &two_members).unwrap().rows(), 2);
    let line = wrong(read_as(Format::Csv, &gzip(b"a,b\n1\n"))).0;
    assert_eq!(line, Some(2));
    assert_wrong(Format::Csv, &packed[..packed.len() - 6], None, "damaged or cut short");
    assert_wrong(Format::Parquet, &packed, None, "unpack the .gz");
}

const FORMATS: [Format; 5] = [Format::Csv, Format::Tsv, Format::Libsvm, Format::Npy, Format::Parquet];

/// Any bytes may give any error, but nothing may panic or take the memory.
fn read_all(bytes: &[u8]) {
    let compute = Compute::new().with_memory(1 << 26);
    for format in FORMATS {
        let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
        let _ = io::read_table_from(bytes, "data.x", &options, &compute);
    }
}

#[test]
fn random_bytes_never_panic() {
    let alphabet = b"0123456789.,;:|\t \n\r\"#-+eENaAnx?\xff\x00";
    for task in 0..400 {
        let mut stream = Seed(2).stream("bytes", task);
        let length = (stream.bits() % 300) as usize;
        let any: Vec<u8> = (0..length).map(|_| stream.bits() as u8).collect();
        read_all(&any);
        let likely: Vec<u8> = any.iter().map(|b| alphabet[*b as usize % alphabet.len()]).collect();
        read_all(&likely);
        read_all(&gzip(&likely));
        read_all(&[b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (", &likely[..]].concat());
        read_all(&[b"PAR1", &any[..], b"PAR1"].concat());
    }
}

#[test]
fn damaged_files_never_panic() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    for name in ["pandas.parquet", "groups.parquet", "fortran_f4.npy", "heart_scale.libsvm.gz"] {
        let whole = std::fs::read(format!("{folder}/{name}")).unwrap();
        for task in 0..150 {
            let mut stream = Seed(3).stream(name, task);
            let mut bytes = whole.clone();
            for _ in 0..1 + stream.bits() % 4 {
                let at = (stream.bits() % bytes.len() as u64) as usize;
                bytes[at] = stream.bits() as u8;
            }
            if task % 5 == 0 {
                bytes.truncate((stream.bits() % bytes.len() as u64) as usize);
            }
            read_all(&bytes);
        }
    }
}

/// Whatever a file claims is compared with the memory limit before anything of that size is made.
#[test]
fn claims_of_width_are_refused_by_the_memory_limit() {
    let compute = Compute::new().with_memory(64 << 20);
    let folder = tempfile::tempdir().unwrap();
    let shape = "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 1152921504606846975), }\n";
    let header = [&b"\x93NUMPY\x01\x00"[..], &(shape.len() as u16).to_le_bytes(), shape.as_bytes()].concat();
    let cases = [
        ("a.libsvm", b"1 4294967295:1\n".to_vec()),
        ("b.libsvm", b"1 100000:1\n2 1:1\n".to_vec()),
        ("c.npy", header),
        ("d.csv", b"1,".repeat(100_000)),
        ("e.csv", b"1,".repeat(8_000_000)),
        ("f.csv", [b"a,b\n1,\"".to_vec(), b"x\n".repeat(8_000_000)].concat()),
        ("g.libsvm", [b"1 ".to_vec(), b"1:1 ".repeat(4_000_000)].concat()),
    ];
    for (name, bytes) in cases {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let options = ReadOptions::default();
        let whole = io::read_table(&path, &options, &compute).map(|_| ());
        assert!(matches!(whole, Err(Error::Memory { .. })), "{name}: {whole:?}");
        let chunks = io::ChunkedFile::open(&path, &options, &compute).map(|_| ());
        assert!(matches!(chunks, Err(Error::Memory { .. })), "{name}: {chunks:?}");
    }
}

/// Wide rows are measured by their cells, not by their number.
#[test]
fn wide_tables_reserve_memory_before_they_are_read() {
    let columns = 20_000;
    let row = format!("{}\n", vec!["1.5"; columns].join(","));
    let compute = Compute::new().with_memory(40 << 20);
    let read = |rows: usize| {
        io::read_table_from(row.repeat(rows).as_bytes(), "wide.csv", &ReadOptions::default(), &compute)
            .map(|t| t.rows())
    };
    assert_eq!(read(20).unwrap(), 20);
    // The text of 400 rows fits into the limit (32 MB), the table (64 MB) does not.
    assert!(matches!(read(400), Err(Error::Memory { what, .. }) if what.contains("the table in")));
}
