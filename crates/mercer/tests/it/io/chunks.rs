//! Files in chunks: the same values and the same errors as the whole table.

use std::io::Write;
use std::path::{Path, PathBuf};

use mercer::io::{self, ChunkedFile, Delimiter, ReadOptions, RowLayout};
use mercer::points::{Column, Table};
use mercer::{Compute, Error, Result, Seed};
use tempfile::TempDir;

fn put(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn open(path: &Path) -> Result<ChunkedFile> {
    ChunkedFile::open(path, &ReadOptions::default(), &Compute::new())
}

/// NaN is not equal to itself: tables are compared by what they print.
fn text(table: &Table) -> String {
    format!("{table:?}")
}

/// Chunks of every height, from every row, hold the rows of the whole table.
fn assert_same_values(path: &Path, options: &ReadOptions) {
    let whole = io::read_table(path, options, &Compute::new()).unwrap();
    let file = ChunkedFile::open(path, options, &Compute::new()).unwrap();
    assert_eq!(text(&file.header()), text(&whole.select_rows(&[]).unwrap()));
    for height in [1, 2, 3, 7, 1000] {
        for first in [0, 1, 4, whole.rows(), whole.rows() + 3] {
            let mut next = first;
            let mut position = 0;
            for chunk in file.chunks(first, height).unwrap() {
                let chunk = chunk.unwrap();
                assert_eq!(chunk.first_row, next);
                let rows: Vec<usize> = (next..next + chunk.table.rows()).collect();
                assert!(!rows.is_empty() && rows.len() <= height);
                assert_eq!(text(&chunk.table), text(&whole.select_rows(&rows).unwrap()), "{}", path.display());
                next += rows.len();
                assert!(chunk.position >= position && chunk.position <= file.size());
                position = chunk.position;
            }
            assert_eq!(next, whole.rows().max(first), "{} from row {first} by {height}", path.display());
        }
    }
}

fn sample_table() -> Table {
    let mut stream = Seed(3).stream("chunks", 0);
    let numbers: Vec<f64> = (0..11).map(|i| if i == 5 { f64::NAN } else { stream.normal() }).collect();
    let texts =
        [None, Some("b"), Some("a"), None, Some("b"), Some("c"), Some("a"), Some("a"), Some("z"), None, Some("y")];
    Table::from_columns(vec![
        Column::numbers("u", numbers.clone()),
        Column::categories("kind", texts),
        Column::numbers("v", numbers.iter().rev().copied().collect()),
    ])
    .unwrap()
}

#[test]
fn csv_in_all_its_forms() {
    let folder = tempfile::tempdir().unwrap();
    let options = ReadOptions::default();
    let late_text = "id,code\n1,10\n2,11\n\n3,x1\n4,12\n5,\n6,10\n";
    let cases: [(&str, &[u8]); 6] = [
        ("late.csv", late_text.as_bytes()),
        ("bom.csv", b"\xef\xbb\xbfa;b\r\n1;NA\r\n\r\n2;0.5\r\n3;?\r\n4;1e3\r\n5;2\r\n"),
        ("quoted.csv", b"name,x\n\"a\nb\",1\n\"c, d\",2\nNA,3\ne,4\nf,5\n"),
        ("bare.csv", b"1,2\n3,4\n5,6\n7,8\n9,10\n"),
        ("one.csv", b"x\n1\n\"\"\n3\n4\n5\n"),
        ("tabs.tsv", b"a\tb\n1\tx y\n2\tz\n3\t\n4\tx y\n5\tw\n"),
    ];
    for (name, bytes) in cases {
        assert_same_values(&put(&folder, name, bytes), &options);
    }
    let spaces = put(&folder, "spaces.csv", b"  a   b\n 1  2\n\n 3  4 \n 5 6\n 7  8\n 9  10\n");
    assert_same_values(&spaces, &ReadOptions { delimiter: Delimiter::Spaces, ..options });
}

#[test]
fn compressed_text() {
    let folder = tempfile::tempdir().unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(b"a,b\n1,x\n2,y\n3,x\n4,\n5,z\n6,y\n").unwrap();
    assert_same_values(&put(&folder, "a.csv.gz", &packed.finish().unwrap()), &ReadOptions::default());
}

#[test]
fn libsvm_takes_the_width_of_the_longest_row() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = b"\xef\xbb\xbf1 1:0.5\n# nothing\n-1 2:1 4:3 # note\n\n2 qid:1 3:1\n0\n1 1:1 2:2\n7 9:1\n";
    assert_same_values(&put(&folder, "a.libsvm", bytes), &ReadOptions::default());
}

#[test]
fn npy_in_both_orders() {
    let folder = tempfile::tempdir().unwrap();
    let matrix = ndarray::Array2::from_shape_fn((11, 3), |(i, j)| (i * 3 + j) as f64 + 0.5);
    let path = folder.path().join("c.npy");
    io::write_npy(&path, matrix.view(), io::NpyNumber::Double).unwrap();
    assert_same_values(&path, &ReadOptions::default());
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    let header = "{'descr': '>f4', 'fortran_order': True, 'shape': (11, 3), }\n";
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    matrix.t().iter().for_each(|v| bytes.extend((*v as f32).to_be_bytes()));
    assert_same_values(&put(&folder, "f.npy", &bytes), &ReadOptions::default());
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(&bytes).unwrap();
    let error = open(&put(&folder, "f.npy.gz", &packed.finish().unwrap())).err().unwrap().to_string();
    assert!(error.contains("order of columns"), "{error}");
}

#[test]
fn parquet_with_texts_and_nulls() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    io::write_parquet(&path, &sample_table()).unwrap();
    assert_same_values(&path, &ReadOptions::default());
}

/// The error of the first pass or of a chunk.
fn error_of(path: &Path) -> Option<Error> {
    let file = match open(path) {
        Ok(file) => file,
        Err(error) => return Some(error),
    };
    match file.chunks(0, 2) {
        Ok(chunks) => chunks.into_iter().find_map(Result::err),
        Err(error) => Some(error),
    }
}

#[test]
fn wrong_files_give_the_errors_of_the_whole_table() {
    let folder = tempfile::tempdir().unwrap();
    let cases: [(&str, &[u8]); 17] = [
        ("a.csv", b""),
        ("b.csv", b"\n\r\n\n"),
        ("c.csv", b"a,b\n1,2\n3\n"),
        ("d.csv", b"a,b\r\n1,2\r\n\r\n3,4,5\r\n"),
        ("e.csv", b"a,b\n\"x,2\n3,4\n"),
        ("f.csv", b"a,b,a\n1,2,3\n"),
        ("g.csv", b"a;b\n1,5;2\n"),
        ("h.csv", b"a,b\n1,x\n1,\xff\xfe\n"),
        ("i.csv", b"a,b\n1,2\n1,x\n2,\xff\xfe\n"),
        ("j.csv", b"\xff\xfea\x00"),
        ("k.libsvm", b""),
        ("l.libsvm", b"1 1:1\n2 2:1 1:1\n"),
        ("m.libsvm", b"1 1:1\n2 1:1\n3 1:1\nx 1:1\n"),
        ("n.npy", b"not an npy file"),
        ("o.npy", b"\x93NUM"),
        ("p.parquet", b"PAR1 and nothing else PAR1"),
        ("q.csv.gz", b"\x1f\x8b\x08\x00 damaged"),
    ];
    for (name, bytes) in cases {
        let path = put(&folder, name, bytes);
        let whole = io::read_table(&path, &ReadOptions::default(), &Compute::new()).unwrap_err();
        let chunked = error_of(&path).unwrap_or_else(|| panic!("{name} was read"));
        assert_eq!(chunked.to_string(), whole.to_string(), "{name}");
    }
    assert!(matches!(open(&folder.path().join("none.csv")), Err(Error::File { .. })));
    assert!(matches!(open(folder.path()), Err(Error::Unsupported { .. })));
    let good = put(&folder, "good.csv", b"a\n1\n");
    assert!(matches!(open(&good).unwrap().chunks(0, 0), Err(Error::Parameter { .. })));
}

#[test]
fn a_file_that_changes_between_the_passes_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = put(&folder, "a.csv", b"a,b\n1,2\n3,4\n");
    let file = open(&path).unwrap();
    std::fs::write(&path, "a,b\n1,2\nx,4\n").unwrap();
    let error = file.chunks(0, 10).unwrap().find_map(Result::err).unwrap().to_string();
    assert!(error.ends_with("line 3: column `a`: the file changed while it was read"), "{error}");
}

#[test]
fn a_file_over_the_memory_limit_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..20_000).map(|i| format!("{i},{}\n", i % 7)).collect();
    let path = put(&folder, "a.csv", format!("a,b\n{rows}").as_bytes());
    let compute = Compute::new().with_memory(200_000);
    assert!(matches!(io::read_table(&path, &ReadOptions::default(), &compute), Err(Error::Memory { .. })));
    let file = ChunkedFile::open(&path, &ReadOptions::default(), &compute).unwrap();
    let rows: usize = file.chunks(0, 1024).unwrap().map(|chunk| chunk.unwrap().table.rows()).sum();
    assert_eq!(rows, 20_000);
}

#[test]
fn sparse_rows_of_libsvm_in_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let text: String = (0..9).map(|i| format!("{i} {}:0.5 {}:{i}\n", i + 1, 900 + i)).collect();
    let path = put(&folder, "x.libsvm", text.as_bytes());
    let options = ReadOptions { rows: RowLayout::Sparse, ..ReadOptions::default() };
    assert_same_values(&path, &options);
    let names = |rows: RowLayout| {
        let options = ReadOptions { rows, ..ReadOptions::default() };
        let table = io::read_table(&path, &options, &Compute::new()).unwrap();
        table.names().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names(RowLayout::Sparse), ["target", "x"]);
    assert_eq!(names(RowLayout::BySize), ["target", "x"]);
    assert_eq!(names(RowLayout::Dense).len(), 909);
    // Few zeros: dense, unless it does not fit.
    let full = put(&folder, "full.libsvm", "1 1:1 2:1\n".repeat(1000).as_bytes());
    let rows = |memory: u64| {
        let options = ReadOptions { rows: RowLayout::BySize, ..ReadOptions::default() };
        io::read_table(&full, &options, &Compute::new().with_memory(memory)).unwrap().columns().len()
    };
    assert_eq!((rows(1 << 30), rows(20_000)), (3, 2));
    let bad = put(&folder, "bad.libsvm", b"1 1:1\n1 3:inf 900:1\n");
    let error = io::read_table(&bad, &options, &Compute::new()).unwrap_err().to_string();
    assert!(error.contains("row 1") && error.contains("x3"), "{error}");
}
